"""What callers give: every argument of every public function, method and constructor is checked
against the parameter's own annotation, and what is wrong is told in one shape of sentence.

    k must be a whole number of at least 2. Got 2.5.

Whatever a doorway hands out is checked (`open_doorway`); there is no second list. What
is checked of a parameter is made from its annotation when the function is first called, so an
annotation is a promise to the caller as well as to mypy:

- `int` is a whole number: neither True nor 2.0, but numpy's integers too;
- `float` is a number that is neither NaN nor infinite; items of sequences and fields of results may
  be, and what is declared so: `Annotated[float, MAY_BE_NAN]`;
- `Sequence[str]` is a list of texts, and never one text, which Python would take letter by letter;
- a list may stand where a tuple of any length is declared, a path object wherever `Path` is;
- limits are declared: ``Annotated[int, at_least(2)]``, and words that say it better than the type.

Only what is given is checked, defaults are not. Of long sequences the first `MOST_ITEMS` are
looked at. A message shows a number, a text or a path as it was given, cut where it is long, and of
anything else its type alone, because a table or a list may hold the values of cells; of passwords,
keys and seeds it shows nothing.
"""

from __future__ import annotations

import dataclasses
import difflib
import enum
import functools
import importlib
import inspect
import itertools
import math
import os
import sys
import types
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from numbers import Complex, Integral, Real
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from indistinct.core.doorway import imported_for_types
from indistinct.core.errors import ArgumentError, did_you_mean

__all__ = [
    "HINT_AT_MOST",
    "HINT_K",
    "MAY_BE_NAN",
    "MOST_ITEMS",
    "AtMost",
    "Base",
    "ClassSize",
    "Fraction",
    "Kind",
    "Limit",
    "Seed",
    "above",
    "at_least",
    "between",
    "check_argument",
    "check_number",
    "check_whole",
    "from_to_below",
    "kind_of",
    "parameters_of",
    "with_checked_arguments",
]

MOST_ITEMS = 1_000
"""Items of a sequence or a mapping that are looked at."""

MAY_BE_NAN = "may be NaN or infinite"
"""Declares that a number need not be finite: ``Annotated[float, MAY_BE_NAN]``."""

_SECRET = ("password", "secret", "secrets", "seed")
"""Parameters whose value undoes what protects people, and is in no message."""

_LONGEST = 40
_CHECKED = "__arguments_checked__"
_PACKAGE = __name__.partition(".")[0]
Holds = Callable[[Any], bool]


@dataclasses.dataclass(frozen=True)
class Limit:
    """How large a number must be: the words that follow its kind, and the test."""

    words: str
    holds: Holds
    hint: str = ""


LARGEST = 2**62
"""Counts beyond this are nobody's, and do not fit into the numbers of an array."""


def at_least(least: float, hint: str = "", *, most: float = math.inf) -> Limit:
    """Declare the smallest number that is taken; `hint` says what to do instead.

    A `most` is not told: it is for numbers that nobody means.
    """
    return Limit(f"of at least {least:,}", lambda value: bool(least <= value <= most), hint)


def between(least: float, most: float, hint: str = "") -> Limit:
    """Declare the smallest and the largest number that are taken."""
    return Limit(f"from {least:,} to {most:,}", lambda value: bool(least <= value <= most), hint)


def above(
    limit: float, most: float | None = None, hint: str = "", *, below: float | None = None
) -> Limit:
    """Declare a number that is not reached, and the largest that is taken, if there is one.

    Or the one `below` which a number must stay.
    """
    if below is not None:
        words = f"above {limit:,} and below {below:,}"
        return Limit(words, lambda value: bool(limit < value < below), hint)
    if most is None:
        return Limit(f"above {limit:,}", lambda value: bool(value > limit), hint)
    words = f"above {limit:,} and at most {most:,}"
    return Limit(words, lambda value: bool(limit < value <= most), hint)


def from_to_below(least: float, below: float, hint: str = "") -> Limit:
    """Declare the smallest number that is taken, and the one below which it must stay."""
    words = f"of at least {least:,} and below {below:,}"
    return Limit(words, lambda value: bool(least <= value < below), hint)


