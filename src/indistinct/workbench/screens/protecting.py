"""Protect: a method with its own options, what it does to a copy, and every state there was."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.options import known_method, known_methods
from indistinct.workbench.forms import changes_of, fields_of_method
from indistinct.workbench.visiting import Visit, screen

answering = screen("protect", place=50)

NEEDS_MORE = ("shuffle", "steps")
"""Methods whose options stand in sections that no form writes yet."""


RECENT = 12
"""States of the history that are shown, and branches."""


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the method, what it did to a copy, and the history."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    done = desk.result("protect")
    job = None
    if done is None and _method(visit):
        job = desk.wanted("protect")
        done = desk.result("protect")
    shown = desk.history.line()[-RECENT:][::-1]
    return visit.page(
        "protect.html",
        methods=_offered(visit),
        chosen=_method(visit),
        fields=_fields(visit, _method(visit)),
        done=done,
        job=job if done is None else None,
        line=shown,
        ends=[one for one in desk.history.ends() if one not in shown][:RECENT],
        command=visit.command("protect", "--method", _method(visit) or "local-recoding"),
    )


def _method(visit: Visit) -> str:
    return str(visit.desk.content.get("release", {}).get("method", ""))


def _offered(visit: Visit) -> dict[str, Any]:
    now = _method(visit)
    return {n: m for n, m in known_methods().items() if n not in NEEDS_MORE or n == now}


def _fields(visit: Visit, name: str) -> list[Any]:
    if name not in known_methods():
        return []
    desk = visit.desk
    counted, look = desk.result("count"), desk.result("look")
    variables = [one["name"] for one in look["variables"]] if look else []
    key = counted["key"] if counted else []
    return list(fields_of_method(known_method(name), desk.content, variables, key))


@answering("GET", "options")
def show_options(visit: Visit) -> Response:
    """Show the form of another method's options."""
    name = visit.query.get("method", "")
    if visit.desk.project_name is None or name not in known_methods():
        raise InputError(visit.words("protect.no_method"))
    return HTMLResponse(
        visit.rendered("_options.html", fields=_fields(visit, name), method=known_method(name))
    )


@answering("POST")
def choose(visit: Visit) -> Response:
    """Take a method and its options into the project."""
    desk, name = visit.desk, str(visit.form.get("method", ""))
    if name not in known_methods():
        raise InputError(visit.words("protect.no_method"))
    changes: dict[tuple[str, ...], Any] = {}
    for setting in desk.content.get("method", {}):
        changes["method", setting] = None  # those of another method would be refused
    fields = _fields(visit, name)
    sent = str(visit.form.get("options_of", "")) == name
    if sent:
        changes |= changes_of(fields, visit.form)
    changes["release", "method"] = name
    if "plan" in desk.content.get("release", {}):
        changes["release", "plan"] = None
    desk.change(visit.version, changes, ("method", name))
    return visit.go("/protect")


@answering("POST", "undo")
def undo(visit: Visit) -> Response:
    """Go back to the state before."""
    visit.desk.step(visit.version, "undo")
    return visit.go(_back(visit))


@answering("POST", "redo")
def redo(visit: Visit) -> Response:
    """Go on to the state after."""
    visit.desk.step(visit.version, "redo")
    return visit.go(_back(visit))


@answering("POST", "go")
def go_to(visit: Visit) -> Response:
    """Go to a state, of this branch or of another."""
    given = str(visit.form.get("state", ""))
    visit.desk.step(visit.version, "go", int(given) if given.isdigit() else None)
    return visit.go("/protect")


@answering("POST", "name")
def name_branch(visit: Visit) -> Response:
    """Name the present state, so that it is found again."""
    visit.desk.check_version(visit.version)
    visit.desk.history.name(str(visit.form.get("branch", "")))
    return visit.go("/protect")


def _back(visit: Visit) -> str:
    back = str(visit.form.get("back", "protect"))
    return f"/{back}" if back.isalpha() else "/protect"
