"""A release folder: what the recipient gets, and what stays with the holder.

The folder appears whole or not at all: it is written beside its place under another name, proved
and checked there, and renamed when everything in it is on disk. `private/` has mode 700 and never
leaves. A release that does not hold is not written, unless that is asked for; its certificate
then says so first.
"""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from indistinct.core import GuaranteeError, Ints, for_json, systems
from indistinct.core.doors import (
    check_new_folder,
    folder_written_whole,
    put_in_place,
    sync_all,
    write_whole,
    written_whole,
)
from indistinct.files import (
    SUFFIX_OF,
    Dialect,
    Format,
    Source,
    dialect_of,
    with_occurring_values,
    write_data,
)
from indistinct.protect import Encrypt, Plan, Protected, Receipt, Substitute
from indistinct.prove import Promise, State
from indistinct.release import parts
from indistinct.release.audit import AuditTrail
from indistinct.release.canonical_json import file_digest
from indistinct.release.certificate import Certificate, make_certificate
from indistinct.release.checking import check_folder
from indistinct.release.codebook import make_codebook
from indistinct.release.contract import write_contract
from indistinct.release.methodology import outward_steps, write_methodology
from indistinct.release.noting import noted
from indistinct.release.origin import write_origin
from indistinct.release.signing import SigningKey
from indistinct.release.terms import Terms, check_terms
from indistinct.results import Part, Shown, Table, facts, result

__all__ = ["Prover", "ReleaseFolder", "sign", "write_release"]

Prover = Callable[[Path], Mapping[str, Any]]
"""Takes the path of the released file, reads it again, and returns a verdict (`VERDICT_FIELDS`)."""


@result(eq=True)
class ReleaseFolder(Part, Shown):
    """Where a release was written, and what remains to be done.

    Parameters
    ----------
    open
        What is still blank in the contract.
    warnings
        What the holder should think about before sending it.
    """

    folder: Path
    data: Path
    plan: Path
    methodology: Path
    contract: Path
    certificate: Path
    state: State
    open: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reservations: tuple[Mapping[str, str], ...] = ()
    accepted: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    protected: Protected | None = field(default=None, repr=False, compare=False)
    """What the method and the steps for whole households made of the records."""

    FACTS = facts(
        "folder data plan methodology contract codebook certificate state open warnings",
        "reservations accepted findings proved",
    )

    @property
    def codebook(self) -> Path:
        """The page that says what was done to every variable and what its values mean."""
        return self.folder / parts.CODEBOOK[0]

    @property
    def proved(self) -> bool:
        """Whether the promise holds, and nothing has to be taken on trust."""
        return self.state == "holds"

    @property
    def passes(self) -> bool:
        """Whether it holds, or every reservation was accepted by name."""
        codes = {r["code"] for r in self.reservations}
        accepted = bool(codes) and codes <= set(self.accepted)
        return self.proved or (self.state == "reservations" and accepted)

    @property
    def sentence(self) -> str:
        """What may be said of the release, in one line."""
        if self.state == "fails":
            return "; ".join(("does not hold", *self.findings[:2]))
        if self.proved:
            return "holds"
        codes = ", ".join(dict.fromkeys(r["code"] for r in self.reservations))
        taken = ", all accepted" if self.passes else ""
        return f"holds with reservations ({codes}{taken})"

    def __repr__(self) -> str:
        return self._short()

    def _lines(self) -> list[str]:
        lines = [f"{self.folder}: {self.sentence}"]
        lines += [f"  reservation: {r['sentence']}" for r in self.reservations]
        lines += [f"  {path.name}" for path in (self.data, self.methodology)]
        blank = f" ({len(self.open)} places to fill in)" if self.open else ""
        lines += [f"  {self.contract.name}{blank}", f"  {self.codebook.name}"]
        lines += [f"  {self.certificate.name}"]
        return lines + [f"  warning: {warning}" for warning in self.warnings]

    def _tables(self) -> list[Table]:
        facts = {
            "verdict": self.sentence,
            "data": self.data.name,
            "method": self.methodology.name,
            "contract": self.contract.name,
            "places to fill in": len(self.open),
            "codebook": self.codebook.name,
            "certificate": self.certificate.name,
        }
        return [Table.facts(f"The release in {self.folder}", facts)]


