"""Minimal sample uniques against brute force over all subsets, and scores against sdcMicro's."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import pyarrow.csv as pacsv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct
from indistinct.census import KEYS_20, census_table
from indistinct.core.errors import InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.keys import KeyTable
from indistinct.results import MOST_LINES
from indistinct.risk import minimal
from indistinct.risk.minimal import minimal_uniques
from indistinct.risk.suda2 import suda

SHARED = Path(__file__).resolve().parents[3] / "shared"
SDCMICRO = SHARED / "reference" / "sdcmicro"
relaxed = settings(deadline=None, max_examples=80)


def table_of(records: list[tuple]) -> KeyTable:
    """The key table of small whole numbers, None for missing, without going through a file."""
    width = len(records[0])
    highest = max((v for r in records for v in r if v is not None), default=0)
    coded = [tuple(highest + 1 if v is None else v for v in r) for r in records]
    counted = sorted(Counter(coded).items())
    codings = tuple(Coding(f"v{j}", highest + 2, True) for j in range(width))
    codes = np.array([key for key, _ in counted], dtype=np.int64).reshape(-1, width)
    return KeyTable(KeyCoding(codings), codes, np.array([n for _, n in counted]))


def by_brute_force(records: list[tuple], largest: int) -> dict[tuple, set[tuple[int, ...]]]:
    """Every record's MSUs by the definition: count all records on every set of variables."""
    found: dict[tuple, set[tuple[int, ...]]] = {r: set() for r in records}
    width = len(records[0])
    for size in range(1, largest + 1):
        for chosen in combinations(range(width), size):
            counts = Counter(tuple(r[j] for j in chosen) for r in records)
            for r in records:
                part = tuple(r[j] for j in chosen)
                smaller = any(set(m) < set(chosen) for m in found[r])
                if counts[part] == 1 and None not in part and not smaller:
                    found[r].add(chosen)
    return found


def as_sets(table: KeyTable, largest: int | None = None) -> dict[tuple, set[tuple[int, ...]]]:
    result = minimal_uniques(table, max_size=largest)
    keys = zip(*(table.values(name) for name in table.names), strict=True)
    named = [[tuple(int(n[1:]) for n in msu) for msu in result.of(c)] for c in range(len(table))]
    assert all(len(set(msus)) == len(msus) for msus in named)
    return {key: set(msus) for key, msus in zip(keys, named, strict=True)}


def record_lists(width: int, values: int, *, missing: bool) -> st.SearchStrategy:
    value = st.integers(0, values)
    cell = st.one_of(st.none(), value) if missing else value
    return st.lists(st.tuples(*[cell] * width), min_size=1, max_size=40)


anything = st.one_of(
    *(
        record_lists(width, values, missing=missing)
        for width in (1, 2, 4, 6)
        for values in (1, 3)
        for missing in (False, True)
    )
)


@relaxed
@given(anything, st.integers(1, 6))
def test_minimal_uniques_equal_brute_force_over_all_subsets(records, largest):
    width = len(records[0])
    table = table_of(records)
    assert as_sets(table) == by_brute_force(records, width)
    assert as_sets(table, largest) == by_brute_force(records, min(largest, width))


@relaxed
@given(st.integers(0, 2**32 - 1), st.integers(2, 7))
def test_records_with_correlated_variables_equal_brute_force(seed, width):
    # nearly constant variables and copies of others: where groups are merged and left out
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 4, (60, width))
    base[:, 0] = rng.random(60) < 0.1
    base[:, 1] = np.where(rng.random(60) < 0.9, base[:, -1], 0)
    records = [tuple(row) for row in base.tolist()]
    assert as_sets(table_of(records)) == by_brute_force(records, width)


def test_records_taken_in_turns_have_the_same_minimal_uniques(monkeypatch):
    rng = np.random.default_rng(5)
    records = [tuple(row) for row in rng.integers(0, 4, (900, 6)).tolist()]
    at_once = as_sets(table_of(records))
    monkeypatch.setattr(minimal, "MEMORY", 1)
    assert as_sets(table_of(records)) == at_once


