"""The application: every address goes to a screen's function, and every mistake to a clear page."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from indistinct.core import IndistinctError, InputError, load_every_module
from indistinct.core.doors import watching
from indistinct.files import BY_SUFFIX
from indistinct.workbench.desk import Busy, Desk, Stale
from indistinct.workbench.trees import HIERARCHY_ENDINGS
from indistinct.workbench.visiting import SCREENS, Visit
from indistinct.workbench.words import LANGUAGES, Words, load_words

__all__ = ["make_application"]

MOST_FORM = 2_000_000
"""Bytes of a form, which holds no file."""
MOST_FIELDS = 20_000
BROUGHT: dict[str, Iterable[str]] = {"open": BY_SUFFIX, "hierarchies": HIERARCHY_ENDINGS}
"""The screens to which files are brought along, and how the names of those end."""
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class _TooMuch(InputError):
    """A form that no page of the workbench sends."""


def make_application(desk: Desk) -> Starlette:
    """Return the application over a desk."""
    load_every_module("indistinct.workbench.screens")

    async def answer(request: Request) -> Response:
        words = load_words(request.cookies.get("language", "en"))
        name, _, rest = request.url.path.strip("/").partition("/")
        name = name or "open"
        found = SCREENS.get(name)
        function = found.answers.get((_method(request), rest)) if found is not None else None
        if rest == "bring" and name in BROUGHT and request.method == "POST":
            return await _receive(_visit(desk, words, name, request), request, BROUGHT[name])
        if found is None or function is None:
            return await run_in_threadpool(
                _mistake, _visit(desk, words, "open", request), words("error.no_page"), 404
            )
        visit = _visit(desk, words, name, request)
        try:
            if request.method == "POST":
                visit = _visit(desk, words, name, request, form=await _form(request))
            return await run_in_threadpool(_answered, visit, function)
        except _TooMuch as error:
            return await run_in_threadpool(_mistake, visit, str(error), 413)

    async def change_language(request: Request) -> Response:
        form = await _form(request)
        chosen = str(form.get("language", "en"))
        response = Response(status_code=303, headers={"Location": _own(form.get("back", "/"))})
        if chosen in LANGUAGES:
            response.set_cookie("language", chosen, httponly=True, samesite="strict", path="/")
        return response

    return Starlette(
        routes=[
            Route("/static/{name}", _static, methods=["GET"]),
            Route("/language", change_language, methods=["POST"]),
            Route("/{path:path}", answer, methods=["GET", "POST"]),
        ]
    )


def _method(request: Request) -> str:
    return "GET" if request.method == "HEAD" else request.method


def _own(address: Any) -> str:
    """Return an address of the workbench; one of elsewhere becomes the first page."""
    text = str(address)
    harmless = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable()
    return text if harmless else "/"


def _visit(
    desk: Desk, words: Words, name: str, request: Request, form: FormData | None = None
) -> Visit:
    return Visit(desk, words, name, request.query_params, form or FormData())


async def _form(request: Request) -> FormData:
    """Read a form that was sent, up to a limit of bytes and fields; a file is not among them."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM:
            raise _TooMuch("The form is larger than any that the workbench shows.")
    request._body = bytes(body)
    try:
        return await request.form(max_files=0, max_fields=MOST_FIELDS, max_part_size=MOST_FORM)
    except MultiPartException:
        raise _TooMuch("The form is not one that the workbench shows.") from None
    except Exception as error:  # Starlette turns it into a page of its own
        raise _TooMuch("The form is not one that the workbench shows.") from error


async def _receive(visit: Visit, request: Request, endings: Iterable[str]) -> Response:
    """Take a file that was dropped: its name in a header, its bytes as they are."""
    try:
        size = int(request.headers.get("content-length", ""))
    except ValueError:
        return PlainTextResponse(visit.words("open.no_size"), status_code=411)
    name = unquote(request.headers.get("x-name", ""))
    try:
        visit.desk.check_room(size)
        with visit.desk.receiving(name, endings) as aside:
            with aside.open("wb") as to:
                async for chunk in request.stream():
                    size -= len(chunk)
                    if size < 0:
                        raise InputError(visit.words("open.no_size"))
                    await run_in_threadpool(to.write, chunk)
            if size:
                raise InputError(visit.words("open.cut"))
    except ClientDisconnect:
        return PlainTextResponse(visit.words("open.cut"), status_code=400)
    except IndistinctError as error:
        return PlainTextResponse(str(error), status_code=400)
    return PlainTextResponse("")


def _answered(visit: Visit, function: Any) -> Response:
    """Answer, or say in a page what is wrong; what the project was, it is."""
    try:
        with watching():
            if visit.desk.project_name is not None:
                visit.desk.take_up()
            answered: Response = function(visit)
            return answered
    except Stale:
        return _mistake(visit, visit.words("stale.said"), 409)
    except Busy:
        return _mistake(visit, visit.words("stale.busy"), 409)
    except IndistinctError as error:
        return _mistake(visit, str(error), 400)
    except Exception as error:  # its words may hold values of records
        if os.environ.get("INDISTINCT_DEBUG"):
            raise
        said = visit.words("error.failed", kind=type(error).__name__)
        return _mistake(visit, said, 500)


def _mistake(visit: Visit, said: str, status: int) -> Response:
    try:
        return visit.page("mistake.html", status=status, said=said)
    except Exception:  # the project itself cannot be read any more
        return PlainTextResponse(f"indistinct: {said}\n", status_code=status)


@cache
def _asset(name: str) -> bytes | None:
    place = resources.files("indistinct.workbench") / "static"
    known = {one.name: one for one in place.iterdir()}
    return known[name].read_bytes() if name in known else None


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    content = _asset(name)
    kind = _TYPES.get(f".{name.rpartition('.')[2]}")
    if content is None or kind is None:
        return PlainTextResponse("indistinct: There is no such file.\n", status_code=404)
    return Response(content, media_type=kind)
