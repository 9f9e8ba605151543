"""`indistinct demo`: the whole flow on people who never were."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from indistinct.cli.options import Json, people, print_json
from indistinct.cli.places import OutputFolder
from indistinct.cli.results import show_map, show_side_by_side, show_uniques
from indistinct.cli.tables import show_publication
from indistinct.cli.terminal import paragraph, table, words
from indistinct.cli.uniques import show_explanation
from indistinct.demo import WORDS, Demo, is_demo, run_demo

__all__ = ["demo", "show_letters", "show_proof"]


def demo(
    out: Annotated[
        Path,
        typer.Option("--out", help="The folder to write; an earlier demo there is replaced."),
        OutputFolder(replaces=is_demo),
    ] = Path("demo"),
    number: Annotated[int, typer.Option("--people", help="How many people.")] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same people.")] = 1,
    json: Json = False,
) -> None:
    """Make a synthetic census, find who stands out, protect it, and write a folder."""
    console = people()
    shown = run_demo(
        out, people=number, seed=seed, say=lambda sentence: console.print(sentence, markup=False)
    )
    if json:
        print_json(shown.to_dict())
        return
    show_explanation(console, shown.explanation)
    show_uniques(console, shown.found)
    console.print("a tenth of them as a sample:")
    paragraph(console, words(shown.sample.found))
    console.print(
        f"  in truth, unique in the population {shown.truth.population_uniques:>15,}", markup=False
    )
    show_side_by_side(console, shown.ways)
    console.print("for an intruder who knows twelve things, shuffled or generalised:")
    show_map(console, shown.map)
    show_proof(console, shown)
    if shown.areas is not None:
        console.print("ten tables for its small areas, and for school catchments:")
        paragraph(console, shown.areas.refusal, indent="  ")
        show_publication(console, shown.areas.found)
    show_letters(console, shown)
    console.print(f"written: {out}. Read {out / 'summary.md'} first.", markup=False)
    for report in shown.reported:
        console.print(f"report:  {report}", markup=False)


def show_proof(console: Console, shown: Demo) -> None:
    """Show what was proved of the release, and what became of a file without names."""
    if shown.proved is None or shown.fallen is None:
        return
    console.print("the release, read again and attacked:")
    paragraph(console, f"{WORDS[shown.proved.state]}: {shown.proved.sentence}", indent="  ")
    if shown.shuffled is not None:
        console.print("the shuffled release, as its certificate has it:")
        paragraph(console, WORDS[shown.shuffled.state], indent="  ")
    console.print("the census with names and numbers taken off, against the register:")
    paragraph(console, shown.fallen.sentence, indent="  ")


def show_letters(console: Console, shown: Demo) -> None:
    """Show what became of the letters, and what a detective makes of them."""
    if shown.letters is None:
        return
    told = shown.letters
    console.print(
        f"{told.done.documents} letters and notes about {told.patients} of its people, scrubbed:"
    )
    names = ("method", "references found", "rightly removed", "leaking letters")
    table(console, names, told.rows())
    paragraph(console, told.linking, indent="  ")
    paragraph(console, f"verdict: {told.done.verdict}", indent="  ")
