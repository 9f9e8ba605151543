"""Detectors, one file each. A new file in this folder is a new detector.

A detector is a module with a function `detect(page)` that yields spans. It sees the page alone,
never what others have posted: they compete, and `board` decides.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module

from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

__all__ = ["Detector", "all_detectors"]

Detector = Callable[[Page], Iterable[Span]]


@lru_cache(maxsize=1)
def all_detectors() -> dict[str, Detector]:
    """Every detector by the name of its module, in alphabetical order."""
    folder = import_module("indistinct.scrub.text.detectors").__path__
    found = sorted(
        module.name for module in pkgutil.iter_modules(folder) if not module.name.startswith("_")
    )
    return {name: import_module(f"{__package__}.{name}").detect for name in found}
