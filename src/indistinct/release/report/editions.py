"""The shareable edition: facts that others may know, before a word of the report is written.

A report must not be the leak, not even to a recipient, who has the released file and can count in
it what was not rounded there. What is taken out: combinations of values, the name and hash of the
private file, the seed, warnings and notes (they say where protection is thin), and whatever tells
how strongly values were perturbed (shares of changed cells, settings of candidates on the map), or
how many cells and records the sentence of a step counts.
What is blurred, with a base that is not smaller than k:

- Counts of people are rounded to multiples of the base; one below it is told only to be below it.
  What is told to be at most so many is rounded up. The released records, which everybody can
  count, are rounded where they stand beside other people.
- Of the sizes of classes it is told who stands out and who does not: with the number of people,
  which everybody can know, further sizes and the number of classes would tell how many are alone.
  The number of classes, which is that of right guesses, is rounded further. How many people need
  how many facts is told only where those are as many as the base, since several small numbers with
  a small sum would tell each other.
- Categories that fewer people than the base have, in either file, are pooled, and so are those that
  the release no longer holds: it would be for nothing that they were taken out. The original is
  told by how it differs from the released file, in multiples of the base: otherwise the cell that
  was suppressed could be read off the two margins.
- Bounds of bins of a variable that was changed are called by their number: they may be values of
  the original that are not released.
- Shares and distances are rounded up, and what is kept down, to what the base is of all people, and
  to three decimals; coefficients to two. Measures that tell how original values are distributed
  within a generalised one (entropy), or how large single classes are (discernibility), are left
  out, and points of a curve that too few people make.
- What is sorted by a measure is sorted by what is told of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.release import Certificate
from indistinct.release.few import Few, lowered, raised, raised_count, rounded, rounding_base
from indistinct.release.outward import ALTERING, uncounted_step
from indistinct.release.report.blurring import blurred_map, blurred_utility, unit_of
from indistinct.release.report.facts import (
    Band,
    Changes,
    ClassSizes,
    Cost,
    Known,
    Linkage,
    Measured,
    Risk,
    Step,
    VariableChange,
)
from indistinct.release.report.folder import ReleaseFacts

__all__ = ["shareable"]

_ASSUMED_K = 5
"""Where not even the certificate tells k."""
_SHARES = ("loss", "precision")
"""Losses that are shares of cells; the others are made of the sizes of classes."""


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
    content = _rounded_in(found.content, ("records",), base)
    if isinstance(content.get("verdict"), Mapping):
        verdict = _rounded_in(content["verdict"], ("witnesses", "disclosures"), base)
        verdict.pop("findings", None)  # they say where protection is thin, and how thin
        content["verdict"] = verdict
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
    perturbed = _perturbed(found)
    whole = {
        change.name
        for change in found.changes.variables
        if change.how == "unchanged" and change.name not in perturbed and not found.changes.lost
    }
    return replace(
        found,
        original=replace(
            found.original, name="", sha256="", records=rounded(found.original.records, base)
        ),
        released=replace(
            found.released,
            records=rounded(found.released.records, base),
            # of all values that were there, not of those that are released
            variables=tuple(replace(v, labels={}) for v in found.released.variables),
        ),
        risk=_risk(found.risk, base, unit),
        changes=_changes(found.changes, base, perturbed),
        steps=tuple(_step(step) for step in found.steps),
        cost=found.cost and _cost(found.cost, base, unit),
        utility=found.utility and blurred_utility(found.utility, base, whole),
        map=found.map and blurred_map(found.map, unit),
        warnings=(),
    )


def _risk(risk: Risk, base: int, unit: float) -> Risk:
    return replace(
        risk,
        before=_sizes(risk.before, risk.k, base),
        after=_sizes(risk.after, risk.k, base),
        # one right guess for each class
        expected_before=_classes(risk.expected_before, risk.before.records, base),
        # those of the released file can be counted there
        expected_after=None
        if risk.expected_after is None
        else raised_count(risk.expected_after, base),
        without={name: rounded(count, base) for name, count in risk.without.items()},
        enough={s: rounded(count, base) for s, count in risk.enough.items() if count >= base},
        exposed=(),
        known_too=_known_too(risk, base),
        linkage=tuple(
            Linkage(link.how, raised(link.before, unit), raised(link.after, unit))
            for link in risk.linkage
        ),
    )


def _known_too(risk: Risk, base: int) -> tuple[Known, ...]:
    told = [
        Known(one.variable, rounded(one.alone, base), rounded(one.below, base))
        for one in risk.known_too
    ]
    return tuple(sorted(told, key=lambda one: (-one.below, -one.alone, one.variable)))


def _sizes(sizes: ClassSizes, k: int, base: int) -> ClassSizes:
    records, at_risk = rounded(sizes.records, base), rounded(sizes.at_risk, base)
    return ClassSizes(
        records,
        _classes(sizes.classes, sizes.records, base),
        rounded(sizes.unique, base),
        at_risk,
        # the smallest class of a file that keeps k is promised to everybody
        sizes.smallest if sizes.smallest >= k else 0,
        (Band(1, k - 1, None, at_risk), Band(k, None, None, max(0, records - at_risk))),
    )


def _classes(number: float, records: int, base: int) -> int:
    """Round a number of classes so far that it does not tell how many of them are small.

    It is never told to be larger than the number of people, as that is told.

    >>> _classes(30, 600, 5), _classes(3, 21, 5), _classes(21, 21, 5), _classes(96, 600, 5)
    (<50, <20, 20, 100)
    """
    people = max(base, rounded(records, base))
    many = min(10 * base, people)
    return Few(many) if 0 < number < many else min(people, rounded(round(number), 2 * base))


def _perturbed(found: Measured) -> set[str]:
    """Return the variables that a perturbing step touched, whatever other steps did to them."""
    by_steps = (s.variables for s in found.steps if s.perturbs or s.kind in ALTERING)
    changed = found.changes.variables
    return {
        *(name for names in by_steps for name in names),
        *(change.name for change in changed if change.perturbed or change.how == "perturbed"),
    }


def _changes(changes: Changes, base: int, perturbed: set[str]) -> Changes:
    told = None if changes.records_changed is None else rounded(changes.records_changed, base)
    return replace(
        changes,
        records_before=rounded(changes.records_before, base),
        records_after=rounded(changes.records_after, base),
        left_out=rounded(changes.lost, base),
        records_changed=None if perturbed else told,
        variables=tuple(
            _untold(change)
            if change.name in perturbed
            else replace(
                change,
                cells=None if change.cells is None else rounded(change.cells, base),
                suppressed=rounded(change.suppressed, base),
            )
            for change in changes.variables
        ),
    )


def _untold(change: VariableChange) -> VariableChange:
    """Tell of a variable that it was perturbed, and not how much; not even that nothing moved."""
    how = "perturbed" if change.how == "unchanged" else change.how
    return replace(change, how=how, cells=None, suppressed=0)


def _step(step: Step) -> Step:
    """Leave out of a step's sentence what it counts, and all of it where it tells how strongly."""
    if step.perturbs or step.kind in ALTERING:
        return replace(step, told="")
    return replace(step, told=uncounted_step(step.kind, step.told))


def _cost(cost: Cost, base: int, unit: float) -> Cost:
    over = cost.over_distortion
    return replace(
        cost,
        precision=lowered(cost.precision, unit),
        losses={name: raised(cost.losses[name], unit) for name in _SHARES if name in cost.losses},
        suppressed_records=rounded(cost.suppressed_records, base),
        suppressed_cells=rounded(cost.suppressed_cells, base),
        over_distortion=None if over is None else math.ceil(over * 100 - 1e-9) / 100,
    )
