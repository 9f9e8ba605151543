"""Dirty copies of clean records, for tests of linkage: typing errors, misread characters,
nicknames, swapped days and months, missing cells, people who moved."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MISREAD = {"l": "1", "o": "0", "s": "5", "m": "rn", "w": "vv", "e": "c", "h": "b", "i": "l"}
NICKNAMES = {
    "William": "Bill", "Robert": "Bob", "Elizabeth": "Betty", "Margaret": "Peggy",
    "Christine": "Chris", "Michael": "Mike", "Richard": "Dick", "James": "Jim",
    "Katherine": "Kate", "Thomas": "Tom", "Joseph": "Joe", "Daniel": "Dan", "Samuel": "Sam",
}  # fmt: skip


def mistyped(word: str, rng: np.random.Generator) -> str:
    """Insert, delete, replace or transpose a character, or misread one as a scanner does."""
    if not word:
        return word
    at, letter = int(rng.integers(len(word))), LETTERS[int(rng.integers(26))]
    match int(rng.integers(5)):
        case 0:
            return word[:at] + letter + word[at:]
        case 1 if len(word) > 1:
            return word[:at] + word[at + 1 :]
        case 2:
            return word[:at] + letter + word[at + 1 :]
        case 3 if at + 1 < len(word):
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            for offset in range(len(word)):
                i = (at + offset) % len(word)
                if word[i].lower() in MISREAD:
                    return word[:i] + MISREAD[word[i].lower()] + word[i + 1 :]
    return word + letter


def another_date(date: str, rng: np.random.Generator) -> str:
    """Swap day and month of an ISO date where that is a date, else change a digit."""
    year, month, day = date.split("-")
    if rng.random() < 0.4 and int(day) <= 12:
        return f"{year}-{day}-{month}"
    at = int(rng.choice([2, 3, 6, 9]))
    return date[:at] + str(int(rng.integers(10))) + date[at + 1 :]


def dirty(
    table: pa.Table,
    rng: np.random.Generator,
    *,
    typos: float = 0.0,
    nicknames: float = 0.0,
    dates: float = 0.0,
    missing: float = 0.0,
    moved: float = 0.0,
    names: tuple[str, ...] = (),
    date: str = "",
    place: tuple[str, ...] = (),
) -> pa.Table:
    """Return a copy in which each cell errs with the given chance.

    People who moved (`moved`) take the `place` columns of another, random record.
    """
    n = len(table)
    columns: dict[str, list[object]] = {}
    movers = np.flatnonzero(rng.random(n) < moved)
    from_whom = rng.integers(0, max(1, n), len(movers))
    for name in table.column_names:
        cells = table.column(name).to_pylist()
        if name in place:
            taken = [cells[j] for j in from_whom]
            for i, cell in zip(movers.tolist(), taken, strict=True):
                cells[i] = cell
        if name in names:
            for i in np.flatnonzero(rng.random(n) < nicknames):
                cells[i] = NICKNAMES.get(cells[i], cells[i])
            for i in np.flatnonzero(rng.random(n) < typos):
                cells[i] = mistyped(cells[i], rng) if cells[i] is not None else None
        if name == date:
            for i in np.flatnonzero(rng.random(n) < dates):
                cells[i] = another_date(cells[i], rng)
        for i in np.flatnonzero(rng.random(n) < missing):
            cells[i] = None
        columns[name] = cells
    return pa.table(columns)
