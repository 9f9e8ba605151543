"""Tables from beginning to end: asked for, counted, weighed, protected, attacked, published.

Is it safe to publish these tables as they are? Everything that is known of it, in one result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from indistinct.core import GuaranteeError, InputError, for_markdown
from indistinct.core.doors import check_new_file, check_new_folder
from indistinct.flow import Data
from indistinct.project import Project, Publish
from indistinct.protect import fresh_seed
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results import facts as declare
from indistinct.tables import (
    AttributeDisclosure,
    Counted,
    Differences,
    FalseMatches,
    Published,
    SmallCells,
    TableLinks,
    TableSet,
    TabularUniques,
    attribute_disclosure,
    count_tables,
    differences,
    false_matches,
    small_cells,
    table_links,
    tabular_uniques,
)
from indistinct.tables.publishing.asked import Asked
from indistinct.tables.publishing.folder import TablesFolder, write_folder
from indistinct.tables.publishing.geography import (
    Geographies,
    refuse_exact_differences,
    refuse_naming_areas,
    refuse_rare_categories,
    settle_geographies,
)
from indistinct.tables.publishing.numbers import check_labels
from indistinct.tables.publishing.protecting import protect_tables

__all__ = ["Publication", "TableRisk", "count_asked", "publish_tables", "weigh_tables"]

# What users of published tables are told: the note on method, and the conditions of use.
#
# What is never told: the seed, which cells were small, how many people are exposed, and what the
# second geography would have revealed.

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


Say = Callable[[str], None]


@result
class Publication(Result):
    """What was found of a set of tables, and what was published.

    Parameters
    ----------
    settings
        What was asked for.
    risk
        What the tables would reveal as they are.
    geographies
        What was done to the geographies; None where nothing was published.
    facts
        How the numbers were changed.
    folder
        The published tables; None where nothing was to be written.
    """

    settings: Publish
    risk: TableRisk
    geographies: Geographies | None = None
    facts: dict[str, Any] = field(default_factory=dict, repr=False)
    folder: TablesFolder | None = None

    FACTS = declare(
        Fact("risk", spread=True),
        Fact("method", "settings.method"),
        "geographies",
        Fact("protection", lambda found: found.facts or None),
        Fact("published", "folder"),
        "holds",
    )

    @property
    def holds(self) -> bool:
        """Whether the tables are safe: as published, or as they are if nothing was published."""
        return self.folder.holds if self.folder is not None else self.risk.is_safe

    @property
    def passes(self) -> bool:
        """Whether they are safe, or every reservation was accepted by its code."""
        return self.folder.passes if self.folder is not None else self.risk.is_safe

    def _lines(self) -> list[str]:
        lines = list(self.risk._lines())
        if self.geographies is not None:
            lines += self.geographies._lines()
        if self.folder is not None:
            lines += self.folder._lines()
        return lines

    def _tables(self) -> Sequence[Table]:
        return self.risk._tables()

    def plot(self) -> str:
        """Return a figure: in how many of their tables people are alone."""
        return self.risk.plot()


def check_publication(data: Data, asked: Asked) -> None:
    """Refuse what cannot be published whatever is counted, before any work is done."""
    settings = asked.completed(data.project).settings
    if settings.out is not None:
        check_new_folder(settings.out)
        if settings.published is not None:
            check_new_file(settings.published, own=True)
    elif settings.method is not None or settings.merge:
        raise InputError("Where are the tables to go? Name a folder with --out.")
    _tables_asked(data, asked)


def _tables_asked(data: Data, asked: Asked) -> tuple[TableSet, Asked]:
    """Return the tables that are asked for, all of whose variables are there, and all asked."""
    asked = asked.completed(data.project)
    settings = asked.settings
    tables = asked.table_set(data)
    refuse_naming_areas(data, tables)
    if settings.contributor is not None:
        data.source.check_columns([settings.contributor])
    if settings.match_keys is not None:
        data.source.check_columns(settings.match_keys)
    return tables, asked


def count_asked(data: Data, asked: Asked) -> tuple[Counted, Asked]:
    """Count the tables that are asked for; returns them, and all that is asked."""
    tables, asked = _tables_asked(data, asked)
    settings = asked.settings
    besides = []
    flag = flagged(settings.modified)
    if flag is not None:
        besides.append(flag[0])
    within = asked.within(data)
    if within is not None and within.variable is not None:
        besides.append(within.variable)
    if settings.published is not None and settings.published.exists():
        # what was published for other geographies is compared with these
        besides += [zoning.variable for zoning in Published.load(settings.published).zonings]
    counted = count_tables(data.source, data.engine, tables, besides=besides)
    for table in counted.tables:
        if not counted.inside(table).any():
            raise InputError(
                f"Nobody is in the universe of the table '{table.name}'. Correct the values that "
                "it names."
            )
    return counted, asked


def publish_tables(
    data: Data,
    asked: Asked,
    *,
    although_unproved: bool = False,
    accept: Sequence[str] = (),
    say: Say | None = None,
) -> Publication:
    """Weigh a set of tables and, where a folder is named, publish them protected.

    Parameters
    ----------
    data
        The people, one record each, and their project.
    asked
        The tables, the geographies, and how they are protected.
    although_unproved
        Publish also if the attack on what was written finds something.
    accept
        Reservations that the publisher knows and takes upon himself, by code.
    say
        Is told what is being done, for people.
    """
    check_publication(data, asked)
    counted, asked = count_asked(data, asked)
    settings = asked.settings
    tell = say or (lambda sentence: None)
    if settings.out is not None:
        check_labels(counted.layouts)
    tell(f"counted {counted.records:,} people in {len(counted.areas):,} areas")
    risk = weigh_tables(counted, settings)
    if settings.out is None:
        return Publication(settings, risk)
    seed = _seed(settings, tell)
    settled = settle_geographies(counted, settings, within=asked.within(data), seed=seed)
    done = protect_tables(data, settled.counted, settings, seed)
    against = _refusals(settled, settings, although_unproved=although_unproved)
    facts = dict(done.facts())
    tables = settled.counted.tables
    merged = settled.merged
    folder = write_folder(
        settings.out,
        done.tables(),
        format=settings.format or "csv",
        attack=lambda again: _with(against, done.attack(again)),
        methodology=methodology(tables, [*settled.told(), *done.told], project=data.project),
        conditions=conditions(project=data.project),
        merged=merged.mapping if merged is not None and merged.merges else None,
        told={"method": settings.method or "none", "tables": len(tables.tables)},
        ledger={
            "seed": seed,
            "settings": _plain(settings),
            "tables": tables.to_dict(),
            "found_before": risk.to_dict(),
            "geographies": settled.to_dict(),
            "protection": facts,
        },
        although_unproved=although_unproved,
        accept=accept,
    )
    if settings.published is not None:
        replace(settled.record, seed=seed).save(settings.published)
    return Publication(settings, risk, settled, facts, folder)


def _refusals(
    settled: Geographies, settings: Publish, *, although_unproved: bool
) -> tuple[str, ...]:
    """Refuse what no change of numbers helps; or return why, if it is published nevertheless."""
    found = []
    for refuse in (refuse_rare_categories, refuse_exact_differences):
        try:
            refuse(settled.counted, settings)
        except GuaranteeError as error:
            if not although_unproved:
                raise
            found.append(str(error).split(" Nothing was published.")[0])
    return tuple(found)


def _with(against: tuple[str, ...], verdict: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a verdict with what speaks against the tables besides."""
    if not against:
        return verdict
    return {**verdict, "holds": False, "why": " ".join([*against, str(verdict["why"])])}


