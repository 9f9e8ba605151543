"""What a result declares is what it tells, prints and shows; and so it is with every result."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from every_result import EVERY, WORDS, every_result

import indistinct
from indistinct.results import (
    MOST_LINES,
    Fact,
    Part,
    Result,
    Shown,
    Table,
    facts,
    plain_value,
    result,
)
from indistinct.results.figures import bars
from indistinct.results.showing import MOST_ROWS

ELSEWHERE = {
    "Shown": "what all results are",
    "Result": "what all results with facts are",
    "PerClass": "what RecordRisk and KnownRisk share",
    "Run": "what came of a project file: releases, each with its own results",
    "WrittenReport": "a document",
}
SHOW_LABELS = {"Hierarchy": "its labels are what whoever made it wanted to see"}
MARKUP = {"script", "b", "i", "u", "pre", "released", "voters", "d", "a"}
"""Elements that are there only where a name was taken for markup."""


@dataclass(frozen=True)
class Town(Part):
    name: str
    people: tuple[int, ...] = ()


@dataclass(frozen=True)
class Street:
    name: str
    town: Town


@result
class Found(Result):
    town: Town
    risk: float = 0.25
    lowest: float | None = None
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    rows: tuple[tuple[str, int], ...] = ()

    FACTS = facts(
        Fact("where", "town.name", shown="town"),
        Fact("risk", shown="<risk>", form=".1%"),
        Fact("lowest", shown="lowest"),
        "town notes",
        Fact("*", lambda found: {"asked": 1} if found.rows else {}, spread=True),
        Fact("people", lambda found: sum(found.town.people), shown="people", told=False),
    )

    def sentence(self) -> str:
        return f"The risk of {self.town.name}"

    def _row_tables(self):
        return [Table("Streets of <b>", ("street", "people"), self.rows)] if self.rows else []


@result
class Drawn(Found):
    def plot(self) -> str:
        return bars("<Risk>", [self.town.name], [self.risk])


@result(eq=True)
class Equal(Result):
    n: int


LEEDS = Town("Leeds", (3, 4))


def test_the_dictionary_has_the_facts_in_their_order_under_their_names():
    told = {"where": "Leeds", "risk": 0.25, "lowest": None}
    told |= {"town": {"name": "Leeds", "people": [3, 4]}, "notes": []}
    assert json.dumps(Found(LEEDS).to_dict()) == json.dumps(told)


def test_what_is_spread_stands_itself_and_only_where_there_is_any():
    assert "asked" not in Found(LEEDS).to_dict()
    assert list(Found(LEEDS, rows=(("High St", 7),)).to_dict())[-1] == "asked"


def test_values_are_as_json_knows_them():
    class Kind(Enum):
        ONE = "one"

    found = {"a": np.arange(2), "b": {2, 1}, "c": Path("x/y"), "d": Kind.ONE, "e": np.int32(3)}
    found |= {
        "f": float("nan"),
        "g": np.array([np.inf, 1.5]),
        "h": np.float64("nan"),
        "i": (LEEDS,),
    }
    assert plain_value(Street("High St", Town("York"))) == {
        "name": "High St",
        "town": {"name": "York", "people": []},
    }
    assert json.dumps(plain_value(found), allow_nan=False) == json.dumps(
        {"a": [0, 1], "b": [1, 2], "c": "x/y", "d": "one", "e": 3}
        | {"f": None, "g": [None, 1.5], "h": None, "i": [{"name": "Leeds", "people": [3, 4]}]}
    )


def test_people_read_what_is_shown_in_its_form_and_no_more():
    assert repr(Found(LEEDS)).split("\n") == [
        "The risk of Leeds",
        "  town    Leeds",
        "  <risk>  25.0%",
        "  people      7",
    ]
    assert "lowest    0.1" in repr(Found(LEEDS, lowest=0.1))


def test_notes_stand_below_the_facts_and_tables_below_the_notes():
    found = Found(LEEDS, rows=(("High St", 7),), notes=("seen",), assumptions=("that",))
    assert repr(found).split("\n")[4:] == [
        "  note: seen",
        "  Streets of <b>",
        "    street   people",
        "    High St       7",
        "  assumes: that",
    ]


def test_the_frame_has_the_facts_in_one_row():
    frame = Found(LEEDS).to_frame()
    assert frame.to_dict("records") == [
        {"town": "Leeds", "risk": 0.25, "lowest": None, "people": 7}
    ]


def test_a_long_result_prints_its_first_lines_and_tells_them_all():
    found = Found(LEEDS, rows=tuple((f"street {n}", n) for n in range(40)))
    assert len(repr(found).split("\n")) == MOST_LINES
    assert repr(found).endswith("more: details()")
    assert "street 39" in found.details()


def test_a_notebook_shows_names_as_names():
    bad = Town("<script>x</script> & <b>")
    page = Drawn(bad, rows=(("<i>", 1),), notes=("<u>",))._repr_html_()
    assert not tags_of(page) & MARKUP
    assert {"svg", "li", "caption"} <= tags_of(page)
    shown = "".join(ElementTree.fromstring(page).itertext())
    assert shown.count("<script>x</script> & <b>") >= 3  # sentence, fact, figure


def test_a_terminal_gets_no_control_characters():
    assert "\x1b" not in repr(Found(Town("a\x1b[31m"))) + Found(Town("a\x1b[31m")).details()


def test_a_result_is_equal_to_itself_alone_unless_it_says_otherwise():
    found = Found(LEEDS)
    assert found == found
    assert found != Found(LEEDS)
    assert Equal(1) == Equal(1)
    assert Equal(1) != Equal(2)
    assert repr(Equal(1)) == "Equal"


def test_a_long_table_is_cut_in_a_notebook_and_whole_in_a_frame():
    table = Table("<caption>", ("<a>", "b"), [(f"<{n}>", n) for n in range(MOST_ROWS + 5)])
    rows = ElementTree.fromstring(table.to_html()).findall(".//tbody/tr")
    assert len(rows) == MOST_ROWS + 1
    assert "5 rows more" in "".join(rows[-1].itertext())
    assert len(table.to_frame()) == MOST_ROWS + 5
    assert len(table.to_lines()) == MOST_ROWS + 7


def test_facts_name_what_their_class_has():
    classes = classes_of(Part)
    assert len(classes) > 50
    wrong = [
        f"{cls.__name__}.{fact.name}"
        for cls in classes
        for fact in cls.FACTS
        if not callable(fact.source) and not _has(cls, (fact.source or fact.name).split(".")[0])
    ]
    assert wrong == []


def test_no_two_facts_of_a_class_have_one_name():
    for cls in classes_of(Part):
        told = Counter(fact.name for fact in cls.FACTS if fact.told and not fact.spread)
        shown = Counter(fact.shown for fact in cls.FACTS if fact.shown)
        assert max([*told.values(), *shown.values()], default=1) == 1, cls.__name__


def test_every_result_is_made_below():
    """Whoever adds a result adds it to `every_result.py`, and here is told so."""
    tried = Counter(name.rpartition(".")[2] for name in (*EVERY, *ELSEWHERE))
    missing = Counter(cls.__name__ for cls in classes_of(Shown)) - tried
    assert not missing


def test_every_result_tells_prints_and_shows_itself_and_escapes_markup(tmp_path):
    faults = []
    with every_result(tmp_path) as make:
        for name in EVERY:
            faults += [f"{name}: {fault}" for fault in _faults(name, make(name))]
    assert faults == []


def _faults(name: str, found: Shown) -> list[str]:
    """What is wrong with a result made of badly named things."""
    page, printed = found._repr_html_(), repr(found)
    tree = ElementTree.fromstring(page)
    tables = tree.findall(".//table")
    heads = [head.get("scope") for head in tree.iter("th")]
    shown = "".join(tree.itertext())
    said = found.details() + printed
    private = (*WORDS, "<u>f</u>", "<b>p1", "<b>Ann")
    lines = printed.split("\n")
    frame = found.to_frame()
    plot = getattr(found, "plot", None)
    figure = None if plot is None else ElementTree.fromstring(plot())
    checks = {
        "prints too much": len(lines) > MOST_LINES or max(map(len, lines)) > 120,
        "has markup of a name in its page": tags_of(page) & MARKUP,
        "has a table without a caption": not tables
        or not all(t.findtext("caption") for t in tables),
        "has a heading without a scope": not set(heads) <= {"col", "row"},
        "shows what it does not print": name not in SHOW_LABELS
        and any(value in shown and value not in said for value in private),
        "has no frame": not isinstance(frame, pd.DataFrame) or not frame.size,
        "does not show its figure": ("svg" in tags_of(page)) != (plot is not None),
        "has a figure without a title": figure is not None
        and not figure.findtext("{http://www.w3.org/2000/svg}title"),
        "has markup of a name in its figure": figure is not None
        and {element.tag.rpartition("}")[2] for element in figure.iter()} & MARKUP,
        "is no JSON": json.loads(json.dumps(found.to_dict(), allow_nan=False)) is None,
    }
    return [fault for fault, wrong in checks.items() if wrong]


def tags_of(page: str) -> set[str]:
    """The names of the elements that a browser would see."""
    seen: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.add(tag)

    Tags().feed(page)
    return seen


def _has(cls: type, name: str) -> bool:
    declared = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    return name in declared or hasattr(cls, name)


def classes_of(base: type) -> tuple[type, ...]:
    """All public classes of the library with a base, where each is written."""
    for info in pkgutil.walk_packages(indistinct.__path__, "indistinct."):
        if "spark" not in info.name and not info.name.startswith("indistinct.cli"):
            importlib.import_module(info.name)
    found, new = set(), {base}
    while new:
        found |= new
        new = {sub for cls in new for sub in cls.__subclasses__()} - found
    named = [cls for cls in found if cls.__module__.startswith("indistinct.")]
    return tuple(sorted((c for c in named if not c.__name__.startswith("_")), key=_name_of))


def _name_of(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
