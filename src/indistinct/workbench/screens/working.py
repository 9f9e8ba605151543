"""How far a job is; not in the navigation: whoever waits for something is here meanwhile."""

from __future__ import annotations

from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.workbench.jobs import Job
from indistinct.workbench.visiting import SCREENS, Visit, screen

answering = screen("working", place=1000)


def _job(visit: Visit, given: object) -> Job:
    text = str(given)
    job = visit.desk.jobs[int(text)] if text.isdigit() else None
    if job is None:
        raise InputError(visit.words("working.gone"))
    return job


@answering("GET", "far")
def show_how_far(visit: Visit) -> Response:
    """Answer with how far a job is; when it is done the page is asked for anew."""
    job = _job(visit, visit.query.get("job"))
    response = HTMLResponse(visit.rendered("_far.html", job=job))
    if not job.is_working:
        response.headers["HX-Refresh"] = "true"
    return response


@answering("POST", "stop")
def stop(visit: Visit) -> Response:
    """Stop a job."""
    visit.desk.jobs.stop(_job(visit, visit.form.get("job")))
    return visit.go(_back(visit))


@answering("POST", "again")
def begin_again(visit: Visit) -> Response:
    """Begin a job again that failed or was stopped."""
    job = _job(visit, visit.form.get("job"))
    if visit.desk.project_name is not None and job.kind in (
        "count",
        "protect",
        "compare",
        "lattice",
        "closer",
        "tables",
    ):
        visit.desk.wanted(job.kind, again=True)
    return visit.go(_back(visit))


def _back(visit: Visit) -> str:
    back = str(visit.form.get("back", "open"))
    return f"/{back}" if back in SCREENS else "/"
