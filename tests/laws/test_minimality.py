"""Law: the method's own decision tells nobody's sensitive value under a green verdict.

Brute force: the intruder knows the method and everybody's key. Every placement of the values is
protected anew; those that give this very release are what he is left with.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small
from ways import WAYS, Way, released

from indistinct.core.errors import IndistinctError
from indistinct.protect import METHODS, LDiversity, Plan
from indistinct.protect.steps import BlankTold
from indistinct.prove import Replay
from indistinct.prove.attacks import minimality

KEY = ("region", "sex")


def people(seed: int, number: int, ills: tuple[str, ...]) -> pa.Table:
    rng = np.random.default_rng(seed)
    regions = ("N1", "N2", "S1", "S2")
    return pa.table(
        {
            "region": [regions[n] for n in rng.integers(0, 4, number)],
            "sex": [("f", "m")[n] for n in rng.integers(0, 2, number)],
            "ill": rng.permutation([ills[n % len(ills)] for n in range(number)]),
        }
    )


def rows_of(data, source) -> Counter:
    found = data.engine.sql(f"SELECT {', '.join(KEY)}, ill FROM r", r=source).to_pylist()
    return Counter(tuple(row.values()) for row in found)


def protected(way: Way, table: pa.Table, **options) -> Counter | None:
    """Return what is released, in no order; None where the method refuses."""
    with open_small(table) as data:
        try:
            if "models" in options:
                options["sensitive"] = data.key_table([*KEY, "ill"])
            done = way.protect(data, key=KEY, k=2, seed=3, **options)
        except IndistinctError:
            return None
        return rows_of(data, done.source)


def possible_values(way: Way, table: pa.Table, **options) -> list[set[str]]:
    """Return the illnesses that each person may have, after every placement has been tried."""
    own = protected(way, table, **options)
    ills = table.column("ill").to_pylist()
    left: list[set[str]] = [set() for _ in ills]
    for placed in sorted(set(permutations(ills))):
        world = table.set_column(2, "ill", [list(placed)])
        if protected(way, world, **options) == own:
            for person, ill in zip(left, placed, strict=True):
                person.add(ill)
    return left


DECIDING = [way for way in WAYS if way.name in {*METHODS, "blank", "destroy"}]


@pytest.mark.parametrize("way", DECIDING, ids=str)
def test_no_green_release_tells_a_value_by_its_decision(way: Way, tmp_path):
    for seed in range(3):
        table = people(seed, 6, ("flu", "gout"))
        found = released(
            way, table, tmp_path / f"r{seed}", key=KEY, k=2, seed=3,
            roles={"ill": "sensitive"}, told="allow",
        )  # fmt: skip
        if not found.green:
            continue
        kept = sum(protected(way, table).values())
        if kept == table.num_rows:  # of those who are left out, only who knows the margins learns
            found.examine()
            assert all(len(values) > 1 for values in possible_values(way, table))


@pytest.mark.parametrize("seed", range(8))
def test_the_examiner_finds_whom_brute_force_finds(seed: int, tmp_path):
    way = next(way for way in WAYS if way.name == "optimal")
    table = people(seed, 7, ("flu", "gout", "cold") if seed % 2 else ("flu", "gout"))
    models = {"models": (LDiversity("ill", 2),), "max_drop": 0}
    own = protected(way, table, **models)
    if own is None:
        pytest.skip("this file cannot be made diverse")
    told = [values for values in possible_values(way, table, **models) if len(values) == 1]
    with open_small(table) as data:
        done = way.protect(
            data, key=KEY, k=2, seed=3, sensitive=data.key_table([*KEY, "ill"]), **models
        )
        written = data.release(tmp_path / "r", done, seed=3, although_unproved=True)
    said = [finding for finding in written.findings if "placements" in finding]
    assert bool(said) is bool(told)
    if told:
        assert f"of {len(told)} people" in said[0]
    assert written.state == ("fails" if told else "holds")


def test_files_of_the_law_are_forced_and_told_often_enough():
    """So that the law above says something: some of its files tell, and some do not."""
    way = next(way for way in WAYS if way.name == "optimal")
    seen = Counter()
    for seed in range(8):
        table = people(seed, 7, ("flu", "gout", "cold") if seed % 2 else ("flu", "gout"))
        with open_small(table) as data:
            try:
                done = way.protect(
                    data, key=KEY, k=2, seed=3, max_drop=0, models=(LDiversity("ill", 2),),
                    sensitive=data.key_table([*KEY, "ill"]),
                )  # fmt: skip
            except IndistinctError:
                seen["refused"] += 1
                continue
        seen["forced" if done.result.forced else "free"] += 1
    assert seen["forced"] >= 2
    assert seen["refused"] <= 4


@pytest.mark.parametrize("seed", range(20))
def test_some_placements_never_show_more_than_all(seed: int, monkeypatch):
    """Where not all are tried, what is seen to be possible is possible."""
    rng = np.random.default_rng(seed)
    held = rng.integers(0, 3, (4, 3))
    held[held.sum(axis=1) == 0, 0] = 1
    least = int(rng.integers(1, 4))
    replay = Replay(
        ("ill",), (("a",), ("b",), ("c",)), held, np.array([0, 0, 1, 1]),
        lambda table: bool((table[0] > 0).sum() <= max(least, (held[0] > 0).sum())),
    )  # fmt: skip
    everything = replay._all_tried()
    monkeypatch.setattr(minimality, "MOST_SAMPLED", 60)
    some = replay._some_tried()
    assert everything is not None
    assert not (some.seen & ~everything.seen).any()
    assert np.allclose(everything.chances.sum(axis=1), 1)
    assert (everything.seen | ~(held > 0)).all()


def consistent_worlds(table: pa.Table, own: Counter) -> list[tuple[str, ...]]:
    """Return the placements for which some draw of partners gives the same release."""
    ills, left = table.column("ill").to_pylist(), []
    for placed in sorted(set(permutations(ills))):
        with open_small(table.set_column(2, "ill", [list(placed)])) as data:
            step = Plan((BlankTold(KEY, ("ill",)),))
            draws = (step.apply(data.engine, data.source, seed=seed).source for seed in range(12))
            if any(rows_of(data, source) == own for source in draws):
                left.append(placed)
    return left


@pytest.mark.parametrize(
    ("zips", "ills"),
    [
        ("N1 N1 S1 S1 S2 S2 S2", "gout gout flu cold flu cold gout"),
        ("N1 N1 N1 S1 S1 S2 S2", "flu flu flu flu gout gout cold"),
        ("N1 N1 S1 S1 S1 S2 S2", "gout gout flu gout flu flu flu"),
    ],
)
def test_blanks_leave_everybody_two_values_by_brute_force(zips, ills):
    table = pa.table({"region": zips.split(), "sex": ["f"] * 7, "ill": ills.split()})
    with open_small(table) as data:
        done = Plan((BlankTold(KEY, ("ill",)),)).apply(data.engine, data.source, seed=1)
        own = rows_of(data, done.source)
    assert any(ill is None for *_, ill in own)
    worlds = consistent_worlds(table, own)
    possible = [set(values) for values in zip(*worlds, strict=True)]
    told = [len(values) == 1 for values in possible]
    assert done.receipts[0].residual or not any(told)
