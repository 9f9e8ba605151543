"""Result: the original and what would be released of it, side by side."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from indistinct.core import InputError
from indistinct.workbench.visiting import Visit, screen

answering = screen("result", place=70)


@answering("GET")
def show(visit: Visit) -> Response:
    """Show in words and figures what was changed."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    if desk.result("count") is None:
        return visit.waiting(desk.wanted("count"))
    done = desk.result("protect")
    if done is None and desk.content.get("release", {}).get("method"):
        return visit.waiting(desk.wanted("protect"))
    return visit.page("result.html", done=done, command=visit.command("utility", "RELEASE"))


@answering("GET", "records")
def show_records(visit: Visit) -> Response:
    """Show records beside what is released of them, because somebody asked."""
    done = visit.desk.result("protect") if visit.desk.project_name is not None else None
    if done is None:
        raise InputError(visit.words("error.no_count"))
    return HTMLResponse(visit.rendered("_beside.html", **beside(done["preview"])))


def beside(preview: dict[str, Any]) -> dict[str, Any]:
    """Return rows with the cells that changed marked, and where another household begins."""
    rows = []
    home = None
    for number, row in enumerate(preview["rows"], 1):
        after = row["after"]
        cells = [
            (before, None if after is None else after[j], after is not None and after[j] != before)
            for j, before in enumerate(row["before"])
        ]
        begins = bool(row["home"]) and row["home"] != home
        rows.append({"number": number, "cells": cells, "gone": after is None, "begins": begins})
        home = row["home"]
    return {"columns": preview["columns"], "rows": rows}
