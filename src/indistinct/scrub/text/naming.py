"""A name as it stands on the page: its pieces, and what the words around it say of its bearer.

What words and first names say of somebody's sex, as evidence in powers of two.

Positive evidence speaks for a woman, negative for a man; evidence is added up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import log2

from indistinct.knowledge import CREDENTIALS, RELATIONS, TITLES, knowledge, plain, table
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

FIRST, MIDDLE, LAST, NICKNAME, INITIALS = "first", "middle", "last", "nickname", "initials"

# Words of a name; an apostrophe or hyphen joins, but a possessive 's does not.
_WORD = re.compile(r"[^\W\d_]+(?:(?!'[sS]\b)['-][^\W\d_]+){0,3}")
_PARTICLES = frozenset(
    "de da di do del della der den des dos du la le lo van von vom zu zur ten ter bin ibn al el "
    "ap mac st san abu".split()
)
_SUFFIXES = frozenset("jr sr ii iii iv esq".split())
# Titles that are nobody's first name, so that they may be dropped from inside a span.
_ONLY_TITLES = frozenset("mr mrs ms mx dr drs prof rev capt col lt sgt mme mlle srta hon".split())
_ONLY_CREDENTIALS = frozenset("MD PhD PHD MBBS RN LPN DDS DVM PharmD PsyD LICSW LCSW".split())
_DOCTORS = frozenset("dr drs doctor prof professor nurse".split())
_ABBREVIATED = frozenset(
    "mr mrs ms mx dr drs prof rev fr br sr sra srta hon capt maj col gen lt sgt cpl pvt mme mlle "
    "atty messrs".split()
)
_LEADING = TITLES | RELATIONS
_WITH_SURNAME = TITLES - frozenset("sister br brother fr sir lady don dona dame rabbi".split())

_WORD_BEFORE = re.compile(
    r"(?:^|[^\w])([^\W\d_]{1,14})(?:(?:'s name)? is| was| named| called)?([.,:]?)[ \n]{0,3}[(\"]?$"
)
_HEADING = re.compile(
    r"(?:^|[^\w])(?:re|patient(?:'s)?(?: name)?|pt(?: name)?|name|client|regarding|in re|subject)"
    r" ?[:#.-]? {0,8}$",
    re.IGNORECASE,
)
# "Provider name:", "Mother's name:" head somebody else.
_OTHER_NAME = re.compile(
    r"(?:provider|physician|doctor|dr|attending|surgeon|clinician|nurse|therapist|contact|guardian"
    r"|mother|father|spouse|partner|parent|kin|employer|school|hospital|facility|insured"
    r"|subscriber|pharmacy)(?:'s)?(?: full)? name ?[:#.-]? {0,8}$",
    re.IGNORECASE,
)
# Who treats; "for referring", "I spoke to" and "a letter from" need a colon or their own line.
_STAFF = re.compile(
    r"(?:(?:attending|physician|surgeon|provider|pcp|consultant|resident|referred by"
    r"|therapist|dictated by|signed by|signed|author|performed by|seen by|intake by|cc|dear"
    r"|interpreted by|reviewed by|counselor|practitioner|clinician|nurse|rn)(?: md)? ?:?"
    r"|(?:referring|to|from)(?: md)? ?:|(?:^|\n) {0,8}(?:referring|to|from)) {0,8}$",
    re.IGNORECASE,
)
_ALIAS = re.compile(
    r"(?:known (?:to \w{1,12} )?as|goes by|called|nicknamed|nickname(?: is)?:?|a\.?k\.?a\.?|alias"
    r"|prefers(?: to be called)?|preferred name:?|formerly|nee|née) ?[\"'(]?$",
    re.IGNORECASE,
)
_ALIAS_AFTER = re.compile(
    r"\"?,? ?(?:as|which is what) (?:he|she|they|everyone|everybody|\w{1,12}) "
    r"(?:(?:(?:is|was|likes to be|prefers to be|wishes to be) )?(?:called|known)"
    r"|calls? (?:him|her|them))\b"
)
_BRACKETED = re.compile(r"[^\W\d_] [(\"']$")
_CREDENTIAL = re.compile(r",? {1,3}([A-Za-z][A-Za-z.-]{1,9})")
_RELATION_AFTER = re.compile(
    r" ?[,(] ?(?:(?:his|her|their|the|a|patient's|pt's) ){0,2}([a-z]{3,13})\b"
)
_DESCRIBED = re.compile(
    r"'?,? (?:is|was)? ?(?:an?|the) (?:[\w-]{1,16} ){0,3}?\d{0,3}[\w /-]{0,30}?"
    r"\b(?:years?|yrs?|y/?o|months?|weeks?|old|m|f|woman|man|male|female|girl|boy|gentleman|lady)\b"
)
_AGE = re.compile(
    r"(\d{1,3})(?: and \d{1,2}/\d{1,2})?[ -]{0,2}(years?|yrs?|y/?o|months?|weeks?|days?)\b"
)
_CHILD = re.compile(r"\b(?:girl|boy|infant|baby|newborn|toddler|child)\b")
_ADULT = re.compile(r"\b(?:woman|man|gentleman|lady)\b")
# "Mrs. Hodgkins … a visit for her daughter": the daughter is the one whom the letter is about.
_PARENT = re.compile(
    r"[^.\n]{0,90}?\b(?:for|about|brought|brings|bring|took|takes|that|feels|accompanied)"
    r" (?:her|his) (?:daughter|son|child|baby|boy|girl)\b(?! [A-Z(])"
)
_PARENTS = re.compile(
    r"\b(?:(?:child|son|daughter|baby|boy|girl|twin|born) (?:of|to)|parents?)[,:]? ?$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.;\n]*")
_SEX_WORD = re.compile(r"\b(?:woman|man|male|female|girl|boy|gentleman|lady)\b")


# The last words of the cues above: a set is asked before a pattern is searched.
_HEADING_ENDS = frozenset("re patient s name pt client regarding subject".split())
_STAFF_ENDS = frozenset(
    "attending physician surgeon provider pcp consultant resident referring by therapist signed "
    "author cc to from dear counselor practitioner clinician nurse rn md".split()
)
_ALIAS_ENDS = frozenset(
    "as by called nicknamed nickname is a k aka alias prefers name formerly nee née".split()
)
_GREETINGS = frozenset("dear hi hello dearest thanks".split())
_CLOSING = frozenset(")\"'")
_MARKS = str.maketrans(dict.fromkeys(":;#.,-()\"'/|*", " "))


@dataclass(slots=True)
class Piece:
    """One word (or joined words) of a name."""

    start: int
    end: int
    word: str  # in plain letters
    part: str = ""


@dataclass(slots=True)
class Reading:
    """A name as written, with what its surroundings say.

    `sex` is evidence in powers of two: positive for a woman, negative for a man.
    """

    spans: Sequence[Span]
    pieces: list[Piece] = field(default_factory=list)
    title: str = ""
    relation: str = ""
    staff: bool = False
    heading: bool = False
    described: bool = False
    alias: bool = False
    greeted: bool = False
    child: bool = False
    apart: Reading | None = None  # the name that an "and" joins to this one
    couple: bool = False  # these two are somebody's parents
    sex: float = 0.0

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.spans[-1].end

    def part(self, name: str) -> str:
        """The words that serve as a part of the name, in plain letters."""
        words = [piece.word for piece in self.pieces if piece.part == name]
        return words[0] if len(words) == 1 else " ".join(words)

    @property
    def takes_surname(self) -> bool:
        """Whether the title before it is one that a surname follows."""
        return self.title in _WITH_SURNAME


def only_title(text: str) -> bool:
    """Whether a text is a title or credential and names nobody.

    >>> only_title("Dr."), only_title("M.D."), only_title("Dr. Lang"), only_title("Major")
    (True, True, False, False)
    """
    words = [word.rstrip(".") for word in text.replace(",", " ").split()]
    return bool(words) and all(
        word.lower() in _ONLY_TITLES or word.replace(".", "") in _ONLY_CREDENTIALS for word in words
    )


def readings(page: Page, spans: Sequence[Span]) -> list[Reading]:
    """Read the names of a page; two spans divided by one blank are one name."""
    groups: list[list[Span]] = []
    for span in spans:
        if groups and _continues(page.text, groups[-1], span):
            groups[-1].append(span)
        else:
            groups.append([span])
    found = [_reading(page, group) for group in groups]
    found = [reading for reading in found if reading.pieces]
    for one, other in pairwise(found):
        if page.text[one.end : other.start].strip(" \n") in ("and", "&", "or", "/"):
            one.apart, other.apart = other, one
            cue = _PARENTS.search(page.text, max(0, one.start - 24), one.start)
            one.couple = other.couple = cue is not None
    return found


def _continues(text: str, group: list[Span], span: Span) -> bool:
    """Whether a span goes on with the name of the spans before it: "Ann" "Long", "Long", "Ann"."""
    before = group[-1]
    gap = text[before.end : span.start]
    if len(group) > 2 or gap not in (" ", ", "):
        return False
    if " " in text[before.start : before.end] or " " in text[span.start : span.end]:
        return False
    if before.kind is Kind.LAST_NAME and span.kind is Kind.FIRST_NAME:
        return True
    return gap == " " or text[: before.start].rstrip(" ")[-1:] in ("", "\n", ":")


def _reading(page: Page, spans: list[Span]) -> Reading:
    text, start, end = page.text, spans[0].start, spans[-1].end
    reading = Reading(spans)
    pieces = [
        Piece(match.start(), match.end(), plain(match.group()))
        for span in spans
        for match in _WORD.finditer(text, span.start, span.end)
    ]
    while len(pieces) > 1 and _leads(text, pieces[0]):
        pieces.pop(0)
        start = pieces[0].start
    while len(pieces) > 1 and (pieces[-1].word in _SUFFIXES or _is_credential(text, pieces)):
        reading.staff |= pieces.pop().word not in _SUFFIXES
    reading.pieces = pieces
    _look_around(reading, text[max(0, start - 40) : start], text[end : end + 120])
    if pieces:
        _assign(page, reading, spans[0].kind)
    return reading


def _leads(text: str, piece: Piece) -> bool:
    """Whether the first piece of a span is a title, or "brother" before a name."""
    if piece.word in _ONLY_TITLES:
        return True
    return piece.word in _LEADING and text[piece.start : piece.end].islower()


def _is_credential(text: str, pieces: list[Piece]) -> bool:
    """Whether the last piece is a credential after a comma."""
    before, last = pieces[-2], pieces[-1]
    return "," in text[before.end : last.start] and (
        last.word in CREDENTIALS and text[last.start : last.end].isupper()
    )


def _look_around(reading: Reading, before: str, after: str) -> None:
    """Note title, relation, role and sex from the words on both sides."""
    match = _WORD_BEFORE.search(before, max(0, len(before) - 32))
    word = match.group(1).lower() if match else ""
    if match and match.group(2) == "." and word not in _ABBREVIATED:
        word = ""  # "… for her daughter. Ruth is well": a sentence ended
    if word in RELATIONS:
        reading.relation = word
    elif word in TITLES and match:
        reading.title = word
        # "his mother, Mrs. Falk"
        outer = _WORD_BEFORE.search(before[: match.start(1)])
        if outer and outer.group(1).lower() in RELATIONS:
            reading.relation = outer.group(1).lower()
    match = _RELATION_AFTER.match(after) if "," in after[:2] or "(" in after[:2] else None
    if match and not reading.relation and match.group(1) in RELATIONS:
        reading.relation = match.group(1)
    if reading.title or reading.relation:
        reading.sex += 6 * sex_of_word(reading.title) + 4 * sex_of_word(reading.relation)
    if match := _CREDENTIAL.match(after):
        letters = match.group(1).replace(".", "").replace("-", "")
        capitals = sum(map(str.isupper, letters))
        reading.staff |= letters.lower() in CREDENTIALS and capitals >= 2
    cue = _last_word(before)
    reading.greeted = cue in _GREETINGS and not reading.title
    reading.heading = cue in _HEADING_ENDS and _is_heading(before, treats=reading.staff)
    reading.staff |= reading.title in _DOCTORS or (
        cue in _STAFF_ENDS
        and not (reading.heading or reading.title)
        and _STAFF.search(before) is not None
    )
    # "known as Dot", and "Virginia (Dot)", and "Dot, as she is called"
    reading.alias = (
        (cue in _ALIAS_ENDS and _ALIAS.search(before) is not None)
        or (after[:1] in _CLOSING and _BRACKETED.search(before) is not None)
        or _ALIAS_AFTER.match(after) is not None
    )
    if reading.sex and reading.title and _PARENT.match(after):
        reading.relation = "parent"
    if match := _DESCRIBED.match(after):
        reading.described = not reading.relation
        description = _SENTENCE.match(after, match.start()).group()  # type: ignore[union-attr]
        reading.child = _is_child(description)
        if found := _SEX_WORD.search(description[:80]):
            reading.sex += 5 * sex_of_word(found.group())


def _last_word(before: str) -> str:
    """The last word before a name, in small letters: what the searches below may end with."""
    words = before[-24:].translate(_MARKS).split()
    return words[-1].lower() if words else ""


def _is_heading(before: str, *, treats: bool) -> bool:
    """Whether the words before a name head the patient's; "Name: J. Moss, RN" is a signature."""
    found = _HEADING.search(before)
    if found is None or _OTHER_NAME.search(before):
        return False
    return not (treats and found.group().lower().strip(" \n:#.-") == "name")


