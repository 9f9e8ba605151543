"""A list of cues is written once: the set that is asked and the expression are made from it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from indistinct.knowledge.cues import cues
from indistinct.scrub import text
from indistinct.scrub.text.finding import Finder

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(text.__path__, f"{text.__name__}.")
    if not info.ispkg and not info.name.endswith(".cues")
)
FEW = 4
"""Words from which on a list is one."""
ENDINGS = {
    ".detectors._dates.WEEKDAY_WORDS",
    ".detectors._dates.WORDS_TOO",
    ".detectors.addresses._BOXES",
    ".detectors.dates._FESTIVE",
    ".detectors.employers._LABEL_WORDS",
    ".detectors.employers._WORK_WORDS",
    ".detectors.hospitals._LOWER_WORDS",
    ".detectors.hospitals._SAINTS",
    ".detectors.hospitals._VETERANS",
    ".detectors.listed._MODALS",
    ".detectors.phones._FAX_BETWEEN",
    ".detectors.streets._LABELS",
    ".detectors.streets._ROUTES",
    ".detectors.tabulated._PAIRED",
    ".detectors.webs._ALSO_WORDS",
    ".detectors.webs._USER_WORDS",
    ".naming._ALIAS_ENDS",
    ".naming._HEADING_ENDS",
    ".naming._STAFF_ENDS",
}
"""Lists beside an expression that is more than a list: spellings, endings, words between. None is
to be added; whoever makes one of these from `cues` takes it away here."""


def test_one_list_gives_the_words_and_the_expression():
    said = cues("born grew_up city city_of Mt.")
    assert said.words == {"born", "grew", "city", "mt"}
    assert said.ends == {"born", "up", "city", "of", "mt"}
    assert re.fullmatch(said.pattern, "city of")
    assert re.match(said.pattern, "city of Orange").group() == "city of"
    assert not re.fullmatch(said.pattern, "Mtx")


def second_lists(module: str) -> list[str]:
    """Lists of words that stand in an expression of the same module as well."""
    loaded = importlib.import_module(module)
    tree = ast.parse(Path(loaded.__file__).read_text())
    patterns = [
        re.findall(r"[^\W_]+", value.pattern.lower())
        for value in vars(loaded).values()
        if isinstance(value, re.Pattern)
    ]
    found = []
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if ast.unparse(node.value.func) not in ("frozenset", "words"):
            continue
        name = ast.unparse(node.targets[0])
        listed = getattr(loaded, name)
        derived = any(
            isinstance(part, ast.Name) for arg in node.value.args for part in ast.walk(arg)
        )
        if derived or len(listed) < FEW:
            continue
        if any(len(listed & set(words)) >= 0.8 * len(listed) for words in patterns):
            found.append(f"{module.removeprefix(text.__name__)}.{name}")
    return found


def test_no_module_keeps_a_second_list():
    assert {name for module in MODULES for name in second_lists(module)} == ENDINGS


@pytest.mark.parametrize(
    "sentence",
    ["She relocated to Orange in May.", "After his relocation to Orange he was well."],
)
def test_a_noun_announces_a_town_as_its_verb_does(sentence):
    start = sentence.index("Orange")
    (rule,) = [span.rule for span in Finder().find(sentence) if span.start == start]
    assert rule == "known after strong cue"
