"""People, by the keys that they meet in every release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Bools, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.prove.covering import cover
from indistinct.prove.together.build import Combination, Table, table_of
from indistinct.prove.together.join import (
    Layer,
    Sets,
    Store,
    distinct_rows,
    listed_pairs,
    meeting_totals,
    members_by,
)

__all__ = ["People", "people_of"]


@dataclass(frozen=True, eq=False)
class People:
    """People of a register, put together where they meet the same keys in every release.

    Parameters
    ----------
    table
        The register's different rows.
    type_of_row
        The type of each row.
    types
        For each type and release the number, in `known`, of the set of keys that it meets.
    people
        People of each type.
    alone
        For every key the people who meet it.
    types_of_key
        The types that meet each key.
    whole
        Whether every key that somebody meets is listed.
    """

    table: Table = field(repr=False)
    type_of_row: Ints = field(repr=False)
    types: Ints = field(repr=False)
    people: Ints = field(repr=False)
    known: Sets = field(repr=False)
    alone: Ints = field(repr=False)
    types_of_key: Sets = field(repr=False)
    whole: bool = True

    def rows_left(self, key: int, wanted: Sequence[Ints]) -> Ints:
        """Return the rows that meet a key and, for each of some sets, one of its keys."""
        types = self.types_of_key[key]
        releases = self.types.shape[1]
        for keys in wanted:
            fits = [
                any(
                    len(np.intersect1d(self.known[self.types[t, j]], keys)) for j in range(releases)
                )
                for t in types
            ]
            types = types[np.array(fits, dtype=bool)]
        return np.flatnonzero(np.isin(self.type_of_row, types))


def people_of(
    engine: Engine, people: Source, columns: Mapping[str, str], combination: Combination
) -> People:
    """Find out which keys of every release each person meets.

    A missing value of the register meets suppressed cells only. A released cell that meets nobody
    is taken for untrue and left out of account; a record with no other refers to nobody.
    """
    names = list(dict.fromkeys(name for names in combination.keys for name in names))
    table = table_of(engine, people, columns, names)
    alone = np.zeros(combination.key_count, dtype=np.int64)
    store = Store()
    set_of_row, whole = [], True
    for number, own in enumerate(combination.keys):
        rows, row_of = distinct_rows(table.codes(own))
        keys = combination.key_rows[number]
        amounts = np.bincount(row_of, weights=table.records).astype(np.int64)
        layers, nowhere = _layers(combination, number, table)
        one, other, complete = listed_pairs(
            keys, rows, layers, weight=np.ones_like(amounts), limit=combination.limit
        )
        whole &= bool(complete.all())
        kept = ~nowhere[one]
        met = Sets.of_pairs(other[kept], one[kept] + combination.offsets[number], size=len(rows))
        people_there = meeting_totals(keys, rows, layers, amounts)
        alone[combination.offsets[number] :][: len(keys)] = np.where(nowhere, 0, people_there)
        set_of_row.append(store.add(met)[row_of])
    types, type_of_row = distinct_rows(np.stack(set_of_row, axis=1))
    totals = np.bincount(type_of_row, weights=table.records).astype(np.int64)
    known = store.all()
    types_of_key = _types_of_key(types, known, combination.key_count)
    return People(table, type_of_row, types, totals, known, alone, types_of_key, whole)


def _layers(combination: Combination, number: int, table: Table) -> tuple[list[list[Layer]], Bools]:
    """Return how the keys of a release meet the register, and which keys meet nothing in it."""
    layers = []
    keys = combination.key_rows[number]
    met = np.zeros(len(keys), dtype=bool)
    for j, name in enumerate(combination.keys[number]):
        found = cover(
            combination.tables[number].labels(name),
            table.labels(name),
            name=name,
            hierarchy=combination.hierarchies.get(name),
        )
        met |= found.group_of[keys[:, j]] >= 0
        layers.append([Layer(found.ignoring_unmet(), np.arange(len(found.values)))])
    return layers, ~met if layers else met


def _types_of_key(types: Ints, known: Sets, keys: int) -> Sets:
    """Turn around which keys a type meets."""
    everybody = Sets(
        np.arange(types.size + 1, dtype=np.int64), types.reshape(-1), np.ones(types.size, bool)
    )
    places, found = everybody.through(known)
    numbers = members_by(found, keys)
    return Sets(numbers.starts, places[numbers.members] // types.shape[1], numbers.complete)
