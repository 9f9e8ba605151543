"""Checking a folder with a certificate: every part there, every byte as it was written.

Who vouches for whom: the certificate for the files that leave, for the ledger, and for the trail up
to the release; the ledger for the rest of the holder's part, and for all that the certificate
claims; the trail for the certificate's own bytes and the reports, which may be written later.

What this shows to a recipient: that nothing was changed by accident, or by somebody who did not
write a new certificate. What it shows to the holder, whose ledger is in the folder or was kept
elsewhere: that nobody wrote a new certificate either. Whoever may write all of it anew, the ledger
too, is told by the holder's signature alone.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import indistinct
from indistinct.core import GuaranteeError, InputError, systems
from indistinct.core.doors import read_file
from indistinct.release import parts
from indistinct.release.audit import AuditTrail
from indistinct.release.canonical_json import file_digest
from indistinct.release.certificate import (
    FORMAT,
    Certificate,
    Kind,
    check_signature,
    hash_holds,
)
from indistinct.release.claims import APART, contradictions
from indistinct.release.noting import read_noted
from indistinct.release.signing import PublicKey
from indistinct.results import Result, Table, facts, result

__all__ = ["FolderCheck", "check_folder", "kind_of_folder"]


@result(eq=True)
class FolderCheck(Result):
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

    FACTS = facts("folder", "whole findings notes private certificate")

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
            raise self.refusal()

    def refusal(self) -> GuaranteeError:
        """Return the error that lists the findings."""
        listed = "\n".join(f"  {finding}" for finding in self.findings)
        return GuaranteeError(
            f"{self.folder} is not as it was released:\n{listed}\n"
            "Do not use it. Get it again from the holder."
        )

    def _lines(self) -> list[str]:
        said = "as it was released" if self.whole else "CHANGED"
        lines = [f"{self.folder}: {said}"]
        lines += [f"  {finding}" for finding in self.findings]
        lines += [f"  note: {note}" for note in self.notes]
        return [*lines, *([self.certificate.details()] if self.certificate else [])]

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
    ledger: str | Path | None = None,
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
    ledger
        The ledger of this release, from where the holder kept it; the certificate must be the one
        that it knows.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"There is no release folder {folder}.")
    if isinstance(signed_by, (str, Path)):
        signed_by = PublicKey.load(signed_by)
    if not os.path.lexists(folder / parts.CERTIFICATE):  # before all below it is looked through
        _refuse_missing(folder, {parts.CERTIFICATE}, set())
    present = set(parts.found_in(folder))
    private_there = any(name.split("/")[0] == parts.PRIVATE for name in present)
    private = private_there and not recipient and _may_look(folder / parts.PRIVATE)
    certificate, findings = _certificate(folder)
    data = _data_name(certificate, present)
    if certificate is not None:
        _check_format(folder, certificate)
        findings += contradictions(certificate)
    if certificate is None or findings:
        return FolderCheck(folder, data, None, tuple(findings), (), private)

    expected = {parts.CERTIFICATE, *_to_recipient(certificate, data)}
    if private:
        expected |= _of_holder(certificate)
    _refuse_missing(folder, expected, present)
    findings = [
        f"{name} is not a plain file"
        for name in sorted(expected)
        if not parts.is_plain(folder, name)
    ]
    if findings:
        return FolderCheck(folder, data, None, tuple(findings), (), private)

    notes: list[str] = []
    _check_version(folder, certificate, notes, any_version=any_version)
    findings += _of_certificate(folder, certificate, signed_by, notes)
    findings += _of_files(folder, certificate, expected, data)
    if ledger is not None:
        _of_ledger(Path(ledger), str(ledger), certificate, findings)
    if private:
        expected |= _of_private(folder, certificate, present, findings)
        if systems.is_open_to_others((folder / parts.PRIVATE).stat()):
            notes.append("private/ can be read by others. Make it yours alone with chmod 700.")
    elif private_there:
        expected |= {name for name in present if name.split("/")[0] == parts.PRIVATE}
        notes.append("private/ is here and was not looked at; it must not leave the holder")
    elif "ledger" in certificate.content:
        notes.append("the private part is absent, as it is with a recipient, and was not checked")
    findings += [f"{name} does not belong here" for name in sorted(present - expected)]
    found = tuple(dict.fromkeys(findings))
    return FolderCheck(folder, data, certificate, found, tuple(notes), private)


def kind_of_folder(path: str | Path) -> Kind | None:
    """Say what a folder with a certificate holds; None where there is no certificate to read."""
    certificate = None
    if (Path(path) / parts.CERTIFICATE).is_file():
        certificate, _ = _certificate(Path(path))
    return certificate.kind if certificate is not None else None


def _certificate(folder: Path) -> tuple[Certificate | None, list[str]]:
    if not parts.is_plain(folder, parts.CERTIFICATE):
        return None, [f"{parts.CERTIFICATE} is not a plain file"]
    try:
        return Certificate.read(folder / parts.CERTIFICATE), []
    except InputError as error:
        return None, [str(error)]


def _data_name(certificate: Certificate | None, present: set[str]) -> str:
    """Return the name of the released file: what the certificate says, or what is there."""
    told = certificate.files if certificate else {}
    names = [name for name in parts.DATA_NAMES if name in told]
    names += [name for name in parts.DATA_NAMES if name in present]
    return names[0] if names else parts.DATA_NAMES[0]


def _to_recipient(certificate: Certificate, data: str) -> set[str]:
    """Return the files that leave: those of every folder of this kind, and those it tells of."""
    if certificate.kind == "records":
        told = {name for name in parts.CODEBOOK if name in certificate.files}
        return {data, *parts.ALWAYS["records"], *told}
    inside = {name for name in certificate.files if _is_inside(name)}
    return {*parts.ALWAYS[certificate.kind], *inside}


def _is_inside(name: str) -> bool:
    """Say whether a name is of a file in the folder that leaves, wherever it comes from."""
    steps = name.split("/")
    plain = all(step not in ("", ".", "..") for step in steps) and "\\" not in name
    return plain and "\0" not in name and steps[0] != parts.PRIVATE and ":" not in steps[0]


def _of_holder(certificate: Certificate) -> set[str]:
    """Return the files that the holder's part has in any case."""
    if certificate.kind == "records":
        return {parts.PLAN, parts.LEDGER, parts.AUDIT, parts.HEAD}
    return {parts.LEDGER} if "ledger" in certificate.content else set()


