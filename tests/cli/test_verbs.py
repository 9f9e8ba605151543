"""Every verb through the command line: what it prints, writes and returns."""

from __future__ import annotations

import json
import stat
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.cli import run

KEY = "age_group,sex,region,marital"


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("census") / "census.parquet"
    assert run(["census", "--people", "5000", "--seed", "7", "--out", str(path)]) == 0
    return path


def answer(capfd: pytest.CaptureFixture[str], *arguments: object) -> dict:
    capfd.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def frequencies(path: Path, key: str = KEY) -> list[int]:
    """Brute force: the number of records with the same key, for each record."""
    rows = [tuple(row.values()) for row in pq.read_table(path, columns=key.split(",")).to_pylist()]
    counts = Counter(rows)
    return [counts[row] for row in rows]


def test_uniques_equal_brute_force(census, tmp_path, capfd):
    out = tmp_path / "risk.parquet"
    said = answer(capfd, "uniques", census, "--key", KEY, "--k", 3, "--out", out)
    expected = frequencies(census)
    assert said["records"] == 5000
    assert said["key"] == KEY.split(",")
    assert said["unique"] == expected.count(1)
    assert said["at_risk"] == sum(f < 3 for f in expected)
    assert said["k"] == 3
    assert {"classes", "approach", "seconds"} <= set(said)
    written = pq.read_table(out)
    assert written.column_names == ["record", "frequency", "risk", "case"]
    assert written["record"].to_pylist() == list(range(1, 5001))  # as people count
    assert written["frequency"].to_pylist() == expected
    assert written["risk"].to_pylist() == [1 / f for f in expected]
    case = ["i" if f == 1 else "ii" if f < 3 else "" for f in expected]
    assert written["case"].to_pylist() == case


def test_dalenius_threshold_is_k_less_one(census, capfd):
    by_k = answer(capfd, "uniques", census, "--key", KEY, "--k", 3)
    by_most = answer(capfd, "uniques", census, "--key", KEY, "--at-most", 2)
    default = answer(capfd, "uniques", census, "--key", KEY)
    assert by_k["at_risk"] == by_most["at_risk"] == default["at_risk"]
    assert by_most["k"] == 3


def test_approaches_agree_and_are_named(census, capfd):
    found = {
        approach: answer(capfd, "uniques", census, "--key", KEY, "--approach", approach)
        for approach in ("sort", "tally", "catalogue")
    }
    assert len({(f["classes"], f["unique"], f["at_risk"]) for f in found.values()}) == 1
    assert {f["approach"] for f in found.values()} == {"sort", "tally", "catalogue"}


def test_explain_shows_estimates_and_the_choice(census, capfd):
    said = answer(capfd, "uniques", census, "--key", KEY, "--explain")
    assert said["explain"]["chosen"] == said["approach"]
    assert len(said["explain"]["estimates"]) == 9
    assert run(["uniques", str(census), "--key", KEY, "--explain"]) == 0
    shown = capfd.readouterr()
    assert "catalogue" in shown.out
    assert "chosen" in shown.out