HINT_K = "A class is safe when it has at least k records, so with k = 1 every class would be."
HINT_AT_MOST = "A key is unique when at most that many records have it."

ClassSize = Annotated[int, at_least(2, HINT_K, most=LARGEST)]
"""k: the records, or people, that every class must have."""

AtMost = Annotated[int, at_least(1, HINT_AT_MOST, most=LARGEST)]
"""Dalenius' way of saying it: a key that at most so many records have is unique."""

Fraction = Annotated[float, above(0, 1)]
"""The share of a population that was drawn."""

Base = Annotated[int, at_least(2, most=LARGEST)]
"""Counts are rounded to multiples of it."""

Seed = Annotated[int, at_least(0)]
"""What random numbers begin with."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a parameter takes: in words, for one and for many, and as a test.

    `got` says of a value what is wrong with it, where that is not the value itself; `hint` what to
    do instead. A value `of_type` is wrong by its size or its word alone.
    """

    words: str
    many: str
    holds: Holds
    got: Callable[[Any], str] | None = None
    hint: Callable[[Any], str] | None = None
    of_type: Holds | None = None


def check_argument(name: str, value: Any, kind: Kind) -> None:
    """Refuse a value that is not of a kind: what it must be, what was got, what to do.

    >>> check_argument("k", 2.5, kind_of(Annotated[int, at_least(2)]))
    Traceback (most recent call last):
    indistinct.core.errors.ArgumentError: k must be a whole number of at least 2. Got 2.5.
    """
    if kind.holds(value):
        return
    got = (kind.got(value) if kind.got else "") or _shown(value)
    if name in _SECRET:
        got = "another number" if isinstance(value, Real) else _shown_type(value)
    hint = kind.hint(value) if kind.hint else ""
    raise ArgumentError(f"{name} must be {kind.words}. Got {got}.{' ' + hint if hint else ''}")


def check_whole(
    name: str, value: object, least: int, most: int | None = None, hint: str = ""
) -> None:
    """Refuse what is not a whole number of at least so much, in the sentence of all others.

    >>> check_whole("rounds", 0, 1)
    Traceback (most recent call last):
    indistinct.core.errors.ArgumentError: rounds must be a whole number of at least 1. Got 0.
    """
    limit = at_least(least, hint) if most is None else between(least, most, hint)
    check_argument(name, value, _with_limit(_plain_kinds()[int], limit))


def check_number(name: str, value: object, limit: Limit) -> None:
    """Refuse what is not a finite number within a limit, in the sentence of all others.

    >>> check_number("share", 1.5, between(0, 1))
    Traceback (most recent call last):
    indistinct.core.errors.ArgumentError: share must be a number from 0 to 1. Got 1.5.
    """
    check_argument(name, value, _with_limit(_plain_kinds()[float], limit))


def with_checked_arguments(thing: Any) -> Any:
    """Return what a doorway hands out with its arguments checked: a function or a class.

    A function is replaced where it is defined, too; of a class, constructor and public methods are
    replaced in the class itself. Anything else is returned as it is.
    """
    if inspect.isclass(thing):
        _check_class(thing)
    elif _is_function(thing):
        checked = _checked_once(thing)
        name, home = str(thing.__name__), sys.modules[str(thing.__module__)]
        if getattr(home, name, None) is thing:
            setattr(home, name, checked)
        return checked
    return thing


def parameters_of(function: Callable[..., Any]) -> dict[str, Kind | None]:
    """Return what is checked of each parameter of a checked function, None for anything at all."""
    return dict(getattr(function, _CHECKED)().kinds)


def _is_function(thing: object) -> bool:
    ours = str(getattr(thing, "__module__", "")).partition(".")[0] == _PACKAGE
    return ours and (inspect.isfunction(thing) or hasattr(thing, "cache_clear"))


