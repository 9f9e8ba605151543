"""Many variables on a page that a person can read: those that are alike are one line.

Variables whose names differ in numbers alone (``income_1`` to ``income_60``) and of which the same
is guessed become a pattern, if it fits no other variable; every other one has a line. What is
unsure stands first. A folded draft says of every variable exactly what an unfolded one says.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from indistinct.naming import Guess
from indistinct.options import toml_comment, toml_key, toml_value
from indistinct.project.declared import DeclaredVariables, is_name_pattern

__all__ = ["FOLDED_FROM", "DraftLine", "certainty_of", "folded_lines", "is_sure"]

FOLDED_FROM = 40
"""Variables from which on a draft is folded."""

_FEWEST = 3
"""Variables that are worth a pattern."""

_UNSURE = re.compile(
    r"\bbut\b|neither name nor content says more|more likely|^free text|^no values"
)


def is_sure(guess: Guess) -> bool:
    """Say whether a guess rests on a name or a content that tells, and on nothing against it."""
    return _UNSURE.search(guess.reason) is None


def certainty_of(guess: Guess) -> str:
    """Return how sure a guess is, in a word."""
    return "sure" if is_sure(guess) else "unsure"


@dataclass(frozen=True)
class DraftLine:
    """One line of a folded draft: a variable, or a pattern and those that fit it."""

    name: str
    guesses: tuple[Guess, ...]

    @property
    def first(self) -> Guess:
        """What is said of all of them."""
        return self.guesses[0]

    @property
    def is_sure(self) -> bool:
        """Whether the guess is sure."""
        return is_sure(self.first)

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
        because = toml_comment(self.because)
        yield f"{toml_key(self.name)} = {toml_value(said)}  {because}"
        if guess.hierarchy:
            yield toml_comment(f"  {toml_key('hierarchy')} = {toml_value(guess.hierarchy)}")


def folded_lines(guesses: Sequence[Guess], *, apart: Collection[str] = ()) -> list[DraftLine]:
    """Return the lines of a folded draft, those that are unsure first.

    Parameters
    ----------
    apart
        Variables that have a section of their own.

    >>> guesses = [Guess(f"pay_{i}", "sensitive", "numeric", "name says money") for i in range(3)]
    >>> guesses.append(Guess("q", "other", "nominal", "no values"))
    >>> [line.name for line in folded_lines(guesses)]
    ['q', 'pay_*']
    """
    families: dict[str, list[Guess]] = {}
    for guess in guesses:
        if guess.name not in apart:
            families.setdefault(re.sub(r"[0-9]+", "*", guess.name), []).append(guess)
    names = [guess.name for guess in guesses]
    lines = [
        line
        for pattern, family in families.items()
        for line in _lines_of(pattern, family, names, {*apart})
    ]
    return sorted(lines, key=lambda line: line.is_sure)


def _lines_of(
    pattern: str, family: Sequence[Guess], names: Sequence[str], apart: set[str]
) -> Iterator[DraftLine]:
    """Give a family as one pattern and its exceptions; else by the lengths of its numbers."""
    if len(family) >= _FEWEST and not is_name_pattern(family[0].name):
        alike = _most_alike(family)
        if len(alike) >= _FEWEST and _fits_alone(pattern, family, names, apart):
            yield DraftLine(pattern, tuple(alike))
            yield from (DraftLine(g.name, (g,)) for g in family if g not in alike)
            return
        shorter: dict[str, list[Guess]] = {}
        for guess in family:
            shorter.setdefault(re.sub(r"[0-9]", "?", guess.name), []).append(guess)
        if "*" in pattern:
            for shape, part in shorter.items():
                yield from _lines_of(shape, part, names, apart)
            return
    yield from (DraftLine(guess.name, (guess,)) for guess in family)


def _most_alike(family: Sequence[Guess]) -> list[Guess]:
    """Return the most of a family of whom the same can be said in a pattern."""
    groups: dict[object, list[Guess]] = {}
    for guess in family:
        if not guess.missing and not guess.hierarchy:
            groups.setdefault((guess.role, guess.level, is_sure(guess)), []).append(guess)
    return max(groups.values(), key=len, default=[])


def _fits_alone(
    pattern: str, family: Sequence[Guess], names: Sequence[str], apart: set[str]
) -> bool:
    """Say whether a pattern fits a family alone, and those whose own sections go before it."""
    own = {guess.name for guess in family} | apart
    return own.issuperset(DeclaredVariables().fitting(pattern, names))
