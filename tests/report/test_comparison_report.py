"""Several releases side by side: each rule of the recommendation, the page, what is refused."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import browser
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.flow import compare_reports, write_comparison_report
from indistinct.flow.reporting import outcomes_of
from indistinct.release import report
from indistinct.release.report import facts as measured_facts
from indistinct.release.report import load_words
from indistinct.release.report.facts import Cost, Linkage, Measure, Step, Utility, Variable
from indistinct.release.report.folder import read_release
from indistinct.release.report.html import document_json, write_page
from indistinct.release.report.pieces import Claim, Document, Grid, Picture, SignOff
from indistinct.release.report.sections.comparison import Compared, comparison_sections
from indistinct.release.report.weighing import Outcome, weigh

KEY = ["age", "sex", "town"]


def people(seed):
    rng = random.Random(seed)
    return {
        "age": [rng.choice(["20-39", "40-59", "60+"]) for _ in range(200)],
        "sex": [rng.choice("fm") for _ in range(200)],
        "town": [f"t{min(7, int(rng.expovariate(0.5)))}" for _ in range(200)],
        "income": [rng.randrange(10) for _ in range(200)],
    }


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Three releases of the same data: one blanked, one of fewer records, one of all people."""
    place = tmp_path_factory.mktemp("candidates")
    with open_small(people(1)) as data:
        for name, method in (("blanked", "suppress"), ("fewer", "destroy")):
            done = data.protect(KEY, method=method, k=3, seed=1)
            data.release(place / name, done, seed=1, although_unproved=True)
        done = data.protect(KEY[:2], method="suppress", k=3, seed=1)
        data.release(place / "two facts", done, seed=1, although_unproved=True)
    with open_small(people(2)) as data:
        done = data.protect(KEY, method="suppress", k=3, seed=1)
        data.release(place / "others", done, seed=1, although_unproved=True)
    return place


@pytest.fixture(scope="module")
def real(folders):
    return read_release(folders / "blanked")


def compared(pairs=0.1, *, generalised=(), tests=()):
    return Utility(
        records=(200, 200),
        compared=4,
        generalised=generalised,
        measures=(Measure("pairs", None, None, pairs),),
        marginals=(),
        tests=tests,
    )


@pytest.fixture
def candidate(real):
    """Make a candidate like the real one, but for what is said."""

    def make(
        *,
        expected=20.0,
        precision=None,
        pairs=None,
        cells=0,
        claims=True,
        proved=True,
        k=3,
        key=None,
        changed=False,
        measured=True,
        generalised=(),
        variables=None,
    ):
        facts = real.measured
        changes = tuple(replace(v, how="suppressed", cells=cells) for v in facts.changes.variables)
        found = replace(
            facts,
            k=k,
            claims_k=claims,
            risk=replace(
                facts.risk, expected_after=expected, k=k, key=tuple(key or facts.risk.key)
            ),
            changes=replace(facts.changes, variables=changes),
            cost=None if precision is None else Cost(precision, {}, 0, 0, {}),
            utility=None if pairs is None else compared(pairs, generalised=generalised),
        )
        if variables is not None:
            released = tuple(Variable(name) for name in variables)
            found = replace(found, released=replace(found.released, variables=released))
        verdict = {**real.certificate.content["verdict"], "holds": proved, "k": k}
        content = {**real.certificate.content, "proved": proved, "k": k, "verdict": verdict}
        return replace(
            real,
            certificate=type(real.certificate)(content),
            findings=("data.parquet was changed",) if changed else (),
            measured=found if measured else None,
            lacking=None if measured else "measured",
        )

    return make


def fates(*candidates):
    return [outcome.fate for outcome in weigh(candidates).outcomes]


# ---- the rule ----


def test_a_changed_folder_is_out_whatever_it_keeps(candidate):
    best = candidate(precision=0.9, changed=True)
    assert fates(best, candidate(precision=0.2)) == ["changed", "recommended"]


def test_a_promise_that_is_not_proved_is_out(candidate):
    best = candidate(precision=0.9, proved=False)
    assert fates(best, candidate(precision=0.2)) == ["unproved", "recommended"]


