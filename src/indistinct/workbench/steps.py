"""Steps of the project: in another order, and those that bring a variable to a level."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from indistinct.project import changed_project
from indistinct.workbench.desk import Desk

__all__ = ["changes_of_levels", "levels_now", "section_of_level", "with_steps"]

_NAME = "coarser "
"""What the names of these steps begin with; the variable follows."""


def levels_now(desk: Desk) -> dict[str, int]:
    """Return the level of each variable that was brought to one."""
    return {
        name.removeprefix(_NAME): int(step["level"])
        for name, step in desk.content.get("steps", {}).items()
        if name.startswith(_NAME) and step.get("kind") == "generalise"
    }


def section_of_level(name: str) -> tuple[str, str]:
    """Return the section of the step that brings a variable to a level."""
    return ("steps", f"{_NAME}{name}")


def changes_of_levels(
    desk: Desk, counted: Mapping[str, Any], wanted: Mapping[str, int]
) -> dict[tuple[str, ...], Any]:
    """Return what the project says when variables stand at other levels; 0 is the value itself.

    A step holds its hierarchy whole, so that the project needs nothing else to be run again.
    """
    now = levels_now(desk)
    changes: dict[tuple[str, ...], Any] = {}
    for name, level in wanted.items():
        if level == now.get(name, 0):
            continue
        section = section_of_level(name)
        if level == 0:
            changes[section] = None
            continue
        changes[*section, "kind"] = "generalise"
        changes[*section, "level"] = level
        changes[*section, "hierarchy"] = {
            part: value for part, value in counted["trees"][name].items() if value is not None
        }
    return changes


def with_steps(text: str, names: Sequence[str]) -> str:
    r"""Return a project with its steps in another order; what is not named is taken out.

    >>> text = "[steps.a]\nkind = 'x'\n\n[steps.b]\nkind = 'y'\n"
    >>> list(tomllib.loads(with_steps(text, ["b", "a"]))["steps"])
    ['b', 'a']
    """
    steps = tomllib.loads(text).get("steps", {})
    as_they_are = 0
    for now, wanted in zip(steps, names, strict=False):
        if now != wanted:
            break
        as_they_are += 1
    text = changed_project(text, {("steps", name): None for name in list(steps)[as_they_are:]})
    for name in names[as_they_are:]:
        settings: dict[tuple[str, ...], Any] = {
            ("steps", name, one): value for one, value in steps[name].items()
        }
        text = changed_project(text, settings)
    return text
