"""What was measured when a release was made: the facts that its report is written from.

They are small whatever the number of records, hold no record, and go to `private/measured.json`
and back without loss. Some of them are private (`Risk.exposed`, counts of few people):
`editions.shareable` takes those out before a report for others is made.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from indistinct.core import InputError
from indistinct.results import Part

__all__ = [
    "Band",
    "Changes",
    "ClassSizes",
    "Cost",
    "Curve",
    "Exposed",
    "Known",
    "Linkage",
    "Map",
    "MapPoint",
    "Marginal",
    "Measure",
    "Measured",
    "Original",
    "Released",
    "Risk",
    "Step",
    "Test",
    "Utility",
    "Variable",
    "VariableChange",
    "read_fields",
]


# Plain values back into frozen dataclasses, every type checked.


T = TypeVar("T")

_LARGEST = 2.0**63


class _Wrong(Exception):
    """Where something is not as it should be."""


def read_fields(kind: type[T], content: Any, *, origin: str) -> T:
    """Make a dataclass of what JSON gave; fields of other names are left alone.

    Parameters
    ----------
    origin
        The file, for the message.
    """
    try:
        made: T = _read(kind, content, "")
    except _Wrong as wrong:
        raise InputError(
            f"{origin} cannot be read: {wrong}. Write the release anew, or use the version of "
            "indistinct that wrote it."
        ) from None
    return made


def _read(kind: Any, value: Any, at: str) -> Any:
    if kind is Any:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and types.NoneType in inner:
            return None
        rest = [one for one in inner if one is not types.NoneType]
        return _read(rest[0], value, at) if len(rest) == 1 else value
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(kind, value, at)
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            raise _Wrong(f"{at or 'it'} is no list")
        if inner[-1] is Ellipsis:
            return tuple(_read(inner[0], one, f"{at}[{i}]") for i, one in enumerate(value))
        if len(value) != len(inner):
            raise _Wrong(f"{at} has not {len(inner)} elements")
        pairs = enumerate(zip(inner, value, strict=True))
        return tuple(_read(one, part, f"{at}[{i}]") for i, (one, part) in pairs)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise _Wrong(f"{at} has no fields")
        return {str(name): _read(inner[1], part, f"{at}.{name}") for name, part in value.items()}
    return _read_plain(kind, value, at)


def _read_dataclass(kind: Any, value: Any, at: str) -> Any:
    if not isinstance(value, Mapping):
        raise _Wrong(f"{at or 'it'} has no fields")
    hints = get_type_hints(kind)
    found = {}
    for entry in dataclasses.fields(kind):
        place = f"{at}.{entry.name}" if at else entry.name
        if entry.name in value:
            found[entry.name] = _read(hints[entry.name], value[entry.name], place)
        elif entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING:
            raise _Wrong(f"{place} is missing")
    return kind(**found)


def _read_plain(kind: Any, value: Any, at: str) -> Any:
    if isinstance(value, (int, float)) and not abs(value) < _LARGEST:
        raise _Wrong(f"{at} is no number, or too large a one")
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _Wrong(f"{at} is of another kind")
    return value


VERSION = 1
"""The version of the form in which facts are kept."""


@dataclass(frozen=True)
class Original:
    """The private file: how large, and which (its hash tells whether two releases share it)."""

    name: str
    records: int
    variables: int
    sha256: str


@dataclass(frozen=True)
class Variable:
    """A released variable; `labels` say what its values mean."""

    name: str
    label: str | None = None
    level: str | None = None
    in_key: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Released:
    """The released file."""

    records: int
    format: str
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class Band:
    """People whose combination is shared by `low` to `high` people (None: no upper bound)."""

    low: int
    high: int | None
    classes: int | None
    records: int


@dataclass(frozen=True)
class ClassSizes:
    """A file counted by the key."""

    records: int
    classes: int
    unique: int
    at_risk: int
    smallest: int
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Exposed:
    """A combination held by few people; `enough` are the facts that suffice to be alone."""

    records: int
    values: Mapping[str, str | None]
    enough: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """What becomes of the released people if one more variable is known than the key.

    `alone` are those who are then alone, `below` those who share with fewer than k.
    """

    variable: str
    alone: int
    below: int


@dataclass(frozen=True)
class Linkage:
    """What an intruder finds, as shares of people: before, after, and by chance."""

    how: str
    before: float
    after: float
    chance: float | None = None


@dataclass(frozen=True)
class Risk:
    """Who stands out before and after.

    Parameters
    ----------
    expected_before, expected_after
        People whom an intruder who knows the key of everybody is expected to guess rightly.
    without
        People who would stand out in the original if one variable were not known.
    enough
        People alone in the original by the number of facts that suffice.
    most_facts
        Up to how many facts were searched for; None where there was no limit.
    exposed
        Private: the combinations with the fewest facts that suffice.
    linkage
        What was found by linking the two files record by record, where records correspond.
    wildcards
        Whether a suppressed cell was taken to agree with any value when k was counted.
    known_too
        What one further released variable would do, the worst first.
    """

    key: tuple[str, ...]
    k: int
    before: ClassSizes
    after: ClassSizes
    expected_before: float
    expected_after: float | None
    without: Mapping[str, int]
    enough: Mapping[str, int] = field(default_factory=dict)
    most_facts: int | None = None
    exposed: tuple[Exposed, ...] = ()
    linkage: tuple[Linkage, ...] = ()
    wildcards: bool = False
    known_too: tuple[Known, ...] = ()


@dataclass(frozen=True)
class VariableChange:
    """What was done to one variable; `how` is a word of the catalogue, `cells` may be untold.

    `labels` are some of the `number` labels that stand in the released file in place of values,
    of all of them if it is `whole`.
    """

    name: str
    how: str
    cells: int | None
    suppressed: int = 0
    perturbed: bool = False
    labels: tuple[str, ...] = ()
    number: int = 0
    whole: bool = False


@dataclass(frozen=True)
class Changes:
    """What changed, in cells and records.

    Parameters
    ----------
    left_out
        How many records were left out, where that is not the difference of two exact numbers.
    """

    records_before: int
    records_after: int
    records_changed: int | None
    variables: tuple[VariableChange, ...]
    removed: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    left_out: int | None = None

    @property
    def lost(self) -> int:
        """How many records were left out."""
        if self.left_out is not None:
            return self.left_out
        return max(0, self.records_before - self.records_after)


@dataclass(frozen=True)
class Step:
    """A step of the plan; `told` is the sentence that the recipient may read."""

    kind: str
    told: str
    variables: tuple[str, ...] = ()
    perturbs: bool = False


@dataclass(frozen=True)
class Marginal:
    """The shares of one variable's categories in both files; `rest` were pooled into one."""

    name: str
    labels: tuple[str, ...]
    original: tuple[float, ...]
    released: tuple[float, ...]
    total_variation: float
    ordered: bool = False
    rest: int = 0


