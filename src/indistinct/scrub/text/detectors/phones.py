"""Telephone, fax and pager numbers, in the ways of many countries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._number_cues import STRONG, words
from indistinct.scrub.text.detectors._numbers import matches, read_cue, scan, standing, unit_follows
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Kind, Span

# Scanned and typed text has the letters O and l for digits.
_D = r"[\dOolI]"
_GAP = r"(?:\s?[-./]\s?|\s|\s?\b(?:dot|dash|hyphen|point)\s)"
_EXTENSION = r"(?:,?\s{0,2}(?:ext(?:ension|n)?\.?|x\.?|#)\s{0,2}\d{1,6}(?!\w))?"
_AMERICAN = re.compile(
    rf"(?<![\w.,$/-])(?<!\d\s)(?:\+?1{_GAP}?|001{_GAP}|\+1)?(?:[(\[]\s?[2-9]\d\d\s?[)\]]\s?[-.]?\s?"
    rf"|(?=[^\s.)-]{{0,3}}\d){_D}{{3}}{_GAP}){_D}{{3}}{_GAP}{_D}{{4}}{_EXTENSION}(?!\d|[.,-]\d)",
    re.IGNORECASE,
)
_ABROAD = re.compile(
    r"(?<![\w.$/])(?:\+\s?|\b00[ -]?(?=[1-9])|\b011[ -])\(?\d{1,4}\)?"
    r"(?:[ .\-/]{0,2}\(?\d{1,12}\)?){1,6}" + _EXTENSION
)
_GROUPS = re.compile(
    r"(?<![\w.$/+-])(?<!\d[,:])(?:\d{1,3}[ -])?(?:\(0?\d{1,5}\)|\d{1,5})"
    r"(?:[ ]?[-./][ ]?|[ ]|(?<=\)))\d{1,9}(?:[ ./-]\d{2,4}){0,5}"
    + _EXTENSION
    + r"(?![\w%]|[.,/:-]\d)"
)
_LOCAL = re.compile(
    r"(?<![\w.,$/-])(?<!\d[:\s])[2-9OlI]\d\d[ ]?[-.][ ]?\d{4}" + _EXTENSION + r"(?![\w%]|[.,-]\d)"
)
_PLAIN = re.compile(r"(?<![\w.,$/-])(?<!\d:)1?\d{7,13}" + _EXTENSION + r"(?!\w|[.,-]\d)")
_VANITY = re.compile(
    r"(?<![\w-])(?:1[- ])?8\d\d-(?=[A-Z\d-]{7,11}(?!\w))[A-Z\d]{1,4}-?[A-Z]{3,8}(?!\w)"
)
_VANITY_INSIDE = re.compile(r"8\d\d-[A-Z\d-]{0,5}[A-Z]{3}")
_SHORT = re.compile(
    r"(?:pager|beeper|page(?:d)?|bleep|ext(?:ension|n)?\.?|dect)\s{0,2}(?:number|no\.?|#|id|is|at|to|:|\s){0,4}"
    r"(?<![\d])#?(\d{3,6})(?![\w-]|[.,/:]\d|\s?%)"
)
# Words that speak of telephones, and what may stand between them and the number.
_CALLING = words(
    "phone phones telephone telephones tel cell cellular cellphone mobile mob pager beeper call "
    "called calling calls dial dialed dialing text texted texting fax faxed facsimile ph contact "
    "contacted contacting reach reached ring rang hotline whatsapp sms voicemail landline home "
    "work office emergency main direct telefono teléfono téléphone telefon handy móvil movil "
    "portable number numbers questions"
)
_BETWEEN = words(
    "no is at on via line by to me him her them us desk clinic the my his our or info with using "
    "has been was new best"
)
_FAX = words("fax facsimile")
_FAX_BETWEEN = words("number no is at to line")
_FARTHEST = 8
_LETTERS = words("t f p c m h w o")
_LABEL_AFTER = re.compile(
    r"\s?[-,(/|]?\s?\(?(?:office|fax|cell|mobile|home|work|pager|phone|tel|beeper|direct|main"
    r"|h|c|w|o|m|f)\b\)?|\s(?:is|was)\s(?:my|the|his|her|our|their)\s(?:\w{1,12}\s)?"
    r"(?:number|phone|cell|mobile|fax)\b"
)
_NEAR = re.compile(
    r"\b(?:(?:tele|cell)?phone|tel|mobile|cell|call|fax|whatsapp|sms|voicemail|hotline|dial"
    r"|(?:my|his|her|their|our|your) number)\b[^.\n?!]{0,40}$"
)
_RANGE = re.compile(
    r"(?:range|ref|reference|normal|between|rr|interval|limits?|dose|every)\b[^a-z]{0,4}$"
)
# A date, or a stretch of years.
_DATE_LIKE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d\d(?:\d\d|[-./ ]\d\d)|\d{1,2}[-./ ]\d{1,2}[-./ ](?:\d{2}){1,2}"
)
# How many digits the groups of a number have in some country, where values hardly do.
_NATIONAL = {
    (1, 3, 3, 2, 2): 0.8, (2, 3, 2, 2): 0.75, (3, 3, 2, 2): 0.8, (2, 4, 3): 0.74, (2, 4, 4): 0.8,
    (3, 4, 4): 0.82, (2, 5, 4): 0.82, (5, 5): 0.76, (4, 4): 0.7, (3, 7): 0.78, (2, 8): 0.74,
}  # fmt: skip
_ROUND = re.compile(r"\b(?:\d*00|(?:19|20)\d\d)\b")
_PAGED = words("pager beeper page paged bleep ext extension extn dect")
_DIGIT_WORDS = words("zero oh one two three four five six seven eight nine")
_JOINING = words("- , . double triple dash dot ( ) hundred area code extension")


def detect(page: Page) -> Iterator[Span]:
    """Telephone numbers by shape and cue, in figures and in words."""
    text, known = page.text, scan(page)
    lower = known.lower
    places = known.rich
    for pattern, rule, bare, cued in (
        (_AMERICAN, "american", 0.92, 0.97),
        (_ABROAD, "abroad", 0.9, 0.97),
        (_LOCAL, "local", 0.82, 0.93),
        (_GROUPS, "groups", 0.0, 0.88),
        (_PLAIN, "plain", 0.0, 0.9),
    ):
        for match in matches(pattern, text, places):
            if span := _judge(match, page, lower, rule, bare, cued):
                yield span
                if rule == "american":
                    places = [p for p in places if not span.start <= p < span.end]
    if _VANITY_INSIDE.search(text):
        for match in matches(_VANITY, text, known.mixed):
            if span := _judge(match, page, lower, "in letters", 0.88, 0.95):
                yield span
    if not _PAGED.isdisjoint(known.words):
        for match in _SHORT.finditer(lower):
            yield Span(match.start(1), match.end(1), Kind.PHONE, 0.86, "phones", "pager")
    if not _DIGIT_WORDS.isdisjoint(known.words):
        yield from _spoken(page)


def _judge(
    match: re.Match[str], page: Page, lower: str, rule: str, bare: float, cued: float
) -> Span | None:
    """A posting for a stretch of a telephone number's shape, by what stands around it."""
    start, end = match.span()
    figures = match.group()
    digits = sum(map(str.isalnum if rule == "in letters" else str.isdigit, figures))
    if not 6 < digits < 18 or (rule == "abroad" and figures[0] == "0" and digits < 10):
        return None
    if rule == "groups" and _DATE_LIKE.fullmatch(figures):
        return None
    if _of_something_else(page, start, rule in ("american", "local") or figures[0] == "+"):
        return None
    has_cue, fax = _called(page, start)
    has_cue = has_cue or _LABEL_AFTER.match(lower, end) is not None
    certainty = cued if has_cue else bare
    if rule == "groups" and not has_cue:
        certainty = max(_foreign(figures), _apart(figures, lower, start, end))
    if certainty == 0 and _NEAR.search(lower, max(0, start - 48), start):
        rule, certainty = f"{rule} near", _telling(figures)
    if certainty == 0 or (rule in ("local", "plain") and unit_follows(lower, end)):
        return None
    if rule == "local" and not has_cue and _RANGE.search(lower, max(0, start - 48), start):
        return None
    end -= len(figures) - len(figures.rstrip(" .-/("))
    name = f"{rule} cued" if has_cue else rule
    return Span(start, end, Kind.FAX if fax else Kind.PHONE, certainty, "phones", name)


