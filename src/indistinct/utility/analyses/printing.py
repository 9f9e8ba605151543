"""What all results here share: shares in words, and plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["by_side", "plain", "share"]


def plain(value: Any) -> Any:
    """Return what JSON can hold: text keys, Python numbers, None for what is not a number.

    >>> plain({1: np.float64("nan"), "b": (np.int64(2), 0.5)})
    {'1': None, 'b': [2, 0.5]}
    """
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def _key(key: Any) -> str:
    if key is None:
        return "missing"
    return " x ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def by_side(found: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what was found of each under original, released and difference.

    >>> by_side({"age": {"original": 1, "released": 3, "difference": 2, "bins": 5}})
    {'original': {'age': 1}, 'released': {'age': 3}, 'difference': {'age': 2}}
    """
    return {
        side: {name: one[side] for name, one in found.items()}
        for side in ("original", "released", "difference")
    }


def share(part: float) -> str:
    """Return a share in per cent, with digits enough that little is not shown as nothing.

    >>> share(0.1234), share(0.00031), share(0.0)
    ('12.3 %', '0.031 %', '0 %')
    """
    if part == 0:
        return "0 %"
    return f"{100 * part:.1f} %" if abs(part) >= 0.01 else f"{100 * part:.2g} %"
