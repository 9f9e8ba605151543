"""`indistinct uniques`: who stands out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from indistinct import engine, keys
from indistinct.cli.noting import note_on_project
from indistinct.cli.options import (
    QUERIED,
    AtMost,
    Compute,
    DataFile,
    Json,
    K,
    KeyList,
    Out,
    Person,
    counting,
    opened,
    people,
    print_json,
    split_names,
    split_pairs,
    tell_notes,
)
from indistinct.cli.places import RECORDS, OutputFile
from indistinct.cli.results import show_uniques
from indistinct.cli.terminal import paragraph, table
from indistinct.cli.verb import together
from indistinct.core import Missing
from indistinct.engine import Approach

if TYPE_CHECKING:
    from indistinct.keys import Explanation


__all__ = ["show_explanation", "uniques"]


@together(needs={"identifiers": "pull_out_to"})
@counting(*QUERIED)
def uniques(
    data: DataFile,
    key: KeyList = None,
    k: K = None,
    at_most: AtMost = None,
    person: Person = None,
    approach: Annotated[
        Approach | None,
        typer.Option(help="sort, tally or catalogue; by default the cheapest by estimate."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each approach would cost, and the choice.")
    ] = False,
    floor: Annotated[
        int, typer.Option(help="Warn of categories that fewer records than this have.")
    ] = 0,
    public: Annotated[
        str | None,
        typer.Option(
            help="Variables public for some people only: income=income_is_public.",
            metavar="PAIRS",
        ),
    ] = None,
    missing: Annotated[
        Missing | None, typer.Option(help="A missing value is its own category, or a wildcard.")
    ] = None,
    out: Out = None,
    pull_out_to: Annotated[
        Path | None,
        typer.Option("--pull-out", help="Write the identifiers of the risky records here."),
        OutputFile("the list", RECORDS),
    ] = None,
    identifiers: Annotated[
        str | None,
        typer.Option(help="The columns that name a person, for --pull-out.", metavar="NAMES"),
    ] = None,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Find the people who stand out: records whose key few others share."""
    console = people()
    with opened(data, compute) as opened_data:
        for note in opened_data.source.notes:
            console.print(f"{opened_data.source.origin}: {note}", markup=False)
        names = split_names(key)
        explanation = opened_data.explain(names) if explain else None
        if explanation is not None and not json:
            show_explanation(console, explanation)
        found = opened_data.uniques(
            names,
            k=k,
            at_most=at_most,
            approach=approach,
            public=split_pairs(public),
            missing=missing,
            floor=floor,
            person=person,
        )
        tell_notes(console, opened_data.notes_on(found.key))
        if pull_out_to is not None:
            keys.write_pull_out(found, pull_out_to, identifiers=split_names(identifiers))
        if out is not None:
            found.write(out)
        shown = found.records_at_risk().tolist() if pull_out_to is not None else None
        asked = {"key": list(found.key), "k": found.k}
        note_on_project(opened_data.project, "uniques", asked, records=shown)
        if json:
            content = found.to_dict()
            if explanation is not None:
                content["explain"] = explanation.to_dict()
            print_json(content)
        else:
            show_uniques(console, found)
            for path in (out, pull_out_to):
                if path is not None:
                    paragraph(console, f"written: {path}")


def show_explanation(console: Console, explanation: Explanation) -> None:
    """Show the estimates as a table."""
    rows = explanation.rows()
    table(
        console,
        ("number", "approach", "bits", "time", "memory", "choice"),
        rows,
        title="What counting would cost",
        bold=[row[-1] == "chosen" for row in rows],
        text=("approach", "choice"),
    )
    paragraph(
        console,
        f"{explanation.records:,} records, {len(explanation.key)} variables, "
        f"{engine.show_size(explanation.memory)} of memory: by {explanation.chosen}",
    )
