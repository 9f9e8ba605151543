"""Cities, towns, states and countries in running text: known ones, and those formed like one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import knowledge
from indistinct.scrub.text.cues import STATES, cues
from indistinct.scrub.text.detectors._cities import (
    REGION_KINDS,
    Form,
    Place,
    bare_word,
    reading,
    small_place,
)
from indistinct.scrub.text.detectors._places import (
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
_WHERE = cues("in to from of near outside at into around")
_TOWN_LABELS = cues(
    "visit visited visiting visits home_town hometown home_city city town city/town city_/town "
    "city/_town city_/_town birthplace birth_place place_of_birth"
)
_STRONG = re.compile(
    rf"(?:\b{_SITUATED.pattern}(?: \w{{1,12}}){{0,2}} {_WHERE.pattern}(?: the)?"
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
_STRONG_ENDS = _WHERE.ends | _TOWN_LABELS.ends | {"the", "is", "was"}
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
