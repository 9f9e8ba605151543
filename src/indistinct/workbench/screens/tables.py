"""Tables: which, for which areas, what they would reveal, how they are protected, and published."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.project import DeclaredTable, Publish
from indistinct.workbench.forms import Field, changes_of, fields_of_section
from indistinct.workbench.visiting import Visit, screen

answering = screen("tables", place=90)

AREAS = ("area", "also", "match_keys", "threshold", "smallest_zone")
"""Settings that say what is counted; all others say how it is protected."""
ELSEWHERE = ("seed", "out", "published")
_ONE = ("area", "within", "contributor", "value", "weight")
"""Settings whose word is one variable."""
LONGEST = 300
"""Rows of a table that are shown."""
PERSONS = "persons"
_LONGEST_NAME = 80


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the tables, what they would reveal, and what became of the method that was tried."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    if desk.result("count") is None:
        return visit.waiting(desk.wanted("count"))
    asked = desk.content.get("tables", {})
    weighed = desk.result("tables") if asked else None
    job = desk.wanted("tables") if asked and weighed is None else None
    key = desk.key_for("publish")
    published = desk.store.read("publish", key)
    publishing = desk.jobs.last("publish", key)
    if publishing is not None and publishing.is_working:
        return visit.waiting(publishing)
    out = str(desk.content.get("publish", {}).get("out", "tables"))
    protecting, geography = _protecting(visit), _geography(visit)
    return visit.page(
        "tables.html",
        asked=asked,
        variables=_variables(visit),
        of_table=_of_table(visit),
        geography=geography,
        protecting=[one for one in protecting if one.setting[1] == "method"],
        options=[one for one in protecting if one.setting[1] != "method"],
        weighed=weighed,
        job=job,
        published=published,
        failed=publishing.error if publishing is not None and publishing.state == "failed" else "",
        out=out,
        taken=os.path.lexists(desk.folder / out),
        command=visit.command("tables"),
    )


def _look(visit: Visit) -> list[dict[str, Any]]:
    look = visit.desk.result("look")
    roles = visit.desk.content.get("variables", {})
    found = look["variables"] if look else []
    return [one for one in found if roles.get(one["name"], {}).get("role") != "identifier"]


def _variables(visit: Visit) -> list[dict[str, Any]]:
    """Return the variables that can be dimensions, with the levels to which they can be brought."""
    counted = visit.desk.result("count") or {"key": [], "level_words": []}
    levels = dict(zip(counted["key"], counted["level_words"], strict=True))
    kinds = visit.desk.content.get("variables", {})
    return [
        {
            "name": one["name"],
            "label": one["label"],
            "distinct": one["distinct"],
            "numeric": kinds.get(one["name"], {}).get("level") == "numeric",
            "levels": list(enumerate(levels.get(one["name"], [""])))[1:],
        }
        for one in _look(visit)
    ]


def _fields(visit: Visit) -> list[Field]:
    """Return the fields of ``[publish]``; a geography may be a level or a recode too."""
    names = [one["name"] for one in _look(visit)]
    content = visit.desk.content
    places = [PERSONS, *names, *content.get("recodes", {})]
    for variable in _variables(visit):
        places += [f"{variable['name']}@{level}" for level, _ in variable["levels"]]
    fields = []
    for one in fields_of_section(Publish, "publish", content, names):
        name = one.setting[1]
        if name in ELSEWHERE:
            continue
        if name in _ONE:
            known = names if name == "contributor" else places
            fields.append(replace(one, widget="name", choices=_with(known, one.value)))
        elif name == "also":
            fields.append(replace(one, choices=_with(names, *(one.value or ()))))
        else:
            fields.append(one)
    return fields


def _with(known: list[str], *said: str | None) -> tuple[str, ...]:
    """Return what can be chosen, and what somebody wrote into the file besides."""
    return tuple(dict.fromkeys([*known, *(one for one in said if one)]))


def _geography(visit: Visit) -> list[Field]:
    return [one for one in _fields(visit) if one.setting[1] in AREAS]


def _protecting(visit: Visit) -> list[Field]:
    return [one for one in _fields(visit) if one.setting[1] not in AREAS]


def _of_table(visit: Visit) -> list[Field]:
    """Return the fields of a new table, but for its dimensions."""
    names = [one["name"] for one in _look(visit)]
    found = []
    for one in fields_of_section(DeclaredTable, "table", {}, names):
        if one.setting[1] in _ONE:
            found.append(replace(one, widget="name", choices=tuple(names)))
        elif one.setting[1] != "dimensions":
            found.append(one)
    return found


@answering("POST", "add")
def add(visit: Visit) -> Response:
    """Take a table into the project."""
    desk, form = visit.desk, visit.form
    chosen = {str(one) for one in form.getlist("dimension")}
    dimensions = []
    for j, one in enumerate(_variables(visit)):
        if one["name"] not in chosen:
            continue
        width = " ".join(str(form.get(f"width.{j}", "")).split()).replace(",", ".")
        level = str(form.get(f"level.{j}", ""))
        if width and not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", width):
            raise InputError(visit.words("tables.bad_width"))
        coarser = f":{width}" if width else f"@{level}" if level.isdigit() else ""
        dimensions.append(f"{one['name']}{coarser}")
    if not dimensions:
        raise InputError(visit.words("tables.no_dimension"))
    name = " ".join(str(form.get("name", "")).split())[:_LONGEST_NAME] or ",".join(dimensions)
    if name in desk.content.get("tables", {}):
        raise InputError(visit.words("tables.twice"))
    changes: dict[tuple[str, ...], Any] = {("tables", name, "dimensions"): dimensions}
    for (_, setting), value in changes_of(_of_table(visit), form).items():
        if value is not None:
            changes["tables", name, setting] = value
    if "area" not in desk.content.get("publish", {}):
        changes["publish", "area"] = PERSONS
    desk.change(visit.version, changes, ("table", name))
    return visit.go("/tables")


@answering("POST", "remove")
def remove(visit: Visit) -> Response:
    """Take a table out of the project."""
    name = str(visit.form.get("table", ""))
    if name not in visit.desk.content.get("tables", {}):
        raise InputError(visit.words("tables.none"))
    visit.desk.change(visit.version, {("tables", name): None}, ("no_table", name))
    return visit.go("/tables")


@answering("POST", "areas")
def choose_areas(visit: Visit) -> Response:
    """Say for which areas the tables are."""
    changes = changes_of(_geography(visit), visit.form)
    if changes["publish", "area"] is None and visit.desk.content.get("tables"):
        changes["publish", "area"] = PERSONS
    visit.desk.change(visit.version, changes, ("areas",))
    return visit.go("/tables")


@answering("POST", "method")
def choose_method(visit: Visit) -> Response:
    """Say how the numbers are protected, and try it into the private folder.

    A project without a seed gets one, so that what is published repeats what was tried.
    """
    desk = visit.desk
    changes = changes_of(_protecting(visit), visit.form)
    if "seed" not in desk.content.get("publish", {}):
        changes["publish", "seed"] = secrets.randbits(62)
    desk.change(
        visit.version, changes, ("table_method", str(changes["publish", "method"] or "none"))
    )
    desk.wanted("publish", again=True, out=str(_trial(visit)))
    return visit.go("/tables")


@answering("POST", "export")
def export(visit: Visit) -> Response:
    """Publish the tables: what the command line writes for the same project."""
    desk = visit.desk
    out = " ".join(str(visit.form.get("out", "")).split())
    if not out:
        raise InputError(visit.words("prove.no_out"))
    changes: dict[tuple[str, ...], Any] = {("publish", "out"): out}
    if "seed" not in desk.content.get("publish", {}):
        changes["publish", "seed"] = secrets.randbits(62)
    _check_within(visit, out)
    desk.change(visit.version, changes, ("out", out))
    desk.check_version(desk.history.version)
    desk.wanted("publish", again=True)
    return visit.go("/tables")


def _check_within(visit: Visit, out: str) -> None:
    """Refuse a folder outside of the workbench's, and one that is there."""
    folder = visit.desk.folder
    place = (folder / out).resolve()
    if not place.is_relative_to(folder) or place == folder:
        raise InputError(visit.words("tables.outside"))
    if os.path.lexists(folder / out):
        raise InputError(visit.words("prove.taken"))


