"""The grammar of addresses: numbers, streets of many countries, units, states, postal codes."""

from __future__ import annotations

import re
from functools import lru_cache

from indistinct.knowledge import STATES, knowledge
from indistinct.scrub.text.detectors._places import UPPER, has
from indistinct.scrub.text.page import Page

# The suffixes of the US Postal Service (Publication 28, appendix C1) and their abbreviations.
_SUFFIX = (
    "alley|aly|arcade|avenue|ave?|bayou|beach|bend|bluffs?|bottom|boulevard|blvd|branch|bridge|"
    "brooks?|burgs?|bypass|byp|camp|canyon|cape|causeway|centers?|centre|circles?|cir|cliffs?|"
    "close|club|common|corners?|courts?|crt|ct|coves?|creek|crescent|cres|crest|crossing|xing|"
    "crossroads?|curve|dale|dam|divide|drives?|drv?|estates?|expressway|expy|extensions?|ext|falls|"
    "ferry|fields?|flats?|fords?|forest|forges?|forks?|fort|freeway|fwy|gardens?|gdns|gateway|"
    "glens?|greens?|groves?|harbors?|havens?|heights|highway|hwy|hills?|hollow|inlet|islands?|"
    "isle|junctions?|jct|keys?|knolls?|lakes?|land|landing|lane|ln|lights?|loaf|locks?|lodge|loop|"
    "mall|manors?|meadows?|mews|mills?|mission|motorway|mount|mountains?|neck|orchard|oval|"
    "overpass|parade|parks?|parkways?|pkwy|pass|passage|path|pike|pines?|place|pl|plains?|plaza|"
    "plz|"
    "points?|pt|ports?|prairie|quay|radial|ramp|ranch|rapids?|rest|ridges?|river|roads?|rd|route|"
    "row|"
    "rue|run|shoals?|shores?|skyway|springs?|spurs?|squares?|sq|station|stravenue|stream|"
    "streets?|st|summit|terrace|terr?|throughway|trace|tracks?|trafficway|trails?|trl|trailer|"
    "tunnel|turnpike|tpke|underpass|unions?|valleys?|viaduct|views?|villages?|ville|vista|walks?|"
    "wall|wharf|ways?|wells?"
)
# Suffixes that hardly ever are the last word of anything but a street.
_SURE = (
    "avenue|ave|boulevard|blvd|circle|cir|court|ct|crescent|cres|drive|dr|highway|hwy|lane|ln|"
    "parkway|pkwy|place|pl|plaza|plz|road|rd|square|sq|street|st|terrace|ter|trail|trl|turnpike|"
    "tpke|way|mews|pike"
)
# A full stop inside a street's name stands after an initial or one of these.
_STOPPED = rf"(?:[{UPPER}]|(?i:st|ste|mt|ft|jr|sr|dr|gen|col|capt|rev|pres|wm))\."
_SMALL = r"\d{1,3}(?:st|nd|rd|th)|[Oo]f|[Tt]he|[Dd]e|[Ll]a"
_NAME = rf"(?:[{UPPER}][\w'-]{{0,24}}(?!\.)|{_STOPPED}|{_SMALL})"
_LOOSE_NAME = rf"(?:[{UPPER}][\w'-]{{0,24}}\.?|{_SMALL})"
_LOW = r"[a-z][a-z'-]{1,20}"
_DIRECTION = (
    r"(?:(?:[NSEW]\.?|[NS]\.?[EW]\.?|North|South|East|West|North(?:east|west)|South(?:east|west)) )"
)
NUMBER = r"(?:\d{1,6}(?:[ -]?[A-Za-z](?![\w]))?(?:[-/]\d{1,5})?(?: 1/2)?)"
# The same where a pattern begins with it: the digit first lets the scan skip to digits.
HOUSE = (
    r"[0-9](?<![\w/.-][0-9])\d{0,5}(?:[ -]?[A-Za-z](?!\w))?(?:[-/][1-9]\d{0,4})?(?: 1/2)?"
    r"(?: \d{1,4})?"
)
SEP = r"(?: {0,3},? {0,3}\n(?: {0,4}\n)? {0,4}(?:, {0,2})?|,? {1,3}|,)"

# 18728 Peterson Trail; 12 N. Elm St.; 4 The Green Road; 221B Baker Street
SURE_STREET = (
    rf"(?:{_DIRECTION})?(?:{_NAME} ){{1,4}}(?i:{_SURE})\b(?:\.(?! [{UPPER}][a-z]+ [a-z]))?(?: "
    rf"(?:[NSEW]|[NS][EW])\b)?"
)
ANY_STREET = rf"(?:{_DIRECTION})?(?:{_NAME} ){{1,4}}(?i:{_SUFFIX})\b\.?(?: (?:[NSEW]|[NS][EW])\b)?"
LOOSE_STREET = rf"(?=[{UPPER}\d]){_LOOSE_NAME}(?: {_LOOSE_NAME}){{0,4}}"
LOW_STREET = rf"(?:{_LOW} ){{1,3}}(?:{_SURE})\b"

