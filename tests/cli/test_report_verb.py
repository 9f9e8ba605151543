"""`indistinct report` through the command line: editions, exit codes, places, mistakes."""

from __future__ import annotations

import json
import random
import shutil
from importlib import resources

import pytest

from indistinct import open_data
from indistinct.cli import run
from indistinct.core.errors import InputError
from indistinct.flow import reporting as front
from indistinct.release import AuditTrail, Certificate, check_folder

KEY = ["age", "sex", "town"]


def people(records=200, seed=1):
    rng = random.Random(seed)
    lines = ["age,sex,town,income"]
    for _ in range(records):
        town = min(7, int(rng.expovariate(0.5)))
        age = rng.choice(["20-39", "40-59", "60+"])
        lines.append(f"{age},{rng.choice('fm')},t{town},{rng.randrange(10)}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A file, and releases of it: cells suppressed, records left out, values exchanged."""
    place = tmp_path_factory.mktemp("reported")
    (place / "people.csv").write_text(people())
    with open_data(place / "people.csv", threads=1) as data:
        moved = {"method": "shuffle", "variables": ["town"], "given": ["age"]}
        for name, options in (
            ("kept", {"method": "suppress"}),
            ("fewer", {"method": "destroy"}),
            ("moved", moved),
        ):
            done = data.protect(KEY, k=3, seed=1, **options)
            data.release(place / name, done, seed=1, accept=["perturbed"])
    return place


@pytest.fixture
def place(made, tmp_path):
    """Copies to write into."""
    for name in ("kept", "fewer", "moved"):
        shutil.copytree(made / name, tmp_path / name)
    shutil.copy(made / "people.csv", tmp_path / "people.csv")
    return tmp_path


def ask(capfd, *arguments):
    capfd.readouterr()
    code = run(["report", *map(str, arguments)])
    return code, capfd.readouterr()


def facts(capfd, *arguments):
    code, said = ask(capfd, *arguments, "--json")
    assert len(said.out.splitlines()) == 1
    return code, json.loads(said.out)


def files_in(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# ---- one release ----


def test_the_holder_gets_the_private_edition_inside_the_folder(place, capfd):
    code, said = ask(capfd, place / "kept")
    assert code == 0
    assert said.out.startswith("The release keeps its promise: for whoever knows age, sex and town")
    page = place / "kept" / "private" / "report.html"
    assert f"written: {page}" in said.out
    assert "Private edition" in page.read_text("utf-8")
    assert check_folder(place / "kept").whole


def test_an_existing_report_is_replaced(place, capfd):
    ask(capfd, place / "kept")
    page = place / "kept" / "private" / "report.html"
    first = page.read_bytes()
    page.write_text("old")
    assert ask(capfd, place / "kept")[0] == 0
    assert page.read_bytes() == first


def test_json_is_one_object(place, capfd):
    code, content = facts(capfd, place / "kept")
    page = place / "kept" / "private" / "report.html"
    assert code == 0
    assert content == {
        "edition": "private",
        "state": "holds",
        "holds": True,
        "passes": True,
        "html": str(page),
        "json": str(page.with_suffix(".json")),
        "pdf": None,
        "findings": [],
    }
    assert json.loads(page.with_suffix(".json").read_text("utf-8"))["edition"] == "private"


def test_the_shareable_edition_stands_beside_the_folder(place, capfd):
    code, content = facts(capfd, place / "kept", "--shareable")
    assert (code, content["edition"]) == (0, "shareable")
    assert content["html"] == str(place / "kept-report.html")
    assert not (place / "kept" / "private" / "report.html").exists()


def test_a_recipient_gets_the_shareable_edition_and_is_told_why(place, capfd):
    shutil.rmtree(place / "kept" / "private")
    code, said = ask(capfd, place / "kept")
    assert code == 0
    assert (
        "The holder's part of the release (private/ledger.json) is not in this folder" in said.out
    )
    assert (place / "kept-report.html").is_file()
    assert check_folder(place / "kept", recipient=True).whole


def test_no_promise_and_whole_is_well(place, capfd):
    code, said = ask(capfd, place / "moved")
    assert code == 0
    assert said.out.startswith("The release makes no promise of k.")
    assert not json.loads((place / "moved/certificate.json").read_text())["proved"]


def test_a_changed_folder_is_reported_with_its_findings(place, capfd):
    (place / "kept" / "contract.md").write_text("nothing")
    code, content = facts(capfd, place / "kept")
    assert (code, content["holds"]) == (1, False)
    assert content["findings"] == ["contract.md was changed."]
    code, said = ask(capfd, place / "kept")
    assert code == 1
    assert said.out.startswith("This folder is not as it was released.")
    assert said.err.splitlines()[-1].endswith("it was changed, or what it promises is not proved.")


def test_a_promise_that_is_not_proved_leaves_with_1(place, capfd):
    path = place / "kept" / "certificate.json"
    content = Certificate.read(path).to_dict()
    unproved = {**content, "proved": False, "verdict": None}
    path.write_bytes(Certificate(unproved).signed(None).to_bytes())
    shutil.rmtree(place / "kept" / "private")  # whose ledger knows better
    code, content = facts(capfd, place / "kept")
    assert (code, content["findings"], content["holds"]) == (1, [], False)


def test_who_made_a_private_report_is_in_the_trail(place, capfd):
    ask(capfd, place / "kept", "--shareable")
    ask(capfd, place / "kept", "--out", place / "mine.html")
    trail = place / "kept" / "private" / "audit.jsonl"
    verbs = [json.loads(line)["verb"] for line in trail.read_text().splitlines()]
    assert verbs == ["release", "seal begun", "seal", "report"]
    assert not AuditTrail(trail).check().findings


def test_names_are_no_markup_at_the_terminal(place, capfd):
    (place / "kept").rename(place / "[red]kept")
    assert f"{place}/[red]kept" in ask(capfd, place / "[red]kept", "--shareable")[1].out


def test_words_of_another_language(place, capfd):
    text = resources.files("indistinct.release.report").joinpath("words/en.toml").read_text("utf-8")
    text = text.replace("**The release keeps its promise:**", "**Das Versprechen hält:**")
    (place / "de.toml").write_text(text.replace('language = "en"', 'language = "de"'), "utf-8")
    code, said = ask(capfd, place / "kept", "--language", place / "de.toml")
    assert code == 0
    assert said.out.startswith("Das Versprechen hält:")


# ---- with the original at hand ----


def test_the_original_adds_what_the_data_are_good_for(place, capfd):
    arguments = (place / "kept", "--original", place / "people.csv", "--threads", 1)
    code, _ = facts(capfd, *arguments)
    twin = json.loads((place / "kept" / "private" / "report.json").read_text("utf-8"))
    utility = next(s for s in twin["sections"] if s["section"] == "utility")
    tables = {piece["table"]: piece for piece in utility["pieces"] if "table" in piece}
    assert code == 0
    assert "pairs" in json.dumps(tables["measures"]["rows"])
    assert "not those that the release was made from" not in json.dumps(twin)


def test_other_bytes_of_as_many_records_are_taken_and_said(place, capfd):
    (place / "people.csv").write_text(people(seed=2))
    code, _ = ask(capfd, place / "kept", "--original", place / "people.csv", "--threads", 1)
    page = (place / "kept" / "private" / "report.html").read_text("utf-8")
    assert code == 0
    assert "The bytes of people.csv are not those that the release was made from" in page


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (people(199), "it has 199 records, and that had 200"),
        ("a,b\n" + "1,2\n" * 200, "it has none of the released variables"),
    ],
)
def test_another_file_is_refused(place, capfd, text, reason):
    (place / "people.csv").write_text(text)
    before = files_in(place)
    code, said = ask(capfd, place / "kept", "--original", place / "people.csv", "--threads", 1)
    assert code == 2
    assert reason in said.err
    assert files_in(place) == before


