"""Cities, towns, states and countries in running text: known ones, and those formed like one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from indistinct.knowledge import MONTHS, STATES, TITLES, UNKNOWN, WEEKDAYS, Word, cues, knowledge
from indistinct.scrub.text.detectors._places import (
    GENERIC,
    REGIONS,
    STATE_NAMES,
    UNSURE_STATES,
    Run,
    before,
    is_credential,
    is_person_context,
    is_region,
    medical_use,
    runs,
)
from indistinct.scrub.text.detectors._streets import STATE_CODE
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# What a run of capitalised words may be, whatever stands around it: known places, their forms.


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


# Those of the second line need a preposition.
_SHORT = re.compile(
    r"(?:U\.S\.A\.|U\.S\.|U\. S\.(?! [a-z])|USA|NYC|U\.K\.|UK|UAE|D\.C\.|L\.A\.|N\.Y\.C?\.?|NZ|PRC"
    r"|LA|SF|DC|US|NY|NJ|PHX|ATL|SLC)(?![\w&/-])"
)
_UNSURE_SHORT = frozenset("LA SF DC US NY NJ PHX ATL SLC".split())
_NO_START = re.compile(r"[\w.&/-]")
# States and provinces as newspapers shorten them, and codes that are no words in small letters.
_SHORT_STATES = (
    r"(?:Ala|Alta|Ariz|Ark|Calif|Colo|Conn|Fla|Ill|Ind|Kan|Mass|Mich|Minn|Miss|Mont|Neb|Nev|Okla|"
    r"Ont|Ore|Penn|Que|Sask|Tenn|Tex|Wash|Wis|Wyo)\.|B\.C\.|N\.[CDHJMSY]\.|S\.[CD]\.|"
    r"W\. ?Va\.|R\.I\.|Wa|Tx|Ca|Fl|Ny|Nj|Nc|Sc|Az|Ga|Tn|Ky|Va|Mn|Wi|Ut|Nv|Ct|Il"
)
_STATE_AFTER = re.compile(
    rf" {{0,2}}(?:, {{0,2}}| )({STATE_CODE}(?!['\w-]|\.\w|, ?(?:MD|PhD|RN))|"
    rf"(?:{'|'.join(sorted(STATES.values(), key=len, reverse=True))})\b|D\.C\.)|"
    rf", ((?:{_SHORT_STATES})(?!\w))"
)
_PLACE_AFTER = re.compile(r"(?:, {0,2}| {0,2},? {0,2}\n {0,4})([A-Z][a-z]+(?: [A-Z][a-z]+)?)\b")
_SITUATED = cues(
    "born live lives lived living reside resides resided residing resident residents residence "
    "raised grew_up grown_up move moved moves moving relocate relocated relocates relocating "
    "relocation relocations based located situated travel travels traveled travelled traveling "
    "travelling trip vacation vacations vacationed vacationing flew fly flying drove originally "
    "emigrated immigrated hails headquartered stationed settled died buried married retired home "
    "house apartment office offices clinic practice hospital hospitals infirmary center centre "
    "university college associates native city town village suburb suburbs outskirts mayor "
    "population arrived returned back here"
)
_BESIDE = cues("in to from of near outside at into around")
_TOWN_LABELS = cues(
    "visit visited visiting visits home_town hometown home_city city town city/town city_/town "
    "city/_town city_/_town birthplace birth_place place_of_birth"
)
_STRONG = re.compile(
    rf"(?:\b{_SITUATED.pattern}(?: \w{{1,12}}){{0,2}} {_BESIDE.pattern}(?: the)?"
    r"(?: (?:city|town|village|suburb) of)? "
    rf"|\b{_TOWN_LABELS.pattern}(?: is| was)?(?:[:=]? |=)\"?|"
    r"[a-z]{3}, of )$"
)
_PREPOSITIONS = frozenset(
    "in from near outside to at of through via toward towards between across into within around "
    "throughout leaving against like for downtown greater northern southern eastern western "
    "central upper lower inside over off on".split()
)
_FILLERS = frozenset(
    "the downtown nearby greater northern southern eastern western central".split()
)
# Of these a strong cue has one, unless it is a label or ", of"; the pattern is slow.
_STRONG_WORDS = _SITUATED.words | _TOWN_LABELS.words
# The last word that a strong cue may have.
_STRONG_ENDS = _BESIDE.ends | _TOWN_LABELS.ends | {"the", "is", "was"}
_WAR = re.compile(r"(?:-era)? (?i:vet(?:eran)?s?|war|era|conflict|syndrome)\b")
_INTO = re.compile(r"\b(?:in|from|near) $")
# States that are cities as well.
_BOTH = (["new", "york"], ["washington"])
# Prepositions after which a rare name may be a place although nothing else says so.
_WHERE = (" in", " to", " from", " of", " near", " outside", " at", " into", " around", " the",
          " through", " via")  # fmt: skip
_SURE_PREFIX = frozenset("north south east west port lake new".split())
# No word boundary at its head: it would keep the scan from skipping to these letters.
_LOWER = re.compile(
    r"(?:in|from|near|to|visit|visiting|around|leaving) (?:the )?([a-z]{4,20}(?: [a-z]{3,20})?)\b"
)
# Below this a posting helps nobody, not even one that agrees.
_WORTH = 0.45
_SURE = 0.8
_LIST = (", ", " and ", ", and ", " or ", ", or ", " & ", "; ", "/")


def detect(page: Page) -> Iterator[Span]:
    """Cities, states and countries."""
    text = page.text
    listed = 0  # where the last sure place ended: what a comma or an "and" adds is one as well
    for run in runs(page):
        if run.first == len(run.lower):
            continue
        places, form = reading(" ".join(run.lower[run.first :]))
        among = listed and text[listed : run.starts[run.first]] in _LIST
        for place in places:
            span = _judge_known(page, run, place)
            if span and among and span.certainty < _SURE and span.end == run.end:
                span = _span(span.start, span.end, _SURE, "known in a list", span.kind)
            if span:
                yield span
                listed = span.end if span.certainty >= _SURE else 0
        if form:
            span = _judge_form(page, run, form)
            if among and not span and form.length < 3 and form.rare and not form.partly_known:
                span = _span(run.starts[run.first], run.end - 2 * form.owner, 0.72, "listed")
            if span:
                yield span
                listed = span.end if span.certainty >= _SURE else 0
    yield from _abbreviations(page)
    yield from _lower_case(page)


def _abbreviations(page: Page) -> Iterator[Span]:
    text = page.text
    for match in _SHORT.finditer(text):
        start = match.start()
        if start and _NO_START.match(text, start - 1):
            continue
        if match.group() not in _UNSURE_SHORT:
            yield _span(*match.span(), 0.85, "abbreviation")
            continue
        left = before(page, start)
        if _cues(left)[1] and not page.shouting:
            yield _span(*match.span(), 0.76, "abbreviation and cue")
        elif match.group() == "US":
            the = left.endswith("the ")
            yield _span(*match.span(), 0.8 if the else 0.6, "the US" if the else "US")


def _span(start: int, end: int, certainty: float, rule: str, kind: Kind = Kind.CITY) -> Span:
    return Span(start, end, kind, certainty, "cities", rule)


def _cues(left: str) -> tuple[bool, bool]:
    """Whether what stands before is a strong cue, and whether it is a preposition."""
    if not left.endswith((" ", '"')):
        return False, False
    words = left.rsplit(None, 2)
    if not words:
        return False, False
    last = words[-1]
    weak = last in _PREPOSITIONS or (
        last in _FILLERS and len(words) > 1 and words[-2] in _PREPOSITIONS
    )
    if last[-1] not in ':="' and last != "of":
        look = (weak or last in _STRONG_ENDS) and not _STRONG_WORDS.isdisjoint(
            left.replace("(", " ").split()
        )
        return look and _STRONG.search(left) is not None, weak
    return _STRONG.search(left) is not None, weak


def _judge_known(page: Page, run: Run, at: Place) -> Span | None:
    """A known place, with the state or country after it where there is one."""
    text = page.text
    start = run.starts[run.first + at.first]
    end = run.ends(run.first + at.stop - 1) - 2 * at.owner
    left = before(page, start)
    city = at.kind == "city"
    if (city and is_person_context(left)) or medical_use(page, end):
        return None
    # "at Brigham's" is an establishment, not a town.
    if at.name and at.owner and left.endswith(" at "):
        return None
    if not at.follow:
        state = _STATE_AFTER.match(text, end)
        if state and not _apart(run, at, state[state.lastindex or 0]):
            return _span(start, state.end(), 0.93, "city, state")
        other = _PLACE_AFTER.match(text, end) if city else None
        if other and _ends_in_region(page, other.group(1)):
            return _span(start, other.end(1), 0.9, "city, country")
    article = at.name in ("bronx", "hague")
    the = city and not article and left.endswith("the ")
    shout = 0 < len(at.name) < 5 and run.words[run.first + at.first].isupper()
    unsure = the or (shout and not page.shouting)
    strong, weak = (False, False) if at.lead or at.follow else _cues(left)
    label = not (strong or weak) and text.startswith(":", end)
    if label or _WAR.match(text, end):
        return None
    if strong and not the:
        certainty, rule = 0.9, "known after strong cue"
    elif unsure or at.sense.doubtful:
        if not weak:
            return None
        doubt = at.sense.doubtful or "word"
        certainty, rule = 0.55, f"{doubt} after cue"
        if not unsure and _INTO.search(left):
            certainty, rule = 0.8 if doubt == "name" else 0.74, f"{doubt} after in"
    elif weak:
        certainty, rule = 0.84, "known after cue"
    elif (at.lead or at.follow) and at.kind not in REGION_KINDS:
        if at.among_terms:
            return None
        certainty, rule = 0.45, "inside a run"
    else:
        certainty, rule = at.sense.alone
    if article and left.endswith("the "):
        start -= 4
    return _span(start, end, certainty, rule, Kind.STATE if at.kind == "state" else Kind.CITY)


def _ends_in_region(page: Page, name: str) -> bool:
    return is_region(page, name) or is_region(page, name.split()[0])


def _apart(run: Run, at: Place, state: str) -> bool:
    """Whether a state after a place does not say where it lies.

    'X, MD' may be a person with a credential; of "France, Texas, Japan" each stands for itself.
    """
    if len(state) > 2 and at.kind in REGION_KINDS:
        return run.lower[run.first + at.first : run.first + at.stop] not in _BOTH
    if state not in UNSURE_STATES:
        return False
    word = knowledge().word(bare_word(run.lower[run.first + at.stop - 1]))
    return run.first + at.first > 0 or (at.population < 20_000 and word.surname > 5)


def _judge_form(page: Page, run: Run, form: Form) -> Span | None:
    """An unknown name that is formed like a place's, or that a cue makes one."""
    text = page.text
    start, end = run.starts[run.first], run.end - 2 * form.owner
    prefix, sure = form.prefix, form.sure
    state = _STATE_AFTER.match(text, end)
    if not state and form.partly_known and not prefix:
        return None
    left = before(page, start)
    if is_person_context(left):
        return None
    strong, weak = _cues(left)
    backed = strong or weak or prefix or sure
    if state:
        code = state[state.lastindex or 0]
        credential = is_credential(code) and not (strong or prefix or sure)
        if (not backed and code in UNSURE_STATES) or credential:
            return None
        rule = "form, state" if backed else "unknown, state"
        return _span(start, state.end(), 0.92 if backed else 0.74, rule)
    other = None if form.partly_known or form.length > 2 else _PLACE_AFTER.match(text, end)
    if other and is_region(page, other.group(1)):
        line = not text[max(0, start - 1) : start].strip() and "\n" in other.group()
        rule = "form, country" if backed or line else "unknown, country"
        return _span(start, other.end(1), 0.86 if backed or line else 0.72, rule)
    if not (backed or form.ending) or medical_use(page, end):
        return None
    certainty, rule = _formed(form, strong=strong, weak=weak)
    if certainty < _WORTH or (certainty == _WORTH and not left.rstrip().endswith(_WHERE)):
        return None
    return _span(start, end, certainty, rule)


