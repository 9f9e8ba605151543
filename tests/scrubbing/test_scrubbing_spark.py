"""Letters scrubbed on Spark: the same bytes as on one machine."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.engine import start_engine
from indistinct.files import open_data, workspace
from indistinct.protect import Plan
from indistinct.scrub import ScrubText, on_spark, scrub

pytestmark = [pytest.mark.spark, pytest.mark.heavy]


@pytest.fixture(autouse=True)
def spark() -> None:
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed")


def test_json_lines_and_tables_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_spark, "CHUNKS_PER_TASK", 1)  # several tasks for few letters
    names = ("Ravensworth", "Oakhurst", "Quigley", "Brindlewick")
    notes = [
        {
            "id": n,
            "who": n // 5,
            "text": f"Mrs. {names[n % 4]} was seen on 3/{n % 28 + 1}/2019.\t\u2028",
        }
        for n in range(200)
    ]
    notes[50]["text"] = "x" * 1000
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(note) + "\n" for note in notes))
    table = tmp_path / "notes.parquet"
    pq.write_table(pa.table({"text": [note["text"] for note in notes]}), table)
    for engine in ("duckdb", "spark"):
        done = scrub(
            path,
            out=tmp_path / engine,
            spans=tmp_path / f"{engine}.jsonl",
            seed=3,
            patient_field="who",
            max_characters=900,
            engine=engine,
            threads=2,
        )
        assert [one.document for one in done.withheld] == [f"{path}, line 51"]
        scrub(table, columns=("text",), out=tmp_path / f"{engine}-table", seed=3, engine=engine)
    for name in ("{}/letters.jsonl", "{}.jsonl", "{}-table/table.parquet"):
        here, there = (tmp_path / name.format(engine) for engine in ("duckdb", "spark"))
        assert here.read_bytes() == there.read_bytes()
    with (
        workspace() as folder,
        start_engine("duckdb", workspace=folder) as here,
        start_engine("spark", workspace=folder, threads=2) as there,
    ):
        source = open_data(table, workspace=folder)
        plan = Plan((ScrubText(("text",)),))
        one, two = (plan.apply(engine, source, seed=3) for engine in (here, there))
        assert one.source.table().equals(two.source.table())
        assert one.receipts == two.receipts
    assert "Quigley" not in (tmp_path / "spark" / "letters.jsonl").read_text()
