"""What is shown is harmless: text from strangers, escaped for the place where it is shown.

Names of columns and files, labels, aliases and values are anybody's text. A control character can
move a cursor or forge a line, a bidirectional mark can turn a sentence round, mark-up can run in a
browser, and a cell that begins with ``=`` is run by a spreadsheet. There is one function for each
place; all of them show such a character by its number (``\\x1b``, ``\\u202e``) instead.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from html import escape
from typing import Any

__all__ = [
    "FORMULA",
    "NUMBER",
    "for_csv",
    "for_html",
    "for_json",
    "for_markdown",
    "for_svg",
    "for_terminal",
    "from_csv",
    "is_harmful",
    "shortened",
    "visible",
]

LONGEST_WORD = 300
"""Characters without a blank that a terminal is shown; of more, the middle is left out."""

_PREPENDED = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Format characters that are seen: signs that stand before a number."""

_SPACES = "\t\n"


@cache
def is_harmful(letter: str) -> bool:
    """Say whether a character steers instead of being seen: control, direction, no width.

    >>> [is_harmful(letter) for letter in ("a", "é", "\\x1b", "\\x9b", "\\u202e", "\\u200b", "\\n")]
    [False, False, True, True, True, True, True]
    """
    kind = unicodedata.category(letter)
    if kind == "Cf":
        return letter not in _PREPENDED
    return kind in ("Cc", "Cs", "Zl", "Zp") or ord(letter) & 0xFFFE == 0xFFFE  # of no script


_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _number(letter: str) -> str:
    """Write a character by its number, as programs do."""
    code = ord(letter)
    if code < 0x100:
        return _SHORT.get(letter, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def visible(text: str, *, keep: str = "") -> str:
    """Return a text in which every character can be seen; those of `keep` stay as they are.

    >>> print(visible("age\\x1b[2J" + chr(0x202E)), visible("two\\nlines"))
    age\\x1b[2J\\u202e two\\nlines
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        _number(letter) if letter not in keep and is_harmful(letter) else letter for letter in text
    )


def shortened(word: str, most: int = LONGEST_WORD) -> str:
    """Return a word without its middle, where it is too long to be read.

    >>> shortened("x" * 12, most=8)
    'xxxx…xxx'
    """
    if len(word) <= most:
        return word
    return f"{word[: most // 2]}…{word[-(most - most // 2 - 1) :]}"


_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def for_terminal(text: str) -> str:
    """Return what may be written to a terminal: line breaks and tabs, and nothing that steers it.

    >>> print(for_terminal("\\x1b]0;title\\x07"))
    \\x1b]0;title\\x07
    """
    return _LONG_WORD.sub(lambda found: shortened(found[0]), visible(text, keep=_SPACES))


_SPECIAL = re.compile(
    r"[\\`*<\[\]|~]"  # code, emphasis, mark-up, links, cells
    r"|(?<!\w)_|_(?!\w)"  # between letters it is no emphasis
    r"|&(?=#?\w+;)"  # entities
    r"|!(?=\[)"
    r"|^(?=#{1,6}\s|>|[-+]\s|\d+[.)]\s|={3,}|-{3,})"  # headings, quotes, lists
)


def for_markdown(text: str, *, code: bool = False) -> str:
    """Return one line of Markdown that shows a text and does nothing else.

    With `code`, as code: the way to write names of variables, files and labels.

    >>> print(for_markdown("<script> of *zip_code*"), for_markdown("a`b", code=True))
    \\<script> of \\*zip_code\\* ``a`b``
    """
    line = visible(text)
    if not code:
        return _SPECIAL.sub(lambda found: f"\\{found[0]}", line)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    blank = " " if line[:1] in ("`", "") or line[-1:] == "`" or line.strip() == "" else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def for_html(text: str) -> str:
    """Return what may stand in an element or an attribute of a page.

    >>> print(for_html("<b onclick='x'>" + chr(27)))
    &lt;b onclick=&#x27;x&#x27;&gt;\\x1b
    """
    return escape(visible(text, keep=_SPACES))


def for_svg(text: str) -> str:
    """Return what may stand in an element or an attribute of a figure, any space as one blank.

    >>> for_svg('a <b> & "c"')
    'a &lt;b&gt; &amp; &quot;c&quot;'
    """
    return escape(visible(" ".join(text.split())))


def for_json(content: Any, **options: Any) -> str:
    """Return JSON in which no character steers: those are written by their number.

    >>> print(for_json({"name": "é" + chr(0x202E) + chr(0x9B)}))
    {"name": "é\\u202e\\u009b"}
    """
    text = json.dumps(content, ensure_ascii=False, **options)
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(
        json.dumps(letter)[1:-1] if letter != "\n" and _is_high(letter) else letter
        for letter in text
    )


def _is_high(letter: str) -> bool:
    """Say whether a character is one that JSON leaves as it is, and a terminal obeys."""
    return letter >= "\x7f" and is_harmful(letter)


FORMULA = r"(?s)^'*[=+\-@\t\r＝＋－＠]."
"""How a cell begins that a spreadsheet would run, however often it was marked as text."""

NUMBER = r"^'*[+-][0-9][0-9., ]*([eE][+-]?[0-9]+)?%?$"
"""What begins like a formula and is a number."""

_formula, _plain_number = re.compile(FORMULA), re.compile(NUMBER)


def _runs(text: str) -> bool:
    return bool(_formula.match(text)) and not _plain_number.match(text)


def for_csv(text: str) -> str:
    """Return the text of a cell that no spreadsheet runs: an apostrophe marks it as text.

    >>> for_csv("=1+1"), for_csv("-5"), for_csv("'=1+1"), for_csv("-")
    ("'=1+1", '-5', "''=1+1", '-')
    """
    return f"'{text}" if _runs(text) else text


def from_csv(text: str) -> str:
    """Return what a cell says, which `for_csv` wrote.

    >>> [from_csv(for_csv(text)) for text in ("=1+1", "'=1+1", "'tis")]
    ['=1+1', "'=1+1", "'tis"]
    """
    return text[1:] if text.startswith("'") and _runs(text) else text
