"""The verbs, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from indistinct import __version__
from indistinct.cli.census import census
from indistinct.cli.demo import demo
from indistinct.cli.init import init
from indistinct.cli.live import showing_progress
from indistinct.cli.protect import protect
from indistinct.cli.query import query
from indistinct.cli.report import report
from indistinct.cli.risk import risk
from indistinct.cli.runproject import run
from indistinct.cli.scrub import scrub
from indistinct.cli.tables import tables
from indistinct.cli.uniques import uniques
from indistinct.cli.utility import utility
from indistinct.cli.verb import as_verb
from indistinct.cli.verify import verify

__all__ = ["VERBS", "app"]

VERBS = (
    demo,
    init,
    run,
    uniques,
    risk,
    protect,
    verify,
    utility,
    tables,
    scrub,
    report,
    query,
    census,
)
"""Every verb, in the order of the help."""

app = typer.Typer(
    name="indistinct",
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
    context.with_resource(showing_progress())


for verb in VERBS:
    app.command()(as_verb(verb))
