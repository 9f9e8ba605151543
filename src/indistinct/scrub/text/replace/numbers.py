"""Numbers of the same form that were never issued: digit for digit, letter for letter.

The same number gets the same made-up one however it is punctuated, since only its letters and
digits are drawn from. Words that announce a number (MRN-, CH#, INS-) stay.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection

from indistinct.scrub.text.replace import checks
from indistinct.scrub.text.replace.secret import Secret

_CUES = (
    "mrn med ins id ids no num number nr emp rx ssn npi dea dl tax nid acct account hmo ppo epo "
    "bio fp ch unit chart patient record member policy group claim case ref reference license "
    "licence lic passport visa vin serial sn udi imei device plan iban itin ein tin pin mbi hic "
    "hicn nhs sin medicare medicaid insurance health medical encounter visit fin csn accession "
    "order invoice ticket badge employee user username driver drivers plate key token sk pk api "
    "test live"
)
_CUE = re.compile(
    rf"(?:(?:{'|'.join(_CUES.split())})(?:[\s.:#/_-]+|(?=\d)))+|[A-Za-z]{{1,8}}\s?#\s?|#\s?",
    re.IGNORECASE,
)
_UPPER, _LOWER, _HEX = "ABCDEFGHJKLMNPRSTUVWXYZ", "abcdefghjkmnpqrstuvwxyz", "0123456789abcdef"
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$", re.IGNORECASE)
_MAC = re.compile(r"[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}$", re.IGNORECASE)
_IPV4 = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?=$|[/:])")
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}$")
_VIN = re.compile(r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{17}$")
_DEA = re.compile(r"[A-Z]{2}\d{7}$")
_MBI = re.compile(r"[1-9][A-Z][A-Z0-9]\d[A-Z][A-Z0-9]\d[A-Z]{2}\d{2}$")
_NINO = re.compile(r"[A-Z]{2}\d{6}[A-D]$")
_MOST_ATTEMPTS = 200


def made_up_number(secret: Secret, text: str, *, avoid: Collection[str] = ()) -> str:
    """A number of the form of `text`, whose letters and digits are none of `avoid`.

    >>> secret = Secret.from_seed(3)
    >>> made_up_number(secret, "CH#32-841-09787")
    'CH#87-572-02714'
    >>> made_up_number(secret, "123-45-6789").replace("-", "") == made_up_number(
    ...     secret, "123456789")
    True
    """
    cue = _CUE.match(text)
    prefix = cue.group() if cue and any(c.isalnum() for c in text[cue.end() :]) else ""
    rest = text[len(prefix) :]
    return prefix + (_address(secret, rest) or _formed(secret, rest, avoid))


def compact(text: str) -> str:
    """A number's letters and digits, by which it is the same number."""
    return "".join(filter(str.isalnum, text)).upper()


def _formed(secret: Secret, text: str, avoid: Collection[str]) -> str:
    true = compact(text)
    hexadecimal = _UUID.match(text) is not None
    for attempt in range(_MOST_ATTEMPTS):
        drawn = secret.draw("number", true, str(attempt), size=len(true))
        made = _like(true, drawn, hexadecimal)
        if _IBAN.match(true):  # the country is part of the form
            made = true[:2] + made[2:]
        made = _never_issued(made)
        if made != true and made not in avoid:
            break
    written = iter(made)
    return "".join(_cased(char, next(written)) if char.isalnum() else char for char in text)


def _like(true: str, drawn: bytes, hexadecimal: bool) -> str:
    if hexadecimal:
        return "".join(_HEX[byte % 16] for byte in drawn[: len(true)]).upper()
    return "".join(
        str(byte % 10) if char.isdigit() else _UPPER[byte % len(_UPPER)]
        for char, byte in zip(true, drawn, strict=False)
    )


def _cased(true: str, made: str) -> str:
    return made.lower() if true.islower() else made


def _never_issued(made: str) -> str:
    """The number moved out of what is issued, where its form says what it is."""
    for form, moved in _FORMS:
        if form(made):
            made = moved(made)
    return made


def _bump(passes: Callable[[str], bool]) -> Callable[[str], str]:
    """Change the last digit until the check fails: one step does."""

    def moved(made: str) -> str:
        while passes(made):
            made = made[:-1] + str((int(made[-1]) + 1) % 10)
        return made

    return moved


def _social_security(made: str) -> str:
    # Areas 900–999 are never Social Security numbers, and with a group below 50 no taxpayer's
    # number (ITIN) either. The last digit goes on until it is no bank's routing number.
    group = int(made[3:5]) % 49 + 1
    return _bump(checks.routing)(f"9{made[1:3]}{group:02d}{made[5:]}")


def _account(made: str) -> str:
    while checks.iban(made):
        made = f"{made[:2]}{(int(made[2:4]) + 1) % 100:02d}{made[4:]}"
    return made


def _vehicle(made: str) -> str:
    while checks.vin(made):
        made = made[:8] + str((int(made[8]) + 1) % 10 if made[8].isdigit() else 0) + made[9:]
    return made


def _medicare(made: str) -> str:
    # S, L, O, I, B and Z are in no Medicare Beneficiary Identifier.
    return made[0] + "SLOIBZ"[ord(made[1]) % 6] + made[2:]


def _insurance(made: str) -> str:
    # QQ is in no British National Insurance number.
    return "QQ" + made[2:]


def _digits(*lengths: int) -> Callable[[str], bool]:
    return lambda made: len(made) in lengths and made.isdigit()


_FORMS: tuple[tuple[Callable[[str], object], Callable[[str], str]], ...] = (
    (_digits(9), _social_security),
    (_digits(10), _bump(lambda made: checks.npi(made) or checks.nhs(made))),
    (_digits(*range(12, 20)), _bump(checks.luhn)),
    (_IBAN.match, _account),
    (_VIN.match, _vehicle),
    (_DEA.match, _bump(checks.dea)),
    (_MBI.match, _medicare),
    (_NINO.match, _insurance),
)

# Networks that are reserved for documentation (RFC 5737, RFC 3849).
_TEST_NETS = ("192.0.2", "198.51.100", "203.0.113")


def _address(secret: Secret, text: str) -> str:
    """A computer's address from the ranges for examples; nothing if `text` is none."""
    found = _IPV4.match(text)
    if found:
        for attempt in range(_MOST_ATTEMPTS):
            drawn = secret.draw("address", found.group(), str(attempt))
            made = f"{_TEST_NETS[drawn[0] % 3]}.{drawn[1] % 254 + 1}"
            if made != found.group():
                break
        return made + text[found.end() :]
    if _MAC.match(text):
        drawn = secret.draw("address", compact(text))
        pairs = [f"{byte:02x}" for byte in drawn[:6]]
        # The second-lowest bit of the first byte says: not from a maker (IEEE 802).
        pairs[0] = f"{(drawn[0] | 2) & 0xFE:02x}"
        made = text[2].join(pairs)
        return made.upper() if any(char.isupper() for char in text) else made
    if text.count(":") >= 2:
        try:
            ipaddress.IPv6Address(text)
        except ValueError:
            return ""
        drawn = secret.draw("address", ipaddress.IPv6Address(text).exploded)
        return f"2001:db8::{drawn[:2].hex()}:{drawn[2:4].hex()}"
    return ""
