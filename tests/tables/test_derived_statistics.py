"""The seven safe kinds of Openshaw et al. (1997), Table 1, each against another calculation."""

from __future__ import annotations

import itertools
import json
from dataclasses import fields, is_dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from small_data import open_small

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables
from indistinct.tables.derived import (
    KINDS,
    DerivedSpec,
    Share,
    derive,
    inferable,
    is_derived,
    least_denominator,
    output_class,
)
from indistinct.tables.derived.deriving import cluster_codes, k_means
from indistinct.tables.derived.direct import (
    chi_squares,
    largest_remainders,
    leaves_open,
    percentages,
)
from indistinct.tables.derived.models import fit, significant
from indistinct.tables.derived.specification import ShareCounts

AREAS = 40


def grouping(name):
    return Grouping(name, name)


def share(variable, *values, among=()):
    return Share(variable, ((variable, values or (1,)),), among)


UNEMPLOYED = Share("unemployed", (("work", ("none",)),), (("work", ("none", "some")),))


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(7)
    number = 14_000
    area = random.integers(0, AREAS, number)
    area[area == 39] = np.where(random.random((area == 39).sum()) < 0.02, 39, 0)
    level = random.normal(0, 0.6, AREAS)[area]
    found = pd.DataFrame({"area": area, "age": random.integers(0, 90, number)})
    for n, base in enumerate((-1.0, -0.5, 0.3)):
        chance = 1 / (1 + np.exp(-base - level * (n + 1) / 2))
        found[f"x{n}"] = (random.random(number) < chance).astype(int)
    chance = 1 / (1 + np.exp(1.2 - level - 0.5 * found["x0"]))
    none = random.random(number) < chance
    found["work"] = np.where(found["age"] < 16, "child", np.where(none, "none", "some"))
    found["tenure"] = random.choice(list("abc"), number, p=[0.6, 0.3, 0.1])
    found["head"] = (random.random(number) < 0.4).astype(int)
    return found


@pytest.fixture(scope="module")
def counted(people):
    tables = TableSet(
        (
            TableSpec("one", tuple(map(grouping, ("x0", "x1", "x2", "work")))),
            TableSpec("two", tuple(map(grouping, ("tenure", "head", "age")))),
        ),
        grouping("area"),
    )
    with open_small(people) as data:
        return count_tables(data.source, data.engine, tables)


def shares_of(people):
    """The shares x0, x1, x2 and unemployed of every area, by pandas."""
    found = people.groupby("area")[["x0", "x1", "x2"]].mean()
    active = people[people["work"] != "child"]
    found["unemployed"] = (active["work"] == "none").groupby(active["area"]).mean()
    return found


def large(people, least=10):
    active = people[people["work"] != "child"].groupby("area").size()
    return ((people.groupby("area").size() >= least) & (active >= least)).to_numpy()


def test_the_seven_kinds_of_table_1_and_the_two_classes_of_output():
    assert len(KINDS) == 7
    table = TableSpec("ages", (grouping("age"),))
    assert output_class(table) == "raw counts"
    assert not is_derived(table)
    assert is_derived(DerivedSpec("counts", "people"))


def test_counts_of_people_and_households(people, counted):
    spec = DerivedSpec("counts", "people", households=(("head", (1,)),))
    found = derive(counted, [spec], least_people=10)
    sizes = people.groupby("area").size().to_numpy()
    assert (sizes < 10).any()
    expected = np.where(sizes >= 10, sizes, np.nan)
    np.testing.assert_array_equal(found["people"], expected)
    heads = people.groupby("area")["head"].sum().to_numpy()
    np.testing.assert_array_equal(found["people: households"], np.where(sizes >= 10, heads, np.nan))


def test_index_is_the_rounded_standardised_sum(people, counted):
    spec = DerivedSpec("index", "need", (share("x0"), UNEMPLOYED), weights=(1, 2), step=0.25)
    found = derive(counted, [spec])["need"]
    frame = shares_of(people)[["x0", "unemployed"]][large(people)]
    z = frame.apply(stats.zscore)
    total = stats.zscore(z["x0"] + 2 * z["unemployed"])
    expected = 100 + np.floor(total / 0.25 + 0.5)
    released = ~np.isnan(found[large(people)])
    assert released.mean() > 0.5
    np.testing.assert_array_equal(found[large(people)][released], expected[released])
    assert np.isnan(found[~large(people)]).all()


