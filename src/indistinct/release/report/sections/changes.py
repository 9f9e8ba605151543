"""What was changed, by variable, and by which steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from indistinct.release.few import drawable, share
from indistinct.release.report.facts import Changes, Measured, VariableChange
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Picture, Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.results.figures import shares

__all__ = ["changed_cells", "changes_section"]

_BECAME = {
    (True, True): "changes.became.all",
    (True, False): "changes.became",
    (False, True): "changes.became.some.all",
    (False, False): "changes.became.some",
}
"""What is said of a generalised variable, by whether all of it is and all labels are listed."""


@register_section("changes", place=50)
def changes_section(facts: ReleaseFacts, words: Words) -> Section | None:
    """Tell what was done to the data."""
    if facts.measured is None:
        return None
    return Section("changes", words("section.changes"), tuple(_pieces(facts.measured, words)))


def _pieces(measured: Measured, words: Words) -> Iterator[Piece]:
    found = measured.changes
    left_out = found.lost
    if left_out:
        yield words.claim(
            "changes.left_out",
            page="techniques",
            left_out=left_out,
            share=share(left_out, found.records_before),
            records=found.records_before,
        )
    else:
        yield words.claim("changes.all_kept", page="techniques")
    if found.records_changed:
        yield words.claim(
            "changes.records",
            page="techniques",
            changed=found.records_changed,
            share=share(found.records_changed, found.records_before),
        )
    for change in found.variables:
        if change.number:
            claim = words.claim(
                _BECAME[change.whole, len(change.labels) == change.number],
                page="techniques",
                variable=change.name,
                number=change.number,
                labels=change.labels,
            )
            yield replace(claim, listed="ul")
    untold = [change.name for change in found.variables if change.cells is None]
    # bars that are all as long tell nothing; the table below tells it shorter
    if len({change.cells for change in found.variables if change.cells}) > 1:
        yield changed_cells(found, words)
    if untold:
        yield words.claim("changes.untold", names=untold, page="techniques")
    elif not any(change.cells for change in found.variables):
        yield words.claim("changes.nothing", tone="note", page="techniques")
    touched = [c for c in found.variables if c.how != "unchanged"]
    same = [c.name for c in found.variables if c.how == "unchanged"]
    if touched:
        yield words.grid(
            "changed.data",
            [
                ("variable", ""),
                ("how", "word"),
                ("cells", "count"),
                ("share", "percent"),
                ("suppressed", "count"),
            ],
            [
                (c.name, f"how.{c.how}", c.cells, share(c.cells, found.records_after), _gone(c))
                for c in sorted(touched, key=lambda c: -(c.cells or 0))
            ],
        )
    if same:
        yield words.claim("changes.unchanged", page="techniques", names=same, number=len(same))
    yield words.heading("changes.steps")
    for step in measured.steps:
        claim = (
            words.said(step.told, name="changes.step", page="techniques")
            if step.told
            else words.claim(
                "changes.step.perturbs" if step.perturbs else "changes.step.untold",
                names=step.variables,
                page="techniques",
            )
        )
        yield replace(claim, listed="ol")
    if any(not step.told for step in measured.steps):
        yield words.claim("changes.see_methodology", page="release-folder")


def _gone(change: VariableChange) -> int | None:
    """Return how many cells were suppressed, where anything is told."""
    return None if change.cells is None else change.suppressed


def changed_cells(found: Changes, words: Words) -> Picture:
    """Draw the share of each variable's cells that were changed."""
    rows = sorted(
        ((c.name, share(c.cells, found.records_after) or 0.0) for c in found.variables if c.cells),
        key=lambda row: -row[1],
    )
    parts = [part for _, part in rows]
    grid = words.grid("cells.data", [("variable", ""), ("share", "percent")], rows, folded=True)
    svg = shares(
        words("cells"),
        [n for n, _ in rows],
        drawable(parts),
        none=words.untold(parts),
        name="cells",
    )
    return words.picture("cells", svg, grid, page="techniques", most=rows[0][0], share=rows[0][1])
