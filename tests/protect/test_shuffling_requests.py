"""Wrong requests are refused without a value; the same seed gives the same bytes anywhere."""

from __future__ import annotations

import json

import numba
import numpy as np
import pytest
from small_tables import sha

from indistinct.core.errors import InputError
from indistinct.hierarchy import code_hierarchy
from indistinct.households import HouseholdColumns
from indistinct.protect import Plan, Shuffle
from indistinct.protect.shuffling.copula import nearest_correlation

JOBS = tuple(f"{a}{b}" for a in "12" for b in "123")
TREE = code_hierarchy(JOBS, name="job", digits=(1,))
EVERYTHING = Shuffle(
    ("income", "job", "kind"),
    ("age", "region"),
    within=("sex",),
    where="age >= 20",
    levels={"income": 0.2},
    shares={"job": 0.3},
    hierarchies={"job": TREE},
    stay={"job": 1},
    leave={"kind": ("a",)},
    nominal=("kind", "region"),
)


def people(records: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(31)
    age = rng.integers(0, 86, records)
    return {
        "income": np.round(np.exp(age / 40 + rng.normal(size=records)), 2),
        "age": age,
        "sex": rng.integers(1, 3, records),
        "kind": rng.choice(list("abc"), records),
        "job": rng.choice(JOBS, records),
        "region": rng.integers(0, 4, records),
        "same": np.ones(records),
        "serial": np.char.add("n", np.arange(records).astype(str)),
        "secret": np.where(np.arange(records) == 17, "zebra", "horse"),
    }


@pytest.fixture(scope="module")
def source(opened):
    return opened(people())


def apply(engine, source, step, seed=5):
    return Plan((step,)).apply(engine, source, seed=seed)


# Refusals


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"variables": ()}, "at least one variable"),
        ({"variables": ("income", "income")}, "named twice"),
        ({"given": ("income",)}, "cannot be both shuffled and given"),
        ({"within": ("income",)}, "cannot be both shuffled and within"),
        ({"apart": ("income",)}, "cannot be both shuffled and apart"),
        ({"level": 1.5}, "from 0 to 1. Got 1.5"),
        ({"level": -0.1}, "from 0 to 1"),
        ({"level": float("nan")}, "from 0 to 1"),
        ({"levels": {"income": 2.0}}, "The level of 'income' must be a number from 0 to 1"),
        ({"levels": {"age": 0.5}}, "'age' has a level, and is not among the shuffled"),
        ({"shares": {"income": 1.01}}, "The share of 'income' must be a number from 0 to 1"),
        ({"shares": {"age": 0.5}}, "'age' has a share, and is not among the shuffled"),
        ({"shares": {"income": 0.5}, "levels": {"income": 0.5}}, "both a level and a share"),
        ({"max_risk": 0.0}, "largest risk must be a number above 0"),
        ({"max_risk": 0.1, "shares": {"income": 0.5}}, "either levels and shares, or"),
        ({"stay": {"age": 1}}, "'age' is not among the shuffled variables"),
        ({"leave": {"age": ("1",)}}, "'age' is not among the shuffled variables"),
        ({"at": {"income": 1}}, "only where it is not shuffled"),
        ({"nominal": ("incom",)}, "'incom' is neither shuffled nor given"),
        ({"nominal": ("income",), "ordered": ("income",)}, "both nominal and ordered"),
        ({"of": "couple"}, "of must be people, couples or singles"),
        ({"hold": "hands"}, "hold must be table or ranks"),
        ({"ties": "random"}, "ties must be model or free"),
        ({"of": "singles"}, "Couples are found from households"),
        ({"where": "age <"}, "not understood"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_requests_that_contradict_themselves_are_refused(engine, source, wrong, said):
    with pytest.raises(InputError, match=said):
        apply(engine, source, Shuffle(**({"variables": ("income",), "given": ("sex",)} | wrong)))


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Shuffle(("incom",)), "There is no variable 'incom'. Did you mean 'income'"),
        (Shuffle(("income",), ("sexe",)), "There is no variable 'sexe'"),
        (Shuffle(("income", "same")), "'same' has the same value, or none, in all 400 records"),
        (Shuffle(("income", "job"), apart=("secret",)), "in all 1 records"),
        (Shuffle(("kind",), where="age == 200"), None),
        (Shuffle(("serial",)), "400 indicators, which is too many for the 400 records"),
        (Shuffle(("job",), stay={"job": 1}), "should stay within a branch of its hierarchy"),
        (
            Shuffle(("income",), ("job",), at={"job": 1}),
            "at a level of its hierarchy, and has none",
        ),
        (Shuffle(("job",), hierarchies={"job": TREE}, stay={"job": 7}), "level"),
        (Shuffle(("secret",), hierarchies={"secret": TREE}), "not in the hierarchy|unknown|know"),
        (Shuffle(("income",), where="spouse.age > 9"), "Relatives are found from households"),
        (Shuffle(("income",), where="agee > 9"), "speaks of 'agee', which is no variable"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_file_cannot_give_is_refused_without_a_value(engine, source, step, said):
    if said is None:
        assert apply(engine, source, step).receipts[0].warnings
        return
    with pytest.raises(InputError, match=said) as refused:
        apply(engine, source, step)
    assert "zebra" not in str(refused.value)
    assert "horse" not in str(refused.value)


def test_an_infinite_number_is_refused_by_record_and_a_missing_one_stays(engine, opened):
    table = people()
    income = table["income"].copy()
    income[41], income[7] = np.inf, np.nan
    for step in (Shuffle(("income",)), Shuffle(("age",), ("income",))):
        with pytest.raises(InputError, match="'income' is infinite in record 42"):
            apply(engine, opened(table | {"income": income}), step)
    income[41] = 3.0
    new = apply(engine, opened(table | {"income": income}), Shuffle(("income",))).source
    after = new.table()["income"].to_pandas().to_numpy()
    assert np.flatnonzero(np.isnan(after)).tolist() == [7]


def test_correlations_that_cannot_be_computed_are_refused():
    with pytest.raises(InputError, match="cannot be computed"):
        nearest_correlation(np.array([[1.0, np.nan], [np.nan, 1.0]]))


def test_many_values_are_refused_before_any_work(engine, opened):
    """As indicators, each of them would need a column of its own."""
    source = opened({"name": [f"n{i}" for i in range(30_000)], "s": np.arange(30_000) % 7})
    with pytest.raises(InputError, match="30,001 indicators"):
        apply(engine, source, Shuffle(("name",), ("s",)))


# What is told


def test_a_step_is_described_and_read_back(engine, source):
    columns = HouseholdColumns("hid", "rel", "sex", "age", head=(1,))
    couples = Shuffle(("age",), of="couples", households=columns, shares={"age": 0.5})
    for step in (EVERYTHING, couples):
        assert Plan.from_dict(json.loads(json.dumps(Plan((step,)).to_dict()))).steps == (step,)
    told = EVERYTHING.describe()
    for part in ("income, job, kind", "given age, region", "alike in sex", "job for 30.0%"):
        assert part in told
    assert "0.2" not in told
    assert "of couples" in couples.describe()
    receipt = apply(engine, source, EVERYTHING).receipts[0]
    assert "levels" not in json.dumps(receipt.to_dict())
    assert set(receipt.private["levels"]) == {"income", "job", "kind"}


# Determinism


@pytest.mark.heavy
def test_threads_do_not_matter(engine, opened):
    """Of rows there must be more than one block, so that threads share them."""
    source = opened(people(40_000))
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = apply(engine, source, EVERYTHING)
    finally:
        numba.set_num_threads(threads)
    together = apply(engine, source, EVERYTHING)
    assert sha(alone.source.path) == sha(together.source.path)
    assert alone.receipts == together.receipts


def test_batches_do_not_matter_and_seeds_do(engine, small_batches, source):
    one, other = (apply(e, source, EVERYTHING) for e in (engine, small_batches))
    assert one.source.table().equals(other.source.table())
    assert one.receipts == other.receipts
    again, another = (apply(engine, source, EVERYTHING, seed) for seed in (5, 6))
    assert sha(one.source.path) == sha(again.source.path)
    assert not one.source.table().equals(another.source.table())


@pytest.mark.spark
@pytest.mark.heavy
def test_both_engines_write_the_same_bytes(engine, source, tmp_path):
    pytest.importorskip("pyspark")
    from indistinct.engine import start_engine

    with start_engine("spark", workspace=tmp_path, memory=1 << 30, threads=2) as spark:
        ours, theirs = (apply(e, source, EVERYTHING) for e in (engine, spark))
    assert sha(ours.source.path) == sha(theirs.source.path)
    assert ours.receipts == theirs.receipts
