"""Prosecutor, journalist and marketer: three intruders and what each can expect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from indistinct.core import Array, Floats, Fraction, InputError, above, check_number
from indistinct.keys import KeyTable
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.risk.individual import expected_reidentification

__all__ = ["AttackerRisks", "Risks", "attacker_risks"]


@dataclass(frozen=True, eq=False)
class Risks(Part):
    """One intruder's chances over the records of a file.

    `risk` is per class in key-table order.
    """

    highest: float
    average: float
    at_risk: float
    """The share of records whose risk is above the threshold."""
    risk: Floats = field(repr=False)

    FACTS = facts("highest", "average", "at_risk")


@result
class AttackerRisks(Result):
    """The risk of a file under El Emam's three intruders."""

    records: int
    threshold: float
    prosecutor: Risks
    journalist: Risks
    marketer: float
    """The expected share of records that are linked rightly when all are tried."""
    assumptions: tuple[str, ...]

    FACTS = facts(
        "records",
        "threshold",
        "prosecutor",
        "journalist",
        Fact("marketer", lambda found: {"average": found.marketer}),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say whose risk it is."""
        return f"Risk of {self.records:,} records under three intruders"

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"intruder": "prosecutor", **self.prosecutor.to_dict()},
            {"intruder": "journalist", **self.journalist.to_dict()},
            {"intruder": "marketer", "highest": None, "average": self.marketer, "at_risk": None},
        ]

    def to_frame(self) -> Any:
        """Return one row per intruder as a pandas frame."""
        return pa.Table.from_pylist(self._rows()).to_pandas()

    def plot(self) -> str:
        """Draw the average risk under each intruder in per cent, as SVG."""
        rows = self._rows()
        return bars(
            "Average risk of a record, per cent",
            [row["intruder"] for row in rows],
            [100 * row["average"] for row in rows],
        )

    def _row_tables(self) -> list[Table]:
        rows = [tuple(row.values()) for row in self._rows()]
        above = f"above {self.threshold:g}"
        return [
            Table(
                f"Risk of {self.records:,} records under three intruders",
                ("intruder", "highest", "average", above),
                rows,
                dict.fromkeys(("highest", "average", above), ".2%"),
            )
        ]


def attacker_risks(
    table: KeyTable,
    *,
    population: KeyTable | ArrayLike | None = None,
    fraction: Fraction | None = None,
    threshold: float = 0.2,
) -> AttackerRisks:
    """Return the risk under El Emam's three intruders.

    With f records of the file and F people of the population in a class (El Emam and Dankar 2008;
    Dankar and El Emam 2010; El Emam 2013)::

        prosecutor   knows that the person is in the file:   1/f;   average  classes/n
        journalist   wants any one person, by a register:    1/F;   average  max(J/ΣF, Σ(f/F)/n)
        marketer     links all records with a register:              average  Σ(f/F)/n

    where J is the number of classes, and ΣF runs over the classes in the file. A record is at
    risk when its risk is *above* the threshold.

    Parameters
    ----------
    population
        The register: a key table of the same variables, or the people in each class.
    fraction
        The sampling fraction, without a register: F is not known, and 1/F is replaced by its
        expectation given f, as in `individual_risk`. The weights of the table are used where
        there are any. With none of them the file is taken to be the population, and the
        journalist's risk is the prosecutor's.

    >>> import pyarrow as pa, indistinct
    >>> with indistinct.open_data(pa.table({"a": [1, 1, 1, 2]})) as data:
    ...     found = attacker_risks(data.key_table(["a"]), population=[30, 2])
    >>> found.prosecutor.highest, found.journalist.highest, found.marketer
    (1.0, 0.5, 0.15)
    """
    check_number("The threshold", threshold, above(0, 1))
    if population is not None and fraction is not None:
        raise InputError("Give either a population or a sampling fraction, not both.")
    if not table.records:
        raise InputError("There are no records, so there is no risk to measure.")
    counts = table.counts
    own = 1.0 / counts
    prosecutor = _risks(own, counts, threshold, table.classes / table.records)
    chance, share_of_people, basis = _journalist_chance(table, population, fraction)
    marketer = float(counts @ chance) / table.records
    journalist = _risks(chance, counts, threshold, max(marketer, share_of_people))
    return AttackerRisks(
        records=table.records,
        threshold=threshold,
        prosecutor=prosecutor,
        journalist=journalist,
        marketer=marketer,
        assumptions=(
            "The prosecutor knows that the person is in the file; journalist and marketer do not.",
            basis,
            "Values in the file and values known to the intruder are the same.",
        ),
    )


def _risks(risk: Floats, counts: Array, threshold: float, average: float) -> Risks:
    # 1/5 is not above 0.2, whatever the last bit says
    above = risk > threshold * (1 + 1e-12)
    at_risk = float(counts[above].sum() / counts.sum())
    return Risks(float(risk.max()), average, at_risk, risk)


def _journalist_chance(
    table: KeyTable, population: KeyTable | ArrayLike | None, fraction: float | None
) -> tuple[Floats, float, str]:
    """Return 1/F per class, J/ΣF, and what it rests on."""
    counts = table.counts
    if population is not None:
        people = _people(table, population)
        return 1.0 / people, table.classes / float(people.sum()), "F is counted in the register."
    estimated = table.weights if fraction is None else counts / fraction
    if estimated is not None:
        p = np.minimum(counts / estimated, 1.0)
        basis = "F is not known: 1/F is its expectation given f, by a negative binomial model."
        chance = expected_reidentification(counts, p)
        return chance, table.classes / float(np.maximum(estimated, counts).sum()), basis
    return 1.0 / counts, table.classes / table.records, "The file is the whole population."


def _people(table: KeyTable, population: KeyTable | ArrayLike) -> Floats:
    """Return the people of the population in each class of the file."""
    if isinstance(population, KeyTable):
        if population.names != table.names:
            raise InputError(
                f"The register must be counted by the same key, {', '.join(table.names)}. "
                f"Got {', '.join(population.names)}."
            )
        people = _look_up(table, population)
    else:
        people = np.asarray(population, dtype=np.float64)
        if people.shape != table.counts.shape:
            raise InputError(
                f"The population must have a number of people for each of the {table.classes:,} "
                f"classes. Got {people.size:,}."
            )
    short = ~(people >= table.counts)
    if short.any():
        raise InputError(
            f"The population has fewer people than the file has records in {int(short.sum()):,} "
            f"of {table.classes:,} classes, so the file is not a sample of it. Check that both "
            "code the key alike."
        )
    return people


def _look_up(table: KeyTable, population: KeyTable) -> Floats:
    """Return the population's count of each class, 0 where it has none."""
    ranks = []
    for own, theirs in zip(table.coding.variables, population.coding.variables, strict=True):
        # the two files code values apart: theirs are translated to ours, unknown ones to -1
        at = {value: code for code, value in enumerate(own.decode(np.arange(own.size)))}
        translated = [at.get(value, -1) for value in theirs.decode(np.arange(theirs.size))]
        ranks.append(np.array(translated, dtype=np.int64))
    codes = np.stack([r[population.codes[:, j]] for j, r in enumerate(ranks)], axis=1)
    known = (codes >= 0).all(axis=1)
    both = np.concatenate([table.codes, codes[known]])
    _, number = np.unique(both, axis=0, return_inverse=True)
    number = number.reshape(-1)
    totals = np.zeros(int(number.max()) + 1)
    np.add.at(totals, number[table.classes :], population.counts[known])
    found: Floats = totals[number[: table.classes]]
    return found
