"""Which of several releases of the same data to recommend, and why not the others.

The rule, in this order; it looks at what was measured and at nothing else:

1. A folder that is not as it was released is out.
2. One whose promise does not hold is out.
3. One of which nothing was measured is out: it cannot be weighed.
4. One that is dominated is out: another, itself not dominated, has no more risk and keeps no
   less, by every measure that both have and that was taken alike, and is better in one. It must
   have all variables that the dominated one has, and both a risk and a measure of 6.
5. Where some of the rest hold without a reservation, those with one are out; else where some
   promise k, those that do not.
6. Of what is left the one that keeps most is recommended: by the mean distance of two-way tables
   where all were compared in the original's own categories, else by the precision of the key
   where all have it, else by the number of cells released as they were.
7. Of equals the one with the least risk, and of equals in that too the one that was named first.

What is taken alike: risks only for the same key, people who stand out only for the same k too and
where nothing was perturbed. Distances and linkage of a release whose values were generalised are
told of its own categories, and a file that tells nothing is like the original in that: they count
only where no candidate is generalised.

The facts are those that others may know (`editions.shareable`), in the private edition too, so
that both editions recommend the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from indistinct.release.report.editions import shareable
from indistinct.release.report.facts import Measured
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.standing import (
    cells_kept,
    generalised,
    linkage,
    promised_k,
    same_key,
    standing_out,
    utility_measure,
)

__all__ = ["Fate", "Outcome", "Weighing", "weigh"]

Fate = Literal[
    "recommended",
    "changed",
    "unproved",
    "unmeasured",
    "dominated",
    "no_promise",
    "keeps_less",
    "more_risk",
    "equal",
]
Decided = Literal["only", "promise", "utility", "risk", "first", "none"]
"""What made the difference in the end."""

_KEEPING = ("pairs", "precision", "cells")
"""What is looked at to find the one that keeps most, the first that all have."""


@dataclass(frozen=True)
class Outcome:
    """What became of one candidate; `by` is the place of the one that is better."""

    fate: Fate
    by: int | None = None


@dataclass(frozen=True)
class Weighing:
    """Which candidate is recommended.

    Parameters
    ----------
    outcomes
        One for each candidate, in their order.
    decided
        What made the difference in the end.
    measure
        The measure of utility by which the last ones were compared, if they were.
    chosen
        The place of the recommended one; None where there is none.
    finalists
        Those that were compared last.
    """

    outcomes: tuple[Outcome, ...]
    decided: Decided
    measure: str | None = None
    chosen: int | None = None
    finalists: tuple[int, ...] = ()


def weigh(candidates: Sequence[ReleaseFacts]) -> Weighing:
    """Return which of some releases to recommend, by the rule of this module."""
    known = [shareable(facts) for facts in candidates]
    fates: dict[int, Outcome] = {}
    for i, facts in enumerate(known):
        if not facts.whole:
            fates[i] = Outcome("changed")
        elif facts.state == "fails":
            fates[i] = Outcome("unproved")
        elif facts.measured is None:
            fates[i] = Outcome("unmeasured")
    sound = [i for i in range(len(known)) if i not in fates]
    fates |= _dominated({i: known[i] for i in sound})
    left = [i for i in sound if i not in fates]
    if not left:
        return Weighing(tuple(fates[i] for i in range(len(known))), "none")
    decided: Decided = "only" if len(left) == 1 else "promise"
    finalists = [i for i in left if known[i].holds]
    finalists = finalists or [i for i in left if known[i].claims_k] or left
    fates |= {i: Outcome("no_promise") for i in left if i not in finalists}
    measure = None
    if len(finalists) > 1:
        decided, measure = _last({i: known[i] for i in finalists}, fates)
    chosen = next(i for i in finalists if i not in fates)
    fates[chosen] = Outcome("recommended")
    fates = {
        i: Outcome(told.fate, chosen)
        if told.fate in ("no_promise", "keeps_less", "more_risk", "equal")
        else told
        for i, told in fates.items()
    }
    outcomes = tuple(fates[i] for i in range(len(known)))
    return Weighing(outcomes, decided, measure, chosen, tuple(finalists))


def _dominated(known: Mapping[int, ReleaseFacts]) -> dict[int, Outcome]:
    """Find those that another beats that is not itself beaten."""
    beaten = {b: [a for a in known if a != b and _beats(a, b, known)] for b in known}
    # two candidates are compared by what these two have, so that three may beat one another in turn
    free = {b: [a for a in winners if not beaten[a]] for b, winners in beaten.items()}
    return {b: Outcome("dominated", winners[0]) for b, winners in free.items() if winners}


def _beats(a: int, b: int, known: Mapping[int, ReleaseFacts]) -> bool:
    pair = {a: known[a], b: known[b]}
    found = {i: _measured(facts) for i, facts in pair.items()}
    risk, utility = _risks(pair), _utilities(found)
    if not risk or not any(name in utility for name in _KEEPING):
        return False
    own, other = ({v.name for v in found[i].released.variables} for i in (a, b))
    both = [*risk.values(), *utility.values()]
    no_worse = own >= other and all(values[a] <= values[b] for values in both)
    return no_worse and (own > other or any(values[a] < values[b] for values in both))


def _last(
    known: Mapping[int, ReleaseFacts], fates: dict[int, Outcome]
) -> tuple[Decided, str | None]:
    """Compare the last ones by what they keep, then by risk; tell the fate of all but one."""
    left = list(known)
    utility = _utilities({i: _measured(facts) for i, facts in known.items()})
    measure = next((name for name in _KEEPING if name in utility), None)
    decided: Decided = "first"
    if measure is not None:
        kept = _least(left, utility[measure])
        fates |= {i: Outcome("keeps_less") for i in left if i not in kept}
        decided = "utility" if len(kept) < len(left) else decided
        left = kept
    risks = _risks({i: known[i] for i in left})
    for values in risks.values():
        kept = _least(left, values)
        fates |= {i: Outcome("more_risk") for i in left if i not in kept}
        decided = "risk" if len(kept) < len(left) else decided
        left = kept
    fates |= {i: Outcome("equal") for i in left[1:]}
    return ("first" if len(left) > 1 else decided), measure


def _least(places: Sequence[int], values: Mapping[int, float]) -> list[int]:
    best = min(values[i] for i in places)
    return [i for i in places if values[i] == best]


Values = dict[int, float]
"""A measure of each candidate by its place: the lower the better."""


def _risks(known: Mapping[int, ReleaseFacts]) -> dict[str, Values]:
    """Return the risks that all candidates have and that were measured alike."""
    found = {i: _measured(facts) for i, facts in known.items()}
    if not same_key(list(found.values())):
        return {}
    measures: dict[str, Callable[[Measured], float | None]] = {
        "expected": lambda m: m.risk.expected_after,
        "at_risk": standing_out,
    }
    if len({m.risk.k for m in found.values()}) > 1:
        del measures["at_risk"]
    if not any(map(generalised, found.values())):
        for how in ("exact", "rank", "gower"):
            measures[how] = partial(linkage, how=how)
    risks = _all_have(measures, found)
    proved = {i: -float(promised_k(facts)) for i, facts in known.items()}
    if risks or all(proved.values()):
        risks["promise"] = proved
    return risks


def _utilities(found: Mapping[int, Measured]) -> dict[str, Values]:
    """Return what all candidates keep, as far as it was measured alike."""
    measures: dict[str, Callable[[Measured], float | None]] = {
        "records": lambda m: -float(m.released.records),
        "precision": lambda m: None if m.cost is None else -m.cost.precision,
        "cells": lambda m: None if (kept := cells_kept(m)) is None else -float(kept),
    }
    compared = [m.utility for m in found.values() if m.utility is not None]
    alike = len(compared) == len(found) and not any(u.generalised for u in compared)
    if alike and len({u.compared for u in compared}) == 1:
        names = {m.name for u in compared for m in u.measures}
        for name in sorted(names):
            measures[name] = partial(utility_measure, name=name)
        if len({tuple(t.name for t in u.tests) for u in compared}) == 1:
            measures["tests"] = _failed
    return _all_have(measures, found)


def _all_have(
    measures: Mapping[str, Callable[[Measured], float | None]], found: Mapping[int, Measured]
) -> dict[str, Values]:
    kept = {}
    for name, measure in measures.items():
        values = {i: value for i, m in found.items() if (value := measure(m)) is not None}
        if len(values) == len(found):
            kept[name] = values
    return kept


def _failed(measured: Measured) -> float:
    tests = measured.utility.tests if measured.utility else ()
    return float(sum(test.passed is False for test in tests))


def _measured(facts: ReleaseFacts) -> Measured:
    assert facts.measured is not None
    return facts.measured
