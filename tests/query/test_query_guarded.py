"""Answers with noise: how wide it is, what is named, what is kept, and for whom."""

from __future__ import annotations

import json
import os
import stat
import threading
from dataclasses import replace

import numpy as np
import pytest
from asked import Asked, session

from indistinct.core.errors import InputError
from indistinct.core.variables import Variables
from indistinct.files import workspace
from indistinct.query import Bound, ask
from indistinct.query.coding import as_ranges


@pytest.fixture
def folder():
    with workspace() as private:
        yield private


def census(people: int = 4000, seed: int = 0) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    return {
        "town": rng.choice(["a", "b", "c"], people, p=[0.6, 0.3, 0.1]).tolist(),
        "sex": rng.choice(["f", "m"], people).tolist(),
        "age": rng.integers(0, 100, people).tolist(),
        "income": np.round(rng.gamma(2, 20_000, people)).tolist(),
    }


OPTIONS = {
    "declared": False,
    "ranges": {"income": (0, 100_000), "age": (0, 100, 10)},
    "bound": Bound(guess=0.7, tables=40),
}


def test_errors_are_as_wide_as_they_are_said_to_be(folder):
    """Over many secrets: the answer less the truth has the deviation that the answer tells."""
    data = census()
    inside = np.array(data["sex"]) == "f"
    income = np.clip(np.array(data["income"]), 0, 100_000)[inside]
    off: dict[str, list[float]] = {"count(*)": [], "sum(income)": [], "mean(income)": []}
    truth = {
        "count(*)": inside.sum(),
        "sum(income)": income.sum(),
        "mean(income)": income.mean(),
    }
    for number in range(60):
        asked = Asked(data, folder, secret=bytes([number]), **OPTIONS)
        told = asked.ask(f"select {', '.join(off)} from data where sex = 'f'").answer
        for j, name in enumerate(off):
            off[name].append((told.rows[0][j] - truth[name]) / told.errors[0][j])
    for name, values in off.items():
        assert abs(np.mean(values)) < 3.5 / np.sqrt(60), name
        assert 0.7 < np.std(values) < 1.3, name


def test_the_answer_to_everything_is_the_number_of_people_and_needs_no_table(folder):
    asked = Asked(census(), folder, **OPTIONS)
    told = asked.ask("select count(*) from data")
    assert (told.answer.rows, told.answer.errors, told.tables) == (((4000,),), ((0.0,),), ())


def test_classes_are_asked_by_their_ends(folder):
    data = census()
    asked = Asked(data, folder, **OPTIONS)
    by_class = asked.ask("select age, count(*) from data group by age").answer.rows
    assert [row[0] for row in by_class[:2]] == ["0 to under 10", "10 to under 20"]
    assert len(by_class) == 10
    part = asked.ask("select count(*) from data where age >= 20 and age < 40").answer.rows
    assert part == ((by_class[2][1] + by_class[3][1],),)
    again = "select count(*) from data where age in ('20 to under 30', '30 to under 40')"
    assert asked.ask(again).answer.rows == part
    for wrong in ("age < 25", "age > 20", "age <= 20", "age = 20", "age < 'x'"):
        told = asked.ask(f"select count(*) from data where {wrong}")
        assert told.answer is None
        assert "classes" in told.refused


def test_values_outside_a_range_count_as_its_ends(folder, monkeypatch):
    monkeypatch.setattr("indistinct.query.guarded.gaussian", lambda _s, _n, size: np.zeros(size))
    asked = Asked(
        {"x": [-5.0, 50.0, 1e9, float("nan"), float("inf")] * 20},
        folder,
        declared=False,
        ranges={"x": (0, 100, 50)},
    )
    assert asked.ask("select sum(x), mean(x), count(x) from data").answer.rows == (
        (3000.0, 50.0, 60),
    )
    assert asked.ask("select x, count(*) from data group by x").answer.rows == (
        ("0 to under 50", 20),
        ("50 to under 100", 40),
        (None, 40),
    )


