"""What is learnt without finding anybody: a class of k people that tells its sensitive value.

Machanavajjhala et al. (2007): k people with one illness hide nobody's illness. Values that differ
in case or blanks alone are one, and an empty cell is no value that protects: see `risk.folding`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from indistinct.keys import KeyTable
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.promise import UNTOLD
from indistinct.risk import (
    KINDS,
    PublicRule,
    SensitiveCounts,
    against_rule,
    closeness_of,
    diversity_of,
    known_by_rule,
    split_told,
    telling_classes,
    unmet_labels,
)

__all__ = ["examine_sensitive", "model_in_words"]

Split = Callable[[str], SensitiveCounts]
ROUNDING = 1e-9


@register_examiner(place=20)
def examine_sensitive(trial: Trial) -> Opinion:
    """Find the classes that tell a sensitive value, and those that miss what else was promised.

    >>> import indistinct
    >>> from indistinct.prove import Promise
    >>> people = {"zip": ["0213*"] * 3 + ["0214*"] * 3, "ill": ["HIV", "hiv ", "", "a", "b", "c"]}
    >>> promise = Promise(key=("zip",), k=3, sensitive=("ill",))
    >>> with indistinct.open_data(people) as data:
    ...     examine_sensitive(Trial(data.engine, data.source, promise)).findings
    ("'ill' is told for certain of 3 of 6 people: their class has no other value",)
    """
    promise, release = trial.promise, trial.release
    # what is altered is not told by what the file says of it
    altered = {*promise.perturbed, *promise.encrypted, *promise.substituted}

    @cache
    def split(name: str) -> SensitiveCounts:
        table = KeyTable.from_tally(trial.engine.count(release, [*promise.key, name]))
        return split_told(table, promise.key, name, release.variables[name])

    found = Opinion()
    if not release.records:
        return found
    for name in promise.sensitive:
        if name not in release.variables:
            continue
        if name in promise.key:
            found = found.finding(
                f"'{name}' is sensitive and in the key: it cannot be known and hidden at once"
            )
        elif name not in altered:
            found, public = _public(found, trial, name)
            found = _told(found, trial, split(name), public)
    for model in promise.models:
        found = _kept(found, trial, model, split)
    return found


def _public(found: Opinion, trial: Trial, name: str) -> tuple[Opinion, list[PublicRule]]:
    """Return the rules by which a value is known of everybody, as far as anybody can see."""
    kept = []
    for rule in map(PublicRule.from_dict, trial.promise.public):
        if rule.variable != name:
            continue
        private = trial.private
        if private is not None and {rule.given, name} <= set(private.variables):
            table = KeyTable.from_tally(trial.engine.count(private, [rule.given, name]))
            own = split_told(table, (rule.given,), name, private.variables[name])
            against = against_rule(own, rule)
            if against:
                found = found.finding(
                    f"the rule that {rule.describe()} is not true of {against:,} records of the "
                    "private data, and excuses nothing"
                )
            if against or unmet_labels(own.table.values(rule.given), rule):
                continue
        kept.append(rule)
        note = f"taken to be known to anybody, and told by no class: {rule.describe()}"
        found = replace(found, notes=(*found.notes, note))
    return found, kept


def _told(
    found: Opinion, trial: Trial, split: SensitiveCounts, public: Sequence[PublicRule]
) -> Opinion:
    promise, name = trial.promise, split.sensitive
    if len(split.telling.present) == 1:
        note = f"'{name}' has one value in the whole file: what it tells, it tells of everybody"
        return replace(found, notes=(*found.notes, note))
    telling = telling_classes(split, confidence=promise.confidence) & ~known_by_rule(split, public)
    if not telling.any():
        return found
    told, people = int(split.table.counts[telling].sum()), int(split.table.records)
    who = "people" if promise.person is None else "records"
    if not promise.claims_k:
        return found.reserving(
            "sensitive-told",
            f"{told:,} of {people:,} records share their key with no other value of '{name}'; what "
            "they tell is as uncertain as their key, which was altered",
        )
    if promise.confidence >= 1:
        return found.finding(
            f"'{name}' is told for certain of {told:,} of {people:,} {who}: "
            "their class has no other value"
        )
    return found.finding(
        f"'{name}' is told of {told:,} of {people:,} {who} with a confidence of "
        f"{promise.confidence:.0%} or more"
    )


def _kept(found: Opinion, trial: Trial, model: Mapping[str, Any], split: Split) -> Opinion:
    """Check one further model that was promised, from the file."""
    kind, name = str(model.get("model")), model.get("variable")
    if kind in ("k-anonymity", UNTOLD):
        return found
    altered = {*trial.promise.perturbed, *trial.promise.encrypted, *trial.promise.substituted}
    if name is not None:
        if name not in trial.release.variables:
            return found  # what is not released is not told
        if name in altered:
            return found.reserving(
                "model-not-checked",
                f"{model_in_words(model)} was promised before '{name}' was altered, and is not "
                "checked",
            )
    failing = _failing(trial, model, split)
    if failing is None:
        found = found.reserving(
            "model-not-checked", f"{model_in_words(model)} was promised; the file cannot show it"
        )
    elif failing:
        found = found.finding(
            f"{model_in_words(model)} was promised and does not hold: "
            f"{failing:,} of {trial.release.records:,} records are in classes that miss it"
        )
    return found


def _failing(trial: Trial, model: Mapping[str, Any], split: Split) -> int | None:
    """Return how many records are in classes that miss a model; None where nobody can say."""
    kind, name = model.get("model"), str(model.get("variable"))
    if kind == "l-diversity":
        told = split(name).telling
        form = model.get("form", "distinct")
        if form not in KINDS:
            return None
        filled = np.diff(told.starts) > 0
        missing = diversity_of(told, c=float(model.get("c", 2.0))).failing(form, float(model["l"]))
        return int(split(name).table.counts[filled & missing].sum())
    if kind == "t-closeness":
        return _not_close(trial, model, split(name))
    sizes = KeyTable.from_tally(trial.engine.count(trial.release, trial.promise.key)).counts
    if kind == "maximum-risk":
        least = math.ceil(1 / float(model["limit"]) - ROUNDING)
        return int(sizes[sizes < least].sum())
    if kind == "average-risk":
        kept = len(sizes) <= float(model["limit"]) * sizes.sum() * (1 + ROUNDING)
        return 0 if kept else int(sizes.sum())
    if kind == "sample-uniques":
        alone = int((sizes == 1).sum())
        return 0 if alone <= float(model["limit"]) * sizes.sum() * (1 + ROUNDING) else alone
    return None


def _not_close(trial: Trial, model: Mapping[str, Any], split: SensitiveCounts) -> int | None:
    told, distance = split.telling, model.get("distance", "equal")
    filled = np.diff(told.starts) > 0
    if not filled.any():
        return 0
    hierarchy = trial.hierarchies.get(split.sensitive) if distance == "hierarchical" else None
    if distance == "hierarchical" and hierarchy is None:
        return None
    if distance == "ordered" and isinstance(told.example(), str):
        return None
    found = closeness_of(told, distance=distance, hierarchy=hierarchy)
    # closeness is to the file before records were left out; a share a of them moves it by a at most
    farthest = min(1.0, float(model["t"]) + float(model.get("left_out", 0.0)))
    return int(split.table.counts[filled & found.failing(farthest)].sum())


def model_in_words(model: Mapping[str, Any]) -> str:
    """Name a model in words, by its parameters alone."""
    kind, name = str(model.get("model")), model.get("variable")
    amounts = ", ".join(f"{n} = {model[n]:g}" for n in ("l", "t", "k", "limit") if n in model)
    form = model.get("form") or model.get("distance")
    how = f"{form} " if form and form not in ("distinct", "equal") else ""
    of = f" of '{name}'" if name else ""
    return f"{how}{kind}{of} ({amounts})" if amounts else f"{how}{kind}{of}"