def _called(page: Page, start: int) -> tuple[bool, bool]:
    """Whether the words before speak of telephones, and whether of a fax."""
    lower = page.lower
    last = page.token_at(start - 1) if start else -1
    if last > 0 and lower[last] in (":", ".") and lower[last - 1] in _LETTERS:
        return True, lower[last - 1] == "f"
    if last > 1 and lower[last] == ")" and lower[last - 1] in _LETTERS and lower[last - 2] == "(":
        return True, False
    called, faxed = False, True
    for place in range(last, max(-1, last - _FARTHEST), -1):
        word = lower[place]
        if word in _CALLING:
            called = True
            if faxed and word in _FAX:
                return True, True
            faxed = word in _FAX_BETWEEN
            if not faxed:
                break
        elif word in _BETWEEN or word == "\n":
            faxed = faxed and word in _FAX_BETWEEN
        elif word.isalnum():
            break
    return called, False


def _count(figures: str) -> int:
    return sum(map(str.isdigit, figures))


def _of_something_else(page: Page, start: int, shaped: bool) -> bool:
    """Whether the words before say that it is a number of something else."""
    cue = read_cue(page, start)
    if cue.family in ("", "phone", "birth"):
        return False
    return cue.numbered or cue.word in STRONG or not shaped


def _foreign(figures: str) -> float:
    """How certain a grouping without a cue is a telephone number of some country."""
    groups = re.findall(r"\d+", figures)
    digits = "".join(groups)
    if "/" in figures:
        area = digits[0] == "0" and len(groups) == 2 and len(groups[0]) > 2 and len(groups[1]) > 4
        return 0.8 if area else 0.0
    if "(" in figures[:5] and len(digits) > 7:
        return 0.85
    if digits[0] == "0" and digits[1] != "0" and 9 <= len(digits) <= 14 and len(groups) > 1:
        return 0.85 if len(groups) > 2 else 0.78
    sizes = tuple(map(len, groups))
    if _ROUND.search(figures) or (len(set(sizes)) == 1 and groups == sorted(groups)):
        return 0.0  # years, round amounts, values in order
    if len(groups) > 3 and 8 <= len(digits) <= 11 and all(len(g) == 2 for g in groups[1:]):
        return 0.75
    return _NATIONAL.get(sizes, 0.0)


