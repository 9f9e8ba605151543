"""Compare: what every method would cost on the same records, and a map of risk and utility."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from indistinct.options import known_methods
from indistinct.workbench.visiting import Visit, screen

answering = screen("compare", place=60)

_WIDE, _HIGH, _LEFT, _TOP = 820, 320, 70, 20


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the methods side by side, if that was asked for."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    if desk.result("count") is None:
        return visit.waiting(desk.wanted("count"))
    found = desk.result("compare")
    job = desk.jobs.last("compare", desk.key_for("compare"))
    if found is None and job is not None and job.is_working:
        return visit.waiting(job)
    rows = found["rows"] if found else []
    for row in rows:
        row["meaning"] = known_methods()[row["method"]].meaning
    return visit.page(
        "compare.html",
        found=found,
        rows=rows,
        job=job if found is None else None,
        points=_points(rows),
        size=(_WIDE, _HIGH, _LEFT, _TOP),
        chosen=desk.content.get("release", {}).get("method", ""),
        command=visit.command("protect", "--compare"),
    )


def _points(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Place every method by what an intruder recognises and what is lost."""
    known = [r for r in rows if r["loss"] is not None and r["recognised"] is not None]
    most = max((r["loss"] for r in known), default=0) or 1
    worst = max((r["recognised"] for r in known), default=0) or 1
    placed = [
        {
            **row,
            "x": _LEFT + row["loss"] / most * (_WIDE - _LEFT - 110),
            "y": _TOP + (1 - row["recognised"] / worst) * (_HIGH - _TOP - 50),
        }
        for row in known
    ]
    taken = [(p["x"] - 8, p["y"] - 8, p["x"] + 8, p["y"] + 8) for p in placed]
    for point in placed:
        width = 7.5 * len(point["method"])
        for dx, dy in ((11, 4), (-11 - width, 4), (-width / 2, -12), (-width / 2, 21), (11, 20)):
            left, base = point["x"] + dx, point["y"] + dy
            box = (left, base - 11, left + width, base + 3)
            if not any(_overlap(box, other) for other in taken):
                break
        taken.append(box)
        point |= {"written": (left, base)}
    return placed


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@answering("POST")
def begin(visit: Visit) -> Response:
    """Begin to compare."""
    visit.desk.check_version(visit.version)
    visit.desk.wanted("compare", again=True)
    return visit.go("/compare")


@answering("POST", "use")
def use(visit: Visit) -> Response:
    """Take a method that was compared."""
    name = str(visit.form.get("method", ""))
    changes: dict[tuple[str, ...], Any] = {("release", "method"): name}
    for setting in visit.desk.content.get("method", {}):
        changes["method", setting] = None
    visit.desk.change(visit.version, changes, ("method", name))
    return visit.go("/protect")
