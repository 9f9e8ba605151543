"""The shareable edition: facts that others may know, before a word of the report is written.

A report must not be the leak, not even to a recipient, who has the released file and can count in
it what was not rounded there. What is taken out: combinations of values, the name and hash of the
private file, the seed, warnings and notes (they say where protection is thin), and whatever tells
how strongly values were perturbed (shares of changed cells, settings of candidates on the map).
What is blurred, with a base that is not smaller than k:

- Counts of people are rounded to multiples of the base; one below it is told only to be below it.
- Of the sizes of classes it is told who stands out and who does not: with the number of people,
  which everybody can know, further sizes and the number of classes would tell how many are alone.
  The number of classes, which is that of right guesses, is rounded further. How many people need
  how many facts is told only where those are as many as the base, since several small numbers with
  a small sum would tell each other.
- Categories that fewer people than the base have, in either file, are pooled, and the original is
  told by how it differs from the released file, in multiples of the base: otherwise the cell that
  was suppressed could be read off the two margins.
- Bounds of bins of a variable that was changed are called by their number: they may be values of
  the original that are not released.
- Shares and distances are rounded up, and what is kept down, to what the base is of all people, and
  to three decimals; coefficients to two. Measures that tell how original values are distributed
  within a generalised one (entropy) are left out, and points of a curve that too few people make.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.release import Certificate
from indistinct.report.blurring import blurred_map, blurred_utility, unit_of
from indistinct.report.facts import Band, Changes, ClassSizes, Cost, Linkage, Measured, Risk, Step
from indistinct.report.few import Few, raised, rounded, rounding_base
from indistinct.report.folder import ReleaseFacts

__all__ = ["shareable"]

_ASSUMED_K = 5
"""Where not even the certificate tells k."""


def shareable(facts: ReleaseFacts) -> ReleaseFacts:
    """Return what of a release's facts others may know."""
    measured = facts.measured
    k = measured.k if measured is not None else facts.certificate.k or _ASSUMED_K
    return replace(
        facts,
        folder=Path(facts.name),
        certificate=_certificate(facts.certificate, rounding_base(k)),
        measured=None if measured is None else _measured(measured),
        notes=(),
        seed=None,
        edition="shareable",
    )


def _certificate(found: Certificate, base: int) -> Certificate:
    """Round what the certificate counts; its other fields are made for everybody."""
    content = dict(found.content)
    if isinstance(content.get("verdict"), Mapping):
        content["verdict"] = _rounded_in(content["verdict"], ("witnesses", "disclosures"), base)
    if isinstance(content.get("attacked_with"), list):
        content["attacked_with"] = [
            _rounded_in(item, ("records",), base) if isinstance(item, Mapping) else item
            for item in content["attacked_with"]
        ]
    return Certificate(content)


def _rounded_in(fields: Mapping[str, Any], names: tuple[str, ...], base: int) -> dict[str, Any]:
    return {
        name: rounded(value, base) if name in names and type(value) is int else value
        for name, value in fields.items()
    }


def _measured(found: Measured) -> Measured:
    base = rounding_base(found.k)
    unit = unit_of(found.original.records, base)
    return replace(
        found,
        original=replace(
            found.original, name="", sha256="", records=rounded(found.original.records, base)
        ),
        risk=_risk(found.risk, base, unit),
        changes=_changes(found.changes, base),
        steps=tuple(_step(step) for step in found.steps),
        cost=found.cost and _cost(found.cost, base),
        utility=found.utility and blurred_utility(found.utility, found.changes, base),
        map=found.map and blurred_map(found.map, unit),
        warnings=(),
    )


def _risk(risk: Risk, base: int, unit: float) -> Risk:
    return replace(
        risk,
        before=_sizes(risk.before, risk.k, base),
        after=_sizes(risk.after, risk.k, base),
        # one right guess for each class
        expected_before=_classes(risk.expected_before, base),
        # those of the released file can be counted there
        expected_after=None
        if risk.expected_after is None
        else rounded(round(risk.expected_after), base),
        without={name: rounded(count, base) for name, count in risk.without.items()},
        enough={s: rounded(count, base) for s, count in risk.enough.items() if count >= base},
        exposed=(),
        linkage=tuple(
            Linkage(link.how, raised(link.before, unit), raised(link.after, unit))
            for link in risk.linkage
        ),
    )


def _sizes(sizes: ClassSizes, k: int, base: int) -> ClassSizes:
    records, at_risk = rounded(sizes.records, base), rounded(sizes.at_risk, base)
    return ClassSizes(
        records,
        _classes(sizes.classes, base),
        rounded(sizes.unique, base),
        at_risk,
        # the smallest class of a file that keeps k is promised to everybody
        sizes.smallest if sizes.smallest >= k else 0,
        (Band(1, k - 1, None, at_risk), Band(k, None, None, max(0, records - at_risk))),
    )


def _classes(number: float, base: int) -> int:
    """Round a number of classes so far that it does not tell how many of them are small."""
    many = 10 * base
    return Few(many) if 0 < number < many else rounded(round(number), 2 * base)


def _changes(changes: Changes, base: int) -> Changes:
    perturbed = any(change.how == "perturbed" for change in changes.variables)
    told = None if changes.records_changed is None else rounded(changes.records_changed, base)
    return replace(
        changes,
        records_before=rounded(changes.records_before, base),
        left_out=rounded(changes.lost, base),
        records_changed=None if perturbed else told,
        variables=tuple(
            replace(
                change,
                cells=None
                if change.cells is None or change.how == "perturbed"
                else rounded(change.cells, base),
                suppressed=rounded(change.suppressed, base),
            )
            for change in changes.variables
        ),
    )


def _step(step: Step) -> Step:
    """Leave out the sentence of a step that perturbs: it tells how strongly."""
    return replace(step, told="") if step.perturbs else step


def _cost(cost: Cost, base: int) -> Cost:
    return replace(
        cost,
        precision=float(f"{cost.precision:.3g}"),
        losses={
            name: float(f"{value:.3g}") for name, value in cost.losses.items() if name != "entropy"
        },
        suppressed_records=rounded(cost.suppressed_records, base),
        suppressed_cells=rounded(cost.suppressed_cells, base),
        over_distortion=cost.over_distortion and round(cost.over_distortion, 2),
    )
