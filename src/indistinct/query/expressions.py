"""Writing an expression anew from DuckDB's syntax tree: what cannot be written is not run.

The text that reaches the database is made here, from a list of what is known, with names of our
own for the columns. So a question has no way to say anything else. Every cast is one that gives a
missing value where it fails: a question that fails for some values would tell that they occur.
Compound parts stand in brackets, so that two expressions are the same if their texts are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from indistinct.errors import InputError, did_you_mean
from indistinct.query.functions import (
    AGGREGATES,
    COMPARISONS,
    LISTING,
    OPERATORS,
    SCALARS,
    TYPES,
)

__all__ = ["Tree", "Writer", "arguments", "has_aggregate", "walk"]

Tree = Mapping[str, Any]
"""A node of the syntax tree."""

LONGEST = 50_000
"""Characters that a question may grow to when names are replaced by what they stand for."""

_NUMBER = re.compile(r"-?[0-9][0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?|-?\.[0-9]+([eE][+-]?[0-9]+)?")
_SENTENCES = {
    "SUBQUERY": "A SELECT inside an expression is not answered. Ask for its value first, and "
    "write the value into the question.",
    "WINDOW": "Window functions (OVER) are not answered: they show for single records what rests "
    "on others. Ask with GROUP BY.",
    "STAR": "'*' may stand as count(*), or alone in the list of a SELECT. Name the columns.",
    "PARAMETER": "A question has no parameters ('?', '$1'). Write the value into it.",
    "POSITIONAL_REFERENCE": "Columns are named, not numbered ('#1').",
    "LAMBDA": "Functions of functions ('->') are not answered.",
    "COLLATE": "COLLATE is not answered. Use lower(name) to compare without capitals.",
}


class Writer:
    """Writes expressions over the records.

    Parameters
    ----------
    column
        From the parts of a column's name to the text it stands for.
    """

    def __init__(self, column: Callable[[list[str]], str]) -> None:
        self._column = column
        self._by_class: Mapping[str, Callable[[Tree], str]] = {
            "CONSTANT": _constant,
            "COLUMN_REF": lambda tree: self._column(list(tree["column_names"])),
            "COMPARISON": self._comparison,
            "CONJUNCTION": self._conjunction,
            "BETWEEN": self._between,
            "CASE": self._case,
            "CAST": self._cast,
            "OPERATOR": self._operator,
            "FUNCTION": self.function,
        }

    def write(self, tree: Tree) -> str:
        """Write an expression, or refuse it."""
        kind = tree["class"]
        if kind not in self._by_class:
            said = _SENTENCES.get(kind, f"'{kind.lower()}' is not known in a question.")
            raise InputError(said)
        text = self._by_class[kind](tree)
        if len(text) > LONGEST:
            raise InputError("The question is too long when it is written out. Ask in parts.")
        return text

    def function(self, tree: Tree) -> str:
        """Write a function of one record's cells."""
        name = _function_name(tree)
        if name in AGGREGATES | LISTING:
            raise InputError(
                f"'{name}' cannot stand here: WHERE, GROUP BY, the inside of an aggregate and an "
                "inner SELECT are about single records. Use HAVING, or ask in two questions."
            )
        return self._scalar(name, tree)

    def _scalar(self, name: str, tree: Tree) -> str:
        if tree["distinct"] or tree["filter"] or tree["order_bys"]["orders"]:
            raise InputError(f"DISTINCT, FILTER and ORDER BY are for aggregates, not for '{name}'.")
        parts = [self.write(part) for part in arguments(tree)]
        if name in OPERATORS:
            return f"({name} {parts[0]})" if len(parts) == 1 else f"({f' {name} '.join(parts)})"
        if name not in SCALARS:
            known = sorted(SCALARS | AGGREGATES - {"count_star"})
            raise InputError(f"There is no function '{name}' here. {_near(name, known)}")
        return f"{name}({', '.join(parts)})"

    def _comparison(self, tree: Tree) -> str:
        sign = COMPARISONS.get(tree["type"])
        if sign is None:
            raise InputError("This comparison is not known in a question.")
        return f"({self.write(tree['left'])} {sign} {self.write(tree['right'])})"

    def _conjunction(self, tree: Tree) -> str:
        word = {"CONJUNCTION_AND": " AND ", "CONJUNCTION_OR": " OR "}[tree["type"]]
        return f"({word.join(self.write(part) for part in tree['children'])})"

    def _between(self, tree: Tree) -> str:
        low, high = self.write(tree["lower"]), self.write(tree["upper"])
        return f"({self.write(tree['input'])} BETWEEN {low} AND {high})"

    def _case(self, tree: Tree) -> str:
        cases = " ".join(
            f"WHEN {self.write(check['when_expr'])} THEN {self.write(check['then_expr'])}"
            for check in tree["case_checks"]
        )
        return f"(CASE {cases} ELSE {self.write(tree['else_expr'])} END)"

    def _cast(self, tree: Tree) -> str:
        return f"TRY_CAST({self.write(tree['child'])} AS {_type(tree['type_expr'])})"

    def _operator(self, tree: Tree) -> str:
        kind = tree["type"]
        parts = [self.write(part) for part in tree["children"]]
        match kind:
            case "OPERATOR_NOT":
                return f"(NOT {parts[0]})"
            case "OPERATOR_IS_NULL":
                return f"({parts[0]} IS NULL)"
            case "OPERATOR_IS_NOT_NULL":
                return f"({parts[0]} IS NOT NULL)"
            case "OPERATOR_COALESCE":
                return f"COALESCE({', '.join(parts)})"
            case "COMPARE_IN":
                return f"({parts[0]} IN ({', '.join(parts[1:])}))"
            case "COMPARE_NOT_IN":
                return f"({parts[0]} NOT IN ({', '.join(parts[1:])}))"
            case "OPERATOR_TRY":
                return parts[0]
        raise InputError("Lists, structures and GROUPING are not known in a question.")


