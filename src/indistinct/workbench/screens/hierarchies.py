"""Hierarchies: how values become coarser, and what a coarser level does to who stands out."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.workbench.rollup import roll_up
from indistinct.workbench.steps import changes_of_levels, levels_now
from indistinct.workbench.trees import promised_k
from indistinct.workbench.visiting import Visit, screen

answering = screen("hierarchies", place=30)

MOST_NODES = 300
"""Nodes of a level that are shown."""


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the levels of every variable of the key."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    return visit.page(
        "hierarchies.html",
        counted=counted,
        trees=_trees(visit, counted),
        **effect(visit, counted, levels_now(desk)),
        command=visit.command("run"),
    )


def _trees(visit: Visit, counted: dict[str, Any]) -> list[dict[str, Any]]:
    table, now = visit.desk.rollup, levels_now(visit.desk)
    return [
        {
            "at": j,
            "name": name,
            "label": counted["variables"][name]["label"],
            "note": counted["hierarchy_notes"].get(name, ""),
            "level": min(now.get(name, 0), len(climb) - 1),
            "levels": [
                {"words": words, "nodes": len(np.unique(climb[level][table.leaves[:, j]]))}
                for level, words in enumerate(counted["level_words"][j])
            ],
        }
        for j, (name, climb) in enumerate(zip(table.names, table.climbs, strict=True))
    ]


def effect(visit: Visit, counted: dict[str, Any], wanted: dict[str, int]) -> dict[str, Any]:
    """Return what levels do to who stands out, by rolling up the key table."""
    table = visit.desk.rollup
    k = promised_k(visit.desk)
    levels = [
        max(0, min(wanted.get(name, 0), len(climb) - 1))
        for name, climb in zip(table.names, table.climbs, strict=True)
    ]
    return {
        "k": k,
        "out_before": counted["below"][""][k],
        "out_after": int(roll_up(table, levels)[k]),
        "records": counted["records"],
        "wildcard": visit.desk.content.get("release", {}).get("missing") == "wildcard",
        "changed": dict(zip(table.names, levels, strict=True))
        != _full(table.names, levels_now(visit.desk)),
    }


def _full(names: tuple[str, ...], levels: dict[str, int]) -> dict[str, int]:
    return {name: levels.get(name, 0) for name in names}


def _asked(visit: Visit, given: Any) -> dict[str, int]:
    """Return the levels that a form names, by the variables' positions."""
    names = visit.desk.rollup.names
    found = {}
    for j, name in enumerate(names):
        text = str(given.get(f"level.{j}", ""))
        if text.isdigit() and len(text) < 4:
            found[name] = int(text)
    return found


@answering("GET", "effect")
def show_effect(visit: Visit) -> Response:
    """Show what the levels that are chosen would do."""
    desk = visit.desk
    counted = desk.result("count") if desk.project_name is not None else None
    if counted is None:
        raise InputError(visit.words("error.no_count"))
    shown = effect(visit, counted, _asked(visit, visit.query))
    return HTMLResponse(visit.rendered("_effect.html", **shown))


@answering("POST")
def coarsen(visit: Visit) -> Response:
    """Bring variables to levels: a step of the project each."""
    desk = visit.desk
    counted = desk.result("count")
    if counted is None:
        return visit.go("/hierarchies")
    changes = changes_of_levels(desk, counted, _asked(visit, visit.form))
    names = sorted({setting[1].partition(" ")[2] for setting in changes})
    desk.change(visit.version, changes, ("coarsened", ", ".join(names)))
    return visit.go("/hierarchies")


@answering("GET", "tree")
def show_tree(visit: Visit) -> Response:
    """Show the labels of one hierarchy with how many people each stands for."""
    desk = visit.desk
    counted = desk.result("count") if desk.project_name is not None else None
    given = visit.query.get("variable", "")
    if counted is None or not given.isdigit() or int(given) >= len(counted["key"]):
        raise InputError(visit.words("error.no_count"))
    j, table = int(given), desk.rollup
    climb, labels = table.climbs[j], counted["labels"][j]
    levels = []
    for level in range(len(climb)):
        nodes, inverse = np.unique(climb[level][table.leaves[:, j]], return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), weights=table.counts).astype(int)
        shown = [(labels[int(node)], int(n)) for node, n in zip(nodes, counts, strict=True)]
        levels.append({"nodes": shown[:MOST_NODES], "more": max(0, len(shown) - MOST_NODES)})
    values = counted["variables"][counted["key"][j]]["labels"]
    return HTMLResponse(
        visit.rendered(
            "_tree.html",
            name=counted["key"][j],
            levels=levels,
            level_words=counted["level_words"][j],
            values=values,
            records=max(1, counted["records"]),
        )
    )
