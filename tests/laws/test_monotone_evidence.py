"""Monotone evidence: more knowledge keeps the verdict or lowers it, and never raises k."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ways import HIERARCHIES, KEY, WAYS, Way, population, released

from indistinct import verify_release
from indistinct.errors import InputError
from indistinct.prove.opinion import STATES


def rank(found) -> int:
    """How good a verdict is; an error says nothing good."""
    return -1 if found is None else STATES.index(found.state)


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


@pytest.mark.parametrize("way", WAYS, ids=str)
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
    for name, knowledge in more_knowledge(tmp_path, table, found.table):
        more = asked(plain, key=key, hierarchies=trees, **knowledge)
        assert rank(more) <= rank(base), name
        if more is not None and base.claims_k and more.k:
            assert more.k <= base.k, name


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


@pytest.mark.parametrize("cell", ["", "*", "1-10", "1961", None])
def test_a_file_beside_itself_fails_whatever_one_cell_says(cell: str | None, tmp_path):
    """Case 12: the same bytes, and one person of whom little is known."""
    ages = [str(20 + n) for n in range(30)]
    ages[7] = cell
    table = pa.table({"age": ages, "sex": ["f", "m"] * 15, "ill": ["a", "b", "c"] * 10})
    pq.write_table(table, tmp_path / "f.parquet")
    found = asked(tmp_path / "f.parquet", key=["age", "sex"], private=tmp_path / "f.parquet")
    assert found is None or found.state == "fails"
