"""Employers and companies: by legal form, by trade, by the form of a firm's name, by cue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.knowledge import MONTHS, WEEKDAYS
from indistinct.scrub.text.detectors._heads import headed, heads_of, index, is_named, rarely_a_word
from indistinct.scrub.text.detectors._places import (
    UPPER,
    WORD,
    before,
    is_credential,
    is_generic,
    matches,
    medical_use,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# The legal forms of a dozen countries; with a full stop or without.
_FORM = re.compile(
    rf"(?<![\w'-])((?:{WORD},? |(?:&|and|of|de|der|und|y|et) ){{1,6}})"
    r"(?:Corp|Corporation|Inc|Incorporated|LLC|L\.L\.C|LLP|Ltd|Limited|PLC|Plc|plc|GmbH|mbH|AG|KG|"
    r"S\.A|S\.p\.A|SpA|S\.r\.l|SRL|Srl|SARL|SAS|NV|N\.V|BV|B\.V|Oyj?|AB|ApS|A/S|ASA|Pty(?: Ltd)?|"
    r"Pte(?: Ltd)?|"
    r"Co|Company|Cos|& Sons|and Sons|& Co|Bros|Brothers|Holdings?|Bancorp|LP|L\.P)(?![\w'&-])\.?"
)
# The last words of these forms as a capitalised run has them; "plc" and what has a stop or a
# stroke inside are looked for as they are.
_FORMS = frozenset(
    "corp corporation inc incorporated llc l.l.c llp ltd limited plc gmbh mbh ag kg s.a spa srl "
    "sarl sas nv n.v bv b.v oy oyj ab aps a asa pty pte co company cos sons bros brothers holding "
    "holdings bancorp lp l.p l.l.c. s.a. n.v. b.v. l.p.".split()
)
_RARE_FORMS = (" plc", "S.p.A", "S.r.l", "A/S")
# Forms that are something else in clinical text (antigen, sodium nitrate …) need more.
_UNSURE_FORM = re.compile(
    r"(?:AG|AB|KG|NV|SAS|Co|LP|Limited|Holding|SRL|ASA|Oy|BV|Brothers|Bros|S\.A|Company)\.?$"
)
_TRADE = heads_of(
    """
    group technologies technology industries enterprises solutions holdings partners associates
    consulting consultants bank insurance capital investments investment securities energy
    logistics motors foods pharmaceuticals pharma laboratories labs software construction
    financial ventures communications studios electric manufacturing airlines airways railways
    railroad telecom wireless networks systems analytics media entertainment records pictures
    publishing publishers press restaurant restaurants bakery cafe café coffee pizza diner
    grill deli market markets supermarket supermarkets stores store shop salon spa gym fitness
    realty properties builders contractors plumbing roofing landscaping trucking transport
    transportation freight shipping express auto automotive tire chemicals steel mining
    petroleum gas oil power utilities water apparel fashion jewelers furniture hardware
    electronics semiconductor robotics aerospace dynamics aviation defense security staffing
    recruiting marketing advertising design architects engineering law legal accounting brewery
    brewing winery farms farm dairy orchards nursery books toys theatre theater cinema casino
    resort resorts hotels hotel inn motel travel tours savings mutual trust fund funds equity
    exchange brokers lenders mortgage credit factory mill mills works shipyard garage
    """
)
# From the comma or the &, so that the scan skips to it; the first name is looked for before it.
_FIRM = re.compile(rf", ([{UPPER}][\w'-]{{1,20}}),? (?:and|&) ([{UPPER}][\w'-]{{1,20}})(?![\w'-])")
_PAIR = re.compile(rf" & ([{UPPER}][\w'-]{{2,20}})(?![\w'-])")
_NAME_BEFORE = re.compile(rf"(?<![\w'-])[{UPPER}][\w'-]{{1,20}}$")
_NAME = rf"{WORD}(?:(?: |, | & | and | of | de )(?:{WORD})){{0,4}}"
_HOW = (
    r"(?: (?:full|part)[- ]time| nights?| days?| evenings?| weekends?| remotely| currently|"
    r" as an? [a-z -]{3,30})?"
)
_WORKS = re.compile(
    rf"(?i:\b(?:(?:works?|worked|working|employed|job|shift|intern(?:s|ed|ing)?|hired|consults?|"
    rf"consulting|position){_HOW} (?:at|for|by|with)|(?:retired|laid off|fired|resigned) from|"
    rf"(?:manager|engineer|teacher|driver|accountant|nurse|welder|mechanic|clerk|cashier|analyst|"
    rf"developer|technician|attorney|lawyer|representative|supervisor|salesman|consultant) (?:at|"
    rf"for|with)|"
    rf"(?:ceo|cfo|cto|director|president|founder|co-founder|owner|chairman|employee|employees|"
    rf"executive|head|"
    rf"spokes(?:man|woman|person)) (?:of|at|for)) (?:the )?)({_NAME})"
)
_WORK_WORDS = frozenset(
    "work works worked working employed job shift intern interns interned interning hired consult "
    "consults consulting position retired laid fired resigned manager engineer teacher driver "
    "accountant nurse welder mechanic clerk cashier analyst developer technician attorney lawyer "
    "representative supervisor salesman consultant ceo cfo cto co director president founder owner "
    "chairman employee employees executive head spokesman spokeswoman spokesperson".split()
)
_LABEL_WORDS = frozenset(
    "employer company organization organisation entity workplace place firm business consignee "
    "shipper carrier vendor supplier client insurer insurance".split()
)
_NUMBER = re.compile(r"\d{3}")
_LABEL = re.compile(
    rf"(?<![^\s(\[*\"-])(?i:(?:employer|company(?: name)?|organi[sz]ation(?: name)?|entity|"
    rf"workplace|place of work|firm|"
    rf"business name|consignee|shipper|carrier|vendor|supplier|client|insurer|insurance(?: "
    rf"carrier| company| provider)?)\"?(?:\*\*)? ?[:=] ?\"?)({_NAME})"
)


def detect(page: Page) -> Iterator[Span]:
    """Companies, firms and employers."""
    text = page.text
    for match in _FORM.finditer(text) if _has_form(page) else ():
        start = _past_leading(match)
        form = match.group()[match.end(1) - match.start() :]
        unsure = bool(_UNSURE_FORM.search(form))
        words = text[start : match.end(1)].split()
        if words and not is_generic(words[-1].strip(",")) and not all(map(is_generic, words)):
            bare = [word.strip(",") for word in words]
            if unsure and not (rarely_a_word(page, bare) and bare[-1][1:].islower()):
                continue
            end = match.end() - (form.endswith(".") and _ends_sentence(text, match.end()))
            yield _span(start, end, 0.8 if unsure else 0.93, f"legal form{', unsure' * unsure}")
    for found in headed(page, _TRADE, after=False):
        if is_named(page, found) and not medical_use(page, found.end):
            rare = rarely_a_word(page, found.words)
            yield _span(
                found.start, found.end, 0.76 if rare else 0.6, f"trade{' and rare name' * rare}"
            )
    yield from _firms(page)
    for words_of, pattern, certainty, rule in (
        (_WORK_WORDS, _WORKS, 0.78, "works for"),
        (_LABEL_WORDS, _LABEL, 0.84, "label"),
    ):
        for match in matches(page, words_of, pattern):
            words = [word for word in match.group(1).replace(",", " ").split() if word[0].isupper()]
            if all(map(is_generic, words)) or any(
                word.lower() in MONTHS or word.lower() in WEEKDAYS for word in words
            ):
                continue
            if page.knowledge.is_medical(words[0].lower()) or _NUMBER.search(words[0]):
                continue
            if before(page, match.start(1)).endswith("dr. ") or medical_use(page, match.end(1)):
                continue
            if page.knowledge.is_eponym(words[-1]):
                continue  # "a teacher with Graves' disease"; a firm of such a name has a head word
            yield _span(match.start(1), _before_person(match), certainty, rule)


def _firms(page: Page) -> Iterator[Span]:
    """Two or three surnames joined by a comma and an "and"."""
    text, word_of = page.text, page.knowledge.word
    for match in _FIRM.finditer(text):
        back = max(0, match.start() - 22)
        first = _NAME_BEFORE.search(text[back : match.start()])
        names = (first.group(), *match.groups()) if first else ()
        known = [word_of(name) for name in names]
        if (
            first
            and all(word.surname >= 1 or word.zipf == 0 for word in known)
            and not any(
                name.lower() in MONTHS or name.lower() in WEEKDAYS or is_credential(name)
                for name in names
            )
        ):
            people = sum(word.first > 4 * word.surname + 1 for word in known)
            eponyms = sum(page.knowledge.is_eponym(name) for name in names)
            rule = "firm of three" if not people else "three names"
            certainty = 0.86 - 0.1 * bool(people) - 0.1 * (people > 2) - 0.15 * (eponyms > 1)
            yield _span(back + first.start(), match.end(), certainty, rule)
    for match in _PAIR.finditer(text):
        back = max(0, match.start() - 22)
        first = _NAME_BEFORE.search(text[back : match.start()])
        if not first or len(first.group()) < 3:
            continue
        known = [word_of(first.group()), word_of(match.group(1))]
        if all(word.surname >= 5 and word.zipf < 4.8 for word in known) and not medical_use(
            page, match.end()
        ):
            yield _span(back + first.start(), match.end(), 0.74, "firm of two")


def _has_form(page: Page) -> bool:
    """Whether a legal form is on the page: the gate before a slow pattern."""
    if not index(page).keys().isdisjoint(_FORMS):
        return True
    return any(form in page.text for form in _RARE_FORMS)


def _span(start: int, end: int, certainty: float, rule: str) -> Span:
    return Span(start, end, Kind.EMPLOYER, certainty, "employers", rule)


_LEADING = re.compile(
    r"(?:(?:[Tt]he|[Aa]t|[Ff]or|[Ff]rom|[Ii]n|[Bb]y|[Ww]ith|[Aa]nd|[Oo]f|de|y|et|und|der|Dear|"
    r"His|Her|My|Our|When|While|After|As|If|To|[Oo]n|&) ){1,4}"
)


def _past_leading(match: re.Match[str]) -> int:
    """Where the name begins, past words that belong to the sentence."""
    lead = _LEADING.match(match.group(1))
    return match.start() + (lead.end() if lead else 0)


def _ends_sentence(text: str, end: int) -> bool:
    rest = text[end : end + 2]
    return not rest or rest[0] == "\n" or (rest[0] == " " and rest[1:].isupper())


def _before_person(match: re.Match[str]) -> int:
    """The end of the name; a credential after a comma belongs to a person."""
    parts = re.split(r"(, )", match.group(1))
    end = match.start(1)
    for place, part in enumerate(parts):
        if place % 2 == 0 and place and is_credential(part.split()[0]):
            break
        if place % 2 == 0:
            end = match.start(1) + sum(len(piece) for piece in parts[: place + 1])
    return end
