"""Counting on one machine: codes and words, the three approaches, spilling, threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest
from engine_checks import all_types, check_count, check_same, keys_and_counts, keys_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import (
    Approach,
    Coding,
    Engine,
    KeyCoding,
    approaches,
    coding_of_values,
    start_engine,
)
from indistinct.engine import tally as tally_module
from indistinct.engine.approaches import count_words
from indistinct.engine.base import weight_units
from indistinct.engine.coding import key_coding
from indistinct.engine.tally import aligned

relaxed = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

small = st.one_of(st.none(), st.integers(-3, 3))
wild = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1))
text = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=3))
number = st.one_of(st.none(), st.floats())
rows_of_four = st.lists(st.tuples(small, wild, text, number), min_size=1, max_size=60)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    kinds = [pa.int16(), pa.int64(), pa.string(), pa.float64()]
    columns = [pa.array([row[i] for row in rows], type=kind) for i, kind in enumerate(kinds)]
    return pa.table(columns, names=["a", "b", "c", "d"])


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and parts so small that a few thousand records fill many."""
    for module in (approaches, tally_module):
        monkeypatch.setattr(module, "BLOCK_RECORDS", 500)
    monkeypatch.setattr(approaches, "PART_RECORDS", 64)


@relaxed
@given(sizes=st.lists(st.integers(1, 1 << 40), min_size=1, max_size=8), data=st.data())
def test_pack_and_unpack_are_inverses(sizes: list[int], data: st.DataObject) -> None:
    low = data.draw(st.integers(-(10**6), 10**6))
    coding = KeyCoding(tuple(Coding(f"v{i}", size, False, low=low) for i, size in enumerate(sizes)))
    codes = [
        np.array([0, size - 1, data.draw(st.integers(0, size - 1))], dtype=np.int64)
        for size in sizes
    ]
    words = coding.pack([pa.array(c + low) for c in codes])
    for found, expected in zip(coding.unpack(words), codes, strict=True):
        assert found.tolist() == expected.tolist()


@relaxed
@given(keys=st.lists(st.tuples(*[st.integers(0, 2**22)] * 4), min_size=2, max_size=20))
def test_words_sort_as_keys_do(keys: list[tuple[int, ...]]) -> None:
    coding = KeyCoding(tuple(Coding(f"v{i}", 2**22 + 1, False) for i in range(4)))
    words = coding.pack([pa.array([key[i] for key in keys]) for i in range(4)])
    assert words.shape[1] == 2
    by_words = sorted(range(len(keys)), key=lambda i: words[i].tolist())
    assert [keys[i] for i in by_words] == sorted(keys)


@relaxed
@given(values=st.lists(text, min_size=1))
def test_codes_give_back_their_values(values: list[str | None]) -> None:
    present = sorted({v for v in values if v is not None}, key=str.encode)
    coding = coding_of_values("v", pa.array(present[::-1], pa.string()), None in values)
    codes = coding.encode(pa.array(values, pa.string()))
    assert coding.decode(codes) == values
    assert coding.decode(np.arange(len(present))) == present


@pytest.mark.parametrize("name", all_types(1, 1).column_names)
def test_count_by_each_type(name: str, make_source: Any, duckdb_engine: Engine) -> None:
    check_count(make_source(all_types(300, 2), row_group_size=70), [name], [duckdb_engine])


@relaxed
@given(rows=rows_of_four)
def test_every_approach_equals_brute_force(
    rows: list[tuple[Any, ...]], make_source: Any, duckdb_engine: Engine
) -> None:
    source, key = make_source(table_of(rows), row_group_size=7), ["c", "b", "d", "a"]
    check_count(source, key, [duckdb_engine])
    check_same(*(duckdb_engine.count(source, key, approach=a) for a in ("sort", "tally")))
    # two variables of few values: all possible keys fit in a catalogue
    check_same(
        *(duckdb_engine.count(source, ["c", "a"], approach=a) for a in ("sort", "catalogue"))
    )


