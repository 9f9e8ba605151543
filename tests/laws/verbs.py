"""Every verb with something in every place that its options name, found from the verbs themselves.

A verb is tried without its body: what is refused is refused before it, and what is not reaches it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import typer
from typer.models import ArgumentInfo

from indistinct.cli.app import VERBS, verb_function
from indistinct.cli.places import (
    DataPlace,
    HierarchyPlace,
    InputFile,
    KeptFile,
    LettersPlace,
    OutputFile,
    OutputFolder,
    PageFile,
    PlaceKind,
    ProjectFile,
    ReleasePlace,
    ScratchFolder,
    WordOrFile,
    WorkbenchPlace,
)
from indistinct.cli.verb import as_verb, option_of, places_of
from indistinct.core.errors import IndistinctError

PEOPLE = "age,sex\n" + "41,m\n42,f\n43,m\n" * 4
INPUTS = (
    DataPlace,
    InputFile,
    HierarchyPlace,
    LettersPlace,
    ProjectFile,
    ReleasePlace,
    WordOrFile,
    WorkbenchPlace,
)

VERB_NAMES = list(VERBS)
BY_NAME: dict[str, Callable[..., None]] = {verb: verb_function(verb) for verb in VERBS}
PLACES = {name: places_of(verb) for name, verb in BY_NAME.items()}


def options(*kinds: type[PlaceKind]) -> list[tuple[str, str]]:
    """Return verbs and their options that name such a place."""
    return [(v, o) for v in VERB_NAMES for o, kind in PLACES[v].items() if isinstance(kind, kinds)]


def pairs() -> Iterator[tuple[str, str, str]]:
    """Yield verbs with an option that is read and one that is written."""
    for verb, read in options(*INPUTS):
        for again, written in options(OutputFile):
            if again == verb:
                yield verb, read, written


@dataclass
class World:
    """A folder with something of every kind in it."""

    folder: Path
    reached: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Fill the folder."""
        for name in ("people.csv", "file.txt", "letter.txt"):
            (self.folder / name).write_text(PEOPLE)
        for name in ("hierarchies", "release", "scratch"):
            (self.folder / name).mkdir()
        (self.folder / "hierarchies" / "age.csv").write_text("41,*\n42,*\n43,*\n")
        (self.folder / "release" / "certificate.json").write_text("{}")
        (self.folder / "release" / "data.csv").write_text(PEOPLE)
        (self.folder / "release.toml").write_text('[data]\nfile = "people.csv"\n')
        (self.folder / "words.toml").write_text("[text]\n")

    def sample(self, kind: PlaceKind, name: str) -> Path:
        """Return what fits a kind: something that is there, or a name that is free."""
        match kind:
            case KeptFile():
                return self.folder / f"kept-{name}"
            case PageFile():
                return self.folder / f"new-{name}.html"
            case OutputFolder():
                return self.folder / f"new-{name}"
            case OutputFile():
                return self.folder / f"new-{name}{(*kind.endings, '')[0]}"
        there = {
            DataPlace: "people.csv",
            InputFile: "file.txt",
            HierarchyPlace: "hierarchies",
            LettersPlace: "letter.txt",
            ProjectFile: "release.toml",
            ReleasePlace: "release",
            ScratchFolder: "scratch",
            WordOrFile: "words.toml",
            WorkbenchPlace: "people.csv",
        }
        return self.folder / there[type(kind)]

    def file_of(self, kind: PlaceKind) -> Path:
        """Return the file behind what fits a kind that is read."""
        inside = {HierarchyPlace: "hierarchies/age.csv", ReleasePlace: "release/data.csv"}
        return self.folder / inside.get(type(kind), self.sample(kind, "").name)

    def arguments(self, verb: str, given: dict[str, Any]) -> list[str]:
        """Return what is typed: what is given, and something for all that must be."""
        function, typed, named = BY_NAME[verb], [], []
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            kind = PLACES[verb].get(name)
            value = given.get(name)
            if value is None and parameter.default is inspect.Parameter.empty:
                value = self.sample(kind, name) if kind else "select count(*) from data"
            if value is None and isinstance(kind, OutputFile) and parameter.default is not None:
                value = self.sample(kind, name)
            if value is None:
                continue
            if any(isinstance(one, ArgumentInfo) for one in get_args(parameter.annotation)):
                typed.append(str(value))
            else:
                named += [option_of(function, name)] + ([str(value)] if value is not True else [])
        return [*named, *typed]

    def tried(self, verb: str, *more: str, **given: Any) -> str | None:
        """Return why a verb refuses to begin, or None where it begins."""
        function = BY_NAME[verb]

        @functools.wraps(function)
        def body(**_: Any) -> None:
            self.reached.append(verb)

        app = typer.Typer(add_completion=False)
        app.callback()(lambda: None)
        app.command(verb)(as_verb(body))
        before = len(self.reached)
        try:
            app([verb, *self.arguments(verb, given), *more], standalone_mode=False)
        except IndistinctError as error:
            assert len(self.reached) == before
            return str(error)
        assert len(self.reached) == before + 1
        return None

    def bytes(self) -> dict[str, bytes]:
        """Return every file in the folder, by name."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }


def needed(verb: str, option: str, world: World) -> dict[str, Any]:
    """Return what must be given with an option so that it is not ignored."""
    needs, _ = getattr(BY_NAME[verb], "__options_that_go_together__", ({}, {}))
    found: dict[str, Any] = {}
    for other in needs.get(option, "").split()[:1]:
        kind = PLACES[verb].get(other)
        found[other] = world.sample(kind, other) if kind else 1
        found |= needed(verb, other, world)
    return found


__all__ = ["BY_NAME", "INPUTS", "PLACES", "VERB_NAMES", "World", "needed", "options", "pairs"]
