"""Qualitative flags against evaluating each record by hand, and their follow-up."""

from __future__ import annotations

import datetime
import json
import tomllib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

import indistinct
from indistinct.core.errors import InputError
from indistinct.files import BATCH_RECORDS
from indistinct.risk import FollowUp, FollowUps
from indistinct.risk.flags import flag_records, read_flag_rules

RULES = tomllib.loads("""
[[flags]]
name = "rural tower"
reason = "lives above the fourth floor in a rural area"
all = [{variable = "floor", above = 4}, {variable = "area_type", equals = "rural"}]

[[flags]]
name = "public figure"
reason = "an office everybody knows"
any = [{variable = "office", in = ["mayor", "minister"]}, {variable = "born", below = 1900-01-01}]
""")["flags"]

DAY = datetime.date(1899, 12, 31)

HOMES = pa.table(
    {
        "floor": pa.array([5, 4, 9, None, 5], pa.uint8()),
        "area_type": ["rural", "rural", "urban", "rural", None],
        "office": pa.array([None, "mayor", "clerk", "minister", ""]).dictionary_encode(),
        "born": pa.array(
            [datetime.date(1899, 12, 31), None, None, None, datetime.date(1900, 1, 1)]
        ),
        "rent": pa.array([0.1, 0.2, float("nan"), None, 5.0], pa.float32()),
    }
)


def found_by(rules: list[dict], table: pa.Table = HOMES) -> dict[str, list[int]]:
    with open_small(table) as data:
        flags = flag_records(data.source, read_flag_rules(rules, data.source))
    return {name: numbers.tolist() for name, numbers in flags.found.items()}


def one(**condition) -> list[int]:
    rule = {"name": "x", "reason": "y", "all": [condition]}
    return found_by([rule])["x"]


def test_rules_of_a_project_file_find_the_records():
    assert found_by(RULES) == {"rural tower": [0], "public figure": [0, 1, 3]}


def test_every_operation():
    assert one(variable="floor", equals=5) == [0, 4]
    assert one(variable="floor", above=4.5) == [0, 2, 4]
    assert one(variable="floor", below=5) == [1]
    assert one(variable="floor", between=[4, 5]) == [0, 1, 4]
    assert one(variable="floor", missing=True) == [3]
    assert one(variable="floor", missing=False) == [0, 1, 2, 4]
    assert one(variable="area_type", **{"in": ["urban"]}) == [2]
    assert one(variable="rent", equals=0.1) == [0]
    assert one(variable="rent", missing=True) == [2, 3]
    assert one(variable="born", above="1899-12-31") == [4]


def test_codes_that_mean_missing_meet_no_condition_but_missing():
    table = pa.table({"floor": [3, 99, 7]})
    rule = {"name": "high", "reason": "up there", "all": [{"variable": "floor", "above": 4}]}
    absent = {"name": "none", "reason": "?", "all": [{"variable": "floor", "missing": True}]}
    with open_small(table) as data:
        variables = data.variables.updated({"floor": {"user_missing": (99,)}})
        source = indistinct.files.Source(
            data.source.path, data.source.origin, variables, data.source.records
        )
        flags = flag_records(source, read_flag_rules([rule, absent], source))
    assert flags.found["high"].tolist() == [2]
    assert flags.found["none"].tolist() == [1]


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.sampled_from("abc")), min_size=1
    ),
    st.integers(0, 9),
    st.sampled_from("abc"),
)
def test_all_and_any_equal_evaluating_each_record(records, bound, letter):
    table = pa.table(
        {"x": pa.array([r[0] for r in records], pa.int64()), "y": [r[1] for r in records]}
    )
    above, same = {"variable": "x", "above": bound}, {"variable": "y", "equals": letter}
    rules = [
        {"name": "all", "reason": "-", "all": [above, same]},
        {"name": "any", "reason": "-", "any": [above, same]},
        {"name": "both", "reason": "-", "all": [above], "any": [same]},
    ]
    found = found_by(rules, table)
    high = [x is not None and x > bound for x, _ in records]
    there = [y == letter for _, y in records]
    both = [i for i in range(len(records)) if high[i] and there[i]]
    assert found["all"] == found["both"] == both
    assert found["any"] == [i for i in range(len(records)) if high[i] or there[i]]


def test_records_of_later_batches_keep_their_numbers():
    n = BATCH_RECORDS + 10
    table = pa.table({"floor": np.where(np.arange(n) % 131_072 == 5, 9, 1)})
    rule = {"name": "high", "reason": "up there", "all": [{"variable": "floor", "above": 4}]}
    with open_small(table) as data:
        flags = flag_records(data.source, read_flag_rules([rule], data.source))
    assert flags.found["high"].tolist() == [5, 131_077, 262_149]
    batches = list(flags.per_record())
    assert sum(len(b) for b in batches) == n
    named = pa.Table.from_batches(batches)
    assert [i for i, f in enumerate(named["flags"].to_pylist()) if f] == [5, 131_077, 262_149]
    assert flags.flagged.tolist() == [5, 131_077, 262_149]


def test_flags_print_how_many_records_each_rule_found():
    with open_small(HOMES) as data:
        flags = flag_records(data.source, read_flag_rules(RULES, data.source))
    assert flags.counts == {"rural tower": 1, "public figure": 3}
    told = flags.to_dict()
    assert told["flagged"] == 3
    assert "3 of 5 records carry a flag" in repr(flags)
    assert "rural tower" in flags._repr_html_()