def _check_class(cls: type) -> None:
    """Replace constructor and public methods of a class, and of those of ours it is made from."""
    if issubclass(cls, (enum.Enum, BaseException)) or getattr(cls, "_is_protocol", False):
        return
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] != _PACKAGE:
            continue
        for name, member in list(vars(base).items()):
            if name.startswith("_") and name not in ("__init__", "__call__"):
                continue
            if isinstance(member, (classmethod, staticmethod)):
                inner = member.__func__
                bound = isinstance(member, classmethod)
                if inspect.isfunction(inner) and not hasattr(inner, _CHECKED):
                    setattr(base, name, type(member)(_checked(inner, bound=bound)))
            elif inspect.isfunction(member) and not hasattr(member, _CHECKED):
                setattr(base, name, _checked(member, bound=True, owner=base))


@functools.cache
def _checked_once(function: Callable[..., Any]) -> Callable[..., Any]:
    return function if hasattr(function, _CHECKED) else _checked(function)


@dataclasses.dataclass(frozen=True)
class _Checks:
    """What is checked of a function: kinds by name, and the same as bare tests to go through.

    `positions` are the names of what may be given without one, from the object itself in a method;
    `by_position` has their tests, None where anything is taken.
    """

    kinds: dict[str, Kind | None]
    positions: tuple[str, ...]
    by_position: tuple[Holds | None, ...]
    by_name: dict[str, Holds]

    def refuse(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Say which argument is wrong, the first of them; the tests know only that one is."""
        for name, value in (*zip(self.positions, args, strict=False), *kwargs.items()):
            kind = self.kinds.get(name)
            if kind is not None:
                check_argument(name, value, kind)


def _checked(
    function: Callable[..., Any], *, bound: bool = False, owner: type | None = None
) -> Callable[..., Any]:
    """Return the function with its arguments checked; a `bound` one's first is the object's own."""

    @functools.cache
    def checks() -> _Checks:
        return _checks_of(function, bound, owner)

    by_position: tuple[Holds | None, ...] | None = None
    by_name: dict[str, Holds] = {}

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        nonlocal by_position, by_name
        if by_position is None:  # annotations may name what is imported later than the function
            by_position, by_name = checks().by_position, checks().by_name
        for holds, value in zip(by_position, args, strict=False):
            if holds is not None and not holds(value):
                checks().refuse(args, kwargs)
        for name, value in kwargs.items():
            if name in by_name and not by_name[name](value):
                checks().refuse(args, kwargs)
        try:
            return function(*args, **kwargs)
        except TypeError:
            said = _misfit(function, args, kwargs, bound)
            if said is None:
                raise
            raise ArgumentError(said) from None

    setattr(checked, _CHECKED, checks)
    for name in ("cache_clear", "cache_info"):
        if hasattr(function, name):
            setattr(checked, name, getattr(function, name))
    return checked


class _Imported(dict[str, Any]):
    """Names that a module imports for type checkers alone, loaded when an annotation has them."""

    def __init__(self, module: str) -> None:
        super().__init__()
        self._module = module

    def __missing__(self, name: str) -> Any:
        modules = imported_for_types(self._module)
        if name not in modules:
            raise KeyError(name)
        return getattr(importlib.import_module(modules[name]), name)


def _checks_of(function: Callable[..., Any], bound: bool, owner: type | None) -> _Checks:
    parameters = list(inspect.signature(function).parameters.values())
    of_fields = function.__name__ == "__init__" and "__dataclass_params__" in vars(owner or type)
    annotated: Any = owner if of_fields else _without_return(function)
    hints = get_type_hints(
        annotated, localns=_Imported(str(annotated.__module__)), include_extras=True
    )
    finite = not of_fields or getattr(owner, "holds_settings", False)
    kinds: dict[str, Kind | None] = {}
    positions = [parameters.pop(0).name] if bound else []
    for parameter in parameters:
        name = parameter.name
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        kinds[name] = kind_of(hints.get(name, Any), finite=finite)
        if parameter.kind is parameter.VAR_POSITIONAL:
            positions += [name] * 255
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            positions.append(name)
    tests = {name: kind.holds for name, kind in kinds.items() if kind is not None}
    return _Checks(kinds, tuple(positions), tuple(map(tests.get, positions)), tests)


def _without_return(function: Callable[..., Any]) -> Any:
    """Return a function's annotations without that of its result, which nobody has to load."""
    taken = {name: one for name, one in function.__annotations__.items() if name != "return"}
    inner: Any = inspect.unwrap(function)
    return types.SimpleNamespace(
        __annotations__=taken, __globals__=inner.__globals__, __module__=inner.__module__
    )


def _misfit(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], bound: bool
) -> str | None:
    """Say why arguments do not fit a signature: one is missing, unknown, or there are too many."""
    signature = inspect.signature(function)
    shown = function.__qualname__.removesuffix(".__init__")
    known = list(signature.parameters)[1 if bound else 0 :]
    if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
        for name in kwargs:
            if name not in known:
                return f"{shown} has no parameter '{name}'. {did_you_mean(name, known)}"
    try:
        given = signature.bind_partial(*args, **kwargs).arguments
    except TypeError as error:
        return f"{shown}: {error}. It takes {', '.join(known) or 'nothing'}."
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    missing = [
        name
        for name, p in signature.parameters.items()
        if name not in given and p.default is p.empty and p.kind not in optional
    ]
    return f"{shown} needs {' and '.join(missing)}." if missing else None


