"""What a data holder asks of a method: k, and options that methods declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from indistinct.core import ClassSize, InputError, did_you_mean
from indistinct.options import Option, method_options

__all__ = ["Request"]

T = TypeVar("T")


class Request:
    """What is asked for; a method takes of it what it knows.

    Parameters
    ----------
    k
        A class is safe with at least k records.
    options
        Options of methods, by name; each method declares its own, and the pages list them.

    >>> Request(k=5, max_drop=3)
    Request(k=5, max_drop=3)
    >>> Request(k=5, max_drup=3)
    Traceback (most recent call last):
    indistinct.core.errors.InputError: There is no option 'max_drup'. Did you mean 'max_drop'?
    """

    def __init__(self, k: ClassSize, **options: Any) -> None:
        self.k = k
        self.given: Mapping[str, Any] = {n: v for n, v in options.items() if v is not None}
        if options:
            _check_named(self.given)

    def __getitem__(self, option: Option[T]) -> T:
        """Return what is asked under an option, or its value where nothing is said."""
        found: T = self.given.get(option.name, option.unset)
        return found

    def but(self, *, k: int | None = None, **options: Any) -> Request:
        """Return the same with something else."""
        return Request(self.k if k is None else k, **{**self.given, **options})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Request) and (self.k, self.given) == (other.k, other.given)

    def __hash__(self) -> int:
        return hash((self.k, *self.given))

    def __repr__(self) -> str:
        said = "".join(f", {name}={value!r}" for name, value in self.given.items())
        return f"Request(k={self.k}{said})"


def _check_named(given: Mapping[str, Any]) -> None:
    """Refuse names that no method declares, and values that are of another kind."""
    known: dict[str, list[Option[Any]]] = {}
    for option in method_options():
        known.setdefault(option.name, []).append(option)
    for name, value in given.items():
        if name not in known:
            raise InputError(f"There is no option '{name}'. {did_you_mean(name, known)}")
        known[name][0].check_keyword(value)
