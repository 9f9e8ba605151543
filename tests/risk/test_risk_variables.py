"""Which variables cause the risk: subsets, removal, uniqueness and sensitivity by brute force."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations, permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

import indistinct
from indistinct.census import SKINNER_HOLMES_KEY, census_variables
from indistinct.core.errors import InputError
from indistinct.keys import KeyTable
from indistinct.risk.assessment import assess, check_areas
from indistinct.risk.k_anonymity import k_anonymity_test
from indistinct.risk.removal import remove_variables
from indistinct.risk.scenario import MCCAA_2013, SKINNER_HOLMES_1998
from indistinct.risk.subsets import risk_by_subset
from indistinct.risk.uniqueness import key_sensitivity, uniqueness_table

relaxed = settings(deadline=None, max_examples=25)
small = st.one_of(st.none(), st.integers(0, 3))
rows = st.lists(st.tuples(small, small, st.integers(0, 5), small), min_size=1, max_size=60)
ks = st.integers(2, 4)


def key_table(records: list[tuple]) -> KeyTable:
    names = [f"v{j}" for j in range(len(records[0]))]
    columns = {n: pa.array([r[j] for r in records], pa.int32()) for j, n in enumerate(names)}
    with open_small(pa.table(columns)) as data:
        return data.key_table(names)


def counted(records: list[tuple], kept: tuple[int, ...]) -> list[int]:
    """The class size of every record, by hand."""
    keys = [tuple(r[j] for j in kept) for r in records]
    sizes = Counter(keys)
    return [sizes[key] for key in keys]


def at_risk(records: list[tuple], kept: tuple[int, ...], k: int) -> int:
    return sum(size < k for size in counted(records, kept))


def subsets(count: int):
    return chain.from_iterable(combinations(range(count), size) for size in range(count + 1))


@relaxed
@given(rows, ks)
def test_every_subset_equals_counting_by_hand(records, k):
    found = risk_by_subset(key_table(records), k=k)
    for kept in subsets(4):
        row = found.of([f"v{j}" for j in kept])
        sizes = counted(records, kept)
        assert row.at_risk == sum(s < k for s in sizes)
        assert row.unique == sum(s == 1 for s in sizes)
        assert row.classes == len({tuple(r[j] for j in kept) for r in records})
        assert set(row.kept) | set(row.dropped) == set(found.names)


@relaxed
@given(rows, ks)
def test_shares_are_the_mean_over_all_orders_and_add_up(records, k):
    found = risk_by_subset(key_table(records), k=k)
    added = dict.fromkeys(range(4), 0)
    for order in permutations(range(4)):
        for place, j in enumerate(order):
            added[j] += at_risk(records, order[: place + 1], k) - at_risk(records, order[:place], k)
    expected = {f"v{j}": total / 24 for j, total in added.items()}
    assert found.shares == pytest.approx(expected)
    total = found.whole.at_risk - found.of([]).at_risk
    assert sum(found.shares.values()) == pytest.approx(total)
    assert min(found.shares.values()) > -1e-9


@relaxed
@given(rows, ks)
def test_best_to_drop_is_the_least_of_its_size(records, k):
    found = risk_by_subset(key_table(records), k=k)
    for dropped, row in enumerate(found.best_to_drop):
        assert len(row.dropped) == dropped
        every = [at_risk(records, kept, k) for kept in combinations(range(4), 4 - dropped)]
        assert row.at_risk == min(every)


def test_keys_wider_than_one_word():
    rng = np.random.default_rng(5)
    far = (1 << 23) - 1
    records = [tuple(int(v) for v in row) for row in rng.integers(0, 3, (300, 7)) * (far // 2)]
    table = key_table(records)
    found = risk_by_subset(table, k=3)
    for kept in subsets(7):
        assert found.at_risk[found.position([f"v{j}" for j in kept])] == at_risk(records, kept, 3)
    removal = remove_variables(table, k=3)
    assert [step.at_risk for step in removal.steps] == _greedy(records, 3)


def test_long_groups_of_many_runs_are_merged():
    # dropping the first variable merges thousands of runs into one group
    rng = np.random.default_rng(6)
    records = [tuple(int(v) for v in r) for r in rng.integers(0, (3000, 40, 7), (6000, 3))]
    found = risk_by_subset(key_table(records), k=4)
    for kept in subsets(3):
        assert found.of([f"v{j}" for j in kept]).at_risk == at_risk(records, kept, 4)


def test_subset_table_is_sorted_and_complete():
    found = risk_by_subset(key_table([(1, 1, 1), (1, 2, 1), (2, 2, 1)]), k=2)
    frame = found.to_frame()
    assert len(frame) == 7
    assert frame["at_risk"].is_monotonic_decreasing
    assert frame["key"].iloc[0] in ("v0, v1", "v0, v1, v2")
    assert len(repr(found).splitlines()) <= 15
    assert "v0" in found._repr_html_()
    assert found.to_dict()["best_to_drop"][1]["at_risk"] <= 2


def test_more_than_sixteen_variables_are_refused():
    table = key_table([tuple(range(17))])
    with pytest.raises(InputError, match=r"at most 16 key variables. Got 17"):
        risk_by_subset(table)


def _greedy(records: list[tuple], k: int) -> list[int]:
    kept = tuple(range(len(records[0])))
    left = []
    while at_risk(records, kept, k) and kept:
        kept = min(
            (tuple(v for v in kept if v != j) for j in kept),
            key=lambda smaller: at_risk(records, smaller, k),
        )
        left.append(at_risk(records, kept, k))
    return left


@relaxed
@given(rows, ks)
def test_greedy_removal_equals_trying_every_variable(records, k):
    removal = remove_variables(key_table(records), k=k)
    assert removal.searched
    assert [step.at_risk for step in removal.steps] == _greedy(records, k)


@relaxed
@given(rows, ks, st.permutations(["v0", "v1", "v2", "v3"]), st.integers(0, 4))
def test_removal_in_a_given_order_flags_the_first_flip(records, k, order, upto):
    order = order[:upto]
    names = ["v0", "v1", "v2", "v3"]
    columns = {n: pa.array([r[j] for r in records], pa.int32()) for j, n in enumerate(names)}
    with open_small(pa.table(columns)) as data:
        found = data.uniques(names, k=k)
    removal = remove_variables(found.key_table, order, k=k)
    kept = [tuple(j for j in range(4) if f"v{j}" not in order[:s]) for s in range(upto + 1)]
    sizes = [counted(records, subset) for subset in kept]
    expected = []
    for i in range(len(records)):
        flips = [s for s in range(upto + 1) if sizes[s][i] >= k]
        expected.append(["satisfied", *order][flips[0]] if flips else "at risk")
    flags = [f for batch in removal.per_record(found.tally) for f in batch["flag"].to_pylist()]
    assert flags == expected
    flipped = sum(step.flipped for step in removal.steps)
    assert flipped + removal.still_at_risk + removal.initially_safe == len(records)
    rates = [removal.at_risk, *(step.at_risk for step in removal.steps)]
    assert rates == sorted(rates, reverse=True)
    assert removal.order == tuple(order)


def test_ties_go_to_the_first_variable_of_the_key():
    records = [(1, 1), (2, 2), (3, 3)]
    assert remove_variables(key_table(records), k=2).order == ("v0", "v1")


@relaxed
@given(rows, ks)
def test_profile_equals_counting_by_hand(records, k):
    test = k_anonymity_test(key_table(records), k=k)
    sizes = counted(records, (0, 1, 2, 3))
    assert test.flagged == sum(s < k for s in sizes)
    assert 0 <= test.share_flagged <= 1
    profile = test.profile()
    for j in range(4):
        yes = Counter(r[j] for r, s in zip(records, sizes, strict=True) if s >= k)
        no = Counter(r[j] for r, s in zip(records, sizes, strict=True) if s < k)
        for value, a, b in zip(
            profile.values[j], profile.satisfied[j], profile.flagged[j], strict=True
        ):
            assert (a, b) == (yes[value], no[value])
        assert 0 <= profile.separation[f"v{j}"] <= 1
    everyone = len(records)
    if test.flagged < everyone:
        shares = (profile.satisfied[0] + profile.flagged[0]) / everyone
        assert (profile.lift("v0") * shares).sum() == pytest.approx(1)
    assert len(profile.to_frame()) == sum(len(v) for v in profile.values)


def test_unknown_and_repeated_names_are_refused():
    table = key_table([(1, 2), (1, 3)])
    with pytest.raises(InputError, match="'v9' is not in the key"):
        remove_variables(table, ["v9"])
    with pytest.raises(InputError, match="names a variable twice"):
        remove_variables(table, ["v0", "v0"])
    with pytest.raises(InputError, match="share must be a number above 0"):
        remove_variables(table).candidates(share=0)
    with pytest.raises(InputError, match="Got also v9"):
        risk_by_subset(table).of(["v9"])


# Sweeney (2001), section 2, Figure 13


def test_possible_combinations_against_voters_as_in_section_2():
    voters = 54_805
    rng = np.random.default_rng(13)
    columns = {
        "birth": (rng.gamma(5.0, 2500.0, voters) % 36500).astype(np.int32),
        "sex": rng.integers(0, 2, voters),
        "zip": rng.integers(0, 5, voters),
        "postal": rng.integers(0, 400, voters),
    }
    with indistinct.open_data(pa.table(columns)) as data:
        table = data.key_table(list(columns))
    found = uniqueness_table(
        table,
        [["birth"], ["birth", "sex"], ["birth", "zip"], ["birth", "postal"]],
        domain={"birth": 365 * 100},
    )
    # the figure's own 12, 29, 69 and 97 per cent cannot all hold with five ZIP codes: shape only
    shares = [row.uniqueness for row in found.rows]
    assert shares == sorted(shares)
    assert shares[-1] > 0.9
    three = uniqueness_table(table, [["birth", "sex", "zip"]], domain={"birth": 36500}).rows[0]
    assert three.possible == 365_000
    assert three.records == 54_805
    assert three.average_bin < 1
    assert len(repr(found).splitlines()) <= 10


def test_average_class_size_of_the_group_insurance_commission():
    people = np.arange(135_000)
    columns = {"year": people % 60, "sex": people // 60 % 2, "day": people // 120 % 365}
    with indistinct.open_data(pa.table(columns)) as data:
        table = data.key_table(["year", "sex", "day"])
    by_year, by_date = uniqueness_table(table, [["year", "sex"], ["year", "sex", "day"]]).rows
    assert by_year.average_class == 1125
    assert by_year.average_bin == 1125
    assert round(by_date.average_class) == 3


@relaxed
@given(rows)
def test_uniqueness_grows_with_every_attribute_and_equals_counting(records):
    found = uniqueness_table(key_table(records))
    shares = [row.uniqueness for row in found.rows]
    assert shares == sorted(shares)
    for upto, row in enumerate(found.rows, start=1):
        assert row.unique == sum(s == 1 for s in counted(records, tuple(range(upto))))
        assert row.classes <= row.possible


def test_empty_combination_and_domain_are_refused_together():
    with pytest.raises(InputError, match=r"(?s)domain of 'v0' must be at least 1.*is empty"):
        uniqueness_table(key_table([(1, 2)]), [[]], domain={"v0": 0})


@relaxed
@given(rows, ks)
def test_sensitivity_equals_counting_with_one_attribute_more(records, k):
    found = key_sensitivity(key_table(records), ["v0", "v1"], k=k)
    assert found.base.below_k == at_risk(records, (0, 1), k)
    assert {row.extra for row in found.extras} == {"v2", "v3"}
    for row in found.extras:
        sizes = counted(records, (0, 1, int(row.extra[1])))
        assert row.below_k == sum(s < k for s in sizes) >= found.base.below_k
        assert row.unique == sum(s == 1 for s in sizes)
        assert row.smallest == min(sizes) <= found.base.smallest
    assert found.extras[0].below_k == max(row.below_k for row in found.extras)
    assert len(found.to_frame()) == 3


def test_sensitivity_needs_something_beyond_the_key():
    with pytest.raises(InputError, match="nothing beyond the key"):
        key_sensitivity(key_table([(1, 2)]), ["v0", "v1"])


# scenarios


def test_scenario_of_skinner_and_holmes_finds_the_census_columns():
    found = SKINNER_HOLMES_1998.key_for(census_variables())
    assert set(found.key) == set(SKINNER_HOLMES_KEY)
    assert SKINNER_HOLMES_1998.area_threshold == 120_000


def test_scenario_takes_given_columns_before_guesses():
    found = MCCAA_2013.key_for(["a1", "sex", "Age"], {"marital status": "a1"}, partial=True)
    assert found.columns == {"sex": "sex", "age": "Age", "marital status": "a1"}
    assert found.guessed == ("sex", "age")


def test_scenario_tells_all_mistakes_together():
    with pytest.raises(InputError) as told:
        MCCAA_2013.key_for(["age", "sex"], {"agee": "age", "sex": "age", "industry": "indd"})
    text = str(told.value)
    assert "no role 'agee'. Did you mean 'age'?" in text
    assert "no variable 'indd'" in text
    assert "'age' is given two roles" in text
    with pytest.raises(InputError, match="needs a column for each of: marital status"):
        MCCAA_2013.key_for(["age", "sex"])


def test_areas_below_the_threshold_are_found_in_a_sample():
    records = [(1,)] * 30 + [(2,)] * 10
    check = check_areas(key_table(records), "v0", at_least=120_000, fraction=0.0002)
    assert check.small == (2,)
    assert check.smallest == pytest.approx(50_000)
    assert not check.holds
    with pytest.raises(InputError, match=r"above 0 and at most 1. Got 1.5"):
        check_areas(key_table(records), "v0", fraction=1.5)


def test_assessment_checks_areas_and_needs_words():
    table = key_table([(1, 1), (1, 2)])
    found = assess(
        table, SKINNER_HOLMES_1998, sensitivity="health", k=2, area="v0", fraction=0.00001
    )
    assert found.areas is not None
    assert found.areas.holds
    with pytest.raises(InputError, match="how sensitive the data are"):
        assess(table, MCCAA_2013, sensitivity=" ")
    with pytest.raises(InputError, match="no smallest area"):
        assess(table, MCCAA_2013, sensitivity="low", area="v0")
