"""The smallest size of areas in which nobody, or hardly anybody, stands out."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.core import InputError, Seed, check_number, from_to_below, progress
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.tables.counting import Counted
from indistinct.tables.experiments.area_size import (
    POINT_FORMATS,
    POINT_HEADINGS,
    point_row,
    size_figure,
)
from indistinct.tables.experiments.zones import MOST_PEOPLE, Kind, ZoneRisk, risk_in_zones

__all__ = ["SafeSize", "smallest_safe_size"]

_FIRST = 8


@result(eq=True)
class SafeSize(Result):
    """The smallest size of areas that was found to be safe.

    Parameters
    ----------
    size
        The size; None if even all people together are not safe.
    unsafe
        The largest smaller size that was found not to be.
    at_most
        The share of people that may be full record tabular uniques.
    draws
        In how many draws of zones that had to hold.
    tried
        What was found for the sizes that were tried, sizes rising.
    """

    size: int | None
    unsafe: int
    at_most: float
    draws: int
    tried: tuple[ZoneRisk, ...]

    FACTS = facts(
        "size",
        "unsafe",
        "at_most",
        "draws",
        Fact("kind", lambda found: found.tried[0].kind),
        "tried",
    )

    @property
    def rests_on(self) -> ZoneRisk | None:
        """What was found for the safe size: in how many zones and people nobody was."""
        return next((point for point in self.tried if point.size == self.size), None)

    def sentence(self) -> str:
        """Say from which size on nobody stood out, and what that rests on."""
        who = "nobody" if self.at_most == 0 else f"at most {self.at_most:.3%}"
        others = "somebody" if self.at_most == 0 else "more"
        basis = self.rests_on
        if basis is None:
            return f"No size is safe: with all people in one area {others} stood out"
        return (
            f"In areas of {self.size:,} people {who} stood out, in {self.draws} draws of "
            f"{basis.zones:,} {basis.kind} zones; in areas of {self.unsafe:,} {others} did"
        )

    def _row_tables(self) -> list[Table]:
        rows = [(p.size, p.highest <= self.at_most, *point_row(p)) for p in self.tried]
        headings = ("size", "safe", *POINT_HEADINGS)
        return [Table("Sizes that were tried", headings, rows, POINT_FORMATS)]

    def plot(self) -> str:
        """Return a figure: the risk against the sizes that were tried."""
        return size_figure(
            "Full record tabular uniques, by size of areas",
            {self.tried[0].kind: self.tried},
            marked=self.size,
        )


def smallest_safe_size(
    counted: Counted,
    *,
    at_most: float = 0.0,
    zones: Kind = "random",
    by: str | Sequence[str] | None = None,
    draws: int = 5,
    precision: float = 0.05,
    most_people: int = MOST_PEOPLE,
    seed: Seed = 1,
) -> SafeSize:
    """Search for the smallest size of areas in which nobody is a full record tabular unique.

    A size is safe when in every one of the draws at most the share `at_most` of the people are full
    uniques. Sizes are doubled until one is safe, and the gap to the last that was not is halved
    until it is smaller than `precision` of the size. The search takes it that larger areas are
    safer, which holds on average; a result says what each size that was tried gave, and rests on
    the zones that were drawn: others may have somebody who stands out.

    Parameters
    ----------
    zones, by, most_people
        As for `risk_by_area_size`.
    """
    check_number("at_most", at_most, from_to_below(0, 1))
    if not 0 < precision < 1:
        raise InputError(f"precision must lie between 0 and 1. Got {precision}.")
    tried: dict[int, ZoneRisk] = {}
    with progress.task("looking for the smallest safe size", unit="sizes") as task:

        def safe(size: int) -> bool:
            tried[size] = risk_in_zones(
                counted,
                size,
                kind=zones,
                by=by,
                draws=draws,
                most_people=most_people,
                seed=seed,
            )
            task.advance()
            return tried[size].highest <= at_most

        # beyond half of the people there is one zone, of all of them
        half, everybody = max(1, counted.records // 2), counted.records
        low, high = 1, min(_FIRST, half)
        while not (found := safe(high)) and high < everybody:
            low, high = high, min(2 * high, half) if high < half else everybody
        if found and high <= half:
            while high - low > max(1, int(precision * high)):
                middle = (low + high) // 2
                low, high = (low, middle) if safe(middle) else (middle, high)
    ordered = tuple(tried[size] for size in sorted(tried))
    return SafeSize(high if found else None, low, at_most, draws, ordered)
