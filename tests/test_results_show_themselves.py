"""Every result prints itself in a few lines, and shows tables, figures and a frame."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import pkgutil
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

import pandas as pd
import pytest
import results_of_tables as tables
import results_of_text as letters
from every_result import EVERY, WORDS, every_result

import indistinct
from indistinct.protect.models import PrivacyModel
from indistinct.protect.step import Step
from indistinct.results.showing import MOST_ROWS, Shown, Table

ELSEWHERE = {
    "Shown": "what all results are",
    "PerClass": "what RecordRisk and KnownRisk share",
}
FIGURES_ALL_THE_SAME = {"utility.Associations", "tables.Rounded"}
"""Results whose namesake has no figure."""


SHOW_LABELS = {"Hierarchy": "its labels are what whoever made it wanted to see"}

NO_FIGURE = {
    "ADS0": "the parts of a system: what is judged, not what was found",
    "Answer": "the answer to any question, of any columns",
    "Applied": "its receipts have figures",
    "AreaCheck": "three numbers",
    "ArgusSession": "a session; what is unsafe has a figure",
    "Assessment": "words and a few numbers",
    "Associations": "two rows of counts that cannot be compared",
    "CensusSummary": "what was written where",
    "Certificate": "a document",
    "ConstantRisk": "one probability",
    "DistanceLinks": "a few counts",
    "DistanceQuality": "a few counts",
    "Draft": "words about variables",
    "Effect": "three numbers before and after",
    "Fit": "sizes of a model",
    "FolderCheck": "whether files are as they were",
    "Hierarchy": "a tree of words",
    "LinkageModel": "probabilities of many levels",
    "LinkageQuality": "a few counts",
    "OverDistortion": "one ratio",
    "Plan": "steps in words",
    "Reach": "one number",
    "ReleaseFolder": "names of files",
    "Rounded": "a table",
    "ScenarioKey": "names of columns",
    "SensitiveRisk": "measures in units of their own",
    "SparseFit": "sizes of a model",
    "TrailCheck": "whether a file is as it was",
    "TransitionMatrix": "its categories are for those who ask for the frame",
    **tables.NO_FIGURE,
    **letters.NO_FIGURE,
}
"""Results without `plot`, and why."""

NOT_RESULTS = {
    "AuditTrail": "a file",
    "Demo": "a collection of results",
    "Head": "where a file ends",
    "HouseholdColumns": "settings",
    "Promise": "what is judged",
    "PublicRule": "settings",
    "Project": "settings",
    "Rules": "settings",
    "Profile": "settings of Datafly",
    **tables.NOT_RESULTS,
    **letters.NOT_RESULTS,
}
"""Public classes with `to_dict` that are put in, not got out."""

PARTS = {
    "Verdict": ("Witness", "TupleVerdict"),
    "Verification": ("Witness", "Reservation", "KnownToo"),
    "Uniques": ("People",),
    "LinkOutcome": ("Guesses", "LinkWitness", "OfPeople", "Rate", "Excess"),
    "PermutationDistances": ("VariablePermutation", "Spread"),
    "Changes": (
        "VariableChanges",
        "GroupChanges",
        "ExpectedShares",
        "CoupleShares",
        "HouseholdShares",
    ),
    "Together": ("Given", "Joined", "Restored", "Apart", "Pinned", "TogetherWitness"),
    "AttackerRisks": ("Risks",),
    "Marginals": ("Marginal",),
    "Regression": ("Coefficient",),
    "AgeGap": ("GapCurve", "AgeBreak"),
    "Fertility": ("FertilityTrend",),
    "Homogamy": ("HomogamyGroup",),
    "AuditTrail": ("Entry",),
    **tables.PARTS,
}
"""Rows of results, which show them."""

OTHER_ROOMS = ("report", "running", "cli")
"""What these give is made of results: pages, folders and the terminal."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with every_result(tmp_path_factory.mktemp("results")) as make:
        yield make


each_result = pytest.mark.parametrize("name", EVERY)


@each_result
def test_prints_a_few_short_lines(made, name):
    lines = repr(made(name)).split("\n")
    assert len(lines) <= 15
    assert max(map(len, lines)) <= 120
    assert made(name).details()


