"""Branch and bound over boxes of the lattice: the best point, with a proof.

A box is all points from `low` to `high`. Its bound is ``floor(low) + extra(high)``, see
`lattice_losses`; a box in which even `high` leaves out too many records holds no point that does
not, since going up fewer records are left out (by nested models). The box with the least bound is
cut in two, until no bound is below the best score found: then that is the optimum. Stopped
before, the least bound of all open boxes still says how far the optimum can be.

Nothing depends on the lattice being small: only boxes that were cut are ever held.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from indistinct.core import Bools
from indistinct.protect.methods.whole_variables.lattice import Lattice, Levels, Rolled
from indistinct.protect.methods.whole_variables.lattice_losses import LatticeLoss
from indistinct.protect.models import PrivacyModel, unsafe_classes

__all__ = ["Found", "Judge", "Verdict", "search"]


ROUNDING = 1e-12
"""A bound that is below the best score by less than this share of it is not below it."""

SHORT = 256
STEPS = 4
"""The table at the low end of a box is made, for those above it to be rolled up from, if the one
at hand is longer than this and so many levels below."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """What privacy models say of the classes at a point."""

    unsafe: Bools = field(repr=False)
    dropped: int
    """Records in unsafe classes."""


class Judge:
    """Applies privacy models to the points of a lattice.

    A model's word holds below a point where it is absorbing. Where no record may be left out,
    being closed is enough: were all classes safe below, they would be so here.
    """

    def __init__(self, lattice: Lattice, models: Sequence[PrivacyModel], *, most: int) -> None:
        self.lattice = lattice
        self.models = tuple(models)
        self.most = most
        trusted = ("absorbing",) if most else ("absorbing", "closed")
        nested = [model for model in models if model.merging in trusted]
        self.all_nested = len(nested) == len(self.models)
        weaker = (model.implied for model in models if model.merging not in trusted)
        self.nested_models = (*nested, *(model for model in weaker if model is not None))
        self.smallest = max((model.smallest for model in models), default=1)

    def __call__(self, table: Rolled) -> Verdict:
        """Judge the classes at a point by all models."""
        return self._verdict(table, self.models)

    def nested(self, table: Rolled) -> Verdict:
        """Judge them by the models whose word holds for all points below, too."""
        return self._verdict(table, self.nested_models)

    def _verdict(self, table: Rolled, models: Sequence[PrivacyModel]) -> Verdict:
        names = {model.looks_at for model in models}
        classes = self.lattice.grouping(table, names=names)
        unsafe = unsafe_classes(models, classes, most=self.most)
        dropped = int(classes.sizes[unsafe].sum())
        return Verdict(_spread(unsafe, table.sizes > 0) if len(table.people) else unsafe, dropped)


def _spread(flags: Bools, held: Bools) -> Bools:
    """Give flags of the classes with records to all classes; one without is never left out."""
    found = np.zeros(len(held), dtype=bool)
    found[held] = flags
    return found


@dataclass(frozen=True)
class Found:
    """What a search has found."""

    levels: Levels | None
    """The best point, if any leaves out few enough records."""
    score: float
    dropped: int
    bound: float
    """No point has a lower score."""
    checked: int
    """Points at which the classes were counted."""
    fewest: int
    """The fewest records left out at a point that was checked."""


@dataclass(order=True)
class _Box:
    bound: float
    number: int
    low: Levels = field(compare=False)
    high: Levels = field(compare=False)
    floor: float = field(compare=False)
    extra: float = field(compare=False)
    refined: bool = field(compare=False)


class _Seen(NamedTuple):
    """What is known of a point at which the classes were counted."""

    score: float
    """Infinite if too many records are left out."""
    extra: float | None
    """None if nothing below can be released either."""
    floor: float


class _Search:
    def __init__(self, lattice: Lattice, judge: Judge, loss: LatticeLoss, checks: int) -> None:
        self.lattice, self.judge, self.loss, self.checks = lattice, judge, loss, checks
        self.best: Levels | None = None
        self.score = np.inf
        self.target = np.inf  # only a bound below this is worth looking into
        self.dropped = 0
        self.fewest = lattice.keys.records
        self.checked = 0
        self.seen: dict[Levels, _Seen] = {}
        self.boxes: list[_Box] = []
        self.number = 0

    def check(self, levels: Levels) -> _Seen:
        """Count the classes at a point and judge them."""
        if levels in self.seen:
            return self.seen[levels]
        self.checked += 1
        table = self.lattice.rolled(levels, keep=True)
        nested = self.judge.nested(table)
        score, extra = np.inf, None
        if nested.dropped <= self.judge.most:
            extra = self.loss.extra(table, nested.unsafe)
            score = self._score(table, nested)
        else:
            self.fewest = min(self.fewest, nested.dropped)
        floor = 0.0 if self.loss.by_levels else self.loss.floor(table, nested.unsafe)
        self.seen[levels] = _Seen(score, extra, floor)
        return self.seen[levels]

    def _score(self, table: Rolled, nested: Verdict) -> float:
        """Return the score by all models, infinite if it is too bad or cannot be the best."""
        score = self.loss.score(table, nested.unsafe)
        verdict = nested
        if not self.judge.all_nested:
            if score >= self.target:
                # what the other models leave out beside that would only add to it
                return np.inf
            verdict = self.judge(table)
            if verdict.dropped <= self.judge.most:
                score = self.loss.score(table, verdict.unsafe)
        self.fewest = min(self.fewest, verdict.dropped)
        if verdict.dropped > self.judge.most:
            return np.inf
        if score < self.target:
            self.best, self.score, self.dropped = table.levels, score, verdict.dropped
            self.target = score - ROUNDING * abs(score)
        return score

    def dive(self, here: Levels, *, but: int | None = None) -> None:
        """Go down from a point, always where most is won, as long as it is: a first score.

        Parameters
        ----------
        but
            A variable that is left where it is.
        """
        score = self.check(here).score
        open_ = [j for j, level in enumerate(here) if level and j != but]
        while open_ and self.checked < self.checks:
            j = max(open_, key=lambda j: (self._won(here, j), -j))
            below = (*here[:j], here[j] - 1, *here[j + 1 :])
            new = self.check(below).score
            better = new < score
            if better:
                here, score = below, new
            if not better or not here[j]:
                open_.remove(j)

    def polish(self) -> None:
        """Let one variable climb a level and others come down for it, as long as that helps."""
        again = self.best is not None
        while again and self.best is not None:
            again, before = False, self.score
            for j, level in enumerate(self.best):
                if level < self.lattice.top[j] and self.checked < self.checks // 2:
                    self.dive((*self.best[:j], level + 1, *self.best[j + 1 :]), but=j)
                    if self.score < before:
                        again = True
                        break

    def _won(self, levels: Levels, j: int) -> float:
        return self.loss.guide[j][levels[j]] - self.loss.guide[j][levels[j] - 1]

    def settle(self) -> None:
        """Lower single variables of the best point as long as that costs nothing."""
        while self.best is not None:
            here, score = self.best, self.score
            for j, level in enumerate(here):
                below = (*here[:j], level - 1, *here[j + 1 :])
                if level and self.check(below).score <= score + ROUNDING * abs(score):
                    dropped = self.judge(self.lattice.rolled(below)).dropped
                    self.best, self.score, self.dropped = below, self.seen[below].score, dropped
                    break
            else:
                return

    def push(self, low: Levels, high: Levels, bound: float, floor: float, extra: float) -> None:
        self.number += 1
        bound = max(bound, floor + extra)
        if bound < self.target:
            box = _Box(bound, self.number, low, high, floor, extra, self.loss.by_levels)
            heapq.heappush(self.boxes, box)

    def run(self) -> None:
        """Cut boxes until none can hold a better point, or the checks are used up."""
        low, top = self.lattice.bottom, self.lattice.top
        extra = self.check(top).extra
        if extra is None:
            return
        floor = self.loss.floor_of_levels(low) if self.loss.by_levels else 0.0
        self.push(low, top, floor + extra, floor, extra)
        while self.boxes and self.checked < self.checks:
            box = heapq.heappop(self.boxes)
            if box.bound >= self.target:
                self.boxes.clear()
                break
            if not box.refined:
                self.refine(box)
            elif self.tighten(box):
                self.cut(box)

    def refine(self, box: _Box) -> None:
        """Count the classes at the low end of a box, for its floor."""
        box.floor = max(box.floor, self.check(box.low).floor)
        box.bound = max(box.bound, box.floor + box.extra)
        box.refined = True
        if box.bound < self.target and box.low != box.high:
            heapq.heappush(self.boxes, box)

    def tighten(self, box: _Box) -> bool:
        """Lower the high end to where the floor alone is not too much; False if none is left."""
        while self.loss.by_levels:
            room = self.target - box.floor - box.extra
            high = tuple(
                self._highest(j, low, high, room)
                for j, (low, high) in enumerate(zip(box.low, box.high, strict=True))
            )
            if high == box.high:
                break
            box.high = high
            extra = self.check(high).extra
            if extra is None or box.floor + extra >= self.target:
                return False
            box.extra = extra
        return box.low != box.high

    def _highest(self, j: int, low: int, high: int, room: float) -> int:
        terms = self.loss.guide[j]
        while high > low and terms[high] - terms[low] >= room:
            high -= 1
        return high

    def cut(self, box: _Box) -> None:
        """Cut a box in two where the floor rises most."""
        low, high = box.low, box.high
        guide = self.loss.guide
        free = [j for j in range(len(low)) if low[j] < high[j]]
        j = max(free, key=lambda j: (guide[j][low[j] + 1] - guide[j][low[j]], -j))
        source = self.lattice.source(low)
        if len(source) > SHORT and sum(low) - sum(source.levels) >= STEPS:
            self.lattice.rolled(low, keep=True)
        under = (*high[:j], low[j], *high[j + 1 :])
        extra = self.check(under).extra
        if extra is not None:
            self.push(low, under, box.bound, box.floor, extra)
        over = (*low[:j], low[j] + 1, *low[j + 1 :])
        floor = box.floor
        if self.loss.by_levels:
            floor += guide[j][low[j] + 1] - guide[j][low[j]]
        self.push(over, high, box.bound, floor, box.extra)


def search(lattice: Lattice, judge: Judge, loss: LatticeLoss, *, checks: int) -> Found:
    """Find the point with the least loss at which few enough records are left out.

    Of several points with the same score the one that the search meets first is taken, and then
    lowered as long as the score stays; the order of the search follows from the table alone.

    Parameters
    ----------
    checks
        At how many points classes may be counted.
    """
    hunt = _Search(lattice, judge, loss, checks)
    hunt.dive(lattice.top)
    if lattice.points > checks:
        # the proof may not come to an end, so that more is done for a good score first
        hunt.polish()
    hunt.run()
    hunt.settle()
    bound = min((box.bound for box in hunt.boxes), default=hunt.score)
    return Found(
        hunt.best, hunt.score, hunt.dropped, min(bound, hunt.score), hunt.checked, hunt.fewest
    )
