"""What every privacy model is: a condition on the classes of a release, small enough to save."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

import numpy as np

from indistinct.core import (
    Bools,
    InputError,
    Ints,
    above,
    check_number,
    did_you_mean,
    load_every_module,
)
from indistinct.hierarchy import Hierarchy
from indistinct.risk import SensitiveCounts

__all__ = [
    "ROUNDING",
    "Flags",
    "Grouping",
    "Growth",
    "Integers",
    "PrivacyModel",
    "check_share",
    "unsafe_classes",
]

Growth = Literal["absorbing", "closed", "free"]
Flags = Bools
Integers = Ints

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

    >>> from indistinct.protect.models import KAnonymity
    >>> KAnonymity(5).to_dict()
    {'kind': 'k-anonymity', 'k': 5}
    >>> PrivacyModel.from_dict({"kind": "l-diversity", "sensitive": "illness", "l": 3})
    LDiversity(sensitive='illness', l=3, form='distinct', c=2.0)
    """

    kind: ClassVar[str]
    holds_settings: ClassVar[bool] = True
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
        if kind not in _KINDS:
            load_every_module("indistinct.protect.models")
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

    >>> from indistinct.protect.models import AverageRisk, KAnonymity
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


def check_share(name: str, value: object) -> None:
    """Refuse what is not a share above 0."""
    check_number(name, value, above(0, 1))
