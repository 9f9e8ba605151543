"""What a cluster lacks, in a sentence: Spark's own errors are forty lines, and may show values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from indistinct.core import InputError

__all__ = ["telling_failures"]

_WORKER = (
    "A process that did some of the work ended: it was killed, or its memory was out. Use fewer "
    "threads, or give the machines more memory."
)
_SIGNS = {
    "ModuleNotFoundError": "A machine of the cluster lacks a library. Install indistinct[spark] in "
    "the Python that its tasks run (PYSPARK_PYTHON).",
    "Cannot run program": "The Python that the tasks should run cannot be started. Set "
    "PYSPARK_PYTHON to one that every machine of the cluster has, or leave it out.",
    "Python worker exited unexpectedly": _WORKER,
    "pyspark.daemon": _WORKER,
    "OutOfMemoryError": "The memory of Spark is out. Give it more with --memory, or use fewer key "
    "variables.",
}
_ENDED = (
    "Spark ended while it was at work: it was killed, or its memory was out. Begin again, with "
    "more or less --memory, or without --engine spark."
)


@contextmanager
def telling_failures(*shared: Path) -> Iterator[None]:
    """Let Spark work inside; where it fails for a reason of its surroundings, say which.

    `shared` are the paths that all machines must see.
    """
    from py4j.protocol import Py4JError, Py4JNetworkError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JNetworkError, ConnectionError, EOFError):
        raise InputError(_ENDED) from None
    except (Py4JError, PySparkException) as error:
        text = _text(error)
        for sign, sentence in _SIGNS.items():
            if sign in text:
                raise InputError(sentence) from None
        if "FileNotFoundError" in text:
            seen = " or ".join(map(str, shared))
            raise InputError(
                f"A machine of the cluster does not see {seen}. Put the file and the workspace in "
                "a folder that all machines share."
            ) from None
        raise


def _text(error: Exception) -> str:
    """Return what Java says of an error; where it has gone, nothing."""
    try:
        return str(error)
    except Exception:  # its message is asked for from a process that has ended
        return ""
