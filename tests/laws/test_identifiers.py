"""The law of identifiers: no released column singles people out, whatever way they are protected.

The judge is brute force over the released rows and knows nothing of how columns are guessed.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from ways import KEY, WAYS, Way, population, released

AMOUNTS = {"income"}
PLANTED = {"case_no", "name", "token", "ref", "serial_of_form", "contact"}


def with_names(seed: int) -> pa.Table:
    """Plant columns that name people, under names that say something and names that do not."""
    table = population(seed)
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(10**7)[: table.num_rows]
    return (
        table.append_column("token", pa.array([f"{n:x}z{n % 7}" for n in numbers.tolist()]))
        .append_column("ref", pa.array(numbers[::-1].astype(np.float64)))
        .append_column("serial_of_form", pa.array([f"P{n:07}" for n in numbers.tolist()]))
        .append_column("contact", pa.array([f"u{n}@example.org" for n in numbers.tolist()]))
    )


def singling_out(rows: list[dict]) -> set[str]:
    """Return the columns in which nine of ten records have a value of their own."""
    found = set()
    for name in rows[0] if len(rows) >= 10 else ():
        values = [row[name] for row in rows if row[name] is not None]
        if len(values) >= 10 and len(set(values)) >= 0.9 * len(values):
            found.add(name)
    return found


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_released_column_singles_people_out(way: Way, tmp_path):
    found = released(way, with_names(3), tmp_path / "r", although_unproved=True)
    assert found.rows, found.refused
    disguised = {"name"} if way.name == "step substitute" else set()
    assert not set(found.table.column_names) & (PLANTED - disguised)
    allowed = {*KEY, *AMOUNTS, *disguised}
    assert singling_out(found.examine(whatever_is_said=True)) <= allowed


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_what_is_asked_for_is_released_and_never_green(name, tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    found = released(way, with_names(4), tmp_path / "r", keep_named=[name])
    assert name in found.table.column_names
    assert not found.green
    assert found.certificate.state == "reservations"
    assert name in found.certificate.promise.kept


def test_keep_does_not_override(tmp_path):
    way = next(way for way in WAYS if way.name == "mondrian")
    found = released(way, with_names(5), tmp_path / "r", keep=["token", "ill", "name"])
    assert set(found.table.column_names) == {*KEY, "ill"}
