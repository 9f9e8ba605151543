"""The whole way in a browser, as somebody goes it who writes no code: for a census of 2,000."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served, serving

from indistinct.census import write_census
from indistinct.core import InputError
from indistinct.flow import run_project
from indistinct.release.report import find_browser

pytestmark = pytest.mark.heavy

KEY = ("region", "sex", "age", "marital", "education", "economic")
SCREENS = (
    "open",
    "variables",
    "hierarchies",
    "hierarchies/edit?variable=2&level=1",
    "hierarchies/files",
    "risk",
    "protect",
    "steps",
    "argus",
    "lattice",
    "compare",
    "branches",
    "result",
    "prove",
)
LARGEST = 300_000
"""Bytes of a page, before figures."""


_RUNS_OUT = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('body *')]
    .filter(e => e.getBoundingClientRect().right > width + 1 && !e.closest('.scroll, .columns'))
    .slice(0, 5).map(e => `${e.tagName} ${e.textContent.trim().slice(0, 40)}`);
}"""


class Surfer:
    """Somebody at a browser; what it writes to the console and asks of others is remembered."""

    def __init__(self, context: Any, served: Served) -> None:
        self._error = importlib.import_module("playwright.sync_api").Error
        self.page = context.new_page()
        self.base = f"http://{served.host}"
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(served.guard.start_address)

    def settle(self, seconds: float = 120) -> None:
        """Wait until no job is waited for."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                self.page.wait_for_load_state("load")
                if not self.page.evaluate("!!document.querySelector('#far progress')"):
                    self.page.wait_for_timeout(100)
                    self.page.wait_for_load_state("load")
                    return
            except self._error:  # the page goes on to the next while it is asked
                pass
            self.page.wait_for_timeout(100)
        raise AssertionError("it takes too long")

    def wait_for_other(self, selector: str, text: str, seconds: float = 10) -> None:
        """Wait until something else stands there; the policy lets no test evaluate a condition."""
        end = time.monotonic() + seconds
        while self.page.inner_text(selector) == text:
            assert time.monotonic() < end, f"still {text!r}"
            self.page.wait_for_timeout(50)

    def go(self, screen: str) -> None:
        self.page.goto(f"{self.base}/{screen}")
        self.settle()

    def press(self, selector: str) -> None:
        self.page.locator(selector).first.click()
        self.settle()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    for module in ("playwright.sync_api", "axe_playwright_python.sync_playwright"):
        pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")
    try:
        program = find_browser()
    except InputError as missing:
        pytest.skip(str(missing))
    sync_api = importlib.import_module("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(program))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("census")
    write_census(folder / "people.csv", people=2_000, seed=1)
    with serving(folder, largest=100_000_000) as served:
        yield served


@pytest.fixture(scope="module")
def surfer(chromium: Any, there: Served) -> Iterator[Surfer]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    yield Surfer(context, there)
    context.close()


def axe_violations(page: Any) -> list[str]:
    axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
    options = {"runOnly": {"type": "tag", "values": rules}, "resultTypes": ["violations"]}
    found = axe.run(page, options=options).response["violations"]
    return [f"{v['id']}: {[n['target'] for n in v['nodes']][:4]}" for v in found]


def test_the_whole_way_for_a_census(surfer: Surfer, there: Served):
    page = surfer.page
    page.get_by_role("button", name="people.csv").click()
    surfer.settle()
    surfer.go("open")
    assert "2,000 records" in page.inner_text("main")
    page.click("#records button")
    page.wait_for_selector("#records table")

    surfer.go("variables")
    for row in page.locator("tr[data-name]").all():
        role = row.locator("select").first
        if role.input_value() == "key" and row.get_attribute("data-name").strip() not in KEY:
            role.select_option("other")
    surfer.press(".tools button.first")
    page.check("input[name=confirmed]")
    surfer.press("p > button.first")
    assert page.is_checked("input[name=confirmed]")
    page.fill("#filter", "marit")
    assert page.locator("tr[data-name]:visible").count() == 1

    surfer.go("risk")
    before = page.inner_text("#picture .figure")
    page.evaluate("document.getElementById('k').value = 20")
    page.locator("#k").dispatch_event("input")
    surfer.wait_for_other("#picture .figure", before)
    page.click("#people button")
    page.wait_for_selector("#people table")
    found = there.desk.result("count")
    assert tuple(found["key"]) == KEY

    surfer.press('form[action="/risk/closer"] button')
    assert "What is enough to be found" in page.inner_text("main")

    surfer.go("hierarchies/edit?variable=2&level=1")
    for box in page.locator("input[name=node]").all()[:2]:
        box.focus()
        page.keyboard.press("Space")
    page.fill("#label", "children")
    page.locator("button[value=merge]").focus()
    page.keyboard.press("Enter")
    surfer.settle()
    assert "children" in page.inner_text("#nodes table")
    assert there.desk.content["variables"]["age"]["hierarchy"] == "hierarchies/age.csv"

    surfer.go("hierarchies")
    told = page.inner_text("#effect .figure")
    page.select_option('select[name="level.2"]', index=1)
    surfer.wait_for_other("#effect .figure", told)
    surfer.press("#levels button.first")
    assert there.desk.content["steps"]["coarser age"]["level"] == 1

    drafted = there.desk.content["release"]["method"]
    surfer.go("protect")
    page.select_option("#method", "mondrian")
    page.wait_for_selector("input[name=options_of][value=mondrian]", state="attached")
    surfer.press("form.card button.first")
    assert there.desk.content["release"]["method"] == "mondrian"
    assert there.desk.result("protect")["after"] == 0
    surfer.press(".standing form button:first-of-type")
    assert there.desk.content["release"]["method"] == drafted
    page.fill("input[name=branch]", "small areas")
    surfer.press("form.inline button")
    page.select_option("#method", "optimal")
    page.wait_for_selector("input[name=options_of][value=optimal]", state="attached")
    surfer.press("form.card button.first")
    page.get_by_role("button", name="small areas").click()
    surfer.settle()
    assert there.desk.content["release"]["method"] == drafted

    surfer.go("result")
    page.click("#beside button")
    page.wait_for_selector("#beside td.mark")

    surfer.go("prove")
    surfer.press('form[action="/prove/try"] button')
    assert "It holds with reservations" in page.inner_text("main")
    for box in page.locator('form[action="/prove/accept"] input[type=checkbox]').all():
        box.check()
    surfer.press('form[action="/prove/accept"] button')
    page.fill("input[name=out]", "released")
    surfer.press('form[action="/prove/export"] button')
    assert there.desk.result("release")["holds"], page.inner_text("main")

    run_project(there.desk.project_path, out=there.desk.folder / "by-hand")
    ours, theirs = (there.desk.folder / name / "data.csv" for name in ("released", "by-hand"))
    assert ours.read_bytes() == theirs.read_bytes()
    assert not surfer.said
    assert not [url for url in surfer.asked if not url.startswith(surfer.base)]


@pytest.mark.parametrize("language", ["English", "Deutsch"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_can_be_read_by_everybody(
    surfer: Surfer, there: Served, language: str, scheme: str
):
    """No violation of WCAG 2.1 AA that axe finds, nothing that runs out of the page, no word
    on the console, no request to anybody else."""
    page = surfer.page
    page.emulate_media(color_scheme=scheme)
    page.get_by_role("button", name=language).click()
    surfer.go("compare")
    if page.locator('form[action="/compare"]').count():
        surfer.press('form[action="/compare"] button')
    surfer.go("lattice")
    if page.locator('form[action="/lattice"][method="post"]').count():
        surfer.press('form[action="/lattice"][method="post"] button')
    surfer.go("risk")
    if page.locator('form[action="/risk/closer"]').count():
        surfer.press('form[action="/risk/closer"] button')
    surfer.go("prove")
    if not page.locator("h3").count():
        surfer.press('form[action="/prove/try"] button')
    for screen in SCREENS:
        surfer.go(screen)
        assert page.evaluate("document.documentElement.lang") == language[:2].lower()
        for ask in page.locator('main form[hx-get][method="get"] button').all():
            ask.click()
        if screen == "hierarchies":
            page.locator("#levels td button").first.click()
        page.wait_for_timeout(300)
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        for width in (1280, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(_RUNS_OUT) == [], f"{screen} at {width}"
        assert len(page.content()) < LARGEST + 60_000 * (screen in ("open", "result")), screen
        assert axe_violations(page) == [], screen
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not surfer.said
    assert not [url for url in surfer.asked if not url.startswith(surfer.base)]


def test_without_scripts_the_work_goes_on(chromium: Any, tmp_path: Path):
    write_census(tmp_path / "people.csv", people=2_000, seed=1)
    with serving(tmp_path) as served:
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(served.guard.start_address)
        page.get_by_role("button", name="people.csv").click()
        served.settle("draft")
        page.goto(f"http://{served.host}/risk")
        served.settle("count")
        page.goto(f"http://{served.host}/risk")
        assert "stand out" in page.inner_text("main")
        page.click("#people button")
        assert "Given away by" in page.inner_text("body")
        context.close()


@pytest.mark.parametrize("language", ["English", "Deutsch"])
def test_tables_are_chosen_protected_and_published(surfer: Surfer, there: Served, language: str):
    page = surfer.page
    if there.desk.project_name is None:
        surfer.go("open")
        page.get_by_role("button", name="people.csv").click()
        surfer.settle()
    page.get_by_role("button", name=language).click()
    surfer.go("tables")
    if not there.desk.content.get("tables"):
        page.select_option("#f-publish-area", "region")
        surfer.press('form[action="/tables/areas"] button')
        page.check("input[name=dimension][value=age]")
        page.fill('tr:has(input[value=age]) input[name^="width"]', "2")
        page.check("input[name=dimension][value=sex]")
        surfer.press('form[action="/tables/add"] > p button')
    (table,) = there.desk.content["tables"].values()
    assert set(table["dimensions"]) == {"age:2", "sex"}
    page.select_option("#f-publish-method", "suppress")
    surfer.press('form[action="/tables/method"] button.first')
    assert there.desk.result("publish")["state"] == "holds", page.inner_text("main")
    page.click('form[action="/tables/cells"] button')
    page.wait_for_selector("#cells table")
    page.click('form[action="/tables/exposed"] button')
    page.wait_for_selector("#exposed table, #exposed > p")
    everybody_can_read(surfer, "tables")
    out = f"tables-{language}"
    page.fill('form[action="/tables/export"] input[name=out]', out)
    surfer.press('form[action="/tables/export"] button')
    assert (there.desk.folder / out / "certificate.json").is_file(), page.inner_text("main")
    assert not surfer.said


@pytest.mark.parametrize("language", ["English", "Deutsch"])
def test_letters_are_read_corrected_and_written(surfer: Surfer, there: Served, language: str):
    page = surfer.page
    folder = there.desk.folder / "letters-in"
    folder.mkdir(exist_ok=True)
    (folder / "a.txt").write_text(
        "RE: Jane Longfellow\n\nDear Dr. Abernathy:\n\nThank you for sending Mrs. Longfellow, who "
        "was born on 5/26/1946 and lives in Springfield. The Quexal sign was absent.\nCall me at "
        "617-555-0148.\n"
    )
    (folder / "b.txt").write_text("Nothing to note of <b>anybody</b>.\n")
    if there.desk.project_name is None:
        surfer.go("open")
        page.get_by_role("button", name="people.csv").click()
        surfer.settle()
    page.get_by_role("button", name=language).click()
    surfer.go("letters")
    page.check('input[name=name][value="letters-in"]')
    surfer.press('form[action="/letters/choose"] button')
    assert "Longfellow" not in page.inner_text("main")
    everybody_can_read(surfer, "letters")
    page.locator("ol.line a").first.click()
    surfer.settle()
    assert page.locator("#letter mark").count() >= 4
    if not page.locator("form[action='/letters/back']").count():
        page.fill("#words", "Quexal")
        page.locator('form[action="/letters/add"] select').select_option("last name")
        surfer.press('form[action="/letters/add"] button')
    marks = page.locator("#letter mark").all_inner_texts()
    assert any("Quexal" in mark for mark in marks), page.inner_text("main")
    assert "Longfellow" not in surfer.page.url + page.title()
    everybody_can_read(surfer, "letter")
    surfer.go("letters")
    out = f"letters-{language}"
    page.fill("input[name=out]", out)
    surfer.press('form[action="/letters/export"] button')
    told = "".join(p.read_text() for p in (there.desk.folder / out).glob("letter-*.txt"))
    assert told
    assert "Quexal" not in told
    assert "Longfellow" not in told
    assert not surfer.said


def everybody_can_read(surfer: Surfer, screen: str) -> None:
    """Nothing runs out of the page that is shown, and axe finds nothing, with all of it open."""
    page = surfer.page
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    for width in (1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(_RUNS_OUT) == [], f"{screen} at {width}"
    page.set_viewport_size({"width": 1280, "height": 900})
    assert axe_violations(page) == [], screen
    assert len(page.content()) < LARGEST
    assert not [url for url in surfer.asked if not url.startswith(surfer.base)]
