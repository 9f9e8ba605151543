"""Branches: two states of the project laid beside each other, by risk, change, levels and loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from indistinct.core import InputError
from indistinct.workbench.history import State
from indistinct.workbench.jobs import Job
from indistinct.workbench.steps import levels_now
from indistinct.workbench.visiting import Visit, screen

answering = screen("branches", place=65)

RECENT = 40
"""States that can be chosen: branches and named ones first, then those on the way here."""


@answering("GET")
def show(visit: Visit) -> Response:
    """Show two states side by side; what is not known of them is made first."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    if desk.result("count") is None:
        return visit.waiting(desk.wanted("count"))
    here = desk.history.at
    assert here is not None
    ends = [one for one in desk.history.ends() if one.number != here.number]
    others = [one for one in reversed(desk.history.line()) if one not in ends and one != here]
    offered = [here, *ends, *others][:RECENT]
    usual = [here, (ends or others or [here])[0]]
    chosen = [_asked(visit, name, one) for name, one in zip("ab", usual, strict=True)]
    sides = []
    for state in chosen:
        found = _side(visit, state)
        if isinstance(found, Job):
            return visit.waiting(found)
        sides.append(found)
    names = list(dict.fromkeys(name for side in sides for name in side["levels"]))
    return visit.page("branches.html", offered=offered, chosen=chosen, sides=sides, names=names)


def _asked(visit: Visit, name: str, usual: State) -> State:
    given, states = visit.query.get(name, ""), visit.desk.history.states
    if not given:
        return usual
    if not given.isdigit() or len(given) > 9 or int(given) >= len(states):
        raise InputError(visit.words("branches.no_state"))
    return states[int(given)]


def _side(visit: Visit, state: State) -> dict[str, Any] | Job:
    """Return what is known of a state, or the job that finds it out."""
    desk = visit.desk.standing_at(state.number)
    release = desk.content.get("release", {})
    side: dict[str, Any] = {
        "k": release.get("k") or release.get("at_most", 4) + 1,
        "method": str(release.get("method") or release.get("plan") or ""),
        "levels": {},
        "done": None,
        "failed": "",
    }
    for kind in ("count", *(["protect"] if side["method"] else [])):
        if desk.result(kind) is None:
            job = desk.wanted(kind)
            if job.is_working:
                return job
        if desk.result(kind) is None:  # it ended while nobody looked, or cannot be done
            last = desk.jobs.last(kind, desk.key_for(kind))
            side["failed"] = (last.error if last is not None else "") or visit.words("branches.not")
            return side
    counted = desk.result("count")
    assert counted is not None
    side["levels"] = _levels(counted, levels_now(desk))
    side["done"] = desk.result("protect") if side["method"] else None
    return side


def _levels(counted: Mapping[str, Any], now: Mapping[str, int]) -> dict[str, tuple[int, str]]:
    """Return for each variable of the key its level, and what that is called."""
    found = {}
    for name, words in zip(counted["key"], counted["level_words"], strict=True):
        level = min(now.get(name, 0), len(words) - 1)
        found[name] = level, words[level]
    return found
