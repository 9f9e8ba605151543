"""Order: records leave in an order that says nothing, and the holder knows whose each is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small
from ways import HIERARCHIES, KEY, WAYS, Way, population, released

from indistinct.release import parts, read_origin

COLUMNS = (*KEY, "ill")


def agrees(label: object, value: object, name: str) -> bool:
    """Whether a released cell may come from a private one, by the hierarchy's own words."""
    if label is None or str(label) in ("", "*") or str(label) == str(value):
        return True
    tree = HIERARCHIES.get(name)
    return tree is not None and any(
        str(value) in map(str, path) and str(label) in map(str, path) for path in tree.rows()
    )


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_way_keeps_the_order_and_the_ledger_knows_it(way: Way, tmp_path):
    table = population(4, people=120).sort_by("name")
    found = released(way, table, tmp_path / "r", although_unproved=True, keep=COLUMNS)
    assert found.folder is not None, found.refused
    origin = read_origin(found.folder, records=found.table.num_rows)
    assert origin is not None
    found.examine(whatever_is_said=True)
    real = origin[origin >= 0]
    assert len(set(real.tolist())) == len(real)
    assert abs(np.corrcoef(real, np.arange(len(real)))[0, 1]) < 0.5
    promise = found.certificate.promise
    changed = {*promise.perturbed, *promise.encrypted, *promise.substituted}
    for name in (n for n in COLUMNS if n in found.table.column_names and n not in changed):
        told, true = found.table.column(name).to_pylist(), table.column(name).to_pylist()
        for record, whose in enumerate(origin.tolist()):
            assert whose < 0 or agrees(told[record], true[whose], name), (name, record)


@pytest.mark.parametrize("way", WAYS[::4], ids=str)
def test_an_order_that_is_kept_is_a_reservation(way: Way, tmp_path):
    table = population(5, people=120)
    found = released(
        way, table, tmp_path / "r", although_unproved=True, keep=COLUMNS, keep_order=True
    )
    assert found.folder is not None, found.refused
    origin = read_origin(found.folder, records=found.table.num_rows)
    codes = {r["code"] for r in found.certificate.content["verdict"]["reservations"]}
    if (np.diff(origin[origin >= 0]) > 0).all():
        found.examine(whatever_is_said=True)
        assert "order-kept" in codes
    assert not found.green


def test_the_origin_stays_with_the_holder(tmp_path):
    found = released(WAYS[0], population(6), tmp_path / "r", although_unproved=True, keep=KEY)
    assert (found.folder / parts.ORIGIN).is_file()
    assert not any(b"origin" in p.read_bytes() for p in found.folder.glob("*.json"))


def test_without_the_ledger_the_order_is_seen_record_by_record(tmp_path):
    from indistinct import verify_release

    people = population(7, people=60).select(["region", "sex", "ill", "income"])
    pq.write_table(people, tmp_path / "private.parquet")
    rng = np.random.default_rng(1)
    for name, order in (("kept", np.arange(60)), ("other", rng.permutation(60))):
        out = people.take(pa.array(order)).drop_columns(["region"])
        pq.write_table(out, tmp_path / f"{name}.parquet")
        said = verify_release(
            tmp_path / f"{name}.parquet",
            private=tmp_path / "private.parquet",
            key=["sex"],
            k=2,
            brief=True,
        )
        codes = {reservation.code for reservation in said.reservations}
        assert ("order-kept" in codes) is (name == "kept")


def test_what_changed_is_told_of_the_right_records(tmp_path):
    """Only the order changed: nothing did, and whoever joins on the key finds everybody."""
    people = pa.table({"age": list(range(40)), "sex": ["f", "m"] * 20, "ill": ["a", "b"] * 20})
    with open_small(people) as data:
        from indistinct.protect import Plan, ScrambleOrder
        from indistinct.protect.by_plan import protect_by_plan

        done = protect_by_plan(
            data.engine, data.source, ["age", "sex"], Plan((ScrambleOrder(),)), k=2, seed=1
        )
        report = data.protection(done)
        assert report.changes.percent()["any_variable"] == 0
        assert report.exact is not None
        assert report.exact.uniques_identified == 40
        assert all(linkage.share == 1 for linkage in report.linkage)
