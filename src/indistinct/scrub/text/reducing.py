"""Second thoughts about what was found with little certainty: the false-positive reduction.

In the paper's Figure 24 a lower threshold (0.7 instead of 0.8) finds more, and a reduction of
false positives takes back what should not have been found. Here every name, place or organisation
below `SURE` is asked what speaks against it, and each objection multiplies its certainty by the
factor beside it in `OBJECTIONS`. Nothing becomes more certain, and what a sure rule or the
document's memory says is left alone. The tagger has no sure rules: it is asked every time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log10
from typing import NamedTuple

from indistinct.knowledge import (
    CREDENTIALS,
    HEADS,
    MONTHS,
    TOWNS,
    WEEKDAYS,
    Word,
    eponym_use,
    knowledge,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import LOCATION, NAME, ORG, Kind, Span

SURE = 0.9
_LABELS = frozenset((NAME, LOCATION, ORG))
_COMMON = 4.0  # Zipf: a word met once in 100,000
_GRAMMAR = 5.5  # Zipf: the three hundred commonest words
_WORDLIKE = 1.2  # orders of magnitude by which a word is met more often than as a name
_BORNE = 10.0  # people per 100,000 with that first name or surname


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CALENDAR = (
    frozenset(MONTHS)
    | WEEKDAYS
    | _words(
        "advent am autumn christmas diwali easter fall halloween hanukkah kwanzaa lent passover "
        "pentecost pm ramadan spring summer thanksgiving today tomorrow winter yesterday"
    )
)
_PEOPLES = _words(
    "african afrikaans albanian american americans amish arab arabic armenian asian asians "
    "australian austrian bengali brazilian british buddhist bulgarian burmese cambodian canadian "
    "cantonese caribbean catholic caucasian chinese christian colombian creole croatian cuban "
    "czech danish dominican dutch egyptian english ethiopian european farsi filipino finnish "
    "flemish french georgian german greek guatemalan gujarati haitian hebrew hindi hindu hispanic "
    "honduran hungarian indian indonesian iranian iraqi irish israeli italian jamaican japanese "
    "jewish kenyan korean kurdish laotian latin latina latino latinx lebanese lithuanian "
    "malaysian mandarin mexican mormon muslim nepali nicaraguan nigerian norwegian pakistani "
    "palestinian persian peruvian polish portuguese protestant punjabi romanian russian "
    "salvadoran scottish serbian sikh slovak somali spanish swahili swedish swiss syrian tagalog "
    "taiwanese tamil telugu thai tibetan turkish ukrainian urdu vietnamese welsh yiddish"
)
_HEADINGS = _words(
    "addendum admission admitting alert allergies allergy ambulatory appearance appointment "
    "assessment attending cardiac cardiovascular case chief clinical closing comment comments "
    "complaint complaints complications condition confidential consult consultation copy course "
    "date dear diagnoses diagnosis diagnostic discharge discussion disposition dob emergency "
    "encounter evaluation exam examination extremities family fax female findings follow followup "
    "gender general goals hello history hospital id imaging immunizations impression indication "
    "inpatient instructions interval introduction lab laboratory labs letter male medical "
    "medication medications mental mrn name narrative neuro neurologic neurological note notes "
    "objective operation operative outpatient overview past patient phone physical physician plan "
    "postoperative preoperative procedure procedures prognosis progress provider psychiatric re "
    "reason recommendation recommendations record referral regarding regards report results "
    "review risk sex signature sincerely social specimen speech status subject subjective summary "
    "surgery surgical symptoms systems technique telephone thanks therapy time title transfer "
    "treatment visit vital vitals"
)
_TIMES = _words("in of since until till last next this early late mid during by every from")
# Without the titles that are surnames as well (Major, Judge).
_TITLES = _words("doctor dr drs madam messrs miss mlle mme mr mrs ms mx prof professor rev sir")
_CREDENTIALS = frozenset(credential.upper() for credential in CREDENTIALS)
_FRAMED = frozenset((Kind.INITIALS, Kind.HOSPITAL, Kind.WARD, Kind.SCHOOL, Kind.ADDRESS))
_SMALL = frozenset(("of", "the", "and", "for", "to", "in", "on", "with", "or", "by", "s", "a"))
_SUSPECTS = _CALENDAR | _PEOPLES | _HEADINGS | _TITLES | TOWNS | HEADS
_SHORT = 4  # letters: shorthand, credentials, Roman numbers
_ROMAN = re.compile(r"[IVX]{1,4}|[A-Za-z]")
_DOSE = re.compile(
    r"[ ,(]{1,3}\d{1,5}(?:[.,/-]\d{1,5}){0,2} ?-?"
    r"(?:mg|mcg|g|gm|ml|cc|units?|iu|meq|mmol|%|tab(?:let)?s?|cap(?:sule)?s?|puffs?|drops?|"
    r"gtts?|sprays?|patch(?:es)?)\b",
    re.IGNORECASE,
)
_WARS = frozenset(("war", "wars", "veteran", "veterans", "vet", "vets", "era", "conflict"))
_STORMS = frozenset(("hurricane", "tropical", "storm", "typhoon", "cyclone"))
_SENTENCE_ENDS = frozenset(".!?:;\n-*•>")


@dataclass(frozen=True)
class _Doubt:
    """A page under second thoughts."""

    page: Page

    @cached_property
    def small(self) -> frozenset[str]:
        """Words between blanks (so that none is part of an address) without a capital."""
        return frozenset(word.strip(".,;:!?()\"'") for word in self.page.text.split())


class _Claim(NamedTuple):
    """A posting, with the numbers of its first token and the one after its last, and its words."""

    span: Span
    begin: int
    end: int
    words: list[int]  # numbers of the tokens with letters, little words left out


def reduced(page: Page, postings: list[Span]) -> list[Span]:
    """Postings with the certainty that remains after second thoughts.

    >>> from indistinct.scrub.text.page import read
    >>> page = read("Insulin was raised, and Virginia does well.")
    >>> guesses = [Span(0, 7, Kind.FIRST_NAME, 0.8, "guess"),
    ...            Span(24, 32, Kind.FIRST_NAME, 0.8, "guess")]
    >>> [round(span.certainty, 2) for span in reduced(page, guesses)]
    [0.24, 0.8]
    """
    doubt = _Doubt(page)
    factors: dict[tuple[int, int, Kind], float] = {}
    after = []
    for span in postings:
        unsure = span.certainty < SURE or span.detector == "tagger"
        if unsure and span.label in _LABELS and span.detector != "memory":
            key = (span.start, span.end, span.kind)
            if key not in factors:
                factors[key] = _factor(doubt, span)
            if factors[key] < 1:
                span = replace(span, certainty=span.certainty * factors[key])
        after.append(span)
    return after


def _factor(doubt: _Doubt, span: Span) -> float:
    """Product of the factors of all objections to a posting."""
    page = doubt.page
    tokens = page.tokens
    begin = end = max(page.token_at(span.start), 0)
    words = []
    while end < len(tokens) and page.starts[end] < span.end:
        first = tokens[end][0]
        if first.isalpha():
            words.append(end)
        elif first.isdigit():
            return 1.0  # numbers have their own detectors, and their own doubts
        end += 1
    if len(words) > 1:
        words = [i for i in words if page.lower[i] not in _SMALL] or words
    elif not words:
        return 1.0
    claim = _Claim(span, begin, end, words)
    factor = 1.0
    for i in words:
        if not _suspect(tokens[i]):
            break
    else:
        objections = TO_WORDS if span.certainty < SURE else _TO_THE_SURE
        for lowers, raised in objections.values():
            if raised(doubt, claim):
                factor *= lowers
    for lowers, raised in TO_SURROUNDINGS.values():
        if raised(doubt, claim):
            factor *= lowers
    return factor


@lru_cache(maxsize=65536)
def _suspect(token: str) -> bool:
    """Whether a word may raise any objection: most names do not, and are passed at once."""
    known, lower = knowledge(), token.lower()
    return (
        lower in _SUSPECTS
        or (len(lower) <= _SHORT and (token.isupper() or len(lower) == 1))
        or known.is_medical(token)
        or known.is_eponym(token)
        or _wordlike(known.word(lower))
    )


def _medical(doubt: _Doubt, claim: _Claim) -> bool:
    """All words are terms of medicine, or eponyms in their medical use.

    Initials and institutions (Heart Hospital) are found by what stands around them.
    """
    page = doubt.page
    if claim.span.kind in _FRAMED:
        return False
    # Shorthand this short may as well be somebody's initials.
    short = _SHORT if claim.span.certainty >= SURE else 2
    if len(page.tokens[claim.words[0]]) <= short:
        return False
    others = [i for i in claim.words if not _term(page, i) and not eponym_use(page, i)]
    # McBurney's point: what the eponym names goes with it.
    return len(others) < len(claim.words) and all(page.lower[i] in HEADS for i in others)


def _term(page: Page, i: int) -> bool:
    """Whether a token is a term of medicine, and not rather a surname (Colon)."""
    token = page.tokens[i]
    if not page.knowledge.is_medical(token):
        return False
    return not token.istitle() or not _borne(page, page.lower[i])


def _dosed(doubt: _Doubt, claim: _Claim) -> bool:
    """A dose follows: it is what somebody takes."""
    page = doubt.page
    # The dose begins with the next token, or the one after a comma or bracket.
    if not any(token.isdigit() for token in page.tokens[claim.end : claim.end + 2]):
        return False
    return _DOSE.match(page.text, claim.span.end) is not None


def _ordinary(doubt: _Doubt, claim: _Claim) -> bool:
    """One common word, written small elsewhere, whose capital begins a sentence."""
    page = doubt.page
    if len(claim.words) != 1:
        return False
    i = claim.words[0]
    word = page.lower[i]
    begins = i == 0 or page.tokens[i - 1] in _SENTENCE_ENDS
    if not begins or page.tokens[i] == word or not _wordlike(page.knowledge.word(word)):
        return False
    return word in doubt.small


def _wordlike(known: Word) -> bool:
    """Whether a word is common, and not for being a name.

    A name of f people in 100,000 is met in about 10^(2 + log f) of 10^9 words (Brian, Lisa,
    Scott); May, Will and Long are met far more often than that.
    """
    borne = max(known.first, known.surname, 1.0)
    return known.zipf >= max(_COMMON, 2 + log10(borne) + _WORDLIKE)


def _calendar(doubt: _Doubt, claim: _Claim) -> bool:
    """Months, weekdays, holidays; names (April, Winter) and short forms only as a time."""
    page = doubt.page
    if not all(page.lower[i] in _CALENDAR for i in claim.words):
        return False
    doubtful = any(len(page.lower[i]) <= _SHORT or _borne(page, page.lower[i]) for i in claim.words)
    if not doubtful:
        return True
    around = (
        page.lower[max(claim.begin - 1, 0) : claim.begin] + page.lower[claim.end : claim.end + 2]
    )
    return any(word.isdigit() or word in _TIMES for word in around)


def _people(doubt: _Doubt, claim: _Claim) -> bool:
    """Languages, nations, religions."""
    page = doubt.page
    return all(
        page.lower[i] in _PEOPLES and page.knowledge.word(page.lower[i]).first < _BORNE
        for i in claim.words
    )


def _title(doubt: _Doubt, claim: _Claim) -> bool:
    """A title or credential alone (Mr, RN), or a word of grammar."""
    page = doubt.page
    if claim.span.label != NAME or claim.span.kind in _FRAMED:
        return False
    for i in claim.words:
        common = page.knowledge.word(page.lower[i]).zipf >= _GRAMMAR
        grammar = common and page.tokens[i].istitle()
        titled = page.lower[i] in _TITLES or page.tokens[i] in _CREDENTIALS
        if _borne(page, page.lower[i]) or not (titled or grammar):
            return False
    return True


def _heading(doubt: _Doubt, claim: _Claim) -> bool:
    """Words of headings and of letters' forms."""
    return claim.span.kind not in _FRAMED and all(
        doubt.page.lower[i] in _HEADINGS for i in claim.words
    )


