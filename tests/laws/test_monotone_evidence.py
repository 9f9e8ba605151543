"""Monotone evidence: more knowledge keeps the verdict or lowers it, and never raises k."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small
from ways import AGES, HIERARCHIES, KEY, REGIONS, WAYS, Way, population, released

from indistinct import verify_release
from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.hierarchy import interval_hierarchy, table_hierarchy
from indistinct.prove import Promise, Register, Trial, judge
from indistinct.prove.opinion import STATES


def rank(found) -> int:
    """How good a verdict is; an error says nothing good."""
    return -1 if found is None else STATES.index(found.state)


def codes(found) -> set[str]:
    return {reservation.code for reservation in found.reservations}


def asked(release: Path, **knowledge):
    try:
        return verify_release(release, k=3, brief=True, **knowledge)
    except InputError:
        return None


def strangers(seed: int, names: tuple[str, ...], people: int = 400) -> pa.Table:
    return population(seed, people=people).select(list(names))


def more_knowledge(folder: Path, table: pa.Table, other: pa.Table):
    """Yield what may be known in addition, by name."""
    pq.write_table(table, folder / "private.parquet")
    pq.write_table(strangers(91, KEY), folder / "strangers.parquet")
    pq.write_table(strangers(92, ("sex",)), folder / "little.parquet")
    pq.write_table(table.select(KEY), folder / "own.parquet")
    register = {name: folder / f"{name}.parquet" for name in ("strangers", "little", "own")}
    yield "private", {"private": folder / "private.parquet"}
    for name, path in register.items():
        yield f"register {name}", {"registers": [path]}
        yield (
            f"private and register {name}",
            {"registers": [path], "private": folder / "private.parquet"},
        )
    pq.write_table(other.take(pa.array(range(0, len(other), 2))), folder / "other.parquet")
    yield "with another release", {"earlier": [folder / "other.parquet"]}


OFTEN = [
    pytest.param(way, marks=() if number % 4 == 0 else pytest.mark.heavy)
    for number, way in enumerate(WAYS)
]


@pytest.mark.parametrize("way", OFTEN, ids=str)
def test_no_knowledge_turns_a_release_better(way: Way, tmp_path):
    table = population(11, people=90)
    kept = [*KEY, "ill"]
    found = released(way, table, tmp_path / "r", although_unproved=True, keep=kept)
    assert found.folder is not None, found.refused
    plain = tmp_path / "plain.parquet"  # without a certificate, a plan or a ledger
    pq.write_table(found.table.replace_schema_metadata(), plain)
    key = [name for name in KEY if name in found.table.column_names]
    if not key:
        return
    trees = {name: HIERARCHIES[name] for name in key}
    base = asked(plain, key=key, hierarchies=trees)
    assert base is not None
    found.examine(whatever_is_said=True)  # what fails must go on failing
    for name, knowledge in more_knowledge(tmp_path, table, found.table):
        more = asked(plain, key=key, hierarchies=trees, **knowledge)
        assert rank(more) <= rank(base), name
        if more is not None and base.claims_k and more.k:
            assert more.k <= base.k, name


COARSE = {
    "region": table_hierarchy([(r, "*") for r in REGIONS], name="region"),
    "age": interval_hierarchy(AGES, name="age", widths=(10,)),
    "sex": HIERARCHIES["sex"],
}
"""The hierarchies of the ways with fewer levels: less is known of what labels stand for."""


def steps_of_knowledge(folder: Path, table: pa.Table, other: pa.Table, rng: np.random.Generator):
    """Return pieces of knowledge in a random order; each is a change of what is known so far."""
    for name, people in {
        "private": table,
        "strangers": strangers(int(rng.integers(100)), KEY),
        "little": strangers(int(rng.integers(100)), ("sex", "region")),
        "own": table.select(KEY),
        "other": other.take(pa.array(range(0, len(other), 2))),
    }.items():
        pq.write_table(people, folder / f"{name}.parquet")

    def register(name: str):
        return lambda k: {**k, "registers": [*k.get("registers", ()), folder / f"{name}.parquet"]}

    pieces = {
        "private": lambda k: {**k, "private": folder / "private.parquet"},
        **{f"register {name}": register(name) for name in ("strangers", "little", "own")},
        "with another": lambda k: {**k, "earlier": [folder / "other.parquet"]},
        "finer hierarchies": lambda k: {
            **k, "hierarchies": {n: HIERARCHIES[n] for n in k["hierarchies"]}
        },
        "a further key variable": lambda k: {**k, "key": [*k["key"], "ill"]},
        "another key variable": lambda k: {**k, "key": [*k["key"], "size"]},
    }  # fmt: skip
    return [(name, pieces[name]) for name in rng.permutation(list(pieces))]


@pytest.mark.parametrize("certified", [False, True], ids=["file", "folder"])
@pytest.mark.parametrize("way", OFTEN, ids=str)
def test_knowledge_in_any_order_never_turns_a_release_better(way: Way, certified, tmp_path):
    rng = np.random.default_rng(list(way.name.encode()))
    table = population(int(rng.integers(50)), people=90)
    kept = [*KEY, "ill", *([] if way.name == "step select" else ["size"])]
    found = released(way, table, tmp_path / "r", although_unproved=True, keep=kept)
    assert found.folder is not None, found.refused
    release = found.folder if certified else tmp_path / "plain.parquet"
    if not certified:
        pq.write_table(found.table.replace_schema_metadata(), release)
    here = [name for name in KEY if name in found.table.column_names]
    if len(here) < 2:
        assert way.name in ("step suppress-attribute",)
        return
    key = [str(n) for n in rng.permutation(here)][: int(rng.integers(1, len(here) + 1))]
    known = {"key": key, "hierarchies": {name: COARSE[name] for name in here}}
    last, judged = asked(release, **known), 0
    found.examine(whatever_is_said=True)
    for name, learn in steps_of_knowledge(tmp_path, table, found.table, rng):
        more = asked(release, **learn(known))
        if more is None:  # refused, with what to do; nothing is called good
            continue
        known, judged = learn(known), judged + 1
        if last is not None:
            assert rank(more) <= rank(last), (name, known)
            assert more.state == "fails" or codes(last) <= codes(more), (name, known)
            if last.claims_k and more.claims_k and more.k and last.k:
                assert more.k <= last.k, (name, known)
        last = more
    assert judged >= 3


@pytest.mark.parametrize("seed", range(8))
def test_a_further_key_variable_or_release_never_helps(seed: int, tmp_path):
    rng = np.random.default_rng(seed)
    table = population(seed, people=80).select([*KEY, "ill", "size"])
    drawn = {}
    for name in KEY:  # a file that was generalised by hand, cell by cell or as a whole
        values = table.column(name).to_pylist()
        paths = {str(path[0]): path for path in HIERARCHIES[name].rows()}
        height = int(rng.integers(0, len(next(iter(paths.values())))))
        drawn[name] = pa.array([str(paths[str(v)][height]) for v in values])
    release = pa.table({**drawn, "ill": table.column("ill"), "size": table.column("size")})
    release = release.take(pa.array(rng.permutation(len(release))))
    pq.write_table(release, tmp_path / "release.parquet")
    pq.write_table(table, tmp_path / "private.parquet")
    given = {"hierarchies": dict(HIERARCHIES)}
    for private in (None, tmp_path / "private.parquet"):
        last = None
        for number in range(1, len(KEY) + 2):
            key = [*KEY, "size"][:number]
            found = asked(tmp_path / "release.parquet", key=key, private=private, **given)
            assert found is not None
            if last is not None:
                assert rank(found) <= rank(last), key
                assert found.k <= last.k, key
            last = found


def test_a_register_never_helps_where_blanks_are_any_value(tmp_path):
    """k is counted in the file too, whatever register is given, and what it lacks is no matter."""
    rng = np.random.default_rng(3)
    ages = [None if n % 9 == 0 else int(a) for n, a in enumerate(rng.integers(0, 4, 60))]
    release = pa.table({"age": ages, "sex": ["f", "m"] * 30})
    register = pa.table({"age": [0, 1, 2, 3] * 100})
    private = pa.table({"age": [0 if a is None else a for a in ages], "sex": ["f", "m"] * 30})
    promise = Promise(key=("age", "sex"), k=3, wildcard=True)
    with open_small(release) as data:
        opened = {
            name: open_table(table, workspace=data.engine.workspace, origin=name)
            for name, table in (("register", register), ("private", private))
        }
        lists = [Register(opened["register"])]
        alone = judge(Trial(data.engine, data.source, promise))
        listed = judge(Trial(data.engine, data.source, promise, None, lists))
        both = judge(Trial(data.engine, data.source, promise, opened["private"], lists))
    assert both.k <= listed.k <= alone.k
    assert rank(both) <= rank(listed) <= rank(alone)
    assert codes(alone) <= codes(listed) <= codes(both) or both.state == "fails"
    assert any("does not have sex" in note for note in listed.notes)


@pytest.mark.parametrize("cell", ["", "*", "1-10", "1961", None])
def test_a_file_beside_itself_fails_whatever_one_cell_says(cell: str | None, tmp_path):
    """Case 12: the same bytes, and one person of whom little is known."""
    ages = [str(20 + n) for n in range(30)]
    ages[7] = cell
    table = pa.table({"age": ages, "sex": ["f", "m"] * 15, "ill": ["a", "b", "c"] * 10})
    pq.write_table(table, tmp_path / "f.parquet")
    found = asked(tmp_path / "f.parquet", key=["age", "sex"], private=tmp_path / "f.parquet")
    assert found is None or found.state == "fails"
