"""Missing values as wildcards: a record agrees with another where either has no value.

In this meaning a record with missing values agrees with more records, and agreement is no longer
transitive: classes overlap. Only the frequencies are different; the key table stays.

Who is left when everybody whom other records must hold is taken away.

Every released record was made from another person, so whoever knows all people looks for an
assignment of people to records. Classes of records that look alike and classes of people with
equal values are the two sides of a graph, an edge wherever a label may stand for the values. An
assignment is a flow: each class of records takes as many people as it has records, each class of
people gives no more than it has. A person may be behind a record if and only if *some* such flow
uses their edge. Starting from any flow, it does or can be made to, round a cycle of the residual
graph: the two ends of the edge lie in one strongly connected component (Picard and Queyranne
1980). Flows move whole people, so at the level of classes the answer is exact.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.sparse import coo_array, csr_array

from indistinct.core import (
    GOLDEN,
    Array,
    Bools,
    Floats,
    InputError,
    Ints,
    between,
    check_number,
    fold_word,
)
from indistinct.keys.table import KeyTable

__all__ = ["MOST_LINKS", "possible_links", "wildcard_frequencies", "wildcard_weights"]


def wildcard_frequencies(table: KeyTable, *, alpha: float = 1.0) -> Array:
    """Return for every class the records that agree with it when missing means anything.

    With ``alpha`` below 1, two records that agree only because of what is missing count less
    (sdcMicro's rule)::

        f(i) = records with i's key and i's pattern of missing values
             + complete records that agree with i
             + alpha · other incomplete records that agree with i

    Whole numbers come back for alpha = 1, the default, and fractions otherwise.

    Classes are sorted by which variables they lack. For every pair of such patterns, the classes
    are compared on the variables that both have: the cost grows with the number of patterns that
    occur, not with the square of the number of classes.

    >>> import pyarrow as pa, indistinct
    >>> with indistinct.open_data(pa.table({"a": [1, 1, None], "b": [1, 2, 2]})) as data:
    ...     table = data.key_table(["a", "b"])
    >>> wildcard_frequencies(table).tolist()
    [1, 2, 2]
    >>> wildcard_frequencies(table, alpha=0.5).tolist()
    [1.0, 1.5, 2.0]
    """
    return _agreeing(table, table.counts, alpha)


def wildcard_weights(table: KeyTable, *, alpha: float = 1.0) -> Floats:
    """Return for every class the sum of weights of the records that agree with it.

    The rule is that of `wildcard_frequencies`, with weights in the place of records.
    """
    if table.weights is None:
        raise InputError("The key table has no weights. Count it with weight='…'.")
    return _agreeing(table, table.weights, alpha).astype(np.float64)


def _agreeing(table: KeyTable, amounts: Array, alpha: float) -> Array:
    hint = "It is how much a record counts that agrees only because of what is missing."
    check_number("alpha", alpha, between(0, 1, hint))
    variables = table.coding.variables
    lacks = np.stack(
        [
            (table.codes[:, j] == v.size - 1) if v.missing else np.zeros(len(table), dtype=bool)
            for j, v in enumerate(variables)
        ],
        axis=1,
    )
    patterns, pattern_of = np.unique(lacks, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    if len(patterns) < 2:
        # one pattern: either all is known or all lack the same, and classes agree with none other
        return amounts.copy() if alpha == 1 else amounts.astype(np.float64)
    order = np.argsort(pattern_of, kind="stable")
    starts = np.searchsorted(pattern_of[order], np.arange(len(patterns) + 1))
    codes = np.ascontiguousarray(table.codes[order])
    amount = amounts[order]
    full, partial = np.zeros_like(amount), np.zeros_like(amount)
    _join_patterns(codes, amount, patterns, starts, full, partial)
    # full holds what counts in full: the class itself, and complete classes
    found = np.empty(len(order), dtype=amount.dtype if alpha == 1 else np.float64)
    found[order] = amount + full + (partial if alpha == 1 else alpha * partial)
    return found


@njit(cache=True, nogil=True)
def _join_patterns(
    codes: Array, amount: Array, patterns: Array, starts: Array, full: Array, partial: Array
) -> None:
    """Add to each class what agrees with it in every other pattern.

    Within a pattern other classes never agree. For two patterns, the smaller is put in a table
    keyed by the variables both have; the larger is passed by it once, and both sides are paid.
    """
    count, width = patterns.shape
    largest = 0
    for p in range(count):
        largest = max(largest, starts[p + 1] - starts[p])
    size = 4
    while size < 2 * largest:
        size *= 2
    slots = np.zeros(size, dtype=np.int64)
    held = np.zeros(largest, dtype=amount.dtype)
    met = np.zeros(largest, dtype=amount.dtype)
    first = np.zeros(largest, dtype=np.int64)
    place = np.zeros(largest, dtype=np.int64)
    shared = np.zeros(width, dtype=np.int64)
    complete = np.zeros(count, dtype=np.bool_)
    for p in range(count):
        complete[p] = not patterns[p].any()
    for p in range(count):
        for o in range(p + 1, count):
            few, many = p, o
            if starts[p + 1] - starts[p] > starts[o + 1] - starts[o]:
                few, many = o, p
            used = 0
            for j in range(width):
                if not patterns[p, j] and not patterns[o, j]:
                    shared[used] = j
                    used += 1
            small = starts[few + 1] - starts[few]
            bits = 4
            while bits < 2 * small:
                bits *= 2
            slots[:bits] = 0
            groups = 0
            for i in range(starts[few], starts[few + 1]):
                at = _slot(codes, i, shared, used, slots, bits, first)
                if slots[at] == 0:
                    first[groups] = i
                    held[groups] = 0
                    met[groups] = 0
                    groups += 1
                    slots[at] = groups
                held[slots[at] - 1] += amount[i]
                place[i - starts[few]] = slots[at] - 1
            to_many = full if complete[few] else partial
            for i in range(starts[many], starts[many + 1]):
                at = _slot(codes, i, shared, used, slots, bits, first)
                if slots[at]:
                    to_many[i] += held[slots[at] - 1]
                    met[slots[at] - 1] += amount[i]
            to_few = full if complete[many] else partial
            for i in range(small):
                to_few[starts[few] + i] += met[place[i]]


@njit(cache=True, nogil=True, inline="always")
def _slot(
    codes: Array, row: int, shared: Array, used: int, slots: Array, bits: int, first: Array
) -> np.int64:
    """Return the slot of a row's shared values: where they are, or where they would go."""
    h = np.uint64(0)
    for s in range(used):
        h = fold_word((h ^ np.uint64(codes[row, shared[s]])) * GOLDEN, 32)
    at = np.int64(h & np.uint64(bits - 1))
    while slots[at]:
        other = first[slots[at] - 1]
        same = True
        for s in range(used):
            if codes[row, shared[s]] != codes[other, shared[s]]:
                same = False
                break
        if same:
            break
        at = (at + 1) & (bits - 1)
    return at


# Who is left when everybody whom other records must hold is taken away ---------------------------


MOST_LINKS = 5_000_000
"""More links of a class of records with a class of people are not followed."""


def possible_links(
    records: Ints,
    people: Ints,
    links: tuple[Ints, Ints],
    *,
    flow: Ints | None = None,
) -> Bools | None:
    """Say of each link whether some assignment of people to records uses it.

    Parameters
    ----------
    records, people
        How many records each class of records has, and people each class of people.
    links
        Pairs (class of records, class of people) that meet.
    flow
        An assignment that is known, by link: the truth, where the holder asks. Else one is found.

    Returns
    -------
    None where no assignment exists: some record is nobody's by what it says.

    Two records of which one says nothing, and two people: the one that says something takes one.

    >>> links = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> possible_links(np.array([1, 1]), np.array([1, 1]), links).tolist()
    [True, False, True]
    >>> possible_links(np.array([1, 1]), np.array([2, 1]), links).tolist()
    [True, True, True]
    """
    left, right = links
    if not len(left):
        return None if records.any() else np.zeros(0, dtype=bool)
    group_of = _alike(left, right, len(records), len(people))
    groups = int(group_of.max()) + 1
    room = np.bincount(group_of, weights=people, minlength=groups).astype(np.int64)
    codes, link_of = np.unique(left * groups + group_of[right], return_inverse=True)
    link_of = link_of.reshape(-1)
    start, end = np.divmod(codes, groups)
    if flow is None:
        found = _assigned(records, room, start, end)
        if found is None:
            return None
    else:
        found = np.bincount(link_of, weights=flow, minlength=len(codes)).astype(np.int64)
    return np.asarray(_in_cycles(len(records), room, start, end, found)[link_of])


def _alike(left: Ints, right: Ints, records: int, people: int) -> Ints:
    """Number classes of people by the classes of records that they meet: equal sets, one number."""
    marks = np.random.default_rng(0).integers(1, 2**63, size=(records, 2), dtype=np.uint64)
    sums = np.zeros((people, 2), dtype=np.uint64)  # sums of random words, 128 bits, wrap around
    for j in range(2):
        np.add.at(sums[:, j], right, marks[left, j])
    return np.unique(sums, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _assigned(records: Ints, room: Ints, start: Ints, end: Ints) -> Ints | None:
    """Find an assignment, by link; None where there is none."""
    classes, groups = len(records), len(room)
    source, sink = classes + groups, classes + groups + 1
    total = int(records.sum())
    if total > int(room.sum()) or total >= 2**31:
        return None
    rows = np.concatenate([np.full(classes, source), start, classes + np.arange(groups)])
    columns = np.concatenate([np.arange(classes), classes + end, np.full(groups, sink)])
    most = np.minimum(records[start], room[end])
    amounts = np.concatenate([records, most, np.minimum(room, total)]).astype(np.int32)
    from scipy.sparse.csgraph import maximum_flow  # few runs come here, and it takes long to load

    graph = csr_array(coo_array((amounts, (rows, columns)), shape=(sink + 1, sink + 1)))
    found = maximum_flow(graph, source, sink)
    if int(found.flow_value) < total:
        return None
    taken = csr_array(found.flow)[:classes, classes:source].tocoo()
    place = np.searchsorted(start * groups + end, taken.coords[0] * groups + taken.coords[1])
    flow = np.zeros(len(start), dtype=np.int64)
    flow[place] = taken.data
    return flow


def _in_cycles(classes: int, room: Ints, start: Ints, end: Ints, flow: Ints) -> Bools:
    """Say of links whether flow runs over them, or may run round a cycle of the residual graph."""
    groups = len(room)
    sink = classes + groups
    given = np.bincount(end, weights=flow, minlength=groups).astype(np.int64)
    used, spare, giving = flow > 0, np.flatnonzero(given < room), np.flatnonzero(given > 0)
    rows = [start, classes + end[used], classes + spare, np.full(len(giving), sink)]
    columns = [classes + end, start[used], np.full(len(spare), sink), classes + giving]
    at = np.concatenate(rows), np.concatenate(columns)
    from scipy.sparse.csgraph import connected_components  # as above

    graph = csr_array((np.ones(len(at[0]), dtype=np.int8), at), shape=(sink + 1, sink + 1))
    _, part = connected_components(graph, directed=True, connection="strong")
    return np.asarray(used | (part[start] == part[classes + end]))
