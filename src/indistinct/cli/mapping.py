"""`indistinct protect --map`: methods and settings by risk and utility."""

from __future__ import annotations

from pathlib import Path

from indistinct.cli import results
from indistinct.cli.options import people, print_json
from indistinct.core import for_json
from indistinct.core.doors import folder_written_whole
from indistinct.utility.tradeoff import RiskUtilityMap

__all__ = ["show_map"]


def show_map(drawn: RiskUtilityMap, out: Path | None, *, as_json: bool) -> None:
    """Print a map, and write its table and figure into a new folder."""
    if out is not None:
        content = {
            "map.md": f"# Risk and utility\n\n{drawn.markdown()}\n\n![Risk and utility](map.svg)\n",
            "map.json": for_json(drawn.to_dict(), indent=2) + "\n",
            "map.svg": drawn.plot(),
        }
        with folder_written_whole(out) as aside:
            for name, what in content.items():
                (aside / name).write_text(what, encoding="utf-8", newline="\n")
    if as_json:
        print_json(drawn.to_dict())
        return
    console = people()
    results.show_map(console, drawn)
    if out is not None:
        console.print(f"written: {out}", markup=False)
