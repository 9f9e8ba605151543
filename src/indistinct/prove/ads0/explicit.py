"""Explicit identifiers: attributes by which a person can be contacted (Sweeney 2001, section 5).

{Ax, …, Ay} ⊆ QI is an explicit identifier of a table T if there is a direct communication method
gd (mail, telephone, email) such that, with no additional information, the number of people it
reaches, X = |gd(t[Ax, …, Ay])| over t ∈ T, has expected value 1 and 1/σ ≈ ∞.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pstdev

from indistinct.core import InputError, did_you_mean
from indistinct.prove.ads0.entities import Row, as_rows
from indistinct.results import Fact, Result, facts, result

__all__ = [
    "EMAIL",
    "METHODS",
    "POSTAL_MAIL",
    "TELEPHONE",
    "Method",
    "Reach",
    "explicit_identifiers",
    "is_explicit_identifier",
    "reach_of",
]

_MOST_ATTRIBUTES = 12
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Method:
    """A direct communication method.

    Parameters
    ----------
    name
        What people call it.
    needs
        The attributes that carry a message: without all of them it reaches nobody.
    asks_for
        The attributes by which it finds one person among those whom the message comes to. A
        caller can ask for somebody by name; nobody answers to a Social Security number.
    """

    name: str
    needs: frozenset[str]
    asks_for: frozenset[str] = frozenset()

    def reach(self, values: Row, people: Iterable[Row]) -> int:
        """Return how many people a message reaches that is sent with these values only."""
        if any(values.get(name) is None for name in self.needs):
            return 0
        used = self.needs | {name for name in self.asks_for if values.get(name) is not None}
        return sum(all(person.get(n) == values[n] for n in used) for person in people)


EMAIL = Method("email", frozenset({"email"}))
TELEPHONE = Method("telephone", frozenset({"phone"}), frozenset({"name"}))
POSTAL_MAIL = Method("postal mail", frozenset({"address"}), frozenset({"name"}))
METHODS = (EMAIL, TELEPHONE, POSTAL_MAIL)
"""D, the methods that the paper names."""


@result(eq=True)
class Reach(Result):
    """How many people a method reaches with some attributes: X over the tuples of a table."""

    attributes: tuple[str, ...]
    method: str
    expected: float
    sigma: float

    FACTS = facts(
        "attributes",
        Fact("method", shown="method"),
        Fact("expected", shown="expected"),
        Fact("sigma", shown="sigma"),
    )

    def sentence(self) -> str:
        """Say how many people are reached."""
        names = ", ".join(self.attributes)
        return f"People reached with {names}"


def reach_of(
    attributes: Sequence[str],
    table: Iterable[Mapping[str, object]],
    people: Iterable[Mapping[str, object]],
    method: Method,
) -> Reach:
    """Return the mean and the standard deviation of |gd(t[attributes])| over t ∈ T.

    `people` is the population that the method can reach, with what it knows of everybody.

    >>> home = [{"name": n, "phone": "555-0100"} for n in ("Ann", "Abe")]
    >>> reach_of(["phone"], home, home, TELEPHONE)
    People reached with phone
      method    telephone
      expected          2
      sigma             0
    >>> reach_of(["name", "phone"], home, home, TELEPHONE)
    People reached with name, phone
      method    telephone
      expected          1
      sigma             0
    """
    rows, reachable = as_rows(table), as_rows(people)
    if not rows:
        raise InputError("The reach of attributes needs a table with tuples. Got none.")
    unknown = [name for name in attributes if name not in rows[0]]
    if unknown:
        hint = did_you_mean(unknown[0], rows[0])
        raise InputError(f"'{unknown[0]}' is no attribute of the table. {hint}")
    known = [{name: row[name] for name in attributes} for row in rows]
    sizes = [method.reach(values, reachable) for values in known]
    return Reach(tuple(attributes), method.name, fmean(sizes), pstdev(sizes))


def is_explicit_identifier(
    attributes: Sequence[str],
    table: Iterable[Mapping[str, object]],
    people: Iterable[Mapping[str, object]],
    *,
    methods: Iterable[Method] = METHODS,
    almost: float = 0.01,
) -> bool:
    """Say whether some method reaches one person, distinctly and reliably, by these attributes.

    Communication is not perfect, so "the method should be almost perfect": `almost` is the share of
    tuples that may reach two people. A share p of them gives an expected value of 1 + p and
    σ = √(p (1 − p)), and these are the limits.
    """
    rows, reachable = as_rows(table), as_rows(people)
    limit = (almost * (1 - almost)) ** 0.5
    return any(
        abs(found.expected - 1) <= almost + _ROUNDING and found.sigma <= limit + _ROUNDING
        for found in (reach_of(attributes, rows, reachable, method) for method in methods)
    )


def explicit_identifiers(
    table: Iterable[Mapping[str, object]],
    people: Iterable[Mapping[str, object]],
    *,
    key: Sequence[str],
    methods: Iterable[Method] = METHODS,
    almost: float = 0.01,
) -> frozenset[frozenset[str]]:
    """Return E_T: every subset of a quasi-identifier that is an explicit identifier of T.

    By the paper's lemma it is the same whether T is taken or its quasi-identifier T[QI] alone.

    >>> staff = [{"name": "Ann", "email": "ann@x.org"}, {"name": "Al", "email": "al@x.org"}]
    >>> sorted(sorted(e) for e in explicit_identifiers(staff, staff, key=["name", "email"]))
    [['email'], ['email', 'name']]
    """
    if len(key) > _MOST_ATTRIBUTES:
        raise InputError(
            f"Subsets of at most {_MOST_ATTRIBUTES} attributes are tried. Got {len(key)}: leave "
            "out those that no method uses."
        )
    rows, reachable, ways = as_rows(table), as_rows(people), tuple(methods)
    return frozenset(
        frozenset(chosen)
        for size in range(1, len(key) + 1)
        for chosen in combinations(key, size)
        if is_explicit_identifier(chosen, rows, reachable, methods=ways, almost=almost)
    )
