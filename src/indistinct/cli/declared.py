"""The parameters of a verb, made from declared options; and help that shows some at a time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from indistinct.cli.places import PlaceKind
from indistinct.core import InputError, did_you_mean
from indistinct.options import Option

__all__ = ["Topic", "TopicsCommand", "line_of", "read_given", "taking", "topics_of"]

F = TypeVar("F", bound=Callable[..., Any])
Line = tuple[Any, Any]
"""A parameter's annotation and default."""

_TOPICS = "__topics_of_help__"


@dataclass(frozen=True)
class Topic:
    """Options that are shown together by ``--help NAME``.

    Parameters
    ----------
    name, brief
        What is typed, and what is said of it beside the others.
    about
        What is said of it by itself.
    options
        The parameters that it shows.
    """

    name: str
    brief: str
    options: tuple[str, ...]
    about: str = ""


def line_of(option: Option[Any], place: PlaceKind | None = None, **settings: Any) -> Line:
    """Return the parameter of an option: as it is typed, what it means, what it names."""
    typed = option.kind.typed
    shown = {"help": option.sentence, "metavar": option.metavar, **settings}
    noted = [typer.Option(option.typed_as, **shown), *([place] if place is not None else [])]
    if typed is bool:
        return Annotated[(bool, *noted)], False
    return Annotated[(typed | None, *noted)], None


def taking(
    lines: Mapping[str, Line], topics: Callable[[], Sequence[Topic]] | None = None
) -> Callable[[F], F]:
    """Let a function take parameters by keyword; `topics` gives those of its help."""

    def take(function: F) -> F:
        parameters = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
            )
            for name, (annotation, default) in lines.items()
        ]
        signature = inspect.signature(function)
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        function.__annotations__ = {one.name: one.annotation for one in parameters}
        setattr(function, _TOPICS, topics)
        return function

    return take


def topics_of(function: Callable[..., Any]) -> Sequence[Topic] | None:
    """Return the topics of a verb's help; the first is what is shown without a name."""
    topics = getattr(function, _TOPICS, None)
    return topics() if topics is not None else None


def read_given(options: Sequence[Option[Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the options that were typed, by keyword."""
    typed = {o.name: (o, given[o.parameter]) for o in options if _is_typed(given, o.parameter)}
    return {name: option.read_typed(value) for name, (option, value) in typed.items()}


def _is_typed(given: Mapping[str, Any], name: str) -> bool:
    return given.get(name) is not None and given[name] is not False and given[name] != []


class TopicsCommand(TyperCommand):
    """A verb whose help shows the usual options, and with a name those of a topic."""

    topics: Sequence[Topic] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the word after --help for a topic."""
        if "--help" in args:
            after = args[args.index("--help") + 1 :]
            ctx.meta["topic"] = self._topic(after[0] if after else "")
            args = ["--help"]
        return super().parse_args(ctx, args)

    def _topic(self, name: str) -> Topic:
        known = {topic.name: topic for topic in self.topics}
        if name in known:
            return known[name]
        if name and not name.startswith("-") and "." not in name:
            raise InputError(f"There is no help on '{name}'. {did_you_mean(name, known)}")
        return self.topics[0]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Say what the verb does, or what the topic is."""
        topic = ctx.meta.get("topic", self.topics[0])
        if topic is self.topics[0]:
            super().format_help_text(ctx, formatter)
            return
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(topic.about or f"{topic.name}: {topic.brief}.")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options of the topic, and which other topics there are."""
        topic = ctx.meta.get("topic", self.topics[0])
        shown = [p for p in self.get_params(ctx) if p.name in topic.options]
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = [p.get_help_record(ctx) for p in shown if p.param_type_name == kind]
            if rows:
                with formatter.section(title):
                    formatter.write_dl([row for row in rows if row], col_max=23)
        if topic is self.topics[0]:
            with formatter.section("Methods and more (options of each: --help METHOD)"):
                formatter.write_dl([(one.name, one.brief) for one in self.topics[1:]])
