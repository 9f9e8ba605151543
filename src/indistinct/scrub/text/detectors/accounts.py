"""Accounts: bank cards, IBAN, routing and account numbers, orders, wallets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indistinct.scrub.text.detectors._number_cues import MASKS, words
from indistinct.scrub.text.detectors._numbers import cued, matches, scan
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.replace.checks import luhn
from indistinct.scrub.text.spans import Kind, Span

_SHAPES = re.compile(
    r"(?<![\w.-])(?:"
    r"(?P<card>\d{4}([ -]?)\d{4}\2\d{4}\2\d{1,4}(?:\2\d{1,3})?"
    r"|3\d{3}[ -]?\d{6}[ -]?\d{5}|\d{12,19})"
    r"|(?P<iban>[A-Za-z]{2}\d{2}(?: ?[A-Za-z\d]{4}){2,7}(?: ?[A-Za-z\d]{1,3})?)"
    r"|(?P<routing>[0-3]\d{8})"
    r"|(?P<wallet>(?:bc1[a-z0-9]{25,60}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|0x[0-9a-fA-F]{40}))"
    r")(?![\w%]|[.,-]\d)"
)
_MASKED = re.compile(r"(?<![\w.*-])(?:[*xX•#]{2,12}[ -]?){1,4}\d{3,5}(?![\w%]|[.,-]\d)")
_ENDS = words("ending ends ended")
_ENDING = re.compile(
    r"(?:ending|ends|ended|ending number|last (?:four|4)(?: digits)?)"
    r"(?: (?:in|with|of|on|at|are|is))?(?: number)?"
    r"[:\s]{1,2}[*xX•.]{0,8}(\d{3,5})(?![\w%]|[.,:/]\d)"
)
_ENDING_YEAR = re.compile(r"(?:19|20)\d\d$")
_NUMBERED = re.compile(
    r"card|account|acct|number|visa|phone|policy|\bid\b|no\.|#|ssn|social|digits"
)
_SWIFT = re.compile(
    r"\b(?i:swift|bic)(?: ?/ ?(?i:bic|swift))?(?: (?i:code|number))?(?: is)?[:\s]{1,3}"
    r"([A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?)\b"
)


def detect(page: Page) -> Iterator[Span]:
    """Accounts by their check digits, by shape, and after their cues."""
    text, known = page.text, scan(page)
    for start, end, _, rule, certainty in cued(page, "account"):
        yield Span(start, end, Kind.ACCOUNT, certainty, "accounts", rule)
    for match in matches(_SHAPES, text, known.rich):
        found = _judge(match)
        if found:
            rule, certainty = found
            yield Span(match.start(), match.end(), Kind.ACCOUNT, certainty, "accounts", rule)
    lower = known.lower
    if any(map(lower.__contains__, MASKS)):
        for match in _MASKED.finditer(text):
            yield Span(match.start(), match.end(), Kind.ACCOUNT, 0.92, "accounts", "masked")
    if "last four" in lower or "last 4" in lower or not _ENDS.isdisjoint(known.words):
        for match in _ENDING.finditer(lower):
            start, end = match.span(1)
            if _NUMBERED.search(lower, max(0, match.start() - 30), match.start()):
                rule, certainty = "ending", 0.95
            elif _ENDING_YEAR.match(match[1]):
                rule, certainty = "ending year", 0.4
            else:
                rule, certainty = "ending alone", 0.8
            yield Span(start, end, Kind.ACCOUNT, certainty, "accounts", rule)
    if "swift" in lower or "bic" in known.words:
        for match in _SWIFT.finditer(text):
            yield Span(match.start(1), match.end(1), Kind.ACCOUNT, 0.9, "accounts", "swift")


def _judge(match: re.Match[str]) -> tuple[str, float] | None:
    """The rule and certainty for a stretch of an account's shape."""
    stretch = match.group()
    digits = "".join(c for c in stretch if c.isdigit())
    if match["card"]:
        if len(digits) > 12 and luhn(digits):
            return "card check", 0.95
        return ("card grouped", 0.85) if match[2] else ("card", 0.78)
    if match["iban"]:
        if iban_checks(stretch):
            return "iban check", 0.98
        plain = stretch.replace(" ", "")
        if len(plain) < 14 or len(digits) < 8:
            return None
        return "iban", 0.8
    if match["routing"]:
        return ("routing check", 0.85) if routing_checks(digits) else None
    return ("wallet", 0.9) if len(digits) > 2 else None


def iban_checks(text: str) -> bool:
    """ISO 13616: the first four moved to the end, letters as 10 to 35, leave 1 modulo 97.

    >>> iban_checks("GB29 NWBK 6016 1331 9268 19"), iban_checks("GB30NWBK60161331926819")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    if not plain.isascii() or not plain.isalnum():
        return False
    number = "".join(str(int(c, 36)) for c in plain[4:] + plain[:4])
    return len(plain) > 14 and int(number) % 97 == 1


def routing_checks(digits: str) -> bool:
    """The American Bankers Association's check: weights 3, 7, 1 and a sum that ends in 0.

    >>> routing_checks("021000021"), routing_checks("021000022")
    (True, False)
    """
    weights = (3, 7, 1) * 3
    return sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 10 == 0
