"""`indistinct tables`: is it safe to publish these counts, and make it so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from indistinct.cli.noting import note_on_project
from indistinct.cli.options import (
    SHEETED,
    Accept,
    Compute,
    DataFile,
    Json,
    counting,
    opened,
    people,
    print_json,
    split_names,
    split_pairs,
)
from indistinct.cli.places import RECORDS, HierarchyPlace, KeptFile, OutputFile, OutputFolder
from indistinct.cli.terminal import heading, paragraph, table, words
from indistinct.cli.verb import together
from indistinct.core import InputError
from indistinct.core.doors import write_whole
from indistinct.project import Stop, TableFormat, TableMethod
from indistinct.tables import publishing
from indistinct.tables.differencing import Published
from indistinct.tables.publishing import Experiment

if TYPE_CHECKING:
    from indistinct.tables.publishing import Asked, Publication


__all__ = ["publish", "show_publication", "tables", "tell_publication"]


@together(
    needs={
        "vary": "experiment_",
        **dict.fromkeys(("although_unproved", "accept", "format", "published"), "out .toml"),
        **dict.fromkeys(("dominance", "p_percent", "pq", "contributor"), "value .toml"),
    },
    only={
        "base": "method round small-counts random-round",
        "probability": "method modify",
        "variance": "method cell-key",
        "width": "method suppress",
    },
    excludes={
        "experiment_": "method merge within least_people stop base width variance probability "
        "dominance p_percent pq contributor out format published although_unproved accept "
        "per_person"
    },
)
@counting(*SHEETED)
def tables(
    data: DataFile,
    area: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The geography: a variable, a level as county@1, or persons for one area.",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further geography that gets the same tables."),
    ] = None,
    table_: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="DIMENSIONS",
            help="A table: age:5,sex or age[0,15,65],ethnic; as often as there are tables.",
        ),
    ] = None,
    match_keys: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="What an intruder can know, if not everything."),
    ] = None,
    modified: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=VALUE", help="The variable that flags modified or imputed records."
        ),
    ] = None,
    threshold: Annotated[
        int | None, typer.Option(help="A count from 1 to below this is small (3).")
    ] = None,
    smallest_zone: Annotated[
        int | None,
        typer.Option(help="People below which a zone had by subtraction is too small (10)."),
    ] = None,
    method: Annotated[
        TableMethod | None, typer.Option(help="How the numbers are protected.")
    ] = None,
    merge: Annotated[
        bool | None,
        typer.Option("--merge", help="Merge areas until nobody is a full record unique."),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The geography within which areas are merged."),
    ] = None,
    least_people: Annotated[
        int | None, typer.Option(help="People that every published area has at least.")
    ] = None,
    stop: Annotated[
        Stop | None,
        typer.Option(help="What is done about a geography that reveals small zones."),
    ] = None,
    base: Annotated[int | None, typer.Option(help="The base of rounding.")] = None,
    width: Annotated[
        float | None, typer.Option(help="The least width of an attacker's interval.")
    ] = None,
    variance: Annotated[
        float | None, typer.Option(help="The variance of the noise of cell keys.")
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What is added up, such as income, instead of people."),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(metavar="NAME", help="The variable by which people count.")
    ] = None,
    dominance: Annotated[
        str | None, typer.Option(metavar="N,K", help="The rule for sums: largest N above K %.")
    ] = None,
    p_percent: Annotated[
        float | None, typer.Option(metavar="P", help="The p % rule for sums.")
    ] = None,
    pq: Annotated[
        str | None, typer.Option("--pq", metavar="P,Q", help="The pq rule for sums.")
    ] = None,
    contributor: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The variable that says whose records belong together."),
    ] = None,
    universe: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="Who is counted, in every --table: age=16-74, or age=16+,sex=2.",
        ),
    ] = None,
    probability: Annotated[
        float | None, typer.Option(help="How probable +1 is, and -1, with modify (0.25).")
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="A folder of <variable>.csv hierarchies."),
        HierarchyPlace(),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="For repeating a run; it stays private.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Publish the tables here."),
        OutputFolder(),
    ] = None,
    format: Annotated[
        TableFormat | None, typer.Option(help="The format of the published tables.")
    ] = None,
    published: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The private record of everything published so far, to check with."
        ),
        KeptFile("record of what was published", known=Published.load),
    ] = None,
    although_unproved: Annotated[
        bool,
        typer.Option("--although-unproved", help="Publish even if the attack finds something."),
    ] = False,
    accept: Accept = None,
    per_person: Annotated[
        Path | None,
        typer.Option("--per-person", metavar="FILE", help="Write what was found of everybody."),
        OutputFile("the list", RECORDS),
    ] = None,
    experiment_: Annotated[
        Experiment | None,
        typer.Option("--experiment", help="Show how the risk grows, instead of publishing."),
    ] = None,
    vary: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The variable that the experiment with recodes bands."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Write the figure here."),
        OutputFile("the figure", (".svg",)),
    ] = None,
    *,
    compute: Compute,
    json: Json = False,
) -> None:
    """Say whether tables for areas are safe to publish, and publish them so that they are."""
    asked = publishing.Asked.of_texts(
        table_ or (),
        universe=_flag(universe),
        value=value,
        weight=weight,
        hierarchies=hierarchies,
        area=area,
        also=tuple(also) if also else None,
        match_keys=_names(match_keys),
        modified=_flag(modified),
        threshold=threshold,
        smallest_zone=smallest_zone,
        method=method,
        merge=merge,
        within=within,
        least_people=least_people,
        stop=stop,
        base=base,
        width=width,
        variance=variance,
        probability=probability,
        dominance=_two(dominance, "--dominance", "2,85", int),
        pq=_two(pq, "--pq", "10,50", float),
        contributor=contributor,
        p_percent=p_percent,
        seed=seed,
        out=out,
        format=format,
        published=published,
    )
    if experiment_ is not None:
        with opened(data, compute) as opened_data:
            shown = publishing.experiment(
                opened_data, asked, experiment_, vary=vary, seed=seed or 0
            )
        _plot(shown, plot)
        if json:
            print_json(shown.to_dict())
        else:
            paragraph(people(), words(shown))
        return
    found = publish(
        data,
        asked,
        compute,
        although_unproved=although_unproved,
        accept=split_names(accept) or (),
        per_person=per_person,
    )
    _plot(found, plot)
    tell_publication(found, as_json=json)


def publish(
    data: str,
    asked: Asked,
    compute: Compute,
    *,
    although_unproved: bool = False,
    accept: Sequence[str] = (),
    per_person: Path | None = None,
) -> Publication:
    """Weigh tables, publish them where a folder is named, and note it on the audit trail."""
    console = people()
    with opened(data, compute) as opened_data:
        found = publishing.publish_tables(
            opened_data,
            asked,
            although_unproved=although_unproved,
            accept=accept,
            say=lambda sentence: console.print(sentence, markup=False, highlight=False),
        )
        if per_person is not None:
            found.risk.uniques.write(per_person)
        parameters = {"tables": len(found.risk.counted.layouts), "method": found.settings.method}
        verdict = "holds" if found.holds else "does not hold"
        if found.folder is not None and found.folder.state == "reservations":
            verdict = "reservations"
        note_on_project(opened_data.project, "tables", parameters, verdict=verdict)
    return found


def tell_publication(found: Publication, *, as_json: bool) -> None:
    """Tell what was found and done; leaves with 1 where published tables do not hold."""
    if as_json:
        print_json(found.to_dict())
    else:
        show_publication(people(), found)
    if found.folder is not None and not found.passes:
        raise typer.Exit(1)


def _names(text: str | None) -> tuple[str, ...] | None:
    names = split_names(text)
    return tuple(names) if names else None


def _flag(text: str | None) -> dict[str, tuple[str, ...]] | None:
    return {n: (v,) for n, v in split_pairs(text, like="variable=value").items()} or None


def _two(
    text: str | None, option: str, like: str, first: Callable[[str], Any]
) -> tuple[Any, float] | None:
    if text is None:
        return None
    try:
        one, two = text.split(",")
        return first(one), float(two)
    except ValueError:
        raise InputError(f"{option} must be written as {like}. Got {text}.") from None


def _plot(shown: Any, path: Path | None) -> None:
    if path is not None:
        write_whole(path, shown.plot())


def show_publication(console: Console, found: Publication) -> None:
    """Show what was found, and what was published, to people."""
    risk = found.risk
    uniques, matches, small = risk.uniques, risk.matches.to_dict(), risk.small.to_dict()
    counted = risk.counted
    word = "safe to publish as they are" if risk.is_safe else "not safe to publish as they are"
    heading(
        console,
        f"{len(counted.layouts)} tables with {counted.cells:,} cells for each of "
        f"{len(counted.areas):,} areas, {counted.records:,} people: {word}",
    )
    facts = [
        ("full uniques: alone in every table", uniques.frtu),
        ("part uniques: alone in some table", uniques.prtu),
        ("risk: full uniques among all", f"{uniques.risk:.6f}"),
        ("possible matches of ones", matches["feasible"]),
        ("of which are people", matches["true"]),
        (f"counts from 1 to {risk.small.threshold - 1}", small["below"]),
        ("zones and cells had by subtraction", risk.differencing.revealed),
    ]
    if risk.attributes is not None:
        learned = risk.attributes.to_dict()
        facts += [("people of whom something is learned", learned["individual_or_group"])]
    table(console, ("what they would reveal", "number"), facts)
    _show_areas(console, found)
    pairs = [pair.to_dict() for pair in risk.differencing.pairs if pair.zones]
    if pairs:
        columns = ("kind", "first", "second", "revealed", "people", "frtu")
        rows = [[pair[name] for name in columns] for pair in pairs]
        table(console, columns, rows, title="Had by subtraction", text=("first", "second"))
    for sentence in found.geographies.told() if found.geographies is not None else ():
        paragraph(console, sentence)
    if found.folder is not None:
        paragraph(console, f"published: {found.folder.folder}, {found.folder.said}")
        for one in found.folder.verdict["reservations"]:
            paragraph(console, f"{one['code']}: {one['sentence']}", indent="  ")
        for attack in found.folder.verdict["attacks"]:
            paragraph(console, f"- {attack}", indent="  ")
    elif not risk.is_safe:
        paragraph(
            console,
            "To publish them protected: --method suppress, round, small-counts, cell-key or "
            "modify, or --merge, and --out DIR.",
        )


def _show_areas(console: Console, found: Publication) -> None:
    """Show the areas where most people can be found."""
    uniques = found.risk.uniques
    worst = uniques.frtu_per_area.argsort(kind="stable")[::-1][:5].tolist()
    rows = [
        (
            uniques.counted.areas[n],
            int(uniques.counted.area_sizes[n]),
            int(uniques.frtu_per_area[n]),
            f"{float(uniques.risk_per_area[n]):.4f}",
        )
        for n in worst
        if uniques.frtu_per_area[n]
    ]
    if rows:
        table(console, ("area", "people", "full uniques", "risk"), rows, title="Most exposed areas")
