"""The front door of the prover: verify a release folder or a released file, from the file.

What the command line's `verify` does is one call of `verify_release`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct import files
from indistinct.core import ClassSize, InputError, Ints, Missing, did_you_mean, progress
from indistinct.core.doors import read_file, watching
from indistinct.engine import Engine, EngineName, start_engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, csv_hierarchy, hierarchies_in
from indistinct.naming import find_person, with_person
from indistinct.project import Project, load_project
from indistinct.prove import (
    Edition,
    Promise,
    Register,
    Reservation,
    Together,
    Trial,
    Verification,
    assumptions,
    check_together,
    judge,
    sensitivity,
    trust,
)
from indistinct.prove.attacks import (
    LinkOutcome,
    attribute_disclosure,
    distance_attack,
    exact_attack,
    probabilistic_attack,
    whose_records,
)
from indistinct.release import (
    AuditTrail,
    FolderCheck,
    against_file,
    check_folder,
    file_digest,
    parts,
    read_origin,
)
from indistinct.results import Shown, Table

__all__ = ["ATTACKS", "judge_release", "verify_release"]

ATTACKS: Mapping[str, Callable[..., LinkOutcome]] = {
    "exact": exact_attack,
    "probabilistic": probabilistic_attack,
    "distance": distance_attack,
}


_PARTS = 5
"""Opening, counting people, earlier releases, attacks, what if more were known."""


@dataclass(frozen=True)
class _Opened:
    """A release that was opened: the records, and what its folder says of itself."""

    source: Source
    path: Path
    folder: FolderCheck | None = None

    @property
    def file(self) -> Path:
        """The released file itself."""
        return self.folder.data if self.folder is not None else self.path

    @property
    def checked(self) -> dict[str, Any]:
        """What a verification says of it, if it was put together with another."""
        return {"what": "release", "name": str(self.path), "records": self.source.records}

    @property
    def key(self) -> list[str]:
        """The key, as the certificate or the file itself declares it."""
        if self.folder is not None and self.folder.certificate is not None:
            return list(self.folder.certificate.key)
        return self.source.variables.names(role="key")

    @property
    def k(self) -> int | None:
        """The k that was promised."""
        if self.folder is None or self.folder.certificate is None:
            return None
        return self.folder.certificate.k

    @property
    def promise(self) -> Promise | None:
        """All that was promised, as the certificate has it."""
        if self.folder is None or self.folder.certificate is None:
            return None
        return self.folder.certificate.promise

    def origin(self) -> Ints | None:
        """The private record of each released one, where the holder's part tells it."""
        if self.folder is None or not self.folder.private:
            return None
        return read_origin(self.path, records=self.source.records)

    def hierarchies(self) -> dict[str, Hierarchy]:
        """What labels stand for, as the holder's plan has it."""
        plan = self.path / parts.PLAN
        if self.folder is None or not plan.is_file():
            return {}
        try:
            return hierarchies_in(json.loads(read_file(plan, "plan")))
        except (ValueError, InputError):
            return {}  # a plan that cannot be read was changed, which the folder's check has found


