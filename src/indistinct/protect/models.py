"""Privacy models: what makes a class of a release unsafe.

A model looks at the classes of a release (their sizes, the sensitive values in them, the people
of a register who share them) and says which must not be released. Models are small frozen
dataclasses that a plan can hold; several can be asked for at once.

How far a search may trust a model when classes merge is its `growth`:

- *absorbing*: a safe class stays safe whatever is merged into it (k-anonymity, k-map, distinct
  l-diversity);
- *closed*: safe classes merged are safe, but an unsafe one may spoil a safe one (entropy and
  recursive l-diversity, t-closeness);
- *free*: nothing is promised (estimated population uniques).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import InputError, did_you_mean
from indistinct.hierarchy import Hierarchy
from indistinct.risk.closeness import DISTANCES, Distance, closeness_of
from indistinct.risk.diversity import KINDS, DiversityKind, SensitiveCounts, diversity_of
from indistinct.risk.population import (
    class_sizes,
    pitman,
    population_uniqueness,
    slide_negative_binomial,
    zayatz,
)

__all__ = [
    "AverageRisk",
    "Coverage",
    "Grouping",
    "Growth",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "MaximumRisk",
    "PopulationUniques",
    "PrivacyModel",
    "SampleUniques",
    "TCloseness",
    "unsafe_classes",
]

Growth = Literal["absorbing", "closed", "free"]
Estimator = Literal["dankar", "pitman", "zayatz", "snb"]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

ROUNDING = 1e-9
"""So much above a limit is rounding."""

_KINDS: dict[str, type[PrivacyModel]] = {}


@dataclass(frozen=True, eq=False)
class Grouping:
    """The classes of a release, as far as models look at them.

    Parameters
    ----------
    sizes
        Records in each class, at least 1.
    people
        People of the register in each class, where there is a register.
    splits
        The values of sensitive variables in each class, by variable.
    """

    sizes: Integers = field(repr=False)
    people: Integers | None = field(default=None, repr=False)
    splits: Mapping[str, SensitiveCounts] = field(default_factory=dict, repr=False)
    order: Callable[[], Integers] | None = field(default=None, repr=False)
    """The place of each class in the order of the released labels, where it is not their own."""

    def places(self) -> Integers:
        """Return the place of each class: which of two equally small ones goes first."""
        return np.arange(len(self.sizes)) if self.order is None else self.order()


class PrivacyModel(ABC):
    """One condition on the classes of a release. Subclasses are frozen dataclasses with a kind.

    >>> KAnonymity(5).to_dict()
    {'kind': 'k-anonymity', 'k': 5}
    >>> PrivacyModel.from_dict({"kind": "l-diversity", "sensitive": "illness", "l": 3})
    LDiversity(sensitive='illness', l=3, form='distinct', c=2.0)
    """

    kind: ClassVar[str]
    growth: ClassVar[Growth] = "absorbing"
    file_level: ClassVar[bool] = False
    """Whether it judges the file as a whole, so that the smallest classes go until it holds."""
    needs_register: ClassVar[bool] = False

    def __init_subclass__(cls, *, kind: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if kind is not None:
            cls.kind = kind
            _KINDS[kind] = cls

    @property
    def merging(self) -> Growth:
        """What becomes of safe classes when classes are merged."""
        return self.growth

    @property
    def implied(self) -> PrivacyModel | None:
        """A weaker model that is absorbing, where this one is not: it tells a search early."""
        return None

    @property
    def looks_at(self) -> str | None:
        """The sensitive variable whose values it looks at, if any."""
        name: str | None = getattr(self, "sensitive", None)
        return name

    @property
    def smallest(self) -> int:
        """The fewest records that a safe class can have."""
        return 1

    @abstractmethod
    def unsafe(self, classes: Grouping, *, gone: Flags, most: int) -> Flags:
        """Say of every class whether it must not be released.

        Parameters
        ----------
        gone
            Classes that are left out already; file-level models look at the others.
        most
            How many records may be left out; whoever needs more may stop there.
        """

    @abstractmethod
    def describe(self) -> str:
        """Say what is asked for, in words that fit after 'with'."""

    def to_dict(self) -> dict[str, Any]:
        """Return kind and fields as JSON knows them."""
        content: dict[str, Any] = {"kind": self.kind}
        for entry in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, entry.name)
            if isinstance(value, Hierarchy):
                value = value.to_dict()
            content[entry.name] = list(value) if isinstance(value, tuple) else value
        return content

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> PrivacyModel:
        """Make the model that `to_dict` described."""
        kind = content.get("kind")
        if not isinstance(kind, str) or kind not in _KINDS:
            raise InputError(
                f"There is no privacy model '{kind}'. {did_you_mean(str(kind), _KINDS)}"
            )
        cls = _KINDS[kind]
        known = [entry.name for entry in fields(cls)]  # type: ignore[arg-type]
        values: dict[str, Any] = {}
        for name, value in content.items():
            if name == "kind":
                continue
            if name not in known:
                raise InputError(f"'{kind}' has no field '{name}'. {did_you_mean(name, known)}")
            if name == "hierarchy" and isinstance(value, Mapping):
                value = Hierarchy.from_dict(value)
            values[name] = tuple(value) if isinstance(value, list) else value
        try:
            return cls(**values)
        except TypeError:
            raise InputError(
                f"The privacy model '{kind}' is not complete, or a field is of the wrong type. "
                f"It has the fields {', '.join(known)}."
            ) from None


def unsafe_classes(models: Sequence[PrivacyModel], classes: Grouping, *, most: int) -> Flags:
    """Say of every class whether one of the models forbids it; file-level models come last.

    >>> sizes = np.array([1, 2, 7])
    >>> unsafe_classes([KAnonymity(2), AverageRisk(0.2)], Grouping(sizes), most=10).tolist()
    [True, True, False]
    """
    if len(models) == 1 and not models[0].file_level:
        return models[0].unsafe(classes, gone=np.empty(0, dtype=bool), most=most)
    gone = np.zeros(len(classes.sizes), dtype=bool)
    for model in sorted(models, key=lambda model: model.file_level):
        gone = gone | model.unsafe(classes, gone=gone, most=most)
    return gone


def _whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be an integer of at least {least}. Got {value}.")


def _share(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InputError(f"{name} must be above 0 and at most 1. Got {value}.")


@dataclass(frozen=True)
class KAnonymity(PrivacyModel, kind="k-anonymity"):
    """Every class has at least k records (Samarati and Sweeney 1998)."""

    k: int

    def __post_init__(self) -> None:
        """Refuse a k below 2."""
        _whole("k", self.k, 2)

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
        _share("The limit of the risk", self.limit)

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
        _whole("k", self.k, 2)

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
        if isinstance(self.l, bool) or not isinstance(self.l, int | float) or not self.l > 1:
            raise InputError(f"l must be greater than 1. Got {self.l}. Every class is 1-diverse.")
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
        """Flag the classes that are less diverse."""
        if self.form == "distinct":
            return np.diff(classes.splits[self.sensitive].starts) < self.l
        return diversity_of(classes.splits[self.sensitive], c=self.c).failing(self.form, self.l)

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
        if isinstance(self.t, bool) or not isinstance(self.t, int | float) or not 0 <= self.t <= 1:
            raise InputError(f"t must be between 0 and 1. Got {self.t}. Usual is 0.1 to 0.3.")
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
        found = closeness_of(
            classes.splits[self.sensitive],
            distance=self.distance,
            hierarchy=self.hierarchy,
            order=self.order,
        )
        return found.failing(self.t)

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
        split = classes.splits[self.sensitive]
        held = np.append(split.file_shares[split.values], 0.0)
        return np.add.reduceat(held, split.starts[:-1]) < self.share - ROUNDING

    def describe(self) -> str:
        """Say what is asked for."""
        return f"values of {self.sensitive} that cover {self.share:g} of the file"


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
        _share("The limit of the average risk", self.limit)

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
        _share("The limit of the share of uniques", self.limit)

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
        _share("The limit of the share of population uniques", self.limit)
        _share("The sampling fraction", self.fraction)
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
