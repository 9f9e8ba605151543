"""Which variables cause it: removing them from the key, one at a time (McCaa et al. 2013).

Section 2 of "Analytical tests of controlled shuffling to protect statistical confidentiality and
privacy of a ten per cent household sample of the 2011 census of Ireland": test the key for
k-anonymity at k = 3, look at who satisfies it, then remove variables from the key and flag each
record with the variable whose removal turned it from not satisfying to satisfying.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import AtMost, ClassSize, InputError, above, check_number
from indistinct.engine import Tally
from indistinct.keys import KeyTable, threshold
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.k_anonymity import ASSUMPTIONS
from indistinct.risk.packed import drop_variable, pack_table, small_classes

__all__ = [
    "RemovalStep",
    "VariableRemoval",
    "remove_variables",
]

STILL_AT_RISK = -1


@dataclass(frozen=True)
class RemovalStep:
    """One variable removed from the key, and the records that now satisfy k-anonymity."""

    variable: str
    flipped: int
    at_risk: int
    unique: int
    classes: int


@result
class VariableRemoval(Result):
    """Variables removed from a key one at a time, and what each removal achieved.

    `flip` says of every class of the key table when it turned: 0 when its records satisfied
    k-anonymity from the start, s when the removal of ``steps[s-1].variable`` turned them, −1 when
    they never did.
    """

    names: tuple[str, ...]
    k: int
    records: int
    initially_safe: int
    steps: tuple[RemovalStep, ...]
    flip: NDArray[np.int8]
    searched: bool
    """Whether the order was found here, and not given."""
    assumptions: tuple[str, ...] = (
        *ASSUMPTIONS,
        "A record's flag names the first removal that turned it; in another order it may be "
        "another variable.",
    )

    FACTS = facts(
        Fact("key", "names"),
        "k",
        "records",
        "at_risk",
        "initially_safe",
        Fact("order", lambda found: "searched" if found.searched else "given"),
        Fact(
            "steps",
            lambda found: [
                {"removed": s.variable, "flipped": s.flipped, "at_risk": s.at_risk}
                for s in found.steps
            ],
        ),
        "still_at_risk",
        Fact("candidates", lambda found: list(found.candidates())),
        "assumptions",
        Fact(
            "masking",
            lambda found: ", ".join(found.candidates()) or "none",
            shown="consider for masking",
            told=False,
        ),
    )

    def sentence(self) -> str:
        """Say how many records stand out, and whose order it is."""
        share = self.at_risk / max(1, self.records)
        return (
            f"{self.at_risk:,} of {self.records:,} records ({share:.1%}) do not satisfy "
            f"{self.k}-anonymity; removing from the key, in the order "
            f"{'found' if self.searched else 'given'}"
        )

    @property
    def order(self) -> tuple[str, ...]:
        """The variables in the order in which they were removed."""
        return tuple(step.variable for step in self.steps)

    @property
    def at_risk(self) -> int:
        """Records that do not satisfy k-anonymity by the whole key."""
        return self.records - self.initially_safe

    @property
    def still_at_risk(self) -> int:
        """Records that do not satisfy it after all removals."""
        return self.steps[-1].at_risk if self.steps else self.at_risk

    def candidates(self, *, share: float = 0.9) -> tuple[str, ...]:
        """Return the first removals that together turn at least `share` of the records at risk.

        These are the variables to consider for masking.
        """
        check_number("share", share, above(0, 1))
        turned, chosen = 0, []
        for step in self.steps:
            if turned >= share * self.at_risk:
                break
            chosen.append(step.variable)
            turned += step.flipped
        return tuple(chosen)

    def flags(self) -> pa.DictionaryArray:
        """Return every class's flag in words: 'satisfied', a variable, or 'at risk'."""
        words = pa.array(["satisfied", *self.order, "at risk"])
        codes = np.where(self.flip == STILL_AT_RISK, len(words) - 1, self.flip)
        return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), words)

    def per_record(self, tally: Tally) -> Iterator[pa.RecordBatch]:
        """One row per record: its number and its flag, a batch at a time."""
        flags = self.flags()
        start = 0
        for codes in tally.per_record(flags.indices.to_numpy()):
            flag = pa.DictionaryArray.from_arrays(pa.array(codes), flags.dictionary)
            record = pa.array(np.arange(start, start + len(codes)))
            yield pa.RecordBatch.from_arrays([record, flag], names=["record", "flag"])
            start += len(codes)

    def to_frame(self) -> Any:
        """Return one row per removal (pandas must be installed)."""
        rows = [
            {
                "removed": step.variable,
                "flipped": step.flipped,
                "at_risk": step.at_risk,
                "share_at_risk": step.at_risk / max(1, self.records),
                "unique": step.unique,
                "classes": step.classes,
            }
            for step in self.steps
        ]
        return pa.Table.from_pylist(rows).to_pandas()

    def plot(self) -> str:
        """Draw the records at risk as variables are removed, as SVG."""
        before = self.records - self.initially_safe
        return bars(
            f"Records in classes smaller than {self.k} as variables are removed",
            ["none", *(step.variable for step in self.steps)],
            [before, *(step.at_risk for step in self.steps)],
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                f"Records in classes smaller than {self.k} as variables are removed",
                ("removed", "turned", "still at risk", "share at risk"),
                [
                    (s.variable, s.flipped, s.at_risk, s.at_risk / max(1, self.records))
                    for s in self.steps
                ],
                {"share at risk": ".2%"},
            )
        ]


