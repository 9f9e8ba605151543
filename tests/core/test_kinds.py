"""What columns hold, asked of every kind of column that a file may have."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import indistinct
from indistinct.core import decoded, held_kind, holds_numbers, holds_text, values_and_codes
from indistinct.files import open_table
from indistinct.prove import Register
from indistinct.prove.attacks import distance_attack
from indistinct.prove.true_values import agreement, find_true_values

NUMBERS = (pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.decimal128(9, 2))
TEXTS = (pa.string(), pa.large_string(), pa.string_view())
NEITHER = (
    pa.bool_(),
    pa.date32(),
    pa.time64("us"),
    pa.timestamp("us"),
    pa.duration("s"),
    pa.binary(),
    pa.null(),
    pa.list_(pa.int64()),
    pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int32(), pa.int64()),
)


@pytest.mark.parametrize("kind", [*NUMBERS, *TEXTS, *NEITHER], ids=str)
def test_a_kind_is_numbers_or_text_or_neither(kind):
    assert holds_numbers(kind) == (kind in NUMBERS)
    assert holds_text(kind) == (kind in TEXTS)


def test_codes_stand_for_what_their_dictionary_holds():
    column = pa.chunked_array([pa.array([7, None, 7]).dictionary_encode()])
    assert holds_numbers(held_kind(column.type))
    assert decoded(column).type == pa.int64()
    assert decoded(column).to_pylist() == [7, None, 7]
    values, codes = values_and_codes(column)
    assert (values, codes.tolist()) == ([7, None], [0, 1, 0])


def test_decimals_agree_with_the_same_numbers_of_another_type():
    """A price of 12.50 that a release holds as a decimal is the 12.5 of the private file."""
    released = pa.table({"price": pa.array([Decimal("12.50"), Decimal("0.10")])})
    private = pa.table({"price": [12.5, 0.3]})
    both = np.arange(2)
    agree, telling = agreement(released, private, both, both, {})
    assert (agree.tolist(), telling.tolist()) == ([True, False], [True, True])
    assert find_true_values(released, private, both, both, {})[0].tolist() == [True, False]


def test_decimals_are_linked_by_the_distance_of_numbers():
    """They were taken for words, and the distance for words chosen, by this attack alone."""
    whole = pa.table({"size": [10, 20, 30], "age": [3, 1, 2]})
    kinds = pa.schema([("size", pa.decimal128(30, 2)), ("age", pa.int64())])
    with indistinct.open_data(pa.table({"x": [1]})) as data:
        found = [
            distance_attack(
                data.engine,
                open_table(table, workspace=data.engine.workspace, origin="released"),
                Register(open_table(table, workspace=data.engine.workspace, origin="register")),
                attributes=["size", "age"],
                truth=[0, 1, 2],
            )
            for table in (whole, whole.cast(kinds))
        ]
    assert [one.attack for one in found] == ["standardised distance"] * 2


def test_nobody_asks_arrow_itself_whether_a_column_holds_numbers():
    root = Path(indistinct.__file__).parent
    again = re.compile(r"is_integer\((.+)\)\s+or pa\.types\.is_floating\(\1\)")
    found = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if again.search(path.read_text(encoding="utf-8"))
    ]
    assert found == ["core/kinds.py", "files/statwrite.py"]  # what Stata and SPSS can store
