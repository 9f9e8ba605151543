"""Plain values back into frozen dataclasses, every type checked."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from indistinct.core import InputError

__all__ = ["read_fields"]

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
    for field in dataclasses.fields(kind):
        place = f"{at}.{field.name}" if at else field.name
        if field.name in value:
            found[field.name] = _read(hints[field.name], value[field.name], place)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
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
