"""What may be asked for: the seven kinds of Openshaw, Duke-Williams and Rees (1997), Table 1.

Shares: who, among whom. What derived statistics are made of, counted but never released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, above, check_number, did_you_mean
from indistinct.results import Fact, Part, facts
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import belongs
from indistinct.tables.specification import TableSpec, Universe

__all__ = [
    "KINDS",
    "DerivedSpec",
    "Family",
    "Kind",
    "Share",
    "ShareCounts",
    "Unit",
    "count_shares",
    "inside",
    "is_derived",
    "output_class",
]

Kind = Literal["counts", "index", "chi-square", "components", "percentages", "model", "clusters"]
Family = Literal["linear", "logistic", "poisson"]
Unit = Literal["area", "person"]

KINDS: dict[str, str] = {
    "counts": "population and household counts",
    "index": "an index based on two or more variables, expressed as an integer",
    "chi-square": "a derived statistic from several variables: signed chi-square",
    "components": "principal component scores",
    "percentages": "variables recoded as percentages and integerised",
    "model": "parameters of a statistical model",
    "clusters": "a multivariate classification: cluster codes",
}
"""The kinds, in the words of Table 1."""

_LEAST_SHARES = {"index": 2, "chi-square": 1, "components": 2, "percentages": 1, "clusters": 2}


@dataclass(frozen=True)
class DerivedSpec(Part):
    """One derived statistic.

    Parameters
    ----------
    kind
        Its kind: one of `KINDS`.
    name
        What it is called; its columns begin with it where it has several.
    shares
        The shares that it is made of; in a model what explains the outcome.
    step
        The steps in which it is released: per cent, standard deviations of an index, units of a
        score, units of the root of chi-square. None for the finest that most areas allow.
    parts
        Percentages: whether the shares are the parts of one whole, and must add up to 100.
    weights
        Index: how much each share counts, and in which direction; equally where it is empty.
    components
        Principal components: how many.
    clusters, least_areas
        Clusters: how many at most, and the areas that each must have.
    households
        Counts: who is counted once a household, such as its head; None for no household counts.
    outcome, family, unit
        Model: what is explained, by which model, and for whom: areas or persons.
    numbers
        Model: variables that explain as numbers, beside the shares.
    """

    kind: Kind
    name: str
    shares: tuple[Share, ...] = ()
    step: float | None = None
    parts: bool = False
    weights: tuple[float, ...] = ()
    components: int = 1
    clusters: int = 5
    least_areas: int = 5
    households: Universe | None = None
    outcome: Share | None = None
    family: Family = "logistic"
    unit: Unit = "person"
    numbers: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(
                f"'{self.kind}' is no kind of derived statistic. {did_you_mean(self.kind, KINDS)}"
            )
        least = _LEAST_SHARES.get(self.kind, 0)
        if len(self.shares) < least:
            raise InputError(
                f"'{self.name}' must be made of {least} shares or more. Got {len(self.shares)}."
            )
        names = [share.name for share in self.shares] + list(self.numbers)
        if len(set(names)) < len(names):
            raise InputError(f"'{self.name}' has two shares of the same name. Give each its own.")
        if self.step is not None:
            check_number(f"The step of '{self.name}'", self.step, above(0))
        for check in (self._check_numbers, self._check_model):
            check()

    def _check_numbers(self) -> None:
        if self.kind == "percentages" and self.step is not None and 100 % self.step:
            raise InputError(
                f"The step of '{self.name}' must divide 100. Got {self.step:g}; take 1, 2, 5 or 10."
            )
        if self.weights and (
            len(self.weights) != len(self.shares) or not any(w != 0 for w in self.weights)
        ):
            raise InputError(f"'{self.name}' needs one weight for each share, not all 0.")
        if not 1 <= self.components <= max(len(self.shares), 1):
            raise InputError(
                f"'{self.name}' must have 1 to {len(self.shares)} components. "
                f"Got {self.components}."
            )
        if self.clusters < 2 or self.least_areas < 2:
            raise InputError(
                f"'{self.name}' must have 2 clusters or more, of 2 areas or more. "
                f"Got {self.clusters} clusters of at least {self.least_areas} areas."
            )

    def _check_model(self) -> None:
        if self.kind != "model":
            return
        if self.outcome is None:
            raise InputError(f"The model '{self.name}' needs an outcome: a share.")
        if not self.shares and not self.numbers:
            raise InputError(f"The model '{self.name}' explains by nothing. Name shares.")
        if self.family not in get_args(Family) or self.unit not in get_args(Unit):
            raise InputError(
                f"The model '{self.name}' must be linear, logistic or poisson, of areas or persons "
                f"(unit 'area' or 'person'). Got {self.family}, {self.unit}."
            )
        if self.family == "poisson" and self.unit == "person":
            raise InputError(
                f"The model '{self.name}' counts, and a person is no count. Take unit='area'."
            )

    FACTS = facts("kind", "name", "shares", "step", "outcome")


def output_class(spec: object) -> Literal["derived", "raw counts"]:
    """Say to which of the two classes of section 3 an output belongs.

    Derived statistics may be published for small areas; raw counts must pass equation (9). What is
    not known to be derived counts as raw.

    >>> from indistinct.tables import Grouping, TableSpec
    >>> output_class(TableSpec("ages", (Grouping("age", "age"),)))
    'raw counts'
    >>> output_class(DerivedSpec("counts", "people"))
    'derived'
    """
    return "derived" if isinstance(spec, DerivedSpec) else "raw counts"


def is_derived(spec: DerivedSpec | TableSpec) -> bool:
    """Say whether an output is a derived statistic."""
    return output_class(spec) == "derived"


# Shares ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Share(Part):
    """A share: the people of one universe among those of another.

    Parameters
    ----------
    name
        What it is called.
    of
        Who is counted: variables, and of each the values or ranges that count; all must hold.
    among
        Of whom; everybody where it is empty.

    >>> Share("unemployed", of=(("work", ("no",)),), among=(("work", ("yes", "no")),)).variables
    ('work',)
    """

    name: str
    of: Universe
    among: Universe = ()

    def __post_init__(self) -> None:
        if not self.of:
            raise InputError(f"The share '{self.name}' must say of whom. Name a variable in 'of'.")

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that it needs."""
        return tuple(dict.fromkeys(name for name, _ in (*self.of, *self.among)))

    FACTS = facts(
        "name",
        Fact("of", lambda found: dict(found.of)),
        Fact("among", lambda found: dict(found.among)),
    )


