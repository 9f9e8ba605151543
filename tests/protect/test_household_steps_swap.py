"""Targeted record swapping of whole households."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.protect import Plan, Step
from indistinct.protect.steps.households import SIZE, SwapHouseholds, SwappedPairs, people_with
from indistinct.protect.steps.households.groups import read_households
from indistinct.protect.steps.households.pairing import NOT_AT_RISK, level_at_risk
from indistinct.protect.steps.households.places import rarest_in_place
from indistinct.protect.steps.households.similarity import profile_classes

shrinking = settings(max_examples=20, deadline=None)

GEOGRAPHY = ("region", "area")


def population(seed, *, households=30, regions=2, areas=3):
    """People in households, their records mixed, in areas whose numbers repeat by region."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, households)
    place = rng.integers(0, [regions, areas], (households, 2))
    of = rng.permutation(np.repeat(np.arange(households), sizes))
    return pa.table(
        {
            "who": np.arange(len(of)),
            "home": of + 100,
            "region": place[of, 0],
            "area": [f"area {n}" for n in place[of, 1]],
            "urban": place[of].sum(axis=1) % 2,
            "age": rng.integers(0, 60, len(of)),
            "sex": rng.integers(0, 2, len(of)),
            "tenure": rng.integers(0, 2, households)[of],
        }
    )


def run(engine, source, step, seed=1):
    done = Plan((step,)).apply(engine, source, seed=seed)
    return done.source, done.receipts[0]


def homes(table):
    found: dict[int, list[dict]] = {}
    for row in table.to_pylist():
        found.setdefault(row["home"], []).append(row)
    return found


def counted_at_risk(table, risk, k):
    """By plain counting: the broadest level at which each household is at risk."""
    rows = table.to_pylist()
    found = {}
    for level in range(len(GEOGRAPHY)):
        key = (*GEOGRAPHY[: level + 1], *risk)
        counts = Counter(tuple(r[n] for n in key) for r in rows)
        for r in rows:
            if counts[tuple(r[n] for n in key)] < k:
                found.setdefault(r["home"], level)
    return found


@shrinking
@given(seed=st.integers(0, 2**32), k=st.integers(0, 4))
def test_households_at_risk_are_those_of_plain_counting(engine, opened, seed, k):
    table = population(seed)
    source = opened(table)
    households = read_households(engine, source, "home")
    rarest = rarest_in_place(engine, source, households, GEOGRAPHY, ("sex", "tenure"))
    levels = level_at_risk(rarest, k, len(households))
    ids = table["home"].to_numpy()[households.first]
    found = {int(i): int(v) for i, v in zip(ids, levels, strict=True) if v < NOT_AT_RISK}
    assert found == counted_at_risk(table, ("sex", "tenure"), k)


@shrinking
@given(
    seed=st.integers(0, 2**32),
    k=st.sampled_from([0, 2, 3, 4]),
    share=st.sampled_from([0.1, 0.5, 1.0]),
    donors=st.sampled_from(["near", "anywhere"]),
    by_risk=st.booleans(),
)
def test_whole_households_change_places_and_nothing_else(
    engine, opened, seed, k, share, donors, by_risk
):
    table = population(seed)
    step = SwapHouseholds(
        "home", GEOGRAPHY, ((SIZE, "tenure"), (SIZE,)), share, ("sex",), k,
        ("urban",), by_risk, donors,
    )  # fmt: skip
    source = opened(table)
    changed, receipt = run(engine, source, step, seed)
    after = changed.table()
    moved = [*GEOGRAPHY, "urban"]
    assert after.drop_columns(moved) == table.drop_columns(moved)
    before_homes, after_homes = homes(table), homes(after)
    place = {home: tuple(people[0][n] for n in moved) for home, people in before_homes.items()}
    new = {}
    for home, people in after_homes.items():
        assert len({tuple(p[n] for n in moved) for p in people}) == 1
        new[home] = tuple(people[0][n] for n in moved)
    partner = {}
    ids = table["home"].to_pylist()
    for one, other in receipt.private.records.tolist():
        assert ids[one] not in partner
        assert ids[other] not in partner
        partner |= {ids[one]: ids[other], ids[other]: ids[one]}
    assert len(partner) == 2 * len(receipt.private)
    for home, people in before_homes.items():
        if home in partner:
            assert new[home] == place[partner[home]] != place[home]
            assert len(people) == len(before_homes[partner[home]])
        else:
            assert new[home] == place[home]
    # households by place and size
    assert Counter((place[h], len(p)) for h, p in before_homes.items()) == Counter(
        (new[h], len(p)) for h, p in after_homes.items()
    )
    cells = {n: sum(a != b for a, b in zip(table[n], after[n], strict=True)) for n in moved}
    assert dict(receipt.cells_changed) == cells
    for (one, other), level, profile in zip(
        receipt.private.records.tolist(),
        receipt.private.level.tolist(),
        receipt.private.profile.tolist(),
        strict=True,
    ):
        a, b = table.slice(one, 1).to_pylist()[0], table.slice(other, 1).to_pylist()[0]
        assert any(a[n] != b[n] for n in GEOGRAPHY[: level + 1])
        assert profile == 1 or a["tenure"] == b["tenure"]
    left = len(counted_at_risk(table, ("sex",), k).keys() - partner.keys()) if k else 0
    said = [w for w in receipt.warnings if "where they were" in w]
    assert (f"{left:,} households" in said[0]) if left else not said
    assert step.undo(engine, changed, receipt.private).table() == table