# ---- several releases ----


def test_several_are_compared(place, capfd):
    code, content = facts(capfd, place / "kept", place / "fewer", place / "moved")
    assert code == 0
    assert content["html"] == str(place / "kept-comparison.html")
    assert content["outcomes"][content["recommended"]] == "recommended"
    assert list(content["outcomes"]) == [str(place / n) for n in ("kept", "fewer", "moved")]


def test_people_read_why_and_why_not(place, capfd):
    code, said = ask(capfd, place / "kept", place / "moved", "--out", place / "c.html")
    assert code == 0
    assert said.out.startswith("Of these 2 releases, A (kept) is recommended")
    assert "Not B (moved): " in said.out


def test_none_to_recommend_leaves_with_1(place, capfd):
    for name in ("kept", "fewer"):
        (place / name / "contract.md").write_text("nothing")
    code, content = facts(capfd, place / "kept", place / "fewer")
    assert (code, content["recommended"], content["holds"]) == (1, None, False)
    assert content["findings"] == ["contract.md was changed."] * 2


# ---- all or nothing ----


def test_a_pdf_that_fails_replaces_nothing(place, capfd, monkeypatch):
    ask(capfd, place / "fewer", "--shareable")
    (place / "fewer-report.html").write_text("an older one")
    before = files_in(place)

    def fail(page, out):
        out.write_bytes(b"half")
        raise InputError("The browser printed nothing.")

    monkeypatch.setattr(front, "find_browser", lambda: None)
    monkeypatch.setattr(front, "html_to_pdf", fail)
    code, said = ask(capfd, place / "fewer", "--shareable", "--pdf")
    assert (code, said.out) == (2, "")
    assert "The browser printed nothing." in said.err
    assert files_in(place) == before


