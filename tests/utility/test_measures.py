"""Measures against definitions spelt out cell by cell, and what every measure must obey."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.hierarchy import interval_hierarchy, suppression_only, table_hierarchy
from indistinct.keys import Generalisable, Recoding
from indistinct.keys.losses import (
    LOSSES,
    gcp,
    granularity,
    levels_up,
    loss,
    measure,
    ncp,
    precision,
)
from indistinct.keys.recoding import DROPPED
from indistinct.utility import quality

TREE = table_hierarchy(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "cd", "*")],
    name="letter",
)
SEX = suppression_only(["f", "m"], name="sex")
HIERARCHIES = {"letter": TREE, "sex": SEX}


def keys_of(rows):
    columns = {"letter": [r[0] for r in rows], "sex": [r[1] for r in rows]}
    with open_small(columns) as data:
        return Generalisable.of(data.key_table(["letter", "sex"]), HIERARCHIES)


@st.composite
def recodings(draw):
    cell = st.tuples(st.sampled_from([*"abcde", None]), st.sampled_from("fm"))
    rows = draw(st.lists(cell, min_size=1, max_size=12))
    keys = keys_of([*rows, ("a", "f")])
    classes, levels, counts = [], [], []
    for number, count in enumerate(keys.counts.tolist()):
        parts = [1, count - 1] if count > 1 and draw(st.booleans()) else [count]
        for part in parts:
            classes.append(number)
            counts.append(part)
            gone = draw(st.integers(0, 4)) == 0
            levels.append(
                [DROPPED] * 2 if gone else [draw(st.integers(0, 2)), draw(st.integers(0, 1))]
            )
    return Recoding(
        keys, np.array(classes), np.array(levels, dtype=np.int16), np.array(counts, dtype=np.int64)
    )


def cells(recoding):
    """Yield variable, original label, level (None if left out) of every cell of every record."""
    for row, number in enumerate(recoding.classes):
        for j, name in enumerate(recoding.keys.names):
            value = recoding.keys.table.values(name)[number]
            level = None if recoding.dropped[row] else int(recoding.levels[row, j])
            for _ in range(int(recoding.counts[row])):
                yield name, value, level


@settings(deadline=None, max_examples=40)
@given(recodings())
def test_cell_by_cell(recoding):
    lost = climbed = penalty = up = 0.0
    number = 0
    for name, value, level in cells(recoding):
        tree = HIERARCHIES[name]
        number += 1
        if level is None:
            lost, climbed, penalty, up = lost + 1, climbed + 1, penalty + 1, up + tree.height
            continue
        label = tree.generalise(value, level)
        under = max(1, sum(tree.generalise(v, level) == label for v in tree.values))
        lost += (under - 1) / (len(tree.values) - 1)
        penalty += under / len(tree.values) if under > 1 else 0
        climbed += level / tree.height
        up += level
    assert loss(recoding) == pytest.approx(lost / number)
    assert 1 - precision(recoding) == pytest.approx(climbed / number)
    assert gcp(recoding) == pytest.approx(penalty / number)
    assert levels_up(recoding) == up


@settings(deadline=None, max_examples=40)
@given(recodings())
def test_entropy_cell_by_cell(recoding):
    everything = list(cells(recoding))
    total = 0.0
    for name, tree in HIERARCHIES.items():
        column = [(value, level) for n, value, level in everything if n == name]
        gone = [value for value, level in column if level is None]
        kept = {level for _, level in column if level is not None}
        common = kept.pop() if len(kept) == 1 else tree.height
        for value, level in column:
            at = common if level is None else level
            label = tree.generalise(value, at)
            own = sum(v == value for v, _ in column)
            total -= math.log2(own / sum(tree.generalise(v, at) == label for v, _ in column))
            if level is None:
                alike = sum(tree.generalise(v, at) == label for v in gone)
                total -= math.log2(alike / len(gone))
    assert measure(recoding, "entropy") == pytest.approx(total, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(recodings())
def test_qualities_lie_between_0_and_1(recoding):
    for measured in quality(recoding):
        assert -1e-9 <= measured.quality <= 1 + 1e-9, measured
        assert measured.loss >= -1e-9


ROWS = [("a", "f"), ("a", "m"), ("b", "f"), ("c", "m"), ("e", "m"), (None, "f")]


@pytest.mark.parametrize("name", LOSSES)
def test_climbing_never_pays(name):
    keys = keys_of(ROWS)
    ladder = [[0, 0], [1, 0], [1, 1], [2, 1]]
    losses = [measure(Recoding.full_domain(keys, levels), name) for levels in ladder]
    assert losses == sorted(losses)


def test_the_original_is_free():
    original = quality(Recoding.full_domain(keys_of(ROWS), [0, 0]))
    for measured in original:
        assert measured.quality == 1.0
    for name in ("loss", "granularity", "gcp", "precision", "entropy"):
        assert original[name].loss == 0.0
    assert original["discernibility"].loss == original["aecs"].loss * 6


def test_nothing_is_told():
    keys = keys_of(ROWS)
    nothing = quality(Recoding.full_domain(keys, [2, 1]))
    dropped = quality(Recoding.full_domain(keys, [0, 0], dropped=np.ones(keys.classes, bool)))
    for found in (nothing, dropped):
        assert [m.quality for m in found] == pytest.approx([0.0] * 8, abs=1e-12)
    assert nothing["discernibility"].loss == dropped["discernibility"].loss == 36


def test_a_missing_value_costs_nothing_before_the_root():
    keys = keys_of([(None, "f"), (None, "f")])
    assert loss(Recoding.full_domain(keys, [1, 0])) == 0.0
    assert loss(Recoding.full_domain(keys, [2, 0])) == 0.5
    assert ncp(Recoding.full_domain(keys, [1, 0])) == {"letter": 0.0, "sex": 0.0}


def test_discernibility_and_class_size_by_hand():
    keys = keys_of(ROWS)
    recoding = Recoding.full_domain(keys, [1, 0], dropped=keys.leaves[:, 0] == 5)
    # classes (ab, f) 2, (ab, m) 1, (cd, m) 2; one record left out of six
    assert measure(recoding, "discernibility") == 4 + 1 + 4 + 6
    assert measure(recoding, "aecs") == 6 / 4


def test_granularity_puts_attributes_together_first():
    keys = keys_of(ROWS[:-1])
    recoding = Recoding.full_domain(keys, [2, 0])
    assert loss(recoding) == 0.5
    # mean of 1 and 1/2, floor the mean of 1/5 and 1/2
    assert granularity(recoding) == pytest.approx(1 - (0.75 - 0.35) / 0.65)


def test_ncp_of_numbers_is_the_width_over_the_range():
    ages = interval_hierarchy([20, 21, 24, 30, 40], name="age", widths=(5, 10), origin=20)
    with open_small({"age": [20, 21, 24, 30, 40]}) as data:
        keys = Generalisable.of(data.key_table(["age"]), {"age": ages})
    assert ages.ordered
    # 20, 21 and 24 share an interval that is 4 wide among the values; 30 and 40 are alone
    assert gcp(Recoding.full_domain(keys, [1])) == pytest.approx(3 * (4 / 20) / 5)
    assert gcp(Recoding.full_domain(keys, [0])) == 0.0
    assert gcp(Recoding.full_domain(keys, [ages.height])) == 1.0


def test_weights_say_what_matters():
    recoding = Recoding.full_domain(keys_of(ROWS[:-1]), [2, 0])
    assert measure(recoding, "loss", weights={"letter": 3}) == pytest.approx(0.75)
    assert measure(recoding, "precision", weights={"letter": 3}) == pytest.approx(0.75)
    assert measure(recoding, "entropy", weights={"letter": 0}) == 0.0
    assert measure(recoding, "aecs", weights={"letter": 3}) == measure(recoding, "aecs")


def test_wrong_names_are_refused():
    recoding = Recoding.full_domain(keys_of(ROWS), [0, 0])
    with pytest.raises(InputError, match="must be one of loss, precision, entropy"):
        measure(recoding, "los")
    with pytest.raises(InputError, match="Did you mean 'sex'"):
        measure(recoding, "loss", weights={"sexx": 1})
    with pytest.raises(InputError, match="above 0"):
        measure(recoding, "loss", weights={"sex": 0, "letter": 0})


def test_quality_shows_itself():
    found = quality(Recoding.full_domain(keys_of(ROWS), [1, 0]))
    assert "6 of 6 records released, in 4 classes" in repr(found)
    assert "discernibility" in found._repr_html_()
    assert found.to_dict()["loss"] == {"loss": found["loss"].loss, "quality": found["loss"].quality}
