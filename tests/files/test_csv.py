"""CSV: dialects found, nothing altered, faults named."""

from __future__ import annotations

import csv
import gzip
import io
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.core.harmless import for_csv
from indistinct.files import Dialect, check_numeric, dialect_of, open_data, write_data
from indistinct.files import csvfile as csvfile_module
from indistinct.files import workspace as new_workspace
from indistinct.files.columns import TextColumn, number_text


def put(folder: Path, content: bytes | str, name: str = "in.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def opened(tmp_path: Path, content: bytes | str, name: str = "in.csv", **options):
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    return open_data(put(tmp_path, content, name), workspace=folder, **options)


def again(tmp_path: Path, source) -> bytes:
    return write_data(source, tmp_path / "out.csv").read_bytes()


def refused(tmp_path: Path, content: bytes | str, name: str = "in.csv", **options) -> str:
    with pytest.raises(InputError) as caught:
        opened(tmp_path, content, name, **options)
    return str(caught.value)


def test_types_are_numbers_only_where_the_text_comes_back(tmp_path):
    content = (
        "int,lead,plus,big,float,fixed,mixed,sci,neg0,date,notdate,empty,text\n"
        "1,01,+1,9223372036854775807,1.5,12.50,1.50,1e5,-0,2020-02-29,2021-02-29,,a\n"
        "-20,10,2,9223372036854775808,2,3.00,2.5,1,0,1999-12-31,2020-01-01,,b\n"
    )
    source = opened(tmp_path, content)
    types = {field.name: str(field.type) for field in source.schema}
    assert types == {
        "int": "int64",
        "lead": "string",
        "plus": "string",
        "big": "string",
        "float": "double",
        "fixed": "double",
        "mixed": "string",
        "sci": "string",
        "neg0": "double",
        "date": "string",
        "notdate": "string",
        "empty": "string",
        "text": "string",
    }
    levels = {v.name: v.level for v in source.variables.values()}
    assert [levels[n] for n in ("int", "lead", "plus", "big", "mixed", "sci")] == [
        "numeric",
        "nominal",
        "numeric",
        "numeric",
        "numeric",
        "numeric",
    ]
    assert (levels["date"], levels["notdate"], levels["text"]) == ("date", "nominal", "nominal")
    assert source.variables["fixed"].format == "0.00#"
    assert "kept as text" in source.notes[1]
    assert "plus, big, mixed, sci" in source.notes[1]
    assert again(tmp_path, source) == content.encode()


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "0x1F", " 1", "1 ", "1_0", "1.", ".5"])
def test_what_only_some_programs_call_a_number_stays_text(tmp_path, text):
    content = f"a,b\n{text},1\n"
    source = opened(tmp_path, content)
    assert source.table()["a"].to_pylist() == [text]
    assert again(tmp_path, source) == content.encode()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_dialect_is_found_and_repeated(tmp_path, delimiter, encoding, line_end):
    rows = [["name", "größe", "n"], ["Zoë", "a;b|c,d\te", "1"], ["Åsa", "x", "2"], ["", "y", ""]]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=line_end).writerows(rows)
    content = text.getvalue().encode(encoding)
    source = opened(tmp_path, content)
    assert dialect_of(source) == Dialect(delimiter, encoding, ".", line_end)
    assert source.table().to_pylist()[0] == {"name": "Zoë", "größe": "a;b|c,d\te", "n": 1}
    assert source.table()["name"].to_pylist()[2] is None
    assert again(tmp_path, source) == content


def test_latin_1_where_cp1252_has_no_character(tmp_path):
    content = "a,b\ncaf\xe9,\x81\n".encode("latin-1")
    source = opened(tmp_path, content)
    assert source.notes == ("delimiter ',', encoding latin-1, decimal point",)
    assert again(tmp_path, source) == content


