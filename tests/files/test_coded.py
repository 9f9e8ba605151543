"""Labels and codes kept through a release of a Stata or SPSS file, checked with pyreadstat."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.core import Variable, Variables
from indistinct.files import open_data, workspace, write_data
from indistinct.files.coded import is_coded, with_codes, with_texts
from indistinct.hierarchy import suppression_only

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
READ = {"stata": pyreadstat.read_dta, "spss": pyreadstat.read_sav}
WRITE = {"stata": pyreadstat.write_dta, "spss": pyreadstat.write_sav}
SUFFIX = {"stata": ".dta", "spss": ".sav"}
MARITAL = {1: "single", 2: "married", 3: "widowed", 4: "divorced", 5: "other"}
LABELS = {"sex": {1: "male", 2: "female"}, "marital": MARITAL}
NAMES = {"age": "Age in years", "sex": "Sex", "marital": "Marital status", "rent": "Rent"}

CELL = st.one_of(
    st.none(),
    st.just("*"),
    st.integers(-99, 99).map(str),
    st.sampled_from(["16-31", "32-47", "1-2", "007", "1.0", "2.5", "1e3", "married", "-0", "٣"]),
    st.text(max_size=4).filter(lambda text: text not in ("", "\0")),
)


@given(
    st.lists(CELL, min_size=1, max_size=30),
    st.dictionaries(st.integers(-9, 99), st.text(min_size=1, max_size=5), max_size=4),
    st.sampled_from(["%8.0g", "F8.2", ""]),
)
def test_codes_become_the_same_texts_again(cells, labels, format):
    """Whatever a protected column holds: coded and read back, cell for cell."""
    variables = Variables([Variable("v", labels=labels, format=format)])
    table = pa.table({"v": pa.array(cells, pa.string())})
    coded, told = with_codes(table, variables)
    names = is_coded(told)
    batches, again = with_texts(coded.to_batches(), told, names)
    found = [cell for batch in batches for cell in batch.column("v").to_pylist()]
    if names:
        assert found == cells
        assert set(again["v"].labels) <= set(labels)
        assert again["v"].user_missing == ()
    else:  # nothing was made or suppressed: texts as they were, or plain numbers
        texts = [None if cell is None else str(cell) for cell in found]
        assert texts == cells
    occurring = {cell for cell in coded.column("v").to_pylist() if cell is not None}
    assert {value for value in told["v"].labels if not isinstance(value, str)} <= occurring | set(
        labels
    )


def people(folder: Path, format: str) -> Path:
    """Write a labelled file as a colleague would, by pyreadstat alone."""
    draw = random.Random(1)
    rows = [
        (draw.randrange(20, 60), draw.choice([1, 2]), draw.choice([1, 2, 3, 4, 5]), 300.5 + n % 7)
        for n in range(300)
    ]
    frame = pandas.DataFrame(rows, columns=list(NAMES))
    path = folder / f"people{SUFFIX[format]}"
    WRITE[format](frame, str(path), column_labels=NAMES, variable_value_labels=LABELS)
    return path


@pytest.mark.parametrize("format", ["stata", "spss"])
def test_labels_are_kept_through_a_release_to_the_last_one(tmp_path, format):
    with ind.open(people(tmp_path, format)) as data:
        key = ["age", "sex", "marital"]
        trees = {**data.hierarchies(key), "marital": suppression_only(range(1, 6), name="marital")}
        done = data.protect(key, method="mondrian", k=5, seed=1, hierarchies=trees)
        made = data.release(tmp_path / "r", done, seed=1, although_unproved=True)
        as_parquet = data.release(
            tmp_path / "p", done, seed=1, format="parquet", although_unproved=True
        )
    assert made.data.name == f"data{SUFFIX[format]}"
    frame, meta = READ[format](str(made.data), user_missing=True)
    assert meta.column_names_to_labels == NAMES
    for name, labels in LABELS.items():
        found = {
            v: t for v, t in meta.variable_value_labels[name].items() if not isinstance(v, str)
        }
        kept = {v: labels[v] for v in frame[name].unique() if v in labels}
        assert kept
        assert kept == {v: t for v, t in found.items() if v in labels}
    suppressed = {v for v, t in meta.variable_value_labels["marital"].items() if t == "suppressed"}
    assert suppressed == ({"s"} if format == "stata" else {2147483640.0})
    assert suppressed <= set(frame["marital"])
    made_of_several = {v: t for v, t in meta.variable_value_labels["age"].items() if "-" in t}
    assert made_of_several
    assert min(made_of_several) == 900_000_001
    assert set(made_of_several) <= set(frame["age"])
    assert frame["rent"].dtype == float
    if format == "spss":
        assert meta.missing_ranges["marital"] == [{"lo": 2147483640.0, "hi": 2147483640.0}]
    with workspace() as folder:
        coded, plain = (open_data(one.data, workspace=folder) for one in (made, as_parquet))
        assert coded.table().select(["age", "marital"]).to_pydict() == (
            plain.table().select(["age", "marital"]).to_pydict()
        )
    told = [json.loads((tmp_path / at / "certificate.json").read_text()) for at in "rp"]
    assert told[0]["verdict"] == told[1]["verdict"]


def test_texts_of_other_files_are_not_codes(tmp_path):
    """Only a file that carries the mark is read as codes."""
    labels = {900_000_001: "one", 1: "two"}
    variables = Variables([Variable("v", labels=labels)])
    path = write_data(pa.table({"v": [900_000_001, 1]}), tmp_path / "t.sav", variables=variables)
    with workspace() as folder:
        assert open_data(path, workspace=folder).table().to_pydict() == {"v": [900_000_001, 1]}


@pytest.mark.shared
@pytest.mark.parametrize("format", ["stata", "spss"])
def test_the_census_file_keeps_its_labels(tmp_path, format):
    if not SHARED.is_dir():
        pytest.skip("the folder shared/data beside the project is absent")
    with ind.open(SHARED / "uk2011_teaching_50k.csv") as data:
        frame = data.source.to_pandas().head(5000)
    columns = [name for name in frame.columns if frame[name].dtype.kind in "if"][:8]
    frame = frame[columns].rename(columns=lambda name: name.replace(" ", "_").replace("-", "_"))
    labels = {
        name: {int(v): f"{name} {v:g}" for v in frame[name].dropna().unique() if v == int(v)}
        for name in frame.columns[1:6]
        if frame[name].nunique() < 30
    }
    assert labels
    path = tmp_path / f"census{SUFFIX[format]}"
    WRITE[format](frame, str(path), variable_value_labels=labels)
    key = list(labels)[:3]
    with ind.open(path) as data:
        done = data.protect(key, method="mondrian", k=5, seed=1)
        made = data.release(tmp_path / "r", done, seed=1, keep=list(labels), although_unproved=True)
    again, meta = READ[format](str(made.data), user_missing=True)
    for name in labels:
        if name not in again:
            continue
        codes = {v for v in again[name].dropna().unique() if not isinstance(v, str)}
        for code in codes:
            text = meta.variable_value_labels[name][code]
            assert text == labels[name].get(int(code), text)
