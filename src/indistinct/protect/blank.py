"""Action 2: blank the key, or part of it, of the records that stand out (section 6.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, GuaranteeError, InputError, Ints, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import Uniques, counts_by_row, group_rows, uniques
from indistinct.protect.cells import (
    LEAVE,
    NewCells,
    blank_codes,
    members,
    replace_cells,
)
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step, check_key

__all__ = ["TRACKERS", "Blank", "Pad", "Part", "blanked", "fewest_blanks", "pad"]


# Which cells to blank, decided on classes alone, where a blank is a value of its own.
#
# Every function takes the codes of the classes (one row each), their counts and the code of *no
# value* for each variable, and says of every class which of its variables to blank.


MOST_SUBSETS = 500
"""Up to so many sets of a size are all tried; of more, those that extend the best smaller ones."""
BEST_EXTENDED = 16


def blanked(codes: Ints, mask: Bools, blank: Ints) -> Ints:
    """Return the codes with the cells of the mask blank."""
    return np.where(mask, blank, codes)


def fewest_blanks(codes: Ints, counts: Ints, blank: Ints, *, k: int) -> Bools:
    """Choose for each small class few variables to blank, so that classes reach k.

    Sets of one variable are tried first, then of two, and so on; among sets of a size the one
    that saves most records goes first. A set saves the records whose class, with these variables
    blank, has k records together with the others it is tried on and with the classes that are
    safe already. What no set saves is blanked whole. This is greedy: a record never has more
    variables blank than the smallest set that saved it when its turn came, but another order
    may do with fewer cells in all.
    """
    width = codes.shape[1]
    mask = np.zeros(codes.shape, dtype=bool)
    small = counts < k
    rest = np.flatnonzero(small)
    safe = _Safe(codes[~small], counts[~small], blank)
    # among sets that save as many, those whose variables tell most apart come first
    apart = np.array([len(np.unique(codes[rest, j])) for j in range(width)])
    best: list[tuple[int, ...]] = []
    for size in range(1, width):
        if not len(rest):
            break
        gains = []
        for chosen in _subsets(width, size, best):
            saved = safe.saves(codes[rest], counts[rest], chosen, k=k)
            gain = int(counts[rest][saved].sum())
            gains.append((-gain, -int(apart[list(chosen)].sum()), chosen))
        gains.sort()
        best = [chosen for _, _, chosen in gains[:BEST_EXTENDED]]
        for gain, _, chosen in gains:
            if not gain:
                break
            saved = safe.saves(codes[rest], counts[rest], chosen, k=k)
            mask[rest[saved][:, None], list(chosen)] = True
            safe.add(blanked(codes, mask, blank)[rest[saved]], counts[rest[saved]])
            rest = rest[~saved]
    mask[rest] = True
    return mask


class _Safe:
    """Classes that are safe already and have a blank somewhere; the others cannot be joined."""

    def __init__(self, codes: Ints, counts: Ints, blank: Ints) -> None:
        self._blank = blank
        open_ = (codes == blank).any(axis=1)
        self._codes, self._counts = codes[open_], counts[open_]

    def add(self, codes: Ints, counts: Ints) -> None:
        self._codes = np.concatenate([self._codes, codes])
        self._counts = np.concatenate([self._counts, counts])

    def saves(self, codes: Ints, counts: Ints, chosen: tuple[int, ...], *, k: int) -> Bools:
        columns = list(chosen)
        joined = (self._codes[:, columns] == self._blank[columns]).all(axis=1)
        tried = codes.copy()
        tried[:, columns] = self._blank[columns]
        rows = np.concatenate([tried, self._codes[joined]])
        totals = counts_by_row(rows, np.concatenate([counts, self._counts[joined]]))
        saved: Bools = totals[: len(codes)] >= k
        return saved


def _subsets(width: int, size: int, best: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    if comb(width, size) <= MOST_SUBSETS or not best:
        return combinations(range(width), size)
    longer = {
        tuple(sorted((*chosen, more)))
        for chosen in best
        for more in range(width)
        if more not in chosen
    }
    return iter(sorted(longer))


@dataclass(frozen=True, eq=False)
class Pad:
    """Classes of which `take` records are blanked too, so that the blank key has k records."""

    classes: Bools
    take: int


def pad(codes: Ints, counts: Ints, mask: Bools, blank: Ints, *, k: int) -> Pad | None:
    """Say which further records to blank when fewer than k would have the blank key.

    They are taken from the smallest class that keeps k without them; where there is none, the
    smallest safe class goes whole. None when nothing is needed.
    """
    final = blanked(codes, mask, blank)
    empty = (final == blank).all(axis=1)
    already = int(counts[empty].sum())
    if not 0 < already < k:
        return None
    need = k - already
    groups = group_rows(final)
    sizes = np.bincount(groups, weights=counts).astype(np.int64)
    for enough, take in ((k + need, need), (k, None)):
        fitting = np.flatnonzero(sizes >= enough)
        if len(fitting):
            group = fitting[np.argmin(sizes[fitting])]
            return Pad(groups == group, take or int(sizes[group]))
    raise GuaranteeError(
        f"The blank key is a category of its own and must have {k} records, but only {already} "
        "can be blanked and no other class is safe. Use a smaller k, or leave the records out."
    )


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
        return self.with_receipt(
            source,
            result,
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
