"""A release folder: what the recipient gets, and what stays with the holder.

The folder appears whole or not at all: it is written beside its place under another name and
renamed when everything in it is on disk. `private/` has mode 700 and never leaves.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indistinct.errors import InputError
from indistinct.files import SUFFIX_OF, Format, Source, write_data
from indistinct.protect.plan import Plan
from indistinct.protect.receipt import Receipt

__all__ = ["ReleaseFolder", "check_release_place", "write_release"]


@dataclass(frozen=True)
class ReleaseFolder:
    """Where a release was written."""

    folder: Path
    data: Path
    plan: Path
    methodology: Path


def check_release_place(folder: str | Path) -> Path:
    """Refuse a place where something stands already, before any work is done."""
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already and is not empty. Choose another folder.")
    if not folder.resolve().parent.is_dir():
        raise InputError(f"The folder {folder.parent} does not exist. Create it first.")
    return folder


def write_release(
    folder: str | Path,
    source: Source,
    *,
    plan: Plan,
    receipts: Sequence[Receipt],
    ledger: Mapping[str, Any],
    format: Format = "parquet",
) -> ReleaseFolder:
    """Write released records, the note on method, the plan and the private ledger.

    Parameters
    ----------
    source
        The records after the plan.
    ledger
        What the holder keeps beside plan and receipts: the seed, the counts before and after.
    """
    folder = check_release_place(folder)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.resolve().parent))
    try:
        private = aside / "private"
        private.mkdir(mode=0o700)
        data = write_data(source, aside / f"data{SUFFIX_OF[format]}", format=format)
        (aside / "methodology.md").write_text(_methodology(plan, receipts), encoding="utf-8")
        plan.save(private / "plan.json")
        content = {
            "plan": plan.to_dict(),
            "receipts": [receipt.to_dict() for receipt in receipts],
            **ledger,
        }
        text = json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n"
        (private / "ledger.json").write_text(text, encoding="utf-8")
        for path in (aside / "methodology.md", private / "ledger.json"):
            with path.open("rb") as file:
                os.fsync(file.fileno())
        os.chmod(aside, 0o755)
        if folder.exists():
            folder.rmdir()
        os.replace(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return ReleaseFolder(
        folder, folder / data.name, folder / "private" / "plan.json", folder / "methodology.md"
    )


def _methodology(plan: Plan, receipts: Sequence[Receipt]) -> str:
    """Tell the recipient what was done: steps and counts, no seed, no value."""
    lines = ["# What was done to these data", ""]
    for number, (step, receipt) in enumerate(zip(plan.steps, receipts, strict=True), 1):
        lines.append(f"{number}. {step.describe()[:1].upper()}{step.describe()[1:]}.")
        facts = [f"{receipt.records_before:,} records before, {receipt.records_after:,} after"]
        if receipt.records_changed:
            facts.append(f"{receipt.records_changed:,} records changed")
        facts += [f"`{name}`: {cells:,} cells" for name, cells in receipt.cells_changed.items()]
        lines += [f"   - {fact}" for fact in (*facts, *receipt.warnings)]
    return "\n".join([*lines, ""])
