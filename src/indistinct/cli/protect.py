"""`indistinct protect`: change a copy until nobody stands out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from indistinct.cli.mapping import show_map
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
    split_numbers,
)
from indistinct.errors import GuaranteeError, InputError, did_you_mean
from indistinct.files import Format, check_new_folder
from indistinct.hierarchy import Hierarchies
from indistinct.perturbing import PERTURBING
from indistinct.protect import (
    ACTIONS,
    METHODS,
    PRESETS,
    How,
    KMap,
    LDiversity,
    Meaning,
    Part,
    PrivacyModel,
    Protected,
    ReleaseKey,
    TCloseness,
    Use,
    compare_actions,
    fresh_seed,
    purpose_warnings,
    reach_warning,
    write_comparison,
)
from indistinct.protect.shuffling import Of
from indistinct.release import ReleaseFolder, SigningKey
from indistinct.session import Data
from indistinct.utility import LossName

__all__ = ["protect"]

KNOWN = (*METHODS, *PERTURBING, *ACTIONS)
Preset = Literal["caretaker", "researcher", "public"]


def protect(
    data: DataFile,
    method: Annotated[
        str | None,
        typer.Option("--method", help=f"How to protect: {', '.join(KNOWN)}.", metavar="METHOD"),
    ] = None,
    key: KeyList = None,
    k: K = None,
    at_most: AtMost = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            help="A folder of <variable>.csv files: a value and its ancestors per line. "
            "Variables without a file get a hierarchy chosen from their values.",
        ),
    ] = None,
    max_drop: Annotated[
        float | None,
        typer.Option(help="Records that may be left out: a number, or a share below 1."),
    ] = None,
    loss: Annotated[LossName | None, typer.Option(help="The measure that is made least.")] = None,
    limits: Annotated[
        str | None,
        typer.Option(
            "--highest", help="The highest level of variables: sex=0,birth=2; 0 locks one."
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--importance", help="How much the recipient needs variables: age=3,zip=0.5."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="Datafly: the distortion tolerated, 0 to 1: zip=1,birth=0.2."),
    ] = None,
    linking: Annotated[
        str | None,
        typer.Option(help="Datafly: how likely a variable is to be linked on, 0 to 1."),
    ] = None,
    preset: Annotated[Preset | None, typer.Option(help="Datafly: whom the data are for.")] = None,
    anonymity: Annotated[
        float | None, typer.Option(help="Datafly: an anonymity level from 0 to 1 instead of k.")
    ] = None,
    quasi_identifiers: Annotated[
        list[str] | None,
        typer.Option(
            "--quasi-identifier",
            help="Datafly: variables that are known together; may be given several times.",
        ),
    ] = None,
    identification: Annotated[
        str | None,
        typer.Option(help="µ-Argus: 0 not, 1 identifying, 2 more, 3 most: ssn=3,zip=2,sex=1."),
    ] = None,
    relaxed: Annotated[
        bool, typer.Option("--relaxed", help="Mondrian: equal values may go either way.")
    ] = False,
    meaning: Annotated[
        Meaning, typer.Option(help="Suppress: what a suppressed cell counts as.")
    ] = "strict",
    sensitive: Annotated[
        str | None, typer.Option(help="Optimal: a sensitive variable, for --l and --t.")
    ] = None,
    l_diversity: Annotated[
        int | None, typer.Option("--l", help="Optimal: different sensitive values in a class.")
    ] = None,
    t_closeness: Annotated[
        float | None,
        typer.Option("--t", help="Optimal: distance from the sensitive values of the file."),
    ] = None,
    register: Annotated[
        Path | None,
        typer.Option(
            help="A register of people to attack the release with; 'optimal' makes every class "
            "have k of them."
        ),
    ] = None,
    variables: Annotated[
        str | None,
        typer.Option(help="The part of the key to blank or perturb, or the columns to encrypt."),
    ] = None,
    shuffled: Annotated[
        str | None,
        typer.Option(
            "--shuffle",
            help="Shuffle: the confidential variables. Without, the project's steps, or a census "
            "as a whole.",
        ),
    ] = None,
    given: Annotated[
        str | None, typer.Option(help="Shuffle: variables whose associations with them are kept.")
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(help="Shuffle: values move only between records alike in these."),
    ] = None,
    shares: Annotated[
        str | None,
        typer.Option(
            "--share", help="Shuffle: the share of records to change, age=0.5,education=0.1."
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(help="Shuffle: the level of protection, 0 (none) to 1 (maximum, default)."),
    ] = None,
    max_risk: Annotated[
        float | None,
        typer.Option(help="Shuffle: the share of people that may still be found, at most."),
    ] = None,
    of: Annotated[Of | None, typer.Option(help="Shuffle: whom.")] = None,
    where: Annotated[
        str | None, typer.Option(help="Shuffle: only records for which this holds, 'age < 20'.")
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="A project file, for DATA that is a file of its own."),
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
    keep: Annotated[
        str | None,
        typer.Option(help="The variables that are released beside the key; all others go."),
    ] = None,
    substitute: Annotated[
        str | None,
        typer.Option(help="Identifiers to replace by made-up ones instead of leaving them out."),
    ] = None,
    needed: Annotated[
        str | None,
        typer.Option(help="Variables that the recipient's task needs; warns where they suffer."),
    ] = None,
    use: Annotated[
        Use | None,
        typer.Option(help="What the recipient works with; warns where a method ruins it."),
    ] = None,
    reach: Annotated[
        int | None,
        typer.Option(help="People an intruder can address at once; warns where k is not above."),
    ] = None,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            help="An earlier release of the same people, which must not be undone; may be given "
            "several times.",
        ),
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(help="The holder's private key: signs the certificate.")
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Replay a plan that was saved, instead of a method.")
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Compare all methods; release nothing. With --out, write table and figure there.",
        ),
    ] = False,
    mapped: Annotated[
        bool,
        typer.Option(
            "--map",
            help="Compare methods and settings, perturbing ones too, by what an intruder finds "
            "and what is left; release nothing. With --out, write table and figure there.",
        ),
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
    compute = Compute(engine, master, memory, threads, scratch)
    with opened(data, compute, query=query, project=project) as found:
        release = found.project.release if found.project else None
        named = method or (release.method if release else None)
        chosen = _known(named) if named is not None else None
        if chosen is None and plan is None and not (compare or mapped):
            raise InputError(
                f"Say how to protect with --method {', '.join(KNOWN)}, or see what "
                "each would cost with --compare."
            )
        if seed is None:
            seed = release.seed if release and release.seed is not None else fresh_seed()
        names = found.key(split_names(key))
        if mapped:
            if out is not None:
                check_new_folder(out)
            drawn = found.risk_utility_map(
                names, k=k, at_most=at_most, seed=seed, hierarchies=hierarchies
            )
            show_map(drawn, out, as_json=json)
            return
        wanted: dict[str, Any] = {}
        climbing: Hierarchies | None = None
        if compare or (chosen in METHODS and chosen not in ("argus", "suppress")):
            climbing = found.hierarchies(names, directory=hierarchies)
            for note in climbing.notes.values():
                console.print(f"hierarchy: {note}", markup=False, soft_wrap=True)
        if chosen in METHODS or compare:
            wanted = {
                "max_drop": _count_or_share(max_drop),
                "loss": loss,
                "limits": split_numbers(limits, whole=True),
                "weights": split_numbers(weights),
                "profile": _profile(preset, split_numbers(profile)),
                "linking": split_numbers(linking),
                "anonymity": anonymity,
                "quasi_identifiers": tuple(
                    tuple(split_names(text) or ()) for text in quasi_identifiers or ()
                ),
                "identification": split_numbers(identification, whole=True),
                "relaxed": relaxed,
                "meaning": meaning,
                **_models(found, names, k, sensitive, l_diversity, t_closeness, register),
            }
        if compare:
            _compare(found, names, k, at_most, climbing, wanted, seed, out, as_json=json)
            return
        folder = out or (release.out if release else None)
        if folder is None:
            raise InputError("Say where the release goes with --out FOLDER.")
        check_new_folder(folder)
        secrets = None
        if chosen == "encrypt" and plan is None:
            secrets = ReleaseKey.fresh()
            secret = secret or folder.with_name(f"{folder.name}.key")
            secrets.save(secret, release=folder)
        try:
            if plan is not None:
                done = found.replay(names, plan, k=k, at_most=at_most, seed=seed)
            elif chosen is None:  # refused above
                raise InputError("Name a method.")
            elif chosen in PERTURBING:
                shuffle: dict[str, Any] = {
                    "variables": tuple(split_names(shuffled) or ()),
                    "given": tuple(split_names(given) or ()),
                    "within": tuple(split_names(within) or ()),
                    "shares": split_numbers(shares),
                    "level": level,
                    "max_risk": max_risk,
                    "of": of,
                    "where": where,
                }
                done = found.protect(
                    names,
                    method=chosen,
                    k=k,
                    at_most=at_most,
                    seed=seed,
                    hierarchies=hierarchies,
                    **shuffle,
                )
            elif chosen in METHODS:
                done = found.protect(
                    names,
                    method=chosen,
                    k=k,
                    at_most=at_most,
                    seed=seed,
                    hierarchies=climbing,
                    **wanted,
                )
            else:
                done = found.protect(
                    names,
                    method=chosen,
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
            report = found.protection(done) if chosen in PERTURBING else None
            written = found.release(
                folder,
                done,
                seed=seed,
                format=format,
                keep=split_names(keep),
                substitute=split_names(substitute) or (),
                registers=[register] if register is not None else [],
                earlier=earlier or (),
                sign_with=SigningKey.load(sign, release=folder) if sign is not None else None,
            )
        except BaseException:
            # a key without a release would only be taken for one that matters
            if secrets is not None and secret is not None:
                secret.unlink(missing_ok=True)
            raise
    warned = purpose_warnings(done.plan, needed=split_names(needed) or (), use=use)
    if reach is not None and (asked := reach_warning(done.k, reach)):
        warned += (asked,)
    warned += written.warnings
    for sentence in warned:
        console.print(f"warning: {sentence}", markup=False, soft_wrap=True)
    if json:
        told = {"protection": report.to_dict()} if report is not None else {}
        print_json({**facts(done, written), **told, "warnings": list(warned)})
    else:
        console.print(repr(done), markup=False, soft_wrap=True)
        if report is not None:
            console.print(repr(report), markup=False, soft_wrap=True)
        parts = (written.data, written.methodology, written.contract, written.certificate)
        console.print(f"written: {', '.join(map(str, parts))}", markup=False)
        if written.open:
            console.print(f"to fill in before signing: {', '.join(written.open)}", markup=False)
        console.print(f"private: {written.plan.parent}", markup=False)
        if secret is not None and secrets is not None:
            console.print(f"the key: {secret}. Keep it; without it nobody can decrypt.")
    if not done.guaranteed and done.claims_k:
        raise GuaranteeError(
            f"{done.residual:,} records are in classes smaller than {done.k} by the whole key. "
            f"The release was written to {written.folder}; '{done.method}' does not promise more."
        )


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
        "proved": written.proved,
        "plan": str(written.plan),
        "certificate": str(written.certificate),
        "release": str(written.folder),
    }


def _known(text: str) -> str:
    if text not in KNOWN:
        raise InputError(f"There is no method '{text}'. {did_you_mean(text, KNOWN)}")
    return text


def _count_or_share(number: float | None) -> float | None:
    """Take 25 as a count and 0.02 as a share."""
    return int(number) if number is not None and number >= 1 and number.is_integer() else number


def _profile(preset: Preset | None, tolerance: dict[str, float]) -> Any:
    """Return a preset recipient with the tolerances given, or these alone."""
    if preset is None:
        return tolerance
    return PRESETS[preset].with_values(tolerance=tolerance)


def _models(
    found: Data,
    names: list[str],
    k: int | None,
    sensitive: str | None,
    l_diversity: int | None,
    t_closeness: float | None,
    register: Path | None,
) -> dict[str, Any]:
    """Return the privacy models asked for beside k, and the counts that they need."""
    models: list[PrivacyModel] = []
    needed: dict[str, Any] = {}
    if l_diversity is not None or t_closeness is not None:
        if sensitive is None:
            raise InputError("--l and --t need the sensitive variable: --sensitive NAME.")
        needed["sensitive"] = found.key_table([*names, sensitive])
        if l_diversity is not None:
            models.append(LDiversity(sensitive, l_diversity))
        if t_closeness is not None:
            models.append(TCloseness(sensitive, t_closeness))
    if register is not None:
        needed["register"] = found.register_table(register, names)
        models.append(KMap(found.request(names, k=k).k, register=str(register)))
    return {"models": tuple(models), **needed}


def _compare(
    found: Data,
    names: list[str],
    k: int | None,
    at_most: int | None,
    hierarchies: Hierarchies | None,
    wanted: dict[str, Any],
    seed: int,
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    if out is not None:
        check_new_folder(out)
    compared = found.compare(
        names, k=k, at_most=at_most, hierarchies=hierarchies, seed=seed, **wanted
    )
    actions = compare_actions(found.engine, found.source, names, seed=seed, k=compared.k)
    if out is not None:
        write_comparison(out, compared)
    if as_json:
        print_json({**compared.to_dict(), "actions": actions.to_dict()["actions"]})
        return
    console = people()
    console.print(repr(compared), markup=False, soft_wrap=True)
    console.print("Dalenius' actions on the records that stand out:", markup=False)
    console.print("\n".join(repr(actions).splitlines()[1:]), markup=False, soft_wrap=True)
    if out is not None:
        console.print(f"written: {out}", markup=False)
