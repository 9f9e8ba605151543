"""`indistinct verify`: prove from the released file that nobody stands out, or show who does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct import flow
from indistinct.cli.options import (
    Accept,
    Compute,
    Json,
    K,
    KeyList,
    counting,
    people,
    print_json,
    split_names,
)
from indistinct.cli.places import DataPlace, HierarchyPlace, InputFile, KeptFile, ReleasePlace
from indistinct.cli.results import show_verification
from indistinct.cli.terminal import paragraph
from indistinct.cli.verb import together
from indistinct.core import GuaranteeError, InputError, Missing
from indistinct.flow import ATTACKS
from indistinct.release import AuditTrail, check_folder, kind_of_folder

if TYPE_CHECKING:
    from indistinct.release import FolderCheck


__all__ = ["verify"]


@together(
    needs={
        "same_people": "with_releases",
        "missing": "register private population with_releases",
    }
)
@counting()
def verify(
    release: Annotated[
        Path,
        typer.Argument(metavar="RELEASE", help="A release folder, or a released file."),
        ReleasePlace(),
    ],
    private: Annotated[
        Path | None,
        typer.Option(help="The private data, or their project file: who is in it, what is true."),
        DataPlace(),
    ] = None,
    register: Annotated[
        list[Path] | None,
        typer.Option(
            help="A list of people that an intruder may hold; may be given several times."
        ),
        DataPlace("register"),
    ] = None,
    with_releases: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", help="An earlier release of the same people; may be given several times."
        ),
        ReleasePlace("earlier release"),
    ] = None,
    key: KeyList = None,
    k: K = None,
    person: Annotated[
        str | None,
        typer.Option(
            help="The column that names the person, in registers and private data; or two: a,b."
        ),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            help="A folder of <variable>.csv files: what generalised values stand for. By default "
            "those of the plan in the release folder."
        ),
        HierarchyPlace(),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(help="A missing value of a register links to nothing told, or to anything."),
    ] = "own",
    encrypted: Annotated[
        str | None,
        typer.Option(help="Variables whose released values nobody can know.", metavar="NAMES"),
    ] = None,
    attack: Annotated[
        str | None,
        typer.Option(
            help="Also attack with each register as an intruder would, and say how often that "
            f"succeeds: {','.join(ATTACKS)}.",
            metavar="NAMES",
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(help="Also say what is learnt about these without a link.", metavar="NAMES"),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            help="A list of all people that the records may be about: k counts these, not those "
            "of the file."
        ),
        DataPlace("population"),
    ] = None,
    accept: Accept = None,
    same_people: Annotated[
        bool, typer.Option("--same-people", help="All releases are about exactly the same people.")
    ] = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Leave out what k would be if more were known.")
    ] = False,
    any_version: Annotated[
        bool, typer.Option("--any-version", help="Accept a certificate of another version.")
    ] = False,
    signed_by: Annotated[
        Path | None,
        typer.Option(help="The holder's public key: the certificate must be signed."),
        InputFile("key"),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="The ledger of this release, if its holder keeps it elsewhere: the certificate "
            "must be the one that it knows."
        ),
        InputFile("ledger"),
    ] = None,
    audit: Annotated[
        Path | None,
        typer.Option(help="Add an entry to this audit trail as well."),
        KeptFile("audit trail", known=lambda path: AuditTrail(path).check_kind()),
    ] = None,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Prove from the released file that nobody stands out, or show the records that do.

    Of published tables and scrubbed letters, whose folder has a certificate too, the bytes are
    checked.
    """
    if kind_of_folder(release) in ("tables", "letters"):
        given = {
            "--private": private, "--register": register, "--with": with_releases, "--key": key,
            "--k": k, "--person": person, "--hierarchies": hierarchies, "--encrypted": encrypted,
            "--attack": attack, "--sensitive": sensitive, "--population": population,
            "--audit": audit, "--same-people": same_people or None,
        }  # fmt: skip
        if ignored := [name for name, value in given.items() if value is not None]:
            raise InputError(
                f"{release} holds no records to attack: only its bytes are checked. Leave out "
                f"{', '.join(ignored)}."
            )
        checked = check_folder(release, any_version=any_version, signed_by=signed_by, ledger=ledger)
        _tell_bytes(checked, split_names(accept) or (), as_json=json)
        return
    found = flow.verify_release(
        release,
        private=private,
        registers=register or (),
        earlier=with_releases or (),
        key=split_names(key),
        k=k,
        person=person,
        hierarchies=hierarchies,
        missing=missing,
        encrypted=split_names(encrypted) or (),
        attacks=split_names(attack) or (),
        sensitive=split_names(sensitive) or (),
        population=population,
        accept=split_names(accept) or (),
        same_people=same_people,
        brief=brief,
        any_version=any_version,
        signed_by=signed_by,
        ledger=ledger,
        audit=audit,
        **compute.settings,
    )
    if json:
        print_json(found.to_dict())
    else:
        show_verification(people(), found)
    if found.state == "fails":
        raise GuaranteeError(f"{release} does not keep its promise: {found.sentence}.")
    if not found.passes:
        left = dict.fromkeys(r.code for r in found.reservations if r.code not in found.accepted)
        raise GuaranteeError(
            f"{release} holds with reservations. Mend what they name, or accept them: "
            f"--accept {','.join(left)}"
        )


def _tell_bytes(checked: FolderCheck, accept: Sequence[str], *, as_json: bool) -> None:
    """Tell whether a folder is as it was published, and what its certificate says of it."""
    if as_json:
        print_json(checked.to_dict())
    else:
        paragraph(people(), checked.details())
    checked.refuse_changes()
    certificate = checked.certificate
    assert certificate is not None  # what cannot be read is a finding
    if certificate.state == "fails":
        raise GuaranteeError(f"{checked.folder} says itself that it does not hold.")
    codes = dict.fromkeys(str(one["code"]) for one in certificate.reservations)
    left = [code for code in codes if code not in (*certificate.accepted, *accept)]
    if left:
        raise GuaranteeError(
            f"{checked.folder} is as it was published, with reservations. Accept them: "
            f"--accept {','.join(left)}"
        )
