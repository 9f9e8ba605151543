"""l-diversity and what is learnt without a link, against papers, sdcMicro, ARX and brute force."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

import indistinct
from indistinct.core.errors import InputError
from indistinct.engine import KeyCoding, coding_of_values
from indistinct.hierarchy import csv_hierarchy, ordered_hierarchy
from indistinct.keys import KeyTable
from indistinct.risk.attributes import attribute_disclosure
from indistinct.risk.diversity import l_diversity, multi_l_diversity, split_table

SHARED = Path(__file__).resolve().parents[3] / "shared"
relaxed = settings(deadline=None, max_examples=60)
value = st.one_of(st.none(), st.integers(0, 2))
records = st.lists(st.tuples(value, value, value, value), min_size=1, max_size=60)
NAMES = ["a", "b", "s", "u"]


def counted(rows, names=NAMES):
    """Count rows without a file, which is quicker for many small examples."""
    columns = [pa.array([r[j] for r in rows]) for j in range(len(names))]
    columns = [c.cast(pa.int64()) if pa.types.is_null(c.type) else c for c in columns]
    coding = KeyCoding(
        tuple(
            coding_of_values(name, column.unique().drop_null(), column.null_count > 0)
            for name, column in zip(names, columns, strict=True)
        )
    )
    codes = np.stack([v.encode(c) for v, c in zip(coding.variables, columns, strict=True)], axis=1)
    return KeyTable(coding, *np.unique(codes, axis=0, return_counts=True))


def by_hand(counts, c):
    """Distinct, entropy and recursive diversity straight from the definitions."""
    r = sorted(counts, reverse=True)
    n = sum(r)
    entropy = -sum(x / n * math.log(x / n) for x in r)
    holds = [l for l in range(1, len(r) + 1) if r[0] < c * sum(r[l - 1 :])]
    return len(r), entropy, max(holds, default=1)


def classes_by_hand(rows, key, sensitive):
    classes = defaultdict(Counter)
    for row in rows:
        classes[tuple(row[j] for j in key)][row[sensitive]] += 1
    return classes


def by_class(result):
    keys = zip(*(result.table.values(name) for name in result.table.names), strict=True)
    return dict(
        zip(
            keys,
            zip(
                result.distinct.tolist(),
                result.entropy.tolist(),
                result.recursive.tolist(),
                strict=True,
            ),
            strict=True,
        )
    )


@relaxed
@given(records, st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_diversity_equals_the_definitions(rows, c):
    found = by_class(l_diversity(counted(rows), ["a", "b"], "s", c=c))
    expected = classes_by_hand(rows, (0, 1), 2)
    assert found.keys() == expected.keys()
    for key, counts in expected.items():
        distinct, entropy, recursive = by_hand(counts.values(), c)
        assert found[key][0] == distinct
        assert found[key][1] == pytest.approx(entropy, abs=1e-12)
        assert found[key][2] == recursive


@relaxed
@given(records)
def test_several_variables_equal_each_with_the_others_in_the_key(rows):
    found = by_class(multi_l_diversity(counted(rows), ["a", "b"], ["s", "u"]))
    least = {}
    for sensitive, other in ((2, 3), (3, 2)):
        for key, counts in classes_by_hand(rows, (0, 1, other), sensitive).items():
            measures = by_hand(counts.values(), 2.0)
            least[key[:2]] = tuple(map(min, least.get(key[:2], measures), measures))
    assert found.keys() == least.keys()
    for key, expected in least.items():
        assert found[key] == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=15)
@given(records)
def test_measures_go_back_to_every_record(rows):
    table = pa.table({n: pa.array([r[j] for r in rows], pa.int8()) for j, n in enumerate(NAMES)})
    with open_small(table) as data:
        tally = data.engine.count(data.source, NAMES)
        found = l_diversity(data.key_table(NAMES), ["b", "a"], "s")
        per_record = np.concatenate(list(tally.per_record(found.distinct[found.class_of])))
    expected = classes_by_hand(rows, (1, 0), 2)
    assert per_record.tolist() == [len(expected[(r[1], r[0])]) for r in rows]


@relaxed
@given(records)
def test_split_loses_no_record(rows):
    split = split_table(counted(rows), ["a"], "s")
    assert split.counts.sum() == len(rows)
    assert dict(zip(split.decoded(), split.totals.tolist(), strict=True)) == Counter(
        r[2] for r in rows
    )


def machanavajjhala_figure_3():
    """The 3-diverse inpatient table of the paper: ZIP, age, condition."""
    block = [
        ("1305*", "<=40", "heart disease"),
        ("1305*", "<=40", "viral infection"),
        ("1305*", "<=40", "cancer"),
        ("1305*", "<=40", "cancer"),
        ("1485*", ">40", "cancer"),
        ("1485*", ">40", "heart disease"),
        ("1485*", ">40", "viral infection"),
        ("1485*", ">40", "viral infection"),
        ("1306*", "<=40", "heart disease"),
        ("1306*", "<=40", "viral infection"),
        ("1306*", "<=40", "cancer"),
        ("1306*", "<=40", "cancer"),
    ]
    return counted(block, ["zip", "age", "condition"])


def test_machanavajjhala_3_diverse_inpatients():
    found = l_diversity(machanavajjhala_figure_3(), ["zip", "age"], "condition", l=3)
    assert found.least("distinct") == 3
    assert found.records_failing("distinct") == 0
    # shares 2/4, 1/4, 1/4: entropy 1.5 ln 2
    assert found.entropy_l.tolist() == pytest.approx([2**1.5] * 3)
    assert found.records_failing("entropy") == 12
    # 2 < 2 (1 + 1), and not 2 < 2 · 1
    assert found.recursive.tolist() == [2, 2, 2]


def test_equal_shares_have_exactly_the_diversity_of_their_number():
    for m in range(2, 60):
        table = counted([(0, i, i % m, 0) for i in range(2 * m)])
        found = l_diversity(table, ["a"], "s", l=m)
        assert found.records_failing("entropy") == 0


def sweeney_figure_33():
    rows = [
        ("Black", "1965", "m", "02141", "short of breath"),
        ("Black", "1965", "m", "02141", "chest pain"),
        (None, "1965", "f", "0213*", "hypertension"),
        (None, "1965", "f", "0213*", "hypertension"),
        ("Black", "1964", "f", "02138", "obesity"),
        ("Black", "1964", "f", "02138", "chest pain"),
        ("Caucasian", "1964", "m", "0213*", "chest pain"),
        (None, "1965", "f", "0213*", "hypertension"),
        ("Caucasian", "1964", "m", "0213*", "obesity"),
        ("Caucasian", "1964", "m", "0213*", "short of breath"),
        ("Caucasian", "1967", "m", "02138", "chest pain"),
        ("Caucasian", "1967", "m", "02138", "chest pain"),
    ]
    names = ["ethnicity", "birth", "sex", "zip", "problem"]
    return pa.table({n: [r[j] for r in rows] for j, n in enumerate(names)})


def test_sweeney_figure_33_tells_the_problem_of_five_people():
    names = sweeney_figure_33().column_names
    with indistinct.open_data(sweeney_figure_33()) as data:
        tally = data.engine.count(data.source, names)
        found = attribute_disclosure(data.key_table(names), names[:-1], ["problem"], l=2)
        told = np.concatenate(list(tally.per_record(found.homogeneous[found.class_of])))
    assert (np.flatnonzero(told) + 1).tolist() == [3, 4, 8, 11, 12]
    assert found.disclosed == found["problem"].disclosed == 5
    assert found.table.counts[found.failing].sum() == 5
    assert "5 people" in found.warnings[0]
    assert "warning: a value of 5 people is told" in repr(found)


@relaxed
@given(records)
def test_everything_about_several_variables_prints_and_agrees_with_itself(rows):
    found = attribute_disclosure(counted(rows), ["a", "b"], ["s", "u"], l=2, t=0.5)
    assert len(repr(found).splitlines()) <= 12
    facts = found.to_dict()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    for j, name in ((2, "s"), (3, "u")):
        classes = classes_by_hand(rows, (0, 1), j)
        told = sum(sum(c.values()) for c in classes.values() if len(c) == 1 and sum(c.values()) > 1)
        assert found[name].disclosed == told
    frame = found.to_frame()
    assert frame["count"].sum() == len(rows)
    failing = (frame[["s_distinct_l", "u_distinct_l"]].min(axis=1) < 2) | (
        frame[["s_t", "u_t"]].max(axis=1) > 0.5 + 1e-9
    )
    assert facts["records_failing"] == frame["count"][failing].sum()
    assert "<table>" in found._repr_html_()


def test_levels_and_hierarchies_choose_the_distance():
    rows = [(1, "low", 1, 1.5), (1, "high", 2, 2.5), (2, "mid", 3, 0.5), (2, "low", 3, 2.5)]
    names = ["key", "rank", "code", "income"]
    ranks = ordered_hierarchy(["low", "mid", "high"], name="rank")
    table = counted(rows, names)
    found = attribute_disclosure(
        table,
        ["key"],
        names[1:],
        hierarchies={"rank": ranks},
        levels={"rank": "ordinal"},
    )
    assert [v.closeness.distance for v in found.variables] == ["ordered", "equal", "ordered"]
    # shares low, mid, high: file ½ ¼ ¼, key 1 ½ 0 ½; alphabetical order would give another answer
    assert found["rank"].closeness.distances.tolist() == pytest.approx([0.125, 0.125])
    as_tree = attribute_disclosure(table, ["key"], ["rank"], hierarchies={"rank": ranks})
    assert as_tree["rank"].closeness.distance == "hierarchical"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: l_diversity(t, [], "s"), "The key is empty"),
        (lambda t: l_diversity(t, ["a"], "z"), "not counted by 'z'"),
        (lambda t: l_diversity(t, ["a"], "a"), "'a' is named twice"),
        (lambda t: l_diversity(t, ["a"], "s", l=1), "l must be a number above 1. Got 1"),
        (lambda t: l_diversity(t, ["a"], "s", c=0), "c must be a number above 0. Got 0"),
        (lambda t: l_diversity(t, ["a"], "s").failing("distinct"), "There is no l"),
        (lambda t: l_diversity(t, ["a"], "s", l=2).failing("distinkt"), "Did you mean 'distinct'"),
        (lambda t: multi_l_diversity(t, ["a"], []), "No sensitive variable"),
        (lambda t: attribute_disclosure(t, ["a"], ["s"], levels={"u": "ordinal"}), "for 'u'"),
        (
            lambda t: attribute_disclosure(t, ["a"], ["s"], levels={"s": "ordered"}),
            "levels must be a mapping .* Got 'ordered' for 's'",
        ),
        (lambda t: attribute_disclosure(t, ["a"], ["s"])["u"], "'u' was not measured"),
    ],
)
def test_wrong_requests_are_refused_in_a_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call(counted([(0, 1, 2, 0), (1, 1, 0, 0)]))


# What other programs answer

shared = pytest.mark.shared


def need(path):
    if not path.exists():
        pytest.skip("the folder shared beside the project is absent")
    return path


def per_record(frame, key, sensitive, c=2.0):
    """The three measures of one variable for every record, as sdcMicro prints them."""
    names = [*key, *sensitive]
    with indistinct.open_data(pa.Table.from_pandas(frame[names], preserve_index=False)) as data:
        tally = data.engine.count(data.source, names)
        table = data.key_table(names)
        columns = []
        for name in sensitive:
            found = l_diversity(table, key, name, c=c)
            for kind in ("distinct", "entropy", "recursive"):
                rows = found.measure(kind)[found.class_of]
                columns.append(np.concatenate(list(tally.per_record(rows))))
    return np.stack(columns, axis=1)


HOUSING = ["urbrur", "roof", "walls", "water", "sex"]
ADULT = ["sex", "age", "race", "marital-status"]


@shared
@pytest.mark.parametrize(
    ("data", "reference", "key", "sensitive", "c"),
    [
        ("testdata.csv", "ldiversity_testdata.csv", HOUSING, ["electcon", "relat"], 2),
        ("testdata.csv", "ldiversity_testdata_one.csv", HOUSING, ["hhcivil"], 3),
        ("adult.csv", "adult_ldiversity_k4.csv", ADULT, ["salary-class"], 2),
        ("adult.csv", "adult_ldiversity_k5.csv", [*ADULT, "education"], ["salary-class"], 2),
        ("", "ldiversity_testdata_na__out.csv", HOUSING, ["hhcivil"], 2),
    ],
    ids=["two variables", "c = 3", "adult 4 keys", "adult 5 keys", "missing keys"],
)
def test_every_record_equals_sdcmicro(data, reference, key, sensitive, c):
    folder = need(SHARED / "reference" / "sdcmicro")
    source = SHARED / "data" / data if data else folder / "ldiversity_testdata_na__input.csv"
    frame = pd.read_csv(need(source)).convert_dtypes()
    expected = pd.read_csv(folder / reference).to_numpy()[:, : 3 * len(sensitive)]
    np.testing.assert_allclose(per_record(frame, key, sensitive, c), expected, rtol=1e-12)


def arx_runs(word):
    folder = need(SHARED / "reference" / "arx")
    for name in ("arx_models_adult_s002.json", "arx_models_adult_s005_s1.json"):
        for run in json.loads((folder / name).read_text())["runs"]:
            if word in run["privacy"]:
                yield run


def generalised_adult(run, sensitive):
    """Adult at the levels that ARX chose, counted with the sensitive variable as it was."""
    frame = pd.read_csv(need(SHARED / "data" / "adult.csv"))
    columns = {"sensitive": frame[sensitive]}
    for name, level in run["optimum"].items():
        path = SHARED / "data" / "hierarchies" / f"adult_hierarchy_{name}.csv"
        values = frame[name].unique()
        labels = csv_hierarchy(path, name=name).recode(values, level)
        columns[name] = frame[name].map(dict(zip(values, labels, strict=True)))
    with indistinct.open_data(pa.Table.from_pandas(pd.DataFrame(columns))) as data:
        return data.key_table([*run["optimum"], "sensitive"])


@shared
@pytest.mark.parametrize(
    ("word", "kind", "l", "c"),
    [
        ("distinct-3", "distinct", 3, 2),
        ("distinct-5", "distinct", 5, 2),
        ("recursive-(4,3)", "recursive", 3, 4),
    ],
)
def test_classes_that_fail_are_those_arx_suppresses(word, kind, l, c):
    runs = list(arx_runs(word))
    assert runs
    for run in runs:
        table = generalised_adult(run, "occupation")
        found = l_diversity(table, list(run["optimum"]), "sensitive", l=l, c=c)
        assert found.records_failing(kind) == run["suppressed"]
        assert (~found.failing(kind)).sum() == run["classes"]


@shared
def test_entropy_equals_arx_but_for_its_rounding():
    """ARX refuses classes of two, two and two as less than entropy-3-diverse; they are exactly."""
    runs = list(arx_runs("SHANNON"))
    assert runs
    for run in runs:
        table = generalised_adult(run, "occupation")
        found = l_diversity(table, list(run["optimum"]), "sensitive", l=3)
        even = (found.table.counts == 6) & (np.abs(found.entropy_l - 3) < 1e-9)
        assert not found.failing("entropy")[even].any()
        refused = found.records_failing("entropy") + 6 * int(even.sum())
        assert refused == run["suppressed"]