def test_released_chi_square_is_the_square_of_the_rounded_root(people, counted):
    spec = DerivedSpec("chi-square", "work", (UNEMPLOYED,), step=0.5)
    found = derive(counted, [spec])["work"]
    active = people[people["work"] != "child"]
    there = large(people)
    whole = active.groupby("area").size().to_numpy()
    part = (active["work"] == "none").groupby(active["area"]).sum().to_numpy()
    expected = whole * part[there].sum() / whole[there].sum()
    root = (part - expected) / np.sqrt(expected)
    rounded = np.floor(root / 0.5 + 0.5) * 0.5
    released = ~np.isnan(found)
    assert released.sum() == (there & (0.5 * np.sqrt(expected) >= 3)).sum() > 30
    assert found[released] == pytest.approx((np.sign(rounded) * rounded**2)[released])


@pytest.mark.parametrize("whole", [60, 150, 400])
def test_chi_square_leaves_three_counts_open_by_brute_force(whole):
    """All areas with every count that an area of this size can have."""
    part = np.arange(whole + 1)
    counts = ShareCounts(("one",), part[:, None], np.full((whole + 1, 1), whole))
    everyone = np.ones(whole + 1, dtype=bool)
    found = chi_squares("one", counts, possible=3, eligible=everyone, step=1.0)
    values = pd.Series(part).groupby(found.values[:, 0])
    assert not np.isnan(found.values).any()
    assert values.size().min() >= 3
    assert (values.transform("min") == found.low[:, 0]).all()
    assert (values.transform("max") == found.high[:, 0]).all()


def test_component_scores_against_a_singular_value_decomposition(people, counted):
    shares = (share("x0"), share("x1"), share("x2"), UNEMPLOYED)
    spec = DerivedSpec("components", "pc", shares, components=2, step=0.5)
    found = derive(counted, [spec])
    frame = shares_of(people)[large(people)]
    z = frame.apply(stats.zscore).to_numpy()
    left, sizes, right = np.linalg.svd(z, full_matrices=False)
    for n in (0, 1):
        sign = np.sign(right[n][np.argmax(np.abs(right[n]))])
        expected = np.floor(sign * left[:, n] * sizes[n] / 0.5 + 0.5) * 0.5
        values = found[f"pc {n + 1}"][large(people)]
        released = ~np.isnan(values)
        assert released.mean() > 0.5
        assert values[released] == pytest.approx(expected[released])
        given = [one.loading for one in found.loadings if one.component == f"pc {n + 1}"]
        assert given == pytest.approx((sign * right[n]).round(2))
    explained = (sizes**2 / (sizes**2).sum())[:2]
    assert f"{explained[0]:.0%}, {explained[1]:.0%}" in found.notes[0]


