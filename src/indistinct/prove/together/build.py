"""Several releases made comparable: common names, distinct rows, numbered keys, partners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_flow

from indistinct.core import Bools, InputError, Ints, check_whole, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, Nesting, is_suppressed
from indistinct.prove.covering import texts_of
from indistinct.prove.exposure import Counted, count_by
from indistinct.prove.together.count import NONE, Profiles
from indistinct.prove.together.join import (
    Layer,
    Sets,
    Store,
    distinct_rows,
    layers_of,
    listed_pairs,
    members_by,
)

__all__ = ["Combination", "Edition", "Table", "nested_pairs", "possible_pairs", "table_of"]


# Partners that a one-to-one pairing rules out, where two releases have exactly the same people.
#
# Then every record of one release belongs to one record of the other, and a pair of records that
# meets may still be impossible: if three records must share two partners with nobody else left, a
# fourth cannot have one of these. Pairs that occur in no complete pairing are found exactly
# (Dulmage and Mendelsohn 1958; for counts instead of single records: given one complete pairing as
# a flow, a pair without flow occurs in some other one if and only if it closes a cycle in the
# residual graph, that is if both its ends lie in one strong component).


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


# Pairs of records of two releases of which the first certainly fits the second.
#
# Meeting is enough to link. Counting people without knowing them needs more: a record of one
# release
# is a second person for a record of another only if its person certainly fits.


def nested_pairs(
    inner: Ints,
    outer: Ints,
    layers: Sequence[Sequence[Layer]],
    nestings: Sequence[Nesting],
    *,
    limit: int,
) -> tuple[Ints, Ints]:
    """Return pairs of rows of which the first lies within the second in every attribute.

    Beyond `limit` pairs that meet, some are left out.
    """
    weight = np.ones(len(outer), dtype=np.int64)
    left, right, _ = listed_pairs(inner, outer, layers, weight=weight, limit=limit)
    keep = np.ones(len(left), dtype=bool)
    for j, nesting in enumerate(nestings):
        at = np.flatnonzero(keep)
        keep[at] = nesting.of_pairs(inner[left[at], j], outer[right[at], j])
    return left[keep], right[keep]


@dataclass(frozen=True)
class Edition:
    """One release of the same people: for another recipient, or of another year.

    Parameters
    ----------
    source
        The released file.
    name
        What it is called in answers; by default its file's name.
    key
        The key variables that its promise is about.
    k
        What it promised: every record shares its key with k records, or refers to k people.
    names
        Common names of columns that are called otherwise here: ``{"postcode": "zip"}``.
    """

    source: Source = field(repr=False)
    name: str = ""
    key: tuple[str, ...] = ()
    k: int | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.source.origin)
        object.__setattr__(self, "key", tuple(self.names.get(n, n) for n in self.key))
        if self.k is not None:
            check_whole(f"{self.name}: k", self.k, 1)
        for column in self.names:
            self.source.check_columns([column])
        for column in self.key:
            if column not in self.columns:
                raise InputError(
                    f"{self.name}: there is no variable '{column}'. "
                    f"{did_you_mean(column, self.columns)}"
                )

    @property
    def columns(self) -> dict[str, str]:
        """The columns by common name."""
        return {self.names.get(column, column): column for column in self.source.variables}


@dataclass(frozen=True, eq=False)
class Table:
    """Different rows of some attributes, by common name, with the records of each."""

    counted: Counted = field(repr=False)
    names: tuple[str, ...]

    @property
    def records(self) -> Ints:
        """Records of each row."""
        return self.counted.counts

    def codes(self, names: Sequence[str]) -> Ints:
        """Return the codes of some attributes."""
        return self.counted.codes[:, [self.names.index(name) for name in names]]

    def labels(self, name: str) -> tuple[object, ...]:
        """Return the labels of an attribute, by code."""
        return self.counted.values[self.names.index(name)]

    def first_records(self, rows: Ints) -> dict[int, int]:
        """Return the first record of each of a few rows."""
        wanted = np.unique(rows)
        records, places = self.counted.records_in(wanted)
        found, first = np.unique(places, return_index=True)
        return dict(zip(wanted[found].tolist(), records[first].tolist(), strict=True))


def table_of(
    engine: Engine, source: Source, columns: Mapping[str, str], names: Sequence[str]
) -> Table:
    """Count a source by attributes that are called by their common names."""
    return Table(count_by(engine, source, [columns[name] for name in names]), tuple(names))


class Combination:
    """Releases joined on what they share: keys, partners, and the profiles of their records.

    Parameters
    ----------
    known
        What an intruder knows of people, by common name.
    attributes
        What releases are joined on; by default every attribute that two of them have.
    carried
        Attributes that are counted besides.
    same_people
        Whether all releases are about exactly the same people.
    limit
        Pairs that are listed, at most, for two releases.
    """

    def __init__(
        self,
        engine: Engine,
        editions: Sequence[Edition],
        *,
        known: Sequence[str],
        attributes: Sequence[str] | None,
        hierarchies: Mapping[str, Hierarchy],
        carried: Sequence[str] = (),
        same_people: bool = False,
        limit: int,
    ) -> None:
        self.editions = tuple(editions)
        self.hierarchies = hierarchies
        self.limit = limit
        self.notes: list[str] = []
        numbers = range(len(self.editions))
        self.keys = [[name for name in known if name in e.columns] for e in self.editions]
        wanted = {
            (i, j): [
                name
                for name in self.editions[i].columns
                if name in self.editions[j].columns and (attributes is None or name in attributes)
            ]
            for i in numbers
            for j in numbers
            if i < j
        }
        self.tables = [
            table_of(engine, e.source, e.columns, self._used(i, wanted, carried))
            for i, e in enumerate(self.editions)
        ]
        self._layers: dict[tuple[int, int, str], tuple[tuple[Layer, ...], bool]] = {}
        self.shared = {pair: self._comparable(*pair, wanted[pair]) for pair in wanted}
        self._number_keys()
        store = Store()
        self.set_of_row = [
            np.full((len(table.records), len(self.editions)), NONE, dtype=np.int64)
            for table in self.tables
        ]
        for i, j in self.shared:
            self._find_partners(i, j, store, same_people=same_people)
        self.partners = store.all()

    def _used(
        self, number: int, wanted: Mapping[tuple[int, int], list[str]], carried: Sequence[str]
    ) -> list[str]:
        columns = self.editions[number].columns
        used = dict.fromkeys(self.keys[number])
        for pair, names in wanted.items():
            if number in pair:
                used.update(dict.fromkeys(names))
        used.update(dict.fromkeys(name for name in carried if name in columns))
        if not used:
            raise InputError(
                f"{self.editions[number].name} has neither a key variable nor an attribute of "
                "another release. Leave it out, or say by names= what its columns are called "
                "elsewhere."
            )
        return list(used)

    def layers(self, i: int, j: int, name: str) -> tuple[Layer, ...]:
        """Return how the labels of an attribute in release i meet those in release j."""
        return self._found_layers(i, j, name)[0]

    def _found_layers(self, i: int, j: int, name: str) -> tuple[tuple[Layer, ...], bool]:
        if (i, j, name) not in self._layers:
            self._layers[i, j, name] = layers_of(
                self.tables[i].labels(name),
                self.tables[j].labels(name),
                name=name,
                hierarchy=self.hierarchies.get(name),
            )
        return self._layers[i, j, name]

    def _comparable(self, i: int, j: int, names: list[str]) -> tuple[str, ...]:
        """Leave out attributes that cannot be true in both.

        Where no label of the one meets any of the other, every person must have a suppressed cell
        in one of them, so that the shares of suppressed cells add up to one at least.
        """
        kept = []
        for name in names:
            apart = self._found_layers(i, j, name)[1]
            if apart and self._hidden_share(i, name) + self._hidden_share(j, name) < 1:
                self.notes.append(
                    f"no label of '{name}' in {self.editions[i].name} meets one in "
                    f"{self.editions[j].name}: not joined on it"
                )
            else:
                kept.append(name)
        return tuple(kept)

    def _hidden_share(self, number: int, name: str) -> float:
        table = self.tables[number]
        labels = texts_of(table.labels(name))
        hidden = np.array([is_suppressed(label, self._tree(name)) for label in labels], dtype=bool)
        records = table.records[hidden[table.codes([name])[:, 0]]].sum()
        return float(records / table.records.sum())

    def _number_keys(self) -> None:
        """Number the keys of all releases through."""
        self.key_rows: list[Ints] = []
        self.key_of_row: list[Ints] = []
        offsets = [0]
        for table, names in zip(self.tables, self.keys, strict=True):
            rows, number = distinct_rows(table.codes(names))
            self.key_rows.append(rows)
            self.key_of_row.append(number + offsets[-1])
            offsets.append(offsets[-1] + len(rows))
        self.offsets = np.array(offsets, dtype=np.int64)
        self.key_count = offsets[-1]
        self.release_of_key = np.repeat(np.arange(len(self.tables)), np.diff(self.offsets))

    def _find_partners(self, i: int, j: int, store: Store, *, same_people: bool) -> None:
        names = self.shared[i, j]
        rows, row_of = zip(
            *(distinct_rows(self.tables[t].codes(names)) for t in (i, j)), strict=True
        )
        keys = [
            Sets.of_pairs(number, self.key_of_row[t], size=len(distinct))
            for t, distinct, number in zip((i, j), rows, row_of, strict=True)
        ]
        there = [self.layers(i, j, name) for name in names]
        left, right, whole = listed_pairs(
            rows[0], rows[1], there, weight=keys[1].sizes, limit=self.limit
        )
        listed = bool(whole.all()) and int(keys[0].sizes[left].sum()) <= self.limit
        if listed:
            if same_people:
                records = [
                    np.bincount(number, weights=self.tables[t].records).astype(np.int64)
                    for t, number in zip((i, j), row_of, strict=True)
                ]
                kept = possible_pairs(
                    left,
                    right,
                    left_records=records[0],
                    right_records=records[1],
                    names=f"{self.editions[i].name} and {self.editions[j].name}",
                )
                left, right = left[kept], right[kept]
            back, forth, whole_back = right, left, np.ones(len(rows[1]), dtype=bool)
        else:
            self.notes.append(
                f"{self.editions[i].name} and {self.editions[j].name} have more than "
                f"{self.limit:,} pairs of rows that meet: some are left out, so that numbers of "
                "people are at least what is said"
                + (", and that all have the same people is not used" if same_people else "")
            )
            here = [self.layers(j, i, name) for name in names]
            back, forth, whole_back = listed_pairs(
                rows[1], rows[0], here, weight=keys[0].sizes, limit=self.limit
            )
        for a, b, one, other, complete in (
            (0, 1, left, right, whole),
            (1, 0, back, forth, whole_back),
        ):
            size = len(rows[a])
            met = Sets.of_pairs(one, other, size=size, complete=complete)
            sets = Sets.of_pairs(*met.through(keys[b]), size=size, complete=complete)
            number = np.where(complete & (sets.sizes == 0), NONE, store.add(sets))
            self.set_of_row[(i, j)[a]][:, (i, j)[b]] = number[row_of[a]]

    def profiles(self, alone: Ints) -> tuple[Profiles, list[Ints]]:
        """Put together what nobody can tell apart; return also each row's profile.

        `alone` says for every key how many people its own release leaves.
        """
        rows, numbers, size = [], [], 0
        for number, keys in enumerate(self.key_of_row):
            codes = np.concatenate([keys.reshape(-1, 1), self.set_of_row[number] + 1], axis=1)
            distinct, profile_of = distinct_rows(codes)
            rows.append(distinct)
            numbers.append(profile_of + size)
            size += len(distinct)
        codes = np.concatenate(rows)
        records = np.zeros(size, dtype=np.int64)
        for profile_of, table in zip(numbers, self.tables, strict=True):
            np.add.at(records, profile_of, table.records)
        release = self.release_of_key[codes[:, 0]]
        return Profiles(
            release, codes[:, 0], codes[:, 1:] - 1, records, alone[codes[:, 0]]
        ), numbers

    @cached_property
    def containing(self) -> Sets:
        """For each key the keys of other releases that it lies within."""
        pairs: list[tuple[Ints, Ints]] = []
        for j in range(len(self.tables)):
            for l in range(len(self.tables)):
                if j != l:
                    pairs.append(self._contained(j, l))
        return Sets.of_pairs(
            np.concatenate([a for a, _ in pairs]),
            np.concatenate([b for _, b in pairs]),
            size=self.key_count,
        )

    def _contained(self, inner: int, outer: int) -> tuple[Ints, Ints]:
        both = [name for name in self.keys[outer] if name in self.keys[inner]]
        rows = np.arange(len(self.key_rows[outer]))
        for at, name in enumerate(self.keys[outer]):
            if name not in both:
                # what the inner release does not tell must be suppressed in the outer one
                hidden = Nesting(
                    [None], self.tables[outer].labels(name), hierarchy=self._tree(name)
                )
                open_ = np.array(
                    [hidden.within(0, c) for c in range(len(hidden.outer))], dtype=bool
                )
                rows = rows[open_[self.key_rows[outer][rows, at]]]
        left, right = nested_pairs(
            self.key_rows[inner][:, [self.keys[inner].index(name) for name in both]],
            self.key_rows[outer][rows][:, [self.keys[outer].index(name) for name in both]],
            [self.layers(inner, outer, name) for name in both],
            [
                Nesting(
                    self.tables[inner].labels(name),
                    self.tables[outer].labels(name),
                    hierarchy=self._tree(name),
                )
                for name in both
            ],
            limit=self.limit,
        )
        return left + self.offsets[inner], rows[right] + self.offsets[outer]

    def _tree(self, name: str) -> Hierarchy | None:
        return self.hierarchies.get(name)

    def class_sizes(self) -> Ints:
        """Return the records that have each key."""
        sizes = np.zeros(self.key_count, dtype=np.int64)
        for keys, table in zip(self.key_of_row, self.tables, strict=True):
            np.add.at(sizes, keys, table.records)
        return sizes

    def profiles_of_key(self, profiles: Profiles) -> Sets:
        """Return the profiles that have each key."""
        return members_by(profiles.key, self.key_count)