def test_no_promise_needs_no_proof(candidate):
    only = candidate(pairs=0.1, claims=False, proved=False)
    assert fates(only, candidate(changed=True)) == ["recommended", "changed"]


def test_what_was_not_measured_cannot_be_weighed(candidate):
    assert fates(candidate(measured=False), candidate()) == ["unmeasured", "recommended"]


def test_a_dominated_one_is_out_and_its_better_is_named(candidate):
    found = weigh(
        [
            candidate(expected=20, precision=0.5),
            candidate(expected=10, precision=0.5),
            candidate(expected=60, precision=0.8),
        ]
    )
    assert found.outcomes[0] == Outcome("dominated", 1)
    assert found.chosen == 2  # of the two that none beats it keeps more
    assert found.outcomes[1] == Outcome("keeps_less", 2)


def test_of_two_that_beat_it_the_one_that_is_not_beaten_is_named(candidate):
    found = weigh(
        [
            candidate(expected=30, precision=0.5),
            candidate(expected=20, precision=0.6),
            candidate(expected=10, precision=0.7),
        ]
    )
    assert [o.by for o in found.outcomes] == [2, 2, None]
    assert found.decided == "only"


def test_less_risk_does_not_dominate_where_variables_are_missing(candidate):
    poor = candidate(expected=10, precision=0.5, variables=["age"])
    rich = candidate(expected=20, precision=0.5)
    assert "dominated" not in fates(poor, rich)


def test_a_smaller_proved_k_does_not_dominate(candidate):
    small = candidate(expected=10, precision=0.9, k=3)
    large = candidate(expected=20, precision=0.5, k=5)
    assert fates(small, large) == ["recommended", "keeps_less"]


def test_without_a_measure_of_utility_in_common_none_dominates(candidate):
    """A shuffled file has no precision, and its changed cells are not told to others."""
    coarse = candidate(expected=10, precision=0.4, pairs=0.0, generalised=("age",))
    facts = candidate(expected=20, pairs=0.05, claims=False, proved=False)
    steps = (Step("shuffle", "", ("age",), True),)
    cells = tuple(replace(v, how="perturbed", cells=50) for v in facts.measured.changes.variables)
    changes = replace(facts.measured.changes, variables=cells)
    shuffled = replace(facts, measured=replace(facts.measured, steps=steps, changes=changes))
    assert fates(coarse, shuffled) == ["recommended", "no_promise"]


def test_a_proved_promise_comes_before_none(candidate):
    none = candidate(expected=5, pairs=0.01, claims=False, proved=False)
    kept = candidate(expected=20, pairs=0.2)
    found = weigh([none, kept])
    assert [o.fate for o in found.outcomes] == ["no_promise", "recommended"]
    assert found.decided == "promise"


def test_the_most_utility_by_two_way_tables(candidate):
    one = candidate(expected=10, pairs=0.20, precision=0.9, cells=5)
    two = candidate(expected=20, pairs=0.10, precision=0.5, cells=9)
    found = weigh([one, two])
    assert (found.measure, found.decided, found.chosen) == ("pairs", "utility", 1)


def test_distances_in_coarser_categories_do_not_count(candidate):
    """A file that tells nothing is like the original in the one category that is left."""
    coarse = candidate(expected=10, pairs=0.0, generalised=("age",), precision=0.1)
    fine = candidate(expected=20, pairs=0.1, precision=0.9)
    found = weigh([coarse, fine])
    assert (found.measure, found.chosen) == ("precision", 1)


def test_by_cells_where_neither_tables_nor_precision_are_known_of_all(candidate):
    one = candidate(expected=10, pairs=0.1, cells=50)
    two = candidate(expected=20, precision=0.2, cells=20)
    found = weigh([one, two])
    assert (found.measure, found.chosen) == ("cells", 1)


def test_of_equals_the_least_risk(candidate):
    """Different variables: neither dominates."""
    one = candidate(expected=20, precision=0.5, variables=["age", "sex"])
    two = candidate(expected=10, precision=0.5, variables=["age", "town"])
    found = weigh([one, two])
    assert (found.decided, found.chosen) == ("risk", 1)
    assert found.outcomes[0] == Outcome("more_risk", 1)


