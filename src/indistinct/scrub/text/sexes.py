"""What words and first names say of somebody's sex, as evidence in powers of two.

Positive evidence speaks for a woman, negative for a man; evidence is added up.
"""

from __future__ import annotations

from functools import lru_cache
from math import log2

from indistinct.knowledge import knowledge, plain, table

FEMALE = frozenset(
    "mrs ms miss sra srta señora madam madame mme mlle frau lady dame sister dona mother mom mum "
    "mommy mummy stepmother stepmom wife fiancee girlfriend daughter stepdaughter stepsister "
    "grandmother grandma granddaughter aunt niece woman female girl lady she her hers herself "
    "grandaughter widow housewife".split()
)
MALE = frozenset(
    "mr sr señor monsieur herr sir lord don brother father dad daddy stepfather stepdad husband "
    "fiance boyfriend son stepson stepbrother grandfather grandpa grandson uncle nephew man male "
    "boy gentleman he his him himself widower".split()
)


# Endings of first names that the languages of Europe, India and Turkey give to women or to men,
# where the census of the United States lists too few to tell.
_HERS = frozenset(
    "hild hilde gard linde traud traut gund gunde lotte ette elle ienne iane yse ine ita ika ini "
    "isha shri sri preeti vati bai nur gul iye naz niz zka".split()
)
_HIS = frozenset(
    "slaw slav mir usz asz osz esz ciej rzej ien cien rien oine ippe ume esh eesh raj jit endra "
    "vir veer nath dev ansh hant arth rav bhai metin hmet ettin ullah bert hard fried helm wald "
    "olf gang rich mund bjorn iusz cek rek tek zek dre iano ino aldo".split()
)
# Vietnamese: Nguyen Thi Lan is a woman, Nguyen Van Nam most likely a man.
_MIDDLE_NAMES = {"thi": 2.0, "van": -1.0}
_HER_SURNAME = ("owska", "ewska", "nska", "lska", "rska", "cka", "dzka", "skaya", "dottir", "ovna")


def sex_of_word(word: str) -> int:
    """Whether a title, relation or pronoun speaks of a woman (1), a man (-1) or either (0)."""
    return (word in FEMALE) - (word in MALE)


@lru_cache(maxsize=16384)
def sex_of_name(first: str) -> float:
    """Return evidence from a first name: log2 of the women to the men who bear it, within ±5.

    A name that nobody in the census bears is judged by its ending, within ±1.5: the last resort,
    which a pronoun outweighs.

    >>> sex_of_name("Virginia") > 3, sex_of_name("Patrick") < -3
    (True, True)
    >>> sex_of_name("Torquato") < 0 < sex_of_name("Ludmilla"), sex_of_name("")
    (True, 0.0)
    """
    name = plain(first)
    if len(name) < 2:
        return 0.0
    known = knowledge().word(name)
    if known.first:
        # One bearer in 100,000 says less than a hundred.
        return max(-5.0, min(5.0, log2((known.female + 0.3) / (known.male + 0.3))))
    endings = _endings()
    for length in (5, 4, 3, 2, 1):
        if len(name) > length and name[-length:] in endings:
            return endings[name[-length:]]
    return 0.0


def sex_of_others(middle: str, last: str) -> float:
    """Return evidence from the other names, where a language tells women and men by them.

    >>> sex_of_others("Thi", ""), sex_of_others("van", ""), sex_of_others("", "Kowalska") > 0
    (2.0, -1.0, True)
    """
    evidence = _MIDDLE_NAMES.get(plain(middle), 0.0) if middle else 0.0
    if last and plain(last).endswith(_HER_SURNAME):
        evidence += 2.0
    return evidence


@lru_cache(maxsize=1)
def _endings() -> dict[str, float]:
    """Return for the last one to three letters of first names what they say, if seen often."""
    women: dict[str, int] = {}
    men: dict[str, int] = {}
    words = table("words").select(["word", "female", "male"]).to_pydict()
    for name, female, male in zip(*words.values(), strict=True):
        for counts, borne in ((women, female > male), (men, male > female)):
            if borne:
                for length in (1, 2, 3):
                    counts[name[-length:]] = counts.get(name[-length:], 0) + 1
    # The census lists four women's names for one man's: each is counted among its own.
    every = sum(men[end] for end in men if len(end) == 1) / sum(
        women[end] for end in women if len(end) == 1
    )
    found: dict[str, float] = {}
    for end in women.keys() | men.keys():
        female, male = women.get(end, 0) * every, men.get(end, 0)
        if women.get(end, 0) + male >= 8 * len(end):
            found[end] = max(-1.5, min(1.5, log2((female + 1) / (male + 1))))
    return found | dict.fromkeys(_HERS, 1.5) | dict.fromkeys(_HIS, -1.5)