def _telling(figures: str) -> float:
    """How certain a number is one because the sentence speaks of telephones."""
    groups = re.findall(r"\d+", figures)
    values = len(groups) > 2 and all(len(group) < 4 for group in groups)
    return 0.0 if values or "/" in figures or len("".join(groups)) > 12 else 0.76


def _apart(figures: str, lower: str, start: int, end: int) -> float:
    """How certain a grouping is one because it has a line or a bracket for itself."""
    groups = len(re.findall(r"\d+", figures))
    before, after = lower[max(0, start - 8) : start], lower[end : end + 8]
    if before.rstrip(" ")[-1:] in ("", "\n") and after.lstrip(" ")[:1] in ("", "\n"):
        return 0.78 if groups > 2 or _count(figures) < 12 else 0.6
    if before[-1:] == "(" and after[:1] == ")" and _count(figures) > 8 and groups > 3:
        return 0.75
    return 0.0


def _spoken(page: Page) -> Iterator[Span]:
    """Seven or more digits in words, one after the other."""
    lower, reached = page.lower, 0
    for start in standing(page, _DIGIT_WORDS):
        if start < reached:
            continue
        count, reached, last = 0, start, start
        while reached < len(lower):
            word = lower[reached]
            if word in _DIGIT_WORDS or word.isdigit():
                count += len(word) if word.isdigit() else 1
                last = reached
            elif word not in _JOINING:
                break
            reached += 1
        if count > 6:
            yield Span(page.starts[start], page.ends[last], Kind.PHONE, 0.85, "phones", "in words")