def test_order_of_variables_does_not_matter():
    rng = np.random.default_rng(6)
    rows = rng.integers(0, [2, 3, 9, 4, 20], (500, 5))
    turned = [4, 2, 0, 3, 1]
    plain = as_sets(table_of([tuple(r) for r in rows.tolist()]))
    other = as_sets(table_of([tuple(r) for r in rows[:, turned].tolist()]))
    mapped = {
        tuple(key[turned.index(j)] for j in range(5)): {
            tuple(sorted(turned[j] for j in msu)) for msu in msus
        }
        for key, msus in other.items()
    }
    assert mapped == plain


def test_special_uniques_are_those_unique_on_less_than_the_key():
    # a, b: unique on the whole key only; c: on one variable already; d twice
    records = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 1), (2, 0)]
    found = minimal_uniques(table_of(records))
    assert found.sample_uniques == 4
    assert found.by_smallest == {1: 1, 2: 3}
    assert found.special_uniques == 1
    assert found.sizes == {1: 1, 2: 3}
    assert list(found.combinations()) == [(("v0", "v1"), 3), (("v0",), 1)]
    assert found.to_frame()["records"].tolist() == [3, 1]
    assert re.search(r"special uniques +1\n", repr(found))


def test_a_missing_value_never_enters_a_minimal_unique():
    found = as_sets(table_of([(None, 0), (1, 0), (1, 0), (1, 1)]))
    assert found[(None, 0)] == set()
    assert found[(1, 1)] == {(1,)}


def test_scores_are_sums_of_factorials_and_with_a_limit_of_products():
    rng = np.random.default_rng(7)
    records = [tuple(row) for row in rng.integers(0, 3, (60, 5)).tolist()]
    table = table_of(records)
    keys = list(zip(*(table.values(name) for name in table.names), strict=True))
    whole, limited = suda(table), suda(table, max_size=3)
    brute = by_brute_force(records, 5)
    for c, key in enumerate(keys):
        sizes = [len(msu) for msu in brute[key]]
        assert whole.score[c] == sum(factorial(5 - s) for s in sizes)
        products = {1: 4 * 3 * 2, 2: 3 * 2, 3: 2}
        assert limited.score[c] == sum(products.get(s, 0) for s in sizes)


def test_twenty_variables_up_to_size_four_agree_with_counting():
    with indistinct.open_data(census_table(3_000, seed=2, names=False)) as data:
        table = data.key_table(list(KEYS_20))
    found = minimal_uniques(table, max_size=4)
    rng = np.random.default_rng(1)
    classes = np.repeat(np.arange(table.classes), found.number)
    for at in rng.choice(len(found), 300, replace=False):
        inside = [j for j in range(20) if found.masks[at] >> j & 1]
        own = table.codes[classes[at]]
        agree = table.codes == own
        assert agree[:, inside].all(axis=1).sum() == 1
        for left_out in inside:
            rest = [j for j in inside if j != left_out]
            assert agree[:, rest].all(axis=1).sum() > 1


def test_contributions_of_values_add_to_a_hundred():
    rng = np.random.default_rng(8)
    found = suda(table_of([tuple(row) for row in rng.integers(0, 4, (80, 4)).tolist()]))
    for name in found.table.names:
        frame = found.value_contributions(name)
        assert frame["contribution"].sum() == pytest.approx(100)
        assert frame["records"].sum() == 80
    top = found.top(5)
    assert top["score"].tolist() == sorted(found.score, reverse=True)[:5]
    json.dumps(found.to_dict())
    assert len(repr(found).splitlines()) <= MOST_LINES
    assert "<table>" in found._repr_html_()


