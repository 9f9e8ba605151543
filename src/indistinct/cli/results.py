"""How results look at a terminal: a sentence first, then tables with small bars, then remarks.

How a release that was written is told: one JSON object, or a page for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console

import indistinct.risk as risk
from indistinct.cli.options import people, print_json
from indistinct.cli.terminal import heading, note, paragraph, table, words
from indistinct.core import GuaranteeError
from indistinct.utility import tradeoff

if TYPE_CHECKING:
    from indistinct.flow import Run
    from indistinct.keys import Uniques
    from indistinct.protect import Cost, Protected
    from indistinct.prove import Verification
    from indistinct.release import ReleaseFolder
    from indistinct.risk import FileRisk, ModelPath, Suda, VariableRemoval
    from indistinct.utility.comparing import Comparison, ReleaseComparison, SideBySide
    from indistinct.utility.tradeoff import RiskUtilityMap

__all__ = [
    "show_actions",
    "show_comparison",
    "show_map",
    "show_protected",
    "show_risk",
    "show_side_by_side",
    "show_uniques",
    "show_verification",
    "tell_run",
]

MOST_MARGINALS = 6


def show_uniques(console: Console, found: Uniques) -> None:
    """Show who stands out, and the class sizes with small bars."""
    first, *others = words(found).splitlines()
    heading(console, first)
    paragraph(console, "\n".join(others))
    rows = found.sizes()
    all_records = max(1, found.records)
    most = max((records for _, _, records in rows), default=0) or 1
    title, size = found.size_words
    classes = found.shared is None  # who agrees with whom makes no classes
    table(
        console,
        (size, *(["classes"] if classes else []), "records", "per cent"),
        [
            (name, *([n] if classes else []), records, f"{records / all_records:.1%}")
            for name, n, records in rows
        ],
        title=title,
        bars=[records / most for _, _, records in rows],
    )


def show_risk(console: Console, result: FileRisk, combinations: Suda | None = None) -> None:
    """Show how the model was chosen, the risk, and which variables cause it."""
    if result.path is not None:
        _show_path(console, result.path)
    for part in (result.found, result.individual, result.attributes, result.flags):
        if part is not None:
            paragraph(console, words(part))
    if isinstance(result.found, risk.RecordRisk):
        bands = [band for band in result.found.bands() if band.sample_uniques]
        most = max((band.sample_uniques for band in bands), default=0) or 1
        table(
            console,
            ("risk", "sample uniques", "expected population uniques"),
            [
                (f"{band.low:.1f} to {band.high:.1f}", band.sample_uniques, f"{band.expected:,.1f}")
                for band in bands
            ],
            title="Sample uniques by their risk",
            bars=[band.sample_uniques / most for band in bands],
        )
    _show_removal(console, result.variables)
    if combinations is not None:
        paragraph(console, words(combinations))
    for sentence in result.found.assumptions:
        note(console, "assumed", sentence)


def _show_path(console: Console, path: ModelPath) -> None:
    most = max(step.expected_reidentifications for step in path.path) or 1.0
    table(
        console,
        ("added", "par.", "z1", "z2", "pop. uniques", "matches"),
        [
            (
                f"{'*' if place == path.chosen else ' '} {step.added}",
                f"{step.parameters:.0f}",
                f"{step.criteria.z1:.1f}",
                f"{step.criteria.z2:.1f}",
                f"{step.expected_population_uniques:,.1f}",
                f"{step.expected_reidentifications:,.1f}",
            )
            for place, step in enumerate(path.path)
        ],
        title="Models as interactions are added (* chosen)",
        bars=[step.expected_reidentifications / most for step in path.path],
        bold=[place == path.chosen for place in range(len(path.path))],
    )
    (low1, high1), (low2, high2) = path.intervals()
    paragraph(
        console,
        f"population uniques {path.expected_population_uniques:,.1f} ({low1:,.0f} to {high1:,.0f}),"
        f" correct matches {path.expected_reidentifications:,.1f} ({low2:,.0f} to {high2:,.0f})",
        indent="  ",
    )


def _show_removal(console: Console, removal: VariableRemoval) -> None:
    everybody = max(1, removal.records)
    left = [removal.at_risk, *(step.at_risk for step in removal.steps)]
    names = ["none", *(step.variable for step in removal.steps)]
    turned = [None, *(step.flipped for step in removal.steps)]
    order = "found" if removal.searched else "given"
    table(
        console,
        ("removed", "turned", "at risk", "per cent"),
        [
            (name, flipped, n, f"{n / everybody:.2%}")
            for name, flipped, n in zip(names, turned, left, strict=True)
        ],
        title=f"{removal.at_risk:,} of {removal.records:,} records do not satisfy "
        f"{removal.k}-anonymity; as variables are removed, in the order {order}:",
        bars=[n / everybody for n in left],
    )
    paragraph(console, f"  consider for masking: {', '.join(removal.candidates()) or 'none'}")


def show_protected(console: Console, done: Protected) -> None:
    """Show what protecting cost, and what every step did."""
    heading(console, words(done).splitlines()[0])
    if done.cost is not None:
        _show_cost(console, done.cost)
    rows: list[tuple[str, str, int | None, str]] = []
    shares: list[float | None] = []
    for receipt in done.receipts:
        records = max(1, receipt.records_before)
        told: list[tuple[str, int]] = []
        if receipt.records_lost:
            left = receipt.records_lost > 0
            told.append(
                ("records left out" if left else "records added", abs(receipt.records_lost))
            )
        if receipt.records_changed:
            told.append(("records changed", receipt.records_changed))
        told += receipt.cells_changed.items()
        if receipt.residual is not None or not told:
            told.append(("still at risk", receipt.residual or 0))
        for place, (what, number) in enumerate(told):
            share = number / records
            rows.append((receipt.kind if not place else "", what, number, f"{share:.1%}"))
            shares.append(share)
    table(
        console,
        ("step", "variable", "cells", "per cent"),
        rows,
        title=f"{done.before.records:,} records, {done.source.records:,} after",
        bars=shares,
        text=("variable",),
    )
    for receipt in done.receipts:
        for sentence in receipt.notes:
            note(console, "note", sentence)
        for sentence in receipt.warnings:
            note(console, "warning", sentence)


def _show_cost(console: Console, cost: Cost) -> None:
    rows: list[tuple[str, str]] = [("precision", f"{cost.precision:.4f}")]
    rows += [(f"loss: {name}", f"{value:.4g}") for name, value in cost.losses.items()]
    bars: list[float | None] = [cost.precision]
    # counts of pairs and average sizes have no end that a bar could stand for
    bars += [
        value if name in ("loss", "precision") else None for name, value in cost.losses.items()
    ]
    table(console, ("cost", ""), rows, bars=bars)
    if cost.levels:
        levels = ", ".join(f"{name} {level}" for name, level in cost.levels.items())
        note(console, "levels", levels)
    if cost.least is not None:
        note(console, "distortion", cost._distance(cost.over_distortion))


def show_side_by_side(console: Console, compared: SideBySide) -> None:
    """Show the methods side by side, their precision as bars."""
    heading(
        console,
        f"{compared.at_risk:,} of {compared.records:,} records in classes smaller than "
        f"{compared.k} by {', '.join(compared.key)}",
    )
    rows = compared.cells()
    best = compared.best
    table(
        console,
        (
            *("method", "precision", "loss", "k holds", "recognised"),
            *("left out", "suppressed", "distortion", "seconds"),
        ),
        rows,
        bars=[row.precision for row in compared.rows],
        beside="precision",
        bold=[row is best for row in compared.rows],
    )
    for row in compared.rows:
        if row.why:
            note(console, row.method, row.why)
    note(
        console,
        "recognised",
        "share of records found by an intruder who knows every key and guesses within a class",
    )
    note(
        console,
        "distortion",
        "by the method's own measure, times the least possible for a release of its kind "
        "(≤: at most)",
    )


def show_actions(console: Console, compared: Comparison) -> None:
    """Show Dalenius' actions side by side, the records they lose as bars."""
    everybody = max(1, compared.records)
    table(
        console,
        (
            *("action", "records lost", "cells changed", "reversible"),
            *("residual", "k holds", "seconds"),
        ),
        [
            (
                row.action,
                row.records_lost,
                row.cells_changed,
                "with the key" if row.reversible else "no",
                "refused" if row.residual is None else row.residual,
                row.guaranteed,
                f"{row.seconds:.2f}",
            )
            for row in compared.rows
        ],
        title="Dalenius' actions on the records that stand out:",
        bars=[row.records_lost / everybody for row in compared.rows],
        beside="records lost",
    )
    for row in compared.rows:
        if row.why:
            note(console, row.action, row.why)


