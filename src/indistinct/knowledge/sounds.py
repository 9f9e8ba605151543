"""What a word sounds like, from its letters: a surname, a first name, a term of medicine.

For each kind of word `tools/knowledge.py` counts which letter follows which two letters (with
marks before and after the word) in the package's own lists, every tenth word left out to test
on. A word's sound is the mean over its letters of

    log P(letter | two before, kind) − log P(letter | two before, other kind),

less the value at which both kinds are told apart best, so that 0 is the boundary.
"""

from __future__ import annotations

from functools import lru_cache

from indistinct.knowledge.lexicon import plain, table

Odds = tuple[float, float, float]


class Sounds:
    """Log-odds per letter from the letters of a word; 0 for what has no Latin letters.

    >>> sounds = Sounds()
    >>> sounds.surname_sound("Kowalczewski") > 0 > sounds.surname_sound("following")
    True
    >>> sounds.first_sound("Marisella") > 0 > sounds.first_sound("following")
    True
    >>> sounds.medical_sound("hydroxyzaprine") > 0 > sounds.medical_sound("Hutchings")
    True
    """

    def surname_sound(self, word: str) -> float:
        """Log-odds per letter that the word is a surname rather than a common word."""
        return _sound(plain(word))[0]

    def first_sound(self, word: str) -> float:
        """Log-odds per letter that the word is a first name rather than a common word."""
        return _sound(plain(word))[1]

    def medical_sound(self, word: str) -> float:
        """Log-odds per letter that the word is a term of medicine rather than a name."""
        return _sound(plain(word))[2]


@lru_cache(maxsize=1)
def _odds() -> dict[str, Odds]:
    """By two letters and the one that follows, the log-odds of the three contrasts."""
    known = table("sounds")
    columns = [known.column(name).to_pylist() for name in ("gram", "surname", "first", "medical")]
    return {gram: (last, first, cure) for gram, last, first, cure in zip(*columns, strict=True)}


@lru_cache(maxsize=65536)
def _sound(word: str) -> Odds:
    marked = f"^^{word}$"
    known = _odds()
    grams = [known[gram] for i in range(len(word) + 1) if (gram := marked[i : i + 3]) in known]
    if len(grams) < 2:
        return 0.0, 0.0, 0.0
    n = len(grams)
    return sum(g[0] for g in grams) / n, sum(g[1] for g in grams) / n, sum(g[2] for g in grams) / n
