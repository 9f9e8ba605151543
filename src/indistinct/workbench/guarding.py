"""Who may talk to the workbench: the browser that was started with it, and nobody else.

What is decided here. The pages show records about people, so

- the server listens on the loopback address alone, and a request must name it: any other ``Host``
  is somebody who pointed a name of his own at 127.0.0.1 (DNS rebinding);
- the address that starts it holds a random token that works once and becomes a cookie that scripts
  cannot read (HttpOnly) and other sites cannot send (SameSite=Strict);
- whatever changes something must come from a page of the workbench itself: ``Origin`` and
  ``Sec-Fetch-Site`` say so, and browsers let no page write these;
- a page may load what the workbench serves and nothing else, and runs no script and no style that
  stands in it; nothing is kept by the browser or shown within another page;
- nothing is logged: addresses hold no values, but they say what somebody looks at.
"""

from __future__ import annotations

import hmac
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard"]

_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # with `no-referrer` browsers would not say, either, where a form was sent from
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_OWN_SITES = ("same-origin", "none")
"""What `Sec-Fetch-Site` says of a page's own requests, and of an address that somebody typed."""

START = "/start"


class Guard:
    """Lets through what comes from the browser that was started, and says nothing to others.

    Parameters
    ----------
    app
        The application behind it.
    port
        Where it listens.
    """

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._cookie = f"indistinct-{port}"
        self._token: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self._port = port
        self.last_request = time.monotonic()

    @property
    def start_address(self) -> str:
        """The address that starts the workbench in a browser, once."""
        return f"http://127.0.0.1:{self._port}{START}?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no sockets here

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        answer = self._refusal(scope) or self._beginning(scope)
        if answer is None and not self._is_known(scope):
            answer = _refused(403, "Start the workbench again, and use the address that it prints.")
        if answer is None:
            self.last_request = time.monotonic()
            await self._app(scope, receive, guarded)
        else:
            await answer(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """Refuse other hosts, other methods, and what another page sends."""
        host = _header(scope, "host")
        if host not in self._hosts:
            return _refused(421, "The workbench answers to 127.0.0.1 alone.")
        site = _header(scope, "sec-fetch-site")
        if scope["method"] in ("GET", "HEAD"):
            if site is not None and site not in _OWN_SITES and scope["path"] != START:
                return _refused(403, "Another page asked for this.")
            return None
        if scope["method"] != "POST":
            return _refused(405, "The workbench is looked at, or sent a form.")
        if _header(scope, "origin") != f"http://{host}" or site != "same-origin":
            return _refused(403, "Only a page of the workbench may change something.")
        return None

    def _beginning(self, scope: Scope) -> Response | None:
        """Take the token, once, and give the cookie for it."""
        if scope["path"] != START:
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.get("token", [""])[0]
        if self._token is None or not hmac.compare_digest(given.encode(), self._token.encode()):
            return _refused(
                403, "This address was used before. Start the workbench again for another one."
            )
        self._token = None
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return answer

    def _is_known(self, scope: Scope) -> bool:
        try:
            cookies = SimpleCookie(_header(scope, "cookie") or "")
        except CookieError:
            return False
        given = cookies.get(self._cookie)
        return given is not None and hmac.compare_digest(
            given.value.encode(), self._session.encode()
        )


def _header(scope: Scope, name: str) -> str | None:
    """Return a header that is there once; one that is there twice is not believed."""
    found = [value for key, value in scope["headers"] if key.lower() == name.encode()]
    return found[0].decode("latin-1") if len(found) == 1 else None


def _refused(status: int, sentence: str) -> Response:
    return PlainTextResponse(f"indistinct: {sentence}\n", status_code=status)
