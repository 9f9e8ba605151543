"""Risk: how many people stand out, which variables give them away, and who they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.workbench.rollup import MOST, least_classes
from indistinct.workbench.steps import levels_now
from indistinct.workbench.visiting import Visit, screen

answering = screen("risk", place=40)

NAMED = 6
"""Variables that are named in a sentence."""
SHOWN = 40
"""Combinations that are shown of those that stand out."""


@answering("GET")
def show(visit: Visit) -> Response:
    """Show who stands out, for the k that is asked for or promised."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    counted = desk.result("count")
    if counted is None:
        return visit.waiting(desk.wanted("count"))
    return visit.page(
        "risk.html",
        **picture(visit, counted),
        **_of_population(visit),
        **_closer(visit),
        command=visit.command("uniques", "--k", str(_k(visit))),
    )


def _fraction(visit: Visit, given: Any) -> float | None:
    """Return the share of the population that the file has; None where weights say it."""
    variables = visit.desk.content.get("variables", {})
    if any(one.get("role") == "weight" for one in variables.values()):
        return None
    try:
        share = float(str(given).replace(",", ".")) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise InputError(visit.words("risk.bad_fraction"))
    return share


def _of_population(visit: Visit) -> dict[str, Any]:
    """Return the estimate that the address asks for, and the job that makes it."""
    desk, asked = visit.desk, visit.query.get("sample", "")
    weighted = any(v.get("role") == "weight" for v in desk.content.get("variables", {}).values())
    shown: dict[str, Any] = {"weighted": weighted, "sample": "", "population": None, "job": None}
    shown |= {"interval": None, "z": None}
    if asked:
        fraction = _fraction(visit, asked)
        key = desk.key_of_population(fraction)
        shown |= {"sample": "" if fraction is None else f"{100 * fraction:g}"}
        shown["population"] = desk.store.read("population", key)
        if shown["population"] is None:
            shown["job"] = desk.jobs.last("population", key)
        else:
            shown |= _interval(shown["population"])
    return shown


@answering("POST", "population")
def estimate(visit: Visit) -> Response:
    """Begin to estimate the risk in the population that the file is a sample of."""
    fraction = _fraction(visit, visit.form.get("sample", ""))
    visit.desk.wanted("population", again=True, fraction=fraction)
    return visit.go(f"/risk?sample={100 * fraction:g}" if fraction else "/risk?sample=w")


def _closer(visit: Visit) -> dict[str, Any]:
    """Return what a closer look found, or the job that takes it."""
    desk = visit.desk
    found = desk.result("closer")
    job = None if found is not None else desk.jobs.last("closer", desk.key_for("closer"))
    wildcard = desk.content.get("release", {}).get("missing") == "wildcard"
    return {"closer": found, "closer_job": job, "wildcard": wildcard}


@answering("POST", "closer")
def look_closer(visit: Visit) -> Response:
    """Begin to look closer: it takes the records themselves, and so a job."""
    if visit.desk.result("closer") is None:
        visit.desk.wanted("closer", again=True)
    return visit.go("/risk#closer")


def _interval(population: Mapping[str, Any]) -> dict[str, Any]:
    """Return the interval of an estimate and how far its model is believed, where they are known.

    The interval is that of the search for a model, which has one sampling fraction for all; where
    weights say otherwise and the estimate lies outside, it is not shown.
    """
    path = population.get("path") or {}
    ends = path.get("expected_population_uniques_interval") or [None, None]
    estimate = population.get("expected_population_uniques")
    known = estimate is not None and None not in ends
    steps, chosen = path.get("path") or [], path.get("chosen", -1)
    return {
        "interval": ends if known and ends[0] <= estimate <= ends[1] else None,
        "z": steps[chosen].get("z1") if 0 <= chosen < len(steps) else None,
    }


def _promised(visit: Visit) -> int:
    release = visit.desk.content.get("release", {})
    promised: int = release.get("k") or release.get("at_most", 4) + 1
    return max(2, min(MOST, promised))


def _k(visit: Visit) -> int:
    """Return the k that the address asks for, or the project's."""
    asked = visit.query.get("k", "")
    short = asked.isdigit() and len(asked) < 6
    return max(2, min(MOST, int(asked))) if short else _promised(visit)


def picture(visit: Visit, counted: dict[str, Any]) -> dict[str, Any]:
    """Return what the picture of the risk shows."""
    k, below, records = _k(visit), counted["below"], max(1, counted["records"])
    out = below[""][k]
    bands = [("1", 1, 2), ("2", 2, 3), ("3–4", 3, 5), ("5–9", 5, 10), ("10–19", 10, 20)]
    bands += [("20–99", 20, 100)]
    sizes = [(name, below[""][high] - below[""][low], high <= k) for name, low, high in bands]
    sizes.append((f"{MOST}+", counted["records"] - below[""][MOST], False))
    variables = [
        {
            "name": name,
            "label": counted["variables"][name]["label"],
            "without": below[name][k],
            "less": out - below[name][k],
            "alone": counted["alone"][name][k],
        }
        for name in counted["key"]
    ]
    return {
        "k": k,
        "most": MOST,
        "promised": _promised(visit),
        "counted": counted,
        "names": _told(visit, counted["key"]),
        "out": out,
        "unique": below[""][2],
        "share_out": out / records,
        "sizes": [(name, n, n / records, risky) for name, n, risky in sizes],
        "variables": sorted(variables, key=lambda one: -one["less"]),
        "slider": [below[""][one] / records for one in range(MOST + 1)],
    }


def _told(visit: Visit, key: list[str]) -> str:
    """Return the key in a sentence, the first of many."""
    if len(key) <= NAMED + 1:
        return ", ".join(key)
    return str(visit.words("risk.and_more", names=", ".join(key[:NAMED]), n=len(key) - NAMED))


@answering("GET", "picture")
def show_picture(visit: Visit) -> Response:
    """Show the picture for another k."""
    counted = visit.desk.result("count") if visit.desk.project_name is not None else None
    if counted is None:
        raise InputError(visit.words("error.no_count"))
    return HTMLResponse(visit.rendered("_picture.html", **picture(visit, counted)))


@answering("POST")
def promise(visit: Visit) -> Response:
    """Make a k the promise."""
    given = str(visit.form.get("k", ""))
    if not given.isdigit() or not 2 <= int(given[:6]) <= 100_000:
        raise InputError(visit.words("risk.bad_k"))
    changes: dict[tuple[str, ...], Any] = {("release", "k"): int(given)}
    if "at_most" in visit.desk.content.get("release", {}):
        changes["release", "at_most"] = None
    visit.desk.change(visit.version, changes, ("promised", given))
    return visit.go("/risk")


@answering("GET", "people")
def show_people(visit: Visit) -> Response:
    """Show the combinations that stand out most, because somebody asked for them."""
    desk = visit.desk
    counted = desk.result("count") if desk.project_name is not None else None
    if counted is None:
        raise InputError(visit.words("error.no_count"))
    table, k = desk.rollup, _k(visit)
    rows = []
    for row, size, given_away in least_classes(table, k, most=SHOWN):
        cells = []
        for j, name in enumerate(counted["key"]):
            code = int(table.climbs[j][0][table.leaves[row, j]])
            value = counted["labels"][j][code]
            word = counted["variables"][name]["labels"].get(str(value), "")
            cells.append((value, word, j in given_away))
        rows.append({"size": size, "cells": cells, "several": len(given_away) == 0})
    return HTMLResponse(
        visit.rendered("_people.html", rows=rows, counted=counted, k=k, levels=levels_now(desk))
    )