def write_release(
    folder: str | Path,
    source: Source,
    *,
    plan: Plan,
    receipts: Sequence[Receipt],
    ledger: Mapping[str, Any],
    terms: Terms,
    key: Sequence[str],
    k: int,
    prove: Prover | None,
    promise: Promise | None = None,
    measured: Mapping[str, Any] | None = None,
    origin: Ints | None = None,
    format: Format = "parquet",
    keep_formulas: bool = False,
    although_unproved: bool = False,
    sign_with: SigningKey | None = None,
    audit: str | Path | None = None,
    mended: Mapping[str, Sequence[str]] | None = None,
    today: dt.date | None = None,
) -> ReleaseFolder:
    """Write the released records and all that goes with them, whole or not at all.

    Parameters
    ----------
    source
        The records after the plan.
    ledger
        What the holder keeps beside plan and receipts: the seed, the counts before and after.
    terms
        For what and for whom the release is; checked against the released file and the key.
    key, k
        What is promised: every key stands for k people.
    prove
        Attacks the file that was written. None means that nobody does, so nothing is proved.
    promise
        What else is promised, for the certificate; by default key and k.
    measured
        What was measured of the release, for its report; it stays with the holder.
    origin
        The private record that each released one was made from; it stays with the holder.
    mended
        How the values of variables were mended when they were read: settings of the project file.
    keep_formulas
        Write cells of a CSV file that a spreadsheet would run as they are.
    although_unproved
        Write the release also if the verdict does not hold.
    sign_with
        The holder's key, for the certificate.
    audit
        The organisation's audit trail, to which the release is added.
    today
        For the dates of the terms.
    """
    folder = check_new_folder(folder)
    today = today or dt.date.today()
    source = with_occurring_values(source)
    warnings = check_terms(
        terms,
        released=list(source.variables),
        key=key,
        identifiers=_named_outright(source, plan, promise),
        today=today,
    )
    place = folder.resolve()
    with folder_written_whole(place) as aside:
        private = aside / parts.PRIVATE
        private.mkdir(mode=0o700)
        systems.set_mode(private, 0o700)  # whatever the umask is
        dialect = replace(dialect_of(source) or Dialect(), keep_formulas=keep_formulas)
        data = write_data(
            source,
            aside / f"data{SUFFIX_OF[format]}",
            format=format,
            dialect=dialect,
            coded=True,
        )
        verdict = prove(data) if prove is not None else None
        _refuse_unproved(verdict, although_unproved=although_unproved)
        # without counts: the certificate tells its hash, and counts could be tried
        told = outward_steps(plan, list(source.variables))
        note = write_methodology(
            plan, receipts, source=source, terms=terms, k=k, mended=mended or {}
        )
        drawn = write_contract(
            terms,
            released=list(source.variables),
            key=key,
            k=k,
            today=today,
            named=(*promise.kept, *promise.scrubbed) if promise is not None else (),
        )
        (aside / parts.METHODOLOGY).write_text(note, encoding="utf-8", newline="\n")
        (aside / parts.CONTRACT).write_text(drawn.text, encoding="utf-8", newline="\n")
        book = make_codebook(source, plan, receipts, data_name=data.name, format=format)
        for name, text in zip(parts.CODEBOOK, (book.html, book.xml), strict=True):
            (aside / name).write_text(text, encoding="utf-8", newline="\n")
        plan.save(aside / parts.PLAN)
        listed = [parts.PLAN]
        if measured is not None:
            _write_json(aside / parts.MEASURED, measured)
            listed.append(parts.MEASURED)
        if origin is not None:
            write_origin(aside, origin)
            listed.append(parts.ORIGIN)
        files = {
            name: file_digest(aside / name)
            for name in (data.name, parts.METHODOLOGY, parts.CONTRACT, *parts.CODEBOOK)
        }
        word = (verdict["verdict"] or "none") if verdict is not None else "unproved"
        trail = AuditTrail(aside / parts.AUDIT)
        trail.append("release", data=files, parameters=told, verdict=word)
        certificate = make_certificate(
            verdict=verdict,
            key=key,
            k=k,
            promise=promise,
            records=source.records,
            files=files,
            method=told,
            audit=trail.head(),
        )
        # with exact counts: the certificate is for everybody, and tells counts of people blurred
        kept = {**ledger, "verdict": verdict, "certificate": certificate.body()}
        _write_ledger(aside, plan, receipts, kept, listed)
        certificate = certificate.naming(ledger=aside / parts.LEDGER).signed(sign_with)
        _write_certificate(aside, certificate)
        sync_all(aside)
        check_folder(aside, signed_by=sign_with.public if sign_with else None).refuse_changes()
        systems.set_mode(aside, 0o755)
        sealed = {parts.CERTIFICATE: file_digest(aside / parts.CERTIFICATE), **files}
        _put_in_place(aside, place, audit, sealed, told, word)
    return ReleaseFolder(
        folder,
        folder / data.name,
        folder / parts.PLAN,
        folder / parts.METHODOLOGY,
        folder / parts.CONTRACT,
        folder / parts.CERTIFICATE,
        certificate.state,
        drawn.open,
        warnings,
        tuple(certificate.reservations),
        promise.accepted if promise is not None else (),
        tuple(verdict["findings"]) if verdict is not None else (),
    )


