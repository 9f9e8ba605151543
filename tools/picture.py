"""Draw docs/demo.svg: what `indistinct demo` shows, as a picture for the README."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from rich.console import Console

from indistinct.cli.demo import show_proof
from indistinct.cli.results import show_map, show_side_by_side, show_uniques
from indistinct.demo import run_demo

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    console = Console(
        record=True, width=114, file=io.StringIO(), force_terminal=True, highlight=False
    )
    with tempfile.TemporaryDirectory() as folder:
        console.print("$ make demo", style="bold")
        shown = run_demo(Path(folder) / "demo", say=lambda sentence: console.print(sentence))
        show_uniques(console, shown.found)
        show_side_by_side(console, shown.ways)
        console.print("for an intruder who knows twelve things, shuffled or generalised:")
        show_map(console, shown.map)
        show_proof(console, shown)
        console.print("written: demo. Read demo/summary.md first.")
    console.save_svg(str(ROOT / "docs" / "demo.svg"), title="indistinct demo", unique_id="demo")


if __name__ == "__main__":
    main()