def test_page_twin_and_pdf_appear_together(place, capfd, monkeypatch):
    monkeypatch.setattr(front, "find_browser", lambda: None)
    monkeypatch.setattr(front, "html_to_pdf", lambda page, out: out.write_text(page, "utf-8"))
    code, content = facts(capfd, place / "kept", "--pdf", "--out", place / "r.html")
    assert (code, content["pdf"]) == (0, str(place / "r.pdf"))
    assert "<details open>" in (place / "r.pdf").read_text("utf-8")
    code, said = ask(capfd, place / "kept", "--out", place / "r.html")
    assert code == 0
    assert "r.pdf is of an earlier report" in said.err


@pytest.mark.heavy
def test_a_browser_prints_it(place, capfd):
    try:
        front.find_browser()
    except InputError as error:
        pytest.skip(str(error))
    code, _ = facts(capfd, place / "kept", "--pdf")
    assert code == 0
    assert (place / "kept" / "private" / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert check_folder(place / "kept").whole


# ---- mistakes ----

MISTAKES = {
    "nothing there": (["nowhere"], "There is no release folder"),
    "a file": (["people.csv"], "is a file. Name the release folder"),
    "no release": (["empty"], "is not a release folder"),
    "twice": (["kept", "./fewer/../kept"], "is named twice"),
    "no page": (["kept", "--out", "report.pdf"], "must end in .html"),
    "no place": (["kept", "--out", "nowhere/report.html"], "does not exist"),
    "a directory": (["kept", "--out", "folder.html"], "is a directory"),
    "in the release": (["kept", "--out", "kept/report.html"], "is inside the release folder"),
    "in its private part": (["kept", "--out", "kept/private/x.html"], "inside the release folder"),
    "in another release": (["kept", "--out", "fewer/report.html"], "is inside the release folder"),
    "somebody's twin": (["kept", "--out", "mine.html"], "mine.json would be replaced"),
    "somebody's pdf": (["kept", "--pdf", "--out", "other.html"], "other.pdf would be replaced"),
    "language": (["kept", "--language", "xx"], "There is no language 'xx' here"),
    "no catalogue": (["kept", "--language", "no.toml"], "There is no catalogue"),
    "bad catalogue": (["kept", "--language", "bad.toml"], "is not a catalogue in TOML"),
    "poor catalogue": (["kept", "--language", "poor.toml"], "does not fit"),
    "no original": (["kept", "--original", "nowhere.csv"], "nowhere.csv"),
    "project alone": (["kept", "--project", "x.toml"], "--project can only be given with"),
    "engine alone": (["kept", "--threads", "2"], "--threads can only be given with --original"),
    "documentation": (["kept", "--docs", "javascript:alert(1)"], "--docs must be an address"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_and_nothing_is_written(place, capfd, monkeypatch, mistake):
    (place / "empty").mkdir()
    (place / "folder.html").mkdir()
    (place / "mine.json").write_text('{"my": "data"}')
    (place / "other.pdf").write_bytes(b"%PDF- of mine")
    (place / "bad.toml").write_text("[text")
    (place / "poor.toml").write_text('[text]\nlanguage = "xx"\n')
    monkeypatch.chdir(place)
    monkeypatch.setattr(front, "find_browser", lambda: None)
    before = files_in(place)
    arguments, reason = MISTAKES[mistake]
    code, said = ask(capfd, *arguments)
    assert (code, said.out) == (2, "")
    assert reason in said.err
    assert said.err.startswith("indistinct: ")
    assert "Traceback" not in said.err
    assert files_in(place) == before


def test_without_a_browser_there_is_no_pdf_and_no_page(place, capfd, monkeypatch):
    monkeypatch.setenv("INDISTINCT_BROWSER", str(place / "none"))
    before = files_in(place)
    for arguments in (["kept"], ["kept", "fewer"]):
        code, said = ask(capfd, *(place / name for name in arguments), "--pdf")
        assert code == 2
        assert "INDISTINCT_BROWSER names" in said.err
    assert files_in(place) == before
