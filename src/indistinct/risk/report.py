"""The risk of a file: what the verb `risk` answers, with one row per record on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import Array, Floats, Fraction, InputError
from indistinct.engine import Engine, Tally
from indistinct.files import Source, counted_from_one, write_data
from indistinct.keys import KeyTable, counts_in, people_by_class
from indistinct.results import Fact, Result, Table, facts, folded, result
from indistinct.risk.attackers import AttackerRisks, attacker_risks
from indistinct.risk.attributes import AttributeRisk, attribute_disclosure
from indistinct.risk.choice import ModelPath, choose_model
from indistinct.risk.flags import RecordFlags
from indistinct.risk.household import household_risk
from indistinct.risk.individual import IndividualRisk, individual_risk
from indistinct.risk.per_class import KnownRisk, known_population_risk
from indistinct.risk.removal import VariableRemoval, remove_variables
from indistinct.risk.skinner_holmes import Distribution, RecordRisk, record_risk
from indistinct.risk.sparse import fit_model
from indistinct.risk.suda2 import Suda, suda

__all__ = ["FileRisk", "file_risk"]


@result
class FileRisk(Result):
    """The risk of every record of a file, and of the file.

    `found` is the estimate after Skinner and Holmes, or the known risk where the population was
    given; `path` how its model was chosen; `individual` the risk from weights, where there are
    any.
    """

    source: Source
    tally: Tally
    found: RecordRisk | KnownRisk
    path: ModelPath | None = None
    individual: IndividualRisk | None = None
    household: str | None = None
    attributes: AttributeRisk | None = None
    flags: RecordFlags | None = None

    FACTS = facts(
        Fact("found", spread=True),
        Fact("method", lambda found: found._method(), spread=True),
        Fact("path", when=lambda found: found.path is not None),
        Fact("individual", when=lambda found: found.individual is not None),
        Fact("attributes", when=lambda found: found.attributes is not None),
        Fact("flags", when=lambda found: found.flags is not None),
        "attackers",
        "variables",
    )

    def _method(self) -> dict[str, object]:
        """The model and the method, which the estimate and the known risk say differently."""
        if isinstance(self.found, RecordRisk):
            return {"model": self.found.model.text, "method": "skinner-holmes"}
        return {
            "model": None,
            "sigma2": None,
            "method": "known population",
            "expected_population_uniques": float(self.found.population_uniques),
        }

    @cached_property
    def variables(self) -> VariableRemoval:
        """Which variables cause it: what is left at risk as they are taken away, the best first.

        Records stand out here as McCaa et al. (2013) say, in classes smaller than three.
        """
        return remove_variables(self.table, k=3)

    @cached_property
    def attackers(self) -> AttackerRisks:
        """The risk from a prosecutor, a journalist and a marketer."""
        if isinstance(self.found, KnownRisk):
            return attacker_risks(self.table, population=self.found.population_counts)
        return attacker_risks(self.table, fraction=self.found.fraction)

    def combinations(self, *, max_size: int = 3) -> Suda:
        """Which combinations cause it: minimal uniques and their SUDA scores."""
        return suda(self.table, max_size=min(max_size, len(self.table.names)))

    @property
    def table(self) -> KeyTable:
        """The key table that the risk was computed on."""
        return self.found.table

    def to_frame(self) -> Any:
        """Return one row per record, as `per_record` does, as a pandas frame."""
        return pa.Table.from_batches(self.per_record()).to_pandas()

    def per_record(self) -> Iterator[pa.RecordBatch]:
        """One row per record: number from 0, frequency, risk, and what else is known of it."""
        columns: dict[str, Array] = {
            "frequency": self.table.counts,
            "risk": self.found.risk,
            "score": self.found.score,
        }
        if isinstance(self.found, RecordRisk):
            columns["population_unique"] = self.found.population_unique
            columns["correct_match"] = self.found.correct_match
        else:
            columns["population"] = self.found.population_counts
        if self.individual is not None:
            columns["individual"] = self.individual.risk
        household = self._household_risk() if self.household else None
        streams = [self.tally.per_record(np.asarray(values)) for values in columns.values()]
        start = 0
        for arrays in zip(*streams, strict=True):
            end = start + len(arrays[0])
            named: dict[str, Any] = dict(zip(columns, arrays, strict=True))
            if household is not None:
                named["household"] = household[start:end]
            if self.flags is not None:
                named["flags"] = pa.array(self.flags.names(start, end))
            yield pa.record_batch({"record": np.arange(start, end), **named})
            start = end

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write one row per record, numbered from 1; the suffix of the path tells the format."""
        rows = counted_from_one(self.per_record())
        return write_data(rows, path, increasing=["record"], overwrite=overwrite)

    def _household_risk(self) -> Floats:
        """The risk that a member is recognised, by individual risk where there are weights."""
        if self.individual is not None:
            risk = self.individual.risk
        elif isinstance(self.found, RecordRisk):
            risk = self.found.correct_match
        else:
            risk = self.found.risk
        return household_risk(
            self.tally.per_record(risk), self.source.batches([self.household or ""])
        )

    def plot(self) -> str:
        """Draw the sample uniques by bands of their risk, as SVG.

        Beside them stand those expected to be unique in the population; where the population is
        known, all records by the score of their risk.
        """
        return self.found.plot()

    def __repr__(self) -> str:
        lines = [repr(self.found)]
        if self.individual is not None:
            lines.append(
                f"  individual risk: {self.individual.expected_reidentifications:,.2f} expected "
                f"re-identifications, largest {self.individual.max:.4%}"
            )
        if self.attributes is not None:
            lines.append(
                f"  values told without a unique link: of {self.attributes.disclosed:,} people"
            )
        if self.flags is not None:
            lines.append(f"  {len(self.flags.flagged):,} records carry a flag")
        order = self.variables
        lines.append(
            f"  in classes smaller than {order.k}             {order.at_risk:>12,}; consider for "
            f"masking: {', '.join(order.candidates()) or 'none'}"
        )
        return folded(lines)

    def _tables(self) -> list[Table]:
        parts = (
            self.found,
            self.individual,
            self.attributes,
            self.flags,
            self.attackers,
            self.variables,
        )
        return [table for part in parts if part is not None for table in part._tables()]

    def _notes(self) -> list[str]:
        return [*getattr(self.found, "notes", ()), *self.found.assumptions]

    def _lines(self) -> list[str]:
        parts = (self.found, self.individual, self.attributes, self.flags, self.variables)
        lines = [part.details() for part in parts if part is not None]
        return lines + [f"  assumed: {sentence}" for sentence in self.found.assumptions]


