"""Starting the command line: one sentence for every mistake, and the exit code that fits.

What is decided here: a user's mistake never shows a traceback, and neither does a fault of the
program unless INDISTINCT_DEBUG is set, because a traceback may hold private values.
"""

from __future__ import annotations

import errno
import os
import sys

from indistinct.cli.app import app
from indistinct.errors import IndistinctError

__all__ = ["main"]

WRONG = 2
INTERRUPTED = 130
_STOPPED = "Interrupted. Nothing was written."


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        result = app(args=arguments, prog_name="indistinct", standalone_mode=True)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:  # so Typer leaves when it is interrupted, and says nothing
            return _say(_STOPPED, INTERRUPTED)
        return leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
    except IndistinctError as error:
        return _say(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _say(_STOPPED, INTERRUPTED)
    except MemoryError:
        return _say(
            "There is not enough memory. Set a limit with --memory, so that the work spills to "
            "disk, or use fewer key variables.",
            WRONG,
        )
    except BrokenPipeError:
        # the reader of our output has gone; there is nobody to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return WRONG
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _say("The disk is full. Nothing was written; free some space.", WRONG)
        return _fault(error)
    except Exception as error:
        return _fault(error)
    return int(result or 0)


def _fault(error: Exception) -> int:
    if os.environ.get("INDISTINCT_DEBUG"):
        raise error
    return _say(
        f"The program failed ({type(error).__name__}); this is a fault of its own. Nothing was "
        "written. Set INDISTINCT_DEBUG=1 to see where, and mind that this may show private values.",
        WRONG,
    )


def _say(sentence: str, code: int) -> int:
    print(f"indistinct: {sentence}", file=sys.stderr)
    return code
