"""`indistinct protect`: change a copy until nobody stands out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from indistinct.cli.mapping import show_map
from indistinct.cli.options import (
    Accept,
    AlthoughUnproved,
    AtMost,
    Compute,
    DataFile,
    EngineOption,
    Json,
    K,
    KeyList,
    Master,
    Memory,
    Names,
    Person,
    Query,
    Scratch,
    Threads,
    ToldOption,
    opened,
    people,
    print_json,
    split_names,
    split_numbers,
)
from indistinct.cli.places import (
    DataPlace,
    InputFile,
    InputFolder,
    OutputFile,
    OutputFolder,
    ProjectFile,
    ReleasePlace,
)
from indistinct.cli.released import tell_run
from indistinct.cli.results import show_actions, show_side_by_side
from indistinct.cli.verb import option_of, together
from indistinct.core import InputError
from indistinct.files import Format
from indistinct.flow import (
    KNOWN_METHODS,
    PERTURBING,
    Data,
    Wanted,
    compare_methods_as_asked,
    release_data,
)
from indistinct.keys.losses import LossName
from indistinct.project import ReportSettings, load_project
from indistinct.protect import ACTIONS, How, Meaning, Part, Use, fresh_seed
from indistinct.protect.shuffling import Of
from indistinct.utility.comparing import compare_actions, write_comparison

__all__ = ["protect"]

Preset = Literal["caretaker", "researcher", "public"]

_GENERALISING = (
    "max_drop loss limits weights profile linking preset anonymity quasi_identifiers "
    "identification relaxed meaning sensitive l_diversity t_closeness"
)
_SHUFFLING = "shuffled given within shares level max_risk of where"
_ACTING = "variables part how domains randomised secret"
_RELEASING = (
    "person format keep keep_order keep_formulas keep_household_numbers substitute keep_named "
    "needed use reach earlier sign utility accept although_unproved told"
)


@together(
    excludes={
        "mapped": f"compare method plan register {_GENERALISING} {_SHUFFLING} {_ACTING} "
        f"{_RELEASING}",
        "compare": f"method plan {_SHUFFLING} {_ACTING} {_RELEASING}",
        "plan": f"method {_GENERALISING} {_SHUFFLING} {_ACTING}",
    },
    only={"keep_formulas": "format csv"},
)
def protect(
    data: DataFile,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", help=f"How to protect: {', '.join(KNOWN_METHODS)}.", metavar="METHOD"
        ),
    ] = None,
    key: KeyList = None,
    k: K = None,
    at_most: AtMost = None,
    person: Person = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            help="A folder of <variable>.csv files: a value and its ancestors per line. "
            "Variables without a file get a hierarchy chosen from their values.",
        ),
        InputFolder("folder of hierarchies"),
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
        Meaning | None,
        typer.Option(help="Suppress: what a suppressed cell counts as; strict by default."),
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="A sensitive variable: no class tells it; for --l and --t.")
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
        DataPlace("register"),
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
        ProjectFile(),
    ] = None,
    part: Annotated[
        Part | None, typer.Option(help="Blank the whole key, the variables given, or the fewest.")
    ] = None,
    how: Annotated[
        How | None, typer.Option(help="Where perturbed values come from; the nearest by default.")
    ] = None,
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
        OutputFile("the key"),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(help="The variables that are released beside the key; all others go."),
    ] = None,
    keep_order: Annotated[
        bool,
        typer.Option(
            "--keep-order",
            help="Leave the records in their order, which may tell whose they are: a reservation.",
        ),
    ] = False,
    keep_formulas: Annotated[
        bool,
        typer.Option(
            "--keep-formulas",
            help="Write cells of a CSV file that begin with =, +, - or @ as they are: a "
            "spreadsheet runs them.",
        ),
    ] = False,
    keep_household_numbers: Annotated[
        bool,
        typer.Option(
            "--keep-household-numbers",
            help="Release the households' own numbers; by default they get new ones.",
        ),
    ] = False,
    substitute: Annotated[
        str | None,
        typer.Option(help="Identifiers to replace by made-up ones instead of leaving them out."),
    ] = None,
    keep_named: Names = None,
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
        ReleasePlace("earlier release"),
    ] = None,
    sign: Annotated[
        Path | None,
        typer.Option(help="The holder's private key: signs the certificate."),
        InputFile("key"),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(help="Replay a plan that was saved, instead of a method."),
        InputFile("plan"),
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
    utility: Annotated[
        bool,
        typer.Option(
            "--utility", help="Compare the release with the original too, for its report."
        ),
    ] = False,
    accept: Accept = None,
    although_unproved: AlthoughUnproved = False,
    told: ToldOption = None,
    seed: Annotated[
        int | None, typer.Option(help="Repeat a run; by default a seed nobody can guess.")
    ] = None,
    format: Annotated[Format | None, typer.Option(help="The format of the released file.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The release folder to write."), OutputFolder()
    ] = None,
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
    generalising = {
        "max_drop": _count_or_share(max_drop),
        "loss": loss,
        "limits": split_numbers(limits, whole=True),
        "weights": split_numbers(weights),
        "profile": split_numbers(profile),
        "preset": preset,
        "linking": split_numbers(linking),
        "anonymity": anonymity,
        "quasi_identifiers": tuple(
            tuple(split_names(text) or ()) for text in quasi_identifiers or ()
        ),
        "identification": split_numbers(identification, whole=True),
        "relaxed": relaxed,
        "meaning": meaning,
        "sensitive": sensitive,
        "l": l_diversity,
        "t": t_closeness,
    }
    shuffling = {
        "variables": tuple(split_names(shuffled) or ()),
        "given": tuple(split_names(given) or ()),
        "within": tuple(split_names(within) or ()),
        "shares": split_numbers(shares),
        "level": level,
        "max_risk": max_risk,
        "of": of,
        "where": where,
    }
    acting = {
        "variables": tuple(split_names(variables) or ()),
        "part": part,
        "how": how,
        "domains": tuple(split_names(domains) or ()),
        "randomised": randomised,
    }
    declared = data if data.endswith(".toml") else project
    release = load_project(declared).release if declared is not None else None
    named = method or (release.method if release and plan is None else None)
    family = shuffling if named in PERTURBING else acting if named in ACTIONS else generalising
    if named is not None and not (mapped or compare):
        others = [one for one in (generalising, shuffling, acting) if one is not family]
        _refuse_ignored(named, [n for one in others for n in _typed(one)], secret)
    keys = split_names(key) or []
    if not keys and release is None:
        keys = [name for text in quasi_identifiers or () for name in split_names(text) or ()]
    with opened(data, compute, query=query, project=project) as found:
        wanted = Wanted(
            key=tuple(dict.fromkeys(keys)),
            k=k,
            at_most=at_most,
            method=method if plan is None else None,
            plan=plan,
            options=_given(generalising if compare else family),
            hierarchies=hierarchies,
            person=person,
            seed=seed,
            out=out,
            format=format,
            keep=None if keep is None else tuple(split_names(keep) or ()),
            keep_order=keep_order or None,
            keep_formulas=keep_formulas or None,
            keep_household_numbers=keep_household_numbers or None,
            substitute=tuple(split_names(substitute) or ()),
            keep_named=tuple(split_names(keep_named) or ()),
            registers=(register,) if register is not None else (),
            earlier=tuple(earlier or ()),
            sign_with=sign,
            accept=tuple(split_names(accept) or ()),
            although_unproved=although_unproved,
            told=told,
            secret=secret,
            needed=tuple(split_names(needed) or ()),
            use=use,
            reach=reach,
            report=replace(
                found.project.report if found.project else ReportSettings(),
                utility=utility,
                map=False,
                shareable=False,
                pdf=False,
            ),
        )
        if mapped:
            _map(found, wanted, out, as_json=json)
        elif compare:
            _compare(found, wanted, out, console, as_json=json)
        else:
            run = release_data(found, wanted, say=_saying(console))
    if not (mapped or compare):
        tell_run(run, as_json=json)


def _typed(options: dict[str, Any]) -> list[str]:
    """Return the options of a family that were given, as they are typed."""
    names = {"l": "l_diversity", "t": "t_closeness"}
    if "shares" in options:
        names["variables"] = "shuffled"
    return [option_of(protect, names.get(name, name)) for name in _given(options)]


def _refuse_ignored(method: str, others: list[str], secret: Path | None) -> None:
    """Refuse options that another family of methods has."""
    if secret is not None and method != "encrypt":
        others = [*others, "--secret"]
    if others:
        raise InputError(
            f"'{method}' has no use for {', '.join(others)}, which would be ignored. Leave it out, "
            "or take another method."
        )


def _count_or_share(number: float | None) -> float | None:
    """Take 25 as a count and 0.02 as a share."""
    return int(number) if number is not None and number >= 1 and number.is_integer() else number


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Leave out what was not said."""
    unsaid = {n for n, value in options.items() if value is None or value is False}
    return {n: v for n, v in options.items() if n not in unsaid and v not in ((), {})}


