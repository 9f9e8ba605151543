"""The eyes of the page tests: each fault that they promise to see is put before them."""

from __future__ import annotations

import pytest
from browser import Heading, browsing

pytestmark = pytest.mark.heavy

POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
)
TABLE = (
    '<table id="t"><caption>Two numbers</caption><thead><tr><th scope="col">a</th>'
    '<th scope="col">b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>'
)
GOOD = f"""<h1>Report</h1>
<nav aria-label="Contents"><a href="#one">One</a> <a href="#two">Two</a></nav>
<h2 id="one">One</h2><p>Some words.</p>{TABLE}
<h2 id="two">Two</h2>
<svg id="map" role="img" aria-label="A square" viewBox="0 0 400 200" width="400"
  style="max-width:100%;height:auto"><rect width="400" height="200" fill="#0072b2"/>
  <text x="10" y="50" font-size="24" fill="#fff">high</text></svg>
<img alt="a dot" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=">
<details><summary>The numbers</summary><p>1, 2, 3</p></details>"""


@pytest.fixture(scope="module")
def window():
    with browsing() as opened:
        yield opened


@pytest.fixture
def visit(window, tmp_path):
    def look(body, *, head=POLICY, **options):
        page = tmp_path / "page.html"
        page.write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
            '<meta name="viewport" content="width=device-width"><title>A page</title></head>'
            f"<body><main>{body}</main></body></html>",
            encoding="utf-8",
        )
        return window.load(page, **options)

    return look


@pytest.mark.parametrize("scripts", [True, False])
def test_a_good_page_has_no_problem(visit, scripts):
    seen = visit(GOOD, scripts=scripts)
    assert seen.problems == []
    assert (seen.title, seen.language) == ("A page", "en")
    assert seen.headings == (Heading(1, "Report"), Heading(2, "One"), Heading(2, "Two"))
    assert seen.tab_order == ("a One", "a Two", "summary The numbers")


def test_drawings_are_measured_as_they_are_shown(visit):
    seen = visit(GOOD)
    (wide,) = seen.at(1280).drawings
    assert (wide.id, wide.role, wide.name, wide.hidden) == ("map", "img", "A square", False)
    assert (wide.width, wide.height, wide.smallest_text) == (400, 200, 24)
    (narrow,) = seen.at(320).drawings
    # the body's margins of 8 px leave 304 of 320
    assert (narrow.width, narrow.height) == (304, 152)
    assert narrow.smallest_text == pytest.approx(24 * 304 / 400)


def test_a_request_is_seen_and_refused(visit):
    seen = visit(
        "<h1>R</h1><img alt='x' src='http://127.0.0.1:9/a.png'><img alt='y' src='beside.png'>",
        head="<link rel='stylesheet' href='https://fonts.example/sheet.css'>",
    )
    assert {request.split("/")[-1] for request in seen.requests} == {
        "a.png",
        "beside.png",
        "sheet.css",
    }
    assert "image http://127.0.0.1:9/a.png" in seen.requests


def test_a_request_that_the_policy_stops_is_on_the_console(visit):
    seen = visit("<h1>R</h1><img alt='x' src='http://127.0.0.1:9/a.png'>")
    assert seen.requests == ()
    assert len(seen.console) == 1
    assert "Content Security Policy" in seen.console[0]


def test_console_messages_and_script_errors_are_seen_unless_no_script_runs(visit):
    body = "<h1>R</h1><script>console.log('hello'); nothing.here()</script>"
    seen = visit(body, head="")
    assert seen.console == ("log: hello",)
    assert len(seen.errors) == 1
    assert "nothing is not defined" in seen.errors[0]
    assert visit(body, head="", scripts=False).problems == []


def test_low_contrast_is_seen_even_when_folded_away(visit):
    faint = "<p style='color:#999;background:#fff'>faint</p>"
    for body in (faint, f"<details><summary>more</summary>{faint}</details>"):
        (found,) = visit(f"<h1>R</h1>{body}").violations
        assert found.rule == "color-contrast"
        assert len(found.places) == 1


def test_low_contrast_in_the_dark_is_seen_there_alone(visit):
    style = "<style>@media (prefers-color-scheme: dark) {p {color: #333; background: #000}}</style>"
    assert visit("<h1>R</h1><p>words</p>", head=style).problems == []
    (found,) = visit("<h1>R</h1><p>words</p>", head=style, scheme="dark").violations
    assert found.rule == "color-contrast"


def test_an_svg_without_words_is_seen(visit):
    seen = visit("<h1>R</h1><svg role='img' width='9' height='9'><path d='M0 0h9'/></svg>")
    assert [violation.rule for violation in seen.violations] == ["svg-img-alt"]


def test_tables_without_headers_or_caption_are_seen(visit):
    bare = "<h1>R</h1><table id='t'><tr><td>1</td><td>2</td></tr></table>"
    assert visit(bare).table_faults == ("table#t has no header cell", "table#t has no caption")
    unscoped = "<h1>R</h1>" + TABLE.replace('<th scope="col">b', "<th>b")
    assert visit(unscoped).problems == ["table: table#t has a header cell without scope"]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<h1>a</h1><h3>b</h3>", "heading: level 3 'b' follows level 1"),
        ("<h2>a</h2>", "heading: the first heading is not of level 1"),
        ("<h1>a</h1><h1>b</h1>", "heading: there is more than one of level 1"),
        ("<p>none</p>", "heading: the first heading is not of level 1"),
    ],
)
def test_headings_out_of_order_are_seen(visit, body, fault):
    assert visit(body).problems == [fault]


def test_what_runs_out_of_a_narrow_window_is_seen_and_named(visit):
    seen = visit("<h1>R</h1><div id='wide' style='width:400px'>wide</div>")
    # 8 px of margin and 400 of width, in a window of 320
    assert (seen.at(320).overflow, seen.at(320).culprits) == (88, ("div#wide",))
    assert seen.at(1280).overflow == 0
    assert seen.problems == ["overflow: 88 px at 320 px, from div#wide"]


def test_a_wide_table_that_scrolls_within_its_frame_is_no_overflow(visit):
    seen = visit(
        "<h1>R</h1><div style='overflow-x:auto' tabindex='0' role='region' aria-label='Table'>"
        "<div style='width:400px'>wide</div></div>"
    )
    assert seen.problems == []
    assert seen.tab_order == ("div Table",)


def test_an_svg_without_size_is_seen(visit):
    seen = visit("<h1>R</h1><svg id='s' role='img' aria-label='x' width='0' height='9'></svg>")
    assert seen.problems == [f"svg: s has no size at {width} px" for width in (320, 1280)]


def test_a_rule_that_came_with_wcag_21_is_kept(visit):
    (found,) = visit("<h1>R</h1><p style='letter-spacing:0.01em !important'>a b</p>").violations
    assert found.rule == "avoid-inline-spacing"
