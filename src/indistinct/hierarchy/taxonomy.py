"""Taxonomies: trees of codes, given by the parent of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from indistinct.core import InputError
from indistinct.hierarchy.csvfile import read_rows
from indistinct.hierarchy.hierarchy import Hierarchy
from indistinct.hierarchy.table import Row, build
from indistinct.hierarchy.text import as_text, as_texts

__all__ = ["taxonomy_hierarchy"]

Links = Mapping[object, object] | Iterable[tuple[object, object]]

_SHOWN = 5

_TAKEN = (
    "pairs of child and parent, a mapping, or the path of a file with these two columns (for codes "
    "whose digits tell the branch there is code_hierarchy)"
)


def taxonomy_hierarchy(
    links: Annotated[Links | str | os.PathLike[str], _TAKEN],
    *,
    values: Iterable[object] = (),
    name: str | None = None,
    root: str | None = None,
) -> Hierarchy:
    """Return the hierarchy of a tree that is given by its parent links.

    With D the greatest depth of the tree, level l shows the tree cut off at depth D − l. A node
    that lies higher than the cut stays as it is until the cut comes down to its parent, so
    leaves of different depths, and codes of inner nodes that occur as data values, have one
    label at every level.

    Parameters
    ----------
    links
        Child and parent: a mapping, pairs, or the path of a CSV file with these two columns
        and no header. The root has an empty parent, or none.
    values
        The values of the data. The leaves of the tree are known anyway; inner nodes are known
        as values only if they are among these.
    name
        The variable; a file's name without its ending if not given.
    root
        The label of a root to put above several trees, such as the major groups of ISCO.

    >>> places = taxonomy_hierarchy(
    ...     {"Oslo": "Norway", "Bergen": "Norway", "Norway": "Europe", "Malta": "Europe"},
    ...     values=["Norway"],
    ... )
    >>> places.ancestors("Oslo"), places.ancestors("Malta"), places.ancestors("Norway")
    (('Oslo', 'Norway', 'Europe'), ('Malta', 'Malta', 'Europe'), ('Norway', 'Norway', 'Europe'))
    """
    origin = None
    if isinstance(links, str | os.PathLike):
        path = Path(links)
        name, origin = path.stem if name is None else name, str(path)
        pairs = _file_pairs(path)
    else:
        items = list(links.items() if isinstance(links, Mapping) else links)
        if any(isinstance(pair, str) or len(pair) != 2 for pair in items):
            raise InputError(f"links must be {_TAKEN}.")
        pairs = [(as_text(c), as_text(p), f"link {i}") for i, (c, p) in enumerate(items, start=1)]
    name = name or ""
    what = origin or (f"The taxonomy of '{name}'" if name else "The taxonomy")
    parent, where = _parents(pairs, what)
    paths = _paths(parent, where, what)
    top = _top(paths, root, what)
    inner = set(parent.values())
    leaves = [node for node in paths if node not in inner]
    wanted = dict.fromkeys(text for text in as_texts(values) if text is not None)
    unknown = [value for value in wanted if value not in paths]
    if unknown:
        # they are values of the data, which no message shows
        raise InputError(
            f"{what} does not know {len(unknown):,} of the values of the data. Add a link for each."
        )
    chosen = dict.fromkeys([*leaves, *wanted])
    over = () if top is None else (top,)
    depth = max(len(paths[node]) for node in chosen)
    rows: list[Row] = []
    for node in chosen:
        up = paths[node]
        rows.append((node,) * (depth - len(up)) + up + over)
    return build(rows, name=name, origin=origin and f"{origin} (as a table)")


def _file_pairs(path: Path) -> list[tuple[str | None, str | None, str]]:
    found = read_rows(path)
    wrong = [line for row, line in zip(found.rows, found.lines, strict=True) if len(row) != 2]
    if wrong:
        raise InputError(
            f"{path}: line {wrong[0]} must have two columns, child and parent. "
            f"{len(wrong):,} of {len(found.rows):,} lines have not."
        )
    numbered = zip(found.rows, found.lines, strict=True)
    return [(row[0], row[1], f"line {line}") for row, line in numbered]


def _parents(
    pairs: list[tuple[str | None, str | None, str]], what: str
) -> tuple[dict[str, str | None], dict[str, str]]:
    parent: dict[str, str | None] = {}
    where: dict[str, str] = {}
    for child, above, place in pairs:
        if child is None:
            raise InputError(f"{what}: {place} has no child. Give a child and its parent.")
        if child in parent and parent[child] != above:
            raise InputError(
                f"{what}: '{child}' has two parents, '{parent[child] or ''}' ({where[child]}) and "
                f"'{above or ''}' ({place}). Keep one of the two."
            )
        parent[child] = above
        where.setdefault(child, place)
    if not parent:
        raise InputError(f"{what} is empty. Give a child and its parent per link.")
    for above in list(parent.values()):
        if above is not None:
            parent.setdefault(above, None)
    return parent, where


def _paths(
    parent: dict[str, str | None], where: dict[str, str], what: str
) -> dict[str, tuple[str, ...]]:
    """Return for each node the labels from itself to its top."""
    paths: dict[str, tuple[str, ...]] = {}
    for start in parent:
        climbed: dict[str, None] = {}
        node: str | None = start
        while node is not None and node not in paths:
            if node in climbed:
                ring = list(climbed)[list(climbed).index(node) :]
                shown = " → ".join([*ring[:_SHOWN], *(["…"] if ring[_SHOWN:] else []), node])
                raise InputError(
                    f"{what}: {where[node]} goes round in a circle, {shown}. Take out one link."
                )
            climbed[node] = None
            node = parent[node]
        above = () if node is None else paths[node]
        for link in reversed(climbed):
            above = (link, *above)
            paths[link] = above
    return paths


def _top(paths: dict[str, tuple[str, ...]], root: str | None, what: str) -> str | None:
    """Return the label to be put above all trees, or None if there is one root already."""
    tops = [node for node, path in paths.items() if len(path) == 1]
    if tops == [root] or (root is None and len(tops) == 1):
        return None
    if root is not None:
        if root in paths:
            raise InputError(f"{what}: the root '{root}' stands within it. Choose another label.")
        return root
    shown = ", ".join(f"'{top}'" for top in tops[:_SHOWN]) + (", …" if tops[_SHOWN:] else "")
    raise InputError(
        f"{what} has {len(tops):,} roots: {shown}. Give them one parent, or name a root to be put "
        "above them (root='*')."
    )
