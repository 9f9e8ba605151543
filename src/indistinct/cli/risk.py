"""`indistinct risk`: how likely each record is to be recognised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.noting import note_on_project
from indistinct.cli.options import (
    QUERIED,
    Compute,
    Json,
    KeyList,
    Out,
    counting,
    opened,
    people,
    print_json,
    split_names,
    tell_notes,
)
from indistinct.cli.places import DataPlace, InputFile, KeptFile
from indistinct.cli.results import show_risk
from indistinct.cli.terminal import paragraph, words
from indistinct.cli.verb import together
from indistinct.core import InputError
from indistinct.risk import Distribution, FollowUps, read_follow_up

if TYPE_CHECKING:
    from indistinct.risk import FileRisk


__all__ = ["risk"]


@together(
    needs={
        "repeat": "sample_fraction",
        "seed": "sample_fraction",
        "follow_up": "flags",
        "sample_fraction": "population",
    },
    excludes={
        "sample_fraction": "data fraction weight distribution household sensitive flags follow_up "
        "suda out",
        "population": "fraction weight",
        "fraction": "weight",
    },
)
@counting(*QUERIED)
def risk(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="The sample: a data file, a project file (.toml), or postgresql://… with --query.",
        ),
        DataPlace(),
    ] = None,
    key: KeyList = None,
    fraction: Annotated[
        float | None, typer.Option(help="The share of the population that is in the file.")
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="The variable with the sampling weights.")
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(help="A file of the whole population, with the same key variables."),
        DataPlace("population"),
    ] = None,
    model: Annotated[
        str,
        typer.Option(help="auto, main, two-way, three-way, or margins: 'age*sex + region'."),
    ] = "auto",
    distribution: Annotated[
        Distribution, typer.Option(help="How means vary about the model.")
    ] = "auto",
    household: Annotated[
        str | None, typer.Option(help="The household's id, for the risk of any member.")
    ] = None,
    sensitive: Annotated[
        str | None,
        typer.Option(help="What an intruder is after: l-diversity and t-closeness of these."),
    ] = None,
    flags: Annotated[
        Path | None,
        typer.Option(help="Rules that flag records, as tables [[flags]] in a TOML file."),
        InputFile("file of rules"),
    ] = None,
    follow_up: Annotated[
        Path | None,
        typer.Option(help="Keep the state of every flag in this file; new ones are opened."),
        KeptFile("follow-up file", known=read_follow_up),
    ] = None,
    suda: Annotated[
        int | None,
        typer.Option(help="Show minimal unique combinations of up to this many variables."),
    ] = None,
    sample_fraction: Annotated[
        float | None,
        typer.Option(help="Validate: draw samples of this fraction from --population."),
    ] = None,
    repeat: Annotated[int, typer.Option(help="How many samples to draw when validating.")] = 20,
    seed: Annotated[int, typer.Option(help="For drawing samples.")] = 1,
    out: Out = None,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Say how likely each record is to be recognised, and how far that can be trusted."""
    console = people()
    if sample_fraction is not None:
        if population is None or data is not None:
            raise InputError(
                "To validate, give the whole population with --population and no sample: "
                "indistinct risk --population FILE --sample-fraction 0.1 --key a,b,c"
            )
        with opened(population, compute) as found:
            checked = found.validate_risk(
                split_names(key), fraction=sample_fraction, repeat=repeat, model=model, seed=seed
            )
        if json:
            print_json(checked.to_dict())
        else:
            paragraph(console, words(checked))
        return
    if data is None:
        raise InputError("Say which file to look at: indistinct risk DATA --key a,b,c …")
    with opened(data, compute) as found:
        result = found.risk(
            split_names(key),
            fraction=fraction,
            weight=weight,
            population=population,
            model=model,
            distribution=distribution,
            household=household,
            sensitive=split_names(sensitive) or (),
        )
        tell_notes(console, found.notes_on(result.table.names))
        if flags is not None:
            result = replace(result, flags=found.flags(flags))
        if follow_up is not None:
            keep_following_up(result, follow_up)
        combinations = result.combinations(max_size=suda) if suda else None
        if out is not None:
            result.write(out)
        note_on_project(found.project, "risk", {"key": list(result.table.names)})
        if json:
            content = result.to_dict()
            if combinations is not None:
                content["suda"] = combinations.to_dict()
            print_json(content)
        else:
            show_risk(console, result, combinations)
            if out is not None:
                paragraph(console, f"written: {out}")


def keep_following_up(result: FileRisk, path: Path) -> None:
    """Open a follow-up for every flag that has none yet; what was judged before stays."""
    if result.flags is None:
        raise InputError("There are no flags to follow up. Give rules with --flags FILE.")
    records = result.table.records
    known = FollowUps.load(path, records=records) if path.exists() else FollowUps(records)
    known.opened(result.flags).save(path)
