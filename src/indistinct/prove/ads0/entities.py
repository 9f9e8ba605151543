"""Entities, the tables collected from them, and relations that lead back (Sweeney 2001, section 5).

An entity is a set of attributes with values: ``{(name, Ann)}``. A table about entities comes from
a collection function, and a re-identification relation leads from its tuples to entities again.
Everything here is small and literal; it is the vocabulary of `indistinct.prove.ads0`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from indistinct.core import InputError
from indistinct.hierarchy import as_text
from indistinct.results import Fact, Part, facts

__all__ = [
    "CollectionFunction",
    "Entity",
    "ReIdentification",
    "Row",
    "as_rows",
    "collected_from",
    "identifies_somebody",
    "project",
    "pseudo_entities",
    "re_identification",
]

Row = Mapping[str, str | None]
"""A tuple of a table: its attributes and their values, as text."""


@dataclass(frozen=True, order=True)
class Entity:
    """A set of pairs of an attribute and its value, which is all that is said of somebody.

    >>> ann = Entity.of({"name": "Ann"})
    >>> ann, str(ann), ann.agrees({"name": "Ann", "zip": "02139"})
    (Entity(name='Ann'), 'Ann', True)
    """

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Entity:
        """Make the entity with these attributes and values; missing values say nothing."""
        texts = ((name, as_text(value)) for name, value in values.items())
        pairs = tuple(sorted((name, text) for name, text in texts if text is not None))
        if not pairs:
            raise InputError("An entity needs at least one attribute with a value. Got none.")
        return cls(pairs)

    @property
    def values(self) -> dict[str, str]:
        """The values by attribute."""
        return dict(self.pairs)

    def agrees(self, row: Row, attributes: Iterable[str] | None = None) -> bool:
        """Say whether all its values among the attributes stand in a tuple.

        Without attributes: those that both have, and there must be one at least.
        """
        own = self.values
        names = list(own.keys() & row.keys() if attributes is None else attributes)
        return bool(names) and all(
            name in own and row.get(name) is not None and own[name] == row[name] for name in names
        )

    def __str__(self) -> str:
        return ", ".join(value for _, value in self.pairs)

    def __repr__(self) -> str:
        return f"Entity({', '.join(f'{name}={value!r}' for name, value in self.pairs)})"


def as_rows(table: Iterable[Mapping[str, object]]) -> tuple[Row, ...]:
    """Return a table's tuples with their values as text, duplicates kept.

    >>> as_rows([{"zip": 2139, "age": 40.0}])
    ({'zip': '2139', 'age': '40'},)
    """
    rows = tuple({str(name): as_text(cell) for name, cell in row.items()} for row in table)
    for number, row in enumerate(rows, start=1):
        if row.keys() != rows[0].keys():
            raise InputError(
                f"All tuples of a table must have the same attributes. Tuple {number} has "
                f"{', '.join(row) or 'none'}; tuple 1 has {', '.join(rows[0]) or 'none'}."
            )
    return rows


def project(table: Sequence[Row], attributes: Sequence[str]) -> tuple[Row, ...]:
    """Return B[Ai, …, Aj]: the attributes alone, with duplicate tuples maintained.

    >>> len(project(as_rows([{"sex": "f", "age": 1}, {"sex": "f", "age": 2}]), ["sex"]))
    2
    """
    return tuple({name: row[name] for name in attributes} for row in table)


@dataclass(frozen=True, eq=False)
class CollectionFunction:
    """fc: U → T, which says from whom each tuple of a table was collected.

    Parameters
    ----------
    entities
        U, all who could have been asked.
    table
        T, the entity-specific table.
    of_tuple
        For each tuple the entities whose information it is, fc⁻¹(t). Several entities may have
        collected the same tuple, and T then holds it as often.
    """

    entities: tuple[Entity, ...]
    table: tuple[Row, ...] = field(repr=False)
    of_tuple: tuple[frozenset[Entity], ...] = field(repr=False)

    def tuples_of(self, entity: Entity) -> tuple[int, ...]:
        """Return the numbers of an entity's tuples, from 0."""
        return tuple(i for i, whose in enumerate(self.of_tuple) if entity in whose)

    @property
    def is_onto(self) -> bool:
        """Whether every tuple was collected from somebody."""
        return not self.without_entity

    @property
    def without_entity(self) -> tuple[int, ...]:
        """The tuples that were collected from nobody, from 0."""
        return tuple(i for i, whose in enumerate(self.of_tuple) if not whose)

    @property
    def with_several_tuples(self) -> tuple[Entity, ...]:
        """The entities that have several tuples, with whom fc is no function."""
        return tuple(e for e in self.entities if len(self.tuples_of(e)) > 1)

    def every_tuple_has_an_entity(self, attributes: Iterable[str]) -> bool:
        """Check what the theorem says of an onto function, tuple by tuple.

        fc is onto ⇒ ∀ t[Ai, …, Aj] ∈ T, ∃ p ∈ U such that ∀ (Ax, vx) ∈ p with Ax ∈ {Ai, …, Aj}:
        vx = t[Ax].
        """
        wanted = set(attributes)
        return all(
            any(
                all(row.get(name) == value for name, value in entity.pairs if name in wanted)
                for entity in self.entities
            )
            for row in self.table
        )

    def __repr__(self) -> str:
        people, tuples = f"{len(self.entities):,} entities", f"{len(self.table):,} tuples"
        return f"fc: {people} → {tuples}, {'' if self.is_onto else 'not '}onto"


