"""External information: what an intruder may know, from one table or from several together.

E = T1 × … × Tn (Sweeney 2001, section 5, property 7). Tables are joined on the attributes they
share. Whoever stands in one table only stays, with nothing known of the attributes of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from indistinct.core import InputError
from indistinct.prove.ads0.entities import Row

__all__ = ["join_external", "ways_to_use"]

Table = tuple[Row, ...]

_MOST_TABLES = 6
"""An intruder may use any of the 2^n − 1 choices of n tables."""


def join_external(tables: Sequence[Table]) -> Table:
    """Join tables into one, on what they share, keeping those who stand in one only.

    >>> voters = ({"name": "Ann", "zip": "02139"}, {"name": "Al", "zip": "02138"})
    >>> births = ({"name": "Ann", "birth": "10/2/61"},)
    >>> for row in join_external([voters, births]):
    ...     print(row)
    {'name': 'Ann', 'zip': '02139', 'birth': '10/2/61'}
    {'name': 'Al', 'zip': '02138', 'birth': None}
    """
    filled = [number for number, table in enumerate(tables) if table]
    if not filled:
        return ()
    joined, left = tables[filled[0]], filled[1:]
    while left:
        number = next((n for n in left if joined[0].keys() & tables[n][0].keys()), None)
        if number is None:
            raise InputError(
                f"External table {left[0] + 1} shares no attribute with the others, so they cannot "
                "be joined. Add an attribute that names the people in both."
            )
        left.remove(number)
        joined = _join(joined, tables[number], number)
    return joined


def ways_to_use(tables: Sequence[Table]) -> list[tuple[tuple[int, ...], Table]]:
    """Return each table, and each number of tables that can be joined, joined.

    More knowledge never makes an intruder forget. Who stands in a newspaper alone is found in it,
    even if a voter list, joined to it, adds others of whom the newspaper says nothing.
    """
    if len(tables) > _MOST_TABLES:
        raise InputError(
            f"There may be at most {_MOST_TABLES} external tables. Got {len(tables)}: join some."
        )
    join_external(tables)
    ways = []
    for size in range(1, len(tables) + 1):
        for chosen in combinations(range(len(tables)), size):
            if _connected([tables[n] for n in chosen]):
                ways.append((chosen, join_external([tables[n] for n in chosen])))
    return ways


def _join(left: Table, right: Table, number: int) -> Table:
    shared = [name for name in left[0] if name in right[0]]
    partners = [[i for i, r in enumerate(right) if _same(row, r, shared)] for row in left]
    taken = [i for found in partners for i in found]
    if any(len(found) > 1 for found in partners) or len(taken) > len(set(taken)):
        raise InputError(
            f"External table {number + 1} shares {', '.join(shared)} with the others, which does "
            "not name people one to one. Add an attribute that does, or join the tables yourself."
        )
    of_left = dict.fromkeys(name for name in left[0] if name not in shared)
    of_right = dict.fromkeys(name for name in right[0] if name not in shared)
    both = [
        {**row, **(right[found[0]] if found else of_right)}
        for row, found in zip(left, partners, strict=True)
    ]
    alone = [{**of_left, **row} for i, row in enumerate(right) if i not in set(taken)]
    return (*both, *({name: row[name] for name in both[0]} for row in alone))


def _same(a: Row, b: Row, names: Sequence[str]) -> bool:
    return all(a[name] is not None and a[name] == b[name] for name in names)


def _connected(tables: Sequence[Table]) -> bool:
    reached, left = set(tables[0][0] if tables[0] else ()), list(tables[1:])
    while found := next((t for t in left if t and reached & t[0].keys()), None):
        left.remove(found)
        reached |= found[0].keys()
    return not left