@dataclass(frozen=True, eq=False)
class ShareCounts:
    """The people behind some shares, areas in rows and shares in columns; stays with the holder.

    Parameters
    ----------
    names
        The shares.
    part
        The people of each share.
    whole
        The people among whom.
    """

    names: tuple[str, ...]
    part: Ints
    whole: Ints

    def values(self) -> Floats:
        """Return the shares; not a number where there is nobody."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = self.part / self.whole
        return found


def inside(counted: Counted, universe: Universe) -> Bools:
    """Say of every class of people whether a universe holds it."""
    found = np.ones(counted.classes, dtype=bool)
    for name, items in universe:
        if name not in counted.codes:
            raise InputError(
                f"'{name}' was not counted. {did_you_mean(name, counted.codes)} Derived statistics "
                "are made of the variables of the counted tables."
            )
        found &= belongs(counted.values[name], items)[counted.codes[name]]
    return found


def people_of(counted: Counted, of_class: Bools) -> Ints:
    """Return the people of some classes in each area."""
    weights = counted.counts * of_class
    return np.bincount(counted.area, weights=weights, minlength=len(counted.areas)).astype(np.int64)


def count_shares(counted: Counted, shares: Sequence[Share]) -> ShareCounts:
    """Count who is in each share and among whom, for every area."""
    part, whole = [], []
    for share in shares:
        among = inside(counted, share.among)
        of = inside(counted, share.of)
        if not (among & of).any():
            raise InputError(
                f"Nobody is counted in the share '{share.name}'. Are the values of its variables "
                "spelled as in the data?"
            )
        part.append(people_of(counted, among & of))
        whole.append(people_of(counted, among))
    return ShareCounts(
        tuple(share.name for share in shares), np.column_stack(part), np.column_stack(whole)
    )
