"""Steps after which nobody has the key of somebody who was unique.

A file that is shuffled well holds true keys by chance: values fall together again as they do in
life, on other people. Whoever finds such a record believes it. Here the steps are applied, and
every record that then has the key of an original unique exchanges one value with a record whose
value is near, so that neither has such a key afterwards. Every value stays as frequent as the
steps left it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from indistinct.core import Bools, InputError, Ints, Words, stirred
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import read_coded
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import (
    check_share,
    check_variables,
    group_numbers,
    with_columns,
)

__all__ = ["AvoidUniques"]


_ROUNDS = 60


@dataclass(frozen=True)
class AvoidUniques(Step, kind="avoid-uniques"):
    """Apply steps, and exchange values until no record has the key of an original unique.

    Parameters
    ----------
    steps
        Steps that keep the number and the order of the records.
    key
        The variables by which people were unique before the steps.
    exchange
        Variables of the key whose values are exchanged, tried in turn.
    window
        How far apart the ranks of exchanged values may be, as a share of the records.
    within
        Values are exchanged only between records that agree on these after the steps.

    Records for which no exchange is found in some rounds stay; the receipt counts them.
    """

    steps: tuple[Step, ...]
    key: tuple[str, ...]
    exchange: tuple[str, ...]
    window: float = 0.05
    within: tuple[str, ...] = ()

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse no steps, and variables to exchange that are not in the key."""
        if not self.steps:
            raise InputError("Avoiding the keys of uniques needs at least one step before it.")
        check_variables(self.key, "the key")
        check_variables(self.exchange, "exchanging values")
        check_share(self.window, "window")
        for name in self.exchange:
            if name not in self.key:
                raise InputError(
                    f"'{name}' is not in the key, so exchanging its values changes no key."
                )
            if name in self.within:
                raise InputError(f"'{name}' cannot be exchanged between records alike in it.")

    def describe(self) -> str:
        """Say what is done."""
        done = "; ".join(step.describe() for step in self.steps)
        return (
            f"{done}; exchange near values of {', '.join(self.exchange)} until no record has a "
            f"combination of {', '.join(self.key)} that one original record alone had"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Apply the steps, and exchange."""
        source.check_columns([*self.key, *self.within])
        changed, receipts = source, []
        for number, step in enumerate(self.steps):
            changed, receipt = step.apply(engine, changed, context.inner(number))
            receipts.append(receipt)
        if changed.records != source.records:
            raise InputError("Steps that avoid uniques must keep every record. Put others outside.")
        both = read_coded(source, changed, variables=self.key)
        codes = np.stack([both[name].released for name in self.key], axis=1).astype(np.int64)
        before = np.stack([both[name].original for name in self.key], axis=1).astype(np.int64)
        exchange = _Exchange(before, codes, group_numbers(engine, changed, self.within))
        found = int(exchange.bad().sum())
        rng = context.generator()
        for turn in range(_ROUNDS):
            if not exchange.bad().any():
                break
            position = self.key.index(self.exchange[turn % len(self.exchange)])
            exchange.round(position, self.window, rng)
        left = int(exchange.bad().sum())
        result = exchange.written(engine, changed, self.key)
        differs = before != codes
        return self.with_receipt(
            source,
            result,
            records_changed=int(differs.any(axis=1).sum()),
            cells_changed={n: int(differs[:, j].sum()) for j, n in enumerate(self.key)},
            notes=(
                *(note for r in receipts for note in r.notes),
                f"{found:,} records had the key of an original unique by chance; after exchanges "
                f"{left:,} have one",
            ),
            warnings=tuple(w for r in receipts for w in r.warnings),
            private=[r.private for r in receipts],
        )


class _Exchange:
    """Codes of the key, record by record, and the keys that must not occur."""

    def __init__(self, before: Ints, codes: Ints, strata: Ints) -> None:
        self.codes, self.strata = codes, strata
        self.origin = np.tile(np.arange(len(codes))[:, None], (1, codes.shape[1]))
        # fixed odd multipliers: two keys with one word only cost an exchange that was not needed
        self.factors = np.random.default_rng(0).integers(
            1 << 62, size=codes.shape[1], dtype=np.uint64
        ) * np.uint64(2) + np.uint64(1)
        words, counts = np.unique(self._words(before), return_counts=True)
        self.forbidden: Words = words[counts == 1]
        self.word = self._words(codes)

    def _words(self, codes: Ints) -> Words:
        spread = (codes.astype(np.uint64) + np.uint64(1)) * self.factors
        words: Words = stirred(spread, 29).sum(axis=1, dtype=np.uint64)
        return words

    def _is_forbidden(self, words: Words) -> Bools:
        if not len(self.forbidden):
            return np.zeros(len(words), dtype=bool)
        at = np.minimum(np.searchsorted(self.forbidden, words), len(self.forbidden) - 1)
        return np.asarray(self.forbidden[at] == words)

    def bad(self) -> Bools:
        """Say which records have the key of an original unique."""
        return self._is_forbidden(self.word)

    def round(self, position: int, window: float, rng: np.random.Generator) -> None:
        """Let every bad record try one exchange of a variable, with a partner drawn nearby."""
        column, records = self.codes[:, position], len(self.codes)
        order = np.lexsort((rng.random(records), column, self.strata))
        place = np.empty(records, dtype=np.int64)
        place[order] = np.arange(records)
        bad = np.flatnonzero(self.bad())
        reach = max(2, round(window * records))
        away = rng.integers(1, reach + 1, size=len(bad)) * rng.choice([-1, 1], size=len(bad))
        partner = order[np.clip(place[bad] + away, 0, records - 1)]
        fits = (column[partner] != column[bad]) & (self.strata[partner] == self.strata[bad])
        bad, partner = _apart(bad[fits], partner[fits])
        self._swap(bad, partner, position)
        worse = self._is_forbidden(self.word[bad]) | self._is_forbidden(self.word[partner])
        self._swap(bad[worse], partner[worse], position)

    def _swap(self, a: Ints, b: Ints, position: int) -> None:
        for array in (self.codes, self.origin):
            array[a, position], array[b, position] = array[b, position], array[a, position]
        both = np.concatenate([a, b])
        self.word[both] = self._words(self.codes[both])

    def written(self, engine: Engine, changed: Source, key: Sequence[str]) -> Source:
        """Write the columns in which something was exchanged."""
        kept = self.origin == np.arange(len(self.origin))[:, None]
        moved = [name for name, stays in zip(key, kept.all(axis=0), strict=True) if not stays]
        if not moved:
            return changed
        table = changed.table(moved)
        new = {
            name: table.column(name).combine_chunks().take(pa.array(self.origin[:, j]))
            for j, name in enumerate(key)
            if name in moved
        }
        return with_columns(engine, changed, new)


def _apart(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Keep pairs such that no record is in two of them."""
    listed = np.stack([a, b], axis=1).reshape(-1)
    first = np.zeros(len(listed), dtype=bool)
    first[np.unique(listed, return_index=True)[1]] = True
    keep = first.reshape(-1, 2).all(axis=1)
    return a[keep], b[keep]
