"""Partners that a one-to-one pairing rules out, where two releases have exactly the same people.

Then every record of one release belongs to one record of the other, and a pair of records that
meets may still be impossible: if three records must share two partners with nobody else left, a
fourth cannot have one of these. Pairs that occur in no complete pairing are found exactly
(Dulmage and Mendelsohn 1958; for counts instead of single records: given one complete pairing as
a flow, a pair without flow occurs in some other one if and only if it closes a cycle in the
residual graph, that is if both its ends lie in one strong component).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_flow

from indistinct.core import Bools, InputError, Ints

__all__ = ["possible_pairs"]


def possible_pairs(
    left: Ints, right: Ints, *, left_records: Ints, right_records: Ints, names: str
) -> Bools:
    """Say of every pair that meets whether some complete one-to-one pairing of records has it.

    Parameters
    ----------
    left, right
        Pairs of different rows that meet, by position.
    left_records, right_records
        How many records have each row.
    names
        The two releases, for messages.

    >>> left, right = np.array([0, 1, 1]), np.array([0, 0, 1])
    >>> ones = np.ones(2, dtype=np.int64)
    >>> possible_pairs(left, right, left_records=ones, right_records=ones, names="A and B").tolist()
    [True, False, True]
    """
    records, others = int(left_records.sum()), int(right_records.sum())
    if records != others:
        raise InputError(
            f"{names} cannot be about exactly the same people: they have {records:,} and "
            f"{others:,} records. Leave same_people out."
        )
    m, n = len(left_records), len(right_records)
    graph = coo_matrix((np.ones(len(left), np.int8), (left, m + right)), (m + n, m + n))
    _, component = connected_components(graph, directed=False)
    both = np.concatenate([left_records, -right_records])
    if np.bincount(component, weights=both).any():
        _refuse(names)
    # with a single row on one side of a component every pair is used
    sides = np.stack(
        [np.bincount(component[:m], minlength=m + n), np.bincount(component[m:], minlength=m + n)]
    )
    several: Bools = np.logical_and(sides[0] > 1, sides[1] > 1)
    open_ = several[component[left]]
    possible = np.ones(len(left), dtype=bool)
    if open_.any():
        possible[open_] = _by_flow(
            left[open_], right[open_], left_records, right_records, names=names
        )
    return possible


def _by_flow(left: Ints, right: Ints, supply: Ints, demand: Ints, *, names: str) -> Bools:
    rows, own_left = np.unique(left, return_inverse=True)
    columns, own_right = np.unique(right, return_inverse=True)
    own_left, own_right = own_left.reshape(-1), own_right.reshape(-1)
    m, n = len(rows), len(columns)
    source, sink = m + n, m + n + 1
    starts = np.concatenate([np.full(m, source), own_left, m + np.arange(n)])
    ends = np.concatenate([np.arange(m), m + own_right, np.full(n, sink)])
    middle = np.minimum(supply[left], demand[right])
    room = np.concatenate([supply[rows], middle, demand[columns]]).astype(np.int32)
    network = csr_matrix((room, (starts, ends)), shape=(m + n + 2, m + n + 2))
    found = maximum_flow(network, source, sink, method="dinic")
    if found.flow_value != int(supply[rows].sum()):
        _refuse(names)
    flow = np.asarray(found.flow[own_left, m + own_right]).reshape(-1)
    back = flow > 0
    arcs = (
        np.concatenate([own_left, m + own_right[back]]),
        np.concatenate([m + own_right, own_left[back]]),
    )
    residual = csr_matrix((np.ones(len(arcs[0]), np.int8), arcs), shape=(m + n, m + n))
    _, strong = connected_components(residual, directed=True, connection="strong")
    same: Bools = back | (strong[own_left] == strong[m + own_right])
    return same


def _refuse(names: str) -> None:
    raise InputError(
        f"{names} cannot be about exactly the same people: their records cannot all be paired one "
        "to one. Leave same_people out, or name the attributes that are true in both."
    )