@watching()
def verify_release(
    release: Any,
    *,
    private: Any = None,
    registers: Sequence[Any] = (),
    earlier: Sequence[Any] = (),
    key: Sequence[str] | None = None,
    k: ClassSize | None = None,
    person: str | None = None,
    hierarchies: str | Path | Mapping[str, Hierarchy] | None = None,
    missing: Missing = "own",
    encrypted: Sequence[str] = (),
    attacks: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    population: Any = None,
    accept: Sequence[str] = (),
    same_people: bool = False,
    brief: bool = False,
    any_version: bool = False,
    signed_by: str | Path | None = None,
    ledger: str | Path | None = None,
    audit: str | Path | None = None,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
) -> Verification:
    """Verify a release folder, or a released file; see `indistinct.prove.verifying`.

    Wherever a file is named, a table in memory may stand: of pandas, Polars or Arrow.

    Parameters
    ----------
    release
        A release folder, all of whose parts are checked, or a released file.
    private
        The private data, or their project file.
    registers
        Files of people that an intruder may hold.
    earlier
        Other releases of the same people, folders or files: what they promised must hold for
        all together.
    key, k
        By default what the certificate says, or the project file; k is 2 where nothing is said.
    person
        The column that says whose record each is, in private data and registers, or two with a
        comma between (a household and the line in it); people are counted, however many records
        they have. By default as the certificate or the project file says, or found in the private
        data.
    hierarchies
        A folder of ``<variable>.csv`` files, or hierarchies by name, that say what generalised
        labels stand for; by default those of the plan in the release folder, if it is there.
    attacks
        Attacks to run with each register, beside the counting that gives the verdict: what an
        intruder would find (``exact``, ``probabilistic``, ``distance``).
    sensitive
        Variables of which nothing may be learnt for certain, and of which to say what is learnt
        without any link.
    population
        A list of all people that the records may be about: k counts these (k-map). A register
        only tells what an intruder knows; it never makes a small class larger.
    accept
        Codes of reservations that are known and accepted.
    same_people
        All releases are about exactly the same people.
    brief
        Leave out what k would be if more were known.
    any_version
        Accept a certificate of another version of this program.
    signed_by
        The holder's public key; the certificate must be signed by it.
    ledger
        The ledger of the release, where the holder kept it elsewhere; the certificate must be the
        one that it knows.
    audit
        An audit trail to which an entry is added, beside that of the release folder.
    """
    if audit is not None:
        AuditTrail(audit).check_kind()
    with (
        files.workspace(scratch) as workspace,
        start_engine(
            engine or "duckdb", workspace=workspace, memory=memory, threads=threads, master=master
        ) as started,
        progress.task("verifying the release", total=_PARTS, unit="parts") as going,
    ):
        opened = _open(
            release, workspace, any_version=any_version, signed_by=signed_by, ledger=ledger
        )
        project = load_project(private) if _is_project_file(private) else None
        held = _private(private, project, workspace)
        lists_of_people = [*registers, *([population] if population is not None else [])]
        people = [files.open_data(path, workspace=workspace) for path in lists_of_people]
        whole = _key(key, opened, project, held, people)
        # what only another release has may be known too: they are put together by it
        names = [name for name in whole if name in opened.source.variables]
        if not names or (key and not earlier):
            opened.source.check_columns(whole)
        if person is None and project is not None:
            person = project.release.person
        asked_for = person or (opened.promise.person if opened.promise is not None else None)
        held, *people = [_of_people(started, one, asked_for) for one in (held, *people)]
        opened.source.check_columns(encrypted)
        _check_person(person, opened.source, [*([held] if held is not None else []), *people])
        known = _given_hierarchies(hierarchies, names, opened)
        asked = k or max(opened.k or 0, (project.release.k if project else None) or 0) or 2
        told = opened.promise or Promise(key=tuple(names), k=asked)
        promise = replace(
            told,
            key=tuple(names),
            k=asked,
            person=person or told.person,
            sensitive=tuple(dict.fromkeys((*told.sensitive, *sensitive))),
            encrypted=tuple(dict.fromkeys((*told.encrypted, *encrypted))),
            population=_name_of(population) if population is not None else told.population,
            accepted=tuple(dict.fromkeys((*told.accepted, *accept))),
        )
        going.advance()
        whose = promise.person
        lists = [Register(p, p.origin, whose if whose in p.variables else None) for p in people]
        known_origin = opened.origin()
        trial = Trial(started, opened.source, promise, held, lists, known, known_origin)
        found = judge_release(
            trial,
            name=str(opened.path),
            earlier=earlier,
            known=whole,
            missing=missing,
            same_people=same_people,
            any_version=any_version,
        )
        going.advance()
        case = _Case(started, opened, found, held, lists, whose, known, missing, known_origin)
        going.advance()
        case = case.with_found(case.attacked(attacks, sensitive))
        going.advance()
        if not brief:
            case = case.with_found(case.if_more_were_known())
        found = case.found
        if opened.folder is not None:
            found = _with_folder(found, opened.folder)
        _record(opened, found, registers, audit)
        return found