def test_a_category_of_few_is_not_named(folder):
    data = {"town": ["big"] * 500 + ["Smallville"] * 3 + [None] * 50}
    asked = Asked(data, folder, declared=False)
    answer = asked.ask("select town, count(*) from data group by town").answer
    assert [row[0] for row in answer.rows] == ["big", None]
    refused = asked.ask("select count(*) from data where town = 'Smallville'").refused
    assert refused.endswith('There are: "big", "(other)".')
    assert asked.ask("select count(*) from data where town = '(other)'").answer is not None
    lone = Asked({"name": [f"n{i}" for i in range(900)]}, folder, declared=False)
    told = lone.ask("select name, count(*) from data group by name")
    assert "has no category that enough people have" in told.refused
    assert told.tables  # that there is none is told of the table of values


def test_no_row_tables_are_told_than_promised_and_old_ones_are_told_for_ever(folder):
    asked = Asked(census(), folder, **{**OPTIONS, "bound": Bound(tables=5)})
    first = asked.ask("select town, sex, count(*) from data group by town, sex").answer
    assert len(asked.opened) == 3  # the values of two variables, and their table
    assert asked.ask("select count(*) from data where age < 20 and sex = 'f'").answer
    assert asked.ask("select mean(income) from data").answer is None  # needs two
    assert "1 of 5 can still be told" in asked.ask("select mean(income) from data").refused
    assert asked.ask("select age, count(*) from data group by age").answer
    refused = asked.ask("select town, count(*) from data group by town").refused
    assert "0 of 5 can still be told" in refused
    assert 'count by "sex", "town"' in refused
    assert asked.ask("select sex, town, count(*) from data group by town, sex").answer
    assert asked.ask("select town, sex, count(*) from data group by town, sex").answer == first
    assert len(asked.opened) == 5


def test_another_range_is_another_table_to_the_last_digit(folder):
    asked = Asked(census(), folder, **{**OPTIONS, "ranges": {"income": (0, 1_000_000)}})
    assert asked.ask("select sum(income) from data").answer
    first = list(asked.opened)
    asked.of = replace(asked.of, ranges=as_ranges({"income": (0, 1_000_001)}, ["income"]))
    assert asked.ask("select sum(income) from data").answer
    assert len(asked.opened) == len(first) + 1


def test_a_mean_needs_a_range_that_somebody_declared(folder):
    asked = Asked(census(), folder, declared=False)
    assert "--range income=0:100000" in asked.ask("select mean(income) from data").refused
    assert asked.opened == []


def test_people_are_counted_and_not_their_records(folder, monkeypatch):
    monkeypatch.setattr("indistinct.query.guarded.gaussian", lambda _s, _n, size: np.zeros(size))
    visits = {
        "patient": [n for n in range(200) for _ in range(5)],
        "ward": ["a", "a", "b", "c", "d"] * 200,
        "cost": [30.0, 40.0, 1.0, 1.0, 1.0] * 200,
    }
    options = {"declared": False, "person": "patient", "ranges": {"cost": (0, 50)}}
    asked = Asked(visits, folder, bound=Bound(most=4), **options)
    assert asked.ask("select count(*) from data").answer.rows == ((200,),)
    assert asked.ask("select ward, count(*) from data group by ward").answer.rows == tuple(
        (ward, 200) for ward in "abcd"
    )
    # both visits of a person to a ward are one value, held within the range
    assert asked.ask("select sum(cost) from data where ward = 'a'").answer.rows == ((10_000.0,),)
    assert (
        "no variable 'patient'" in asked.ask("select count(*) from data where patient = 1").refused
    )
    few = Asked(visits, folder, bound=Bound(most=2, tables=4), **options)
    table = few.of._table("*", None, ("ward",))
    assert table.sum() == 400  # two wards of each person count, drawn
    assert few.of.bound.deviation == pytest.approx(np.sqrt(2) * Bound(most=1, tables=4).deviation)


def test_identifiers_and_households_cannot_be_asked(folder):
    asked = Asked(census(), folder, **OPTIONS)
    source = asked.of.source
    roles = {"town": "identifier", "sex": "household"}
    variables = Variables(
        replace(variable, role=roles.get(name, "other"))
        for name, variable in source.variables.items()
    )
    asked.of = replace(asked.of, source=replace(source, variables=variables))
    for name in roles:
        told = asked.ask(f"select {name}, count(*) from data group by {name}")
        assert f"no variable '{name}'" in told.refused


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "released.csv"
    data = census(600)
    lines = [",".join(map(str, row)) for row in zip(*data.values(), strict=True)]
    path.write_text("\n".join([",".join(data), *lines]) + "\n")
    return path


