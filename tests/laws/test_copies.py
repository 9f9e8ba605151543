"""Law: no released variable tells the key more finely than k allows under a green verdict.

Every way of protecting, on files with copies and with pairs that are copies only together; the
judge is plain Python over rows, and knows how each copy is made from what it copies.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small
from ways import AGES, HIERARCHIES, KEY, REGIONS, WAYS, population, released

from indistinct.files import open_table
from indistinct.protect import Plan
from indistinct.protect.steps.households import SwapHouseholds
from indistinct.prove import Promise, Trial, judge
from indistinct.release import read_origin

K = 3
VALUES = {"region": REGIONS, "age": tuple(map(str, AGES)), "sex": ("f", "m")}
COPIES = {
    "area": ("region", lambda area: {area.split("-")[0]}),
    "came_of_age": ("age", lambda day: {str(2044 - int(day[:4]))}),
    "age_group": ("age", lambda group: {a for a in VALUES["age"] if a[0] == group[0]}),
}
"""What each copy is made from, and which values of that a value of the copy leaves possible."""
OTHERS = ("ill", "income", "name", "case_no", "home")
"""What the steps of the ways need besides."""


def stands_for(name: str, label: object) -> frozenset[str]:
    if label is None:
        return frozenset(VALUES[name])
    found = {str(row[0]) for row in HIERARCHIES[name].rows() if str(label) in row}
    return frozenset(found or {str(label)})


def fewest_people(
    rows: list[dict], copy: str | tuple[str, ...], of: str, tells, key: tuple[str, ...] = KEY
) -> int:
    names = (copy,) if isinstance(copy, str) else copy
    classes: Counter = Counter()
    for row in rows:
        cells = {name: stands_for(name, row[name]) for name in key}
        if of in key and all(row[name] is not None for name in names):
            told = frozenset(tells(*(row[name] for name in names)))
            cells[of] = cells[of] & told or cells[of]
        classes[tuple(cells[name] for name in key)] += 1
    return min(classes.values(), default=K)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_copy_undoes_the_key_under_a_green_verdict(way, tmp_path):
    table = population(1, people=160)
    came = [f"{2044 - age}-06-15" for age in table.column("age").to_pylist()]
    table = table.append_column("came_of_age", [came]).select([*KEY, *COPIES, *OTHERS])
    found = released(way, table, tmp_path / "r", k=K, until_k=True)
    if found.refused:
        return
    promise = found.certificate.promise
    left = [copy for copy in COPIES if copy in found.rows[0] and copy not in promise.perturbed]
    assert left or way.alters or way.name == "step select"
    assert promise.claims_k or way.alters
    rows = found.examine() if promise.claims_k or found.changed else []
    for copy in left if promise.claims_k else ():
        assert fewest_people(rows, copy, *COPIES[copy], found.key) >= K, copy
    # what was altered is not told by what was not
    for copy in left:
        if found.green:
            assert COPIES[copy][0] not in promise.perturbed


def with_skips(seed: int, *, people: int = 400) -> tuple[pa.Table, dict]:
    """Plant questions that only some are asked, with gaps or with a code for whoever is not."""
    table = population(seed, people=people)
    rng = np.random.default_rng(1000 + seed)
    women = np.array(table.column("sex").to_pylist()) == "f"
    births = np.where(women & (rng.random(people) < 0.6), rng.integers(0, 9, people), 99)
    asked = {
        "births": [None if n == 99 else n for n in births.tolist()],
        "births_niu": births.tolist(),
        "served": ["no" if woman else rng.choice(["no", "yes"]) for woman in women],
    }
    for name, values in asked.items():
        table = table.append_column(name, pa.array(values))
    return table, {
        "births": ("sex", lambda n: {"f"}),
        "births_niu": ("sex", lambda n: {"f", "m"} if n == 99 else {"f"}),
        "served": ("sex", lambda said: {"m"} if said == "yes" else {"f", "m"}),
    }


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_question_that_only_some_are_asked_undoes_the_key(way, tmp_path):
    table, skips = with_skips(7)
    found = released(way, table, tmp_path / "r", k=K, until_k=True)
    if found.refused:
        return
    promise = found.certificate.promise
    rows = found.examine() if promise.claims_k or found.changed else []
    for name, (of, tells) in skips.items() if promise.claims_k and rows else ():
        if name in rows[0] and name not in promise.perturbed:
            assert fewest_people(rows, name, of, tells, found.key) >= K, name


@pytest.mark.parametrize("name", ["suppress", "k-similar", "local-recoding"])
def test_a_question_that_only_some_are_asked_stays_where_the_answer_is_no_news(name, tmp_path):
    way = next(way for way in WAYS if way.name == name)
    table, skips = with_skips(8, people=600)
    found = released(way, table, tmp_path / "r", k=K)
    assert found.certificate.state == "holds"
    assert set(skips) <= set(found.rows[0])
    told = sum(row["sex"] in ("f", "m") for row in found.rows)
    assert sum(row["births_niu"] is not None for row in found.rows) >= told


def with_groups(seed: int, *, people: int = 400) -> tuple[pa.Table, dict]:
    """Plant columns that are the age, or the region, of some and say nothing of all others."""
    table = population(seed, people=people)
    rng = np.random.default_rng(2000 + seed)
    age = np.array(table.column("age").to_pylist())
    region = np.array([REGIONS.index(r) for r in table.column("region").to_pylist()])
    dead, moved = rng.random((2, people)) < [[0.3], [0.4]]
    state = np.where(dead, "dead", np.array(["here", "abroad"])[rng.integers(0, 2, people)])
    # whoever moved has one of many reasons, each too rare to be looked at by itself
    reasons = np.where(moved, rng.integers(0, 9, people), -1)
    for name, values in {
        "years": np.where(dead, age, rng.integers(AGES[0], AGES[-1] + 1, people)).tolist(),
        "state": state.tolist(),
        "office": np.where(moved, (region * 3 + 2) % 4, rng.integers(0, 4, people)).tolist(),
        "reason": [None if r < 0 else f"r{r}" for r in reasons.tolist()],
        "parking": rng.integers(0, 12, people).tolist(),
    }.items():
        table = table.append_column(name, pa.array(values))
    offices = {(place * 3 + 2) % 4: name for place, name in enumerate(REGIONS)}
    return table, {
        ("years", "state"): (
            "age",
            lambda years, state: {str(years)} if state == "dead" else VALUES["age"],
        ),
        ("office", "reason"): ("region", lambda office, reason: {offices[office]}),
    }


GROUPED = {"years", "state", "office", "reason"}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_column_undoes_the_key_of_some_under_a_green_verdict(way, tmp_path):
    table, pairs = with_groups(6)
    found = released(way, table, tmp_path / "r", k=K, until_k=True)
    if found.refused:
        return
    promise = found.certificate.promise
    rows = found.examine() if promise.claims_k or found.changed else []
    for pair, (of, tells) in pairs.items():
        if not set(pair) <= set(found.rows[0]) or set(pair) & set(promise.perturbed):
            continue
        if promise.claims_k:
            assert fewest_people(rows, pair, of, tells, found.key) >= K, pair
        assert not found.green or of not in promise.perturbed


@pytest.mark.parametrize("name", ["local-recoding", "mondrian"])
def test_of_columns_that_tell_for_some_one_stays_behind_and_nothing_else_does(name, tmp_path):
    way = next(way for way in WAYS if way.name == name)
    table, pairs = with_groups(16, people=600)
    table = table.select([*KEY, "ill", "income", "parking", *sorted(GROUPED)])
    found = released(way, table, tmp_path / "r", k=K)
    assert found.certificate.state == "holds"
    left = set(found.table.column_names)
    assert set(table.column_names) - left <= GROUPED
    assert GROUPED - left
    for pair, (of, tells) in pairs.items():
        assert not set(pair) <= left or fewest_people(found.rows, pair, of, tells) >= K
        assert set(pair) & left


def with_members(seed: int, *, people: int = 600) -> pa.Table:
    """Plant what others of the household have: the first, and a partner anywhere in it."""
    table = population(seed, people=people)
    rng = np.random.default_rng(3000 + seed)
    homes = table.column("home").to_pylist()
    members: dict[int, list[int]] = {}
    for record, home in enumerate(homes):
        members.setdefault(home, []).append(record)
    partner: list[int | None] = [None] * people
    for inside in members.values():
        both = rng.permutation(inside)[:2].tolist()
        if len(both) == 2:
            partner[both[0]], partner[both[1]] = both[1], both[0]
    age, sex = table.column("age").to_pylist(), table.column("sex").to_pylist()
    for name, values in {
        "hhid": homes,
        "head_age": [age[members[home][0]] for home in homes],
        "head_sex": [{"f": 2, "m": 1}[sex[members[home][0]]] for home in homes],
        "partner_age": [None if p is None else age[p] for p in partner],
        "parking": rng.integers(0, 12, people).tolist(),
    }.items():
        table = table.append_column(name, pa.array(values))
    return table


MEMBERS = {"head_age": "age", "head_sex": "sex", "partner_age": "age"}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_column_tells_of_another_member_what_was_coarsened(way, tmp_path):
    """The holder's ledger says whose each released label is; what tells it better is not there."""
    table = with_members(8)
    found = released(way, table, tmp_path / "r", k=K, until_k=True)
    if found.refused:
        return
    rows = found.examine(whatever_is_said=True)
    if not found.green or "hhid" not in rows[0]:
        return
    for column, of in MEMBERS.items():
        if column in rows[0] and of in found.key:
            assert all(len(stands_for(of, row[of])) == 1 for row in rows), column


