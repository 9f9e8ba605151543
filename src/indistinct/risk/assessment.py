"""An assessment in three aspects: data environment, data sensitivity, data characteristics.

McCaa et al. (2013, section 2): the environment is what is known outside the file (an intruder
scenario), the sensitivity decides k, the characteristics are what a test of the file shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from indistinct.core import ClassSize, Fraction, InputError
from indistinct.keys import KeyTable, threshold
from indistinct.results import Fact, Result, facts, result
from indistinct.risk.k_anonymity import KAnonymityTest, k_anonymity_test
from indistinct.risk.scenario import Scenario

__all__ = ["AreaCheck", "Assessment", "assess", "check_areas"]


@result(eq=True)
class AreaCheck(Result):
    """Areas whose population is too small for them to be told apart in the file."""

    area: str
    threshold: int
    areas: int
    small: tuple[Any, ...]
    smallest: float
    assumptions: tuple[str, ...]

    FACTS = facts(
        "area",
        Fact("threshold", shown="threshold"),
        Fact("areas", shown="areas"),
        Fact("small_areas", lambda found: len(found.small), shown="small areas"),
        Fact("smallest", shown="smallest"),
        "assumptions",
    )

    def sentence(self) -> str:
        """Say how many areas are too small."""
        return (
            f"{len(self.small)} of {self.areas} areas by '{self.area}' have fewer than "
            f"{self.threshold:,} people; the smallest has about {self.smallest:,.0f}"
        )

    @property
    def holds(self) -> bool:
        """Whether every area is large enough."""
        return not self.small


def check_areas(
    table: KeyTable, area: str, *, at_least: int = 120_000, fraction: Fraction | None = None
) -> AreaCheck:
    """Find areas with fewer people than a file may tell.

    The population of an area is the sum of its weights where the table has weights, otherwise
    its records divided by the sampling fraction; without either the file is the population.

    >>> import indistinct, pyarrow as pa
    >>> with indistinct.open_data(pa.table({"area": [1, 1, 1, 2]})) as data:
    ...     found = check_areas(data.key_table(["area"]), "area", at_least=20, fraction=0.1)
    >>> print(found.sentence())
    1 of 2 areas by 'area' have fewer than 20 people; the smallest has about 10
    """
    margin, _ = table.rollup([area])
    if margin.weights is not None and fraction is None:
        people, how = margin.weights, "Populations of areas are sums of sampling weights."
    else:
        people = margin.counts / (fraction or 1.0)
        how = f"Populations of areas are records divided by the fraction {fraction or 1.0:g}."
    low = np.flatnonzero(people < at_least)
    values = margin.values(area)
    return AreaCheck(
        area,
        at_least,
        margin.classes,
        tuple(values[i] for i in low),
        float(people.min()) if len(people) else 0.0,
        (how,),
    )


@result(eq=True)
class Assessment(Result):
    """The three aspects of an assessment of disclosure risk, kept together.

    `environment` is what an intruder may know and from where, `sensitivity` what its subjects
    would think of the data being known, and the k that follows from it, `characteristics` what
    the data show when tested.
    """

    scenario: str
    source: str
    environment: str
    sensitivity: str
    k: int
    key: tuple[str, ...]
    characteristics: KAnonymityTest
    areas: AreaCheck | None = None

    FACTS = facts(
        Fact("scenario", shown="scenario"),
        Fact("source", shown="source"),
        Fact("environment", shown="environment"),
        Fact("sensitivity", shown="sensitivity"),
        Fact("k", shown="k"),
        Fact("key", shown="key"),
        "characteristics",
        "areas",
        Fact(
            "found",
            lambda found: found.characteristics.sentence(),
            shown="characteristics",
            told=False,
        ),
        Fact(
            "small_areas",
            lambda found: found.areas.sentence(),
            shown="areas",
            told=False,
            when=lambda found: found.areas is not None,
        ),
    )

    def sentence(self) -> str:
        """Say what is assessed."""
        return "The three aspects of the assessment"


def assess(
    table: KeyTable,
    scenario: Scenario,
    *,
    sensitivity: str,
    k: ClassSize | None = None,
    environment: str = "",
    area: str | None = None,
    fraction: Fraction | None = None,
) -> Assessment:
    """Record data environment, data sensitivity and data characteristics of a file.

    Parameters
    ----------
    table
        The key table of the scenario's key (`Scenario.key_for`).
    sensitivity
        Why this k, in words: how far the data's subjects might feel threatened.
    environment
        What is special about this file's surroundings; added to the scenario's own words.
    area
        The column of the area, where the scenario has a smallest population for one.

    >>> import indistinct, pyarrow as pa
    >>> from indistinct.risk.scenario import MCCAA_2013
    >>> people = pa.table({"sex": [1, 1, 1, 2], "age": [8, 8, 8, 41]})
    >>> with indistinct.open_data(people) as data:
    ...     key = MCCAA_2013.key_for(data.variables, partial=True).key
    ...     found = assess(data.key_table(key), MCCAA_2013, sensitivity="ordinary census topics")
    >>> found.characteristics.share_flagged
    0.25
    """
    if not sensitivity.strip():
        raise InputError("Say in words how sensitive the data are: the choice of k rests on it.")
    k = threshold(k, None)
    check = None
    if area is not None:
        at_least = scenario.area_threshold
        if at_least is None:
            raise InputError(f"The scenario {scenario.name} has no smallest area to check.")
        check = check_areas(table, area, at_least=at_least, fraction=fraction)
    return Assessment(
        scenario.name,
        scenario.source,
        " ".join(part for part in (scenario.environment, environment.strip()) if part),
        sensitivity.strip(),
        k,
        table.names,
        k_anonymity_test(table, k=k),
        check,
    )
