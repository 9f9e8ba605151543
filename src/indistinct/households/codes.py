"""Which columns say who lives with whom, and what their codes mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from indistinct.core import InputError, Value, did_you_mean

__all__ = ["KIN", "HouseholdColumns", "Pointers"]

Pointers = Literal["person", "record"]
"""What a pointer holds: the number of a person within the household (as in `person`; without that
column the place within the household in file order, from 1), or a record's number in the file,
from 1. 0 and a missing value point at nobody."""

KIN = (
    "head",
    "spouse",
    "child",
    "child_in_law",
    "grandchild",
    "parent",
    "parent_in_law",
    "sibling",
)
"""The relationships to the head of which use is made."""

_POINTERS = ("spouse_pointer", "mother_pointer", "father_pointer")
_COLUMNS = (
    "household",
    "relationship",
    "sex",
    "age",
    "marital",
    "person",
    *_POINTERS,
)
_CODES = (*KIN, "male", "female", "married", "formerly_married", "never_married")


@dataclass(frozen=True)
class HouseholdColumns:
    """The columns of households, and what their codes mean.

    Parameters
    ----------
    household
        The column with the number of the household.
    relationship, sex, age, marital
        The columns with the relationship to the head, and so on.
    person
        The column with the number of the person within the household; pointers speak of it.
    spouse_pointer, mother_pointer, father_pointer
        Columns that say where that relative is; see `Pointers`.
    pointers
        What the pointers hold.
    head, spouse, child, child_in_law, grandchild, parent, parent_in_law, sibling
        The codes of `relationship`. Partners count as spouses, married or not.
    male, female
        The codes of `sex`.
    married, formerly_married, never_married
        The codes of `marital`; formerly are separated, divorced and widowed.
    notes
        Sentences for people: what was assumed.

    >>> columns = HouseholdColumns("hid", "rel", "sex", "age", head=(1,), spouse=(2, 3))
    >>> HouseholdColumns.from_dict(columns.to_dict()) == columns
    True
    """

    household: str
    relationship: str | None = None
    sex: str | None = None
    age: str | None = None
    marital: str | None = None
    person: str | None = None
    spouse_pointer: str | None = None
    mother_pointer: str | None = None
    father_pointer: str | None = None
    pointers: Pointers = "person"
    head: tuple[Value, ...] = ()
    spouse: tuple[Value, ...] = ()
    child: tuple[Value, ...] = ()
    child_in_law: tuple[Value, ...] = ()
    grandchild: tuple[Value, ...] = ()
    parent: tuple[Value, ...] = ()
    parent_in_law: tuple[Value, ...] = ()
    sibling: tuple[Value, ...] = ()
    male: tuple[Value, ...] = ()
    female: tuple[Value, ...] = ()
    married: tuple[Value, ...] = ()
    formerly_married: tuple[Value, ...] = ()
    never_married: tuple[Value, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no column name, codes that mean two things, and too few columns."""
        for name in _CODES:
            codes = getattr(self, name)
            if isinstance(codes, (str, int, float)):
                raise InputError(f"The codes of {name} must be a list. Got a single value.")
            object.__setattr__(self, name, tuple(codes))
        if self.pointers not in get_args(Pointers):
            raise InputError(
                "pointers must be 'person' (numbers within the household) or 'record' (numbers of "
                f"records, from 1). Got '{self.pointers}'."
            )
        for group in (KIN, ("male", "female"), ("married", "formerly_married", "never_married")):
            self._check_once(group)
        if self.relationship is not None and not self.head:
            raise InputError(
                f"Which codes of '{self.relationship}' mean the head of the household is not "
                "known. Give them as head."
            )
        if self.relationship is None and not any(getattr(self, p) for p in _POINTERS):
            raise InputError(
                "Kin are found from the relationship to the head or from pointers to relatives. "
                "Give relationship, or spouse_pointer, mother_pointer and father_pointer."
            )

    def _check_once(self, group: tuple[str, ...]) -> None:
        meaning: dict[Value, str] = {}
        for name in group:
            for code in getattr(self, name):
                if meaning.setdefault(code, name) != name:
                    raise InputError(
                        f"The code {code!r} cannot mean both {meaning[code]} and {name}. "
                        "Take it out of one."
                    )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns to read, once each."""
        named = (getattr(self, column) for column in _COLUMNS)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def codes(self, *names: str) -> dict[Value, int]:
        """Map the codes of some kinds to 1, 2, … in the order of the kinds."""
        return {
            code: number for number, name in enumerate(names, 1) for code in getattr(self, name)
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what is set, as plain values."""
        found: dict[str, Any] = {"household": self.household}
        for name in (*_COLUMNS[1:], "pointers", *_CODES, "notes"):
            value = getattr(self, name)
            if value and not (name == "pointers" and value == "person"):
                found[name] = list(value) if isinstance(value, tuple) else value
        return found

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> HouseholdColumns:
        """Make it again from what `to_dict` returned."""
        known = [f.name for f in fields(cls)]
        for name in given:
            if name not in known:
                raise InputError(
                    f"Household columns have no setting '{name}'. {did_you_mean(name, known)}"
                )
        if not isinstance(given.get("household"), str):
            raise InputError("Household columns need household: the column with its number.")
        kept: dict[str, Any] = {
            name: tuple(value) if isinstance(value, (list, tuple)) else value
            for name, value in given.items()
        }
        return cls(**kept)

    def __repr__(self) -> str:
        lines = [f"Households by '{self.household}'"]
        for column in _COLUMNS[1:]:
            name = getattr(self, column)
            if name is None:
                continue
            kinds = {"relationship": KIN, "sex": ("male", "female"), "marital": _CODES[-3:]}
            parts = [
                f"{kind} {', '.join(map(str, codes))}"
                for kind in kinds.get(column, ())
                if (codes := getattr(self, kind))
            ]
            said = f": {'; '.join(parts)}" if parts else ""
            lines.append(f"  {column:<14} '{name}'{said}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])
