"""A release folder read for its report: what is certified, what was measured, what is wrong."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from indistinct.core import InputError
from indistinct.core.doors import read_file
from indistinct.prove import Promise, Reservation, State
from indistinct.release import Certificate, check_folder, parts
from indistinct.release.report.facts import Measured
from indistinct.release.report.pieces import Edition

__all__ = ["Lacking", "ReleaseFacts", "read_release"]

Lacking = Literal["ledger", "measured", "changed", "unreadable"]
"""Why nothing is known of what was measured: the holder's part is not here, the release is from
before such facts were kept, they are not what was written, or they cannot be read."""


@dataclass(frozen=True)
class ReleaseFacts:
    """What is known of one release.

    Parameters
    ----------
    findings
        What is not as it was written; empty where the folder is whole.
    notes
        What its check noticed besides.
    measured
        What was measured, or None and `lacking` says why.
    seed
        Private: the seed of the run.
    """

    name: str
    folder: Path
    certificate: Certificate
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    measured: Measured | None
    lacking: Lacking | None = None
    seed: int | None = None
    edition: Edition = "private"

    @property
    def whole(self) -> bool:
        """Whether every part is as it was written."""
        return not self.findings

    @cached_property
    def promise(self) -> Promise | None:
        """What the certificate promises; None in one that was written before it told that."""
        return self.certificate.promise

    @property
    def claims_k(self) -> bool:
        """Whether the release promises that every record refers to k people."""
        promised = self.promise is None or self.promise.claims_k
        return promised and (self.measured is None or self.measured.claims_k)

    @property
    def kept(self) -> tuple[str, ...]:
        """The identifiers that are released because somebody asked for it."""
        return self.promise.kept if self.promise is not None else ()

    @property
    def reservations(self) -> tuple[Reservation, ...]:
        """What the verdict rests on and the file cannot show."""
        return tuple(
            Reservation(str(told.get("code")), str(told.get("sentence")))
            for told in self.certificate.reservations
        )

    @property
    def accepted(self) -> tuple[str, ...]:
        """The reservations that the holder took upon himself, by code."""
        return self._sentences("accepted")

    @property
    def broken(self) -> tuple[str, ...]:
        """What the judge found, a sentence each."""
        return self._sentences("findings")

    def _sentences(self, name: str) -> tuple[str, ...]:
        told = self.certificate.verdict.get(name)
        return tuple(one for one in told if isinstance(one, str)) if isinstance(told, list) else ()

    @property
    def certified(self) -> State:
        """The verdict of the certificate, whatever became of the folder since.

        A certificate from before there were three states tells only whether it was proved. Where
        fields contradict each other, the worse is believed.
        """
        if "state" in self.certificate.verdict:
            told: State = self.certificate.state
        else:
            told = "holds" if self.certificate.proved or not self.claims_k else "fails"
        if told == "holds" and self.claims_k and not self.certificate.proved:
            return "fails"
        reserved = self.reservations or self.kept or not self.claims_k
        return "reservations" if told == "holds" and reserved else told

    @property
    def state(self) -> State:
        """The verdict on the folder as it is: one that was changed does not hold."""
        return self.certified if self.whole else "fails"

    @property
    def holds(self) -> bool:
        """Whether the promise is kept, and nothing has to be taken on trust."""
        return self.state == "holds"

    @property
    def passes(self) -> bool:
        """Whether it holds, or every reservation was accepted by name."""
        codes = {reservation.code for reservation in self.reservations}
        reserved = self.state == "reservations" and bool(codes)
        return self.holds or (reserved and codes <= set(self.accepted))


def read_release(folder: str | Path) -> ReleaseFacts:
    """Read what a release folder says of itself, and check every byte of it.

    The records are hashed and not read. A folder that is no release is refused; one that was
    changed is read all the same, and its findings say so.
    """
    folder = Path(folder)
    if folder.is_file():
        raise InputError(
            f"{folder} is a file. Name the release folder, in which certificate.json is."
        )
    if folder.is_dir() and not (folder / parts.CERTIFICATE).exists():
        raise InputError(
            f"{folder} is not a release folder: it has no {parts.CERTIFICATE}. Name the folder "
            "that indistinct protect or indistinct run wrote."
        )
    # What is there and is no ledger is a change; false also where one may not look.
    mine = os.path.lexists(folder / parts.LEDGER)
    check = check_folder(folder, recipient=not mine, any_version=True)
    certificate = check.certificate or Certificate({})
    measured, seed = None, None
    lacking: Lacking | None = None
    # a report speaks of the release, not of an earlier report, whose place it takes
    findings = [f for f in check.findings if not f.startswith(parts.REPORTS)]
    if not mine:
        lacking = "ledger"
    elif not (folder / parts.MEASURED).is_file():
        lacking = "measured"
    elif any(name in finding for finding in findings for name in (parts.MEASURED, parts.LEDGER)):
        lacking = "changed"
    else:
        try:
            measured = Measured.from_dict(_json(folder, parts.MEASURED), origin=parts.MEASURED)
            ledger = _json(folder, parts.LEDGER)
            seed = ledger.get("seed")
            certificate = _counted_exactly(certificate, ledger.get("verdict"))
        except InputError as error:
            lacking = "unreadable"
            findings.append(str(error))
    return ReleaseFacts(
        folder.resolve().name,
        folder,
        certificate,
        tuple(findings),
        tuple(check.notes),
        measured,
        lacking,
        seed if isinstance(seed, int) else None,
    )


def _counted_exactly(certificate: Certificate, found: Any) -> Certificate:
    """Put the ledger's exact counts in place of those that a certificate tells everybody."""
    if not isinstance(found, dict) or not certificate.verdict:
        return certificate
    names = ("witnesses", "disclosures", "findings")
    exact = {name: found[name] for name in names if name in found}
    content = {**certificate.content, "verdict": {**certificate.verdict, **exact}}
    checked = found.get("checked")
    if isinstance(checked, list):
        content["attacked_with"] = checked
    return Certificate(content)


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads(read_file(folder / name, kept=True))
    except (ValueError, RecursionError):
        raise InputError(f"{name} cannot be read: it is not JSON.") from None
    if not isinstance(content, dict):
        raise InputError(f"{name} cannot be read: it has no fields.")
    return content
