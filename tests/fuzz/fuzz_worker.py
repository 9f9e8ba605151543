"""A process in which many commands are run, one after another, under limits of memory.

It reads one JSON list of arguments a line, and writes one JSON object a line: the exit code, and
what was said on either stream. Its own pipe is kept apart from the streams of the commands.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys

MEMORY = 6 << 30
SAID = 4_000_000


def main() -> None:
    """Answer until the pipe is closed."""
    answers = os.fdopen(os.dup(1), "w")
    questions = os.fdopen(os.dup(0), "r")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from indistinct.cli import run

    for line in questions:
        said = [os.memfd_create(name) for name in ("out", "err")]
        for stream, file in enumerate(said, 1):
            os.dup2(file, stream)
        try:
            code = run(json.loads(line))
        except BaseException as error:  # a traceback is what the fuzzer looks for
            code = f"{type(error).__name__}"
        with contextlib.suppress(ValueError, OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        texts = []
        for file in said:
            texts.append(os.pread(file, SAID, 0).decode("utf-8", "replace"))
            os.close(file)
        answers.write(json.dumps({"code": code, "out": texts[0], "err": texts[1]}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
