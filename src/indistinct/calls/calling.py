"""What the command line can do, one call each: the names that a notebook begins with.

`data` is whatever `indistinct.open` takes (a path, a project file, a frame of pandas or Polars, an
Arrow table, columns by name) or what it has opened. What is opened here is held open by the result
and closed with it. Records are counted from 0 in Python; files for people count from 1.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from indistinct.census import census_table
from indistinct.flow import (
    Data,
    compare_release,
    kept_open,
    open,
    run_project,
    verify_release,
    write_report,
)
from indistinct.scrub import scrub as scrub_letters

if TYPE_CHECKING:
    from indistinct.tables.publishing import Publication

__all__ = [
    "census",
    "protect",
    "report",
    "risk",
    "run",
    "scrub",
    "tables",
    "uniques",
    "utility",
    "verify",
]

P = ParamSpec("P")
R = TypeVar("R")


def _of_data(
    method: Callable[Concatenate[Data, P], R],
) -> Callable[[Callable[[], None]], Callable[Concatenate[Any, P], R]]:
    """Make a method of open data a function of anything that can be opened."""

    def make(described: Callable[[], None]) -> Callable[Concatenate[Any, P], R]:
        def called(*args: Any, **options: Any) -> R:
            if not args and "data" not in options:
                raise TypeError("data is missing")
            data, *others = args or (options.pop("data"),)
            if isinstance(data, Data):
                return method(data, *others, **options)
            opened = open(data)
            return kept_open(method(opened, *others, **options), opened)

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        first = inspect.Parameter("data", kind, annotation=Any)
        others = list(inspect.signature(method).parameters.values())[1:]
        return _described(called, described, method, [first, *others])

    return make


def _same_as(
    function: Callable[P, R],
) -> Callable[[Callable[[], None]], Callable[P, R]]:
    """Give a function the name that its verb has."""

    def make(described: Callable[[], None]) -> Callable[P, R]:
        def called(*args: P.args, **options: P.kwargs) -> R:
            return function(*args, **options)

        parameters = list(inspect.signature(function).parameters.values())
        return _described(called, described, function, parameters)

    return make


def _described(
    called: Callable[P, R],
    described: Callable[..., object],
    behind: Callable[..., object],
    parameters: list[inspect.Parameter],
) -> Callable[P, R]:
    """Let a function look as it is described: its own words, and the parameters of what it does."""
    functools.update_wrapper(called, described)
    of_parameters = inspect.getdoc(behind) or ""
    _, heading, told = of_parameters.partition("Parameters\n----------\n")
    told = told.partition("\n>>>")[0].rstrip()
    if heading:
        called.__doc__ = f"{inspect.getdoc(described)}\n\n{heading}{told}\n"
    shown = inspect.Signature(parameters)
    called.__signature__ = shown  # type: ignore[attr-defined]
    called.__annotations__ = {
        one.name: one.annotation for one in parameters if one.annotation is not one.empty
    }
    called.__wrapped__ = inspect.unwrap(behind)  # type: ignore[attr-defined]
    return called


@_of_data(Data.uniques)
def uniques() -> None:
    """Find the people who stand out: records whose key few others share.

    >>> import indistinct as ind
    >>> people = {"age": [30, 30, 41], "sex": [1, 1, 2]}
    >>> found = ind.uniques(people, key=["age", "sex"], k=2)
    >>> found.unique, found.records_at_risk().tolist()
    (1, [2])
    """


@_of_data(Data.risk)
def risk() -> None:
    """Say how likely each record is to be recognised, and how far that can be trusted.

    >>> import indistinct as ind
    >>> people = {"age": [30, 30, 41, 41] * 5, "sex": [1, 1, 2, 1] * 5}
    >>> ind.risk(people, ["age", "sex"], fraction=0.1).table.records
    20
    """


@_of_data(Data.protect)
def protect() -> None:
    """Change a copy of the data until nobody stands out.

    What was protected is in `source` of the result; `Data.release` writes a release folder.

    >>> import indistinct as ind
    >>> people = {"age": [30, 30, 41], "sex": [1, 1, 2]}
    >>> done = ind.protect(people, ["age", "sex"], method="destroy", k=2, seed=1)
    >>> done.source.table()["age"].to_pylist()
    [30, 30]
    """


@_same_as(verify_release)
def verify() -> None:
    """Prove from the released file that nobody stands out, or show the records that do.

    >>> import indistinct as ind
    >>> released = {"age": [30, 30, 41], "sex": [1, 1, 2]}
    >>> ind.verify(released, key=["age", "sex"], k=2).exposed
    1
    """


@_same_as(compare_release)
def utility() -> None:
    """Say whether results from the released file would be those from the original.

    >>> import indistinct as ind
    >>> people = {"age": [30, 41, 52, 63], "sex": ["f", "m", "f", "m"]}
    >>> ind.utility(people, people).utility.marginals.same
    True
    """


def tables(
    data: Any,
    tables: Sequence[str] = (),
    *,
    area: str | None = None,
    out: str | Path | None = None,
    although_unproved: bool = False,
    accept: Sequence[str] = (),
    **settings: Any,
) -> Publication:
    """Say whether tables for areas are safe to publish, and publish them so that they are.

    Parameters
    ----------
    data
        Whatever `indistinct.open` takes, or has opened.
    tables
        Each as its variables, with the width of bands: ``["age:5,sex", "town"]``.
    area
        The variable of the areas that the tables are made for.
    out
        The folder to publish in; without one the tables are weighed only.
    although_unproved
        Publish also if the attack on what was written finds something.
    accept
        Reservations that are known and accepted, by code.
    settings
        What else a project file has in ``[publish]``: ``method``, ``base``, ``threshold`` …

    >>> import indistinct as ind
    >>> people = {"age": [30, 30, 41, 41], "sex": [1, 1, 2, 2], "town": ["A", "A", "B", "B"]}
    >>> ind.tables(people, ["age,sex"], area="town").risk.uniques.frtu
    0
    """
    from indistinct.tables.publishing import Asked, publish_tables

    opened = data if isinstance(data, Data) else open(data)
    where = Path(out) if out is not None else None
    asked = Asked.of_texts(tables, area=area, out=where, **settings)
    with opened.opened.watching() if opened.opened is not None else contextlib.nullcontext():
        found = publish_tables(opened, asked, although_unproved=although_unproved, accept=accept)
    return kept_open(found, opened)


@_same_as(scrub_letters)
def scrub() -> None:
    """Replace every reference to a person in letters and notes by a made-up one.

    >>> import indistinct as ind
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     letter = Path(folder, "letter.txt")
    ...     _ = letter.write_text("Mr. John Smith was seen on May 3, 1994.", encoding="utf-8")
    ...     done = ind.scrub([letter], out=Path(folder, "scrubbed"))
    >>> done.documents
    1
    """


@_same_as(write_report)
def report() -> None:
    """Write the report of a release, to be read before signing.

    >>> import indistinct as ind
    >>> from tempfile import TemporaryDirectory
    >>> people = {"age": [30, 30, 41, 41], "sex": [1, 1, 2, 2]}
    >>> with TemporaryDirectory() as folder, ind.open(people) as data:
    ...     done = data.protect(["age", "sex"], method="destroy", k=2, seed=1)
    ...     written = data.release(Path(folder, "release"), done)
    ...     ind.report(written.folder).html.name
    'report.html'
    """


@_same_as(run_project)
def run() -> None:
    """Do all that a project file says: find, protect, compare, write, prove and report.

    >>> import indistinct as ind
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "people.csv").write_text("age,sex\\n" + "30,1\\n30,1\\n41,2\\n41,2\\n")
    ...     project = Path(folder, "release.toml")
    ...     _ = project.write_text(
    ...         '[data]\\nfile = "people.csv"\\n[release]\\nk = 2\\nmethod = "destroy"\\n'
    ...         'key = ["age", "sex"]\\n', encoding="utf-8"
    ...     )
    ...     ind.run(project, out=Path(folder, "release"), seed=1).protected.after.at_risk
    0
    """


@_same_as(census_table)
def census() -> None:
    """Make a synthetic census, households of people who never were, as an Arrow table.

    >>> import indistinct as ind
    >>> ind.census(people=100, seed=1).num_rows
    100
    """
