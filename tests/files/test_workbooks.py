"""Workbooks in and out: types of cells, headers, sheets, and what is refused."""

from __future__ import annotations

import datetime
import io
import shutil
import subprocess
import zipfile

import pyarrow as pa
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core import InputError
from indistinct.files import open_data, workspace, write_data

SOFFICE = shutil.which("soffice")
BORN = [datetime.date(1980, 2, 29), datetime.date(1999, 12, 31), None]
SEEN = [datetime.datetime(2024, 5, 1, 8, 30), None, datetime.datetime(2024, 5, 2, 0, 0)]
TABLE = pa.table(
    {
        "age": [40, 41, None],
        "rent": [512.5, None, 300.25],
        "zip": ["02138", "10115", "00001"],
        "flag": [True, False, None],
        "born": pa.array(BORN, pa.date32()),
        "seen": pa.array(SEEN, pa.timestamp("us")),
        "note": ["=1+1", "-x", "Zoë, «ü» 日本"],
    }
)


def book(fill) -> bytes:
    """Return a workbook whose sheets a function fills."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as workbook:
        fill(workbook)
    return made.getvalue()


def sheet_of(rows, *, name="people", start=(0, 0)):
    def fill(workbook):
        sheet = workbook.add_worksheet(name)
        for number, row in enumerate(rows):
            for at, cell in enumerate(row):
                if cell is not None:
                    sheet.write(start[0] + number, start[1] + at, cell)

    return fill


def opened(tmp_path, content: bytes, name="people.xlsx", **options):
    (tmp_path / name).write_bytes(content)
    return open_data(tmp_path / name, workspace=tmp_path, **options)


def refused(tmp_path, content: bytes, name="people.xlsx", **options) -> str:
    with pytest.raises(InputError) as error:
        opened(tmp_path, content, name, **options)
    return str(error.value)


def test_types_are_those_of_the_cells(tmp_path):
    path = write_data(TABLE, tmp_path / "people.xlsx")
    source = open_data(path, workspace=tmp_path)
    assert source.table().to_pydict() == TABLE.to_pydict()
    assert [str(field.type) for field in source.schema] == [
        *("int64", "double", "string", "bool", "date32[day]", "timestamp[us]", "string")
    ]
    assert [v.level for v in source.variables.values()] == [
        *("numeric", "numeric", "nominal", "nominal", "date", "date", "nominal")
    ]
    assert source.notes == ("sheet 'data'",)


def test_the_same_table_gives_the_same_bytes(tmp_path):
    one, two = (write_data(TABLE, tmp_path / name).read_bytes() for name in ("a.xlsx", "b.xlsx"))
    assert one == two


def test_no_cell_is_a_formula(tmp_path):
    path = write_data(TABLE, tmp_path / "people.xlsx")
    with zipfile.ZipFile(path) as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml")
        styles = packed.read("xl/styles.xml")
    assert b"<f>" not in sheet
    assert b"=1+1" in sheet
    assert b'quotePrefix="1"' in styles


CELLS = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**53) + 1, 2**53 - 1)), min_size=4, max_size=4),
    st.lists(
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False, width=32)),
        min_size=4,
        max_size=4,
    ),
    st.lists(
        st.one_of(
            st.none(),
            st.text(
                st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Co", "Cn")),
                min_size=1,
            ).filter(str.strip),
        ),
        min_size=4,
        max_size=4,
    ),
    st.lists(
        st.one_of(st.none(), st.dates(datetime.date(1900, 3, 1), datetime.date(2200, 1, 1))),
        min_size=4,
        max_size=4,
    ),
    st.lists(st.one_of(st.none(), st.booleans()), min_size=4, max_size=4),
)


@given(st.lists(CELLS, min_size=1, max_size=4))
def test_values_come_back_as_they_were(tmp_path_factory, columns):
    """Numbers as numbers of the same value, and everything else as it is."""
    table = pa.table({"id": [1, 2, 3, 4], **{f"v{n}": c for n, c in enumerate(columns)}})
    with workspace() as folder:
        again = open_data(write_data(table, folder / "t.xlsx"), workspace=folder).table()
    for name in table.column_names:
        assert again.column(name).to_pylist() == table.column(name).to_pylist()


def test_numbers_stored_as_text_stay_text(tmp_path):
    source = opened(tmp_path, book(sheet_of([["code", "n"], ["007", 1], ["08", 2.5], [9, 3]])))
    assert source.table().to_pydict() == {"code": ["007", "08", "9"], "n": [1.0, 2.5, 3.0]}


def test_times_of_day_are_text(tmp_path):
    def fill(workbook):
        clock = workbook.add_format({"num_format": "hh:mm"})
        sheet = workbook.add_worksheet()
        sheet.write(0, 0, "at")
        sheet.write(0, 1, "n")
        sheet.write_datetime(1, 0, datetime.time(8, 5), clock)
        sheet.write(1, 1, 1)

    assert opened(tmp_path, book(fill)).table().to_pydict() == {"at": ["08:05:00"], "n": [1]}


def test_what_stands_at_the_edge_and_is_empty_is_left_out_with_a_word(tmp_path):
    def fill(workbook):
        sheet_of([["a", "b"], [1, 2], [], [3, None]], start=(3, 2))(workbook)
        sheet = workbook.get_worksheet_by_name("people")
        sheet.write_string(20, 2, "  ")
        sheet.write_string(3, 9, " ")

    source = opened(tmp_path, book(fill))
    assert source.table().to_pydict() == {"a": [1, 3], "b": [2, None]}
    said = " ".join(source.notes)
    assert "empty lines left out" in said
    assert "empty columns without a name left out" in said


def test_errors_of_formulas_are_missing_and_counted(tmp_path):
    def fill(workbook):
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, "x"])
        sheet.write_formula(2, 0, "=1/0", None, "#DIV/0!")
        sheet.write_formula(2, 1, "=NA()", None, "#N/A")
        sheet.write_formula(3, 0, "=1+1", None, 2)
        sheet.write_string(3, 1, "#N/A")

    source = opened(tmp_path, book(fill))
    assert source.table().to_pydict() == {"a": [1, None, 2], "b": ["x", None, "#N/A"]}
    assert any(note.startswith("2 cells hold the error of a formula") for note in source.notes)


def test_several_sheets_are_listed_and_chosen(tmp_path):
    def fill(workbook):
        sheet_of([["a"], [1]], name="men")(workbook)
        sheet_of([["a"], [2]], name="women & others")(workbook)
        workbook.add_worksheet("empty")

    content = book(fill)
    said = refused(tmp_path, content)
    assert "has 2 sheets: 'men', 'women & others'. Say which with --table" in said
    assert opened(tmp_path, content, table="women & others").table().to_pydict() == {"a": [2]}
    assert "no sheet 'woman'" in refused(tmp_path, content, table="woman")
    assert "'men'" in refused(tmp_path, content, table="woman")


def test_the_only_sheet_that_holds_something_is_taken(tmp_path):
    def fill(workbook):
        workbook.add_worksheet("Sheet1")
        sheet_of([["a"], [1]], name="Sheet2")(workbook)

    assert opened(tmp_path, book(fill)).notes == ("sheet 'Sheet2'",)


def test_a_header_below_a_title_is_found_by_its_line(tmp_path):
    content = book(sheet_of([["Patients 2024"], [], ["id", "age"], [1, 40]]))
    said = refused(tmp_path, content)
    assert "1 of 2 columns have no name" in said
    assert "say --header-row 3" in said
    source = opened(tmp_path, content, header_row=3)
    assert source.table().to_pydict() == {"id": [1], "age": [40]}
    assert "at least 1" in refused(tmp_path, content, header_row=0)
    assert "no records" in refused(tmp_path, content, header_row=30)


def test_merged_cells_are_refused_below_the_header_and_not_above(tmp_path):
    def fill(workbook, header=True):
        sheet = workbook.add_worksheet("s")
        if header:
            sheet.merge_range(0, 0, 0, 1, "A title over all")
            sheet.write_row(1, 0, ["id", "age"])
            sheet.write_row(2, 0, [1, 40])
        else:
            sheet.write_row(0, 0, ["id", "age"])
            sheet.merge_range(1, 0, 2, 0, 7)
            sheet.write_row(1, 1, [40])
            sheet.write_row(2, 1, [41])

    said = refused(tmp_path, book(lambda workbook: fill(workbook, header=False)))
    assert "merged cells, the first in line 2" in said
    source = opened(tmp_path, book(fill), header_row=2)
    assert source.table().to_pydict() == {"id": [1], "age": [40]}


def test_a_merged_header_is_refused(tmp_path):
    def fill(workbook):
        sheet = workbook.add_worksheet("s")
        sheet.merge_range(0, 0, 0, 1, "both")
        sheet.write_row(1, 0, [1, 40])

    assert "merged" in refused(tmp_path, book(fill))


def test_a_name_twice_is_refused(tmp_path):
    said = refused(tmp_path, book(sheet_of([["age", "x", "age"], [1, 2, 3]])))
    assert "the name 'age' twice, in columns A and C" in said
    assert opened(tmp_path, book(sheet_of([["a", "a_1"], [1, 2]]))).records == 1


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"age,sex\n1,m\n", "people.xlsx"),
        (b"", "people.ods"),
        (b"<html><table></table></html>", "people.xls"),
        (book(sheet_of([["a"], [1]]))[:-100], "people.xlsx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "people.xls"),
        (b"PK\x05\x06" + bytes(18), "people.xlsx"),
    ],
)
def test_what_is_no_workbook_is_refused(tmp_path, content, name):
    said = refused(tmp_path, content, name)
    assert "not a workbook" in said or "is empty" in said or "not what its name says" in said


def test_an_empty_workbook_is_refused(tmp_path):
    assert "no records" in refused(tmp_path, book(lambda workbook: workbook.add_worksheet()))
    assert "no records" in refused(tmp_path, book(sheet_of([["a", "b"]])))


def changed(content: bytes, name: str, change) -> bytes:
    """Return a packed file with one of its files changed, or added."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", 8) as new:
        for entry in old.namelist():
            new.writestr(entry, change(old.read(entry)) if entry == name else old.read(entry))
        if name not in old.namelist():
            new.writestr(name, change(b""))
    return made.getvalue()


