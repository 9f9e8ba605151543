"""`indistinct utility`: would a researcher's results from the released file be the same?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from indistinct import flow
from indistinct.cli.noting import note_on_project
from indistinct.cli.options import (
    Compute,
    Json,
    KeyList,
    counting,
    people,
    print_json,
    split_names,
    split_numbers,
)
from indistinct.cli.places import (
    DataPlace,
    HierarchyPlace,
    OutputFile,
    OutputFolder,
    ProjectFile,
    ReleasePlace,
)
from indistinct.cli.results import show_comparison
from indistinct.cli.terminal import paragraph
from indistinct.core import GuaranteeError
from indistinct.project import load_project
from indistinct.utility.comparing import LEAST, THRESHOLDS
from indistinct.utility.demography import KinshipOf

__all__ = ["utility"]


def _written(numbers: Mapping[str, float]) -> str:
    return ",".join(f"{name}={value:g}" for name, value in numbers.items())


@counting()
def utility(
    original: Annotated[
        str,
        typer.Argument(metavar="ORIGINAL", help="A data file, or a project file (.toml)."),
        DataPlace(),
    ],
    released: Annotated[
        str,
        typer.Argument(metavar="RELEASED", help="A release folder, or a released file."),
        ReleasePlace(),
    ],
    project: Annotated[
        Path | None,
        typer.Option(help="The project file, where ORIGINAL is a data file."),
        ProjectFile(),
    ] = None,
    key: KeyList = None,
    variables: Annotated[
        str | None,
        typer.Option(help="What to compare; by default all that both have.", metavar="NAMES"),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(help="What regressions explain; by default sensitive.", metavar="NAMES"),
    ] = None,
    predictors: Annotated[
        str | None,
        typer.Option(help="What regressions explain it by; by default the key.", metavar="NAMES"),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="A variable, such as a region, each of whose values gets a score."),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(help="The variable with the sampling weights.")
    ] = None,
    household: Annotated[
        str | None, typer.Option(help="The variable that numbers the households.")
    ] = None,
    relationship: Annotated[
        str | None, typer.Option(help="The variable with the relationship to the head.")
    ] = None,
    education: Annotated[
        str | None, typer.Option(help="The variable of homogamy; by default one named so.")
    ] = None,
    kinship: Annotated[
        KinshipOf,
        typer.Option(help="Whose couples and mothers the released file is given."),
    ] = "own",
    thresholds: Annotated[
        str | None,
        typer.Option(
            help="What the demographic tests allow, in years, children and log odds: "
            f"{_written(THRESHOLDS)} unless said otherwise.",
            metavar="NAME=NUMBER,…",
        ),
    ] = None,
    least: Annotated[
        str | None,
        typer.Option(
            help="Couples that an age (gap) or a level of education (odds) needs to be judged: "
            f"{_written(LEAST)} unless said otherwise.",
            metavar="NAME=NUMBER,…",
        ),
    ] = None,
    demography: Annotated[
        bool | None,
        typer.Option(
            "--demography/--no-demography",
            help="Insist on the tests of households, or leave them out.",
        ),
    ] = None,
    protection: Annotated[
        bool | None,
        typer.Option(
            "--protection/--no-protection",
            help="Insist on what changed record by record, or leave it out.",
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(help="A column that identifies the records of both; else their position."),
    ] = None,
    unmatched: Annotated[
        bool,
        typer.Option("--unmatched", help="Records do not correspond, although there are as many."),
    ] = False,
    hierarchies: Annotated[
        Path | None,
        typer.Option(
            help="A folder of <variable>.csv files: what generalised values stand for. By default "
            "those of the release's plan and of the project."
        ),
        HierarchyPlace(),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="Write the figures, as SVG, into this new folder."),
        OutputFolder(),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the whole result here, as JSON."),
        OutputFile("the result"),
    ] = None,
    seed: Annotated[int, typer.Option(help="For whatever is drawn.")] = 1,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Say whether results from the released file would be those from the original."""
    found = flow.compare_release(
        original,
        released,
        project=project,
        key=split_names(key),
        variables=split_names(variables),
        targets=split_names(outcome) or (),
        predictors=split_names(predictors) or (),
        by=by,
        weight=weight,
        household={"household": household, "relationship": relationship},
        education=education,
        kinship=kinship,
        thresholds=split_numbers(thresholds),
        least=split_numbers(least, whole=True),
        demography=demography,
        protection=protection,
        match=match,
        unmatched=unmatched,
        hierarchies=hierarchies,
        **compute.settings,
        seed=seed,
    )
    if out is not None:
        found.write(out)
    drawn = found.write_figures(figures) if figures is not None else []
    of = original if original.endswith(".toml") else project
    if of is not None:
        asked = {"released": released, "variables": list(found.utility.variables)}
        word = "no verdict" if found.passed is None else "passed" if found.passed else "failed"
        note_on_project(load_project(of), "utility", asked, verdict=word)
    if json:
        print_json(found.to_dict())
    else:
        console = people()
        show_comparison(console, found)
        if drawn:
            paragraph(console, f"{len(drawn)} figures: {figures}")
        if out is not None:
            paragraph(console, f"written: {out}")
    if found.passed is False:
        said = " ".join(f"{s[:1].upper()}{s[1:]}." for s in found.suggestions)
        raise GuaranteeError(f"{found.sentence}. {said}")
