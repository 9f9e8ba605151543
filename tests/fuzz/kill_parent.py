"""A process that has the program ready, and runs each command in a child that it may end.

It reads a JSON object a line: `arguments`; `seconds` after which the child is killed (null to let
it end); and `interrupts`, seconds after which it and all that it started are interrupted, as by
Ctrl-C. It answers with the exit code, null where it was killed, and how long the child lived.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time


def main() -> None:
    """Answer until the pipe is closed."""
    answers, questions = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(0), "r")
    import indistinct.cli.starting  # noqa: F401  so that no child has to load it
    from indistinct.cli import run

    for line in questions:
        asked = json.loads(line)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            _become(asked["arguments"], asked["said"], run)
        for moment in asked.get("interrupts", ()):
            time.sleep(max(0.0, began + moment - time.monotonic()))
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGINT)
        code = _wait(child, began, asked["seconds"])
        answers.write(json.dumps({"code": code, "seconds": time.monotonic() - began}) + "\n")
        answers.flush()


def _become(arguments: list[str], said: str, run) -> None:  # type: ignore[no-untyped-def]
    code = 99
    os.setsid()
    with contextlib.suppress(BaseException):
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
        code = run(arguments)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as `main` does
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def _wait(child: int, began: float, seconds: float | None) -> int | None:
    while seconds is None or time.monotonic() - began < seconds:
        done, status = os.waitpid(child, 0 if seconds is None else os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    main()
