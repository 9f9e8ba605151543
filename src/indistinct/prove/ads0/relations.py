"""Releases, and the relations G that lead from a released tuple to entities (ADS0, property 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from indistinct.core import InputError
from indistinct.hierarchy import Hierarchy, common_kind, stands_for
from indistinct.prove.ads0.entities import Entity, Row, as_rows

__all__ = ["Channel", "Covers", "DisclosureControl", "Relation", "Release", "reading_of"]

Covers = Callable[[str, object, object], bool]
"""Whether a label of an attribute can stand for a value: (attribute, label, value)."""

DisclosureControl = Callable[[list[Row]], Sequence[Mapping[str, object] | None]]
"""f: from the private tuples to one released tuple for each, None for one left out."""


@dataclass(frozen=True)
class Channel:
    """A direct communication method g2: from the values of an explicit identifier to entities.

    Parameters
    ----------
    attributes
        EI, the explicit identifier that it works on.
    reaches
        Whom the values lead to. Without it: everybody in the universe who has these values.
    """

    attributes: tuple[str, ...]
    reaches: Callable[[Row], Iterable[Entity]] | None = None

    def reach(self, row: Row, universe: Iterable[Entity]) -> frozenset[Entity]:
        """Return the members of the universe whom the identifier in a tuple leads to."""
        if any(row.get(name) is None for name in self.attributes):
            return frozenset()
        if self.reaches is not None:
            return frozenset(self.reaches(row)) & frozenset(universe)
        return frozenset(e for e in universe if e.agrees(row, self.attributes))

    def __str__(self) -> str:
        return "{" + ", ".join(self.attributes) + "}"


@dataclass(frozen=True, eq=False)
class Release:
    """RT, a finite multiset of released tuples.

    Parameters
    ----------
    rows
        The tuples. A cell is a label: a value, a generalisation, or suppressed.
    origins
        For each tuple the number, from 0, of the private tuple that f made it from, or None for
        one made from nobody's. Without origins a tuple may be anybody's.
    """

    rows: tuple[Row, ...] = field(repr=False)
    origins: tuple[int | None, ...] | None = None

    @classmethod
    def of(
        cls, rows: Iterable[Mapping[str, object]], *, origins: Sequence[int | None] | None = None
    ) -> Release:
        """Make a release from rows of any values."""
        return cls(as_rows(rows), None if origins is None else tuple(origins))

    @classmethod
    def by(cls, function: DisclosureControl, private: Sequence[Row]) -> Release:
        """Make the release f(PT) by running f, with each tuple's origin.

        >>> def first_only(rows):
        ...     return [{"zip": rows[0]["zip"]}] + [None] * (len(rows) - 1)
        >>> Release.by(first_only, [{"zip": "02138"}, {"zip": "02139"}]).origins
        (0,)
        """
        made = list(function([dict(row) for row in private]))
        if len(made) != len(private):
            raise InputError(
                f"The function must return one tuple, or None, for each of the {len(private)} "
                f"private tuples. Got {len(made)}. For other releases make a Release with origins."
            )
        kept = [(row, number) for number, row in enumerate(made) if row is not None]
        return cls.of([row for row, _ in kept], origins=[number for _, number in kept])

    @property
    def attributes(self) -> tuple[str, ...]:
        """What is released of everybody."""
        return tuple(self.rows[0]) if self.rows else ()


@dataclass(frozen=True, eq=False)
class Relation:
    """One g ∈ G, from a released tuple t to entities: g2(g1(t)).

    g1 finds the tuples of external information that are compatible with t on all attributes
    compared; g2 contacts whom their explicit identifiers name. A *direct* relation has no g1: the
    channel works on t's own explicit identifier, where it is released as it is.
    """

    channel: Channel
    universe: tuple[Entity, ...] = field(repr=False)
    covers: Covers = field(repr=False)
    tables: tuple[int, ...] = ()
    rows: tuple[Row, ...] = field(default=(), repr=False)
    compared: frozenset[str] | None = None

    @property
    def is_direct(self) -> bool:
        """Whether it needs nothing but the release."""
        return not self.tables

    def compatible(self, row: Row, outside: Row) -> bool:
        """Say whether a released and an external tuple can be about the same entity."""
        shared = [name for name in row if name in outside]
        if self.compared is not None:
            shared = [name for name in shared if name in self.compared]
        return all(self.covers(name, row[name], outside[name]) for name in shared)

    def reach(self, row: Row) -> frozenset[Entity]:
        """Return L(t) by this relation."""
        if self.is_direct:
            return self.channel.reach(row, self.universe)
        found: frozenset[Entity] = frozenset()
        for outside in self.rows:
            if self.compatible(row, outside):
                found |= self.channel.reach(outside, self.universe)
        return found

    def __str__(self) -> str:
        if self.is_direct:
            return f"released {self.channel}"
        return f"external {' and '.join(str(n + 1) for n in self.tables)}, {self.channel}"


def reading_of(
    releases: Iterable[Release],
    others: Iterable[Sequence[Row]],
    hierarchies: Mapping[str, Hierarchy],
) -> Covers:
    """Return `labels.stands_for` for these tables: what digits mean, a whole attribute decides."""
    labels, values = _columns(r.rows for r in releases), _columns(others)
    kinds = {
        name: common_kind(labels.get(name, ()), values.get(name, ())) for name in {*labels, *values}
    }

    def covers(attribute: str, label: object, value: object) -> bool:
        return stands_for(label, value, hierarchies.get(attribute), kind=kinds[attribute])

    return covers


def _columns(tables: Iterable[Sequence[Row]]) -> dict[str, list[str | None]]:
    columns: dict[str, list[str | None]] = {}
    for table in tables:
        for row in table:
            for name, cell in row.items():
                columns.setdefault(name, []).append(cell)
    return columns
