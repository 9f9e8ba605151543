"""A fault of the program: told without a value, and kept in a private file that may be sent.

What is decided here: the file says where in the code the program was, and in which versions, and
nothing that was given to it or read by it. No message of an error is kept and no local value,
because either may hold the value of a cell; of the command line only the verb and the names of its
options.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from indistinct import __version__

__all__ = ["FAULT", "crash_report", "errors_behind", "tell_fault"]

FAULT = 70
"""The exit code of a fault of the program: what sysexits.h calls an internal software error."""

_LIBRARIES = "duckdb numba numpy pandas pyarrow pyreadstat pyspark rich scipy typer".split()


def tell_fault(error: BaseException, arguments: Sequence[str], command: Any) -> str:
    """Write the crash file, and return the sentence that says where it is."""
    said = f"The program failed ({type(error).__name__}). This is a fault of its own, not yours."
    path = _write_private(crash_report(error, arguments, command))
    if path is None:
        return f"{said} No crash file could be written."
    return (
        f"{said} Where it happened is in {path}, without any value or message: read it, and send "
        "it to whoever gave you the program (see SECURITY.md)."
    )


def crash_report(error: BaseException, arguments: Sequence[str], command: Any) -> str:
    """Return what may be told of a fault: versions, verb, names of options, places in the code."""
    verb, options = _asked(arguments, command)
    lines = [
        "A fault of indistinct. This file holds no values, messages, names of files or variables.",
        "",
        f"indistinct  {__version__}",
        f"python      {platform.python_version()} ({platform.python_implementation()})",
        f"system      {platform.system()} {platform.release()} {platform.machine()}",
        *(f"{name:<12}{version}" for name, version in _versions()),
        f"verb        {verb}",
        f"options     {' '.join(options) or '-'}",
    ]
    for one in errors_behind(error):
        kind = type(one)
        lines += ["", f"{kind.__module__}.{kind.__qualname__}"]
        lines += [
            f"  {_place(frame.filename)}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(one.__traceback__)
        ]
    return "\n".join(lines) + "\n"


def errors_behind(error: BaseException) -> Iterator[BaseException]:
    """Give an error, what caused it, and so on."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _asked(arguments: Sequence[str], command: Any) -> tuple[str, list[str]]:
    """Return the verb and the options that it has: what is no name of the program's is not told."""
    verbs = getattr(command, "commands", {})
    verb = next((word for word in arguments if word in verbs), "-")
    known = {
        name for parameter in getattr(verbs.get(verb), "params", ()) for name in parameter.opts
    }
    given = [word.partition("=")[0] for word in arguments]
    return verb, sorted({word for word in given if word in known and word.startswith("--")})


def _versions() -> Iterator[tuple[str, str]]:
    for name in _LIBRARIES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _place(path: str) -> str:
    """Return where a file is below the folder of its package; the folders above name people."""
    for root in sorted((str(Path(entry).resolve()) for entry in sys.path), key=len, reverse=True):
        if path.startswith(root + os.sep):
            return path[len(root) + 1 :]
    return Path(path).name


def _write_private(text: str) -> Path | None:
    """Write a file that only its owner can read, and return where it is."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (Path(state) / "indistinct", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = folder / name
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        return path
    return None
