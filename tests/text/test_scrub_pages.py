"""What the pages about Scrub list is what there is: detectors, kinds, objections, sources."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

from indistinct.scrub.text.detectors import all_detectors
from indistinct.scrub.text.reducing import OBJECTIONS
from indistinct.scrub.text.spans import Kind

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "methods"
DATA = ROOT / "src" / "indistinct" / "knowledge" / "data"


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading of a page."""
    text = (PAGES / page).read_text().partition(f"\n## {heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert table is not None
    lines = table.group().strip().split("\n")[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def kinds_by_detector() -> dict[str, list[str]]:
    listed = rows("scrub.md", "Kinds and detectors")
    return {name.strip("`"): kinds.split(", ") for name, _, kinds in listed}


def test_the_table_has_every_detector_once():
    listed = Counter(name for name, *_ in rows("scrub.md", "Kinds and detectors"))
    assert set(listed.values()) == {1}
    assert set(kinds_by_detector()) == set(all_detectors())


def test_every_kind_is_found_by_a_detector_of_the_table():
    listed = {kind for kinds in kinds_by_detector().values() for kind in kinds}
    assert listed == {kind.value for kind in Kind}


def test_a_detector_that_names_its_kinds_is_listed_with_them():
    for name, kinds in kinds_by_detector().items():
        source = inspect.getsource(import_module(f"indistinct.scrub.text.detectors.{name}"))
        named = {Kind[kind].value for kind in re.findall(r"\bKind\.([A-Z_]+)", source)}
        assert named <= set(kinds), name


def test_the_table_has_every_objection_with_its_factor():
    factors = Counter(float(factor) for _, factor in rows("scrub.md", _SECOND))
    assert factors == Counter(factor for factor, _ in OBJECTIONS.values())
    told = " ".join(words for words, _ in rows("scrub.md", _SECOND))
    for words in OBJECTIONS:
        assert words in told


_SECOND = "Threshold and second thoughts"


def test_every_file_of_knowledge_has_its_source_told():
    page = (PAGES / "scrub-knowledge.md").read_text()
    notice = (ROOT / "NOTICE").read_text()
    for path in DATA.iterdir():
        assert f"`{path.name}`" in page, path.name
        if path.suffix == ".parquet":
            assert path.name in notice, path.name


def test_measured_numbers_have_their_place():
    page = (PAGES / "scrub.md").read_text()
    assert page.count("<!-- measured") == page.count("<!-- end of measured -->") == 1
