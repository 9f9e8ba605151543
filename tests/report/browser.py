"""Look at a page as a browser and its user do: what it says, asks for, shows and lets reach.

Used by tests; it needs playwright, axe-playwright-python and an installed Chromium, Google Chrome
or Microsoft Edge, and skips the test that asks for it where one of them is absent. No request
leaves the machine: all but the page itself are recorded and refused.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import pytest

from indistinct.core.errors import InputError
from indistinct.release.report.pdf import find_browser

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")
WIDTHS = (320, 1280)
HEIGHT = 900
MOST_STOPS = 300


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Violation:
    """One rule of WCAG 2.1 A or AA that axe found broken, and where."""

    rule: str
    impact: str
    help: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rule} ({self.impact}): {self.help}, at {'; '.join(self.places[:5])}"


@dataclass(frozen=True)
class Drawing:
    """An SVG of the page as it is shown, in CSS pixels; `smallest_text` is None without text."""

    id: str
    role: str
    name: str
    hidden: bool
    width: float
    height: float
    smallest_text: float | None


@dataclass(frozen=True)
class Layout:
    """The page at one width of the window: what runs out of it, and how large its SVGs are."""

    width: int
    overflow: int
    culprits: tuple[str, ...]
    drawings: tuple[Drawing, ...]


@dataclass(frozen=True)
class Visit:
    """What was seen. `problems` says in sentences all that a good page does not have."""

    title: str
    language: str
    console: tuple[str, ...]
    errors: tuple[str, ...]
    requests: tuple[str, ...]
    violations: tuple[Violation, ...]
    headings: tuple[Heading, ...]
    tab_order: tuple[str, ...]
    table_faults: tuple[str, ...]
    layouts: tuple[Layout, ...]

    def at(self, width: int) -> Layout:
        return next(layout for layout in self.layouts if layout.width == width)

    @property
    def problems(self) -> list[str]:
        found = [f"console: {message}" for message in self.console]
        found += [f"error: {error}" for error in self.errors]
        found += [f"request: {request}" for request in self.requests]
        found += [f"axe: {violation}" for violation in self.violations]
        found += [f"table: {fault}" for fault in self.table_faults]
        found += [f"heading: {fault}" for fault in heading_faults(self.headings)]
        for layout in self.layouts:
            if layout.overflow > 0:
                found.append(
                    f"overflow: {layout.overflow} px at {layout.width} px, "
                    f"from {'; '.join(layout.culprits)}"
                )
            found += [
                f"svg: {drawing.id or 'one without id'} has no size at {layout.width} px"
                for drawing in layout.drawings
                if not drawing.hidden and min(drawing.width, drawing.height) < 1
            ]
        return found


def heading_faults(headings: tuple[Heading, ...]) -> list[str]:
    """One heading of level 1, at the start, and no level left out on the way down.

    >>> heading_faults((Heading(1, "a"), Heading(3, "b")))
    ["level 3 'b' follows level 1"]
    """
    faults = []
    if [heading.level for heading in headings[:1]] != [1]:
        faults.append("the first heading is not of level 1")
    if sum(heading.level == 1 for heading in headings) > 1:
        faults.append("there is more than one of level 1")
    for before, after in pairwise(headings):
        if after.level > before.level + 1:
            faults.append(f"level {after.level} {after.text!r} follows level {before.level}")
    return faults


class Window:
    """An open browser that visits pages, one after another, each as if for the first time."""

    def __init__(self, chromium: Any, axe: Any) -> None:
        self._chromium = chromium
        self._axe = axe

    def load(
        self,
        page_path: str | Path,
        *,
        scripts: bool = True,
        scheme: Literal["light", "dark"] = "light",
        widths: tuple[int, ...] = WIDTHS,
    ) -> Visit:
        """Visit a page; with ``scripts=False`` as a browser does that runs none.

        axe is itself a script, so it looks at the page in a second, scripted visit either way.
        """
        url = Path(page_path).resolve().as_uri()
        console: list[str] = []
        errors: list[str] = []
        requests: list[str] = []
        with self._visiting(
            color_scheme=scheme, java_script_enabled=scripts, requests=requests, url=url
        ) as page:
            page.on("console", lambda message: console.append(f"{message.type}: {message.text}"))
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(url, wait_until="load")
            page.wait_for_timeout(100)
            headings = _headings(page)
            tab_order = _tab_order(page)
        with self._visiting(color_scheme=scheme, bypass_csp=True, url=url) as page:
            page.goto(url, wait_until="load")
            # what is folded away is part of the page: axe and the eye must see it
            page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
            title, language = page.evaluate("[document.title, document.documentElement.lang]")
            table_faults = page.evaluate(_TABLE_FAULTS)
            layouts = tuple(_layout(page, width) for width in widths)
            violations = self._violations(page)
        return Visit(
            title=title,
            language=language,
            console=tuple(console),
            errors=tuple(errors),
            requests=tuple(requests),
            violations=violations,
            headings=headings,
            tab_order=tab_order,
            table_faults=tuple(table_faults),
            layouts=layouts,
        )

    @contextmanager
    def _visiting(
        self, *, url: str, requests: list[str] | None = None, **options: Any
    ) -> Iterator[Any]:
        context = self._chromium.new_context(
            viewport={"width": max(WIDTHS), "height": HEIGHT}, **options
        )

        def answer(route: Any) -> None:
            if route.request.url.partition("#")[0] == url:
                route.continue_()
                return
            if requests is not None:
                requests.append(f"{route.request.resource_type} {route.request.url}")
            route.abort()

        try:
            context.route("**/*", answer)
            yield context.new_page()
        finally:
            context.close()

    def _violations(self, page: Any) -> tuple[Violation, ...]:
        options = {"runOnly": {"type": "tag", "values": list(RULES)}, "resultTypes": ["violations"]}
        found = self._axe.run(page, options=options).response["violations"]
        return tuple(
            Violation(
                rule=one["id"],
                impact=one["impact"] or "",
                help=one["help"],
                places=tuple(" ".join(map(str, node["target"])) for node in one["nodes"]),
            )
            for one in found
        )


def _headings(page: Any) -> tuple[Heading, ...]:
    """Read the headings from the accessibility tree, in the order a screen reader meets them."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    children = {node["nodeId"]: node.get("childIds", []) for node in nodes}
    known = {node["nodeId"]: node for node in nodes}
    headings = []
    waiting = [nodes[0]["nodeId"]] if nodes else []
    while waiting:
        node = known.get(waiting.pop())
        if node is None:
            continue
        waiting.extend(reversed(children[node["nodeId"]]))
        if not node.get("ignored") and node.get("role", {}).get("value") == "heading":
            level = next(p["value"]["value"] for p in node["properties"] if p["name"] == "level")
            headings.append(Heading(int(level), str(node.get("name", {}).get("value", ""))))
    return tuple(headings)


