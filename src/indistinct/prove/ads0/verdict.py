"""Property 9 of an ADS0, tuple by tuple, and the protection models it satisfies.

If an entity is correctly associated with a released tuple, then (a) there must be another entity
to which the tuple could be associated, or (b) another tuple of the release that could be associated
with the subject, or (c) the non-controlled information, if present, cannot be accurate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from indistinct.core import GuaranteeError, InputError
from indistinct.hierarchy import as_text, is_suppressed
from indistinct.prove.ads0.entities import Entity, Row
from indistinct.prove.ads0.relations import Relation
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars

if TYPE_CHECKING:
    from indistinct.prove.ads0 import ADS0

__all__ = ["Model", "Reading", "TupleVerdict", "Verdict", "Witness", "judge"]

Reading = Literal["strict", "printed"]
Model = Literal["null-map", "k-map", "wrong-map", "none"]

_TOO_FEW_FOR_WRONG_MAP = 2
_SHOWN = 20


@dataclass(frozen=True)
class Witness(Part):
    """A disclosure: by some relation, a tuple leads to its subject and to nobody else.

    `release` and `record` are numbers from 0; people see them from 1.
    """

    release: int
    record: int
    entity: Entity
    relation: str

    FACTS = facts(
        Fact("release", lambda found: found.release + 1),
        Fact("record", lambda found: found.record + 1),
        Fact("entity", lambda found: str(found.entity)),
        Fact("failed", lambda found: ["a", "b", "c"]),
        "relation",
    )

    def __str__(self) -> str:
        return f"tuple {self.record + 1} is {self.entity}'s (a, b and c fail; {self.relation})"


@dataclass(frozen=True)
class TupleVerdict(Part):
    """What property 9 and the models say of one released tuple t.

    Parameters
    ----------
    links
        The members of P that t leads to by any relation: L(t).
    pseudo
        The pseudo-entities that it leads to.
    linked_correctly
        Whether some relation leads to a subject of t: the premise of property 9.
    a, b, c
        Whether each condition holds, for all relations and subjects. Without a correct link all do.
    discloses
        The subjects for whom, by one and the same relation, none of the three holds.
    k
        The fewest entities of U to which a relation leads that leads to anybody real; 0 if none
        does.
    model
        How t is protected.
    """

    release: int
    record: int
    links: tuple[Entity, ...]
    pseudo: tuple[Entity, ...]
    linked_correctly: bool
    a: bool
    b: bool
    c: bool
    discloses: tuple[Entity, ...]
    k: int
    model: Model

    FACTS = facts(
        Fact("release", lambda found: found.release + 1),
        Fact("record", lambda found: found.record + 1),
        Fact("links", lambda found: [str(entity) for entity in found.links]),
        Fact("pseudo", lambda found: [str(entity) for entity in found.pseudo]),
        "linked_correctly a b c",
        Fact("discloses", lambda found: [str(entity) for entity in found.discloses]),
        "k model",
    )

    def __str__(self) -> str:
        found = ", ".join(map(str, self.links)) or "nobody"
        if self.pseudo:
            found += f" (pseudo: {', '.join(map(str, self.pseudo))})"
        model = f"k-map, k={self.k}" if self.model == "k-map" else self.model
        return f"tuple {self.record + 1}: {found}; {model}"


@result(eq=True)
class Verdict(Result):
    """Whether a system is an ADS0, with witnesses if it is not, and how tuples are protected."""

    tuples: tuple[TupleVerdict, ...]
    witnesses: tuple[Witness, ...]
    warnings: tuple[str, ...] = ()
    few: str = field(default="", repr=False)

    FACTS = facts(
        "ads0 null_map k_map wrong_map models",
        Fact("disclosures", lambda found: len(found.witnesses)),
        Fact("witnesses", lambda found: found.witnesses[:_SHOWN]),
        "tuples warnings",
    )

    @property
    def ads0(self) -> bool:
        """Whether every tuple of every release satisfies property 9."""
        return not self.witnesses

    @property
    def disclosed(self) -> tuple[Entity, ...]:
        """The subjects who are disclosed, in the order of the tuples that do it."""
        return tuple(dict.fromkeys(witness.entity for witness in self.witnesses))

    @property
    def null_map(self) -> bool:
        """Whether no tuple leads to any subject."""
        return all(t.model == "null-map" for t in self.tuples)

    @property
    def k_map(self) -> int:
        """The k of k-map protection: every tuple refers indistinctly to k members of U."""
        return min((t.k for t in self.tuples), default=0)

    @property
    def wrong_map(self) -> bool:
        """Whether every tuple leads to one subject, the wrong one; never with one or two."""
        return bool(self.tuples) and all(t.model == "wrong-map" for t in self.tuples)

    def require_wrong_map(self) -> None:
        """Raise an error that says why the release has no wrong-map protection, if it has none."""
        if self.few:
            raise GuaranteeError(self.few)
        if not self.wrong_map:
            others = sum(t.model != "wrong-map" for t in self.tuples)
            raise GuaranteeError(
                "Wrong-map protection needs every tuple to lead to one subject whose other values "
                f"it does not have. {others:,} of {len(self.tuples):,} do not. Exchange the key of "
                "records as a unit, or ask for another model."
            )

    @property
    def models(self) -> dict[Model, int]:
        """How many tuples each model protects: optimal releases often combine several."""
        counts = Counter(t.model for t in self.tuples)
        kinds: tuple[Model, ...] = ("null-map", "k-map", "wrong-map", "none")
        return {kind: counts[kind] for kind in kinds if counts[kind]}

    def plot(self) -> str:
        """Draw how many tuples each model protects, as SVG."""
        return bars("Released tuples", list(self.models), list(self.models.values()))

    def _lines(self) -> list[str]:
        count = len(self.witnesses)
        head = "an ADS0" if self.ads0 else f"not an ADS0: {count} disclosure{'s'[: count > 1]}"
        lines = [head, *(f"  {witness}" for witness in self.witnesses[:_SHOWN])]
        lines += [f"  {t}" for t in self.tuples[:_SHOWN]]
        if len(self.tuples) > _SHOWN:
            lines.append(f"  and {len(self.tuples) - _SHOWN:,} tuples more")
        return [*lines, *(f"  warning: {text}" for text in self.warnings)]

    def _tables(self) -> list[Table]:
        tables = [
            Table(
                "Released tuples by what protects them",
                ("model", "tuples"),
                list(self.models.items()),
            ),
            Table(
                "Tuples",
                ("tuple", "leads to", "model", "k"),
                [
                    (t.record + 1, ", ".join(map(str, t.links)) or "nobody", t.model, t.k)
                    for t in self.tuples[:_SHOWN]
                ],
            ),
        ]
        if self.witnesses:
            rows = [(str(witness),) for witness in self.witnesses[:_SHOWN]]
            tables.append(Table("Disclosures", ("what",), rows))
        return tables


def judge(system: ADS0, *, reading: Reading = "strict") -> Verdict:
    """Try property 9 on every tuple of every release; see `ADS0.verdict`."""
    if reading not in ("strict", "printed"):
        raise InputError(f"reading must be 'strict' or 'printed'. Got {reading!r}.")
    tuples, witnesses, few = [], [], ""
    for number, release in enumerate(system.releases):
        reasons = _too_few(len(system.subjects), len(release.rows))
        few = few or reasons
        reached = [[g.reach(row) for row in release.rows] for g in system.relations]
        for record, row in enumerate(release.rows):
            subjects = system.subjects_of(release, record)
            checks = [
                (g, s, *_conditions(system, reached[i], record, row, s, reading))
                for i, g in enumerate(system.relations)
                for s in subjects
                if s in reached[i][record]
            ]
            found = [(g, s) for g, s, a, b, c in checks if not (a or b or c)]
            witnesses += _witnesses(number, record, found)
            of_tuple = [links[record] for links in reached]
            tuples.append(
                TupleVerdict(
                    release=number,
                    record=record,
                    links=_sorted(u for links in of_tuple for u in links if u in system.real),
                    pseudo=_sorted(u for links in of_tuple for u in links if u not in system.real),
                    linked_correctly=bool(checks),
                    a=all(check[2] for check in checks),
                    b=all(check[3] for check in checks),
                    c=all(check[4] for check in checks),
                    discloses=_sorted(s for _, s in found),
                    k=_k(system, of_tuple),
                    model=_model(system, of_tuple, row, subjects, release.origins is None, reasons),
                )
            )
    return Verdict(tuple(tuples), tuple(witnesses), system.warnings, few)


def _conditions(
    system: ADS0,
    reached: list[frozenset[Entity]],
    record: int,
    row: Row,
    subject: Entity,
    reading: Reading,
) -> tuple[bool, bool, bool]:
    """Return whether (a), (b) and (c) hold where a relation leads from a tuple to its subject."""
    a = any(u != subject for u in reached[record])
    b = any(subject in links for other, links in enumerate(reached) if other != record)
    told = _values_told(system, row, reading)
    c = reading == "printed" if not told else not _accurate(system, told, subject, reading)
    return a, b, c


def _values_told(system: ADS0, row: Row, reading: Reading) -> Row:
    """Return t[Ap, …, Aq]: what is released outside QI and not suppressed.

    Strictly, what is true of everybody in the private data tells nothing of anybody.
    """
    told = {
        name: label
        for name, label in row.items()
        if name not in system.key and not is_suppressed(label, system.hierarchies.get(name))
    }
    if reading == "printed":
        return told
    held = system.private.table
    return {
        name: label
        for name, label in told.items()
        if not all(_true_of(system, name, label, row[name], reading) for row in held)
    }


def _accurate(system: ADS0, told: Row, subject: Entity, reading: Reading) -> bool:
    """Say whether what a tuple tells outside QI is so in a private tuple of the subject.

    As printed, a tuple is compared as a whole. Strictly, one true value is enough: it is a
    disclosure of that value, whatever stands beside it.
    """
    enough = all if reading == "printed" else any
    held = system.private.table
    return any(
        enough(_true_of(system, name, told[name], held[i][name], reading) for name in told)
        for i in system.private.tuples_of(subject)
    )


def _true_of(
    system: ADS0, name: str, label: str | None, value: str | None, reading: Reading
) -> bool:
    if value is None:
        return False
    return as_text(label) == value if reading == "printed" else system.reading(name, label, value)


def _k(system: ADS0, of_tuple: list[frozenset[Entity]]) -> int:
    # s itself is real, so a relation that leads to pseudo-entities alone gives no k
    return min((len(links) for links in of_tuple if links & system.real), default=0)


def _model(
    system: ADS0,
    of_tuple: list[frozenset[Entity]],
    row: Row,
    subjects: tuple[Entity, ...],
    anybody: bool,
    few: str,
) -> Model:
    mapped = frozenset(s for links in of_tuple for s in links if s in set(system.subjects))
    if not mapped:
        return "null-map"
    if _k(system, of_tuple) > 1:
        return "k-map"
    if len(mapped) > 1 or few:
        return "none"
    (linked,) = mapped
    told = _values_told(system, row, "strict")
    if told:
        return "none" if _accurate(system, told, linked, "strict") else "wrong-map"
    return "none" if anybody or linked in subjects else "wrong-map"


def _too_few(subjects: int, records: int) -> str:
    if min(subjects, records) > _TOO_FEW_FOR_WRONG_MAP:
        return ""
    fewer, what = min((subjects, "subject"), (records, "record"))
    if fewer <= 1:
        why = "there is nobody else to lead to"
    else:
        why = "whoever knows that a link is wrong knows the right one"
    return (
        f"Wrong-map protection needs more than two subjects and records. Got {fewer} "
        f"{what}{'s'[: fewer != 1]}: {why}. Ask for k-map or null-map protection."
    )


def _witnesses(number: int, record: int, found: list[tuple[Relation, Entity]]) -> list[Witness]:
    """Return one witness for each subject disclosed, with the first relation that does it."""
    first: dict[Entity, Relation] = {}
    for relation, subject in found:
        first.setdefault(subject, relation)
    return [Witness(number, record, s, str(g)) for s, g in sorted(first.items(), key=_by_entity)]


def _by_entity(item: tuple[Entity, Relation]) -> Entity:
    return item[0]


def _sorted(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple(sorted(set(entities)))
