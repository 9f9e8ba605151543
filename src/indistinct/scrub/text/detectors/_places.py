"""What the detectors of places and organisations share: capitalised runs, cues, common words.

A name of a place or an organisation is nearly always a run of capitalised words. The runs of a
page are read once and kept with the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from indistinct.knowledge import CREDENTIALS, MONTHS, RELATIONS, STATES, TITLES, WEEKDAYS
from indistinct.scrub.text.page import Page

# Capital letters of Latin, Greek and Cyrillic, as a character class can hold them.
UPPER = "A-Z" + "".join(chr(c) for c in range(0x80, 0x530) if chr(c).isupper())
# A capitalised word with what it may hold inside: O'Moran, Winston-Salem, AT&T, U.S.
WORD = rf"[{UPPER}](?:(?:\.[{UPPER}]){{1,4}}\.?|\w{{0,30}}(?:['&-]\w{{1,30}}){{0,4}})"
# The same without digits, whole or not at all.
_PURE = (
    rf"(?:(?:\.[{UPPER}]){{1,4}}\.?|"
    rf"(?>[^\W\d]{{0,30}}(?:['&-][^\W\d]{{1,30}}){{0,4}})(?!['&-]?\w))"
)
# The letter before the look-behind lets the scan skip to capitals.
_RUN = re.compile(rf"[{UPPER}](?<!\w[{UPPER}]){_PURE}(?> {{1,2}}[{UPPER}]{_PURE}){{0,11}}")
# A full stop inside a run follows an abbreviation or a single letter.
_SHORT = frozenset("st mt ft dr ave rd blvd hwy sta ste co univ dept med u s n e w".split())
_STRETCH = 12

STATE_NAMES = frozenset(name.lower() for name in STATES.values())
# Abbreviations of states that are also credentials, titles or words in clinical text.
# Not in the gazetteer, but places to everybody.
REGIONS = frozenset(
    "england|scotland|wales|britain|great britain|northern ireland|america|north america|"
    "south america|latin america|central america|europe|asia|africa|holland|"
    "netherlands|burma|czechoslovakia|yugoslavia|soviet union|ussr|palestine|tibet|siberia|"
    "korea|north korea|south korea|catalonia|bavaria|tuscany|sicily|sardinia|crete|normandy|"
    "brittany|provence|andalusia|scandinavia|caribbean|balkans|kashmir|punjab|bengal|gujarat|"
    "kerala|tamil nadu|karnataka|maharashtra|queensland|new south wales|tasmania|alberta|manitoba|"
    "saskatchewan|nova scotia|new brunswick|newfoundland|labrador|british columbia|yukon|"
    "ontario|quebec|henan|zhejiang|jiangsu|guangdong|sichuan|hunan|hubei|yorkshire|cornwall|devon|"
    "essex|sussex|cumbria|lancashire|indochina|mesopotamia|kurdistan|gaza|gaza strip|"
    "west bank|middle east|far east|midwest|new england|bay area|silicon valley|wall street|"
    "capitol hill|white house|vatican|czech republic|ivory coast|united kingdom|united states|"
    "hong kong|macau|dominican republic|san fran|philly|vegas|frisco|latin quarter|harlem|soho|"
    "east coast|west coast|east village|gulf coast|deep south|west indies|east anglia|usa|uk|"
    "russian federation|virgin islands|western australia|south australia|inner mongolia".split("|")
)
UNSURE_STATES = frozenset("MD PA MA DO MS CO OR IN ME OK HI ID LA AL DE VA PR CT MI PT AS".split())

# Words that stand before a name without belonging to it, mostly at the start of a sentence.
_SENTENCE = frozenset(
    "the a an at in on to from by of for with and or but if as is was were has had have he she "
    "it they we you i his her their our my your this that these those when while where who what "
    "why how since after before during until near via per re cc dear seen admitted transferred "
    "discharged referred patient pt mr mrs ms dr please contact call see visit send find location "
    "facility address hospital: name also then there here thank thanks hello hi no not yes "
    "attending physician provider signed dictated provided both between within about into over "
    "under against through across around because although though so however meanwhile "
    "yesterday today tomorrow recently last next according let can could would will should may "
    "do does did are be been being any all some each every former formerly go going went come "
    "came live lives lived living work works worked working born moved see saw told says said "
    "use using used meet ask check".split()
)
_LEADING = _SENTENCE | WEEKDAYS | (MONTHS.keys() - {"may", "march"})

# Words that describe a unit or service of any hospital and so name none of them.
GENERIC = frozenset(
    "general medical medicine surgical surgery clinical clinic clinics hospital hospitals center "
    "centre department dept unit ward service services emergency urgent acute intensive critical "
    "care primary family internal community regional local rural urban public private state "
    "county city national federal outside referring outpatient inpatient day night same "
    "ambulatory specialty specialist specialists special tertiary secondary academic teaching "
    "university veterans military psychiatric psychiatry psychology behavioral behavioural mental "
    "health healthcare home nursing skilled long short term rehab rehabilitation physical "
    "occupational speech therapy respiratory cardiac cardiology cardiovascular cardiothoracic "
    "heart chest pulmonary lung kidney renal nephrology dialysis urology neurology "
    "neurosurgery neuro stroke brain spine orthopedic orthopaedic orthopedics ortho bone joint "
    "sports foot hand eye ophthalmology ent ear nose throat dental oral maxillofacial vascular "
    "thoracic plastic burn trauma wound pain palliative hospice oncology cancer hematology "
    "tumor radiation radiology imaging nuclear mri ct pet lab laboratory pathology pharmacy "
    "infectious disease immunology allergy asthma rheumatology arthritis endocrinology diabetes "
    "diabetic thyroid metabolic obesity bariatric weight nutrition gi gastroenterology "
    "endoscopy liver hepatology transplant dermatology skin genetics genetic fertility obstetrics "
    "gynecology ob gyn obgyn women's womens maternity maternal fetal labor delivery birth prenatal "
    "antenatal neonatal nicu picu icu micu sicu ccu er ed or pacu newborn nursery pediatric "
    "pediatrics paediatric children's childrens child adolescent adult geriatric geriatrics senior "
    "memory sleep travel vaccination vaccine covid flu hiv std sexual anticoagulation coumadin "
    "warfarin inr lipid hypertension preop pre post op preoperative postoperative recovery "
    "procedure infusion chemo chemotherapy blood bank donor walk free virtual telehealth satellite "
    "retail main new nearby nearest another different any every each one same first second third "
    "large small big major leading my your his her their our its this that the a an following "
    "follow up followup continuity resident residents faculty attending student employee "
    "occupational social work case management admissions discharge step down stepdown telemetry "
    "medical-surgical med surg tele observation isolation locked open covid-19 id the and of "
    "in to at from for by with on assessment plan history review notes note report summary "
    "record records consult consultation referral visit follow-up transfer transferred admitted "
    "seen patient patients pt doctor nurse physician provider team group staff shift call name "
    "type date time reason course status current previous past other high low risk stay "
    "school education research prevention wellness fitness addiction substance detox methadone "
    "suboxone group partial crisis hotline headache migraine epilepsy seizure movement disorder "
    "parkinson's alzheimer's ms als cystic fibrosis sickle cell hepatitis fracture shoulder knee "
    "hip hernia vein breast prostate colorectal swallowing voice hearing audiology low vision "
    "retina glaucoma cornea prosthetics orthotics device pacemaker heart-failure chf copd "
    "syncope arrhythmia afib lipids hypertension".split()
)  # fmt: skip


class Run(NamedTuple):
    """Capitalised words that follow each other on a line.

    `lower` are the words in lower case, `starts` where each begins, `first` the number of the
    first word that may belong to a name, past leading words of a sentence.
    """

    start: int
    end: int
    words: list[str]
    lower: list[str]
    starts: list[int]
    first: int

    def ends(self, place: int) -> int:
        """Where word number `place` ends."""
        return self.starts[place] + len(self.words[place])


def runs(page: Page) -> list[Run]:
    """The capitalised runs of a page, in order.

    >>> from indistinct.scrub.text.page import read
    >>> [" ".join(run.words) for run in runs(read("Seen at St. Mary Hospital, New York."))]
    ['Seen', 'St Mary Hospital', 'New York']
    """
    kept = vars(page)
    found: list[Run] | None = kept.get("_runs")
    if found is None:
        found = kept["_runs"] = _read_runs(page.text)
    return found


def followed(page: Page) -> list[Run]:
    """The runs that a word in lower case follows."""
    kept = vars(page)
    found: list[Run] | None = kept.get("_followed")
    if found is None:
        text = page.text
        found = kept["_followed"] = [
            run
            for run in runs(page)
            if text.startswith(" ", run.end) and text[run.end + 1 : run.end + 2].islower()
        ]
    return found


def _read_runs(text: str) -> list[Run]:
    found: list[Run] = []
    end = 0
    short = False  # whether the last word may be an abbreviation
    for match in _RUN.finditer(text):
        start = match.start()
        words, lower, offsets, first = _divided(match.group())
        starts = [start + offset for offset in offsets] if len(offsets) > 1 else [start]
        if short and text[end:start] in (". ", "."):
            before = found[-1]
            if len(before.words) + len(words) <= _STRETCH:
                found.pop()
                first = first + before.first if before.first == len(before.words) else before.first
                start = before.start
                words = before.words + words
                lower = before.lower + lower
                starts = before.starts + starts
        end = match.end()
        short = lower[-1] in _SHORT or len(lower[-1]) == 1
        found.append(Run(start, end, words, lower, starts, first))
    return found


@lru_cache(maxsize=16384)
def _divided(stretch: str) -> tuple[list[str], list[str], list[int], int]:
    """The words of a run as they are and in lower case, where each begins, the first of a name."""
    words = stretch.split()
    lower = stretch.lower().split()
    offsets, place, first = [], 0, 0
    for word in words:
        offsets.append(stretch.index(word, place))
        place = offsets[-1] + len(word)
    while first < len(lower) and lower[first] in _LEADING:
        first += 1
    return words, lower, offsets, first


def _ends_of_words(page: Page) -> tuple[dict[str, int], dict[str, int]]:
    """By word in lower case: the number of its first token and of its last."""
    kept = vars(page)
    found: tuple[dict[str, int], dict[str, int]] | None = kept.get("_ends_of_words")
    if found is None:
        lower = page.lower
        last = dict(zip(lower, range(len(lower)), strict=True))
        first = dict(zip(reversed(lower), range(len(lower) - 1, -1, -1), strict=True))
        found = kept["_ends_of_words"] = first, last
    return found


def has(page: Page, words: frozenset[str]) -> bool:
    """Whether any of the words (in lower case) is on the page: the gate before a slow pattern."""
    return not _ends_of_words(page)[0].keys().isdisjoint(words)


def matches(page: Page, words: frozenset[str], pattern: re.Pattern[str]) -> Iterable[re.Match[str]]:
    """Where a pattern fits that begins with one of the words; in order, none overlapping.

    >>> from indistinct.scrub.text.page import read
    >>> page = read("Room 4, room 12, bathroom 3")
    >>> [match.group() for match in matches(page, frozenset({"room"}), re.compile(r"[Rr]oom \\d+"))]
    ['Room 4', 'room 12']
    """
    first, last = _ends_of_words(page)
    found = []
    for word in words:
        place = first.get(word, -1)
        if place >= 0:
            found.append(place)
            while place < last[word]:
                place = page.lower.index(word, place + 1)
                found.append(place)
    if not found:
        return ()
    starts = page.starts
    return at_starts(page.text, [starts[place] for place in sorted(found)], pattern)


def at_starts(
    text: str, starts: Iterable[int], pattern: re.Pattern[str]
) -> Iterator[re.Match[str]]:
    """Where a pattern fits that begins at one of some places; in order, none overlapping."""
    done = 0
    for start in starts:
        if start >= done:
            match = pattern.match(text, start)
            if match:
                done = match.end()
                yield match


def past_leading(text: str, start: int) -> int:
    """Where a name begins when words of the sentence may stand before it.

    >>> past_leading("From Boston, MA", 0)
    5
    """
    for word in text[start : start + 40].split(" ")[:-1]:
        if word.lower() not in _LEADING:
            break
        start += len(word) + 1
    return start


def is_generic(word: str) -> bool:
    """Whether a word describes hospitals' units and services in general.

    >>> is_generic("Cardiology"), is_generic("Mercy")
    (True, False)
    """
    return word.lower() in GENERIC


def names_something(page: Page, words: list[str]) -> bool:
    """Whether at least one of the words is no generic word and no term of medicine."""
    known = page.knowledge
    for word in words:
        lower = word.lower()
        if lower in GENERIC or lower in _LEADING or lower in TITLES:
            continue
        bare = lower.removesuffix("'s")
        if known.is_medical(bare) and not known.place(bare) and known.word(bare).surname < 3:
            continue
        return True
    return False


# What follows the name of a person or place after whom something in medicine is called.
_MEDICAL = frozenset(
    "disease syndrome sign test score risk criteria scale classification palsy esophagus lymphoma "
    "sarcoma tumor tumour chorea thyroiditis phenomenon reflex index stage staging staged study "
    "trial protocol maneuver procedure operation repair fracture contracture virus fever flu node "
    "nodes body bodies cell cells catheter tube drain monitor splint collar ligament canal valve "
    "grading grade equation formula rule rules algorithm consensus guideline guidelines "
    "esophagitis ulcer gangrene paralysis anemia purpura nephritis encephalopathy stand wort "
    "dance measles subscore endoscopic forceps position chromosome".split()
)
# Towns have given their names to scales of these things.
_FOLLOWS = re.compile(
    r"(?:'s?)?[ -](?:(?:[Cc]oma|[Oo]utcome|[Dd]epression|[Ss]leepiness|[Dd]isability|[Kk]nee|"
    r"[Hh]ip|[Pp]ain|[Bb]leeding|[Ss]tool|[Hh]eart|[Bb]owel) )?([A-Za-z]+)\b"
)


def medical_use(page: Page, end: int) -> bool:
    """Whether what follows makes the name a term of medicine: Huntington's disease.

    >>> from indistinct.scrub.text.page import read
    >>> medical_use(read("Huntington's disease"), 10), medical_use(read("Huntington Beach"), 10)
    (True, False)
    """
    match = _FOLLOWS.match(page.text, end)
    return match is not None and match.group(1).lower() in _MEDICAL


def is_region(page: Page, name: str) -> bool:
    """Whether a name is a state's, a country's, or another large region's."""
    lower = name.lower()
    if lower in STATE_NAMES or lower in REGIONS:
        return True
    at = page.knowledge.place(lower)
    return at is not None and at.kind == "country"


def before(page: Page, position: int, width: int = 32) -> str:
    """What stands before a position on its line, in lower case."""
    text = page.text[max(0, position - width) : position].lower()
    if "\n" not in text:
        return text
    above, _, line = text.rpartition("\n")
    # A line that was broken in running text goes on.
    return f"{above} {line}" if above[-1:].isalpha() else line


_PERSONS = TITLES | RELATIONS


def is_person_context(lower_before: str) -> bool:
    """Whether a title or a relation stands right before: what follows is a person's name."""
    words = lower_before.replace(".", " ").rsplit(None, 1)
    return bool(words) and words[-1] in _PERSONS


def is_credential(word: str) -> bool:
    """Whether a word is a credential such as MD."""
    return word.lower().replace(".", "") in CREDENTIALS
