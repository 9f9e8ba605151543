"""`indistinct verify`: prove from the released file that nobody stands out, or show who does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import (
    Accept,
    EngineOption,
    Json,
    K,
    KeyList,
    Master,
    Memory,
    Scratch,
    Threads,
    people,
    print_json,
    split_names,
)
from indistinct.cli.results import show_verification
from indistinct.errors import GuaranteeError
from indistinct.variables import Missing
from indistinct.verifying import ATTACKS, verify_release

__all__ = ["verify"]


def verify(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="A release folder, or a released file.")
    ],
    private: Annotated[
        Path | None,
        typer.Option(help="The private data, or their project file: who is in it, what is true."),
    ] = None,
    register: Annotated[
        list[Path] | None,
        typer.Option(
            help="A list of people that an intruder may hold; may be given several times."
        ),
    ] = None,
    with_releases: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", help="An earlier release of the same people; may be given several times."
        ),
    ] = None,
    key: KeyList = None,
    k: K = None,
    person: Annotated[
        str | None,
        typer.Option(help="The column that names the person, in registers and private data."),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            help="A folder of <variable>.csv files: what generalised values stand for. By default "
            "those of the plan in the release folder."
        ),
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
        Path | None, typer.Option(help="The holder's public key: the certificate must be signed.")
    ] = None,
    audit: Annotated[
        Path | None, typer.Option(help="Add an entry to this audit trail as well.")
    ] = None,
    engine: EngineOption = None,
    master: Master = None,
    memory: Memory = None,
    threads: Threads = None,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Prove from the released file that nobody stands out, or show the records that do."""
    found = verify_release(
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
        audit=audit,
        engine=engine,
        master=master,
        memory=memory,
        threads=threads,
        scratch=scratch,
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
