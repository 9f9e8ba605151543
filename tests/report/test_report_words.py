"""Every word of a report stands in one catalogue, and another language is another catalogue."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest
from report_data import EVERYDAY, KINDS, Workshop
from report_page import Element, read_page

from indistinct.core.errors import InputError
from indistinct.core.variables import Level
from indistinct.flow import make_report
from indistinct.flow.perturbing import PERTURBING
from indistinct.keys.losses import LossName
from indistinct.project.sections import Access
from indistinct.protect import ACTIONS, METHODS
from indistinct.prove.changes.linkage import LinkageDistance
from indistinct.prove.models import MODELS
from indistinct.release.few import Below, Few
from indistinct.release.report import Claim, Picture, Words, load_words
from indistinct.release.report.building import build_document
from indistinct.release.report.editions import shareable
from indistinct.release.report.folder import Lacking, read_release
from indistinct.release.report.html import sentence, write_page
from indistinct.release.report.pieces import Tone
from indistinct.release.report.sections import all_sections
from indistinct.utility.demography.age_gaps import Reference
from indistinct.utility.tradeoff.points import RiskMeasure, UtilityMeasure

_REPORT = resources.files("indistinct.release.report")
ENGLISH: dict[str, str] = tomllib.loads(_REPORT.joinpath("words/en.toml").read_text("utf-8"))[
    "text"
]

FAMILIES: dict[str, set[str]] = {
    "method.": {*METHODS, *PERTURBING, *ACTIONS, "plan"},
    "access.": set(get_args(Access)),
    "level.": set(get_args(Level)),
    "attack.": {"private", "register", "release"},
    "loss.": set(get_args(LossName)),
    "linkage.": {"exact", *get_args(LinkageDistance)},
    "how.": {"generalised", "suppressed", "perturbed", "replaced", "unchanged"},
    "map.risk.": set(get_args(RiskMeasure)),
    "map.utility.": set(get_args(UtilityMeasure)),
    "passed.": {"true", "false", "none"},
    "test.": {"age_gap", "fertility", "homogamy", "rules"},
    "verdict.lacking.": set(get_args(Lacking)),
    "verdict.": {*MODELS} - {"none"},
    "curve.age_gap.": set(get_args(Reference)),
    "section.": {*all_sections(), "glossary", "methods"},
    "page.": set(get_args(Tone)) - {"plain"},
}
"""Names of texts that the program puts together: after each beginning, what it may put there."""


COMPARED = ("fate.", "recommend.", "comparison.", "row.", "dots.", "place.", "alike.")
"""Texts of the report that compares releases, which has a test of its own."""


@pytest.mark.parametrize("beginning", FAMILIES)
def test_whatever_the_program_can_say_has_a_text(beginning):
    missing = [n for n in FAMILIES[beginning] if f"{beginning}{n}" not in ENGLISH]
    assert missing == []


def test_curves_and_measures_have_all_their_texts():
    for name in (*(f"age_gap.{r}" for r in get_args(Reference)), "fertility", "homogamy"):
        for part in ("", ".x", ".y", ".alt"):
            assert f"curve.{name}{part}" in ENGLISH
    measures = {name.removeprefix("measure.") for name in ENGLISH if name.startswith("measure.")}
    assert measures == {n.removeprefix("best.") for n in ENGLISH if n.startswith("best.")}


def _sources() -> str:
    folder = Path(str(_REPORT))
    fronts = folder.parents[1] / "flow"
    files = [*folder.rglob("*.py"), *fronts.rglob("*.py"), *folder.rglob("page.html")]
    return "\n".join(path.read_text("utf-8") for path in files)


def test_no_text_is_unused():
    # a text is used where its name stands in the code, or what the code puts together makes it
    code = _sources()
    made = [re.escape(b) for b in re.findall(r"""f["']([a-z_.-]+\.)\{""", code)]
    made += [r"column\.", r"page\."]
    quoted = set(re.findall(r"""["']([\w.-]+)["']""", code))
    unused = []
    for name in ENGLISH:
        last = re.sub(rf"^(?:{'|'.join(made)})", "", name)
        stem = re.sub(r"\.(alt|means|data)$", "", name)
        ended = re.sub(r"\.(x|y|alt|means)$", "", last)
        families = any(
            name.startswith(b) and name.removeprefix(b).split(".")[0] in known
            for b, known in FAMILIES.items()
        )
        if (
            not families
            and not name.startswith(COMPARED)
            and not ({name, last, stem, ended} & quoted)
        ):
            unused.append(name)
    assert unused == []


