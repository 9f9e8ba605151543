"""Values that a builder's rule does not fit: they stand apart, as they are, up to the root."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from indistinct.core import InputError
from indistinct.hierarchy.hierarchy import Hierarchy
from indistinct.hierarchy.table import Row, build
from indistinct.hierarchy.text import as_texts

__all__ = ["Ladder", "distinct_texts", "rule_hierarchy"]

Ladder = Callable[[str], Sequence[str]]
"""From a value to its labels at levels 1, 2, … below the root."""


def distinct_texts(
    values: Iterable[object], *, special: Iterable[object] = (), root: str
) -> tuple[list[str], list[str]]:
    """Return the distinct values in order of appearance: ordinary ones, and those apart.

    A value that is the root already (a cell that was suppressed before) stands apart too.
    """
    apart = {*as_texts(special), root}
    seen = dict.fromkeys(text for text in as_texts(values) if text is not None)
    return [t for t in seen if t not in apart], [t for t in seen if t in apart]


def rule_hierarchy(
    ordinary: Sequence[str],
    apart: Sequence[str],
    ladder: Ladder,
    *,
    steps: int,
    root: str | None,
    name: str,
    ordered: bool,
) -> Hierarchy:
    """Return the hierarchy in which `ladder` gives `steps` labels to each ordinary value.

    Without a `root` the last of these labels is the root, for the caller has seen that it is
    the same for all.
    """
    if not ordinary and not apart:
        what = f"The hierarchy of '{name}'" if name else "A hierarchy"
        raise InputError(f"{what} needs at least one value that is not missing. Got none.")
    top: tuple[str, ...] = () if root is None else (root,)
    rows: list[Row] = [(value, *ladder(value), *top) for value in ordinary]
    rows += [(value,) * (steps + 1) + top for value in apart]
    return build(rows, name=name, ordered=ordered)
