"""Protecting a file by a method of the registry: count, decide, apply, count again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from indistinct.core import GuaranteeError, InputError, Seed, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Recoding, Uniques, uniques
from indistinct.keys.losses import LOSSES, measure, precision
from indistinct.options import known_method, known_methods
from indistinct.protect.by_plan import protect_by_plan
from indistinct.protect.deciding import Decision, Records
from indistinct.protect.loop import repeat_until_safe
from indistinct.protect.methods.local_suppression.suppress import Suppression
from indistinct.protect.people import for_people
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.request import Request
from indistinct.protect.secret import ReleaseKey

__all__ = ["METHODS", "check_method", "decide", "protect_by_method"]

METHODS: tuple[str, ...] = tuple(known_methods("generalising"))
"""The methods that generalise and suppress."""

Climb = Callable[[Sequence[str]], Mapping[str, Hierarchy]]


def protect_by_method(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    method: str,
    hierarchies: Mapping[str, Hierarchy] | Climb,
    request: Request,
    seed: Seed,
    before: Uniques | None = None,
    first: int = 0,
    secrets: ReleaseKey | None = None,
    project: Any = None,
    person: str | None = None,
) -> Protected:
    """Change a copy of the records as the method decides, and count them again.

    Parameters
    ----------
    key
        The variables an intruder may know.
    method
        Any that is registered.
    hierarchies
        A hierarchy for each variable of the key, or a function that gives those of variables;
        ``suppress`` needs none.
    request
        What is asked for.
    seed
        Which of several equal records goes which way is drawn. Keep it: the plan with the seed
        gives the same bytes.
    before
        The count of the records by this key and k, if there is one already.
    first
        The place of the method's first step, where other steps were applied before.
    secrets
        The key of the release, for a method that encrypts.
    project
        The project file, for a method that reads its steps from there.
    person
        The column by which people are counted, for a method whose steps do.
    """
    chosen = known_method(method)
    climb: Climb = hierarchies if callable(hierarchies) else lambda names: hierarchies
    if chosen.family == "perturbing":
        records = Records(tuple(key), climb, None, engine, source, project)
        plan = chosen.decide(records, request).plan
        return protect_by_plan(
            engine,
            source,
            key,
            plan if person is None else for_people(plan, person),
            method=method,
            k=request.k,
            seed=seed,
            person=person,
        )
    if before is None:
        before = uniques(engine, source, key, k=request.k)
    with progress.task(f"deciding by {method}"):
        decision: Decision = chosen.decide(
            Records(tuple(key), climb, before, engine, source, project), request
        )
    if chosen.family == "acting":
        return repeat_until_safe(
            engine, source, decision, method, before, k=request.k, seed=seed, secrets=secrets
        )
    applied = decision.plan.apply(engine, source, seed=seed, first=first)
    found = decision.recoding or applied.receipts[0].private
    after = uniques(
        engine,
        applied.source,
        key,
        k=request.k,
        missing="wildcard" if decision.wildcard else "own",
    )
    if decision.promises and after.at_risk:
        raise GuaranteeError(
            f"{after.at_risk:,} records are in classes smaller than {request.k} after '{method}', "
            "which had promised that there are none. Nothing was released: please report this."
        )
    return Protected(
        method,
        request.k,
        decision.plan,
        applied.source,
        applied.receipts,
        1,
        before,
        after,
        guaranteed=not after.at_risk,
        cost=_cost(found, decision),
        result=decision.result or found,
    )


def decide(
    found: Uniques, method: str, hierarchies: Mapping[str, Hierarchy], request: Request
) -> Decision:
    """Let a method decide what to do with the records that were counted."""
    check_method(method)
    records = Records(tuple(found.key), lambda names: hierarchies, found)
    decision: Decision = known_method(method).decide(records, request)
    return decision


def check_method(method: str) -> None:
    """Refuse a method that does not exist, or that does not generalise or suppress."""
    if known_method(method).family != "generalising":
        raise InputError(
            f"'{method}' does not generalise or suppress classes. Take one of "
            f"{', '.join(known_methods('generalising'))}."
        )


def _cost(found: Recoding | Suppression | None, decision: Decision) -> Cost | None:
    """Measure what was decided, and compare with the least that a release of its kind loses."""
    if isinstance(found, Suppression):
        return _suppression_cost(found)
    if not isinstance(found, Recoding):  # a method of steps that keep no recoding
        return None
    recoding = found
    losses: dict[str, float] = {name: measure(recoding, name) for name in LOSSES}
    least = decision.least(recoding)
    return Cost(
        precision(recoding),
        losses,
        recoding.records_dropped,
        sum(recoding.cells_suppressed().values()),
        levels=recoding.full_domain_levels() or {},
        least=least[0] if least else None,
        measure=decision.measure,
        reached=least[1] if least else False,
    )


def _suppression_cost(found: Suppression) -> Cost:
    """Measure a suppression; a cell that was missing before has lost nothing."""
    keys = found.recoding.keys
    cells = max(1, keys.records * len(keys.names))
    lost = found.total / cells
    sizes = found.recoding.group_counts.astype(float)
    losses = {
        "loss": lost,
        "precision": lost,
        "discernibility": float(sizes @ sizes),
        "aecs": keys.records / max(1, len(sizes)),
    }
    # a bound on weights is one on cells only where all weigh the same
    plain = found.meaning == "strict" and found.weight == found.total
    return Cost(
        1 - lost,
        losses,
        0,
        found.total,
        least=found.bound / cells if plain else None,
        measure="precision",
        reached=found.proved,
    )
