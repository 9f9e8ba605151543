"""Results, each kept under a hash of all that it was made from, so that undoing finds it again."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.core import InputError
from indistinct.core.doors import read_file, write_whole
from indistinct.workbench.rollup import Rollup

__all__ = ["Store", "key_of"]

LARGEST = 4 << 30


def key_of(*parts: Any) -> str:
    """Return the hash of what something is made from.

    >>> key_of({"b": 1, "a": 2}) == key_of({"a": 2, "b": 1})
    True
    """
    written = json.dumps(parts, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(written.encode("utf-8")).hexdigest()[:40]


class Store:
    """A folder of results, for the holder alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def place(self, kind: str, key: str, ending: str = ".json") -> Path:
        """Return where a result stands."""
        return self._folder / f"{kind}-{key}{ending}"

    def read(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return a result; None where it is not known, or is damaged and must be made again."""
        place = self.place(kind, key)
        if not os.path.isfile(place):
            return None
        try:
            found = json.loads(read_file(place, "result", limit=LARGEST, kept=True))
        except (InputError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def read_arrays(self, kind: str, key: str) -> Mapping[str, Any]:
        """Return the arrays of a result."""
        content = read_file(self.place(kind, key, ".npz"), "result", limit=LARGEST, kept=True)
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return dict(arrays)

    def rollup(self, key: str) -> Rollup | None:
        """Return the key table that a count left; None where it is not known."""
        counted = self.read("count", key)
        if counted is None:
            return None
        arrays = self.read_arrays("count", key)
        names = tuple(counted["key"])
        climbs = tuple(arrays[f"climb{j}"] for j in range(len(names)))
        return Rollup(names, arrays["leaves"], arrays["counts"], arrays.get("people"), climbs)

    def keep(self, kind: str, key: str, content: Mapping[str, Any]) -> None:
        """Keep a result, whole or not at all; what is no number is kept as nothing."""
        text = json.dumps(_finite(content), ensure_ascii=False, allow_nan=False, default=str)
        write_whole(self.place(kind, key), text, private=True, own=True)


def _finite(content: Any) -> Any:
    """Return the same with None where there is no finite number."""
    if isinstance(content, Mapping):
        return {name: _finite(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content
