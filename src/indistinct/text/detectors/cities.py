"""Cities, towns, states and countries in running text: known ones, and those formed like one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indistinct.text.cues import MONTHS, STATES, TITLES, WEEKDAYS
from indistinct.text.detectors._places import (
    GENERIC,
    REGIONS,
    STATE_NAMES,
    UNSURE_STATES,
    Run,
    before,
    core,
    is_credential,
    is_person_context,
    is_region,
    medical_use,
    runs,
)
from indistinct.text.detectors._streets import STATE_CODE
from indistinct.text.knowledge.lexicon import UNKNOWN
from indistinct.text.page import Page
from indistinct.text.spans import Kind, Span

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
_SHORT = re.compile(
    r"(?<![\w.&/-])(?:(?P<sure>U\.S\.A\.|U\.S\.|U\. S\.(?! [a-z])|USA|NYC|U\.K\.|UK|UAE|D\.C\.|"
    r"L\.A\.|N\.Y\.C?\.?|NZ|PRC)"
    r"|(?P<cued>LA|SF|DC|US|NY|NJ|PHX|ATL|SLC))(?![\w&/-])"
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
_STATE_AFTER = re.compile(
    rf" {{0,2}}(?:, {{0,2}}| )({STATE_CODE}(?!['\w-]|\.\w|, ?(?:MD|PhD|RN))|"
    rf"(?:{'|'.join(sorted(STATES.values(), key=len, reverse=True))})\b|D\.C\.)"
)
_PLACE_AFTER = re.compile(r"(?:, {0,2}| {0,2},? {0,2}\n {0,4})([A-Z][a-z]+(?: [A-Z][a-z]+)?)\b")
_REGION_NEXT = re.compile(r" ?,? {0,2}\n? {0,4}[A-Z]")
_STRONG = re.compile(
    r"(?:\b(?:born|lives?|lived|living|resid\w{1,5}|raised|grew up|grown up|moved?|moves|moving|"
    r"relocat\w{1,4}|based|"
    r"located|situated|travel+ed|travel+ing|travels?|trip|vacation\w{0,3}|flew|fly|flying|drove|"
    r"originally|emigrated|immigrated|hails|headquartered|stationed|settled|died|buried|married|"
    r"retired|home|house|apartment|office|offices|clinic|practice|native|resident|city|town|"
    r"village|suburb|"
    r"suburbs|outskirts|mayor|population|arrived|returned|back|here)"
    r"(?: \w{1,12}){0,2} (?:in|to|from|of|near|outside|at|into|around)(?: the)?(?: (?:city|town|"
    r"village|suburb) of)? "
    r"|\b(?:visit(?:ed|ing|s)?|home ?town|home city|city|town|city ?/ ?town|birth ?place|place "
    r"of birth|hometown)(?: is| was)?[:=]? \"?)$"
)
_PREPOSITIONS = frozenset(
    "in from near outside to at of through via toward towards between across into within around "
    "throughout leaving against like for downtown greater northern southern eastern western "
    "central upper lower inside over off on".split()
)
_FILLERS = frozenset(
    "the downtown nearby greater northern southern eastern western central".split()
)
# The last word that a strong cue may have; the pattern is tried only after these.
_STRONG_ENDS = frozenset(
    "in to from of near outside at into around the visit visits visited visiting hometown town "
    "city birthplace birth is was".split()
)
_WAR = re.compile(r"(?:-era)? (?i:vet(?:eran)?s?|war|era|conflict|syndrome)\b")
_INTO = re.compile(r"\b(?:in|from|near) $")
_LOWER = re.compile(
    r"\b(?:in|from|near|to|visit|visiting|around|leaving) (?:the )?([a-z]{4,20}(?: [a-z]{3,20})?)\b"
)


# Below this a posting helps nobody, not even one that agrees.
_WORTH = 0.45


class _Found(NamedTuple):
    """A known place inside a run: first and last word, population, kind."""

    first: int
    stop: int
    population: int
    kind: str


def detect(page: Page) -> Iterator[Span]:
    """Cities, states and countries."""
    for run in runs(page):
        found = list(_known(page, run))
        for number, place in enumerate(found):
            # "Milford New Zealand": places that follow each other leave no word unexplained.
            lead = place.first > core(run) and (not number or found[number - 1].stop < place.first)
            follow = place.stop < len(run.words) and (
                number + 1 == len(found) or found[number + 1].first > place.stop
            )
            yield from _judge_known(page, run, place, lead=lead, follow=follow)
        if not found or found[0].stop - found[0].first < len(run.words):
            yield from _judge_form(page, run, found)
    for match in _SHORT.finditer(page.text):
        cue = _cues(before(page, match.start()))[1]
        the = page.text[max(0, match.start() - 5) : match.start()].lower().endswith("the ")
        if match.lastgroup == "sure":
            yield _span(*match.span(), 0.85, "abbreviation")
        elif cue and not page.shouting:
            yield _span(*match.span(), 0.76, "abbreviation and cue")
        elif match.group() == "US":
            yield _span(*match.span(), 0.8 if the else 0.6, "the US" if the else "US")
    yield from _lower_case(page)


def _span(start: int, end: int, certainty: float, rule: str, kind: Kind = Kind.CITY) -> Span:
    return Span(start, end, kind, certainty, "cities", rule)


def _cues(left: str) -> tuple[bool, bool]:
    """Whether what stands before is a strong cue, and whether it is a preposition."""
    words = left.rsplit(None, 3)[-3:]
    if not words or not left.endswith((" ", '"')):
        return False, False
    last = words[-1]
    weak = last in _PREPOSITIONS or (
        last in _FILLERS and len(words) > 1 and words[-2] in _PREPOSITIONS
    )
    look = weak or last in _STRONG_ENDS or last[-1] in ':="'
    return look and _STRONG.search(left) is not None, weak


def _bare(word: str) -> str:
    return word.lower().removesuffix("'s").removesuffix("'")


_LONG_FORM = {"st": "st.", "mt": "mount", "ft": "fort"}
# By first word: the most words of a region that begins with it.
_FIRST_WORDS = dict.fromkeys(_LONG_FORM, 3) | {
    name.split()[0]: 3 if " " in name else 1 for name in sorted(REGIONS | STATE_NAMES, key=len)
}


def _known(page: Page, run: Run) -> Iterator[_Found]:
    """Known places among the words of a run, the longest at each word."""
    known = page.knowledge
    place, size = core(run), len(run.words)
    while place < size:
        first = run.words[place].lower()
        longest = max(known.begins_place(_bare(first)), _FIRST_WORDS.get(_bare(first), 0))
        if not longest:
            place += 1
            continue
        for count in range(min(longest, size - place), 0, -1):
            words = [word.lower() for word in run.words[place : place + count]]
            words[-1] = _bare(words[-1])
            name = " ".join(words)
            if name in STATE_NAMES:
                yield _Found(place, place + count, 5_000_000, "state")
            elif name in REGIONS:
                yield _Found(place, place + count, 5_000_000, "country")
            else:
                if first in _LONG_FORM and count > 1:
                    name = " ".join([_LONG_FORM[first], *words[1:]])
                at = known.place(name)
                if at is None:
                    continue
                yield _Found(place, place + count, at.population, at.kind)
            place += count - 1
            break
        place += 1


def _judge_known(page: Page, run: Run, at: _Found, *, lead: bool, follow: bool) -> Iterator[Span]:
    """A known place, with the state or country after it where there is one."""
    words = run.words[at.first : at.stop]
    name = _bare(words[-1]) if len(words) == 1 else ""
    start, end = run.starts[at.first], run.ends(at.stop - 1)
    if words[-1].endswith("'s"):
        end -= 2
    if name in TITLES or name in WEEKDAYS or name in MONTHS or (name in GENERIC and not lead):
        return
    left = before(page, start)
    if (is_person_context(left) and at.kind == "city") or medical_use(page, end):
        return
    # "at Brigham's" is an establishment, not a town.
    if name and words[-1].endswith("'s") and left.endswith(" at "):
        return
    if not follow:
        state = _STATE_AFTER.match(page.text, end)
        if state and not (state.group(1) in UNSURE_STATES and _rather_person(page, run, at)):
            yield _span(start, state.end(1), 0.93, "city, state")
            return
        other = _PLACE_AFTER.match(page.text, end)
        if other and at.kind == "city" and _ends_in_region(page, other.group(1)):
            yield _span(start, other.end(1), 0.9, "city, country")
            return
    certainty, rule = _standing(page, at, words, left, end, alone=not lead and not follow)
    if certainty < _WORTH:
        return
    if name in ("bronx", "hague") and left.endswith("the "):
        start -= 4
    yield _span(start, end, certainty, rule, Kind.STATE if at.kind == "state" else Kind.CITY)


def _standing(
    page: Page, at: _Found, words: list[str], left: str, end: int, *, alone: bool
) -> tuple[float, str]:
    """How certain a known place is: by cue first, then by what else the word may be."""
    known = page.knowledge
    name = _bare(words[-1]) if len(words) == 1 else ""
    word = known.word(name) if name else UNKNOWN
    # Many a town gave its name to a test or bears that of a physician: a cue outweighs it.
    medical = bool(name) and at.population < 100_000 and known.is_medical(name)
    shout = bool(name) and len(name) < 5 and words[0].isupper() and not page.shouting
    the = left.endswith("the ") and at.kind == "city" and name not in ("bronx", "hague")
    small_word = (
        at.kind == "city" and name not in _FAMOUS and word.zipf >= 3.9 and at.population < 60_000
    )
    doubtful = name in _WORDS or small_word or shout or the or medical
    strong, weak = _cues(left)
    if _WAR.match(page.text, end):
        return 0.4, "war"
    if alone and strong and not the:
        return 0.9, "known after strong cue"
    if alone and weak and not doubtful:
        return 0.84, "known after cue"
    if doubtful:
        if alone and _INTO.search(left) and not (the or shout):
            return 0.74, "word after in"
        return (0.55, "word after cue") if alone and weak else (0.3, "word")
    if page.text[end : end + 1] == ":":
        return 0.4, "label"
    if at.kind in ("country", "state"):
        if word.first > 60:
            return 0.5, "rather a name"
        person = word.first > 10 or word.surname > 30
        return (0.74, "region or name") if person else (0.82, "region")
    if not alone:
        return 0.45, "inside a run"
    if len(words) > 1:
        return (0.8, "several words, large") if at.population > 20_000 else (0.66, "several words")
    if word.first > 5 or word.surname > 20:
        return (0.72, "famous or name") if name in _FAMOUS else (0.5, "name")
    if name in _FAMOUS or (at.population >= 400_000 and word.zipf < 5.2):
        return 0.82, "large"
    if at.population >= 60_000 and word.zipf < 4.6:
        return 0.74, "middling"
    return 0.55, "small"


def _ends_in_region(page: Page, name: str) -> bool:
    return is_region(page, name) or is_region(page, name.split()[0])


def _rather_person(page: Page, run: Run, at: _Found) -> bool:
    """Whether 'X, MD' is a person with a credential rather than a place in Maryland."""
    word = page.knowledge.word(_bare(run.words[at.stop - 1]))
    return at.first > 0 or (at.population < 20_000 and word.surname > 5)


_BEFORE = frozenset(
    "in to from of near outside at into around the visit visited visiting visits city town "
    "hometown "
    "is was birthplace through via".split()
)


def _near(page: Page, start: int, end: int) -> bool:
    """Whether a preposition, a label or a comma stands beside a run: worth a closer look."""
    if page.text[end : end + 1] in (",", "\n", " ") and _REGION_NEXT.match(page.text, end):
        return True
    left = page.text[max(0, start - 12) : start].lower().split()
    return bool(left) and (left[-1] in _BEFORE or left[-1][-1] in ':="')


def _judge_form(page: Page, run: Run, found: list[_Found]) -> Iterator[Span]:
    """An unknown name that is formed like a place's, or that a cue makes one."""
    known = page.knowledge
    first = core(run)
    words = run.words[first:]
    if not words or len(words) > 4:
        return
    lower = [_bare(word) for word in words]
    prefix = len(words) > 1 and lower[0] in _PREFIX
    shaped = len(lower[-1]) > 6 and len(words) < 3 and bool(_ENDING.search(lower[-1]))
    if not prefix and not shaped and not _near(page, run.starts[first], run.end):
        return
    if (
        lower[0] in TITLES
        or lower[-1] in GENERIC
        or any(w in WEEKDAYS or w in MONTHS for w in lower)
    ):
        return
    start, end = run.starts[first], run.end
    if run.words[-1].endswith("'s"):
        end -= 2
    left = before(page, start)
    state = _STATE_AFTER.match(page.text, end)
    last = lower[-1]
    word = known.word(last)
    rare = word.zipf < 2.6 and not known.is_medical(last)
    ending = rare and shaped
    sure = ending and bool(_ENDING_SURE.search(last)) and word.surname < 1
    strong, weak = _cues(left)
    if is_person_context(left):
        return
    if state:
        code = state.group(1)
        backed = strong or weak or prefix or sure
        credential = is_credential(code) and not (strong or prefix or sure)
        if (backed or code not in UNSURE_STATES) and not credential:
            rule = "form, state" if backed else "unknown, state"
            yield _span(start, state.end(1), 0.92 if backed else 0.74, rule)
        return
    other = _PLACE_AFTER.match(page.text, end)
    if other and len(words) < 3 and is_region(page, other.group(1)) and not found:
        line = not page.text[max(0, start - 1) : start].strip() and "\n" in other.group()
        backed = strong or weak or prefix or sure or line
        rule = "form, country" if backed else "unknown, country"
        yield _span(start, other.end(1), 0.86 if backed else 0.72, rule)
        return
    if len(found) and not prefix:
        return
    if prefix and not sure and (word.zipf > 4.2 and word.surname < 5 and word.first < 5):
        return
    if medical_use(page, end):
        return
    if (prefix or sure) and (strong or weak):
        yield _span(start, end, 0.88, "form after cue")
    elif ending and (strong or weak):
        yield _span(start, end, 0.8, "ending after cue")
    elif prefix and sure:
        yield _span(start, end, 0.8, "prefix and ending")
    elif (
        strong
        and len(words) <= 3
        and not any(known.is_medical(w) for w in lower)
        and (rare or word.zipf < 3.8)
    ):
        yield _span(start, end, 0.8, "unknown after strong cue")
    elif sure:
        yield _span(start, end, 0.66, "ending")
    elif prefix and lower[0] in ("north", "south", "east", "west", "port", "lake", "new") and rare:
        yield _span(start, end, 0.66, "prefix")
    elif weak and rare and len(words) <= 2:
        yield _span(start, end, 0.45, "unknown after cue")


def _lower_case(page: Page) -> Iterator[Span]:
    """Places in lower case after a preposition, where the word is hardly anything else."""
    known = page.knowledge
    for match in _LOWER.finditer(page.text):
        words = match.group(1).split()
        for count in range(len(words), 0, -1):
            name = " ".join(words[:count])
            at = known.place(name)
            region = (
                name in STATE_NAMES or name in REGIONS or (at is not None and at.kind == "country")
            )
            word = known.word(name)
            if not region and (
                at is None or at.population < 200_000 or (count == 1 and word.zipf > 4.3)
            ):
                continue
            if name in _WORDS or known.is_medical(name) or (count == 1 and word.first > 5):
                continue
            start = match.start(1)
            yield _span(
                start,
                start + len(name),
                0.82 if region else 0.76,
                "region in lower case" if region else "lower case",
            )
            break
