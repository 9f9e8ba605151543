"""Every kind of report, looked at as a browser and its user do."""

from __future__ import annotations

import pytest
from browser import browsing

from indistinct.flow import write_comparison_report, write_report

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def window():
    with browsing() as opened:
        yield opened


@pytest.mark.parametrize("edition", ["private", "shareable"])
@pytest.mark.parametrize("kind", ["generalised", "shuffled", "mapped", "unproved"])
def test_a_report_asks_for_nothing_and_can_be_reached(workshop, window, tmp_path, kind, edition):
    written = write_report(
        workshop.make(kind).folder, edition=edition, out=tmp_path / "report.html"
    )
    visit = window.load(written.html)
    assert visit.problems == []
    assert visit.title == written.document.title
    assert [heading.level for heading in visit.headings][:2] == [1, 2]


def test_a_report_reads_the_same_without_scripts(workshop, window, tmp_path):
    written = write_report(workshop.make("mapped").folder, out=tmp_path / "report.html")
    with_them, without = (window.load(written.html, scripts=one) for one in (True, False))
    assert with_them.headings == without.headings
    assert without.problems == []


def test_a_comparison_asks_for_nothing_and_can_be_reached(workshop, window, tmp_path):
    folders = [workshop.make(kind).folder for kind in ("generalised", "suppressed", "shuffled")]
    written = write_comparison_report(folders, out=tmp_path / "comparison.html")
    assert window.load(written.html).problems == []


def test_a_changed_folder_is_told_in_red_and_can_be_reached(workshop, window, tmp_path):
    folder = workshop.copy("generalised", tmp_path)
    (folder / "methodology.md").write_text("nothing was done")
    written = write_report(folder, out=tmp_path / "report.html")
    assert written.document["verdict"].pieces[0].tone == "bad"
    assert window.load(written.html).problems == []