def _saying(console: Console) -> Callable[[str], None]:
    return lambda sentence: console.print(sentence, markup=False, soft_wrap=True)


def _seed(found: Data, wanted: Wanted) -> int:
    seed = wanted.completed(found.project).seed
    return fresh_seed() if seed is None else seed


def _map(found: Data, wanted: Wanted, out: Path | None, *, as_json: bool) -> None:
    drawn = found.risk_utility_map(
        wanted.key,
        k=wanted.k,
        at_most=wanted.at_most,
        seed=_seed(found, wanted),
        hierarchies=wanted.hierarchies,
    )
    show_map(drawn, out, as_json=as_json)


def _compare(
    found: Data, wanted: Wanted, out: Path | None, console: Console, *, as_json: bool
) -> None:
    seed = _seed(found, wanted)
    compared = compare_methods_as_asked(found, replace(wanted, seed=seed), say=_saying(console))
    actions = compare_actions(found.engine, found.source, compared.key, seed=seed, k=compared.k)
    if out is not None:
        write_comparison(out, compared)
    if as_json:
        print_json({**compared.to_dict(), "actions": actions.to_dict()["actions"]})
        return
    show_side_by_side(console, compared)
    show_actions(console, actions)
    if out is not None:
        console.print(f"written: {out}", markup=False)