def test_entities_are_refused_and_never_opened(tmp_path):
    (tmp_path / "secret").write_text("hidden")
    declared = (
        b'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY x SYSTEM "file://'
        + str(tmp_path / "secret").encode()
        + b'">]>'
    )
    for part in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml"):
        content = changed(
            book(sheet_of([["a"], [1]])), part, lambda old: declared + old.partition(b"?>")[2]
        )
        assert "declares entities" in refused(tmp_path, content)


def test_a_bomb_is_refused(tmp_path):
    content = changed(
        book(sheet_of([["a"], [1]])),
        "xl/worksheets/sheet1.xml",
        lambda old: old + bytes(150_000_000),
    )
    assert "which a file of records does not" in refused(tmp_path, content)


def test_macros_are_told_and_not_run(tmp_path):
    content = changed(book(sheet_of([["a"], [1]])), "xl/vbaProject.bin", lambda _: b"Sub x()")
    assert "its macros are not run" in opened(tmp_path, content, "people.xlsm").notes
    linked = changed(
        book(sheet_of([["a"], [1]])), "xl/externalLinks/externalLink1.xml", lambda _: b"<x/>"
    )
    assert "its links to other files are not followed" in opened(tmp_path, linked).notes


def test_a_workbook_has_room_for_a_million_records(tmp_path):
    def batches():
        for _ in range(5):
            yield pa.record_batch({"a": pa.nulls(250_000, pa.int64())})

    with pytest.raises(InputError, match="room for 1,048,575 records"):
        write_data(batches(), tmp_path / "out.xlsx")
    assert not list(tmp_path.glob("*"))


