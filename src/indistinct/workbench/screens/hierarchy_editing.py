"""One hierarchy: merged, split, renamed, moved by forms, built by a rule, or taken from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
from starlette.responses import Response

from indistinct.core import InputError, visible
from indistinct.hierarchy import STANDARDS, Hierarchy, as_number, as_text
from indistinct.project import Declared, changed_project, read_project
from indistinct.workbench.steps import levels_now, section_of_level
from indistinct.workbench.trees import (
    HIERARCHY_ENDINGS,
    change_trees,
    cuts_by_counts,
    edited,
    fitting_trees,
    histogram,
    out_by_level,
    promised_k,
    table_as_text,
    tree_from_text,
)
from indistinct.workbench.visiting import Visit, screen

answering = screen("hierarchies", place=30)

MOST_NODES = 400
"""Nodes of a level that are shown with their check boxes."""
MOST_LINES = 2_000
"""Values of a hierarchy that is shown as lines to write in."""
LONGEST = 500_000

BUILDERS: Mapping[str, tuple[str, ...]] = {
    "intervals": ("widths", "bottom", "top"),
    "codes": ("keep",),
    "dates": ("levels",),
    "order": ("values", "group"),
    "standard": ("standard",),
    "suppress": (),
}
"""Rules of the project file that a form asks for, and what each asks; files are brought along."""
_LISTS = ("widths", "keep", "levels", "values")


def _counted(visit: Visit) -> dict[str, Any]:
    counted = visit.desk.result("count") if visit.desk.project_name is not None else None
    if counted is None:
        raise InputError(visit.words("error.no_count"))
    return counted


def _position(visit: Visit, counted: Mapping[str, Any], given: Any) -> int:
    text = str(given)
    if not text.isdecimal() or len(text) > 5 or int(text) >= len(counted["key"]):
        raise InputError(visit.words("hierarchies.no_variable"))
    return int(text)


def _tree(visit: Visit, counted: Mapping[str, Any], name: str) -> Hierarchy:
    if name not in counted["trees"]:
        raise InputError(visit.words("hierarchies.no_tree"))
    return Hierarchy.from_dict(counted["trees"][name])


@answering("GET", "edit")
def show_hierarchy(visit: Visit) -> Response:
    """Show one hierarchy level by level, with what can be done to it."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    j = _position(visit, counted, visit.query.get("variable", ""))
    name = counted["key"][j]
    tree = _tree(visit, counted, name)
    level = _level(visit.query.get("level", "0"), tree)
    counts = _counts_of(visit, counted, j, tree)
    k = promised_k(desk)
    was = desk.store.read("edit", f"{desk.key_for('count')}-{j}")
    given = desk.content.get("variables", {}).get(name, {}).get("hierarchy")
    return visit.page(
        "hierarchy.html",
        at=j,
        name=name,
        label=counted["variables"][name]["label"],
        tree=tree,
        level=level,
        k=k,
        records=counted["records"],
        level_words=[tree.level_words(one) or "" for one in tree.levels],
        nodes=_nodes(tree, level, counts, counted["variables"][name]["labels"]),
        more=max(0, tree.node_count(level) - MOST_NODES),
        above=_labels_above(tree, level),
        out=out_by_level(desk, name, k),
        was=(was or {}).get("was", []),
        now=min(levels_now(desk).get(name, 0), tree.height),
        drawn=histogram(tree, counts) if _is_amount(visit, counted, name) else None,
        cuts=_cuts_said(given),
        given=_said(given),
        builders={
            kind: [one for one in asks if one != "standard"] for kind, asks in BUILDERS.items()
        },
        standards={word: one.title for word, one in STANDARDS.items()},
        lines=table_as_text(tree) if len(tree.values) <= MOST_LINES else None,
        command=visit.command("run"),
    )


def _is_amount(visit: Visit, counted: Mapping[str, Any], name: str) -> bool:
    """Say whether numbers of a variable may be amounts: codes with labels are none."""
    declared = visit.desk.content.get("variables", {}).get(name, {})
    return not counted["variables"][name]["labels"] and declared.get("level") != "nominal"


def _level(given: Any, tree: Hierarchy) -> int:
    text = str(given)
    return min(int(text), tree.height) if text.isdecimal() and len(text) < 4 else 0


def _counts_of(visit: Visit, counted: Mapping[str, Any], j: int, tree: Hierarchy) -> list[int]:
    """Return how many records have each value of a hierarchy; the last are the missing ones."""
    table, labels = visit.desk.rollup, counted["labels"][j]
    by_leaf = np.bincount(table.leaves[:, j], weights=table.counts).astype(np.int64)
    present = np.flatnonzero(by_leaf)
    texts = [labels[int(node)] for node in table.climbs[j][0][present]]
    found = np.zeros(len(tree.values) + 1, dtype=np.int64)
    np.add.at(found, tree.encode(texts), by_leaf[present])
    return [int(n) for n in found]


