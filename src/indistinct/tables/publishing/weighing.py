"""Is it safe to publish these tables as they are? Everything that is known of it, in one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from indistinct.core import InputError
from indistinct.project import Publish
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables import (
    AttributeDisclosure,
    Counted,
    Differences,
    FalseMatches,
    SmallCells,
    TableLinks,
    TabularUniques,
    attribute_disclosure,
    differences,
    false_matches,
    small_cells,
    table_links,
    tabular_uniques,
)

__all__ = ["TableRisk", "weigh_tables"]


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
