"""`indistinct protect`: change a copy until nobody stands out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from indistinct.cli.options import (
    AtMost,
    Compute,
    DataFile,
    EngineOption,
    Json,
    K,
    KeyList,
    Master,
    Memory,
    Out,
    Query,
    Scratch,
    Threads,
    opened,
    people,
    print_json,
    split_names,
)
from indistinct.errors import InputError
from indistinct.files import Format
from indistinct.protect import (
    Action,
    How,
    Part,
    Protected,
    ReleaseFolder,
    ReleaseKey,
    check_release_place,
    compare_actions,
    fresh_seed,
)

__all__ = ["protect"]


def protect(
    data: DataFile,
    method: Annotated[
        Action | None, typer.Option("--method", help="What to do with the people who stand out.")
    ] = None,
    key: KeyList = None,
    k: K = None,
    at_most: AtMost = None,
    variables: Annotated[
        str | None,
        typer.Option(help="The part of the key to blank or perturb, or the columns to encrypt."),
    ] = None,
    part: Annotated[
        Part | None, typer.Option(help="Blank the whole key, the variables given, or the fewest.")
    ] = None,
    how: Annotated[How, typer.Option(help="Where perturbed values come from.")] = "nearest",
    domains: Annotated[
        str | None,
        typer.Option(help="Study domains, whose share of destroyed records is told."),
    ] = None,
    randomised: Annotated[
        bool, typer.Option("--randomised", help="Encrypt equal values differently.")
    ] = False,
    secret: Annotated[
        Path | None,
        typer.Option(help="Where the encryption key is written; RELEASE.key by default."),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare all methods; release nothing.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Repeat a run; by default a seed nobody can guess.")
    ] = None,
    format: Annotated[Format | None, typer.Option(help="The format of the released file.")] = None,
    out: Out = None,
    query: Query = None,
    engine: EngineOption = None,
    master: Master = None,
    memory: Memory = None,
    threads: Threads = None,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Change a copy of the data until nobody stands out, and write a release folder."""
    console = people()
    if not compare and method is None:
        raise InputError(
            "Say what to do with --method destroy, blank, perturb or encrypt, or see what each "
            "would cost with --compare."
        )
    with opened(data, Compute(engine, master, memory, threads, scratch), query=query) as found:
        release = found.project.release if found.project else None
        if seed is None:
            seed = release.seed if release and release.seed is not None else fresh_seed()
        if compare:
            names = found.key(split_names(key))
            compared = compare_actions(
                found.engine, found.source, names, seed=seed, k=k, at_most=at_most
            )
            if json:
                print_json(compared.to_dict())
            else:
                console.print(repr(compared), markup=False, soft_wrap=True)
            return
        folder = out or (release.out if release else None)
        if folder is None:
            raise InputError("Say where the release goes with --out FOLDER.")
        check_release_place(folder)
        secrets = None
        if method == "encrypt":
            secrets = ReleaseKey.fresh()
            secret = secret or folder.with_name(f"{folder.name}.key")
            secrets.save(secret, release=folder)
        try:
            done = found.protect(
                split_names(key),
                action=method,  # type: ignore[arg-type]
                k=k,
                at_most=at_most,
                seed=seed,
                secrets=secrets,
                variables=split_names(variables) or (),
                part=part,
                how=how,
                domains=split_names(domains) or (),
                randomised=randomised,
            )
            written = found.release(folder, done, seed=seed, format=format)
        except BaseException:
            # a key without a release would only be taken for one that matters
            if secrets is not None and secret is not None:
                secret.unlink(missing_ok=True)
            raise
    if json:
        print_json(facts(done, written))
    else:
        console.print(repr(done), markup=False, soft_wrap=True)
        console.print(f"written: {written.data}, {written.methodology}", markup=False)
        console.print(f"private: {written.plan.parent}", markup=False)
        if secret is not None and secrets is not None:
            console.print(f"the key: {secret}. Keep it; without it nobody can decrypt.")


def facts(done: Protected, written: ReleaseFolder) -> dict[str, Any]:
    """Return the fixed fields of the verb."""
    cost = done.cost
    destroyed = sum(receipt.records_lost for receipt in done.receipts)
    return {
        "method": done.method,
        "k": done.k,
        "records_in": done.before.records,
        "records_out": done.source.records,
        "suppressed_records": destroyed,
        "suppressed_cells": cost.suppressed_cells if cost else 0,
        "levels": dict(cost.levels) if cost else {},
        "precision": cost.precision if cost else None,
        "loss": cost.losses.get("loss") if cost else None,
        "losses": dict(cost.losses) if cost else {},
        "over_distortion": cost.over_distortion if cost else None,
        "guaranteed": done.guaranteed,
        "at_risk_before": done.before.at_risk,
        "at_risk_after": done.after.at_risk,
        "plan": str(written.plan),
        "release": str(written.folder),
    }