def test_nobody_unique_gives_no_scores():
    found = suda(table_of([(0, 1), (0, 1), (1, 1), (1, 1)]))
    assert found.score.tolist() == found.dis_score.tolist() == [0.0, 0.0]
    assert found.variable_contributions == {"v0": 0.0, "v1": 0.0}
    assert found.dis == 0.0
    assert found.top(3).empty


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_size": 0}, "max_size must be a whole number of at least 1. Got 0"),
        ({"max_size": 1.5}, "max_size must be a whole number"),
        ({"dis": 0}, "dis must be a number above 0 and below 1. Got 0"),
        ({"dis": 1.0}, "dis must be a number above 0"),
        ({"scoring": "best"}, "scoring must be elliot or ihsn"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(options, words):
    with pytest.raises(InputError, match=words):
        suda(table_of([(0, 1), (1, 1)]), **options)


def test_too_many_sets_of_variables_are_refused():
    wide = table_of([(0,) * 30, (1,) * 30])
    with pytest.raises(InputError, match="Give a smaller max_size"):
        minimal_uniques(wide)
    assert minimal_uniques(wide, max_size=2).sizes == {1: 60, 2: 0}
    with pytest.raises(InputError, match="at most 62 key variables"):
        minimal_uniques(table_of([(0,) * 63]), max_size=2)


REFERENCES = {
    "suda2_testdata_k6": ("testdata", "urbrur roof walls water electcon sex", {}),
    "suda2_testdata_k7": ("testdata", "urbrur roof walls water electcon relat sex", {}),
    "suda2_testdata_k7_dis10": (
        "testdata",
        "urbrur roof walls water electcon relat sex",
        {"dis": 0.1},
    ),
    "suda2_testdata_k7_ihsn": (
        "testdata",
        "urbrur roof walls water electcon relat sex",
        {"scoring": "ihsn"},
    ),
    "suda2_testdata2_k5": ("testdata2", "urbrur roof walls water sex", {}),
    "adult_suda2_k4": ("adult", "", {}),
    "adult_suda2_k5": ("adult", "", {}),
}


@pytest.mark.shared
@pytest.mark.parametrize("name", REFERENCES)
def test_scores_and_contributions_equal_those_of_sdcmicro(name):
    if not SDCMICRO.is_dir():
        pytest.skip("the reference outputs beside the project are absent")
    data, key, options = REFERENCES[name]
    reference = pacsv.read_csv(SDCMICRO / f"{name}.csv")
    facts = json.loads((SDCMICRO / f"{name}.json").read_text())
    expected = {row["variable"]: row["contribution"] for row in facts["attribute_contributions"]}
    names = key.split() or [variable.replace("_", "-") for variable in expected]
    with indistinct.open_data(SHARED / "data" / f"{data}.csv") as opened:
        tally = opened.engine.count(opened.source, names)
        found = suda(KeyTable.from_tally(tally), **options)

        def per_record(values: np.ndarray) -> np.ndarray:
            return np.concatenate(list(tally.per_record(values)))

        score, dis_score = per_record(found.score), per_record(found.dis_score)
        shares = [per_record(found.contributions[:, j]) for j in range(len(names))]
    np.testing.assert_allclose(score, reference["score"].to_numpy(), rtol=1e-12)
    # its arithmetic of DIS is in single precision
    np.testing.assert_allclose(dis_score, reference["disScore"].to_numpy(), atol=1e-7)
    np.testing.assert_allclose(list(found.variable_contributions.values()), [*expected.values()])
    for variable, share in zip(names, shares, strict=True):
        column = f"{variable}_contribution"
        if column in reference.column_names:
            np.testing.assert_allclose(share, reference[column].to_numpy(), rtol=1e-9, atol=1e-12)
    for row in facts.get("attribute_level_contributions", []):
        frame = found.value_contributions(row["variable"]).set_index("value")
        assert frame.loc[row["attribute"], "contribution"] == pytest.approx(row["contribution"])
