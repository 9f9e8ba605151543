"""Techniques that change values: margins, totals, one-to-one, and what the paper says of them."""

from __future__ import annotations

import math
import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import tables

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.hierarchy import code_hierarchy
from indistinct.protect import Generalise, Plan
from indistinct.protect.steps import (
    AddNoise,
    GeneraliseCells,
    OutliersToMedians,
    PerturbKeeping,
    Round,
    Substitute,
    SuppressAttribute,
    SuppressCells,
    SwapValues,
)

FIG_26_SSN = ["819491049", "749201844", "819181496", "859205893", "985820581"]

shrinking = settings(max_examples=40, deadline=None)


def apply(engine, source, *steps, seed=1):
    return Plan(steps).apply(engine, source, seed=seed).source.table()


# Suppression and generalisation of single cells


def test_suppressed_cells_are_those_named(engine, opened):
    source = opened({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    new = apply(engine, source, SuppressCells(((1, "a"), (2, "b"), (1, "b"))))
    assert new.to_pydict() == {"a": [1, None, 3], "b": ["x", None, None]}
    with pytest.raises(InputError, match="no record 4"):
        apply(engine, source, SuppressCells(((3, "a"),)))


def test_generalising_to_the_root_is_suppressing_the_attribute(engine, opened):
    """Sweeney 2001, section 4.2: one bin either way."""
    zips = ["02138", "02139", "02141", "02142"]
    tree = code_hierarchy(zips, name="zip", digits=(4, 3))
    source = opened({"zip": zips, "n": [1, 2, 3, 4]})
    root = apply(engine, source, Generalise(tree, tree.height))
    blank = apply(engine, source, SuppressAttribute(("zip",)))
    assert len(set(root["zip"].to_pylist())) == len(set(blank["zip"].to_pylist())) == 1
    assert root["n"].equals(blank["n"])


def test_generalised_cells_climb_as_far_as_told(engine, opened):
    zips = ["02138", "02139", "02141", "02142"]
    tree = code_hierarchy(zips, name="zip", digits=(4, 3))
    step = GeneraliseCells(((0, "zip", 1), (1, "zip", 2), (3, "zip", 3)), (tree,))
    new = apply(engine, opened({"zip": zips}), step)
    assert new["zip"].to_pylist() == ["0213*", "021**", "02141", tree.root]
    with pytest.raises(InputError, match="from 0"):
        GeneraliseCells(((0, "zip", 4),), (tree,))


# Swapping


@shrinking
@given(table=tables(), seed=st.integers(0, 2**32), share=st.floats(0.01, 1))
def test_swapping_keeps_margins(engine, opened, table, seed, share):
    data, key = table
    new = apply(engine, opened(data), SwapValues(key, share=share), seed=seed)
    rows = [Counter(zip(*(t[n].to_pylist() for n in key), strict=True)) for t in (data, new)]
    assert rows[0] == rows[1]
    assert new["income"].to_pylist() == data["income"].to_pylist()


@shrinking
@given(table=tables(), seed=st.integers(0, 2**32))
def test_swapping_within_keeps_joint_counts_and_one_by_one_every_margin(
    engine, opened, table, seed
):
    data, key = table
    source = opened(data)
    if len(key) > 1:
        new = apply(engine, source, SwapValues(key[:1], share=1.0, within=key[1:]), seed=seed)
        rows = [Counter(zip(*(t[n].to_pylist() for n in key), strict=True)) for t in (data, new)]
        assert rows[0] == rows[1]
    new = apply(engine, source, SwapValues(key, share=1.0, together=False), seed=seed)
    for name in key:
        assert Counter(new[name].to_pylist()) == Counter(data[name].to_pylist())


@shrinking
@given(table=tables(), order=st.randoms(use_true_random=False))
def test_swapping_given_pairs_twice_gives_the_original(engine, opened, table, order):
    data, key = table
    numbers = list(range(data.num_rows))
    order.shuffle(numbers)
    pairs = tuple(zip(numbers[::2], numbers[1::2], strict=False))
    if pairs:
        step = SwapValues(key, pairs=pairs)
        assert apply(engine, opened(data), step, step).to_pydict() == data.to_pydict()
        once = apply(engine, opened(data), step)
        a, b = pairs[0]
        assert once[key[0]][a] == data[key[0]][b]


def test_swapped_share_is_the_share(engine, opened):
    source = opened({"v": list(range(1000))})
    done = Plan((SwapValues(("v",), share=0.3),)).apply(engine, source, seed=4)
    assert done.receipts[0].records_changed in (300, 302)
    with pytest.raises(InputError, match="two pairs"):
        SwapValues(("v",), pairs=((0, 1), (1, 2)))


# Substitution


def test_figure_26_numbers_are_replaced_one_to_one(engine, opened):
    source = opened({"SSN": [*FIG_26_SSN, FIG_26_SSN[0]]})
    new = apply(engine, source, Substitute("SSN", form="identity"))["SSN"].to_pylist()
    assert new[0] == new[5]
    assert len(set(new)) == 5
    assert not set(new) & set(FIG_26_SSN)
    assert all(re.fullmatch(r"\d{9}", ssn) for ssn in new)


def form_of(text):
    """Digits, capitals and small letters each by one mark, all else as it is."""
    kinds = ((str.isdigit, "0"), (str.isupper, "A"), (str.isalpha, "a"))
    return "".join(next((mark for is_kind, mark in kinds if is_kind(c)), c) for c in text)


def test_the_form_of_a_made_up_value_says_nothing_about_the_value(engine, opened):
    """Issue 18, case 16: lengths of words named 633 of 1,000 people."""
    values = [f"{'x' * n}-{'y' * m}" for n in range(4, 24) for m in range(4, 24)]
    for form in ("same", "name"):
        own = 0
        for seed in range(5):
            new = apply(engine, opened({"v": values}), Substitute("v", form=form), seed=seed)
            own += sum(
                [len(w) for w in a.split("-")] == [len(w) for w in b.split("-")]
                for a, b in zip(values, new["v"].to_pylist(), strict=True)
            )
        # of 2,000 draws among 400 forms five are right by chance; 25 would be a wonder
        assert own < 25 if form == "same" else own < 100


@shrinking
@given(
    values=st.lists(
        st.one_of(st.none(), st.text("aAbZ019-é ", min_size=6, max_size=8)), min_size=1, max_size=40
    ),
    seed=st.integers(0, 2**32),
    fresh=st.booleans(),
)
def test_substitution_is_one_to_one_and_keeps_forms_but_not_whose_they_are(
    engine, opened, values, seed, fresh
):
    source = opened(pa.table({"v": pa.array(values, pa.string()), "n": range(len(values))}))
    try:
        new = apply(engine, source, Substitute("v", fresh=fresh), seed=seed)["v"].to_pylist()
    except GuaranteeError:
        assert any(v and len(re.findall(r"\w", v)) < 4 for v in values)
        return
    there = [(v, w) for v, w in zip(values, new, strict=True) if v]
    assert len({v for v, _ in there}) == len({w for _, w in there}) == len(set(there))
    assert all(v != w and not (fresh and w in values) for v, w in there)
    assert Counter(map(form_of, {v for v, _ in there})) == Counter(
        map(form_of, {w for _, w in there})
    )
    assert [w for v, w in zip(values, new, strict=True) if not v] == [v for v in values if not v]


def test_too_little_room_is_refused(engine, opened):
    digits = opened({"v": list("0123456789")})
    with pytest.raises(GuaranteeError, match="10 possible values, 0 of them free"):
        apply(engine, digits, Substitute("v"))
    new = apply(engine, digits, Substitute("v", fresh=False))["v"].to_pylist()
    assert sorted(new) == list("0123456789")
    assert all(v != w for v, w in zip("0123456789", new, strict=True))
    half = apply(engine, opened({"v": list("01234")}), Substitute("v"))["v"].to_pylist()
    assert sorted(half) == list("56789")
    with pytest.raises(GuaranteeError, match="share a form with only 1 possible"):
        apply(engine, opened({"v": ["--"]}), Substitute("v", fresh=False))


def test_substitutes_do_not_depend_on_the_value_and_change_with_the_seed(engine, opened):
    first = [f"{n:09}" for n in range(200)]
    second = [f"{n:09}" for n in range(500_000_000, 500_000_200)]
    made = [apply(engine, opened({"v": v}), Substitute("v"))["v"] for v in (first, second)]
    assert made[0] == made[1]
    other = apply(engine, opened({"v": first}), Substitute("v"), seed=2)["v"].to_pylist()
    assert not any(a == b for a, b in zip(made[0].to_pylist(), other, strict=True))


def test_whole_numbers_keep_their_digits(engine, opened):
    values = [7, 42, 100, 999, 123_456_789, None]
    source = opened(pa.table({"v": pa.array(values, pa.int64())}))
    new = apply(engine, source, Substitute("v"))["v"].to_pylist()
    assert sorted(len(str(v)) for v in new) == sorted(len(str(v)) for v in values)
    assert not set(new[:5]) & set(values)
    with pytest.raises(InputError, match="below 0"):
        apply(engine, opened({"v": [-5, 6]}), Substitute("v"))


def test_phones_and_kept_prefixes(engine, opened):
    values = ["0161 496 0123", "0161 496 0999", "+49 30 123456"]
    phones = apply(engine, opened({"v": values}), Substitute("v", form="phone"))["v"].to_pylist()
    assert sum(bool(re.fullmatch(r"0[2-9]\d\d \d{3} \d{4}", phone)) for phone in phones) == 2
    assert sum(bool(re.fullmatch(r"\+[2-9]\d \d\d \d{6}", phone)) for phone in phones) == 1
    kept = apply(engine, opened({"v": values}), Substitute("v", keep=4))["v"].to_pylist()
    assert [k[:4] for k in kept] == [v[:4] for v in values]
    assert [form_of(k) for k in kept] == [form_of(v) for v in values]


def test_made_up_names_have_the_forms_that_occur(engine, opened):
    names = ["Virginia Townsend", "VIRGINIA TOWNSEND", "de la Cruz, J.", "Émile", None]
    source = opened(pa.table({"v": pa.array(names, pa.string())}))
    new = apply(engine, source, Substitute("v", form="name"))["v"].to_pylist()
    forms = [
        r"[A-Z][a-z]+ [A-Z][a-z]+",
        r"[A-Z]+ [A-Z]+",
        r"[a-z]+ [a-z]+ [A-Z][a-z]+, [A-Z]\.",
        r"[A-Z][a-z]+",
    ]
    assert [sum(bool(re.fullmatch(form, n)) for n in new[:4]) for form in forms] == [1] * 4
    assert new[4] is None
    assert len({n.casefold() for n in new[:4]}) == 4
    with pytest.raises(InputError, match="no letter"):
        apply(engine, opened({"v": ["123"]}), Substitute("v", form="name"))
    initials = opened({"v": list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")})
    with pytest.raises(GuaranteeError, match="too few letters"):
        apply(engine, initials, Substitute("v", form="name"))


@pytest.mark.heavy
def test_a_million_identity_numbers(engine, opened):
    numbers = np.random.default_rng(0).choice(10**9, size=10**6, replace=False)
    values = np.char.zfill(numbers.astype("U9"), 9)
    new = apply(engine, opened(pa.table({"ssn": values})), Substitute("ssn", form="identity"))
    made = np.array(new["ssn"].to_pylist())
    assert len(np.unique(made)) == 10**6
    assert not np.isin(made, values).any()


# Outliers to medians


def test_an_extreme_value_becomes_the_median(engine, opened):
    values = [21, 22, 23, 24, 25, 26, 27, 28, 1000]
    for rule in ("iqr", "mad"):
        step = OutliersToMedians(("v",), rule=rule)
        new = apply(engine, opened({"v": values}), step)["v"].to_pylist()
        assert new == [*values[:-1], 25]
    half = apply(engine, opened({"v": [1.0, 2, 3, 4, 5, 900]}), OutliersToMedians(("v",)))
    assert half["v"].to_pylist() == [1, 2, 3, 4, 5, 3.5]
    both = OutliersToMedians(("v",), rule="quantiles", limit=0.1)
    new = apply(engine, opened({"v": [-50, *range(1, 10), 50]}), both)["v"].to_pylist()
    assert new == [5, *range(1, 10), 5]


def test_a_rare_category_becomes_the_commonest(engine, opened):
    values = ["White"] * 6 + ["Black"] * 5 + ["Asian", None]
    new = apply(engine, opened({"v": values}), OutliersToMedians(("v",), rule="rare", limit=2))
    assert new["v"].to_pylist() == ["White"] * 6 + ["Black"] * 5 + ["White", None]
    with pytest.raises(GuaranteeError, match="no value of 'v' is had by 9 records"):
        apply(engine, opened({"v": values}), OutliersToMedians(("v",), rule="rare", limit=9))


def test_no_spread_is_refused(engine, opened):
    with pytest.raises(InputError, match="all others would be outliers"):
        apply(engine, opened({"v": [1] * 9 + [2]}), OutliersToMedians(("v",), rule="mad"))


# Perturbation that keeps an aggregate


@shrinking
@given(
    values=st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=40),
    seed=st.integers(0, 2**32),
    scale=st.floats(0.01, 1e6),
)
def test_totals_of_whole_numbers_stay_exactly_in_every_group(engine, opened, values, seed, scale):
    groups = [n % 3 for n in range(len(values))]
    source = opened({"v": values, "g": groups})
    step = PerturbKeeping(("v",), scale, within=("g",))
    new = apply(engine, source, step, seed=seed)["v"].to_pylist()
    for g in range(3):
        assert sum(new[g::3]) == sum(values[g::3])


@shrinking
@given(
    values=st.lists(st.floats(0.001, 1e9), min_size=2, max_size=40),
    seed=st.integers(0, 2**32),
    keep=st.sampled_from(["total", "variance"]),
)
def test_totals_of_floating_numbers_stay_to_the_last_bit(engine, opened, values, seed, keep):
    source = opened({"v": values})
    step = PerturbKeeping(("v",), 0.3, unit="deviation", keep=keep)
    new = apply(engine, source, step, seed=seed)["v"].to_pylist()
    assert math.fsum(new) == math.fsum(values)
    if keep == "variance":
        assert np.var(new) == pytest.approx(np.var(values), rel=1e-6, abs=1e-9 * max(values))


def test_decimals_stay_decimals_with_their_total(engine, opened):
    values = [Decimal("1.10"), Decimal("2.25"), None, Decimal("-3.05")]
    source = opened(pa.table({"v": pa.array(values, pa.decimal128(9, 2))}))
    new = apply(engine, source, PerturbKeeping(("v",), 5.0))["v"]
    assert new.type == pa.decimal128(9, 2)
    there = [v for v in new.to_pylist() if v is not None]
    assert sum(there) == Decimal("0.30")
    assert there != [v for v in values if v is not None]
    noisy = apply(engine, source, AddNoise(("v",), 1e6), Round(("v",), base=0.25))["v"]
    assert all(v is None or v % Decimal("0.25") == 0 for v in noisy.to_pylist())


def test_variance_of_whole_numbers_is_refused(engine, opened):
    with pytest.raises(InputError, match="cannot keep their variance"):
        apply(engine, opened({"v": [1, 2, 3]}), PerturbKeeping(("v",), 1.0, keep="variance"))


# Rounding


def test_rounding_to_a_base():
    assert Round(("v",), base=5) == Round(("v",), base=5.0)
    with pytest.raises(InputError, match="either a base or breaks"):
        Round(("v",))


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("nearest", [0, 5, 5, 10, -5]),
        ("down", [0, 0, 5, 5, -10]),
        ("up", [0, 5, 5, 10, -5]),
        ("range", ["0-4", "0-4", "5-9", "5-9", "-10 to -6"]),
    ],
)
def test_rounding_whole_numbers(engine, opened, to, expected):
    new = apply(engine, opened({"v": [0, 3, 5, 8, -7]}), Round(("v",), base=5, to=to))
    assert new["v"].to_pylist() == expected


def test_rounding_fractions_is_right_in_the_last_digit(engine, opened):
    source = opened({"v": [0.3, 0.25, 0.349, -0.05, 0.7]})
    for to, expected in (
        ("down", [0.3, 0.2, 0.3, -0.1, 0.7]),
        ("range", ["[0.3, 0.4)", "[0.2, 0.3)", "[0.3, 0.4)", "[-0.1, 0)", "[0.7, 0.8)"]),
    ):
        new = apply(engine, source, Round(("v",), base=0.1, to=to))
        assert new["v"].to_pylist() == expected


def test_a_small_type_grows_where_it_must(engine, opened):
    source = opened(pa.table({"v": pa.array([127, 3, None], pa.int8())}))
    assert apply(engine, source, Round(("v",), base=10))["v"].to_pylist() == [130, 0, None]
    same = apply(engine, source, Round(("v",), base=2, to="down"))["v"]
    assert same.type == pa.int8()
    assert apply(engine, source, Round(("v",), base=2.5, to="down"))["v"].to_pylist() == [
        125.0,
        2.5,
        None,
    ]


def test_random_rounding_has_no_bias(engine, opened):
    new = apply(engine, opened({"v": [3] * 20_000}), Round(("v",), base=10, to="random"))
    counts = Counter(new["v"].to_pylist())
    assert set(counts) == {0, 10}
    # five standard deviations of the binomial
    assert abs(counts[10] - 6000) < 5 * math.sqrt(20_000 * 0.3 * 0.7)


# Additive noise


@pytest.mark.parametrize("distribution", ["normal", "uniform", "laplace"])
def test_noise_has_mean_nothing_and_the_deviation_asked_for(engine, opened, distribution):
    n = 40_000
    source = opened({"v": np.full(n, 50.0), "w": np.arange(n)})
    step = AddNoise(("v",), 3.0, distribution=distribution)
    noise = apply(engine, source, step)["v"].to_numpy() - 50
    assert abs(noise.mean()) < 5 * 3 / math.sqrt(n)
    assert noise.std() == pytest.approx(3, rel=0.03)
    kurtosis = {"normal": 3.0, "uniform": 1.8, "laplace": 6.0}[distribution]
    assert (noise**4).mean() / 81 == pytest.approx(kurtosis, rel=0.15)
    whole = apply(engine, source, AddNoise(("w",), 0.1, unit="deviation"))["w"]
    assert whole.type == pa.int64()
    change = whole.to_numpy() - np.arange(n)
    assert change.std() == pytest.approx(0.1 * np.arange(n).std(), rel=0.03)
    floating = apply(engine, source, AddNoise(("w",), 0.1, whole=False))["w"]
    assert floating.type == pa.float64()


def test_noise_stops_at_bounds_and_says_so(engine, opened):
    source = opened({"age": [1, 2, 50, 99] * 50})
    step = AddNoise(("age",), 30.0, lowest=0, highest=100)
    done = Plan((step,)).apply(engine, source, seed=1)
    ages = done.source.table()["age"].to_numpy()
    assert (ages.min(), ages.max()) == (0, 100)
    assert "stopped at a bound" in done.receipts[0].notes[0]
    with pytest.raises(InputError, match="infinite in record 2"):
        apply(engine, opened({"v": [1.0, float("inf")]}), AddNoise(("v",), 1.0))