def _shown(value: Any) -> str:
    """Write an argument into a message: a plain value cut where it is long, else its type.

    >>> _shown("x" * 60), _shown([1, 2]), _shown(None)
    ("'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…", 'a list', 'None')
    """
    if not isinstance(value, (str, Real, os.PathLike)):
        return _shown_type(value)
    try:
        written = str(value) if isinstance(value, Real) else repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of many digits"
    return written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…"


def _shown_type(value: Any) -> str:
    if value is None or isinstance(value, bytes):
        return "None" if value is None else "bytes"
    return _article(type(value).__name__)


def _article(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


# Kinds, from annotations


@functools.cache
def _plain_kinds() -> dict[Any, Kind]:
    return {
        int: Kind("a whole number", "whole numbers", _is_whole),
        float: Kind("a number", "numbers", _is_finite),
        complex: Kind("a number", "numbers", lambda value: isinstance(value, Complex)),
        bool: Kind("True or False", "True or False", _is_bool),
        str: Kind("text", "texts", lambda value: isinstance(value, str)),
        bytes: Kind("bytes", "bytes", _is_bytes, got=_shown_type),  # keys are bytes
        type(None): Kind("None", "None", lambda value: value is None),
        Path: Kind("a path", "paths", lambda value: isinstance(value, os.PathLike)),
        os.PathLike[str]: Kind("a path", "paths", lambda value: isinstance(value, os.PathLike)),
    }


def _is_whole(value: Any) -> bool:
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_finite(value: Any) -> bool:
    if type(value) is float:
        return math.isfinite(value)
    return _is_real(value) and (isinstance(value, Integral) or math.isfinite(value))


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_bytes(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray))


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def kind_of(annotation: Any, *, finite: bool = True) -> Kind | None:
    """Return what an annotation takes; None where it takes anything.

    Numbers must be `finite` where they are settings. Fields of a dataclass and items of a sequence
    may be results, and NaN says there that something is not known; limits are kept all the same.
    A dataclass that a caller fills in says that it `holds_settings`, a class variable.

    >>> kind_of(int | None).words, kind_of(Sequence[str]).words, kind_of(Literal["a", "b"]).words
    ('a whole number', 'a list of texts', 'a or b')
    """
    plain = _plain_kinds()
    if annotation in (Any, object, inspect.Parameter.empty):
        return None
    if annotation is float and not finite:
        return Kind("a number", "numbers", _is_real)
    if isinstance(annotation, Hashable) and annotation in plain:
        return plain[annotation]
    if isinstance(annotation, dataclasses.InitVar):
        return kind_of(annotation.type, finite=finite)
    if isinstance(annotation, TypeVar):
        return kind_of(annotation.__bound__, finite=finite) if annotation.__bound__ else None
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _limited(inner[0], inner[1:], finite)
    if origin is Literal:
        return _one_of(inner)
    if origin in (Union, types.UnionType):
        return _any_of(inner, finite)
    cls = origin or annotation
    if not isinstance(cls, type):
        return None
    if cls.__module__.startswith("numpy"):
        return _of_numpy(cls, inner)
    if cls is type:
        return Kind("a class", "classes", lambda value: isinstance(value, type))
    if cls.__name__ == "Callable":
        return Kind("a function", "functions", callable)
    if cls is tuple and inner and inner[-1] is not Ellipsis:
        return _fixed(inner, finite)
    if issubclass(cls, (list, tuple, Sequence)) and (origin is not None or cls in (list, tuple)):
        return _many(inner[0] if inner else Any, _is_sequence, "a list")
    if origin is not None and issubclass(cls, Mapping):
        return _mapping(inner[0], inner[1], finite)
    if origin is not None and issubclass(cls, Set):
        return _many(inner[0], lambda value: isinstance(value, Set), "a set")
    if origin is not None and issubclass(cls, Iterator):
        return Kind("an iterator", "iterators", lambda value: isinstance(value, Iterator))
    if origin is not None and issubclass(cls, Collection):
        return _many(inner[0], _is_collection, "a list")
    if origin is not None and issubclass(cls, Iterable):
        return _many(inner[0], _is_iterable, "a list")
    if getattr(cls, "_is_protocol", False):
        return _with_members(cls)
    words = _article(cls.__name__)
    return Kind(words, f"{cls.__name__} objects", lambda value: isinstance(value, cls))