@dataclass(frozen=True)
class _Case:
    """A release on trial, and all that is known about it."""

    engine: Engine
    opened: _Opened
    found: Verification
    private: Source | None
    registers: Sequence[Register]
    person: str | None
    hierarchies: Mapping[str, Hierarchy]
    missing: Missing
    origin: Ints | None

    def with_found(self, found: Verification) -> _Case:
        """Return the case with what was found so far."""
        return replace(self, found=found)

    def attacked(self, attacks: Sequence[str], sensitive: Sequence[str]) -> Verification:
        """Run the attacks of an intruder, and say what is learnt without a link."""
        for attack in attacks:
            if attack not in ATTACKS:
                raise InputError(f"There is no attack '{attack}'. {did_you_mean(attack, ATTACKS)}")
        if attacks and not self.registers:
            raise InputError("An attack needs a register: give one with --register FILE.")
        whose, person = None, self.person
        if attacks:
            release, key = self.opened.source, self.found.key
            if self.private is not None:
                declared = person if person in self.private.variables else None
                person = find_person(self.engine, self.private, declared=declared, key=key)
                person = person or self.person
            whose = whose_records(self.engine, release, person, self.private, self.origin)
        outcomes = [
            ATTACKS[attack](
                self.engine,
                self.opened.source,
                register.with_people(self.engine, self.found.key),
                attributes=[n for n in self.found.key if n in register.source.variables],
                hierarchies=self.hierarchies,
                private=self.private,
                person=person,
                whose=whose,
            )
            for attack, register in progress.each(
                list(product(attacks, self.registers)), "running attacks", unit="attacks"
            )
        ]
        learnt = [
            attribute_disclosure(
                self.engine,
                self.opened.source,
                key=[n for n in self.found.key if n != name],
                sensitive=name,
                private=self.private,
                hierarchies=self.hierarchies,
            )
            for name in sensitive
        ]
        more: dict[str, Any] = {}
        found = self.found
        if outcomes:
            more["attacks"] = _Several(tuple(outcomes))
        if "probabilistic" in attacks:
            said = assumptions(
                self.opened.source,
                key=found.key,
                k=found.asked,
                registers=self.registers,
                private=self.private,
                hierarchies=self.hierarchies,
                missing=self.missing,
                probabilistic=True,
            )
            found = replace(found, assumptions=said)
        if learnt:
            more["learnt"] = _Several(tuple(learnt))
        return replace(found, parts={**found.parts, **more})

    def if_more_were_known(self) -> Verification:
        """Say how the verdict would change for an intruder who knows more."""
        found, release = self.found, self.opened.source
        more = sensitivity(
            self.engine,
            release,
            key=found.key,
            k=found.asked,
            register=self.registers[0] if self.registers else None,
            private=self.private,
            hierarchies=self.hierarchies,
            person=self.person,
            missing=self.missing,
        )
        left = trust(self.engine, release, more)
        return replace(found, parts={**found.parts, "sensitivity": more, "trust": left})


def judge_release(
    trial: Trial,
    *,
    name: str,
    earlier: Sequence[Any] = (),
    known: Sequence[str] = (),
    missing: Missing = "own",
    same_people: bool = False,
    any_version: bool = False,
) -> Verification:
    """Judge a released file, by itself and together with earlier releases of the same people.

    The certificate of a new release and `verify_release` both come from here.

    Parameters
    ----------
    name
        What the file is called where it is put together with others.
    known
        What an intruder may know, also of what only the others tell; by default the key.
    """
    found = judge(trial, missing=missing)
    if not earlier:
        return found
    engine = trial.engine
    others = [_open(path, engine.workspace, any_version=any_version) for path in earlier]
    lists = [register.source for register in trial.registers]
    people = trial.private or next(iter(lists), None)
    together = _together(
        engine,
        Edition(trial.release, name, found.key, found.asked),
        others,
        people,
        trial.hierarchies,
        known=known or found.key,
        same_people=same_people,
    )
    changed = [f"{o.path}: {f}" for o in others if o.folder for f in o.folder.findings]
    return replace(
        found,
        findings=(*found.findings, *([] if together.holds else [together.sentence]), *changed),
        checked=(*found.checked, *(other.checked for other in others)),
        parts={**found.parts, "together": together},
    )


def _with_folder(found: Verification, folder: FolderCheck) -> Verification:
    """Add what the folder says of itself: no verdict is better than its own certificate.

    The holder saw more when it was written than a recipient who verifies it.
    """
    findings = found.findings + folder.findings
    reserved = {reservation.code: reservation for reservation in found.reservations}
    certificate = folder.certificate
    if certificate is not None:
        for told in certificate.reservations:
            code, sentence = str(told.get("code")), str(told.get("sentence"))
            reserved.setdefault(code, Reservation(code, sentence))
        if certificate.state == "fails" and not folder.findings:
            findings += ("the certificate itself says that the release does not hold",)
    return replace(
        found,
        findings=findings,
        reservations=tuple(reserved.values()),
        notes=found.notes + folder.notes,
    )


def _together(
    engine: Engine,
    new: Edition,
    others: Sequence[_Opened],
    people: Source | None,
    hierarchies: Mapping[str, Hierarchy],
    *,
    known: Sequence[str],
    same_people: bool,
) -> Together:
    editions, trees = [new], dict(hierarchies)
    held = {
        name for release in (new.source, *(o.source for o in others)) for name in release.variables
    }
    for name in known:
        if name not in held:
            raise InputError(
                f"No release has the key variable '{name}'. {did_you_mean(name, sorted(held))}"
            )
    for other in others:
        key = tuple(n for n in other.key or known if n in other.source.variables)
        if not key:
            raise InputError(
                f"{other.path}: which of its variables can an intruder know? Name them with --key "
                f"too, beside {', '.join(known)}: what only one of the releases has counts as well."
            )
        editions.append(Edition(other.source, str(other.path), key, other.k))
        trees = {**other.hierarchies(), **trees}
    return check_together(
        engine, editions, people=people, hierarchies=trees, same_people=same_people
    )