def test_decimal_comma_is_found_and_shown(tmp_path):
    content = "id;price;share;code\n1;12,50;0,5;1.5\n2;1234,00;7;1.6\n".encode("cp1252")
    content = content.replace(b"code\n", "ß\n".encode("cp1252"))
    source = opened(tmp_path, content)
    assert source.notes[0] == "delimiter ';', encoding cp1252, decimal comma"
    table = source.table()
    assert table["price"].to_pylist() == [12.5, 1234.0]
    assert table["share"].to_pylist() == [0.5, 7.0]
    assert table["ß"].to_pylist() == ["1.5", "1.6"]
    assert again(tmp_path, source) == content


def test_the_user_overrules_what_is_found(tmp_path):
    source = opened(
        tmp_path, "a;b\n1;2,5\n", decimal=".", delimiter=";", encoding="latin-1", text_columns=["a"]
    )
    assert source.table().to_pylist() == [{"a": "1", "b": "2,5"}]
    assert source.notes == ("delimiter ';', encoding latin-1, decimal point",)
    assert "Did you mean 'a'?" in refused(tmp_path, "a,b\n1,2\n", text_columns=["A"])
    assert "no encoding 'nope'" in refused(tmp_path, "a,b\n1,2\n", encoding="nope")
    assert "one character" in refused(tmp_path, "a,b\n1,2\n", delimiter=";;")
    assert "'.' or ','" in refused(tmp_path, "a,b\n1,2\n", decimal="'")


def test_delimiters_inside_quotes_do_not_mislead(tmp_path):
    content = 'name;note\n"a, b, c";"x\ny"\n"d, e, f";z\n'
    source = opened(tmp_path, content)
    assert dialect_of(source).delimiter == ";"
    assert source.table()["note"].to_pylist() == ["x\ny", "z"]


def test_released_numbers_are_not_rounded_to_the_decimals_of_the_file(tmp_path):
    source = opened(tmp_path, "x\n12.50\n3.00\n")
    path = write_data(
        pa.table({"x": [12.5, 1 / 3, 2.0]}), tmp_path / "o.csv", variables=source.variables
    )
    assert path.read_text() == "x\n12.50\n0.3333333333333333\n2.00\n"


def test_one_column_with_missing_values(tmp_path):
    source = opened(tmp_path, 'a\n1\n\n""\n4\n')
    assert source.table()["a"].to_pylist() == [1, None, None, 4]
    out = again(tmp_path, source)
    assert out == b'a\n1\n""\n""\n4\n'
    assert opened(tmp_path, out).table()["a"].to_pylist() == [1, None, None, 4]


def test_blank_lines_between_records_are_no_records(tmp_path):
    assert opened(tmp_path, "a,b\n1,2\n\n3,4\n\n").table()["a"].to_pylist() == [1, 3]


def test_no_newline_at_the_end_and_old_line_ends(tmp_path):
    assert opened(tmp_path, "a,b\n1,2\n3,4").records == 2
    assert opened(tmp_path, "a,b\r1,2\r3,4\r").table()["b"].to_pylist() == [2, 4]


def test_gzip(tmp_path):
    source = opened(tmp_path, gzip.compress(b"a,b\n1,x\n"), "in.csv.gz")
    assert source.table().to_pylist() == [{"a": 1, "b": "x"}]
    message = refused(tmp_path, gzip.compress(b"a,b\n1,x\n" * 1000)[:-20], "in.csv.gz")
    assert "not a whole gzip file" in message


def test_quotes_inside_unquoted_text_are_text(tmp_path):
    source = opened(tmp_path, 'size\tn\n5" pipe\t1\n6"" pipe\t2\n', "in.tsv")
    assert source.table()["size"].to_pylist() == ['5" pipe', '6"" pipe']


def test_type_falls_back_when_a_late_record_does_not_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(csvfile_module, "_BLOCK", 64)
    rows = [f"{i},{i},{i}.5,{i}.25,," for i in range(100, 300)]
    rows += ["300,x,7,1.250,,0.5", "301,4,5,1.5,q,1.5"]
    content = "a,b,c,d,e,f\n" + "\n".join(rows) + "\n"
    source = opened(tmp_path, content)
    assert [str(t) for t in source.schema.types] == [
        "int64",
        "string",
        "double",
        "string",
        "string",
        "double",
    ]
    assert source.records == 202
    assert source.variables["d"].level == "numeric"
    assert again(tmp_path, source) == content.encode()


