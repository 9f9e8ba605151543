"""Places: towns and streets that do not exist, ZIP codes to three digits, the state kept."""

from __future__ import annotations

import re

from indistinct.text.cues import STATES
from indistinct.text.knowledge import knowledge, plain
from indistinct.text.replace.choosing import Choices, key_of
from indistinct.text.replace.style import SUPPRESSED, like, listed

# Three-digit areas of at most 20,000 people (2000 census), which 45 CFR 164.514(b)(2)(i)(B)
# sets to 000.
_FEW_PEOPLE = frozenset(
    listed("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893")
)
_STREET_WORDS = frozenset(
    listed(
        "street st avenue ave av road rd drive dr lane ln boulevard blvd way court courts ct "
        "place pl terrace ter trail trl circle cir parkway pkwy highway hwy route rte square sq "
        "plaza plz alley aly loop pike turnpike tpke path row walk crescent cres close grove "
        "gardens green hill hills mews run ridge point pt pass passage crossing xing bend branch "
        "bridge brook burg bypass camp canyon cape causeway center centre cliff cliffs club "
        "common corner corners course cove creek crest dale dam divide estate estates expressway "
        "expy extension ext falls ferry field fields flat flats ford fords forest forge fork "
        "forks fort freeway fwy garden gateway glen glens haven heights hollow inlet island "
        "islands isle junction key keys knoll knolls lake lakes land landing light lodge manor "
        "manors meadow meadows mill mills mission motorway mount mountain neck orchard oval "
        "overpass park parks plain plains port ports prairie radial ramp ranch rapid rapids rest "
        "river roads shoal shore shores skyway spring springs spur station stravenue stream "
        "summit throughway trace track tunnel underpass union unions valley valleys via viaduct "
        "view views village villages ville vista walks wall ways well wells strasse straße str "
        "platz weg allee rue calle avenida avda piazza rua gata gatan vej straat laan"
    )
)
_LEADING = frozenset(listed("rue via calle avenida avda rua piazza plaza avenue"))
_DIRECTIONS = frozenset(listed("n s e w ne nw se sw north south east west"))
_HEADS = frozenset(
    listed(
        "county lake river island islands bay beach park valley mountain mountains mount creek "
        "district region province parish township village city town harbor harbour sea ocean gulf "
        "desert forest peninsula canyon hills heights coast of the upper lower north south east "
        "west northern southern eastern western central borough reservation base airport"
    )
)
_STATE_NAMES = {plain(name) for name in STATES.values()}
_ZIP = re.compile(r"\d{5}(?:\s?-\s?\d{4})?$")
_UK = re.compile(r"([A-Z]{1,2})\d[A-Z\d]?\s?\d[A-Z]{2}$", re.IGNORECASE)
_CANADIAN = re.compile(r"([A-Z])\d[A-Z][\s-]?\d[A-Z]\d$", re.IGNORECASE)
_LAST_CODE = re.compile(
    r"(?:^|(?<=[\s,]))(?:\d{5}(?:\s?-\s?\d{4})?|\d{3}\s\d{2}|\d{4,6}"
    r"|[A-Za-z]{1,2}\d[A-Za-z\d]?\s?\d[A-Za-z]{2}|[A-Za-z]\d[A-Za-z][\s-]?\d[A-Za-z]\d)$"
)
_UNIT = re.compile(
    r"(?:apt|apartment|suite|ste|unit|room|rm|floor|fl|building|bldg|box|p\.?\s?o\.?\s?box|flat|lot"
    r"|#|no|number|trailer|space|level|wing)\b\.?\s*#?\s*[\w-]{1,8}$|#\s?[\w-]{1,8}$",
    re.IGNORECASE,
)
_FLAT = re.compile(
    r"\s(?=(?:(?:apt|apartment|suite|ste|unit|flat|rm|room)\.?\s?#?|#)\s?\w{1,6}$)", re.IGNORECASE
)
_PARTS = re.compile(r"(\s*[,;\n]\s*|\s+-\s+|\s{3,})")
_WORD = re.compile(r"[^\W_][\w'’]*\.?")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)$")
_CONNECTING = frozenset(listed("the corner of and at near off ul ulica pl der die am an do da dos"))
_ABBREVIATED = frozenset(listed("us usa uk america england scotland wales uae eu"))
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)\b|[A-Za-z]?\d+[A-Za-z]?\b", re.IGNORECASE)


