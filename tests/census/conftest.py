from __future__ import annotations

import pyarrow as pa
import pytest

from indistinct.census import census_table


@pytest.fixture(scope="session")
def census() -> pa.Table:
    return census_table(60_000, seed=20210321)
