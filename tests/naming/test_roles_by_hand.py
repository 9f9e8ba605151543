"""The table of right roles, and how guesses hold against it where the files are at hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from indistinct.core import ROLES

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
sys.path.insert(0, str(ROOT / "tools"))

import roles  # noqa: E402


def test_every_role_of_the_table_is_one_and_no_variable_stands_twice():
    found = roles.right_roles()
    assert len(found) == 21
    assert {role for file in found.values() for given in file.values() for role in given} <= {
        *ROLES
    }
    table = roles.BY_HAND.read_text(encoding="utf-8")
    assert table.count("TAXINC") == 1


def test_the_draw_of_the_sealed_half_depends_on_the_seed_alone():
    files = list(roles.right_roles())
    opened, sealed = roles.halves(files)
    assert roles.halves(files[::-1]) == (opened, sealed)
    assert (len(opened), len(sealed)) == (11, 10)
    assert "adult.csv" in sealed
    assert "testdata.csv" in opened


SMALL = ["testdata2.csv", "francdat.csv", "EIA.csv", "mwcog_households.csv"]


@pytest.mark.shared
@pytest.mark.parametrize("file", SMALL)
def test_no_identifier_of_a_known_file_is_missed(file):
    if not (DATA / file).exists():
        pytest.skip("the folder shared/data beside the project is absent")
    found = list(roles.guessed(DATA, file, hidden=False))
    assert roles.missed(found, "identifier") == []
    assert all("asked" in one for one in roles.missed(found, "key"))
