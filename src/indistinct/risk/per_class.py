"""The risk of each class of the key table, what follows for the file, and the known population."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from indistinct.core import Floats, InputError, Ints
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars

__all__ = ["KnownRisk", "PerClass", "known_population_risk", "score"]


INDEPENDENCE = (
    "The probability of at least one re-identification takes the records as independent, which is "
    "implausible; read it as an order of magnitude."
)


def score(risk: ArrayLike) -> NDArray[np.int8]:
    """Return 2 for a risk above 0.5, 1 above 0.1 up to 0.5, 0 otherwise (section 2).

    >>> score([0.51, 0.5, 0.11, 0.1, 0.09])
    array([2, 1, 1, 0, 0], dtype=int8)
    """
    value = np.asarray(risk, dtype=np.float64)
    return ((value > 0.1).astype(np.int8) + (value > 0.5)).astype(np.int8)


class PerClass(Result):
    """What follows for the file from the risk of each class."""

    table: KeyTable
    assumptions: tuple[str, ...]

    @property
    def risk(self) -> Floats:
        """The risk of a record in each class."""
        raise TypeError("A kind of risk says which.")

    @cached_property
    def score(self) -> NDArray[np.int8]:
        """Score 2, 1 or 0 of each class."""
        return score(self.risk)

    @property
    def sample_uniques(self) -> int:
        """Records alone with their key in the sample."""
        return int((self.table.counts == 1).sum())

    @property
    def mean(self) -> float:
        """The mean risk of all records."""
        return float((self.table.counts * self.risk).sum() / self.table.records)

    @property
    def max(self) -> float:
        """The largest risk of a record, Lambert's pessimistic risk."""
        return float(self.risk.max())

    @property
    def at_least_one(self) -> float:
        """The probability that at least one record is re-identified, were they independent."""
        with np.errstate(divide="ignore"):
            safe = np.log1p(-np.minimum(self.risk, 1.0))
        # a class of two with risk 1/2 each contributes both
        return float(-np.expm1((self.table.counts * safe).sum()))

    def _columns(self) -> dict[str, Any]:
        return {"risk": self.risk, "score": self.score}

    def _rows(self, rows: Ints | None = None) -> pa.Table:
        table = self.table
        at = np.arange(table.classes) if rows is None else rows
        columns: dict[str, Any] = {
            name: coding.decode(table.codes[at, j])
            for j, (name, coding) in enumerate(
                zip(table.names, table.coding.variables, strict=True)
            )
        }
        columns["count"] = table.counts[at]
        columns |= {name: values[at] for name, values in self._columns().items()}
        return pa.table(columns)

    def ranking(self) -> Ints:
        """The classes by falling risk, those of equal risk in key order."""
        return np.argsort(-self.risk, kind="stable")

    def top(self, n: int = 10) -> pa.Table:
        """Return the n classes of highest risk with their keys: private, like the records."""
        return self._rows(self.ranking()[:n])

    def to_frame(self) -> Any:
        """Return one row per class, in key order, as a pandas frame."""
        return self._rows().to_pandas()


@result
class KnownRisk(PerClass):
    """The risk 1/F of every record where the population is known (section 3)."""

    table: KeyTable
    population_counts: Ints
    assumptions: tuple[str, ...]

    FACTS = facts(
        Fact("records", "table.records"),
        Fact("key", "table.names"),
        Fact("sample_uniques", shown="unique in the sample"),
        Fact("population_uniques", shown="unique in the population"),
        Fact("expected_reidentifications", shown="expected correct matches", form=",.1f"),
        Fact("mean", shown="mean risk"),
        Fact("max", shown="largest risk"),
        "at_least_one",
        "assumptions",
    )

    def sentence(self) -> str:
        """Say whose risk it is."""
        names = ", ".join(self.table.names)
        return f"{self.table.records:,} records by {names}, population known"

    def _lines(self) -> list[str]:
        return [
            self.sentence(),
            f"  unique in the sample          {self.sample_uniques:>12,}",
            f"  unique in the population      {self.population_uniques:>12,}",
            f"  expected correct matches  {self.expected_reidentifications:>18,.1f}",
        ]

    @cached_property
    def risk(self) -> Floats:
        """The risk of a record in each class, 1/F."""
        return 1.0 / self.population_counts

    @property
    def population_uniques(self) -> int:
        """Sample uniques that are unique in the population."""
        return int((self.population_counts == 1).sum())

    @property
    def expected_reidentifications(self) -> float:
        """Records for which one match would be expected to be correct, the sum of 1/F."""
        return float((self.table.counts * self.risk).sum())

    def plot(self) -> str:
        """Draw the records by the score of their risk, as SVG."""
        records = np.bincount(self.score, weights=self.table.counts, minlength=3)
        labels = ["up to 0.1", "0.1 to 0.5", "above 0.5"]
        return bars("Records by their risk, the population known", labels, records.tolist())


def known_population_risk(table: KeyTable, population_counts: ArrayLike) -> KnownRisk:
    """Return the risk 1/F of every record where the population count F of each class is known.

    >>> import indistinct, pyarrow as pa
    >>> with indistinct.open_data(pa.table({"sex": [1, 2], "job": [1, 1]})) as data:
    ...     table = data.key_table(["sex", "job"])
    >>> known_population_risk(table, [4, 1]).risk
    array([0.25, 1.  ])
    """
    counts = population_of(table, population_counts)
    return KnownRisk(
        table,
        counts,
        (
            intruder_knows(table),
            "The counts are those of the population that the sample was drawn from.",
            "The key has no measurement error, in the sample or in what the intruder knows.",
            INDEPENDENCE,
        ),
    )


def population_of(table: KeyTable, population_counts: ArrayLike) -> Ints:
    """Return the population counts of the classes, checked against those of the sample."""
    counts = np.asarray(population_counts)
    if counts.shape != (table.classes,):
        raise InputError(
            f"The population needs one count for each of the {table.classes:,} classes. "
            f"Got {counts.size:,}."
        )
    fewer = int((counts < table.counts).sum())
    if fewer:
        raise InputError(
            f"In {fewer:,} of {table.classes:,} classes the population has fewer people than the "
            "sample. The sample must be drawn from this population, with the key coded alike."
        )
    return counts.astype(np.int64)


def intruder_knows(table: KeyTable) -> str:
    """Return the assumption that every risk by a key rests on."""
    return f"The intruder knows exactly this key of people: {', '.join(table.names)}."
