"""The front door of the prover: verify a release folder or a released file, from the file.

What the command line's `verify` does is one call of `verify_release`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indistinct import files
from indistinct.engine import EngineName, start_engine
from indistinct.errors import InputError
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, csv_hierarchy, hierarchies_in
from indistinct.prove import Register, Verification, verify
from indistinct.release import FolderCheck, check_folder
from indistinct.variables import Missing

__all__ = ["verify_release"]


@dataclass(frozen=True)
class _Opened:
    """A release that was opened: the records, and what its folder says of itself."""

    source: Source
    name: str
    folder: FolderCheck | None = None

    @property
    def key(self) -> list[str]:
        """The key, as the certificate or the file itself declares it."""
        if self.folder is not None and self.folder.certificate is not None:
            told = self.folder.certificate.content.get("key")
            if told:
                return list(told)
        return self.source.variables.names(role="key")

    @property
    def k(self) -> int | None:
        """The k that was promised."""
        if self.folder is None or self.folder.certificate is None:
            return None
        told = self.folder.certificate.content.get("k")
        return int(told) if told else None

    def hierarchies(self) -> dict[str, Hierarchy]:
        """What labels stand for, as the holder's plan has it."""
        if self.folder is None:
            return {}
        plan = self.folder.folder / "private" / "plan.json"
        if not plan.is_file():
            return {}
        return hierarchies_in(json.loads(plan.read_text("utf-8")))


def verify_release(
    release: str | Path,
    *,
    private: str | Path | None = None,
    registers: Sequence[str | Path] = (),
    key: Sequence[str] | None = None,
    k: int | None = None,
    person: str | None = None,
    hierarchies: str | Path | Mapping[str, Hierarchy] | None = None,
    missing: Missing = "own",
    encrypted: Sequence[str] = (),
    any_version: bool = False,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
) -> Verification:
    """Verify a release folder, or a released file; see `indistinct.prove.verify`.

    Parameters
    ----------
    release
        A release folder, all of whose parts are checked, or a released file.
    key, k
        By default what the certificate says; k is 2 where it says nothing.
    hierarchies
        A folder of ``<variable>.csv`` files, or hierarchies by name, that say what generalised
        labels stand for; by default those of the plan in the release folder, if it is there.
    any_version
        Accept a certificate of another version of this program.
    """
    with (
        files.workspace(scratch) as workspace,
        start_engine(
            engine or "duckdb", workspace=workspace, memory=memory, threads=threads, master=master
        ) as started,
    ):
        opened = _open(release, workspace, any_version=any_version)
        names = list(key) if key else opened.key
        people = [files.open_data(path, workspace=workspace) for path in registers]
        if not names:
            names = _shared_with(opened.source, people)
        known = _given_hierarchies(hierarchies, names, opened)
        found = verify(
            started,
            opened.source,
            names,
            k=k or opened.k or 2,
            private=files.open_data(private, workspace=workspace) if private else None,
            registers=[Register(source, source.origin, person) for source in people],
            person=person,
            hierarchies=known,
            missing=missing,
            encrypted=encrypted,
        )
        if opened.folder is not None:
            found = replace(found, findings=found.findings + opened.folder.findings)
        return found


def _open(release: str | Path, workspace: Path, *, any_version: bool) -> _Opened:
    path = Path(release)
    parts = ("certificate.json", "contract.md", "methodology.md", "private")
    if not path.is_dir() or (
        any(path.glob("*.parquet")) and not any((path / part).exists() for part in parts)
    ):
        return _Opened(files.open_data(path, workspace=workspace), str(path))
    checked = check_folder(path, any_version=any_version)
    source = files.open_data(checked.data, workspace=workspace)
    return _Opened(source, str(path), checked)


def _shared_with(release: Source, people: Sequence[Source]) -> list[str]:
    """Return the columns that the release shares with a register, where nobody named a key."""
    shared = [n for n in release.variables if any(n in register.variables for register in people)]
    if not shared:
        raise InputError(
            f"{release.origin}: which variables can an intruder know? Name them with --key a,b,c."
        )
    return shared


def _given_hierarchies(
    given: str | Path | Mapping[str, Hierarchy] | None, names: Sequence[str], opened: _Opened
) -> Mapping[str, Hierarchy]:
    if given is None:
        return opened.hierarchies()
    if isinstance(given, Mapping):
        return given
    folder = Path(given)
    if not folder.is_dir():
        raise InputError(f"{folder} is not a directory. Name one that holds <variable>.csv files.")
    there = {name: folder / f"{name}.csv" for name in names}
    return {n: csv_hierarchy(path, name=n) for n, path in there.items() if path.is_file()}
