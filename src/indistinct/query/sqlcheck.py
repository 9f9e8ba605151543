"""From a question in SQL to text that is safe to run, and that counts its own records.

A grouped question becomes three SELECTs, one around the other:

1. record by record: the record's number, the values it is grouped by, the cells that are
   aggregated, the conditions of FILTER;
2. grouped: the aggregates, and for each the numbers of the records it rests on;
3. the answer's own columns, HAVING as one column more, in the order asked for.

HAVING and LIMIT are not run: they are applied to the rows that are left when small ones have been
withheld. Otherwise "having count(*) = 1 limit 1" would tell whether there is such a row.

Expressions over records are wrapped in TRY: where a cell makes one fail it is missing, and the
question does not fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from indistinct.errors import InputError
from indistinct.query.aggregates import Aggregates, Support
from indistinct.query.expressions import Tree, Writer, has_aggregate, walk
from indistinct.query.functions import AGGREGATES, LISTING
from indistinct.query.rows import Rows, expand, rows_of

__all__ = ["MOST_GROUPS", "MOST_ROWS", "Question", "read_question"]

MOST_ROWS = 10_000
"""Rows that an answer shows at most."""

MOST_GROUPS = 50_000
"""Rows that a grouped question may have before small ones are withheld."""

_BARE = re.compile(r"[acgk][0-9]+|NULL|TRUE|FALSE|-?[0-9.]+")


@dataclass(frozen=True)
class Question:
    """A question that was read without a mistake.

    Parameters
    ----------
    sql
        What is run. A listing gives the answer's columns; a grouped question gives them, then
        `having`, then for each of the `supports` a column of record numbers and one of values.
    columns
        The names of the answer's columns.
    listing
        Whether each row is a record.
    supports
        For a grouped question, the sets of records behind each row: first those of the row, then
        those of each aggregate.
    offset, limit
        Which of the rows were asked for, of a grouped question.
    shows_records
        Whether an aggregate shows values of single records (list, string_agg, first).
    """

    sql: str
    columns: tuple[str, ...]
    listing: bool
    supports: tuple[Support, ...] = ()
    offset: int = 0
    limit: int | None = None
    shows_records: bool = False

    @property
    def untried(self) -> str:
        """The same about no record: TRY would turn the question's own mistakes into missing
        values. (That texts in quotes are changed as well does no harm.)"""
        return self.sql.replace("TRY(", "(").replace(" FROM records", " FROM blank")


def read_question(tree: Tree, sql: str, columns: Mapping[str, bool]) -> Question:
    """Read a syntax tree, and refuse what the counting of records cannot see through.

    Parameters
    ----------
    tree
        What `Sandbox.parse` gave for `sql`.
    columns
        The released columns in file order, and whether each holds numbers.
    """
    try:
        return _read(tree, sql, columns)
    except RecursionError:
        raise InputError("The question lies too deep in brackets. Ask in smaller parts.") from None


def _read(tree: Tree, sql: str, columns: Mapping[str, bool]) -> Question:
    released = Rows({name: f"c{i}" for i, name in enumerate(columns)}, names=("data",))
    source = rows_of(tree, {}, released)
    items = expand(tree["select_list"], source)
    if not items:
        raise InputError("The question selects nothing. Name a column, or count(*).")
    modifiers = _modifiers(tree)
    names = _names(items, sql)
    grouped = (
        tree["group_expressions"]
        or tree["group_sets"]
        or tree["having"]
        or tree["aggregate_handling"] != "STANDARD_HANDLING"
        or has_aggregate(tree["select_list"])
        or has_aggregate(modifiers.orders)
    )
    if modifiers.distinct and grouped:
        raise InputError("SELECT DISTINCT of aggregates is not answered. Leave DISTINCT out.")
    numeric = {f"c{i}" for i, is_number in enumerate(columns.values()) if is_number}
    reader = _Reader(source, items, numeric)
    if grouped or modifiers.distinct:
        return reader.grouped(tree, modifiers, names)
    return reader.listing(modifiers, names)


@dataclass(frozen=True)
class _Modifiers:
    distinct: bool = False
    orders: list[Tree] = field(default_factory=list)
    limit: int | None = None
    offset: int = 0


def _modifiers(tree: Tree) -> _Modifiers:
    distinct, orders, limit, offset = False, [], None, 0
    for modifier in tree["modifiers"]:
        match modifier["type"]:
            case "DISTINCT_MODIFIER":
                if modifier["distinct_on_targets"]:
                    raise InputError("DISTINCT ON is not answered. Ask with GROUP BY.")
                distinct = True
            case "ORDER_MODIFIER":
                orders = modifier["orders"]
            case "LIMIT_MODIFIER" if modifier["limit_type"] == "ROW_COUNT":
                limit = _whole(modifier["limit"])
                offset = _whole(modifier["offset"]) or 0
            case _:
                raise InputError("LIMIT takes a whole number of rows.")
    return _Modifiers(distinct, orders, limit, offset)


def _whole(tree: Tree | None) -> int | None:
    if tree is None:
        return None
    text = str((tree.get("literal") or {}).get("text", ""))
    if tree["class"] != "CONSTANT" or not re.fullmatch(r"[0-9]{1,15}", text):
        raise InputError("LIMIT and OFFSET take a whole number of rows.")
    return int(text)


def _names(items: Sequence[tuple[str, Tree | str]], sql: str) -> tuple[str, ...]:
    """Name the columns as they were named, or by the words of the question; none twice."""
    raw = sql.encode()
    named: list[str] = []
    for name, tree in items:
        if not name and not isinstance(tree, str):
            start = tree["query_location"]
            text = raw[start : start + tree["query_location_length"]].decode(errors="replace")
            name = " ".join(text.split())[:60] or "value"
        base, turn = name, 2
        while name in named:
            name, turn = f"{base}_{turn}", turn + 1
        named.append(name)
    return tuple(named)


class _Reader:
    """Holds what the parts of one SELECT share while it is written."""

    def __init__(
        self, source: Rows, items: Sequence[tuple[str, Tree | str]], numeric: set[str]
    ) -> None:
        self.source = source
        self.items = items
        self.given = {name.lower(): tree for name, tree in items if _is_alias(name, tree)}
        self.looking: list[str] = []
        self.rows = Writer(self._column)
        self.keys: dict[str, str] = {}
        self.aggregates = Aggregates(self.rows.write, numeric)
        self.over_groups = _GroupWriter(self)

    def alias(self, parts: list[str], *, over_columns: bool = False) -> Tree | None:
        """Return what a name given in the same SELECT stands for; columns come first, or not."""
        name = parts[-1].lower()
        if len(parts) > 1 or name in self.looking:
            return None
        if not over_columns and self.source.find(parts) is not None:
            return None
        tree = self.given.get(name)
        return None if isinstance(tree, str) else tree

    def following(self, parts: list[str], write: Callable[[Tree], str], tree: Tree) -> str:
        """Write what a name stands for; a name that stands for itself is found out."""
        self.looking.append(parts[-1].lower())
        try:
            return write(tree)
        finally:
            self.looking.pop()

    def _column(self, parts: list[str]) -> str:
        tree = self.alias(parts)
        if tree is None:
            return self.source.column(parts)
        return self.following(parts, self.rows.write, tree)

    def row_text(self, tree: Tree | str) -> str:
        """Write an expression over records."""
        return tree if isinstance(tree, str) else self.rows.write(tree)

    def listing(self, modifiers: _Modifiers, names: tuple[str, ...]) -> Question:
        """Write a question whose rows are records."""
        values = [f"{_try(self.row_text(tree))} AS v{i}" for i, (_, tree) in enumerate(self.items)]
        orders = [
            _direction(order, _try(self.row_text(self._ordered(order))))
            for order in modifiers.orders
        ]
        most = MOST_ROWS + 1 if modifiers.limit is None else min(modifiers.limit, MOST_ROWS + 1)
        sql = (
            f"SELECT {', '.join(values)} FROM records{self._where()} "
            f"ORDER BY {', '.join([*orders, 'record'])} LIMIT {most} OFFSET {modifiers.offset}"
        )
        return Question(sql, names, listing=True, limit=modifiers.limit, offset=modifiers.offset)

    def grouped(self, tree: Tree, modifiers: _Modifiers, names: tuple[str, ...]) -> Question:
        """Write a question whose rows are groups of records."""
        for text in self._groups(tree, distinct=modifiers.distinct):
            self.keys.setdefault(text, f"k{len(self.keys)}")
        values = [
            f"{_try(self._group_text(part))} AS v{i}" for i, (_, part) in enumerate(self.items)
        ]
        having = "TRUE"
        if tree["having"] is not None:
            having = f"COALESCE({_try(self.over_groups.write(tree['having']))}, FALSE)"
        orders = [
            _direction(order, _try(self._group_text(self._ordered(order))))
            for order in modifiers.orders
        ]
        keys = list(self.keys.values())
        inner = ["record", *(f"{_try(t)} AS {k}" for t, k in self.keys.items())]
        inner += [f"{_try(text)} AS {name}" for text, name in self.aggregates.cells.items()]
        middle = [*keys, *(f"{text} AS {name}" for text, name in self.aggregates.called.items())]
        sets = []
        for i, support in enumerate(self.aggregates.supports):
            only = f" FILTER (WHERE {support.condition})" if support.condition else ""
            middle += [f"list(record){only} AS s{i}"]
            middle += [f"list({support.cell}){only} AS x{i}" if support.cell else f"NULL AS x{i}"]
            sets += [f"s{i}", f"x{i}"]
        sql = (
            f"SELECT {', '.join([*values, f'{having} AS having', *sets])} FROM "
            f"(SELECT {', '.join(middle)} FROM "
            f"(SELECT {', '.join(inner)} FROM records{self._where()})"
            f"{' GROUP BY ' + ', '.join(keys) if keys else ''})"
            f"{' ORDER BY ' + ', '.join([*orders, *keys]) if orders or keys else ''} "
            f"LIMIT {MOST_GROUPS + 1}"
        )
        return Question(
            sql,
            names,
            listing=False,
            supports=tuple(self.aggregates.supports),
            offset=modifiers.offset,
            limit=modifiers.limit,
            shows_records=self.aggregates.shows_records,
        )

    def _where(self) -> str:
        conditions = " AND ".join(_try(text) for text in self.source.where)
        return f" WHERE {conditions}" if conditions else ""

    def _groups(self, tree: Tree, *, distinct: bool) -> list[str]:
        """Return what the records are grouped by."""
        if distinct:
            return [self.row_text(part) for _, part in self.items]
        if tree["aggregate_handling"] == "FORCE_AGGREGATES":
            parts = [part for _, part in self.items]
            return [self.row_text(p) for p in parts if isinstance(p, str) or not self._summary(p)]
        if len(tree["group_sets"]) > 1:
            raise InputError(
                "ROLLUP, CUBE and GROUPING SETS are not answered. Ask for each table by itself."
            )
        return [self.row_text(self._placed(part)) for part in tree["group_expressions"]]

    def _summary(self, tree: Tree) -> bool:
        """Say whether an expression holds an aggregate, by itself or by a name."""
        if has_aggregate(tree):
            return True
        for node in walk(tree):
            if node.get("class") == "COLUMN_REF":
                named = self.alias(list(node["column_names"]))
                if named is not None and named is not tree and self._summary(named):
                    return True
        return False

    def _placed(self, tree: Tree) -> Tree | str:
        """Return the column that a bare number in GROUP BY or ORDER BY counts to."""
        literal = tree.get("literal") or {}
        if tree["class"] != "CONSTANT" or literal.get("kind") != "INTEGER":
            return tree
        place = int(str(literal["text"]).replace("_", ""))
        if not 1 <= place <= len(self.items):
            raise InputError(
                f"GROUP BY and ORDER BY count to {len(self.items)} columns. Got {place}."
            )
        return self.items[place - 1][1]

    def _ordered(self, order: Tree) -> Tree | str:
        """Return what is ordered by: in ORDER BY a given name goes before a column's."""
        tree = order["expression"]
        if tree["class"] == "STAR":
            raise InputError("ORDER BY ALL is not answered. Name the columns.")
        if tree["class"] == "COLUMN_REF" and len(tree["column_names"]) == 1:
            return self.given.get(tree["column_names"][0].lower()) or tree
        return self._placed(tree)

    def _group_text(self, tree: Tree | str) -> str:
        if not isinstance(tree, str):
            return self.over_groups.write(tree)
        if tree in self.keys:
            return self.keys[tree]
        raise InputError("'*' cannot stand beside aggregates. Name the columns of GROUP BY.")


