"""Shares: who, among whom. What derived statistics are made of, counted but never released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, did_you_mean
from indistinct.results import Fact, Part, facts
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import belongs
from indistinct.tables.specification import Universe

__all__ = ["Share", "ShareCounts", "count_shares", "inside"]


@dataclass(frozen=True)
class Share(Part):
    """A share: the people of one universe among those of another.

    Parameters
    ----------
    name
        What it is called.
    of
        Who is counted: variables, and of each the values or ranges that count; all must hold.
    among
        Of whom; everybody where it is empty.

    >>> Share("unemployed", of=(("work", ("no",)),), among=(("work", ("yes", "no")),)).variables
    ('work',)
    """

    name: str
    of: Universe
    among: Universe = ()

    def __post_init__(self) -> None:
        if not self.of:
            raise InputError(f"The share '{self.name}' must say of whom. Name a variable in 'of'.")

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it needs."""
        return tuple(dict.fromkeys(name for name, _ in (*self.of, *self.among)))

    FACTS = facts(
        "name",
        Fact("of", lambda found: dict(found.of)),
        Fact("among", lambda found: dict(found.among)),
    )


@dataclass(frozen=True, eq=False)
class ShareCounts:
    """The people behind some shares, areas in rows and shares in columns; stays with the holder.

    Parameters
    ----------
    names
        The shares.
    part
        The people of each share.
    whole
        The people among whom.
    """

    names: tuple[str, ...]
    part: Ints
    whole: Ints

    def values(self) -> Floats:
        """Return the shares; not a number where there is nobody."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = self.part / self.whole
        return found


def inside(counted: Counted, universe: Universe) -> Bools:
    """Say of every class of people whether a universe holds it."""
    found = np.ones(counted.classes, dtype=bool)
    for name, items in universe:
        if name not in counted.codes:
            raise InputError(
                f"'{name}' was not counted. {did_you_mean(name, counted.codes)} Derived statistics "
                "are made of the variables of the counted tables."
            )
        found &= belongs(counted.values[name], items)[counted.codes[name]]
    return found


def people_of(counted: Counted, of_class: Bools) -> Ints:
    """Return the people of some classes in each area."""
    weights = counted.counts * of_class
    return np.bincount(counted.area, weights=weights, minlength=len(counted.areas)).astype(np.int64)


def count_shares(counted: Counted, shares: Sequence[Share]) -> ShareCounts:
    """Count who is in each share and among whom, for every area."""
    part, whole = [], []
    for share in shares:
        among = inside(counted, share.among)
        of = inside(counted, share.of)
        if not (among & of).any():
            raise InputError(
                f"Nobody is counted in the share '{share.name}'. Are the values of its variables "
                "spelled as in the data?"
            )
        part.append(people_of(counted, among & of))
        whole.append(people_of(counted, among))
    return ShareCounts(
        tuple(share.name for share in shares), np.column_stack(part), np.column_stack(whole)
    )
