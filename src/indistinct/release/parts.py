"""What a release folder is made of."""

from __future__ import annotations

import os
from pathlib import Path

from indistinct.files import SUFFIX_OF

__all__ = [
    "ALWAYS",
    "AUDIT",
    "CERTIFICATE",
    "CODEBOOK",
    "CONTRACT",
    "DATA_NAMES",
    "HEAD",
    "LEDGER",
    "MEASURED",
    "METHODOLOGY",
    "ORIGIN",
    "PLAN",
    "PRIVATE",
    "REPORTS",
    "found_in",
    "is_plain",
]

METHODOLOGY = "methodology.md"
CONTRACT = "contract.md"
CODEBOOK = ("codebook.html", "codebook.xml")
"""What every released variable is, for people and for archives, where variables have labels."""
CERTIFICATE = "certificate.json"
PRIVATE = "private"
PLAN = "private/plan.json"
LEDGER = "private/ledger.json"
MEASURED = "private/measured.json"
REPORTS = ("private/report.html", "private/report.json", "private/report.pdf")
"""Written from the other parts, at any time; their hashes are noted in the trail."""
ORIGIN = "private/origin.parquet"
"""Which private record each released one was made from: nobody but the holder may know."""
AUDIT = "private/audit.jsonl"
HEAD = "private/audit.jsonl.head"
ALWAYS = {
    "records": (METHODOLOGY, CONTRACT),
    "tables": ("tables.json", METHODOLOGY, "conditions.md"),
    "letters": ("about.md",),
}
"""What every folder of a kind has for whoever gets it, beside the released file and certificate."""
DATA_NAMES = tuple(f"data{suffix}" for suffix in SUFFIX_OF.values())
"""What the released file can be called, by its format."""


def found_in(folder: Path) -> list[str]:
    """Return everything in a folder that is not a folder itself, or an empty or closed one."""
    found = []
    for home, folders, files in os.walk(folder):  # which goes past what vanishes meanwhile
        paths = [Path(home, name) for name in (*folders, *files)]
        found += [
            path for path in paths if path.is_symlink() or path.name in files or _is_empty(path)
        ]
    return [path.relative_to(folder).as_posix() for path in sorted(found)]


def is_plain(folder: Path, name: str) -> bool:
    """Say whether a part is a file, reached without any link: no folder, pipe or device."""
    path = folder
    for step in name.split("/"):
        path /= step
        if path.is_symlink():
            return False
    return path.is_file()


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:  # closed, or gone meanwhile
        return True
