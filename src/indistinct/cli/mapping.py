"""`indistinct protect --map`: methods and settings by risk and utility."""

from __future__ import annotations

import json
from pathlib import Path

from indistinct.cli import results
from indistinct.cli.options import people, print_json
from indistinct.files import check_new_folder, written_whole
from indistinct.tradeoff import RiskUtilityMap

__all__ = ["show_map"]


def show_map(drawn: RiskUtilityMap, out: Path | None, *, as_json: bool) -> None:
    """Print a map, and write its table and figure into a new folder."""
    if out is not None:
        folder = check_new_folder(out)
        folder.mkdir(exist_ok=True)
        content = {
            "map.md": f"# Risk and utility\n\n{drawn.markdown()}\n\n![Risk and utility](map.svg)\n",
            "map.json": json.dumps(drawn.to_dict(), indent=2, ensure_ascii=False) + "\n",
            "map.svg": drawn.plot(),
        }
        for name, what in content.items():
            with written_whole(folder / name) as aside:
                aside.write_text(what, encoding="utf-8")
    if as_json:
        print_json(drawn.to_dict())
        return
    console = people()
    results.show_map(console, drawn)
    if out is not None:
        console.print(f"written: {out}", markup=False)