def test_what_a_cell_cannot_hold_is_refused(tmp_path):
    with pytest.raises(InputError, match="32,767 characters"):
        write_data(pa.table({"a": ["x" * 40_000]}), tmp_path / "out.xlsx")
    with pytest.raises(InputError, match="not finite"):
        write_data(pa.table({"a": [float("nan")]}), tmp_path / "out.xlsx")
    path = write_data(pa.table({"a": [2**60]}), tmp_path / "out.xlsx")
    assert open_data(path, workspace=tmp_path).table().to_pydict() == {"a": [str(2**60)]}


@pytest.mark.heavy
@pytest.mark.parametrize("ending", ["xlsx", "xls", "ods"])
def test_what_libreoffice_saves_is_read(tmp_path, ending):
    """Made by another program; what it makes of our own workbook has the same records."""
    if SOFFICE is None:
        pytest.skip("LibreOffice is absent")
    path = write_data(TABLE, tmp_path / "people.xlsx")
    saved = by_libreoffice(path, ending, tmp_path / "saved")
    source = open_data(saved, workspace=tmp_path)
    again = source.table().to_pydict()
    assert {name: again[name] for name in again if name != "flag"} == {
        name: values for name, values in TABLE.to_pydict().items() if name != "flag"
    }
    # LibreOffice saves truth values of OpenDocument as numbers shown as such
    assert [None if flag is None else bool(flag) for flag in again["flag"]] == [True, False, None]


@pytest.mark.heavy
def test_errors_in_an_opendocument_sheet_are_counted(tmp_path):
    if SOFFICE is None:
        pytest.skip("LibreOffice is absent")

    def fill(workbook):
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
        sheet.write_formula(2, 0, "=1/0", None, "#DIV/0!")
        sheet.write(2, 1, 3)

    (tmp_path / "people.xlsx").write_bytes(book(fill))
    source = open_data(
        by_libreoffice(tmp_path / "people.xlsx", "ods", tmp_path / "saved"), workspace=tmp_path
    )
    assert source.table().column("b").to_pylist() == [2, 3]
    assert any("1 cell holds the error of a formula" in note for note in source.notes)


def test_a_password_is_told(tmp_path):
    hull = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    hull += "EncryptedPackage".encode("utf-16-le") + bytes(4000)
    assert "protected by a password" in refused(tmp_path, hull)
    manifest = b"<manifest:manifest><manifest:encryption-data/></manifest:manifest>"
    made = changed(book(sheet_of([["a"], [1]])), "META-INF/manifest.xml", lambda _: manifest)
    assert "protected by a password" in refused(tmp_path, made, "people.ods")


def by_libreoffice(path, ending, folder):
    """Let LibreOffice save a workbook as another kind."""
    folder.mkdir()
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    subprocess.run(
        [SOFFICE, profile, "--headless", "--convert-to", ending, "--outdir", folder, path],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return folder / f"{path.stem}.{ending}"
