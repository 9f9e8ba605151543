"""What a run of capitalised words may be, whatever stands around it: known places, their forms."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from indistinct.knowledge import MONTHS, TITLES, UNKNOWN, WEEKDAYS, Word, knowledge
from indistinct.scrub.text.detectors._places import GENERIC, REGIONS, STATE_NAMES

# Places that are words first: only a cue or a state makes them places.
_WORDS = frozenset(
    "ama bam barking bath batman bend bender bo brick brits bury bush chu colon commonwealth "
    "confederation corona delta enterprise gao ho homestead hub hue independence jupiter kai male "
    "man mango metro mission mobile moron most natal nice of oral orange orion paradise pest "
    "plantation providence reading roman rugby saga sale san sandy shaping sparks split springs "
    "sunrise sur surprise temple torrent rest com tours toyota van vista wa wedding worms hull "
    "sig mati "
    "bishop turkey china chad reunion guinea jersey mali march same police normal union hope "
    "lead mercury salt lens arm iron tire along many will price "
    "energy university center central bay island home date check clear point start time say "
    "much only over than to come can buy get eye finger flat hand ball hip pen bar cat deer".split()
)
# Well-known places that are also given or family names.
_FAMOUS = frozenset(
    "washington austin houston dallas lincoln charlotte cleveland columbus madison orlando "
    "santiago sydney victoria virginia georgia paris london florence vienna milan denver kingston "
    "oakland arlington berlin boston brooklyn israel jordan england holland france ireland "
    "scotland wales california texas florida hollywood oxford cambridge chelsea manhattan".split()
)
_ENDING = re.compile(
    r"(?:ville|burgh?|borough|boro|ton|town|mouth|bury|shire|haven|stad|berg|side|port|chester|"
    r"land|"
    r"view|furt|fort|ford|field|wood|worth|ham|minster|bridge|pool|wick|dale|mont|vale|brook|hurst|"
    r"stead|gate|heim|hausen|dorf|hagen|holm|grad|pur|abad|polis)$"
)
_ENDING_SURE = re.compile(
    r"(?:ville|burgh?|borough|boro|mouth|bury|shire|haven|stad|berg|chester|furt|minster|hausen|"
    r"dorf|grad|abad|town|port|fort|view|side|land)$"
)
_PREFIX = frozenset(
    "north south east west new lake port mount mt fort ft saint st san santa los las el upper "
    "lower old grand point glen palm cape".split()
)
# Towns bear these names too, but after a name they make it a street's.
_WAYS = frozenset("street avenue road lane drive boulevard place court square park way".split())
REGION_KINDS = ("country", "state")
_CALENDAR = WEEKDAYS | MONTHS.keys()


def bare_word(word: str) -> str:
    """A word without its possessive."""
    return word.removesuffix("'s").removesuffix("'")


class Place(NamedTuple):
    """A known place among the words of a run.

    From word `first` to before `stop`, counted from the first word that may belong to a name;
    `name` is empty when it has several words; `lead` and `follow` say whether words that belong
    to no place stand beside it, `among_terms` whether one of the run is of the clinic.
    """

    first: int
    stop: int
    name: str
    population: int
    kind: str
    sense: Sense
    owner: bool
    lead: bool
    follow: bool
    among_terms: bool


class Sense(NamedTuple):
    """What else a place's name may be, and how certain it is without a cue.

    `never`: a title, a weekday, a month. `doubtful`: "word" when it is that first or a term of
    medicine, "name" when medicine or history knows it as a person's, else empty.
    """

    never: bool
    doubtful: str
    alone: tuple[float, str]


class Form(NamedTuple):
    """How a name is formed that is not known as a place, or not in all its words."""

    length: int
    first: str
    prefix: bool
    partly_known: bool
    ending: bool
    sure: bool
    rare: bool
    medical: bool
    owner: bool
    last: Word


_LONG_FORM = {"st": "st.", "mt": "mount", "ft": "fort"}
# By first word: the most words of a region that begins with it.
_FIRST_WORDS = dict.fromkeys(_LONG_FORM, 3) | {
    name.split()[0]: 3 if " " in name else 1 for name in sorted(REGIONS | STATE_NAMES, key=len)
}


@lru_cache(maxsize=16384)
def reading(run: str) -> tuple[list[Place], Form | None]:
    """What the words of a run (in lower case) may be, whatever stands around them."""
    words = run.split(" ")
    bare = [bare_word(word) for word in words] if "'" in run else words
    medical = knowledge().is_medical
    terms = [word in GENERIC or medical(word) for word in bare]
    found = _known(words, bare)
    # "Milford New Zealand": places that follow each other leave no word unexplained.
    explained = {i for first, stop, *_ in found for i in range(first, stop) if not terms[i]}
    places = []
    for first, stop, population, kind in found:
        name = bare[first] if stop - first == 1 else ""
        sense = _sense(name, population, kind)
        lead = first > 0 and first - 1 not in explained
        if not sense.never and (lead or name not in GENERIC):
            follow = stop < len(words) and stop not in explained
            among = True in terms[:first] or True in terms[stop:]
            owner = words[stop - 1].endswith("'s")
            places.append(
                Place(first, stop, name, population, kind, sense, owner, lead, follow, among)
            )
    whole = found and found[0][1] - found[0][0] == len(words)
    if whole or len(words) > 4 or bare[-1] in GENERIC or words[0] in TITLES:
        return places, None
    if not _CALENDAR.isdisjoint(bare):
        return places, None
    owner = words[-1].endswith("'s")
    return places, _form(bare, owner=owner, partly_known=bool(found), medical=True in terms)


def _known(words: list[str], bare: list[str]) -> list[tuple[int, int, int, str]]:
    """Known places, the longest at each word: first word, stop, population, kind."""
    begins_place = knowledge().begins_place
    found = []
    place, size = 0, len(words)
    while place < size:
        word = bare[place]
        longest = 0 if word in _WAYS else max(begins_place(word), _FIRST_WORDS.get(word, 0))
        for stop in range(min(place + longest, size), place, -1):
            single = stop == place + 1
            at = _named(word if single else " ".join([*words[place : stop - 1], bare[stop - 1]]))
            if at:
                found.append((place, stop, *at))
                place = stop - 1
                break
        place += 1
    return found


@lru_cache(maxsize=16384)
def _named(name: str) -> tuple[int, str] | None:
    """Population and kind of a place by its name in lower case."""
    if name in STATE_NAMES:
        return 5_000_000, "state"
    if name in REGIONS:
        return 5_000_000, "country"
    first, blank, rest = name.partition(" ")
    at = knowledge().place(f"{_LONG_FORM[first]} {rest}" if blank and first in _LONG_FORM else name)
    return (at.population, at.kind) if at else None


@lru_cache(maxsize=16384)
def _sense(name: str, population: int, kind: str) -> Sense:
    """The sense of a name of one word; of a name of several when `name` is empty."""
    known = knowledge()
    word = known.word(name) if name else UNKNOWN
    city = kind == "city"
    # Many a town gave its name to a test or bears that of a physician: a cue outweighs it.
    medical = bool(name) and population < 100_000 and known.is_medical(name)
    common = population < 60_000 and word.zipf >= 3.9 and name not in _FAMOUS
    return Sense(
        name in TITLES or name in _CALENDAR,
        "word"
        if name in _WORDS or medical or (city and (common or _is_word(name, word)))
        else "name" * (city and _is_persons(name)),
        _uncued(name, population, kind, word),
    )


def _is_word(name: str, word: Word) -> bool:
    """Whether dictionaries have it as a word of the language and not as a place."""
    proper = knowledge().proper(name)
    return word.zipf >= 3 and proper.small and proper.sense != "location" and name not in _FAMOUS


def _is_persons(name: str) -> bool:
    """Whether medicine or history knows the name as a person's."""
    known = knowledge()
    person = known.is_eponym(name) or known.proper(name).sense == "person"
    return bool(name) and person and name not in _FAMOUS


