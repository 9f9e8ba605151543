"""Tasks and their listeners: what is heard, when, from which thread."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import open_small

import indistinct
from indistinct.core import progress
from indistinct.keys import uniques
from indistinct.protect import Generalise, Plan
from indistinct.risk.validating import validate

SECRET = "Rumpelstilzchen"


class Heard:
    """Keeps everything that it hears, and checks that it makes sense."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.open: list[progress.Task] = []
        self.seen: dict[int, list[int]] = {}
        self.tasks: list[progress.Task] = []

    def started(self, task: progress.Task, /) -> None:
        assert task not in self.open
        self.open.append(task)
        self.tasks.append(task)
        self.seen[id(task)] = [0]

    def advanced(self, task: progress.Task, /) -> None:
        assert task in self.open
        self.seen[id(task)].append(task.done)

    def ended(self, task: progress.Task, /) -> None:
        self.open.remove(task)

    def check(self) -> None:
        assert not self.open
        for task in self.tasks:
            seen = self.seen[id(task)]
            assert seen == sorted(seen)
            if task.total is not None:
                assert task.done == seen[-1] == task.total, task

    def named(self, words: str) -> list[progress.Task]:
        return [task for task in self.tasks if task.words == words]


@pytest.fixture
def heard():
    listener = Heard()
    with progress.listening(listener):
        yield listener
    listener.check()


def test_nobody_listens_by_default():
    with progress.task("work", total=3) as work:
        work.advance(2)
    assert work.done == 0
    assert progress.task("other") is work  # one that does nothing, for all


def test_a_task_that_fails_is_over_and_not_complete():
    listener = Heard()

    def work() -> None:
        with progress.listening(listener), progress.task("work", total=3) as begun:
            begun.advance()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert not listener.open
    assert [task.done for task in listener.tasks] == [1]


def test_a_listener_hears_only_what_begins_inside(heard):
    with progress.listening(None), progress.task("unheard"):
        pass
    assert not heard.tasks


@given(st.lists(st.integers(-3, 50), max_size=20), st.integers(0, 100) | st.none())
def test_what_is_done_never_falls_and_never_exceeds_the_total(amounts, total):
    listener = Heard()
    with progress.listening(listener), progress.task("work", total=total) as work:
        for amount in amounts:
            work.advance(amount)
    listener.check()
    if total is None:
        assert work.done == sum(max(0, amount) for amount in amounts)


def test_every_thread_may_advance(heard):
    with progress.task("work", total=8000) as work, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: [work.advance() for _ in range(1000)], range(8)))
        assert work.done == 8000


def test_another_thread_is_not_heard(heard):
    def other() -> None:
        with progress.task("elsewhere"):
            pass

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert not heard.tasks


def test_a_loop_that_is_left_ends_its_task(heard):
    for item in progress.each(range(10), "looking"):
        with progress.task("inside"):
            pass
        if item == 3:
            break
    assert [task.words for task in heard.tasks] == ["looking", *["inside"] * 4]


@pytest.mark.parametrize("approach", ["sort", "tally", "catalogue"])
def test_counting_ends_at_the_number_of_records(heard, approach):
    values = np.arange(40_000)
    with open_small(pa.table({"a": values % 7, "b": values % 11})) as data:
        assert data.engine.count(data.source, ["a", "b"], approach=approach).classes == 77
    (counting,) = heard.named("counting by a, b")
    assert (counting.total, counting.unit) == (40_000, "records")


def test_reading_changing_and_writing_end_at_their_total(heard, tmp_path):
    table = pa.table({"a": np.arange(3000) % 5, "b": ["x", "y", "z"] * 1000})
    pyarrow.csv.write_csv(table, tmp_path / "people.csv")
    pq.write_table(table.set_column(1, "b", table["b"].dictionary_encode()), tmp_path / "d.parquet")
    with indistinct.open_data(tmp_path / "people.csv") as data:
        kept = data.engine.keep(data.source, np.arange(3000) % 2 == 0)
        indistinct.files.write_data(kept, tmp_path / "half.parquet")
    with indistinct.open_data(tmp_path / "d.parquet"):
        pass
    assert heard.named("reading people.csv")[0].total == (tmp_path / "people.csv").stat().st_size
    assert heard.named("changing records")[0].total == 3000
    assert heard.named("writing half.parquet")[0].total == 1500
    assert heard.named("reading d.parquet")[0].total == 3000


def test_a_plan_tells_its_steps_and_a_validation_its_samples(heard):
    table = pa.table({"age": np.arange(400) % 40, "sex": np.arange(400) % 2})
    with open_small(table) as data:
        ages = data.hierarchies(["age"])["age"]
        plan = Plan((Generalise(ages, 1),))
        plan.apply(data.engine, data.source)
        found = uniques(data.engine, data.source, ["age", "sex"])
        validate(found.key_table, fraction=0.5, repeat=3, model="main", seed=1)
    assert heard.named("applying the plan")[0].total == 1
    assert heard.named("step 1: generalise")
    assert heard.named("drawing samples")[0].total == 3


def test_words_hold_names_and_no_value_of_a_cell(heard, tmp_path):
    people = pa.table({"name": [SECRET, "b", "c", "d"] * 5, "town": [SECRET, "x", "y", SECRET] * 5})
    pyarrow.csv.write_csv(people, tmp_path / "people.csv")
    with indistinct.open_data(tmp_path / "people.csv") as data:
        data.uniques(["name", "town"], k=2)
        done = data.protect(["name", "town"], method="suppress", k=6, seed=1)
        data.release(tmp_path / "release", done, seed=1)
    indistinct.verify_release(tmp_path / "release", private=tmp_path / "people.csv")
    assert len(heard.tasks) > 10
    assert SECRET not in "".join(task.words + task.unit for task in heard.tasks)
