"""Every link of the documentation leads somewhere, to the heading that it names; no network."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")


def prose(page: Path) -> str:
    """Return a page without its blocks and pieces of code."""
    text = re.sub(r"^ *(```+).*?^ *\1 *$", "", page.read_text("utf-8"), flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", lambda code: "x" * len(code[0]), text)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as repositories and the site make them."""
    text = re.sub(r"^ *(```+).*?^ *\1 *$", "", page.read_text("utf-8"), flags=re.S | re.M)
    found: set[str] = set(re.findall(r"\bid=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found |= {slug, re.sub(r"-+", "-", slug)}
    return frozenset(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    dead = []
    for target in LINK.findall(prose(page)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        place = (page.parent / path).resolve() if path else page
        if not place.exists() or (
            anchor and place.suffix == ".md" and anchor not in anchors(place)
        ):
            dead.append(target)
    assert not dead


def test_every_page_is_in_the_navigation_of_the_site():
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").split("\nnav:\n", 1)[1]
    listed = re.findall(r"([\w/-]+\.md)$", nav, re.M)
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]]
    assert sorted(listed) == sorted(pages)


def test_the_site_fetches_nothing():
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "font: false" in settings
    assert "- offline" in settings
    assert "://" not in settings
    script = re.search(r"assets/(iframe-worker\S*)", settings)
    assert script
    assert (ROOT / "docs" / "assets" / script[1]).is_file()