def _uncued(name: str, population: int, kind: str, word: Word) -> tuple[float, str]:
    if kind in REGION_KINDS:
        if word.first > 60:
            return 0.5, "rather a name"
        person = word.first > 10 or word.surname > 30
        return (0.74, "region or name") if person else (0.82, "region")
    if not name:
        return (0.8, "several words, large") if population > 20_000 else (0.66, "several words")
    if word.first > 5 or word.surname > 20:
        return (0.72, "famous or name") if name in _FAMOUS else (0.5, "name")
    if name in _FAMOUS or (population >= 400_000 and word.zipf < 5.2):
        return 0.82, "large"
    if population >= 60_000 and word.zipf < 4.6:
        return 0.74, "middling"
    return 0.45, "small"


def _form(bare: list[str], *, owner: bool, partly_known: bool, medical: bool) -> Form:
    """The form of a name; of one that is known in part only a prefix counts."""
    known = knowledge()
    last, length = bare[-1], len(bare)
    prefix = length > 1 and bare[0] in _PREFIX
    word = known.word(last) if prefix or not partly_known else UNKNOWN
    rare = word.zipf < 2.6 and not known.is_medical(last) and not known.is_eponym(last)
    ending = rare and length < 3 and len(last) > 6 and _ENDING.search(last) is not None
    sure = ending and word.surname < 1 and _ENDING_SURE.search(last) is not None
    first = bare[0]
    return Form(length, first, prefix, partly_known, ending, sure, rare, medical, owner, word)


@lru_cache(maxsize=32768)
def small_place(words: str) -> tuple[int, bool] | None:
    """How many letters of one or two words in lower case are a place, and whether a region."""
    known = knowledge()
    for name in dict.fromkeys((words, words.partition(" ")[0])):
        at = known.place(name)
        word = known.word(name)
        single = " " not in name
        region = name in STATE_NAMES or name in REGIONS or bool(at and at.kind == "country")
        large = at is not None and at.population >= 200_000 and not (single and word.zipf > 4.3)
        other = name in _WORDS or known.is_medical(name) or (single and word.first > 5)
        if (region or large) and not other:
            return len(name), region
    return None