# -- faults -------------------------------------------------------------------------------


def written_numbers() -> st.SearchStrategy[str]:
    """Numbers as somebody writes them: the shortest text, or padded with noughts, or neither."""
    whole, tail = st.integers(0, 999), st.integers(0, 3)
    digits = st.text("0123456789", max_size=4)
    return st.one_of(
        st.builds(lambda n, d: f"{n}.{d}" if d else str(n), whole, digits),
        st.builds(lambda n, t: f"{n}.{'0' * t}" if t else str(n), whole, tail),
    )


@given(st.lists(st.lists(written_numbers(), min_size=1, max_size=6), min_size=1, max_size=5))
@settings(deadline=None)
def test_numbers_are_found_as_if_all_stood_in_one_batch(batches):
    """Brute force: the type and decimals of batches are those of all texts together."""
    together, apart = TextColumn("x"), TextColumn("x")
    everything = [text for batch in batches for text in batch]

    def converted(column: TextColumn, parts: list[list[str]]) -> list[object]:
        while True:
            column.start()
            found = [column.convert(pa.array(part)).to_pylist() for part in parts]
            if not column.changed:
                return [value for values in found for value in values]

    assert converted(apart, batches) == converted(together, [everything])
    assert apart.kind == together.kind
    if apart.kind == "decimal":
        assert apart.decimals == together.decimals
        values = pa.array([float(text) for text in everything])
        assert number_text(values, decimals=apart.decimals).to_pylist() == everything


def test_fewer_decimals_further_down_need_no_second_reading():
    column = TextColumn("weight")
    column.convert(pa.array(["2.5", "3.25"]))
    column.convert(pa.array(["2", "7.125"]))
    assert (column.kind, column.changed) == ("decimal", False)


def test_missing_file_names_the_nearest(tmp_path):
    put(tmp_path, "a\n1\n", "people.csv")
    with pytest.raises(InputError, match=r"There is no file .*peple\.csv\. Did you mean 'people"):
        open_data(tmp_path / "peple.csv", workspace=tmp_path)
    with pytest.raises(InputError, match="There is no folder"):
        open_data(tmp_path / "no" / "peple.csv", workspace=tmp_path)


def test_directory_unknown_suffix_and_query(tmp_path):
    with pytest.raises(InputError, match="is a directory"):
        open_data(tmp_path, workspace=tmp_path)
    with pytest.raises(InputError, match="cannot be told from its name"):
        open_data(put(tmp_path, "a", "x.doc"), workspace=tmp_path)
    with pytest.raises(InputError, match="A query is for a database"):
        open_data(put(tmp_path, "a\n1\n"), workspace=tmp_path, query="SELECT 1")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(tmp_path):
    path = put(tmp_path, "a\n1\n")
    path.chmod(0)
    with pytest.raises(InputError, match="permission denied"):
        open_data(path, workspace=tmp_path)


