"""`run_project` and `indistinct run`: one flow from the records to the report."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import shared_engine

import indistinct
from indistinct import engine
from indistinct.cli import run as command
from indistinct.core.errors import IndistinctError, InputError
from indistinct.flow import Run, Wanted, release_data, run_project
from indistinct.project import load_project
from indistinct.protect import PRESETS, How, Meaning, Part
from indistinct.release import SigningKey, check_folder

FIELDS = {
    "method", "k", "records_in", "records_out", "suppressed_records", "suppressed_cells", "levels",
    "precision", "loss", "plan", "release", "guaranteed", "proved", "report", "shareable",
}  # fmt: skip

PROJECT = """
[data]
file = "people.parquet"

[variables.name]
role = "identifier"

[variables.age]
role = "key"
hierarchy = {{ kind = "intervals", widths = [10, 30] }}

[variables.sex]
role = "key"

[release]
k = 3
seed = 11
out = "release"
{release}

[report]
utility = {utility}
{more}
"""


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(4)
    n = 240
    return pa.table(
        {
            "name": [f"Zebulon {i}" for i in range(n)],
            "age": rng.integers(20, 50, n),
            "sex": rng.choice(["m", "f"], n),
            "town": rng.choice(["a", "b", "c"], n),
            "visits": rng.integers(0, 9, n),
        }
    )


@pytest.fixture(autouse=True)
def one_engine(monkeypatch):
    """Runs share an engine, which takes longer to start than they take; but for two threads."""
    start = engine.start_engine

    @contextlib.contextmanager
    def started(*arguments, threads=None, **options):
        if threads == 2:
            with start(*arguments, threads=threads, **options) as own:
                yield own
        else:
            yield shared_engine()

    monkeypatch.setattr(engine, "start_engine", started)


@pytest.fixture
def write(people, tmp_path):
    def write(
        release: str = 'method = "local-recoding"', more: str = "", *, utility: bool = False
    ) -> Path:
        pq.write_table(people, tmp_path / "people.parquet")
        path = tmp_path / "release.toml"
        settings = {"release": release, "more": more, "utility": str(utility).lower()}
        path.write_text(PROJECT.format(**settings))
        return path

    return write


def everything(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*")}


def test_a_run_writes_release_and_both_reports(write, tmp_path):
    said: list[str] = []
    done = run_project(write(utility=True), say=said.append)
    assert isinstance(done, Run)
    assert done.found.at_risk > 0 == done.protected.residual
    assert done.holds
    assert done.release.proved
    assert done.report.html == tmp_path / "release" / "private" / "report.html"
    assert done.shareable is not None
    assert done.shareable.html.resolve() == (tmp_path / "release-report.html").resolve()
    assert all(path.is_file() for path in done.paths)
    assert check_folder(tmp_path / "release").whole
    assert "utility" in json.loads((tmp_path / "release/private/measured.json").read_text())
    assert any("protecting by local-recoding" in sentence for sentence in said)
    for public in (tmp_path / "release-report.html", tmp_path / "release-report.json"):
        assert "Zebulon" not in public.read_text()
    lines = repr(done).splitlines()
    assert len(lines) <= 12
    assert lines[0].endswith("after local-recoding no class is smaller than 3")
    assert "release-report.html" in done._repr_html_()
    assert done.to_frame().loc[0, "released"] == 240
    with pytest.raises(dataclasses.FrozenInstanceError):
        done.secret = None  # type: ignore[misc]


def test_two_runs_and_protect_give_the_same_bytes(write, tmp_path, capfd):
    project = write()
    run_project(project, out=tmp_path / "one")
    run_project(project, out=tmp_path / "two", threads=2)
    assert command(["protect", str(project), "--out", str(tmp_path / "three")]) == 0
    one, two, three = (
        (tmp_path / name / "data.parquet").read_bytes() for name in ("one", "two", "three")
    )
    assert one == two == three
    plans = [(tmp_path / n / "private" / "plan.json").read_text() for n in ("one", "three")]
    assert plans[0] == plans[1]
    assert (tmp_path / "three" / "private" / "report.html").is_file()
    assert not (tmp_path / "three-report.html").exists()


def test_another_seed_gives_other_records(write, tmp_path):
    project = write('method = "perturb"')
    run_project(project, out=tmp_path / "one")
    run_project(project, out=tmp_path / "two", seed=12)
    one, two = (pq.read_table(tmp_path / n / "data.parquet") for n in ("one", "two"))
    assert one != two


def test_json_has_the_fields_of_protect_and_the_reports(write, tmp_path, capfd):
    assert command(["run", str(write()), "--json"]) == 0
    said = capfd.readouterr()
    told = json.loads(said.out)
    assert set(told) >= FIELDS
    assert told["report"] == str(tmp_path / "release" / "private" / "report.html")
    assert Path(told["shareable"]).is_file()
    assert told["guaranteed"]
    assert "Zebulon" not in said.out + said.err


def test_what_people_see_is_on_standard_output(write, capfd):
    assert command(["run", str(write())]) == 0
    said = capfd.readouterr()
    assert "report.html" in said.out
    assert "report.html" not in said.err


def test_settings_of_the_method_and_the_report_are_followed(write, tmp_path):
    project = write(
        'method = "datafly"\nmax_drop = 0.05\nkeep = ["town"]\nsubstitute = ["name"]\n'
        'use = "statistics"\nreach = 100',
        'shareable = false\n[method]\npreset = "public"\nlinking = { age = 1, sex = 0.5 }\n'
        '[contract]\nneeded = ["age"]\n',
    )
    done = run_project(project)
    assert pq.read_schema(done.release.data).names == ["name", "age", "sex", "town"]
    assert done.shareable is None
    assert not (tmp_path / "release-report.html").exists()
    measured = json.loads((tmp_path / "release/private/measured.json").read_text())
    assert measured["utility"] is None
    assert any("reach" in w or "100" in w for w in done.warnings)
    assert list(done.warnings[-len(measured["warnings"]) :]) == measured["warnings"]


def test_another_method_does_not_get_the_options_of_the_project_s(write, tmp_path, capfd):
    project = write('method = "blank"', '[method]\npart = "automatic"\n')
    blanked = run_project(project)
    assert blanked.protected.plan.steps[0].part == "automatic"
    other = ["protect", str(project), "--method", "suppress", "--out", str(tmp_path / "other")]
    assert command(other) == 0


@pytest.mark.heavy
def test_the_release_is_marked_on_the_map(write, tmp_path):
    done = run_project(write('method = "suppress"', "map = true\n"))
    assert done.map is not None
    assert done.map["this release"].risk <= done.map["original"].risk
    assert not any(point.name.startswith("suppress") for point in done.map.points)
    measured = json.loads((tmp_path / "release/private/measured.json").read_text())
    assert [p["name"] for p in measured["map"]["points"] if p["released"]] == ["this release"]


@pytest.mark.heavy
def test_registers_and_earlier_releases_of_project_and_option(write, people, tmp_path):
    pq.write_table(people.select(["name", "age", "sex"]), tmp_path / "register.parquet")
    (tmp_path / "voters.csv").write_text("sex\nm\nf\n" * 5)
    first = run_project(write(), out=tmp_path / "first")
    project = write('method = "local-recoding"\nregisters = ["register.parquet"]')
    again = run_project(project, registers=[tmp_path / "voters.csv"], earlier=[tmp_path / "first"])
    certificate = json.loads(again.release.certificate.read_text())
    checked = json.dumps(certificate)
    assert "register.parquet" in checked
    assert "voters.csv" in checked
    assert first.release.data.read_bytes() == again.release.data.read_bytes()


def test_a_register_with_a_method_that_does_not_know_models(write, people, tmp_path, capfd):
    pq.write_table(people.select(["age", "sex"]), tmp_path / "register.parquet")
    asked = ["--method", "datafly", "--register", str(tmp_path / "register.parquet")]
    assert command(["protect", str(write()), *asked]) == 0


def test_a_key_that_signs(write, tmp_path):
    key = SigningKey.fresh()
    key.save(tmp_path / "holder.pem")
    done = run_project(write('method = "suppress"\nsign = "holder.pem"'))
    assert check_folder(done.release.folder, signed_by=key.public).whole


def test_steps_of_the_project_claim_no_k(write, capfd):
    step = '[steps.ages]\nkind = "rank-swap"\nvariables = ["age"]\nwindow = 0.2\n'
    project = str(write('method = "steps"\naccept = ["perturbed"]', step))
    code = command(["run", project, "--json", "--although-unproved"])
    told = json.loads(capfd.readouterr().out)
    assert not told["guaranteed"]
    assert not told["proved"]
    assert code == (0 if told["state"] == "reservations" else 1)
    assert "protection" in told


def test_argus_that_leaves_somebody_says_1(write, tmp_path, capfd):
    more = "[variables.town]\nrole = 'key'\n[variables.visits]\nrole = 'key'\n"
    project = str(write('method = "argus"', more))
    assert command(["run", project, "--json"]) == 1
    said = capfd.readouterr()
    assert said.out == ""
    assert "does not hold" in said.err
    assert not (tmp_path / "release").exists()
    assert command(["run", project, "--json", "--although-unproved"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert not told["guaranteed"]
    assert (told["state"], told["proved"]) == ("fails", False)
    assert (tmp_path / "release" / "private" / "report.html").is_file()


def test_a_plan_is_replayed(write, tmp_path):
    first = run_project(write(), out=tmp_path / "first")
    again = run_project(write('plan = "first/private/plan.json"'))
    assert first.release.data.read_bytes() == again.release.data.read_bytes()


def test_an_encrypted_release_leaves_its_key_beside_it(write, tmp_path):
    project = write('method = "encrypt"', "shareable = false\n[method]\nrandomised = true\n")
    done = run_project(project, accept=["encrypted", "sensitive-told"])
    assert done.secret == tmp_path / "release.key"
    assert done.secret.is_file()
    assert done.release.state == "reservations"
    assert done.holds, done.release.sentence


@pytest.mark.parametrize("error", [KeyError("a text"), KeyboardInterrupt(), InputError("No.")])
def test_a_report_that_fails_leaves_the_release(error, write, tmp_path, monkeypatch):
    def broken(*arguments, **options):
        raise error

    monkeypatch.setattr("indistinct.flow.releasing.write_report", broken)
    with pytest.raises(IndistinctError, match=r"was written to .*release and stands, but not"):
        run_project(write())
    assert check_folder(tmp_path / "release").whole


def test_utility_that_cannot_be_measured_is_a_warning(write, monkeypatch):
    def refuse(*arguments, **options):
        raise InputError("Nothing to compare.")

    monkeypatch.setattr("indistinct.flow.compare_release", refuse)
    done = run_project(write('method = "suppress"', utility=True))
    assert "Utility could not be measured: Nothing to compare." in done.warnings


@pytest.mark.parametrize(
    ("release", "more", "options", "sentence"),
    [
        ('method = "datafyl"', "", [], "There is no method 'datafyl'. Did you mean 'datafly'?"),
        ('method = "suppress"\nkey = ["age", "sxe"]', "", [], "Did you mean 'sex'?"),
        ('method = "suppress"\nkeep = ["twon"]', "", [], "Did you mean 'town'?"),
        ('method = "suppress"\nregisters = ["none.csv"]', "", [], "release.toml:"),
        ('method = "suppress"\nplan = "release.toml"', "", [], "both method and plan"),
        (
            'method = "suppress"',
            '[method]\npreset = "public"',
            [],
            "preset: 'suppress' does not know it",
        ),
        ('method = "blank"', '[method]\nhow = "nearest"', [], "how: 'blank' does not know it"),
        ("", '[method]\nhow = "nearest"', [], "of which method?"),
        ('method = "steps"', '[method]\nhow = "nearest"', [], "is not for 'steps'"),
        ('method = "optimal"', "[method]\nl = 2", [], "needs the sensitive variable"),
        ('method = "suppress"', 'language = "tlh"', [], "no language 'tlh'"),
        ('method = "suppress"', 'language = "no.toml"', [], "no.toml"),
        ('method = "suppress"', 'pdf = "yes"', [], "must be true or false"),
        ('method = "suppress"', 'docs = "here"', [], "must be an address"),
        ('method = "suppress"', "pfd = true", [], "Did you mean 'pdf'?"),
        ('method = "suppress"', "", ["--out", "people.parquet"], "never written over"),
        ('method = "suppress"', "", ["--out", "no/where"], "does not exist"),
        ('method = "suppress"', "", ["--register", "poeple.parquet"], "There is no register"),
        ('method = "suppress"', "", ["--register", "other.csv"], "shares no key variable"),
        ('method = "suppress"', "", ["--with", "none"], "There is no earlier release"),
        ('method = "suppress"', "", ["--with", "empty"], "is not a release folder"),
        ('method = "suppress"', "", ["--sign", "none.pem"], "none.pem"),
        ('method = "suppress"', "", ["--pdf"], "none was found"),
    ],
)
def test_what_is_wrong_is_told_before_any_work(
    release, more, options, sentence, write, tmp_path, capfd, monkeypatch
):
    def never(*arguments, **given):
        raise AssertionError("records were protected")

    monkeypatch.setattr("indistinct.flow.session.Data.protect", never)
    monkeypatch.setattr("indistinct.release.report.pdf.shutil.which", lambda name: None)
    monkeypatch.setattr("indistinct.release.report.pdf._usual_places", lambda *given: [])
    monkeypatch.delenv("INDISTINCT_BROWSER", raising=False)
    monkeypatch.chdir(tmp_path)
    project = write(release, more)
    (tmp_path / "other.csv").write_text("colour\nred\n")
    (tmp_path / "empty").mkdir()
    before = everything(tmp_path)
    assert command(["run", project.name, *options]) == 2
    said = capfd.readouterr()
    assert sentence in said.err
    assert "Traceback" not in said.err
    assert said.out == ""
    assert everything(tmp_path) == before


def test_a_file_that_is_no_project(write, tmp_path, capfd):
    write()
    assert command(["run", str(tmp_path / "people.parquet")]) == 2
    assert "indistinct init" in capfd.readouterr().err
    assert command(["run", str(tmp_path / "none.toml")]) == 2
    assert "There is no project file" in capfd.readouterr().err
    (tmp_path / "bad.toml").write_text("no project")
    assert command(["run", str(tmp_path / "bad.toml")]) == 2
    assert "not valid TOML" in capfd.readouterr().err


@pytest.mark.heavy
def test_a_drafted_project_runs_as_it_is(people, tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(people, "people.parquet")
    assert command(["init", "people.parquet"]) == 0
    capfd.readouterr()
    assert command(["run", "release.toml", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert told["method"] == "k-similar"
    assert told["state"] == "reservations"
    assert "key-not-confirmed" in [r["code"] for r in told["reservations"]]


def test_open_data_is_released_without_a_project(people, tmp_path):
    with indistinct.open_data(people) as data:
        wanted = Wanted(
            key=("age", "sex"), k=3, method="suppress", seed=1, out=tmp_path / "release"
        )
        done = release_data(data.with_roles(name="identifier"), wanted)
    assert done.project is None
    assert done.holds
    assert "name" not in pq.read_schema(done.release.data).names


def test_words_of_the_method_section_are_those_of_the_methods(write):
    for setting, method, words in (
        ("part", "blank", get_args(Part)),
        ("how", "perturb", get_args(How)),
        ("meaning", "suppress", get_args(Meaning)),
        ("preset", "datafly", tuple(PRESETS)),
    ):
        for word in words:
            given = f'method = "{method}"\naccess = "private"'
            project = load_project(write(given, f'[method]\n{setting} = "{word}"\n'))
            assert project.method.given() == {setting: word}
