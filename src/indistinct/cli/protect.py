"""`indistinct protect`: change a copy until nobody stands out.

Its options are those that releases and methods declare (`indistinct.options`); here stands what
places they name, which go together, and what is done with them.

`indistinct protect --map`: methods and settings by risk and utility.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from indistinct.cli import results
from indistinct.cli.declared import Line, Topic, line_of, read_given, taking
from indistinct.cli.options import (
    QUERIED,
    Compute,
    DataFile,
    Json,
    opened,
    people,
    print_json,
)
from indistinct.cli.places import (
    DataPlace,
    HierarchyPlace,
    InputFile,
    OutputFile,
    OutputFolder,
    PlaceKind,
    ProjectFile,
    ReleasePlace,
)
from indistinct.cli.results import show_actions, show_side_by_side, tell_run
from indistinct.cli.verb import together
from indistinct.core import InputError, for_json
from indistinct.core.doors import folder_written_whole
from indistinct.flow import Data, Wanted, compare_methods_as_asked, release_data
from indistinct.options import (
    RELEASING,
    Option,
    known_method,
    known_methods,
    method_options,
    unknown_option,
)
from indistinct.project import Project, ReportSettings, load_project
from indistinct.protect import fresh_seed
from indistinct.utility.comparing import compare_actions, write_comparison
from indistinct.utility.tradeoff import RiskUtilityMap

__all__ = ["PLACES", "protect"]

PLACES: Mapping[str, PlaceKind] = {
    "hierarchies": HierarchyPlace(),
    "registers": DataPlace("register"),
    "earlier": ReleasePlace("earlier release"),
    "sign_with": InputFile("key"),
    "plan": InputFile("plan"),
    "policy": InputFile("policy"),
    "secret": OutputFile("the key"),
    "out": OutputFolder(),
}
"""What the options of a release name, where that is a place."""

_FURTHER: Mapping[str, Line] = {
    "project": (
        Annotated[
            Path | None,
            typer.Option(help="A project file, for DATA that is a file of its own."),
            ProjectFile(),
        ],
        None,
    ),
    "compare": (
        Annotated[
            bool,
            typer.Option(
                "--compare",
                help="Compare all methods, into --out if given; release nothing.",
            ),
        ],
        False,
    ),
    "mapped": (
        Annotated[
            bool,
            typer.Option(
                "--map",
                help="Compare methods and settings, perturbing ones too, by what an intruder "
                "finds and what is left; release nothing. With --out, write table and figure "
                "there.",
            ),
        ],
        False,
    ),
    "utility": (
        Annotated[
            bool,
            typer.Option(
                "--utility", help="Compare the release with the original too, for its report."
            ),
        ],
        False,
    ),
}
"""What only this verb knows."""

_USUAL = (
    *("data", "method", "key", "k", "hierarchies", "out", "format", "seed", "accept"),
    *("plan", "compare", "json"),
)
_ALSO_WITHOUT_RELEASE = ("method", "plan", "key", "k", "at_most", "hierarchies", "seed", "out")
"""Options of a release that mean something where methods are compared, or are excluded by name."""


def _of_methods() -> list[Option[Any]]:
    return [option for option in method_options() if option.on_the_line]


def _lines() -> dict[str, Line]:
    """Return every parameter, in the order of the help."""
    released = {o.parameter: line_of(o, PLACES.get(n)) for n, o in RELEASING.items()}
    methods = {o.parameter: line_of(o) for o in _of_methods()}
    return {
        "data": (DataFile, inspect.Parameter.empty),
        **released,
        **_FURTHER,
        **methods,
        **QUERIED,
        "json": (Json, False),
    }


def _topics() -> Iterator[Topic]:
    """Give what is usual, every method with its own options, and the rest."""
    yield Topic("", "", (*_USUAL, "help"))
    for name, method in known_methods().items():
        own = tuple(o.parameter for o in method.options if o.on_the_line)
        known = (*own, "secret") if name == "encrypt" else own
        about = f"{name} {method.meaning}. Afterwards {method.promises}."
        yield Topic(name, method.meaning, known, about)
    rest = [o.parameter for o in RELEASING.values() if o.parameter not in _USUAL]
    yield Topic(
        "release",
        "what leaves, how it is judged, and for whom",
        (
            *rest,
            "sensitive",
            *(n for n in _FURTHER if n not in _USUAL),
            "overwrite",
            "allow_outside",
        ),
    )
    yield Topic("engine", "what does the counting", (*QUERIED,))


def _exclusions() -> dict[str, str]:
    """Return what would be ignored beside --map, --compare and --plan."""
    every = " ".join(option.parameter for option in _of_methods())
    generalising = {o.parameter for m in known_methods("generalising").values() for o in m.options}
    others = " ".join(o.parameter for o in _of_methods() if o.parameter not in generalising)
    released = " ".join(
        option.parameter
        for name, option in RELEASING.items()
        if name not in (*_ALSO_WITHOUT_RELEASE, "registers")
    )
    return {
        "mapped": f"compare method plan registers {every} {released} utility",
        "compare": f"method plan {others} {released} utility",
        "plan": f"method {every}",
    }


@together(excludes=_exclusions(), only={"keep_formulas": "format csv"})
@taking(_lines(), topics=lambda: list(_topics()))
def protect(
    *, data: str, project: Path | None, mapped: bool, compare: bool, json: bool, **given: Any
) -> None:
    """Change a copy of the data until nobody stands out, and write a release folder."""
    console = people()
    declared = load_project(place) if (place := _project_of(data, project)) else None
    options = _options(given, declared, each=compare or mapped)
    asked = read_given(list(RELEASING.values()), given)
    if not asked.get("key") and declared is None:
        asked["key"] = tuple(n for group in options.get("quasi_identifiers", ()) for n in group)
    with opened(data, Compute.of(given), project=project) as found:
        report = found.project.report if found.project else ReportSettings()
        wanted = Wanted(
            **{**asked, "key": tuple(dict.fromkeys(asked.get("key", ())))},
            options=options,
            report=replace(report, utility=given["utility"], map=False, shareable=False, pdf=False),
        )
        if mapped:
            _map(found, wanted, as_json=json)
        elif compare:
            _compare(found, wanted, console, as_json=json)
        else:
            run = release_data(found, wanted, say=_saying(console))
    if not (mapped or compare):
        tell_run(run, as_json=json)


def _project_of(data: str, project: Path | None) -> str | Path | None:
    return data if data.endswith(".toml") else project


def _options(given: Mapping[str, Any], project: Project | None, *, each: bool) -> dict[str, Any]:
    """Return the options of the method that were typed; refuse those that it does not know.

    Where methods are compared, `each` takes those that it knows.
    """
    typed = [o for o in _of_methods() if read_given([o], given)]
    named = given["method"] or (project.release.method if project and not given["plan"] else None)
    if named is not None and not each:
        method, everywhere = known_method(named), method_options()
        for option in typed:
            if option not in method.options and not option.for_all:
                knowing = list(everywhere[option])
                raise InputError(unknown_option(named, option.typed_as, knowing))
        if given["secret"] is not None and named != "encrypt":
            raise InputError(unknown_option(named, "--secret", [known_method("encrypt")]))
    return read_given(typed, given)


def _saying(console: Console) -> Callable[[str], None]:
    return lambda sentence: console.print(sentence, markup=False, soft_wrap=True)


def _seed(found: Data, wanted: Wanted) -> int:
    seed: int | None = wanted.completed(found.project).seed
    return fresh_seed() if seed is None else seed


def _map(found: Data, wanted: Wanted, *, as_json: bool) -> None:
    drawn = found.risk_utility_map(
        wanted.key,
        k=wanted.k,
        at_most=wanted.at_most,
        seed=_seed(found, wanted),
        hierarchies=wanted.hierarchies,
    )
    show_map(drawn, wanted.out, as_json=as_json)


def _compare(found: Data, wanted: Wanted, console: Console, *, as_json: bool) -> None:
    seed = _seed(found, wanted)
    compared = compare_methods_as_asked(found, wanted.but(seed=seed), say=_saying(console))
    actions = compare_actions(found.engine, found.source, compared.key, seed=seed, k=compared.k)
    if wanted.out is not None:
        write_comparison(wanted.out, compared)
    if as_json:
        print_json({**compared.to_dict(), "actions": actions.to_dict()["actions"]})
        return
    show_side_by_side(console, compared)
    show_actions(console, actions)
    if wanted.out is not None:
        console.print(f"written: {wanted.out}", markup=False)


# `indistinct protect --map` ----------------------------------------------------------------------


def show_map(drawn: RiskUtilityMap, out: Path | None, *, as_json: bool) -> None:
    """Print a map, and write its table and figure into a new folder."""
    if out is not None:
        content = {
            "map.md": f"# Risk and utility\n\n{drawn.markdown()}\n\n![Risk and utility](map.svg)\n",
            "map.json": for_json(drawn.to_dict(), indent=2) + "\n",
            "map.svg": drawn.plot(),
        }
        with folder_written_whole(out) as aside:
            for name, what in content.items():
                (aside / name).write_text(what, encoding="utf-8", newline="\n")
    if as_json:
        print_json(drawn.to_dict())
        return
    console = people()
    results.show_map(console, drawn)
    if out is not None:
        console.print(f"written: {out}", markup=False)
