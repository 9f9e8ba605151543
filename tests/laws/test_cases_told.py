"""The cases of issue 18 that are about what is told: drafts (5), numbers that flatter (10)."""

from __future__ import annotations

import random
import re

import pytest
from small_data import open_small
from ways import KEY, WAYS, population, released

import indistinct
from indistinct.core.variables import Variables
from indistinct.flow import make_report
from indistinct.project import draft_project, load_project
from indistinct.release.report.pieces import Claim, Grid
from indistinct.utility.analyses import Propensity


def way(name):
    return next(w for w in WAYS if w.name == name)


def test_case_5_labels_say_what_a_name_does_not(tmp_path):
    draw = random.Random(3)
    columns = {
        "age": [draw.randrange(18, 90) for _ in range(300)],
        "v012": [draw.choice([1, 2]) for _ in range(300)],
        "v013": [draw.choice([1, 2, 3, 4, 5]) for _ in range(300)],
        "v014": [draw.choice([1, 2, 9]) for _ in range(300)],
        "v015": [draw.choice([1, 2]) for _ in range(300)],
        "v016": [draw.choice([1, 2, 3]) for _ in range(300)],
    }
    labels = {
        "v012": {"label": "Sex of the respondent"},
        "v013": {"label": "Region"},
        "v014": {"label": "Citizenship"},
        "v015": {"labels": {1: "male", 2: "female"}},
        "v016": {"label": "How often did you visit a doctor last year?"},
    }
    with open_small(columns) as data:
        variables: Variables = data.source.variables.updated(labels)
        source = type(data.source)(**{**data.source.__dict__, "variables": variables})
        draft = draft_project(data.engine, source, data_path="survey.sav")
    roles = {guess.name: guess.role for guess in draft}
    assert [n for n in columns if roles[n] == "key"] == ["age", "v012", "v013", "v014", "v015"]
    assert "label says sex" in draft["v012"].reason


def test_case_5_an_unedited_draft_is_not_confirmed(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,sex\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(80)))
    with indistinct.open_data(file) as data:
        draft = draft_project(data.engine, data.source, data_path=file)
    path = draft.write(tmp_path / "release.toml")
    assert load_project(path).release.confirmed is False


@pytest.mark.parametrize("edition", ["private", "shareable"])
def test_case_5_page_one_says_what_one_more_fact_would_do(edition, tmp_path):
    table = population(1)
    made = released(way("optimal"), table, tmp_path / "r", key=["age"], keep=["age", "sex", "home"])
    assert made.folder is not None, made.refused
    first = make_report(made.folder, edition=edition).sections[0]
    (said,) = [p for p in first.pieces if isinstance(p, Claim) and p.name == "known.worst"]
    rows = made.rows
    (shown,) = [p for p in first.pieces if isinstance(p, Grid) and p.name == "known"]
    for variable, alone, _ in ((cell.value for cell in row) for row in shown.rows):
        pairs = [(row["age"], row[variable]) for row in rows]
        true = sum(pairs.count(pair) == 1 for pair in pairs) / len(rows)
        if edition == "private":
            assert float(alone) == pytest.approx(true)
    assert said.tone == "note"


def test_case_10_utility_and_protect_count_the_same_changed_records():
    with open_small(population(4)) as data:
        done = way("k-similar").protect(data)
        found = data.utility(done.source, key=list(KEY), demography=False, protection=True)
    told = found.protection.changes
    (receipt,) = [r for r in done.receipts if r.records_changed]
    assert round(told.everybody.any_variable * told.records) == receipt.records_changed > 0


@pytest.mark.parametrize(("ratio", "word"), [(1.0, "hardly"), (5.0, "somewhat"), (30.7, "clearly")])
def test_case_10_words_follow_the_pmse_ratio(ratio, word):
    one = Propensity(ratio * 1e-4, 9, "synthesis", 1e-4, 1e-5, True, (100, 100), (0.5, 0.5), 5)
    assert word in one.sentence
    assert f"{ratio:.3g}" in one.sentence


def test_case_10_the_model_that_tells_best_is_told():
    people = {"a": [i % 7 for i in range(400)], "b": [i % 7 for i in range(400)]}
    with open_small(people) as data, open_small(people | {"b": people["b"][3:] + [0] * 3}) as other:
        found = data.utility(other.source, protection=False, demography=False).utility
    assert found.telling.ratio == max(found.propensity.ratio, found.interactions.ratio)
    assert found.telling.sentence in found.sentences()


def test_case_10_methodology_tells_no_more_than_the_shareable_report(tmp_path):
    table = population(9, people=202)
    made = released(way("step suppress-records"), table, tmp_path / "r", although_unproved=True)
    assert made.table.num_rows == 200
    note = (made.folder / "methodology.md").read_text()
    assert "records left out: fewer than 5" in note
    assert not re.search(r"\b202\b|\b2 records", note)
    shared = make_report(made.folder, edition="shareable")
    assert any("fewer than 5" in claim.text for claim in shared.every(Claim))


def test_case_10_what_matters_stands_above_many_notes():
    columns = {f"x{i}": [(i * j) % 11 for j in range(60)] for i in range(1, 30)}
    columns |= {"town": ["a"] * 50 + [f"t{i}" for i in range(10)], "sex": ["f", "m"] * 30}
    with open_small(columns) as data:
        done = data.protect(["town", "sex"], method="destroy", k=3, seed=1, domains=["town"])
    (receipt,) = [r for r in done.receipts if r.kind == "destroy"]
    lines = receipt.details().splitlines()
    notes = [i for i, line in enumerate(lines) if "note:" in line]
    warned = [i for i, line in enumerate(lines) if "warning:" in line]
    assert warned
    assert max(warned) < min(notes)
    assert len(notes) <= 8
