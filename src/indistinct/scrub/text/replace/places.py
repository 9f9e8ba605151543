"""Places: towns and streets that do not exist, ZIP codes to three digits, the state kept."""

from __future__ import annotations

import re

from indistinct.knowledge import STATES, knowledge, plain
from indistinct.scrub.text.replace.choosing import Choices, key_of
from indistinct.scrub.text.replace.style import SUPPRESSED, like, listed

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
# Kinds that are never the name of a town.
_SURE_STREETS = frozenset(
    listed(
        "street st avenue ave av road rd drive dr lane ln boulevard blvd court ct terrace circle "
        "parkway pkwy highway hwy route rte turnpike expressway freeway strasse straße"
    )
)
_NUMBERED = frozenset(
    listed("highway hwy route rte rt road rd interstate freeway expressway exit mile i us sr cr fm")
)
_OF_A_ROAD = frozenset(listed("state county us u.s interstate old rural farm federal"))
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
_JOINTS = frozenset(listed("of the de la"))
# A doctor whom somebody took for a place keeps the title.
_TITLES = frozenset(listed("dr mr mrs ms mx prof rev"))
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
_STOREY = re.compile(r"\d{1,3}(?:st|nd|rd|th)?\s(?:floor|fl)\.?", re.IGNORECASE)
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
    body, state, _ = split_ending(text)
    if _ends_with_street(body):
        return made_up_address(text, choices)
    return _renamed(body, choices) + state


def _ends_with_street(body: str) -> bool:
    """Whether a place of two words or more is a street, whatever it was taken for."""
    words = body.split()
    return len(words) > 1 and plain(words[-1].rstrip(".")) in _SURE_STREETS


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
    names = [plain(found.group().rstrip(".")) for found in words]
    own: set[int] = set()
    for number, word in enumerate(names):
        ahead = names[number + 1] if number + 1 < len(names) else ""
        if _NUMBER.fullmatch(word) and not (
            _ORDINAL.match(word) and (number or ahead in _STREET_WORDS)
        ):
            continue
        if _is_kind(names, number, own) or word in _CONNECTING:
            continue
        if word in _DIRECTIONS:
            # South Street is called South; "South Elm Street" and "Elm Street South" are not.
            named = ahead and not (ahead in _STREET_WORDS and _is_kind(names, number + 1, {number}))
            after = number > 0 and (own or names[number - 1][0].isdigit())
            if named or (not ahead and after and _STREET_WORDS.intersection(names[:number])):
                continue
        own.add(number)
    # Of "2 The Green" the kind is the name; a highway's name is its number.
    return own or {
        number
        for number, word in enumerate(names)
        if not word[0].isdigit()
        and word not in _CONNECTING
        and not _is_numbered(names, number)
        and not (word in _DIRECTIONS and number)
    }


def _is_kind(names: list[str], number: int, own: set[int]) -> bool:
    """Whether a word says what kind of street it is; in "Old Mill Road" only the last one does."""
    word = names[number]
    ahead = names[number + 1] if number + 1 < len(names) else ""
    if _is_numbered(names, number):
        return True
    if word not in _STREET_WORDS:
        return False
    if word == "st" and ahead and ahead not in _STREET_WORDS and "and" not in names[number:]:
        saint = not _STREET_WORDS.isdisjoint(names[number + 2 :])  # St. Paul Street
        if saint:
            return False
    return word in _LEADING or (ahead not in _STREET_WORDS and (not ahead or bool(own)))


def _is_numbered(names: list[str], number: int) -> bool:
    """Whether a word is that of a road which only has a number: State Route 128, I-95."""
    following = [name[0].isdigit() for name in names[number + 1 : number + 3]]
    if names[number] in _NUMBERED and following[:1] == [True]:
        return True
    ahead = names[number + 1] if following else ""
    return names[number] in _OF_A_ROAD and ahead in _NUMBERED and following == [False, True]


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
    body, state, code = split_ending(part)
    if not body:
        return part[: len(part) - len(part.lstrip())] + state.lstrip() + code
    if _UNIT.fullmatch(body):
        return _digits(body, part, choices, after_word=True) + state + code
    if _STOREY.fullmatch(body):
        made = _digits(body, part, choices)
        return re.sub(r"(?<=\d)(?:st|nd|rd)\b", "th", made) + state + code
    if is_wide(body):
        return SUPPRESSED + state + code
    street, town = street_and_town(body, first=first)
    if street:
        unit = _FLAT.search(street)
        flat = ""
        if unit:
            flat = _digits(street[unit.start() :], part, choices, after_word=True)
            street = street[: unit.start()]
        street = made_up_street(street, choices) + flat
    return street + (_renamed(town, choices) if town else "") + state + code


def split_ending(part: str) -> tuple[str, str, str]:
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


def street_and_town(body: str, *, first: bool) -> tuple[str, str]:
    """A part cut into street and town, where it has both."""
    words = list(_WORD.finditer(body))
    numbered = any(char.isdigit() for char in body)
    for found in reversed(words[1:]):
        if plain(found.group().rstrip(".")) in _STREET_WORDS and numbered:
            rest = body[found.end() :]
            if plain(rest.strip(" .")) in _DIRECTIONS:
                return body, ""
            if len(rest.strip()) > 2 and not any(char.isdigit() for char in rest):
                gap = len(rest) - len(rest.lstrip())
                return body[: found.end()] + rest[:gap], rest[gap:]
            return body, ""
    if (
        numbered
        or _ends_with_street(body)
        or (
            first
            and words
            and plain(words[-1].group().rstrip(".")) in _STREET_WORDS
            and len(words) > 1
        )
    ):
        return body, ""
    return "", body


def _renamed(text: str, choices: Choices) -> str:
    """The name of a place with its own words made up and general ones (County, Lake) kept."""
    words = list(_WORD.finditer(text))
    if not words:
        return text if not any(char.isalnum() for char in text) else SUPPRESSED
    first, last = 0, len(words) - 1
    while first < last and _is_title(words[first].group()):
        first += 1
    general = [_is_general(found.group()) for found in words]
    if not all(general[first:]):
        # One general word on each side, with what joins it: Lake of the Pines, Salt Lake City.
        if general[first] and plain(words[first].group()) not in ("de", "la"):
            first += 1
            while plain(words[first].group()) in ("of", "the"):
                first += 1
        if general[last]:
            last -= 1
    start, end = words[first].start(), words[last].end()
    true = text[start:end]
    return text[:start] + like(true, choices.town(key_of(true) or true)) + text[end:]


def _is_general(word: str) -> bool:
    name = plain(word.rstrip("."))
    return name in _JOINTS or (name in _HEADS and word[0].isupper())


def _is_title(word: str) -> bool:
    return word.endswith(".") and plain(word[:-1]) in _TITLES


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
