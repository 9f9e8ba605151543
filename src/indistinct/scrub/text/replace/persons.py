"""The people of a document played by made-up ones: same sex, same family, same nickname link."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from indistinct.knowledge import CREDENTIALS, TITLES, knowledge
from indistinct.scrub.text.people import Mention, Person
from indistinct.scrub.text.replace.choosing import Choices, full_name, key_of, sex_of
from indistinct.scrub.text.replace.style import SUPPRESSED, like, listed
from indistinct.scrub.text.spans import Kind, Span

Piece = tuple[int, int, str]

_WORD = re.compile(r"[^\W\d_](?:[\w'*•●█-]*[\w*•●█])?")
_JOINED = re.compile(r"[\s.'-]{0,3}")
_LETTER = re.compile(r"[^\W\d_]")
# What may stand between the parts of a name and tells nobody's.
_KEPT = (
    TITLES
    | CREDENTIALS
    | frozenset(listed("jr sr ii iii iv and or aka nee née born of the s see re for by to m d"))
)
_PARTS = {
    Kind.FIRST_NAME: "first",
    Kind.LAST_NAME: "last",
    Kind.NICKNAME: "nickname",
    Kind.INITIALS: "initials",
}


@dataclass
class Role:
    """A made-up person in the part of a true one, each name drawn when it is first needed.

    First names agree over the project where the surname is known: (surname, first name) is
    somebody. A first name alone is nobody outside the document or the patient's `own` letters.
    """

    person: Person
    choices: Choices
    own: str
    twin: tuple[str, ...] = ()  # told apart from another one of the same true name

    @cached_property
    def sex(self) -> str | None:
        """The sex that the made-up first name must say."""
        return sex_of(self.person.first, self.person.nickname, self.person.sex)

    @cached_property
    def somebody(self) -> tuple[str, ...]:
        """Who the true person is, for the draw of the first name."""
        surname = key_of(self.person.last)
        return (surname if len(surname) > 1 else self.own, *self.twin)

    @cached_property
    def _true(self) -> tuple[str, str]:
        """First name and nickname; of Larry and Lawrence the longer is the first name."""
        first, nickname = key_of(self.person.first), key_of(self.person.nickname)
        longer = len(nickname) > len(first) and not nickname.endswith(("y", "ie"))
        if first and longer and first in knowledge().nicknames(nickname):
            return nickname, first
        return first, nickname

    @cached_property
    def true_first(self) -> str:
        """The true first name, also of somebody who is only called by the nickname."""
        first, nickname = self._true
        return full_name(first or nickname, self.sex)

    @cached_property
    def _names(self) -> tuple[str, str]:
        first, nickname = self._true
        return self.choices.first(
            self.true_first,
            self.sex,
            *self.somebody,
            short=bool(nickname) and nickname != first,
        )

    @property
    def first(self) -> str:
        """The made-up first name."""
        return self._names[0]

    @property
    def nickname(self) -> str:
        """A nickname of the made-up first name."""
        return self._names[1]

    @cached_property
    def middle(self) -> str:
        """A made-up middle name."""
        true = key_of(self.person.middle)
        return self.choices.first(true, self.sex, *self.somebody, self.true_first, "middle")[0]

    @cached_property
    def last(self) -> str:
        """The made-up surname, in two parts where the true one has two."""
        return "-".join(self._surnames.values())

    @cached_property
    def _surnames(self) -> dict[str, str]:
        parts = [key_of(part) for part in self.person.last.split("-")]
        parts = [part for part in parts if part] or [""]
        within = () if len(parts[0]) > 1 or len(parts) > 1 else (self.own, self.true_first)
        return {part: self.choices.surname(part, *within) for part in parts}

    def write(self, text: str, part: str) -> str:
        """The made-up name for a piece of the true one, written as that was."""
        if part == "last":
            return self._write_last(text)
        if part == "middle":
            name = self.middle
        elif part == "nickname" or (part == "first" and self._is_nickname(text)):
            same = key_of(text) == self._true[0] and not self._is_nickname(text)
            name = self.first if same else self.nickname
        else:
            name = self.first
        return _as_initial(text, name) or like(text, name)

    def _write_last(self, text: str) -> str:
        names = self._surnames
        alone = names.get(key_of(text))
        if alone is not None:
            return _as_initial(text, alone) or like(text, alone)
        if _as_initial(text, "x"):
            return _as_initial(text, self.last)
        written = list(names.values())
        if len(written) == 1:
            return like(text, written[0])
        # Two made-up parts for two true ones, joined and written as these were.
        pieces = re.split(r"(\s*-\s*|\s+)", text)
        if len(pieces) == 2 * len(written) - 1:
            pieces[::2] = [
                like(true, name) for true, name in zip(pieces[::2], written, strict=True)
            ]
            return "".join(pieces)
        return "-".join(like(text, name) for name in written)

    def _is_nickname(self, text: str) -> bool:
        name, (first, nickname) = key_of(text), self._true
        if name == first:
            # Tony without another name, who is made up as an Anthony is.
            return nickname in ("", first) and name != self.true_first
        return name == nickname or name in knowledge().nicknames(first)

    def write_initials(self, text: str, parts: Sequence[str]) -> str:
        """Initials of the made-up person: capitals, points and blanks as they were.

        `parts` says which names of the person stand beside the initials in full.
        """
        letters = _LETTER.findall(text)
        if not letters:
            return SUPPRESSED
        order = _order(len(letters), parts)
        made = iter([self._initial(*pair) for pair in zip(order, letters, strict=True)])

        def written(found: re.Match[str]) -> str:
            initial = next(made)
            return initial.upper() if found.group().isupper() else initial

        return _LETTER.sub(written, text)

    def _initial(self, part: str, letter: str) -> str:
        known = self.person.first or self.person.nickname
        name = ""
        if part == "first" and known:
            name = self.first
        elif part == "last" and self.person.last:
            name = self.last
        elif part == "middle" and self.person.middle:
            name = self.middle
        if name and name[0] != letter.lower():
            return name[0]
        others = [other for other in "abcdefghjklmnoprstvw" if other != key_of(letter)]
        drawn = self.choices.secret.number(self.own, "initial", part, letter, below=len(others))
        return others[drawn]


def _order(letters: int, beside: Sequence[str]) -> list[str]:
    """Which name each initial is of, by how many there are and by what stands beside them."""
    if letters == 1:
        if "first" in beside or "nickname" in beside:
            return ["middle" if "last" in beside else "last"]
        return ["first"]
    if "last" in beside and "first" not in beside:
        return ["first", *["middle"] * (letters - 1)]
    return ["first", *["middle"] * (letters - 2), "last"]


def _as_initial(text: str, name: str) -> str:
    """The name's initial where the true name is written as one ("J", "J."), else nothing."""
    if len(text.rstrip(".")) != 1:
        return ""
    initial = name[0].upper() if text[0].isupper() else name[0]
    return initial + text[1:]


