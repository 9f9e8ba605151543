"""Text in a figure: how wide it is, how it is cut and wrapped."""

from __future__ import annotations

import unicodedata

from indistinct.core import visible

__all__ = ["cut", "width_of", "wrapped"]

_WIDTHS = {
    **dict.fromkeys("' ,.IJijl", 0.3),
    **dict.fromkeys("-/:;\\f|!()[]rt\u00a0", 0.4),
    **dict.fromkeys('"*_`sz', 0.5),
    **dict.fromkeys("?LcFPTYaekovxy", 0.6),
    **dict.fromkeys("$0123456789EKSbdghnpqu{}–", 0.64),
    **dict.fromkeys("ABCRVXZ", 0.7),
    **dict.fromkeys("DGHNU", 0.77),
    **dict.fromkeys("&OQw", 0.82),
    **dict.fromkeys("#+<=>M^~≤≥", 0.87),
}
"""Widths in em of DejaVu Sans, the widest of the common sans-serif faces: what fits in it fits in
Arial, Helvetica or Liberation Sans too."""


def width_of(words: str, *, size: float = 12, bold: bool = False) -> float:
    """Return about how wide a text is when it is shown, rather more than less.

    >>> width_of("iiii") < width_of("age") < width_of("WWWW")
    True
    """
    em = 0.0
    for letter in visible(words):
        if letter in _WIDTHS:
            em += _WIDTHS[letter]
        elif unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
            continue
        elif unicodedata.east_asian_width(letter) in "WF" or letter in "%m@W":
            em += 1.0
        else:
            em += 0.72
    return em * size * (1.13 if bold else 1.0)


def cut(words: str, room: float, *, size: float = 12, bold: bool = False) -> str:
    """Return a text that fits, with … in its middle where it was too long.

    >>> cut("economic activity of the person", 110)
    'economic…person'
    """
    words = visible(" ".join(words.split()))
    if width_of(words, size=size, bold=bold) <= room:
        return words
    low, high = 0, len(words) - 1
    while low < high:
        kept = (low + high + 1) // 2
        if width_of(_without_middle(words, kept), size=size, bold=bold) <= room:
            low = kept
        else:
            high = kept - 1
    return _without_middle(words, low)


def _without_middle(words: str, kept: int) -> str:
    head = (kept + 1) // 2
    tail = kept - head
    return words[:head].rstrip() + "…" + (words[-tail:].lstrip() if tail else "")


def wrapped(
    words: str, room: float, *, size: float = 12, bold: bool = False, most: int = 3
) -> list[str]:
    """Return a text in at most so many lines that fit; what is left over is cut in the last.

    >>> wrapped("People by the number who share their combination", 140)
    ['People by the number', 'who share their', 'combination']
    """
    lines: list[str] = []
    left = visible(" ".join(words.split())).split()
    while left:
        if len(lines) == most - 1:
            lines.append(cut(" ".join(left), room, size=size, bold=bold))
            break
        taken = 1
        while taken < len(left) and (
            width_of(" ".join(left[: taken + 1]), size=size, bold=bold) <= room
        ):
            taken += 1
        lines.append(cut(" ".join(left[:taken]), room, size=size, bold=bold))
        left = left[taken:]
    return lines
