"""The records that a question is about: a table, and the SELECTs written around it, in one.

A SELECT that picks and computes record by record (in WITH, or in FROM) is taken apart: each of
its columns is an expression over the released columns, its conditions are further conditions. So
whatever the question calls a record is a record of the release, and can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from indistinct.errors import InputError, did_you_mean
from indistinct.query.expressions import Tree, Writer, has_aggregate

__all__ = ["Rows", "expand", "rows_of"]

TABLES = ("data", "release")
"""What the released records may be called."""

_FROM = {
    "JOIN": "Joins are not answered: a row would no longer be a record. Ask about each by itself.",
    "TABLE_FUNCTION": "A question is about the table 'data' alone; functions that give a table, "
    "or read a file, are not answered.",
    "EXPRESSION_LIST": "VALUES is not answered. Ask about the table 'data'.",
    "EMPTY": "A question is about the table 'data'. Ask as in \"select count(*) from data\".",
    "SHOW_REF": 'SHOW, DESCRIBE and SUMMARIZE are not answered. "select * from data limit 1" '
    "shows the columns.",
    "PIVOT": "PIVOT is not answered. Ask with GROUP BY.",
}


@dataclass(frozen=True)
class Rows:
    """Records as a SELECT sees them.

    Parameters
    ----------
    columns
        By name, in order: the text over the released columns that each stands for.
    where
        The conditions that the records meet.
    names
        What the records may be called before a dot.
    """

    columns: Mapping[str, str]
    where: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    _lowered: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the columns findable whatever their capitals, as SQL has it."""
        lowered = {name.lower(): text for name, text in self.columns.items()}
        object.__setattr__(self, "_lowered", lowered)

    def find(self, parts: list[str]) -> str | None:
        """Return what a column's name stands for, or None where there is no such column."""
        *before, name = parts
        if before and (len(before) > 1 or before[0].lower() not in self.names):
            return None
        return self._lowered.get(name.lower())

    def column(self, parts: list[str]) -> str:
        """Return what a column's name stands for; refuse a name that is none."""
        found = self.find(parts)
        if found is None:
            name = ".".join(parts)
            raise InputError(
                f"There is no column '{name}'. {did_you_mean(parts[-1], self.columns)}"
            )
        return found


def rows_of(tree: Tree, outer: Mapping[str, Rows], released: Rows) -> Rows:
    """Return the records of a SELECT's FROM, with the conditions of its WHERE.

    Parameters
    ----------
    tree
        The SELECT.
    outer
        The SELECTs that have names already, from WITH.
    released
        The table.
    """
    _check_plain(tree)
    named = dict(outer)
    for entry in tree["cte_map"]["map"]:
        if entry["value"]["aliases"] or entry["value"].get("key_targets"):
            raise InputError("Name the columns of a WITH by AS inside it, not in brackets.")
        named[entry["key"].lower()] = _inner(entry["value"]["query_node"], named, released)
    source = _from(tree["from_table"], named, released)
    if tree["where_clause"] is None:
        return source
    condition = Writer(_aliased(tree, source)).write(tree["where_clause"])
    return Rows(source.columns, (*source.where, condition), source.names)


def _check_plain(tree: Tree) -> None:
    if tree["type"] == "RECURSIVE_CTE_NODE":
        raise InputError("WITH RECURSIVE is not answered.")
    if tree["type"] != "SELECT_NODE":
        raise InputError("UNION, INTERSECT and EXCEPT are not answered. Ask in two questions.")
    if tree["sample"] is not None:
        raise InputError("Samples are not answered: each would be another. Leave SAMPLE out.")
    if tree["qualify"] is not None:
        raise InputError("QUALIFY is not answered. Ask with GROUP BY and HAVING.")


def _from(tree: Tree, named: Mapping[str, Rows], released: Rows) -> Rows:
    kind = tree["type"]
    if tree.get("sample") is not None:
        raise InputError("Samples are not answered: each would be another. Leave SAMPLE out.")
    if tree.get("column_name_alias"):
        raise InputError("Name the columns by AS inside the SELECT, not in brackets after it.")
    if kind == "SUBQUERY":
        found = _inner(tree["subquery"]["node"], named, released)
        return Rows(found.columns, found.where, (tree["alias"].lower(),))
    if kind != "BASE_TABLE":
        raise InputError(_FROM.get(kind, "A question is about the table 'data' alone."))
    name = str(tree["table_name"])
    plain = not (tree["schema_name"] or tree["catalog_name"] or tree["at_clause"])
    if plain and name.lower() in named:
        found = named[name.lower()]
    elif plain and name.lower() in TABLES:
        found = released
    else:
        raise InputError(
            f"There is no table '{name}'. A question is about the released records, which are "
            "called 'data'."
        )
    return Rows(found.columns, found.where, ((tree["alias"] or name).lower(),))


def _inner(tree: Tree, named: Mapping[str, Rows], released: Rows) -> Rows:
    """Take apart a SELECT that another one reads."""
    _check_plain(tree)
    grouped = tree["group_expressions"] or tree["group_sets"] or tree["having"]
    forced = tree["aggregate_handling"] != "STANDARD_HANDLING"
    if grouped or forced or tree["modifiers"] or has_aggregate(tree["select_list"]):
        raise InputError(
            "An inner SELECT may pick and compute record by record. Aggregates, GROUP BY, "
            "DISTINCT, ORDER BY and LIMIT belong to the outermost SELECT, or to a question of "
            "their own."
        )
    source = rows_of(tree, named, released)
    writer = Writer(_aliased(tree, source))
    columns: dict[str, str] = {}
    for name, part in expand(tree["select_list"], source):
        if name.lower() in (known.lower() for known in columns):
            raise InputError(f"An inner SELECT has two columns '{name}'. Rename one by AS.")
        columns[name] = part if isinstance(part, str) else writer.write(part)
    return Rows(columns, source.where)


def expand(select_list: list[Tree], source: Rows) -> list[tuple[str, Tree | str]]:
    """Return what is selected, each with its name; '*' becomes the columns it stands for."""
    found: list[tuple[str, Tree | str]] = []
    for tree in select_list:
        if tree["class"] != "STAR":
            found.append((_name(tree, source), tree))
            continue
        told = tree["relation_name"].lower()
        changes = ("columns", "replace_list", "rename_list", "expr", "qualified_exclude_list")
        if any(tree[change] for change in changes):
            raise InputError("COLUMNS, REPLACE and RENAME are not answered. Name the columns.")
        if told and told not in source.names:
            raise InputError(f"There is no table '{tree['relation_name']}' to list.")
        hidden = {str(name).lower() for name in tree["exclude_list"]}
        for name in hidden:
            source.column([name])
        found += [(n, text) for n, text in source.columns.items() if n.lower() not in hidden]
    return found


def _name(tree: Tree, source: Rows) -> str:
    if tree["alias"]:
        return str(tree["alias"])
    if tree["class"] == "COLUMN_REF":
        last = str(tree["column_names"][-1])
        return next((name for name in source.columns if name.lower() == last.lower()), last)
    return ""


def _aliased(tree: Tree, source: Rows) -> Callable[[list[str]], str]:
    """Look a name up among the columns first, then among the names given in the same SELECT."""
    given = {part["alias"].lower(): part for part in tree["select_list"] if part["alias"]}
    looking: list[str] = []

    def column(parts: list[str]) -> str:
        found = source.find(parts)
        name = parts[-1].lower()
        if found is not None or len(parts) > 1 or name not in given or name in looking:
            return source.column(parts)
        looking.append(name)
        try:
            return Writer(column).write(given[name])
        finally:
            looking.pop()

    return column
