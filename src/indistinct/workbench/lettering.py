"""What a job does for letters: read them with what is found in each, or write them scrubbed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import read_file, write_whole
from indistinct.scrub import Letters, scrub
from indistinct.workbench.store import Store

__all__ = ["look_at_letters", "scrub_letters"]

MOST_LETTERS = 500
"""Letters that are shown; all are written."""
LONGEST = 100_000
"""Characters of a letter that is shown."""


def _options(request: Mapping[str, Any], corrections: Path | None) -> dict[str, Any]:
    """Return what `scrub` is told, which is what the command line tells it."""
    settings = dict(request["settings"])
    secret = settings.pop("secret")
    return {**settings, "secret": Path(secret), "corrections": corrections}


@contextmanager
def _corrections(request: Mapping[str, Any]) -> Iterator[Path | None]:
    """Give the file of corrections as they were when the job was asked for; None without any."""
    if not request["corrections"]:
        yield None
        return
    with TemporaryDirectory(dir=Path(request["results"])) as folder:
        place = Path(folder) / "corrections.json"
        write_whole(place, json.dumps({"corrections": request["corrections"]}), private=True)
        yield place


def look_at_letters(request: dict[str, Any]) -> dict[str, Any]:
    """Find the references in letters, write none, and keep what is shown of each."""
    store = Store(Path(request["results"]))
    paths = [Path(one) for one in request["paths"]]
    with _corrections(request) as corrections, TemporaryDirectory(dir=request["results"]) as aside:
        options = _options(request, corrections)
        spans = Path(aside) / "spans.jsonl"
        done = scrub(paths, spans=spans, **options)
        raw = read_file(spans, "list of references", limit=4 << 30, kept=True)
        found = [json.loads(line) for line in raw.decode("utf-8").splitlines()]
    fields = {n: options[n] for n in ("patient_field",) if options.get(n) is not None}
    shown: list[dict[str, Any]] = []
    for document, one in zip(Letters(paths, **fields).documents(), found, strict=True):
        if len(shown) == MOST_LETTERS:
            break
        text = document.text or ""
        told = one["spans"] if len(text) <= LONGEST else []
        shown.append(
            {
                "id": str(document.id),
                "whose": str(document.id if document.patient is None else document.patient),
                "patient": document.patient is not None,
                "text": text if len(text) <= LONGEST else None,
                "after": _after(text, told),
                "spans": told,
                "number": len(one["spans"]),
                "withheld": one.get("withheld", ""),
            }
        )
    content = {"letters": shown, "documents": done.documents, "references": dict(done.references)}
    content |= {"threshold": done.threshold, "notes": [*done.notes, *done.warnings]}
    store.keep("letters", request["key"], content)
    return {}


def _after(text: str, spans: list[dict[str, Any]]) -> str:
    written, place = [], 0
    for one in spans:
        written += [text[place : one["start"]], one["replacement"]]
        place = one["end"]
    return "".join([*written, text[place:]])


def scrub_letters(request: dict[str, Any]) -> dict[str, Any]:
    """Write the letters without the people in them, as `indistinct scrub` does."""
    store = Store(Path(request["results"]))
    if os.path.lexists(request["out"]):
        raise InputError("This folder is there already, and is never written over.")
    with _corrections(request) as corrections:
        done = scrub(
            [Path(one) for one in request["paths"]],
            out=request["out"],
            **_options(request, corrections),
        )
    told = {"documents": done.documents, "not_written": done.not_written, "out": request["said"]}
    told |= {"replaced": done.replaced, "suppressed": done.suppressed, "verdict": done.verdict}
    told |= {"withheld": [[one.document, one.reason] for one in done.withheld]}
    told |= {"warnings": list(done.warnings)}
    store.keep("scrubbed", request["key"], told)
    return {}
