"""Which released record is whose, and both files counted by the same variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, InputError, Ints, Level
from indistinct.engine import Engine, Tally
from indistinct.files import Source
from indistinct.keys import KeyTable, group_rows
from indistinct.prove.changes.scales import Scale, joint_scale, only_occurring
from indistinct.prove.registers import ids_alike

__all__ = ["NO_RECORD", "Match", "PairedKeys", "pair_keys", "pair_records", "shared_variables"]


Match = str | Ints
"""How records correspond: a column that identifies them in both files, or for each released record
the number of the original one, -1 for a record that was made up."""

NO_RECORD = -1
"""In place of a released record's number: the original record was left out."""


@dataclass(frozen=True, eq=False)
class PairedKeys:
    """Both files counted by the same variables, with classes that they share.

    Parameters
    ----------
    scales
        The variables.
    codes
        The code of every variable, for every class that either file has.
    before, after
        Records of the original and of the released file in each class.
    original, released
        The class of every original record, and of the released record that corresponds to it
        (`NO_RECORD` where it was left out).
    """

    scales: tuple[Scale, ...]
    codes: Ints = field(repr=False)
    before: Ints = field(repr=False)
    after: Ints = field(repr=False)
    original: Ints = field(repr=False)
    released: Ints = field(repr=False)

    @property
    def records(self) -> int:
        """The number of original records."""
        return len(self.original)

    @property
    def kept(self) -> Bools:
        """Whether each original record has a released one."""
        here: Bools = self.released != NO_RECORD
        return here

    def code(self, position: int) -> tuple[Ints, Ints]:
        """Return the codes of one variable, original and released, record by record.

        Records that were left out have their original value on both sides.
        """
        column = self.codes[:, position]
        theirs = np.where(self.kept, self.released, self.original)
        return column[self.original], column[theirs]


def pair_records(original: Source, released: Source, *, match: Match | None = None) -> Ints | None:
    """Find the released record of every original one: the same position, or as `match` says.

    Returns None for the same positions. Otherwise original records may be left out of the release
    (`NO_RECORD`); by identifier, a released record of nobody is refused.
    """
    if isinstance(match, np.ndarray):
        if len(match) != released.records or match.max(initial=-1) >= original.records:
            raise InputError(
                "match must give the number of an original record, or -1, for each of the "
                f"{released.records:,} released records."
            )
        own = np.full(original.records, NO_RECORD, dtype=np.int64)
        own[match[match >= 0]] = np.flatnonzero(match >= 0)
        return own
    if match is None:
        if original.records != released.records:
            raise InputError(
                f"{original.origin} has {original.records:,} records and {released.origin} "
                f"{released.records:,}: which released record is whose cannot be told by position. "
                "Name a column that identifies the records of both with match."
            )
        return None
    for source in (original, released):
        source.check_columns([match])
    columns = ids_alike(original.table([match]).column(0), released.table([match]).column(0))
    for source, column in zip((original, released), columns, strict=True):
        _check_identifies(column, source, match)
    known = pa.compute.index_in(columns[1], value_set=columns[0])
    if known.null_count:
        record = int(np.argmax(known.is_null().to_numpy(zero_copy_only=False))) + 1
        raise InputError(
            f"{released.origin}: '{match}' of record {record:,} is not in {original.origin}. "
            "Every released record must have an original one."
        )
    partner = np.full(original.records, NO_RECORD, dtype=np.int64)
    partner[known.to_numpy(zero_copy_only=False)] = np.arange(released.records)
    return partner


def _check_identifies(column: pa.Array, source: Source, match: str) -> None:
    if column.null_count:
        record = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False))) + 1
        raise InputError(
            f"{source.origin}: '{match}' is missing in record {record:,}. A column that matches "
            "records must have a value in each."
        )
    codes = column.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    if len(codes) and int(codes.max()) + 1 < len(codes):
        first = np.unique(codes, return_index=True)[1]
        again = np.ones(len(codes), dtype=bool)
        again[first] = False
        raise InputError(
            f"{source.origin}: '{match}' of record {int(np.argmax(again)) + 1:,} is that of an "
            "earlier record too. A column that matches records must differ in each."
        )


def shared_variables(
    original: Source,
    released: Source,
    names: Sequence[str] | None,
    *,
    match: Match | None = None,
) -> list[str]:
    """Return the variables to compare: those given, or all that both files have.

    Identifiers, weights, household numbers and the matching column are not compared unless named.
    """
    if names is not None:
        for source in (original, released):
            source.check_columns(names)
        if not names:
            raise InputError("Name at least one variable to compare. Got none.")
        return list(dict.fromkeys(names))
    apart = ("identifier", "weight", "household")
    matching = match if isinstance(match, str) else None
    found = [
        name
        for name, variable in original.variables.items()
        if name in released.variables and variable.role not in apart and name != matching
    ]
    if not found:
        raise InputError(
            f"{original.origin} and {released.origin} have no variable in common to compare. "
            "Name the variables, and name them alike in both files."
        )
    return found


def pair_keys(
    engine: Engine,
    original: Source,
    released: Source,
    names: Sequence[str],
    *,
    partner: Ints | None = None,
    levels: Mapping[str, Level] | None = None,
) -> PairedKeys:
    """Count both files by the same variables, and put their classes side by side."""
    tallies = [engine.count(source, names) for source in (original, released)]
    tables = [KeyTable.from_tally(tally) for tally in tallies]
    scales, columns = [], []
    for j, name in enumerate(names):
        (mine, at), (theirs, beside) = (
            only_occurring(table.coding.variables[j], table.codes[:, j]) for table in tables
        )
        scale = joint_scale(mine, theirs, original.variables[name], (levels or {}).get(name))
        scales.append(scale)
        columns.append((scale.original[at], scale.released[beside]))
    sides = [np.stack([column[side] for column in columns], axis=1) for side in (0, 1)]
    codes = np.concatenate(sides)
    row = group_rows(codes)
    classes = int(row.max(initial=-1)) + 1
    distinct = np.empty((classes, len(scales)), dtype=np.int64)
    distinct[row] = codes
    of = row[: len(sides[0])], row[len(sides[0]) :]
    before, after = (
        np.bincount(rows, weights=table.counts, minlength=classes).astype(np.int64)
        for rows, table in zip(of, tables, strict=True)
    )
    own, released_class = (
        _per_record(tally, rows) for tally, rows in zip(tallies, of, strict=True)
    )
    if partner is not None:
        released_class = np.append(released_class, NO_RECORD)[partner]
    return PairedKeys(tuple(scales), distinct, before, after, own, released_class)


def _per_record(tally: Tally, rows: Ints) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int64), *tally.per_record(rows)])
