"""Openshaw, Duke-Williams and Rees (1997, section 2): how unlike all others each record is.

The match indicator D_ik is 0 when records i and k are identical on the M match variables and 1
otherwise (eq. 1). Its sum over the other N−1 records (eq. 2) needs no N² comparisons: it is
N − f_i, with f_i the records that share record i's key, itself included.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Floats, InputError, Ints, did_you_mean
from indistinct.keys import KeyTable
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = [
    "WORST_CASE",
    "CodingEffect",
    "OpenshawRisk",
    "Reading",
    "coding_effect",
    "match_matrix",
    "openshaw_risk",
]

Reading = Literal["share unique", "mean difference"]
"""The two readings of equation (7): as it is defined, and as it is worked out in Table 4."""

WORST_CASE: Mapping[str, str] = MappingProxyType(
    {
        "sufficient": "1. The match variables are enough to identify a person to the challenger.",
        "interest": "2. The person is of enough interest to make the attempt worthwhile.",
        "grievous": "3. Something else in the file justifies the effort and would hurt if known.",
        "accuracy": "4a. The external data are as accurate as the file.",
        "comprehensiveness": "4b. The external data are as comprehensive as the file.",
        "coding": "4c. The external data are coded identically to the file.",
        "date": "4d. The external data are of the same date as the file.",
        "association": "5. Uniqueness and disclosure are perfectly associated.",
    }
)
"""The assumptions of the worst case, by the name under which each can be discounted."""

FEW_RECORDS = 50
"""The minimum risk needs an N that is "not too small"; 50 people were the least for which tables
of an area were published in 1991 (section 3)."""

LARGEST_MATRIX = 5_000


@result
class OpenshawRisk(Result):
    """Openshaw's measures for a file.

    `difference` is Σ_k D_ik for the records of every class, in the order of the key table;
    `relative` the same divided by N−1 (eq. 4), 1 for a unique record.

    `share_unique` and `mean_difference` are the two readings of equation (7). The paper defines
    δ as the flag of a unique record, which makes its mean the share of unique records; the worked
    example prints the mean of D. Neither is discounted; `risk` is.
    """

    variables: tuple[str, ...]
    other_variables: tuple[str, ...]
    records: int
    difference: Ints
    relative: Floats
    unique: int
    """Records with Σ D = N−1: maximum risk, eq. (3) and the first eq. (5)."""
    near_unique: Mapping[int, int]
    """Records with Σ D = N−1, N−2 and N−3, by the number of records that share their key."""
    share_unique: float
    mean_difference: float
    reading: Reading
    discounts: Mapping[str, float]
    threshold: float | None
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]

    FACTS = facts(
        Fact("match_variables", "variables"),
        "other_variables",
        Fact("records", shown="records"),
        Fact("unique", shown="unique"),
        Fact(
            "near_unique",
            lambda found: {str(size): count for size, count in found.near_unique.items()},
        ),
        Fact("share_unique", shown="share unique", form=".6f"),
        Fact("mean_difference", shown="mean difference", form=".6f"),
        Fact("reading", shown="reading"),
        "discounts",
        Fact("risk", shown="discounted risk", form=".6g"),
        Fact("threshold", shown="threshold"),
        Fact("exceeds", shown="risk above the threshold"),
        "assumptions",
        "notes",
        Fact("ΣD = N−2", lambda found: found.near_unique[2], shown="ΣD = N−2", told=False),
        Fact("ΣD = N−3", lambda found: found.near_unique[3], shown="ΣD = N−3", told=False),
        Fact("discount", shown="discount", told=False),
    )

    def sentence(self) -> str:
        """Say how many records are unique."""
        names = ", ".join(self.variables)
        return f"{self.unique:,} of {self.records:,} records are unique by {names}"

    @property
    def discount(self) -> float:
        """The product of the probabilities that the assumptions hold."""
        return prod(self.discounts.values())

    @property
    def risk(self) -> float:
        """Equation (7) in the reading asked for, times the discount."""
        chosen = self.share_unique if self.reading == "share unique" else self.mean_difference
        return chosen * self.discount

    @cached_property
    def class_risk(self) -> Floats:
        """The probability attached to every class: the discount where it is unique, else 0."""
        return np.where(self.difference == self.records - 1, self.discount, 0.0)

    @property
    def exceeds(self) -> bool | None:
        """Whether the risk is above the user's threshold; None without one."""
        return None if self.threshold is None else self.risk > self.threshold

    @property
    def all_identical(self) -> bool:
        """Whether all records are alike: minimum risk, the second eq. (5)."""
        return bool(self.records) and not self.difference.any()

    def plot(self) -> str:
        """Draw how many records are unique, and shared by two and three, as SVG."""
        return bars(
            "Records by ΣD, of N records",
            [f"N−{size}" for size in self.near_unique],
            list(self.near_unique.values()),
        )


