"""Many variables on a page that a person can read: those that are alike are one line.

Variables whose names differ in numbers alone (``income_1`` to ``income_60``) and of which the same
is guessed become a pattern, if it fits no other variable; every other one has a line. What is
unsure stands first. A folded draft says of every variable exactly what an unfolded one says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indistinct.naming import Certainty, Guess
from indistinct.options import toml_comment, toml_key, toml_value
from indistinct.project.declared import DeclaredVariables, is_name_pattern

__all__ = [
    "CERTAINTIES",
    "FOLDED_FROM",
    "Beside",
    "DraftLine",
    "folded_lines",
    "name_shape",
]

FOLDED_FROM = 40
"""Variables from which on a draft is folded."""

_FEWEST = 3
"""Variables that are worth a pattern."""

CERTAINTIES: tuple[Certainty, ...] = ("unsure", "likely", "sure")
"""How sure a guess can be, what has to be looked at first."""


@dataclass(frozen=True)
class Beside:
    """What stands beside a guess: what is mended, what could be, and what was found."""

    mended: Mapping[str, Any] = field(default_factory=dict)
    proposed: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class DraftLine:
    """One line of a folded draft: a variable, or a pattern and those that fit it."""

    name: str
    guesses: tuple[Guess, ...]
    beside: Beside = field(default_factory=Beside)

    @property
    def first(self) -> Guess:
        """What is said of all of them."""
        return self.guesses[0]

    @property
    def is_sure(self) -> bool:
        """Whether the guess is sure."""
        return self.first.certainty != "unsure"

    @property
    def because(self) -> str:
        """The reason; of several, that of the first."""
        reason = self.first.reason
        if len(self.guesses) == 1:
            return reason
        last = self.guesses[-1].name
        return f"{len(self.guesses)} variables, {self.first.name} to {last}; the first: {reason}"

    def to_toml(self) -> Iterator[str]:
        """Give the line, its reason behind it, and a hierarchy worth trying."""
        guess = self.first
        said: dict[str, object] = {"role": guess.role, "level": guess.level}
        if guess.missing:
            said["missing"] = guess.missing
        said |= self.beside.mended
        if guess.question:
            yield toml_comment(f"ASKED: {guess.question}")
        because = toml_comment(self.because)
        yield f"{toml_key(self.name)} = {toml_value(said)}  {because}"
        if guess.hierarchy:
            yield toml_comment(f"  {toml_key('hierarchy')} = {toml_value(guess.hierarchy)}")
        for found in self.beside.said:
            yield toml_comment(f"  {guess.name}: {found}")
        if self.beside.proposed:
            said |= self.beside.proposed
            yield toml_comment(f"{toml_key(self.name)} = {toml_value(said)}")


def name_shape(name: str) -> str:
    """Return a name with a star for every number in it.

    >>> name_shape("q12_b3")
    'q*_b*'
    """
    return re.sub(r"[0-9]+", "*", name)


def folded_lines(
    guesses: Sequence[Guess], beside: Mapping[str, Beside] | None = None
) -> list[DraftLine]:
    """Return the lines of a folded draft, those that are unsure first.

    Parameters
    ----------
    beside
        What is mended of variables, or could be.

    >>> guesses = [Guess(f"pay_{i}", "sensitive", "numeric", "name says money") for i in range(3)]
    >>> guesses.append(Guess("q", "other", "nominal", "9 different values", certainty="unsure"))
    >>> [line.name for line in folded_lines(guesses)]
    ['q', 'pay_*']
    """
    families: dict[str, list[Guess]] = {}
    for guess in guesses:
        families.setdefault(name_shape(guess.name), []).append(guess)
    names = [guess.name for guess in guesses]
    lines = [
        line
        for pattern, family in families.items()
        for line in _lines_of(pattern, family, names, beside or {})
    ]
    return sorted(lines, key=lambda line: line.is_sure)


def _lines_of(
    pattern: str, family: Sequence[Guess], names: Sequence[str], beside: Mapping[str, Beside]
) -> Iterator[DraftLine]:
    """Give a family as one pattern and its exceptions; else by the lengths of its numbers."""
    nothing = Beside()
    if len(family) >= _FEWEST and not is_name_pattern(family[0].name):
        alike = _alike(family, beside)
        if len(alike) >= _FEWEST and _fits_alone(pattern, family, names):
            yield DraftLine(pattern, tuple(alike), beside.get(alike[0].name, nothing))
            rest = (guess for guess in family if guess not in alike)
            yield from (DraftLine(g.name, (g,), beside.get(g.name, nothing)) for g in rest)
            return
        shorter: dict[str, list[Guess]] = {}
        for guess in family:
            shorter.setdefault(re.sub(r"[0-9]", "?", guess.name), []).append(guess)
        if "*" in pattern:
            for shape, part in shorter.items():
                yield from _lines_of(shape, part, names, beside)
            return
    yield from (DraftLine(g.name, (g,), beside.get(g.name, nothing)) for g in family)


def _alike(family: Sequence[Guess], beside: Mapping[str, Beside]) -> list[Guess]:
    """Return those of a family of whom the same can be said in a pattern.

    A variable that fits a pattern has all of its settings. So a pattern says more than role and
    level only where the same is said of the whole family.
    """
    nothing = Beside()
    groups: dict[str, list[Guess]] = {}
    plain: set[str] = set()
    for guess in family:
        of = beside.get(guess.name, nothing)
        more = (guess.missing, guess.hierarchy, dict(of.mended), dict(of.proposed))
        kind = repr((guess.role, guess.level, guess.certainty, guess.question, more))
        groups.setdefault(kind, []).append(guess)
        if not any(more):
            plain.add(kind)
    if len(groups) == 1:
        return list(family)
    return max((groups[kind] for kind in plain), key=len, default=[])


def _fits_alone(pattern: str, family: Sequence[Guess], names: Sequence[str]) -> bool:
    """Say whether a pattern fits a family alone."""
    own = {guess.name for guess in family}
    return own.issuperset(DeclaredVariables().fitting(pattern, names))
