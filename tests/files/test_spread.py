"""Records from all over a file: in order, none twice, and from its beginning to its end."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.core import Variables
from indistinct.files import Source


@pytest.mark.parametrize("group", [50, 1_000, 1 << 20])
@pytest.mark.parametrize("records", [0, 1, 99, 1_000, 1_001, 5_000, 40_000])
def test_records_are_spread(records, group, tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"at": np.arange(records)}), path, row_group_size=group)
    source = Source(path, "x", Variables([]), records)
    found = source.spread(1_000).column("at").to_numpy()
    assert (np.diff(found) > 0).all()
    assert min(records, 450) <= len(found) <= 1_500
    if records > 1_000:
        thirds = np.bincount(found * 3 // records, minlength=3)
        assert thirds.min() >= len(found) // 5