def _limited(annotation: Any, declared: Sequence[Any], finite: bool) -> Kind | None:
    limits = [limit for limit in declared if isinstance(limit, Limit)]
    finite = MAY_BE_NAN not in declared and (finite or bool(limits))
    kind = kind_of(annotation, finite=finite)
    if kind is None:
        return None
    for limit in limits:
        kind = _with_limit(kind, limit)
    words = next((d for d in declared if isinstance(d, str) and d != MAY_BE_NAN), kind.words)
    return dataclasses.replace(kind, words=words)


def _with_limit(kind: Kind, limit: Limit) -> Kind:
    return dataclasses.replace(
        kind,
        words=f"{kind.words} {limit.words}",
        many=f"{kind.many} {limit.words}",
        holds=lambda value: kind.holds(value) and limit.holds(value),
        hint=lambda value: limit.hint,
        of_type=kind.of_type or kind.holds,
    )


def _one_of(words: Sequence[Any]) -> Kind:
    known = frozenset(words)
    named = _either([str(w) for w in words])
    if len(words) > 3:
        named = f"one of {', '.join(map(str, words))}"

    def holds(value: Any) -> bool:
        try:
            return value in known
        except TypeError:
            return False

    def hint(value: Any) -> str:
        texts = [word for word in words if isinstance(word, str)]
        near = isinstance(value, str) and difflib.get_close_matches(value.lower(), texts, n=1)
        return did_you_mean(value, texts) if near else ""

    return Kind(
        named,
        named,
        holds,
        hint=hint,
        of_type=lambda value: isinstance(value, str),
    )


