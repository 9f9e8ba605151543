"""Commands from the command tree itself: every verb, every option, values of every kind.

Left out, because they start other programs and are tested elsewhere: Spark, browsers, databases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from fuzz_place import COLUMNS
from fuzz_values import HOSTILE_TEXT, OUTPUTS, PATHS, names, numbers, texts
from hypothesis import strategies as st

from indistinct.cli.app import app

__all__ = ["GOOD", "commands", "verbs"]

GOOD: Mapping[str, Sequence[str]] = {
    "demo": ("--people", "1000", "--out", "new"),
    "init": ("people.csv", "--out", "new.toml"),
    "run": ("release.toml", "--out", "new"),
    "uniques": ("people.csv", "--key", "age,sex", "--k", "3"),
    "risk": ("people.csv", "--key", "age,sex", "--fraction", "0.1"),
    "protect": ("people.csv", "--key", "age,sex", "--k", "3", "--method", "datafly",
                "--out", "new"),
    "verify": ("rel",),
    "utility": ("people.csv", "rel"),
    "tables": ("people.csv", "--area", "county", "--table", "age:20,sex"),
    "scrub": ("letters", "--out", "new"),
    "report": ("rel",),
    "query": ("rel", "select count(*) from data"),
    "census": ("--people", "100", "--out", "new.csv"),
}  # fmt: skip
"""A command of every verb that is taken; a new verb joins by a line here."""

_APART = {"engine", "master", "pdf", "query_", "people", "port", "workbench"}
_SMALL = {"demo": ("--people", "999"), "census": ("--people", "100")}
"""What keeps verbs that make data small; a demo of so few is refused, and is run elsewhere."""


def verbs() -> Mapping[str, Any]:
    """Return every verb of the command line that ends by itself; tests/workbench has the other."""
    found: Mapping[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {name: command for name, command in found.items() if name != "workbench"}


def _values(parameter: Any) -> st.SearchStrategy[str]:
    kind = parameter.type_descriptor.annotation
    if kind is Path or "path" in str(kind).lower():
        return st.sampled_from((*PATHS, *OUTPUTS, *OUTPUTS))
    if kind is int or kind is float:
        return numbers()
    choices = getattr(kind, "__args__", None)
    if choices and all(isinstance(choice, str) for choice in choices):
        return st.one_of(st.sampled_from(choices), st.sampled_from(HOSTILE_TEXT))
    if parameter.name in ("data", "release", "private", "original"):
        return st.sampled_from(PATHS)
    if parameter.metavar == "NAME":
        return st.one_of(st.sampled_from(COLUMNS), texts())
    if parameter.metavar == "NAMES":
        return st.one_of(names(), texts())
    return texts()


@st.composite
def commands(draw: st.DrawFn) -> list[str]:
    """Draw a command: a good one with options added, or any arguments and options at all."""
    tree = verbs()
    verb = draw(st.sampled_from(sorted(tree)))
    parameters = [p for p in tree[verb].params if p.name not in _APART]
    options = [p for p in parameters if p.param_type_name == "option"]
    if verb in _SMALL or draw(st.integers(0, 3)):
        arguments = list(GOOD[verb])
    else:
        positional = [p for p in parameters if p.param_type_name == "argument"]
        arguments = [draw(_values(p)) for p in positional]
    for option in draw(st.lists(st.sampled_from(options), max_size=4)):
        written = draw(st.sampled_from((*option.opts, *option.secondary_opts)))
        arguments.append(written)
        if not option.is_flag:
            arguments.append(draw(_values(option)))
    return [verb, *arguments, *_SMALL.get(verb, ())]
