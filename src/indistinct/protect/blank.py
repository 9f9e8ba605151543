"""Action 2: blank the key, or part of it, of the records that stand out (section 6.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, InputError, Ints, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import Uniques, group_rows, uniques
from indistinct.protect.blanking import Pad, blanked, fewest_blanks, pad
from indistinct.protect.cells import (
    LEAVE,
    NewCells,
    blank_codes,
    members,
    replace_cells,
)
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["TRACKERS", "Blank", "Part"]

Part = Literal["whole", "automatic", "given"]

TRACKERS = (
    "a record of which only part of the key is blank may still be compromised by trackers, "
    "queries that close in on it (Denning and Schlörer 1980; Dobkin, Jones and Lipton 1979). "
    "Blank the whole key where that matters."
)


@dataclass(frozen=True)
class Blank(Step, kind="blank"):
    """Blank the key of the records in classes smaller than k.

    A blank is a value: the blank key must itself appear k times, so where fewer records are
    blanked, further ones are (from the smallest class that can spare them, chosen at random).

    Parameters
    ----------
    key, k
        Which records: those whose key fewer than k records share.
    part
        ``whole`` blanks the whole key; ``automatic`` few variables of each record, such that
        classes with these blanks reach k; ``given`` the named variables, whatever comes of it.
    variables
        For ``given``.
    """

    truthful = True

    key: tuple[str, ...]
    k: int
    part: Part = "whole"
    variables: tuple[str, ...] = ()

    finds_uniques = True
    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse a wrong key or k, and variables that do not fit the part."""
        check_key(self.key, self.k)
        if self.part not in ("whole", "automatic", "given"):
            raise InputError(f"part must be whole, automatic or given. Got '{self.part}'.")
        if (self.part == "given") != bool(self.variables):
            raise InputError("Variables to blank are named with part 'given', and only there.")
        for name in self.variables:
            if name not in self.key:
                raise InputError(f"'{name}' is not in the key. {did_you_mean(name, self.key)}")

    def describe(self) -> str:
        """Say what is done."""
        what = {
            "whole": f"the whole key ({', '.join(self.key)})",
            "automatic": f"as few as needed of {', '.join(self.key)}",
            "given": f"{', '.join(self.variables)} (of the key {', '.join(self.key)})",
        }[self.part]
        return f"blank {what} of the records in classes smaller than {self.k}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Blank the cells."""
        found = uniques(engine, source, self.key, k=self.k)
        if not found.at_risk:
            return source, Receipt(self.kind, source.records, source.records, residual=0)
        table, blank = found.key_table, blank_codes(found.key_table)
        small = table.smaller_than(self.k)
        mask = np.zeros(table.codes.shape, dtype=bool)
        if self.part == "automatic":
            mask = fewest_blanks(table.codes, table.counts, blank, k=self.k)
        elif self.part == "given":
            for name in self.variables:
                mask[small, self.key.index(name)] = True
        else:
            mask[small] = True
        # blanking every variable by name is blanking the whole key, with the same promise
        whole = self.part == "given" and set(self.variables) == set(self.key)
        extra = None
        if self.part != "given" or whole:
            extra = pad(table.codes, table.counts, mask, blank, k=self.k)
        records, cells = members(found, np.asarray(mask.any(axis=1)))
        cells_of = mask[cells]
        if extra is not None:
            records, cells, cells_of = _with_extra(found, extra, records, cells, cells_of, context)
        changes = cells_of & (table.codes[cells] != blank)
        result = replace_cells(engine, source, records, _blanks(source, self.key, cells_of))
        partial = bool((cells_of.any(axis=1) & ~cells_of.all(axis=1)).any())
        notes = [] if extra is None else [_padded(extra.take, self.k)]
        return result, Receipt(
            self.kind,
            source.records,
            result.records,
            records_changed=int(changes.any(axis=1).sum()),
            cells_changed=dict(zip(self.key, changes.sum(axis=0).tolist(), strict=True)),
            residual=_residual(found, mask, blank) if self.part == "given" and not whole else 0,
            notes=tuple(notes),
            warnings=(TRACKERS,) if partial or (self.part != "whole" and not whole) else (),
        )


def _padded(number: int, k: int) -> str:
    what = "one further record was" if number == 1 else f"{number:,} further records were"
    return f"{what} blanked, so that the blank key has at least {k} records"


def _with_extra(
    found: Uniques,
    extra: Pad,
    records: Ints,
    classes: Ints,
    cells: Bools,
    context: Context,
) -> tuple[Ints, Ints, Bools]:
    """Add the records that fill up the blank key, drawn from their classes."""
    candidates, candidate_classes = members(found, extra.classes)
    if extra.take < len(candidates):
        order = np.argsort(context.draws().words("blank", candidates), kind="stable")
        taken = np.sort(order[: extra.take])
        candidates, candidate_classes = candidates[taken], candidate_classes[taken]
    others = ~np.isin(records, candidates)
    records = np.concatenate([records[others], candidates])
    classes = np.concatenate([classes[others], candidate_classes])
    whole = np.ones((len(candidates), cells.shape[1]), dtype=bool)
    order = np.argsort(records)
    return records[order], classes[order], np.concatenate([cells[others], whole])[order]


def _blanks(source: Source, key: tuple[str, ...], cells: Bools) -> dict[str, NewCells]:
    schema = source.schema
    return {
        name: NewCells(np.where(cells[:, j], 0, LEAVE), pa.nulls(1, type=schema.field(name).type))
        for j, name in enumerate(key)
        if cells[:, j].any()
    }


def _residual(found: Uniques, mask: Bools, blank: Ints) -> int:
    table = found.key_table
    groups = group_rows(blanked(table.codes, mask, blank))
    sizes = np.bincount(groups, weights=table.counts)
    return int(sizes[sizes < found.k].sum())
