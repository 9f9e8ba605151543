"""What is known about a variable before any record is read: role, level, labels, missing codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from indistinct.core.errors import InputError, did_you_mean

__all__ = ["LEVELS", "ROLES", "Level", "Missing", "Role", "Value", "Variable", "Variables"]

Role = Literal["identifier", "key", "sensitive", "weight", "household", "relationship", "other"]
"""What a variable is for.

`identifier` names a person outright and never leaves; `key` can be known to an intruder;
`sensitive` is what the intruder is after; `weight` is the sampling weight; `household` groups
people; `relationship` is the relationship to the head of the household.
"""

Level = Literal["nominal", "ordinal", "numeric", "date", "taxonomy"]
"""Level of measurement; `taxonomy` is a nominal variable whose codes form a tree."""

Missing = Literal["own", "wildcard"]
"""What a value that was missing already means when records are counted: a category of its own,
or any value."""

ROLES: tuple[Role, ...] = get_args(Role)
LEVELS: tuple[Level, ...] = get_args(Level)

Value = str | int | float
"""A value that a label or a missing-value code can be attached to."""


@dataclass(frozen=True)
class Variable:
    """One column of a data set.

    Parameters
    ----------
    name
        The column's name in the file.
    role, level
        See `Role` and `Level`.
    label
        The long name that statistical packages keep beside the short one.
    labels
        Value labels, e.g. ``{1: "male", 2: "female"}``.
    user_missing
        Codes that mean *missing*: single values, or ``(low, high)`` ranges.
    categories
        The values it may take, where they are declared; others are refused.
    format
        The display format of the file it came from, kept for the way back (``"%8.0g"``).

    >>> Variable("sex", role="key", labels={1: "male", 2: "female"})
    Variable('sex', key, nominal)
    """

    name: str
    role: Role = "other"
    level: Level = "nominal"
    label: str = ""
    labels: Mapping[Value, str] = field(default_factory=dict)
    user_missing: tuple[Value | tuple[Value, Value], ...] = ()
    categories: tuple[Value, ...] | None = None
    format: str = ""

    def __post_init__(self) -> None:
        """Refuse an empty name and words that are not a role or a level."""
        if not self.name:
            raise InputError("A variable needs a name. Got an empty one.")
        if self.role not in ROLES:
            raise InputError(
                f"The role of variable '{self.name}' must be one of {', '.join(ROLES)}. "
                f"Got '{self.role}'. {did_you_mean(self.role, ROLES)}"
            )
        if self.level not in LEVELS:
            raise InputError(
                f"The level of variable '{self.name}' must be one of {', '.join(LEVELS)}. "
                f"Got '{self.level}'. {did_you_mean(self.level, LEVELS)}"
            )

    def __repr__(self) -> str:
        return f"Variable({self.name!r}, {self.role}, {self.level})"

    def is_missing(self, value: Any) -> bool:
        """Say whether `value` is absent or one of the codes that mean *missing*.

        >>> Variable("age", user_missing=(999, (-9, -1))).is_missing(-3)
        True
        """
        if value is None:
            return True
        for code in self.user_missing:
            if isinstance(code, tuple):
                if code[0] <= value <= code[1]:
                    return True
            elif value == code:
                return True
        return False

    def labels_most(self, values: Iterable[Any]) -> bool:
        """Say whether most of some values have a label, so that they are codes and no amounts.

        >>> Variable("age", labels={99: "not known"}).labels_most(range(100))
        False
        """
        own = [value for value in values if not self.is_missing(value)]
        return 2 * sum(value in self.labels for value in own) > len(own)


class Variables(Mapping[str, Variable]):
    """The variables of a data set, in file order, looked up by name.

    >>> vs = Variables([Variable("age", role="key"), Variable("income", role="sensitive")])
    >>> vs.names(role="key")
    ['age']
    >>> vs["aeg"]
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: There is no variable 'aeg'. Did you mean 'age'?
    """

    def __init__(self, variables: Iterable[Variable]) -> None:
        self._by_name: dict[str, Variable] = {}
        for variable in variables:
            if variable.name in self._by_name:
                raise InputError(
                    f"Variable '{variable.name}' appears twice. Names must differ: rename one."
                )
            self._by_name[variable.name] = variable

    def __getitem__(self, name: str) -> Variable:
        try:
            return self._by_name[name]
        except KeyError:
            raise InputError(
                f"There is no variable '{name}'. {did_you_mean(name, self._by_name)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Variables({', '.join(self._by_name)})"

    def names(self, *, role: Role | None = None) -> list[str]:
        """Return the names in file order, of one role or of all."""
        return [v.name for v in self._by_name.values() if role is None or v.role == role]

    def updated(self, changes: Mapping[str, Mapping[str, Any]]) -> Variables:
        """Return a copy in which some variables' properties are replaced.

        >>> vs = Variables([Variable("age")]).updated({"age": {"role": "key"}})
        >>> vs["age"].role
        'key'
        """
        for name in changes:
            self[name]
        return Variables(
            replace(v, **changes[v.name]) if v.name in changes else v
            for v in self._by_name.values()
        )
