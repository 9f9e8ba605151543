"""Addresses on the net: made-up people at example.org, and user names that follow the person.

Telephone numbers that ring nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from indistinct.scrub.text.people import Person
from indistinct.scrub.text.replace.choosing import Choices, key_of
from indistinct.scrub.text.replace.numbers import compact
from indistinct.scrub.text.replace.persons import Cast, Role
from indistinct.scrub.text.replace.pools import clear_sex
from indistinct.scrub.text.replace.secret import Secret

# Reserved for examples (RFC 2606): nobody's, for ever.
_DOMAINS = ("example.org", "example.com", "example.net")
_EMAIL = re.compile(
    r"(?P<before>(?:mailto:)?\s*)(?P<local>[^\s@]{1,80}?)"
    r"(?P<at>\s?@\s?|\s?[\[(]\s?at\s?[\])]\s?|\s+at\s+)"
    r"(?P<domain>[^\s@]{1,80}(?:\s?[\[(]?\s?dot\s?[\])]?\s?\w{2,10})?)",
    re.IGNORECASE,
)
_RUN = re.compile(r"[^\W\d_]+|\d+")
_USER = re.compile(r"@?[^\W\d_]{3}[\w.-]{0,28}$")
_PATH = re.compile(
    r"(?P<scheme>[a-z]{3,6}://)?(?P<www>www\.)?[^/\s?#]+(?P<path>\S*)", re.IGNORECASE
)
_SLUG = "bcdfghjkmnpqrstvwxz23456789"


def made_up_email(text: str, cast: Cast) -> str:
    """An e-mail address at example.org of the person who had it, or of somebody made up."""
    choices = cast.choices
    found = _EMAIL.match(text)
    if found is None:
        return f"{_slug(choices, text)}@{_domain(choices, text)}"
    domain = _domain(choices, found["domain"])
    if "dot" in found["domain"].lower() and "." not in found["domain"]:
        domain = domain.replace(".", " dot ")
    return found["before"] + made_up_user(found["local"], cast) + found["at"] + domain


def made_up_user(text: str, cast: Cast) -> str:
    """A user name: of the made-up person where it was made of the true one's names."""
    letters = [run for run in _RUN.findall(text) if run.isalpha()]
    joined = key_of("".join(letters))
    shape = _shape(joined, cast)
    if shape is None:
        # Not of anybody here: every word becomes a name, the first a first name.
        names = _anybody(letters, text, cast)
    else:
        role, parts = shape
        names = _spread([_name(role, part) for part in parts], len(letters))
    made = iter(names)
    digits = iter(cast.choices.secret.draw("user", text.lower(), size=len(text)))

    def written(found: re.Match[str]) -> str:
        run = found.group()
        if run.isdigit():
            return "".join(str((int(digit) + 1 + next(digits) % 9) % 10) for digit in run)
        name = next(made)
        if run.isupper() and len(run) > 1:
            return name.upper()
        return name.capitalize() if run[0].isupper() else name

    return _RUN.sub(written, text)


def is_user_name(text: str, cast: Cast) -> bool:
    """Whether an identifier is a user name: a handle, or made of the names of somebody here."""
    if not _USER.match(text):
        return False
    joined = key_of(text)
    return text.startswith("@") or (len(joined) > 3 and _shape(joined, cast) is not None)


def made_up_web(text: str, cast: Cast) -> str:
    """A web address at example.org, a handle, or a made-up e-mail address."""
    if text.startswith("@"):
        return "@" + made_up_user(text[1:], cast)
    found = _PATH.match(text)
    if found is None:
        return _domain(cast.choices, text)
    path = f"/{_slug(cast.choices, text)}" if len(found["path"]) > 1 else found["path"]
    return f"{found['scheme'] or ''}{found['www'] or ''}{_domain(cast.choices, text)}{path}"


def _domain(choices: Choices, text: str) -> str:
    return _DOMAINS[choices.secret.number("domain", text.lower(), below=len(_DOMAINS))]


def _slug(choices: Choices, text: str) -> str:
    return "".join(_SLUG[byte % len(_SLUG)] for byte in choices.secret.draw("slug", text)[:6])


def _forms(first: str, last: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    """How people put their names together, and of which parts."""
    yield first + last, ("first", "last")
    yield last + first, ("last", "first")
    yield first[:1] + last, ("f", "last")
    yield last + first[:1], ("last", "f")
    yield first + last[:1], ("first", "l")
    yield first, ("first",)
    yield last, ("last",)


def _shape(joined: str, cast: Cast) -> tuple[Role, tuple[str, ...]] | None:
    """Whose names a user name is put together of, and of which parts."""
    initial = joined[:1]
    for person in cast.people:
        last = key_of(person.last)
        for name, part in ((person.first, "first"), (person.nickname, "nickname")):
            first = key_of(name)
            if initial not in (first[:1], last[:1]) or not (first or last):
                continue
            for form, parts in _forms(first, last):
                if form == joined and len(form) > 2:
                    named = tuple(part if one == "first" else one for one in parts)
                    return cast.role(person.number), named
    return None


def _name(role: Role, part: str) -> str:
    last = role.last.replace("-", "")
    if part in ("f", "l"):
        return (role.first if part == "f" else last)[0]
    return {"first": role.first, "nickname": role.nickname, "last": last}[part]


def _spread(names: list[str], runs: int) -> list[str]:
    """The names for so many runs of letters: put together where there are fewer runs."""
    if len(names) > runs:
        return [*names[: runs - 1], "".join(names[runs - 1 :])]
    return [*names, *[names[-1]] * (runs - len(names))]


def _anybody(letters: list[str], text: str, cast: Cast) -> list[str]:
    """Names of somebody who is not in the document, the same as elsewhere in the project."""
    whole = key_of(text)
    if len(letters) == 1:
        return [cast.choices.surname(whole or text, "user")]
    first, last = letters[0], max(letters[1:], key=len)
    person = Person(-1, first=first, last=last, sex=clear_sex(first))
    role = Role(person, cast.choices, f"{cast.own} {whole}")
    names = [role.first, *[role.last] * (len(letters) - 1)]
    return [name[0] if len(run) == 1 else name for name, run in zip(names, letters, strict=True)]


# Telephone numbers that ring nowhere -------------------------------------------------------------


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
