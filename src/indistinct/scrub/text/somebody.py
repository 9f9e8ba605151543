"""Somebody in a document: while their names are being gathered, and as they are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from indistinct.knowledge import Knowledge
from indistinct.scrub.text.naming import FIRST, LAST, MIDDLE, NICKNAME, Reading
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import Span

# Evidence in powers of two from which somebody counts as a woman or a man; with a first name that
# the census does not know, any leaning is better than none.
_CLEAR = 1.0
_LEANING = 0.3


@dataclass(frozen=True)
class Person:
    """Somebody in a document, with all the names that they go by there (as written).

    `sex` is 'F', 'M' or None, weighed from titles, descriptions, relations, pronouns and the
    first name. `patient` marks the one whom the document is about, `staff` those who treat.
    """

    number: int
    first: str = ""
    middle: str = ""
    last: str = ""
    nickname: str = ""
    sex: str | None = None
    patient: bool = False
    staff: bool = False


@dataclass(frozen=True)
class Mention:
    """A span that names a person, and by which parts of the name.

    `form` holds the pieces of the span in order, each as (start, end, part) with part one of
    'first', 'middle', 'last', 'nickname', 'initials': positions are those of the text.
    Titles, commas and blanks between the pieces belong to no piece.
    """

    span: Span
    person: int
    form: tuple[tuple[int, int, str], ...]


@dataclass(eq=False)
class Somebody:
    """A person while they are being gathered."""

    first: str = ""
    middle: str = ""
    last: str = ""
    nickname: str = ""
    title: int = 0
    sex: float = 0.0
    staff: bool = False
    patient: bool = False
    related: bool = False
    child: bool = False
    readings: list[Reading] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    titles: set[str] = field(default_factory=set)

    @property
    def treats(self) -> bool:
        """Whether they are among the staff, and never named as the one treated."""
        return self.staff and not self.treated

    @property
    def treated(self) -> bool:
        """Whether a heading or description names them as the one whom the document is about."""
        return any(one.heading or one.described for one in self.readings)

    @property
    def letters(self) -> set[str]:
        """Initials that may stand for the name."""
        first, middle, last = self.first[:1], self.middle[:1], self.last[:1]
        if not (first and last):
            return {first or last} - {""}
        return {first, first + last, last + first, first + (middle or last) + last}

    def tell_nicknames(self, knowledge: Knowledge) -> None:
        """Call first names nicknames where the person's full first name is also written."""
        pieces = [p for reading in self.readings for p in reading.pieces]
        words = dict.fromkeys(p.word for p in pieces if p.part in (FIRST, NICKNAME))
        full = next(
            (w for w in words if any(o in knowledge.nicknames(w) for o in words if o != w)),
            self.first,
        )
        if not full:
            return
        for piece in pieces:
            if piece.part in (FIRST, NICKNAME) and piece.word != full:
                named = piece.word in knowledge.nicknames(full)
                piece.part = NICKNAME if named or piece.part == NICKNAME else FIRST
            elif piece.part == NICKNAME:
                piece.part = FIRST

    def person(self, number: int, page: Page) -> Person:
        """Tell who they are, once everybody is gathered."""
        sex = None
        known = page.knowledge.word(self.first or self.nickname).first
        if abs(self.sex) >= (_CLEAR if known else _LEANING):
            sex = "F" if self.sex > 0 else "M"
        written = self._written(page.text)
        initial = self.first.upper() if len(self.first) == 1 else ""
        return Person(
            number,
            first=written.get(FIRST, initial),
            middle=written.get(MIDDLE, ""),
            last=written.get(LAST, ""),
            nickname=written.get(NICKNAME, ""),
            sex=sex,
            patient=self.patient,
            staff=self.treats,
        )

    def _written(self, text: str) -> dict[str, str]:
        """Each part of the name as it is written best: capitals only at its head."""
        forms: dict[str, Counter[str]] = {}
        for reading in self.readings:
            ends: dict[str, tuple[int, int]] = {}
            for piece in reading.pieces:
                start = ends[piece.part][0] if piece.part in ends else piece.start
                ends[piece.part] = start, piece.end
            for part, (start, end) in ends.items():
                forms.setdefault(part, Counter())[text[start:end]] += 1
        return {
            part: next(iter(counts)) if len(counts) == 1 else max(counts, key=_rank(counts))
            for part, counts in forms.items()
        }


def _rank(counts: Counter[str]) -> Callable[[str], tuple[bool, int, int]]:
    """How good a form of a name is: with a capital only at its head, long, frequent."""
    return lambda form: (form[1:].islower() and form[0].isupper(), len(form), counts[form])
