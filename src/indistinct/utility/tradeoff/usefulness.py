"""How far the released file's two-way tables are from the original's."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import Floats, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import read_coded
from indistinct.utility.analyses import compare_propensity
from indistinct.utility.tradeoff.labelled import Labelled, Original, draw_values

__all__ = ["Tables", "propensity_utility"]


@dataclass(eq=False)
class Tables:
    """The original's tables of all pairs of some variables, counted when first asked for."""

    original: Original
    names: Sequence[str]
    _known: dict[tuple[str, str], Floats] = field(default_factory=dict)

    def closeness(self, columns: Sequence[Labelled]) -> tuple[float, float]:
        """Return what is kept of the tables, and the K-marginal score.

        Kept is 1 − mean total variation ½ Σ |p − q|, with labels dealt out equally over the
        values that they stand for. The K-marginal score is 1000 times the same with every label
        that is no value as a category of its own, as NIST's SDNist counts.
        """
        apart, strict, pairs = 0.0, 0.0, 0
        for a, b in itertools.combinations(columns, 2):
            p = self._table(a, b)
            counted = _counted(
                (a.category[a.released], b.category[b.released]), (len(a.spread), len(b.spread))
            )
            dealt = counted
            if len(a.spread) > a.size or len(b.spread) > b.size:
                dealt = a.spread.T @ counted @ b.spread
            inside = counted[: a.size, : b.size]
            # what is dealt out to no value, or is no value, is missing from the tables
            apart += float(np.abs(p - dealt).sum()) + 1 - float(dealt.sum())
            strict += float(np.abs(p - inside).sum()) + 1 - float(inside.sum())
            pairs += 1
        return 1 - apart / 2 / pairs, 1000 * (1 - strict / 2 / pairs)

    def _table(self, a: Labelled, b: Labelled) -> Floats:
        at = (a.name, b.name)
        if at not in self._known:
            codes = a.bins[a.original], b.bins[b.original]
            self._known[at] = _counted(codes, (a.size, b.size))
        return self._known[at]


def _counted(codes: tuple[Ints, Ints], sizes: tuple[int, int]) -> Floats:
    cells = np.bincount(codes[0] * sizes[1] + codes[1], minlength=sizes[0] * sizes[1])
    shares: Floats = cells.reshape(sizes) / max(1, len(codes[0]))
    return shares


def propensity_utility(
    engine: Engine,
    original: Original,
    released: Source,
    columns: Sequence[Labelled],
    *,
    seed: int,
) -> float:
    """Return 1 − pMSE / (c(1 − c)): 1 where no model of main effects tells the files apart."""
    drawn = draw_values(engine, original, released, columns, seed=seed)
    names = [column.name for column in columns if column.name in drawn.variables]
    levels = {name: original.coded[name].level for name in names}
    coded = read_coded(original.source, drawn, variables=names, levels=levels)
    found = compare_propensity(coded, seed=seed)
    c = found.records[1] / sum(found.records)
    return 1 - found.pmse / (c * (1 - c))
