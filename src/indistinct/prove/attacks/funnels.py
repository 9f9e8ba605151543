"""How many people remain as one attribute after another becomes known.

"Six people had his particular birth date; only three of them were men; and he was the only one in
his five-digit ZIP code" (Sweeney 2001, section 2, of William Weld in the voter list).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from indistinct.core import InputError, Ints, Missing, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import group_rows
from indistinct.prove.attacks.exact import name_people
from indistinct.prove.covering import cover
from indistinct.prove.exposure import Exposure, Unmet, count_by, expose
from indistinct.prove.links import linked_totals
from indistinct.prove.registers import Register, shared_attributes
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Funnel", "FunnelStep", "ReleaseFunnel", "ReleaseStep", "funnel", "release_funnel"]

Order = Literal["given", "best"]
"""Attributes as they were named, or the one that leaves the fewest people first."""
NAMED = 20
Step = TypeVar("Step")


@dataclass(frozen=True)
class FunnelStep:
    """People who agree on this attribute and on all before it."""

    attribute: str
    people: int


@result(eq=True)
class Funnel(Result):
    """The people of a register who agree with ever more facts.

    `named` are those who remain, if they are at most twenty.
    """

    register: str
    people: int
    steps: tuple[FunnelStep, ...]
    named: tuple[str, ...] = ()

    FACTS = facts(
        "register people",
        Fact(
            "steps",
            lambda found: [{"attribute": s.attribute, "people": s.people} for s in found.steps],
        ),
        "named",
    )

    @property
    def remaining(self) -> int:
        """The people who agree with every fact."""
        return self.steps[-1].people

    def _lines(self) -> list[str]:
        lines = [f"{self.people:,} people of {self.register}"]
        wide = max(len(step.attribute) for step in self.steps)
        lines += [f"  with the same {s.attribute:<{wide}}  {s.people:>9,}" for s in self.steps]
        if self.named:
            lines.append(f"  {', '.join(self.named)}")
        return lines

    def plot(self) -> str:
        """Draw the people who remain after each attribute, as SVG."""
        title = f"Who remains of {self.people:,} people of {self.register}"
        return bars(title, _added(self.steps), [s.people for s in self.steps])

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"Who remains of {self.people:,} people of {self.register}",
                ("with the same", "people"),
                [(step.attribute, step.people) for step in self.steps],
            )
        ]


@dataclass(frozen=True)
class ReleaseStep:
    """Candidates of the records of a release when this and all attributes before it are known."""

    attribute: str
    median: float
    unique: int
    none: int
    expected: float
    """Records linked rightly by picking a candidate: the sum of 1/candidates."""


@result(eq=True)
class ReleaseFunnel(Result):
    """How the records of a release become attached to people as attributes become known."""

    register: str
    people: int
    records: int
    order: str
    steps: tuple[ReleaseStep, ...]

    FACTS = facts(
        "register people records order",
        Fact(
            "steps",
            lambda found: [
                {
                    "attribute": s.attribute,
                    "median": s.median,
                    "unique": s.unique,
                    "unique_share": s.unique / found.records,
                    "none": s.none,
                    "expected": s.expected,
                }
                for s in found.steps
            ],
        ),
    )

    def _lines(self) -> list[str]:
        wide = max(9, *(len(step.attribute) for step in self.steps))
        lines = [
            f"{self.records:,} records among {self.people:,} people of {self.register}, attributes "
            f"in {'the' if self.order == 'best' else 'the order'} "
            f"{'order that identifies most' if self.order == 'best' else 'given'}",
            f"  {'attribute':<{wide}}  median candidates     one     none   expected right",
        ]
        lines += [
            f"  {s.attribute:<{wide}}  {s.median:>17,.0f} {s.unique / self.records:>7.1%} "
            f"{s.none / self.records:>8.1%} {s.expected / self.records:>16.1%}"
            for s in self.steps
        ]
        return lines

    def plot(self) -> str:
        """Draw the share of records that name one person after each attribute, as SVG."""
        return bars(
            "Records that name one person, in per cent",
            _added(self.steps),
            [100 * s.unique / self.records for s in self.steps],
            beside=[100 * s.expected / self.records for s in self.steps],
            names=("one candidate", "expected right"),
        )

    def _tables(self) -> list[Table]:
        n = max(1, self.records)
        return [
            Table(
                f"{self.records:,} records among {self.people:,} people of {self.register}",
                ("attribute", "median candidates", "one", "none", "expected right"),
                [
                    (s.attribute, s.median, s.unique / n, s.none / n, s.expected / n)
                    for s in self.steps
                ],
                dict.fromkeys(("one", "none", "expected right"), ".1%"),
            )
        ]


def funnel(
    engine: Engine,
    register: Register,
    facts: Mapping[str, object],
    *,
    order: Order | Sequence[str] = "given",
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Funnel:
    """Count the people of a register who agree with the first fact, the first two, and so on.

    Parameters
    ----------
    facts
        What is known of somebody, by attribute: values, or labels such as ``0213*``; also a
        released record.
    order
        The attributes in the order in which they become known: as in `facts`, the one that leaves
        the fewest people first (``"best"``), or a list.

    >>> import indistinct, pyarrow as pa
    >>> voters = pa.table({"birth": [1945, 1945, 1945, 1950], "sex": [*"mmfm"], "zip": [*"1211"]})
    >>> with indistinct.open_data(voters) as data:
    ...     funnel(data.engine, Register(data.source, "voters"),
    ...            {"birth": 1945, "sex": "m", "zip": "1"})
    4 people of voters
      with the same birth          3
      with the same sex            2
      with the same zip            1
      row 1
    """
    names = list(facts)
    if not names:
        raise InputError("A funnel needs at least one fact.")
    register.source.check_columns(names)
    chosen = _chosen(order, names)
    known = count_by(engine, register.source, names)
    agree = {}
    for j, name in enumerate(names):
        found = cover(
            [facts[name]], known.values[j], name=name, hierarchy=(hierarchies or {}).get(name)
        )
        values = np.arange(len(known.values[j]))
        agree[name] = found.meets(np.zeros_like(values), values)[known.codes[:, j]]

    def step(before: Sequence[str], name: str) -> FunnelStep:
        rows = np.logical_and.reduce([agree[n] for n in (*before, name)])
        return FunnelStep(name, int(known.counts[rows].sum()))

    steps = _ordered(names, chosen, step, lambda s: s.people)
    last = np.logical_and.reduce([agree[step.attribute] for step in steps])
    rows, _ = known.records_in(np.flatnonzero(last))
    named = name_people(register, np.sort(rows).tolist()) if len(rows) <= NAMED else []
    return Funnel(register.name, register.source.records, tuple(steps), tuple(named))


def release_funnel(
    engine: Engine,
    release: Source,
    register: Register,
    *,
    attributes: Sequence[str],
    order: Order | Sequence[str] = "best",
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "own",
    unmet: Unmet = "excluding",
) -> ReleaseFunnel:
    """Count the candidates of every released record as attributes become known.

    Parameters
    ----------
    order
        ``"best"`` takes at each step the attribute that lets most records be linked rightly, by
        Σ 1/candidates; ``"given"`` follows `attributes`; or a list of some of them.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"sex": [*"mmff"], "zip": [*"1233"]})
    >>> with indistinct.open_data(people) as data:
    ...     found = release_funnel(data.engine, data.source, Register(data.source, "voters"),
    ...                            attributes=["sex", "zip"])
    >>> [(step.attribute, step.unique, step.expected) for step in found.steps]
    [('zip', 2, 3.0), ('sex', 2, 3.0)]
    """
    names = shared_attributes(release, register, attributes)
    chosen = _chosen(order, names)
    exposure = expose(
        engine, release, register, names, hierarchies=hierarchies, missing=missing, unmet=unmet
    )

    def step(before: Sequence[str], name: str) -> ReleaseStep:
        candidates = _candidates(exposure, [names.index(n) for n in (*before, name)])
        return _release_step(name, candidates, exposure.released.counts)

    steps = _ordered(names, chosen, step, lambda s: -s.expected)
    return ReleaseFunnel(
        register.name,
        register.source.records,
        release.records,
        "best" if chosen is None else "given",
        tuple(steps),
    )


def _chosen(order: Order | Sequence[str], names: Sequence[str]) -> list[str] | None:
    """Return the attributes in order, None where the best order must be found."""
    if order == "best":
        return None
    if order == "given":
        return list(names)
    if isinstance(order, str):
        raise InputError(
            f"The order must be 'given', 'best' or a list of attributes. Got '{order}'."
        )
    for name in order:
        if name not in names:
            raise InputError(f"'{name}' is no known attribute. {did_you_mean(name, names)}")
    if not order:
        raise InputError("The order must name at least one attribute.")
    return list(dict.fromkeys(order))


def _ordered(
    names: Sequence[str],
    chosen: Sequence[str] | None,
    step: Callable[[Sequence[str], str], Step],
    cost: Callable[[Step], float],
) -> list[Step]:
    """Take the steps as chosen, or at each place the one of least cost."""
    steps: list[Step] = []
    before: list[str] = []
    for place in range(len(names if chosen is None else chosen)):
        if chosen is not None:
            name, best = chosen[place], step(before, chosen[place])
        else:
            tried = [(name, step(before, name)) for name in names if name not in before]
            name, best = min(tried, key=lambda pair: cost(pair[1]))
        steps.append(best)
        before.append(name)
    return steps


def _candidates(exposure: Exposure, columns: Sequence[int]) -> Ints:
    """Return, for every released class, the people who agree on some attributes."""
    known, released = exposure.known, exposure.released
    assert known is not None
    labels, people = released.codes[:, columns], known.codes[:, columns]
    which, group = _distinct(labels), group_rows(labels)
    them, theirs = _distinct(people), group_rows(people)
    counts = np.zeros(len(them), dtype=np.int64)
    np.add.at(counts, theirs, known.counts)
    covers = [exposure.covers[j] for j in columns]
    totals = linked_totals(
        labels[which], people[them], covers, counts[:, None], missing=exposure.missing
    )
    return totals[:, 0][group]


def _distinct(codes: Ints) -> Ints:
    """Return a row of each kind, in the order in which `group_rows` numbers them."""
    groups = group_rows(codes)
    first = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    first[groups] = np.arange(len(groups))
    return first


def _release_step(name: str, candidates: Ints, counts: Ints) -> ReleaseStep:
    order = np.argsort(candidates, kind="stable")
    reached = np.cumsum(counts[order])
    total = int(reached[-1])
    # the two records in the middle, or the one
    middle = np.searchsorted(reached, [(total - 1) // 2, total // 2], side="right")
    chance = np.zeros(len(candidates))
    np.divide(1.0, candidates, out=chance, where=candidates > 0)
    return ReleaseStep(
        name,
        float(candidates[order[middle]].mean()),
        int(counts[candidates == 1].sum()),
        int(counts[candidates == 0].sum()),
        float(chance @ counts),
    )


def _added(steps: Sequence[FunnelStep | ReleaseStep]) -> list[str]:
    return [("+ " if place else "") + step.attribute for place, step in enumerate(steps)]
