"""Who is left when everybody whom other records must hold is taken away.

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
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from indistinct.core import Bools, Ints

__all__ = ["MOST_LINKS", "possible_links"]

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
    graph = csr_array((np.ones(len(at[0]), dtype=np.int8), at), shape=(sink + 1, sink + 1))
    _, part = connected_components(graph, directed=True, connection="strong")
    return np.asarray(used | (part[start] == part[classes + end]))
