"""Changing a project file: settings are replaced in its text, so that its comments stay.

Where the text has a form that cannot be changed in place, such as a table on one line, the file is
written anew from what it says, without comments. Either way the new text says what was wanted and
nothing else: it is read again before anybody gets it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from indistinct.core import InputError
from indistinct.options import find_lines, toml_header, toml_key, toml_value

__all__ = ["changed_project"]

Setting = tuple[str, ...]
"""The sections around a setting, and its name."""


def changed_project(text: str, changes: Mapping[Setting, Any]) -> str:
    r"""Return the text of a project file with other settings; None takes a setting out.

    A section that is named itself and gets None goes with all that is in it.

    >>> text = "# drafted\n[release]\nk = 5   # at least\n"
    >>> print(changed_project(text, {("release", "k"): 10, ("variables", "age", "role"): "key"}))
    # drafted
    [release]
    k = 10   # at least
    <BLANKLINE>
    [variables.age]
    role = "key"
    <BLANKLINE>
    """
    wanted = tomllib.loads(text)
    for setting, value in changes.items():
        _put(wanted, setting, value)
    for setting, value in changes.items():
        text = _with_setting(text, setting, value)
    if _says(text, wanted):
        return text
    return "\n".join(_written(wanted, ())).lstrip("\n") + "\n"


def _put(content: dict[str, Any], setting: Setting, value: Any) -> None:
    *sections, name = setting
    inner = content
    for section in sections:
        if value is None and section not in inner:
            return
        inner = inner.setdefault(section, {})
        if not isinstance(inner, dict):
            raise InputError(f"{toml_header(*sections)} is not a section of the project file.")
    if value is None:
        inner.pop(name, None)
    else:
        inner[name] = _plain(value)


def _plain(value: Any) -> Any:
    """Return a value as TOML gives it back."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def _says(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return _without_empty(tomllib.loads(text)) == _without_empty(wanted)
    except tomllib.TOMLDecodeError:
        return False


def _without_empty(content: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out sections of the file with nothing in them: they say nothing."""
    inner = {n: _without_empty(v) if isinstance(v, dict) else v for n, v in content.items()}
    return {n: v for n, v in inner.items() if v != {}}


def _with_setting(text: str, setting: Setting, value: Any) -> str:
    """Change one setting where it stands, or below the header of its section."""
    lines = text.split("\n")
    found = find_lines(text)
    *sections, name = setting
    if value is None and setting in found and lines[found[setting] - 1].lstrip().startswith("["):
        return _without_section(lines, setting)
    if setting in found:
        at = found[setting] - 1
        old = tomllib.loads(text)
        for part in setting:
            old = old[part]
        start = lines[at].split("=", 1)[0].rstrip() + " = "
        if value is None:
            del lines[at]
        else:
            lines[at] = start + toml_value(value) + _comment_behind(lines[at], old)
        return "\n".join(lines)
    if value is None:
        return text
    line = f"{toml_key(name)} = {toml_value(value)}"
    where = tuple(sections)
    header = toml_header(*sections)
    at = found[where] - 1 if where in found else -1
    if at >= 0 and lines[at].split("#")[0].strip() == header:
        lines.insert(_end_of_section(lines, at), line)
        return "\n".join(lines)
    return text.rstrip("\n") + f"\n\n{header}\n{line}\n"


def _comment_behind(line: str, old: Any) -> str:
    """Return the comment that follows a value on its line, with the blanks before it."""
    _, _, behind = line.partition(toml_value(old))
    return behind if behind.strip().startswith("#") else ""


def _end_of_section(lines: list[str], header: int) -> int:
    """Return where a line can be added to a section: after its last setting."""
    end = header + 1
    for at in range(header + 1, len(lines)):
        bare = lines[at].strip()
        if bare.startswith("["):
            break
        if bare and not bare.startswith("#"):
            end = at + 1
    return end


def _without_section(lines: list[str], section: Setting) -> str:
    """Take out a section from its header to the next, with the comment right above it."""
    header = toml_header(*section)
    at = next((i for i, line in enumerate(lines) if line.split("#")[0].strip() == header), None)
    if at is None:
        return "\n".join(lines)
    end = next(
        (i for i in range(at + 1, len(lines)) if lines[i].lstrip().startswith("[")), len(lines)
    )
    while end > at + 1 and lines[end - 1].lstrip().startswith("#"):
        end -= 1  # what stands right above the next section belongs to that
    while at > 0 and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return "\n".join([*lines[:at], *lines[end:]])


def _written(content: Mapping[str, Any], path: Setting) -> Iterator[str]:
    """Write sections below each other: what they say themselves, then those within them."""
    own = {n: v for n, v in content.items() if not isinstance(v, dict) or len(path) >= 2}
    inner = {n: v for n, v in content.items() if n not in own}
    if own and path:
        yield ""
        yield toml_header(*path)
    for name, value in own.items():
        yield f"{toml_key(name)} = {toml_value(value)}"
    for name, value in inner.items():
        yield from _written(value, (*path, name))
