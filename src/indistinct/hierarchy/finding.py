"""Hierarchies inside other content, such as the steps of a plan that was saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indistinct.hierarchy.hierarchy import Hierarchy

__all__ = ["hierarchies_in"]

_PARTS = {"name", "ordered", "rows"}


def hierarchies_in(content: Any) -> dict[str, Hierarchy]:
    """Return the hierarchies that some JSON content holds anywhere, by name.

    >>> from indistinct.hierarchy import suppression_only
    >>> sex = suppression_only(["m", "f"], name="sex")
    >>> hierarchies_in({"steps": [{"kind": "generalise", "hierarchy": sex.to_dict()}]})
    {'sex': Hierarchy('sex', 2 values, height 1)}
    """
    found: dict[str, Hierarchy] = {}
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping) and set(part) - {"level_names"} == _PARTS:
            tree = Hierarchy.from_dict(part)
            found[tree.name] = tree
        elif isinstance(part, Mapping):
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
    return found
