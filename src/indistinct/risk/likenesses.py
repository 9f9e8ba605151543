"""β-likeness and δ-disclosure: how much likelier a value is in a class than in the file.

With p the share of a value in the file and q its share in a class:

- β-likeness bounds the relative gain (q − p)/p of any value: Cao and Karras, "Publishing microdata
  with a robust privacy guarantee", VLDB 2012;
- δ-disclosure privacy bounds |ln(q/p)|: Brickell and Shmatikov, "The cost of privacy: destruction
  of data-mining utility in anonymized data publishing", KDD 2008.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from indistinct.core import Bools, Floats, Ints, above, check_number
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars
from indistinct.risk.closeness import ROUNDING
from indistinct.risk.diversity import SensitiveCounts, split_table

__all__ = ["Likeness", "likeness", "likeness_of"]


@result
class Likeness(Result):
    """How much more (and less) frequent values are in every class than in the file.

    Arrays have one entry per class of the key, in key order. `gain` is the basic β of a class,
    `enhanced` its β with the further condition that no gain exceeds −ln p (infinite where one
    does: no β will do). `log_ratio` is the δ of a class, infinite where a value of the file is
    absent from it; `log_ratio_present` is the same over the values that are there.
    """

    key: tuple[str, ...]
    sensitive: str
    table: KeyTable
    """The classes of the key."""
    gain: Floats
    enhanced: Floats
    log_ratio_present: Floats
    absent: Ints
    """How many of the file's values are absent from each class."""
    beta: float | None
    delta: float | None
    assumptions: tuple[str, ...]
    class_of: Ints
    """For every row of the table that was measured, its class."""

    FACTS = facts(
        "key",
        "sensitive",
        Fact("records", "table.records"),
        Fact("classes", "table.classes"),
        Fact("basic_beta", lambda found: float(found.gain.max()), shown="basic β"),
        Fact("enhanced_beta", lambda found: _finite(found.enhanced.max())),
        Fact("delta", lambda found: _finite(found.log_ratio.max())),
        Fact(
            "delta_of_values_present",
            lambda found: float(found.log_ratio_present.max()),
            shown="δ over the values present",
        ),
        Fact(
            "classes_lacking_a_value",
            lambda found: int((found.absent > 0).sum()),
            shown="classes that lack a value",
        ),
        Fact("failing", lambda found: found._failing_counts(), spread=True),
        "assumptions",
        # JSON has no infinity, people do
        Fact("β", lambda found: found.enhanced.max(), shown="enhanced β", told=False),
        Fact("δ", lambda found: found.log_ratio.max(), shown="δ", told=False),
        Fact("fails", lambda found: found._failing_words(), shown="fails", told=False),
    )

    def _failing_counts(self) -> dict[str, int]:
        counted = {}
        for name, failing in self.failing().items():
            counted[f"{name}_classes_failing"] = int(failing.sum())
            counted[f"{name}_records_failing"] = int(self.table.counts[failing].sum())
        return counted

    def _failing_words(self) -> str | None:
        said = [
            f"{name} in {int(failing.sum()):,} classes, "
            f"{int(self.table.counts[failing].sum()):,} records"
            for name, failing in self.failing().items()
        ]
        return "; ".join(said) or None

    def sentence(self) -> str:
        """Say of what, and in how many classes."""
        return (
            f"Likeness of {self.sensitive} in {self.table.classes:,} classes "
            f"of {self.table.records:,} records"
        )

    @property
    def log_ratio(self) -> Floats:
        """The δ of each class."""
        return np.where(self.absent > 0, np.inf, self.log_ratio_present)

    def failing(self) -> dict[str, Bools]:
        """Say of every class whether it fails the β (basic, enhanced) and the δ that were given."""
        failing: dict[str, Bools] = {}
        if self.beta is not None:
            failing["basic"] = self.gain > self.beta + ROUNDING
            failing["enhanced"] = self.enhanced > self.beta + ROUNDING
        if self.delta is not None:
            # the definition asks for strictly less than δ
            failing["delta"] = self.log_ratio >= self.delta
        return failing

    def to_frame(self) -> Any:
        """Return one row per class: its key, its size and its measures."""
        frame = self.table.to_frame()
        frame["basic_beta"], frame["enhanced_beta"] = self.gain, self.enhanced
        frame["delta"] = self.log_ratio
        return frame

    def plot(self) -> str:
        """Draw the records by the gain β of their class, as SVG."""
        bounds = [0.0, 0.5, 1.0, 2.0, 5.0, 10.0, np.inf]
        counted, _ = np.histogram(self.gain, bins=bounds, weights=self.table.counts)
        names = [f"{low:g}–{high:g}" for low, high in itertools.pairwise(bounds[:-1])]
        return bars(
            f"Records by the gain β of their class ({self.sensitive})",
            [*names, f"above {bounds[-2]:g}"],
            counted.tolist(),
        )


def likeness(
    table: KeyTable,
    key: Sequence[str],
    sensitive: str,
    *,
    beta: float | None = None,
    delta: float | None = None,
) -> Likeness:
    """Measure β-likeness and δ-disclosure privacy of one sensitive variable in every class.

    With p a value's share in the file and q in a class, over all values:

    - *basic* β-likeness: (q − p)/p ≤ β wherever q > p;
    - *enhanced*: (q − p)/p ≤ min(β, −ln p), which protects frequent values more
      (Cao and Karras 2012);
    - δ-disclosure privacy: |ln(q/p)| < δ, which no class has that lacks a value
      (Brickell and Shmatikov 2008).

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30] * 4 + [41] * 4, "illness": [*"aabb", *"aaab"]})
    >>> with indistinct.open_data(people) as data:
    ...     table = data.key_table(["age", "illness"])
    >>> found = likeness(table, ["age"], "illness")
    >>> found.gain.round(3), found.log_ratio.round(3)
    (array([0.333, 0.2  ]), array([0.288, 0.405]))
    """
    return likeness_of(split_table(table, key, sensitive), beta=beta, delta=delta)


def likeness_of(
    split: SensitiveCounts, *, beta: float | None = None, delta: float | None = None
) -> Likeness:
    """Measure the likeness of a table that was split already; see `likeness`."""
    for name, bound in (("beta", beta), ("delta", delta)):
        if bound is not None:
            check_number(name, bound, above(0))
    p = split.file_shares[split.values]
    ratio = split.class_shares / p
    first = split.starts[:-1]
    gain = np.maximum(np.maximum.reduceat(ratio - 1, first), 0.0)
    beyond = np.logical_or.reduceat(ratio - 1 > -np.log(p) + ROUNDING, first)
    return Likeness(
        split.table.names,
        split.sensitive,
        split.table,
        gain,
        np.where(beyond, np.inf, gain),
        np.maximum.reduceat(np.abs(np.log(ratio)), first),
        len(split.present) - np.diff(split.starts),
        beta,
        delta,
        ("The intruder knows the distribution in the file already: it is published.",),
        split.class_of,
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
