"""Who satisfies k-anonymity by a key, and who does not (McCaa et al. 2013, section 2).

The first pass over the Irish sample flagged 78 % of the records at k = 3. Those that did satisfy
were mostly young people, who "tend not to have been married, they don't work, and they are still
in school": the profile shows such a thing for any file.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import AtMost, Bools, ClassSize, Floats, InputError, Ints, did_you_mean
from indistinct.keys import KeyTable, threshold
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.packed import small_classes

__all__ = ["ASSUMPTIONS", "KAnonymityTest", "Profile", "k_anonymity_test"]

ASSUMPTIONS = (
    "The intruder knows every variable of the key, without error: a worst case.",
    "A record satisfies k-anonymity when k−1 others in the file share its key; that the file is a "
    "sample is not taken into account.",
    "A missing value is a category of its own.",
)
"""What the test takes for granted, printed with its result."""


@result
class Profile(Result):
    """Who satisfies k-anonymity and who does not, by the categories of every key variable.

    The lift of a category is its share among records that satisfy, divided by its share among
    all: above 1, its people hide in a crowd. A variable's `separation` is the index of
    dissimilarity ½ Σ |p − q| between the two distributions: 0 when it plays no part, 1 when it
    tells the two groups apart.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    satisfied: tuple[Ints, ...]
    flagged: tuple[Ints, ...]

    FACTS = facts(
        "separation",
    )

    def sentence(self) -> str:
        """Say what is compared."""
        return "How far records that satisfy differ from those that do not (0 to 1)"

    def lift(self, name: str) -> Floats:
        """Return the lift of every category of a variable, in the order of its values."""
        if name not in self.names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, self.names)}")
        at = self.names.index(name)
        satisfied, flagged = self.satisfied[at], self.flagged[at]
        everyone = satisfied + flagged
        return _share(satisfied) / _share(everyone)

    @cached_property
    def separation(self) -> dict[str, float]:
        """How far the two groups differ by each variable, from 0 to 1."""
        return {
            name: float(np.abs(_share(satisfied) - _share(flagged)).sum() / 2)
            for name, satisfied, flagged in zip(
                self.names, self.satisfied, self.flagged, strict=True
            )
        }

    def to_frame(self) -> Any:
        """Return one row per variable and category (pandas must be installed)."""
        rows = [
            {
                "variable": name,
                "value": None if value is None else str(value),
                "satisfied": int(self.satisfied[j][i]),
                "flagged": int(self.flagged[j][i]),
                "lift": float(lift),
            }
            for j, name in enumerate(self.names)
            for i, (value, lift) in enumerate(zip(self.values[j], self.lift(name), strict=True))
        ]
        return pa.Table.from_pylist(rows).to_pandas()

    def plot(self) -> str:
        """Draw how far the two groups differ by each variable, in per cent, as SVG."""
        ranked = sorted(self.separation.items(), key=lambda item: -item[1])
        return bars(
            "Difference between records that satisfy and those that do not, per cent",
            [name for name, _ in ranked],
            [100 * value for _, value in ranked],
        )

    def _row_tables(self) -> list[Table]:
        ranked = sorted(self.separation.items(), key=lambda item: -item[1])
        return [
            Table(
                self.sentence(),
                ("variable", "separation"),
                ranked,
                {"separation": ".3f"},
            )
        ]


def _share(counts: Ints) -> Floats:
    return counts / max(1, int(counts.sum()))


@result
class KAnonymityTest(Result):
    """The records that do not satisfy k-anonymity for a key.

    `satisfied` says it of every class, in the order of the key table.
    """

    table: KeyTable
    k: int
    satisfied: Bools
    flagged: int
    unique: int
    assumptions: tuple[str, ...] = ASSUMPTIONS

    FACTS = facts(
        Fact("key", "table.names"),
        "k",
        Fact("records", shown="records"),
        Fact("classes", "table.classes", shown="classes"),
        Fact("flagged", shown="do not satisfy"),
        Fact("share_flagged", shown="share", form=".1%"),
        Fact("unique", shown="alone with their key"),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say how many records do not satisfy it."""
        return (
            f"{self.flagged:,} of {self.records:,} records ({self.share_flagged:.1%}) do not "
            f"satisfy {self.k}-anonymity by {', '.join(self.table.names)}; "
            f"{self.unique:,} are alone with their key"
        )

    @property
    def records(self) -> int:
        """The number of records."""
        return self.table.records

    @property
    def share_flagged(self) -> float:
        """The share of records that do not satisfy k-anonymity."""
        return self.flagged / max(1, self.records)

    def profile(self) -> Profile:
        """Compare the records that satisfy with those that do not, variable by variable."""
        table = self.table
        values, satisfied, flagged = [], [], []
        for j, coding in enumerate(table.coding.variables):
            used, numbers = np.unique(table.codes[:, j], return_inverse=True)
            both = np.zeros((2, len(used)), dtype=np.int64)
            np.add.at(both, (self.satisfied.astype(np.int64), numbers), table.counts)
            values.append(tuple(coding.decode(used)))
            flagged.append(both[0])
            satisfied.append(both[1])
        return Profile(table.names, tuple(values), tuple(satisfied), tuple(flagged))

    def plot(self) -> str:
        """Draw the records by the size of their class, as SVG."""
        return self.table.plot()


def k_anonymity_test(
    table: KeyTable, *, k: ClassSize | None = None, at_most: AtMost | None = None
) -> KAnonymityTest:
    """Flag the records that fewer than k−1 others are indistinguishable from, by default k = 3.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [8, 8, 8, 41, 41], "sex": [1, 1, 1, 1, 2]})
    >>> with indistinct.open_data(people) as data:
    ...     test = k_anonymity_test(data.key_table(["age", "sex"]))
    >>> print(test.sentence())
    2 of 5 records (40.0%) do not satisfy 3-anonymity by age, sex; 2 are alone with their key
    >>> test.profile().separation
    {'age': 1.0, 'sex': 0.5}
    """
    k = threshold(k, at_most)
    flagged, unique = small_classes(table.counts, k)
    return KAnonymityTest(table, k, table.counts >= k, int(flagged), int(unique))