def _section(doubt: _Doubt, claim: _Claim) -> bool:
    """A line's beginning in capitals, of words that are no names, up to a colon."""
    page = doubt.page
    if page.shouting or page.tokens[claim.end : claim.end + 1] != [":"]:
        return False
    if claim.begin and page.tokens[claim.begin - 1] != "\n":
        return False
    return all(page.tokens[i].isupper() and _no_name(page, page.lower[i]) for i in claim.words)


def _no_name(page: Page, word: str) -> bool:
    return _wordlike(page.knowledge.word(word)) and not _borne(page, word)


def _borne(page: Page, word: str) -> bool:
    known = page.knowledge.word(word)
    return max(known.first, known.surname) >= _BORNE


def _numeral(doubt: _Doubt, claim: _Claim) -> bool:
    """A single letter or a small Roman number."""
    if claim.span.kind is Kind.INITIALS or claim.end - claim.begin > 2:
        return False
    tokens = doubt.page.tokens
    return all(_ROMAN.fullmatch(tokens[i]) is not None for i in claim.words)


def _event(doubt: _Doubt, claim: _Claim) -> bool:
    """A war known by its place (a Vietnam veteran), a storm by its name (Hurricane Rita)."""
    lower = doubt.page.lower
    if claim.span.label == NAME:
        return claim.begin > 0 and lower[claim.begin - 1] in _STORMS
    return claim.end < len(lower) and lower[claim.end] in _WARS


Objections = dict[str, tuple[float, Callable[[_Doubt, _Claim], bool]]]
TO_WORDS: Objections = {
    "a term of medicine": (0.3, _medical),
    "a common word that begins a sentence": (0.5, _ordinary),
    "a day or month": (0.3, _calendar),
    "a language or nation": (0.4, _people),
    "a title or a word of grammar": (0.3, _title),
    "a word of headings": (0.3, _heading),
    "a heading in capitals": (0.4, _section),
    "a letter or number": (0.4, _numeral),
}
# Objections that hold however certain the tagger is.
_TO_THE_SURE = {
    name: TO_WORDS[name]
    for name in ("a term of medicine", "a day or month", "a title or a word of grammar")
}
TO_SURROUNDINGS: Objections = {
    "a dose follows": (0.5, _dosed),
    "an event": (0.5, _event),
}
OBJECTIONS = TO_WORDS | TO_SURROUNDINGS
