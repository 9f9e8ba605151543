"""The verbs, gathered. A verb's module is loaded when the verb is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from indistinct import __version__
from indistinct.core.doors import undisturbed

__all__ = ["VERBS", "app", "verb_function"]

VERBS: Mapping[str, str] = {
    "demo": "Make a synthetic census, find who stands out, protect it, and write a folder.",
    "init": "Write a first project file, guessing what each variable is for and saying why.",
    "run": "Do all that a project file says: find, protect, compare, write, prove, report; and "
    "tables.",
    "uniques": "Find the people who stand out: records whose key few others share.",
    "risk": "Say how likely each record is to be recognised, and how far that can be trusted.",
    "protect": "Change a copy of the data until nobody stands out, and write a release folder.",
    "verify": "Prove from the released file that nobody stands out, or show the records that do.",
    "utility": "Say whether results from the released file would be those from the original.",
    "tables": "Say whether tables for areas are safe to publish, and publish them so that they "
    "are.",
    "scrub": "Replace every reference to a person in letters and notes by a made-up one.",
    "report": "Write the report of a release, to be read before signing; or compare several "
    "releases.",
    "query": "Ask released data: exactly where they are proved, with noise where they are not.",
    "workbench": "Show data and projects in the browser: who stands out, what protects them, what "
    "is proved.",
    "census": "Make a synthetic census: households of people who never were.",
}
"""Every verb with the first sentence of its help, in the order of the help."""

_MODULES = {"run": "runproject"}


def verb_function(name: str) -> Callable[..., None]:
    """Return the function of a verb, its module loaded."""
    with undisturbed():  # an interrupt waits: libraries that are being loaded do not bear one
        module = import_module(f"indistinct.cli.{_MODULES.get(name, name)}")
    function: Callable[..., None] = getattr(module, name)
    return function


@cache
def _command(name: str) -> Any:
    from indistinct.cli.declared import TopicsCommand, topics_of
    from indistinct.cli.verb import as_verb

    function = verb_function(name)
    topics = topics_of(function)
    kind = None if topics is None else type("Topics", (TopicsCommand,), {"topics": topics})
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    alone.command(name, cls=kind)(as_verb(function))
    return typer.main.get_command(alone)


class _Commands(Mapping[str, Any]):
    """The commands by name, each made when it is taken."""

    def __getitem__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class _Verbs(TyperGroup):
    """All verbs; their help is listed without loading one of them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs in the order of the help."""
        return list(VERBS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs with their first sentences."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


app = typer.Typer(
    name="indistinct",
    cls=_Verbs,
    help="Find the people who stand out in a data set, and change it until nobody does.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"indistinct {__version__}")
        raise typer.Exit()


@app.callback()
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find the people who stand out in a data set, and change it until nobody does."""
    from indistinct.cli.live import showing_progress

    context.with_resource(showing_progress())
