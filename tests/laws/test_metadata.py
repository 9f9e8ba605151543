"""The law of metadata: labels, categories and dictionaries tell of values that cells have."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_data import open_small
from ways import KEY, WAYS, Way, count_examined, population

from indistinct import files
from indistinct.prove import Promise, Trial, judge

LABELS = {
    "ill": {
        "flu": "Influenza",
        "cold": "A cold",
        "gout": "Gout",
        "plague": "Had the Mayor's plague",
    },
    "age": {age: f"aged {age}" for age in range(20, 40)},
    "sex": {"f": "woman", "m": "man", "x": "only the Mayor"},
    "size": {n: f"{n} people" for n in range(1, 9)},
}


@pytest.mark.parametrize(
    ("way", "format"),
    [(way, "parquet") for way in WAYS]
    + [(way, format) for way in WAYS[:4] for format in ("spss", "stata")],
    ids=str,
)
def test_metadata_hold_only_what_cells_hold(way: Way, format, tmp_path):
    table = population(2, people=120)
    with open_small(table) as data:
        told = {name: {"labels": labels} for name, labels in LABELS.items()}
        told["ill"]["categories"] = ("flu", "cold", "gout", "none", "plague")
        source = type(data.source)(
            data.source.path, "t", data.variables.updated(told), data.records
        )
        data = type(data)(source, data.engine)
        done = way.protect(data)
        written = data.release(tmp_path / "r", done, seed=1, format=format, although_unproved=True)
        bytes_of = written.data.read_bytes()
        assert b"plague" not in bytes_of
        assert b"only the Mayor" not in bytes_of
        again = files.open_data(written.data, workspace=tmp_path)
        cells = again.table().to_pydict()
    for name, variable in again.variables.items():
        values = {str(v) for v in cells[name]} | {
            f"{v:g}" for v in cells[name] if isinstance(v, float)
        }
        assert {str(v) for v in variable.labels} <= values
        assert {str(v) for v in variable.categories or ()} <= values
    count_examined(way)
    assert set(KEY) <= set(cells)


def test_a_dictionary_of_somebody_who_left_is_found(tmp_path):
    ill = pa.DictionaryArray.from_arrays([0, 0, 1, 1] * 5, ["flu", "cold", "the Mayor's plague"])
    pq.write_table(pa.table({"sex": ["f", "f", "m", "m"] * 5, "ill": ill}), tmp_path / "d.parquet")
    had = pa.table({"sex": ["f", "f", "m", "m", "m"], "ill": ["flu", "cold"] * 2 + ["flu"]})
    left = had.set_column(1, "ill", pa.array(["flu", "cold", "flu", "cold", "the Mayor's plague"]))
    promise = Promise(key=("sex",), k=2)
    with open_small(pa.table({"x": [1]})) as data:
        source = files.open_data(tmp_path / "d.parquet", workspace=tmp_path)
        states = [
            judge(Trial(data.engine, source, promise, private)).state
            for private in (
                None,
                files.open_table(had, workspace=tmp_path),
                files.open_table(left, workspace=tmp_path),
            )
        ]
    assert states == ["reservations", "reservations", "fails"]
