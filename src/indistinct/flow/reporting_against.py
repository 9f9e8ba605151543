"""The private file at hand again: a release compared with it for its report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.engine import EngineName
from indistinct.files import Source
from indistinct.flow import compare_release
from indistinct.flow.opening_both import find_project, open_original, started_engine
from indistinct.project import Project
from indistinct.release import file_digest
from indistinct.release.report import ReleaseFacts, with_utility

__all__ = ["compared_with"]


def compared_with(
    facts: ReleaseFacts,
    original: Any,
    *,
    project: str | Path | Project | None = None,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
) -> ReleaseFacts:
    """Return the facts of a release with those of a comparison with the original added.

    A file that cannot be what the release was made from is refused: one of another number of
    records, or with none of the released variables. Where only the bytes differ, as they may if
    the file was saved anew or turned into Parquet by another version, the report says so.

    Parameters
    ----------
    original, project, engine, memory, threads, master, scratch
        As for `indistinct.compare_release`.
    """
    if facts.measured is None:
        raise InputError(
            f"{facts.folder} holds no measurements to which a comparison could be added. Leave "
            "the original away, or write the release anew."
        )
    declared = find_project(original, project)
    with started_engine(engine, declared, memory, threads, master, scratch) as running:
        source = open_original(original, declared, running.workspace)
        same = _check(facts, source)
        compared = compare_release(source, facts.folder, project=declared, engine=running)
    measured = with_utility(facts.measured, compared)
    if not same and measured.utility is not None:
        said = (
            f"The bytes of {Path(source.origin).name} are not those that the release was made "
            "from; it has as many records. Make sure that it is the same data."
        )
        notes = (said, *measured.utility.notes)
        measured = replace(measured, utility=replace(measured.utility, notes=notes))
    return replace(facts, measured=measured)


def _check(facts: ReleaseFacts, source: Source) -> bool:
    """Refuse a file that is not the release's original; say whether its bytes are the same."""
    assert facts.measured is not None
    told = facts.measured.original
    if source.records != told.records:
        raise InputError(
            f"{source.origin} is not what {facts.folder} was made from: it has "
            f"{source.records:,} records, and that had {told.records:,}."
        )
    if not any(v.name in source.variables for v in facts.measured.released.variables):
        raise InputError(
            f"{source.origin} is not what {facts.folder} was made from: it has none of the "
            "released variables."
        )
    return file_digest(source.path) == told.sha256
