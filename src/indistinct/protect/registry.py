"""Protecting a file by generalising and suppressing: count, decide, apply, count again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from indistinct.core import GuaranteeError, InputError, Seed, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding, Uniques, uniques
from indistinct.keys.losses import LOSSES, LossName, measure, precision
from indistinct.protect.methods.datafly_ii.datafly import datafly
from indistinct.protect.methods.k_similarity.k_similar import KSimilarStep
from indistinct.protect.methods.k_similarity.k_similar_bound import cheapest_groups
from indistinct.protect.methods.k_similarity.k_similar_optimum import k_similar_optimum
from indistinct.protect.methods.k_similarity.k_similar_space import build_space
from indistinct.protect.methods.local_suppression.suppress import Suppression
from indistinct.protect.methods.local_suppression.suppress_step import Suppress
from indistinct.protect.methods.mondrian_cuts.mondrian import MondrianStep
from indistinct.protect.methods.mu_argus.argus import Argus
from indistinct.protect.methods.recoding_locally.local_recoding import LocalRecodingStep
from indistinct.protect.methods.whole_variables.optimal import Optimum, optimal
from indistinct.protect.models import PrivacyModel
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.request import Method, Request, check_method
from indistinct.risk import with_missing_codes

__all__ = ["decide", "protect_by_method"]

PROVED_CLASSES = 50
"""Up to so many classes the optimum cell by cell is searched for, to compare with."""


@dataclass(frozen=True, eq=False)
class Decision:
    """What a method decided.

    Parameters
    ----------
    plan
        The steps to apply.
    recoding
        What happens to every class; None where the plan's step finds it when it is applied.
    result
        What the method itself returned, or None.
    measure
        The loss by which the method judges.
    least
        A loss that no release of this kind goes below, with `reached` if one has it.
    promises
        Whether k holds on the whole key.
    """

    plan: Plan
    recoding: Recoding | None = None
    result: Any = None
    measure: str = "loss"
    least: Callable[[Recoding], tuple[float, bool] | None] = lambda recoding: None
    promises: bool = True


def protect_by_method(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    method: Method,
    hierarchies: Mapping[str, Hierarchy],
    request: Request,
    seed: Seed,
    before: Uniques | None = None,
    first: int = 0,
) -> Protected:
    """Change a copy of the records until every class has k of them, and count them again.

    Parameters
    ----------
    key
        The variables an intruder may know.
    method
        One of `METHODS`.
    hierarchies
        A hierarchy for each variable of the key; ``suppress`` needs none.
    request
        What is asked for.
    seed
        Which of several equal records goes which way is drawn. Keep it: the plan with the seed
        gives the same bytes.
    before
        The count of the records by this key and k, if there is one already.
    first
        The place of the method's first step, where other steps were applied before.
    """
    if before is None:
        before = uniques(engine, source, key, k=request.k)
    if request.sensitive is not None:
        told = with_missing_codes(request.sensitive, source.variables)
        request = replace(request, sensitive=told)
    with progress.task(f"deciding by {method}"):
        decision = decide(before, method, hierarchies, request)
    applied = decision.plan.apply(engine, source, seed=seed, first=first)
    found = decision.recoding or applied.receipts[0].private
    wildcard = method == "suppress" and request.meaning == "wildcard"
    after = uniques(
        engine, applied.source, key, k=request.k, missing="wildcard" if wildcard else "own"
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
    found: Uniques, method: Method, hierarchies: Mapping[str, Hierarchy], request: Request
) -> Decision:
    """Let a method decide what to do with the records that were counted."""
    check_method(method)
    if method in _SUPPRESSING:
        return _SUPPRESSING[method](found.key_table, request)
    return _GENERALISING[method](Generalisable.of(found.key_table, hierarchies), request)


def _cost(found: Recoding | Suppression, decision: Decision) -> Cost:
    """Measure what was decided, and compare with the least that a release of its kind loses."""
    if isinstance(found, Suppression):
        return _suppression_cost(found)
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


def _datafly(keys: Generalisable, request: Request) -> Decision:
    result = datafly(
        keys,
        k=None if request.anonymity is not None else request.k,
        anonymity=request.anonymity,
        max_drop=request.max_drop,
        profile=request.profile,
        linking=request.linking or None,
        quasi_identifiers=request.quasi_identifiers or None,
        limits=request.limits or None,
    )
    whole = result.quasi_identifiers == (keys.names,) and result.k is not None
    return Decision(
        result.plan(),
        result.recoding,
        result,
        measure="precision",
        least=_full_domain_least(keys, replace(request, k=result.k or request.k), "precision")
        if whole
        else _nothing,
        promises=whole,
    )


def _optimal(keys: Generalisable, request: Request) -> Decision:
    loss = request.loss or "loss"

    def best(models: Sequence[PrivacyModel], sensitive: KeyTable | None) -> Optimum:
        return optimal(
            keys,
            k=request.k,
            models=models,
            loss=loss,
            max_drop=request.max_drop,
            limits=request.limits or None,
            weights=request.weights or None,
            sensitive=sensitive,
            register=request.register,
            checks=request.checks,
        )

    result = best(request.models, request.sensitive)
    sizes = [model for model in request.models if model.looks_at is None]
    if len(sizes) < len(request.models):
        result = replace(
            result,
            forced=not best(sizes, request.sensitive).releases_like(result),
            sensitive=request.sensitive,
            again=partial(best, request.models),
        )

    def least(recoding: Recoding) -> tuple[float, bool] | None:
        # with weights the search has made another sum least than the one that is reported
        return None if request.weights else (result.bound, result.proved)

    return Decision(result.plan(), result.recoding, result, measure=loss, least=least)


def _k_similar(keys: Generalisable, request: Request) -> Decision:
    loss = _cell_loss(request.loss or "precision", "k-similar")
    step = KSimilarStep(
        keys.names,
        request.k,
        keys.hierarchies,
        limits=dict(request.limits),
        weights=dict(request.weights),
        loss=loss,
    )
    return Decision(Plan((step,)), measure=loss, least=_cell_level_least(keys, request, loss))


def _mondrian(keys: Generalisable, request: Request) -> Decision:
    step = MondrianStep(
        keys.names,
        request.k,
        keys.hierarchies,
        strict=not request.relaxed,
        limits=dict(request.limits),
        weights=dict(request.weights),
    )
    return Decision(Plan((step,)), measure="loss", least=_cell_level_least(keys, request, "loss"))


def _local_recoding(keys: Generalisable, request: Request) -> Decision:
    loss = _cell_loss(request.loss or "loss", "local-recoding")
    step = LocalRecodingStep(
        keys.names,
        request.k,
        keys.hierarchies,
        loss=loss,
        limits=dict(request.limits),
        weights=dict(request.weights),
    )
    return Decision(Plan((step,)), measure=loss, least=_cell_level_least(keys, request, loss))


def _argus(table: KeyTable, request: Request) -> Decision:
    rated = request.identification or dict.fromkeys(table.names, 2)
    step = Argus(
        table.names,
        request.k,
        tuple(rated.get(name, 0) for name in table.names),
        combinations=request.combinations or "all",
        weights=dict(request.weights),
    )
    return Decision(Plan((step,)), measure="precision", promises=False)


def _suppress(table: KeyTable, request: Request) -> Decision:
    step = Suppress(
        table.names,
        request.k,
        meaning=request.meaning,
        weights=dict(request.weights),
        limits=dict(request.limits),
    )
    return Decision(Plan((step,)), measure="precision")


_GENERALISING: Mapping[Method, Callable[[Generalisable, Request], Decision]] = {
    "datafly": _datafly,
    "k-similar": _k_similar,
    "optimal": _optimal,
    "mondrian": _mondrian,
    "local-recoding": _local_recoding,
}

_SUPPRESSING: Mapping[Method, Callable[[KeyTable, Request], Decision]] = {
    "argus": _argus,
    "suppress": _suppress,
}


def _cell_loss(loss: LossName, method: Method) -> Literal["loss", "precision"]:
    if loss not in ("loss", "precision"):
        raise InputError(
            f"'{method}' makes the loss or the precision least, cell by cell. Got '{loss}'. "
            "The optimum over whole variables (--method optimal) knows the others."
        )
    return loss


def _nothing(recoding: Recoding) -> tuple[float, bool] | None:
    return None


def _full_domain_least(
    keys: Generalisable, request: Request, loss: LossName
) -> Callable[[Recoding], tuple[float, bool] | None]:
    """Return a function for the optimum over whole variables, with as many records left out."""

    def least(recoding: Recoding) -> tuple[float, bool] | None:
        best = optimal(
            keys,
            k=request.k,
            loss=loss,
            max_drop=request.max_drop,
            limits=request.limits or None,
            checks=request.checks,
        )
        return best.bound, best.proved

    return least


def _cell_level_least(
    keys: Generalisable, request: Request, loss: Literal["loss", "precision"]
) -> Callable[[Recoding], tuple[float, bool] | None]:
    """Return a function for a bound on what any release cell by cell loses."""

    def least(recoding: Recoding) -> tuple[float, bool] | None:
        limits = request.limits or None
        if not keys.records:
            return None
        cells = keys.records * len(keys.names)
        if keys.classes <= PROVED_CLASSES:
            try:
                best = k_similar_optimum(keys, k=request.k, limits=limits, loss=loss, nodes=1_000)
            except InputError:
                pass  # too many ways to search; the bound for large files is left
            else:
                return best.bound / cells, best.proved
        space = build_space(keys, k=request.k, limits=limits, loss=loss)
        floor = cheapest_groups(space, k=request.k)
        return space.whole(int((floor * keys.counts).sum())) / cells, False

    return least
