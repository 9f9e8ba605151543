"""What leaving out records does to the statistics: shares of categories, means, study domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, Ints, holds_numbers
from indistinct.engine import Engine, quote
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Losses", "Shares", "losses"]


_TOLD = 3
"""Of so many variables, those that differ most, it is said by how much."""


@dataclass(frozen=True, eq=False)
class Shares:
    """The categories of one variable in the full and in the reduced records; private."""

    variable: str
    values: Sequence[Any] = field(repr=False)
    full: Ints = field(repr=False)
    reduced: Ints = field(repr=False)

    @property
    def lost(self) -> Floats:
        """The share of each category's records that was left out."""
        return 1.0 - self.reduced / self.full

    @property
    def difference(self) -> Floats:
        """The share of each category in the reduced records minus that in the full ones."""
        after = self.reduced / max(1, int(self.reduced.sum()))
        before = self.full / max(1, int(self.full.sum()))
        return np.asarray(after - before)

    @property
    def distance(self) -> float:
        """Half the sum of the absolute differences (total variation), 0 for no change."""
        return float(np.abs(self.difference).sum() / 2)


@result(eq=True)
class Losses(Result):
    """Statistics of the full and of the reduced records. It names categories: private.

    Dalenius (1986, 6.2): destruction "will inevitably introduce differences between the
    statistics based on the full set of records and statistics based on the reduced set".
    """

    records_full: int
    records_reduced: int
    domains: tuple[str, ...]
    shares: Mapping[str, Shares]
    means: Mapping[str, tuple[float, float]]

    FACTS = facts(
        "records_full records_reduced",
        Fact("share_left_out", "share"),
        Fact(
            "distances", lambda found: {name: float(s.distance) for name, s in found.shares.items()}
        ),
        Fact("means", lambda found: {name: list(pair) for name, pair in found.means.items()}),
    )

    @property
    def share(self) -> float:
        """The share of all records that was left out."""
        return 1.0 - self.records_reduced / max(1, self.records_full)

    def warnings(self, *, limit: float) -> tuple[str, ...]:
        """Name the study domains that lose more than `limit`, and more than the whole file."""
        found = []
        for name in self.domains:
            lost = self.shares[name].lost
            number = int(((lost > limit) & (lost > self.share)).sum())
            if number:
                what = "a category loses" if number == 1 else f"{number:,} categories lose"
                found.append(
                    f"in the study domain '{name}' {what} more than {limit:.1%} of the records "
                    f"(the largest loss is {lost.max():.1%}; overall {self.share:.1%}). "
                    "Statistics of that domain will differ: blank or merge categories instead."
                )
        return tuple(found)

    def notes(self) -> tuple[str, ...]:
        """Say how much the statistics differ, the most first, without a category's name."""
        moved = sorted(self.shares.items(), key=lambda item: -item[1].distance)
        found = [
            f"shares of '{name}' move by {s.distance:.2%} in all, "
            f"{np.abs(s.difference).max(initial=0):.2%} at most in one category"
            for name, s in moved[:_TOLD]
        ]
        found += [f"shares of {len(moved) - _TOLD} more variables move less"] * (len(moved) > _TOLD)
        apart = sorted(
            (
                (abs(reduced - full) / (abs(full) or 1.0), name, reduced - full)
                for name, (full, reduced) in self.means.items()
                if full != reduced
            ),
            reverse=True,
        )
        found += [f"the mean of '{name}' changes by {by:+.4g}" for _, name, by in apart[:_TOLD]]
        left = len(self.means) - len(apart[:_TOLD])
        if left:
            other = "the other" if apart else "all"
            found.append(f"means of {other} {left} variables are unchanged or change less")
        return tuple(found)

    def _lines(self) -> list[str]:
        gone = self.records_full - self.records_reduced
        lines = [f"{gone:,} of {self.records_full:,} records left out ({self.share:.2%})"]
        for name in self.domains:
            shares = self.shares[name]
            lines.append(f"  {name}")
            rows = zip(shares.values, shares.full, shares.reduced, shares.lost, strict=True)
            for value, full, reduced, lost in rows:
                shown = "(missing)" if value is None else str(value)
                lines.append(f"    {shown:<20}{full:>12,}{reduced:>12,}  {lost:7.2%}")
        lines += [f"  {note}" for note in self.notes()]
        return lines

    def _tables(self) -> list[Table]:
        return [
            Table(
                "Records of each category of a study domain, full and reduced",
                ("domain", "category", "full", "reduced", "lost"),
                [
                    (
                        name,
                        "(missing)" if value is None else str(value),
                        int(full),
                        int(reduced),
                        lost,
                    )
                    for name in self.domains
                    for value, full, reduced, lost in zip(
                        self.shares[name].values,
                        self.shares[name].full,
                        self.shares[name].reduced,
                        self.shares[name].lost.tolist(),
                        strict=True,
                    )
                ],
                {"lost": ".2%"},
            )
        ]

    def _notes(self) -> list[str]:
        return list(self.notes())

    def plot(self) -> str:
        """Draw by how much the shares of each variable move, in per cent, as SVG."""
        return bars(
            "Shares move by, per cent",
            list(self.shares),
            [100 * float(s.distance) for s in self.shares.values()],
        )


def losses(
    engine: Engine,
    full: Source,
    reduced: Source,
    *,
    table: KeyTable,
    gone: Bools,
    domains: Sequence[str],
) -> Losses:
    """Compare the full with the reduced records.

    Parameters
    ----------
    table
        The key table of the full records.
    gone
        Which of its classes were left out.
    domains
        The major study domains ('breakdowns').
    """
    shares = {}
    kept = np.where(gone, 0, table.counts)
    for name in dict.fromkeys([*domains, *table.names]):
        if name in table.names:
            margin, rows = table.rollup([name])
            after = np.zeros(margin.classes, dtype=np.int64)
            np.add.at(after, rows, kept)
            shares[name] = Shares(name, margin.values(name), margin.counts, after)
        else:
            shares[name] = _counted(engine, full, reduced, name)
    return Losses(
        full.records, reduced.records, tuple(domains), shares, _means(engine, full, reduced)
    )


def _counted(engine: Engine, full: Source, reduced: Source, name: str) -> Shares:
    before = KeyTable.from_tally(engine.count(full, [name]))
    after = KeyTable.from_tally(engine.count(reduced, [name]))
    left = dict(zip(after.values(name), after.counts.tolist(), strict=True))
    values = before.values(name)
    remaining = np.array([left.get(value, 0) for value in values], dtype=np.int64)
    return Shares(name, values, before.counts, remaining)


def _means(engine: Engine, full: Source, reduced: Source) -> dict[str, tuple[float, float]]:
    schema = full.schema
    names = [
        name
        for name, variable in full.variables.items()
        if variable.level == "numeric"
        and variable.role != "identifier"
        and holds_numbers(schema.field(name).type)
    ]
    if not names:
        return {}
    asked = ", ".join(f"avg(CAST({quote(name)} AS DOUBLE)) AS m{i}" for i, name in enumerate(names))
    rows = [
        engine.sql(f"SELECT {asked} FROM records", records=source).to_pylist()[0]
        for source in (full, reduced)
    ]
    pairs = {name: (rows[0][f"m{i}"], rows[1][f"m{i}"]) for i, name in enumerate(names)}
    # ten digits: engines add in different orders, and the last digits follow the order
    return {
        name: (float(f"{a:.10g}"), float(f"{b:.10g}"))
        for name, (a, b) in pairs.items()
        if a is not None and b is not None
    }
