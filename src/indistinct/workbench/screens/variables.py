"""Variables: what each is for, and who the people are; a person says that the key is right."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.core import LEVELS, ROLES
from indistinct.workbench.visiting import Visit, screen

answering = screen("variables", place=20)

SINGLES_OUT = 0.5
"""The share of records that are alone with their value, above which a column points at people."""


@answering("GET")
def show(visit: Visit) -> Response:
    """Show a row for each variable."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    look = desk.result("look")
    if look is None:
        return visit.waiting(desk.wanted("count"))
    if desk.result("count") is None and _has_key(visit, look):
        desk.wanted("count")
    rows = list(rows_of(visit, look))
    release = desk.content.get("release", {})
    return visit.page(
        "variables.html",
        rows=rows,
        records=look["records"],
        roles=ROLES,
        levels=LEVELS,
        key=[row["name"] for row in rows if row["role"] == "key"],
        named_key=release.get("key"),
        person=release.get("person", ""),
        confirmed=bool(release.get("confirmed")),
        command=visit.command("uniques"),
    )


def _has_key(visit: Visit, look: dict[str, Any]) -> bool:
    return any(row["role"] == "key" for row in rows_of(visit, look))


def rows_of(visit: Visit, look: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what is known of each variable, and what the project says of it."""
    declared = visit.desk.content.get("variables", {})
    records = max(1, look["records"])
    rows = []
    for number, one in enumerate(look["variables"]):
        said = declared.get(one["name"], {})
        role = said.get("role", one["guess"]["role"])
        alone = one["alone"] / records
        rows.append(
            {
                **one,
                "at": number,
                "role": role,
                "level": said.get("level", one["guess"]["level"]),
                "label": said.get("label", one["label"]),
                "shares": [n / records for _, _, n in one["common"]],
                "points": alone > SINGLES_OUT and role not in ("identifier", "weight"),
                "alone_share": alone,
                "guessed": role == one["guess"]["role"],
            }
        )
    return rows


@answering("GET", "values")
def show_values(visit: Visit) -> Response:
    """Show the commonest values, because somebody asked for them."""
    look = visit.desk.result("look") if visit.desk.project_name is not None else None
    rows = rows_of(visit, look) if look is not None else []
    return HTMLResponse(visit.rendered("_values.html", rows=rows))


@answering("POST")
def change(visit: Visit) -> Response:
    """Set roles and levels, of each or of those that were ticked."""
    desk, form = visit.desk, visit.form
    look = desk.result("look")
    if look is None:
        return visit.go("/variables")
    changes: dict[tuple[str, ...], Any] = {}
    ticked = set(form.getlist("pick"))
    for row in rows_of(visit, look):
        at = str(row["at"])
        role = form.get(f"role.{at}", row["role"])
        level = form.get(f"level.{at}", row["level"])
        if form.get("do") == "bulk" and at in ticked:
            role = form.get("bulk_role") or role
            level = form.get("bulk_level") or level
        if role != row["role"]:
            changes["variables", row["name"], "role"] = role
        if level != row["level"]:
            changes["variables", row["name"], "level"] = level
    person = str(form.get("person", ""))
    if person != desk.content.get("release", {}).get("person", ""):
        changes["release", "person"] = person or None
    roles_changed = any(setting[-1] == "role" for setting in changes)
    confirmed = form.get("confirmed") == "yes" and not roles_changed
    if confirmed != bool(desk.content.get("release", {}).get("confirmed")):
        changes["release", "confirmed"] = confirmed
    what = ("variables", str(len([s for s in changes if s[0] == "variables"])))
    desk.change(
        visit.version,
        changes,
        ("confirmed",) if list(changes) == [("release", "confirmed")] else what,
    )
    return visit.go("/variables")
