"""What a project file writes: never two things in one place, and nothing over what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.core.doors import lies_within
from indistinct.files import is_database
from indistinct.options import Where
from indistinct.project.settings import Problems, header, path

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = ["check_places"]


def check_places(project: Project, problems: Problems) -> None:
    """Refuse places that are named for two things to write, or that are read."""
    written = list(_written(project))
    for number, (where, label, place) in enumerate(written):
        for _, other, earlier in written[:number]:
            if lies_within(place, earlier) or lies_within(earlier, place):
                problems.add(
                    where,
                    f"{label} and {other} are named for two things to write, one in the place of "
                    "the other. Name each by itself.",
                )
        data = project.data.file
        if data and not is_database(str(data)) and lies_within(data, place):
            problems.add(where, f"{label} is where the data are, which are never written over.")


def _written(project: Project) -> Iterator[tuple[Where, str, Path]]:
    """Give the settings that name something to write: those that need not be there."""
    for section in fields(project):
        if section.metadata.get("named") is not False:
            continue
        part = getattr(project, section.name)
        for one in fields(part):
            found = getattr(part, one.name)
            if one.metadata.get("check") is path and found is not None:
                where = (section.name, one.name)
                yield where, f"{header((section.name,))} {one.name}", found
