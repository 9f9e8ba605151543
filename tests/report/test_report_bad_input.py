"""Folders that are not whole, and data that no report should be hurt by."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import small_data
from report_page import Element, read_page

from indistinct.core.errors import InputError
from indistinct.flow import make_report, write_report
from indistinct.protect import Plan, protect_by_plan
from indistinct.release import parts
from indistinct.release.report import Document, load_words
from indistinct.release.report.building import build_document
from indistinct.release.report.editions import shareable
from indistinct.release.report.facts import (
    Curve,
    Exposed,
    Map,
    MapPoint,
    Marginal,
    Measured,
    Variable,
    VariableChange,
)
from indistinct.release.report.facts import Test as Judged
from indistinct.release.report.folder import ReleaseFacts, read_release
from indistinct.release.report.html import document_json, write_page

SCRIPT = "<script>alert(1)</script>"
MOST_BYTES = 2_000_000


def _page(document: Document) -> Element:
    """Return the page, after making sure that it is well formed, bounded and has a twin."""
    text = write_page(document, load_words())
    assert len(text.encode()) < MOST_BYTES
    json.loads(document_json(document), parse_constant=pytest.fail)
    return read_page(text)


def _both(facts: ReleaseFacts) -> list[Element]:
    return [_page(build_document(f, load_words())) for f in (facts, shareable(facts))]


def _first(document: Document) -> tuple[str, str]:
    claim: Any = document.sections[0].pieces[0]
    return claim.name, claim.tone


# ---- what is no release ----


def test_a_folder_that_is_no_release_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a release folder"):
        make_report(tmp_path)
    with pytest.raises(InputError, match="There is no release folder"):
        make_report(tmp_path / "nowhere")
    file = tmp_path / "data.parquet"
    file.write_bytes(b"x")
    with pytest.raises(InputError, match="is a file"):
        make_report(file)


def test_where_the_report_goes_is_checked_first(workshop, tmp_path):
    folder = workshop.make("unproved").folder
    with pytest.raises(InputError, match=r"must end in \.html"):
        write_report(folder, out=tmp_path / "report.pdf")
    with pytest.raises(InputError, match="does not exist"):
        write_report(folder, out=tmp_path / "none" / "r.html")
    with pytest.raises(InputError, match="no language 'xx'"):
        write_report(folder, out=tmp_path / "r.html", language="xx")
    assert list(tmp_path.iterdir()) == []


# ---- changed bytes ----

CHANGED = {
    "data.parquet": "data.parquet",
    parts.METHODOLOGY: parts.METHODOLOGY,
    parts.CONTRACT: parts.CONTRACT,
    parts.CERTIFICATE: parts.CERTIFICATE,
    parts.LEDGER: parts.LEDGER,
    parts.MEASURED: parts.MEASURED,
    parts.PLAN: parts.PLAN,
    parts.AUDIT: parts.AUDIT,
    parts.HEAD: parts.AUDIT,
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_part_is_told_first_and_in_red(workshop, tmp_path, name):
    folder = workshop.copy("generalised", tmp_path)
    path = folder / name
    content = bytearray(path.read_bytes())
    at = content.index(b"600") if b"600" in content else len(content) // 2
    content[at : at + 1] = b"9" if content[at : at + 1] != b"9" else b"8"
    path.write_bytes(content)
    for edition in ("private", "shareable"):
        document = make_report(folder, edition=edition)
        assert _first(document) == ("verdict.changed", "bad")
        assert not document.holds
        finding: Any = document.sections[0].pieces[1]
        assert CHANGED[name] in finding.text
        assert finding.tone == "bad"
        page = _page(document)
        assert str(tmp_path) not in write_page(document, load_words())
        first = next(next(page.every("section")).every("p"))
        assert first["class"] == "bad"
        choices = [p.said() for p in page.every("p") if p["class"] == "choice"]
        assert choices[0] == load_words()("sign.refuse")


def test_measurements_that_were_changed_are_not_shown(workshop, tmp_path):
    folder = workshop.copy("generalised", tmp_path)
    path = folder / parts.MEASURED
    path.write_text(path.read_text("utf-8").replace('"at_risk": ', '"at_risk": 1'), "utf-8")
    document = make_report(folder)
    assert "risk" not in document
    assert "verdict.lacking.changed" in [c.name for c in document.sections[0].pieces]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null", b"{}"])
@pytest.mark.parametrize("name", [parts.CERTIFICATE, parts.MEASURED, parts.LEDGER])
def test_a_part_that_is_not_even_readable_is_told(workshop, tmp_path, name, content):
    folder = workshop.copy("unproved", tmp_path)
    (folder / name).write_bytes(content)
    if name == parts.CERTIFICATE and content == b"{}":  # of which version it is cannot be known
        with pytest.raises(InputError, match="format"):
            make_report(folder)
        return
    document = make_report(folder)
    assert _first(document) == ("verdict.changed", "bad")
    assert not document.holds
    _page(document)


def test_without_the_ledger_only_the_shareable_edition_is_made(workshop, tmp_path):
    folder = workshop.copy("generalised", tmp_path)
    shutil.rmtree(folder / parts.PRIVATE)
    written = write_report(folder, edition="private")
    assert written.document.edition == "shareable"
    assert written.html.parent == tmp_path
    assert written.document.holds
    assert "verdict.lacking.ledger" in [p.name for p in written.document.sections[0].pieces]
    page = _page(written.document)
    assert "is not in this folder" in page.text()
    assert not list(page.every("figure"))


def test_a_release_from_before_measurements_is_told_by_its_certificate(workshop, tmp_path):
    folder = workshop.copy("generalised", tmp_path)
    (folder / parts.MEASURED).unlink()
    with pytest.raises(InputError, match=r"measured\.json is missing"):
        make_report(folder)  # the ledger lists it: somebody took it away
    facts = replace(
        read_release(workshop.make("generalised").folder), measured=None, lacking="measured"
    )
    for page in _both(facts):
        assert "before measurements were kept" in page.text()


# ---- measurements that cannot be ----


def _facts(workshop: Any, kind: str = "generalised") -> dict[str, Any]:
    path = workshop.make(kind).folder / parts.MEASURED
    return json.loads(path.read_bytes())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.update(version=2), "it is of version 2"),
        (lambda f: f.update(k=10**400), "too large"),
        (lambda f: f.update(k="3"), "k is of another kind"),
        (lambda f: f.update(k=True), "k is of another kind"),
        (lambda f: f["risk"].update(expected_before=float("nan")), "is no number"),
        (lambda f: f["risk"].update(expected_before=float("inf")), "is no number"),
        (lambda f: f["risk"].pop("key"), "risk.key is missing"),
        (lambda f: f.update(released=None), "released has no fields"),
        (lambda f: f["changes"].update(variables={}), "changes.variables is no list"),
        (lambda f: f["utility"].update(records=[1]), "has not 2 elements"),
    ],
)
def test_facts_that_cannot_be_are_refused_by_name(workshop, change, said):
    facts = _facts(workshop)
    change(facts)
    with pytest.raises(InputError, match=r"measured\.json cannot be read") as refused:
        Measured.from_dict(facts, origin="measured.json")
    assert said in str(refused.value)


def test_facts_go_to_json_and_back_without_loss(workshop):
    for kind in ("generalised", "shuffled", "mapped"):
        content = _facts(workshop, kind)
        found = Measured.from_dict(content, origin="x")
        assert json.loads(json.dumps(found.to_dict())) == content


# ---- values that want to be markup, and shapes that want to break a page ----

ODD = [
    SCRIPT,
    '"><img src=x onerror=alert(1)>',
    "</title></style></svg><script>",
    "{{ 7*7 }} {% raw %}",
    "**bold** {k} {0}",
    "",
    " ",
    "ש" * 10 + " 12 م",
    "\u202eabc",
    "a" * 10_000,
    "zero\x00width\x1b[31m",
    "&lt;b&gt; &amp;",
    "]]>",
]


def _odd(measured: Measured, text: str) -> Measured:
    """Return facts in which everything that a user can name is called so."""
    variables = (Variable(text, text, "nominal", True), *measured.released.variables)
    utility = measured.utility
    assert utility is not None
    shares = tuple(0.25 for _ in range(4))
    labels = (text, f"{text}2", "x", "y")
    marginal = Marginal(text, labels, shares, shares, 0.1)
    curve = Curve("homogamy", (1.0, 2.0), (0.1, None), (0.2, 0.3), (text, "b"))
    changed = VariableChange(text, "generalised", 7, 2)
    points = (
        MapPoint(text, 0.1, 0.9, None, True, True),
        MapPoint(f"{text} 2", 0.2, 0.8, text),
    )
    return replace(
        measured,
        original=replace(measured.original, name=text),
        released=replace(measured.released, variables=variables),
        risk=replace(
            measured.risk,
            key=(text, "sex"),
            without={text: 3, "sex": 1},
            exposed=(Exposed(1, {text: text, "sex": None}, (text,)),),
        ),
        changes=replace(
            measured.changes,
            variables=(changed, *measured.changes.variables),
            removed=(text,),
            identifiers=(text,),
        ),
        terms={**measured.terms, "purpose": text, "recipient": text, "could_link": [text]},
        utility=replace(
            utility,
            generalised=(text,),
            marginals=(marginal,),
            tests=(Judged("homogamy", False, 0.3, 0.1, (curve,), text),),
            notes=(text,),
        ),
        map=Map((text,), "linkage", "pairs", points, (text,)),
        warnings=(text,),
    )


@pytest.mark.heavy
@pytest.mark.parametrize("text", ODD)
def test_names_and_values_are_never_markup(workshop, text):
    facts = read_release(workshop.make("generalised").folder)
    assert facts.measured is not None
    odd = replace(
        facts,
        name=text,
        measured=_odd(facts.measured, text),
        findings=(text or "x",),
        notes=(text,),
    )
    for page in _both(odd):
        assert not [e for e in page.every("script", "img")]
        if text in (SCRIPT, ODD[1], ODD[2]):
            assert text in page.text()


def _wide(measured: Measured, number: int) -> Measured:
    names = [f"variable_{i}" for i in range(number)]
    changed = tuple(VariableChange(n, "generalised", i + 1, i) for i, n in enumerate(names))
    return replace(
        measured,
        released=replace(measured.released, variables=tuple(Variable(n) for n in names)),
        risk=replace(measured.risk, key=tuple(names), without=dict.fromkeys(names, 4)),
        changes=replace(measured.changes, variables=changed, removed=tuple(names)),
    )


@pytest.mark.parametrize("number", [1, 400])
def test_one_variable_and_400(workshop, number):
    facts = read_release(workshop.make("generalised").folder)
    assert facts.measured is not None
    for page in _both(replace(facts, measured=_wide(facts.measured, number))):
        assert "variable_0" in page.text()


def test_5000_categories_are_pooled(tmp_path):
    people = pa.table(
        {"town": [f"town {i}" for i in range(5000)], "sex": ["f", "m"] * 2500, "x": [1] * 5000}
    )
    made = _release(people, tmp_path / "many", key=["sex"], compare=True)
    for page in _both(read_release(made)):
        assert "other categories" in page.text() or "town 1" not in page.text()
        assert len(page.text()) < 200_000


def _release(people: pa.Table, folder: Path, *, key: list[str], k: int = 2, **options: Any) -> Path:
    with small_data.open_small(people) as data:
        if k > people.num_rows:  # which no method reaches
            plan = Plan(())
            done = protect_by_plan(data.engine, data.source, key, plan, method="steps", k=k)
        else:
            done = data.protect(key, method="suppress", k=k, seed=1)
        data.release(folder, done, seed=1, although_unproved=True, **options)
    return folder


@pytest.mark.parametrize(
    ("people", "k"),
    [
        ({"a": ["x"], "b": [1]}, 2),
        ({"a": ["x"] * 6, "b": [1, 1, 1, 2, 2, 2]}, 2),
        ({"a": ["x", None, "", None, "x", "y"], "b": [1, 2, 3, 4, 5, None]}, 2),
        ({"a": ["x", "y", "z"], "b": [1, 2, 3]}, 9),
        ({"a": ["l" * 10_000, "", "x", "x"], "b": [1, 2, 3, 4]}, 2),
        ({"<b>a</b>": [SCRIPT] * 3 + ["x"], "b": [1, 1, 2, 2]}, 2),
    ],
    ids=["one record", "nothing changed", "missing", "k above the file", "long", "markup"],
)
def test_small_and_odd_files_get_a_report(tmp_path, people, k):
    table = pa.table(people)
    made = _release(table, tmp_path / "odd", key=table.column_names[:1], k=k, compare=True)
    facts = read_release(made)
    assert facts.measured is not None
    for page in _both(facts):
        assert page.text()


def test_no_cell_changed_is_said(tmp_path):
    table = pa.table({"a": ["x"] * 6, "b": [1, 1, 1, 2, 2, 2]})
    made = _release(table, tmp_path / "same", key=["a"])
    for edition in ("private", "shareable"):
        document = make_report(made, edition=edition)
        names = [p.name for p in document["changes"].pieces if hasattr(p, "name")]
        assert "changes.nothing" in names
        assert "changes.all_kept" in names


# ---- a number that is not told is not none ----


def test_few_people_who_stand_out_are_not_nobody(workshop):
    facts = read_release(workshop.make("unproved").folder)
    found = facts.measured
    assert found is not None
    after = replace(found.risk.after, at_risk=2, unique=1)
    exact = replace(found, risk=replace(found.risk, after=after, before=after))
    exact = replace(exact, changes=replace(exact.changes, records_before=602, records_changed=3))
    document = build_document(shareable(replace(facts, measured=exact)), load_words())
    said = {p.name: p.text for p in document["risk"].pieces if hasattr(p, "text")}
    assert "risk.after.none" not in said
    assert "fewer than 5 of 600 people still stand out" in said["risk.after.some"]
    changes = {p.name: p.text for p in document["changes"].pieces if hasattr(p, "text")}
    assert "fewer than 5 of 600 records (less than 0.83 %)" in changes["changes.left_out"]
    assert "fewer than 5 records" in changes["changes.records"]
    page = _page(document)
    gauge = next(f for f in page.every("figure") if f["id"] == "gauge")
    assert "less than 0.83 %" in next(gauge.every("desc")).text()


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_private_report_is_for_its_owner_wherever_it_is_written(workshop, tmp_path):
    folder = workshop.make("unproved").folder
    written = write_report(folder, out=tmp_path / "report.html")
    for path in (written.html, written.json):
        assert path.stat().st_mode & 0o777 == 0o600
