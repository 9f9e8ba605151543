"""Prove and sign: the terms, a release on trial with its verdict, and the release itself."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from starlette.responses import Response

from indistinct.core import InputError
from indistinct.core.doors import read_file
from indistinct.project import POLICY_RULES, Contract, Release
from indistinct.prove import check_codes
from indistinct.workbench.forms import Field, changes_of, fields_of_section
from indistinct.workbench.visiting import Visit, screen

answering = screen("prove", place=80)

_TERMS = ("holder", "recipient", "purpose", "access", "format")
_LARGEST_REPORT = 200_000_000


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the terms, and the verdict on the present state if there is one."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    if desk.result("count") is None:
        return visit.waiting(desk.wanted("count"))
    job = desk.jobs.last("release", desk.key_for("release"))
    if job is not None and job.is_working:
        return visit.waiting(job)
    proved = desk.result("release")
    out = str(desk.content.get("release", {}).get("out", "release"))
    registers = desk.content.get("release", {}).get("registers", [])
    own = str(desk.content.get("data", {}).get("file", ""))
    return visit.page(
        "prove.html",
        fields=_fields(visit),
        proved=proved,
        failed=job if job is not None and job.state == "failed" else None,
        out=out,
        taken=os.path.lexists(desk.folder / out),
        rules=POLICY_RULES,
        registers=[(one.name, one.name in registers) for one in desk.data_files if one.name != own],
        reports=_reports(visit) if proved else [],
        trial=proved is not None and _is_trial(visit, proved),
        command=visit.command("run"),
    )


def _fields(visit: Visit) -> list[Field]:
    look = visit.desk.result("look")
    variables = [one["name"] for one in look["variables"]] if look else []
    content = visit.desk.content
    release = [
        one
        for one in fields_of_section(Release, "release", content, ())
        if one.setting[1] in _TERMS
    ]
    return [*release, *fields_of_section(Contract, "contract", content, variables)]


@answering("POST", "terms")
def say_terms(visit: Visit) -> Response:
    """Write the terms into the project."""
    changes = changes_of(_fields(visit), visit.form)
    known = {one.name for one in visit.desk.data_files}
    chosen = [str(name) for name in visit.form.getlist("register") if name in known]
    changes["release", "registers"] = chosen or None
    visit.desk.change(visit.version, changes, ("terms",))
    return visit.go("/prove")


@answering("POST", "accept")
def accept(visit: Visit) -> Response:
    """Accept reservations by their codes, in the project file, where everybody sees it."""
    codes = [str(code) for code in visit.form.getlist("code")]
    check_codes(codes)
    visit.desk.change(visit.version, {("release", "accept"): codes or None}, ("accepted",))
    return visit.go("/prove")


@answering("POST", "exception")
def make_exception(visit: Visit) -> Response:
    """Make an exception from a rule of the policy, in the project file, with its reason."""
    rule = str(visit.form.get("rule", ""))
    if rule not in POLICY_RULES:
        raise InputError(visit.words("prove.no_rule"))
    said = f"{rule}: {' '.join(str(visit.form.get('reason', '')).split())}"
    now = visit.desk.content.get("release", {}).get("exceptions", [])
    others = [one for one in now if not one.startswith(f"{rule}:")]
    visit.desk.change(visit.version, {("release", "exceptions"): [*others, said]}, ("exception",))
    return visit.go("/prove")


@answering("POST", "try")
def try_it(visit: Visit) -> Response:
    """Make the release in the private folder, to see its verdict."""
    desk = visit.desk
    desk.check_version(visit.version)
    place = _trial(visit)
    shutil.rmtree(place.parent, ignore_errors=True)
    os.makedirs(place.parent, mode=0o700)
    desk.wanted("release", again=True, out=str(place))
    return visit.go("/prove")


@answering("POST", "export")
def export(visit: Visit) -> Response:
    """Write the release: what the command line writes for the same project."""
    desk = visit.desk
    out = " ".join(str(visit.form.get("out", "")).split())
    if out != desk.content.get("release", {}).get("out"):
        desk.change(visit.version, {("release", "out"): out}, ("out", out))
    else:
        desk.check_version(visit.version)
    place = desk.project.release.out
    if place is None:
        raise InputError(visit.words("prove.no_out"))
    desk.wanted("release", again=True, out=str(place))
    return visit.go("/prove")


def _trial(visit: Visit) -> Path:
    return visit.desk.private / "trial" / "release"


def _is_trial(visit: Visit, proved: dict[str, Any]) -> bool:
    return Path(proved["release"]) == _trial(visit)


def _reports(visit: Visit) -> list[tuple[str, str]]:
    """Return the files that can be read, by the name of their address."""
    found = []
    for name, place in _readable(visit).items():
        if os.path.isfile(place):
            found.append((name, place.name))
    return found


def _readable(visit: Visit) -> dict[str, Path]:
    proved = visit.desk.result("release")
    if proved is None:
        return {}
    folder = Path(proved["release"])
    shareable = proved.get("shareable")
    return {
        "report": folder / "private" / "report.html",
        **({"shareable": Path(shareable)} if shareable else {}),
        "contract": folder / "contract.md",
        "methodology": folder / "methodology.md",
        "certificate": folder / "certificate.json",
    }


@answering("GET", "read")
def read(visit: Visit) -> Response:
    """Hand out a file of the release, to be saved and read: it never runs in the workbench."""
    place = _readable(visit).get(visit.query.get("what", "")) if visit.desk.project_name else None
    if place is None or os.path.islink(place) or not os.path.isfile(place):
        raise InputError(visit.words("prove.no_file"))
    content = read_file(place, "report", limit=_LARGEST_REPORT, kept=True)
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{place.name}"'},
    )
