"""What the data are still good for: original against released."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.release.report.facts import Marginal, Utility
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Grid, Picture, Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.results.figures import marginal, shares

__all__ = ["distributions", "measures", "utility_section"]


@register_section("utility", place=60)
def utility_section(facts: ReleaseFacts, words: Words) -> Section | None:
    """Tell whether results from the released file would be those from the original."""
    if facts.measured is None:
        return None
    found = facts.measured.utility
    pieces: Iterator[Piece] = (
        iter([words.claim("utility.unknown", tone="note", page="utility")])
        if found is None
        else _pieces(found, words)
    )
    return Section("utility", words("section.utility"), tuple(pieces))


def _pieces(found: Utility, words: Words) -> Iterator[Piece]:
    named = {measure.name: measure for measure in found.measures}
    if "pairs" in named and named["pairs"].difference is not None:
        yield words.claim(
            "utility.pairs",
            page="utility",
            distance=named["pairs"].difference,
            worst=named["pairs"].at,
        )
    if found.generalised:
        yield words.claim("utility.generalised", names=found.generalised, page="precision-and-loss")
    yield measures(found, words)
    if found.tables:
        yield worst_tables(found, words)
    yield words.heading("utility.distributions")
    if found.same:
        yield words.claim("utility.same", number=found.same, page="utility")
    if found.marginals:
        yield words.claim(
            "utility.marginals.more" if found.more_marginals else "utility.marginals",
            page="utility",
            number=len(found.marginals),
            more=found.more_marginals,
        )
        for i, one in enumerate(found.marginals):
            yield distributions(one, words, number=i + 1)
    for note in found.notes:
        yield words.said(note, name="utility.note", tone="note", page="utility")


def measures(found: Utility, words: Words) -> Grid:
    """List the measures of utility."""
    return words.grid(
        "measures",
        [
            ("measure", "word"),
            ("original", "number"),
            ("released", "number"),
            ("difference", "signed"),
            ("at", ""),
            ("best", "word"),
        ],
        [
            (
                f"measure.{m.name}",
                m.original,
                m.released,
                m.difference,
                m.at or "",
                f"best.{m.name}",
            )
            for m in found.measures
        ],
        compared=found.compared,
    )


def worst_tables(found: Utility, words: Words) -> Picture:
    """Draw the two-way tables that differ most."""
    rows = [(table.at or "", table.difference or 0.0) for table in found.tables]
    grid = words.grid(
        "tables.data", [("variables", ""), ("difference", "percent")], rows, folded=True
    )
    svg = shares(
        words("tables"),
        [name for name, _ in rows],
        [part for _, part in rows],
        rest=words.raw("figure.more"),
        none=words("nothing"),
        name="tables",
    )
    worst, distance = rows[0]
    return words.picture("tables", svg, grid, page="utility", worst=worst, distance=distance)


def distributions(found: Marginal, words: Words, *, number: int) -> Picture:
    """Draw one variable in both files."""
    labels = [label or words("missing") for label in found.labels]
    if len(found.original) > len(labels):
        labels.append(words("others", number=found.rest))
    grid = words.grid(
        "marginal.data",
        [("category", ""), ("original", "percent"), ("released", "percent")],
        list(zip(labels, found.original, found.released, strict=True)),
        folded=True,
        variable=found.name,
    )
    svg = marginal(
        found.name,
        labels,
        found.original,
        found.released,
        names=(words("original"), words("released")),
        ordered=found.ordered,
        rest=words.raw("figure.others"),
        none=words("nothing"),
        name=f"marginal-{number}",
    )
    return words.picture(
        "marginal",
        svg,
        grid,
        page="utility",
        narrow=True,
        written=not found.ordered,
        figure=number,
        variable=found.name,
        distance=found.total_variation,
    )
