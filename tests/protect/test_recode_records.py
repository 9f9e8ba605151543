"""Putting recodings on records: what is written is what was decided, and nothing else moves."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.core.variables import Variable, Variables
from indistinct.hierarchy import interval_hierarchy, suppression_only, table_hierarchy
from indistinct.keys import DROPPED, Generalisable, KeyTable, Recoding
from indistinct.protect import Draws, Generalise, Plan, apply_recoding

LETTERS = table_hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")], name="x")
NUMBERS = interval_hierarchy([1, 2, 3, 4], name="n", widths=(2,))
TABLE = pa.table({"x": ["a", "a", "b", "c", "a", None], "n": [1, 1, 2, 4, 1, 3], "z": [9] * 6})


def counted(data, names, hierarchies):
    tally = data.engine.count(data.source, names)
    return tally, Generalisable.of(KeyTable.from_tally(tally), hierarchies)


def test_a_class_whose_records_go_different_ways():
    with open_small(TABLE) as data:
        tally, keys = counted(data, ["x"], {"x": LETTERS})
        # classes a (3), b (1), c (1), missing (1); two of the three a stay
        recoding = Recoding(
            keys,
            np.array([0, 0, 1, 2, 3]),
            np.array([[0], [1], [1], [0], [2]], dtype=np.int16),
            np.array([2, 1, 1, 1, 1]),
        )
        seen = set()
        for seed in range(20):
            draws = Draws.from_generator(np.random.default_rng(seed))
            result = apply_recoding(data.engine, data.source, tally, recoding, draws=draws)
            column = result.table().column("x").to_pylist()
            assert Counter(column) == {"a": 2, "ab": 2, "c": 1, "*": 1}
            assert column[2:4] == ["ab", "c"]
            seen.add(tuple(column))
        assert len(seen) == 3
        in_order = apply_recoding(data.engine, data.source, tally, recoding).table()
        assert in_order.column("x").to_pylist() == ["a", "a", "ab", "c", "ab", "*"]


def test_untouched_columns_keep_their_type_and_dropped_records_go():
    with open_small(TABLE) as data:
        tally, keys = counted(data, ["x", "n"], {"x": LETTERS, "n": NUMBERS})
        levels = np.zeros((keys.classes, 2), dtype=np.int16)
        levels[0] = DROPPED
        levels[1] = [1, 0]
        recoding = Recoding(keys, np.arange(keys.classes), levels, keys.counts)
        result = apply_recoding(data.engine, data.source, tally, recoding).table()
        assert result.schema.field("n").type == TABLE.schema.field("n").type
        assert result.to_pydict() == {"x": ["ab", "c", None], "n": [2, 4, 3], "z": [9, 9, 9]}


def test_blank_keeps_the_type_and_refuses_generalisation():
    with open_small(TABLE) as data:
        hierarchy = suppression_only([1, 2, 3, 4], name="n")
        tally, keys = counted(data, ["n"], {"n": hierarchy})
        recoding = Recoding(
            keys, np.arange(4), np.array([[0], [1], [0], [1]], dtype=np.int16), keys.counts
        )
        result = apply_recoding(data.engine, data.source, tally, recoding, blank=True).table()
        assert result.column("n").to_pylist() == [1, 1, None, None, 1, 3]
        tally, keys = counted(data, ["n"], {"n": NUMBERS})
        middle = Recoding.full_domain(keys, [1])
        with pytest.raises(InputError, match="'n' is generalised"):
            apply_recoding(data.engine, data.source, tally, middle, blank=True)


def test_generalise_as_a_step():
    with open_small(TABLE) as data:
        plan = Plan((Generalise(NUMBERS, 1), Generalise(LETTERS, 1)))
        applied = plan.apply(data.engine, data.source)
        columns = applied.source.table().to_pydict()
        assert columns["n"] == ["0-1", "0-1", "2-3", "4-5", "0-1", "2-3"]
        assert columns["x"] == ["ab", "ab", "ab", "c", "ab", None]
        assert applied.receipts[1].cells_changed == {"x": 4}
        again = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
        assert again == plan
        assert again.apply(data.engine, data.source).source.table() == applied.source.table()
        assert plan.undo(2).apply(data.engine, data.source).source is data.source


def test_a_generalised_variable_is_no_longer_a_number():
    with open_small(TABLE) as data:
        described = Variables(
            Variable("n", level="numeric", labels={1: "one"}, label="how many")
            if name == "n"
            else variable
            for name, variable in data.variables.items()
        )
        source = type(data.source)(
            data.source.path, data.source.origin, described, data.source.records
        )
        result = Plan((Generalise(NUMBERS, 1),)).apply(data.engine, source).source
        variable = result.variables["n"]
        assert (variable.level, dict(variable.labels), variable.label) == (
            "ordinal",
            {1: "one"},  # what no released cell has is left out when it is written
            "how many",
        )


@pytest.mark.parametrize("level", [0, 3, True, 1.5])
def test_a_level_that_does_not_exist_is_refused(level):
    with pytest.raises(InputError, match="level"):
        Generalise(NUMBERS, level)