@dataclass(frozen=True)
class Measure:
    """One measure of utility; `name` and `unit` are words of the catalogue."""

    name: str
    original: float | None
    released: float | None
    difference: float | None
    at: str | None = None


@dataclass(frozen=True)
class Curve:
    """A curve of a demographic test in both files; None where too few people are.

    `group` names the people of whom it is, where there are several groups.
    """

    name: str
    x: tuple[float, ...]
    original: tuple[float | None, ...]
    released: tuple[float | None, ...]
    ticks: tuple[str, ...] = ()
    group: str = ""


@dataclass(frozen=True)
class Test:
    """A test with a limit, such as the age gap of spouses."""

    name: str
    passed: bool | None
    difference: float | None
    threshold: float | None
    curves: tuple[Curve, ...] = ()
    suggestion: str = ""


@dataclass(frozen=True)
class Utility:
    """What the data are still good for, original against released.

    Parameters
    ----------
    marginals, same, more_marginals
        The variables that changed most; how many have the same shares, and how many more changed.
    tables
        The two-way tables that differ most.
    """

    records: tuple[int, int]
    compared: int
    generalised: tuple[str, ...]
    measures: tuple[Measure, ...]
    marginals: tuple[Marginal, ...]
    same: int = 0
    more_marginals: int = 0
    tables: tuple[Measure, ...] = ()
    tests: tuple[Test, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MapPoint:
    """A candidate on the map of risk and utility."""

    name: str
    risk: float
    utility: float
    dominated_by: str | None = None
    chosen: bool = False
    released: bool = False


@dataclass(frozen=True)
class Map:
    """The map of risk and utility; `risk` and `utility` name the measures of the axes."""

    key: tuple[str, ...]
    risk: str
    utility: str
    points: tuple[MapPoint, ...]
    refused: tuple[str, ...] = ()
    max_risk: float | None = None


@dataclass(frozen=True)
class Cost:
    """What a method took away, and how near that is to the least possible."""

    precision: float
    losses: Mapping[str, float]
    suppressed_records: int
    suppressed_cells: int
    levels: Mapping[str, int]
    over_distortion: float | None = None
    measure: str | None = None
    proved: bool | None = None


@dataclass(frozen=True)
class Measured(Part):
    """Everything that was measured of one release.

    Parameters
    ----------
    claims_k
        Whether the method promises k; perturbation and encryption do not.
    terms
        For what and for whom; dates as text.
    warnings
        What the holder was warned of; private.
    """

    original: Original
    released: Released
    method: str
    k: int
    claims_k: bool
    risk: Risk
    changes: Changes
    steps: tuple[Step, ...]
    terms: Mapping[str, Any] = field(default_factory=dict)
    cost: Cost | None = None
    utility: Utility | None = None
    map: Map | None = None
    warnings: tuple[str, ...] = ()
    version: int = VERSION

    @classmethod
    def from_dict(cls, content: Any, *, origin: str) -> Measured:
        """Take the facts from plain values, and refuse what cannot be them.

        >>> Measured.from_dict({}, origin="measured.json")
        Traceback (most recent call last):
        ...
        indistinct.core.errors.InputError: measured.json cannot be read: original is missing. ...
        """
        version = content.get("version") if isinstance(content, Mapping) else None
        if isinstance(version, int) and version != VERSION:
            raise InputError(
                f"{origin} cannot be read: it is of version {version}, and this program reads "
                f"version {VERSION}. Use the version of indistinct that wrote it."
            )
        return read_fields(cls, content, origin=origin)
