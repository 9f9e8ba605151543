"""Telephone numbers that ring nowhere."""

from __future__ import annotations

import re
from collections.abc import Collection

from indistinct.scrub.text.replace.numbers import compact
from indistinct.scrub.text.replace.secret import Secret

_EXTENSION = re.compile(r"\s*(?:x|ext\.?|extension|#)\s*\d{1,6}$", re.IGNORECASE)
_COUNTRY = re.compile(r"\s*\+?\s?\(?((?:00)?\d{1,3})(?=\D)")
_DIGIT = re.compile(r"\d")
_BRITISH_MOBILE = re.compile(r"(?:0|440?)7\d{9}$")
_MOST_ATTEMPTS = 100


def made_up_phone(secret: Secret, text: str, *, avoid: Collection[str] = ()) -> str:
    """A telephone number written as `text` is, from ranges that are given to nobody.

    Seven digits become 555-01xx, which North America keeps for fiction; ten get an area code of
    the form N9X or 37X or 96X besides, which are set aside. British mobile numbers become
    07700 900xxx (Ofcom's for drama). Elsewhere the number begins with zeros.

    >>> secret = Secret.from_seed(3)
    >>> made_up_phone(secret, "473-1214"), made_up_phone(secret, "+1 (617) 473-1214 x12")
    ('555-0179', '+1 (890) 555-0131 x30')
    """
    found = _EXTENSION.search(text)
    number, extension = (text[: found.start()], found.group()) if found else (text, "")
    true = compact(number)
    for attempt in range(_MOST_ATTEMPTS):
        made = _digits(secret, number, true, attempt)
        if made not in avoid and made != true:
            break
    written = iter(made)
    result = "".join(next(written) if char.isalnum() else char for char in number)
    if not extension:
        return result
    drawn = iter(secret.draw("extension", true + extension))
    return result + _DIGIT.sub(lambda _: str(next(drawn) % 10), extension)


def _digits(secret: Secret, text: str, true: str, attempt: int) -> str:
    bare = true[1:] if len(true) == 11 and true[0] == "1" else true
    drawn = secret.draw("phone", bare, str(attempt), size=max(32, len(true)))
    some = [str(byte % 10) for byte in drawn]
    fiction = "55501" + "".join(some[:2])
    international = text.lstrip().startswith(("+", "00")) and not true.startswith("1")
    american = len(bare) == 7 or (len(bare) == 10 and bare[0] not in "01")
    if international or not american:
        code = _COUNTRY.match(text) if international else None
        return _elsewhere(true, some, code.group(1) if code else true[: 2 * international])
    if len(bare) == 7:
        return fiction
    area = ("37" if drawn[2] % 2 else "96") + some[3]
    if drawn[4] % 5:
        area = f"{drawn[5] % 8 + 2}9{some[3]}"
    return true[: len(true) - len(bare)] + area + fiction


def _elsewhere(true: str, some: list[str], country: str) -> str:
    """Country code and trunk zero kept, then a start that no country gives out."""
    if _BRITISH_MOBILE.match(true):
        kept = true[:-10]
        return kept + "7700900" + "".join(some[:3])
    kept = country or true[: true.startswith("0")]
    rest = len(true) - len(kept)
    zeros = min(3, max(0, rest - 3))
    return kept + "0" * zeros + "".join(some[: rest - zeros])
