"""Hierarchical log-linear models of a key, written as their margins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from indistinct.core import InputError, did_you_mean

__all__ = ["Model", "model_of", "parse_model"]

WORDS = {"main": 1, "two-way": 2, "three-way": 3}
"""Models that go by a name, and how many variables interact in them."""

_TERM = re.compile(r"\s*(?:`([^`]+)`|([^`*+:]+))\s*")


@dataclass(frozen=True)
class Model:
    """A hierarchical log-linear model: the margins of the table that it reproduces.

    Parameters
    ----------
    margins
        The largest margins only, each as increasing positions of its variables; every subset of
        a margin is in the model too.
    text
        The model as people write it.
    notes
        What was added to what was asked for.
    """

    margins: tuple[tuple[int, ...], ...]
    text: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    @property
    def is_main_effects(self) -> bool:
        """Whether no two variables interact."""
        return all(len(margin) == 1 for margin in self.margins)

    def terms(self) -> tuple[tuple[int, ...], ...]:
        """Every main effect and interaction of the model, the intercept first.

        >>> parse_model("a*b + c", ["a", "b", "c"]).terms()
        ((), (0,), (1,), (2,), (0, 1))
        """
        found = {
            subset
            for margin in self.margins
            for size in range(len(margin) + 1)
            for subset in combinations(margin, size)
        }
        return tuple(sorted(found, key=lambda term: (len(term), term)))

    def parameters(self, sizes: Sequence[int]) -> int:
        """The number of independent parameters, the intercept among them.

        J is the sum over all terms of the product of (H_i - 1), H_i being the categories of
        variable i; for main effects J = 1 + sum (H_i - 1) (Skinner and Holmes 1998, section 3).

        >>> six = (19, 2, 10, 5, 11, 4)
        >>> [parse_model(m, list("abcdef")).parameters(six) for m in ("main", "two-way")]
        [46, 793]
        """
        return sum(prod(sizes[at] - 1 for at in term) for term in self.terms())

    def margin_cells(self, sizes: Sequence[int]) -> int:
        """The number of cells in the margins.

        >>> parse_model("two-way", list("abcdef")).margin_cells((19, 2, 10, 5, 11, 4))
        987
        """
        return sum(prod(sizes[at] for at in margin) for margin in self.margins)


def model_of(margins: Iterable[Iterable[int]], names: Sequence[str]) -> Model:
    """Make a model of margins given by position; a variable in none gets its main effect.

    >>> model_of([(0, 1), (1,)], ["age", "sex", "region"])
    Model(margins=((0, 1), (2,)), text='age*sex + region',
          notes=("'region' stands in no margin and enters by its main effect.",))
    """
    asked = {tuple(sorted(set(margin))) for margin in margins} - {()}
    named = {at for margin in asked for at in margin}
    left = [at for at in range(len(names)) if at not in named]
    asked |= {(at,) for at in left}
    largest = sorted(m for m in asked if not any(set(m) < set(other) for other in asked))
    text = " + ".join("*".join(_written(names[at]) for at in m) for m in largest)
    notes = tuple(
        f"'{names[at]}' stands in no margin and enters by its main effect." for at in left
    )
    return Model(tuple(largest), text, notes)


def parse_model(text: str, names: Sequence[str]) -> Model:
    """Read a model: ``main``, ``two-way``, ``three-way``, or its margins.

    Margins are joined by ``+``, the variables of a margin by ``*`` (or ``:``); a name that holds
    one of these signs goes between backquotes. A margin implies all of its subsets.

    >>> parse_model("age*sex + age*region + sex", ["age", "sex", "region"]).margins
    ((0, 1), (0, 2))
    >>> parse_model("two-way", ["age", "sex", "region"]).text
    'two-way'
    """
    word = text.strip().lower()
    if word in WORDS:
        together = min(WORDS[word], len(names))
        return Model(tuple(combinations(range(len(names)), together)), word)
    margins, at, margin = [], 0, []
    while True:
        found = _TERM.match(text, at)
        name = (found[1] or found[2]).strip() if found else ""
        if not found or not name:
            raise InputError(
                f"The model '{text}' has an empty margin or a variable left out. Write margins as "
                "'age*sex + region', or one of: main, two-way, three-way."
            )
        if name not in names:
            raise InputError(
                f"The model names '{name}', which is not in the key. {did_you_mean(name, names)}"
            )
        margin.append(names.index(name))
        at = found.end()
        if at == len(text) or text[at] == "+":
            margins.append(tuple(margin))
            margin = []
        if at == len(text):
            return model_of(margins, names)
        if text[at] not in "*:+":
            raise InputError(f"The model '{text}' lacks a * or + after '{name}'.")
        at += 1


def _written(name: str) -> str:
    return f"`{name}`" if re.search(r"[*+:]", name) else name
