"""Husbands and wives shuffled as one row; singles; relatives in `where`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from indistinct.core.errors import InputError
from indistinct.households import HouseholdColumns
from indistinct.protect import Plan, Shuffle

HOUSEHOLDS = HouseholdColumns(
    "hid", "rel", "sex", "age", head=(1,), spouse=(2,), child=(3,), male=(1,), female=(2,)
)


def families(couples: int = 1500, *, same_sex: int = 5, alone: int = 400) -> dict[str, np.ndarray]:
    """Couples of whom some are of one sex, each third with a child, and people living alone."""
    rng = np.random.default_rng(20)
    rows = []
    for hid in range(couples + alone):
        z = rng.normal()
        grade = 10 * rng.normal(z, 0.6)
        man = {"age": 45 + 12 * z + 3 * rng.normal(), "grade": grade, "sex": 1}
        woman = {"age": 43 + 12 * z + 3 * rng.normal(), "grade": grade + 4 * rng.normal(), "sex": 2}
        if hid < same_sex:
            woman["sex"] = 1
        first, second = (man, woman) if rng.random() < 0.7 else (woman, man)
        rows.append(first | {"hid": hid, "rel": 1})
        if hid < couples:
            rows.append(second | {"hid": hid, "rel": 2})
            if hid % 3 == 0:
                rows.append({"age": 8, "grade": -30, "sex": 1 + hid % 2, "hid": hid, "rel": 3})
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    table["age"] = np.clip(np.round(table["age"]), 0, 85).astype(int)
    table["grade"] = np.digitize(table["grade"], [-20, -8, 0, 8])
    table["size"] = np.bincount(table["hid"])[table["hid"]]
    return table


PEOPLE = families()


@pytest.fixture(scope="module")
def source(opened):
    opened_ = opened(PEOPLE)
    return replace(opened_, variables=opened_.variables.updated({"grade": {"level": "ordinal"}}))


def run(engine, source, step, seed=1):
    done = Plan((step,)).apply(engine, source, seed=seed)
    return done.source.table().to_pandas(), done.receipts[0]


def husband_and_wife() -> tuple[np.ndarray, np.ndarray]:
    """The couples of both sexes, found by hand: head and spouse of one household."""
    place = {}
    for record, (hid, rel) in enumerate(zip(PEOPLE["hid"], PEOPLE["rel"], strict=True)):
        place[hid, rel] = record
    pairs = [(place[h, 1], place[h, 2]) for h, r in place if r == 2]
    pairs = [(a, b) for a, b in pairs if PEOPLE["sex"][a] != PEOPLE["sex"][b]]
    return tuple(np.array([sorted(p, key=lambda i: PEOPLE["sex"][i]) for p in pairs]).T)


HUSBAND, WIFE = husband_and_wife()
IN_COUPLE = np.isin(np.arange(len(PEOPLE["hid"])), [*HUSBAND, *WIFE])
COUPLES = {"of": "couples", "households": HOUSEHOLDS}


def joint(values) -> Counter:
    values = np.asarray(values)
    return Counter(zip(values[HUSBAND].tolist(), values[WIFE].tolist(), strict=True))


def spouses(values) -> float:
    values = np.asarray(values)
    return stats.spearmanr(values[HUSBAND], values[WIFE]).statistic


def test_the_joint_table_of_husband_and_wife_stays_exactly(engine, source):
    step = Shuffle(("grade", "age"), ("size",), shares={"grade": 0.4, "age": 0.6}, **COUPLES)
    after, receipt = run(engine, source, step)
    for name, share in step.shares.items():
        assert joint(after[name]) == joint(PEOPLE[name])
        for who in (HUSBAND, WIFE):
            assert (after[name] != PEOPLE[name])[who].mean() == pytest.approx(share, abs=0.02)
    assert (
        after[["grade", "age"]].to_numpy()[~IN_COUPLE]
        == np.stack([PEOPLE["grade"], PEOPLE["age"]], 1)[~IN_COUPLE]
    ).all()
    assert "5 unions of the same sex are too few to shuffle and were left" in receipt.notes


def test_the_joint_table_stays_where_several_values_must_not_move(engine, source):
    """Wives with one or another value that stays are not the same wives."""
    step = Shuffle(("grade",), leave={"grade": ("0", "1", "4")}, **COUPLES)
    after, _ = run(engine, source, step)
    assert joint(after["grade"]) == joint(PEOPLE["grade"])
    assert (after["grade"] != PEOPLE["grade"]).sum() > 100


def test_ranks_hold_together_where_the_table_need_not(engine, source):
    step = Shuffle(("age",), ("size",), hold="ranks", level=0.6, **COUPLES)
    after, _ = run(engine, source, step)
    assert joint(after["age"]) != joint(PEOPLE["age"])
    assert spouses(after["age"]) == pytest.approx(spouses(PEOPLE["age"]), abs=0.01)
    assert spouses(PEOPLE["age"]) > 0.85
    for who in (HUSBAND, WIFE):
        assert Counter(after["age"][who]) == Counter(PEOPLE["age"][who])
        assert (after["age"] != PEOPLE["age"])[who].mean() > 0.8
    alone, _ = run(engine, source, Shuffle(("age",), ("size",), level=0.6))
    assert spouses(alone["age"]) < 0.5


def test_couples_within_strata(engine, source):
    step = Shuffle(("age",), within=("size",), hold="ranks", **COUPLES)
    after, _ = run(engine, source, step)
    for size in (2, 3):
        mine = HUSBAND[PEOPLE["size"][HUSBAND] == size]
        assert Counter(after["age"][mine]) == Counter(PEOPLE["age"][mine])
    assert (after["age"] != PEOPLE["age"])[IN_COUPLE].mean() > 0.9


def test_singles_are_those_in_no_union(engine, source):
    step = Shuffle(("age",), of="singles", households=HOUSEHOLDS)
    after, _ = run(engine, source, step)
    moved = np.flatnonzero(after["age"] != PEOPLE["age"])
    assert len(moved) > 300
    assert not IN_COUPLE[moved].any()
    same_sex = np.flatnonzero((PEOPLE["hid"] < 5) & (PEOPLE["rel"] < 3))
    assert not set(moved) & set(same_sex)


def test_where_speaks_of_relatives(engine, source):
    step = Shuffle(("age",), where="spouse.age >= 50", households=HOUSEHOLDS)
    after, _ = run(engine, source, step)
    moved = after["age"] != PEOPLE["age"]
    older = np.zeros(len(moved), dtype=bool)
    for a, b in ((HUSBAND, WIFE), (WIFE, HUSBAND)):
        older[a] = PEOPLE["age"][b] >= 50
    older[PEOPLE["hid"] < 5] = True  # unions of the same sex are spouses too
    assert moved.sum() > 200
    assert not (moved & ~older).any()
    with pytest.raises(InputError, match="Relatives are found from households"):
        run(engine, source, replace(step, households=None))


def test_a_couple_takes_part_when_both_do(engine, source):
    step = Shuffle(("age",), hold="ranks", where="age >= 50", **COUPLES)
    after, _ = run(engine, source, step)
    both = (PEOPLE["age"][HUSBAND] >= 50) & (PEOPLE["age"][WIFE] >= 50)
    moved = (after["age"] != PEOPLE["age"]).to_numpy()
    assert not moved[HUSBAND[~both]].any()
    assert not moved[WIFE[~both]].any()
    assert moved[HUSBAND[both]].mean() > 0.5


def test_what_cannot_be_a_couple_is_refused(engine, opened, source):
    with pytest.raises(InputError, match="Couples are found from households"):
        Shuffle(("age",), of="couples")
    with pytest.raises(InputError, match="told apart by sex"):
        run(
            engine,
            source,
            Shuffle(("age",), of="couples", households=replace(HOUSEHOLDS, sex=None)),
        )
    two_heads = {name: values.copy() for name, values in PEOPLE.items()}
    two_heads["rel"][1] = 1
    with pytest.raises(InputError, match="head"):
        run(engine, opened(two_heads), Shuffle(("age",), **COUPLES))
    with pytest.raises(InputError, match="Hold ranks"):
        Shuffle(("age",), max_risk=0.1, **COUPLES)
    nobody = Shuffle(("age",), where="age > 200", **COUPLES)
    assert run(engine, source, nobody)[1].warnings == ("nobody is chosen, so nothing was shuffled",)


def test_the_largest_risk_of_couples_counts_rows_of_two(engine, source):
    """Whoever knows husband and wife knows both ages and both grades."""
    step = Shuffle(("age",), ("grade",), hold="ranks", max_risk=0.1, **COUPLES)
    after, _ = run(engine, source, step)
    old, new = (
        [
            tuple(np.asarray(t[n])[i] for n in ("age", "grade") for i in pair)
            for pair in zip(HUSBAND, WIFE, strict=True)
        ]
        for t in (PEOPLE, after)
    )
    counts = Counter(new)
    found = sum(1 / counts[b] for a, b in zip(old, new, strict=True) if a == b) / len(old)
    assert 0.05 < found <= 0.1