def _seed(settings: Publish, tell: Say) -> int:
    """Return the seed: the one given, the one of earlier publications, or a new one."""
    if settings.seed is not None:
        return settings.seed
    if settings.published is not None and settings.published.exists():
        known = Published.load(settings.published).seed
        if known is not None:
            return known
    if settings.published is None and settings.method in ("cell-key", "random-round"):
        tell(
            "The noise is new in every run. Name a record with --published, or a seed, so that the "
            "same people get the same noise when they are published again."
        )
    return fresh_seed()


def _plain(settings: Publish) -> dict[str, Any]:
    """Return the settings that were given, as JSON can hold them."""
    given = {name: value for name, value in vars(settings).items() if value is not None}
    return {
        name: value if isinstance(value, (bool, int, float)) else _text(value)
        for name, value in given.items()
    }


def _text(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [one if isinstance(one, (bool, int, float)) else _text(one) for one in value]
    if hasattr(value, "items"):
        return {str(name): _text(one) for name, one in value.items()}
    return str(value)


@result
class TableRisk(Result):
    """Who is exposed in a set of tables, where, and how.

    Parameters
    ----------
    counted
        The tables.
    uniques
        Full and part record tabular uniques, of what an intruder can know.
    matches
        Combinations of ones: all, possible, and true.
    small
        Cells with few people, empty and full ones.
    differencing
        What the geographies, codings and universes reveal by subtraction.
    attributes
        What can be learned of people whom an intruder knows to be in a group.
    links
        Which tables share which variables.
    """

    counted: Counted
    uniques: TabularUniques
    matches: FalseMatches
    small: SmallCells
    differencing: Differences
    attributes: AttributeDisclosure | None
    links: TableLinks

    FACTS = facts(
        Fact("uniques", spread=True),
        Fact("areas", lambda found: len(found.counted.areas)),
        Fact("tables", lambda found: len(found.counted.layouts)),
        Fact("cells", "counted.cells"),
        Fact("records", "counted.records"),
        Fact(
            "false_matches",
            lambda found: found.matches.feasible_where_counted - found.matches.true_where_counted,
        ),
        Fact(
            "differencing",
            lambda found: [pair for pair in found.differencing.pairs if pair.zones],
            shown="",
        ),
        Fact("matches", shown=""),
        Fact("differences", "differencing", shown=""),
        Fact("small_cells", "small", shown=""),
        Fact("attribute_disclosure", "attributes", shown=""),
        Fact("safe", "is_safe"),
        shown=True,
    )

    def sentence(self) -> str:
        """Say whether the tables may be published as they are."""
        return f"TableRisk({'safe' if self.is_safe else 'not safe'} as they are)"

    def _row_tables(self) -> Sequence[Table]:
        return self.uniques._row_tables()

    def _fact_lines(self) -> list[str]:
        parts = [self.uniques, self.matches, self.small, self.differencing, self.attributes]
        of_parts = [line for part in parts if part is not None for line in part._fact_lines()]
        return [*super()._fact_lines(), *of_parts]

    @property
    def is_safe(self) -> bool:
        """Whether nobody is a full unique, no count is small, nothing small is revealed by
        subtraction, and nothing is learned of people whose match keys are known."""
        few = bool(self.small.below.any())
        learned = self.attributes is not None and bool(self.attributes.people_per_area.any())
        return self.uniques.is_safe and not few and not learned and self.differencing.is_safe

    def plot(self) -> str:
        """Return a figure: in how many of their tables people are alone."""
        return self.uniques.plot()


def weigh_tables(counted: Counted, settings: Publish) -> TableRisk:
    """Measure everything that a set of tables would reveal if it were published as it is."""
    modified = flagged(settings.modified)
    known = counted
    if settings.match_keys is not None:
        known = counted.with_tables(counted.tables.restricted(settings.match_keys))
    uniques = tabular_uniques(known, modified=modified)
    attributes = None
    keys = settings.match_keys or ()
    if any(set(t.variables) & set(keys) and set(t.variables) - set(keys) for t in counted.tables):
        attributes = attribute_disclosure(counted, known=keys)
    return TableRisk(
        counted,
        uniques,
        false_matches(known, uniques),
        small_cells(counted, threshold=settings.threshold),
        differences(counted, threshold=settings.smallest_zone, cell_threshold=settings.threshold),
        attributes,
        table_links(counted),
    )


def flagged(modified: Mapping[str, tuple[Any, ...]] | None) -> tuple[str, tuple[Any, ...]] | None:
    """Return the variable that flags modified records and its values, from a setting."""
    if modified is None:
        return None
    if len(modified) != 1:
        raise InputError(
            f"One variable can flag modified records. Got {len(modified)}: {', '.join(modified)}."
        )
    return next(iter(modified.items()))
