"""What a job does for tables: what they would reveal, and tables on trial or for publication."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct import flow
from indistinct.core import InputError
from indistinct.core.doors import read_file
from indistinct.release import note_on_project
from indistinct.tables import publishing
from indistinct.workbench.store import Store

if TYPE_CHECKING:
    from indistinct.tables.publishing import Publication

__all__ = ["publish", "weigh"]

MOST_CELLS = 200_000
"""Cells of a table that are kept to be shown; a larger one is in its file."""
EXPOSED = 10
"""Areas that are shown in which most people can be found."""
_LARGEST_PROJECT = 1_000_000


@contextmanager
def as_it_stands(request: Mapping[str, Any]) -> Iterator[flow.Data]:
    """Open a project as the command line does; refuse one that was changed since it was asked."""
    text = read_file(request["project"], "project file", limit=_LARGEST_PROJECT, kept=True)
    if text.decode("utf-8") != request["text"]:
        raise InputError("The project was changed meanwhile. Look at it, and try again.")
    with flow.open_data(request["project"]) as data:
        yield data


def weigh(request: dict[str, Any]) -> dict[str, Any]:
    """Count the tables and keep what they would reveal as they are; nothing is published."""
    store = Store(Path(request["results"]))
    with as_it_stands(request) as opened:
        assert opened.project is not None
        bare = replace(opened.project.publish, method=None, merge=False, out=None)
        data = replace(opened, project=replace(opened.project, publish=bare))
        found = publishing.publish_tables(data, publishing.Asked.of_texts())
        store.keep("tables", request["key"], _revealed(found))
    return {}


def _revealed(found: Publication) -> dict[str, Any]:
    risk = found.risk
    counted, uniques = risk.counted, risk.uniques
    worst = uniques.frtu_per_area.argsort(kind="stable")[::-1][:EXPOSED].tolist()
    told = {
        "safe": risk.is_safe,
        "tables": len(counted.layouts),
        "cells": counted.cells,
        "areas": len(counted.areas),
        "people": counted.records,
        "full": uniques.frtu,
        "part": uniques.prtu,
        "share": uniques.risk,
        "small": risk.small.to_dict()["below"],
        "threshold": risk.small.threshold,
        "revealed": risk.differencing.revealed,
        "learned": risk.attributes.to_dict()["individual_or_group"] if risk.attributes else None,
        "pairs": [pair.to_dict() for pair in risk.differencing.pairs],
        "exposed": [
            [
                str(counted.areas[n]),
                int(counted.area_sizes[n]),
                int(uniques.frtu_per_area[n]),
                float(uniques.risk_per_area[n]),
            ]
            for n in worst
            if uniques.frtu_per_area[n]
        ],
    }
    kept: dict[str, Any] = json.loads(json.dumps(told, default=_plain))
    return kept


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def publish(request: dict[str, Any]) -> dict[str, Any]:
    """Publish the tables as the project says; on trial into a folder that does not leave.

    A trial checks with the record of what was published, and adds nothing to it.
    """
    store = Store(Path(request["results"]))
    with as_it_stands(request) as data:
        asked, trial = publishing.Asked.of_texts(), request["trial"]
        if trial:
            place = Path(trial)
            shutil.rmtree(place.parent, ignore_errors=True)
            os.makedirs(place.parent, mode=0o700)
            assert data.project is not None
            record = data.project.publish.published
            if record is not None:
                if record.exists():
                    shutil.copyfile(record, place.parent / record.name)
                record = place.parent / record.name
            asked = publishing.Asked.of_texts(out=place, published=record)
        found = publishing.publish_tables(data, asked)
        assert found.folder is not None
        content = {
            "trial": bool(trial),
            "folder": str(found.folder.folder),
            "state": found.folder.state,
            "reservations": [dict(one) for one in found.folder.verdict["reservations"]],
            "attacks": list(found.folder.verdict["attacks"]),
            "geographies": list(found.geographies.told()) if found.geographies else [],
            "method": found.settings.method or "none",
            "tables": [_shown(one) for one in publishing.written_tables(data, found)],
        }
        store.keep("publish", request["key"], json.loads(json.dumps(content, default=_plain)))
        if not trial:
            told = {"tables": len(found.risk.counted.layouts), "method": found.settings.method}
            note_on_project(data.project, "tables", told, verdict=_verdict(found))
    return {}


def _verdict(found: Publication) -> str:
    if found.folder is not None and found.folder.state == "reservations":
        return "reservations"
    return "holds" if found.holds else "does not hold"


def _shown(one: Any) -> dict[str, Any]:
    shown = {
        "name": one.name,
        "dimensions": list(one.dimensions),
        "cells": len(one.numbers),
        "suppressed": int(one.suppressed.sum()),
        "changed": int(one.changed.sum()),
        "rows": None,
    }
    if len(one.numbers) <= MOST_CELLS:
        marks = np.where(one.suppressed, "s", np.where(one.changed, "c", ""))
        numbers = [
            None if hidden else n for n, hidden in zip(one.numbers, one.suppressed, strict=True)
        ]
        shown["rows"] = [
            list(row) for row in zip(*one.labels, numbers, marks.tolist(), strict=True)
        ]
    return shown
