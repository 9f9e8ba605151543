"""Hierarchies from rows, with every check that makes a hierarchy trustworthy.

All builders end here. The checks are those of Sweeney (2001, section 4.2): each level is a
function of the level below, and there is a single maximal element. One more keeps a release
readable in which cells of one column stand at different levels: a label means the same
wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from indistinct.core import InputError
from indistinct.hierarchy.hierarchy import Hierarchy, IntArray
from indistinct.hierarchy.text import as_text

__all__ = ["Row", "build", "table_hierarchy"]

Row = tuple[str | None, ...]

_SHOWN_PROBLEMS = 10


def table_hierarchy(
    rows: Iterable[Sequence[object]], *, name: str = "", ordered: bool = False
) -> Hierarchy:
    """Return the hierarchy that a table spells out: each value with all its ancestors.

    >>> table_hierarchy([("Asian", "person"), ("Black", "person")], name="ethnicity")
    Hierarchy('ethnicity', 2 values, height 1)
    >>> table_hierarchy([("a", "x"), ("b", "y")])
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: The hierarchy: row 2 ends with 'y', but row 1 with 'x'. ...
    """
    texts = [tuple(as_text(cell) for cell in row) for row in rows]
    return build(texts, name=name, ordered=ordered)


def build(
    rows: Sequence[Row],
    *,
    name: str,
    ordered: bool = False,
    lines: Sequence[int] | None = None,
    origin: str | None = None,
) -> Hierarchy:
    """Return the hierarchy of some rows of canonical text, or say all that is wrong with them.

    `lines` and `origin`, the line of each row in a file and the name of that file, are for
    messages. A row without a value says what becomes of the missing one.
    """
    place = _Place(name=name, origin=origin, lines=lines)
    if not rows:
        raise place.error(["there are no rows. Give a row for each value, with its ancestors"])
    place.refuse(_ragged(rows, place))
    place.refuse(_too_short(rows) + _empty_labels(rows, place))
    kept, problems = _distinct(rows, place)
    place.refuse(problems + _roots(rows, kept, place))
    if rows[kept[-1]][0] is not None:
        missing: Row = (None,) * (len(rows[0]) - 1) + (rows[0][-1],)
        table = [rows[i] for i in kept] + [missing]
    else:
        table = [rows[i] for i in kept]
        if len(table) == 1:
            raise place.error(["there is no value, only a row for the missing one"])
    labels: list[Row] = []
    codes: list[IntArray] = []
    for column in zip(*table, strict=True):
        position: dict[str | None, int] = {}
        found = [position.setdefault(label, len(position)) for label in column]
        array = np.array(found, dtype=np.int32)
        array.setflags(write=False)
        labels.append(tuple(position))
        codes.append(array)
    place.refuse(_not_monotone(labels, codes, kept, place))
    place.refuse(_two_meanings(labels, codes, kept, place))
    return Hierarchy(name=name, labels=tuple(labels), codes=tuple(codes), ordered=ordered)


class _Place:
    """Says where a problem is, and raises what was found."""

    def __init__(self, *, name: str, origin: str | None, lines: Sequence[int] | None) -> None:
        self._what = origin or (f"The hierarchy of '{name}'" if name else "The hierarchy")
        self._lines = lines

    def of(self, row: int) -> str:
        return f"row {row + 1}" if self._lines is None else f"line {self._lines[row]}"

    def refuse(self, problems: list[str]) -> None:
        if problems:
            raise self.error(problems)

    def error(self, problems: list[str]) -> InputError:
        if len(problems) == 1:
            return InputError(f"{self._what}: {problems[0]}.")
        shown = [f"- {problem}." for problem in problems[:_SHOWN_PROBLEMS]]
        if len(problems) > _SHOWN_PROBLEMS:
            shown.append(f"- and {len(problems) - _SHOWN_PROBLEMS:,} more.")
        return InputError(f"{self._what} has {len(problems):,} problems:\n" + "\n".join(shown))


def _ragged(rows: Sequence[Row], place: _Place) -> list[str]:
    width = len(rows[0])
    return [
        f"{place.of(i)} has {len(row)} columns, but {place.of(0)} has {width}. "
        "Give every value an ancestor at every level"
        for i, row in enumerate(rows)
        if len(row) != width
    ]


def _too_short(rows: Sequence[Row]) -> list[str]:
    if len(rows[0]) > 1:
        return []
    return ["a row needs a value and at least one ancestor. Got one column"]


def _empty_labels(rows: Sequence[Row], place: _Place) -> list[str]:
    problems = []
    for i, row in enumerate(rows):
        if None not in row:
            continue
        # a missing value may stay missing for some levels, but not become missing again
        start = next((j for j, label in enumerate(row) if label is not None), len(row))
        if start == len(row):
            problems.append(f"{place.of(i)} is empty. Delete it, or give it a root")
        problems += [
            f"{place.of(i)} has no label at level {j}. Repeat the label of the level below"
            for j in range(start, len(row))
            if row[j] is None
        ]
    return problems


def _distinct(rows: Sequence[Row], place: _Place) -> tuple[list[int], list[str]]:
    """Return the first row of each value, that of the missing one last, and contradictions."""
    first: dict[str | None, int] = {}
    problems = []
    for i, row in enumerate(rows):
        before = first.setdefault(row[0], i)
        if before != i and rows[before] != row:
            value = "the missing value" if row[0] is None else f"'{row[0]}'"
            problems.append(
                f"{place.of(i)} gives {value} other ancestors than {place.of(before)}. "
                "Keep one of the two"
            )
    missing = first.pop(None, None)
    return [*first.values(), *([] if missing is None else [missing])], problems


def _roots(rows: Sequence[Row], kept: list[int], place: _Place) -> list[str]:
    root = rows[kept[0]][-1]
    other = next((i for i in kept if rows[i][-1] != root), None)
    if other is None:
        return []
    return [
        f"{place.of(other)} ends with '{rows[other][-1]}', but {place.of(kept[0])} with '{root}'. "
        "A hierarchy has one root: end every row with the same label, such as '*'"
    ]


def _not_monotone(
    labels: list[Row], codes: list[IntArray], kept: list[int], place: _Place
) -> list[str]:
    problems = []
    for level in range(1, len(codes) - 1):
        first = np.unique(codes[level], return_index=True)[1]
        parent = codes[level + 1][first]
        astray = np.flatnonzero(parent[codes[level]] != codes[level + 1])
        seen: set[int] = set()
        for row in astray.tolist():
            node = int(codes[level][row])
            if node in seen:
                continue
            seen.add(node)
            problems.append(
                f"{place.of(kept[row])} puts '{labels[level][node]}' (level {level}) under "
                f"'{labels[level + 1][codes[level + 1][row]]}', but {place.of(kept[first[node]])} "
                f"under '{labels[level + 1][parent[node]]}'. "
                "A label has one parent: make the rows agree"
            )
    return problems


def _two_meanings(
    labels: list[Row], codes: list[IntArray], kept: list[int], place: _Place
) -> list[str]:
    """Refuse a label that returns at a higher level without having been there all the way."""
    problems = []
    last: dict[str | None, tuple[int, int]] = {}
    for level, column in enumerate(labels):
        first = np.unique(codes[level], return_index=True)[1].tolist()
        for code, label in enumerate(column):
            before = last.get(label)
            last[label] = (level, first[code])
            if before is None or label is None:
                continue
            lower, row = before
            same = codes[level][row] == code
            if same and lower == level - 1:
                continue
            if same:
                problems.append(
                    f"{place.of(kept[row])} goes round in a circle: '{label}' stands at level "
                    f"{lower} and again at level {level}, with another label between"
                )
            else:
                problems.append(
                    f"'{label}' stands at level {lower} in {place.of(kept[row])} and at level "
                    f"{level} in {place.of(kept[first[code]])} for other values. "
                    "Rename one of them"
                )
    return problems
