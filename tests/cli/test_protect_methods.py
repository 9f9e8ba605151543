"""`indistinct protect` with the methods that generalise and suppress."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from indistinct.cli import run
from indistinct.protect import METHODS

KEY = "age_group,sex,region,marital,ethnic"
FIELDS = {
    "method", "k", "records_in", "records_out", "suppressed_records", "suppressed_cells", "levels",
    "precision", "loss", "plan", "release",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("protect")
    census, hierarchies = place / "census.parquet", place / "hierarchies"
    words = ["census", "--people", "4000", "--seed", "5", "--out", str(census)]
    assert run([*words, "--hierarchies", str(hierarchies)]) == 0
    return place


def command(folder: Path, *more: object) -> list[str]:
    given = ["protect", folder / "census.parquet", "--key", KEY, "--k", 4, "--seed", 1]
    if "--compare" not in more:  # which judges nothing
        given += ["--accept", "households"]  # the census says who lives together
    return [str(word) for word in (*given, "--hierarchies", folder / "hierarchies", *more)]


def smallest_class(path: Path) -> int:
    rows = pq.read_table(path, columns=KEY.split(",")).to_pylist()
    return min(Counter(tuple(row.values()) for row in rows).values())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_writes_a_release_and_its_facts(folder, tmp_path, capfd, method):
    out = tmp_path / "release"
    more = ["--max-drop", "0.02"] if method in ("datafly", "optimal") else []
    more += ["--although-unproved"] if method == "argus" else []
    code = run([*command(folder, "--method", method, "--out", out, *more), "--json"])
    said = json.loads(capfd.readouterr().out)
    assert set(said) >= FIELDS
    assert (said["method"], said["k"], said["records_in"]) == (method, 4, 4000)
    smallest = smallest_class(out / "data.parquet")
    assert code == (0 if smallest >= 4 else 1)
    assert (smallest >= 4) == said["guaranteed"]
    assert said["guaranteed"] or method == "argus"
    assert 0 < said["precision"] < 1
    assert said["over_distortion"] is None or said["over_distortion"] >= 1
    assert Path(said["plan"]).is_file()
    assert "name" not in pq.read_schema(out / "data.parquet").names
    ledger = json.loads((out / "private" / "ledger.json").read_text())
    assert ledger["method"] == method
    assert ledger["seed"] == 1


def test_a_saved_plan_is_replayed_to_the_same_bytes(folder, tmp_path, capfd):
    first, second = tmp_path / "first", tmp_path / "second"
    assert run(command(folder, "--method", "k-similar", "--out", first)) == 0
    plan = first / "private" / "plan.json"
    assert run(command(folder, "--plan", plan, "--out", second)) == 0
    assert (second / "data.parquet").read_bytes() == (first / "data.parquet").read_bytes()
    assert (second / "private" / "plan.json").read_bytes() == plan.read_bytes()


@pytest.mark.heavy
def test_comparison_is_printed_and_written(folder, tmp_path, capfd):
    out = tmp_path / "compared"
    assert run(command(folder, "--compare", "--out", out, "--max-drop", "40", "--json")) == 0
    said = json.loads(capfd.readouterr().out)
    assert [row["method"] for row in said["methods"]] == list(METHODS)
    assert [row["action"] for row in said["actions"]] == ["destroy", "blank", "perturb", "encrypt"]
    written = json.loads((out / "comparison.json").read_text())
    assert written["best"] == said["best"]
    assert (out / "map.svg").read_text().startswith("<svg")
    assert "| k-similar |" in (out / "comparison.md").read_text()
    assert run(command(folder, "--compare")) == 0
    shown = capfd.readouterr().out
    assert "precision" in shown
    assert "Dalenius" in shown


def test_a_hierarchy_that_was_chosen_is_told(folder, tmp_path, capfd):
    given = ["protect", folder / "census.parquet", "--key", "age,sex", "--k", 4]
    given += ["--method", "optimal", "--out", tmp_path / "release", "--accept", "households"]
    assert run([str(word) for word in given]) == 0
    said = capfd.readouterr().err
    assert "hierarchy: 'age'" in said
    assert "hierarchy: 'sex'" in said


def test_what_is_at_odds_with_the_purpose_is_told(folder, tmp_path, capfd):
    options = ["--method", "suppress", "--out", tmp_path / "release", "--reach", "1000"]
    options += ["--use", "statistics", "--needed", "region"]
    assert run([*command(folder, *options), "--json"]) == 0
    said = capfd.readouterr()
    warnings = json.loads(said.out)["warnings"]
    assert any("1,000 people at once" in sentence for sentence in warnings)
    assert any("statistics" in sentence for sentence in warnings)
    assert all(f"warning: {w}" in " ".join(said.err.split()) for w in warnings)


def test_limits_models_and_measure(folder, tmp_path, capfd):
    out = tmp_path / "release"
    options = ["--highest", "sex=0,region=0", "--loss", "entropy", "--max-drop", "0.05"]
    options += ["--sensitive", "economic", "--l", "2", "--accept", "households,minimality"]
    assert run([*command(folder, "--method", "optimal", "--out", out, *options), "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert said["levels"]["sex"] == 0
    assert said["levels"]["region"] == 0
    rows = pq.read_table(out / "data.parquet", columns=[*KEY.split(","), "economic"]).to_pylist()
    found: dict[tuple, set] = {}
    for row in rows:
        *key, sensitive = row.values()
        found.setdefault(tuple(key), set()).add(sensitive)
    assert min(map(len, found.values())) >= 2


def test_a_register_that_must_have_k_of_everybody(folder, tmp_path, capfd):
    out = tmp_path / "release"
    register = folder / "census.parquet"
    options = ["--register", register, "--max-drop", "0.05"]
    assert run([*command(folder, "--method", "optimal", "--out", out, *options), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["guaranteed"]


def test_datafly_s_inputs(folder, tmp_path, capfd):
    out = tmp_path / "release"
    options = ["--max-drop", "0.1", "--profile", "sex=0,age_group=1", "--preset", "public"]
    assert run([*command(folder, "--method", "datafly", "--out", out, *options), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["levels"]["sex"] == 0
    out = tmp_path / "by-level"
    by_level = [str(w) for w in ("protect", folder / "census.parquet", "--key", "sex,marital")]
    by_level += ["--method", "datafly", "--anonymity", "0.5", "--out", str(out), "--json"]
    assert run([*by_level, "--accept", "households"]) == 0
    assert json.loads(capfd.readouterr().out)["k"] == 20


def test_made_up_identifiers_instead_of_none(folder, tmp_path, capfd):
    identifier = "identity_number"
    names = pq.read_schema(folder / "census.parquet").names
    assert identifier in names
    out = tmp_path / "release"
    options = ["--method", "suppress", "--substitute", identifier, "--out", out]
    assert run(command(folder, *options)) == 0
    before = pq.read_table(folder / "census.parquet").column(identifier).to_pylist()
    after = pq.read_table(out / "data.parquet").column(identifier).to_pylist()
    assert len(set(after)) == len(set(before))
    assert not set(after) & set(before)


def test_a_project_file_says_how(folder, tmp_path, capfd):
    project = tmp_path / "release.toml"
    names = json.dumps(KEY.split(","))
    sections = "\n".join(f"[variables.{name}]" for name in KEY.split(","))
    project.write_text(
        f'[data]\nfile = "{folder / "census.parquet"}"\n'
        f'[release]\nk = 4\nout = "out"\nkey = {names}\n'
        f'method = "optimal"\nmax_drop = 0.05\nloss = "precision"\n'
        f'hierarchies = "{folder / "hierarchies"}"\n{sections}\nhighest_level = 0\n'
    )
    assert (
        run(["protect", str(project), "--allow-outside", "--json", "--accept", "households"]) == 0
    )
    said = json.loads(capfd.readouterr().out)
    assert (said["method"], said["k"]) == ("optimal", 4)
    assert said["levels"]["ethnic"] == 0


WRONG = [
    (["--method", "optimol"], "Did you mean 'optimal'", 2),
    (["--method", "optimal", "--highest", "sex"], "variable=number", 2),
    (["--method", "optimal", "--highest", "sex=1.5"], "whole number", 2),
    (["--method", "optimal", "--highest", "sxe=1"], "sxe", 2),
    (["--method", "optimal", "--highest", "sex=9"], "sex", 2),
    (["--method", "optimal", "--l", "2"], "--sensitive", 2),
    (["--method", "optimal", "--max-drop", "-1"], "", 2),
    (["--method", "datafly", "--profile", "sex=1.5"], "from 0 to 1", 2),
    (["--method", "argus", "--identification", "sex=4"], "sex", 2),
    (["--method", "k-similar", "--loss", "entropy"], "optimal", 2),
    (["--method", "optimal", "--k", "5000"], "5,000", 1),
    (["--method", "k-similar", "--k", "5000"], "", None),
    (["--method", "suppress", "--k", "5000"], "", None),
    (["--method", "datafly", "--highest", "ethnic=0,region=0,marital=0"], "ethnic", 1),
    (["--method", "k-similar", "--sensitive", "economic", "--l", "2"], "does not know", 2),
    (["--method", "suppress", "--max-drop", "9"], "'datafly' and 'optimal' do", 2),
    (["--method", "optimal", "--relaxed"], "'mondrian' does", 2),
    (["--method", "datafly", "--meaning", "wildcard"], "'suppress' does", 2),
    (["--method", "optimal", "--max-drop", "1.5"], "", 2),
    (["--method", "mondrian", "--k", "1"], "k", 2),
    (["--plan", "nowhere.json"], "nowhere.json", 2),
    (["--max-drop", "9", "--meaning", "wildcard"], "Say which with --method", 2),
]


@pytest.mark.parametrize(("options", "said", "code"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_what_is_wrong_is_said_and_nothing_is_written(folder, tmp_path, capfd, options, said, code):
    out = tmp_path / "release"
    given = run(command(folder, *options, "--out", out))
    shown = " ".join(capfd.readouterr().err.split())
    assert given in ((1, 2) if code is None else (code,)), shown
    assert said in shown
    assert "Traceback" not in shown
    assert "fault of its own" not in shown
    assert not out.exists()


BROKEN = {
    "unknown value": "1,*\n",
    "two roots": "1,a\n2,b\n",
    "two parents": "1,a,*\n1,b,*\n2,b,*\n",
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_hierarchy_that_is_no_hierarchy_is_refused(folder, tmp_path, capfd, what):
    hierarchies = tmp_path / "hierarchies"
    hierarchies.mkdir()
    (hierarchies / "sex.csv").write_text(BROKEN[what])
    out = tmp_path / "release"
    given = ["protect", folder / "census.parquet", "--key", "sex,region", "--k", 4]
    given += ["--hierarchies", hierarchies, "--method", "optimal", "--out", out]
    assert run([str(word) for word in given]) == 2
    assert "sex.csv" in capfd.readouterr().err
    assert not out.exists()
