"""Models that judge the file as a whole."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from indistinct.core import InputError, did_you_mean
from indistinct.protect.models.base import (
    ROUNDING,
    Flags,
    Grouping,
    Growth,
    Integers,
    PrivacyModel,
    check_share,
)
from indistinct.risk import (
    class_sizes,
    pitman,
    population_uniqueness,
    slide_negative_binomial,
    zayatz,
)

__all__ = ["AverageRisk", "FileModel", "PopulationUniques", "SampleUniques"]

Estimator = Literal["dankar", "pitman", "zayatz", "snb"]


class FileModel(PrivacyModel):
    """A model of the file as a whole: the smallest classes go, one by one, until it holds."""

    file_level = True
    growth: ClassVar[Growth] = "free"

    @abstractmethod
    def holds(self, sizes: Integers, records: int) -> bool:
        """Say whether a file may be released that has classes of these sizes.

        Parameters
        ----------
        records
            Records of the file before any was left out.
        """

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the smallest classes until the rest may be released, or too many are gone.

        How many must go is found by bisection. It is the fewest where each that goes helps, as
        with the mean risk and the share of uniques; the rest may be released in any case.
        """
        left = np.flatnonzero(~gone)
        records = int(classes.sizes.sum())
        found = np.zeros(len(gone), dtype=bool)
        if not len(left) or self.holds(classes.sizes[left], records):
            return found
        order = left[np.lexsort((classes.places()[left], classes.sizes[left]))]
        sizes = classes.sizes[order]
        room = most - int(classes.sizes[gone].sum())
        enough = int(np.searchsorted(np.cumsum(sizes), room, side="right"))
        if enough < len(order) and not self.holds(sizes[enough:], records):
            found[order[: enough + 1]] = True
            return found
        few = 0
        while enough - few > 1:
            middle = (few + enough) // 2
            if middle == len(order) or self.holds(sizes[middle:], records):
                enough = middle
            else:
                few = middle
        found[order[:enough]] = True
        return found


@dataclass(frozen=True)
class AverageRisk(FileModel, kind="average-risk"):
    """The mean prosecutor risk of the released records, classes over records, has a limit."""

    limit: float
    growth: ClassVar[Growth] = "closed"

    def __post_init__(self) -> None:
        """Refuse a limit that is no probability."""
        check_share("The limit of the average risk", self.limit)

    def holds(self, sizes: Integers, records: int) -> bool:
        """Compare classes over records with the limit."""
        return len(sizes) <= self.limit * float(sizes.sum()) * (1 + ROUNDING)

    def describe(self) -> str:
        """Say what is asked for."""
        return f"an average risk of at most {self.limit:g}"


@dataclass(frozen=True)
class SampleUniques(FileModel, kind="sample-uniques"):
    """At most a share of the released records is alone in its class."""

    limit: float
    growth: ClassVar[Growth] = "closed"

    def __post_init__(self) -> None:
        """Refuse a limit that is no share."""
        check_share("The limit of the share of uniques", self.limit)

    def holds(self, sizes: Integers, records: int) -> bool:
        """Compare the share of uniques with the limit."""
        return int((sizes == 1).sum()) <= self.limit * float(sizes.sum()) * (1 + ROUNDING)

    def describe(self) -> str:
        """Say what is asked for."""
        return f"a share of uniques of at most {self.limit:g}"


@dataclass(frozen=True)
class PopulationUniques(FileModel, kind="population-uniques"):
    """At most a share of the population is estimated to be alone with its key.

    Parameters
    ----------
    limit
        The share.
    fraction
        The sampling fraction of the file.
    estimator
        ``dankar`` chooses among the other three as `risk.population_uniqueness` does.
    """

    limit: float
    fraction: float
    estimator: Estimator = "dankar"

    def __post_init__(self) -> None:
        """Refuse shares outside 0 to 1, and an estimator that does not exist."""
        check_share("The limit of the share of population uniques", self.limit)
        check_share("The sampling fraction", self.fraction)
        if self.estimator not in get_args(Estimator):
            raise InputError(
                f"There is no estimator '{self.estimator}'. "
                f"{did_you_mean(self.estimator, get_args(Estimator))}"
            )

    def holds(self, sizes: Integers, records: int) -> bool:
        """Compare the estimate with the limit; a model without an estimate does not hold."""
        if not (sizes == 1).any():
            return True
        values, numbers = np.unique(sizes, return_counts=True)
        found = dict(zip(values.tolist(), numbers.tolist(), strict=True))
        classes = class_sizes(found, population=max(records / self.fraction, float(sizes.sum())))
        if self.estimator == "dankar":
            chosen = population_uniqueness(found, population=classes.population).chosen
        else:
            estimate = {"pitman": pitman, "zayatz": zayatz, "snb": slide_negative_binomial}
            chosen = estimate[self.estimator](classes)
        uniques = chosen.population_uniques
        return uniques is not None and uniques <= self.limit * classes.population * (1 + ROUNDING)

    def describe(self) -> str:
        """Say what is asked for."""
        return (
            f"an estimated share of population uniques of at most {self.limit:g} "
            f"({self.estimator}, sampling fraction {self.fraction:g})"
        )
