"""Cases 3 and 4 of the issue, by name: households and copies that undo what was done."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct.flow.session import Data
from indistinct.hierarchy import hierarchies_in, interval_hierarchy, table_hierarchy
from indistinct.protect import settle_households
from indistinct.prove import Promise, Trial, find_copies, judge
from indistinct.release import Certificate

REGIONS = [f"{side}{number}" for side in "NS" for number in range(6)]
KEY = ["region", "size", "age"]


def homes_of(seed: int, people: int = 600) -> pa.Table:
    return copied(seed, people).drop_columns(["age_group", "date_of_birth"])


def copied(seed: int, people: int = 600) -> pa.Table:
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(people), rng.integers(1, 5, people))[:people]
    age = rng.integers(0, 80, people)
    born = np.datetime64("2026-06-01") - (age * 365 + 20 + rng.integers(0, 300, people))
    return pa.table(
        {
            "household": home + 5_000,
            "region": np.array(REGIONS)[rng.integers(0, len(REGIONS), people)][home],
            "size": np.bincount(home, minlength=people)[home],
            "age": age,
            "age_group": age // 10,
            "date_of_birth": born.astype("datetime64[D]"),
            "pay": np.round(rng.lognormal(7, 1, people)),
        }
    )


def hierarchies() -> dict:
    return {
        "region": table_hierarchy([(r, r[0], "*") for r in REGIONS], name="region"),
        "size": interval_hierarchy(range(1, 5), name="size", widths=(2, 4)),
        "age": interval_hierarchy(range(80), name="age", widths=(5, 20, 80)),
    }


def trial_of(data: Data, done, key=KEY, **promised) -> Trial:
    promise = Promise(key=tuple(key), k=done.k, **promised)
    trees = hierarchies_in(done.plan.to_dict())
    return Trial(data.engine, done.source, promise, data.source, hierarchies=trees)


@pytest.mark.parametrize("seed", [1, 2])
def test_case_3_members_of_a_household_undo_local_recoding(seed):
    with open_small(homes_of(seed)) as data:
        done = data.protect(KEY, method="local-recoding", k=5, seed=1, hierarchies=hierarchies())
        found = judge(trial_of(data, done, household="household"))
        assert found.state == "fails"
        assert any("members of a household" in sentence for sentence in found.findings)
        assert found.k < 5
        # by hand: region cells that another member tells exactly
        rows = done.source.table(["household", "region"]).to_pylist()
        exact = {row["household"] for row in rows if row["region"] in REGIONS}
        undone = sum(row["region"] not in REGIONS and row["household"] in exact for row in rows)
        assert undone > 0
        assert found.parts["households"].undone["region"] >= undone


@pytest.mark.parametrize("method", ["local-recoding", "mondrian", "k-similar", "suppress"])
def test_case_3_members_are_generalised_alike_and_numbers_are_new(method):
    table, key = homes_of(3), ["region", "age"]
    with open_small(table) as data:
        trees = {name: hierarchies()[name] for name in key}
        done = data.protect(key, method=method, k=5, seed=1, hierarchies=trees)
        settled = settle_households(data.engine, data.source, done, household="household", seed=1)
        rows = settled.source.table().to_pylist()
        regions: dict = {}
        for row in rows:
            regions.setdefault(row["household"], set()).add(row["region"])
        assert all(len(labels) == 1 for labels in regions.values())
        assert not set(regions) & set(table.column("household").to_pylist())
        assert settled.guaranteed
        found = judge(trial_of(data, settled, key, household="household"))
        assert not found.findings
        # whole households are still told apart, and that is said
        assert [r.code for r in found.reservations] == ["households"]


def test_case_3_the_size_of_a_household_is_counted_so_the_number_stays_behind(tmp_path):
    with open_small(homes_of(4)) as data:
        done = data.protect(KEY, method="local-recoding", k=5, seed=1, hierarchies=hierarchies())
        assert done.receipts[0].cells_changed["size"]
        written = data.release(tmp_path / "r", done, seed=1, keep=["household", "pay"])
        assert any(word.startswith("household is left out") for word in written.warnings)
        assert "household" not in pq.read_schema(written.data).names
        assert Certificate.read(written.certificate).state == "holds"


def test_case_3_without_a_household_number_nothing_links_members():
    with open_small(homes_of(1).drop_columns(["household"])) as data:
        done = data.protect(KEY, method="local-recoding", k=5, seed=1, hierarchies=hierarchies())
        assert not judge(trial_of(data, done)).findings


def test_case_3_members_who_stand_together_are_a_household_too():
    with open_small(homes_of(1)) as data:
        done = data.protect(KEY, method="local-recoding", k=5, seed=1, hierarchies=hierarchies())
        kept = [name for name in done.source.variables if name != "household"]
        with open_small(done.source.table(kept)) as release:
            trial = Trial(
                data.engine,
                release.source,
                Promise(key=tuple(KEY), k=5, household="household", keeps_order=True),
                data.source,
                hierarchies=hierarchies(),
            )
            (finding,) = judge(trial).findings
            assert "by the order of the records" in finding


@pytest.mark.parametrize("method", ["datafly", "local-recoding", "suppress", "blank", "mondrian"])
def test_case_4_a_copy_beside_a_coarsened_age_fails_and_does_not_leave(method, tmp_path):
    key = ["region", "age"]
    with open_small(copied(5).drop_columns(["household", "size"])) as data:
        trees = {name: hierarchies()[name] for name in key}
        options = {} if method == "blank" else {"hierarchies": trees}
        done = data.protect(key, method=method, k=3, seed=1, **options)
        found = judge(trial_of(data, done, key))
        assert found.state == "fails"
        assert any("date_of_birth tells" in sentence for sentence in found.findings)
        written = data.release(tmp_path / "r", done, seed=1)
        released = pq.read_table(written.data)
        assert "date_of_birth" not in released.column_names
        assert any("left out" in word and "date_of_birth" in word for word in written.warnings)
        assert Certificate.read(written.certificate).state == "holds"
        # an age group that stays is the same for all who have the same label
        groups: dict = {}
        for row in released.to_pylist():
            groups.setdefault((row["age"], row["region"]), []).append(row.get("age_group"))
        assert all(
            groups[label].count(g) >= 3 or g is None for label in groups for g in groups[label]
        )


def test_case_4_a_copy_beside_a_perturbed_age_is_left_out(tmp_path):
    with open_small(copied(6).drop_columns(["household", "size"])) as data:
        done = data.protect(["age", "region"], method="shuffle", k=2, seed=1, variables=("age",))
        codes = [
            r.code
            for r in judge(trial_of(data, done, ["age", "region"], perturbed=("age",))).reservations
        ]
        assert "copies" in codes
        written = data.release(tmp_path / "r", done, seed=1)
        assert not {"age_group", "date_of_birth"} & set(pq.read_schema(written.data).names)
        assert sum("left out" in word for word in written.warnings) == 2


def test_case_4_shuffled_together_is_no_copy():
    with open_small(copied(6).drop_columns(["household", "size"])) as data:
        together = ("age", "age_group", "date_of_birth")
        done = data.protect(["age", "region"], method="shuffle", k=2, seed=1, variables=together)
        assert not find_copies(trial_of(data, done, ["age", "region"], perturbed=together))


def test_case_4_an_area_beside_its_county_is_found_by_counting():
    rng = np.random.default_rng(1)
    area = rng.integers(0, 24, 900)
    table = pa.table({"x7": area + 100, "county": area // 3, "sex": rng.integers(0, 2, 900)})
    with open_small(table) as data:
        counties = table_hierarchy([(str(c), f"C{c // 4}", "*") for c in range(8)], name="county")
        sexes = table_hierarchy([("0", "*"), ("1", "*")], name="sex")
        done = data.protect(
            ["county", "sex"],
            method="datafly",
            k=100,
            seed=1,
            hierarchies={"county": counties, "sex": sexes},
        )
        (copy,) = find_copies(trial_of(data, done, ["county", "sex"]))
        assert (copy.name, copy.of, copy.breaks_k) == ("x7", ("county",), True)


def test_case_4_a_copy_that_leaves_k_people_is_a_note():
    rng = np.random.default_rng(1)
    age = rng.integers(0, 20, 2_000)
    table = pa.table({"age": age, "group": age // 10, "sex": rng.integers(0, 2, 2_000)})
    trees = {
        "age": interval_hierarchy(range(20), name="age", widths=(20,)),
        "sex": table_hierarchy([("0", "*"), ("1", "*")], name="sex"),
    }
    with open_small(table) as data:
        done = data.protect(["age", "sex"], method="datafly", k=200, seed=1, hierarchies=trees)
        (copy,) = find_copies(trial_of(data, done, ["age", "sex"]))
        assert not copy.harms
        found = judge(trial_of(data, done, ["age", "sex"]))
        assert not found.findings
        assert any("group tells age" in note for note in found.notes)


def test_case_4_chance_and_mere_association_are_no_copies():
    rng = np.random.default_rng(2)
    age = rng.integers(0, 80, 400)
    table = pa.table(
        {
            "age": age,
            "sex": rng.integers(0, 2, 400),
            "pay": 200 * age + rng.integers(0, 20_000, 400),
            "married": (age > 25) & (rng.random(400) < 0.7),
            "person": rng.permutation(400),
        }
    )
    trees = {
        "age": interval_hierarchy(range(80), name="age", widths=(5, 20, 80)),
        "sex": table_hierarchy([("0", "*"), ("1", "*")], name="sex"),
    }
    with open_small(table) as data:
        done = data.protect(["age", "sex"], method="datafly", k=5, seed=1, hierarchies=trees)
        assert not find_copies(trial_of(data, done, ["age", "sex"]))
