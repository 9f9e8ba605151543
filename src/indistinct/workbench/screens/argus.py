"""µ-Argus step by step: which combinations are unsafe, what a step does to them, and undoing it.

What is chosen is in the project file: a step for each variable that was coarsened, how identifying
each is, and µ-Argus as the method for what is left. So `run` does the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from starlette.responses import HTMLResponse, Response

from indistinct import engine, keys
from indistinct.core import InputError
from indistinct.hierarchy import Hierarchy
from indistinct.protect import ArgusSession
from indistinct.workbench.desk import Desk
from indistinct.workbench.steps import changes_of_levels, levels_now
from indistinct.workbench.visiting import Visit, screen

answering = screen("argus", place=52)

METHOD = "argus"
LISTED = 60
"""Unsafe combinations that are shown, those of most records first."""
_RATED = 4


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the unsafe combinations as things are, beside what they were before the last step."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    problem = counted["no_hierarchies"]
    values: dict[str, Any] = {"problem": problem, "by_person": counted["person"]}
    if not problem:
        values |= _standing(visit, counted)
    chosen = desk.content.get("release", {}).get("method") == METHOD
    done = desk.result("protect") if chosen else None
    job = desk.wanted("protect") if chosen and done is None else None
    return visit.page(
        "argus.html",
        **values,
        counted=counted,
        chosen=chosen,
        done=done or (desk.result("protect") if chosen else None),
        job=job,
        command=visit.command("protect", "--method", METHOD),
    )


def _standing(visit: Visit, counted: Mapping[str, Any]) -> dict[str, Any]:
    desk = visit.desk
    levels, rated = levels_now(desk), _rated(desk, counted)
    now = _session(desk, counted, levels).unsafe
    first = _session(desk, counted, {}).unsafe
    was = {one.variables: one for one in first.combinations}
    unsafe = sorted(now.unsafe, key=lambda one: (-one.records, one.variables))
    return {
        "k": now.k,
        "now": now,
        "first": first,
        "unsafe": [(one, was[one.variables]) for one in unsafe[:LISTED]],
        "more": max(0, len(unsafe) - LISTED),
        "sizes": [(size, *(_of_size(found, size) for found in (first, now))) for size in (1, 2, 3)],
        "variables": [
            {
                "at": j,
                "name": name,
                "rated": rated[name],
                "level": levels.get(name, 0),
                "height": len(counted["level_words"][j]) - 1,
                "words": counted["level_words"][j],
                "records": sum(one.records for one in unsafe if name in one.variables),
                "bins": sum(one.bins for one in unsafe if name in one.variables),
            }
            for j, name in enumerate(counted["key"])
        ],
    }


def _of_size(found: Any, size: int) -> tuple[int, int, int]:
    """Return of the combinations of some variables: examined, unsafe, and the unsafe values."""
    of_size = [one for one in found.combinations if len(one.variables) == size]
    return len(of_size), sum(one.bins > 0 for one in of_size), sum(one.bins for one in of_size)


def _rated(desk: Desk, counted: Mapping[str, Any]) -> dict[str, int]:
    """Return how identifying each variable is: as the method takes it, 2 where nobody says."""
    declared = desk.content.get("variables", {})
    said = {n: declared.get(n, {}).get("identification") for n in counted["key"]}
    if all(level is None for level in said.values()):
        return dict.fromkeys(said, 2)
    return {name: level or 0 for name, level in said.items()}


def _session(desk: Desk, counted: Mapping[str, Any], levels: Mapping[str, int]) -> ArgusSession:
    release = desk.content.get("release", {})
    return _conversation(
        desk,
        desk.key_for("count"),
        release.get("k") or release.get("at_most", 4) + 1,
        tuple(_rated(desk, counted).items()),
        tuple(
            (name, min(level, len(words) - 1))
            for name, words in zip(counted["key"], counted["level_words"], strict=True)
            if (level := levels.get(name, 0))
        ),
    )


@lru_cache(maxsize=32)
def _conversation(
    desk: Desk,
    key: str,
    k: int,
    rated: tuple[tuple[str, int], ...],
    levels: tuple[tuple[str, int], ...],
) -> ArgusSession:
    """Return a session at some levels; those that were looked at before are known."""
    return ArgusSession(_classes(desk, key), k=k, identification=dict(rated), levels=dict(levels))


@lru_cache(maxsize=2)
def _classes(desk: Desk, key: str) -> keys.Generalisable:
    """Return the classes of records as the count left them, with their hierarchies."""
    counted, table = desk.result("count"), desk.rollup
    assert counted is not None
    trees = tuple(Hierarchy.from_dict(counted["trees"][name]) for name in table.names)
    leaves, rows = np.unique(table.leaves, axis=0, return_inverse=True)
    counts = np.zeros(len(leaves), dtype=np.int64)
    np.add.at(counts, rows.reshape(-1), table.counts)
    coding = engine.KeyCoding(
        tuple(
            engine.Coding(name, int(leaves[:, j].max(initial=0)) + 1, missing=False)
            for j, name in enumerate(table.names)
        )
    )
    classes = keys.KeyTable(coding, leaves.astype(np.int64), counts)
    return keys.Generalisable(classes, trees, leaves.astype(np.int32))


def _of_variable(visit: Visit, given: Any) -> tuple[dict[str, Any], str]:
    """Return the count, and the variable that is named by its position."""
    desk = visit.desk
    counted = desk.result("count") if desk.project_name is not None else None
    if counted is None or counted["no_hierarchies"]:
        raise InputError(visit.words("error.no_count"))
    if not str(given).isdigit() or int(given) >= len(counted["key"]):
        raise InputError(visit.words("argus.no_variable"))
    return counted, counted["key"][int(given)]


@answering("GET", "effect")
def show_effect(visit: Visit) -> Response:
    """Show what the next step of a variable would do, without doing it."""
    counted, name = _of_variable(visit, visit.query.get("variable", ""))
    session = _session(visit.desk, counted, levels_now(visit.desk))
    return HTMLResponse(visit.rendered("_argus_effect.html", effect=session.preview(name)))


@answering("GET", "left")
def show_left(visit: Visit) -> Response:
    """Show what suppressing everything that is still unsafe would take, without doing it."""
    counted, _ = _of_variable(visit, "0")
    session = _session(visit.desk, counted, levels_now(visit.desk))
    return HTMLResponse(visit.rendered("_argus_left.html", found=session.suppress()))


@answering("POST")
def generalise(visit: Visit) -> Response:
    """Bring a variable one step up: a step of the project."""
    counted, name = _of_variable(visit, visit.form.get("variable", ""))
    desk = visit.desk
    desk.check_version(visit.version)  # before it is said that a variable is at its top
    level = levels_now(desk).get(name, 0) + 1
    if level >= len(counted["level_words"][counted["key"].index(name)]):
        raise InputError(visit.words("argus.highest", name=name))
    desk.change(visit.version, changes_of_levels(desk, counted, {name: level}), ("coarsened", name))
    return visit.go("/argus")


@answering("POST", "rate")
def rate(visit: Visit) -> Response:
    """Say how identifying each variable is."""
    counted, _ = _of_variable(visit, "0")
    changes: dict[tuple[str, ...], Any] = {}
    for j, name in enumerate(counted["key"]):
        said = str(visit.form.get(f"rated.{j}", ""))
        if said not in map(str, range(_RATED)):
            raise InputError(visit.words("argus.no_rating", name=name))
        changes["variables", name, "identification"] = int(said)
    if not any(changes.values()):
        raise InputError(visit.words("argus.all_nothing"))
    visit.desk.change(visit.version, changes, ("rated",))
    return visit.go("/argus")


@answering("POST", "suppress")
def suppress(visit: Visit) -> Response:
    """Take µ-Argus as the method: what is unsafe at the present levels is suppressed."""
    desk = visit.desk
    changes: dict[tuple[str, ...], Any] = {
        ("method", setting): None for setting in desk.content.get("method", {})
    }
    changes["release", "method"] = METHOD
    if "plan" in desk.content.get("release", {}):
        changes["release", "plan"] = None
    desk.change(visit.version, changes, ("method", METHOD))
    return visit.go("/argus")
