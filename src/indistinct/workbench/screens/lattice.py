"""Lattice: every way to bring whole variables to levels, safe or not, and what each keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from indistinct.core import InputError
from indistinct.workbench.steps import changes_of_levels, levels_now
from indistinct.workbench.visiting import Visit, screen

answering = screen("lattice", place=55)

LISTED = 25
"""Safe nodes that are listed, those that keep most first."""
_SIDE, _GAP, _WIDE = 9, 2, 760
MOST_DRAWN = 12_000


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the lattice, if it was gone over."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    found = desk.result("lattice")
    job = desk.jobs.last("lattice", desk.key_for("lattice"))
    if found is None and job is not None and job.is_working:
        return visit.waiting(job)
    values: dict[str, Any] = {"found": found, "counted": counted, "job": job}
    if found is not None:
        values |= _pictured(visit, found)
    return visit.page(
        "lattice.html", **values, command=visit.command("protect", "--method", "optimal")
    )


def _pictured(visit: Visit, found: Mapping[str, Any]) -> dict[str, Any]:
    left_out, limits = _filters(visit, found)
    allowed = int(left_out * found["records"] / 100)
    nodes = [
        (tuple(levels), at_risk)
        for levels, at_risk in found["nodes"]
        if all(level <= limit for level, limit in zip(levels, limits, strict=True))
    ]
    safe = {levels for levels, at_risk in nodes if at_risk <= allowed}
    least = [levels for levels in safe if not any(one in safe for one in _below(levels))]
    risk = dict(nodes)
    heights = found["heights"]
    listed = [
        {
            "levels": levels,
            "at": ",".join(map(str, levels)),
            "kept": detail_kept(levels, heights),
            "at_risk": risk[levels],
        }
        for levels in least
    ]
    listed.sort(key=lambda one: (-one["kept"], one["levels"]))
    now = levels_now(visit.desk)
    return {
        "left_out": left_out,
        "limits": limits,
        "seen": len(nodes),
        "safe": len(safe),
        "least": listed[:LISTED],
        "more": max(0, len(listed) - LISTED),
        "drawing": _drawing(nodes, allowed, set(least), found["records"]),
        "now": tuple(now.get(name, 0) for name in found["key"]),
    }


def detail_kept(levels: Sequence[int], heights: Sequence[int]) -> float:
    """Return Sweeney's precision of a node: 1 where nothing climbs, 0 where all is suppressed.

    >>> detail_kept((1, 0), (2, 1))
    0.75
    """
    shares = [level / height for level, height in zip(levels, heights, strict=True) if height]
    return 1 - sum(shares) / max(1, len(heights))


def _below(levels: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the nodes from which one variable climbs one level to this one."""
    return [
        (*levels[:j], level - 1, *levels[j + 1 :]) for j, level in enumerate(levels) if level > 0
    ]


def _filters(visit: Visit, found: Mapping[str, Any]) -> tuple[float, tuple[int, ...]]:
    """Return what the address asks for: the percent left out, the highest level of each."""
    try:
        left_out = min(50.0, max(0.0, float(visit.query.get("left_out", "0") or 0)))
    except ValueError:
        left_out = 0.0
    limits = []
    for j, height in enumerate(found["heights"]):
        text = visit.query.get(f"limit.{j}", "")
        limits.append(min(height, int(text)) if text.isdigit() and len(text) < 4 else height)
    return (left_out if left_out == left_out else 0.0), tuple(limits)


def _drawing(
    nodes: Sequence[tuple[tuple[int, ...], int]],
    allowed: int,
    least: set[tuple[int, ...]],
    records: int,
) -> dict[str, Any]:
    """Place a square for every node: a band for each number of steps climbed, fewest first."""
    bands: dict[int, list[tuple[tuple[int, ...], int]]] = {}
    for levels, at_risk in nodes[:MOST_DRAWN]:
        bands.setdefault(sum(levels), []).append((levels, at_risk))
    per_line = (_WIDE - 60) // (_SIDE + _GAP)
    squares, words, y = [], [], 4
    for climbed in sorted(bands):
        band = sorted(bands[climbed], key=lambda one: one[1])
        words.append((climbed, y + _SIDE))
        for number, (levels, at_risk) in enumerate(band):
            kind = "least" if levels in least else "safe" if at_risk <= allowed else "risk"
            faint = 1.0 if at_risk <= allowed else 0.25 + 0.75 * at_risk / max(1, records)
            x = 60 + (number % per_line) * (_SIDE + _GAP)
            squares.append((x, y + number // per_line * (_SIDE + _GAP), kind, round(faint, 2)))
        y += (len(band) - 1) // per_line * (_SIDE + _GAP) + _SIDE + 8
    return {"squares": squares, "words": words, "wide": _WIDE, "high": y + 4, "side": _SIDE}


@answering("POST")
def begin(visit: Visit) -> Response:
    """Begin to go over the lattice."""
    visit.desk.check_version(visit.version)
    visit.desk.wanted("lattice", again=True)
    return visit.go("/lattice")


@answering("POST", "use")
def use(visit: Visit) -> Response:
    """Bring the variables to the levels of a node."""
    desk = visit.desk
    counted, found = desk.result("count"), desk.result("lattice")
    asked = str(visit.form.get("node", "")).split(",")
    nodes = {tuple(levels) for levels, _ in found["nodes"]} if found else set()
    levels = tuple(int(one) if one.isdigit() and len(one) < 4 else -1 for one in asked)
    if counted is None or levels not in nodes:
        raise InputError(visit.words("lattice.no_node"))
    wanted = dict(zip(counted["key"], levels, strict=True))
    names = ", ".join(name for name, level in wanted.items() if level)
    desk.change(visit.version, changes_of_levels(desk, counted, wanted), ("coarsened", names))
    return visit.go("/hierarchies")
