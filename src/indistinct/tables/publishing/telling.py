"""What users of published tables are told: the note on method, and the conditions of use.

What is never told: the seed, which cells were small, how many people are exposed, and what the
second geography would have revealed.
"""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.core import for_markdown
from indistinct.project import Project
from indistinct.tables import TableSet

__all__ = ["conditions", "methodology"]

BLANK = "________"


def methodology(tables: TableSet, told: Sequence[str], *, project: Project | None) -> str:
    """Return the note on method: which tables, for which areas, and what was done to them."""
    lines = [
        "# How these tables were made",
        "",
        f"Published by {_holder(project)}.",
        "",
        "## The tables",
        "",
        "| table | dimensions | who is counted | what is added up |",
        "| --- | --- | --- | --- |",
    ]
    for table in tables:
        dimensions = " × ".join(d.name for d in table.dimensions)
        who = "everybody"
        if table.universe:
            who = " and ".join(
                f"{name} {', '.join(str(item) for item in items)}" for name, items in table.universe
            )
        what = table.value or "people"
        if table.weight is not None:
            what += f", weighted by {table.weight}"
        lines.append(
            f"| {_cell(table.name)} | {_cell(dimensions)} | {_cell(who)} | {_cell(what)} |"
        )
    places = [tables.area, *tables.also]
    lines += [
        "",
        "Every table is published for "
        + ", and for ".join(_geography(g.name) for g in places)
        + ". A row called `total` adds up over a dimension.",
        "",
        "## What was done",
        "",
        *(f"- {for_markdown(sentence)}" for sentence in told),
        "",
        "The files were attacked before they were published; `certificate.json` says how, and with "
        "what result, and has their hashes.",
        "",
    ]
    return "\n".join(lines)


def _geography(name: str) -> str:
    return (
        "everybody together"
        if name == "persons"
        else f"the areas of {for_markdown(name, code=True)}"
    )


def _cell(text: str) -> str:
    return for_markdown(" ".join(text.split()))


def _holder(project: Project | None) -> str:
    named = project.release.holder if project is not None else None
    return for_markdown(" ".join(named.split())) if named else BLANK


def conditions(*, project: Project | None) -> str:
    """Return the conditions of use, a clause each (Openshaw et al. 1997, section 4)."""
    clauses = (
        "**Nobody is to be identified.** The user does not try to find out whom a count refers to, "
        "and does not tell anybody who believes to have found out.",
        "**No differencing.** The user does not subtract tables for one geography from tables for "
        "another, nor tables of one coding or universe from those of another, to get figures for "
        "areas or groups smaller than those published.",
        "**No linking with records of people.** The user does not match the tables with registers, "
        "lists or other records of persons.",
        "**New geographies are asked for.** Tables for areas of the user's own are made by the "
        f"publisher alone, {_holder(project)}, who checks each request against everything "
        "published before.",
        "**What is found is reported.** Whoever finds that the tables reveal something about a "
        "person tells the publisher and nobody else.",
        "**The conditions travel with the tables.** Whoever passes them on passes these on too.",
    )
    body = [f"{n}. {clause}" for n, clause in enumerate(clauses, start=1)]
    return "\n".join(["# Conditions of use", "", *body, ""])