def test_of_equals_in_all_the_first(candidate):
    found = weigh([candidate(precision=0.5), candidate(precision=0.5)])
    assert [o.fate for o in found.outcomes] == ["recommended", "equal"]
    assert found.decided == "first"


def test_none_is_left(candidate):
    found = weigh([candidate(changed=True), candidate(proved=False)])
    assert (found.chosen, found.decided) == (None, "none")


def test_risks_by_different_keys_are_not_compared(candidate):
    weak = candidate(expected=5, precision=0.5, key=["age"])
    strong = candidate(expected=20, precision=0.5)
    assert fates(weak, strong) == ["recommended", "equal"]


def test_linkage_counts_where_nothing_is_generalised(candidate):
    def linked(after):
        facts = candidate(pairs=0.1, claims=False, proved=False, expected=None)
        risk = replace(facts.measured.risk, linkage=(Linkage("gower", 0.5, after),))
        return replace(facts, measured=replace(facts.measured, risk=risk))

    assert fates(linked(0.3), linked(0.1)) == ["dominated", "recommended"]


def test_both_editions_recommend_the_same(candidate):
    """Counts that are rounded to the same number for others are the same for the holder too."""
    assert fates(candidate(expected=24, precision=0.5), candidate(expected=21, precision=0.5)) == [
        "recommended",
        "equal",
    ]


# ---- the page ----


def page_of(*candidates, words=None):
    words = words or load_words()
    found = Compared(candidates, weigh(candidates), (True,) * len(candidates))
    return {section.name: section for section in comparison_sections(found, words)}


def said(section):
    return [piece.text for piece in section.pieces if isinstance(piece, Claim)]


def test_the_recommendation_comes_first_with_its_reason(candidate):
    page = page_of(candidate(expected=10, precision=0.5), candidate(expected=20, precision=0.75))
    first, *others = said(page["verdict"])
    assert first.startswith("Of these 2 releases, B (blanked) is recommended, because")
    assert "75 % of the key's precision" in first
    assert any(o.startswith("Not A (blanked): it keeps less: 50 %") for o in others)
    assert any("A (blanked) has the least risk: at most 10 people" in o for o in others)
    assert others[-1].startswith("How it was chosen")


def test_nothing_recommended_is_said_first(candidate):
    page = page_of(candidate(changed=True), candidate(proved=False), candidate(measured=False))
    first, *others = page["verdict"].pieces
    assert first.tone == "bad"
    assert first.text.startswith("None of these 3 releases can be recommended")
    assert [o.text.split(":")[0] for o in others[:3]] == [f"Not {x} (blanked)" for x in "ABC"]
    assert next(p for p in page["signing"].pieces if isinstance(p, SignOff)).choices == (
        "Release C (blanked).",
        "Release none of them.",
    )


def test_what_speaks_against_it_is_told(candidate):
    facts = candidate(precision=0.9, k=3, expected=10)
    tests = (
        measured_facts.Test("age_gap", False, 2.0, 1.0),
        measured_facts.Test("rules", True, 0.0, 0.0),
    )
    measured = replace(facts.measured, utility=compared(tests=tests), warnings=("mind this",))
    page = page_of(replace(facts, measured=measured), candidate(precision=0.5, k=7, expected=20))
    told = " ".join(said(page["verdict"]))
    assert "another candidate k = 7" in told
    assert "It fails: age gap of spouses" in told
    assert "warned of 1 thing" in told
    rows = rows_of(page)
    assert rows["tests_passed"][0].text.startswith("edit rules")
    assert rows["tests_failed"][0].text.startswith("age gap")


def rows_of(page):
    return {
        row[0].value: row[1:]
        for grid in page["comparison"].pieces
        if isinstance(grid, Grid)
        for row in grid.rows
    }


