"""JSON and TOML that were changed in one place or many, and a way to write TOML of any value."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

from fuzz_values import hostile_json
from hypothesis import strategies as st

__all__ = ["changed", "toml_text"]

Way = tuple[Any, ...]


def ways(content: Any, so_far: Way = ()) -> Iterator[Way]:
    """Yield the way to everything in a structure."""
    inner = content.items() if isinstance(content, dict) else enumerate(content)
    for step, value in inner:
        yield (*so_far, step)
        if isinstance(value, (dict, list)):
            yield from ways(value, (*so_far, step))


@st.composite
def changed(draw: st.DrawFn, content: Any) -> Any:
    """Draw a structure in which values were replaced, removed, repeated or buried."""
    content = copy.deepcopy(content)
    for _ in range(draw(st.integers(1, 3))):
        found = list(ways(content))
        if not found:
            break
        way = draw(st.sampled_from(found))
        holder = content
        for step in way[:-1]:
            holder = holder[step]
        match draw(st.sampled_from(["replace", "replace", "remove", "repeat", "bury", "add"])):
            case "replace":
                holder[way[-1]] = draw(hostile_json())
            case "remove":
                del holder[way[-1]]
            case "repeat" if isinstance(holder, list):
                holder[way[-1] : way[-1]] = [holder[way[-1]]] * draw(st.sampled_from([1, 3, 500]))
            case "bury":
                buried = holder[way[-1]]
                for _ in range(draw(st.sampled_from([1, 5, 60]))):
                    buried = draw(st.sampled_from([[buried], {"x": buried}]))
                holder[way[-1]] = buried
            case "add" if isinstance(holder, dict):
                holder[draw(st.sampled_from(["", "x", "kind", "steps", "\x1b[1m"]))] = draw(
                    hostile_json()
                )
    return content


def toml_text(content: Any) -> str:
    """Write any structure as TOML: sections at the top, everything below in one line."""
    lines = [f"{_key(n)} = {_value(v)}" for n, v in content.items() if not isinstance(v, dict)]
    for name, part in content.items():
        if isinstance(part, dict):
            lines.append(f"[{_key(name)}]")
            lines += [f"{_key(n)} = {_value(v)}" for n, v in part.items()]
    return "\n".join(lines) + "\n"


def _key(name: Any) -> str:
    return json.dumps(str(name))


def _value(value: Any) -> str:
    if value is None:
        return '""'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "nan"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(n)} = {_value(v)}" for n, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(str(value))