_SHORT = frozenset(
    "st ave av blvd rd dr ln ct pl cir hwy pkwy sq ter trl tpke cres plz str ul".split()
)


_HOUSE_NEXT = re.compile(
    r"[0-9](?<![\w/.-][0-9])\d{0,5}(?:[ -]?[A-Za-z](?!\w))?(?:[-/]\d{1,5})?,? "
    rf"[{UPPER}0-9otdl]"
)


def houses(page: Page) -> list[int]:
    """Where a number begins that a name or another number follows, as in a house's address."""
    kept = vars(page)
    found: list[int] | None = kept.get("_houses")
    if found is None:
        found = kept["_houses"] = [match.start() for match in _HOUSE_NEXT.finditer(page.text)]
    return found


def trimmed(text: str, start: int, end: int) -> int:
    """The end of a street, without the full stop that ends the sentence rather than a word.

    >>> trimmed("4 Elm Road.", 0, 11), trimmed("4 Elm Rd.", 0, 9)
    (10, 9)
    """
    if text[end - 1] == "." and text[start : end - 1].split()[-1].lower() not in _SHORT:
        return end - 1
    return end


# Word first: Rue de la Gare 12, Via Roma, Calle Mayor 3, Avenida Pedro Ulisses 888
# In lower case only where the word is none of English.
_EURO_WORDS = (
    "rue viale calle carrer carretera paseo avenida av. avda rua praça praca travessa corso piazza "
    "piazzale piazzetta vicolo contrada boulevard chemin quai allée ulica ul. aleja osiedle strada "
    "bulevardul náměstí jalan jl. jln prolongación calzada cra. jardim estrada alameda".split()
)
_EURO_CAPITALS = (
    "Via Largo Plaza Place Impasse Route Al. Os. Str. Cours Promenade Avenue Odos Carrera".split()
)
EURO_FIRST_WORDS = frozenset(word.rstrip(".").lower() for word in [*_EURO_WORDS, *_EURO_CAPITALS])
_EURO_FIRST = "(?:{})".format(
    "|".join(
        re.escape(form)
        for word in sorted([*_EURO_WORDS, *_EURO_CAPITALS], key=len, reverse=True)
        for form in dict.fromkeys((word, word[0].upper() + word[1:]))
    )
)
_PARTICLE = (
    r"(?:de|la|le|les|l'|d'|du|des|del|della|delle|dei|degli|di|da|do|dos|das|el|los|las|en|sur|"
    r"e|y|et)"
)
EURO_FIRST = (
    rf"{_EURO_FIRST}(?: {_PARTICLE}){{0,3}} ?(?:[{UPPER}][\w'.-]{{0,24}}|\d{{1,2}})(?: "
    rf"(?:{_PARTICLE}|[{UPPER}][\w'.-]{{0,24}})){{0,5}}(?:,? (?:n[°o.º]{{0,2}} "
    rf"?)?\d{{1,4}}[A-Za-z]?\b)?"
)
_EURO_START = re.compile(EURO_FIRST)
_NUMBERS_BEFORE = re.compile(rf"(?<![\w/.-])(?:{NUMBER},? ){{1,2}}$")
_INSIDE = re.compile(r"[\w.-]")


def euro_firsts(page: Page) -> list[tuple[int, int]]:
    """Streets with the street word first, and the numbers before them: start and end."""
    kept = vars(page)
    found: list[tuple[int, int]] | None = kept.get("_euro_firsts")
    if found is None:
        found = kept["_euro_firsts"] = []
        text = page.text
        for match in _EURO_START.finditer(text) if has(page, EURO_FIRST_WORDS) else ():
            start = match.start()
            if start and _INSIDE.match(text, start - 1):
                continue
            back = max(0, start - 24)
            number = _NUMBERS_BEFORE.search(text[back:start])
            found.append((back + number.start() if number else start, match.end()))
    return found


# Ending: Kiannonkatu 98, Parijsstraat 8, Wingertweg 126, Erzsébet tér 19
_EURO_ENDS = (
    "strasse straße str weg gasse allee platz damm ring ufer gatan gata gaten vägen vagen veien "
    "vegen vej vei gade alle katu tie kuja polku straat laan plein kade gracht dreef singel "
    "steenweg stien tänav tee puiestee iela gatvė utca tér körút út ulice třída cesta trg ulica "
    "sokak caddesi bulvarı terrasse bakken stræde parken haven torv plass stígur vegur "
    "braut".split()
)
_EURO_END = "(?:{})".format("|".join(f"{end}\\." if end == "str" else end for end in _EURO_ENDS))
_ENDS = tuple(_EURO_ENDS)


@lru_cache(maxsize=8192)
def _ends_street(word: str) -> bool:
    return word.endswith(_ENDS) and (word in _ENDS or knowledge().word(word).zipf < 2.8)


def has_euro_end(page: Page) -> bool:
    """Whether a number follows a rare word that ends like a street on the Continent."""
    kept = vars(page)
    found: bool | None = kept.get("_euro_end")
    if found is None:
        lower = page.lower
        found = False
        for match in _NUMBER_NEXT.finditer(page.text):
            place = page.token_at(match.start())  # the last word or mark before the blank
            if place > 0 and lower[place] == ".":
                place -= 1
            if _ends_street(lower[place]):
                found = True
                break
        kept["_euro_end"] = found
    return found