def _any_of(annotations: Sequence[Any], finite: bool) -> Kind | None:
    """Take what any of several annotations takes; None is taken in silence."""
    members = _without_array_parts(annotations)
    kinds = [kind_of(one, finite=finite) for one in members if one is not type(None)]
    if len(members) < len(annotations) - (type(None) in annotations):
        kinds.append(_array_like())
    if any(kind is None for kind in kinds):
        return None
    taken = [kind for kind in kinds if kind is not None]
    tests = [kind.holds for kind in taken]
    optional = type(None) in annotations
    if len(taken) == 1:
        holds = tests[0]
        if optional:
            holds = _or_none(holds)
        return dataclasses.replace(taken[0], holds=holds)

    def any_holds(value: Any) -> bool:
        if value is None:
            return optional
        return any(test(value) for test in tests)

    def near(value: Any) -> list[Kind]:
        """Return the kinds that the value is of, but for its size or its word; or else all."""
        close = [kind for kind in taken if kind.of_type is not None and kind.of_type(value)]
        return close or taken

    def got(value: Any) -> str:
        return next((kind.got(value) for kind in taken if kind.got and kind.got(value)), "")

    def hint(value: Any) -> str:
        return next((k.hint(value) for k in near(value) if k.hint and k.hint(value)), "")

    words = list(dict.fromkeys(kind.words for kind in taken))
    many = list(dict.fromkeys(kind.many for kind in taken))
    return Kind(
        _either(words),
        _either(many),
        any_holds,
        got=got,
        hint=hint,
        of_type=lambda value: near(value) is not taken,
    )


def _either(words: Sequence[str]) -> str:
    """Join by *or*; a comma before it, where a part has an *or* of its own."""
    if len(words) == 1:
        return words[0]
    comma = "," if any(" or " in word or ", " in word for word in words) else ""
    return f"{', '.join(words[:-1])}{comma} or {words[-1]}"


def _or_none(holds: Holds) -> Holds:
    return lambda value: value is None or holds(value)


def _is_sequence(value: Any) -> bool:
    """Whether it has items in an order: a list, an array, an index of pandas, and no text."""
    if type(value) in (list, tuple):
        return True
    if isinstance(value, (str, bytes, bytearray, Mapping, Set)):
        return False
    return isinstance(value, Sequence) or (
        hasattr(value, "__len__") and hasattr(value, "__getitem__") and hasattr(value, "__iter__")
    )


def _is_collection(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, (str, bytes, bytearray))


def _is_iterable(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, (str, bytes, bytearray))


def _many(annotation: Any, is_one: Holds, noun: str) -> Kind:
    """Take a list, a set or another iterable of a kind; an iterator is not looked into."""
    kind = kind_of(annotation, finite=False)
    words = f"{noun} of {kind.many}" if kind else noun
    many = f"{noun.split()[-1]}s of {kind.many}" if kind else f"{noun.split()[-1]}s"
    if kind is None:
        return Kind(words, many, is_one, hint=_as_list)
    item_holds = kind.holds

    def wrong_item(value: Any) -> int | None:
        if not is_one(value) or isinstance(value, Iterator) or not hasattr(value, "__len__"):
            return None
        for n, item in enumerate(itertools.islice(value, MOST_ITEMS)):
            if not item_holds(item):
                return n
        return None

    def holds(value: Any) -> bool:
        if type(value) in (list, tuple) and len(value) <= MOST_ITEMS:
            return all(map(item_holds, value)) and is_one(value)
        return is_one(value) and wrong_item(value) is None

    def got(value: Any) -> str:
        wrong = wrong_item(value)
        if wrong is None:
            return ""
        item = next(itertools.islice(value, wrong, None))
        return f"{_shown_type(value)} whose item {wrong + 1} is {_shown_type(item)}"

    return Kind(words, many, holds, got=got, hint=_as_list)


def _as_list(value: Any) -> str:
    """Say how one text is given where several are taken."""
    if not isinstance(value, str):
        return ""
    return f"For one, write [{value!r}]." if len(repr(value)) <= _LONGEST else "Put it in a list."


def _fixed(annotations: Sequence[Any], finite: bool) -> Kind:
    """Take a tuple, or a list, of as many items as are declared."""
    kinds = [kind_of(one, finite=finite) for one in annotations]
    named = ", ".join(kind.words if kind else "anything" for kind in kinds)
    if not any(kinds):
        named = str(len(kinds))

    def holds(value: Any) -> bool:
        if not _is_sequence(value) or len(value) != len(kinds):
            return False
        return all(k is None or k.holds(v) for k, v in zip(kinds, value, strict=True))

    return Kind(f"a tuple of {named}", f"tuples of {named}", holds)