def show_map(console: Console, drawn: RiskUtilityMap) -> None:
    """Show the candidates by rising risk, which the bars show."""
    heading(
        console,
        f"{len(drawn.points)} candidates on {drawn.records:,} records, of which "
        f"{drawn.uniques:,} are unique by {', '.join(drawn.key)}",
    )
    points = sorted(drawn.points, key=lambda p: (p.risk, -p.utility))
    most = max((point.risk for point in points), default=0.0) or 1.0
    table(
        console,
        (
            *("candidate", "risk", "utility", "unchanged", "K-marginal"),
            *("changed", "seconds", "choice"),
        ),
        [
            (
                point.name,
                f"{point.risk:.2%}",
                f"{point.utility:.4f}",
                f"{point.unchanged:.1%}",
                f"{point.k_marginal:.0f}",
                f"{point.changed:.1%}",
                f"{point.seconds:.1f}",
                "proposed"
                if point.chosen
                else f"< {point.dominated_by}"
                if point.dominated
                else "",
            )
            for point in points
        ],
        bars=[point.risk / most for point in points],
        beside="risk",
        bold=[point.chosen for point in points],
        text=("choice",),
    )
    for refused in drawn.refused:
        note(console, f"{refused.name} was refused", refused.why)
    note(console, "risk", tradeoff.RISKS[drawn.risk])
    note(console, "utility", tradeoff.UTILITIES[drawn.utility])
    note(console, "unchanged", "of the original's uniques; < dominated by")
    if drawn.risk != "linkage":
        note(
            console,
            "note",
            "equality is asked for: who takes the nearest record finds more (risk='linkage')",
        )
    for sentence in drawn.notes:
        note(console, "note", sentence)


