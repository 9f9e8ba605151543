"""Telephone, fax and pager numbers, in the ways of many countries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.text.detectors._number_cues import STRONG, words
from indistinct.text.detectors._numbers import UNITS, lowered, matches, read_cue
from indistinct.text.page import Page
from indistinct.text.spans import Kind, Span

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
_SHORT = re.compile(
    r"(?:pager|beeper|page(?:d)?|bleep|ext(?:ension|n)?\.?|dect)\s{0,2}(?:number|no\.?|#|id|is|at|to|:|\s){0,4}"
    r"(?<![\d])#?(\d{3,6})(?![\w-]|[.,/:]\d|\s?%)"
)
_CUE = re.compile(
    r"(?:\b(?:tele)?phones?|\btel|\bcell(?:ular)?(?:phone)?|\bmobile|\bmob|\bpager|\bbeeper|\bcall(?:ed|ing|s)?"
    r"|\bdial(?:ed|ing)?|\btext(?:ed|ing)?|\bfax(?:ed)?|\bfacsimile|\bph|\bcontact(?:ed|ing)?|\breach(?:ed)?"
    r"|\bring|\brang|\bhotline|\bwhatsapp|\bsms|\bvoicemail|\blandline|\b(?:home|work|office|emergency|main|direct)"
    r"|\btelefono|\btel[ée]fono|\bt[ée]l[ée]phone|\btelefon|\bhandy|\bm[óo]vil|\bportable|\bnumbers?|\bquestions)"
    r"(?:[\s:.#(=,\"'/|-]|\b(?:number|no|is|at|on|via|line|by|to|me|him|her|them|us|desk|clinic|office|cell|home"
    r"|work|phone|mobile|the|my|his|our|or|the|contact|info|with|using|has|been|was|new|best|dial|direct)\b){0,9}$"
)
_LETTER_CUE = re.compile(r"\b[tfpcmhwo][:.]\s?$|\([tfpcmhwo]\)\s?$")
_LABEL_AFTER = re.compile(
    r"\s?[-,(/|]?\s?\(?(?:office|fax|cell|mobile|home|work|pager|phone|tel|beeper|direct|main"
    r"|h|c|w|o|m|f)\b\)?|\s(?:is|was)\s(?:my|the|his|her|our|their)\s(?:\w{1,12}\s)?"
    r"(?:number|phone|cell|mobile|fax)\b"
)
_NEAR = re.compile(
    r"\b(?:(?:tele|cell)?phone|tel|mobile|cell|call|fax|whatsapp|sms|voicemail|hotline|dial"
    r"|(?:my|his|her|their|our|your) number)\b[^.\n?!]{0,40}$"
)
_FAX = re.compile(
    r"\bf(?:ax|acsimile)\b[^a-z\n]{0,6}(?:\b(?:number|no|is|at|to|line)\b[^a-z\n]{0,4}){0,3}$|\bf[:.]\s?$"
)
_RANGE = re.compile(
    r"(?:range|ref|reference|normal|between|rr|interval|limits?|dose|every)\b[^a-z]{0,4}$"
)
_UNIT = re.compile(rf"\s?-?{UNITS}", re.IGNORECASE)
# A date, or a stretch of years.
_DATE_LIKE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d\d(?:\d\d|[-./ ]\d\d)|\d{1,2}[-./ ]\d{1,2}[-./ ](?:\d{2}){1,2}"
)
_PAGED = words("pager beeper page paged bleep ext extension extn dect")
_DIGIT_WORDS = words("zero oh one two three four five six seven eight nine")
_JOINING = words("- , . double triple dash dot ( ) hundred area code extension")


def detect(page: Page) -> Iterator[Span]:
    """Telephone numbers by shape and cue, in figures and in words."""
    text, lower = page.text, lowered(page.text)
    for pattern, rule, bare, cued in (
        (_AMERICAN, "american", 0.92, 0.97),
        (_ABROAD, "abroad", 0.9, 0.97),
        (_LOCAL, "local", 0.82, 0.93),
        (_GROUPS, "groups", 0.0, 0.88),
        (_PLAIN, "plain", 0.0, 0.9),
        (_VANITY, "in letters", 0.88, 0.95),
    ):
        for match in matches(pattern, text):
            if span := _judge(match, lower, rule, bare, cued):
                yield span
    if not _PAGED.isdisjoint(page.lower):
        for match in _SHORT.finditer(lower):
            yield Span(match.start(1), match.end(1), Kind.PHONE, 0.86, "phones", "pager")
    if not _DIGIT_WORDS.isdisjoint(page.lower):
        yield from _spoken(page)


def _judge(match: re.Match[str], lower: str, rule: str, bare: float, cued: float) -> Span | None:
    """A posting for a stretch of a telephone number's shape, by what stands around it."""
    start, end = match.span()
    figures = match.group()
    digits = sum(c.isalnum() for c in figures) if rule == "in letters" else _count(figures)
    if not 6 < digits < 18 or (rule == "abroad" and figures[0] == "0" and digits < 10):
        return None
    before, after = lower[max(0, start - 48) : start], lower[end : end + 32]
    shaped = rule in ("american", "local") or figures[0] == "+"
    if _announced(before, shaped):
        return None
    fax = _FAX.search(before) is not None
    has_cue = bool(
        fax or _CUE.search(before) or _LETTER_CUE.search(before) or _LABEL_AFTER.match(after)
    )
    certainty = cued if has_cue else bare
    if rule == "groups":
        if _DATE_LIKE.fullmatch(figures):
            return None
        certainty = certainty or max(_foreign(figures), _apart(figures, before, after))
    if certainty == 0 and rule in ("groups", "plain") and _NEAR.search(before):
        rule, certainty = f"{rule} near", _telling(figures)
    if certainty == 0 or (rule in ("local", "plain") and _UNIT.match(after)):
        return None
    if rule == "local" and not has_cue and _RANGE.search(before):
        return None
    end -= len(figures) - len(figures.rstrip(" .-/("))
    name = f"{rule} cued" if has_cue else rule
    return Span(start, end, Kind.FAX if fax else Kind.PHONE, certainty, "phones", name)


