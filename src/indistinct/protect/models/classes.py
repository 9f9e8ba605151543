"""Models that judge every class by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from indistinct.core import InputError, above, between, check_number, check_whole, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.protect.models.base import (
    ROUNDING,
    Flags,
    Grouping,
    Growth,
    PrivacyModel,
    check_share,
)
from indistinct.risk import DISTANCES, KINDS, Distance, DiversityKind, closeness_of, diversity_of

__all__ = ["Coverage", "KAnonymity", "KMap", "LDiversity", "MaximumRisk", "TCloseness"]


@dataclass(frozen=True)
class KAnonymity(PrivacyModel, kind="k-anonymity"):
    """Every class has at least k records (Samarati and Sweeney 1998)."""

    k: int

    def __post_init__(self) -> None:
        """Refuse a k below 2."""
        check_whole("k", self.k, 2)

    @property
    def smallest(self) -> int:
        """The fewest records of a safe class."""
        return self.k

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the classes smaller than k."""
        return classes.sizes < self.k

    def describe(self) -> str:
        """Say what is asked for."""
        return f"k={self.k}"


@dataclass(frozen=True)
class MaximumRisk(PrivacyModel, kind="maximum-risk"):
    """No record's prosecutor risk, 1 over the size of its class, is above a limit.

    It is k-anonymity with k the smallest whole number that is at least 1/limit.
    """

    limit: float

    def __post_init__(self) -> None:
        """Refuse a limit that is no probability."""
        check_share("The limit of the risk", self.limit)

    @property
    def smallest(self) -> int:
        """The fewest records of a safe class."""
        return max(1, math.ceil(1 / self.limit - ROUNDING))

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the classes whose risk is above the limit."""
        return classes.sizes < self.smallest

    def describe(self) -> str:
        """Say what is asked for."""
        return f"a risk of at most {self.limit:g}"


@dataclass(frozen=True)
class KMap(PrivacyModel, kind="k-map"):
    """Every released record could be any of at least k people of a register (Sweeney 2001).

    Parameters
    ----------
    k
        How many people.
    register
        The path of the register, for a plan that is replayed; a search is given the register's
        key table. All its people count, also those like whom there is no record.
    """

    k: int
    register: str | None = None
    needs_register = True

    def __post_init__(self) -> None:
        """Refuse a k below 2."""
        check_whole("k", self.k, 2)

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the classes that fewer than k people share."""
        if classes.people is None:
            raise InputError("k-map needs a register: give register=.")
        return classes.people < self.k

    def describe(self) -> str:
        """Say what is asked for."""
        return f"{self.k}-map"


@dataclass(frozen=True)
class LDiversity(PrivacyModel, kind="l-diversity"):
    """Every class leaves l values of a sensitive variable possible (Machanavajjhala 2007).

    Parameters
    ----------
    sensitive
        The variable.
    l
        How many values.
    form
        *distinct* values; *entropy*, as many as l equally frequent ones tell; *recursive*, the
        most frequent fewer than c times those from the l-th on. See `risk.l_diversity`.
    c
        For the recursive form.
    """

    sensitive: str
    l: float
    form: DiversityKind = "distinct"
    c: float = 2.0

    def __post_init__(self) -> None:
        """Refuse an l that every class has, and a form that does not exist."""
        check_number("l", self.l, above(1, hint="Every class is 1-diverse."))
        if self.form not in KINDS:
            raise InputError(
                f"There is no diversity '{self.form}'. {did_you_mean(self.form, KINDS)}"
            )

    @property
    def merging(self) -> Growth:
        """A class never loses a distinct value; its entropy may fall."""
        return "absorbing" if self.form == "distinct" else "closed"

    @property
    def implied(self) -> PrivacyModel | None:
        """By entropy or recursion, a class cannot be more diverse than it has values."""
        return None if self.form == "distinct" else LDiversity(self.sensitive, self.l)

    @property
    def smallest(self) -> int:
        """The fewest records of a safe class: one for each value."""
        return math.ceil(self.l - ROUNDING)

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the classes that are less diverse; one without any value may spoil others."""
        split = classes.splits[self.sensitive].telling
        if self.form == "distinct":
            return np.diff(split.starts) < self.l
        return diversity_of(split, c=self.c).failing(self.form, self.l)

    def describe(self) -> str:
        """Say what is asked for."""
        form = f"recursive ({self.c:g}, {self.l:g})" if self.form == "recursive" else self.form
        number = "" if self.form == "recursive" else f" {self.l:g}"
        return f"{form}{number}-diversity of {self.sensitive}"


@dataclass(frozen=True)
class TCloseness(PrivacyModel, kind="t-closeness"):
    """The sensitive values of every class are distributed as in the whole file, up to t.

    Li, Li and Venkatasubramanian (2007); the distances are those of `risk.t_closeness`. The file
    is the one before any record is left out, as ARX counts.
    """

    sensitive: str
    t: float
    distance: Distance = "equal"
    hierarchy: Hierarchy | None = None
    order: tuple[str, ...] | None = None
    growth: ClassVar[Growth] = "closed"  # the earth mover's distance is convex

    def __post_init__(self) -> None:
        """Refuse a t outside 0 to 1, and a distance that does not exist."""
        check_number("t", self.t, between(0, 1, "Usual is 0.1 to 0.3."))
        if self.distance not in DISTANCES:
            raise InputError(
                f"There is no distance '{self.distance}'. {did_you_mean(self.distance, DISTANCES)}"
            )
        if (self.distance == "hierarchical") != (self.hierarchy is not None):
            raise InputError("A hierarchy is given with the hierarchical distance, and only there.")

    @property
    def implied(self) -> PrivacyModel | None:
        """Values that a class lacks make it as far from the file as they are frequent there."""
        return Coverage(self.sensitive, 1.0 - self.t) if self.distance == "equal" else None

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the classes that are farther from the file than t."""
        split = classes.splits[self.sensitive].telling
        silent: Flags = np.diff(split.starts) == 0
        if silent.all():
            return silent
        found = closeness_of(
            split, distance=self.distance, hierarchy=self.hierarchy, order=self.order
        )
        return found.failing(self.t) | silent

    def describe(self) -> str:
        """Say what is asked for."""
        return f"{self.t:g}-closeness of {self.sensitive} ({self.distance} distance)"


@dataclass(frozen=True)
class Coverage(PrivacyModel, kind="coverage"):
    """The sensitive values of every class are those of at least a share of the whole file."""

    sensitive: str
    share: float

    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Flag the classes whose values are too rare in the file, all together."""
        split = classes.splits[self.sensitive].telling
        if not len(split.values):
            return np.ones(len(classes.sizes), dtype=bool)
        of = np.repeat(np.arange(len(classes.sizes)), np.diff(split.starts))
        shares = split.file_shares[split.values]
        held = np.bincount(of, weights=shares, minlength=len(classes.sizes))
        return np.asarray(held < self.share - ROUNDING)

    def describe(self) -> str:
        """Say what is asked for."""
        return f"values of {self.sensitive} that cover {self.share:g} of the file"
