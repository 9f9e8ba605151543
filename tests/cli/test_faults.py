"""A mistake of the user is 2, an interrupt 130, and a fault of the program 70 with a crash file."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import indistinct.cli.starting
from indistinct.cli import run
from indistinct.hierarchy import taxonomy_hierarchy

SECRET = "Zebulon"
SOURCE = str(Path(__file__).resolve().parents[2] / "src")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("INDISTINCT_DEBUG", raising=False)
    Path("people.csv").write_text("age,sex,name\n" + f"30,f,{SECRET}\n41,m,{SECRET}\n" * 20)
    return tmp_path


def crash_files(place: Path) -> list[Path]:
    return list((place / "state").rglob("crash-*"))


def said(capfd, *arguments: object) -> tuple[int, str]:
    capfd.readouterr()
    code = run([str(argument) for argument in arguments])
    return code, capfd.readouterr().err


def test_a_fault_shows_no_value_and_leaves_a_private_crash_file(place, capfd, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        hidden = SECRET
        try:
            raise KeyError(hidden)
        except KeyError as error:
            raise ValueError(f"could not convert {hidden}") from error

    monkeypatch.setattr("indistinct.keys.uniques", fail)
    code, err = said(capfd, "uniques", "people.csv", "--key=age,sex", "--out", f"{SECRET}.csv")
    assert code == 70
    assert SECRET not in err
    assert "fault of its own" in err
    [path] = crash_files(place)
    assert str(path) in err
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    assert SECRET not in text
    assert "people.csv" not in text
    assert str(place) not in text
    assert "convert" not in text
    for told in ("verb        uniques", "--key --out", "ValueError", "KeyError", "session.py:"):
        assert told in text


def test_a_fault_without_a_place_for_the_crash_file_is_still_70(capfd, monkeypatch):
    monkeypatch.setattr("indistinct.keys.uniques", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("indistinct.cli.faults._write_private", lambda text: None)
    code, err = said(capfd, "uniques", "people.csv", "--key", "age,sex")
    assert code == 70
    assert "No crash file could be written" in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(), 2),
        (pa.ArrowException("Unknown error: Failed to launch worker thread"), 2),
        (OSError(28, "No space left on device"), 2),
        (KeyboardInterrupt(), 130),
        (ZeroDivisionError(), 70),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_what_is_no_fault_of_the_program_is_told_as_what_it_is(
    error, code, place, capfd, monkeypatch
):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(SECRET) from error

    monkeypatch.setattr("indistinct.keys.uniques", fail)
    assert said(capfd, "uniques", "people.csv", "--key", "age,sex")[0] == code
    assert bool(crash_files(place)) == (code == 70)


@pytest.fixture
def damaged(place) -> Path:
    """A Parquet file whose footer is whole and whose pages are not."""
    path = place / "damaged.parquet"
    table = pa.table({n: [(i * 7919 + j) % 1000 for i in range(4000)] for j, n in enumerate("abc")})
    pq.write_table(table, path, compression="snappy", use_dictionary=False)
    content = bytearray(path.read_bytes())
    for at in range(100, len(content) * 3 // 4, 50):
        content[at] ^= 0x5A
    path.write_bytes(bytes(content))
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["uniques", "damaged.parquet", "--key", "a,b"],
        ["risk", "damaged.parquet", "--key", "a,b", "--fraction", "0.1"],
        ["init", "damaged.parquet"],
        ["protect", "damaged.parquet", "--key", "a,b", "--k", "3", "--method", "datafly"],
        ["verify", "damaged.parquet", "--key", "a,b"],
        ["utility", "damaged.parquet", "damaged.parquet"],
        ["tables", "damaged.parquet", "--area", "a", "--table", "b,c"],
        ["query", "damaged.parquet", "select count(*) from data where a > 1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_damaged_page_is_a_matter_of_the_file(arguments, damaged, place, capfd):
    if arguments[0] == "protect":
        arguments = [*arguments, "--out", "release"]
    code, err = said(capfd, *arguments)
    assert code == 2
    assert "damaged" in err
    assert crash_files(place) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["uniques", "people.csv", "--key", "age", "--threads", "99999"], "at most 1024"),
        (["uniques", "people.csv", "--key", "age", "--memory", "99999999TB"], "at most"),
        (["uniques", "people.csv", "--key", "age", "--memory", "9" * 400 + "TB"], "at most"),
        (["demo", "--people", "1"], "at least 1,000 people"),
        (["demo", "--out", "people.csv"], "exists already"),
        (["run", "digits.toml"], "more digits than can be read"),
        (["run", "dots.toml"], "dots.toml:3"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_absurd_requests_are_refused_in_a_sentence(arguments, sentence, place, capfd):
    Path("digits.toml").write_text(f'[data]\nfile = "people.csv"\n[release]\nk = {"9" * 5000}\n')
    Path("dots.toml").write_text(f'[data]\nfile = "people.csv"\n{".".join(["a"] * 5000)} = 1\n')
    code, err = said(capfd, *arguments)
    assert (code, sentence in err) == (2, True), err
    assert len(err) < 5000
    assert crash_files(place) == []


def test_nobody_at_risk_gives_a_list_of_nobody(capfd):
    arguments = ("--key", "age,sex", "--k", 3, "--pull-out", "none.csv", "--identifiers", "name")
    assert said(capfd, "uniques", "people.csv", *arguments)[0] == 0
    assert Path("none.csv").read_text() == "record,frequency,case,name\n"


def test_a_list_of_codes_is_no_taxonomy():
    with pytest.raises(indistinct.InputError, match="pairs of child and parent"):
        taxonomy_hierarchy(["111", "112"])


def started(*arguments: str, limit: int | None = None) -> subprocess.Popen[str]:
    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    program = "import sys; from indistinct.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
        preexec_fn=limited,
    )


@pytest.mark.heavy
@pytest.mark.parametrize("gigabytes", [1.2, 1.6, 2.0, 2.6])
def test_too_few_addresses_are_told_as_memory(gigabytes):
    process = started("uniques", "people.csv", "--key", "age,sex", limit=int(gigabytes * 10**9))
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "not enough memory" in err


@pytest.mark.heavy
@pytest.mark.parametrize("after", [0.2, 0.8, 1.5, 2.5, 4.0])
def test_an_interrupt_is_one_line_whenever_it_comes(after, place):
    rows = "".join(f"{i % 90},{'fm'[i % 2]},{i % 977},{i}\n" for i in range(60_000))
    Path("many.csv").write_text(f"age,sex,area,number\n{rows}")
    process = started("verify", "many.csv", "--key", "age,sex,area", "--private", "many.csv")
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    if process.returncode == -signal.SIGINT:
        pytest.skip("Python itself had not begun")
    if process.returncode not in (0, 1):  # it may have been over
        assert (process.returncode, err) == (130, "indistinct: Interrupted. Nothing was written.\n")
    assert crash_files(place) == []


@pytest.mark.spark
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Cannot run program /nowhere/python", "PYSPARK_PYTHON"),
        ("Python worker exited unexpectedly (crashed)", "memory was out"),
        ("reading the port number from pyspark.daemon's stdout", "memory was out"),
        ("ModuleNotFoundError: indistinct", "lacks a library"),
        ("java.lang.OutOfMemoryError: heap", "memory of Spark is out"),
        ("FileNotFoundError: /data", "does not see"),
    ],
)
def test_what_spark_lacks_is_told_in_a_sentence(text, sentence):
    from py4j.protocol import Py4JError, Py4JNetworkError

    from indistinct.engine.spark_failures import telling_failures

    with pytest.raises(indistinct.InputError, match=sentence), telling_failures(Path("/data")):
        raise Py4JError(f"{text}: {SECRET}")
    for gone in (Py4JNetworkError(), ConnectionRefusedError()):
        with pytest.raises(indistinct.InputError, match="Spark ended"), telling_failures():
            raise gone
    with pytest.raises(Py4JError), telling_failures():
        raise Py4JError("something else")
