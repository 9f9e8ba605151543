"""Where a report may be written, and writing it: all of its files or none.

A release folder holds what its certificate lists and nothing else, so that a report inside it
would break the folder's check; its one place there is `private/report.html`.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from indistinct.errors import InputError
from indistinct.files import written_whole
from indistinct.release import parts

__all__ = ["check_page", "write_together"]


def check_page(page: Path, *, pdf: bool) -> None:
    """Refuse a place where a report must not be written, before any work is done."""
    if page.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"A report is a page: {page} must end in .html.")
    if page.is_dir():
        raise InputError(f"{page} is a directory. Give the name of a file to write.")
    if not page.parent.is_dir():
        raise InputError(f"There is no folder {page.parent} to write the report to.")
    place = page.resolve()
    for folder in place.parents:
        inside = place.relative_to(folder).as_posix()
        if (folder / parts.CERTIFICATE).is_file() and inside != parts.REPORTS[0]:
            raise InputError(
                f"{page} is inside the release folder {folder}, whose check would find a file "
                f"that does not belong there. Write to {parts.REPORTS[0]} in it, or elsewhere."
            )
    beside = [page.with_suffix(".json"), *([page.with_suffix(".pdf")] if pdf else [])]
    if _is_report(beside[0]):
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
        content = json.loads(twin.read_bytes())
    except (OSError, ValueError, RecursionError):
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
    with contextlib.ExitStack() as asides:
        for path, write in files.items():
            aside = asides.enter_context(written_whole(path))
            write(aside)
            if private:
                aside.chmod(0o600)
