"""Where a report may be written, and writing it: all of its files or none.

A release folder holds what its certificate lists and nothing else, so that a report inside it
would break the folder's check; its one place there is `private/report.html`.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from indistinct.core import InputError, systems
from indistinct.core.doors import check_place, read_file, written_whole
from indistinct.release import noted, parts

__all__ = ["check_page", "write_together"]


def check_page(page: Path, *, pdf: bool) -> None:
    """Refuse a place where a report must not be written, before any work is done."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"A report is a page: {page} must end in .html.")
    if os.path.isdir(page):
        raise InputError(f"{page} is a directory. Give the name of a file to write.")
    place = check_place(page).resolve()
    for folder in place.parents:
        inside = place.relative_to(folder).as_posix()
        if os.path.lexists(folder / parts.CERTIFICATE) and inside != parts.REPORTS[0]:
            raise InputError(
                f"{page} is inside the release folder {folder}, whose check would find a file "
                f"that does not belong there. Write to {parts.REPORTS[0]} in it, or elsewhere."
            )
    twin = page.with_suffix(".json")
    beside = [page, twin, *([page.with_suffix(".pdf")] if pdf else [])]
    if _is_report(twin):
        return
    for path in beside:
        if path.exists():
            raise InputError(
                f"{path} would be replaced, and it is not of a report. Choose another name for "
                "the page."
            )


def _is_report(twin: Path) -> bool:
    """Say whether a file is the twin of a report, which a new one replaces."""
    try:
        content = json.loads(read_file(twin, kept=True))
    except (InputError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and {"edition", "holds", "sections"} <= set(content)


def write_together(
    files: Mapping[Path, Callable[[Path], object]], *, private: bool = False
) -> None:
    """Write files that appear together: all aside first, and renamed when the last one is there.

    Parameters
    ----------
    files
        For each path what writes the file, given the name aside.
    private
        Whether only their owner may read them, wherever they lie.
    """
    release = _release_of(next(iter(files)))
    with contextlib.ExitStack() as asides:
        begin = asides.enter_context(noted(release, "report")) if release is not None else None
        written = {path: asides.enter_context(written_whole(path, own=True)) for path in files}
        for path, write in files.items():
            write(written[path])
            if private:
                systems.set_mode(written[path], 0o600)
        if begin is not None:
            begin({f"{parts.PRIVATE}/{path.name}": aside for path, aside in written.items()})


def _release_of(page: Path) -> Path | None:
    """Return the release in whose private part a report is written, if it is."""
    folder = page.resolve().parent
    inside = folder.name == parts.PRIVATE and (folder.parent / parts.CERTIFICATE).is_file()
    return folder.parent if inside else None
