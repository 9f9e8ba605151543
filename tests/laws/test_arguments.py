"""Law: whoever calls a public function with a wrong argument is told which one, in a sentence.

The callables are found from the doorways: every function, constructor and public method that an
`__all__` names. What an annotation forbids is said here a second time, and more simply than in
`indistinct.core.arguments`; where this is not certain, nothing is asked.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import importlib
import inspect
import math
import os
import pkgutil
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from numbers import Real
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import indistinct
from indistinct.core.arguments import MAY_BE_NAN, Limit
from indistinct.core.doorway import Doorway, imported_for_types
from indistinct.core.errors import IndistinctError, InputError
from indistinct.release import canonical, check_folder

BASE = {"cli", "core", "options", "results"}
"""What the other rooms are built of; no page of the reference lists it."""

INNER = {"indistinct.prove.examiners", "indistinct.release.report.sections"}
"""Tables of functions that the program itself goes through."""


def doorways() -> list[str]:
    """Return the rooms, and the rooms within them: all packages that hand out names."""
    found = ["indistinct"]
    for module in pkgutil.walk_packages(indistinct.__path__, "indistinct."):
        room = module.name.split(".")[1]
        if room in BASE or module.name in INNER or not module.ispkg:
            continue
        if isinstance(importlib.import_module(module.name), Doorway):
            found.append(module.name)
    return found


def test_every_room_is_a_doorway():
    rooms = {module.name for module in pkgutil.iter_modules(indistinct.__path__) if module.ispkg}
    assert {f"indistinct.{room}" for room in rooms - BASE} <= set(doorways())


@dataclasses.dataclass(frozen=True)
class Public:
    """Something public that can be called, with one argument given by name or by position."""

    name: str
    parameters: Mapping[str, inspect.Parameter]
    hints: Mapping[str, Any]
    call: Callable[..., Any]
    constructor: bool = False


def callables(doorway: str) -> Iterator[Public]:
    """Give everything public of a doorway that can be called."""
    module = importlib.import_module(doorway)
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            yield from methods(thing)
        elif inspect.isfunction(thing) or hasattr(thing, "cache_clear"):
            yield made(f"{doorway}.{name}", thing, thing, 0)


def methods(cls: type) -> Iterator[Public]:
    """Give the constructor and the public methods of a class, those of its bases too."""
    if issubclass(cls, (enum.Enum, BaseException, tuple)) or getattr(cls, "_is_protocol", False):
        return
    for name in dir(cls):
        owner = next((base for base in cls.__mro__ if name in vars(base)), cls)
        member = vars(owner).get(name)
        ours = owner.__module__.startswith("indistinct")
        if not ours or (name.startswith("_") and name not in ("__init__", "__call__")):
            continue
        label = f"{cls.__module__}.{cls.__qualname__}.{name}"
        if isinstance(member, (classmethod, staticmethod)):
            first = 1 if isinstance(member, classmethod) else 0
            yield made(label, member.__func__, getattr(cls, name), first)
        elif inspect.isfunction(member):
            itself = object() if inspect.isabstract(cls) else object.__new__(cls)
            call = types.MethodType(member, itself)
            fields = cls if name == "__init__" and dataclasses.is_dataclass(cls) else None
            yield made(label, member, call, 1, fields)


def made(
    name: str, function: Any, call: Callable[..., Any], first: int, fields: type | None = None
) -> Public:
    parameters = dict(list(inspect.signature(function).parameters.items())[first:])
    hints = hints_of(fields or inspect.unwrap(function))
    return Public(name, parameters, hints, call, constructor=function.__name__ == "__init__")


def hints_of(annotated: Any) -> dict[str, Any]:
    """Return annotations, with the names that their module imports for type checkers alone."""
    modules = imported_for_types(annotated.__module__)
    known = {name: getattr(importlib.import_module(at), name) for name, at in modules.items()}
    return get_type_hints(annotated, localns=known, include_extras=True)


NAN = float("nan")
WRONG = [object(), None, NAN, math.inf, 2.5, -1, True, "", "no such thing", b"x", [1, 2], [NAN]]
WRONG += [{1: 2}, {"a": object()}, np.array(["x"]), lambda: 1]


def members(annotation: Any) -> Iterator[Any]:
    """Give the parts of a union, without what is declared beside the types."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from members(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from members(part)
    elif isinstance(annotation, dataclasses.InitVar):
        yield from members(annotation.type)
    else:
        yield annotation