def collected_from(
    entities: Iterable[Entity],
    table: Iterable[Mapping[str, object]],
    *,
    whose: Sequence[Entity | None] | None = None,
) -> CollectionFunction:
    """Return the collection function of a table.

    `whose` names the entity of each tuple. Without it a tuple belongs to the entities all of
    whose values stand in it.

    >>> patients = [Entity.of({"name": n}) for n in ("Ann", "Abe")]
    >>> visits = [{"name": "Ann", "why": "burn"}, {"name": "Zoe", "why": "fall"}]
    >>> collected_from(patients, visits)
    fc: 2 entities → 2 tuples, not onto
    """
    people, rows = tuple(dict.fromkeys(entities)), as_rows(table)
    if whose is None:
        found = [frozenset(e for e in people if e.agrees(row, e.values)) for row in rows]
    elif len(whose) != len(rows):
        raise InputError(
            f"There must be one entity for each tuple. Got {len(whose)} for {len(rows)} tuples."
        )
    else:
        known = set(people)
        found = [frozenset({entity} & known if entity else ()) for entity in whose]
    return CollectionFunction(people, rows, tuple(found))


@dataclass(frozen=True, eq=False)
class ReIdentification(Part):
    """What a relation fg: T → U′ finds for every entity: fg(fc(p)).

    fg is a *re-identification relation* if ∃ p ∈ U with p ∈ fg(fc(p)) and |fg(fc(p))| = k,
    1 ≤ k ≪ |U|. It *uniquely identifies* p if k = 1. How small ≪ is, the paper leaves open:
    `much_smaller` is the largest share k / |U| that counts.
    """

    links: Mapping[Entity, frozenset[Entity]] = field(repr=False)
    population: int
    much_smaller: float = 0.5

    FACTS = facts(
        Fact("sizes", lambda found: {str(entity): size for entity, size in found.sizes.items()}),
        Fact(
            "uniquely_identified",
            lambda found: [str(entity) for entity in found.uniquely_identified],
        ),
    )

    @property
    def sizes(self) -> dict[Entity, int]:
        """|fg(fc(p))| of every entity p that has a tuple."""
        return {entity: len(found) for entity, found in self.links.items()}

    @property
    def re_identified(self) -> tuple[Entity, ...]:
        """The entities found among few others, or alone."""
        most = self.much_smaller * self.population
        return tuple(e for e, found in self.links.items() if e in found and len(found) <= most)

    @property
    def uniquely_identified(self) -> tuple[Entity, ...]:
        """The entities that are found alone (k = 1)."""
        return tuple(entity for entity, found in self.links.items() if found == {entity})

    @property
    def is_re_identification(self) -> bool:
        """Whether the relation re-identifies anybody."""
        return bool(self.re_identified)

    def __repr__(self) -> str:
        return (
            f"fg: of {len(self.links):,} entities {len(self.re_identified):,} re-identified, "
            f"{len(self.uniquely_identified):,} uniquely"
        )


def re_identification(
    collection: CollectionFunction,
    relation: Callable[[Row], Iterable[Entity]],
    *,
    much_smaller: float = 0.5,
) -> ReIdentification:
    """Follow a relation back from the tuples of every entity.

    >>> people = [Entity.of({"name": n}) for n in ("Ann", "Abe", "Al")]
    >>> table = [{"name": str(p), "zip": z} for p, z in zip(people, ("02139", "02139", "02138"))]
    >>> def by_zip(row):
    ...     return [p for p, other in zip(people, table) if other["zip"] == row["zip"]]
    >>> re_identification(collected_from(people, table), by_zip)
    fg: of 3 entities 1 re-identified, 1 uniquely
    """
    links = {
        entity: frozenset(found for i in numbers for found in relation(collection.table[i]))
        for entity in collection.entities
        if (numbers := collection.tuples_of(entity))
    }
    return ReIdentification(links, len(collection.entities), much_smaller)


def pseudo_entities(universe: Iterable[Entity], population: Iterable[Entity]) -> frozenset[Entity]:
    """Return U′ − U: those whose existence is implied only, by values of which some are false.

    >>> jcd, ann = Entity.of({"name": "Jcd"}), Entity.of({"name": "Ann"})
    >>> pseudo_entities([jcd, ann], [ann])
    frozenset({Entity(name='Jcd')})
    """
    return frozenset(universe) - frozenset(population)


def identifies_somebody(
    collection: CollectionFunction,
    attributes: Sequence[str],
    relation: Callable[[Row], Iterable[Entity]],
) -> bool:
    """Say whether attributes are a quasi-identifier: ∃ p ∈ U such that fg(fc(p)[Q]) = p."""
    return any(
        frozenset(relation({name: collection.table[i].get(name) for name in attributes}))
        == {entity}
        for entity in collection.entities
        for i in collection.tuples_of(entity)
    )
