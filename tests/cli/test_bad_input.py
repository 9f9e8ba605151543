"""Bad input gets one clear sentence and an exit code, and nothing is lost."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.cli import run

SECRET = "Zebulon"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"{20 + i % 40},{1 + i % 2},{SECRET}" for i in range(200)]
    path.write_text("age,sex,name\n" + "\n".join(rows) + "\n")
    return path


class Outcome:
    """What a command said and left behind."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capfd = folder, capfd

    def refused(self, *arguments: object, code: int = 2) -> str:
        """Run a command that must be refused; return its sentence."""
        before = {p: hashlib.sha256(p.read_bytes()).digest() for p in self._files()}
        self.capfd.readouterr()
        assert run([str(a) for a in arguments]) == code
        said = self.capfd.readouterr()
        after = {p: hashlib.sha256(p.read_bytes()).digest() for p in self._files()}
        assert before == after, "a file was changed or left behind"
        assert said.out == ""
        assert "Traceback" not in said.err
        assert SECRET not in said.err
        return " ".join(said.err.split())

    def _files(self) -> list[Path]:
        return [p for p in self.folder.rglob("*") if p.is_file()]


@pytest.fixture
def outcome(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Outcome:
    return Outcome(tmp_path, capfd)


def test_missing_file_with_a_hint(outcome, people):
    said = outcome.refused("uniques", people.with_name("poeple.csv"), "--key", "age")
    assert "poeple.csv" in said
    assert "people.csv" in said.replace("poeple.csv", "")


def test_unknown_column_with_a_hint(outcome, people):
    said = outcome.refused("uniques", people, "--key", "age,sexx", "--out", people.parent / "o.csv")
    assert "There is no variable 'sexx'. Did you mean 'sex'?" in said


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"age,sex\n", "no records"),
        (b"age,sex,age\n1,2,3\n", "'age'"),
        (b"age,,sex\n1,2,3\n", "name"),
        (b"age,sex\n30,1\n31,2,9\n", "record 2"),
        (b"age,sex\n30,1\n31\n", "record 2"),
        (b"age,sex\n30,\x00\n", "binary"),
    ],
    ids=["empty", "header only", "name twice", "no name", "long row", "short row", "binary"],
)
def test_unreadable_files(outcome, tmp_path, content, sentence):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    said = outcome.refused("uniques", path, "--key", "age", "--out", tmp_path / "o.parquet")
    assert "bad.csv" in said
    assert sentence in said


