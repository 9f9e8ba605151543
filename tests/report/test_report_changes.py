"""What the report says of what became of a variable, as an officer without the file reads it."""

from __future__ import annotations

import pyarrow.parquet as pq
from small_data import open_small

from indistinct.flow import make_report
from indistinct.hierarchy import interval_hierarchy, suppression_only
from indistinct.protect import Generalise, Plan, protect_by_plan
from indistinct.release.report.pieces import Claim, Grid

AGES = [1, 4, 7, 12, 14, 18] * 5


def told(folder):
    pieces = make_report(folder)["changes"].pieces
    return pieces, [c.text for c in pieces if isinstance(c, Claim) and "became" in c.name]


def test_a_generalised_variable_is_told_by_its_labels_in_the_order_of_their_numbers(tmp_path):
    plan = Plan((Generalise(interval_hierarchy(range(20), name="age", widths=(5,)), 1),))
    with open_small({"age": AGES, "sex": ["f", "m"] * 15}) as data:
        done = protect_by_plan(data.engine, data.source, ["age", "sex"], plan, k=2, seed=1)
        data.release(tmp_path / "r", done, seed=1)
    assert told(tmp_path / "r")[1] == [
        "age is told by 4 coarser labels instead of its own values: 0-4, 5-9, 10-14 and 15-19."
    ]


def test_cells_that_say_nothing_are_suppressed_and_no_label(tmp_path):
    people = {"town": ["a"] * 9 + ["b"], "sex": ["f"] * 10}
    trees = {name: suppression_only(sorted(set(people[name])), name=name) for name in people}
    with open_small(people) as data:
        done = data.protect(list(people), method="k-similar", k=2, seed=1, hierarchies=trees)
        data.release(tmp_path / "r", done, seed=1)
    pieces, became = told(tmp_path / "r")
    assert became == []
    table = next(p for p in pieces if isinstance(p, Grid) and p.name == "changed.data")
    assert [[cell.text for cell in row][:2] for row in table.rows] == [["town", "suppressed"]]


def test_what_a_class_would_have_told_is_said_to_be_suppressed(tmp_path):
    people = {"town": ["a"] * 5 + ["b"] * 5, "ill": ["gout"] * 5 + ["flu", "cold"] * 2 + ["flu"]}
    with open_small(people) as data:
        data = data.with_roles(ill="sensitive")
        done = data.protect(["town"], method="suppress", k=2, seed=1)
        data.release(tmp_path / "r", done, seed=1)
    blank = pq.read_table(tmp_path / "r/data.parquet")["ill"].null_count
    assert blank >= 5
    table = next(p for p in told(tmp_path / "r")[0] if isinstance(p, Grid))
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [(r[0], r[1], r[2], r[4]) for r in rows] == [
        ("ill", "suppressed", str(blank), str(blank))
    ]
