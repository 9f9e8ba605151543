"""PostgreSQL, against a server of the test's own."""

from __future__ import annotations

import builtins
import datetime
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from indistinct.core.errors import InputError
from indistinct.files import open_data, sql, write_data

pytestmark = pytest.mark.postgres

PASSWORD = "s3cr3t/@:x"
QUOTED = "s3cr3t%2F%40%3Ax"


def _program(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(found[-1]) if found else None)


def _unprivileged() -> dict[str, int]:
    """The server refuses to run as root: another user runs it then."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid}
    pytest.skip("PostgreSQL does not run as root, and there is no other user")


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """A server that listens on a socket in its own folder, and nowhere else."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, pg_ctl = _program("initdb"), _program("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("there is no PostgreSQL server (initdb, pg_ctl)")
    who = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if who:
        os.chown(folder, who["user"], who["group"])
    folder.chmod(0o755)
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)

    def run(*command: str) -> None:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=folder,
            extra_groups=[] if who else None,
            **who,
        )
        if result.returncode:
            log = folder / "log"
            raise RuntimeError(
                result.stdout + result.stderr + (log.read_text() if log.exists() else "")
            )

    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    try:
        run(
            initdb, "-D", str(folder / "db"), "-U", "ann", "-A", "scram-sha-256",
            f"--pwfile={secret}", "-E", "UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip
        run(
            pg_ctl,
            "-D",
            str(folder / "db"),
            "-w",
            "-l",
            str(folder / "log"),
            "-o",
            options,
            "start",
        )
        try:
            yield folder
        finally:
            run(pg_ctl, "-D", str(folder / "db"), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def address(server: Path) -> str:
    import psycopg

    address = f"postgresql://ann:{QUOTED}@/postgres?host={server}"
    with psycopg.connect(address) as connection:
        connection.execute(
            """
            CREATE TABLE people (
                id int PRIMARY KEY, big bigint, small smallint, name text, zip char(5),
                price numeric(10,2), loose numeric, weight double precision, ok boolean,
                born date, seen timestamp, at timestamptz, tags int[], doc jsonb, part uuid
            )
            """
        )
        connection.execute(
            """
            INSERT INTO people SELECT i, i::bigint * 10000000000, i % 7,
                CASE WHEN i % 5 = 0 THEN NULL ELSE 'Zoë ' || i END, lpad(i::text, 5, '0'),
                i / 4.0, CASE WHEN i = 45000 THEN 1.50 ELSE i END, i / 8.0, i % 2 = 0,
                DATE '2020-02-28' + i % 3, TIMESTAMP '2020-02-28 12:00:00.5',
                TIMESTAMPTZ '2020-02-28 12:00:00+02', ARRAY[i, 2], '{"a": 1}',
                '00000000-0000-0000-0000-000000000001'
            FROM generate_series(1, 45000) i
            """
        )
    return address


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_a_query_is_read_with_its_types(address, work):
    source = open_data(address, workspace=work, query="SELECT * FROM people ORDER BY id;")
    assert source.records == 45_000
    types = {field.name: field.type for field in source.schema}
    assert types == {
        "id": pa.int32(),
        "big": pa.int64(),
        "small": pa.int32(),
        "name": pa.string(),
        "zip": pa.string(),
        "price": pa.float64(),
        "loose": pa.string(),
        "weight": pa.float64(),
        "ok": pa.bool_(),
        "born": pa.date32(),
        "seen": pa.timestamp("us"),
        "at": pa.timestamp("us", "UTC"),
        "tags": pa.string(),
        "doc": pa.string(),
        "part": pa.string(),
    }
    table = source.table()
    assert table["id"].to_pylist() == list(range(1, 45_001))
    first = table.slice(0, 1).to_pylist()[0]
    assert first["big"] == 10_000_000_000
    assert first["name"] == "Zoë 1"
    assert table["name"][4].as_py() is None
    assert first["zip"] == "00001"
    assert first["price"] == 0.25
    assert source.variables["price"].format == "0.00#"
    assert source.variables["loose"].level == "numeric"
    assert table["loose"][-1].as_py() == "1.50"
    assert first["born"] == datetime.date(2020, 2, 29)
    assert first["at"] == datetime.datetime(2020, 2, 28, 10, tzinfo=datetime.UTC)
    assert first["tags"] == "{1,2}"
    assert first["doc"] == '{"a": 1}'
    assert source.variables["born"].level == "date"


def test_money_goes_to_csv_as_the_server_writes_it(address, work, tmp_path):
    source = open_data(
        address, workspace=work, query="SELECT price FROM people WHERE id IN (1, 4) ORDER BY id"
    )
    assert write_data(source, tmp_path / "o.csv").read_text() == "price\n0.25\n1.00\n"


def test_the_origin_has_no_password(address, work):
    source = open_data(address, workspace=work, query="SELECT 1 AS one")
    assert source.origin == "postgresql://ann@/postgres"
    assert "s3cr3t" not in repr(source)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * FROM peple", 'was refused: relation "peple" does not exist'),
        ("SELEC 1", "was refused: syntax error"),
        ("SELECT name::int FROM people", "failed on the server (SQLSTATE 22P02)"),
        ("SELECT DATE 'infinity' AS d", "gave a value that cannot be read"),
        ("SELECT 1 AS a, 2 AS a", "two columns named 'a'"),
        ("SELECT * FROM people WHERE false", "returned no records"),
        ("DELETE FROM people", "was refused"),
        ("SELECT 1; DROP TABLE people", "was refused"),
        ("SELECT nextval('x') FROM people", "was refused"),
        (None, "needs a query"),
        (" ", "needs a query"),
    ],
)
def test_wrong_queries_are_refused_without_values(address, work, query, words):
    with pytest.raises(InputError) as caught:
        open_data(address, workspace=work, query=query)
    message = str(caught.value)
    assert words in message
    assert "Zoë" not in message
    assert "s3cr3t" not in message
    assert open_data(address, workspace=work, query="SELECT count(*) FROM people").table()[
        "count"
    ].to_pylist() == [45_000]


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://ann:wr0ngsecret@/postgres?host={server}",
        "postgresql://ann:wr0ngsecret@/nowhere?host={server}",
        "postgresql://ann@/postgres?host={server}&password=wr0ngsecret",
        "postgresql://ann:wr0ngsecret@/postgres?host={server}&port=1",
        "postgresql://ann:wr0ngsecret@localhost:1/postgres",
        # A password that should have been percent-encoded: libpq takes it for host and port.
        "postgresql://ann:wr0ngsecret:wr0ngsecret/x@localhost/postgres",
        "postgresql://ann:x@wr0ngsecret@localhost/postgres?bad=wr0ngsecret",
    ],
)
def test_no_connection_and_no_password_shown(server, work, wrong):
    with pytest.raises(InputError) as caught:
        open_data(wrong.format(server=server), workspace=work, query="SELECT 1")
    assert "wr0ngsecret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_psycopg_not_installed(work, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("psycopg"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(InputError, match=r"pip install 'indistinct\[postgres\]'"):
        open_data("postgresql://h/d", workspace=work, query="SELECT 1")


def test_csv_options_are_refused(work):
    with pytest.raises(InputError, match="are for CSV files"):
        open_data("postgresql://h/d", workspace=work, query="SELECT 1", delimiter=";")


def test_addresses_are_shown_without_secrets():
    for address in (
        "postgresql://ann:p@h/d",
        "postgresql://ann:p%40q@h/d?password=p",
        "postgresql://ann:a/b@h/d",
        "postgresql://ann:a@b@h/d",
    ):
        assert sql.shown_address(address) == "postgresql://ann@h/d"