def forbids(annotation: Any, value: Any, *, fields: bool) -> bool:
    """Whether a value is certainly not what an annotation declares."""
    fields = fields or MAY_BE_NAN in str(annotation)
    return all(certainly_not(part, value, fields=fields) for part in members(annotation))


def certainly_not(part: Any, value: Any, *, fields: bool) -> bool:
    number = isinstance(value, Real) and not isinstance(value, bool)
    origin = get_origin(part) or part
    if part is Any or part is object or not isinstance(origin, type):
        return origin is Literal and not (isinstance(value, str) and value in get_args(part))
    if getattr(origin, "_is_protocol", False) or origin.__module__.startswith("numpy._typing"):
        return False
    if origin is int:
        return not (number and isinstance(value, int))
    if origin is float:
        return not number or (not fields and not math.isfinite(value))
    if origin is np.ndarray:
        return not isinstance(value, np.ndarray)
    if issubclass(origin, os.PathLike):
        return not isinstance(value, os.PathLike)
    if origin.__name__ == "Callable":
        return not callable(value)
    if get_args(part) and issubclass(origin, Mapping):
        return not isinstance(value, Mapping)
    if get_args(part) and issubclass(origin, Set):
        return not isinstance(value, Set)
    if get_args(part) and issubclass(origin, (Sequence, list, tuple)):
        if isinstance(value, list):
            return get_args(part)[0] is str
        return not isinstance(value, (Sequence, np.ndarray)) or isinstance(value, (str, bytes))
    if get_args(part):  # an iterable of some kind
        return value is None or isinstance(value, (bool, float, int, str))
    return not isinstance(value, origin)


def faults_of(public: Public) -> Iterator[str]:
    """Give what is not as it should be when one argument is wrong."""
    for n, (name, parameter) in enumerate(public.parameters.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        by_name = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY)
        annotation = public.hints.get(name, Any)
        for value in WRONG:
            if not forbids(annotation, value, fields=public.constructor):
                continue
            ways: list[tuple[list[Any], dict[str, Any]]] = [([], {name: value})] if by_name else []
            if n == 0 and parameter.kind is not parameter.KEYWORD_ONLY:
                ways.append(([value], {}))
            for given, named in ways:
                try:
                    public.call(*given, **named)
                except IndistinctError as error:
                    if not str(error).startswith(f"{name} must be "):
                        yield f"{public.name}({name}={value!r}): {error}"
                except Exception as error:
                    yield f"{public.name}({name}={value!r}): {type(error).__name__}: {error}"
                else:
                    yield f"{public.name}({name}={value!r}) was taken"


@pytest.mark.parametrize("doorway", doorways())
def test_every_wrong_argument_is_named(doorway):
    faults = [fault for public in callables(doorway) for fault in faults_of(public)]
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults[:40])


@pytest.mark.parametrize("doorway", doorways())
def test_every_missing_or_unknown_argument_is_named(doorway):
    for public in callables(doorway):
        if any(p.kind is p.VAR_KEYWORD for p in public.parameters.values()):
            continue
        with pytest.raises(IndistinctError, match="has no parameter 'no_such_parameter'"):
            public.call(no_such_parameter=1)


# Limits


def limits_of(annotation: Any) -> list[Limit]:
    """Return the limits that are declared within an annotation."""
    if get_origin(annotation) is Annotated:
        return [limit for limit in get_args(annotation)[1:] if isinstance(limit, Limit)]
    parts = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else ()
    return [limit for part in parts for limit in limits_of(part)]


@pytest.mark.parametrize("doorway", doorways())
def test_every_declared_limit_is_kept_and_told(doorway):
    for public in callables(doorway):
        for name in public.parameters:
            for limit in limits_of(public.hints.get(name, Any)):
                beyond = [v for v in (-(10**9), -1, 0, 1, 10**40) if not limit.holds(v)]
                assert beyond, f"{public.name}: {name} has a limit that nothing is beyond"
                said = f"^{name} must be .* {re.escape(limit.words)}"
                for value in beyond:
                    with pytest.raises(IndistinctError, match=said):
                        public.call(**{name: value})