def test_facts_stand_side_by_side_exactly(candidate):
    rows = rows_of(page_of(candidate(expected=33, cells=20), candidate(expected=66, claims=False)))
    assert [cell.value for cell in rows["expected_after"]] == [33, 66]
    assert [cell.value for cell in rows["changed"]] == [0.1, 0.0]
    assert [cell.text for cell in rows["promise"]] == ["kept: proved", "none made"]
    assert rows["at_risk_after"][1].text == "–"  # of altered values it tells little


def test_different_keys_and_k_are_said_clearly(candidate):
    page = page_of(candidate(key=["age"], k=3), candidate(k=5))
    told = [p for p in page["alike"].pieces if p.tone == "bad"]
    assert [p.name for p in told] == ["alike.keys", "alike.k"]
    assert any("A is for an intruder who knows age." in text for text in said(page["alike"]))
    assert any(p.name == "recommend.keys" for p in page["verdict"].pieces)


def test_alike_in_everything_is_said_too(candidate):
    page = page_of(candidate(pairs=0.1), candidate(pairs=0.2))
    assert [p.name for p in page["alike"].pieces] == ["alike.all"]


def test_generalised_ones_are_not_drawn_beside_others(candidate):
    coarse = candidate(pairs=0.0, generalised=("age",), precision=0.3, expected=10)
    page = page_of(coarse, candidate(pairs=0.1, precision=0.6, expected=20))
    pictures = {p.name: p for p in page["comparison"].pieces if isinstance(p, Picture)}
    drawn = {row[1].text for row in pictures["dots"].grid.rows}
    assert "precision of the key" in drawn
    assert "two-way tables, distance" not in drawn
    points = [[cell.value for cell in row] for row in pictures["place"].grid.rows]
    assert points == [["A blanked", 0.05, 0.3, ""], ["B blanked", 0.1, 0.6, "recommended"]]
    notes = [g.note for g in page["comparison"].pieces if isinstance(g, Grid) and g.note]
    assert notes
    assert all("of A are told of their own coarser categories" in note for note in notes)


def test_many_candidates_stand_four_abreast(candidate):
    page = page_of(*(candidate(expected=10 * i, precision=i / 10) for i in range(1, 9)))
    grids = [p for p in page["comparison"].pieces if isinstance(p, Grid)]
    assert {len(grid.headings) for grid in grids} == {5}
    about = [grid for grid in grids if grid.name == "comparison.about"]
    assert [grid.headings[1:] for grid in about] == [("A", "B", "C", "D"), ("E", "F", "G", "H")]


@pytest.mark.heavy
def test_eight_long_names_are_legible_in_a_browser(candidate, tmp_path):
    """Nothing overflows, all is reachable, and axe finds nothing to object to."""
    words = load_words()
    every = [
        replace(candidate(expected=10 * i, precision=i / 10), name=f"{'very_long_name_' * 6}{i}")
        for i in range(1, 9)
    ]
    sections = tuple(page_of(*every, words=words).values())
    document = Document("Eight", "private", "private", "en", "holds", True, sections)
    (tmp_path / "eight.html").write_text(write_page(document, words), encoding="utf-8")
    assert browser.load(tmp_path / "eight.html").problems == []


# ---- folders ----


def test_real_folders_become_a_page_and_its_twin(folders, tmp_path):
    both = [folders / "blanked", folders / "fewer"]
    written = write_comparison_report(both, out=tmp_path / "both.html")
    twin = json.loads(written.json.read_text("utf-8"))
    assert twin["holds"] is True
    assert twin["sections"][0]["pieces"][0]["text"] in repr(written)
    assert [section["section"] for section in twin["sections"]] == [
        *("verdict", "comparison", "candidates", "alike", "signing", "glossary", "methods")
    ]
    assert outcomes_of(written.document).count("recommended") == 1
    page = written.html.read_text("utf-8")
    for name in ("blanked", "fewer"):
        assert f"Release {'A' if name == 'blanked' else 'B'} ({name})." in page
    assert "<script" not in page


def test_by_default_it_stands_beside_the_first_folder(folders, tmp_path):
    for name in ("blanked", "fewer"):
        shutil.copytree(folders / name, tmp_path / name)
    written = write_comparison_report([tmp_path / "fewer", tmp_path / "blanked"])
    assert written.html == tmp_path / "fewer-comparison.html"
    again = written.html.read_bytes()
    write_comparison_report([tmp_path / "fewer", tmp_path / "blanked"])
    assert written.html.read_bytes() == again


