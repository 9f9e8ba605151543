"""Two states beside each other: each as it is when it is stood at, and nothing is changed."""

from __future__ import annotations

import re

import pytest
from served import PROJECT, Served


def settled(begun: Served, path: str) -> str:
    """Ask for a page until no job is waited for."""
    for _ in range(6):
        page = begun.get(path)
        if not begun.desk.jobs.working:
            return begun.get(path).text
        for kind in ("count", "protect"):
            begun.settle(kind)
    raise AssertionError(page.text)


def rows(page: str) -> dict[str, tuple[str, str]]:
    found = re.findall(
        r'<tr><th scope="row">([^<]*)</th><td class="n [^"]*">([^<]*)</td>'
        r'<td class="n [^"]*">([^<]*)</td></tr>',
        page,
    )
    return {name: (a.strip(), b.strip()) for name, a, b in found}


@pytest.fixture
def branched(begun: Served) -> Served:
    """Two branches: µ-Argus with another target, and the project with age coarser."""
    settled(begun, "/risk")
    begun.change("/risk", k="5")
    begun.change("/protect/name", branch="strict")
    begun.change("/protect/undo")
    at = begun.desk.result("count")["key"].index("age")
    begun.change("/hierarchies", **{f"level.{at}": "1"})
    return begun


def test_each_side_is_what_its_state_gives(branched: Served):
    history = branched.desk.history
    text, version = history.text, history.version
    strict = next(one.number for one in history.states if one.branch == "strict")
    here = history.at.number
    page = settled(branched, f"/branches?a={here}&b={strict}")
    told = rows(page)
    assert told["Target"] == ("3", "5")
    assert (history.text, history.version) == (text, version), "looking changes nothing"
    for number, side in ((here, 0), (strict, 1)):
        branched.change("/protect/go", state=str(number))
        settled(branched, "/protect")
        done = branched.desk.result("protect")
        assert told["Stand out before"][side] == str(done["before"])
        assert told["Stand out afterwards"][side] == str(done["after"])
        assert told["Cells changed"][side] == str(done["cells"])
        assert told["Detail lost"][side] == f"{100 * (1 - done['precision']):.1f}%"


def test_levels_that_differ_are_marked(branched: Served):
    page = settled(branched, "/branches")
    assert "strict" in page
    row = page.partition('<th scope="row">age</th>')[2].partition("</tr>")[0]
    assert row.count('class="mark"') == 2
    other = page.partition('<th scope="row">sex</th>')[2].partition("</tr>")[0]
    assert other.count('class="mark"') == 0


def test_with_one_state_it_stands_beside_itself(begun: Served):
    page = settled(begun, "/branches")
    assert all(a == b for a, b in rows(page).values())
    assert (begun.desk.folder / "release.toml").read_text() == PROJECT


@pytest.mark.parametrize("state", ["99", "x", "-1", "9" * 40])
def test_a_state_that_is_none_is_refused(begun: Served, state: str):
    settled(begun, "/risk")
    assert begun.get(f"/branches?a={state}").status == 400


def test_a_side_that_cannot_be_protected_says_why(begun: Served):
    settled(begun, "/risk")
    begun.change("/protect", method="steps")
    page = settled(begun, "/branches")
    assert "There are no steps" in page
    assert rows(page)["Target"] == ("3", "3")