def _formed(form: Form, *, strong: bool, weak: bool) -> tuple[float, str]:
    """How certain a name is by its form and by a cue, no region after it."""
    word, prefix, sure = form.last, form.prefix, form.sure
    if prefix and not sure and word.zipf > 4.2 and word.surname < 5 and word.first < 5:
        return 0.0, "words"
    if strong or weak:
        if prefix or sure:
            return 0.88, "form after cue"
        if form.ending:
            return 0.8, "ending after cue"
        if strong and form.length < 4 and not form.medical and (form.rare or word.zipf < 3.8):
            return 0.8, "unknown after strong cue"
    if sure:
        return (0.8, "prefix and ending") if prefix else (0.66, "ending")
    if prefix and form.rare and form.first in _SURE_PREFIX:
        return 0.66, "prefix"
    if weak and form.rare and form.length < 3:
        return 0.45, "unknown after cue"
    return 0.0, "unknown"


def _lower_case(page: Page) -> Iterator[Span]:
    """Places in lower case after a preposition, where the word is hardly anything else."""
    text = page.text
    for match in _LOWER.finditer(text):
        begin, start = match.start(), match.start(1)
        if begin and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
            continue
        small = small_place(match.group(1))
        if small:
            size, region = small
            rule = "region in lower case" if region else "lower case"
            yield _span(start, start + size, 0.82 if region else 0.76, rule)
