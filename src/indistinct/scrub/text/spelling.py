"""Whether two words are one name written twice: letters swapped, lost or misheard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from indistinct.knowledge import plain

# Letters that are heard as one, in the order in which they are rewritten. A consonant code in
# the manner of Metaphone (Philips 1990), kept whole where Soundex would cut after four letters.
_HEARD = [
    (re.compile(pattern), code)
    for pattern, code in (
        (r"[^a-z]", ""),
        (r"^(?:kn|gn|pn)", "n"),
        (r"^wr", "r"),
        (r"^ps", "s"),
        (r"^x", "s"),
        (r"^mc", "mk"),
        (r"ph", "f"),
        (r"tch|ch(?=[eiy])", "C"),
        (r"sch|sh|ch$", "C"),
        (r"th", "0"),
        (r"gh(?![aeiou])", ""),
        (r"dg(?=[eiy])", "j"),
        (r"c(?=[eiy])|z", "s"),
        (r"ck|c|q|x", "k"),
        (r"v", "f"),
        (r"(?<=.)[hwy](?![aeiou])|(?<=[^aeiou])h", ""),
        (r"^[aeiouy]+", "A"),
        (r"[aeiouy]+", ""),
        (r"(.)\1+", r"\1"),
    )
]


@lru_cache(maxsize=16384)
def sound(word: str) -> str:
    """Return the consonants of a word as they are heard.

    >>> sound("Long") == sound("Lang"), sound("Catherine") == sound("Kathryn")
    (True, True)
    >>> sound("Stephens") == sound("Stevens"), sound("Miller") == sound("Muller")
    (True, True)
    >>> sound("Long") == sound("Lorne")
    False
    """
    heard = plain(word)
    for pattern, code in _HEARD:
        heard = pattern.sub(code, heard)
    return heard


def distance(one: str, other: str, most: int) -> int:
    """Letters to change, drop, add or swap with a neighbour (Damerau 1964), up to `most` + 1.

    Each stretch is edited once (optimal string alignment).

    >>> distance("long", "lang", 2), distance("brian", "brain", 2), distance("cook", "hayes", 2)
    (1, 1, 3)
    """
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        ahead = [i]
        for j, against in enumerate(other, start=1):
            cost = min(row[j] + 1, ahead[j - 1] + 1, row[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            ahead.append(cost)
        if min(ahead) > most:
            return most + 1
        before, row = row, ahead
    return min(row[-1], most + 1)


def slips(length: int) -> int:
    """Return how many letters may be wrong in a name of a length: 0, 1 from four, 2 from eight."""
    return 0 if length < 4 else 1 if length < 8 else 2


@lru_cache(maxsize=16384)
def alike(one: str, other: str) -> bool:
    """Whether one may be a slip for the other: few letters differ, or they are heard alike.

    >>> alike("Long", "Lang"), alike("Kathryn", "Catherine"), alike("Cook", "Coe")
    (True, True, False)
    >>> alike("Ann", "Dan")
    False
    """
    one, other = plain(one), plain(other)
    if one == other:
        return True
    if min(len(one), len(other)) < 4:
        return False
    allowed = slips(min(len(one), len(other)))
    if distance(one, other, allowed) <= allowed:
        return True
    heard = sound(one)
    return len(heard) >= 3 and heard == sound(other)


def halves(name: str) -> list[str]:
    """Return a name, and the parts of a double one.

    >>> halves("smith-jones")
    ['smith-jones', 'smith', 'jones']
    """
    if "-" not in name and " " not in name:
        return [name]
    return [name, *(part for part in name.replace("-", " ").split(" ") if len(part) > 2)]


def same_surname(one: str, other: str) -> bool:
    """Whether two surnames (with the same first name) are one: alike, or half of a double one."""
    if not one or not other:
        return False
    return alike(one, other) or bool(set(halves(one)) & set(halves(other)))


# So few names are compared one by one.
_FEW = 24


def _shortened(word: str, drops: int) -> Iterator[str]:
    """Yield the word and what remains when up to `drops` letters are left out."""
    words = {word}
    yield word
    for _ in range(drops):
        words = {w[:i] + w[i + 1 :] for w in words for i in range(len(w))}
        yield from words


class Slips:
    """Names by what they may become in hasty typing.

    Every name is kept under each word that results from leaving letters out; a word that differs
    from a name by as many letters shares one of these keys (Garbe's symmetric deletions), so that
    a lookup costs the same whether ten names are kept or ten thousand.

    >>> Slips(["townsend", "long"]).of("townsned"), Slips(["long"]).of("table")
    (['townsend'], [])
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, None] = {}
        self._kept = 0
        self._keys: dict[str, list[str]] = {}
        self._heard: dict[str, list[str]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Keep one more name (in plain letters); what it may become is noted when first asked."""
        if 4 <= len(name) <= 24:
            self._names[name] = None

    def _note(self, name: str) -> None:
        for key in _shortened(name, slips(len(name))):
            self._keys.setdefault(key, []).append(name)
        heard = sound(name)
        if len(heard) >= 3:
            self._heard.setdefault(heard, []).append(name)

    def of(self, word: str) -> list[str]:
        """Return the names of which a word (in plain letters) may be a slip, itself apart."""
        if not 4 <= len(word) <= 24:
            return []
        if len(self._names) <= _FEW:
            return [name for name in self._names if name != word and alike(name, word)]
        for name in islice(self._names, self._kept, None):
            self._note(name)
        self._kept = len(self._names)
        found: dict[str, None] = {}
        for key in _shortened(word, slips(len(word))):
            for name in self._keys.get(key, ()):
                if name not in found and name != word and alike(name, word):
                    found[name] = None
        for name in self._heard.get(sound(word), ()):
            if name != word:
                found[name] = None
        return list(found)