class _Recording(dict[str, str]):
    """A catalogue that remembers what was asked of it."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(texts)
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def test_reports_of_all_kinds_use_most_of_the_catalogue(workshop):
    words = load_words()
    words._texts = recorded = _Recording(words._texts)
    for kind in EVERYDAY:
        facts = read_release(workshop.make(kind).folder)
        for edition in (facts, shareable(facts)):
            write_page(build_document(edition, words), words)
    assert len(recorded.asked) > 200
    assert recorded.asked <= set(ENGLISH)


# ---- a language that nobody speaks ----

_LETTERS = {
    **{ord("a") + i: chr(0xFF41 + i) for i in range(26)},
    **{ord("A") + i: chr(0xFF21 + i) for i in range(26)},
}


def _pseudo(text: str) -> str:
    """Return a text in wide letters, its places as they were."""
    found = []
    for literal, field, form, _ in string.Formatter().parse(text):
        found.append(literal.translate(_LETTERS).replace("{", "{{").replace("}", "}}"))
        if field is not None:
            kind, bar, words = (form or "").partition("|")
            end = f":{kind}{bar}{words.translate(_LETTERS)}" if form else ""
            found.append(f"{{{field}{end}}}")
    return "".join(found)


@pytest.fixture(scope="module")
def pseudo(tmp_path_factory) -> Path:
    texts = {name: _pseudo(text) for name, text in ENGLISH.items()}
    texts |= {"language": "qps", "thousands": ".", "decimal": ","}
    path = tmp_path_factory.mktemp("words") / "qps.toml"
    lines = [f'"{name}" = {_toml(text)}' for name, text in texts.items()]
    path.write_text("[text]\n" + "\n".join(lines), "utf-8")
    return path


def _toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


DATA = re.compile(
    r"""[\w/.-]+\.(?:md|json|jsonl|parquet|csv|xml|html|toml)  # files
    | \b[0-9a-f]{16,64}\b                        # hashes
    | \d{4}-\d\d-\d\dT[\d:+]+                    # times
    | [a-z]{3}~\w+ | ~rare                       # categories of the data
    """,
    re.VERBOSE,
)
NAMES = {
    *("age", "group", "sex", "marital", "income", "education", "Frau", "Mann"),
    *("identity", "number", "given", "name", "surname", "date", "of", "birth"),
    *("indistinct", "python", "numpy", "duckdb", "parquet"),
    *("datafly", "shuffle", "original", "local", "recoding", "optimal", "suppress"),
}
"""Names of variables, programs, formats and candidates, which are the same in every language."""
BINS = {"below", "and", "more", "to", "any", "number"}
"""What bins of numbers are called by whoever compared the files; it is kept as a label."""


def _texts(element: Element) -> Iterator[str]:
    """Return what is seen or read aloud, without what says of itself that it is English."""
    for part in element.inside:
        if isinstance(part, str):
            yield part
        elif part["lang"] == "en" or part.tag == "style" or part["class"] == "method":
            continue
        else:
            yield from _texts(part)
            yield from (part[name] for name in ("aria-label", "title", "alt"))


@pytest.mark.parametrize("edition", ["private", "shareable"])
@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=() if k in EVERYDAY else pytest.mark.heavy) for k in KINDS],
)
def test_no_word_is_written_in_the_code(workshop: Workshop, pseudo, kind, edition):
    words = load_words(pseudo)
    facts = read_release(workshop.make(kind).folder)
    facts = shareable(facts) if edition == "shareable" else facts
    page = read_page(write_page(build_document(facts, words), words))
    assert next(page.every("html"))["lang"] == "qps"
    allowed = {*NAMES, *BINS, kind, *facts_pages(page)}
    english = []
    for text in _texts(page):
        for word in re.findall(r"[A-Za-z]{2,}", DATA.sub(" ", text)):
            if word not in allowed:
                english.append((word, text[:80]))
    assert english == []


def facts_pages(page: Element) -> set[str]:
    """Return the words in the names of the methods' pages."""
    return {w for a in page.every("a") if a["class"] == "method" for w in a.text().split("-")}


def test_numbers_are_written_as_the_language_does(pseudo):
    words = load_words(pseudo)
    assert words.shown("n", 1234567, "count").text == "1.234.567"
    assert words.shown("n", 0.0426, "percent").text == "4,3 %"
    assert words.shown("n", Few(1000)).text.endswith("1.000")


# ---- catalogues that do not fit ----


