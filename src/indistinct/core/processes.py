"""Processes of our own, apart from this one: they can be stopped, and what they spend is limited.

A child runs the function `serve` of a module and is told everything through its standard input,
first where Python finds its modules.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping

__all__ = ["start_process"]

_START = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from {module} import serve
serve()
"""


def start_process(module: str, *, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a process that serves; it must be told `sys.path` first, pickled."""
    return subprocess.Popen(
        [sys.executable, "-c", _START.format(module=module)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("INDISTINCT_DEBUG") else subprocess.DEVNULL,
        env=None if env is None else {**os.environ, **env},
    )