def test_percentages_are_rounded_and_parts_add_up(people, counted):
    parts = tuple(Share(one, (("tenure", (one,)),)) for one in "abc")
    found = derive(
        counted,
        [
            DerivedSpec("percentages", "tenure", parts, parts=True, step=2),
            DerivedSpec("percentages", "work", (UNEMPLOYED,), step=5),
        ],
    )
    tenure = np.column_stack([found[f"tenure: {one}"] for one in "abc"])
    sizes = people.groupby("area").size().to_numpy()
    released = sizes >= 201
    assert released.any()
    np.testing.assert_array_equal(np.isnan(tenure).any(axis=1), ~released)
    assert (tenure[released].sum(axis=1) == 100).all()
    exact = pd.crosstab(people["area"], people["tenure"], normalize="index").to_numpy() * 100
    assert (np.abs(tenure - exact)[released] < 2).all()
    active = people[people["work"] != "child"]
    for area, group in active.groupby("area"):
        exact = Fraction(int((group["work"] == "none").sum()) * 100, len(group))
        value = found["work"][area]
        assert (
            np.isnan(value) if len(group) < 81 else value == 5 * ((exact / 5 + Fraction(1, 2)) // 1)
        )


def compositions(whole, parts):
    if parts == 1:
        yield (whole,)
        return
    for first in range(whole + 1):
        for rest in compositions(whole - first, parts - 1):
            yield (first, *rest)


@pytest.mark.parametrize(("step", "parts"), [(5, 3), (10, 4)])
def test_parts_leave_three_counts_open_by_brute_force(step, parts):
    """Every way to divide the least number of people, and all that are released alike."""
    whole = least_denominator(3, step=step)
    counts = np.array(list(compositions(whole, parts)))
    released = largest_remainders(counts, 100 // step)
    assert (released.sum(axis=1) == 100 // step).all()
    frame = pd.DataFrame(np.column_stack([released, counts]))
    possible = frame.groupby(list(range(parts)))[list(range(parts, 2 * parts))].nunique()
    assert possible.to_numpy().min() == 3


@pytest.mark.parametrize(("possible", "step"), [(2, 1), (3, 1), (3, 5), (4, 10)])
def test_least_denominator_by_brute_force(possible, step):
    def fewest(whole):
        rounded = [
            (Fraction(100 * n, whole * step) + Fraction(1, 2)) // 1 for n in range(whole + 1)
        ]
        return min(rounded.count(one) for one in set(rounded))

    least = least_denominator(possible, step=step)
    assert fewest(least - 1) < possible
    for whole in (*range(least, least + 12), 2 * least + 1):
        assert fewest(whole) >= possible


def test_inferable_by_brute_force():
    for whole, step in itertools.product((1, 7, 40, 200), (1, 5)):
        for percentage in range(0, 101, step):
            expected = tuple(
                n
                for n in range(whole + 1)
                if (Fraction(100 * n, whole * step) + Fraction(1, 2)) // 1 * step == percentage
            )
            assert inferable(percentage, whole, step=step) == expected
    assert inferable(1, range(67, 101)) == (
        1,
    )  # who publishes 1 % of up to 100 tells of one person


def test_windows_of_percentages_are_what_is_inferable():
    part = np.arange(0, 402)[:, None]
    counts = ShareCounts(("one",), part, np.full((402, 1), 401))
    everyone = np.ones(402, dtype=bool)
    found = percentages("one", counts, possible=3, eligible=everyone)
    assert found.step == 1
    for n in (0, 2, 3, 77, 200, 399, 401):
        agree = inferable(found.values[n, 0], 401)
        assert (agree[0], agree[-1]) == (found.low[n, 0], found.high[n, 0])


def likelihood_fit(negative, number):
    """Estimates and standard errors by a general optimiser and numerical second derivatives."""
    found = optimize.minimize(negative, np.zeros(number), method="BFGS", options={"gtol": 1e-8}).x
    step = 1e-4
    second = np.empty((number, number))
    unit = np.eye(number) * step
    for i, j in itertools.product(range(number), repeat=2):
        second[i, j] = (
            negative(found + unit[i] + unit[j])
            - negative(found + unit[i] - unit[j])
            - negative(found - unit[i] + unit[j])
            + negative(found - unit[i] - unit[j])
        ) / (4 * step**2)
    return found, np.sqrt(np.diag(np.linalg.inv(second)))


def test_logistic_model_of_persons_against_maximum_likelihood(people, counted):
    spec = DerivedSpec(
        "model", "work", (share("x0"), share("x1")), outcome=UNEMPLOYED, numbers=("age",)
    )
    found = derive(counted, [spec]).parameters
    active = people[people["work"] != "child"]
    y = (active["work"] == "none").to_numpy()
    x = np.column_stack([np.ones(len(y)), active["x0"], active["x1"], active["age"] / 100])

    def negative(b):
        linear = x @ b
        return (np.logaddexp(0, linear) - y * linear).sum()

    estimates, errors = likelihood_fit(negative, 4)
    estimates[3] /= 100
    errors[3] /= 100
    assert [one.name for one in found] == ["(intercept)", "x0", "x1", "age"]
    assert [one.estimate for one in found] == pytest.approx(estimates, rel=0.01)
    assert [one.error for one in found] == pytest.approx(errors, rel=0.01)
    assert all(one.estimate == significant(one.estimate) for one in found)


def test_poisson_and_linear_models_of_areas(people, counted):
    shares = (share("x0"), share("x2"))
    models = [
        DerivedSpec("model", family, shares, outcome=UNEMPLOYED, unit="area", family=family)
        for family in ("poisson", "linear")
    ]
    found = derive(counted, models).parameters
    there = large(people)
    frame = shares_of(people)[there]
    active = people[people["work"] != "child"]
    whole = active.groupby("area").size().to_numpy()[there]
    part = frame["unemployed"].to_numpy() * whole
    x = np.column_stack([np.ones(len(frame)), frame["x0"], frame["x2"]])

    def negative(b):
        return (whole * np.exp(x @ b) - part * (x @ b)).sum()

    estimates, errors = likelihood_fit(negative, 3)
    assert [one.estimate for one in found[:3]] == pytest.approx(estimates, rel=0.006)
    assert [one.error for one in found[:3]] == pytest.approx(errors, rel=0.006)
    least, residual, *_ = np.linalg.lstsq(x, frame["unemployed"].to_numpy())
    errors = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * residual[0] / (len(x) - 3))
    assert [one.estimate for one in found[3:]] == pytest.approx(least, rel=0.006)
    assert [one.error for one in found[3:]] == pytest.approx(errors, rel=0.006)


def test_models_that_would_give_counts_back_are_refused(counted):
    saturated = DerivedSpec("model", "m", (share("x0"),), outcome=UNEMPLOYED)
    with pytest.raises(GuaranteeError, match="2 parameters for 2 kinds of people"):
        derive(counted, [saturated])
    old = Share("oldest", (("age", ("89+",)),))
    few = DerivedSpec("model", "m", (share("x0"), old), outcome=UNEMPLOYED, numbers=("age",))
    with pytest.raises(GuaranteeError, match="'oldest' rests on fewer than 500 people"):
        derive(counted, [few], least_people=500)
    many = tuple(Share(f"age {n}", (("age", (n,)),)) for n in range(10))
    nearly = DerivedSpec("model", "m", many, outcome=UNEMPLOYED, unit="area")
    with pytest.raises(GuaranteeError, match="areas for each parameter"):
        derive(counted, [nearly], least_people=1)


def test_a_saturated_model_is_the_table_in_another_form():
    """What the refusal is for: two parameters and two standard errors, and four counts."""
    table = np.array([[3.0, 9.0], [7.0, 5.0]])
    design = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    outcome = np.array([0.0, 1.0, 0.0, 1.0])
    found = fit("logistic", design, outcome, weights=table.ravel())
    b, error = found.estimates, found.errors
    # error[0]² = 1/n00 + 1/n01 and b[0] = log(n01/n00) give n00
    assert (1 + np.exp(-b[0])) / error[0] ** 2 == pytest.approx(3.0)
    assert (1 + np.exp(-b.sum())) / (error[1] ** 2 - error[0] ** 2) == pytest.approx(7.0)


def test_separated_outcomes_have_no_estimates():
    design = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])
    outcome = np.array([0.0, 0.0, 1.0, 1.0])
    assert fit("logistic", design, outcome, weights=np.ones(4)) is None