def arguments(tree: Tree) -> list[Tree]:
    """Return the arguments of a function, none of which may be given by name."""
    found = []
    for argument in tree["arguments"]:
        if argument["name"]:
            raise InputError("Arguments of functions are given by place, not by name.")
        found.append(argument["expression"])
    return found


def has_aggregate(tree: Any) -> bool:
    """Say whether an expression holds an aggregate."""
    return any(
        node.get("class") == "FUNCTION"
        and str(node["function_name"]).lower() in AGGREGATES | LISTING
        for node in walk(tree)
    )


def walk(tree: Any) -> Iterator[Tree]:
    """Go over all nodes of a tree."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _function_name(tree: Tree) -> str:
    name = str(tree["function_name"]).lower()
    if tree["schema"] or tree["catalog"] or tree["export_state"]:
        raise InputError(f"Functions are named without a schema. Got one before '{name}'.")
    return name


def _constant(tree: Tree) -> str:
    literal = tree.get("literal") or {}
    kind, text = literal.get("kind"), str(literal.get("text", ""))
    if kind in ("INTEGER", "NUMERIC") and _NUMBER.fullmatch(text):
        return text.replace("_", "")
    if kind == "STRING" and "\0" not in text:
        return "'" + text.replace("'", "''") + "'"
    if kind == "BOOLEAN" and text.lower() in ("true", "false"):
        return text.upper()
    if kind == "NULL_LITERAL":
        return "NULL"
    raise InputError("A value in a question is a number, a text in quotes, true, false or null.")


def _type(tree: Tree) -> str:
    name = str(tree["type_name"]).upper()
    sizes = [_constant(child) if child["class"] == "CONSTANT" else "" for child in tree["children"]]
    plain = all(re.fullmatch(r"[0-9]{1,3}", size) for size in sizes)
    if tree.get("schema") or tree.get("catalog") or name not in TYPES or not plain:
        raise InputError(f"A value cannot be turned into '{name}' here. {_near(name, TYPES)}")
    return f"{name}({', '.join(sizes)})" if sizes else name


def _near(name: str, known: Any) -> str:
    """Hint at the nearest name; the whole list would be too long to read."""
    hint = did_you_mean(name, known)
    return hint if hint.startswith("Did") else "Known are arithmetic, text, dates and aggregates."