def _count(figures: str) -> int:
    return sum(c.isdigit() for c in figures)


def _announced(before: str, shaped: bool) -> bool:
    """Whether the words before say that it is a number of something else."""
    cue = read_cue(before)
    if cue.family in ("", "phone", "birth"):
        return False
    return cue.numbered or cue.word in STRONG or not shaped


def _foreign(figures: str) -> float:
    """How certain a grouping without a cue is a telephone number of some country."""
    if "/" in figures:
        return 0.0
    groups = re.findall(r"\d+", figures)
    digits = "".join(groups)
    if figures[0] == "(" and len(digits) > 7:
        return 0.85
    if digits[0] == "0" and digits[1] != "0" and 9 <= len(digits) <= 14 and len(groups) > 1:
        return 0.85 if len(groups) > 2 else 0.78
    if len(groups) > 3 and 8 <= len(digits) <= 11 and all(len(g) == 2 for g in groups[1:]):
        return 0.75
    return 0.0


def _telling(figures: str) -> float:
    """How certain a number is one because the sentence speaks of telephones."""
    groups = re.findall(r"\d+", figures)
    values = len(groups) > 2 and all(len(group) < 4 for group in groups)
    return 0.0 if values or "/" in figures or len("".join(groups)) > 12 else 0.76


def _apart(figures: str, before: str, after: str) -> float:
    """How certain a grouping is one because it has a line or a bracket for itself."""
    groups = len(re.findall(r"\d+", figures))
    if before.rstrip(" ")[-1:] in ("", "\n") and after.lstrip(" ")[:1] in ("", "\n"):
        return 0.78 if groups > 2 or _count(figures) < 12 else 0.6
    if before[-1:] == "(" and after[:1] == ")" and _count(figures) > 8 and groups > 3:
        return 0.75
    return 0.0


def _spoken(page: Page) -> Iterator[Span]:
    """Seven or more digits in words, one after the other."""
    words, start, count, last = page.lower, -1, 0, -1
    for place, word in enumerate([*words, "\n"]):
        if word in _DIGIT_WORDS or (count and word.isdigit()):
            if not count:
                start = place
            count += len(word) if word.isdigit() else 1
            last = place
        elif not (count and word in _JOINING):
            if count > 6:
                yield Span(
                    page.starts[start], page.ends[last], Kind.PHONE, 0.85, "phones", "in words"
                )
            count = 0
