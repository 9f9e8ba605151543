"""Steps: the plan by hand, of whatever kinds of steps there are, each with its own form."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.options import known_methods
from indistinct.project import changed_project
from indistinct.protect import Step, step_kinds
from indistinct.workbench.forms import Field, fields_of_step, step_of
from indistinct.workbench.steps import with_steps
from indistinct.workbench.visiting import Visit, screen

answering = screen("steps", place=51)


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the steps of the project in their order, and a form for another."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    if desk.result("count") is None:
        return visit.waiting(desk.wanted("count"))
    tried = desk.jobs.of("steps")
    job = tried[-1] if tried else None
    if job is not None and job.is_working:
        return visit.waiting(job)
    failed = job is not None and job.state == "failed" and _is_of_now(visit, job.key)
    return visit.page(
        "steps.html",
        steps=_steps(visit),
        kinds=_offered(visit),
        failed=visit.words.known(job.error, job.error) if failed and job is not None else "",
        command=visit.command("protect", "--method", "steps"),
    )


def _is_of_now(visit: Visit, key: str) -> bool:
    return key.partition(" ")[0] == visit.desk.history.version


def _steps(visit: Visit) -> list[tuple[str, str]]:
    """Return the name of each step, and what it does."""
    found = []
    for name, content in visit.desk.content.get("steps", {}).items():
        try:
            found.append((name, Step.from_dict(content).describe()))
        except InputError:  # what the data complete when it is applied
            found.append((name, str(content.get("kind", ""))))
    return found


def _offered(visit: Visit) -> dict[str, str]:
    """Return every kind of which a form can ask all that it needs, with what it does."""
    return {name: _does(name) for name in step_kinds() if _fields(visit, name) is not None}


def _does(kind: str) -> str:
    """Return what a kind of step does, in its own first sentence."""
    return (step_kinds()[kind].__doc__ or "").partition("\n")[0]


def _fields(visit: Visit, kind: str) -> list[Field] | None:
    counted, look = visit.desk.result("count"), visit.desk.result("look")
    variables = [one["name"] for one in look["variables"]] if look else []
    release = visit.desk.content.get("release", {})
    usual: dict[str, Any] = {"key": counted["key"] if counted else [], "k": release.get("k")}
    return fields_of_step(step_kinds()[kind], variables, usual)


def _of_kind(visit: Visit, given: object) -> tuple[str, list[Field]]:
    kind = str(given)
    fields = _fields(visit, kind) if visit.desk.project_name and kind in step_kinds() else None
    if fields is None:
        raise InputError(visit.words("steps.no_kind"))
    return kind, fields


@answering("GET", "form")
def show_form(visit: Visit) -> Response:
    """Show what a step of one kind takes."""
    kind, fields = _of_kind(visit, visit.query.get("kind", ""))
    return HTMLResponse(visit.rendered("_step.html", does=_does(kind), fields=fields))


@answering("POST")
def add(visit: Visit) -> Response:
    """Add a step at the end, if it can be applied there."""
    kind, fields = _of_kind(visit, visit.form.get("kind", ""))
    content = visit.desk.content
    method = known_methods().get(content.get("release", {}).get("method", ""))
    if method is not None and method.family == "acting":
        raise InputError(visit.words("steps.not_with", method=method.name))
    step = step_of(step_kinds()[kind], fields, visit.form)
    taken = content.get("steps", {})
    numbered = (f"{kind} {number}" for number in range(2, len(taken) + 3))
    name = next(one for one in (kind, *numbered) if one not in taken)
    if kind != "shuffle":  # which gets more from the data
        Step.from_dict(step)
    settings: dict[tuple[str, ...], Any] = {}
    for one, value in step.items():
        settings["steps", name, one] = value
    return _try(visit, changed_project(visit.desk.history.text, settings), ("added", name))


@answering("POST", "remove")
def remove(visit: Visit) -> Response:
    """Take a step out, if those that follow can be applied without it."""
    names, at = _place(visit)
    return _try(
        visit,
        with_steps(visit.desk.history.text, [*names[:at], *names[at + 1 :]]),
        ("removed", names[at]),
    )


@answering("POST", "up")
def move_up(visit: Visit) -> Response:
    """Apply a step before the one that it followed, if both can be."""
    names, at = _place(visit)
    if at == 0:
        raise InputError(visit.words("steps.first"))
    order = [*names[: at - 1], names[at], names[at - 1], *names[at + 1 :]]
    return _try(visit, with_steps(visit.desk.history.text, order), ("moved", names[at]))


def _place(visit: Visit) -> tuple[list[str], int]:
    visit.desk.check_version(visit.version)
    names = list(visit.desk.content.get("steps", {}))
    name = str(visit.form.get("step", ""))
    if name not in names:
        raise InputError(visit.words("steps.no_step"))
    return names, names.index(name)


def _try(visit: Visit, text: str, what: tuple[str, ...]) -> Response:
    visit.desk.try_steps(visit.version, text, what)
    return visit.go("/steps")
