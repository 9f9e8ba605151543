"""What words and first names say of somebody's sex, as evidence in powers of two.

Positive evidence speaks for a woman, negative for a man; evidence is added up.
"""

from __future__ import annotations

from functools import lru_cache
from math import log2

from indistinct.text.knowledge import knowledge, plain
from indistinct.text.knowledge.lexicon import table

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


def sex_of_word(word: str) -> int:
    """Whether a title, relation or pronoun speaks of a woman (1), a man (-1) or either (0)."""
    return (word in FEMALE) - (word in MALE)


def sex_of_name(first: str) -> float:
    """Return evidence from a first name: log2 of the women to the men who bear it, within ±5.

    A name that nobody in the census bears is judged by its ending, within ±2.

    >>> sex_of_name("Virginia") > 3, sex_of_name("Patrick") < -3
    (True, True)
    >>> sex_of_name("Torquato") < 0 < sex_of_name("Ludmilla"), sex_of_name("")
    (True, 0.0)
    """
    name = plain(first)
    known = knowledge().word(name)
    if known.first:
        return max(-5.0, min(5.0, log2((known.female + 0.1) / (known.male + 0.1))))
    endings = _endings()
    for length in (3, 2, 1):
        if len(name) > length + 1 and name[-length:] in endings:
            return endings[name[-length:]]
    return 0.0


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
    found = {}
    for end in women.keys() | men.keys():
        female, male = women.get(end, 0) * every, men.get(end, 0)
        if women.get(end, 0) + male >= 8 * len(end):
            found[end] = max(-2.0, min(2.0, log2((female + 1) / (male + 1))))
    return found
