"""On which line of a TOML file each key stands.

The standard library's reader forgets lines. This one goes over a text that is known to be valid
TOML 1.0 and keeps nothing else: the place of every section, key and list element.
"""

from __future__ import annotations

import re

__all__ = ["Lines", "Where", "find_lines"]

Where = tuple[str | int, ...]
"""Where a value stands: keys, and positions in lists."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_SCALAR = re.compile(r"[^,\]}#\r\n]*")
_STRING = re.compile(
    r'"""(?:\\[\s\S]|(?!""")[\s\S])*"{3,5}'
    r"|'''(?:(?!''')[\s\S])*'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_PLAIN = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


class Lines:
    """Lines by path; what has no line of its own stands where its nearest parent does."""

    def __init__(self, found: dict[Where, int]) -> None:
        self._found = found

    def __getitem__(self, path: Where) -> int:
        while path and path not in self._found:
            path = path[:-1]
        return self._found.get(path, 1)

    def __contains__(self, path: object) -> bool:
        return path in self._found


def find_lines(text: str) -> Lines:
    r"""Return the line, from 1, of every section, key and list element.

    >>> lines = find_lines('[release]\nk = 5\n[variables."a b"]\nhierarchy = { kind = "dates" }')
    >>> lines["release", "k"], lines["variables", "a b"], lines["variables", "a b", "hierarchy"]
    (2, 3, 4)
    """
    return Lines(_Scan(text).document())


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Where, int] = {}
        self.arrays: dict[Where, int] = {}
        self._counted = (0, 1)

    def document(self) -> dict[Where, int]:
        section: Where = ()
        self.skip(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                section = self.header()
            else:
                self.pair(section)
            self.skip(_BLANK)
        return self.found

    def header(self) -> Where:
        line = self.line()
        several = self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        keys = self.keys()
        self.at += 2 if several else 1
        path: Where = ()
        for place, key in enumerate(keys, start=1):
            path = (*path, key)
            self.found.setdefault(path, line)
            if several and place == len(keys):
                self.arrays[path] = self.arrays.get(path, -1) + 1
            if path in self.arrays:
                path = (*path, self.arrays[path])
        # a section may have been met before as the parent of another: its own line counts
        self.found[path] = line
        return path

    def pair(self, section: Where) -> None:
        line = self.line()
        path = section
        for key in self.keys():
            path = (*path, key)
            self.found.setdefault(path, line)
        self.at += 1  # the equals sign
        self.skip(_SPACE)
        self.value(path)

    def keys(self) -> list[str]:
        keys = []
        while True:
            self.skip(_SPACE)
            quoted = self.text[self.at] in "\"'"
            word = self.skip(_STRING if quoted else _BARE)
            keys.append(_unquoted(word) if quoted else word)
            self.skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return keys
            self.at += 1

    def value(self, path: Where) -> None:
        first = self.text[self.at]
        if first in "\"'":
            self.skip(_STRING)
        elif first == "[":
            self.inside("]", path)
        elif first == "{":
            self.inside("}", path)
        else:
            self.skip(_SCALAR)

    def inside(self, end: str, path: Where) -> None:
        """Go over a list or an inline table."""
        self.at += 1
        position = 0
        while True:
            self.skip(_BLANK)
            if self.text.startswith(end, self.at):
                self.at += 1
                return
            if end == "]":
                self.found[(*path, position)] = self.line()
                self.value((*path, position))
                position += 1
            else:
                self.pair(path)
            self.skip(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match is not None, "the text was read as TOML before"
        self.at = match.end()
        return match[0]

    def line(self) -> int:
        before, line = self._counted
        self._counted = (self.at, line + self.text.count("\n", before, self.at))
        return self._counted[1]


def _unquoted(word: str) -> str:
    if word[0] == "'":
        return word[1:-1]
    return _ESCAPE.sub(_character, word[1:-1])


def _character(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if escape[0] in "uU" else _PLAIN[escape]