def _catalogue(folder: Path, **changes: str | None) -> Path:
    texts = {**ENGLISH, **changes}
    lines = [f'"{n}" = {_toml(t)}' for n, t in texts.items() if t is not None]
    path = folder / "xx.toml"
    path.write_text("[text]\n" + "\n".join(lines), "utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"yes": None}, "'yes' is missing"),
        ({"hallo": "x"}, "'hallo' is no text of this version"),
        ({"few": "weniger als {limit}"}, "'few' has the places limit"),
        ({"few": "weniger als {below"}, "a brace that is not closed"),
        ({"few": "{below.__class__}"}, "'few' has the places below.__class__"),
        ({"few": "{below:roman}"}, "there is no form 'roman'"),
        ({"few": "{below:plural|x}"}, "there is no form 'plural|x'"),
        ({"percent": "%"}, "'percent' must have one place {}"),
    ],
)
def test_a_catalogue_that_does_not_fit_is_refused_with_a_sentence(tmp_path, changes, said):
    with pytest.raises(InputError) as refused:
        load_words(_catalogue(tmp_path, **changes))
    assert said in str(refused.value)


def test_what_is_no_catalogue_is_refused(tmp_path):
    for content, said in (
        (b"\xff\xff", "the text is not UTF-8"),
        (b"[text", "is not a catalogue in TOML"),
        (b"x = 1", "has no table [text]"),
        (b"[text]\nyes = 1", "has no table [text]"),
    ):
        path = tmp_path / "x.toml"
        path.write_bytes(content)
        with pytest.raises(InputError, match=re.escape(said)):
            load_words(path)
    with pytest.raises(InputError, match="There is no catalogue"):
        load_words(tmp_path / "none.toml")
    with pytest.raises(InputError, match="no language 'de'"):
        load_words("de")


def test_a_catalogue_may_change_the_order_of_words(tmp_path):
    path = _catalogue(tmp_path, **{"band.to": "bis {high:count} von {low:count}"})
    assert load_words(path)("band.to", low=1000, high=2000) == "bis 2,000 von 1,000"


def test_sentences_of_other_parts_can_be_translated():
    words = Words({**ENGLISH, "language": "de"}, said={"{1} was changed": "{1} wurde geändert"})
    assert words.said("data.csv was changed", name="x").text == "data.csv wurde geändert"
    other = words.said("something else", name="x")
    assert (other.text, other.language) == ("Something else.", "en")


# ---- numbers as people read them ----


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (1e-9, "1.0e-07 %"),
        (0.00004, "0.004 %"),
        (0.0426, "4.3 %"),
        (0.426, "43 %"),
        (0.996, "99.6 %"),
        (0.99999, "99.999 %"),
        (0.0999, "10.0 %"),
    ],
)
def test_shares(share, text):
    assert load_words().shown("x", share, "percent").text == text


@pytest.mark.parametrize("power", range(1, 16))
def test_no_share_above_none_reads_as_none_nor_below_all_as_all(power):
    words = load_words()
    for digit in (1, 5, 9.7):
        part = digit * 10.0**-power
        if part < 1:
            assert words.shown("x", part, "percent").text not in ("0 %", "0.0 %", "100 %")
        if 0 < 1 - part < 1:
            assert words.shown("x", 1 - part, "percent").text != "100 %"


def test_other_numbers():
    words = load_words()
    assert words.shown("x", 10_000_000, "count").text == "10,000,000"
    assert words.shown("x", 0.12345, "number").text == "0.123"
    assert words.shown("x", -0.5, "signed").text == "-0.5"
    assert words.shown("x", float("nan"), "percent").text == "–"
    assert words.shown("x", None, "count").text == "–"
    assert words.shown("x", Few(5), "count").text == "fewer than 5"
    assert words.shown("x", Below(0.005), "percent").text == "less than 0.5 %"


def test_one_is_not_many_and_long_lists_are_cut():
    words = load_words()
    assert "1 record of 1 variable " in words(
        "released.file", name="x", records=1, variables=1, format="csv", method="m"
    )
    assert words.shown("x", ["a"]).text == "a"
    assert words.shown("x", ["a", "b", "c"]).text == "a, b and c"
    assert words.shown("x", [f"v{i}" for i in range(400)]).text.endswith(", v38 and 361 more")
    assert words.shown("x", []).text == "–"


def test_letters_from_right_to_left_stay_by_themselves(workshop):
    words = load_words()
    claim = words.claim("changes.unchanged", names=["שלום", "age"], number=2)
    assert "<bdi>שלום and age</bdi>" in sentence(claim)
    assert "<bdi>" not in sentence(words.claim("changes.unchanged", names=["age"], number=1))


@pytest.mark.parametrize("edition", ["private", "shareable"])
@pytest.mark.parametrize("kind", EVERYDAY)
def test_every_claim_and_figure_leads_to_the_page_of_its_method(workshop, kind, edition):
    document = make_report(workshop.make(kind).folder, edition=edition)
    pages = Path(__file__).parents[2] / "docs" / "methods"
    for section in document.sections:
        if section.name in ("glossary", "methods"):
            continue
        for piece in section.pieces:
            if isinstance(piece, (Claim, Picture)):
                assert piece.page, (section.name, piece.name)
                assert (pages / f"{piece.page}.md").is_file(), piece.page
