"""Checking a release folder: every part there, every byte as it was written.

What this shows: that nothing was changed by accident or by somebody who did not write a new
certificate. What it cannot show without the holder's public key: that data and certificate were not
replaced together.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import indistinct
from indistinct.errors import GuaranteeError, InputError
from indistinct.release import parts
from indistinct.release.audit import AuditTrail
from indistinct.release.canonical import file_digest
from indistinct.release.certificate import FORMAT, Certificate, check_signature, hash_holds
from indistinct.release.signing import PublicKey
from indistinct.showing import Shown, Table

__all__ = ["FolderCheck", "check_folder"]


@dataclass(frozen=True)
class FolderCheck(Shown):
    """What was found in a release folder: nothing, where it is whole.

    Parameters
    ----------
    data_name
        The name of the released file.
    certificate
        What `certificate.json` holds; None where it cannot be read.
    findings
        What is not as it was written.
    notes
        What should be known besides.
    private
        Whether the holder's part was there and checked.
    """

    folder: Path
    data_name: str
    certificate: Certificate | None
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    private: bool

    @property
    def whole(self) -> bool:
        """Whether every part is as it was written."""
        return not self.findings

    @property
    def data(self) -> Path:
        """The released file."""
        return self.folder / self.data_name

    def refuse_changes(self) -> None:
        """Raise one error that lists the findings, if there are any."""
        if self.findings:
            listed = "\n".join(f"  {finding}" for finding in self.findings)
            raise GuaranteeError(
                f"{self.folder} is not as it was released:\n{listed}\n"
                "Do not use it. Get it again from the holder."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by name."""
        return {
            "folder": str(self.folder),
            "whole": self.whole,
            "findings": list(self.findings),
            "notes": list(self.notes),
            "private": self.private,
            "certificate": self.certificate.to_dict() if self.certificate else None,
        }

    def _lines(self) -> list[str]:
        said = "as it was released" if self.whole else "CHANGED"
        lines = [f"{self.folder}: {said}"]
        lines += [f"  {finding}" for finding in self.findings]
        lines += [f"  note: {note}" for note in self.notes]
        return [*lines, *([self.certificate.details()] if self.certificate else [])]

    def __repr__(self) -> str:
        return self._short()

    def _tables(self) -> list[Table]:
        facts: dict[str, object] = {
            "as it was released": self.whole,
            "findings": len(self.findings),
            "private part": self.private,
        }
        tables = [Table.facts(f"The folder {self.folder}", facts)]
        return tables + (self.certificate._tables() if self.certificate else [])

    def _notes(self) -> list[str]:
        return [*self.findings, *self.notes]


