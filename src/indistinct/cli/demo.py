"""`indistinct demo`: the whole flow on people who never were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from indistinct.cli.options import Json, people, print_json
from indistinct.cli.places import OutputFolder
from indistinct.cli.results import show_map, show_side_by_side, show_uniques
from indistinct.cli.tables import show_publication
from indistinct.cli.terminal import paragraph, table, words
from indistinct.cli.uniques import show_explanation
from indistinct.demo import WORDS, is_demo, run_demo

if TYPE_CHECKING:
    from indistinct.demo import Demo


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
    paragraph(console, "a tenth of them as a sample:")
    paragraph(console, words(shown.sample.found))
    paragraph(
        console, f"  in truth, unique in the population {shown.truth.population_uniques:>15,}"
    )
    show_side_by_side(console, shown.ways)
    paragraph(console, "for an intruder who knows twelve things, shuffled or generalised:")
    show_map(console, shown.map)
    show_proof(console, shown)
    if shown.areas is not None:
        paragraph(console, "ten tables for its small areas, and for school catchments:")
        paragraph(console, shown.areas.refusal, indent="  ")
        show_publication(console, shown.areas.found)
    show_letters(console, shown)
    paragraph(console, f"written: {out}. Read {out / 'summary.md'} first.")
    for report in shown.reported:
        paragraph(console, f"report:  {report}")
    paragraph(console, f"to go on in the browser: indistinct workbench {out}")


def show_proof(console: Console, shown: Demo) -> None:
    """Show what was proved of the release, and what became of a file without names."""
    if shown.proved is None or shown.fallen is None:
        return
    paragraph(console, "the release, read again and attacked:")
    paragraph(console, f"{WORDS[shown.proved.state]}: {shown.proved.sentence}", indent="  ")
    if shown.shuffled is not None:
        paragraph(console, "the shuffled release, as its certificate has it:")
        paragraph(console, WORDS[shown.shuffled.state], indent="  ")
    paragraph(console, "the census with names and numbers taken off, against the register:")
    paragraph(console, shown.fallen.sentence, indent="  ")


def show_letters(console: Console, shown: Demo) -> None:
    """Show what became of the letters, and what a detective makes of them."""
    if shown.letters is None:
        return
    told = shown.letters
    paragraph(
        console,
        f"{told.done.documents} letters and notes about {told.patients} of its people, scrubbed:",
    )
    names = ("method", "references found", "rightly removed", "leaking letters")
    table(console, names, told.rows())
    paragraph(console, told.linking, indent="  ")
    paragraph(console, f"verdict: {told.done.verdict}", indent="  ")
