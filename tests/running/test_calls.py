"""The calls that a notebook begins with: one for each verb, of paths and of frames."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
import pytest

import indistinct as ind
from indistinct.cli.app import VERBS

KEY = ["age", "sex"]
CALLS = ("uniques", "risk", "protect", "verify", "utility", "tables", "scrub", "report", "run")
NOT_CALLED = {"demo": "writes pages to read", "init": "project.draft_project", "query": "query.ask",
              "workbench": "shows pages"}  # fmt: skip


def people() -> pa.Table:
    return pa.table({"age": [30, 30, 41, 41, 52], "sex": [1, 1, 2, 2, 1], "town": list("AABBB")})


def as_pandas() -> object:
    return people().to_pandas()


def as_polars() -> object:
    return pytest.importorskip("polars").from_arrow(people())


FRAMES = pytest.mark.parametrize(
    "frame", [people, as_pandas, as_polars], ids=["arrow", "pandas", "polars"]
)


def test_every_verb_is_one_call() -> None:
    assert {*CALLS, "census", *NOT_CALLED} == set(VERBS)
    for name in (*CALLS, "census", "open"):
        assert callable(getattr(ind, name))
        assert name in dir(ind)


@pytest.mark.parametrize("name", [*CALLS, "census", "open"])
def test_every_call_is_typed_and_has_an_example(name: str) -> None:
    called = getattr(ind, name)
    function = called._function() if inspect.ismodule(called) else called
    assert ">>> " in (function.__doc__ or "")
    for parameter in inspect.signature(called).parameters.values():
        assert parameter.annotation is not parameter.empty, parameter.name


def test_a_room_whose_name_is_a_verb_is_still_a_room() -> None:
    assert ind.risk.__name__ == "indistinct.risk"
    assert ind.risk.file_risk.__name__ == "file_risk"
    with pytest.raises(TypeError, match="room"):
        ind.keys()


@FRAMES
def test_frames_are_taken_where_data_are(frame) -> None:
    assert ind.uniques(data=frame(), key=KEY, k=2).records_at_risk().tolist() == [4]
    assert ind.open(frame()).records == 5


@FRAMES
def test_frames_are_taken_where_files_are(frame) -> None:
    found = ind.verify(frame(), private=frame(), registers=[frame()], key=KEY, k=2, brief=True)
    assert found.exposed >= 1
    assert ind.open(people()).risk(KEY, population=frame()).table.records == 5
    assert ind.utility(frame(), frame()).utility.marginals.same


def test_frames_and_files_give_the_same(tmp_path: Path) -> None:
    csv.write_csv(people(), tmp_path / "people.csv")
    by_file = ind.uniques(tmp_path / "people.csv", KEY, k=2).to_dict()
    by_frame = ind.uniques(people(), KEY, k=2).to_dict()
    assert by_file | {"seconds": 0} == by_frame | {"seconds": 0}


def test_data_stay_open_without_a_block_and_say_what_they_are() -> None:
    data = ind.open(people())
    assert repr(data) == "table: 5 records, 3 variables (age, sex, town)"
    assert data.uniques(KEY, k=2).unique == 1
    workspace = data.engine.workspace
    assert workspace.is_dir()
    data.close()
    data.close()
    assert not workspace.exists()
    assert repr(data).endswith("closed")
    with pytest.raises(ind.InputError, match="was closed"):
        data.uniques(KEY, k=2)


def test_a_block_closes_and_what_was_made_of_data_holds_them_open() -> None:
    with ind.open(people()) as data:
        workspace = data.engine.workspace
        assert workspace.is_dir()
    assert not workspace.exists()
    renamed = ind.open(people()).with_roles(age="key")
    gc.collect()
    assert renamed.uniques(k=2).key == ("age",)


def test_what_nobody_holds_is_closed() -> None:
    data = ind.open(people())
    workspace = data.engine.workspace
    del data
    gc.collect()
    assert not workspace.exists()


def test_a_result_holds_its_data_open() -> None:
    done = ind.protect(people(), KEY, method="destroy", k=2, seed=1)
    gc.collect()
    assert done.source.table()["age"].to_pylist() == [30, 30, 41, 41]
    place = done.source.path
    del done
    gc.collect()
    assert not place.exists()


def test_the_end_of_the_program_closes(tmp_path: Path) -> None:
    code = (
        "import indistinct as ind\n"
        "data = ind.open({'age': [30, 41]})\n"
        "print(data.engine.workspace)\n"
        "keep = globals()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert not Path(done.stdout.strip()).exists()


def test_what_is_read_is_not_written_over_outside_a_block(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    csv.write_csv(people(), path)
    data = ind.open(path)
    with pytest.raises(ind.InputError, match="is the"):
        data.write(path, overwrite=True)


def test_missing_arguments_are_told_in_one_sentence() -> None:
    with pytest.raises(ind.ArgumentError, match=r"^protect needs method\.$"):
        ind.protect(people(), KEY)  # type: ignore[call-arg]
    with pytest.raises(ind.ArgumentError, match=r"^uniques needs data\.$"):
        ind.uniques()  # type: ignore[call-arg]
    with pytest.raises(ind.InputError, match="which variables can an intruder know"):
        ind.uniques(people())
    with pytest.raises(ind.ArgumentError, match=r"For one, write \['age'\]"):
        ind.uniques(people(), key="age")


def test_a_figure_shows_itself_in_a_notebook_and_is_text() -> None:
    figure = ind.uniques(people(), KEY, k=2).plot()
    assert isinstance(figure, str)
    assert figure._repr_svg_() == figure
    assert figure.startswith("<svg")