def openshaw_risk(
    table: KeyTable,
    *,
    other_variables: tuple[str, ...] = (),
    reading: Reading = "share unique",
    discounts: Mapping[str, float] | None = None,
    threshold: float | None = None,
) -> OpenshawRisk:
    """Measure how unique the records of a file are on the match variables.

    With f_i the size of record i's class:

    - eq. (2)  Σ_k D_ik = N − f_i, and record i is unique when this is N − 1, eq. (3);
    - eq. (4)  relative uniqueness (N − f_i)/(N − 1);
    - eq. (7)  the share of unique records, or the mean of D over all pairs,
      (N² − Σ f_i)/(N(N − 1)).

    Parameters
    ----------
    table
        The key table of the M match variables.
    other_variables
        The M+ variables that would be disclosed; for the record only.
    reading
        Which reading of equation (7) `risk` is.
    discounts
        The probability that an assumption of the worst case holds (see `WORST_CASE`); 1 without
        an entry.
    threshold
        What the risk should not exceed. The paper knows no natural one.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [27, 40, 52, 52], "sex": [1, 2, 1, 1]})
    >>> with indistinct.open_data(people) as data:
    ...     found = openshaw_risk(data.key_table(["age", "sex"]), discounts={"coding": 0.5})
    >>> found.share_unique, round(found.mean_difference, 4), found.risk
    (0.5, 0.8333, 0.25)
    """
    factors = _checked(discounts or {}, reading, threshold)
    n = table.records
    difference = n - table.counts
    pairs = max(1, n * (n - 1))
    # in Python's integers, since N² of a large census leaves no room
    squares = sum(int(s) ** 2 * c for s, c in table.frequencies_of_frequencies().items())
    near = {size: int(table.counts[table.counts == size].sum()) for size in (1, 2, 3)}
    notes = [
        "False matches are probably many times more frequent than true ones, and much of what a "
        "census asks can be seen from the road (section 2)."
    ]
    if n < FEW_RECORDS:
        notes.append(f"With only {n} records even identical ones say much about each person.")
    return OpenshawRisk(
        table.names,
        tuple(other_variables),
        n,
        difference,
        difference / max(1, n - 1),
        near[1],
        near,
        near[1] / max(1, n),
        (n * n - squares) / pairs,
        reading,
        factors,
        threshold,
        tuple(
            text if name not in factors else f"{text} Held with probability {factors[name]:g}."
            for name, text in WORST_CASE.items()
        ),
        tuple(notes),
    )


def _checked(
    discounts: Mapping[str, float], reading: str, threshold: float | None
) -> Mapping[str, float]:
    problems = []
    for name, factor in discounts.items():
        if name not in WORST_CASE:
            problems.append(
                f"There is no assumption '{name}' to discount. {did_you_mean(name, WORST_CASE)}"
            )
        elif not 0 <= factor <= 1:
            problems.append(
                f"The discount of '{name}' must be a probability from 0 to 1. Got {factor}."
            )
    if reading not in get_args(Reading):
        problems.append(
            f"The reading of equation (7) must be 'share unique' or 'mean difference'. "
            f"Got '{reading}'."
        )
    if threshold is not None and not 0 <= threshold <= 1:
        problems.append(f"The threshold must be from 0 to 1. Got {threshold}.")
    if problems:
        raise InputError("\n".join(problems))
    return MappingProxyType(dict(discounts))