def _tab_order(page: Any) -> tuple[str, ...]:
    """Press Tab until the focus leaves the page."""
    stops: list[str] = []
    while len(stops) < MOST_STOPS:
        page.keyboard.press("Tab")
        stop = page.evaluate(_FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    return tuple(stops)


def _layout(page: Any, width: int) -> Layout:
    page.set_viewport_size({"width": width, "height": HEIGHT})
    seen = page.evaluate(_MEASURED)
    return Layout(
        width=width,
        overflow=seen["overflow"],
        culprits=tuple(seen["culprits"]),
        drawings=tuple(Drawing(**drawing) for drawing in seen["drawings"]),
    )


_NAMED = """
const named = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '');
"""

_FOCUSED = f"""() => {{
  {_NAMED}
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const text = (e.getAttribute('aria-label') || e.textContent || '').trim().replace(/\\s+/g, ' ');
  return (named(e) + ' ' + text.slice(0, 60)).trim();
}}"""

_TABLE_FAULTS = f"""() => {{
  {_NAMED}
  const faults = [];
  for (const table of document.querySelectorAll('table')) {{
    if (['presentation', 'none'].includes(table.getAttribute('role'))) continue;
    const heads = [...table.querySelectorAll('th')];
    if (!heads.length) faults.push(named(table) + ' has no header cell');
    if (heads.some(th => !th.hasAttribute('scope') && !th.id))
      faults.push(named(table) + ' has a header cell without scope');
    if (!table.caption && !table.hasAttribute('aria-label')
        && !table.hasAttribute('aria-labelledby'))
      faults.push(named(table) + ' has no caption');
  }}
  return faults;
}}"""

_MEASURED = f"""() => {{
  {_NAMED}
  const root = document.documentElement;
  const width = root.clientWidth;
  const overflow = Math.max(root.scrollWidth, document.body.scrollWidth) - width;
  const scrolls = e => {{
    for (let a = e.parentElement; a && a !== document.body; a = a.parentElement)
      if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(a).overflowX)) return true;
    return false;
  }};
  const culprits = overflow <= 0 ? [] : [...document.body.querySelectorAll('*')]
    .filter(e => e.getBoundingClientRect().right > width + 0.5 && !scrolls(e))
    .slice(0, 5).map(named);
  const drawings = [...document.querySelectorAll('svg')].filter(e => !e.ownerSVGElement).map(e => {{
    const box = e.getBoundingClientRect();
    const texts = [...e.querySelectorAll('text, tspan')]
      .filter(t => t.textContent.trim() && t.getScreenCTM())
      .map(t => parseFloat(getComputedStyle(t).fontSize)
                * Math.hypot(t.getScreenCTM().b, t.getScreenCTM().d));
    const title = e.querySelector(':scope > title');
    const labels = (e.getAttribute('aria-labelledby') || '').split(/\\s+/).filter(Boolean)
      .map(id => (document.getElementById(id) || {{textContent: ''}}).textContent);
    return {{
      id: e.id, role: e.getAttribute('role') || '',
      name: (labels.join(' ') || e.getAttribute('aria-label')
             || (title ? title.textContent : '')).trim(),
      hidden: !!e.closest('[aria-hidden="true"]') || !e.checkVisibility(),
      width: box.width, height: box.height,
      smallest_text: texts.length ? Math.min(...texts) : null,
    }};
  }});
  return {{overflow: Math.max(0, overflow), culprits, drawings}};
}}"""


@contextmanager
def browsing() -> Iterator[Window]:
    """Open a browser for the tests of a module, or skip them with the reason why not."""
    for module in ("playwright.sync_api", "axe_playwright_python.sync_playwright"):
        pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")
    try:
        program = find_browser()
    except InputError as missing:
        pytest.skip(str(missing))
    playwright = importlib.import_module("playwright.sync_api")
    axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=str(program), args=["--disable-dev-shm-usage"]
        )
        try:
            yield Window(chromium, axe)
        finally:
            chromium.close()


def load(page_path: str | Path, **options: Any) -> Visit:
    """Visit one page in a browser opened for it alone."""
    with browsing() as window:
        return window.load(page_path, **options)