def test_pull_out_list_is_private_and_names_the_risky(census, tmp_path, capfd):
    path = tmp_path / "names.csv"
    said = answer(capfd, "uniques", census, "--key", KEY, "--k", 3, "--pull-out", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = path.read_text().splitlines()
    assert lines[0] == "record,frequency,case,identity_number,given_name,surname"
    assert len(lines) - 1 == said["at_risk"]
    expected = [i for i, f in enumerate(frequencies(census)) if f < 3]
    assert [int(line.split(",")[0]) - 1 for line in lines[1:]] == expected  # people count from 1
    names = pq.read_table(census, columns=["surname"])["surname"].to_pylist()
    assert [line.split(",")[-1] for line in lines[1:]] == [names[i] for i in expected]


def test_project_file_from_init_is_accepted(census, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drafted = answer(capfd, "init", census)
    assert Path(drafted["project"]).exists()
    said = answer(capfd, "uniques", "release.toml", "--allow-outside")
    assert "sex" in said["key"]
    assert said["k"] == 5
    narrower = answer(capfd, "uniques", "release.toml", "--allow-outside", "--key", "sex", "--k", 2)
    assert narrower["classes"] == 2


@pytest.mark.parametrize("method", ["destroy", "blank", "perturb", "encrypt"])
def test_protect_writes_a_release(census, tmp_path, capfd, method):
    folder = tmp_path / "release"
    said = answer(
        *(capfd, "protect", census, "--method", method, "--key", KEY, "--k", 3, "--out", folder),
        *("--accept", "households,perturbed,encrypted,sensitive-told"),
        *(["--randomised"] if method == "encrypt" else []),
    )
    assert said["method"] == method
    assert said["records_in"] == 5000
    released = folder / "data.parquet"
    table = pq.read_table(released)
    assert table.num_rows == said["records_out"]
    assert not {"given_name", "surname", "identity_number"} & set(table.column_names)
    assert (folder / "methodology.md").exists()
    ledger = json.loads((folder / "private" / "ledger.json").read_text())
    assert ledger["seed"] is not None
    assert str(ledger["seed"]) not in (folder / "methodology.md").read_text()
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o700
    if method == "encrypt":
        assert said["guaranteed"] is False
        assert stat.S_IMODE((tmp_path / "release.key").stat().st_mode) == 0o600
    else:
        assert said["guaranteed"] is True
        assert min(frequencies(released)) >= 3


def test_same_seed_same_bytes(census, tmp_path, capfd):
    for name in ("a", "b"):
        answer(
            *(capfd, "protect", census, "--method", "perturb", "--key", KEY, "--k", 3),
            *("--seed", 5, "--out", tmp_path / name, "--accept", "perturbed"),
        )
    assert (tmp_path / "a/data.parquet").read_bytes() == (tmp_path / "b/data.parquet").read_bytes()


def test_csv_release_keeps_the_dialect(tmp_path, capfd):
    path = tmp_path / "d.csv"
    path.write_bytes("größe;wert\n01;3,5\n01;3,5\n02;4,25\n".encode("cp1252"))
    answer(
        *(capfd, "protect", path, "--method", "destroy", "--key", "größe", "--k", 2),
        *("--out", tmp_path / "r", "--format", "csv"),
    )
    assert (tmp_path / "r/data.csv").read_bytes() == "größe;wert\n01;3,5\n01;3,5\n".encode("cp1252")


@pytest.mark.heavy
def test_compare_releases_nothing(census, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = answer(capfd, "protect", census, "--compare", "--key", KEY, "--k", 3)
    assert len(said["actions"]) == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_demo(tmp_path, capfd):
    said = answer(capfd, "demo", "--people", 1000, "--out", tmp_path / "demo")
    assert said["records"] == 1000
    summary = (tmp_path / "demo/summary.md").read_text()
    assert f"{said['at_risk']:,}" in summary
    surnames = set(pq.read_table(tmp_path / "demo/census.parquet")["surname"].to_pylist())
    assert not any(f" {name} " in summary for name in surnames)
    again = answer(capfd, "demo", "--people", 1000, "--out", tmp_path / "demo")
    assert again["at_risk"] == said["at_risk"]


def test_missing_values_as_their_own_category_or_as_wildcards(tmp_path, capfd):
    path = tmp_path / "m.parquet"
    pq.write_table(pa.table({"a": [1, 1, None, 2], "b": [1, 1, 1, None]}), path)
    own = answer(capfd, "uniques", path, "--key", "a,b", "--k", 2)
    wild = answer(capfd, "uniques", path, "--key", "a,b", "--k", 2, "--missing", "wildcard")
    assert (own["unique"], own["at_risk"]) == (2, 2)
    assert (wild["unique"], wild["at_risk"]) == (0, 0)


def test_version(capfd):
    assert run(["--version"]) == 0
    assert capfd.readouterr().out.startswith("indistinct 0.")
