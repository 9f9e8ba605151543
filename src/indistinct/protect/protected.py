"""What protecting a file gives: the changed records, what it cost, and the count that followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from indistinct.files import Source
from indistinct.keys import Uniques
from indistinct.protect.plan import Plan
from indistinct.protect.receipt import Receipt
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Cost", "Protected"]


@result(eq=True)
class Cost(Result):
    """What a method took away, and how near that is to the least that had to be.

    Parameters
    ----------
    precision
        Sweeney's precision of the key: 1 where nothing changed, 0 where all is suppressed.
    losses
        The measures of `indistinct.utility` by name; the lower the better.
    suppressed_records, suppressed_cells
        Records left out; cells of which nothing is told any more, in the records kept.
    levels
        The level of each variable, where all its cells stand at one.
    least
        A loss by the method's own measure that no release of its kind goes below, or None.
    measure
        The name of that measure.
    reached
        Whether a release with that loss is known, so that `least` is the optimum.
    """

    precision: float
    losses: Mapping[str, float]
    suppressed_records: int
    suppressed_cells: int
    levels: Mapping[str, int] = field(default_factory=dict)
    least: float | None = None
    measure: str = "precision"
    reached: bool = False

    FACTS = facts(
        "precision losses suppressed_records suppressed_cells levels over_distortion",
        Fact(
            "over_distortion_measure",
            lambda found: found.measure if found.least is not None else None,
        ),
        Fact("optimum_proved", lambda found: found.reached if found.least is not None else None),
    )

    @property
    def over_distortion(self) -> float | None:
        """The loss divided by the least possible, at most; None where no bound is known."""
        if self.least is None:
            return None
        own = self.losses[self.measure]
        # equal up to rounding is equal: both are sums over the same cells
        if own <= self.least * (1 + 1e-9) + 1e-15:
            return 1.0
        return own / self.least if self.least > 0 else None

    def plot(self) -> str:
        """Draw the losses by every measure, as SVG."""
        return bars("Losses", list(self.losses), list(self.losses.values()))

    def _lines(self) -> list[str]:
        measures = ", ".join(f"{name} {value:.4g}" for name, value in self.losses.items())
        lines = [
            f"  precision      {self.precision:>12.4f}",
            f"  losses         {measures}",
        ]
        if self.levels:
            shown = ", ".join(f"{name} {level}" for name, level in self.levels.items())
            lines.append(f"  levels         {shown}")
        ratio = self.over_distortion
        if self.least is not None:
            lines.append(f"  distortion     {self._distance(ratio)}")
        return lines

    def _distance(self, ratio: float | None) -> str:
        by = f"by the measure '{self.measure}'"
        if ratio is None:
            return f"no least distortion above zero is known, {by}"
        if ratio == 1.0:
            return f"the least possible for a release of this kind, {by}"
        limit = "" if self.reached else "at most "
        return f"{limit}{ratio:.2f} times the least possible for a release of this kind, {by}"

    def _tables(self) -> list[Table]:
        facts: dict[str, object] = {
            "precision": self.precision,
            **{f"loss: {name}": value for name, value in self.losses.items()},
            "records suppressed": self.suppressed_records,
            "cells suppressed": self.suppressed_cells,
            **{f"level of {name}": level for name, level in self.levels.items()},
        }
        if self.over_distortion is not None:
            facts["times the least possible, at most"] = self.over_distortion
        return [Table.facts("What was taken away", facts)]

    def _headline(self) -> str:
        return f"precision {self.precision:.4f}"


@result
class Protected(Result):
    """Records that were protected, and the search that followed.

    `guaranteed` says that the second search, in what was written, found no class smaller than k,
    counted by people where a column says who they are.
    `claims_k` says whether the method promises that. Encryption does not: classes remain, hidden
    from those without the key. Nor does perturbation: classes remain, of people who are not there.
    """

    method: str
    k: int
    plan: Plan
    source: Source = field(repr=False)
    receipts: tuple[Receipt, ...]
    rounds: int
    before: Uniques = field(repr=False)
    after: Uniques = field(repr=False)
    guaranteed: bool
    cost: Cost | None = None
    claims_k: bool = True
    result: Any = field(default=None, repr=False)
    """What the method itself returned; private, it may name categories."""

    FACTS = facts(
        "method k",
        Fact("records_in", "before.records"),
        Fact("records_out", "source.records"),
        Fact("at_risk_before", "before.at_risk"),
        Fact("at_risk_after", "residual"),
        "rounds guaranteed person",
        Fact("people_at_risk_before", "people_before"),
        Fact("people_at_risk_after", "people_after"),
        "cost plan receipts",
    )

    def after_steps(self, earlier: Protected) -> Protected:
        """Return the protection as a whole, of which `earlier` was the first part."""
        return replace(
            self,
            plan=Plan((*earlier.plan.steps, *self.plan.steps)),
            receipts=(*earlier.receipts, *self.receipts),
            before=earlier.before,
        )

    @property
    def residual(self) -> int:
        """Records that are still in classes smaller than k."""
        return self.after.at_risk

    @property
    def person(self) -> str | None:
        """The column by which people were counted; None where a record is a person."""
        return self.before.person

    @property
    def people_before(self) -> int | None:
        """People in classes of fewer than k people before, where people were counted."""
        return self.before.people.at_risk if self.before.people else None

    @property
    def people_after(self) -> int | None:
        """People in classes of fewer than k people after, where people were counted."""
        return self.after.people.at_risk if self.after.people else None

    def plot(self) -> str:
        """Draw the records by the size of their class before and after, as SVG."""
        before, after = self.before.sizes(), self.after.sizes()
        return bars(
            "Records by the size of their class",
            [name for name, _, _ in before],
            [records for _, _, records in before],
            beside=[records for _, _, records in after],
            names=("before", "after"),
        )

    def _lines(self) -> list[str]:
        if self.guaranteed and self.person is not None:
            end = f"no class has fewer than {self.k} people (by {self.person})"
        elif self.guaranteed:
            end = f"no class is smaller than {self.k}"
        elif self.method == "encrypt":
            end = f"hidden from those without the key; k = {self.k} is not claimed"
        elif not self.claims_k:
            end = f"perturbed; k = {self.k} is not claimed"
        else:
            end = f"{self.residual:,} are left"
        turns = f" ({self.rounds} rounds)" if self.rounds > 1 else ""
        lines = [f"{self.method}: {self.before.at_risk:,} records at risk before, {end}{turns}"]
        if self.cost is not None:
            lines.append(self.cost.details())
        return [*lines, *(receipt.details() for receipt in self.receipts)]

    def _tables(self) -> list[Table]:
        facts = {
            "method": self.method,
            "k": self.k,
            "records": self.before.records,
            "records released": self.source.records,
            "at risk before": self.before.at_risk,
            "at risk after": self.residual,
            "k is kept": self.guaranteed,
        }
        found = [Table.facts("Before and after", facts)]
        found += self.cost._tables() if self.cost is not None else []
        return found + [table for receipt in self.receipts for table in receipt._tables()]

    def _notes(self) -> list[str]:
        return [text for r in self.receipts for text in (*r.notes, *r.warnings)]
