"""Where questions keep what is private, beside the data: folders for their owner alone."""

from __future__ import annotations

from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import note_place

__all__ = ["private_folder"]

KEPT = ".indistinct"


def private_folder(beside: Path, name: str) -> Path:
    """Make ``.indistinct/NAME`` in a folder, for its owner alone (mode 700), or refuse one that is
    open to others."""
    inside = beside / KEPT
    for path in (inside, inside / name):
        try:
            note_place(path)
            path.mkdir(mode=0o700, exist_ok=True)
            found = path.lstat()
        except OSError as error:
            raise InputError(
                f"{path} cannot be made for what questions keep: {error.strerror}. Where a log of "
                "questions is kept can be said with --log FILE."
            ) from None
        if systems.is_open_to_others(found) or not systems.is_mine(found):
            raise InputError(
                f"{path} is open to others, and is to hold private data. Make it yours alone with "
                "chmod 700."
            )
    return inside / name
