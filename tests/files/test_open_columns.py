"""Columns by name, the shortest way to open a small table."""

from __future__ import annotations

import pytest

from indistinct import open_data
from indistinct.core.errors import InputError


def test_columns_by_name_are_a_table():
    with open_data({"age": [30, 41], "sex": ["m", None]}) as data:
        assert data.source.table().to_pydict() == {"age": [30, 41], "sex": ["m", None]}


@pytest.mark.parametrize("columns", [{"a": [1, 2], "b": [1]}, {"a": 5}, {"a": [1, "x"]}])
def test_columns_that_are_no_table_are_refused(columns):
    with pytest.raises(InputError, match="lists of the same length"), open_data(columns):
        pass
