"""Writing TOML: the few forms that a project file needs (https://toml.io/en/v1.0.0)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from indistinct.core import is_harmful, visible

__all__ = ["toml_comment", "toml_header", "toml_key", "toml_value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {
    "\b": r"\b",
    "\t": r"\t",
    "\n": r"\n",
    "\f": r"\f",
    "\r": r"\r",
    '"': r"\"",
    "\\": r"\\",
}


def toml_value(value: Any) -> str:
    """Write a value: text, a number, true or false, a list, or a table on one line.

    >>> toml_value({"kind": "intervals", "widths": [5, 10], "say": 'a "word"'})
    '{ kind = "intervals", widths = [5, 10], say = "a \\\\"word\\\\"" }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return str(value)


def toml_key(name: str) -> str:
    """Write a key, in quotes where it needs them.

    >>> toml_key("age"), toml_key("Marital Status")
    ('age', '"Marital Status"')
    """
    return name if _BARE.fullmatch(name) else _text(name)


def toml_header(*path: str) -> str:
    """Write the line that opens a section.

    >>> toml_header("variables", "Person ID")
    '[variables."Person ID"]'
    """
    return "[" + ".".join(map(toml_key, path)) + "]"


def toml_comment(text: str) -> str:
    """Write a comment of one line, whatever the text holds."""
    return f"# {visible(' '.join(text.split()))}".rstrip()


def _text(text: str) -> str:
    return '"' + "".join(map(_written, text)) + '"'


def _written(letter: str) -> str:
    if letter in _ESCAPES or not is_harmful(letter):
        return _ESCAPES.get(letter, letter)
    code = ord(letter)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