def _may_look(private: Path) -> bool:
    """Say whether this user may look into the private part; colleagues of the holder may not."""
    return os.access(private, os.R_OK | os.X_OK)


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


def _check_format(folder: Path, certificate: Certificate) -> None:
    form = certificate.content.get("format")
    if form != FORMAT or isinstance(form, bool):
        shown = f"format {form}" if isinstance(form, int) else "no format known here"
        raise InputError(
            f"{folder / parts.CERTIFICATE} has {shown}; this program reads format {FORMAT}. Check "
            "the folder with the version of indistinct that wrote it, or write the release anew."
        )


def _check_version(
    folder: Path, certificate: Certificate, notes: list[str], *, any_version: bool
) -> None:
    version = certificate.content.get("version")
    if version == indistinct.__version__:
        return
    said = (
        f"{folder / parts.CERTIFICATE} was written by indistinct {version}, and this is "
        f"{indistinct.__version__}"
    )
    if not any_version:
        raise InputError(
            f"{said}. What that version proved need not be what this one proves: verify the "
            "release again with the registers, or check its bytes alone with any_version "
            "(--any-version)."
        )
    notes.append(f"{said}; only the bytes were checked")


def _of_certificate(
    folder: Path, certificate: Certificate, key: PublicKey | None, notes: list[str]
) -> list[str]:
    name = parts.CERTIFICATE
    findings = []
    if not hash_holds(certificate):
        findings.append(f"{name} was changed: its own hash does not hold")
    elif certificate.to_bytes() != read_file(folder / name, "certificate", kept=True):
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
    if certificate.kind != "records":
        notes.append(
            f"only the bytes of the {certificate.kind} were checked, as they were published"
        )
    elif not certificate.proved:
        notes.append("the certificate itself says that the release is not proved")
    return findings


def _of_files(folder: Path, certificate: Certificate, expected: set[str], data: str) -> list[str]:
    findings = []
    told = certificate.files
    leaving = _to_recipient(certificate, data)
    for name in (*(n for n in told if n in leaving), *sorted(leaving - set(told))):
        if name not in told:
            findings.append(f"{name} is not in the certificate")
        elif file_digest(folder / name) != told[name]:
            findings.append(f"{name} was changed")
    findings += [f"{name} of the certificate is not here" for name in told if name not in expected]
    return findings


def _of_private(
    folder: Path, certificate: Certificate, present: set[str], findings: list[str]
) -> set[str]:
    """Check the holder's part, and return the files that belong to it."""
    listed = _of_ledger(folder / parts.LEDGER, parts.LEDGER, certificate, findings)
    if listed is None:  # what else is there cannot be judged
        return {name for name in present if name.split("/")[0] == parts.PRIVATE}
    _refuse_missing(folder, set(listed), present)
    for name, sha in listed.items():
        if not parts.is_plain(folder, name) or file_digest(folder / name) != sha:
            findings.append(f"{name} was changed")
    if certificate.kind != "records":
        return set(listed)
    if parts.PLAN not in listed:
        findings.append(f"{parts.PLAN} is not in the ledger")
    trail = AuditTrail(folder / parts.AUDIT).check(at=certificate.audit)
    findings += [f"{parts.AUDIT}: {finding}" for finding in trail.findings]
    return set(listed) | (_of_noted(folder, findings) if trail.whole else set(parts.REPORTS))


def _of_ledger(
    path: Path, name: str, certificate: Certificate, findings: list[str]
) -> dict[str, str] | None:
    """Hold a certificate against the holder's ledger; return the files that the ledger lists."""
    if file_digest(path) != certificate.content.get("ledger"):
        findings.append(f"{name} was changed, or the certificate is not the one that it knows")
        return None
    try:
        content = json.loads(read_file(path, "ledger"))
        files, known = dict(content["files"]), dict(content["certificate"])
    except (ValueError, KeyError, TypeError, RecursionError):
        findings.append(f"{name} is not a ledger, though the certificate names it")
        return None
    told = {n: value for n, value in certificate.body().items() if n not in APART}
    other = sorted({n for n in {*told, *known} if told.get(n) != known.get(n)})
    if other:
        findings.append(
            f"{parts.CERTIFICATE} was written anew: {name} knows another {', '.join(other)}"
        )
    return files


def _of_noted(folder: Path, findings: list[str]) -> set[str]:
    """Check what was noted in the trail since the release, and return which files it knows."""
    known = read_noted(folder)
    if parts.CERTIFICATE not in known:
        findings.append(f"{parts.AUDIT} does not know {parts.CERTIFICATE}")
    for name, hashes in known.items():
        plain = parts.is_plain(folder, name)
        there = plain or (folder / name).is_symlink() or (folder / name).exists()
        if there and not plain:
            findings.append(f"{name} is not a plain file")
        elif (file_digest(folder / name) if there else None) not in hashes:
            findings.append(f"{name} {'was changed' if there else 'is missing'}")
    return set(known)