def generalised_zip(text: str) -> str:
    """A ZIP code's first three digits, unless few people live there; a postcode's area.

    >>> generalised_zip("02151"), generalised_zip("03601-1234"), generalised_zip("SW1A 1AA")
    ('02100', '00000', 'SW')
    """
    for form in (_UK, _CANADIAN):
        found = form.match(text)
        if found:
            return found.group(1)
    digits = "".join(char for char in text if char.isdigit())
    if _ZIP.match(text):
        return "00000" if digits[:3] in _FEW_PEOPLE else digits[:3] + "00"
    kept = iter(digits[: max(0, len(digits) - 3)])
    return re.sub(r"\w", lambda _: next(kept, "0"), text)


def made_up_city(text: str, choices: Choices) -> str:
    """A town that is nowhere; a state after it stays: Boston, MA becomes Peabon, MA."""
    body, state, _ = _ending(text)
    return _renamed(body, choices) + state


def made_up_place(text: str, choices: Choices) -> str:
    """A county, lake or quarter of another name; states, countries and co-ordinates removed."""
    if "°" in text or is_wide(text):
        return SUPPRESSED
    words = text.split()
    street = len(words) > 1 and plain(words[-1].rstrip(".")) in _STREET_WORDS
    if street or _PARTS.search(text) or any(char.isdigit() for char in text):
        return made_up_address(text, choices)
    return made_up_city(text, choices)


def is_wide(text: str) -> bool:
    """Whether the place is a state or a country, for which nothing else of its kind stands."""
    name = plain(text.strip(" ."))
    known = knowledge().place(name)
    wide = known is not None and known.kind in ("state", "country")
    short = name.replace(".", "").replace(" ", "")
    return wide or short in _ABBREVIATED or name in _STATE_NAMES or text.strip(" .") in STATES


def made_up_street(text: str, choices: Choices) -> str:
    """A street of another name: numbers of the same length, the same kind of street."""
    words = list(_WORD.finditer(text))
    own = _own_words(words)
    written, place = [], 0
    for number, found in enumerate(words):
        word, between = found.group(), text[place : found.start()]
        place = found.end()
        if number not in own:
            numbered = any(char.isdigit() for char in word)
            written.append(between + (_digits(word, text, choices) if numbered else word))
        elif number - 1 not in own:
            last = number
            while last + 1 in own:
                last += 1
            true = key_of("".join(words[n].group() for n in range(number, last + 1)))
            written.append(between + _like_word(word, choices.town(true or word.lower())))
    return "".join(written) + text[place:]


def _own_words(words: list[re.Match[str]]) -> set[int]:
    """Which words are a street's own: not the number, the direction or the kind of street."""
    own: set[int] = set()
    for number, found in enumerate(words):
        word = plain(found.group().rstrip("."))
        last = number == len(words) - 1
        if _NUMBER.fullmatch(word) and not (number and _ORDINAL.match(word)):
            continue
        # In "Old Mill Road" only the last word is the kind.
        kind = last or plain(words[number + 1].group().rstrip(".")) not in _STREET_WORDS
        if word in _STREET_WORDS and (word in _LEADING or (kind and (last or own))):
            continue
        if word in _CONNECTING or (word in _DIRECTIONS and (own or not last)):
            continue
        own.add(number)
    named = own or any(char.isdigit() for found in words for char in found.group())
    return own if named else {0}


def made_up_address(text: str, choices: Choices) -> str:
    """An address in its parts, each treated by what it is; the state is kept.

    Figure 22: "Huntington 18 / Boston, MA 02151" has lost street and town, and has 02100.
    """
    pieces = _PARTS.split(text)
    for n in range(0, len(pieces), 2):
        pieces[n] = _address_part(pieces[n], choices, first=n == 0)
    return "".join(pieces)


