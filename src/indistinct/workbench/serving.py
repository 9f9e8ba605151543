"""Serving the workbench on the loopback address, until nobody is there any more."""

from __future__ import annotations

import asyncio
import contextvars
import socket
import time
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from indistinct.core import InputError
from indistinct.project import load_policy

__all__ = ["serve_workbench"]

IDLE = 30 * 60.0
"""Seconds without a request after which it closes, if no job is under way."""


def serve_workbench(
    folder: str | Path = ".",
    *,
    data: str | None = None,
    project: str | None = None,
    port: int | None = None,
    browser: bool = True,
    idle: float = IDLE,
    policy: Sequence[str | Path] = (),
    say: Callable[[str], None] = print,
) -> None:
    """Show a folder's data and projects in a browser, until it is closed or left alone.

    Parameters
    ----------
    folder
        Where data and projects are. Nothing outside of it is touched.
    data, project
        The file of it to begin with, by its name.
    port
        Where to listen, at 127.0.0.1; by default where there is room.
    browser
        Whether the browser is opened; else the address is told.
    idle
        Seconds without a request after which it closes.
    policy
        Policies of the organisation that hold for every project, beside those that it names.
    say
        Gets the address.
    """
    # what the verb reads and writes is none of what the pages do
    contextvars.Context().run(
        _serve,
        Path(folder),
        data,
        project,
        port,
        browser=browser,
        idle=idle,
        policy=[Path(one).resolve() for one in policy],
        say=say,
    )


def _serve(
    folder: Path,
    data: str | None,
    project: str | None,
    port: int | None,
    *,
    browser: bool,
    idle: float,
    policy: Sequence[Path],
    say: Callable[[str], None],
) -> None:
    try:
        import uvicorn

        from indistinct.workbench.app import make_application
        from indistinct.workbench.guarding import Guard
    except ImportError as error:
        raise InputError(
            f"The workbench needs {error.name}. Install it with: "
            "pip install 'indistinct[workbench]'"
        ) from None
    from indistinct.workbench.desk import Desk

    desk = Desk(folder, policy=policy)
    for one in policy:
        load_policy(one)
    if project is not None:
        desk.open_project(project)
    elif data is not None:
        desk.open_data(data)
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind(("127.0.0.1", port or 0))
    except OSError as error:
        raise InputError(
            f"Port {port} cannot be used: {error.strerror}. Choose another with --port."
        ) from None
    guard = Guard(make_application(desk), port=listening.getsockname()[1])
    server = uvicorn.Server(
        uvicorn.Config(
            guard,
            access_log=False,
            log_level="error",
            server_header=False,
            date_header=False,
            ws="none",
            lifespan="off",
            timeout_graceful_shutdown=3,
        )
    )
    say(guard.start_address)
    if browser:
        webbrowser.open(guard.start_address)

    async def close_when_idle() -> None:
        while not server.should_exit:
            await asyncio.sleep(min(1.0, idle / 4))
            if desk.jobs.working:
                guard.last_request = time.monotonic()
            if time.monotonic() - guard.last_request > idle:
                server.should_exit = True

    async def serve() -> None:
        watcher = asyncio.create_task(close_when_idle())
        await server.serve(sockets=[listening])
        watcher.cancel()

    try:
        asyncio.run(serve())
    finally:
        desk.close()
        listening.close()