@pytest.mark.parametrize("approach", get_args(Approach))
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_every_approach_and_thread_count_gives_the_same(
    approach: Approach, threads: int, make_source: Any, small_parts: None, tmp_path: Path
) -> None:
    rng = np.random.default_rng(6)
    table = pa.table(
        {
            "age": pa.array(rng.integers(-20, 60, 3000), mask=rng.random(3000) < 0.05),
            "place": rng.integers(0, 40, 3000).astype(str),
        }
    )
    source = make_source(table, row_group_size=410)
    coding = key_coding(source, ["age", "place"])
    found = count_words(
        source, coding, approach=approach, threads=threads, memory=1 << 30, scratch=tmp_path
    )
    reference = count_words(
        source, coding, approach="sort", threads=1, memory=1 << 30, scratch=tmp_path
    )
    expected = dict.fromkeys(keys_of(source, ["age", "place"]), 0)
    for key in keys_of(source, ["age", "place"]):
        expected[key] += 1
    assert keys_and_counts(found) == expected
    check_same(found, reference)


@pytest.mark.parametrize("width", [1, 3])
def test_a_tally_that_spills_equals_one_in_memory(
    width: int, make_source: Any, small_parts: None, tmp_path: Path, monkeypatch: Any
) -> None:
    rng = np.random.default_rng(7)
    columns = {f"v{j}": rng.integers(0, 2, 5000) * ((1 << 23) - 1) for j in range(2 * width)}
    source = make_source(pa.table(columns), row_group_size=900)
    coding = key_coding(source, list(columns))
    assert len(coding.groups) == width
    opened = []
    real = approaches.tempfile.TemporaryFile
    monkeypatch.setattr(
        approaches.tempfile,
        "TemporaryFile",
        lambda **where: opened.append(where) or real(**where),
    )
    tallies = [
        count_words(source, coding, approach="tally", threads=2, memory=memory, scratch=tmp_path)
        for memory in (1 << 30, 1000)
    ]
    # numba may write its own cache with such files, elsewhere
    assert [where["dir"] for where in opened].count(tmp_path) == 1
    check_same(*tallies)
    assert not list(tmp_path.iterdir())


def test_a_catalogue_that_does_not_fit_is_refused(make_source: Any, duckdb_engine: Engine) -> None:
    source = make_source(pa.table({"a": [0, 10**6], "b": [0, 10**6]}))
    with pytest.raises(InputError, match="A catalogue of all possible keys would need"):
        duckdb_engine.count(source, ["a", "b"], approach="catalogue")


@pytest.mark.parametrize(
    ("key", "said"),
    [([], "The key is empty"), (["a", "a"], "twice"), (["A1"], "Did you mean 'a1'")],
)
def test_wrong_keys_are_refused(
    key: list[str], said: str, make_source: Any, engine: Engine
) -> None:
    source = make_source(pa.table({"a": [1], "a1": [2]}))
    with pytest.raises(InputError, match=said):
        engine.count(source, key)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf"), None])
def test_weights_must_be_positive(bad: float | None, make_source: Any) -> None:
    source = make_source(pa.table({"w": [1.0]}))
    with pytest.raises(InputError, match=r"the weight 'w' in record 13 is missing, zero"):
        weight_units(pa.array([1.0, 2.5, bad]), source=source, column="w", start=10)


@relaxed
@given(cuts=st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=2, max_size=2))
def test_aligned_pairs_every_record(cuts: list[list[int]]) -> None:
    def stream(sizes: list[int], total: int) -> Iterator[Any]:
        at = 0
        for size in [*sizes, total]:
            size = min(size, total - at)
            if size:
                yield np.arange(at, at + size)
            at += size

    pairs = list(aligned(stream(cuts[0], 30), stream(cuts[1], 30)))
    assert all((a == b).all() for a, b in pairs)
    assert [i for a, _ in pairs for i in a.tolist()] == list(range(30))


def test_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean 'spark'"):
        start_engine("spork", workspace=tmp_path)  # type: ignore[arg-type]
