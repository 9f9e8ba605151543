"""The verdict in one sentence, and the release at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from indistinct.release.few import added, drawable, share
from indistinct.release.report.facts import Linkage, Measured
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Claim, Grid, Picture, Piece, Section, Shown, Tone
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.results.figures import gauge

__all__ = [
    "glance",
    "known_too",
    "nearest_link",
    "reservations",
    "stand_out_gauge",
    "verdict_section",
    "verdict_sentence",
]


@register_section("verdict", place=10)
def verdict_section(facts: ReleaseFacts, words: Words) -> Section:
    """Say whether the release keeps its promise, and what it is at a glance."""
    return Section("verdict", words("section.verdict"), tuple(_pieces(facts, words)))


def _pieces(facts: ReleaseFacts, words: Words) -> Iterator[Piece]:
    if not facts.whole:
        yield words.claim("verdict.changed", tone="bad", page="release-folder")
        for finding in facts.findings:
            yield words.said(finding, name="verdict.finding", tone="bad", page="release-folder")
        yield words.claim("verdict.then", page="release-folder")
    said = verdict_sentence(facts, words)
    yield said if facts.whole else replace(said, tone="plain")
    yield from reservations(facts, words)
    if facts.measured is not None:
        yield from _caveats(facts, facts.measured, words)
    if facts.measured is not None:
        yield from known_too(facts.measured, words)
    if facts.lacking is not None:
        yield words.claim(f"verdict.lacking.{facts.lacking}", tone="note", page="release-folder")
    if facts.measured is not None:
        yield glance(facts.measured, words)
        if facts.measured.claims_k:
            yield stand_out_gauge(facts.measured, words)
        elif facts.measured.risk.linkage:
            yield found_gauge(facts.measured, words)


def _caveats(facts: ReleaseFacts, measured: Measured, words: Words) -> Iterator[Claim]:
    """Say what must be known with the verdict."""
    found = facts.certificate.verdict
    if not measured.claims_k and found and not facts.certificate.proved:
        yield words.claim(
            "verdict.perturbed.attack",
            tone="note",
            page="verifying",
            exposed=_number(found.get("witnesses"), 0),
            disclosures=_number(found.get("disclosures"), 0),
            records=measured.released.records,
            k=facts.certificate.k or 0,
        )
    if measured.risk.wildcards:
        yield words.claim("verdict.wildcards", tone="note", page="local-suppression")


def known_too(measured: Measured, words: Words) -> Iterator[Piece]:
    """Say what is left of the promise if one more fact is known than the key."""
    found, records = measured.risk.known_too, measured.risk.after.records
    if not found:
        return
    worst = found[0]
    yield words.claim(
        "known.worst",
        tone="note",
        page="what-is-not-proved",
        key=measured.risk.key,
        variable=worst.variable,
        alone=share(worst.alone, records),
        below=share(worst.below, records),
        k=measured.k,
    )
    yield words.grid(
        "known",
        [("variable", ""), ("alone", "percent"), ("few", "percent")],
        [(one.variable, share(one.alone, records), share(one.below, records)) for one in found],
    )


def verdict_sentence(facts: ReleaseFacts, words: Words) -> Claim:
    """Say in one sentence what was proved, or that nothing was."""
    certificate, found = facts.certificate, facts.certificate.verdict
    key, asked = tuple(certificate.key), certificate.k or 0
    state = facts.certified
    if not facts.claims_k:
        return _perturbed(facts.measured, words, fails=state == "fails")
    if not found:
        return words.claim("verdict.unproved", tone="bad", page="verifying")
    if state == "fails":
        exposed = _number(found.get("witnesses"), 0)
        return words.claim(
            # what the examiners found need not be a small group
            "verdict.fails" if exposed else "verdict.broken",
            tone="bad",
            page="verifying",
            exposed=exposed,
            records=_number(certificate.content.get("records"), 0),
            k=asked,
            key=key,
        )
    name = f"verdict.{found.get('verdict')}" if state == "holds" else "verdict.reserved"
    name = name if name in words else "verdict.proved"
    return words.claim(name, tone=_kept_tone(facts), page="verifying", key=key, k=asked)


def reservations(facts: ReleaseFacts, words: Words) -> Iterator[Claim]:
    """Say what breaks the promise, and what it rests on: in sentences, none of them left out."""
    if facts.kept:
        yield words.claim("verdict.kept", tone="note", page="release-folder", names=facts.kept)
    for sentence in facts.broken:
        if sentence.startswith("none:"):
            continue  # the verdict in other words
        yield words.said(sentence, name="verdict.broken.why", tone="bad", page="verifying")
    for one in facts.reservations:
        if facts.kept and one.code == "identifier-released":
            continue  # said above
        said = words.said(one.sentence, name="verdict.reservation", tone="note", page="verifying")
        accepted = one.code in facts.accepted
        mark = words("verdict.accepted" if accepted else "verdict.open", code=one.code)
        yield replace(said, parts=(*said.parts, f" {mark}"))


def _kept_tone(facts: ReleaseFacts) -> Tone:
    """Return how a kept promise is shown: it is a weaker one where suppressed cells agree."""
    wildcards = facts.measured is not None and facts.measured.risk.wildcards
    return "good" if facts.certified == "holds" and not wildcards else "note"


def _number(value: object, otherwise: int) -> int:
    """Return a count of a certificate, which may have been tampered with."""
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise


def _perturbed(measured: Measured | None, words: Words, *, fails: bool) -> Claim:
    """Say what a release protects from that promises no k."""
    link = nearest_link(measured) if measured is not None else None
    tone: Tone = "bad" if fails else "note"
    if link is None or measured is None:
        name = "verdict.perturbed.unknown.fails" if fails else "verdict.perturbed.unknown"
        return words.claim(name, tone=tone, page="protection-report")
    return words.claim(
        "verdict.perturbed.fails" if fails else "verdict.perturbed",
        tone=tone,
        page="protection-report",
        key=measured.risk.key,
        before=link.before,
        after=link.after,
    )


def nearest_link(measured: Measured) -> Linkage | None:
    """Return what the intruder finds who takes the nearest record, if that was tried."""
    found = {link.how: link for link in measured.risk.linkage}
    return found.get("gower") or found.get("rank") or found.get("exact")


def glance(measured: Measured, words: Words) -> Grid:
    """Put the most important numbers side by side, original against released."""
    risk, changes = measured.risk, measured.changes
    before, after = risk.before, risk.after
    kept = measured.claims_k  # who stands out by altered values tells nothing
    rows: list[tuple[object, object, object]] = [
        (words("glance.records"), before.records, after.records),
        (words("glance.at_risk", k=risk.k), before.at_risk, after.at_risk if kept else None),
        (words("glance.unique"), before.unique, after.unique if kept else None),
        (words("glance.expected"), risk.expected_before, risk.expected_after),
        (words("glance.variables"), measured.original.variables, len(measured.released.variables)),
    ]
    untold = any(change.cells is None for change in changes.variables)
    cells = None if untold else added(change.cells or 0 for change in changes.variables)
    total = changes.records_after * len(changes.variables)
    grid = words.grid("glance", [("what", ""), ("original", "count"), ("released", "count")], rows)
    changed = (
        words.shown("what", words("glance.cells"), ""),
        words.shown("original", None),
        words.shown("released", share(cells, total), "percent"),
    )
    last: list[tuple[Shown, ...]] = [changed]
    link = nearest_link(measured)
    if link is not None:
        shown = [("original", link.before), ("released", link.after)]
        found = tuple(words.shown(column, value, "percent") for column, value in shown)
        last.insert(0, (words.shown("what", words("glance.linkage")), *found))
    return Grid(grid.name, grid.caption, grid.headings, (*grid.rows, *last), grid.numeric)


def stand_out_gauge(measured: Measured, words: Words) -> Picture:
    """Draw the share of people who stand out: before, after, and allowed."""
    risk = measured.risk
    before = share(risk.before.at_risk, risk.before.records)
    after = share(risk.after.at_risk, risk.after.records)
    return _gauge("gauge", before, after, 0.0, words, page="uniques", k=risk.k)


def found_gauge(measured: Measured, words: Words) -> Picture:
    """Draw the share of people whom the nearest record gives away: before and after."""
    link = nearest_link(measured)
    assert link is not None
    return _gauge("found", link.before, link.after, None, words, page="protection-report")


def _gauge(
    name: str,
    before: float | None,
    after: float | None,
    allowed: float | None,
    words: Words,
    *,
    page: str,
    **values: Any,
) -> Picture:
    names = (words("original"), words("released"), words("allowed"))
    rows = list(zip(names, (before, after, allowed), strict=True))
    grid = words.grid(
        f"{name}.data",
        [("what", ""), ("share", "percent")],
        rows if allowed is not None else rows[:2],
        folded=True,
    )
    first, second = drawable([before, after])
    svg = gauge(
        words(name, **values),
        first,
        second,
        allowed,
        names=names,
        none=words.untold([before, after]),
        axis=words("gauge.scale"),
        name=name,
    )
    return words.picture(name, svg, grid, page=page, before=before, after=after, **values)