def test_the_share_is_reached_and_rounded_up_to_pairs(engine, opened):
    source = opened(population(1, households=101))
    _, receipt = run(engine, source, SwapHouseholds("home", GEOGRAPHY, share=0.1))
    assert len(receipt.private) == 6  # 10.1 households
    assert "12 of 101 households" in receipt.notes[0]
    assert "6 pairs" in repr(receipt.private)


def test_near_donors_keep_the_region_where_they_can(engine, opened):
    table = population(2, households=200)
    near, _ = run(engine, opened(table), SwapHouseholds("home", GEOGRAPHY, share=0.4))
    assert near.table()["region"] == table["region"]
    step = SwapHouseholds("home", GEOGRAPHY, share=0.4, donors="anywhere")
    far, _ = run(engine, opened(table), step)
    assert far.table()["region"] != table["region"]


def test_at_risk_in_the_region_means_another_region(engine, opened):
    table = population(3, households=60)
    odd = table["who"].to_numpy() == 5
    table = table.append_column("rare", pa.array(odd))
    step = SwapHouseholds("home", GEOGRAPHY, share=0.0, risk=("rare",), k=2)
    after, receipt = run(engine, opened(table), step)
    assert after.table()["region"][5] != table["region"][5]
    assert receipt.private.level.tolist() == [0]
    assert receipt.private.forced.all()


def test_one_place_gives_nothing_to_swap_and_a_warning(engine, opened):
    table = population(4, regions=1, areas=1)
    source = opened(table)
    step = SwapHouseholds("home", GEOGRAPHY, share=0.5, risk=("age",), k=3)
    after, receipt = run(engine, source, step)
    assert after.table() == table
    assert any("one place" in w for w in receipt.warnings)
    assert any("was not reached" in w for w in receipt.warnings)
    assert len(receipt.private) == 0


def test_missing_places_and_people_without_a_household(engine, opened):
    table = pa.table(
        {
            "home": pa.array([None, None, 1, 1, 2], pa.int64()),
            "area": pa.array(["a", None, None, None, "b"]),
        }
    )
    step = SwapHouseholds("home", ("area",), share=1.0)
    after, receipt = run(engine, opened(table), step)
    assert Counter(after.table()["area"].to_pylist()) == Counter(table["area"].to_pylist())
    assert after.table()["area"].to_pylist()[2:4] == [None, None]
    assert len(receipt.private) == 1


def test_a_household_in_two_places_names_the_record(engine, opened):
    table = pa.table({"home": [1, 2, 1], "area": ["a", "secret-b", "secret-c"]})
    with pytest.raises(InputError, match=r"record 3 differs in its place \(area\)") as error:
        run(engine, opened(table), SwapHouseholds("home", ("area",)))
    assert "secret" not in str(error.value)
    table = pa.table({"home": [1, 2, 1], "area": list("aba"), "urban": [1, 1, 2]})
    with pytest.raises(InputError, match="record 3 differs in 'urban'"):
        run(engine, opened(table), SwapHouseholds("home", ("area",), carry_along=("urban",)))


def test_seeds_batches_and_plans(engine, small_batches, opened):
    table = population(5)
    step = SwapHouseholds("home", GEOGRAPHY, share=0.5, risk=("age",), k=2)
    first = run(engine, opened(table), step, 7)[0].table()
    assert run(small_batches, opened(table), step, 7)[0].table() == first
    assert run(engine, opened(table), step, 8)[0].table() != first
    again = Step.from_dict(json.loads(json.dumps(step.to_dict())))
    assert again == step
    with pytest.raises(InputError, match="needs a seed"):
        Plan((step,)).apply(engine, opened(table))
    assert "7" not in step.describe()
    assert "pairs" not in json.dumps(run(engine, opened(table), step)[1].to_dict()["cells_changed"])