def match_matrix(table: KeyTable) -> NDArray[np.int8]:
    """Return D_ik for all pairs, as equation (1) has it: for small files, and for checking.

    Records stand in the order of their classes. Each pair is compared once and mirrored.

    >>> import indistinct, pyarrow as pa
    >>> with indistinct.open_data(pa.table({"age": [27, 27, 40]})) as data:
    ...     match_matrix(data.key_table(["age"])).tolist()
    [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    """
    if table.records > LARGEST_MATRIX:
        raise InputError(
            f"The matrix of all pairs is for at most {LARGEST_MATRIX:,} records. Got "
            f"{table.records:,}. The sums need no matrix: use openshaw_risk."
        )
    codes = np.repeat(table.codes, table.counts, axis=0)
    matrix = np.zeros((len(codes), len(codes)), dtype=np.int8)
    for i in range(len(codes)):
        matrix[i, i + 1 :] = np.abs(codes[i + 1 :] - codes[i]).sum(axis=1) != 0
    return matrix + matrix.T


@result(eq=True)
class CodingEffect(Result):
    """What a coarser coding, fewer variables or more records do to the measures."""

    before: OpenshawRisk
    after: OpenshawRisk

    FACTS = facts(Fact("measures", lambda found: found._by_measure(), spread=True))

    def sentence(self) -> str:
        """Say the risk before and after."""
        return f"Risk {self.before.risk:.6g} before, {self.after.risk:.6g} after"

    def _by_measure(self) -> dict[str, dict[str, float]]:
        return {n: {"before": b, "after": a, "difference": a - b} for n, b, a in self.rows()}

    def rows(self) -> list[tuple[str, float, float]]:
        """Return each measure before and after."""
        one, two = self.before, self.after
        return [
            ("records", one.records, two.records),
            ("unique", one.unique, two.unique),
            ("at N−2", one.near_unique[2], two.near_unique[2]),
            ("at N−3", one.near_unique[3], two.near_unique[3]),
            ("share unique", one.share_unique, two.share_unique),
            ("mean difference", one.mean_difference, two.mean_difference),
            ("risk", one.risk, two.risk),
        ]

    def plot(self) -> str:
        """Draw how many records are unique, and near to it, before and after, as SVG."""
        one, two = self.before.near_unique, self.after.near_unique
        return bars(
            "Records by ΣD, of N records",
            [f"N−{size}" for size in one],
            list(one.values()),
            beside=[two[size] for size in one],
            names=("before", "after"),
        )

    def to_frame(self) -> Any:
        """Return one row per measure (pandas must be installed)."""
        rows = [{"measure": n, "before": float(b), "after": float(a)} for n, b, a in self.rows()]
        return pa.Table.from_pylist(rows).to_pandas()

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "The measures before and after",
                ("measure", "before", "after"),
                [(name, float(before), float(after)) for name, before, after in self.rows()],
            )
        ]


def coding_effect(before: KeyTable, after: KeyTable, **options: Any) -> CodingEffect:
    """Compare two codings of a file: broad banding, cutting off extremes, leaving out variables.

    A coarser coding of the same records never raises a reading of equation (7). `options` are
    those of `openshaw_risk`.

    >>> import indistinct, pyarrow as pa
    >>> from indistinct.keys import Recode
    >>> with indistinct.open_data(pa.table({"age": [27, 28, 40]})) as data:
    ...     table = data.key_table(["age"])
    >>> tens = Recode(np.arange(27, 41) // 10 - 2, ["20-29", "30-39", "40-49"])
    >>> coding_effect(table, table.rollup(recodes={"age": tens})[0]).rows()[1]
    ('unique', 3, 1)
    """
    return CodingEffect(openshaw_risk(before, **options), openshaw_risk(after, **options))