def file_risk(
    engine: Engine,
    source: Source,
    key: list[str],
    *,
    fraction: Fraction | None = None,
    weight: str | None = None,
    population: Source | None = None,
    model: str = "auto",
    distribution: Distribution = "auto",
    household: str | None = None,
    sensitive: Sequence[str] = (),
    beyond_uniques: bool = False,
    person: str | None = None,
) -> FileRisk:
    """Estimate how likely each record is to be recognised.

    Parameters
    ----------
    fraction, weight, population
        What is known of the population: the sampling fraction, the variable with the sampling
        weights, or the population itself (a file with the same key variables).
    model
        ``auto`` to choose interactions by the criteria of Skinner and Shlomo, or ``main``,
        ``two-way``, ``three-way``, or margins such as ``age*sex + region``.
    distribution
        How means vary about a model that is named.
    household
        The household's id, for the risk that any member is recognised.
    sensitive
        Variables whose values an intruder is after, for what is learnt without a unique link.
    person
        The column that says whose record each is, where people have several: classes then count
        people, in the file and in a population that has the column, and the risk of a record is
        that of its person.
    """
    given = [name for name, what in _given(fraction, weight, population) if what]
    if not given:
        raise InputError(
            "The risk needs to know how the file relates to the population. Give the sampling "
            "fraction (--fraction 0.1), the sampling weights (--weight w), or a file of the "
            "population (--population FILE)."
        )
    if population is not None and len(given) > 1:
        raise InputError(
            f"Give a population alone, not with {given[0]}: it is all there is to know."
        )
    if distribution != "auto" and (population is not None or model == "auto"):
        raise InputError(
            f"The distribution {distribution} would be ignored: a population is counted, and the "
            "search for a model explains the spread about it by the model itself. Name a model, "
            "such as main or two-way, or leave the distribution out."
        )
    if household is not None:
        source.check_columns([household])
    tally = engine.count(source, key)
    attributes = None
    if sensitive:
        wider = KeyTable.from_tally(engine.count(source, [*key, *sensitive]))
        attributes = attribute_disclosure(wider, key, sensitive)
    weights = engine.class_weights(source, tally, weight) if weight else None
    table = KeyTable.from_tally(tally, weights=weights)
    if person is not None:
        table = _of_people(engine, source, table, person)
    if population is not None:
        theirs = KeyTable.from_tally(engine.count(population, key))
        if person in population.variables:
            theirs = _of_people(engine, population, theirs, person)
        counts = counts_in(table, theirs)
        known = known_population_risk(table, counts)
        return FileRisk(source, tally, known, household=household, attributes=attributes)
    individual = individual_risk(table) if weight else None
    options: dict[str, Any] = {"fraction": fraction, "beyond_uniques": beyond_uniques}
    path = None
    if model == "auto":
        path = choose_model(table, fraction=_overall(table, fraction))
        found = path.risk
        if fraction is None or beyond_uniques:
            # the search has one fraction for all, and rates sample uniques only; it explains the
            # spread about the model itself
            found = record_risk(table, fit=path.fit, distribution="poisson", **options)
    else:
        fit = fit_model(table, model)
        found = record_risk(table, fit=fit, distribution=distribution, **options)
    return FileRisk(source, tally, found, path, individual, household, attributes)


def _of_people(engine: Engine, source: Source, table: KeyTable, person: str | None) -> KeyTable:
    """Return the same classes with the people that each has; they share their records' weights."""
    people = people_by_class(engine, source, table.names, person) if person else table.counts
    weights = None if table.weights is None else table.weights * people / table.counts
    return replace(table, counts=people, weights=weights)


def _given(
    fraction: float | None, weight: str | None, population: Source | None
) -> list[tuple[str, bool]]:
    return [
        ("a fraction", fraction is not None),
        ("weights", weight is not None),
        ("a population", population is not None),
    ]


def _overall(table: KeyTable, fraction: float | None) -> float:
    """The sampling fraction of the file: as given, or its records divided by their weights."""
    if fraction is not None or table.weights is None:
        return fraction or 0.0
    return min(1.0, table.records / float(table.weights.sum()))