def test_undo_refuses_pairs_of_other_records(engine, opened):
    table = population(6)
    step = SwapHouseholds("home", GEOGRAPHY, share=0.5)
    changed, receipt = run(engine, opened(table), step)
    turned = opened(changed.table().take(list(range(table.num_rows))[::-1]))
    with pytest.raises(InputError, match="not those of these records"):
        step.undo(engine, turned, receipt.private)
    none = np.zeros(1, dtype=np.int64)
    beyond = SwappedPairs(np.array([[0, 10**6]]), none, none, none.astype(bool))
    with pytest.raises(InputError, match="not those of these records"):
        step.undo(engine, changed, beyond)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"hierarchy": ()}, "at least one variable"),
        ({"hierarchy": ("area", "area")}, "twice"),
        ({"share": 1.5}, "from 0 to 1"),
        ({"share": 0.0}, "nothing would be swapped"),
        ({"k": 3}, "needs risk variables"),
        ({"k": -1}, "at least 0"),
        ({"similar": ()}, "at least one similarity profile"),
        ({"similar": ((),)}, "at least one term"),
        ({"similar": (("(people)",),)}, "is no term"),
        ({"similar": ((SIZE, SIZE),)}, "twice"),
        ({"risk": ("area",)}, "no other task"),
        ({"carry_along": ("area",)}, "no other task"),
        ({"carry_along": ("home",)}, "no other task"),
        ({"donors": "far"}, "near or anywhere"),
    ],
)
def test_wrong_parameters_are_refused(wrong, why):
    with pytest.raises(InputError, match=why):
        SwapHouseholds(**({"household": "home", "hierarchy": ("area",)} | wrong))


@shrinking
@given(seed=st.integers(0, 2**32))
def test_profiles_tell_households_apart_as_plain_python_does(engine, opened, seed):
    table = population(seed)
    source = opened(table)
    households = read_households(engine, source, "home")
    profiles = (("sex",), ("tenure", SIZE), (people_with("age", 0, 14), "sex"))
    found = profile_classes(engine, source, households, profiles)
    ids = table["home"].to_numpy()[households.first].tolist()
    people = homes(table)
    expected = [
        [tuple(sorted(p["sex"] for p in people[h])) for h in ids],
        [(people[h][0]["tenure"], len(people[h])) for h in ids],
        [
            (sum(p["age"] <= 14 for p in people[h]), tuple(sorted(p["sex"] for p in people[h])))
            for h in ids
        ],
    ]
    for classes, plain in zip(found, expected, strict=True):
        pairs = set(zip(classes.tolist(), plain, strict=True))
        assert len(pairs) == len(set(plain)) == len(set(classes.tolist()))


def nested(seed, *, households=120):
    """Households in areas that lie in regions, with what follows from these and what does not."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(households), rng.integers(1, 4, households))
    area = rng.integers(0, 12, households)[of]
    return pa.table(
        {
            "home": of,
            "region": [f"r{n // 3}" for n in area],
            "area": [f"a{n}" for n in area],
            "coast": [n // 3 < 2 for n in area],
            "works_in": [f"a{n}" for n in np.where(rng.random(len(of)) < 0.97, area, area[::-1])],
            "rooms": rng.integers(1, 6, households)[of],
            "age": rng.integers(0, 90, len(of)),
        }
    )


@pytest.mark.parametrize("seed", range(4))
def test_whoever_moves_gets_all_of_the_partners_geography(engine, opened, seed):
    """By brute force: every area is still in its region; rooms and ages stay where they were."""
    table = nested(seed)
    step = SwapHouseholds("home", ("region",), share=0.4)
    source = opened(table)
    done, receipt = run(engine, source, step, seed)
    after, before = done.table().to_pydict(), table.to_pydict()
    assert after["region"] != before["region"]
    lies = dict(
        zip(before["area"], zip(before["region"], before["coast"], strict=True), strict=True)
    )
    assert [lies[a] for a in after["area"]] == list(
        zip(after["region"], after["coast"], strict=True)
    )
    assert after["rooms"] == before["rooms"]
    assert after["age"] == before["age"]
    assert any("area, coast" in note for note in receipt.notes)
    assert any(word.startswith("works_in goes with the place") for word in receipt.warnings)
    assert step.undo(engine, done, receipt.private).table().to_pydict() == before


def test_what_is_left_is_warned_of(engine, opened):
    step = SwapHouseholds("home", ("region",), share=0.4, dependent="leave")
    done, receipt = run(engine, opened(nested(1)), step)
    assert done.table().column("area") == nested(1).column("area")
    assert "area, coast, works_in go with the place and are not exchanged" in receipt.warnings[0]


def test_a_task_that_is_neither_is_refused():
    with pytest.raises(InputError, match="dependent must be carry or leave"):
        SwapHouseholds("home", ("region",), dependent="both")