def _trial(visit: Visit) -> Path:
    return visit.desk.private / "trial-tables" / "tables"


def _published(visit: Visit) -> dict[str, Any]:
    desk = visit.desk
    found = desk.result("publish") if desk.project_name is not None else None
    if found is None:
        raise InputError(visit.words("tables.not_tried"))
    return found


@answering("GET", "cells")
def show_cells(visit: Visit) -> Response:
    """Show a table as it is published with the cells marked that were changed, on demand."""
    tables = _published(visit)["tables"]
    at, where = visit.query.get("table", "0"), visit.query.get("place", "0")
    number = int(at) if at.isdigit() and int(at[:6]) < len(tables) else 0
    table = tables[number]
    return HTMLResponse(
        visit.rendered("_cells.html", table=table, at=number, **_laid_out(table, where))
    )


def _laid_out(table: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the cells of one place: the last dimension across, all others down."""
    if table["rows"] is None:
        return {"places": [], "place": 0, "columns": [], "rows": [], "more": 0}
    places = list(dict.fromkeys((row[0], row[1]) for row in table["rows"]))
    place = int(where) if where.isdigit() and int(where[:6]) < len(places) else 0
    across: dict[str, None] = {}
    down: dict[tuple[str, ...], dict[str, tuple[float | None, str]]] = {}
    for geography, area, *labels, value, mark in table["rows"]:
        if (geography, area) == places[place]:
            across[labels[-1]] = None
            down.setdefault(tuple(labels[:-1]), {})[labels[-1]] = (value, mark)
    rows = [
        (labels, [cells.get(column, (None, "")) for column in across])
        for labels, cells in list(down.items())[:LONGEST]
    ]
    return {
        "places": places,
        "place": place,
        "columns": list(across),
        "rows": rows,
        "more": len(down) - len(rows),
    }


@answering("GET", "exposed")
def show_exposed(visit: Visit) -> Response:
    """Show the areas in which most people can be found, because somebody asked."""
    weighed = visit.desk.result("tables") if visit.desk.project_name is not None else None
    if weighed is None:
        raise InputError(visit.words("tables.not_weighed"))
    return HTMLResponse(visit.rendered("_exposed.html", exposed=weighed["exposed"]))