def test_markup_in_the_name_of_a_folder_is_only_a_name(folders, tmp_path):
    names = ["<img src=x onerror=alert(1)>", 'b"&amp;']
    for name, of in zip(names, ("blanked", "fewer"), strict=True):
        shutil.copytree(folders / of, tmp_path / name)
    document = compare_reports([tmp_path / name for name in names])
    page = write_page(document, load_words())
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert json.loads(document_json(document))["title"].endswith(" and ".join(names))


def test_the_shareable_edition_tells_no_exact_count(folders):
    document = compare_reports([folders / "blanked", folders / "fewer"], edition="shareable")
    rows = rows_of({section.name: section for section in document.sections})
    assert document.edition == "shareable"
    assert "multiples of 5" in document.edition_words
    assert "warnings" not in rows
    private = compare_reports([folders / "blanked", folders / "fewer"])
    exact = rows_of({section.name: section for section in private.sections})
    counts = ("at_risk_before", "expected_before", "expected_after")
    assert any(cell.value % 5 for name in counts for cell in exact[name])
    assert not any(cell.value % 5 for name in counts for cell in rows[name])
    assert outcomes_of(private) == outcomes_of(document)


def test_a_folder_from_a_recipient_is_shown_and_not_weighed(folders, tmp_path):
    shutil.copytree(folders / "fewer", tmp_path / "fewer")
    shutil.rmtree(tmp_path / "fewer" / "private")
    document = compare_reports([folders / "blanked", tmp_path / "fewer"])
    assert outcomes_of(document) == ["recommended", "unmeasured"]
    names = [piece.name for piece in document["alike"].pieces]
    assert names[:2] == ["alike.data", "alike.unmeasured"]


def test_a_changed_folder_is_told_with_its_findings(folders, tmp_path):
    shutil.copytree(folders / "fewer", tmp_path / "fewer")
    (tmp_path / "fewer" / "contract.md").write_text("nothing")
    document = compare_reports([tmp_path / "fewer", folders / "blanked"])
    assert outcomes_of(document) == ["changed", "recommended"]
    told = [piece for piece in document["candidates"].pieces if isinstance(piece, Claim)]
    assert "contract.md was changed." in [claim.text for claim in told]
    # what was proved of other bytes is not set off as good
    assert [claim.tone for claim in told] == ["bad", "bad", "plain", "good"]


def test_releases_with_different_keys_are_compared_all_the_same(folders):
    document = compare_reports([folders / "blanked", folders / "two facts"])
    assert "alike.keys" in [piece.name for piece in document["alike"].pieces]


def test_another_language_has_its_own_words(folders, tmp_path):
    text = (Path(report.__file__).parent / "words" / "en.toml").read_text("utf-8")
    text = text.replace('language = "en"', 'language = "de"')
    text = text.replace(
        '"section.recommendation" = "Recommendation"', '"section.recommendation" = "Empfehlung"'
    )
    (tmp_path / "de.toml").write_text(text, encoding="utf-8")
    written = write_comparison_report(
        [folders / "blanked", folders / "fewer"],
        out=tmp_path / "x.html",
        language=tmp_path / "de.toml",
    )
    assert 'lang="de"' in written.html.read_text("utf-8")
    assert written.document.sections[0].title == "Empfehlung"


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["blanked"], "two release folders"),
        (["blanked", "../candidates0/blanked"], "named twice"),
        (["blanked", "others"], "different data"),
        (["blanked", "nowhere"], "no release folder"),
        (["blanked"] * 27, "At most 26"),
    ],
)
def test_what_cannot_be_compared_is_refused(folders, names, reason):
    names = [name.replace("candidates0", folders.name) for name in names]
    with pytest.raises(InputError, match=reason):
        compare_reports([folders / name for name in names])


def test_one_path_is_not_taken_for_many(folders):
    with pytest.raises(InputError, match="releases must be a list of texts or paths"):
        compare_reports(str(folders / "blanked"))