def test_bad_encoding_says_where(outcome, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('[data]\nfile = "bad.csv"\nencoding = "utf-8"\n')
    (tmp_path / "bad.csv").write_bytes(b"age,sex\n30,1\n31,\xff\xfe\x81\n")
    said = outcome.refused("uniques", path, "--key", "age")
    assert "utf-8" in said
    assert "line 3" in said or "record 2" in said


def test_number_column_with_text_in_record_48213(outcome, tmp_path):
    values = [str(i % 90) for i in range(50_000)]
    values[48_212] = SECRET
    (tmp_path / "big.csv").write_text("age,sex\n" + "\n".join(f"{v},1" for v in values) + "\n")
    project = tmp_path / "release.toml"
    project.write_text(
        '[data]\nfile = "big.csv"\n[variables.age]\nlevel = "numeric"\nrole = "key"\n'
    )
    said = outcome.refused("uniques", project)
    assert "'age'" in said
    assert "48,213" in said


def test_code_outside_its_declared_categories(outcome, tmp_path):
    (tmp_path / "d.csv").write_text("sex\n1\n2\n7\n")
    project = tmp_path / "release.toml"
    project.write_text(
        '[data]\nfile = "d.csv"\n[variables.sex]\nrole = "key"\ncategories = [1, 2]\n'
    )
    said = outcome.refused("uniques", project)
    assert "'sex'" in said
    assert "record 3" in said


def test_all_mistakes_of_a_project_file_at_once_with_lines(outcome, people):
    project = people.with_name("release.toml")
    project.write_text(
        '[data]\nfile = "people.csv"\n[release]\nk = 1\nmising = "own"\n'
        '[variables.age]\nrole = "kye"\n'
    )
    said = outcome.refused("uniques", project)
    for line in (":4:", ":5:", ":7:"):
        assert line in said
    assert "Did you mean 'missing'?" in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--k", "1"], "k must be a whole number of at least 2. Got 1."),
        (["--k", "0"], "Got 0"),
        (["--at-most", "0"], "at_most must be a whole number of at least 1"),
        (["--k", "3", "--at-most", "2"], "not both"),
        (["--memory", "lots"], "Got 'lots'"),
        (["--memory", "1kB"], "at least 100MB"),
        (["--threads", "0"], "at least 1"),
        (["--floor", "-1"], "must be a number of at least 0"),
        (["--public", "age"], "variable=column"),
        (["--public", "name=sex"], "not in the key"),
        (["--master", "spark://x:1"], "only for the spark engine"),
        (["--out", "nowhere/at/all.parquet"], "does not exist"),
        (["--out", "result.xyz"], "result.xyz"),
        (["--pull-out", "list.csv"], "no identifiers to pull out"),
        (["--pull-out", "list.csv", "--identifiers", "nme"], "Did you mean 'name'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_options(outcome, people, options, sentence, monkeypatch):
    monkeypatch.chdir(people.parent)
    assert sentence in outcome.refused("uniques", people, "--key", "age,sex", *options)


@pytest.mark.parametrize("options", [["--k", "two"], ["--approach", "guess"], ["--nonsense"], []])
def test_options_that_are_not_understood(outcome, people, options):
    outcome.refused("uniques", *([people, *options] if options else []))


def test_no_key_anywhere(outcome, people):
    assert "--key a,b,c" in outcome.refused("uniques", people)


def test_catalogue_that_would_need_a_million_million_cells(outcome, tmp_path):
    path = tmp_path / "wide.parquet"
    names = [f"v{i}" for i in range(12)]
    pq.write_table(pa.table({n: np.arange(100, dtype=np.int32) % 10 for n in names}), path)
    said = outcome.refused("uniques", path, "--key", ",".join(names), "--approach", "catalogue")
    assert "1e+12 counters" in said


def test_protect_refuses_before_it_writes(outcome, people):
    folder = people.parent / "release"
    assert "--secret is for" in outcome.refused(
        *("protect", people, "--key", "age", "--secret", "x.key", "--out", folder)
    )
    assert "--out" in outcome.refused("protect", people, "--key", "age", "--method", "blank")
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    said = outcome.refused("protect", people, "--key", "age", "--method", "blank", "--out", folder)
    assert "not empty" in said


def test_guarantee_that_cannot_be_met_is_exit_code_1(outcome, people):
    said = outcome.refused(
        *("protect", people, "--key", "age,sex", "--k", "1000"),
        *("--method", "blank", "--out", people.parent / "release"),
        code=1,
    )
    assert "200" in said


def test_failed_encryption_leaves_no_key_behind(outcome, people):
    outcome.refused(
        *("protect", people, "--key", "age,sex", "--k", "3", "--variables", "nme"),
        *("--method", "encrypt", "--out", people.parent / "release"),
    )


def test_init_does_not_overwrite(outcome, people, monkeypatch):
    monkeypatch.chdir(people.parent)
    (people.parent / "release.toml").write_text("# mine\n")
    assert "release.toml" in outcome.refused("init", people)


def test_census_refuses_nonsense(outcome, tmp_path):
    assert "people" in outcome.refused("census", "--people", "0", "--out", tmp_path / "c.parquet")
    outcome.refused("census", "--people", "10", "--out", tmp_path / "no" / "c.parquet")
    outcome.refused("census", "--people", "10", "--out", tmp_path / "c.docx")


def test_demo_does_not_replace_a_folder_of_the_users(outcome, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    assert "exists already" in outcome.refused("demo", "--out", tmp_path / "mine")


def start(*arguments: object, scratch: Path, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from indistinct.cli import main; main()"]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
        **options,
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.csv"
    numbers = np.arange(1_500_000)
    table = pa.table({"a": numbers % 97, "b": numbers % 89, "c": numbers})
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path)
    return path


@pytest.mark.heavy
def test_full_disk(large, tmp_path):
    """Files may grow to 300 kB only: the system then answers as a full disk does."""

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    out = tmp_path / "out.csv"
    process = start(
        *("uniques", large, "--key", "a,b", "--out", out), scratch=tmp_path, preexec_fn=no_room
    )
    _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "The disk is full" in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.heavy
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_killed_process_leaves_no_partial_output(large, tmp_path, how):
    before = hashlib.sha256(large.read_bytes()).digest()
    out = tmp_path / "out" / "result.csv"
    out.parent.mkdir()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start("uniques", large, "--key", "a,b,c", "--out", out, scratch=scratch)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(scratch.rglob("*.parquet*")):
        time.sleep(0.02)
    process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert not out.exists()
    assert hashlib.sha256(large.read_bytes()).digest() == before
    if how == signal.SIGKILL:
        # what could not be cleaned up then is cleaned up by the next run
        again = start("uniques", large, "--key", "a", scratch=scratch)
        again.communicate(timeout=60)
        assert again.returncode == 0
    assert list(scratch.iterdir()) == []
