"""The basic anonymous data system ADS0 of Sweeney (2001), section 5, for small instances.

A nine-tuple (S, P, PT, QI, U, R, E, G, f), held as it is printed, for teaching and as the
reference that faster methods are tested against. Every part can be looked at, every relation of G
is an object that can be followed by hand, and nothing is counted that could be listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from indistinct.core import InputError, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.prove.ads0.entities import (
    CollectionFunction,
    Entity,
    Row,
    as_rows,
    collected_from,
    pseudo_entities,
)
from indistinct.prove.ads0.external import join_external, ways_to_use
from indistinct.prove.ads0.relations import (
    Channel,
    Covers,
    DisclosureControl,
    Relation,
    Release,
    reading_of,
)
from indistinct.prove.ads0.verdict import Reading, Verdict, judge
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["ADS0", "Named"]

Named = Entity | str | Mapping[str, object]
"""An entity, or what makes one: its attributes and values, or its name alone."""


@result
class ADS0(Result):
    """A candidate for a basic anonymous data system: (S, P, PT, QI, U, R, E, G, f).

    Properties 1 to 8 are checked here; whether property 9 holds too, and the system *is* an ADS0,
    `verdict` says. `ADS0.of` makes one from plain names and rows.

    Parameters
    ----------
    subjects
        S, the entities with attributes to be protected.
    population
        P ⊇ S, the possible entities.
    private
        PT with its collection function fc: S → PT. Every tuple has a subject and every subject
        a tuple.
    key
        QI, the quasi-identifier: attributes of PT.
    universe
        U ⊇ P, possible entities and pseudo-entities.
    releases
        R, the releases RT. Each is judged by itself.
    external
        T1, …, Tn, tables about members of P, whose join is E.
    channels
        The direct communication methods g2 of G.
    function
        f, if a release was made by running it.
    beyond_key
        Let g1 compare all attributes that are both released and external, not those of QI alone,
        as an intruder does where the data holder misjudged QI.
    covers
        What a label stands for, if not what `labels.stands_for` says with the `hierarchies`.
    """

    subjects: tuple[Entity, ...]
    population: tuple[Entity, ...]
    private: CollectionFunction
    key: tuple[str, ...]
    universe: tuple[Entity, ...]
    releases: tuple[Release, ...]
    external: tuple[tuple[Row, ...], ...]
    channels: tuple[Channel, ...]
    function: DisclosureControl | None = None
    beyond_key: bool = False
    covers: Covers | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    FACTS = facts(
        Fact("subjects", lambda found: len(found.subjects)),
        Fact("people", lambda found: len(found.population)),
        Fact("pseudo_entities", lambda found: len(found.pseudo)),
        Fact("private_tuples", lambda found: len(found.private.table)),
        "key",
        Fact("releases", lambda found: len(found.releases)),
        Fact("external_tables", lambda found: len(found.external)),
        Fact("relations", lambda found: len(found.relations)),
    )

    def __post_init__(self) -> None:
        self._check_entities()
        self._check_private()
        self._check_releases()
        self._check_external()

    @classmethod
    def of(
        cls,
        *,
        subjects: Iterable[Named],
        private: Iterable[Mapping[str, object]],
        key: Sequence[str],
        external: Iterable[Iterable[Mapping[str, object]]] = (),
        population: Iterable[Named] | None = None,
        universe: Iterable[Named] | None = None,
        releases: Iterable[Release | Iterable[Mapping[str, object]]] = (),
        function: DisclosureControl | None = None,
        names: str | Sequence[str] = "name",
        whose: Sequence[Named | None] | None = None,
        channels: Iterable[Channel] | None = None,
        beyond_key: bool = False,
        covers: Covers | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> ADS0:
        """Make the nine-tuple from plain values.

        Parameters
        ----------
        names
            The attributes that name entities. Where it is one, ``"Ann"`` is an entity.
        whose
            The subject of each private tuple, where the tuples themselves do not name it.
        population
            By default the subjects and everybody whom external information names.
        universe
            By default the population and the pseudo-entities that released identifiers imply:
            those that can stand for nobody of the population.
        releases, function
            What was released, and f, which is run on the private tuples to make a release more.
        channels
            By default one, on `names`.

        >>> system = ADS0.of(
        ...     subjects=["Ann", "Al"],
        ...     private=[{"name": "Ann", "zip": "02139", "ill": "cardiac"},
        ...              {"name": "Al", "zip": "02138", "ill": "liver"}],
        ...     key=["name", "zip"],
        ...     external=[[{"name": "Ann", "zip": "02139"}, {"name": "Al", "zip": "02138"}]],
        ...     function=lambda rows: [{"zip": row["zip"], "ill": row["ill"]} for row in rows],
        ... )
        >>> system.verdict()
        not an ADS0: 2 disclosures
          tuple 1 is Ann's (a, b and c fail; external 1, {name})
          tuple 2 is Al's (a, b and c fail; external 1, {name})
          tuple 1: Ann; none
          tuple 2: Al; none
        """
        naming = (names,) if isinstance(names, str) else tuple(names)
        tables = tuple(as_rows(table) for table in external)
        own = _entities(subjects, naming)
        if population is None:
            named = [_named(row, naming) for table in tables for row in table]
            people = tuple(dict.fromkeys([*own, *(entity for entity in named if entity)]))
        else:
            people = _entities(population, naming)
        makers = None if whose is None else [_entity(w, naming) if w else None for w in whose]
        collection = collected_from(own, private, whose=makers)
        made = [r if isinstance(r, Release) else Release.of(r) for r in releases]
        if function is not None:
            made.append(Release.by(function, collection.table))
        read = covers or reading_of(made, [*tables, collection.table], hierarchies or {})
        return cls(
            subjects=own,
            population=people,
            private=collection,
            key=tuple(key),
            universe=_with_implied(people, made, naming, read)
            if universe is None
            else _entities(universe, naming),
            releases=tuple(made),
            external=tables,
            channels=(Channel(naming),) if channels is None else tuple(channels),
            function=function,
            beyond_key=beyond_key,
            covers=covers,
            hierarchies=hierarchies or {},
        )

    # The parts that follow from others

    @cached_property
    def real(self) -> frozenset[Entity]:
        """P, as a set."""
        return frozenset(self.population)

    @property
    def pseudo(self) -> frozenset[Entity]:
        """The pseudo-entities, U − P."""
        return pseudo_entities(self.universe, self.population)

    @cached_property
    def joined(self) -> tuple[Row, ...]:
        """E, all external tables joined."""
        return join_external(self.external)

    @cached_property
    def reading(self) -> Covers:
        """What a label of an attribute stands for."""
        others = [*self.external, self.private.table]
        return self.covers or reading_of(self.releases, others, self.hierarchies)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """G: every channel through every choice of external tables, and every channel directly."""
        compared = None if self.beyond_key else frozenset(self.key)
        through = [
            Relation(channel, self.universe, self.reading, tables, rows, compared)
            for tables, rows in ways_to_use(self.external)
            for channel in self.channels
        ]
        return (*through, *(Relation(c, self.universe, self.reading) for c in self.channels))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not hinder a verdict but should be known with it."""
        found = []
        if several := self.private.with_several_tuples:
            found.append(
                f"{len(several):,} of {len(self.subjects):,} subjects have several private tuples; "
                "the definition has one for each."
            )
        outside = {name for table in self.external for row in table[:1] for name in row}
        shared = {n for r in self.releases for n in r.attributes if n in outside} - set(self.key)
        if shared and not self.beyond_key:
            found.append(
                f"{', '.join(sorted(shared))}: released, and known from external information, but "
                "not in the key. The verdict holds only if nobody links on that."
            )
        if not self.external:
            found.append("There is no external information: links are by released names alone.")
        return tuple(found)

    def subjects_of(self, release: Release, record: int) -> tuple[Entity, ...]:
        """Return fc⁻¹ of the tuple that a released one was made from; all subjects if not known."""
        if release.origins is None:
            return self.subjects
        origin = release.origins[record]
        return () if origin is None else tuple(sorted(self.private.of_tuple[origin]))

    # What is asked of a system

    def links(self, release: int = 0) -> list[tuple[Entity, ...]]:
        """Return L(t) for every tuple of a release: the members of P that it leads to."""
        return [t.links for t in self.verdict().tuples if t.release == release]

    def verdict(self, *, reading: Reading = "strict") -> Verdict:
        """Say whether the system is an ADS0: whether no tuple discloses its subject.

        A tuple t discloses s if, by one and the same relation g ∈ G, s is a subject of t and
        (a) g leads from t to s and to nobody else of U, (b) g leads to s from no other tuple of
        the release, and (c) what t tells outside QI is accurate for s.

        Parameters
        ----------
        reading
            How (c) is read. ``"printed"``: what is told must be equal to what was collected; if
            nothing is told outside QI, nothing is disclosed. ``"strict"``: a generalisation that
            is true of s is accurate too; and if nothing is told, the link itself, correct and
            the only one, discloses that s is among the subjects.
        """
        return judge(self, reading=reading)

    def _lines(self) -> list[str]:
        return [
            f"ADS0: {len(self.subjects):,} subjects of {len(self.population):,} people, "
            f"{len(self.pseudo):,} pseudo-entities; {len(self.private.table):,} private tuples, "
            f"key {', '.join(self.key)}; {len(self.releases):,} releases; "
            f"{len(self.external):,} external tables; {len(self.relations):,} relations"
        ]

    def _tables(self) -> list[Table]:
        return [
            Table.facts("The system", {n.replace("_", " "): v for n, v in self.to_dict().items()})
        ]

    # Properties 1 to 8

    def _check_entities(self) -> None:
        for small, large, what in (
            (self.subjects, self.population, "subject must be in the population: S ⊆ P"),
            (self.population, self.universe, "member of the population must be in U: P ⊆ U"),
        ):
            missing = [e for e in dict.fromkeys(small) if e not in set(large)]
            if missing:
                raise InputError(f"Every {what}. {len(missing):,} are not: add them there.")
        if not self.subjects:
            raise InputError("There must be at least one subject. Got none.")
        if not self.channels or not all(channel.attributes for channel in self.channels):
            raise InputError("There must be a channel, and every channel needs attributes.")

    def _check_private(self) -> None:
        orphans = self.private.without_entity
        if orphans:
            numbers = ", ".join(str(i + 1) for i in orphans[:3])
            raise InputError(
                "Every private tuple must be about a subject, or the collection function is not "
                f"onto. Of S nobody is the subject of tuple {numbers}"
                f"{', …' if len(orphans) > 3 else ''}: add subjects, or say whose each tuple is."
            )
        silent = [s for s in self.subjects if not self.private.tuples_of(s)]
        if silent:
            raise InputError(
                f"There must be a private tuple about every subject. {len(silent):,} have none."
            )
        attributes = list(self.private.table[0])
        unknown = [name for name in self.key if name not in attributes]
        if unknown or not self.key:
            hint = did_you_mean(unknown[0], attributes) if unknown else "Got none."
            raise InputError(
                f"The key must consist of attributes of the private table. "
                f"{f'{unknown[0]!r} is none. ' if unknown else ''}{hint}"
            )

    def _check_releases(self) -> None:
        if not self.releases:
            raise InputError("There must be a release, or a function that makes one. Got neither.")
        attributes = list(self.private.table[0])
        for number, release in enumerate(self.releases, start=1):
            unknown = [name for name in release.attributes if name not in attributes]
            if unknown:
                raise InputError(
                    f"Release {number} has an attribute '{unknown[0]}' that the private table does "
                    f"not have. {did_you_mean(unknown[0], attributes)}"
                )
            origins = release.origins
            if origins is None:
                continue
            if len(origins) != len(release.rows):
                raise InputError(
                    f"Release {number} must have one origin for each tuple. Got {len(origins)} for "
                    f"{len(release.rows)} tuples."
                )
            if any(o is not None and not 0 <= o < len(self.private.table) for o in origins):
                raise InputError(
                    f"An origin in release {number} must be the number of a private tuple, from 0 "
                    f"to {len(self.private.table) - 1}, or None."
                )

    def _check_external(self) -> None:
        ways_to_use(self.external)
        for number, table in enumerate(self.external, start=1):
            for record, row in enumerate(table, start=1):
                for channel in self.channels:
                    known = all(row.get(name) is not None for name in channel.attributes)
                    if known and not channel.reach(row, self.universe) & self.real:
                        raise InputError(
                            f"External table {number}, tuple {record} names nobody of the "
                            "population. Add whom it names to the population."
                        )


def _entity(named: Named, naming: Sequence[str]) -> Entity:
    if isinstance(named, Entity):
        return named
    if isinstance(named, Mapping):
        return Entity.of(named)
    if len(naming) != 1:
        raise InputError(
            f"An entity here is named by {', '.join(naming)}: give each as a mapping of these. Got "
            "a single name."
        )
    return Entity.of({naming[0]: named})


def _entities(named: Iterable[Named], naming: Sequence[str]) -> tuple[Entity, ...]:
    return tuple(dict.fromkeys(_entity(one, naming) for one in named))


def _named(row: Row, naming: Sequence[str]) -> Entity | None:
    values = {name: row.get(name) for name in naming}
    return None if None in values.values() else Entity.of(values)


def _with_implied(
    people: tuple[Entity, ...], releases: Iterable[Release], naming: Sequence[str], read: Covers
) -> tuple[Entity, ...]:
    """Add the entities that released identifiers seem to name, but that are nobody."""
    implied = []
    for release in releases:
        for row in release.rows:
            entity = _named(row, naming)
            if entity and not any(
                all(read(name, row[name], person.values.get(name)) for name in naming)
                for person in people
            ):
                implied.append(entity)
    return tuple(dict.fromkeys([*people, *implied]))
