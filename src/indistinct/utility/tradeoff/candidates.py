"""What is tried: plans and methods with names, and a grid of the usual ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indistinct.core import InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.protect import (
    CorrelatedNoise,
    Plan,
    Pram,
    RankSwap,
    Request,
    Shuffle,
    Step,
    SwapHouseholds,
    check_method,
)

__all__ = ["Candidate", "standard_candidates"]

GENERALISING: tuple[str, ...] = ("datafly", "optimal", "local-recoding", "suppress")
"""The methods of the grid that reach k by generalising and suppressing."""

_FEW = 12
"""Whole numbers with at most so many values are categories, not amounts."""


@dataclass(frozen=True)
class Candidate:
    """Something to try: a plan, or a method that decides its plan when it sees the records.

    Parameters
    ----------
    name
        What the map calls it; short, since it stands beside a point.
    plan
        The steps; none at all are the original records.
    method, request
        Instead of a plan, a method that generalises or suppresses and what is asked of it.
    settings
        What is told of it in the table; by default the plan in words.

    >>> Candidate("5-anonymous", method="datafly", request=Request(k=5)).told
    'datafly, k = 5'
    """

    name: str
    plan: Plan | None = None
    method: str | None = None
    request: Request | None = None
    settings: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Refuse a candidate that is no plan and no method, or both."""
        if not self.name:
            raise InputError("A candidate needs a name. Got an empty one.")
        if (self.plan is None) == (self.method is None):
            raise InputError(f"The candidate '{self.name}' must have a plan or a method, not both.")
        if self.method is not None:
            check_method(self.method)
            if self.request is None:
                raise InputError(f"The method of '{self.name}' needs a request, at least its k.")

    @property
    def told(self) -> str:
        """What it does, in words."""
        if self.settings:
            return self.settings
        if self.plan is not None:
            return "; ".join(step.describe() for step in self.plan.steps) or "nothing is changed"
        return f"{self.method}, k = {self.request.k if self.request else ''}"


def standard_candidates(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    k: Sequence[int] = (3, 5, 10),
    hierarchies: Mapping[str, Hierarchy] | None = None,
    methods: Sequence[str] = GENERALISING,
    shuffle: Sequence[float] = (0.25, 0.5, 0.75, 1.0),
    given: Sequence[str] = (),
    windows: Sequence[float] = (0.01, 0.05, 0.1, 0.2),
    keep: Sequence[float] = (0.95, 0.9, 0.8, 0.6),
    noise: Sequence[float] = (0.1, 0.3),
    household: str | None = None,
    places: Sequence[str] = (),
    swapped: Sequence[float] = (0.05, 0.2),
) -> list[Candidate]:
    """Return the original and the usual methods at several settings.

    Parameters
    ----------
    k, methods, hierarchies
        Generalising methods and their k. Those that climb hierarchies are offered where each
        variable of the key has one.
    shuffle, given
        Levels of controlled shuffling of the whole key, given further variables.
    windows
        Rank swapping of the key's amounts and ordered variables, as shares of the records.
    keep
        Post-randomisation of the key's categories: the probability that one is kept.
    noise
        Correlated noise on the key's amounts, in their standard deviations.
    household, places, swapped
        Record swapping: the column of the household, the columns of its place from the broadest
        to the finest, and shares of households. The places must be in the key.

    No shuffling, window, … is tried where the sequence is empty.
    """
    source.check_columns(key)
    climbs = all(name in (hierarchies or {}) for name in key)
    found = [Candidate("original", Plan(()))]
    for method in methods:
        if method in ("suppress", "argus") or climbs:
            found += [Candidate(f"{method} k={n}", method=method, request=Request(k=n)) for n in k]
    kinds = _kinds(engine, source, key)
    amounts, ordered = kinds["amounts"], (*kinds["amounts"], *kinds["ordered"])
    dates = [name for name in ordered if source.variables[name].level == "date"]
    loose = tuple(name for name in key if name not in (*amounts, *dates))
    trees = {
        name: hierarchies[name]
        for name in kinds["taxonomies"]
        if hierarchies is not None and name in hierarchies
    }
    for level in shuffle:
        step = Shuffle(tuple(key), given=tuple(given), level=level, hierarchies=trees)
        found.append(_plan(f"shuffle {level:g}", step, f"shuffle the key at level {level:g}"))
    if ordered:
        for p in windows:
            found.append(_plan(f"rank swap {p:.0%}", RankSwap(ordered, window=p)))
    if loose:
        for p in keep:
            found.append(_plan(f"PRAM {p:g}", Pram(loose, keep=p)))
    if amounts:
        for a in noise:
            found.append(_plan(f"noise {a:g}", CorrelatedNoise(amounts, scale=a)))
    if household is not None and places:
        moved = [name for name in places if name in key]
        if not moved:
            raise InputError(
                "Record swapping changes places, and none of the places is in the key. Add one."
            )
        for share in swapped:
            swap = SwapHouseholds(household, tuple(places), share=share)
            found.append(_plan(f"record swap {share:.0%}", swap))
    return found


def _plan(name: str, step: Step, settings: str = "") -> Candidate:
    return Candidate(name, Plan((step,)), settings=settings)


def _kinds(engine: Engine, source: Source, key: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Sort the key's variables into amounts, ordered ones, categories and taxonomies."""
    facts = {fact.name: fact for fact in engine.describe(source, list(key))}
    kinds: dict[str, list[str]] = {"amounts": [], "ordered": [], "categories": [], "taxonomies": []}
    for name in key:
        variable = source.variables[name]
        few = facts[name].distinct <= _FEW
        if variable.level == "numeric" and not few and not variable.labels:
            kinds["amounts"].append(name)
        elif variable.level == "taxonomy":
            kinds["taxonomies"].append(name)
        elif variable.level in ("ordinal", "date"):
            kinds["ordered"].append(name)
        else:
            kinds["categories"].append(name)
    return {kind: tuple(names) for kind, names in kinds.items()}
