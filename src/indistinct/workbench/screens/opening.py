"""Open: which file, how it was read, and what of it means that nothing is known."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.project import Data
from indistinct.workbench.forms import Field, changes_of, fields_of_section
from indistinct.workbench.visiting import Visit, screen

answering = screen("open", place=10)


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the folder, or what was opened."""
    desk = visit.desk
    drafting = [job for job in desk.jobs.working if job.kind == "draft"]
    if drafting:
        return visit.waiting(drafting[0])
    failed = None
    if desk.project_name is None:
        drafted = [job for job in desk.jobs.of("draft") if job.state == "failed"]
        failed = drafted[-1] if drafted else None
        return visit.page("open.html", look=None, failed=failed, codes=[])
    look = desk.result("look")
    if look is None or desk.result("count") is None:
        job = desk.wanted("count")
        if look is None:
            return visit.waiting(job)
    assert look is not None
    name = str(desk.content.get("data", {}).get("file", ""))
    return visit.page(
        "open.html",
        look=look,
        name=name,
        failed=None,
        codes=list(_codes(visit, look)),
        fields=_reading(visit),
        command=f"indistinct init {name}",
    )


def _reading(visit: Visit) -> list[Field]:
    """Return the fields of how a file is read; a query is for databases."""
    fields = fields_of_section(Data, "data", visit.desk.content, ())
    return [one for one in fields if one.setting[1] != "query"]


@answering("POST", "reading")
def read_otherwise(visit: Visit) -> Response:
    """Have the file read in another way: its sheet, its header, its encoding."""
    visit.desk.change(visit.version, changes_of(_reading(visit), visit.form), ("reading",))
    return visit.go("/open")


def _codes(visit: Visit, look: dict[str, Any]) -> list[dict[str, Any]]:
    """Return codes that look as if they meant that nothing is known."""
    declared = visit.desk.content.get("variables", {})
    found = []
    for number, one in enumerate(look["variables"]):
        said = declared.get(one["name"], {}).get("missing", [])
        for code in one["guess"]["missing"]:
            ticked = code in map(str, said)
            found.append({"at": number, "name": one["name"], "code": code, "ticked": ticked})
    return found


@answering("POST", "missing")
def say_what_is_missing(visit: Visit) -> Response:
    """Tick codes that mean missing."""
    look = visit.desk.result("look")
    if look is None:
        return visit.go("/open")
    ticked = set(visit.form.getlist("code"))
    changes: dict[tuple[str, ...], Any] = {}
    declared = visit.desk.content.get("variables", {})
    for number, one in enumerate(look["variables"]):
        guessed = one["guess"]["missing"]
        if not guessed:
            continue
        kept = [
            c for c in declared.get(one["name"], {}).get("missing", []) if str(c) not in guessed
        ]
        chosen = [code for code in guessed if f"{number}:{code}" in ticked]
        plain = [int(c) if c.lstrip("-").isdigit() else c for c in chosen]
        changes["variables", one["name"], "missing"] = [*kept, *plain] or None
    visit.desk.change(visit.version, changes, ("missing",))
    return visit.go("/open")


@answering("GET", "records")
def show_records(visit: Visit) -> Response:
    """Show the first records, because somebody asked for them."""
    look = visit.desk.result("look") if visit.desk.project_name is not None else None
    return HTMLResponse(visit.rendered("_records.html", look=look))


@answering("POST", "data")
def choose_data(visit: Visit) -> Response:
    """Draft a project for a file of records of the folder."""
    visit.desk.draft(str(visit.form.get("name", "")), {})
    return visit.go("/open")


@answering("POST", "project")
def choose_project(visit: Visit) -> Response:
    """Open a project of the folder."""
    visit.desk.open_project(str(visit.form.get("name", "")))
    return visit.go("/open")


@answering("POST", "noted")
def note_data(visit: Visit) -> Response:
    """Take note that the records changed on the disk."""
    visit.desk.check_version(visit.version)
    visit.desk.note_data()
    return visit.go("/open")


@answering("POST", "close")
def put_away(visit: Visit) -> Response:
    """Put the project away, to open another one; nothing is lost."""
    visit.desk.put_away()
    return visit.go("/open")
