"""Households in another order, their people together and in the order they were."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.households.groups import read_households
from indistinct.protect.steps.households.identities import shuffled
from indistinct.protect.steps.households.ordering import in_order

__all__ = ["ScrambleHouseholds"]


@dataclass(frozen=True)
class ScrambleHouseholds(Step, kind="scramble-households"):
    """Put the households in an order drawn at random; every order is equally likely.

    People of a household stand together afterwards, in the order in which they were. A record
    without a household is one by itself. No cell changes; record numbers mean other records
    afterwards, so steps that name records by number come before.
    """

    truthful = True

    household: str

    draws_at_random = True

    def describe(self) -> str:
        """Say what is done."""
        return f"put the households (by {self.household}) in an order drawn at random"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw the order, and write the records in it."""
        households = read_households(engine, source, self.household)
        rank = np.empty(len(households), dtype=np.int64)
        rank[shuffled(context.draws(), "order", households.first)] = np.arange(len(households))
        order = np.argsort(rank[households.of_record], kind="stable")
        result = in_order(engine, source, order)
        return result, Receipt(
            self.kind,
            source.records,
            result.records,
            notes=(
                f"{len(households):,} households stand in a new order; record numbers before and "
                "after have nothing to do with each other",
            ),
            rows=order,
        )
