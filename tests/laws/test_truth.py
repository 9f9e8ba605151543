"""Truth about the linked person: one true value of somebody who stands alone is a disclosure."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small
from ways import KEY, WAYS, Way, population, released

from indistinct.files import open_table
from indistinct.prove import verify

BESIDE = ("ill", "income")


def brute_force(release: pa.Table, private: pa.Table, key: tuple[str, ...]) -> int:
    """Count records that lead to one person, of whom some telling value in them is true."""
    people = private.to_pylist()
    beside = [n for n in release.column_names if n not in key and n in private.column_names]
    found = 0
    for row in release.to_pylist():
        linked = [p for p in people if all(str(p[n]) == str(row[n]) for n in key)]
        if len(linked) != 1:
            continue
        told = [n for n in beside if row[n] is not None and not all(p[n] == row[n] for p in people)]
        found += not told or any(linked[0][n] == row[n] for n in told)
    return found


def exchanged(people: pa.Table, rng: np.random.Generator) -> pa.Table:
    """Give some people other values, variable by variable."""
    out = people
    for name in BESIDE:
        values = people.column(name).to_pylist()
        if rng.random() < 0.7:
            at = np.arange(len(values))
            some = np.flatnonzero(rng.random(len(values)) < rng.random())
            at[some] = rng.permutation(some)
            values = [values[i] for i in at]
        out = out.set_column(out.column_names.index(name), name, pa.array(values))
    return out


@pytest.mark.parametrize("seed", range(12))
def test_wrong_map_is_claimed_only_where_nothing_is_true(seed: int):
    rng = np.random.default_rng(seed)
    people = population(seed, people=40).select([*KEY, *BESIDE])
    if seed % 3 == 0:  # a value that everybody has tells nothing
        people = people.set_column(3, "ill", pa.array(["flu"] * len(people)))
    release = exchanged(people, rng)
    expected = brute_force(release, people, KEY)
    with open_small(release) as data:
        private = open_table(people, workspace=data.engine.workspace, origin="private")
        found = verify(data.engine, data.source, list(KEY), k=2, private=private)
    alone = {}
    for row in people.select(KEY).to_pylist():
        alone[tuple(row.values())] = alone.get(tuple(row.values()), 0) + 1
    single = sum(number == 1 for number in alone.values())
    assert found.true_disclosures == found.disclosures == expected
    assert found.models["wrong-map"] == single - expected


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_way_calls_a_release_good_in_which_somebody_alone_is_told_of(way: Way, tmp_path):
    table = population(8, people=90)
    found = released(way, table, tmp_path / "r", keep=[*KEY, "ill"], until_k=True)
    if found.refused or not found.certificate.promise.claims_k:
        return
    found.examine()
    assert brute_force(found.table, table, found.key) == 0