def test_all_mistakes_of_the_rules_are_told_at_once():
    rules = [
        {"name": "a", "reason": "r", "all": [{"variable": "flor", "above": 4}]},
        {"name": "a", "reason": "r", "all": [{"variable": "floor", "abov": 4}]},
        {"name": "b", "reason": "", "al": []},
        {"name": "c", "reason": "r", "all": [{"variable": "floor", "above": "x"}]},
        {"name": "d", "reason": "r", "all": [{"variable": "area_type", "above": "x"}]},
        {"name": "e", "reason": "r", "all": [{"variable": "area_type", "equals": 1}]},
        {"name": "f", "reason": "r", "any": [{"variable": "floor", "between": [1]}]},
        {"name": "g", "reason": "r", "any": [{"variable": "floor", "above": 1, "below": 3}]},
        {"name": "h", "reason": "r", "any": [{"variable": "born", "equals": "soon"}]},
        {"name": "i", "reason": "r", "any": [{"variable": "floor", "missing": "yes"}]},
        {"name": "j", "reason": "r", "any": ["floor"]},
        {"name": "k", "reason": "r", "any": {"variable": "floor"}},
        "floor",
    ]
    with pytest.raises(InputError) as told:
        found_by(rules)
    text = str(told.value)
    for sentence in (
        "there is no variable 'flor'. Did you mean 'floor'?",
        "there is no operation 'abov'. Did you mean 'above'?",
        "Flag 'a' is declared twice",
        "'reason' must be a text",
        "there is no setting 'al'",
        "Flag 'b' has no condition",
        "'above' of 'floor' must be a number",
        "'above' of 'area_type' needs a number or a date",
        "'equals' of 'area_type' must be a text in quotes",
        "must be two values, the lowest and the highest. Got 1.",
        "must have one operation",
        "must be a date",
        "must be true or false",
        "Flag 'j', any, condition 1 must be a table",
        "Flag 'k', any must be a list of conditions",
        "Flag 13 must be a table",
    ):
        assert sentence in text, sentence


@pytest.fixture
def flags():
    with open_small(HOMES) as data:
        yield flag_records(data.source, read_flag_rules(RULES, data.source))


def test_follow_up_keeps_judgements_when_flags_are_opened_again(flags, tmp_path):
    path = tmp_path / "followup.json"
    ups = FollowUps.load(path, records=5).opened(flags, when="2024-01-01")
    assert ups.counts() == {"open": 4, "followed up": 0, "cleared": 0, "confirmed": 0}
    ups = ups.judged(1, "public figure", "cleared", note="retired", who="ann", when="2024-01-02")
    ups.save(path)
    again = FollowUps.load(path, records=5)
    assert again == ups
    assert again.opened(flags) == again
    assert again.state(1, "public figure") == "cleared"
    assert [entry.record for entry in again.in_state("open")] == [0, 0, 3]
    assert len(again.to_frame()) == 4


def test_a_judgement_is_added_or_put_in_the_place_of_the_last():
    first = FollowUps(3).judged(0, "x", "followed up", when="1")
    added = first.judged(0, "x", "confirmed", when="2")
    assert [e.state for e in added.entries] == ["followed up", "confirmed"]
    corrected = added.judged(0, "x", "cleared", when="3", instead=True)
    assert [e.state for e in corrected.entries] == ["followed up", "cleared"]
    assert first.entries == (FollowUp(0, "x", "followed up", "", "", "1"),)
    assert repr(FollowUp(0, "x", "open")) == "record 1, x: open"


def test_wrong_judgements_are_refused():
    with pytest.raises(InputError, match=r"state must be .* Got 'closed'. Did you mean 'cleared'"):
        FollowUps(3).judged(0, "x", "closed")
    with pytest.raises(InputError, match="There is no record 4; the file has 3"):
        FollowUps(3).judged(3, "x", "open")


def test_follow_up_of_another_file_is_refused(flags, tmp_path):
    with pytest.raises(InputError, match="belongs to a file of 4 records"):
        FollowUps(4).opened(flags)
    path = FollowUps(4).save(tmp_path / "f.json")
    with pytest.raises(InputError, match=r"belongs to a file of 4 records. Got one of 5"):
        FollowUps.load(path, records=5)


def test_damaged_follow_up_files_are_told_in_sentences(tmp_path):
    path = tmp_path / "f.json"
    path.write_text("{")
    with pytest.raises(InputError, match="cannot be read as JSON"):
        FollowUps.load(path, records=2)
    path.write_text("[]")
    with pytest.raises(InputError, match="not a follow-up file of version 1"):
        FollowUps.load(path, records=2)
    entries = [{"record": 9, "flag": "x", "state": "opn"}, {"record": "1"}, {"a": 1}]
    entries.append({"record": True, "flag": "x", "state": "open"})
    path.write_text(json.dumps({"version": 1, "records": 2, "entries": entries}))
    with pytest.raises(InputError) as told:
        FollowUps.load(path, records=2)
    text = str(told.value)
    assert "entry 1: There is no record 10" in text
    assert "entry 1: There is no state 'opn'" in text
    assert "entry 2: A judgement needs a record, a flag and a state" in text
    assert "entry 4: 'record' must be a whole number" in text


def test_what_stood_before_stands_when_saving_fails(tmp_path, monkeypatch):
    path = FollowUps(2).judged(0, "x", "open", when="1").save(tmp_path / "f.json")
    before = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(InputError, match="The disk is full"):
        FollowUps(2).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["f.json"]


def test_follow_up_file_holds_no_value_of_the_data(flags, tmp_path):
    text = FollowUps(5).opened(flags).save(tmp_path / "f.json").read_text()
    for value in ('rural"', "mayor", "minister", "1899"):
        assert value not in text