def test_unreadable_even_for_root(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "permission denied" in refused(tmp_path, "a\n1\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("a,b\n", "has a header but no records"),
        ("a,b", "has a header but no records"),
        ("a,b,a\n1,2,3\n", "the name 'a' twice, in columns 1 and 3"),
        ("a,,c\n1,2,3\n", "column 2 of 3 has no name"),
        ("a,b\nPRIVATE,2\nPRIVATE,3,4\n", "record 2 (line 3) has 3 fields, the header has 2"),
        ("a,b,c\n1,2,3\nPRIVATE\n", "record 2 (line 3) has 1 fields, the header has 3"),
        ('a,b\n"x\ny",2\n1,2\nPRIVATE,3,4\n', "record 3 (line 5) has 3 fields"),
        ("a,b,c\n1\n2\n", "record 1 (line 2) has 1 fields"),
        ('a,b\n1,2\nPRIVATE,"x\n3,4\n', "record 2 (line 3) has a quote that is never closed"),
        ('a,b\n1,"PRIVATE"x\n', "record 1 (line 2) has text after a closing quote"),
        (b"a,b\n1,2\nPRIVATE,\x00\n", "a NUL byte on line 3"),
        (b"PK\x03\x04\x00\x00", "a NUL byte on line 1"),
        ("a,b\né,1\n".encode() + b"PRIVATE\xe9,2\n", "byte 17, on line 3"),
    ],
)
def test_faults_are_named_with_their_place_and_without_values(tmp_path, content, words):
    message = refused(tmp_path, content)
    assert words in message
    assert "in.csv" in message
    assert "PRIVATE" not in message


def test_bad_byte_in_a_declared_encoding(tmp_path):
    message = refused(tmp_path, b"a,b\n1,2\nx\xe9,3\n", encoding="utf-8")
    assert "is not utf-8 throughout: byte 10, on line 3" in message
    assert "utf-16" in refused(tmp_path, b"\xff\xfea\x00,\x00b")


def test_a_bad_byte_far_into_the_file(tmp_path, monkeypatch):
    from indistinct.files import dialect

    monkeypatch.setattr(dialect, "_CHUNK", 7)
    head = "a,b\né,1\n".encode() + b"x,1\n" * 100
    message = refused(tmp_path, head + b"\xe9,2\n")
    assert f"byte {len(head) + 1}, on line 103" in message
    late = b"a,b\n" + b"x,1\n" * 100 + b"\xe9,2\n"
    assert opened(tmp_path, late).table()["a"].to_pylist()[-1] == "é"


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 1 << 22])
def test_quotes_are_followed_across_chunks(tmp_path, monkeypatch, chunk):
    from indistinct.files import dialect

    monkeypatch.setattr(dialect, "_CHUNK", chunk)
    called = []
    monkeypatch.setattr(dialect, "quote_fault", lambda *_, **__: called.append(1) or "fault")
    good = '"a","b"\n"x ""y""","1,2\n"\n"","""q"""\n3,"z"'
    assert opened(tmp_path, good).records == 3
    assert not called
    assert refused(tmp_path, good + "x") == "fault"
    assert refused(tmp_path, good + '\n1,"') == "fault"


def test_too_long_a_record(tmp_path, monkeypatch):
    monkeypatch.setattr(csvfile_module, "_BLOCK", 1 << 10)
    assert "a record of more than" in refused(tmp_path, "a,b\n1," + "x" * 10_000 + "\n")


def test_check_numeric_names_the_record_not_the_value(tmp_path):
    rows = "".join(f"{i},{i}\n" for i in range(1, 48_213))
    source = opened(tmp_path, f"n,ok\n{rows}SECRET,5\n,\n1,1.50\n")
    with pytest.raises(InputError) as caught:
        check_numeric(source, "n")
    assert "variable 'n' must hold numbers, but record 48,213 does not" in str(caught.value)
    assert "SECRET" not in str(caught.value)
    check_numeric(source, "ok")
    with pytest.raises(InputError, match="Did you mean 'ok'"):
        check_numeric(source, "okk")


def test_check_numeric_reads_the_decimal_sign_of_the_file(tmp_path):
    check_numeric(opened(tmp_path, "a;b\n1,50;x\n2,5;y\n"), "a")


