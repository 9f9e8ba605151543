"""Rounding the counts of a contingency table to multiples of a base (section 6.4; Cox).

*Random* rounding treats each cell by itself: a count x with x mod b = r goes up with probability
r/b, else down, so the expectation is x. Sums of rounded cells then stray from the rounded sums.
*Controlled* rounding keeps the table additive and every cell, row total, column total and the
grand total on one of the two multiples next to it; Cox's constructive procedure (1987) does so
without bias.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np
from numpy.typing import ArrayLike

from indistinct.core import InputError, Ints, check_whole
from indistinct.results import Result, facts, result, showing

__all__ = ["Rounded", "round_counts"]


@result
class Rounded(Result):
    """A rounded table. Totals are sums of rounded cells."""

    cells: Ints = field(repr=False)
    base: int
    controlled: bool

    FACTS = facts("base controlled cells total")

    @property
    def rows(self) -> Ints:
        """The row totals."""
        return np.asarray(self.cells.sum(axis=-1))

    @property
    def columns(self) -> Ints:
        """The column totals (of a one-way table the cells themselves)."""
        return np.asarray(self.cells.sum(axis=0)) if self.cells.ndim > 1 else self.cells

    @property
    def total(self) -> int:
        """The grand total."""
        return int(self.cells.sum())

    def sentence(self) -> str:
        """Say how it was rounded."""
        how = "controlled" if self.controlled else "random"
        return f"Rounded to multiples of {self.base} ({how}), total {self.total:,}"

    def _row_tables(self) -> list[showing.Table]:
        caption = "Cells"
        if self.cells.ndim != 2:
            flat = [(n, int(value)) for n, value in enumerate(self.cells.ravel(), 1)]
            return [showing.Table(caption, ("cell", "count"), flat)]
        rows: list[tuple[object, ...]] = [
            (str(n), *row, total)
            for n, (row, total) in enumerate(
                zip(self.cells.tolist(), self.rows.tolist(), strict=True), 1
            )
        ]
        rows.append(("total", *self.columns.tolist(), self.total))
        columns = [f"column {n}" for n in range(1, self.cells.shape[1] + 1)]
        return [showing.Table(caption, ("row", *columns, "total"), rows)]


def round_counts(
    table: ArrayLike, base: int, rng: np.random.Generator, *, controlled: bool = True
) -> Rounded:
    """Round counts to multiples of a base, without bias.

    Parameters
    ----------
    table
        Counts: one or two dimensions for controlled rounding, any number for random rounding
        (controlled roundings of three-way tables need not exist).
    base
        At least 2; statistical offices use 3 or 5.
    controlled
        Keep the totals on adjacent multiples too.

    The residuals r_ij = x_ij mod b get a further row and column that make all sums multiples of
    b. As long as a cell is strictly between 0 and b, so is another one in its row and in its
    column, hence there is a closed path through such cells. Along it cells are raised and lowered
    in turn, by the most d₊ that is possible in one direction or d₋ in the other, with
    probabilities d₋/(d₊+d₋) and d₊/(d₊+d₋): the expectation stays, and at least one cell becomes
    0 or b. (Cox 1987, *JASA* 82, 520–524.)

    >>> rounded = round_counts([[1, 4], [2, 8]], 5, np.random.default_rng(0))
    >>> bool((rounded.cells % 5 == 0).all()), rounded.total
    (True, 15)
    """
    check_whole("base", base, 2)
    counts = _counts(table)
    low = counts - counts % base
    residual = counts % base
    if not controlled:
        up = rng.integers(0, base, size=counts.shape) < residual
        return Rounded(low + base * up, int(base), False)
    if counts.ndim not in (1, 2):
        raise InputError(
            f"Controlled rounding is for tables of one or two dimensions. Got {counts.ndim}. "
            "Round the slices, or use controlled=False."
        )
    rounded = _controlled(np.atleast_2d(residual), int(base), rng)
    return Rounded(low + rounded.reshape(counts.shape), int(base), True)


def _counts(table: ArrayLike) -> Ints:
    counts = np.asarray(table)
    if counts.dtype == bool or not np.issubdtype(counts.dtype, np.integer):
        raise InputError("The table must hold counts, which are whole numbers.")
    if counts.ndim == 0 or counts.size == 0:
        raise InputError("The table has no cells.")
    if (counts < 0).any():
        raise InputError("The table must hold counts, and a count is not negative.")
    return counts.astype(np.int64)


def _controlled(residual: Ints, base: int, rng: np.random.Generator) -> Ints:
    rows, columns = residual.shape
    cells = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    cells[:rows, :columns] = residual
    cells[:rows, columns] = -residual.sum(axis=1) % base
    cells[rows, :] = -cells.sum(axis=0) % base
    in_row = [set(np.flatnonzero(row % base).tolist()) for row in cells]
    in_column = [set(np.flatnonzero(column % base).tolist()) for column in cells.T]
    for row in range(rows + 1):
        while in_row[row]:
            path = _closed_path(row, in_row, in_column)
            _shift(cells, path, base, rng)
            for i, j in path:
                if cells[i, j] % base == 0:
                    in_row[i].discard(j)
                    in_column[j].discard(i)
    return cells[:rows, :columns]


def _closed_path(
    row: int, in_row: list[set[int]], in_column: list[set[int]]
) -> list[tuple[int, int]]:
    """Walk along rows and columns in turn until a row is met again; return the loop."""
    path: list[tuple[int, int]] = []
    met: dict[int, int] = {}
    column = -1
    while row not in met:
        met[row] = len(path)
        column = min(j for j in in_row[row] if j != column)
        path.append((row, column))
        row = min(i for i in in_column[column] if i != row)
        path.append((row, column))
    return path[met[row] :]


def _shift(cells: Ints, path: list[tuple[int, int]], base: int, rng: np.random.Generator) -> None:
    raised, lowered = path[0::2], path[1::2]
    up = min(min(base - int(cells[at]) for at in raised), min(int(cells[at]) for at in lowered))
    down = min(min(int(cells[at]) for at in raised), min(base - int(cells[at]) for at in lowered))
    change = up if rng.integers(0, up + down) < down else -down
    for at in raised:
        cells[at] += change
    for at in lowered:
        cells[at] -= change
