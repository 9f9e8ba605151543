"""Protect a large component part by part, then mend what the sums between the parts still tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from indistinct.core import progress
from indistinct.tables.suppressing.insiders import Insiders
from indistinct.tables.suppressing.parts import Parts
from indistinct.tables.suppressing.repair import Pattern
from indistinct.tables.suppressing.search import Plan, best_pattern

__all__ = ["pattern_by_parts"]


SOLVES = 2_000
"""Linear programmes for publishing again what is not needed: a limit that no machine changes."""


def pattern_by_parts(
    pattern: Pattern,
    insiders: Insiders,
    parts: Parts,
    *,
    improve: bool,
    exact: int,
    seed: int,
) -> int | None:
    """Protect all targets of a large pattern; return a cell that nothing protects.

    Each part is chosen by itself, against an attacker who has only the sums within it. With all
    sums some targets are then open, and are protected by what is cheapest in addition.
    """
    asked: dict[int, list[int]] = {}
    for number, target in enumerate(pattern.targets):
        asked.setdefault(parts.of(target.cell), []).append(number)
    start = pattern.primary.copy()
    solved = 0
    for part in progress.each(sorted(asked), "suppressing", unit="parts"):
        cells = parts.cells(part)
        place = dict(zip(cells.tolist(), range(len(cells)), strict=True))
        targets = [pattern.targets[number] for number in asked[part]]
        sums = parts.sums(part)
        own = Pattern(
            sums,
            pattern.down[cells],
            pattern.up[cells],
            pattern.charge[cells],
            pattern.primary[cells],
            [replace(target, cell=place[target.cell]) for target in targets],
        )
        plan = Plan(own.size, improve=improve, exact=exact, components=len(asked))
        rng = np.random.default_rng([seed, int(cells[0])])
        failed = best_pattern(own, insiders.among(sums, cells), plan, rng=rng)
        if failed is not None:
            return int(cells[failed])
        start[cells] |= own.suppressed
        solved += own.solved
    pattern.clear()
    pattern.suppress(np.flatnonzero(start))
    failed = _mended(pattern, insiders, parts)
    pattern.count(solved)
    return failed


def _mended(pattern: Pattern, insiders: Insiders, parts: Parts) -> int | None:
    """Protect what is not safe with all sums, and publish what is then not needed."""
    while True:
        open_ones = [n for n, witness in enumerate(pattern.witness) if witness is None]
        failed = list(pattern.unproved(open_ones))
        for number in sorted(failed, key=lambda n: _rank(pattern, parts, n)):
            if pattern.witness[number] is None and not pattern.protect(number):
                return int(pattern.targets[number].cell)
        if not insiders.ask(pattern):
            break
    most = pattern.solved + SOLVES
    cells = pattern.secondary
    # what few targets use is soon tried, and oftenest not needed
    users = np.array([len(pattern.users[cell]) for cell in cells.tolist()], dtype=np.int64)
    for cell in cells[np.lexsort((cells, -pattern.charge[cells], users))].tolist():
        if pattern.solved > most:
            break
        pattern.clean(np.array([cell]))
    unused = [cell for cell in pattern.secondary.tolist() if not pattern.users[cell]]
    pattern.clean(np.array(unused, dtype=np.int64))
    return None


def _rank(pattern: Pattern, parts: Parts, number: int) -> tuple[int, float, int]:
    """Order targets by part, so that one model serves many, and by what is asked of them."""
    target = pattern.targets[number]
    return parts.of(target.cell), -max(target.width, target.up + target.down), number