@dataclass
class Cast:
    """Who plays whom in a document."""

    people: Sequence[Person]
    choices: Choices
    own: str
    _roles: dict[int, Role] = field(default_factory=dict)
    _first: dict[tuple[str, ...], int] = field(default_factory=dict)

    @cached_property
    def _by_number(self) -> dict[int, Person]:
        return {person.number: person for person in self.people}

    def role(self, number: int) -> Role:
        """The made-up person for a true one."""
        if number not in self._roles:
            role = Role(self._by_number[number], self.choices, self.own)
            name = (*role.somebody, role.true_first)
            if role.true_first and self._first.setdefault(name, number) != number:
                role = Role(role.person, self.choices, self.own, (str(number),))
            self._roles[number] = role
        return self._roles[number]

    def write(self, mention: Mention, text: str) -> str:
        """What takes the place of a mention: its pieces made up, what is between them kept."""
        role = self.role(mention.person)
        form = whole_words(mention.form, mention.span, text)
        parts = [part for _, _, part in form]
        written, place = [], mention.span.start
        for start, end, part in form:
            written.append(_between(text[place:start], role))
            piece = text[start:end]
            if part == "initials":
                others = [other for other in parts if other != "initials"]
                written.append(role.write_initials(piece, others))
            else:
                written.append(role.write(piece, part))
            place = end
        written.append(_between(text[place : mention.span.end], role))
        return "".join(written)


def _between(text: str, role: Role) -> str:
    """What stands between the pieces of a name; a word there that may be a name is one."""

    def kept(found: re.Match[str]) -> str:
        word = found.group()
        if word.lower().rstrip(".") in _KEPT or not word.isalpha():
            return word
        if len(word) == 1:
            return role.write_initials(word, ["first", "last"])
        return role.write(word, "last")

    return _WORD.sub(kept, text) if text.strip(" .,") else text


def whole_words(form: Sequence[Piece], span: Span, text: str) -> list[Piece]:
    """Pieces within the span, in order, with the marks that hide the rest of a masked name."""
    found: list[Piece] = []
    place = span.start
    for start, end, part in sorted(form):
        begin = max(start, place)
        stop = min(end, span.end)
        while stop < span.end and text[stop] in "*•●█":
            stop += 1
        if begin >= stop:
            continue
        # "De La Wilson", "Mary Ann": several words, one name.
        if found and found[-1][2] == part and _JOINED.fullmatch(text, found[-1][1], begin):
            found[-1] = (found[-1][0], stop, part)
        else:
            found.append((begin, stop, part))
        place = stop
    return found


def on_its_own(span: Span, text: str, number: int) -> tuple[Person, Mention]:
    """Somebody of whom nothing is known but this span."""
    words = [
        found
        for found in _WORD.finditer(text, span.start, span.end)
        if found.group().lower().rstrip(".") not in TITLES | CREDENTIALS
    ]
    single = _PARTS.get(span.kind)
    if single == "initials":
        form: list[Piece] = [(span.start, span.end, "initials")]
    elif single is not None and words:
        form = [(words[0].start(), words[-1].end(), single)]
    else:
        form = [(found.start(), found.end(), "middle") for found in words]
        if "," in text[span.start : span.end] and len(form) > 1:
            form[0], form[1] = (*form[0][:2], "last"), (*form[1][:2], "first")
        elif form:
            form[0] = (*form[0][:2], "first")
            if len(form) > 1:
                form[-1] = (*form[-1][:2], "last")
    names = {part: text[start:end] for start, end, part in form if part != "initials"}
    person = Person(
        number=number,
        first=names.get("first", ""),
        middle=names.get("middle", ""),
        last=names.get("last", ""),
        nickname=names.get("nickname", ""),
    )
    return person, Mention(span, number, tuple(form))
