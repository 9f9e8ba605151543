"""Which release is asked, what k it promised, and whether its records may be listed."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.core.errors import InputError
from indistinct.files import open_table, workspace, write_data
from indistinct.protect import Plan
from indistinct.query import Answer, ask, open_released
from indistinct.release import Terms, write_release

TABLE = pa.table({"age": ["30-39"] * 80 + ["40-49"] * 70, "n": list(range(150))})
VERDICT = {
    "verdict": "k-map",
    "k": 7,
    "ads0": True,
    "disclosures": 0,
    "witnesses": 0,
    "checked": [],
    "assumptions": [],
    "state": "holds",
    "holds": True,
    "findings": [],
    "reservations": [],
    "accepted": [],
}


@pytest.fixture
def release(tmp_path):
    def write(*, holds: bool = True, proved: bool = True, k: int = 7):
        state = {"state": "holds" if holds else "fails", "holds": holds}
        with workspace() as folder:
            return write_release(
                tmp_path / "release",
                open_table(TABLE, workspace=folder),
                plan=Plan(()),
                receipts=(),
                ledger={},
                terms=Terms(),
                key=["age"],
                k=k,
                prove=(lambda path: {**VERDICT, **state}) if proved else None,
                although_unproved=True,
            ).folder

    return write


BY_AGE = "select age, count(*) from data group by age"


def test_a_proved_release_is_asked_exactly_and_leaves_no_log(release):
    folder = release()
    answer = ask(folder, BY_AGE)
    assert (answer.smallest, answer.errors, answer.notes) == (1, (), ())
    assert answer.rows == (("30-39", 80), ("40-49", 70))
    assert ask(folder, BY_AGE, smallest=75).withheld == 1
    assert not (folder.parent / ".indistinct").exists()


def test_records_of_a_proved_release_are_listed(release):
    folder = release()
    assert len(ask(folder, "select * from data").rows) == 150
    assert len(ask(folder / "data.parquet", "select * from data").rows) == 150
    with pytest.raises(InputError, match="single records"):
        ask(folder, "select * from data", listing=False)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"holds": False}, "says that it is not proved"),
        ({"proved": False}, "says that it is not proved"),
    ],
)
def test_records_of_a_release_that_is_not_proved_are_not(release, options, why):
    folder = release(**options)
    with pytest.raises(InputError, match=why):
        ask(folder, "select * from data")
    answer = ask(folder, "select count(*) from data where age = '30-39'", smallest=1)
    assert answer.errors[0][0] > 6
    assert why in answer.notes[-1]
    assert sorted(path.name for path in folder.parent.iterdir()) == [".indistinct", "release"]
    assert ask(folder, "select * from data", listing=True).rows  # the holder's own word


def test_a_certificate_of_other_bytes_proves_nothing(release):
    folder = release()
    pq.write_table(TABLE.slice(0, 149), folder / "data.parquet")
    with pytest.raises(InputError, match="not as its certificate says"):
        ask(folder, "select * from data")
    (folder / "contract.md").unlink()
    with pytest.raises(InputError, match="not whole"):
        ask(folder, "select * from data")


def test_without_a_certificate_the_ledger_tells_k_and_else_it_is_five(tmp_path):
    write_data(TABLE, tmp_path / "data.csv")
    answer = ask(tmp_path, "select count(*) from data")
    assert answer.smallest == 5
    with pytest.raises(InputError, match="has no certificate"):
        ask(tmp_path, "select * from data")
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "ledger.json").write_text(json.dumps({"k": 3}))
    assert ask(tmp_path, "select count(*) from data").smallest == 3
    for damaged in ("[]", "{", '{"k": "many"}', '{"k": true}'):
        (tmp_path / "private" / "ledger.json").write_text(damaged)
        assert ask(tmp_path, "select count(*) from data").smallest == 5


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".dta", ".sav"])
def test_every_format_is_asked(tmp_path, suffix):
    write_data(TABLE, tmp_path / f"data{suffix}")
    question = "select age, count(*), sum(n) from data group by age order by age"
    answer = ask(tmp_path, question, listing=True)
    assert answer.rows == (("30-39", 80, 3160), ("40-49", 70, 8015))


def test_places_without_released_data_are_told(tmp_path):
    with pytest.raises(InputError, match="no released data"):
        ask(tmp_path, "select count(*) from data")
    with pytest.raises(InputError, match="no file"):
        ask(tmp_path / "nowhere", "select count(*) from data")
    write_data(TABLE, tmp_path / "data.csv")
    write_data(TABLE, tmp_path / "data.parquet")
    with pytest.raises(InputError, match=r"holds data.parquet and data.csv"):
        ask(tmp_path, "select count(*) from data")
    (tmp_path / "release.toml").write_text("")
    with pytest.raises(InputError, match="leads to private data"):
        ask(tmp_path / "release.toml", "select count(*) from data")


def test_a_released_file_is_not_changed(tmp_path):
    path = write_data(TABLE, tmp_path / "released.parquet")
    before = (path.read_bytes(), os.stat(path).st_mtime_ns)
    ask(path, BY_AGE, log=tmp_path / "log.jsonl")
    assert (path.read_bytes(), os.stat(path).st_mtime_ns) == before
    with workspace() as folder:
        released = open_released(path, workspace=folder)
    assert (released.k, released.proved) == (None, False)


def test_columns_that_differ_in_capitals_are_refused(tmp_path):
    path = write_data(pa.table({"age": [1] * 9, "Age": [2] * 9}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="differ in capital letters only"):
        ask(path, "select count(*) from data")


def test_an_answer_is_a_dict_a_table_and_a_page():
    errors = ((None, 0.5), (None, None))
    answer = Answer(("a<b", "n"), (("x", 1.5), (None, 2)), errors, 1, 3, ("said",))
    assert answer.to_dict() == {
        "columns": ["a<b", "n"],
        "rows": [["x", 1.5], [None, 2]],
        "errors": [[None, 0.5], [None, None]],
        "withheld": 1,
        "smallest": 3,
        "notes": ["said"],
    }
    assert answer.to_table().to_pylist() == [{"a<b": "x", "n": 1.5}, {"a<b": None, "n": 2.0}]
    assert "a&lt;b" in answer._repr_html_()
    assert repr(answer).splitlines()[-1] == "note: said"
    assert "1.5 ± 0.5" in repr(answer)
    assert "\\x1b" in repr(Answer(("n",), (("\x1b[31m",),)))
    assert Answer(("n",), ()).to_table().num_rows == 0
    many = Answer(("n",), tuple((i,) for i in range(100)))
    assert "… and 60 more" in many.details()
