"""Bytes made text, or a word why they are not text.

What is decided here: text is never guessed at. A byte order mark tells the encoding, UTF-16 without
one is recognised by its zeros, anything else must be what the user declared, without exception:
letters that are misread are letters in which names are not found.
"""

from __future__ import annotations

import codecs
import re

from indistinct.core import InputError

__all__ = ["NotText", "check_encoding", "decoded"]

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OTHER = (
    (b"PK\x03\x04", "is a zipped file, and no letter by its name. Unpack it first"),
    (
        b"\xd0\xcf\x11\xe0",
        "is an old Word file or protected by a password. Save it as .docx, without one",
    ),
    (b"\x1f\x8b", "is compressed. Unpack it first"),
    (b"PAR1", "is a Parquet file. Name its text columns with --columns"),
)
_HEAD = 4096
_BINARY = "is not text but binary data"
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class NotText(Exception):
    """What was read is not text; the words follow the name of the place."""


def check_encoding(name: str) -> str:
    """Refuse an encoding that nobody knows.

    >>> check_encoding("latin1")
    'iso8859-1'
    """
    try:
        known = codecs.lookup(name)
        if not known._is_text_encoding:
            raise LookupError
    except (LookupError, ValueError):
        raise InputError(
            f"There is no character encoding '{name}'. Known are utf-8, latin-1, cp1252 and others."
        ) from None
    return known.name


def decoded(raw: bytes, encoding: str) -> str:
    """Return the text of some bytes, or raise `NotText` with the reason.

    >>> decoded("Zoë".encode("utf-16"), "utf-8")
    'Zoë'
    >>> decoded(b"PAR1 ...", "utf-8")
    Traceback (most recent call last):
    ...
    indistinct.scrub.decoding.NotText: is a Parquet file. Name its text columns with --columns
    """
    for start, words in _OTHER:
        if raw.startswith(start):
            raise NotText(words)
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    name = marked or _by_zeros(raw[:_HEAD]) or encoding
    if name is encoding and _is_utf_8_instead(raw, encoding):
        raise NotText(f"is UTF-8, not {encoding}")
    try:
        text = raw.decode(name)
    except UnicodeError:
        if b"\0" in raw[:_HEAD] and marked is None:
            raise NotText(_BINARY) from None
        raise NotText(
            f"is not {name.removesuffix('-sig').upper()}. Name its encoding with --encoding"
        ) from None
    if "\0" in text or len(_CONTROLS.findall(text[:_HEAD])) > 3 + len(text[:_HEAD]) // 100:
        raise NotText(_BINARY)
    return text


def _is_utf_8_instead(raw: bytes, encoding: str) -> bool:
    """Say whether bytes are UTF-8 that would be misread: other text is hardly ever valid UTF-8."""
    if raw.isascii() or codecs.lookup(encoding).name.startswith("utf-8"):
        return False
    try:
        raw.decode("utf-8")
    except UnicodeError:
        return False
    return True


def _by_zeros(head: bytes) -> str | None:
    """Name the UTF-16 in which mostly Latin letters have a zero beside them, if it is one."""
    if len(head) < 4 or b"\0" not in head:
        return None
    half = len(head) // 2
    even, odd = head[::2].count(0) / half, head[1::2].count(0) / half
    if odd > 0.6 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 and odd < 0.05 else None
