"""Run the pages of docs/tutorials/, and make the notebook of the page that has Python examples.

A block of `sh` or `python` is run, and the `text` block after it is what it prints; a block with a
title is a file. `python tools/tutorials.py PAGE` fills in output blocks that say `PASTE`, in the
page; without a page it writes the notebook. A test runs the pages and compares.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TUTORIALS = ROOT / "docs" / "tutorials"
NOTEBOOK = TUTORIALS / "census.ipynb"
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXITS = re.compile(r"\s+# exit code (\d)$")


@dataclass(frozen=True)
class Ran:
    """What a block printed, what the page says it prints, and where the page says so."""

    source: str
    printed: str
    said: str
    where: tuple[int, int]


def pages() -> list[Path]:
    """Return the tutorials that have commands."""
    return [path for path in sorted(TUTORIALS.glob("*.md")) if "```sh" in path.read_text("utf-8")]


def run_page(page: Path) -> Iterator[Ran]:
    """Run the blocks of a page in the present folder, one after another."""
    text = page.read_text("utf-8")
    blocks = list(FENCE.finditer(text))
    names: dict[str, object] = {"__name__": "__tutorial__"}
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        language, title, source = block.groups()
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(source, encoding="utf-8")
        elif language in {"sh", "python"}:
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                _run(language, source, names)
            told = after is not None and after[1] == "text" and after[2] is None
            said = after[3] if told and after is not None else ""
            where = after.span(3) if told and after is not None else (0, 0)
            yield Ran(source, _plain(out.getvalue()), said, where)


def agrees(said: str, printed: str) -> bool:
    """Say whether a page shows what was printed: blanks do not count, `...` stands for anything."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(said, printed, flags)


def notebook(page: Path) -> str:
    """Return a page with Python examples as a notebook."""
    cells: list[dict[str, object]] = []
    text = page.read_text("utf-8")
    end = 0
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        _add_words(cells, text[end : block.start()])
        for example in doctest.DocTestParser().get_examples(block[1]):
            output = {"output_type": "stream", "name": "stdout", "text": example.want}
            cells.append(
                {
                    "cell_type": "code",
                    "id": f"cell-{len(cells)}",
                    "metadata": {},
                    "execution_count": None,
                    "outputs": [output] if example.want else [],
                    "source": example.source.rstrip("\n"),
                }
            )
        end = block.end()
    _add_words(cells, text[end:])
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _add_words(cells: list[dict[str, object]], text: str) -> None:
    if text.strip():
        cell = {"cell_type": "markdown", "id": f"cell-{len(cells)}", "metadata": {}}
        cells.append({**cell, "source": text.strip()})


def _run(language: str, source: str, names: dict[str, object]) -> None:
    if language == "python":
        exec(compile(source, "<tutorial>", "exec"), names)
        return
    from indistinct.cli import run

    for line in source.replace("\\\n", " ").splitlines():
        expected = EXITS.search(line)
        words = shlex.split(EXITS.sub("", line))
        if not words or words[0] != "indistinct":
            raise ValueError(f"only commands of indistinct stand in a block of sh. Got {line}")
        code = run(words[1:])
        if code != (int(expected[1]) if expected else 0):
            raise ValueError(f"{line} ended with {code}")


def _plain(text: str) -> str:
    # what is shown while waiting, and what depends on the machine, is no part of a page
    kept = [line.rstrip() for line in text.splitlines() if not line.rstrip().endswith(" …")]
    return re.sub(r"\b\d+\.\d+ s\b", "... s", "\n".join(kept)) + "\n"


def _fill(page: Path) -> None:
    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        ran = list(run_page(page))
    for one in reversed(ran):
        if one.said.strip() == "PASTE":
            text = text[: one.where[0]] + one.printed + text[one.where[1] :]
        elif one.said and not agrees(one.said, one.printed):
            print(f"{page.name}: {one.source}\nsays\n{one.said}\nprints\n{one.printed}")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    for name in sys.argv[1:]:
        _fill(Path(name).resolve())
    NOTEBOOK.write_text(notebook(NOTEBOOK.with_suffix(".md")), encoding="utf-8")