def test_characters_an_encoding_cannot_write(tmp_path):
    with pytest.raises(InputError, match="Variable 'b' has characters that cp1252 cannot write"):
        write_data(
            pa.table({"a": ["x"], "b": ["≥"]}),
            tmp_path / "o.csv",
            dialect=Dialect(encoding="cp1252"),
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1|cmd", "-1-2", "@sum(a)", "\tx", "\rx", "'=1", "''@a", "'tis", "-5", "-", "="],
)
def test_a_formula_is_marked_as_text_and_read_as_what_it_is(tmp_path, cell, keep):
    table = pa.table({"=name": [cell, "other"]})
    written = write_data(table, tmp_path / "f.csv", dialect=Dialect(keep_formulas=keep))
    [name], [first], _ = csv.reader(io.StringIO(written.read_bytes().decode(), newline=""))
    harmless = cell in ("-5", "-", "=") or cell[0] == "'"
    assert (name[0] == "=") == keep
    assert (first[0] in "=+-@\t\r") == ((keep and not harmless) or cell in ("-5", "-", "="))
    with new_workspace() as folder:
        source = open_data(written, workspace=folder)
        read = [str(value) for value in source.table()["=name"].to_pylist()]
    assert read == [cell, "other"]


def test_a_name_of_several_lines_is_read_as_one(tmp_path):
    with new_workspace() as folder:
        source = open_data(put(tmp_path, b'"age\n(years)",sex\n1,2\n'), workspace=folder)
        assert list(source.variables) == ["age (years)", "sex"]


# -- properties ---------------------------------------------------------------------------

cells = st.one_of(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0")
        | st.sampled_from('",;\n\r'),
        max_size=8,
    ),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"\A0[0-9]{1,4}\Z"),
    st.decimals(-1000, 1000, places=2).map(str),
)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=6)
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=tables, delimiter=st.sampled_from(",;\t|"), line_end=st.sampled_from(["\n", "\r\n"]))
def test_csv_to_csv_gives_the_same_bytes(rows, delimiter, line_end):
    """Text with quotes, line ends, accents and leading zeros comes back byte for byte.

    Cells that a spreadsheet would run are marked in the file already.
    """
    rows = [[for_csv(cell) for cell in row] for row in rows]
    header = [f"c{i}" for i in range(len(rows[0]))]

    def field(text: str) -> str:
        must = any(c in text for c in (delimiter, '"', "\r", "\n")) or (
            text == "" and len(header) == 1
        )
        return '"' + text.replace('"', '""') + '"' if must else text

    lines = [delimiter.join(map(field, row)) + line_end for row in [header, *rows]]
    content = "".join(lines).encode()
    with new_workspace() as folder:
        source = open_data(put(folder, content), workspace=folder, delimiter=delimiter)
        assert write_data(source, folder / "out.csv").read_bytes() == content
        read = csv.reader(io.StringIO(content.decode(), newline=""), delimiter=delimiter)
        assert list(read) == [header, *rows]
        for i, name in enumerate(header):
            seen = source.table()[name].to_pylist()
            assert [value is None for value in seen] == [row[i] == "" for row in rows]


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1
    )
)
def test_floats_survive_csv(values):
    with new_workspace() as folder:
        path = write_data(
            pa.table({"x": pa.array(values, pa.float64()), "y": ["q"] * len(values)}),
            folder / "a.csv",
        )
        source = open_data(path, workspace=folder, delimiter=",")
        back = source.table()["x"].to_pylist()
        assert [None if v is None else float(v) for v in back] == values


@settings(max_examples=100, deadline=None)
@given(
    body=st.text(st.sampled_from('ab1,0."\n\r \té'), max_size=40),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16"]),
)
def test_any_text_is_read_as_python_reads_it_or_refused(body, encoding):
    """Python's csv module, strict, is the judge of what the records are."""
    content = "x,y\n" + body
    with new_workspace() as folder:
        try:
            source = open_data(
                put(folder, content.encode(encoding)), workspace=folder, delimiter=",", decimal="."
            )
        except InputError:
            return
        table = source.table()
        rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=",", strict=True))
        seen = [["" if v is None else v for v in row.values()] for row in table.to_pylist()]
        expected = [row for row in rows[1:] if row]
        for row, texts in zip(seen, expected, strict=True):
            for value, text in zip(row, texts, strict=True):
                assert value == text if isinstance(value, str) else value == float(text)