@each_result
def test_html_is_well_formed_with_captions_and_headings(made, name):
    page = made(name)._repr_html_()
    tree = ElementTree.fromstring(page)
    assert not Tags.of(page) & {"script", "b", "i", "u", "pre", "released", "voters", "d", "a"}
    tables = tree.findall(".//table")
    assert tables
    for table in tables:
        assert table.findtext("caption")
        assert {cell.get("scope") for cell in table.iter("th")} <= {"col", "row"}
        assert all(cell.get("scope") for cell in table.iter("th"))
        assert len(table.findall(".//thead//th")) >= 1
    assert ("svg" in Tags.of(page)) == hasattr(made(name), "plot")


@each_result
def test_a_notebook_shows_no_value_that_is_not_printed(made, name):
    if name in SHOW_LABELS:
        pytest.skip(SHOW_LABELS[name])
    shown = "".join(ElementTree.fromstring(made(name)._repr_html_()).itertext())
    printed = made(name).details() + repr(made(name))
    for value in (*WORDS, "<u>f</u>", "<b>p1", "<b>Ann"):
        assert value not in shown or value in printed


@each_result
def test_figure_is_well_formed_and_titled(made, name):
    result = made(name)
    without = name in NO_FIGURE or name.rpartition(".")[2] in NO_FIGURE
    assert hasattr(result, "plot") == (not without or name in FIGURES_ALL_THE_SAME)
    if hasattr(result, "plot"):
        tree = ElementTree.fromstring(result.plot())
        assert tree.tag.endswith("svg")
        assert tree.findtext("{http://www.w3.org/2000/svg}title")
        assert not any(_local(e) in ("script", "b", "i", "u") for e in tree.iter())


@each_result
def test_numbers_are_a_frame(made, name):
    frame = made(name).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) >= 1
    assert len(frame.columns) >= 1


@each_result
def test_facts_are_plain_json(made, name):
    facts = made(name).to_dict()
    text = json.dumps(facts, allow_nan=False)
    assert json.loads(text) == _with_text_keys(facts)


def test_every_result_is_tried():
    """Whoever adds a result adds it to the table above, and here is told so."""
    tried = Counter(name.rpartition(".")[2] for name in (*EVERY, *ELSEWHERE))
    missing = Counter(cls.__name__ for cls in classes() if issubclass(cls, Shown)) - tried
    assert not missing


def test_every_public_class_of_facts_is_a_result_or_is_listed():
    parts = {part for found in PARTS.values() for part in found}
    strange = {
        cls.__name__
        for cls in classes(public=True)
        if hasattr(cls, "to_dict") and not issubclass(cls, (Shown, Step, PrivacyModel))
    }
    assert strange - parts - set(NOT_RESULTS) == set()


def test_lists_of_exceptions_name_what_there_is():
    names = {cls.__name__ for cls in classes()}
    listed = {*NO_FIGURE, *NOT_RESULTS, *PARTS, *(p for found in PARTS.values() for p in found)}
    assert {name.rpartition(".")[2] for name in listed} <= names


def test_a_long_table_is_cut_in_a_notebook_and_whole_in_a_frame():
    table = Table("<caption>", ("<a>", "b"), [(f"<{n}>", n) for n in range(MOST_ROWS + 5)])
    rows = ElementTree.fromstring(table.to_html()).findall(".//tbody/tr")
    assert len(rows) == MOST_ROWS + 1
    assert "5 rows more" in "".join(rows[-1].itertext())
    assert len(table.to_frame()) == MOST_ROWS + 5
    assert len(table.to_lines()) == MOST_ROWS + 7


class Tags(HTMLParser):
    """The names of the elements that a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)

    @classmethod
    def of(cls, page: str) -> set[str]:
        parser = cls()
        parser.feed(page)
        return parser.found


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _with_text_keys(value):
    """What JSON makes of plain values: keys are text, tuples are lists."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else json.loads(json.dumps({key: 0})).popitem()[0]: (
                _with_text_keys(item)
            )
            for key, item in value.items()
        }
    return [_with_text_keys(item) for item in value] if isinstance(value, (list, tuple)) else value


@functools.cache
def classes(*, public: bool = False) -> tuple[type, ...]:
    """All classes of the library, or those that a package's doorway names."""
    found: dict[type, None] = {}
    for info in pkgutil.walk_packages(indistinct.__path__, "indistinct."):
        if info.name.split(".")[1] in OTHER_ROOMS or "spark" in info.name:
            continue
        module = importlib.import_module(info.name)
        names = getattr(module, "__all__", ()) if public else dir(module)
        if public and not info.ispkg:
            continue
        for name in names:
            one = getattr(module, name)
            if inspect.isclass(one) and one.__module__.startswith("indistinct."):
                found[one] = None
    return tuple(cls for cls in found if not cls.__name__.startswith("_"))