_NUMBER_NEXT = re.compile(r" [0-9]")
EURO_END = (
    rf"(?:[{UPPER}][\w'.-]{{0,24}} ){{0,3}}[{UPPER}][\w'.-]{{0,24}}{_EURO_END} \d{{1,4}}\.?(?: "
    rf"?[A-Za-z]\b)?|(?:[{UPPER}][\w'.-]{{1,24}} ){{1,3}}(?i:{_EURO_END}) \d{{1,4}}\.?(?: "
    rf"?[A-Za-z]\b)?"
)

UNIT_WORDS = frozenset("apt apartment suite ste flat".split())
UNIT = (
    r"(?:(?i:apt|apartment|suite|ste|unit|flat|floor|fl|room|rm|bldg|building|box|pmb|dept|lot|"
    r"space|no|trlr|penthouse|level)\.? ?#? ?[\w-]{1,8}|# ?\w{1,6}|\d{1,2}(?:st|nd|rd|th) "
    r"(?i:floor|fl))\b"
)
SURE_UNIT = r"(?i:(?:apt|apartment|suite|ste|flat)\b\.? ?#? ?[\w-]{1,6})\b"
POST_BOX = (
    r"(?i:p\.? ?o\.? ?box|post(?: office)? ?box|postbox|postfach|casilla|apartado(?: postal)?) "
    r"?#? ?\d{1,7}\b"
)
MILITARY = (
    r"(?:(?:PSC|CMR|Unit|UNIT|Psc) ?\d{1,6},?(?: (?:Box|BOX) ?\d{1,6})?|US[NCS][A-Z]{1,2} "
    r"[A-Z][\w'-]{1,20}(?: [A-Z][\w'-]{1,20})?)(?:,? {0,2}\n? {0,4})(?:APO|FPO|DPO),? "
    r"?A[AEP],?(?: \d{5}(?:-\d{4})?)?"
)

# With the freely associated states and the military "states" of the US Postal Service.
_STATE_CODES = "|".join(sorted([*STATES, "FM", "PW", "MH", "AA", "AE", "AP"]))
STATE_CODES = frozenset(_STATE_CODES.split("|"))
_STATE_NAMES = "|".join(sorted(STATES.values(), key=len, reverse=True))
_PROVINCES = (
    "ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|NT|YT|NU|NSW|VIC|QLD|TAS|ACT|Ontario|Quebec|Québec|"
    "British Columbia|Alberta|Manitoba|Saskatchewan|Nova Scotia|New Brunswick|New South Wales|"
    "Victoria|Queensland|Tasmania|South Australia|Western Australia"
)
STATE_CODE = rf"(?:{_STATE_CODES})"
STATE = (
    rf"(?:{_STATE_NAMES}|{_PROVINCES}|(?:{_STATE_CODES})|D\.C\.|N\.Y\.|N\.J\.|Mass\.|Calif\.|"
    rf"Penn\.|Conn\.|Tex\.|Fla\.)"
)
ZIP = r"\d{5}(?:-\d{4})?(?![\d/-])"
UK_CODE = r"(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2})\b"
CA_CODE = r"(?:[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d)\b"
CODE = (
    rf"(?:{ZIP}|{UK_CODE}|{CA_CODE}|[A-Z]{{1,2}}-\d{{4,5}}|\d{{4}} ?[A-Z]{{2}}\b|\d{{3}} \d{{2}}|"
    rf"\d{{2}}-\d{{3}}|\d{{4,6}})(?![\w-])"
)
# Parts of an address in the order of many countries: Number 8, Elm Road, East District, Lund City
_HEAD = (
    "Road|Street|Avenue|Lane|Boulevard|District|City|Province|County|Town|Township|Village|"
    "Community|Square|Building|Tower|Park|Plaza|Residential Area|Estate|Prefecture|Campus|Block|"
    "Sector|Phase|Floor|Center|Centre|Hotel|Branch|Scenic Area|Region|Municipality|Subdistrict"
)
PART_WORDS = frozenset(word.split()[-1].lower() for word in _HEAD.split("|"))
PART = (
    rf"(?:(?:[{UPPER}][\w'-]{{0,24}} ){{1,6}}(?:{_HEAD})\b(?: \([^()\n]{{2,40}}\))?|"
    rf"(?:No\.|Number|Nr\.?|#) ?\d{{1,5}}|\w{{1,4}} [Nn]umber|\d{{1,5}}(?:st|nd|rd|th)?(?=,)|"
    rf"(?:Building|Block|Sector|Tower|Unit|Room|Floor) [A-Z\d-]{{1,6}}\b)"
)
CITY = (
    rf"(?:(?:St\.|Ste\.|Mt\.|Ft\.) )?[{UPPER}][\w'.-]{{1,24}}(?: (?:[{UPPER}][\w'.-]{{0,24}}|de|"
    rf"del|do|dos|da|das|di|la|le|les|el|von|van|bei|of|upon|am|an|der|sur|en|sous)){{0,3}}"
)
