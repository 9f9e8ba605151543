"""Hospitals, firms and schools under made-up names, with the words that say what they are."""

from __future__ import annotations

import re

from indistinct.knowledge import plain
from indistinct.scrub.text.replace.choosing import Choices, key_of
from indistinct.scrub.text.replace.places import is_wide
from indistinct.scrub.text.replace.style import SUPPRESSED, like, listed

_HEADS = frozenset(
    listed(
        "hospital hospitals hosp medical center centre centers clinic clinics memorial general "
        "health healthcare healthsystem system systems care infirmary sanatorium hospice nursing "
        "home homes rehabilitation rehab institute institution foundation trust department dept "
        "division unit ward floor wing icu nicu picu emergency room surgery practice associates "
        "associate group partners pharmacy laboratory laboratories lab labs imaging radiology "
        "pediatrics pediatric paediatrics cardiology oncology neurology urology orthopedics "
        "orthopaedics psychiatry dermatology obgyn children's childrens women's womens veterans "
        "affairs va university college school schools elementary middle high academy kindergarten "
        "preschool daycare seminary polytechnic technical regional community county city state "
        "national federal international public district council corp corporation inc incorporated "
        "llc llp ltd limited plc gmbh ag sa nv bv co company companies and sons brothers bros "
        "sisters holdings industries enterprises enterprise manufacturing motors logistics "
        "consulting solutions services service technologies technology tech software data "
        "insurance assurance bank financial capital securities credit union airlines airways "
        "railway construction engineering electric energy oil gas power steel foods food market "
        "markets store stores shop bakery restaurant cafe hotel church chapel parish temple "
        "synagogue mosque library museum gallery theatre theater club association society league "
        "agency bureau office police fire army navy court prison jail shelter radio television "
        "news press times journal magazine of the in at for & on by with worldwide global"
    )
)
# What may stand before the name: Clinic Halden, University Hospital Lund, VA Dunwich.
_LEADING = frozenset(
    listed(
        "hospital clinic university school college institute academy bank church department dept "
        "ward unit restaurant hotel va pharmacy hospice dr prof"
    )
)
_JOINTS = frozenset(listed("of the in at for & on by with and"))
_WORD = re.compile(r"[^\W_](?:[\w.'’]*\w)?\.?(?:'(?![\w]))?|&")
_TITLES = frozenset(listed("dr mr mrs ms mx prof rev"))
_POSSESSIVE = re.compile(r"['’]s?$")
_INSTITUTION = re.compile(
    r"\b(?:hospitals?|clinic|infirmary|hospice|medical|health|university|college|school|pharmacy"
    r"|institute|church|prison)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_SURE = 0.75


def made_up_organisation(text: str, choices: Choices, *, certainty: float = 1.0) -> str:
    """An organisation of another name and the same kind; suppressed where its parts are unclear.

    Words that stand together and are nobody's kind of business are one name: Brigham in
    "Brigham Hospital" and in "Brigham's" are the same, and so are the made-up ones.
    """
    words = list(_WORD.finditer(text))
    own = _own_words(text, words)
    if not any(not flag for flag in own) and certainty < _SURE:
        return SUPPRESSED
    if not any(own):
        return _without_name(text, words, choices)
    written, place, n = [], 0, 0
    while n < len(words):
        if not own[n]:
            n += 1
            continue
        last = n
        while (
            last + 1 < len(words)
            and own[last + 1]
            and _together(text, words[last], words[last + 1])
        ):
            last += 1
        start, end = words[n].start(), words[last].end()
        written.append(text[place:start] + _name(text[start:end], text, choices))
        place, n = end, last + 1
    return "".join(written) + text[place:]


def is_institution(text: str) -> bool:
    """Whether a place is rather a hospital, a school or the like."""
    return _INSTITUTION.search(text) is not None


def made_up_ward(text: str, choices: Choices) -> str:
    """A ward by another number (Ward 7B), or as an organisation where it has a name."""
    if not _DIGITS.search(text):
        return made_up_organisation(text, choices)
    drawn = iter(choices.secret.draw("ward", plain(text), size=len(text) + 32))

    def other(found: re.Match[str]) -> str:
        return "".join(str((int(digit) + next(drawn) % 8) % 9 + 1) for digit in found.group())

    return _DIGITS.sub(other, text)


def _own_words(text: str, words: list[re.Match[str]]) -> list[bool]:
    """Which words are the organisation's own, and do not say what it is."""
    own = [not _is_head(found, text) for found in words]
    names = [plain(found.group()).rstrip(".") for found in words]
    # Home Depot and "at Chapel Hill" begin with a name; Children's Hospital of Dunwich does not.
    begin: int | None = 0
    for number, name in enumerate(names):
        if own[number]:
            if begin is not None and not _LEADING.issuperset(names[begin:number]):
                own[begin:number] = [True] * (number - begin)
            begin = None
        elif name in _JOINTS:
            begin = number + 1
    return own


def _is_head(found: re.Match[str], text: str) -> bool:
    word = found.group()
    name = plain(word).rstrip(".")
    if name in _JOINTS:
        # The letters of AT&T are no "at".
        beside = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        return all(mark == "" or mark.isspace() for mark in beside)
    # In lower case text heads are heads too; a lone capital is an initial of the name.
    return (name in _HEADS or name in _TITLES) and text.strip() != word


def _together(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Whether two words are one name: only a blank between them, as in St. John's."""
    return text[first.end() : second.start()].strip() == ""


def _name(true: str, whole: str, choices: Choices) -> str:
    if true == whole.strip() and is_wide(true):
        return SUPPRESSED
    bare = _POSSESSIVE.sub("", true)
    made = choices.town(key_of(bare) or plain(true))
    # UNC is in capitals because it is short, not because the letter shouts.
    return like("Xx" if bare.isupper() and len(bare) <= 5 else true.replace("’", "'"), made)


def _without_name(text: str, words: list[re.Match[str]], choices: Choices) -> str:
    """General Hospital has no name of its own: it gets one, and keeps its last word."""
    heads = [found.group() for found in words if plain(found.group()) not in _JOINTS]
    if not heads:
        return SUPPRESSED
    name = like(heads[-1], choices.town(key_of(text) or plain(text)))
    return f"{name} {heads[-1]}" if len(heads) > 1 else name
