"""Packed files, Arrow, JSON lines, databases, fixed width, SAS and Parquet files in parts."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import re
import sqlite3
import zipfile

import duckdb
import pandas
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core import InputError
from indistinct.files import open_data, workspace, write_data

CSV = b"age,zip\n40,02138\n41,10115\n"
PEOPLE = {"age": [40, 41], "zip": ["02138", "10115"]}


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return made.getvalue()


def opened(tmp_path, content: bytes, name: str, **options):
    (tmp_path / name).write_bytes(content)
    with workspace() as folder:
        source = open_data(tmp_path / name, workspace=folder, **options)
        return source, source.table().to_pydict()


def refused(tmp_path, content: bytes, name: str, **options) -> str:
    with pytest.raises(InputError) as error:
        opened(tmp_path, content, name, **options)
    assert not re.search(r"unpacked\.[0-9a-f]{8}", str(error.value))
    return str(error.value)


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda content: pa.compress(content, "zstd", asbytes=True)),
        (".zip", lambda content: zipped(**{"people.csv": content})),
    ],
)
def test_what_is_packed_is_read_and_told_by_its_own_name(tmp_path, ending, pack):
    source, records = opened(tmp_path, pack(CSV), f"people.csv{ending}")
    assert records == PEOPLE
    assert source.origin == str(tmp_path / f"people.csv{ending}")
    assert "empty" in refused(tmp_path, pack(b""), f"people.csv{ending}")
    said = refused(tmp_path, pack(CSV + b"1,2,3\n"), f"people.csv{ending}")
    assert f"people.csv{ending}: record 3 (line 4) has 3 fields" in said
    whole = pack(CSV * 1000)
    said = refused(tmp_path, whole[: len(whole) // 2], f"people.csv{ending}")
    assert "is not a whole" in said


def test_a_bomb_is_stopped(tmp_path):
    bomb = gzip.compress(bytes(150_000_000))
    assert "which a file of records does not" in refused(tmp_path, bomb, "people.csv.gz")
    assert "which a file of records does not" in refused(
        tmp_path, zipped(**{"people.csv": bytes(150_000_000)}), "people.zip"
    )


def test_several_tables_of_a_zip_file_are_listed_and_chosen(tmp_path):
    content = zipped(**{"a/men.csv": CSV, "women.csv": b"age\n7\n", "readme.md": b"x"})
    said = refused(tmp_path, content, "people.zip")
    assert "has 2 tables: 'a/men.csv', 'women.csv'. Say which with --table" in said
    for name in ("a/men.csv", "men.csv", "men"):
        assert opened(tmp_path, content, "people.zip", table=name)[1] == PEOPLE
    assert "no table 'man'" in refused(tmp_path, content, "people.zip", table="man")
    assert "no table of a format" in refused(tmp_path, zipped(**{"a.md": b"x"}), "people.zip")


def test_a_sheet_in_a_zip_file_is_chosen(tmp_path):
    book = write_data(pa.table({"a": [1]}), tmp_path / "book.xlsx").read_bytes()
    content = zipped(**{"book.xlsx": book, "people.csv": CSV})
    assert opened(tmp_path, content, "all.zip", table="book.xlsx/data")[1] == {"a": [1]}
    assert opened(tmp_path, zipped(**{"book.xlsx": book}), "one.zip", table="data")[1] == {"a": [1]}


@pytest.mark.parametrize("name", ["../people.csv", "/etc/people.csv", "a\\..\\..\\people.csv"])
def test_a_path_outside_is_refused(tmp_path, name):
    content = zipped(**{name: CSV})
    assert "names files outside of itself" in refused(tmp_path, content, "people.zip")


def test_a_zip_file_with_a_password_is_refused(tmp_path):
    content = bytearray(zipped(**{"people.csv": CSV}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert "protected by a password" in refused(tmp_path, bytes(content), "people.zip")


@pytest.mark.parametrize("ending", ["arrow", "ipc", "feather"])
def test_arrow_files(tmp_path, ending):
    table = pa.table({**PEOPLE, "sex": pa.array(["m", "f"]).dictionary_encode()})
    path = tmp_path / f"people.{ending}"
    pyarrow.feather.write_feather(table, path, compression="zstd")
    content = path.read_bytes()
    assert opened(tmp_path, content, path.name)[1] == table.to_pydict()
    assert "not an Arrow file" in refused(tmp_path, content[:-40], path.name)
    assert "not an Arrow file" in refused(tmp_path, b"age\n1\n", path.name)
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    assert opened(tmp_path, stream.getvalue(), path.name)[1] == table.to_pydict()


def test_json_lines(tmp_path):
    lines = [
        {"age": 40, "zip": "02138", "in": True},
        {"zip": "", "rent": 9.5, "age": None},
        {"age": 41.5, "zip": "1", "rent": 7, "mix": "a"},
        {"mix": 3},
    ]
    content = "\n".join(map(json.dumps, lines)).encode() + b"\n\n"
    for name in ("people.jsonl", "people.ndjson"):
        assert opened(tmp_path, content, name)[1] == {
            "age": [40.0, None, 41.5, None],
            "zip": ["02138", None, "1", None],
            "in": [True, None, None, None],
            "rent": [None, 9.5, 7.0, None],
            "mix": [None, None, "a", "3"],
        }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": 1}\n{"a": sek\n', "line 2 is not one JSON object"),
        (b'{"a": 1, "a": 2}\n', "none of them twice"),
        (b'{"a": NaN}\n', "line 1"),
        (b"[1]\n", "not a JSON object"),
        (b'{"a": [1]}\n', "variable 'a' holds lists"),
        (b'{"a": {"b": 1}}\n', "variable 'a' holds objects"),
        (b'{"a": "\xff"}\n', "not UTF-8"),
        (b"{}\n", "line 1 is an object without members"),
        (b"\n\n", "no records"),
        (b"[" * 100_000 + b"\n", "line 1"),
    ],
)
def test_what_is_no_json_is_refused_without_a_value(tmp_path, content, said):
    message = refused(tmp_path, content, "people.jsonl")
    assert said in message
    assert "sek" not in message


VALUE = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text()
)


@given(
    st.lists(
        st.fixed_dictionaries({"id": st.just(1)}, optional={"v": VALUE, "w": VALUE}), min_size=1
    )
)
def test_no_json_value_is_altered(records):
    """Whatever the mixture: a value comes back equal, or as the text of itself."""
    records = [
        {n: v for n, v in r.items() if v not in (float("inf"), float("-inf"))} for r in records
    ]
    with workspace() as folder:
        path = folder / "people.jsonl"
        path.write_text("\n".join(map(json.dumps, records)))
        table = open_data(path, workspace=folder).table().to_pydict()
    for name, column in table.items():
        for record, found in zip(records, column, strict=True):
            value = record.get(name)
            if value in (None, ""):
                assert found is None
            elif isinstance(found, str) and not isinstance(value, str):
                assert json.loads(found) == value
            else:
                assert found == value


@pytest.fixture
def census(tmp_path):
    path = tmp_path / "census.sqlite"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE people (age INTEGER, zip TEXT, rent REAL, any)")
        base.executemany(
            "INSERT INTO people VALUES (?, ?, ?, ?)",
            [(40, "02138", 1.5, 1), (None, "10115", 2, "x")],
        )
        base.execute('CREATE TABLE "odd ""name" (a)')
        base.execute('INSERT INTO "odd ""name" VALUES (7)')
    base.close()
    return path


def test_sqlite(census, tmp_path):
    with workspace() as folder:
        people = open_data(census, workspace=folder, table="people").table().to_pydict()
        assert people == {
            "age": [40, None],
            "zip": ["02138", "10115"],
            "rent": [1.5, 2.0],
            "any": ["1", "x"],
        }
        odd = open_data(census, workspace=folder, table='odd "name').table().to_pydict()
        assert odd == {"a": [7]}
        asked = open_data(census, workspace=folder, query="SELECT max(age) AS m FROM people")
        assert asked.table().to_pydict() == {"m": [40]}
        for options, said in [
            ({}, "has 2 tables: 'people', 'odd \"name'"),
            ({"table": "poeple"}, "Did you mean 'people'"),
            ({"query": "SELECT 1 AS a", "table": "people"}, "Leave one out"),
            ({"query": "DELETE FROM people"}, "refused"),
            ({"query": "ATTACH 'x.db' AS x"}, "refused"),
            ({"query": "SELECT absent FROM people"}, "no such column"),
            ({"query": "SELECT age, age FROM people"}, "same name"),
            ({"query": "SELECT age FROM people WHERE age > 99"}, "no records"),
        ]:
            with pytest.raises(InputError, match=said.replace("(", r"\(")):
                open_data(census, workspace=folder, **options)
    (tmp_path / "no.db").write_bytes(census.read_bytes()[:3000])
    with workspace() as folder, pytest.raises(InputError, match="not a SQLite"):
        open_data(tmp_path / "no.db", workspace=folder)


def test_duckdb(tmp_path):
    path = tmp_path / "census.duckdb"
    with duckdb.connect(path) as base:
        base.execute("CREATE TABLE people AS SELECT 40 AS age, '02138' AS zip")
    with workspace() as folder:
        assert open_data(path, workspace=folder).table().to_pydict() == {
            "age": [40],
            "zip": ["02138"],
        }
        for query, said in [
            ("SELECT * FROM read_csv('/etc/passwd')", "failed|refused"),
            ("SELECT nothing FROM people", "refused"),
            ("SELECT 1; SELECT 2", "one SELECT"),
            ("COPY people TO 'x.csv'", "one SELECT"),
            ("SELECT error('secret value')", "query failed"),
        ]:
            with pytest.raises(InputError, match=said) as error:
                open_data(path, workspace=folder, query=query)
            assert "secret value" not in str(error.value)
        (tmp_path / "no.duckdb").write_bytes(b"nothing of the kind")
        with pytest.raises(InputError, match="not a SQLite or DuckDB database"):
            open_data(tmp_path / "no.duckdb", workspace=folder)


def test_mysql_needs_an_extension_and_shows_no_password():
    with workspace() as folder, pytest.raises(InputError) as error:
        open_data("mysql://ann:hidden@localhost:1/census", workspace=folder, table="people")
    assert "hidden" not in str(error.value)
    assert "mysql://ann@localhost:1/census" in str(error.value)


FIXED = "001 40Zoë  \n002 41Bob\n"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("ending", ["csv", "toml"])
def test_fixed_width(tmp_path, ending, encoding):
    described = {
        "csv": "name,start,length,type,label\nid,1,3,text,Number\nage,5,2,,\nname,7,5,,\n",
        "toml": "".join(
            f'[[variable]]\nname = "{name}"\nstart = {start}\nlength = {length}\n{more}\n'
            for name, start, length, more in [
                ("id", 1, 3, 'type = "text"\nlabel = "Number"'),
                ("age", 5, 2, ""),
                ("name", 7, 5, ""),
            ]
        ),
    }[ending]
    (tmp_path / f"layout.{ending}").write_text(described)
    for name in ("people.dat", "people.txt", "people.asc"):
        source, records = opened(
            tmp_path, FIXED.encode(encoding), name, dictionary=tmp_path / f"layout.{ending}"
        )
        assert records == {"id": ["001", "002"], "age": [40, 41], "name": ["Zoë", "Bob"]}
        assert source.variables["id"].label == "Number"
        assert "1 records are shorter" in source.notes[1]


def test_mistakes_of_a_dictionary_are_told_at_once(tmp_path):
    (tmp_path / "layout.csv").write_text("name,start,length,typ\nage,0,2,\n,1,x,\nage,3,1,\n")
    said = refused(tmp_path, b"1\n", "people.dat", dictionary=tmp_path / "layout.csv")
    for word in ("there is no 'typ'", "start must be", "needs a name", "length must", "twice"):
        assert word in said
    assert "needs a dictionary" in refused(tmp_path, b"1\n", "people.dat")
    assert "A dictionary is for" in refused(
        tmp_path, b"x", "people.parquet", dictionary=tmp_path / "layout.csv"
    )


def test_options_of_other_formats_are_refused(tmp_path):
    assert "A table's name is for" in refused(tmp_path, CSV, "people.csv", table="x")
    assert "The line of the header" in refused(tmp_path, CSV, "people.csv", header_row=2)
    assert "A query is for" in refused(tmp_path, b"{}", "people.jsonl", query="SELECT 1")


def test_parquet_files_that_belong_together(tmp_path):
    for number in range(3):
        pq.write_table(pa.table({"a": [number]}), tmp_path / f"part-{number}.parquet")
    pq.write_table(pa.table({"b": ["x"]}), tmp_path / "other.parquet")
    with workspace() as folder:
        source = open_data(tmp_path / "part-*.parquet", workspace=folder)
        assert source.table().to_pydict() == {"a": [0, 1, 2]}
        with pytest.raises(InputError, match="no Parquet files"):
            open_data(tmp_path / "nothing-*.parquet", workspace=folder)
        with pytest.raises(InputError, match="other columns"):
            open_data(tmp_path / "*.parquet", workspace=folder)


def test_a_transport_file_of_sas(tmp_path):
    """Written by pyreadstat (ReadStat), as SAS does."""
    frame = pandas.DataFrame({"AGE": [40.0, None, 41.0], "CODE": ["007", "a", ""]})
    path = tmp_path / "people.xpt"
    pyreadstat.write_xport(frame, str(path), column_labels={"AGE": "Age in years"})
    with workspace() as folder:
        source = open_data(path, workspace=folder)
        assert source.table().to_pydict() == {"AGE": [40, None, 41], "CODE": ["007", "a", None]}
        assert source.variables["AGE"].label == "Age in years"
