"""What one further released variable would do: counted in the released file, quickly.

`sensitivity` asks it thoroughly, against registers and for several variables together. This is
the part of it that every release can afford, so that every report can say it on its first page.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from indistinct.core import progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.prove.universes import THE_FILE, Fewest
from indistinct.prove.varying import KnownToo

__all__ = ["MOST_TRIED", "known_too"]

MOST_TRIED = 12
"""So many variables are tried, those with the most values: each costs a count of the file."""

_UNKNOWABLE = ("household", "weight")
"""Roles of numbers that the holder made, and nobody outside has."""


def known_too(
    engine: Engine,
    release: Source,
    key: Sequence[str],
    *,
    k: int,
    apart: Collection[str] = (),
    most: int = MOST_TRIED,
) -> tuple[KnownToo, ...]:
    """Count a released file by its key and one further variable, for each; the worst first.

    Parameters
    ----------
    apart
        Variables that nobody can know because their values were altered.
    most
        How many variables are tried.

    >>> import indistinct
    >>> rows = {"age": ["20-39"] * 4, "sex": ["f", "f", "f", "m"], "town": ["Bath"] * 4}
    >>> with indistinct.open_data(rows) as data:
    ...     found = known_too(data.engine, data.source, ["age"], k=3)
    >>> [(row.attributes, row.alone, row.below) for row in found]
    [(('sex',), 1, 1), (('town',), 0, 0)]
    """
    names = [
        name
        for name, variable in release.variables.items()
        if name not in key and name not in apart and variable.role not in _UNKNOWABLE
    ]
    if not key or not names or not release.records:
        return ()
    if len(names) > most:
        values = {facts.name: facts.distinct for facts in engine.describe(release, names)}
        names = sorted(names, key=lambda name: -values[name])[:most]
    before = engine.count(release, list(key)).counts
    base = Fewest.of(before, before, k=k)
    found = []
    for name in progress.each(names, "trying further variables", unit="variables"):
        counts = engine.count(release, [*key, name]).counts
        now = Fewest.of(counts, counts, k=k)
        found.append(
            KnownToo(
                (name,), THE_FILE, now.smallest, now.below, now.alone, base.smallest, base.below
            )
        )
    return tuple(sorted(found, key=lambda row: row.harm))
