"""Risk before and after, against the target."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.release.few import Below, Few, drawable, share
from indistinct.release.report.facts import Band, Measured, Risk
from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Grid, Picture, Piece, Section
from indistinct.release.report.sections.every import register_section
from indistinct.release.report.words import Words
from indistinct.results.figures import before_after, shares

__all__ = ["class_sizes", "exposed_combinations", "risk_section", "variables_in_the_risk"]


@register_section("risk", place=40)
def risk_section(facts: ReleaseFacts, words: Words) -> Section | None:
    """Tell who stood out before and who does now."""
    if facts.measured is None:
        return None
    return Section("risk", words("section.risk"), tuple(_pieces(facts.measured, words)))


def _pieces(measured: Measured, words: Words) -> Iterator[Piece]:
    found = measured.risk
    before, after = found.before, found.after
    yield words.claim(
        "risk.before",
        page="uniques",
        at_risk=before.at_risk,
        share=share(before.at_risk, before.records),
        records=before.records,
        unique=before.unique,
        k=found.k,
    )
    if not measured.claims_k:
        yield words.claim("risk.after.perturbed", page="protection-report", tone="note")
    elif found.wildcards and not after.at_risk:
        yield words.claim(
            "risk.after.wildcards",
            tone="note",
            page="local-suppression",
            smallest=max(after.smallest, found.k),
        )
    elif after.at_risk:
        yield words.claim(
            "risk.after.some",
            tone="bad",
            page="uniques",
            at_risk=after.at_risk,
            records=after.records,
            k=found.k,
        )
    else:
        yield words.claim(
            "risk.after.none",
            tone="good",
            page="uniques",
            k=found.k,
            smallest=max(after.smallest, found.k),
        )
    yield class_sizes(found, words, claims_k=measured.claims_k)
    yield words.claim(
        "risk.expected" if found.expected_after is not None else "risk.expected.before",
        page="individual-risk",
        before=found.expected_before,
        after=found.expected_after,
        records=before.records,
    )
    if found.linkage:
        yield _linkage(found, words)
    if found.without and before.at_risk and not isinstance(before.at_risk, Few):
        yield words.heading("risk.why")
        yield variables_in_the_risk(found, words)
    if found.enough:
        yield _enough(found, words)
    if found.exposed:
        yield words.heading("risk.exposed")
        searched = any(one.enough for one in found.exposed)
        name = "risk.exposed.private" if searched else "risk.exposed.few"
        yield words.claim(name, tone="note", page="suda")
        yield exposed_combinations(found, words)


def band_label(band: Band, words: Words) -> str:
    """Return how many people share a combination, in words."""
    if band.high is None:
        return words("band.from", low=band.low)
    if band.low == band.high:
        return words("band.one", low=band.low)
    return words("band.to", low=band.low, high=band.high)


def class_sizes(found: Risk, words: Words, *, claims_k: bool = True) -> Picture:
    """Draw the people of both files by how many share their combination."""
    pairs = [
        (a, b)
        for a, b in zip(found.before.bands, found.after.bands, strict=True)
        if a.records or b.records or a.low <= found.k
    ]
    labels = [band_label(a, words) for a, _ in pairs]
    # of altered values nobody promises how many share a combination
    below = sum(a.high is not None and a.high < found.k for a, _ in pairs) if claims_k else 0
    columns = [("sharing", ""), ("original", "count"), ("released", "count")]
    rows: list[tuple[object, ...]] = [
        (label, a.records, b.records) for label, (a, b) in zip(labels, pairs, strict=True)
    ]
    if all(a.classes is not None for a, _ in pairs):
        columns += [("original_classes", "count"), ("released_classes", "count")]
        rows = [(*row, a.classes, b.classes) for row, (a, b) in zip(rows, pairs, strict=True)]
    grid = words.grid(
        "sizes.data",
        columns,
        rows,
        marked=list(range(below)),
        folded=True,
        k=found.k,
    )
    people = [a.records for a, _ in pairs], [b.records for _, b in pairs]
    svg = before_after(
        words("sizes"),
        labels,
        drawable(people[0]),
        drawable(people[1]),
        none=words.untold([*people[0], *people[1]]),
        names=(words("original"), words("released")),
        below=below,
        below_word=words("sizes.below", k=found.k),
        rest=words.raw("figure.others"),
        name="sizes",
    )
    return words.picture(
        "sizes",
        svg,
        grid,
        page="uniques",
        k=found.k,
        before=found.before.at_risk,
        after=found.after.at_risk,
    )


def variables_in_the_risk(found: Risk, words: Words) -> Picture:
    """Draw by how much fewer people would stand out if one fact were not known."""
    total = found.before.at_risk
    rows = sorted(
        ((name, left, 1 - _at_most(share(left, total))) for name, left in found.without.items()),
        key=lambda row: -row[2],
    )
    grid = words.grid(
        "without.data",
        [("variable", ""), ("still", "count"), ("fewer", "percent")],
        rows,
        folded=True,
        total=total,
    )
    svg = shares(
        words("without"),
        [name for name, *_ in rows],
        [part for *_, part in rows],
        rest=words.raw("figure.more"),
        none=words("nothing"),
        name="without",
    )
    top = rows[0]
    return words.picture(
        "without", svg, grid, page="which-variables", most=top[0], fewer=top[2], total=total
    )


def _at_most(part: float | None) -> float:
    """Return a share, or what it is below."""
    return part.limit if isinstance(part, Below) else part or 0.0


def _enough(found: Risk, words: Words) -> Grid:
    rows = sorted((int(size), people) for size, people in found.enough.items())
    return words.grid(
        "enough" if found.most_facts is None else "enough.some",
        [("facts", "count"), ("people", "count")],
        rows,
        number=len(found.key),
        most=found.most_facts,
    )


def _linkage(found: Risk, words: Words) -> Grid:
    return words.grid(
        "linkage",
        [("intruder", "word"), ("original", "percent"), ("released", "percent")],
        [(f"linkage.{link.how}", link.before, link.after) for link in found.linkage],
    )


def exposed_combinations(found: Risk, words: Words) -> Grid:
    """List the combinations of people who need the fewest facts to be found; private."""
    rows = [
        (number, one.records, one.enough, ", ".join(f"{n}: {v}" for n, v in one.values.items()))
        for number, one in enumerate(found.exposed, 1)
    ]
    return words.grid(
        "exposed",
        [("number", "count"), ("people", "count"), ("enough", ""), ("combination", "")],
        rows,
    )
