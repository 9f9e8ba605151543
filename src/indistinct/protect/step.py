"""A step of a plan: what to do, by rule, small enough to read.

A step is a frozen dataclass registered by its `kind`. It is a pure function of records,
parameters and seed to records and a receipt. Its fields are all there is to it, so that a plan
can be saved, shown to the recipient and replayed on next year's file; the seed and the keys stay
with the holder and come in through the `Context`.
"""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import (
    Any,
    ClassVar,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from indistinct.core import InputError, did_you_mean, load_every_module
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey

__all__ = ["Context", "Step", "check_key", "step_kinds"]

_KINDS: dict[str, type[Step]] = {}

_WITH_STEPS = ("indistinct.protect", "indistinct.scrub.step")
"""Packages and modules that define steps; a kind is registered when its module is loaded."""


@cache
def step_kinds() -> Mapping[str, type[Step]]:
    """Return every kind of step by its name; all modules that define one are loaded for it.

    >>> len(step_kinds()) > 40
    True
    """
    for name in _WITH_STEPS:
        load_every_module(name)
    return dict(sorted(_KINDS.items()))


def _kind_of_step(kind: str) -> type[Step] | None:
    return _KINDS.get(kind) or step_kinds().get(kind)


@dataclass(frozen=True)
class Context:
    """What a step gets beside the records: its place in the plan, the seed, the release's key."""

    position: int = 0
    seed: int | None = field(default=None, repr=False)
    secrets: ReleaseKey | None = None

    def generator(self) -> np.random.Generator:
        """Return the generator of this step; steps do not share random numbers."""
        if self.seed is None:
            raise InputError("This step draws at random and needs a seed.")
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.position,)))

    def inner(self, number: int) -> Context:
        """Return the context of a step within this one; its random numbers are its own."""
        return Context((self.position + 1) * 4096 + number, self.seed, self.secrets)

    def draws(self) -> Draws:
        """Return random numbers by record, the same whatever the engine's batches are."""
        return Draws.from_generator(self.generator())


class Step(ABC):
    """One thing to do to the records. Subclasses are frozen dataclasses with a kind.

    >>> Step.from_dict({"kind": "deidentify", "variables": ["name"]})
    Deidentify(variables=('name',))
    >>> Step.from_dict({"kind": "deidentfy"})
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: There is no step of kind 'deidentfy'. Did you mean ...
    """

    kind: ClassVar[str]
    holds_settings: ClassVar[bool] = True
    finds_uniques: ClassVar[bool] = False
    """Whether it looks for records that stand out, and so must come before de-identification."""
    draws_at_random: ClassVar[bool] = False
    """Whether it needs a seed."""
    perturbs: ClassVar[bool] = False
    """Whether it alters or moves values, keeps all records in their order, and promises no k."""

    reads: ClassVar[tuple[str, ...]] = ()
    """Fields that name a file, which is read when the step is applied."""

    truthful: ClassVar[bool] = False
    """Whether every released cell still stands for the true value, and every record is somebody's.

    What is not said to be truthful is taken to alter values: k is then not claimed for them."""

    def __init_subclass__(cls, *, kind: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if kind is not None:  # a base of several kinds has none of its own
            cls.kind = kind
            _KINDS[kind] = cls

    @abstractmethod
    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Return the changed records and what was done."""

    def with_receipt(self, before: Source, after: Source, **told: Any) -> tuple[Source, Receipt]:
        """Return the changed records with their receipt; `told` is what else stands on it."""
        return after, Receipt(self.kind, before.records, after.records, **told)

    @abstractmethod
    def describe(self) -> str:
        """Say in a sentence what the step does; the recipient may read it."""

    def files(self) -> Iterator[str]:
        """Give the files that the step, and the steps within it, would read."""
        for entry in _fields(self):
            value = getattr(self, entry.name)
            if entry.name in self.reads and value is not None:
                yield value
            for inner in value if isinstance(value, tuple) else (value,):
                if isinstance(inner, Step):
                    yield from inner.files()

    def order_problem(self, later: Step) -> str | None:
        """Say why another step must not come after this one, or None."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return kind and fields as JSON knows them."""
        return {"kind": self.kind} | {f.name: _plain(getattr(self, f.name)) for f in _fields(self)}

    @staticmethod
    def from_dict(content: object) -> Step:
        """Make the step that `to_dict` described; all problems are told at once."""
        if not isinstance(content, Mapping):
            raise InputError(f"A step must be an object. Got {type(content).__name__}.")
        kind = content.get("kind")
        if not isinstance(kind, str):
            raise InputError("A step needs a 'kind', which is text.")
        cls = _kind_of_step(kind)
        if cls is None:
            kinds = step_kinds()
            raise InputError(f"There is no step of kind '{kind}'. {did_you_mean(kind, kinds)}")
        hints = get_type_hints(cls)
        known = {f.name: f for f in _fields(cls)}
        problems, values = [], {}
        for name in content:
            if name != "kind" and name not in known:
                problems.append(f"'{kind}' has no field '{name}'. {did_you_mean(name, known)}")
        for name, entry in known.items():
            if name in content:
                try:
                    values[name] = _typed(content[name], hints[name])
                except ValueError as error:
                    problems.append(f"'{name}' of '{kind}' must be {error}.")
            elif entry.default is MISSING and entry.default_factory is MISSING:
                problems.append(f"'{kind}' needs the field '{name}'.")
        if problems:
            raise InputError(" ".join(problems))
        return cls(**values)


def check_key(key: Sequence[str], k: int) -> None:
    """Refuse a key without variables or with one twice, and a k below 2."""
    problems = []
    if isinstance(key, str) or not key:
        problems.append("The key must be a list of at least one variable.")
    elif len(set(key)) < len(key):
        problems.append("The key names a variable twice. Name each once.")
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        problems.append(f"k must be a whole number of at least 2. Got {k}.")
    if problems:
        raise InputError(" ".join(problems))


def _fields(step: Any) -> tuple[Any, ...]:
    return fields(step)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return value


def _typed(value: Any, hint: Any) -> Any:
    """Return a JSON value as a field's type; the error says what the field must be."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value in arguments and not isinstance(value, bool):
            return value
        raise ValueError(f"one of {', '.join(map(str, arguments))}")
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        return _typed(value, next(a for a in arguments if a is not type(None)))
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError("a list")
        if arguments[-1] is Ellipsis:
            return tuple(_typed(item, arguments[0]) for item in value)
        if len(value) != len(arguments):
            raise ValueError(f"a list of {len(arguments)}")
        return tuple(_typed(item, a) for item, a in zip(value, arguments, strict=True))
    if origin is not None:
        if not isinstance(value, dict):
            raise ValueError("an object")
        return {name: _typed(item, arguments[1]) for name, item in value.items()}
    if hasattr(hint, "from_dict"):
        if not isinstance(value, dict):
            raise ValueError("an object")
        try:
            return hint.from_dict(value)
        except InputError as error:
            raise ValueError(f"right: {error}") from None
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, hint) and (hint is bool or not isinstance(value, bool)):
        return value
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    raise ValueError(words.get(hint, f"of type {hint}"))
