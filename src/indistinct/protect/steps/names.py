"""Made-up names, put together from syllables: nobody's, or nobody's in the file."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from indistinct.core import GuaranteeError
from indistinct.protect.randomness import Draws

__all__ = ["made_up_names"]

_ONSETS = ("b", "br", "d", "dr", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea")
_CODAS = ("", "l", "n", "nd", "r", "rt", "s", "th")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_WORD = re.compile(r"[^\W\d_]+")
_TURNS = 200


def made_up_names(
    names: Sequence[str],
    draws: Draws,
    *,
    stream: str,
    fresh: bool = True,
    taken: Sequence[str] = (),
) -> list[str]:
    """Return a made-up name for each of some distinct names, all different.

    Each gets the form of one of the names, drawn at random: words of two to four syllables (a
    single letter for a single letter) with its capitals, all else as it stands there. How many
    words a made-up name has tells nothing of the name whose place it takes. A name is made up as
    a whole: a shared surname does not stay shared.

    Parameters
    ----------
    fresh
        Whether no made-up name may be one of the names, in whatever capitals; else it may be that
        of another.
    taken
        Names that must not be made up.

    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> made_up_names(["Virginia Townsend", "DR J. LANG"], draws, stream="name")
    ['BRAIBRAITH C. HOTEA', 'Fumailais Gohan']
    """
    forbidden = {text.casefold() for text in (*taken, *(names if fresh else ()))}
    made: list[str] = [""] * len(names)
    drawn = np.argsort(draws.words(f"{stream}/forms", np.arange(len(names))), kind="stable")
    forms = [names[i] for i in drawn.tolist()]
    waiting = np.arange(len(names))
    for turn in range(_TURNS):
        if not len(waiting):
            return made
        most = max(len(_WORD.findall(forms[i])) for i in waiting.tolist())
        words = [draws.words(f"{stream}/{j}", waiting, turn=turn).tolist() for j in range(most)]
        left = []
        for place, i in enumerate(waiting.tolist()):
            text = _renamed(forms[i], [column[place] for column in words], turn)
            folded = text.casefold()
            if folded in forbidden or folded == names[i].casefold():
                left.append(i)
            else:
                forbidden.add(folded)
                made[i] = text
        waiting = np.array(left, dtype=np.int64)
    if len(waiting):
        raise GuaranteeError(
            f"{len(waiting):,} values of '{stream}' have too few letters for as many made-up "
            "names. Leave out the variable, or use another form."
        )
    return made


def _renamed(name: str, drawn: Sequence[int], turn: int) -> str:
    bits = iter(drawn)
    return _WORD.sub(lambda found: _like(found.group(), next(bits), turn), name)


def _like(word: str, bits: int, turn: int) -> str:
    """Return the word that random bits give, with the capitals of another; longer in late turns."""
    if len(word) == 1:
        text = _LETTERS[bits % len(_LETTERS)]
    else:
        text = ""
        bits, extra = divmod(bits, 2)
        for _ in range(2 + extra + min(1, turn // 4)):
            bits, onset = divmod(bits, len(_ONSETS))
            bits, vowel = divmod(bits, len(_VOWELS))
            text += _ONSETS[onset] + _VOWELS[vowel]
        text += _CODAS[bits % len(_CODAS)]
    if word.isupper():
        return text.upper()
    return text.capitalize() if word[0].isupper() else text
