"""Several candidates side by side: which to release, the facts, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import (
    Claim,
    Grid,
    Heading,
    Piece,
    Section,
    Shown,
    SignOff,
    Tone,
)
from indistinct.release.report.sections.comparison_figures import dot_plot, risk_map
from indistinct.release.report.sections.verdict import reservations, verdict_sentence
from indistinct.release.report.standing import (
    cells_changed,
    cells_kept,
    generalised,
    left_out,
    linkage,
    perturbed,
    promised_k,
    same_key,
    standing_out,
    utility_measure,
)
from indistinct.release.report.weighing import Weighing
from indistinct.release.report.words import Words

__all__ = ["Compared", "comparison_sections"]

_ABREAST = 4
"""So many candidates stand in one table, which then fits on paper."""


@dataclass(frozen=True)
class Compared:
    """Candidates in the order in which they were named, and what became of them.

    Parameters
    ----------
    same_data
        For each, whether it is known to be of the same private file as the others.
    """

    candidates: tuple[ReleaseFacts, ...]
    weighing: Weighing
    same_data: tuple[bool, ...]

    @property
    def letters(self) -> tuple[str, ...]:
        """What the candidates are called: folders of one name can stand in different places."""
        return tuple(chr(ord("A") + i) for i in range(len(self.candidates)))

    def name(self, place: int | None) -> str:
        """Return what a candidate is called, letter and folder."""
        assert place is not None
        return f"{self.letters[place]} ({self.candidates[place].name})"


def comparison_sections(found: Compared, words: Words) -> list[Section]:
    """Return all sections of a comparison but glossary and methods."""
    made: list[tuple[str, str, Iterator[Piece]]] = [
        # the name to which every page's first link leads
        ("verdict", "recommendation", _recommendation(found, words)),
        ("comparison", "comparison", _side_by_side(found, words)),
        ("candidates", "candidates", _one_by_one(found, words)),
        ("alike", "alike", _alike(found, words)),
        ("signing", "signing", _signing(found, words)),
    ]
    return [Section(name, words(f"section.{title}"), tuple(pieces)) for name, title, pieces in made]


# ---- the recommendation ----


def _recommendation(found: Compared, words: Words) -> Iterator[Piece]:
    weighing = found.weighing
    yield _recommended(found, words)
    if weighing.chosen is not None:
        yield from _reservations(found, weighing.chosen, words)
    for place, outcome in enumerate(weighing.outcomes):
        if outcome.fate == "recommended":
            continue
        name = f"fate.{outcome.fate}.why"
        if outcome.fate == "keeps_less":
            name = f"{name}.{weighing.measure}"
        yield words.claim(
            name,
            page="risk-utility-map" if outcome.fate == "dominated" else None,
            which=found.name(place),
            by=None if outcome.by is None else found.name(outcome.by),
            own=_last_number(found, place),
            best=_last_number(found, weighing.chosen),
        )
    yield words.claim("recommend.rule", page="comparing-releases")


def _recommended(found: Compared, words: Words) -> Claim:
    weighing = found.weighing
    if weighing.chosen is None:
        return words.claim("recommend.none", tone="bad", number=len(found.candidates))
    tone: Tone = "good" if found.candidates[weighing.chosen].holds else "note"
    name = f"recommend.{weighing.decided}"
    values: dict[str, Any] = {
        "which": found.name(weighing.chosen),
        "number": len(found.candidates),
        "finalists": len(weighing.finalists),
    }
    if weighing.decided == "utility":
        name = f"{name}.{weighing.measure}"
        values["best"] = _last_number(found, weighing.chosen)
    return words.claim(name, tone=tone, page="comparing-releases", **values)


def _last_number(found: Compared, place: int | None) -> float | None:
    """Return the number by which the last candidates were compared."""
    measured = None if place is None else found.candidates[place].measured
    if measured is None:
        return None
    if found.weighing.measure == "pairs":
        return utility_measure(measured, "pairs")
    if found.weighing.measure == "precision":
        return measured.cost.precision if measured.cost else None
    return cells_kept(measured)


def _reservations(found: Compared, chosen: int, words: Words) -> Iterator[Piece]:
    """Tell what speaks against the recommendation, or what it supposes."""
    facts = found.candidates[chosen]
    measured = facts.measured
    assert measured is not None
    weighed = [f.measured for f in found.candidates if f.measured is not None]
    if not facts.claims_k:
        yield words.claim("recommend.no_promise", tone="note", which=found.name(chosen))
    elif not facts.holds:
        yield words.claim("recommend.reserved", tone="note", which=found.name(chosen))
    yield from reservations(facts, words)
    if not same_key(weighed):
        yield words.claim("recommend.keys", tone="note", key=measured.risk.key)
    elif facts.claims_k and any(m.claims_k and m.k > measured.k for m in weighed):
        largest = max(m.k for m in weighed if m.claims_k)
        yield words.claim("recommend.k", tone="note", k=measured.k, largest=largest)
    yield from _safer(found, chosen, words)
    failed = [t for t in (measured.utility.tests if measured.utility else ()) if t.passed is False]
    if failed:
        yield words.claim(
            "recommend.tests", tone="note", names=tuple(words(f"test.{t.name}") for t in failed)
        )
    if measured.warnings:
        yield words.claim("recommend.warnings", tone="note", number=len(measured.warnings))


def _safer(found: Compared, chosen: int, words: Words) -> Iterator[Piece]:
    """Name the candidate with the least risk, where that is not the recommended one."""
    guesses = {
        i: m.risk.expected_after
        for i in found.weighing.finalists
        if (m := found.candidates[i].measured) is not None and m.risk.expected_after is not None
    }
    least = min(guesses, key=lambda i: guesses[i], default=chosen)
    last = [m for i in found.weighing.finalists if (m := found.candidates[i].measured) is not None]
    if same_key(last) and chosen in guesses and guesses[least] < guesses[chosen]:
        yield words.claim(
            "recommend.safer",
            tone="note",
            which=found.name(least),
            least=guesses[least],
            own=guesses[chosen],
        )


# ---- side by side ----


def _side_by_side(found: Compared, words: Words) -> Iterator[Piece]:
    yield words.claim("comparison.read")
    places = range(len(found.candidates))
    groups = [places[i : i + _ABREAST] for i in range(0, len(places), _ABREAST)]
    for table in (_about, _risk, _keeping):
        rows = table(found, words)
        for group in groups:
            yield _grid(table.__name__.strip("_"), rows, group, found, words)
    for picture in (dot_plot, risk_map):
        drawn = picture(found.candidates, found.letters, found.weighing, words)
        if drawn is not None:
            yield drawn


Row = tuple[str, str, Sequence[Any], str]
"""A name, its words, a value for each candidate, and the form in which these are shown."""


def _grid(
    name: str, rows: Sequence[Row], group: Sequence[int], found: Compared, words: Words
) -> Grid:
    shown = tuple(
        (
            Shown("what", row, said),
            *(_cell(found.letters[i], values[i], form, words) for i in group),
        )
        for row, said, values, form in rows
        if any(value is not None for value in values)
    )
    headings = (words("column.what"), *(found.letters[i] for i in group))
    caption = words(f"comparison.{name}", letters=tuple(found.letters[i] for i in group))
    own = tuple(
        found.letters[i]
        for i in group
        if (m := found.candidates[i].measured) is not None and generalised(m)
    )
    note = words("comparison.own", names=own) if own and name != "about" else ""
    return Grid(f"comparison.{name}", caption, headings, shown, note=note)


def _cell(letter: str, value: Any, form: str, words: Words) -> Shown:
    return value if isinstance(value, Shown) else words.shown(letter, value, form)


def _about(found: Compared, words: Words) -> list[Row]:
    every = found.candidates
    measured = [facts.measured for facts in every]
    promises = [_promise(facts) for facts in every]
    rows: list[tuple[str, Sequence[Any], str]] = [
        ("folder", [facts.name for facts in every], ""),
        ("outcome", [f"fate.{o.fate}" for o in found.weighing.outcomes], "word"),
        ("method", [m and f"method.{m.method}" for m in measured], "word"),
        ("whole", [facts.whole for facts in every], ""),
        ("promise", promises, "word"),
        ("k", [facts.certificate.k for facts in every], "count"),
        ("proved_k", [promised_k(facts) or None for facts in every], "count"),
        ("key", [tuple(facts.certificate.key) or None for facts in every], ""),
        ("records", [_records(facts) for facts in every], "count"),
        ("left_out", [m and left_out(m) for m in measured], "percent"),
        ("variables", [m and len(m.released.variables) for m in measured], "count"),
        ("warnings", [m and len(m.warnings) for m in measured], "count"),
    ]
    if any(facts.edition == "shareable" for facts in every):
        rows.pop()
    return [(name, words(f"row.{name}"), values, form) for name, values, form in rows]


def _promise(facts: ReleaseFacts) -> str:
    if not facts.claims_k and facts.certified != "fails":
        return "promise.none"
    return {
        "holds": "promise.proved",
        "reservations": "promise.reserved",
        "fails": "promise.unproved",
    }[facts.certified]


def _records(facts: ReleaseFacts) -> int | None:
    told = facts.certificate.content.get("records")
    return told if isinstance(told, int) and not isinstance(told, bool) else None


def _risk(found: Compared, words: Words) -> list[Row]:
    measured = [facts.measured for facts in found.candidates]
    rows: list[tuple[str, Sequence[Any], str]] = [
        ("at_risk_before", [m and m.risk.before.at_risk for m in measured], "count"),
        ("at_risk_after", [m and standing_out(m) for m in measured], "count"),
        ("expected_before", [m and m.risk.expected_before for m in measured], "count"),
        ("expected_after", [m and m.risk.expected_after for m in measured], "count"),
    ]
    made = [(name, words(f"row.{name}"), values, form) for name, values, form in rows]
    for how in ("exact", "rank", "gower"):
        label = words("row.linkage", how=words(f"linkage.{how}"))
        made.append((f"linkage.{how}", label, [m and linkage(m, how) for m in measured], "percent"))
    return made


def _keeping(found: Compared, words: Words) -> list[Row]:
    measured = [facts.measured for facts in found.candidates]
    costs = [m and m.cost for m in measured]
    rows: list[Row] = [
        ("changed", words("row.changed"), [m and cells_changed(m) for m in measured], "percent"),
        ("precision", words("row.precision"), [c and c.precision for c in costs], "percent"),
        (
            "over_distortion",
            words("row.over_distortion"),
            [
                c and _times(c, letter, words)
                for c, letter in zip(costs, found.letters, strict=True)
            ],
            "",
        ),
    ]
    compared = [m and m.utility for m in measured]
    names = dict.fromkeys(one.name for u in compared if u for one in u.measures)
    for name in names:
        form, field = _FORMS.get(name, ("number", "released"))
        ones = [
            next((o for o in (u.measures if u else ()) if o.name == name), None) for u in compared
        ]
        label = f"{words(f'measure.{name}')}; {words(f'best.{name}')}"
        rows.append((name, label, [one and getattr(one, field) for one in ones], form))
    for outcome, passed in (("passed", True), ("failed", False)):
        tests = [
            tuple(words(f"test.{t.name}") for t in u.tests if t.passed is passed) or None
            if u and u.tests
            else None
            for u in compared
        ]
        rows.append((f"tests_{outcome}", words(f"row.tests_{outcome}"), tests, ""))
    return rows


_FORMS = {
    **dict.fromkeys(("marginals", "pairs", "triples"), ("percent", "difference")),
    **dict.fromkeys(("correlations", "associations"), ("signed", "difference")),
}


def _times(cost: Any, letter: str, words: Words) -> Shown | None:
    if cost.over_distortion is None:
        return None
    name = "times.exact" if cost.proved or cost.over_distortion == 1.0 else "times.at_most"
    return Shown(letter, cost.over_distortion, words(name, times=cost.over_distortion))


# ---- one by one, and what is not alike ----


def _one_by_one(found: Compared, words: Words) -> Iterator[Piece]:
    for letter, facts in zip(found.letters, found.candidates, strict=True):
        yield Heading(f"candidate.{letter}", words("candidate", letter=letter, name=facts.name))
        if not facts.whole:
            yield words.claim("verdict.changed", tone="bad", page="release-folder")
            for finding in facts.findings:
                yield words.said(finding, name="verdict.finding", tone="bad")
        told = verdict_sentence(facts, words)
        # what was proved was proved of other bytes
        yield told if facts.whole else replace(told, tone="plain")
        yield from reservations(facts, words)
        if facts.lacking is not None:
            yield words.claim(
                f"verdict.lacking.{facts.lacking}", tone="note", page="release-folder"
            )


def _alike(found: Compared, words: Words) -> Iterator[Piece]:
    every = list(enumerate(found.candidates))
    measured = [(i, f.measured) for i, f in every if f.measured is not None]
    told: list[Piece] = []

    def tell(name: str, places: Sequence[int], page: str | None = None, **values: Any) -> None:
        names = tuple(found.letters[i] for i in places)
        told.append(words.claim(f"alike.{name}", tone="note", page=page, names=names, **values))

    unknown = [i for i, same in enumerate(found.same_data) if not same]
    if unknown:
        tell("data", unknown)
    if missing := [i for i, f in every if f.measured is None]:
        tell("unmeasured", missing)
    if not same_key([m for _, m in measured]):
        told.append(words.claim("alike.keys", tone="bad", page="uniques"))
        told += [
            words.claim("alike.key", letter=found.letters[i], key=m.risk.key) for i, m in measured
        ]
    if len({m.risk.k for _, m in measured}) > 1:
        told.append(
            words.claim(
                "alike.k",
                tone="bad",
                page="uniques",
                each=tuple(f"{found.letters[i]}: {m.risk.k}" for i, m in measured),
            )
        )
    altered = [i for i, m in measured if perturbed(m)]
    if altered:
        tell("perturbed", altered, "protection-report")
    if coarse := [i for i, m in measured if generalised(m)]:
        tell("generalised", coarse, "precision-and-loss")
    if uncompared := [i for i, m in measured if m.utility is None]:
        tell("uncompared", uncompared, "utility")
    sets = {frozenset(v.name for v in m.released.variables) for _, m in measured}
    if len(sets) > 1:
        common = frozenset.intersection(*sets)
        only = sorted(frozenset.union(*sets) - common)
        told.append(words.claim("alike.variables", tone="note", names=tuple(only)))
    if not told:
        told.append(words.claim("alike.all", tone="good"))
    yield from told


def _signing(found: Compared, words: Words) -> Iterator[Piece]:
    held = [i for i, facts in enumerate(found.candidates) if facts.state != "fails"]
    yield words.claim("sign.compared", tone="plain" if held else "bad")
    choices = [words("sign.candidate", which=found.name(i)) for i in held]
    lines = ("reasons", "name", "office", "place", "signature")
    yield SignOff(
        "sign",
        tuple(words(f"sign.{line}") for line in lines),
        (*choices, words("sign.none")),
    )