BY_TOWN = "select town, count(*) from data group by town"


def test_the_log_says_who_asked_what_and_is_for_its_owner_alone(file):
    ask(file, BY_TOWN, who="Ann")
    with pytest.raises(InputError):
        ask(file, "select name from data", who="Ben")
    (log,) = (file.parent / ".indistinct" / "asked").iterdir()
    first, *lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert first["bound"] == {"guess": 0.7, "tables": 20, "most": 1}
    assert [(line["who"], line["answered"]) for line in lines] == [("Ann", True), ("Ben", False)]
    assert lines[0]["question"] == BY_TOWN
    assert lines[0]["tables"] == ['values of "town"', 'count by "town"']
    if os.name == "posix":
        assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_promise_is_not_changed_once_it_is_given(file, tmp_path):
    log = tmp_path / "log.jsonl"
    first = ask(file, BY_TOWN, log=log, guess=0.6)
    assert ask(file, BY_TOWN, log=log).rows == first.rows  # as the log began
    with pytest.raises(InputError, match="begun with another promise"):
        ask(file, BY_TOWN, log=log, guess=0.9)
    with pytest.raises(InputError, match="begun with another promise"):
        ask(file, BY_TOWN, log=log, person="age", most=1)
    other = tmp_path / "other.csv"
    other.write_text(file.read_text().replace("a,f", "b,f", 1))
    with pytest.raises(InputError, match="questions to other records"):
        ask(other, BY_TOWN, log=log)


@pytest.mark.parametrize("content", [b"not a log\n", b"\x00\x01", b"[]\n", b'{"log": "x"}\n'])
def test_a_file_that_is_no_log_is_left_alone(file, tmp_path, content):
    log = tmp_path / "notes.txt"
    log.write_bytes(content)
    with pytest.raises(InputError, match="not a log of questions"):
        ask(file, BY_TOWN, log=log)
    assert log.read_bytes() == content


@pytest.mark.skipif(os.name != "posix", reason="FIFOs are POSIX")
def test_a_log_is_a_regular_file(file, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        ask(file, BY_TOWN, log=tmp_path / "pipe")


def test_a_line_that_was_cut_off_is_forgotten(file, tmp_path):
    log = tmp_path / "log.jsonl"
    first = ask(file, BY_TOWN, log=log)
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"time": "2020')
    assert ask(file, BY_TOWN, log=log).rows == first.rows
    assert log.read_bytes().startswith(whole)
    assert b"2020" not in log.read_bytes()[len(whole) : len(whole) + 14]


def test_many_who_ask_at_once_get_one_answer_and_lose_no_line(file, tmp_path):
    log, answers = tmp_path / "log.jsonl", []

    def asking(number: int) -> None:
        answers.append(ask(file, BY_TOWN, log=log, who=f"asker {number}").rows)

    threads = [threading.Thread(target=asking, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted(line["who"] for line in lines[1:]) == [f"asker {n}" for n in range(4)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"guess": 0.5}, "between 0.5"),
        ({"guess": 1}, "between 0.5"),
        ({"guess": float("nan")}, "between 0.5"),
        ({"tables": 0}, "whole number from 1"),
        ({"tables": 2.5}, "whole number from 1"),
        ({"most": True}, "whole number from 1"),
        ({"smallest": 0}, "at least 1"),
        ({"smallest": float("nan")}, "at least 1"),
        ({"ranges": {"incme": (0, 1)}}, "Did you mean 'income'"),
        ({"ranges": {"income": (1, 0)}}, "to a larger one"),
        ({"ranges": {"income": (0, float("inf"))}}, "to a larger one"),
        ({"ranges": {"income": "much"}}, "low and high"),
        ({"ranges": {"age": (0, 100, 0.001)}}, "at most 1,000 classes"),
        ({"person": "nobody"}, "no variable 'nobody'"),
        ({"who": "a\x1b[31m"}, "can be shown"),
        ({"listing": True, "guess": 0.6}, "guess is for records that are asked with noise"),
    ],
)
def test_options_that_do_not_fit_are_refused(file, options, said):
    with pytest.raises(InputError, match=said):
        ask(file, BY_TOWN, **options)


def test_a_question_that_is_no_text_is_refused():
    with (
        session({"a": [1] * 9}) as started,
        pytest.raises(InputError, match="question must be text"),
    ):
        started.ask(5)
