"""Leaving out what is not safe: exactly those records, and the rest unchanged."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct import open_data
from indistinct.core.errors import InputError
from indistinct.hierarchy import code_hierarchy, suppression_only
from indistinct.keys import Generalisable
from indistinct.protect.dropping import DropUnsafe
from indistinct.protect.generalise import Generalise
from indistinct.protect.methods.whole_variables.optimal import optimal
from indistinct.protect.models import AverageRisk, KAnonymity, KMap, LDiversity
from indistinct.protect.plan import Plan
from indistinct.protect.step import Step

PEOPLE = {
    "zip": ["02138", "02139", "02139", "02141", "02142", "02142"],
    "sex": ["f", "m", "m", "m", "f", None],
    "illness": ["flu", "flu", "gout", "flu", "flu", "gout"],
    "n": [1, 2, 3, 4, 5, 6],
}
ZIPS = code_hierarchy(["02138", "02139", "02141", "02142"], name="zip", digits=(4,))
SEXES = suppression_only(["f", "m"], name="sex")


def released(steps, people=PEOPLE):
    with open_small(people) as data:
        applied = Plan(steps).apply(data.engine, data.source)
        records = pq.read_table(applied.source.path).to_pylist()
    return records, applied.receipts


def test_records_of_small_classes_go_and_the_others_stay_as_they_are():
    records, (receipt,) = released((DropUnsafe(("zip",), (KAnonymity(2),)),))
    assert [record["n"] for record in records] == [2, 3, 5, 6]
    assert records[0] == {"zip": "02139", "sex": "m", "illness": "flu", "n": 2}
    assert receipt.records_lost == 2
    assert receipt.residual == 0


def test_a_missing_value_is_a_class_of_its_own():
    records, _ = released((DropUnsafe(("sex",), (KAnonymity(2),)),))
    assert [record["n"] for record in records] == [1, 2, 3, 4, 5]


def test_labels_after_generalising_make_the_classes():
    steps = (Generalise(ZIPS, 1), DropUnsafe(("zip", "sex"), (KAnonymity(2),)))
    records, (_, receipt) = released(steps)
    assert [(record["zip"], record["n"]) for record in records] == [("0213*", 2), ("0213*", 3)]
    assert receipt.records_before == 6


def test_sensitive_values_are_counted_within_the_classes():
    records, _ = released((DropUnsafe(("zip",), (KAnonymity(2), LDiversity("illness", 2))),))
    assert [record["n"] for record in records] == [2, 3, 5, 6]
    records, _ = released((DropUnsafe(("sex",), (LDiversity("illness", 2),)),))
    assert [record["n"] for record in records] == [2, 3, 4]


def test_nothing_goes_where_everything_is_safe():
    records, (receipt,) = released((DropUnsafe(("illness",), (KAnonymity(2),)),))
    assert len(records) == 6
    assert receipt.records_lost == 0


def test_a_plan_decides_the_same_as_the_search_about_equally_small_classes():
    """A file-level model leaves out one of several classes of the same size."""
    people = {
        "zip": ["02142", "02139", "02138", "02141", "02141", "02141", "02141", "02141"],
        "sex": ["m", "f", "f", *"mmmmm"],
    }
    with open_small(people) as data:
        keys = Generalisable.of(data.key_table(["zip", "sex"]), {"zip": ZIPS, "sex": SEXES})
        found = optimal(keys, models=[AverageRisk(0.45)], max_drop=1, limits={"zip": 0, "sex": 0})
        left = found.plan().apply(data.engine, data.source).source
        assert left.records == 7
        assert found.records_dropped == 1
        tally = data.engine.count(left, ["zip", "sex"])
        assert sorted(tally.sorted_counts()) == sorted(found.recoding.group_counts)
        gone = [z for z, drop in zip(keys.table.values("zip"), found.dropped, strict=True) if drop]
        assert set(pq.read_table(left.path)["zip"].to_pylist()) == set(people["zip"]) - set(gone)


def test_k_map_reads_the_register_and_generalises_it_alike(tmp_path):
    register = tmp_path / "register.csv"
    register.write_text("zip,sex\n02138,f\n02139,f\n02139,m\n02141,m\n02142,f\n", encoding="utf-8")
    step = DropUnsafe(
        ("zip", "sex"), (KMap(2, register=str(register)),), (ZIPS, SEXES), levels=(1, 0)
    )
    assert Step.from_dict(step.to_dict()) == step
    records, _ = released((Generalise(ZIPS, 1), step))
    # of 0213* there are two women in the register and one man; of 0214* one of each
    assert [record["n"] for record in records] == [1]


def test_the_plan_of_a_k_map_search_releases_what_was_decided(tmp_path):
    register = tmp_path / "register.csv"
    lines = [f"{zip_},{sex}" for zip_ in ("02138", "02139", "02141") for sex in "fm"]
    register.write_text("\n".join(["zip,sex", *lines]) + "\n", encoding="utf-8")
    with open_small(PEOPLE) as data, open_data(register) as people:
        keys = Generalisable.of(data.key_table(["zip", "sex"]), {"zip": ZIPS, "sex": SEXES})
        found = optimal(
            keys,
            models=[KMap(2, register=str(register))],
            register=people.key_table(["zip", "sex"]),
            max_drop=3,
        )
        left = found.plan().apply(data.engine, data.source).source
        assert left.records == 6 - found.records_dropped


def test_a_step_survives_being_saved():
    step = DropUnsafe(("zip",), (KAnonymity(2), LDiversity("illness", 2)))
    assert Step.from_dict(step.to_dict()) == step


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DropUnsafe((), (KAnonymity(2),)), "at least one variable"),
        (lambda: DropUnsafe(("a", "a"), (KAnonymity(2),)), "each once"),
        (lambda: DropUnsafe(("a",), ()), "at least one privacy model"),
        (lambda: DropUnsafe(("a",), (KMap(2),)), "must know the register's path"),
        (lambda: DropUnsafe(("a",), (KMap(2, "r.csv"),)), "a hierarchy and a level"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises(InputError, match=words):
        make()
