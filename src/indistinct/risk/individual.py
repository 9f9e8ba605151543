"""Individual risk after Benedetti and Franconi: sampling weights say how many people stand behind
a record."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numba import njit
from scipy.special import hyp2f1

from indistinct.core import Array, Floats, Fraction, InputError, Ints, Missing, above, check_number
from indistinct.keys import KeyTable, wildcard_frequencies, wildcard_weights
from indistinct.results import Fact, Result, facts, result
from indistinct.results.figures import bars

__all__ = [
    "IndividualRisk",
    "approximate_reidentification",
    "expected_reidentification",
    "individual_risk",
]

Method = Literal["exact", "approximate"]

ASSUMPTIONS = (
    "The intruder knows the key of a person in the population, and not whether the person is in "
    "the sample.",
    "Given f records with a key, the F people who have it follow a negative binomial distribution "
    "with success probability p = f / (sum of their weights).",
    "A rare and a common key of the same weight have the same risk: small samples and keys that "
    "nearly identify have a higher risk than is said here.",
    "Values in the file and values known to the intruder are the same.",
)

SERIES_FROM = 30
"""Class size from which the series needs few terms even at p = 0; below it a recursion is used."""


@result
class IndividualRisk(Result):
    """The probability that a record is linked with the right person, for every class.

    `risk` is in the order of the key table, so that `tally.per_record(result.risk)` hands it back
    per record.
    """

    method: Method
    records: int
    risk: Floats
    """Risk of each record of the class."""
    frequency: Array
    """Records that agree with the class: its size, unless missing values are wildcards."""
    population: Floats
    """Estimated people who agree with the class."""
    counts: Ints
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ASSUMPTIONS

    FACTS = facts(
        Fact("model", lambda found: f"individual risk ({found.method})"),
        "records",
        Fact("expected_reidentifications", shown="expected re-identifications", form=",.2f"),
        Fact("mean", "global_risk", shown="global risk (mean)", form=".4%"),
        Fact("max", shown="largest risk of a record", form=".4%"),
        "notes",
        "assumptions",
    )

    def sentence(self) -> str:
        """Say whose risk it is."""
        return f"Individual risk ({self.method}) of {self.records:,} records"

    @cached_property
    def expected_reidentifications(self) -> float:
        """Σ r over all records: how many an intruder is expected to link rightly."""
        return float(self.counts @ self.risk)

    @property
    def global_risk(self) -> float:
        """The expected re-identifications as a share of the records."""
        return self.expected_reidentifications / self.records if self.records else 0.0

    @property
    def max(self) -> float:
        """The largest risk of any record."""
        return float(self.risk.max(initial=0.0))

    def threshold(self, global_risk: float) -> float:
        """Return the largest record risk r* that keeps the file within a global risk.

        µ-Argus' rule: protection brings every record above r* down to r*, so r* is the largest
        of the records' risks with Σ min(r, r*) / n at most `global_risk`. Where nothing needs
        protection this is the largest risk of all.
        """
        check_number("The global risk", global_risk, above(0, 1))
        order = np.argsort(self.risk)
        risk, counts = self.risk[order], self.counts[order]
        riskier = self.records - np.cumsum(counts)
        held = np.cumsum(counts * risk) + riskier * risk
        within = int(np.searchsorted(held, global_risk * self.records, side="right"))
        # where even the smallest risk is too large, bringing all records to the bound reaches it
        return float(risk[within - 1]) if within else global_risk

    def to_frame(self) -> Any:
        """Return one row per class as a pandas frame."""
        columns = {"frequency": self.frequency, "population": self.population, "risk": self.risk}
        return pa.table(columns).to_pandas()

    def plot(self) -> str:
        """Draw the records by bands of 0.1 of their risk, as SVG."""
        counted, _ = np.histogram(self.risk, bins=10, range=(0, 1), weights=self.counts)
        return bars(
            "Records by their risk",
            [f"{i / 10:.1f}–{(i + 1) / 10:.1f}" for i in range(10)],
            counted.tolist(),
        )


def individual_risk(
    table: KeyTable,
    *,
    method: Method = "exact",
    fraction: Fraction | None = None,
    missing: Missing = "own",
    alpha: float = 1.0,
) -> IndividualRisk:
    """Estimate each record's risk from the sampling weights.

    Benedetti and Franconi (1998), as in µ-Argus and sdcMicro. A class of f records has the
    estimated population F̂ = Σ weights; p = f/F̂; the risk is the mean of 1/F over the negative
    binomial distribution of F given f::

        r = E(1/F | f) = p^f / f · 2F1(f, f; f+1; 1-p)

    Parameters
    ----------
    method
        ``exact``, or the ``approximate`` closed forms that sdcMicro uses by default.
    fraction
        The sampling fraction, where the table has no weights: F̂ = f / fraction.
    missing, alpha
        ``wildcard`` lets a missing value agree with any; see `keys.wildcard_frequencies`.

    >>> import pyarrow as pa, indistinct
    >>> with indistinct.open_data(pa.table({"a": [1, 2, 2], "w": [50.0, 30.0, 54.5]})) as data:
    ...     found = individual_risk(data.key_table(["a"], weight="w"))
    >>> found.risk.round(6).tolist()
    [0.079837, 0.022042]
    """
    if method not in ("exact", "approximate"):
        raise InputError(f"method must be exact or approximate. Got '{method}'.")
    if missing not in ("own", "wildcard"):
        raise InputError(f"missing must be own or wildcard. Got '{missing}'.")
    if table.weights is not None and fraction is not None:
        raise InputError("Give either sampling weights or a sampling fraction, not both.")
    wild = missing == "wildcard"
    frequency = wildcard_frequencies(table, alpha=alpha) if wild else table.counts
    if fraction is not None:
        population = frequency / fraction
    else:
        weights = _weights(table)
        population = wildcard_weights(table, alpha=alpha) if wild else weights
    notes = []
    short = population < frequency
    if short.any():
        notes.append(
            f"{int(table.counts[short].sum()):,} records are in classes whose weights add up to "
            "less than their number; the class is taken to be the whole population there."
        )
    p = np.minimum(frequency / population, 1.0)
    formula: Callable[[Array, Array], Floats] = (
        expected_reidentification if method == "exact" else approximate_reidentification
    )
    return IndividualRisk(
        method=method,
        records=table.records,
        risk=formula(frequency, p),
        frequency=frequency,
        population=population,
        counts=table.counts,
        notes=tuple(notes),
    )


def _weights(table: KeyTable) -> Floats:
    if table.weights is None:
        raise InputError(
            "Individual risk needs sampling weights or a sampling fraction. Name the weight "
            "variable (--weight w), or give the share of the population in the file "
            "(--fraction 0.1)."
        )
    return table.weights


def expected_reidentification(frequency: Array, p: Array) -> Floats:
    """Return E(1/F | f) for class sizes f and sampling probabilities p, to full precision.

    By Euler's transformation the published p^f/f · 2F1(f, f; f+1; 1-p), which overflows for large
    f, is p/f · 2F1(1, 1; f+1; 1-p). Its series has positive terms only, k!/((f+1)…(f+k)) (1-p)^k,
    and few of them matter when f is large or p above one half. Otherwise

        r(1) = p/(1-p) ln(1/p),   r(f+1) = p/(1-p) · (1/f - r(f))

    which for p up to one half does not let errors grow. A frequency that is no whole number (see
    `keys.wildcard_frequencies`) goes to SciPy's 2F1 in the transformed form.

    >>> found = expected_reidentification(np.array([1, 2, 5000]), np.full(3, 0.02))
    >>> [f"{r:.6g}" for r in found]
    ['0.0798372', '0.0187788', '4.00078e-06']
    """
    frequency = np.asarray(frequency)
    p = np.asarray(p, dtype=np.float64)
    whole = np.floor(frequency) == frequency
    risk = _expected(frequency.astype(np.float64), p)
    if not whole.all():
        f = frequency[~whole]
        risk[~whole] = p[~whole] / f * hyp2f1(1.0, 1.0, f + 1.0, 1.0 - p[~whole])
    return risk


@njit(cache=True, nogil=True)
def _expected(frequency: Array, p: Array) -> Array:
    risk = np.empty(len(p))
    for i in range(len(p)):
        f, rest = frequency[i], 1.0 - p[i]
        if f >= SERIES_FROM or rest <= 0.5:
            total = term = 1.0
            k = 0.0
            while term > 1e-17 * total:
                k += 1.0
                term *= rest * k / (f + k)
                total += term
            risk[i] = p[i] / f * total
        else:
            odds = p[i] / rest
            r = -odds * np.log(p[i])
            for g in range(1, int(f)):
                r = odds * (1.0 / g - r)
            risk[i] = r
    return risk


def approximate_reidentification(frequency: Array, p: Array) -> Floats:
    """Return the closed forms of sdcMicro: exact for f = 1 and 2, close to it above.

    ::

        f = 1:  p/(1-p) ln(1/p)
        f = 2:  p/(1-p) - (p/(1-p))² ln(1/p)
        f > 2:  p / (f - (1-p))

    and 1/f where p = 1. For the fractional frequencies of wildcards, f ≤ 1 and f ≤ 2.
    """
    f = np.asarray(frequency, dtype=np.float64)
    p = np.asarray(p, dtype=np.float64)
    risk: Floats = p / (f - (1.0 - p))
    few = f <= 2
    # f = 2 cancels as p nears 1, where the exact form does not
    risk[few] = _expected(np.where(f[few] <= 1, 1.0, 2.0), p[few])
    sure = p >= 1
    risk[sure] = 1.0 / f[sure]
    return risk