def _address_part(part: str, choices: Choices, *, first: bool) -> str:
    if not part.strip():
        return part
    body, state, code = _ending(part)
    if not body:
        return part[: len(part) - len(part.lstrip())] + state.lstrip() + code
    if _UNIT.fullmatch(body):
        return _digits(body, part, choices, after_word=True) + state + code
    if is_wide(body):
        return SUPPRESSED + state + code
    street, town = _street_and_town(body, first)
    if street:
        unit = _FLAT.search(street)
        flat = ""
        if unit:
            flat = _digits(street[unit.start() :], part, choices, after_word=True)
            street = street[: unit.start()]
        street = made_up_street(street, choices) + flat
    return street + (_renamed(town, choices) if town else "") + state + code


def _ending(part: str) -> tuple[str, str, str]:
    """What comes before, the state, and the generalised code, each with the blanks before it."""
    code = ""
    body = part.rstrip()
    found = _LAST_CODE.search(body)
    if found:
        before = body[: found.start()].rstrip()
        code = body[len(before) : found.start()] + generalised_zip(found.group())
        body = before
    start = _state_start(body)
    before = body[:start].rstrip(" ,\t\n")
    return before, body[len(before) :], code


def _state_start(body: str) -> int:
    """Where a state begins with which the text ends; its length where it ends with none."""
    words = list(_WORD.finditer(body))
    for number in range(min(3, len(words)), 0, -1):
        start = words[-number].start()
        name = body[start:].strip(" .,")
        if name in STATES or plain(name) in _STATE_NAMES:
            return start
    return len(body)


def _street_and_town(body: str, first: bool) -> tuple[str, str]:
    """A part cut into street and town, where it has both."""
    words = list(_WORD.finditer(body))
    numbered = any(char.isdigit() for char in body)
    for found in reversed(words[1:]):
        if plain(found.group().rstrip(".")) in _STREET_WORDS and numbered:
            rest = body[found.end() :]
            if len(rest.strip()) > 2 and not any(char.isdigit() for char in rest):
                gap = len(rest) - len(rest.lstrip())
                return body[: found.end()] + rest[:gap], rest[gap:]
            return body, ""
    if numbered or (
        first and words and plain(words[-1].group().rstrip(".")) in _STREET_WORDS and len(words) > 1
    ):
        return body, ""
    return "", body


def _renamed(text: str, choices: Choices) -> str:
    """The name of a place with its own words made up and general ones (County, Lake) kept."""
    words = list(_WORD.finditer(text))
    own = [
        found
        for found in words
        if plain(found.group()) not in _HEADS or not found.group()[0].isupper()
    ]
    own = [found for found in own if plain(found.group()) not in ("of", "the", "de", "la")] or words
    if not own:
        return text if not any(char.isalnum() for char in text) else SUPPRESSED
    start, end = own[0].start(), own[-1].end()
    true = text[start:end]
    return text[:start] + like(true, choices.town(key_of(true) or true)) + text[end:]


def _like_word(true: str, name: str) -> str:
    return like("Xx" if any(char.isdigit() for char in true) else true, name)


def _digits(text: str, whole: str, choices: Choices, *, after_word: bool = False) -> str:
    """Other digits, as many; the first never a zero, all never the same as they were."""
    start = 0
    if after_word:
        found = re.search(r"\s*#?\s*[\w-]{1,8}$", text)
        start = found.start() if found else 0
    tail = text[start:]
    drawn = iter(choices.secret.draw("house", plain(whole), tail, size=len(tail) + 1))

    def other(found: re.Match[str]) -> str:
        true = found.group()
        if true.isdigit():
            return str((int(true) + next(drawn) % 8) % 9 + 1)
        letter = "ABCDEFGHJK"[next(drawn) % 10]
        return letter if true.isupper() else letter.lower()

    pattern = r"\d|(?<![A-Za-z])[A-Za-z](?![A-Za-z])" if after_word else r"\d"
    return text[:start] + re.sub(pattern, other, tail)