@pytest.mark.parametrize(
    "public", list(callables("indistinct.flow.session")), ids=lambda public: public.name
)
def test_k_seeds_and_fractions_of_open_data_have_limits(public):
    for name in {"k", "at_most", "seed", "fraction", "repeat"} & set(public.parameters):
        assert limits_of(public.hints[name]), name


# Data that are open: what is of the right type and makes no sense is told as well

ODD = [-1, 0, 10**6, 0.0, 1e300, -0.5, "", "no such", "age", "\0", "x" * 300, [], ["age", "age"]]
ODD += [["no such"], [""], {}, {"no such": "x"}, {"age": 1}, Path("no such"), True, False, None]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    rows = {"age": [30, 31, 32, 33] * 6, "sex": ["m", "f"] * 12, "zip": ["1", "1", "2"] * 8}
    path = tmp_path_factory.mktemp("arguments") / "people.parquet"
    pq.write_table(pa.table(rows), path)
    with indistinct.open_data(path) as data:
        done = data.protect(["age", "sex"], method="destroy", k=2, seed=1)
        given = {"key": ["age", "sex"], "method": "destroy", "fraction": 0.1, "done": done}
        given |= {"released": done.source, "path": path, "plan": done.plan, "rules": path}
        yield data, given


@pytest.mark.heavy
@pytest.mark.parametrize(
    "name",
    sorted(
        public.name.rpartition(".")[2]
        for public in callables("indistinct.flow.session")
        if ".Data." in public.name and not public.constructor
    ),
)
def test_open_data_tell_what_makes_no_sense(opened, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    data, examples = opened
    method = getattr(data, name)
    hints = hints_of(inspect.unwrap(getattr(type(data), name)))
    parameters = inspect.signature(method).parameters
    usual = {n: examples[n] for n in parameters if n in examples}
    for n, (parameter, value) in enumerate((p, v) for p in parameters for v in ODD):
        if parameter not in hints or forbids(hints[parameter], value, fields=False):
            continue
        if (parameter, value) in (("repeat", 10**6), ("folder", "")):
            continue  # hours of work; the folder in which this runs, and which must stay
        asked = usual | {parameter: value}
        if "folder" in parameters and parameter != "folder":
            asked["folder"] = tmp_path / f"release-{n}"
        with contextlib.suppress(IndistinctError):
            method(**asked)


# What was seen


SEEN = {
    "k must be a whole number of at least 2. Got nan.": lambda data: data.uniques(
        ["age"], k=float("nan")
    ),
    "k must be a whole number of at least 2. Got 2.5.": lambda data: data.uniques(["age"], k=2.5),
    "k must be a whole number of at least 2. Got True.": lambda data: data.uniques(["age"], k=True),
    "k must be a whole number of at least 2. Got 1. A class is": lambda data: data.uniques(
        ["age"], k=1
    ),
    "key must be a list of texts. Got 5.": lambda data: data.uniques(5),
    "key must be a list of texts. Got 'age'. For one, write ['age'].": lambda data: data.uniques(
        "age"
    ),
    "method must be text. Got None.": lambda data: data.protect(method=None),
    "Data.protect needs method.": lambda data: data.protect(["age"]),
    "fraction must be a number above 0 and at most 1. Got '0.1'.": lambda data: data.risk(
        ["age"], fraction="0.1"
    ),
    "folder must be text or a path. Got None.": lambda data: check_folder(None),
    "content must be plain values that JSON knows": lambda data: canonical(object()),
    "variables must be a list of texts. Got 5.": lambda data: data.protect(
        ["age"], method="shuffle", k=2, variables=5
    ),
    "weights must be a mapping from texts to numbers. Got 'no' for 'age'.": lambda data: (
        data.protect(["age"], method="optimal", k=2, weights={"age": "no"})
    ),
    "'optimal' does not know the option max_dropp": lambda data: data.protect(
        ["age"], method="optimal", k=2, max_dropp=1
    ),
    "repeat must be a whole number of at least 1.": lambda data: data.validate_risk(
        ["age"], fraction=0.1, repeat=10**30
    ),
}


@pytest.mark.parametrize("sentence", SEEN)
def test_what_was_seen_is_told(opened, sentence):
    with pytest.raises(IndistinctError, match=f"{re.escape(sentence)}"):
        SEEN[sentence](opened[0])


def test_a_path_too_long_for_a_file_is_no_fault(opened):
    with pytest.raises(InputError):
        opened[0].utility("x" * 300)