@pytest.mark.parametrize("name", ["local-recoding", "optimal"])
def test_columns_of_members_stay_behind_and_nothing_else_does(name, tmp_path):
    way = next(way for way in WAYS if way.name == name)
    table = with_members(9).select(["hhid", "age", "sex", "ill", "income", "parking", *MEMBERS])
    with open_small(table) as data:
        done = way.protect(data, key=("age", "sex"), k=22)
        data.release(tmp_path / "r", done, accept=["households"])
    left = set(pq.read_table(tmp_path / "r" / "data.parquet").column_names)
    changed = {
        n for receipt in done.receipts for n, cells in receipt.cells_changed.items() if cells
    }
    gone = {column for column, of in MEMBERS.items() if of in changed}
    assert gone
    assert set(table.column_names) - left == gone


def with_needed(table: pa.Table, seed: int) -> pa.Table:
    """Add to people of a seed what the steps of the ways need besides."""
    people = population(seed, people=table.num_rows)
    for name in ("name", "case_no", "home", "age_group"):
        table = table.append_column(name, people.column(name))
    return table


def with_pairs(seed: int, *, people: int = 240, wrong: float = 0.0) -> tuple[pa.Table, dict]:
    """Plant pairs that tell the key only together, and columns that have nothing to do with it.

    Parameters
    ----------
    wrong
        The share of records whose pairs tell something else.

    Returns
    -------
    The table, and for each pair what it tells and how.
    """
    rng = np.random.default_rng(seed)
    table = population(seed, people=people).select([*KEY, "ill", "income"])
    age = np.array(table.column("age").to_pylist())
    region = np.array([REGIONS.index(r) for r in table.column("region").to_pylist()])
    lost = rng.random(people) < wrong
    year = rng.integers(1980, 1980 + rng.choice([2, 4, 9]), people)
    since = year - age - np.where(lost, rng.integers(0, 9, people), 0)
    days = [f"{y}-{m:02}-{m:02}" for y, m in zip(since, rng.integers(1, 13, people), strict=True)]
    # within a district every block is in one region, and a block's number says nothing by itself
    district = rng.integers(0, 6, people)
    blocks = np.stack([rng.permutation(12) for _ in range(6)])
    own = np.where(lost, rng.integers(0, 4, people), region)
    block = blocks[district, own * 3 + rng.integers(0, 3, people)]
    region_of = {
        (f"d{d}", int(b)): REGIONS[place // 3]
        for d in range(6)
        for place, b in enumerate(blocks[d])
    }
    for name, values in {
        "wave": year,
        "start": days,
        "district": [f"d{d}" for d in district],
        "block": block,
        "colour": np.array(["red", "green", "blue"])[rng.integers(0, 3, people)],
        "height": np.round(rng.normal(170, 9, people), 1),
        "tickets": rng.integers(0, 40, people),
    }.items():
        table = table.append_column(name, pa.array(values))
    table = table.select(rng.permutation(table.column_names).tolist())
    return table, {
        ("wave", "start"): ("age", lambda wave, start: {str(int(wave) - int(start[:4]))}),
        ("district", "block"): ("region", lambda d, b: {region_of[d, int(b)]}),
    }


def test_a_search_of_pairs_that_was_cut_short_is_told():
    """Of more variables than can be looked at in pairs; what stands side by side is still found."""
    table, _ = with_pairs(12, people=300)
    rng = np.random.default_rng(12)
    wide = {f"w{n}": rng.integers(0, 9, 300) for n in range(150)}
    table = table.select([*KEY, "wave", "start"])
    for name, values in wide.items():
        table = table.append_column(name, pa.array(values))
    blanked = table.set_column(1, "age", pa.nulls(300, pa.int64()))
    said = {}
    with open_small(table) as data:
        for columns in (table.column_names, [*KEY, "wave", "start", "w1"]):
            release = open_table(blanked.select(columns), workspace=data.engine.workspace)
            trial = Trial(data.engine, release, Promise(key=KEY, k=2), data.source)
            said[len(columns)] = judge(trial)
    assert all("wave" in " ".join(one.findings) for one in said.values())
    cut = {number: any("pairs" in n for n in one.notes) for number, one in said.items()}
    assert cut == {table.num_columns: True, 6: False}


PAIRED = {"wave", "start", "district", "block"}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_pair_undoes_the_key_under_a_green_verdict(way, tmp_path):
    table, pairs = with_pairs(5)
    table = with_needed(table, 5)
    found = released(way, table, tmp_path / "r", k=K, until_k=True)
    if found.refused:
        return
    promise = found.certificate.promise
    rows = found.examine() if promise.claims_k or found.changed else []
    for pair, (of, tells) in pairs.items():
        if not set(pair) <= set(found.rows[0]) or set(pair) & set(promise.perturbed):
            continue
        if promise.claims_k:
            assert fewest_people(rows, pair, of, tells, found.key) >= K, pair
        assert not found.green or of not in promise.perturbed


@pytest.mark.parametrize("wrong", [0.0, 0.01], ids=["exact", "nearly"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["local-recoding", "mondrian", "suppress", "k-similar"])
def test_of_a_pair_that_tells_one_stays_behind_and_nothing_else_does(name, seed, wrong, tmp_path):
    way = next(way for way in WAYS if way.name == name)
    table, pairs = with_pairs(30 + seed, people=600, wrong=wrong)
    found = released(way, table, tmp_path / "r", k=K)
    assert found.certificate.state == "holds"
    left = set(found.table.column_names)
    assert set(table.column_names) - left <= PAIRED
    for pair, (of, tells) in pairs.items():
        assert not set(pair) <= left or fewest_people(found.rows, pair, of, tells) >= K
        assert set(pair) & left


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_are_another_for_everybody_are_no_pairs(seed, tmp_path):
    """Any two of them single everybody out, and so seem to tell whatever there is."""
    rng = np.random.default_rng(seed)
    table = population(seed, people=300).select([*KEY, "ill"])
    for number in range(4):
        amount = np.round(rng.lognormal(3, 1, 300), 3 if number % 2 else 0)
        table = table.append_column(f"amount_{number}", pa.array(amount))
    way = next(way for way in WAYS if way.name == "local-recoding")
    found = released(way, table, tmp_path / "r", k=K)
    assert set(found.table.column_names) == set(table.column_names)


def test_each_order_of_the_columns_finds_the_same_pairs(tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    table, _ = with_pairs(9)
    some = [*KEY, "wave", "start", "ill"]
    left = {
        frozenset(released(way, table.select(order), tmp_path / str(n), k=K).table.column_names)
        for n, order in enumerate(list(permutations(some))[::97])
    }
    assert len(left) == 1


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_amounts_that_add_up_to_an_altered_one_do_not_stand_beside_it(way, tmp_path):
    rng = np.random.default_rng(4)
    table = population(4, people=240).select([*KEY, "ill", "income"])
    income = np.array(table.column("income").to_pylist())
    rents = np.round(rng.lognormal(7, 1, len(income)), 2)
    table = table.append_column("wages", pa.array(np.round(income - rents, 2)))
    table = with_needed(table.append_column("rents", pa.array(rents)), 4)
    found = released(way, table, tmp_path / "r", k=K, although_unproved=True)
    if not {"income", "wages", "rents"} <= set(found.examine(whatever_is_said=True)[0]):
        return
    # nobody holds all three and sees that they do not add up
    origin = read_origin(found.folder, records=len(found.rows))
    real = [row for row, record in zip(found.rows, origin, strict=True) if record >= 0]
    whole = [row for row in real if None not in (row["income"], row["wages"], row["rents"])]
    wrong = [row for row in whole if abs(row["income"] - row["wages"] - row["rents"]) > 0.02]
    altered = set(found.certificate.promise.perturbed) & {"wages", "rents"}
    assert not wrong or altered


def places(seed: int) -> pa.Table:
    """A file whose areas lie in regions, with a number of regions that is in nobody's key."""
    table = population(seed, people=400)
    codes = [f"c{REGIONS.index(r)}" for r in table.column("region").to_pylist()]
    return table.append_column("code", [codes])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("key", [("age", "sex"), ("area", "sex"), ("code",)], ids="-".join)
def test_an_area_that_tells_the_county_from_which_people_were_moved_is_seen(key, seed, tmp_path):
    """Released beside it or in the key: what tells the true value of what was altered."""
    table = places(seed)
    step = SwapHouseholds("home", ("region",), share=0.6, dependent="leave")
    with open_small(table) as data:
        done = Plan((step,)).apply(data.engine, data.source, seed=seed)
        promise = Promise(key=key, k=2, household="home", perturbed=("region",))
        kept = done.source.table(["region", "area", "code", "age", "sex"])
        release = open_table(kept, workspace=data.engine.workspace, origin="release")
        said = judge(Trial(data.engine, release, promise, data.source))
        without = open_table(
            kept.drop_columns([n for n in ("area", "code") if n not in key]),
            workspace=data.engine.workspace,
        )
        less = judge(Trial(data.engine, without, promise, data.source))
    told = [r.sentence for r in said.reservations if r.code == "copies"]
    assert {sentence.split()[0] for sentence in told} == {"area", "code"}
    left = {r.sentence.split()[0] for r in less.reservations if r.code == "copies"}
    assert left == {"area", "code"} & set(key)