def _mapping(of_keys: Any, of_values: Any, finite: bool) -> Kind:
    keys, values = kind_of(of_keys), kind_of(of_values, finite=finite)
    named = [kind.many if kind else "anything" for kind in (keys, values)]
    shown = f" from {named[0]} to {named[1]}" if keys or values else ""

    def wrong_entry(value: Any) -> str | None:
        for key, entry in itertools.islice(value.items(), MOST_ITEMS):
            if keys is not None and not keys.holds(key):
                return f"a mapping with {_shown_type(key)} as a key"
            if values is not None and not values.holds(entry):
                shown = _shown(entry) if of_keys is str else _shown_type(entry)
                return f"{shown} for {_shown(key)}" if of_keys is str else f"{shown} in it"
        return None

    def holds(value: Any) -> bool:
        return isinstance(value, Mapping) and wrong_entry(value) is None

    def got(value: Any) -> str:
        return (wrong_entry(value) or "") if isinstance(value, Mapping) else ""

    def hint(value: Any) -> str:
        entries = value.values() if isinstance(value, Mapping) else ()
        wrong = (entry for entry in entries if values is not None and not values.holds(entry))
        return next((values.hint(one) for one in wrong if values and values.hint), "")

    return Kind(f"a mapping{shown}", f"mappings{shown}", holds, got=got, hint=hint)


def _with_members(protocol: type) -> Kind:
    """Take whatever has the members that a protocol names."""
    names = [
        name
        for base in protocol.__mro__
        if getattr(base, "_is_protocol", False) and base.__module__ != "typing"
        for name in (*vars(base), *vars(base).get("__annotations__", ()))
        if not name.startswith("_") or name == "__call__"
    ]
    return Kind(
        _article(protocol.__name__),
        f"{protocol.__name__} objects",
        lambda value: all(hasattr(value, name) for name in names),
    )


# numpy's own annotations


def _of_numpy(cls: type, inner: Sequence[Any]) -> Kind | None:
    import numpy as np

    if cls is not np.ndarray:
        if cls.__name__ in _ARRAY_PARTS:
            return _array_like()
        words = _article(cls.__name__)
        return Kind(words, f"{cls.__name__} objects", lambda value: isinstance(value, cls))
    wanted = get_args(inner[1])[0] if len(inner) > 1 and get_args(inner[1]) else Any
    wanted = get_origin(wanted) or wanted
    if wanted is Any or not isinstance(wanted, type):
        return Kind("an array", "arrays", lambda value: isinstance(value, np.ndarray))
    named = next(word for kind, word in _ARRAYS_OF if issubclass(wanted, getattr(np, kind)))
    letters = {"whole numbers": "iu", "numbers": "iuf", "booleans": "b"}.get(named)

    def holds(value: Any) -> bool:
        return isinstance(value, np.ndarray) and (letters is None or value.dtype.kind in letters)

    def got(value: Any) -> str:
        return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else ""

    return Kind(f"an array of {named}", f"arrays of {named}", holds, got=got)


_ARRAYS_OF = (
    ("bool_", "booleans"),
    ("integer", "whole numbers"),
    ("floating", "numbers"),
    ("generic", "values"),
)
_ARRAY_PARTS = ("_Buffer", "_SupportsArray", "_NestedSequence")


def _without_array_parts(annotations: Sequence[Any]) -> list[Any]:
    """Return a union's members without those that numpy's ArrayLike brings."""
    named = [getattr(get_origin(one) or one, "__name__", "") for one in annotations]
    begin = next((n for n, name in enumerate(named) if name in _ARRAY_PARTS), len(named))
    brought = (complex, bytes, str)
    return [
        one
        for n, (one, name) in enumerate(zip(annotations, named, strict=True))
        if one is not type(None) and name not in _ARRAY_PARTS and (n < begin or one not in brought)
    ]


def _array_like() -> Kind:
    def holds(value: Any) -> bool:
        return _is_sequence(value) or _is_real(value) or hasattr(value, "__array__")

    return Kind("an array or a list", "arrays or lists", holds, hint=_as_list)
