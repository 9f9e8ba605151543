"""Samples of whole households, as census archives draw them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Bools, Floats, InputError, Variable, Variables, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    check_share,
    check_variables,
    group_numbers,
    read_numbers,
    with_columns,
)
from indistinct.protect.steps.households.groups import (
    Households,
    Ints,
    fresh_identities,
    plain_column,
    read_households,
    replaced,
    shuffled,
)

__all__ = ["SampleHouseholds", "at_random"]


@dataclass(frozen=True)
class SampleHouseholds(Step, kind="sample-households"):
    """Keep whole households drawn without replacement, in file order.

    Parameters
    ----------
    household
        The variable that groups people. A record without one is a household by itself.
    fraction
        The share of households to draw; or
    size
        how many.
    strata
        Variables of the household: each stratum has its share, up to one household.
    systematic
        Take every (1/fraction)-th household after a random start, in file order, stratum after
        stratum. False draws each household of a stratum with the same probability, independently
        of its place in the file.
    renumber
        Give the households new identities, 1 to the number drawn, in an order drawn at random.
    weight
        A variable that is multiplied by N/n of the stratum, N its households and n those drawn;
        it is made, with that number, where there is none.
    """

    truthful = True

    household: str
    fraction: float | None = None
    size: int | None = None
    strata: tuple[str, ...] = ()
    systematic: bool = False
    renumber: bool = False
    weight: str | None = None

    draws_at_random = True

    def __post_init__(self) -> None:
        """Refuse both size and fraction, and neither."""
        object.__setattr__(self, "strata", tuple(self.strata))
        if (self.size is None) == (self.fraction is None):
            raise InputError("A sample of households needs either a size or a fraction.")
        if self.fraction is not None:
            check_share(self.fraction, "fraction")
        if self.size is not None:
            check_whole("The sample's size", self.size, 1)
        check_variables(self.strata, "strata", some=False)
        if self.weight is not None and self.weight in (*self.strata, self.household):
            raise InputError(f"'{self.weight}' cannot be the weight and have another task.")

    def describe(self) -> str:
        """Say what is done."""
        much = f"{self.size:,}" if self.size is not None else f"{self.fraction:.2%} of the"
        how = "a systematic" if self.systematic else "a random"
        within = f", each stratum of {', '.join(self.strata)} by itself" if self.strata else ""
        also = ", with new numbers" if self.renumber else ""
        return f"keep {how} sample of {much} whole households (by {self.household}){within}{also}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw, leave out the others, and renumber and weight those drawn."""
        source.check_columns([self.household, *self.strata])
        households = read_households(engine, source, self.household)
        strata = np.zeros(len(households), dtype=np.int64)
        if self.strata:
            own = group_numbers(engine, source, self.strata)
            strata = households.one_value(own, f"its stratum ({', '.join(self.strata)})")
        draws = context.draws()
        drawn = self._drawn(source, strata, draws)
        kept = drawn[households.of_record]
        result = engine.keep(source, kept)
        if self.renumber:
            result = self._renumbered(engine, source, result, households, drawn, draws)
        sizes, chosen = (
            np.bincount(strata),
            np.bincount(strata[drawn], minlength=strata.max(initial=-1) + 1),
        )
        if self.weight is not None:
            factor = (sizes / np.maximum(1, chosen))[strata][households.of_record]
            result = _weighted(engine, source, result, self.weight, factor, kept)
        empty = sizes[chosen == 0]
        warnings: tuple[str, ...] = ()
        if len(empty):
            warnings = (
                f"of {len(empty):,} strata, with {int(empty.sum()):,} households, none was drawn",
            )
        return self.with_receipt(
            source,
            result,
            notes=(f"{int(drawn.sum()):,} of {len(households):,} households were drawn",),
            warnings=warnings,
            rows=np.flatnonzero(kept),
        )

    def _drawn(self, source: Source, strata: Ints, draws: Draws) -> Bools:
        number = len(strata)
        size = self.size if self.size is not None else round(number * (self.fraction or 0.0))
        if size > number:
            raise InputError(
                f"{source.origin}: a sample of {size:,} cannot be drawn from {number:,} households."
            )
        drawn = np.zeros(number, dtype=bool)
        if not number:
            return drawn
        if self.systematic:
            step = 1.0 / self.fraction if self.fraction is not None else number / size
            in_turn = np.argsort(strata, kind="stable")
            start = float(draws.uniform("start", np.zeros(1, dtype=np.int64))[0]) * step
            taken = np.floor(start + step * np.arange(int(np.ceil(number / step)) + 1))
            drawn[in_turn[taken[taken < number].astype(np.int64)]] = True
        elif size:
            drawn[at_random(strata, size, draws)] = True
        if not drawn.any():
            raise InputError(
                f"{source.origin}: none of {number:,} households was drawn. Take a larger fraction."
            )
        return drawn

    def _renumbered(
        self,
        engine: Engine,
        source: Source,
        result: Source,
        households: Households,
        drawn: Bools,
        draws: Draws,
    ) -> Source:
        named = np.flatnonzero(drawn & ~households.alone)
        old = plain_column(result, self.household)
        made = fresh_identities(source.variables[self.household], old, len(named), beside=False)
        place = np.full(len(households), -1, dtype=np.int64)
        place[named[shuffled(draws, "identities", households.first[named])]] = np.arange(len(named))
        places = place[households.of_record[drawn[households.of_record]]]
        new = replaced(old, places >= 0, made.take(pa.array(places[places >= 0])))
        return with_columns(engine, result, {self.household: new})


def at_random(strata: Ints, size: int, draws: Draws) -> Ints:
    """Draw from each stratum its share of the size, rounded without bias.

    With C_s the cumulated shares size·N_s/N and one u in [0, 1) for all, stratum s gets
    ⌊C_s + u⌋ − ⌊C_{s−1} + u⌋: the share in expectation, within one of it, the size in total.
    """
    numbers = np.arange(len(strata))
    order = np.lexsort((numbers, draws.words("households", numbers), strata))
    sizes = np.bincount(strata)
    ends = np.cumsum(sizes)
    shift = float(draws.uniform("rounding", np.zeros(1, dtype=np.int64))[0])
    # whole numbers first, so that the last share is the size itself
    upto = np.floor(ends * size / len(strata) + shift).astype(np.int64)
    wanted = np.minimum(sizes, np.diff(upto, prepend=0))
    rank = numbers - np.repeat(ends - sizes, sizes)
    return np.asarray(order[rank < wanted[strata[order]]], dtype=np.int64)


def _weighted(
    engine: Engine,
    source: Source,
    result: Source,
    name: str,
    factor: Floats,
    kept: Bools,
) -> Source:
    if name in source.variables:
        weights = read_numbers(source, name, doing="weighting")
        new = weights.replaced(weights.floats() * factor).filter(pa.array(kept))
        return with_columns(engine, result, {name: new})
    column = pa.array(factor[kept])
    schema = result.schema.append(pa.field(name, pa.float64()))

    def change(batch: pa.RecordBatch, numbers: NDArray[np.int64]) -> pa.RecordBatch:
        return batch.append_column(name, column.take(pa.array(numbers)))

    made = Variable(name, role="weight", level="numeric")
    return engine.transform(
        result, change, schema=schema, variables=Variables([*result.variables.values(), made])
    )
