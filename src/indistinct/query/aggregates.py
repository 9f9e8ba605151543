"""Aggregates, and the records that each of them rests on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from indistinct.errors import InputError
from indistinct.query.expressions import Tree, arguments
from indistinct.query.functions import ADDITIVE, COUNTING, LISTING, MOMENTS, TYPES

__all__ = ["Aggregates", "Support"]

_PLAIN = re.compile(r"c[0-9]+")
_PLAIN_CAST = re.compile(r"TRY_CAST\((c[0-9]+) AS ([A-Z]+)(\([0-9, ]+\))?\)")
_VALUE = re.compile(r"NULL|TRUE|FALSE|-?[0-9.]+([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Support:
    """The records that one aggregate rests on, in each row.

    Parameters
    ----------
    space
        What kind of thing is told: ``""`` for a number of records, else a quantity; quantities of
        the same space can be added and subtracted.
    condition
        Which of the row's records it rests on, over the innermost SELECT.
    cell
        The cells whose values matter, or ``""``.
    additive
        Whether records in which the cell is zero add nothing.
    moments
        How many facts are told about the cells' distribution. With at most one value more than
        facts, the number of records with each value can be worked out: the sum of zeros and ones
        is a count.
    """

    space: str = ""
    condition: str = ""
    cell: str = ""
    additive: bool = False
    moments: int = 0


class Aggregates:
    """The aggregates of one question.

    Parameters
    ----------
    write
        Writes an expression over records.
    numeric
        The columns that hold numbers.

    Attributes
    ----------
    cells
        What the innermost SELECT must give for them: texts over the columns, and their names.
    called
        The aggregates over these, and their names.
    supports
        The sets of records that they rest on; the first is that of the row itself.
    shows_records
        Whether one of them shows values of single records.
    """

    def __init__(self, write: Callable[[Tree], str], numeric: Collection[str]) -> None:
        self._write = write
        self._numeric = numeric
        self.cells: dict[str, str] = {}
        self.called: dict[str, str] = {}
        self.supports: dict[Support, None] = {Support(): None}
        self.shows_records = False

    def add(self, name: str, tree: Tree) -> str:
        """Add an aggregate with the records that it rests on, and return its name."""
        if name in LISTING:
            self.shows_records = True
        condition = self._cell(self._write(tree["filter"])) if tree["filter"] else ""
        parts = arguments(tree)
        orders = tree["order_bys"]["orders"]
        if orders:
            if not name.startswith("quantile") or len(orders) != 1 or len(parts) != 1:
                raise InputError(f"ORDER BY inside '{name}' is not answered. Leave it out.")
            if "DESC" in orders[0]["type"]:
                raise InputError("Quantiles are counted upwards. Leave DESC out.")
            parts = [orders[0]["expression"], *parts]
        if name == "count" and not parts:
            name = "count_star"
        _check_number(name, len(parts))
        texts = [self._write(part) for part in parts]
        if name not in COUNTING:
            _check_plain(name, texts)
        cells = [text if _is_constant(text) else self._cell(text) for text in texts]
        pairs = zip(texts, cells, strict=True)
        self._rest(name, condition, [(text, cell) for text, cell in pairs if text != cell])
        inside = "*" if name == "count_star" else ", ".join(cells)
        call = "count" if name == "count_star" else name
        text = f"{call}({'DISTINCT ' if tree['distinct'] else ''}{inside})"
        if condition:
            text += f" FILTER (WHERE {condition})"
        return self.called.setdefault(text, f"g{len(self.called)}")

    def _cell(self, text: str) -> str:
        """Add a column to the innermost SELECT, and return its name."""
        return self.cells.setdefault(text, f"a{len(self.cells)}")

    def _rest(self, name: str, condition: str, moving: Sequence[tuple[str, str]]) -> None:
        """Add the sets of records that an aggregate rests on: those that have its cells."""
        present = [condition] if condition else []
        if name in ("count_if", "countif"):
            present += [cell for _, cell in moving]
        else:
            present += [f"{cell} IS NOT NULL" for _, cell in moving]
        where = " AND ".join(present)
        if name in COUNTING or name == "regr_count":
            self.supports[Support("", where)] = None
            return
        additive = name in ADDITIVE and all(self._is_number(text) for text, _ in moving)
        kind = "sum" if additive else "other"
        space = f"{kind} {' '.join(text for text, _ in moving)}"
        moments = 0 if name in LISTING else MOMENTS.get(name, 1)
        for _, cell in moving:
            valued = cell if additive or moments else ""
            self.supports[Support(space, where, valued, additive, moments)] = None

    def _is_number(self, text: str) -> bool:
        cast = _PLAIN_CAST.fullmatch(text)
        return text in self._numeric or bool(cast and TYPES[cast[2]])


def _is_constant(text: str) -> bool:
    """Say whether a text is a value; whatever is made of parts stands in brackets."""
    return text.startswith("'") or bool(_VALUE.fullmatch(text))


def _check_number(name: str, given: int) -> None:
    """Refuse arguments beyond the usual: max(x, 100) is a list of values."""
    pairs = ("quantile", "corr", "covar", "regr")
    needed = 0 if name == "count_star" else 2 if name.startswith(pairs) else 1
    if name not in LISTING and given != needed:
        raise InputError(
            f"'{name}' takes {needed} argument{'s' * (needed != 1)} here. Got {given}."
        )


def _check_plain(name: str, texts: Sequence[str]) -> None:
    for text in texts:
        if not (_PLAIN.fullmatch(text) or _PLAIN_CAST.fullmatch(text) or _is_constant(text)):
            raise InputError(
                f"'{name}' is worked out of a column as it stands, or try_cast(column AS double), "
                "not of an expression: with one, a sum can be made to show a single record. Count "
                "by a condition with count(*) FILTER (WHERE …)."
            )
