"""The page and its machine-readable twin say the same, piece by piece and number by number."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from report_data import EVERYDAY, KINDS
from report_page import Element, read_page

from indistinct.flow import make_report, write_report
from indistinct.release.few import Below, Few
from indistinct.release.report import Claim, Document, Grid, Section, load_words
from indistinct.release.report.html import document_json, told, write_page
from indistinct.release.report.pieces import Picture, Shown

ORDER = [
    "verdict",
    "released",
    "intruder",
    "risk",
    "changes",
    "utility",
    "demography",
    "tradeoff",
    "distortion",
    "tables",
    "text",
    "limits",
    "reproducing",
    "signing",
    "glossary",
    "methods",
]
ALWAYS = {"verdict", "released", "intruder", "risk", "changes", "utility", "limits"} | {
    "reproducing",
    "signing",
    "glossary",
    "methods",
}
DRAWN = {"original", "released", "share", "difference", "fewer"}
"""The columns of a figure's table that are drawn; others stand beside them for reading."""
_KIND = [pytest.param(kind, marks=() if kind in EVERYDAY else pytest.mark.heavy) for kind in KINDS]


def _pieces(section: Element) -> list[Element]:
    """Return the elements of a section that are pieces, in order."""
    found: list[Element] = []
    for part in section.inside:
        if isinstance(part, str):
            assert not part.strip()
        elif part.tag in ("ol", "ul"):
            found += [item for item in part.inside if isinstance(item, Element)]
        elif part.tag != "h2" and part["class"] != "small":
            found.append(part)
    return found


def _number(text: str) -> Any:
    """Return the value that an attribute holds, as the twin would."""
    return text if text.startswith("<") else json.loads(text)


def _numbers(value: Any) -> list[Any]:
    """Return the numbers among the values of the twin, those that are not told included."""
    if isinstance(value, bool):
        return []
    if isinstance(value, (int, float)):
        return [value]
    if isinstance(value, str) and value.startswith("<"):
        return [value]
    return []


def _table(element: Element) -> list[list[Element]]:
    return [
        [cell for cell in row.every("th", "td")]
        for body in element.every("tbody")
        for row in body.every("tr")
    ]


def _check_rows(element: Element, rows: list[dict[str, Any]], at: str) -> None:
    shown, words = _table(element), load_words()
    assert len(shown) == len(rows), at
    for cells, row in zip(shown, rows, strict=True):
        assert len(cells) == len(row), at
        for cell, (column, value) in zip(cells, row.items(), strict=True):
            data = [_number(one["value"]) for one in cell.every("data")]
            assert data == _numbers(value), (at, column)
            if isinstance(value, str) and not data:
                # words of the catalogue are called by their names in the twin
                meant = words(value) if value in words else value
                assert cell.text() == meant, (at, column)


def check(page: Element, twin: dict[str, Any]) -> None:
    """Fail where the page says what its twin does not, or the other way round."""
    sections = list(page.every("section"))
    assert [s["id"] for s in sections] == [s["section"] for s in twin["sections"]]
    (heading,) = page.every("h1")
    assert heading.text() == twin["title"]
    for n, (shown, meant) in enumerate(zip(sections, twin["sections"], strict=True), 1):
        title = next(shown.every("h2")).text()
        assert title == f"{n}. {meant['title']}"
        pieces = _pieces(shown)
        assert len(pieces) == len(meant["pieces"]), meant["section"]
        for element, piece in zip(pieces, meant["pieces"], strict=True):
            _check_piece(element, piece)


def _check_piece(element: Element, piece: dict[str, Any]) -> None:
    if "claim" in piece:
        assert element.tag in ("p", "li")
        said = element.said(without=("tone", "method"))
        assert said == " ".join(piece["text"].split())
        data = [_number(one["value"]) for one in element.every("data")]
        meant = [n for value in piece["values"].values() for n in _numbers(value)]
        # a value may be said twice in one sentence, and is one value all the same
        assert sorted(set(map(str, data))) == sorted(set(map(str, meant))), piece["claim"]
        assert (
            element.tag == "li"
            or element["class"] == piece.get("tone")
            or (element["class"] == "page")
        )
    elif "table" in piece:
        (caption,) = element.every("caption")
        assert caption.text() == piece["caption"]
        _check_rows(element, piece["rows"], piece["table"])
    elif "figure" in piece:
        assert (element.tag, element["id"]) == ("figure", piece["figure"])
        # its title stands in the drawing itself
        title = next(next(element.every("svg")).every("title")).text()
        assert title == piece["caption"]
        (alt,) = [p for p in element.every("p") if p["class"] == "alt"]
        assert alt.text() == piece["alt"]
        assert sum(1 for _ in element.every("svg")) == 1
        _check_rows(element, piece["data"], piece["figure"])
    elif "sign" in piece:
        assert [line.text() for line in element.every("dt")] == piece["lines"]
        choices = [p.said() for p in element.every("p")]
        assert choices == piece["choices"]
    else:
        assert (element.tag, element.text()) == ("h3", piece["text"])