def sign(folder: str | Path, key: SigningKey) -> Certificate:
    """Sign the certificate of a release that is whole; an earlier signature is replaced."""
    folder = Path(folder)
    check_folder(folder).refuse_changes()
    signed = Certificate.read(folder / parts.CERTIFICATE).signed(key)
    _write_certificate(folder, signed)
    return signed


def _write_certificate(folder: Path, certificate: Certificate) -> None:
    """Write the certificate, and note it in the trail of the holder's part where that is here."""
    path, mine = folder / parts.CERTIFICATE, (folder / parts.AUDIT).is_file()
    with ExitStack() as putting:
        begin = putting.enter_context(noted(folder, "seal")) if mine else None
        aside = putting.enter_context(written_whole(path, own=True))
        aside.write_bytes(certificate.to_bytes())
        if begin is not None:
            begin({parts.CERTIFICATE: aside})


def _named_outright(source: Source, plan: Plan, promise: Promise | None) -> list[str]:
    """Return the identifiers that are released as they were, without anybody asking for it."""
    disguised = {step.variable for step in plan.steps if isinstance(step, Substitute)}
    disguised.update(promise.kept if promise is not None else ())
    disguised.update(n for step in plan.steps if isinstance(step, Encrypt) for n in step.variables)
    return [name for name in source.variables.names(role="identifier") if name not in disguised]


def _refuse_unproved(verdict: Mapping[str, Any] | None, *, although_unproved: bool) -> None:
    if although_unproved or (verdict is not None and verdict["state"] != "fails"):
        return
    if verdict is None:
        why = "Nobody attacked the release, so that nothing is proved"
    else:
        found = verdict["findings"] or [f"the verdict is '{verdict['verdict']}'"]
        why = "The release does not hold: " + "; ".join(found)
    raise GuaranteeError(
        f"{why}. Nothing was written. Protect the data more, or write it although it does not "
        "hold (--although-unproved); its certificate then says so."
    )


def _write_ledger(
    aside: Path,
    plan: Plan,
    receipts: Sequence[Receipt],
    ledger: Mapping[str, Any],
    listed: Sequence[str],
) -> None:
    fixed = {
        # The certificate tells this file's hash. Without chance in it, what it says (a seed
        # chosen by hand, a short plan) could be guessed and tried.
        "salt": secrets.token_hex(32),
        "files": {name: file_digest(aside / name) for name in listed},
        "plan": plan.to_dict(),
        "receipts": [receipt.to_dict() for receipt in receipts],
    }
    _write_json(aside / parts.LEDGER, {**fixed, **ledger, **fixed})


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = for_json(content, indent=2, default=str) + "\n"
    write_whole(path, text)


def _put_in_place(
    aside: Path,
    place: Path,
    audit: str | Path | None,
    sealed: Mapping[str, str],
    told: Sequence[str],
    word: str,
) -> None:
    """Rename the folder to its place; the organisation's trail knows before it is there."""
    trail = AuditTrail(audit) if audit is not None else None
    if trail is not None:
        trail.append("release", data=sealed, parameters=list(told), verdict=word)
    try:
        put_in_place(aside, place)
    except BaseException:
        if trail is not None:
            trail.append("release failed", data=sealed)
        raise
