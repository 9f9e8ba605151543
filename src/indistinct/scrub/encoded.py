"""Text inside text: what is encoded for the mail cannot be searched as it stands.

What is decided here: it is not decoded, because what would be written is another document than the
one given; it is withheld, with a word.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

__all__ = ["encoded_reason"]

LONG = 40
"""Characters from which a run of base64 is looked into by itself."""

_HEADER = re.compile(
    r"^[ \t>]*Content-Transfer-Encoding:\s*\"?(base64|quoted-printable)", re.IGNORECASE | re.M
)
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{LONG},}}")
_LINE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_READABLE = frozenset(b"\t\n\r" + bytes(range(32, 127)))


def encoded_reason(text: str) -> str:
    """Say why a text cannot be searched because of how it is encoded; nothing if it can be.

    >>> encoded_reason("Content-Transfer-Encoding: base64\\n\\nTXJzLiBMb25n")
    'is encoded as base64, in which nobody is found. Decode it first'
    >>> encoded_reason("Mrs. Long is well.")
    ''
    """
    header = _HEADER.search(text)
    if header is not None:
        return f"is encoded as {header[1].lower()}, in which nobody is found. Decode it first"
    if any(_is_text(run) for run in _runs(text)):
        return "holds text that is encoded as base64, in which nobody is found. Decode it first"
    return ""


def _runs(text: str) -> Iterator[str]:
    """Give what may be base64: long words, and lines of one word where most lines are so."""
    yield from (found[0] for found in _RUN.finditer(text))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    encoded = [line for line in lines if _LINE.fullmatch(line)]
    if len(encoded) >= 3 and 2 * len(encoded) > len(lines):
        yield "".join(line.rstrip("=") for line in encoded)


def _is_text(run: str) -> bool:
    """Say whether base64 holds readable text, in an encoding of Latin letters or in UTF-8."""
    whole = run[: len(run) // 4 * 4].translate(str.maketrans("-_", "+/"))
    raw = base64.b64decode(whole).replace(b"\0", b"")
    if len(raw) < 8:
        return False
    if sum(byte in _READABLE for byte in raw) >= 0.9 * len(raw):
        return True
    try:
        told = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(raw) - 4:
            return False
        told = raw[: error.start].decode("utf-8")  # a character that was cut at the end
    return all(sign.isprintable() or sign.isspace() for sign in told)