def show_verification(console: Console, found: Verification) -> None:
    """Show the verdict, the records by what protects them, and what it rests on."""
    heading(console, found.sentence)
    everybody = max(1, found.records)
    table(
        console,
        ("protected by", "records", "per cent"),
        [(name, number, f"{number / everybody:.1%}") for name, number in found.models.items()],
        bars=[number / everybody for number in found.models.values()],
    )
    table(
        console,
        ("checked with", "records", "at least", "by"),
        [
            (
                check["name"],
                check["records"],
                None if check.get("k") is None else f"{_people(check['k'])}",
                ", ".join(check.get("attributes") or ()),
            )
            for check in found.checked
        ],
        text=("by",),
    )
    for finding in found.findings:
        note(console, "finding", finding)
    for reservation in found.reservations:
        note(console, "reservation", f"{reservation.code}: {reservation.sentence}")
    for witness in found.witnesses:
        paragraph(console, repr(witness), indent="  ")
    for sentence in found.notes:
        note(console, "note", sentence)
    for part in found.parts.values():
        paragraph(console, words(part), indent="  ")
    for sentence in found.assumptions:
        note(console, "assumed", sentence)


def _people(number: int) -> str:
    return "1 person" if number == 1 else f"{number:,} people"


def show_comparison(console: Console, found: ReleaseComparison) -> None:
    """Show whether results would be the same: the verdict, the measures, the tests."""
    heading(console, found.sentence)
    for sentence in found.notes:  # what was recoded must be known before a number is read
        note(console, "note", sentence)
    utility = found.utility
    table(
        console,
        ("measure", "original", "released", "difference", "where"),
        utility._rows(),
        title=f"Utility of {utility.released} against {utility.original}: "
        f"{utility.records[1]:,} and {utility.records[0]:,} records, "
        f"{len(utility.variables)} variables",
        text=("where",),
    )
    worst = sorted(utility.marginals.variables, key=lambda m: -m.total_variation)
    worst = [m for m in worst[:MOST_MARGINALS] if m.total_variation]
    if worst:
        table(
            console,
            ("variable", "distance"),
            [(m.name, f"{m.total_variation:.2%}") for m in worst],
            title="Marginals that moved most (total variation)",
            bars=[m.total_variation for m in worst],
        )
    for sentence in utility.sentences():
        paragraph(console, sentence, indent="  ")
    for sentence in utility.notes:
        note(console, "note", sentence)
    for part in (found.demography, found.rules):
        if part is not None:
            paragraph(console, words(part))
    if found.protection is not None:
        paragraph(console, "For the holder of the original")
        paragraph(console, words(found.protection))


# How a release that was written is told ----------------------------------------------------------


def tell_run(run: Run, *, as_json: bool, besides: Mapping[str, Any] | None = None) -> None:
    """Tell what was done; raise a `GuaranteeError` where k was promised and does not hold.

    `besides` is told in JSON with the rest.
    """
    console = people()
    for sentence in run.warnings:
        console.print(f"warning: {sentence}", markup=False, soft_wrap=True)
    if as_json:
        print_json({**run.to_dict(), **(besides or {})})
    else:
        _show(console, run)
    if not run.holds:
        raise GuaranteeError(_unaccepted(run.release))


def _unaccepted(release: ReleaseFolder) -> str:
    """Say why a release that was written is not green."""
    if release.state == "fails":
        return f"{release.folder} was written although it {release.sentence}."
    codes = dict.fromkeys(r["code"] for r in release.reservations)
    left = ",".join(code for code in codes if code not in release.accepted)
    return (
        f"{release.folder} {release.sentence}. Mend what they name, or accept them: --accept {left}"
    )


def _show(console: Console, run: Run) -> None:
    written = run.release
    show_protected(console, run.protected)
    if run.protection is not None:
        paragraph(console, run.protection.details())
    paragraph(console, f"verdict: {written.sentence}")
    for reservation in written.reservations:
        paragraph(console, f"{reservation['code']}: {reservation['sentence']}", indent="  ")
    parts = (
        written.data,
        written.methodology,
        written.contract,
        written.codebook,
        written.certificate,
    )
    paragraph(console, f"written: {', '.join(map(str, parts))}")
    if written.open:
        paragraph(console, f"to fill in before signing: {', '.join(written.open)}")
    paragraph(console, f"private: {written.plan.parent}")
    paragraph(console, f"read before signing: {run.report.html}")
    if run.shareable is not None:
        paragraph(console, f"to show to others: {run.shareable.html}")
    if run.secret is not None:
        paragraph(console, f"the key: {run.secret}. Keep it; without it nobody can decrypt.")