class _GroupWriter(Writer):
    """Writes expressions over groups: what they are grouped by, aggregates, and what is made of
    these."""

    def __init__(self, reader: _Reader) -> None:
        super().__init__(self._grouped_column)
        self._reader = reader

    def write(self, tree: Tree) -> str:
        """Write an expression; what the records are grouped by is known as a whole."""
        if tree["class"] != "CONSTANT" and not self._reader._summary(tree):
            text = self._reader.rows.write(tree)
            if text in self._reader.keys:
                return self._reader.keys[text]
        return super().write(tree)

    def function(self, tree: Tree) -> str:
        """Write an aggregate, or a function of aggregates."""
        name = str(tree["function_name"]).lower()
        if name in AGGREGATES | LISTING:
            if tree["schema"] or tree["catalog"] or tree["export_state"]:
                raise InputError(f"Functions are named without a schema. Got one before '{name}'.")
            return self._reader.aggregates.add(name, tree)
        return super().function(tree)

    def _grouped_column(self, parts: list[str]) -> str:
        # a column by itself cannot stand here, so the name must be one that was given
        tree = self._reader.alias(parts, over_columns=True)
        if tree is not None:
            return self._reader.following(parts, self.write, tree)
        self._reader.source.column(parts)
        name = parts[-1]
        raise InputError(
            f"'{name}' must be in GROUP BY, or inside an aggregate such as count or avg: a row "
            "of the answer stands for several records."
        )


def _is_alias(name: str, tree: Tree | str) -> bool:
    return bool(name) and not isinstance(tree, str) and bool(tree["alias"])


def _try(text: str) -> str:
    return text if _BARE.fullmatch(text) else f"TRY({text})"


def _direction(order: Tree, text: str) -> str:
    down = " DESC" if str(order["type"]).startswith("DESC") else ""
    ends = {"NULLS FIRST": " NULLS FIRST", "NULLS LAST": " NULLS LAST"}
    # a bare number would be taken for a column's place
    return f"({text}){down}{ends.get(order['null_order'], '')}"