def remove_variables(
    table: KeyTable,
    order: Sequence[str] | None = None,
    *,
    k: ClassSize | None = None,
    at_most: AtMost | None = None,
) -> VariableRemoval:
    """Remove variables from the key one at a time, and see whose removal helps whom.

    Parameters
    ----------
    table
        The key table.
    order
        The variables in the order in which to remove them, some or all. Without it, each step
        removes the variable that turns the most records (of several, the first in the key), until
        nobody is at risk.
    k, at_most
        A class is safe with at least k records, by default 3.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [8, 8, 41, 42], "sex": [1, 1, 1, 1], "town": [1, 1, 1, 2]})
    >>> with indistinct.open_data(people) as data:
    ...     removal = remove_variables(data.key_table(["sex", "town", "age"]), k=2)
    >>> removal.order, removal.flip.tolist()
    (('age', 'town'), [0, 1, 2])
    """
    k = threshold(k, at_most)
    _check_order(table, order)
    flip = np.where(table.counts >= k, 0, STILL_AT_RISK).astype(np.int8)
    at_risk, _ = small_classes(table.counts, k)
    safe = table.records - int(at_risk)
    current, rows = table, np.arange(table.classes)
    steps: list[RemovalStep] = []
    waiting = list(order) if order is not None else []
    while waiting if order is not None else at_risk and current.names:
        name = waiting.pop(0) if order is not None else _most_helpful(current, k)
        current, to = current.rollup([n for n in current.names if n != name])
        rows = to[rows]
        now, unique = small_classes(current.counts, k)
        steps.append(RemovalStep(name, int(at_risk - now), int(now), int(unique), current.classes))
        at_risk = now
        flip[(flip == STILL_AT_RISK) & (current.counts[rows] >= k)] = len(steps)
    return VariableRemoval(table.names, k, table.records, safe, tuple(steps), flip, order is None)


def _check_order(table: KeyTable, order: Sequence[str] | None) -> None:
    if not table.names:
        raise InputError("The key is empty. Name at least one variable with --key.")
    if len(table.names) > 100:
        raise InputError(
            f"A key of at most 100 variables can be taken apart. Got {len(table.names)}."
        )
    if order is None:
        return
    for name in order:
        table.position(name)
    if len(set(order)) < len(order):
        raise InputError("The order names a variable twice. Each can be removed once.")


def _most_helpful(table: KeyTable, k: int) -> str:
    """Return the variable whose removal leaves the fewest records at risk, the first of several."""
    packed = pack_table(table)
    rows, width = packed.words.shape
    words, counts = np.empty((rows, width), np.uint64), np.empty(rows, np.int64)
    spare = (np.empty((rows, width), np.uint64), np.empty(rows, np.int64))
    starts = np.empty(rows + 1, dtype=np.int64)
    left = []
    for keep, before in zip(packed.keep, packed.before, strict=True):
        made = drop_variable(
            packed.words, packed.counts, keep, before, words, counts, *spare, starts
        )
        left.append(small_classes(counts[:made], k)[0])
    return table.names[int(np.argmin(left))]
