"""Hierarchies in files and directories: what is read, what is refused and on which line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.hierarchy import (
    Hierarchy,
    code_hierarchy,
    csv_hierarchy,
    date_hierarchy,
    interval_hierarchy,
    load_hierarchies,
    table_hierarchy,
    write_csv,
)

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "hierarchies"


def read(tmp_path: Path, text: str) -> Hierarchy:
    path = tmp_path / "v.csv"
    path.write_text(text, encoding="utf-8")
    return csv_hierarchy(path)


@pytest.mark.parametrize(
    "text",
    [
        "a,x,*\nb,x,*\n",
        "a;x;*\r\nb;x;*\r\n",
        "a\tx\t*\nb\tx\t*",
        "a, x, *\n\nb, x, *\n",
        "\ufeffa,x,*\nb,x,*\n",
        "a,x\nb,x\n",
    ],
)
def test_delimiters_spaces_and_empty_lines(tmp_path: Path, text: str) -> None:
    h = read(tmp_path, text)
    assert h.name == "v"
    assert h.values == ("a", "b")
    assert h.generalise("a", 1) == "x"


def test_root_is_added_to_values_alone_and_two_roots_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 different labels"):
        read(tmp_path, "a,x\nb,y\n")
    assert read(tmp_path, "a,x\nb,x\n").ancestors("a") == ("a", "x")
    assert read(tmp_path, "a\nb\n").ancestors("a") == ("a", "*")


def test_commas_within_semicolons(tmp_path: Path) -> None:
    h = read(tmp_path, "20;[20, 25);[20, 30)\n25;[25, 30);[20, 30)\n")
    assert h.ancestors("20") == ("20", "[20, 25)", "[20, 30)")
    h = read(tmp_path, '"a, b",x,*\n"c; d",x,*\n')
    assert h.values == ("a, b", "c; d")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file is empty"),
        ("\n\n", "file is empty"),
        ("a,x,*\nb,*\n", "line 2 has 2 columns, but line 1 has 3"),
        ("a,x,*\n\nb,x\n", "line 3 has 2 columns"),
        ("value,level1,level2\na,x,*\n", "line 1 ends with 'level2'.*header, delete it"),
        ("a,x,*\nb,x,all\n", "line 2 ends with 'all', but others with the root"),
        ("a,x,*\nb,y,*\na,y,*\n", "line 3 gives 'a' other ancestors than line 1"),
        ("a,x,p,*\nb,x,q,*\n", "line 2 puts 'x' .level 1. under 'q', but line 1 under 'p'"),
        ("a,b,a,*\n", "line 1 goes round in a circle"),
        ("x,p,*\n\na,x,*\n", "level 0 in line 1 and at level 1 in line 3 for other values"),
        ("a,,*\n", "line 1 has no label at level 1"),
        ('a,x,*\n"b,x,*\n', "line 2: .*quotation marks"),
    ],
)
def test_errors_name_the_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert "v.csv" in str(caught.value)


def test_lines_are_counted_within_quoted_fields(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 4 gives 'b' other ancestors than line 3"):
        read(tmp_path, '"a\nz",x,*\nb,x,*\nb,y,*\n')


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no hierarchy"):
        csv_hierarchy(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("a,x,*\nbl\u00e5,x,*\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.csv:2: the text is not UTF-8"):
        csv_hierarchy(tmp_path / "latin.csv")
    with pytest.raises(InputError, match=r"does not exist\. Create it"):
        write_csv(code_hierarchy(["1"]), tmp_path / "nowhere" / "x.csv")


labels = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(labels, min_size=1, unique=True), missing=st.booleans(), data=st.data())
def test_round_trip_of_any_text(
    tmp_path: Path, values: list[str], missing: bool, data: st.DataObject
) -> None:
    groups = data.draw(st.lists(labels, min_size=1, max_size=3))
    rows: list[tuple[str | None, ...]] = []
    for value in values:
        group = data.draw(st.sampled_from(groups))
        rows.append((f"v{value}", f"g{group}", "root"))
    if missing:
        rows.append((None, "unknown", "root"))
    before = table_hierarchy(rows, name="v")
    write_csv(before, tmp_path / "v.csv", overwrite=True)
    assert csv_hierarchy(tmp_path / "v.csv") == before
    assert [p.name for p in tmp_path.iterdir()] == ["v.csv"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(labels, min_size=1, unique=True))
def test_round_trip_of_values_that_begin_with_anything(tmp_path: Path, values: list[str]) -> None:
    before = table_hierarchy([(value, "the root") for value in values], name="v")
    write_csv(before, tmp_path / "v.csv", overwrite=True)
    assert csv_hierarchy(tmp_path / "v.csv") == before


@pytest.mark.parametrize(
    "before",
    [
        code_hierarchy(["02138", "E11.9", "unknown"], special=["unknown"], name="v"),
        interval_hierarchy([-5, 0.5, 30], widths=(5, 10), top=20, name="v"),
        date_hierarchy(["1965-03-12", "1965", "2001-12"], name="v"),
    ],
)
def test_round_trip_of_built_hierarchies(tmp_path: Path, before: Hierarchy) -> None:
    write_csv(before, tmp_path / "v.csv", overwrite=True)
    assert csv_hierarchy(tmp_path / "v.csv", ordered=before.ordered) == before


def test_directory_with_a_file_and_a_choice(tmp_path: Path) -> None:
    (tmp_path / "sex.csv").write_text("1,*\n2,*\n")
    (tmp_path / "ZIP.csv").write_text("broken,\n")
    found = load_hierarchies(tmp_path, {"sex": [1, 2.0, None], "zip": ["02138", "02139"]})
    assert list(found) == ["sex", "zip"]
    assert found["zip"].generalise("02138", 1) == "0213*"
    assert list(found.notes) == ["zip", "ZIP.csv"]
    assert "Rename ZIP.csv to zip.csv" in found.notes["zip"]
    assert load_hierarchies(None, {"sex": ["m"]})["sex"].height == 1
    with pytest.raises(InputError, match="Did you mean 'zip'"):
        found["zpi"]


def test_all_problems_of_a_directory_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y,*\nx,z,*\n")
    (tmp_path / "b.csv").write_text("1,*\n")
    (tmp_path / "c.csv").write_text("1,*\n")
    with pytest.raises(InputError) as caught:
        load_hierarchies(tmp_path, {"a": ["x"], "b": [1, 2], "c": [1]})
    message = str(caught.value)
    assert message.startswith("2 hierarchies have problems:\n")
    assert "a.csv: line 2 gives 'x' other ancestors" in message
    assert "b.csv: The hierarchy of 'b' does not know 1 value of the data." in message
    with pytest.raises(InputError, match="is not a directory"):
        load_hierarchies(tmp_path / "a.csv", {})


@pytest.mark.shared
def test_all_real_hierarchies_load() -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared hierarchies are not beside the project")
    found = {path.stem: csv_hierarchy(path) for path in sorted(SHARED.glob("*.csv"))}
    assert len(found) == 26
    assert {h.root for h in found.values()} == {"*"}
    heights = {"adult_hierarchy_age": 4, "adult_hierarchy_sex": 1, "ihis_hierarchy_YEAR": 5}
    assert {name: found[name].height for name in heights} == heights
    for name, h in found.items():
        with (SHARED / f"{name}.csv").open(encoding="utf-8") as file:
            assert len(h.values) == len({line for line in file if line.strip()})
