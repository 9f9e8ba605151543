"""What the tests of protection share: engines, and a way to open a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_tables import SmallBatches

from indistinct.engine import Engine
from indistinct.engine.duckdb import DuckDBEngine
from indistinct.files import Source, open_table


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with DuckDBEngine(tmp_path_factory.mktemp("duckdb"), memory=10**9, threads=2) as started:
        yield started


@pytest.fixture(scope="session")
def small_batches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with SmallBatches(tmp_path_factory.mktemp("small"), memory=10**9, threads=1) as started:
        yield started


Opener = Callable[[Any], Source]


@pytest.fixture(scope="session")
def opened(folder: Path) -> Opener:
    def open_(table: Any) -> Source:
        return open_table(table, workspace=folder)

    return open_
