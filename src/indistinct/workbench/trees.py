"""Hierarchies edited by hand: what a form asks for, done to the rows, checked, kept in a file.

What is decided here: an edited hierarchy is built anew with every check of one that is read, so
that two roots, a circle or a lost value are refused before anything is written. It is kept in a
file of the project's own folder of hierarchies, and a file that is there is never written over:
what undoing goes back to is there still.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.core import InputError
from indistinct.core.doors import written_whole
from indistinct.hierarchy import (
    Hierarchy,
    as_number,
    csv_hierarchy,
    file_hierarchy,
    table_hierarchy,
    write_csv,
)
from indistinct.workbench.desk import Desk
from indistinct.workbench.rollup import roll_up_levels
from indistinct.workbench.steps import levels_now, section_of_level
from indistinct.workbench.store import key_of

__all__ = [
    "HIERARCHY_ENDINGS",
    "Fitting",
    "change_trees",
    "cuts_by_counts",
    "edited",
    "fitting_trees",
    "histogram",
    "out_by_level",
    "table_as_text",
    "tree_from_text",
]

HIERARCHY_ENDINGS = (".csv", ".deid", ".grc", ".r")
"""Hierarchies are brought along in files of ours, of ARX, of µ-Argus, in scripts for sdcMicro."""
FOLDER = "hierarchies"
_BARS = 90
_LONGEST_LABEL = 200

Rows = list[list[str | None]]


# Editing -----------------------------------------------------------------------------------------


def edited(
    tree: Hierarchy,
    what: str,
    *,
    level: int,
    nodes: Collection[int] = (),
    label: str = "",
    under: int | None = None,
) -> Hierarchy:
    """Return a hierarchy in which something was done to nodes of a level.

    Parameters
    ----------
    tree
        The hierarchy as it is.
    what
        ``merge`` nodes into one, ``split`` them off below a new node of the level above,
        ``rename`` one, ``move`` them below another node of the level above, ``insert`` a level
        above this one, ``drop`` this one.
    level
        The level of the nodes.
    nodes
        Which, by their codes.
    label
        What the new or renamed node is called.
    under
        The node of the level above that they are moved to, by its code.

    >>> tree = table_hierarchy([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")])
    >>> edited(tree, "split", level=0, nodes={1, 2}, label="z").level_labels(1)
    ('x', 'z', None)
    """
    if not 0 <= level <= tree.height:
        raise InputError("There is no such level. Choose one of those that are shown.")
    chosen = {node for node in nodes if 0 <= node < len(tree.level_labels(level))}
    rows: Rows = [list(row) for row in tree.to_dict()["rows"]]
    codes = tree.level_codes(level)
    touched = [row for at, row in enumerate(rows) if int(codes[at]) in chosen]
    _EDITS[what](tree, rows, touched, level, chosen, label, under)
    made = table_hierarchy(rows, name=tree.name, ordered=tree.ordered)
    made.encode(tree.values)
    return made


def _merge(
    tree: Hierarchy, rows: Rows, touched: Rows, level: int, chosen: set[int], label: str, _: Any
) -> None:
    if level == 0:
        raise InputError(
            "Values stand in the data and cannot be merged themselves. Split them off below a "
            "node of their own: then they are one from the next level on."
        )
    if len(chosen) < 2:
        raise InputError("Tick two nodes or more to merge them.")
    named = _named(label, touched)
    for row in touched:
        row[level] = named


def _split(
    tree: Hierarchy, rows: Rows, touched: Rows, level: int, chosen: set[int], label: str, _: Any
) -> None:
    _need_nodes(chosen)
    if level + 1 >= tree.height:
        raise InputError(
            "Above this level is the root alone, and a hierarchy has one root. Add a level above "
            "this one first; then split nodes off below it."
        )
    named = _named(label, touched)
    for row in touched:
        row[level + 1] = named


def _rename(
    tree: Hierarchy, rows: Rows, touched: Rows, level: int, chosen: set[int], label: str, _: Any
) -> None:
    if level == 0:
        raise InputError(
            "A value stands in the data and cannot be renamed. Rename what it becomes."
        )
    if len(chosen) != 1:
        raise InputError(f"Tick one node to rename it. Got {len(chosen)}.")
    new, old = _checked_label(label), tree.level_labels(level)[next(iter(chosen))]
    for row in touched:
        # a label that stays from level to level is one node, and keeps one name
        row[1:] = [new if one == old else one for one in row[1:]]


def _move(
    tree: Hierarchy,
    rows: Rows,
    touched: Rows,
    level: int,
    chosen: set[int],
    label: str,
    under: int | None,
) -> None:
    _need_nodes(chosen)
    if level >= tree.height or under is None:
        raise InputError("Choose the node of the level above that they shall stand under.")
    there = np.flatnonzero(tree.level_codes(level + 1)[: len(rows)] == under)
    if not len(there):
        raise InputError("There is no such node at the level above. Choose one of those shown.")
    ancestors = list(rows[int(there[0])][level + 1 :])
    for row in touched:
        row[level + 1 :] = ancestors


def _insert(
    tree: Hierarchy, rows: Rows, touched: Rows, level: int, chosen: set[int], label: str, _: Any
) -> None:
    if level == tree.height:
        raise InputError("Above the root is nothing. Choose a lower level.")
    for row in rows:
        row.insert(level + 1, row[level])


def _drop(
    tree: Hierarchy, rows: Rows, touched: Rows, level: int, chosen: set[int], label: str, _: Any
) -> None:
    if not 0 < level < tree.height:
        raise InputError("Values and root stay: only a level between them can be taken out.")
    for row in rows:
        del row[level]


_EDITS: Mapping[str, Any] = {
    "merge": _merge,
    "split": _split,
    "rename": _rename,
    "move": _move,
    "insert": _insert,
    "drop": _drop,
}


def _need_nodes(chosen: Collection[int]) -> None:
    if not chosen:
        raise InputError("Tick the nodes that are meant.")


def _named(label: str, touched: Rows) -> str:
    """Return the label of a new node: the values in braces where none is given."""
    values = [row[0] for row in touched if row[0] is not None]
    return _checked_label(label.strip() or f"{{{', '.join(values)}}}")


def _checked_label(label: str) -> str:
    plain = " ".join(label.split())
    if not plain or len(plain) > _LONGEST_LABEL or not plain.isprintable():
        raise InputError(f"A node needs a name of 1 to {_LONGEST_LABEL} letters. Write one.")
    return plain


def table_as_text(tree: Hierarchy) -> str:
    """Return a hierarchy as lines: a value and its ancestors, parted by semicolons."""
    return "\n".join(";".join(_quoted(cell) for cell in row) for row in tree.to_dict()["rows"])


def _quoted(cell: str | None) -> str:
    text = cell or ""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[;"\n\r\t]|^\s|\s$', text) else text


def tree_from_text(tree: Hierarchy, text: str) -> Hierarchy:
    """Return the hierarchy that lines spell out; it must know every value that the old one knew."""
    made = csv_hierarchy(Path(tree.name), name=tree.name, text=text)
    made.encode(tree.values)
    return made


# Numbers -----------------------------------------------------------------------------------------


def _amounts(tree: Hierarchy, counts: Sequence[int]) -> list[tuple[float, int, int]]:
    """Return the values that are numbers, rising: with their records, and their node at level 1."""
    nodes = tree.level_codes(1)
    found = []
    for at, value in enumerate(tree.values):
        number = as_number(value)
        if number is not None:
            found.append((float(number), int(counts[at]), int(nodes[at])))
    return sorted(found)


def histogram(tree: Hierarchy, counts: Sequence[int]) -> dict[str, Any] | None:
    """Return the bars of a variable of numbers and where its first level is cut; None of others."""
    amounts = _amounts(tree, counts)
    if len(amounts) < 3 or len(amounts) < len(tree.values) / 2:
        return None
    low, high = amounts[0][0], amounts[-1][0]
    numbers = [a for a, _, _ in amounts]
    if all(one.is_integer() for one in numbers):
        # bars of equally many whole numbers each, so that none is higher by its width alone
        width = math.ceil((high - low + 1) / _BARS)
        bars = math.ceil((high - low + 1) / width)
        low, high = low - 0.5, low - 0.5 + bars * width
    else:
        bars = min(_BARS, len(amounts))
    heights, _ = np.histogram(
        numbers, bins=bars, range=(low, high), weights=[n for _, n, _ in amounts]
    )
    highest = max(1.0, float(heights.max()))
    cuts = [(a + b) / 2 for (a, _, i), (b, _, j) in pairwise(amounts) if i != j]
    return {
        "low": numbers[0],
        "high": numbers[-1],
        "bars": [(at / bars, 1 / bars, float(h) / highest) for at, h in enumerate(heights)],
        "cuts": [(cut - low) / (high - low) for cut in cuts] if len(cuts) <= _BARS else [],
    }


def cuts_by_counts(tree: Hierarchy, counts: Sequence[int], intervals: int) -> list[list[float]]:
    """Return cuts that give intervals of about equally many records, and half as many above.

    >>> tree = table_hierarchy([(str(n), "*") for n in range(8)], name="n")
    >>> cuts_by_counts(tree, [1] * 8, 4)
    [[2, 4, 6], [4]]
    """
    amounts = _amounts(tree, counts)
    if not 2 <= intervals <= 100 or len(amounts) < intervals:
        raise InputError(
            "The number of intervals must be from 2 to 100, and not above the number of values. "
            f"Got {intervals}."
        )
    running = np.cumsum([n for _, n, _ in amounts])
    total, first = int(running[-1]), []
    for part in range(1, intervals):
        at = int(np.searchsorted(running, total * part / intervals, side="left")) + 1
        if at < len(amounts) and amounts[at][0] not in first:
            first.append(amounts[at][0])
    if not first:
        raise InputError("One value holds nearly all records: there is nothing to cut.")
    cuts, here = [], [int(one) if one.is_integer() else one for one in first]
    while here:
        cuts.append(here)
        here = here[1::2]
    return cuts


# What it does ------------------------------------------------------------------------------------


def out_by_level(desk: Desk, name: str, k: int) -> list[int]:
    """Return how many stand out with a variable at each of its levels, the others as they are."""
    now = levels_now(desk)
    key = key_of(desk.key_for("count"), name, k, now)
    known = desk.store.read("levels", key)
    if known is None:
        table = desk.rollup
        levels = [
            min(now.get(one, 0), len(climb) - 1)
            for one, climb in zip(table.names, table.climbs, strict=True)
        ]
        known = {"out": [int(out[k]) for out in roll_up_levels(table, name, levels)]}
        desk.store.keep("levels", key, known)
    return list(known["out"])


# Files -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fitting:
    """Whether a file has a hierarchy of a variable: the tree, or why not."""

    name: str
    tree: Hierarchy | None
    why: str = ""


def fitting_trees(
    place: Path, known: Mapping[str, Sequence[str]], special: Mapping[str, Sequence[object]]
) -> Iterator[Fitting]:
    """Give for each variable what a file says of it, by the values that it knows."""
    for name, values in known.items():
        try:
            tree = file_hierarchy(place, values, name=name, special=special.get(name, ()))
            tree.encode(values)
            yield Fitting(name, tree)
        except InputError as error:
            yield Fitting(name, None, str(error))


def change_trees(
    desk: Desk, version: str, trees: Mapping[str, Hierarchy], what: tuple[str, ...]
) -> None:
    """Keep hierarchies in files of the project and name them there; count nothing anew.

    No value changes by it, so that what was counted holds: the nodes above are others.
    """
    desk.check_version(version)
    counted = desk.result("count")
    assert counted is not None, "it was not counted"
    before_key, made = desk.key_for("count"), []
    changes: dict[tuple[str, ...], Any] = {}
    kept: dict[str, Hierarchy] = {}
    now = levels_now(desk)
    was = {n: out_by_level(desk, n, promised_k(desk)) for n in trees if n in desk.rollup.names}
    try:
        for name, tree in trees.items():
            place, is_new = _keep_tree(desk, tree)
            if is_new:
                made.append(place)
            kept[name] = csv_hierarchy(place, name=name)
            if kept[name].to_dict()["rows"] != tree.to_dict()["rows"]:
                raise InputError(
                    f"The labels of '{name}' cannot be written to a file as they are. Use plainer "
                    "ones, without line breaks and spaces at the ends."
                )
            changes["variables", name, "hierarchy"] = place.relative_to(desk.folder).as_posix()
            if now.get(name):
                section = section_of_level(name)
                changes[*section, "level"] = min(now[name], kept[name].height)
                changes[*section, "hierarchy"] = {
                    part: value for part, value in kept[name].to_dict().items() if value is not None
                }
        desk.change(version, changes, what)
    except BaseException:
        for place in made:
            place.unlink(missing_ok=True)
        raise
    if counted["trees"]:
        _carry_over(desk, before_key, counted, kept)
    for name, numbers in was.items():
        desk.store.keep("edit", f"{desk.key_for('count')}-{desk.rollup.names.index(name)}",
                        {"was": numbers})  # fmt: skip


def promised_k(desk: Desk) -> int:
    """Return the class size that the project promises, as far as it is counted at once."""
    release = desk.content.get("release", {})
    return int(min(release.get("k") or release.get("at_most", 4) + 1, 100))


def _keep_tree(desk: Desk, tree: Hierarchy) -> tuple[Path, bool]:
    """Write a hierarchy to a file that nothing stands in yet, unless one says the same already."""
    folder = desk.folder / FOLDER
    taken = desk.content.get("release", {}).get("hierarchies")
    if taken is not None and os.path.realpath(desk.folder / taken) == os.path.realpath(folder):
        # files in that folder may be taken for other variables by what is in them
        folder = desk.folder / f"{FOLDER}-edited"
    if os.path.islink(folder) or (os.path.lexists(folder) and not os.path.isdir(folder)):
        raise InputError(f"{folder.name} is a link or a file. The workbench keeps nothing outside.")
    os.makedirs(folder, exist_ok=True)
    stem = re.sub(r"[^\w-]", "_", tree.name)[:80] or "variable"
    for number in count(1):
        place = folder / (f"{stem}.csv" if number == 1 else f"{stem}-{number}.csv")
        if not os.path.lexists(place):
            write_csv(tree, place)
            return place, True
        if not os.path.islink(place) and _says_the_same(place, tree):
            return place, False
    raise AssertionError("numbers have no end")


def _says_the_same(place: Path, tree: Hierarchy) -> bool:
    try:
        return bool(
            csv_hierarchy(place, name=tree.name).to_dict()["rows"] == tree.to_dict()["rows"]
        )
    except InputError:
        return False


def _carry_over(
    desk: Desk, before: str, counted: Mapping[str, Any], trees: Mapping[str, Hierarchy]
) -> None:
    """Keep what was counted under the new state's hash, with other nodes above the values."""
    after = desk.key_for("count")
    arrays = dict(desk.store.read_arrays("count", before))
    content = {**counted, **{n: dict(counted[n]) for n in ("trees", "hierarchy_notes")}}
    content |= {"labels": list(counted["labels"]), "level_words": list(counted["level_words"])}
    for name, tree in trees.items():
        j = counted["key"].index(name)
        old = Hierarchy.from_dict(counted["trees"][name])
        number: dict[str | None, int] = {}
        for level in tree.levels:
            for label in tree.level_labels(level):
                number.setdefault(label, len(number))
        codes = tree.encode([*old.values, None])
        arrays[f"climb{j}"] = np.stack(
            [
                np.array([number[x] for x in tree.level_labels(level)], dtype=np.int32)[
                    tree.level_codes(level)[codes]
                ]
                for level in tree.levels
            ]
        )
        content["labels"][j] = list(number)
        content["level_words"][j] = [tree.level_words(level) or "" for level in tree.levels]
        content["trees"][name] = tree.to_dict()
        content["hierarchy_notes"].pop(name, None)
    with (
        written_whole(desk.store.place("count", after, ".npz"), private=True, own=True) as aside,
        aside.open("wb") as to,
    ):
        np.savez(to, **arrays)
    desk.store.keep("count", after, content)
