"""A request as a screen sees it, and the page that it answers with."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import jinja2
from markupsafe import Markup
from starlette.datastructures import FormData, QueryParams
from starlette.responses import HTMLResponse, RedirectResponse, Response

from indistinct.core import InputError, visible
from indistinct.workbench.desk import Desk
from indistinct.workbench.jobs import Job
from indistinct.workbench.words import LANGUAGES, Words

__all__ = ["SCREENS", "Screen", "Visit", "screen"]


Answer = Callable[["Visit"], Response]
"""A function that answers a request."""


class Registering(Protocol):
    """Registers a function of a screen: under a method, and the rest of an address."""

    def __call__(self, method: str, rest: str = "") -> Callable[[Answer], Answer]:
        """Return what registers it."""


@dataclass(frozen=True)
class Screen:
    """A screen: its name, where it stands in the navigation, and what it answers.

    Parameters
    ----------
    name
        The first part of its addresses, and of the names of its texts.
    place
        Where it stands among the others.
    answers
        ``(method, rest of the address)`` to the function that answers.
    """

    name: str
    place: int
    answers: dict[tuple[str, str], Answer]


SCREENS: dict[str, Screen] = {}
"""Every screen by name; a module in `screens` registers its own."""


def screen(name: str, *, place: int) -> Registering:
    """Register a screen; what is returned registers its functions by method and address."""
    made = SCREENS.setdefault(name, Screen(name, place, {}))

    def answering(method: str, rest: str = "") -> Callable[[Answer], Answer]:
        def register(function: Answer) -> Answer:
            made.answers[method, rest] = function
            return function

        return register

    return answering


@dataclass(frozen=True)
class Visit:
    """One request: what is asked, in which language, and of which workbench."""

    desk: Desk
    words: Words
    screen: str
    query: QueryParams
    form: FormData

    @property
    def version(self) -> str:
        """The state of the project that the form was made from."""
        return str(self.form.get("version", ""))

    def go(self, address: str) -> Response:
        """Answer with another page: what was sent is done, and going back sends nothing again."""
        return RedirectResponse(address, status_code=303)

    def page(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """Answer with a whole page."""
        return HTMLResponse(self.rendered(template, **values), status_code=status)

    def rendered(self, template: str, **values: Any) -> str:
        """Return a template filled in."""
        desk = self.desk
        opened = desk.project_name is not None
        shared: dict[str, Any] = {
            "t": self.words,
            "known": self.words.known,
            "number": self.words.number,
            "share": self.words.share,
            "language": self.words.language,
            "languages": LANGUAGES,
            "screen": self.screen,
            "screens": sorted(SCREENS.values(), key=lambda one: one.place),
            "desk": desk,
            "opened": opened,
            "project": desk.project_name or "",
            "version": desk.history.version if opened else "",
            "command": "",
            "standing": standing(desk) if opened else None,
        }
        return _templates().get_template(template).render({**shared, **values})

    def waiting(self, job: Job) -> Response:
        """Answer with a page that shows how far a job is, and then what was waited for."""
        return self.page("waiting.html", job=job)

    def command(self, verb: str, *rest: str) -> str:
        """Return the command that does the same, as it is typed in the folder."""
        return shlex.join(["indistinct", verb, self.desk.project_name or "release.toml", *rest])


def standing(desk: Desk) -> dict[str, Any]:
    """Return what is always in sight: the promise, who stands out, what was changed."""
    release = desk.content.get("release", {})
    k = release.get("k") or (release["at_most"] + 1 if "at_most" in release else 5)
    method = release.get("method") or release.get("plan") or ""
    shown: dict[str, Any] = {"k": k, "method": method, "done": None, "changed": False}
    shown["undercut"] = _undercut(desk)
    try:
        counted, done = desk.result("count"), desk.result("protect")
        shown["changed"] = desk.data_changed()
    except Exception:  # the page that is shown says what is wrong with the project
        return shown
    if counted is not None:
        shown |= {
            "records": counted["records"],
            "people": counted["people"],
            "by_person": counted["person"] is not None,
            "at_risk": counted["below"][""][min(k, 100)],
        }
    if done is not None:
        names = ("after", "cells", "released", "claims_k", "guaranteed")
        shown["done"] = {name: done[name] for name in names}
    return shown


def _undercut(desk: Desk) -> list[str]:
    try:
        return desk.undercut
    except InputError as error:  # a policy that cannot be read blocks, and says why
        return str(error).split("\n")


@cache
def _templates() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("indistinct.workbench", "templates"),
        autoescape=True,
        finalize=_seen,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["bar"] = _bar
    return made


def _seen(value: Any) -> Any:
    """Show every sign of a word from a file, also those that turn or hide what stands beside."""
    return visible(value, keep="\n\t") if type(value) is str else value


def _bar(share: float, tone: str = "") -> Markup:
    """Draw a share of one as a bar; the number stands beside it, so that it is for the eye."""
    width = max(0.0, min(1.0, share)) * 100
    least = 1.5 if share > 0 else 0
    return Markup(
        '<svg class="bar {tone}" width="100" height="10" viewBox="0 0 100 10" aria-hidden="true">'
        '<rect class="track" width="100" height="10"/>'
        '<rect class="fill" width="{width:.1f}" height="10"/></svg>'
    ).format(tone=tone, width=max(width, least))
