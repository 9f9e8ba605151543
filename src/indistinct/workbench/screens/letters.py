"""Letters: the people found in each, corrected by whoever reads them, and written scrubbed."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import Response

from indistinct.core import InputError
from indistinct.core.doors import read_text, watching, write_whole
from indistinct.project import TextSettings
from indistinct.scrub import Correction
from indistinct.scrub.text import Kind
from indistinct.workbench.desk import PRIVATE, Stale
from indistinct.workbench.forms import Field, changes_of, fields_of_section
from indistinct.workbench.jobs import Job
from indistinct.workbench.store import key_of
from indistinct.workbench.visiting import Visit, screen

answering = screen("letters", place=100)

ENDINGS = (".txt", ".docx", ".odt", ".rtf", ".pdf", ".html", ".htm", ".eml", ".jsonl", ".ndjson")
ASKED = ("threshold", "reduce", "dates", "scope")
"""Settings of ``[text]`` that hold for letters, too."""
SURE = 0.9
"""The certainty from which a reference is marked as sure."""
LARGEST = 50_000_000
EVERYWHERE = "everywhere"


@answering("GET")
def show(visit: Visit) -> Response:
    """Show the letters and how many references each has; a letter itself on demand alone."""
    desk = visit.desk
    if desk.project_name is None:
        return visit.go("/open")
    state = _state(visit)
    found, failed, written = None, "", None
    if state["names"]:
        key = _key(visit, state)
        found = desk.store.read("letters", key)
        job = desk.jobs.last("letters", key)
        if found is None and (job is None or job.state == "done"):
            job = _begin(visit, "letters", state)
        writing = desk.jobs.last("scrubbed", key)
        for one in (job, writing):
            if one is not None and one.is_working:
                return visit.waiting(one)
            failed = one.error or one.state if one is not None and one.state != "done" else failed
        written = desk.store.read("scrubbed", key)
    given = visit.query.get("letter", "")
    letters = found["letters"] if found else []
    chosen = letters[int(given[:6])] if given.isdigit() and int(given[:6]) < len(letters) else None
    return visit.page(
        "letters.html",
        folders=_folders(visit),
        files=desk.listed(*ENDINGS),
        names=state["names"],
        patient_field=state["patient_field"],
        stamp=_stamp(state),
        fields=_fields(visit),
        found=found,
        failed=failed,
        written=written,
        letters=letters,
        chosen=chosen,
        at=int(given[:6]) if chosen is not None else None,
        marked=_marked(chosen) if chosen is not None and chosen["text"] is not None else None,
        kinds=[str(kind) for kind in Kind],
        said=list(_said_of(chosen, state)) if chosen is not None else [],
        out=state["out"],
        corrections=len(state["corrections"]),
        command=_command(visit, state),
    )


# What was chosen and said: in the private folder, because corrections hold words of letters.


def _place(visit: Visit) -> Path:
    return visit.desk.private / "letters.json"


def _state(visit: Visit) -> dict[str, Any]:
    state: dict[str, Any] = {"names": [], "patient_field": "", "corrections": [], "out": "scrubbed"}
    place = _place(visit)
    if os.path.isfile(place) and not os.path.islink(place):
        with watching():
            try:
                kept = json.loads(read_text(place, "list of letters", limit=LARGEST, kept=True))
            except ValueError:
                return state
        state |= {name: kept[name] for name in state if name in kept}
    state["names"] = [name for name in state["names"] if _is_there(visit, name)]
    return state


def _stamp(state: dict[str, Any]) -> str:
    """Return what a form says of the state that it was made from, so that two tabs do not mix."""
    return key_of(state)


def _keep(visit: Visit, before: dict[str, Any], **changes: Any) -> None:
    visit.desk.check_version(visit.version)
    if str(visit.form.get("stamp", "")) != _stamp(before):
        raise Stale("stale.said")
    text = json.dumps({**before, **changes}, ensure_ascii=False)
    with watching():
        write_whole(_place(visit), text, private=True, own=True)


def _folders(visit: Visit) -> list[str]:
    with os.scandir(visit.desk.folder) as entries:
        return sorted(
            one.name
            for one in entries
            if not one.name.startswith(".") and one.is_dir(follow_symlinks=False)
        )


def _is_there(visit: Visit, name: str) -> bool:
    known = [*_folders(visit), *(one.name for one in visit.desk.listed(*ENDINGS))]
    return name in known


def _settings(visit: Visit, state: dict[str, Any]) -> dict[str, Any]:
    """Return what `scrub` is told: the project's settings of texts, and its secret."""
    said = visit.desk.content.get("text", {})
    project = visit.desk.project.text
    settings = {name: said[name] for name in ASKED if name in said}
    if project.identities is not None:
        settings["identities"] = str(project.identities)
    secret = project.secret or visit.desk.private / "letters-secret"
    settings["secret"] = str(secret)
    if state["patient_field"]:
        settings["patient_field"] = state["patient_field"]
    return settings