@dataclass(frozen=True)
class _Several(Shown):
    """Results of one kind, shown one after another."""

    results: tuple[Any, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return each result's facts by name."""
        return [result.to_dict() for result in self.results]

    def __repr__(self) -> str:
        return self._short()

    def _lines(self) -> list[str]:
        return [result.details() for result in self.results]

    def _tables(self) -> list[Table]:
        return [table for result in self.results for table in result._tables()]


def _is_project_file(data: Any) -> bool:
    return isinstance(data, (str, Path)) and str(data).endswith(".toml")


def _name_of(data: Any) -> str:
    return str(data) if isinstance(data, (str, Path)) else "table"


def _open(
    release: Any,
    workspace: Path,
    *,
    any_version: bool,
    signed_by: str | Path | None = None,
    ledger: str | Path | None = None,
) -> _Opened:
    if not isinstance(release, (str, Path)):
        return _Opened(files.open_table(release, workspace=workspace), Path("table"))
    path = Path(release)
    of_folder = ("certificate.json", "contract.md", "methodology.md", "private")
    if not path.is_dir() or (
        any(path.glob("*.parquet")) and not any((path / part).exists() for part in of_folder)
    ):
        if signed_by is not None or ledger is not None:
            raise InputError(
                f"{path} is a file without a certificate, which cannot be signed or "
                "be in a ledger. Give the release folder."
            )
        return _Opened(files.open_data(path, workspace=workspace), path)
    checked = check_folder(path, any_version=any_version, signed_by=signed_by, ledger=ledger)
    certificate = checked.certificate
    if certificate is None:
        raise checked.refusal()
    if certificate.kind != "records":
        raise InputError(
            f"{path} holds published {certificate.kind}, no records. Its bytes alone can be "
            "checked, with: indistinct verify, and no other option; in Python with check_folder."
        )
    source = files.open_data(checked.data, workspace=workspace)
    if checked.findings:
        _read_through(source, checked)
    unfounded = against_file(certificate, source)
    return _Opened(source, path, replace(checked, findings=(*checked.findings, *unfounded)))


def _read_through(source: Source, folder: FolderCheck) -> None:
    """Read a file that was changed once, so that one that cannot be read is called changed."""
    try:
        for _ in source.batches():
            pass
    except (OSError, pa.ArrowException):
        folder.refuse_changes()
        raise


def _private(private: Any, project: Project | None, workspace: Path) -> Source | None:
    if project is not None:
        return project.open(workspace)
    return files.open_data(private, workspace=workspace) if private is not None else None


def _key(
    given: Sequence[str] | None,
    opened: _Opened,
    project: Project | None,
    private: Source | None,
    people: Sequence[Source],
) -> list[str]:
    """Return what an intruder may know: as given, declared, or shared with a register.

    What the holder's project declares counts beside what the certificate says, which may have been
    written by another.
    """
    release = opened.source
    declared = list(given or opened.key)
    if not given and project is not None:
        own = project.release.key or (private.variables.names(role="key") if private else ())
        known = [name for name in own if not declared or name in release.variables]
        declared = list(dict.fromkeys((*declared, *known)))
    if not declared:
        declared = [n for n in release.variables if any(n in p.variables for p in people)]
    if not declared:
        raise InputError(
            f"{release.origin}: which variables can an intruder know? Name them with --key a,b,c."
        )
    return declared


def _of_people(engine: Engine, people: Any, person: str | None) -> Any:
    """Return people with a column for whom two of theirs tell together, where they have both."""
    if people is None or person is None:
        return people
    if not all(part.strip() in people.variables for part in person.split(",")):
        return people
    return with_person(engine, people, person)


def _check_person(person: str | None, release: Source, people: Sequence[Source]) -> None:
    """Refuse a column for people that no file has."""
    if person is not None and not any(person in s.variables for s in (release, *people)):
        raise InputError(
            f"There is no column '{person}' in {' or '.join(s.origin for s in (release, *people))}."
            " Name the one that says whose record each is."
        )


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


def _record(
    opened: _Opened,
    found: Verification,
    registers: Sequence[Any],
    audit: str | Path | None,
) -> None:
    """Add an entry to the audit trail of the folder, and to another that was named."""
    trails = [Path(audit)] if audit is not None else []
    if opened.folder is not None and opened.folder.private and opened.folder.whole:
        trails.append(opened.path / parts.AUDIT)
    if not trails:
        return
    read = [path for path in (opened.file, *registers) if isinstance(path, (str, Path))]
    data = {Path(path).name: file_digest(path) for path in read if Path(path).exists()}
    asked = {"key": list(found.key), "k": found.asked}
    shown = [witness.record - 1 for witness in found.witnesses]
    for trail in trails:
        AuditTrail(trail).append(
            "verify", data=data, parameters=asked, verdict=found.verdict, records=shown
        )