def test_k_means_against_all_partitions():
    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(9, 2))
        _, loss = k_means(points, 2, np.random.default_rng(0))
        best = min(
            sum(
                ((points[own == c] - points[own == c].mean(axis=0)) ** 2).sum()
                for c in range(2)
                if (own == c).any()
            )
            for own in map(np.array, itertools.product((0,), *[(0, 1)] * 8))
        )
        assert loss == pytest.approx(best)


def test_cluster_codes_find_groups_and_dissolve_small_ones(counted, people):
    random = np.random.default_rng(1)
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], [12, 8, 2], axis=0)
    points = centres + random.normal(0, 0.3, centres.shape)

    def codes(least):
        found = cluster_codes(
            "c", points, clusters=3, least_areas=least, random=np.random.default_rng(3)
        )
        return found.tolist()

    assert codes(2) == [1] * 12 + [2] * 8 + [3] * 2
    assert codes(3)[:20] == [1] * 12 + [2] * 8
    assert set(codes(3)) == {1, 2}
    spec = DerivedSpec("clusters", "class", (share("x0"), share("x1"), share("x2")), clusters=3)
    first, second = derive(counted, [spec], seed=1), derive(counted, [spec], seed=1)
    np.testing.assert_array_equal(first["class"], second["class"])
    sizes = pd.Series(first["class"]).value_counts()
    assert sizes.min() >= 5
    assert np.isnan(first["class"]).sum() == (people.groupby("area").size() < 10).sum()
    with pytest.raises(GuaranteeError, match="fewer clusters"):
        derive(counted, [DerivedSpec("clusters", "c", spec.shares, clusters=20)])


def test_scores_and_percentages_together_leave_three_counts_open(people, counted):
    """An intruder knows sizes, means, deviations and weights, and tries every pair of counts."""
    pair = (share("x0"), share("x1"))
    found = derive(
        counted,
        [
            DerivedSpec("counts", "people"),
            DerivedSpec("index", "need", pair, step=0.5),
            DerivedSpec("percentages", "x0", (pair[0],), step=5),
        ],
    )
    there = people.groupby("area").size().to_numpy() >= 10
    frame = people.groupby("area")[["x0", "x1"]].mean()
    mean, spread = frame[there].mean().to_numpy(), frame[there].std(ddof=0).to_numpy()
    scale = ((frame[there] - mean) / spread).sum(axis=1).std(ddof=0)
    checked = 0
    for area in np.flatnonzero(~np.isnan(found["need"])):
        n = int(found["people"][area])
        parts = np.arange(n + 1)
        z = (parts[:, None] / n - mean) / spread
        index = 100 + np.floor((z[:, 0][:, None] + z[:, 1][None, :]) / scale / 0.5 + 0.5)
        agree = index == found["need"][area]
        if not np.isnan(found["x0"][area]):
            agree &= (np.floor(100 * parts / n / 5 + 0.5) * 5 == found["x0"][area])[:, None]
        assert agree.any(axis=1).sum() >= 3
        assert agree.any(axis=0).sum() >= 3
        checked += 1
    assert checked > 20