def _key(visit: Visit, state: dict[str, Any]) -> str:
    digests = [[name, visit.desk.digest_of(name)] for name in state["names"]]
    return key_of("letters", digests, _settings(visit, state), state["corrections"])


def _begin(visit: Visit, kind: str, state: dict[str, Any], out: str = "") -> Job:
    desk = visit.desk
    key = _key(visit, state)
    request = {
        "kind": kind,
        "key": key,
        "results": str(desk.private / "results"),
        "paths": [str(desk.folder / name) for name in state["names"]],
        "settings": _settings(visit, state),
        "corrections": state["corrections"],
        "out": str(desk.folder / out) if out else "",
        "said": out,
    }
    return desk.jobs.start(kind, key, request)


def _command(visit: Visit, state: dict[str, Any]) -> str:
    """Return the command that writes the same letters, as it is typed in the folder."""
    folder = visit.desk.folder
    words = ["indistinct", "scrub", *(state["names"] or ["LETTERS"]), "--out", state["out"]]
    for name, value in _settings(visit, state).items():
        if name == "reduce":
            words += [] if value else ["--no-reduce"]
            continue
        shown = os.path.relpath(value, folder) if name in ("secret", "identities") else str(value)
        words += [f"--{name.replace('_', '-')}", shown]
    if state["corrections"]:
        words += ["--corrections", str(Path(PRIVATE, visit.desk.project_path.stem, "letters.json"))]
    return shlex.join(words)


def _fields(visit: Visit) -> list[Field]:
    fields = fields_of_section(TextSettings, "text", visit.desk.content, ())
    found = []
    for one in fields:
        if one.setting[1] in ASKED:
            found.append(_on_by_itself(one) if one.setting[1] == "reduce" else one)
    return found


def _on_by_itself(one: Field) -> Field:
    """Return a switch that is on where nothing is said."""
    value = True if one.value is None else one.value
    return Field(one.name, one.setting, one.meaning, one.widget, value=value, usual=True)


# A letter with its references marked.


def _marked(letter: dict[str, Any]) -> Markup:
    """Return the text with what was found marked: all that stood in the letter is escaped."""
    text, place, parts = letter["text"], 0, []
    for number, one in enumerate(letter["spans"], 1):
        parts.append(Markup("{}").format(text[place : one["start"]]))
        tone = "sure" if one["certainty"] >= SURE else "likely"
        parts.append(
            Markup('<mark class="{}">{}<sup>{}</sup></mark>').format(
                tone, text[one["start"] : one["end"]], number
            )
        )
        place = one["end"]
    parts.append(Markup("{}").format(text[place:]))
    return Markup("").join(parts)


