"""What may change in a release after it was written, and is noted in its trail.

A certificate vouches for the trail up to the release. The entries after it note the hash of the
certificate itself, which may be signed later, and of the reports, which may be written at any time.
An entry comes before files are put in place and another after; where a run was killed between the
two, what was there before and what was to come are both the holder's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.release import parts
from indistinct.release.audit import AuditTrail
from indistinct.release.canonical_json import file_digest

if TYPE_CHECKING:
    from indistinct.project import Project

__all__ = ["NotedFiles", "note_on_project", "noted", "read_noted"]

_VERBS = ("seal", "report")
_BEGUN = " begun"

NotedFiles = dict[str, set[str | None]]
"""For each file that was noted, the hashes that it may have; None where it may be absent."""


@contextmanager
def noted(folder: Path, verb: str) -> Iterator[Callable[[Mapping[str, Path]], None]]:
    """Note files in a release's trail; call what is given when they are written, under any name.

    Parameters
    ----------
    verb
        ``seal`` for the certificate, ``report`` for reports.
    """
    if verb not in _VERBS:
        raise ValueError(f"files are noted under one of {', '.join(_VERBS)}")
    trail = AuditTrail(folder / parts.AUDIT)
    hashes: dict[str, str] = {}

    def begin(written: Mapping[str, Path]) -> None:
        hashes.update({name: file_digest(path) for name, path in written.items()})
        trail.append(verb + _BEGUN, data=hashes)

    yield begin
    trail.append(verb, data=hashes)


def read_noted(folder: Path) -> NotedFiles:
    """Return what the trail of a release says of the files that may change."""
    settled: dict[str, str] = {}
    begun: dict[str, str] = {}
    for entry in AuditTrail(folder / parts.AUDIT):
        if entry.verb in _VERBS:
            settled.update(entry.data)
            begun = {name: sha for name, sha in begun.items() if name not in entry.data}
        elif entry.verb.removesuffix(_BEGUN) in _VERBS:
            begun.update(entry.data)
    known: NotedFiles = {name: {sha} for name, sha in settled.items()}
    for name, sha in begun.items():
        known[name] = {settled.get(name), sha}
    return known


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
    file = Path(project.data.file)
    data = {file.name: file_digest(file)} if file.is_file() else None
    AuditTrail(project.release.audit).append(
        verb, data=data, parameters=parameters, verdict=verdict, records=records
    )