def test_scores_that_leave_counts_open_by_brute_force():
    """Areas where hardly anybody has what is scored: whoever passes has three counts open."""
    random = np.random.default_rng(5)
    areas, whole = 300, 30
    count = random.integers(0, 4, (areas, 2))
    slopes = random.uniform(0.05, 0.33, (areas, 2, 1))
    offset = random.uniform(0, 1, areas)
    scores = (offset + (slopes[:, :, 0] * count).sum(axis=1))[:, None]
    low, high = np.zeros_like(count), np.full_like(count, whole)
    passed = leaves_open(scores, slopes, np.array([1.0]), low, count, high, 3)
    possible = np.empty(areas, dtype=int)
    n = np.arange(whole + 1)
    for area in range(areas):
        first, second = slopes[area, :, 0]
        every = offset[area] + first * n[:, None] + second * n[None, :]
        agree = np.floor(every + 0.5) == np.floor(scores[area, 0] + 0.5)
        possible[area] = min(agree.any(axis=0).sum(), agree.any(axis=1).sum())
    assert (possible[passed] >= 3).all()
    assert (possible < 3).any()
    assert passed[possible >= 3].mean() > 0.95


def test_nothing_that_leaves_holds_counts(people, counted):
    found = derive(
        counted,
        [
            DerivedSpec("percentages", "work", (UNEMPLOYED,)),
            DerivedSpec("components", "pc", (share("x0"), share("x1"), share("x2"))),
        ],
    )
    active = people[people["work"] != "child"]
    raw = [
        *(people.groupby("area")[f"x{n}"].sum().to_numpy() for n in range(3)),
        (active["work"] == "none").groupby(active["area"]).sum().to_numpy(),
        active.groupby("area").size().to_numpy(),
        people.groupby("area").size().to_numpy(),
    ]
    arrays = list(reachable_arrays(found))
    assert len(arrays) == len(found.columns)
    for array in arrays:
        for counts in raw:
            assert np.mean(array == counts) < 0.2
    assert json.loads(json.dumps(found.to_dict()))["areas"] == list(found.areas)
    assert found.to_frame().shape == (AREAS, 3)


def reachable_arrays(thing):
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, tuple):
        for one in thing:
            yield from reachable_arrays(one)
    elif is_dataclass(thing):
        for one in fields(thing):
            yield from reachable_arrays(getattr(thing, one.name))


def test_what_could_be_combined_is_refused(counted):
    x0, again = share("x0"), Share("again", (("x0", (1,)),))
    rest = Share("rest", (("x0", (0,)),))
    tenure = tuple(Share(one, (("tenure", (one,)),)) for one in "abc")
    for specs, words in (
        ([DerivedSpec("percentages", "p", (x0,)), DerivedSpec("chi-square", "c", (again,))], "two"),
        ([DerivedSpec("percentages", "p", (x0, rest))], "'rest' follows from the others"),
        ([DerivedSpec("percentages", "p", tenure)], "'c' follows from the others"),
        (
            [
                DerivedSpec("percentages", "p", tenure, parts=True),
                DerivedSpec("index", "i", (tenure[0], x0)),
            ],
            "parts=False",
        ),
        ([DerivedSpec("percentages", "p", tenure[:2], parts=True)], "not the parts of one whole"),
        ([TableSpec("t", (grouping("age"),))], "specs must be a list of DerivedSpec"),
        ([DerivedSpec("percentages", "p", (share("income"),))], "'income' was not counted"),
        ([DerivedSpec("percentages", "p", (share("x0", 7),))], "Nobody is counted"),
    ):
        with pytest.raises(InputError, match=words):
            derive(counted, specs)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "percentages", "shares": ()},
        {"kind": "index", "shares": (UNEMPLOYED,)},
        {"kind": "percentages", "shares": (UNEMPLOYED,), "step": 3},
        {"kind": "model", "shares": (UNEMPLOYED,)},
        {"kind": "median", "shares": (UNEMPLOYED,)},
        {"kind": "clusters", "shares": (UNEMPLOYED, share("x0")), "least_areas": 1},
        {"kind": "components", "shares": (UNEMPLOYED, share("x0")), "components": 3},
    ],
)
def test_wrong_specifications_are_refused(wrong):
    with pytest.raises(InputError):
        DerivedSpec(name="one", **wrong)
