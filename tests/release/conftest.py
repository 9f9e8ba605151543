"""What the tests of release folders share: a small protected file, and a way to release it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from small_release import HOLDS, PEOPLE, SEED, TERMS

from indistinct.engine import Engine, start_engine
from indistinct.files import Source, open_table
from indistinct.hierarchy import interval_hierarchy
from indistinct.protect import Deidentify, Generalise, Plan, SwapValues
from indistinct.release import ReleaseFolder, write_release


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("engine")
    with start_engine("duckdb", workspace=folder, memory=10**9, threads=1) as started:
        yield started


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Source:
    source = open_table(pa.table(PEOPLE), workspace=tmp_path_factory.mktemp("people"))
    roles = {"name": "identifier", "age": "key", "sex": "key", "income": "sensitive"}
    changed = source.variables.updated({name: {"role": role} for name, role in roles.items()})
    return Source(source.path, "people", changed, source.records)


@pytest.fixture(scope="session")
def plan() -> Plan:
    ages = interval_hierarchy(PEOPLE["age"], name="age", widths=(10,))
    swap = SwapValues(("income",), pairs=((7, 11),))
    return Plan((Generalise(ages, 1), swap, Deidentify(("name",))))


Release = Callable[..., ReleaseFolder]


@pytest.fixture(scope="session")
def release(engine: Engine, people: Source, plan: Plan) -> Release:
    applied = plan.apply(engine, people, seed=SEED)

    def write(folder: Path, **options: Any) -> ReleaseFolder:
        asked: dict[str, Any] = {
            "plan": plan,
            "receipts": applied.receipts,
            "ledger": {"seed": SEED, "data": "people.csv"},
            "terms": TERMS,
            "key": ["age", "sex"],
            "k": 2,
            "prove": lambda path: HOLDS,
        }
        source = options.pop("source", applied.source)
        return write_release(folder, source, **{**asked, **options})

    return write