def _said_of(letter: dict[str, Any], state: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the corrections that hold for a letter, each with its number among all."""
    for number, one in enumerate(state["corrections"]):
        if one["of"] in (None, letter["whose"]):
            yield number, one


# Changes.


@answering("POST", "choose")
def choose(visit: Visit) -> Response:
    """Say which files and folders are letters."""
    names = [str(one) for one in visit.form.getlist("name")]
    if not names or not all(_is_there(visit, name) for name in names):
        raise InputError(visit.words("letters.choose_one"))
    field = " ".join(str(visit.form.get("patient_field", "")).split())[:80]
    before = _state(visit)
    _keep(visit, before, names=names, patient_field=field)
    _forget_failed(visit)
    return visit.go("/letters")


@answering("POST", "settings")
def choose_settings(visit: Visit) -> Response:
    """Say from which certainty a reference is one, and what takes its place."""
    visit.desk.change(visit.version, changes_of(_fields(visit), visit.form), ("letters",))
    _forget_failed(visit)
    return visit.go("/letters")


def _forget_failed(visit: Visit) -> None:
    for kind in ("letters", "scrubbed"):
        for job in visit.desk.jobs.of(kind):
            visit.desk.jobs.forget(job)


def _letter(visit: Visit, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Return the letter that a form is of, as it was read."""
    found = visit.desk.store.read("letters", _key(visit, state)) if state["names"] else None
    given = str(visit.form.get("letter", ""))
    if found is None or not given.isdigit() or int(given[:6]) >= len(found["letters"]):
        raise InputError(visit.words("letters.none"))
    return int(given[:6]), found["letters"][int(given[:6])]


@answering("POST", "correct")
def correct(visit: Visit) -> Response:
    """Take what somebody says of a reference: that it is one, of which kind, or that it is none."""
    state = _state(visit)
    at, letter = _letter(visit, state)
    done, _, which = str(visit.form.get("do", "")).partition(".")
    if not which.isdigit() or int(which[:6]) >= len(letter["spans"]) or done not in ("is", "none"):
        raise InputError(visit.words("letters.none"))
    span = letter["spans"][int(which[:6])]
    words = letter["text"][span["start"] : span["end"]]
    kind = str(visit.form.get(f"kind.{which}", span["kind"])) if done == "is" else None
    return _say(visit, state, at, letter, words, kind)


@answering("POST", "add")
def add(visit: Visit) -> Response:
    """Take a reference that was not found: by its words, or from one sign to another."""
    state = _state(visit)
    at, letter = _letter(visit, state)
    text = letter["text"] or ""
    words = " ".join(str(visit.form.get("words", "")).split())
    start, end = (str(visit.form.get(name, "")) for name in ("start", "end"))
    if not words and start.isdigit() and end.isdigit():
        words = text[max(0, int(start[:9]) - 1) : int(end[:9])].strip()
    if not words or words not in text:
        raise InputError(visit.words("letters.no_words"))
    return _say(visit, state, at, letter, words, str(visit.form.get("kind", "")))


def _say(
    visit: Visit,
    state: dict[str, Any],
    at: int,
    letter: dict[str, Any],
    words: str,
    kind: str | None,
) -> Response:
    of = None if visit.form.get(EVERYWHERE) else letter["whose"]
    said = Correction(words, kind, of).to_dict()
    same = [one for one in state["corrections"] if (one["words"], one["of"]) != (words, of)]
    _keep(visit, state, corrections=[*same, said])
    return visit.go(f"/letters?letter={at}")


@answering("POST", "back")
def take_back(visit: Visit) -> Response:
    """Take back what was said."""
    state = _state(visit)
    at, _ = _letter(visit, state)
    given = str(visit.form.get("said", ""))
    if not given.isdigit() or int(given[:6]) >= len(state["corrections"]):
        raise InputError(visit.words("letters.none"))
    rest = [one for n, one in enumerate(state["corrections"]) if n != int(given[:6])]
    _keep(visit, state, corrections=rest)
    return visit.go(f"/letters?letter={at}")


@answering("POST", "export")
def export(visit: Visit) -> Response:
    """Write the letters: what the command line writes."""
    state = _state(visit)
    out = " ".join(str(visit.form.get("out", "")).split())
    if not state["names"]:
        raise InputError(visit.words("letters.choose_one"))
    place = visit.desk.place_of(out)
    if os.path.lexists(place):
        raise InputError(visit.words("prove.taken"))
    _keep(visit, state, out=out)
    _begin(visit, "scrubbed", state, out)
    return visit.go("/letters")
