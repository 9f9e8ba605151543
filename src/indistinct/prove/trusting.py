"""How much of a release rests on trust: records that a stronger intruder would find."""

from __future__ import annotations

import numpy as np

from indistinct.core import InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.prove.exposure import count_by
from indistinct.prove.universes import below
from indistinct.prove.varying import Sensitivity, one_of, share
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["AT_MOST_LISTED", "Trust", "trust"]

AT_MOST_LISTED = 20


@result(eq=True)
class Trust(Result):
    """By how much a release falls short of data that anybody may have (Sweeney 2001, section 7).

    Data for public use must withstand whoever reads them. What a release does not withstand, it
    trusts the recipient with.

    Parameters
    ----------
    by_key, by_one_more, by_all
        Records that refer to fewer than k people if the intruder knows the key, one further
        attribute, or all that is released.
    expected_links
        Records that an intruder is expected to link rightly, choosing at random among the people
        that each refers to: the sum of 1 / |L(t)| over the records that refer to anybody.
    highest
        The largest 1 / |L(t)|.
    listed
        Numbers of the first records that need trust, from 1: those below k by the key, or else
        by one further attribute.
    """

    key: tuple[str, ...]
    k: int
    records: int
    by_key: int
    by_one_more: int
    by_all: int
    expected_links: float
    highest: float
    listed: tuple[int, ...] = ()
    naming: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    FACTS = facts(
        "key k records by_key by_one_more by_all",
        Fact("*", "_shares", spread=True),
        "expected_links highest listed naming warnings",
    )

    @property
    def for_anybody(self) -> bool:
        """Whether nothing is left to trust: no record is below k, whatever is known of it."""
        return not (self.by_key or self.by_one_more or self.by_all)

    @property
    def _shares(self) -> dict[str, float]:
        return {
            f"{name}_share": getattr(self, name) / self.records if self.records else 0.0
            for name in ("by_key", "by_one_more", "by_all")
        }

    def plot(self) -> str:
        """Draw the records that are below k by what is known, as SVG."""
        return bars(
            f"Records below {self.k:,} if there is known",
            ["the key", "one further attribute", "all that is released"],
            [self.by_key, self.by_one_more, self.by_all],
        )

    def _lines(self) -> list[str]:
        def line(what: str, number: int) -> str:
            return f"  {what:26}{number:>12,} ({share(number, self.records)})"

        lines = [
            f"left to trust, of {self.records:,} records below k = {self.k:,} if there is known",
            line("the key", self.by_key),
            line("one further attribute", self.by_one_more),
            line("all that is released", self.by_all),
            f"  expected right links      {self.expected_links:>12,.1f} "
            f"(at most {self.highest:.3g} for a record)",
        ]
        if self.naming:
            lines.append(
                f"  one further attribute is not {one_of(self.naming)}: each names a record"
            )
        if self.listed:
            more = ", …" if len(self.listed) == AT_MOST_LISTED else ""
            lines.append(f"  records {', '.join(f'{n:,}' for n in self.listed)}{more}")
        return lines

    def _tables(self) -> list[Table]:
        rows = [
            ("the key", self.by_key),
            ("one further attribute", self.by_one_more),
            ("all that is released", self.by_all),
        ]
        return [
            Table(
                f"Records below k = {self.k:,} if there is known",
                ("known", "records", "share"),
                [(name, number, number / max(1, self.records)) for name, number in rows],
                {"share": ".1%"},
            )
        ]


def trust(engine: Engine, release: Source, found: Sensitivity) -> Trust:
    """Say how much a release leaves to the recipient's word, from its sensitivity.

    >>> import indistinct
    >>> from indistinct.prove.varying import sensitivity
    >>> rows = {"sex": ["f"] * 4, "job": ["nurse"] * 3 + ["judge"]}
    >>> with indistinct.open_data(rows) as data:
    ...     found = sensitivity(data.engine, data.source, key=["sex"], k=2)
    ...     trust(data.engine, data.source, found)
    left to trust, of 4 records below k = 2 if there is known
      the key                              0 (0.0%)
      one further attribute                1 (25.0%)
      all that is released                 1 (25.0%)
      expected right links               1.0 (at most 0.25 for a record)
      records 4
    """
    if len(found.links) != release.records:
        raise InputError(
            f"The sensitivity is that of another file: it has {len(found.links):,} records, "
            f"{release.origin} {release.records:,}."
        )
    everything = count_by(engine, release, list(release.variables))
    by_all = everything.counts[everything.counts < found.k].sum()
    by_key = below(found.links, found.k)
    by_one_more = by_key | found.one_more
    linked = found.links[found.links > 0]
    listed = np.flatnonzero(by_key if by_key.any() else by_one_more)[:AT_MOST_LISTED] + 1
    return Trust(
        found.key,
        found.k,
        release.records,
        int(by_key.sum()),
        int(by_one_more.sum()),
        int(by_all),
        float((1.0 / linked).sum()),
        float(1.0 / linked.min()) if len(linked) else 0.0,
        tuple(listed.tolist()),
        found.naming,
        found.warnings,
    )
