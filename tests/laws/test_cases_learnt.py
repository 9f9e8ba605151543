"""Cases 14, 16 and 17 of issue 18, by name: elimination, frequencies, and what a class tells."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small

from indistinct import verify_release
from indistinct.cli import run as command
from indistinct.core.errors import GuaranteeError
from indistinct.files import open_table
from indistinct.hierarchy import suppression_only
from indistinct.protect import LDiversity, ReleaseKey
from indistinct.prove import Promise, Trial, judge


def test_case_14_elimination_wildcards_that_name_ten_of_ten_are_not_proved():
    """Ten people of ten ages beside 20 of one: whoever is blank agrees with all, and is forced."""
    ages = [*range(20, 30)] + [50] * 20
    with open_small(pa.table({"age": [*range(20, 29), None, *[50] * 20]})) as data:
        private = open_table(
            pa.table({"age": ages}), workspace=data.engine.workspace, origin="private"
        )
        promise = Promise(key=("age",), k=2, wildcard=True)
        found = judge(Trial(data.engine, data.source, promise, private))
        alone = judge(Trial(data.engine, data.source, promise))
    assert found.state == "fails"
    assert found.k == 1
    assert alone.state != "holds"


def test_case_14_suppress_by_wildcard_is_repaired_and_never_green_where_it_is_not_strict(tmp_path):
    rng = np.random.default_rng(3)
    table = pa.table({"a": rng.integers(0, 6, 60), "b": rng.integers(0, 5, 60)})
    with open_small(table) as data:
        done = data.protect(["a", "b"], method="suppress", k=4, seed=1, meaning="wildcard")
        written = data.release(tmp_path / "r", done, seed=1)
    told = json.loads(written.certificate.read_text())
    rows = Counter(tuple(row.values()) for row in pq.read_table(written.data).to_pylist())
    strict = min(rows.values()) >= 4
    assert told["verdict"]["state"] == ("holds" if strict else "reservations")
    assert told["verdict"]["k"] >= 4
    if not strict:
        assert [r["code"] for r in told["verdict"]["reservations"]] == ["wildcard"]


def test_case_14_strict_suppression_is_certified_with_the_k_that_holds(tmp_path):
    rng = np.random.default_rng(4)
    table = pa.table({"a": rng.integers(0, 6, 80), "b": rng.integers(0, 5, 80)})
    with open_small(table) as data:
        done = data.protect(["a", "b"], method="suppress", k=5, seed=1)
        written = data.release(tmp_path / "r", done, seed=1)
    rows = Counter(tuple(row.values()) for row in pq.read_table(written.data).to_pylist())
    assert json.loads(written.certificate.read_text())["verdict"]["k"] == min(rows.values())


def test_case_16_substituted_names_have_lengths_of_others(tmp_path):
    rng = np.random.default_rng(5)
    names = sorted(
        {
            f"{'A' + 'b' * rng.integers(2, 12)} {'C' + 'd' * rng.integers(2, 14)}{n % 10}"
            for n in range(1000)
        }
    )
    table = pa.table(
        {"name": names, "sex": ["f", "m"] * (len(names) // 2) + ["f"] * (len(names) % 2)}
    )
    with open_small(table) as data:
        data = data.with_roles(name="identifier")
        done = data.protect(["sex"], method="suppress", k=3, seed=1)
        written = data.release(tmp_path / "r", done, seed=1, substitute=["name"], keep_order=True)
    made = pq.read_table(written.data)["name"].to_pylist()

    def lengths(name):
        return tuple(len(word) for word in name.split())

    own = Counter(map(lengths, names))
    named = sum(
        own[lengths(new)] == 1 and lengths(new) == lengths(old)
        for old, new in zip(names, made, strict=True)
    )
    assert named <= len(names) // 100
    assert Counter(map(lengths, made)) == own


@pytest.mark.parametrize("with_private", [False, True])
def test_case_16_deterministic_encryption_is_no_null_map(tmp_path, with_private):
    towns = [f"t{n}" for n in range(1, 28) for _ in range(n)]
    table = pa.table({"town": towns})
    pq.write_table(table, tmp_path / "p.parquet")
    with open_small(table) as data:
        done = data.protect(["town"], method="encrypt", k=30, seed=1, secrets=ReleaseKey.fresh())
        with pytest.raises(GuaranteeError):
            data.release(tmp_path / "r", done, seed=1)
        data.release(tmp_path / "r", done, seed=1, although_unproved=True)
    private = tmp_path / "p.parquet" if with_private else None
    found = verify_release(tmp_path / "r", private=private, brief=True)
    assert found.state == "fails"
    assert any("378 of 378 records" in finding for finding in found.findings)


def test_case_17_everybody_in_the_class_has_it_is_not_good(tmp_path):
    table = pa.table({"zip": ["a"] * 10 + ["b"] * 10, "ill": ["HIV"] * 10 + ["flu", "gout"] * 5})
    with open_small(table) as data:
        data = data.with_roles(ill="sensitive")
        done = data.protect(["zip"], method="suppress", k=5, seed=1)
        with pytest.raises(GuaranteeError, match=r"'ill' of 10 of 20 records.*--told blank"):
            data.release(tmp_path / "r", done, seed=1, told="refuse")
        written = data.release(tmp_path / "b", done, seed=1)
        assert written.state == "holds"  # the other class is blank too: either could be the one
        assert any("blanked" in warning for warning in written.warnings)
        with pytest.raises(GuaranteeError, match="does not hold"):
            data.release(tmp_path / "a", done, seed=1, told="allow")
        data.release(tmp_path / "a", done, seed=1, told="allow", although_unproved=True)
    assert verify_release(tmp_path / "a", brief=True).state == "fails"
    held = pq.read_table(tmp_path / "b/data.parquet").to_pylist()
    assert {row["ill"] for row in held} == {None}


def test_case_17_blanks_that_say_what_they_hide_are_a_reservation(tmp_path):
    """Two have gout and nobody else: no class that could have been told instead is left."""
    table = pa.table({"zip": ["a"] * 2 + ["b"] * 9, "ill": ["gout"] * 2 + ["x", "y", "z"] * 3})
    with open_small(table) as data:
        data = data.with_roles(ill="sensitive")
        written = data.release(
            tmp_path / "r", data.protect(["zip"], method="suppress", k=2, seed=1), seed=1
        )
    assert written.state == "reservations"
    assert [r["code"] for r in written.reservations] == ["minimality"]


@pytest.mark.parametrize("ill", [["HIV"] * 4 + [""], ["HIV", "hiv", "HIV ", " Hiv", "HIV"]])
def test_case_17_l_2_is_not_content_with_empty_cells_and_capitals(ill):
    table = pa.table({"zip": ["a"] * 5 + ["b"] * 5, "ill": [*ill, "x", "y", "x", "y", "x"]})
    with open_small(table) as data:
        done = data.protect(
            ["zip"],
            method="optimal",
            k=5,
            seed=1,
            hierarchies={"zip": suppression_only(["a", "b"], name="zip")},
            models=(LDiversity("ill", 2),),
            sensitive=data.key_table(["zip", "ill"]),
        )
        assert done.cost.levels == {"zip": 1}
        assert done.result.forced
        found = judge(
            Trial(data.engine, data.source, Promise(key=("zip",), k=5, sensitive=("ill",)))
        )
    assert found.state == "fails"


def protected_by_the_optimum(tmp_path, zips, ill, out="r", **options):
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"zip": zips, "ill": ill}), path)
    given = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return command(["protect", str(path), "--key", "zip", "--method", "optimal",
                    "--sensitive", "ill", "--out", str(tmp_path / out), *given])  # fmt: skip


def test_case_17_l_and_t_stand_in_the_certificate_and_what_was_replayed(tmp_path):
    """Of two classes of five one has HIV alone; which of them, and who has x, nobody can tell."""
    zips, ill = ["a"] * 5 + ["b"] * 5, ["HIV"] * 5 + ["x", "y", "x", "y", "x"]
    assert protected_by_the_optimum(tmp_path, zips, ill, k=5, l=2, t=0.5) == 0
    told = json.loads((tmp_path / "r/certificate.json").read_text())
    models = {model["model"]: model for model in told["promise"]["models"]}
    assert models["l-diversity"]["l"] == 2
    assert models["t-closeness"]["t"] == 0.5
    assert all(model["minimal"] and model["replayed"] for model in models.values())
    assert verify_release(tmp_path / "r", brief=True).state == "holds"


def test_case_17_one_placement_in_462_is_a_finding(tmp_path, capsys):
    """Five of eleven people have HIV: only if they are those of one class is it too far away."""
    zips = ["a"] * 5 + ["b"] * 6
    assert protected_by_the_optimum(tmp_path, zips, ["HIV"] * 5 + ["x"] * 6, k=5, t=0.5) == 1
    assert not (tmp_path / "r").exists()
    said = capsys.readouterr().err
    assert "of 11 people is told" in said
    assert "of 462 placements of the values in the released classes 1 would" in " ".join(
        said.split()
    )


def test_minimality_of_a_large_file_is_a_reservation_where_not_all_could_be_tried(tmp_path):
    rng = np.random.default_rng(1)
    zips = [f"{n:03}" for n in rng.integers(0, 60, 900)]
    ill = [
        f"i{n}" if int(z) % 3 else "HIV" for z, n in zip(zips, rng.integers(0, 4, 900), strict=True)
    ]
    code = protected_by_the_optimum(tmp_path, zips, ill, k=5, t=0.2)
    told = json.loads((tmp_path / "r/certificate.json").read_text())
    assert code == 1
    assert {r["code"] for r in told["verdict"]["reservations"]} == {"minimality"}
    assert "10^" in told["verdict"]["reservations"][0]["sentence"]
    assert protected_by_the_optimum(tmp_path, zips, ill, "s", k=5, t=0.2, accept="minimality") == 0
    assert verify_release(tmp_path / "r", brief=True).state == "reservations"


@pytest.mark.parametrize(("told", "code"), [("blank", 0), ("refuse", 1), ("allow", 1)])
def test_case_17_run_takes_what_becomes_of_told_values_before_the_project(tmp_path, told, code):
    table = pa.table({"zip": ["a"] * 10 + ["b"] * 10, "ill": ["HIV"] * 10 + ["flu", "gout"] * 5})
    pq.write_table(table, tmp_path / "p.parquet")
    (tmp_path / "release.toml").write_text(
        '[data]\nfile = "p.parquet"\n[variables.zip]\nrole = "key"\n'
        '[variables.ill]\nrole = "sensitive"\n'
        '[release]\nk = 5\nmethod = "suppress"\nout = "r"\nseed = 1\ntold = "refuse"\n'
        'accept = ["minimality"]\n'
        "[report]\nutility = false\n"
    )
    asked = ["--told", told, "--accept", "minimality"]
    assert command(["run", str(tmp_path / "release.toml"), *asked]) == code
    assert (tmp_path / "r").exists() is (told == "blank")
