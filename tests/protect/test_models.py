"""Privacy models one by one: definitions by hand, what they promise when classes merge."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import Coding, KeyCoding
from indistinct.hierarchy import table_hierarchy
from indistinct.keys import KeyTable
from indistinct.protect.models import (
    AverageRisk,
    Coverage,
    Grouping,
    KAnonymity,
    KMap,
    LDiversity,
    MaximumRisk,
    PopulationUniques,
    PrivacyModel,
    SampleUniques,
    TCloseness,
    unsafe_classes,
)
from indistinct.risk.diversity import split_table

TREE = table_hierarchy(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")], name="s"
)

ALL = [
    KAnonymity(3),
    MaximumRisk(0.3),
    KMap(4, register="people.csv"),
    LDiversity("s", 3),
    LDiversity("s", 2.5, form="entropy"),
    LDiversity("s", 2, form="recursive", c=3.0),
    TCloseness("s", 0.3),
    TCloseness("s", 0.3, distance="hierarchical", hierarchy=TREE),
    TCloseness("s", 0.3, distance="ordered", order=("a", "b", "c", "d")),
    Coverage("s", 0.6),
    AverageRisk(0.2),
    SampleUniques(0.05),
    PopulationUniques(0.01, 0.1, estimator="pitman"),
]


def grouped(*classes, people=None):
    """Make a grouping of classes, each a text of its sensitive values."""
    cells = {}
    for number, values in enumerate(classes):
        for value in values:
            cell = (number, "abcd".index(value))
            cells[cell] = cells.get(cell, 0) + 1
    coding = KeyCoding(
        (
            Coding("key", len(classes), False),
            Coding("s", 4, False, values=pa.array([*"abcd"])),
        )
    )
    rows = sorted(cells)
    table = KeyTable(coding, np.array(rows), np.array([cells[row] for row in rows]))
    sizes = np.array([len(values) for values in classes])
    register = None if people is None else np.array(people)
    return Grouping(sizes, register, {"s": split_table(table, ["key"], "s")})


def flags(model, grouping, most=10**6):
    return unsafe_classes([model], grouping, most=most).tolist()


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.describe())
def test_a_model_survives_being_saved(model):
    again = PrivacyModel.from_dict(model.to_dict())
    assert again == model
    assert hash(again) == hash(model)
    assert model.describe()


def test_k_anonymity_and_maximum_risk_are_about_sizes():
    classes = grouped("aa", "abc", "abcd")
    assert flags(KAnonymity(3), classes) == [True, False, False]
    # 1/3 is above 0.3, 1/4 is not
    assert flags(MaximumRisk(0.3), classes) == [True, True, False]
    assert MaximumRisk(0.2).smallest == 5  # 1/0.2 is 5 exactly, not 6 by rounding
    assert MaximumRisk(1 / 3).smallest == 3


def test_k_map_is_about_the_register():
    assert flags(KMap(3), grouped("a", "aaaa", people=[3, 2])) == [False, True]
    with pytest.raises(InputError, match="needs a register"):
        flags(KMap(3), grouped("a"))


def test_three_forms_of_l_diversity():
    """Machanavajjhala et al.: 2 of 3 equal values have exp(H) = 1.89; 5, 1, 1 is (3, 2)-diverse."""
    classes = grouped("aab", "abc", "aaaaabc", "aaa")
    assert flags(LDiversity("s", 2), classes) == [False, False, False, True]
    assert flags(LDiversity("s", 3), classes) == [True, False, False, True]
    assert flags(LDiversity("s", 2, form="entropy"), classes) == [True, False, False, True]
    # three equal shares are 3-diverse, whatever rounding says
    assert flags(LDiversity("s", 3, form="entropy"), classes) == [True, False, True, True]
    # 2 < 3·1; 1 < 3·2; 5 < 3·2; one value alone never
    recursive = LDiversity("s", 2, form="recursive", c=3.0)
    assert flags(recursive, classes) == [False, False, False, True]
    # 2 is not below 2·1, nor 5 below 2·2
    stricter = LDiversity("s", 2, form="recursive", c=2.0)
    assert flags(stricter, classes) == [True, False, True, True]


def test_closeness_by_three_distances():
    """The file is half a, half d; a class of a alone is ½ away, however far a and d are apart."""
    classes = grouped("aa", "dd", "ad")
    assert flags(TCloseness("s", 0.4), classes) == [True, True, False]
    assert flags(TCloseness("s", 0.5), classes) == [False, False, False]
    tree = TCloseness("s", 0.4, distance="hierarchical", hierarchy=TREE)
    assert flags(tree, classes) == [True, True, False]
    # a and b meet halfway up: ¼
    near = grouped("aa", "bb", "ab")
    assert flags(TCloseness("s", 0.24, distance="hierarchical", hierarchy=TREE), near) == [
        True,
        True,
        False,
    ]
    assert (
        flags(TCloseness("s", 0.25, distance="hierarchical", hierarchy=TREE), near) == [False] * 3
    )
    ordered = TCloseness("s", 0.2, distance="ordered", order=("a", "b", "c", "d"))
    # of three steps from a to d one, for half the records: 1/6
    assert flags(ordered, near) == [False] * 3


def test_the_mean_risk_falls_class_by_class():
    """4 classes of 10 records; without one of the two uniques 3/9, without both 2/8."""
    sizes = Grouping(np.array([1, 4, 1, 4]))
    assert flags(AverageRisk(0.4), sizes) == [False] * 4
    assert flags(AverageRisk(0.34), sizes) == [True, False, False, False]
    assert flags(AverageRisk(0.3), sizes) == [True, False, True, False]
    # which of two equally small classes goes first is the order's business
    turned = Grouping(np.array([1, 4, 1, 4]), order=lambda: np.array([3, 2, 1, 0]))
    assert flags(AverageRisk(0.34), turned) == [False, False, True, False]


def test_a_share_of_uniques_is_reached_class_by_class():
    sizes = Grouping(np.array([1, 1, 1, 9]))
    assert flags(SampleUniques(0.25), sizes) == [False] * 4
    assert flags(SampleUniques(0.2), sizes) == [True, False, False, False]
    assert flags(SampleUniques(0.01), sizes) == [True, True, True, False]


def test_population_uniques_fall_with_the_sample_s():
    sizes = Grouping(np.array([1] * 50 + [2] * 20 + [9] * 40))
    for estimator in ("zayatz", "pitman", "snb", "dankar"):
        gone = unsafe_classes([PopulationUniques(0.001, 0.1, estimator)], sizes, most=10**6)
        left = sizes.sizes[~gone]
        assert PopulationUniques(0.001, 0.1, estimator).holds(left, int(sizes.sizes.sum()))


def test_too_many_is_told_by_going_beyond_what_may_be_left_out():
    sizes = Grouping(np.array([1, 4, 1, 4]))
    gone = unsafe_classes([AverageRisk(0.01)], sizes, most=3)
    assert sizes.sizes[gone].sum() > 3


def test_file_models_look_at_what_the_others_leave():
    sizes = Grouping(np.array([1, 1, 3, 5]))
    both = unsafe_classes([AverageRisk(0.25), KAnonymity(2)], sizes, most=100)
    assert both.tolist() == [True, True, False, False]


texts = st.lists(st.text("abcd", min_size=1, max_size=6), min_size=2, max_size=5)
PER_CLASS = [model for model in ALL if not model.file_level and not model.needs_register]


@pytest.mark.parametrize("model", PER_CLASS, ids=lambda model: model.describe())
@given(classes=texts)
def test_what_a_model_promises_of_merged_classes_holds(model, classes):
    """The search trusts this: absorbing and closed as `merging` says."""
    before = flags(model, grouped(*classes))
    merged = flags(model, grouped(classes[0] + classes[1], *classes[2:]))[0]
    if model.merging == "absorbing" and not all(before[:2]):
        assert not merged
    if model.merging == "closed" and not any(before[:2]):
        assert not merged


@pytest.mark.parametrize("model", PER_CLASS, ids=lambda model: model.describe())
@given(classes=texts)
def test_a_safe_class_is_safe_by_what_is_implied_and_has_the_smallest_size(model, classes):
    grouping = grouped(*classes)
    safe = ~np.array(flags(model, grouping))
    assert (grouping.sizes[safe] >= model.smallest).all()
    if model.implied is not None:
        assert model.implied.merging == "absorbing"
        assert not np.array(flags(model.implied, grouping))[safe].any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KAnonymity(1), "k must be a whole number of at least 2. Got 1"),
        (lambda: KAnonymity(True), "k must be a whole number"),
        (lambda: KMap(0), "k must be a whole number of at least 2"),
        (lambda: MaximumRisk(0), "above 0 and at most 1. Got 0"),
        (lambda: AverageRisk(2), "above 0 and at most 1"),
        (lambda: SampleUniques(-1), "above 0 and at most 1"),
        (lambda: PopulationUniques(0.1, 2), "The sampling fraction must be a number above 0"),
        (lambda: PopulationUniques(0.1, 0.1, "pitmann"), "Did you mean 'pitman'"),
        (lambda: LDiversity("s", 1), "Every class is 1-diverse"),
        (lambda: LDiversity("s", 2, form="entropie"), "Got 'entropie'. Did you mean 'entropy'"),
        (lambda: TCloseness("s", 2), "t must be a number from 0 to 1"),
        (lambda: TCloseness("s", 0.1, distance="order"), "Got 'order'. Did you mean 'ordered'"),
        (lambda: TCloseness("s", 0.1, distance="hierarchical"), "and only there"),
        (lambda: TCloseness("s", 0.1, hierarchy=TREE), "and only there"),
        (lambda: PrivacyModel.from_dict({"kind": "k-anon"}), "There is no privacy model 'k-anon'"),
        (lambda: PrivacyModel.from_dict({"kind": "k-map", "q": 1}), "has no field 'q'"),
        (lambda: PrivacyModel.from_dict({"kind": "k-anonymity"}), "is not complete"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises(InputError, match=words):
        make()
