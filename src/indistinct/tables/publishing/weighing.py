"""Is it safe to publish these tables as they are? Everything that is known of it, in one result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from indistinct.core import InputError
from indistinct.project import Publish
from indistinct.results import Shown, Table
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


@dataclass(frozen=True, eq=False)
class TableRisk(Shown):
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

    counted: Counted = field(repr=False)
    uniques: TabularUniques = field(repr=False)
    matches: FalseMatches = field(repr=False)
    small: SmallCells = field(repr=False)
    differencing: Differences = field(repr=False)
    attributes: AttributeDisclosure | None = field(repr=False)
    links: TableLinks = field(repr=False)

    def __repr__(self) -> str:
        return self._short()

    @property
    def is_safe(self) -> bool:
        """Whether nobody is a full unique, no count is small, nothing small is revealed by
        subtraction, and nothing is learned of people whose match keys are known."""
        few = bool(self.small.below.any())
        learned = self.attributes is not None and bool(self.attributes.people_per_area.any())
        return self.uniques.is_safe and not few and not learned and self.differencing.is_safe

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        found = self.uniques.to_dict()
        counted, matches = self.counted, self.matches
        return {
            **found,
            "areas": len(counted.areas),
            "tables": len(counted.layouts),
            "cells": counted.cells,
            "records": counted.records,
            "false_matches": matches.feasible_where_counted - matches.true_where_counted,
            "differencing": [pair.to_dict() for pair in self.differencing.pairs if pair.zones],
            "matches": matches.to_dict(),
            "differences": self.differencing.to_dict(),
            "small_cells": self.small.to_dict(),
            "attribute_disclosure": self.attributes.to_dict() if self.attributes else None,
            "safe": self.is_safe,
        }

    def _lines(self) -> list[str]:
        parts = [self.uniques, self.matches, self.small, self.differencing]
        if self.attributes is not None:
            parts.append(self.attributes)
        word = "safe as they are" if self.is_safe else "not safe as they are"
        lines = [f"TableRisk({word})"]
        for part in parts:
            lines += part._lines()
        return lines

    def _tables(self) -> list[Table]:
        facts = {
            name: value
            for name, value in self.to_dict().items()
            if not isinstance(value, (dict, list))
        }
        shown = [Table.facts("Risk in tables", facts)]
        return shown + list(self.uniques._tables()[1:])

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
