"""What the method's decision tells of sensitive values, where it looked at them.

What was promised of a class must still be so for a person once all placements are struck out for
which the method would have decided otherwise: see `attacks.minimality`. A method that looks at
the key alone decides the same for all of them, so that nothing is to be said of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, Ints
from indistinct.hierarchy import as_texts
from indistinct.prove.attacks.minimality import Replay
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.examiners.sensitive import model_in_words
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.promise import UNTOLD, Promise
from indistinct.risk import fold_text

__all__ = ["examine_minimality", "with_replay"]

CODE = "minimality"
ROUNDING = 1e-9


@register_examiner(place=30)
def examine_minimality(trial: Trial) -> Opinion:
    """Say what is learnt from the decision itself, and what was not tried."""
    found = Opinion()
    for model in trial.promise.models:
        if not model.get("minimal") or model.get("variable") not in trial.release.variables:
            continue
        if trial.replay is not None:
            said = replayed(trial.replay, trial.promise, model)
            found = replace(found, findings=(*found.findings, *said.findings))
            if said.reservations:
                found = replace(found, reservations=(*found.reservations, *said.reservations))
                continue
        if not model.get("replayed"):
            found = found.reserving(CODE, _not_tried(model))
    return found


def with_replay(promise: Promise, replay: Replay | None) -> Promise:
    """Return the promise with a word of what was let decide again and told nothing."""

    def tried(model: Mapping[str, Any]) -> Mapping[str, Any]:
        if replay is None or not model.get("minimal"):
            return model
        said = replayed(replay, promise, model)
        quiet = not said.findings and not said.reservations
        return {**model, "replayed": True} if quiet else model

    return replace(promise, models=tuple(tried(model) for model in promise.models))


def replayed(replay: Replay, promise: Promise, model: Mapping[str, Any]) -> Opinion:
    """Hold what is left for each person against what was promised of each class."""
    name, found = str(model.get("variable")), Opinion()
    if name not in replay.variables:
        return found.reserving(CODE, _not_tried(model))
    left = _Left.of(replay, name)
    worlds = replay.worlds
    words = model_in_words(model)
    knowing = "whoever knows the method and everybody's key"
    certain = left.told(promise.confidence if worlds.every else 1.0)
    if certain is not None and certain.any():
        people = int(left.people[certain].sum())
        if not worlds.every:
            return found.reserving(
                CODE,
                f"the key was generalised so that {words} holds, and no other value of '{name}' "
                f"was found for {people:,} people that the same decision allows; not all "
                f"{_many(worlds.placements)} placements of the values were tried",
            )
        return found.finding(
            f"'{name}' of {people:,} people is told to {knowing}: of {_many(worlds.placements)} "
            f"placements of the values in the released classes {_many(worlds.left or 0)} would "
            "have led to this release"
        )
    misses = left.misses(model)
    if misses is None:
        return found.reserving(
            CODE,
            f"the key was generalised so that {words} holds; what {knowing} learns from that was "
            f"not measured, as there are {_many(worlds.placements)} placements of the values",
        )
    if not misses.any():
        return found
    people = int(left.people[misses].sum())
    distinct = model.get("model") == "l-diversity" and model.get("form", "distinct") == "distinct"
    if distinct and worlds.every:
        return found.finding(
            f"{words} was promised, and {knowing} is left with fewer values for {people:,} people"
        )
    return found.reserving(
        CODE,
        f"the key was generalised so that {words} holds of classes; to {knowing} it does not hold "
        f"of {people:,} people{'' if worlds.every else ', as far as placements were tried'}",
    )


@dataclass(frozen=True, eq=False)
class _Left:
    """What is left possible for the people of each key who are in the release.

    Parameters
    ----------
    people
        How many have each key.
    seen, chances
        Which values that say something are possible, and how likely each is among them.
    shares
        The share of each value in the whole file.
    """

    people: Ints
    seen: Bools
    chances: Floats | None
    shares: Floats = field(repr=False)

    @classmethod
    def of(cls, replay: Replay, name: str) -> _Left:
        at = replay.variables.index(name)
        texts = [fold_text(text) for text in as_texts([value[at] for value in replay.values])]
        known = list(dict.fromkeys(text for text in texts if text is not None))
        become = np.zeros((len(texts), len(known)))
        for row, text in enumerate(texts):
            if text is not None:
                become[row, known.index(text)] = 1
        worlds, released = replay.worlds, replay.groups >= 0
        chances = None
        if worlds.chances is not None:
            chances = worlds.chances[released] @ become
            chances = chances / np.maximum(chances.sum(axis=1, keepdims=True), ROUNDING)
        total = replay.held.sum(axis=0) @ become
        return cls(
            replay.held[released].sum(axis=1),
            (worlds.seen[released].astype(float) @ become) > 0,
            chances,
            total / max(1.0, total.sum()),
        )

    def told(self, confidence: float) -> Bools | None:
        """Say whose value is told; None where the file has one value for everybody."""
        if len(self.shares) < 2:
            return None
        one: Bools = self.seen.sum(axis=1) == 1
        if confidence < 1 and self.chances is not None:
            one = one | (self.chances.max(axis=1, initial=0.0) >= confidence - ROUNDING)
        return one

    def misses(self, model: Mapping[str, Any]) -> Bools | None:
        """Say for whom a model does not hold any more; None where that was not measured."""
        kind, form = model.get("model"), model.get("form", "distinct")
        speaks = self.seen.any(axis=1)
        if kind == "l-diversity" and form == "distinct":
            fewer: Bools = self.seen.sum(axis=1) < float(model["l"])
            return fewer & speaks
        if self.chances is None:
            return None
        if kind == "l-diversity" and form == "entropy":
            logs = np.log(self.chances, out=np.zeros_like(self.chances), where=self.chances > 0)
            spread = np.exp(-(self.chances * logs).sum(axis=1))
            return np.asarray(speaks & (spread < float(model["l"]) - ROUNDING))
        if kind == "l-diversity" and form == "recursive":
            falling = -np.sort(-self.chances, axis=1)
            rest = falling[:, int(model["l"]) - 1 :].sum(axis=1)
            most = falling[:, :1].sum(axis=1)
            return np.asarray(speaks & (most >= float(model.get("c", 2.0)) * rest))
        if kind == "t-closeness" and model.get("distance", "equal") == "equal":
            far = np.abs(self.chances - self.shares).sum(axis=1) / 2
            return np.asarray(speaks & (far > float(model["t"]) + ROUNDING))
        return None


def _not_tried(model: Mapping[str, Any]) -> str:
    name = model.get("variable")
    if model.get("model") == UNTOLD:
        return (
            f"'{name}' is blank where everybody in a class had the same, and no other class could "
            "have been blank instead: whoever knows how frequent values are may tell which it was"
        )
    return (
        f"the key was generalised further than k needs, so that {model_in_words(model)} holds: "
        "whoever knows the method and who is in the file may learn from that which values are where"
    )


def _many(number: int) -> str:
    """Write a number that may be beyond words."""
    return f"{number:,}" if number < 10**12 else f"10^{len(str(number)) - 1}"
