"""What the demo writes for people to read, searched for what must not be in it."""

from __future__ import annotations

import re
from collections import Counter

import pyarrow.parquet as pq
import pytest
from report_page import read_page

from indistinct.census import MCCAA_KEY, SKINNER_HOLMES_KEY
from indistinct.demo import run_demo
from indistinct.files import open_data, workspace
from indistinct.release import Certificate, check_folder
from indistinct.release.report import load_words

pytestmark = pytest.mark.heavy

K = 3
NAMES = ("given_name", "surname", "identity_number", "date_of_birth")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run_demo(tmp_path_factory.mktemp("shown") / "demo", people=6000, seed=4)


@pytest.fixture(scope="module")
def census(demo):
    return pq.read_table(demo.folder / "census.parquet")


def words_of(text):
    return set(re.findall(r"[\w-]+", text))


def combinations(demo, census):
    """Return the combinations that fewer than k people have, in the words that people read."""
    with workspace() as private:
        variables = open_data(demo.folder / "census.parquet", workspace=private).variables
    columns = []
    for name in SKINNER_HOLMES_KEY:
        labels = variables[name].labels or {}
        columns.append([str(labels.get(v, v)) for v in census.column(name).to_pylist()])
    counts = Counter(zip(*columns, strict=True))
    return {combination for combination, count in counts.items() if count < K}


def shown_together(page):
    return [element.said() for element in read_page(page).every("tr", "p", "li", "text", "desc")]


def test_the_shareable_edition_names_nobody(demo, census):
    text = "".join(
        (demo.folder / f"release-report.{kind}").read_text("utf-8") for kind in ("html", "json")
    )
    own = words_of(" ".join(load_words().raw(name) for name in load_words()))
    private = {str(v) for name in NAMES for v in census.column(name).to_pylist()} - own
    assert len(private) > 6000
    assert private & words_of(text) == set()


def test_the_shareable_edition_has_no_combination_of_few_people(demo, census):
    rare = combinations(demo, census)
    assert len(rare) > 100
    page = (demo.folder / "release-report.html").read_text("utf-8")
    rows = shown_together(page)
    assert not [c for c in rare if any(all(v in row for v in c) for row in rows)]
    # the search finds what is there: the private edition lists some of them
    private = (demo.folder / "release/private/report.html").read_text("utf-8")
    rows = shown_together(private)
    assert [c for c in rare if any(all(v in row for v in c) for row in rows)]


def test_every_report_of_the_demo_is_there_and_small(demo):
    assert len(demo.reported) == 4
    for path in demo.reported:
        assert path.with_suffix(".json").is_file()
        assert path.stat().st_size < 2_000_000
    summary = (demo.folder / "summary.md").read_text("utf-8")
    assert all(str(path.relative_to(demo.folder)) in summary for path in demo.reported)


def test_reports_leave_the_folders_whole(demo):
    for name in ("release", "shuffled"):
        assert check_folder(demo.folder / name).whole


def test_the_shuffled_release_has_its_tests_of_households(demo):
    page = (demo.folder / "shuffled/private/report.html").read_text("utf-8")
    assert 'id="demography"' in page
    assert 'id="curve-fertility"' in page


def test_the_demo_ends_green_and_its_releases_are_judged_by_all_that_they_hold(demo):
    """The key of the shuffled census is all that it has of what McCaa's intruder knows."""
    assert demo.proved.state == "holds"
    certificate = Certificate.read(demo.folder / "release/certificate.json")
    assert certificate.proved
    assert certificate.reservations == []
    shuffled = Certificate.read(demo.folder / "shuffled/certificate.json")
    columns = set(pq.read_schema(demo.folder / "shuffled/data.parquet").names)
    assert set(shuffled.key) == set(MCCAA_KEY) & columns
    assert shuffled.state == demo.shuffled.state != "holds"
    assert demo.areas.found.folder.folder == demo.folder / "tables" / "published"
    assert demo.areas.found.folder.folder.is_dir()
