"""The tutorials work as they are written, and the notebook is its page."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tutorials  # noqa: E402


@pytest.mark.parametrize("page", tutorials.pages(), ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    ran = list(tutorials.run_page(page))
    assert len(ran) > 4
    for block in ran:
        if block.said:
            assert tutorials.agrees(block.said, block.printed), (block.source, block.printed)


def test_the_notebook_is_its_page():
    page = tutorials.NOTEBOOK.with_suffix(".md")
    assert tutorials.NOTEBOOK.read_text("utf-8") == tutorials.notebook(page), (
        "run: python tools/tutorials.py"
    )


def test_the_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__notebook__"}
    cells = json.loads(tutorials.NOTEBOOK.read_text("utf-8"))["cells"]
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(cell["source"] + "\n", "<cell>", "single"), names)
        said = "".join(output["text"] for output in cell["outputs"])
        assert tutorials.agrees(said, out.getvalue()), cell["source"]