def _nodes(
    tree: Hierarchy, level: int, counts: list[int], words: Mapping[str, str]
) -> list[dict[str, Any]]:
    codes = tree.level_codes(level)
    records = np.bincount(codes, weights=counts, minlength=tree.node_count(level)).astype(int)
    parents = tree.parents(level) if level < tree.height else None
    below: dict[int, list[str]] = {}
    if level:
        labels = tree.level_labels(level - 1)
        for child, parent in enumerate(tree.parents(level - 1).tolist()):
            if labels[child] is not None:
                below.setdefault(parent, []).append(str(labels[child]))
    shown: list[dict[str, Any]] = []
    for code, label in enumerate(tree.level_labels(level)):
        if label is None or len(shown) >= MOST_NODES:
            continue
        inside = below.get(code, [])
        up = "" if parents is None else tree.level_labels(level + 1)[int(parents[code])] or ""
        shown.append(
            {
                "code": code,
                "label": label,
                "words": words.get(label, ""),
                "records": int(records[code]),
                "inside": ", ".join(inside[:6]) + (", …" if len(inside) > 6 else ""),
                "above": up,
            }
        )
    return shown


def _labels_above(tree: Hierarchy, level: int) -> list[tuple[int, str]]:
    if level >= tree.height:
        return []
    labels = enumerate(tree.level_labels(level + 1))
    return [(code, label) for code, label in labels if label is not None][:MOST_NODES]


def _said(given: Any) -> str:
    """Return in a word where a hierarchy comes from, as the project file says."""
    return str(given.get("kind", "")) if isinstance(given, dict) else str(given or "")


def _cuts_said(given: Any) -> str:
    cuts = given.get("cuts", []) if isinstance(given, dict) else []
    return "\n".join(", ".join(f"{one:g}" for one in line) for line in cuts)


# Changing ----------------------------------------------------------------------------------------


def _back(visit: Visit, j: int, level: int = 0) -> Response:
    return visit.go(f"/hierarchies/edit?variable={j}&level={level}")


@answering("POST", "edit")
def edit(visit: Visit) -> Response:
    """Do to the ticked nodes what the form says."""
    visit.desk.check_version(visit.version)
    counted, form = _counted(visit), visit.form
    j = _position(visit, counted, form.get("variable", ""))
    tree = _tree(visit, counted, counted["key"][j])
    level, what = _level(form.get("level", "0"), tree), str(form.get("what", ""))
    if what not in ("merge", "split", "rename", "move", "insert", "drop"):
        raise InputError(visit.words("hierarchies.no_edit"))
    under = str(form.get("under", ""))
    made = edited(
        tree,
        what,
        level=level,
        nodes={int(n) for n in map(str, form.getlist("node")) if n.isdecimal() and len(n) < 9},
        label=str(form.get("label", "")),
        under=int(under) if under.isdecimal() and len(under) < 9 else None,
    )
    change_trees(visit.desk, visit.version, {tree.name: made}, ("edited", tree.name))
    return _back(visit, j, {"insert": level + 1, "drop": level - 1}.get(what, level))


@answering("POST", "lines")
def take_lines(visit: Visit) -> Response:
    """Take a hierarchy that was written as lines."""
    visit.desk.check_version(visit.version)
    counted = _counted(visit)
    j = _position(visit, counted, visit.form.get("variable", ""))
    tree = _tree(visit, counted, counted["key"][j])
    made = tree_from_text(tree, str(visit.form.get("lines", ""))[:LONGEST])
    change_trees(visit.desk, visit.version, {tree.name: made}, ("edited", tree.name))
    return _back(visit, j)


@answering("POST", "build")
def build(visit: Visit) -> Response:
    """Have a hierarchy made by a rule, which stands in the project file as it is."""
    visit.desk.check_version(visit.version)
    counted, form = _counted(visit), visit.form
    j = _position(visit, counted, form.get("variable", ""))
    name, kind = counted["key"][j], str(form.get("kind", ""))
    if kind == "cuts":
        rule: Any = {"kind": "intervals", "cuts": _lines_of_numbers(visit, form.get("cuts", ""))}
    elif kind == "counts":
        tree = _tree(visit, counted, name)
        number = str(form.get("intervals", ""))
        wanted = int(number) if number.isdecimal() and len(number) < 4 else 0
        cuts = cuts_by_counts(tree, _counts_of(visit, counted, j, tree), wanted)
        rule = {"kind": "intervals", "cuts": cuts}
    elif kind == "chosen":
        rule = None
    elif kind in BUILDERS:
        rule = {"kind": kind} | {
            one: found
            for one in BUILDERS[kind]
            if (found := _option(one, str(form.get(one, "")).strip())) not in (None, [])
        }
    else:
        raise InputError(visit.words("hierarchies.no_edit"))
    _take_rule(visit, counted, name, rule)
    return _back(visit, j)


