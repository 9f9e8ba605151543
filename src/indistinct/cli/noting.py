"""What the audit trail gets to know of a command: who ran what on which data, and what came of it.

A project file that names a trail (``[release] audit``) has every verb on its data noted there; a
release folder that still has its private part has a trail of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indistinct.project import Project


__all__ = ["note_on_project", "note_on_release"]


def note_on_project(
    project: Project | None,
    verb: str,
    parameters: Any,
    *,
    verdict: str | None = None,
    records: Sequence[int] | None = None,
) -> None:
    """Add an entry to the trail that a project file names, if it names one.

    `records` are those that were shown one by one, from 0.
    """
    if project is None or project.release.audit is None:
        return
    from indistinct.release import note_on_project as note

    note(project, verb, parameters, verdict=verdict, records=records)


def note_on_release(release: str | Path, verb: str, parameters: Any) -> None:
    """Add an entry to the trail of a release folder whose private part is there."""
    from indistinct.release import AuditTrail, parts

    trail = Path(release) / parts.AUDIT
    if trail.is_file():
        AuditTrail(trail).append(verb, parameters=parameters)
