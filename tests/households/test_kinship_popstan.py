"""Kin of a real census against pointers that another rule derived."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from indistinct.files import open_data
from indistinct.households import NOBODY, read_kinship

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    people = DATA / "popstan_persons.csv"
    if not people.exists():
        pytest.skip("popstan_persons.csv is not beside the project")
    kinship = read_kinship(open_data(people, workspace=tmp_path_factory.mktemp("popstan")))
    with (DATA / "popstan_pointers_derived.csv").open() as file:
        derived = list(csv.DictReader(file))
    with people.open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["HID"], r["LINE"]) for r in rows] == [(r["HID"], r["LINE"]) for r in derived]
    return kinship, derived, rows


def compared(census, relative, column):
    kinship, derived, rows = census
    line = np.array([int(row["LINE"]) for row in rows])
    found = kinship.of(relative)
    here = np.where(found == NOBODY, 0, line[found])
    there = np.array([int(row[column] or 0) for row in derived])
    age = np.array([int(row["P04_AGE"]) for row in rows])
    return here, there, age[found] - age


def test_spouses(census):
    here, there, _ = compared(census, "spouse", "SPLOC")
    assert (there > 0).sum() == 6_210
    assert (here == there)[there > 0].all()
    assert (here == there).mean() > 0.997
    relationship = np.array([int(row["P02_REL"]) for row in census[2]])
    # parents as couples, and the first of two spouses, for whom the other rule does not look
    codes, counts = np.unique(relationship[here != there], return_counts=True)
    assert dict(zip(codes.tolist(), counts.tolist(), strict=True)) == {1: 13, 2: 13, 4: 24}


def test_mothers(census):
    here, there, _ = compared(census, "mother", "MOMLOC")
    assert (there > 0).sum() == 11_438
    assert (here == there).mean() > 0.989
    both = (here > 0) & (there > 0)
    assert (here == there)[both].all()
    # not found here: mothers outside 12 to 54 years
    age = np.array([int(row["P04_AGE"]) for row in census[2]])
    home = np.array([int(row["HID"]) for row in census[2]])
    line = np.array([int(row["LINE"]) for row in census[2]])
    where = {(h, n): i for i, (h, n) in enumerate(zip(home, line, strict=True))}
    lost = np.flatnonzero((there > 0) & (here == 0))
    years = np.array([age[where[home[i], there[i]]] - age[i] for i in lost])
    assert len(lost) == 28
    assert ((years < 12) | (years > 54)).all()


def test_fathers(census):
    here, there, years = compared(census, "father", "POPLOC")
    assert (there > 0).sum() == 10_092
    assert (here == there)[there > 0].all()
    assert (here == there).mean() > 0.994
    relationship = np.array([int(row["P02_REL"]) for row in census[2]])
    further = (here != there) & (relationship == 3)
    assert further.sum() == 76
    assert (years[further] > 60).all()