def _take_rule(visit: Visit, counted: Mapping[str, Any], name: str, rule: Any) -> None:
    """Write a rule into the project, after it was tried on the values that occur."""
    desk = visit.desk
    changes: dict[tuple[str, ...], Any] = {("variables", name, "hierarchy"): rule}
    if levels_now(desk).get(name):
        # the step holds the hierarchy that is given up here
        changes[section_of_level(name)] = None
    project = read_project(changed_project(desk.history.text, changes), desk.project_path)
    declared = project.variables.get(name)
    if declared is not None and declared.hierarchy is not None:
        values = _values(counted, name)
        declared.hierarchy.build(values, name=name, special=_special(declared, values))
    desk.change(visit.version, changes, ("edited", name))


def _special(declared: Declared, values: Sequence[str]) -> list[str]:
    """Return the values that mean missing, which no rule needs to fit."""
    codes = [one for one in declared.missing or () if not isinstance(one, tuple)]
    spans = [
        (float(a), float(b)) for a, b in (o for o in declared.missing or () if isinstance(o, tuple))
    ]
    found = {as_text(one) for one in codes}
    return [
        value
        for value in values
        if value in found
        or ((number := as_number(value)) is not None and any(a <= number <= b for a, b in spans))
    ]


def _values(counted: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of a variable, as text."""
    j = counted["key"].index(name)
    if name in counted["trees"]:
        return [str(v) for v in Hierarchy.from_dict(counted["trees"][name]).values]
    return [str(label) for label in counted["labels"][j] if label is not None]


def _option(name: str, text: str) -> Any:
    if name in _LISTS:
        return [_plain(part.strip()) for part in text.replace(";", ",").split(",") if part.strip()]
    return _plain(text) if text else None


def _plain(text: str) -> Any:
    """Return a number as a number, and anything else as it is."""
    try:
        found = float(text)
    except ValueError:
        return text
    if not np.isfinite(found):
        return text
    return int(found) if found.is_integer() else found


def _lines_of_numbers(visit: Visit, given: Any) -> list[list[float]]:
    """Return the bounds of a form: a line for each level, numbers parted by commas or spaces."""
    lines = []
    for line in str(given)[:LONGEST].splitlines():
        numbers = [_plain(part) for part in line.replace(";", " ").replace(",", " ").split()]
        if any(isinstance(one, str) for one in numbers):
            raise InputError(visit.words("hierarchies.bad_bounds"))
        if numbers:
            lines.append(numbers)
    if not lines:
        raise InputError(visit.words("hierarchies.bad_bounds"))
    return lines


# Files -------------------------------------------------------------------------------------------


def _files(visit: Visit) -> list[str]:
    data = str(visit.desk.content.get("data", {}).get("file", ""))
    return [one.name for one in visit.desk.listed(*HIERARCHY_ENDINGS) if one.name != data]


def _fitting(visit: Visit, counted: Mapping[str, Any], name: str) -> list[Any]:
    if name not in _files(visit):
        raise InputError(visit.words("prove.no_file"))
    known = {one: _values(counted, one) for one in counted["key"]}
    declared = visit.desk.project.variables
    special = {n: _special(declared[n], known[n]) for n in known if n in declared}
    return list(fitting_trees(visit.desk.existing(name), known, special))


@answering("GET", "files")
def show_files(visit: Visit) -> Response:
    """Show the files of the folder that may hold hierarchies, and what one of them fits."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    chosen = visit.query.get("file", "")
    found = _fitting(visit, counted, chosen) if chosen else []
    return visit.page(
        "hierarchy_files.html",
        files=[(name, quote(name)) for name in _files(visit)],
        chosen=chosen,
        endings=", ".join(HIERARCHY_ENDINGS),
        found=[
            {
                "at": j,
                "name": one.name,
                "why": visible(one.why),
                "levels": [one.tree.node_count(n) for n in one.tree.levels] if one.tree else [],
            }
            for j, one in enumerate(found)
        ],
        command=visit.command("run"),
    )


@answering("POST", "files")
def take_files(visit: Visit) -> Response:
    """Take the hierarchies of a file for the variables that are ticked."""
    visit.desk.check_version(visit.version)
    counted = _counted(visit)
    ticked = visit.form.getlist("pick")
    trees = {
        one.name: one.tree
        for j, one in enumerate(_fitting(visit, counted, str(visit.form.get("file", ""))))
        if str(j) in ticked and one.tree is not None
    }
    if not trees:
        raise InputError(visit.words("hierarchies.none_ticked"))
    change_trees(visit.desk, visit.version, trees, ("edited", ", ".join(trees)))
    return visit.go("/hierarchies")