def check_folder(
    folder: str | Path,
    *,
    recipient: bool = False,
    any_version: bool = False,
    signed_by: PublicKey | str | Path | None = None,
) -> FolderCheck:
    """Check that a release folder is whole.

    A part that is missing, a certificate of another format or of another version of the program
    are refused (`InputError`); changed bytes are findings.

    Parameters
    ----------
    recipient
        Leave the private part out of it, as a recipient must.
    any_version
        Take a certificate from another version of the program, and only note it.
    signed_by
        The holder's public key, or its file. The certificate must then be signed with it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"There is no release folder {folder}.")
    if isinstance(signed_by, (str, Path)):
        signed_by = PublicKey.load(signed_by)
    present = set(parts.found_in(folder))
    private_there = any(name.split("/")[0] == parts.PRIVATE for name in present)
    private = private_there and not recipient and _may_look(folder / parts.PRIVATE)
    if parts.CERTIFICATE not in present:
        _refuse_missing(folder, {parts.CERTIFICATE}, present)
    certificate, unreadable = _certificate(folder / parts.CERTIFICATE)
    data = _data_name(certificate, present)
    expected = {data, parts.METHODOLOGY, parts.CONTRACT, parts.CERTIFICATE}
    if private:
        expected |= {parts.PLAN, parts.LEDGER, parts.AUDIT, parts.HEAD}
    _refuse_missing(folder, expected, present)
    findings = [
        f"{name} is not a plain file" for name in sorted(expected) if not _is_plain(folder / name)
    ]
    if certificate is None or findings:
        return FolderCheck(folder, data, None, (*unreadable, *findings), (), private)

    notes: list[str] = []
    _check_version(folder, certificate, notes, any_version=any_version)
    raw = (folder / parts.CERTIFICATE).read_bytes()
    findings += _of_certificate(certificate, raw, signed_by, notes)
    findings += _of_files(folder, certificate, expected, data)
    if private:
        listed = _of_private(folder, certificate, findings)
        _refuse_missing(folder, listed, present)
        expected |= listed | set(parts.REPORTS)
        if os.name == "posix" and (folder / parts.PRIVATE).stat().st_mode & 0o077:
            notes.append("private/ can be read by others. Make it yours alone with chmod 700.")
    elif private_there:
        expected |= {name for name in present if name.split("/")[0] == parts.PRIVATE}
        notes.append("private/ is here and was not looked at; it must not leave the holder")
    else:
        notes.append("the private part is absent, as it is with a recipient, and was not checked")
    findings += [f"{name} does not belong here" for name in sorted(present - expected)]
    return FolderCheck(folder, data, certificate, tuple(findings), tuple(notes), private)


def _certificate(path: Path) -> tuple[Certificate | None, tuple[str, ...]]:
    try:
        return Certificate.read(path), ()
    except InputError as error:
        return None, (str(error),)


def _data_name(certificate: Certificate | None, present: set[str]) -> str:
    """Return the name of the released file: what the certificate says, or what is there."""
    told = certificate.files if certificate else {}
    names = [name for name in parts.DATA_NAMES if name in told]
    names += [name for name in parts.DATA_NAMES if name in present]
    return names[0] if names else parts.DATA_NAMES[0]


def _may_look(private: Path) -> bool:
    """Say whether this user may look into the private part; colleagues of the holder may not."""
    return os.access(private, os.R_OK | os.X_OK)


def _is_plain(path: Path) -> bool:
    inside = [path, *path.parents[:1]] if path.parent.name == parts.PRIVATE else [path]
    return path.is_file() and not any(step.is_symlink() for step in inside)


def _refuse_missing(folder: Path, expected: set[str], present: set[str]) -> None:
    missing = sorted(expected - present)
    if missing:
        named = [
            "data (" + ", ".join(parts.DATA_NAMES) + ")" if n in parts.DATA_NAMES else n
            for n in missing
        ]
        raise InputError(
            f"{folder} is not a whole release folder: {', '.join(named)} "
            f"{'is' if len(missing) == 1 else 'are'} missing. Get it again from the holder."
        )


def _check_version(
    folder: Path, certificate: Certificate, notes: list[str], *, any_version: bool
) -> None:
    content, path = certificate.content, folder / parts.CERTIFICATE
    form, version = content.get("format"), content.get("version")
    if form != FORMAT or isinstance(form, bool):
        shown = f"format {form}" if isinstance(form, int) else "no format known here"
        raise InputError(
            f"{path} has {shown}; this program reads format {FORMAT}. Check the folder with the "
            "version of indistinct that wrote it, or write the release anew."
        )
    if version == indistinct.__version__:
        return
    said = (
        f"{path} was written by indistinct {version if isinstance(version, str) else '(unknown)'}, "
        f"and this is {indistinct.__version__}"
    )
    if not any_version:
        raise InputError(
            f"{said}. What that version proved need not be what this one proves: verify the "
            "release again with the registers, or check its bytes alone with any_version "
            "(--any-version)."
        )
    notes.append(f"{said}; only the bytes were checked")


def _of_certificate(
    certificate: Certificate, raw: bytes, key: PublicKey | None, notes: list[str]
) -> list[str]:
    name = parts.CERTIFICATE
    findings = []
    if not hash_holds(certificate):
        findings.append(f"{name} was changed: its own hash does not hold")
    elif certificate.to_bytes() != raw:
        findings.append(f"{name} was changed: it is not written as it was")
    wrong = check_signature(certificate, key)
    findings += wrong
    if key is None and not wrong:
        public = certificate.public_key
        if public is None:
            notes.append(
                f"{name} is not signed: whoever can write here can replace data and certificate"
            )
        else:
            notes.append(
                f"signed with the key {public.fingerprint}; whether that is the holder's is not "
                "known here"
            )
    if not certificate.proved:
        notes.append("the certificate itself says that the release is not proved")
    return findings


def _of_files(folder: Path, certificate: Certificate, expected: set[str], data: str) -> list[str]:
    findings = []
    told = certificate.files
    for name in (data, parts.METHODOLOGY, parts.CONTRACT):
        if name not in told:
            findings.append(f"{name} is not in the certificate")
        elif file_digest(folder / name) != told[name]:
            findings.append(f"{name} was changed")
    findings += [f"{name} of the certificate is not here" for name in told if name not in expected]
    return findings


def _of_private(folder: Path, certificate: Certificate, findings: list[str]) -> set[str]:
    """Check the holder's part, and return the files that the ledger lists."""
    if file_digest(folder / parts.LEDGER) != certificate.content.get("ledger"):
        findings.append(f"{parts.LEDGER} was changed")
        listed = {}  # what else is there cannot be judged
    else:
        listed = json.loads((folder / parts.LEDGER).read_bytes())["files"]
        if parts.PLAN not in listed:
            findings.append(f"{parts.PLAN} is not in the ledger")
    for name, sha in listed.items():
        if not (folder / name).is_file() or file_digest(folder / name) != sha:
            findings.append(f"{name} was changed")
    trail = AuditTrail(folder / parts.AUDIT).check(at=certificate.audit)
    findings += [f"{parts.AUDIT}: {finding}" for finding in trail.findings]
    return set(listed) or {parts.MEASURED} & set(parts.found_in(folder))
