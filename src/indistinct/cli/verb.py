"""What is done for every verb before it begins: all that its options name is checked, at once.

What is decided here: a verb does not begin while anything that it names cannot be read or written,
would be written over, or would be ignored. All of it is told in one error. Verbs that write files
get the option --overwrite by themselves, and verbs that read project files --allow-outside.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import typer
from typer.models import ArgumentInfo, OptionInfo

from indistinct import prove
from indistinct.cli.options import split_names
from indistinct.cli.places import AllowOutside, OutputFile, Overwrite, PlaceKind
from indistinct.cli.telling import honest, tell_people
from indistinct.core import IndistinctError, InputError
from indistinct.core.doors import Watch, remove_leftovers, resolved, watching

__all__ = ["as_verb", "option_of", "places_of", "together"]

F = TypeVar("F", bound=Callable[..., Any])
_RULES = "__options_that_go_together__"
_ONLY = "__options_for_some_values__"


def together(
    *,
    needs: Mapping[str, str] | None = None,
    excludes: Mapping[str, str] | None = None,
    only: Mapping[str, str] | None = None,
) -> Callable[[F], F]:
    """Declare which options of a verb mean nothing alone, or beside another one.

    Parameters
    ----------
    needs
        For an option those of which one must be given too, or it would be ignored:
        ``{"identifiers": "pull_out_to"}``; several are parted by blanks. A project file may say
        it instead where ``.toml`` is among them.
    excludes
        For an option those that would be ignored beside it.
    only
        For an option another one and the values of it with which it means something:
        ``{"variance": "method cell-key"}``; ``.jsonl`` stands for files that end so. Where a
        project file is read it may say the other, so that this holds for what is typed.
    """

    def declare(verb: F) -> F:
        setattr(verb, _RULES, (dict(needs or {}), dict(excludes or {})))
        setattr(verb, _ONLY, dict(only or {}))
        return verb

    return declare


def as_verb(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function as a verb: checked before it begins, and watched while it lasts."""
    signature = inspect.signature(function, eval_str=True)
    kinds = places_of(function)
    further = [_parameter("context", typer.Context)]
    if any(kind.may_replace for kind in kinds.values()):
        further.append(_parameter("overwrite", Overwrite, False))
    if any(kind.may_name for kind in kinds.values()):
        further.append(_parameter("allow_outside", AllowOutside, False))

    @functools.wraps(function)
    def verb(
        *,
        context: typer.Context,
        overwrite: bool = False,
        allow_outside: bool = False,
        **given: Any,
    ) -> None:
        with watching(say=tell_people, allow_outside=allow_outside) as watch:
            problems = [
                *_ignored(function, context),
                *_unknown_codes(given.get("accept")),
                *_misplaced(kinds, given, watch, overwrite=overwrite),
            ]
            if problems:
                raise InputError("\n".join(dict.fromkeys(problems)))
            for kind, value in _named(kinds, given):
                for folder in kind.rooms(Path(value)):
                    remove_leftovers(resolved(folder), watch)
            try:
                function(**given)
            except IndistinctError as error:
                error.args = (honest(str(error), watch.written),)
                raise

    parameters = [*signature.parameters.values(), *further]
    verb.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {one.name: one.annotation for one in parameters}
    return verb


def _parameter(name: str, annotation: Any, default: Any = inspect.Parameter.empty) -> Any:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


def places_of(verb: Callable[..., Any]) -> dict[str, PlaceKind]:
    """Return the options of a verb that name a place, by name."""
    found = {}
    for name, parameter in inspect.signature(verb, eval_str=True).parameters.items():
        for noted in get_args(parameter.annotation):
            if isinstance(noted, PlaceKind):
                found[name] = noted
    return found


def option_of(verb: Callable[..., Any], name: str) -> str:
    """Return an option, or an argument, as people know it."""
    annotation = inspect.signature(verb, eval_str=True).parameters[name].annotation
    for noted in get_args(annotation):
        if isinstance(noted, ArgumentInfo):
            return str(noted.metavar or name.upper())
        if isinstance(noted, OptionInfo):
            names = [n for n in (noted.default, *(noted.param_decls or ())) if isinstance(n, str)]
            return max((*names, ""), key=len).split("/")[0] or f"--{name.replace('_', '-')}"
    return f"--{name.replace('_', '-')}"


def _ignored(function: Callable[..., Any], context: typer.Context) -> Iterator[str]:
    """Say which options would be ignored."""
    needs, excludes = getattr(function, _RULES, ({}, {}))

    by_project = any(
        str(value).endswith(".toml")
        for name, kind in places_of(function).items()
        for value in (_values(context.params.get(name)) if kind.may_name else ())
    )

    def given(name: str) -> bool:
        if name == ".toml":
            return by_project
        typed = getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
        return typed and context.params.get(name) not in (None, False)

    for option, others in needs.items():
        if given(option) and not any(map(given, others.split())):
            named = [other for other in others.split() if other != ".toml"]
            wanted = " or ".join(option_of(function, other) for other in named)
            yield (
                f"{option_of(function, option)} can only be given with {wanted}: it would be "
                "ignored."
            )
    for option, others in excludes.items():
        beside = [option_of(function, other) for other in others.split() if given(other)]
        if given(option) and beside:
            yield (
                f"{', '.join(beside)} cannot be given with {option_of(function, option)}: it would "
                "be ignored."
            )

    for option, words in getattr(function, _ONLY, {}).items():
        other, *values = words.split()
        typed = context.params.get(other)
        if not given(option) or (by_project and typed is None) or str(typed).endswith(".toml"):
            continue
        if not any(str(typed) == v or (v[0] == "." and str(typed).endswith(v)) for v in values):
            yield (
                f"{option_of(function, option)} can only be given with "
                f"{option_of(function, other)} "
                f"{' or '.join(values)}: it would be ignored."
            )


def _unknown_codes(accept: str | None) -> Iterator[str]:
    """Say which reservations there are none of: accepting them would be ignored."""
    for code in split_names(accept) or ():
        try:
            prove.check_codes([code])
        except InputError as error:
            yield str(error)


def _misplaced(
    kinds: Mapping[str, PlaceKind], given: Mapping[str, Any], watch: Watch, *, overwrite: bool
) -> Iterator[str]:
    """Say what cannot be read or written: inputs first, so that outputs are held against them."""
    named = _named(kinds, given)
    for kind, value in named:
        if kind.is_read:
            watch.note_named(Path(value))
    for kind, value in named:
        if not isinstance(kind, OutputFile):
            yield from _told(kind, value, watch)
    taken: list[Path] = []
    for kind, value in named:
        if not isinstance(kind, OutputFile):
            continue
        if overwrite and kind.may_replace:
            watch.allow_replacing(value)
        yield from _told(kind, value, watch)
        place = Path(value).resolve()
        if any(one == place or one in place.parents or place in one.parents for one in taken):
            yield f"{value} is named for two things to write. Name each by itself."
        taken.append(place)


def _named(kinds: Mapping[str, PlaceKind], given: Mapping[str, Any]) -> list[tuple[PlaceKind, Any]]:
    """Return every place that the command line names."""
    return [(kind, value) for name, kind in kinds.items() for value in _values(given.get(name))]


def _values(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _told(kind: PlaceKind, value: Any, watch: Watch) -> Iterator[str]:
    try:
        kind.check(value, watch)
    except IndistinctError as error:
        yield str(error)
