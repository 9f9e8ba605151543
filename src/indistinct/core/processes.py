"""Processes of our own, apart from this one: they can be stopped, and what they spend is limited.

A child runs the function `serve` of a module and is told everything through its standard input,
first where Python finds its modules. Packages may be *closed* there: their modules can be loaded,
their doorways are not, which would cost every child seconds and memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["start_process"]

_START = """
import pickle, sys, types
sys.path[:], packages = pickle.load(sys.stdin.buffer)
for name, path in packages.items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = path
from {module} import serve
serve()
"""


def start_process(
    module: str, *, closed: Sequence[str], env: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[bytes], Any]:
    """Start a process that serves, and return it with what it must be told first, pickled."""
    process = subprocess.Popen(
        [sys.executable, "-c", _START.format(module=module)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("INDISTINCT_DEBUG") else subprocess.DEVNULL,
        env=None if env is None else {**os.environ, **env},
    )
    packages = {name: list(sys.modules[name].__path__) for name in closed if name in sys.modules}
    return process, (sys.path, packages)