@pytest.mark.parametrize("edition", ["private", "shareable"])
@pytest.mark.parametrize("kind", _KIND)
def test_the_page_and_its_twin_say_the_same(workshop, kind, edition):
    document = make_report(workshop.make(kind).folder, edition=edition)
    twin = json.loads(document_json(document))
    assert twin["edition"] == edition == document.edition
    check(read_page(write_page(document, load_words())), twin)
    names = [section["section"] for section in twin["sections"]]
    assert names == [name for name in ORDER if name in names]
    assert set(names) >= ALWAYS


def test_a_number_that_differs_is_noticed(workshop):
    document = make_report(workshop.make("generalised").folder)
    page = write_page(document, load_words())
    twin = json.loads(document_json(document))
    check(read_page(page), twin)
    spoiled = page.replace('<data value="600">', '<data value="601">', 1)
    assert spoiled != page
    with pytest.raises(AssertionError):
        check(read_page(spoiled), twin)
    words = page.replace("may be about any", "is about one", 1)
    with pytest.raises(AssertionError):
        check(read_page(words), twin)


@pytest.mark.parametrize("edition", ["private", "shareable"])
@pytest.mark.parametrize("kind", _KIND)
def test_a_figure_draws_the_numbers_of_its_table(workshop, kind, edition):
    # a figure's description says every number drawn
    document = make_report(workshop.make(kind).folder, edition=edition)
    for picture in document.every(Picture):
        assert picture.grid is not None
        (svg,) = read_page(picture.svg).every("svg")
        said = next(svg.every("desc")).text()
        if picture.name == "map":
            continue  # labels that found no room are in the table alone
        assert any(cell.name in DRAWN for row in picture.grid.rows for cell in row)
        for row in picture.grid.rows:
            for cell in row:
                if cell.name not in DRAWN:
                    continue
                if isinstance(cell.value, (Few, Below)):
                    assert cell.text in said or "fewer than" in said or "less than" in said
                elif isinstance(cell.value, int) and not isinstance(cell.value, bool):
                    assert f"{cell.value:,}" in said, (picture.id, cell, said)
                elif isinstance(cell.value, float) and math.isfinite(cell.value):
                    assert any(
                        math.isclose(cell.value, n, rel_tol=0.06, abs_tol=6e-4)
                        for n in _said_numbers(said)
                    ), (picture.id, cell, said)


def _said_numbers(said: str) -> list[float]:
    found = []
    for word in said.replace(",", " , ").replace(";", " ").split():
        try:
            found += [float(word), float(word) / 100]
        except ValueError:
            continue
    return found


def test_values_keep_marks_of_emphasis_that_are_their_own(workshop):
    words = load_words()
    claim = words.claim("changes.unchanged", names=["a**b"], number=1)
    assert claim.text == "Released as they were (1): a**b."
    document = Document("t", "private", "", "en", "holds", True, (_section(claim),))
    check(read_page(write_page(document, words)), json.loads(document_json(document)))


def _section(*pieces: Any) -> Section:
    return Section("verdict", "Verdict", pieces)


def test_numbers_that_are_none_are_none_in_both():
    shown = Shown("share", math.nan, "–")
    grid = Grid("g", "caption", ("a", "b"), ((Shown("a", "x", "x"), shown),))
    document = Document("t", "private", "", "en", "holds", True, (_section(grid),))
    twin = json.loads(document_json(document), parse_constant=pytest.fail)
    assert twin["sections"][0]["pieces"][0]["rows"] == [{"a": "x", "share": None}]
    page = read_page(write_page(document, load_words()))
    assert not list(page.every("data"))
    assert told(Few(7)) == "<7"


def test_the_twin_is_written_beside_the_page(workshop, tmp_path):
    written = write_report(workshop.make("global").folder, out=tmp_path / "r.html")
    assert written.json == Path(tmp_path / "r.json")
    check(read_page(written.html.read_text("utf-8")), json.loads(written.json.read_text("utf-8")))
    assert isinstance(written.document.sections[0].pieces[0], Claim)
