"""A workbench that listens, and a client that says exactly what a test wants it to say."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
uvicorn = pytest.importorskip("uvicorn", reason="uvicorn is not installed")

from indistinct.workbench.app import make_application  # noqa: E402
from indistinct.workbench.desk import Desk  # noqa: E402
from indistinct.workbench.guarding import Guard  # noqa: E402

PEOPLE = "sex,town,age,ill\n" + "".join(
    f"{'mf'[i % 2]},{'abc'[i % 3]},{20 + i % 7},{'yn'[i % 5 == 0]}\n" for i in range(60)
)
PROJECT = """\
[data]
file = "people.csv"

[release]
k = 3
method = "local-recoding"
seed = 7
out = "release"
confirmed = false

[variables.sex]
role = "key"

[variables.town]
role = "key"

[variables.age]
role = "key"
level = "numeric"

[variables.ill]
role = "sensitive"
"""


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str
    cookies: list[str]


@dataclass
class Served:
    """A workbench under way; `cookies` are those that its browser has."""

    desk: Desk
    guard: Guard
    port: int
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str | None] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Send a request; what a header of None names is left out of those of a browser."""
        usual: dict[str, str | None] = {"Host": self.host}
        if self.cookies:
            usual["Cookie"] = "; ".join(f"{n}={v}" for n, v in self.cookies.items())
        usual["Sec-Fetch-Site"] = "same-origin"
        if method == "POST":
            usual["Origin"] = f"http://{self.host}"
            usual["Content-Type"] = "application/x-www-form-urlencoded"
        sent = {n: v for n, v in {**usual, **(headers or {})}.items() if v is not None}
        there = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            there.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                there.putheader(name, value)
            if body is not None and "Content-Length" not in sent:
                there.putheader("Content-Length", str(len(body)))
            there.endheaders(body)
            answer = there.getresponse()
            text = answer.read().decode("utf-8", "replace")
        finally:
            there.close()
        given = answer.headers.get_all("Set-Cookie") or []
        found = {name.lower(): value for name, value in answer.headers.items()}
        return Answer(answer.status, found, text, given)

    def get(self, path: str, **headers: str | None) -> Answer:
        return self.ask("GET", path, headers)

    def post(self, path: str, **form: str) -> Answer:
        return self.ask("POST", path, body=urlencode(form).encode())

    def change(self, path: str, **form: str) -> Answer:
        """Send a form of the present state."""
        return self.post(path, version=self.desk.history.version, **form)

    def begin(self) -> None:
        """Do as the browser that is started does."""
        answer = self.get(self.guard.start_address.partition(self.host)[2])
        assert answer.status == 303, answer.text
        name, _, value = answer.cookies[0].partition(";")[0].partition("=")
        self.cookies[name] = value

    def settle(self, kind: str, seconds: float = 60) -> None:
        """Wait until the jobs of a kind are over."""
        end = time.monotonic() + seconds
        while any(job.kind == kind for job in self.desk.jobs.working):
            assert time.monotonic() < end, f"{kind} takes too long"
            time.sleep(0.02)


@contextmanager
def serving(folder: Path, *, largest: int = 1_000_000) -> Iterator[Served]:
    """Serve a folder until the block ends."""
    import socket

    desk = Desk(folder, largest=largest)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    guard = Guard(make_application(desk), port=port)
    server = uvicorn.Server(
        uvicorn.Config(guard, access_log=False, log_level="critical", lifespan="off", ws="none")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(desk, guard, port)
    finally:
        server.should_exit = True
        desk.close()
        thread.join(10)
        listening.close()


def folder_with(place: Path, *, project: str | None = PROJECT) -> Path:
    """Make a folder with records, and a project."""
    place.mkdir(exist_ok=True)
    (place / "people.csv").write_text(PEOPLE)
    if project is not None:
        (place / "release.toml").write_text(project)
    return place