def _is_child(description: str) -> bool:
    """Whether "an 8 year old girl" describes somebody whom nobody calls Mr. or Mrs."""
    age = _AGE.search(description)
    young = age is not None and (age.group(2)[0] != "y" or int(age.group(1)) < 16)
    return bool(_CHILD.search(description)) or (young and not _ADULT.search(description))


def _assign(page: Page, reading: Reading, kind: Kind) -> None:
    """Give each piece its part, as far as the name alone tells."""
    pieces, text = reading.pieces, page.text
    if all(len(piece.word) == 1 for piece in pieces) or kind is Kind.INITIALS:
        for piece in pieces:
            piece.part = INITIALS
        return
    for before, piece in zip([None, *pieces], pieces, strict=False):
        around = text[max(reading.start, piece.start - 1) : piece.start]
        if before is not None and around and around in "\"'(" and piece is not pieces[-1]:
            piece.part = NICKNAME
    plainly = [piece for piece in pieces if not piece.part]
    if len(plainly) == 1:
        plainly[0].part = "" if len(pieces) == 1 else FIRST
        return
    comma = text.find(",", plainly[0].end, plainly[-1].start)
    if comma >= 0:
        names = [piece for piece in plainly if piece.start > comma]
        for piece in plainly:
            piece.part = LAST if piece.start < comma else MIDDLE
        reading.heading |= not reading.staff  # as lists and headings write a patient's name
        names[0].part = INITIALS if len(names[0].word) == 1 else FIRST
        return
    if plainly[0].word in _PARTICLES and reading.takes_surname:
        for piece in plainly:
            piece.part = LAST
        return
    plainly[0].part = INITIALS if len(plainly[0].word) == 1 else FIRST
    plainly[-1].part = LAST
    surname_begun = False
    for piece in plainly[1:-1]:
        surname_begun = surname_begun or piece.word in _PARTICLES or _is_surname(page, piece)
        piece.part = LAST if surname_begun else MIDDLE


def _is_surname(page: Page, piece: Piece) -> bool:
    """Whether a word inside a name begins a double surname (García López)."""
    known = page.knowledge.word(piece.word)
    return len(piece.word) > 1 and known.surname > 5 * known.first and known.surname > 5


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
