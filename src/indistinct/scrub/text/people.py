"""Who is who: the names found in a document, gathered by the person they refer to.

Full names come first and say who there is; surnames, first names, nicknames and initials are
then given to whoever they fit best. What a title, a relation, a pronoun and the first name say
of somebody's sex is added up, and a title that contradicts it means somebody else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from indistinct.knowledge import Knowledge
from indistinct.scrub.text.naming import (
    FIRST,
    INITIALS,
    LAST,
    MIDDLE,
    NICKNAME,
    Reading,
    readings,
    sex_of_name,
    sex_of_others,
    sex_of_word,
)
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.spans import NAME, Kind, Span
from indistinct.scrub.text.spelling import Slips, alike, halves, same_surname, sound

__all__ = ["Mention", "Person", "gather"]


# Somebody in a document: while their names are being gathered, and as they are told.


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


_SUBJECTS = {"he": -1, "she": 1}
_PRONOUNS = {word: sex_of_word(word) for word in "he she his her him hers himself herself".split()}
# Of a name that half a document bears, those met last are considered.
_MOST_BEARERS = 50
_CONTRADICTED = 2.5
_PARENT_OF = 1.25


def gather(page: Page, spans: Sequence[Span]) -> tuple[list[Person], list[Mention]]:
    """Return the people that the name spans of a page refer to, and which span refers to whom.

    Persons are numbered from 0 in the order in which they first appear.

    >>> from indistinct.scrub.text.page import read
    >>> page = read("RE: Virginia Townsend. Virginia came with Mrs. Townsend.")
    >>> names = [(4, 21, Kind.FULL_NAME), (23, 31, Kind.FIRST_NAME), (47, 55, Kind.LAST_NAME)]
    >>> people, mentions = gather(page, [Span(*name, 0.9, "names") for name in names])
    >>> [(person.first, person.last, person.sex) for person in people]
    [('Virginia', 'Townsend', 'F')]
    >>> [mention.form for mention in mentions][1:]
    [((23, 31, 'first'),), ((47, 55, 'last'),)]
    """
    names = sorted((span for span in spans if span.label == NAME), key=lambda span: span.start)
    found = readings(page, names)
    crowd = _Crowd(page)
    parts = [reading for reading in found if not crowd.meet(reading)]
    crowd.hear(found)
    crowd.choose_patient()
    # Relatives by first name come before "Mrs. Falk", who may be one of them.
    for reading in sorted(parts, key=lambda one: (not one.relation or bool(one.title), one.start)):
        crowd.recognise(reading)
    if crowd.patient is None:
        crowd.choose_patient()
    return crowd.people()


class _Crowd:
    """Everybody met so far, by the words of their names."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.knowledge: Knowledge = page.knowledge
        self.everybody: list[Somebody] = []
        self.by_word: dict[str, list[Somebody]] = {}
        self.by_letters: dict[str, list[Somebody]] = {}
        self.slips = {LAST: Slips(()), FIRST: Slips(())}
        self.owners: dict[int, Somebody] = {}  # by where a reading starts
        self.starts: list[int] = []
        self.relatives: list[Somebody] = []
        self.patient: Somebody | None = None
        self.pronouns: dict[int, float] = {}
        self.said = [
            (start, word)
            for start, word in zip(page.starts, page.lower, strict=True)
            if word in _PRONOUNS
        ]

    # Full names

    def meet(self, reading: Reading) -> bool:
        """Give a full name to somebody of that name, or to somebody new; no to a part of one."""
        first, last = reading.part(FIRST) or reading.part(INITIALS), reading.part(LAST)
        if not (first and last):
            return False
        words = " ".join([piece.word for piece in reading.pieces])
        if words in self.by_word and any(one.last == words for one in self.by_word[words]):
            for piece in reading.pieces:
                piece.part = LAST
            return False
        near = dict.fromkeys(
            somebody
            for word in (*halves(last), *first.split(), *self._related(first))
            for somebody in self.by_word.get(word, ())[-_MOST_BEARERS:]
        )
        for somebody in near:
            if self._stands_beside(reading, somebody):
                continue
            if self._same_first(first, somebody) and same_surname(last, somebody.last):
                return self._join(somebody, reading)
        for somebody in near:
            if (somebody.first, somebody.last) == (last, first):
                for piece in reading.pieces:
                    piece.part = {FIRST: LAST, LAST: FIRST}.get(piece.part, piece.part)
                return self._join(somebody, reading)
            if (somebody.first, somebody.middle) == (first, last):
                for piece in reading.pieces:
                    piece.part = MIDDLE if piece.part == LAST else piece.part
                return self._join(somebody, reading)
        return self._join(self._new(), reading)

    def _same_first(self, first: str, somebody: Somebody) -> bool:
        known = somebody.first
        if not known or not first:
            return False
        if len(first) == 1 or len(known) == 1:
            return first[0] == known[0]
        return (
            first in (known, somebody.nickname)
            or self._slip_of_first(first, known)
            or first in self._related(known)
            or bool(set(halves(first)) & set(halves(known)))
        )

    def _slip_of_first(self, one: str, other: str) -> bool:
        """Whether one first name is the other misspelt, and not a name of its own (Alexandra)."""
        if not alike(one, other):
            return False
        own = self.knowledge.word(one).first and self.knowledge.word(other).first
        sexes = self.knowledge.sex(one), self.knowledge.sex(other)
        return not own or (sexes[0] == sexes[1] and sound(one) == sound(other))

    def _related(self, first: str) -> tuple[str, ...]:
        """Nicknames of a first name, and the names of which it is a nickname."""
        return (*self.knowledge.nicknames(first), *self.knowledge.full_names(first))

    # Parts of names

    def recognise(self, reading: Reading) -> None:
        """Give a part of a name to whom it fits best, or to somebody new."""
        piece = reading.pieces[0]
        word = reading.part(LAST) or reading.part(FIRST) or piece.word
        text = self.page.text[piece.start : piece.end]
        if not piece.part and 2 <= len(text) <= 3 and text.isupper() and word not in self.by_word:
            piece.part = INITIALS
        if not any(way(reading, word) for way in self._ways(reading, word)):
            piece.part = piece.part or self._likely_part(reading, word)
            self._join(self._new(), reading)

    def _ways(self, reading: Reading, word: str) -> list[Callable[[Reading, str], bool]]:
        """In which ways a lone word may name somebody, the likely first."""
        part = reading.pieces[0].part
        if part == INITIALS:
            return [self._by_initials]
        if part in (FIRST, NICKNAME):
            return [self._as_first]
        if part == LAST:
            return [self._as_last, self._as_slip]
        if reading.takes_surname:
            return [self._as_last, self._as_first, self._as_slip]
        if reading.relation:
            return [self._as_first]
        ways: list[Callable[[Reading, str], bool]]
        ways = [self._as_last, self._as_first, self._as_slip, self._as_alias]
        if any(somebody.first == word for somebody in self.by_word.get(word, ())):
            ways[:2] = [self._as_first, self._as_last]
        return ways

    def _likely_part(self, reading: Reading, word: str) -> str:
        """Whether a lone name of somebody new is rather a first name or a surname."""
        kind = reading.spans[0].kind
        if reading.takes_surname:
            return LAST
        if kind is Kind.NICKNAME and not reading.relation:
            return NICKNAME
        if reading.relation or reading.greeted or kind is Kind.FIRST_NAME:
            return FIRST
        known = self.knowledge.word(word)
        if reading.described and not known.surname:
            return FIRST
        return FIRST if kind is not Kind.LAST_NAME and known.first > known.surname else LAST

    def _as_last(self, reading: Reading, word: str) -> bool:
        bearers = [
            somebody for somebody in self.by_word.get(word, ()) if word in halves(somebody.last)
        ]
        return self._take(reading, LAST, [*bearers, *self._kin(reading, bearers)])

    def _kin(self, reading: Reading, bearers: Iterable[Somebody]) -> list[Somebody]:
        """Relatives of a patient, known by first name alone, who may bear the same surname."""
        if not any(somebody.patient for somebody in bearers) or not reading.sex:
            return []
        return [
            somebody
            for somebody in self.relatives[-_MOST_BEARERS:]
            if not somebody.last and somebody.sex * reading.sex > 0
        ]

    def _as_first(self, reading: Reading, word: str) -> bool:
        bearers = [
            somebody
            for somebody in self.by_word.get(word, ())
            if word in halves(somebody.first) or word == somebody.nickname
        ]
        if self._take(reading, FIRST, bearers):
            return True
        related = [
            somebody
            for other in self._related(word)
            for somebody in self.by_word.get(other, ())
            if somebody.first == other
        ]
        return self._take(reading, NICKNAME, related)

    def _as_slip(self, reading: Reading, word: str) -> bool:
        """Take a name that is nearly somebody's for theirs."""
        for part in (LAST, FIRST):
            if part == FIRST and reading.takes_surname:
                continue
            names = self.slips[part].of(word)
            close = [
                somebody
                for name in names
                if part == LAST or self._slip_of_first(name, word)
                for somebody in self.by_word.get(name, ())
                if getattr(somebody, part) == name
            ]
            if self._take(reading, part, close):
                return True
        return False

    def _as_alias(self, reading: Reading, word: str) -> bool:
        """Take a name in "known as Dot" or "Dot is a seven year old" for the patient's."""
        somebody = self.patient
        if reading.alias:
            before = bisect_left(self.starts, reading.start)
            named = self.owners[self.starts[before - 1]] if before else None
            somebody = named if named is not None and not named.treats else somebody
        elif not reading.described or reading.title or reading.relation:
            return False
        if somebody is None or not somebody.first or somebody.treats:
            return False
        return self._take(reading, NICKNAME, [somebody])

    def _by_initials(self, reading: Reading, word: str) -> bool:
        letters = "".join(piece.word for piece in reading.pieces)
        return self._take(reading, INITIALS, self.by_letters.get(letters, ()))

    def _take(self, reading: Reading, part: str, bearers: Iterable[Somebody]) -> bool:
        """Give a reading to the best of those it may mean; False where it fits nobody."""
        last = list(dict.fromkeys(bearers))[-_MOST_BEARERS:]
        scored = [(self._fit(reading, one), one) for one in last]
        fitting = [(fit, one) for fit, one in scored if fit > 0]
        if not fitting:
            return False
        best = max(fitting, key=lambda pair: pair[0])[1]
        for piece in reading.pieces:
            piece.part = piece.part or part
        self._join(best, reading)
        return True

    def _fit(self, reading: Reading, somebody: Somebody) -> float:
        """How well a reading fits somebody; not above 0 where it cannot be."""
        title = sex_of_word(reading.title)
        sex = reading.sex
        if (title and somebody.title == -title) or (
            sex * somebody.sex < 0 and min(abs(sex), abs(somebody.sex)) > _CONTRADICTED
        ):
            return 0.0
        if self._stands_beside(reading, somebody) or (reading.relation and somebody.patient):
            return 0.0
        if somebody.child and reading.title and not reading.described:
            return 0.0
        fit = 4.0 + 2 * (sex * somebody.sex > 0) + 2 * somebody.patient
        fit += 3 * (reading.staff == somebody.staff) if reading.staff or somebody.staff else 2
        fit += 3 * (bool(reading.relation) and somebody.related)
        # Who was "Ms. Falk" is less likely the "Mrs. Falk" of the same letter.
        fit -= 2.5 * (bool(somebody.titles and title) and reading.title not in somebody.titles)
        before = bisect_left(somebody.starts, reading.start)
        nearest = reading.start - somebody.starts[before - 1] if before else 10_000
        return fit + 1 / (1 + nearest / 100)

    def _stands_beside(self, reading: Reading, somebody: Somebody) -> bool:
        """Whether an "and" joins a reading to somebody's name, who is then somebody else."""
        beside = reading.apart
        return beside is not None and self.owners.get(beside.start) is somebody

    # Bookkeeping

    def _new(self) -> Somebody:
        somebody = Somebody()
        self.everybody.append(somebody)
        return somebody

    def _join(self, somebody: Somebody, reading: Reading) -> bool:
        """Add a reading to somebody's, and learn from it."""
        parts = {piece.part: reading.part(piece.part) for piece in reading.pieces}
        learned = False
        for name, word in parts.items():
            if name == INITIALS:
                continue
            known = getattr(somebody, name)
            if not known or (len(known) == 1 and word != known):
                setattr(somebody, name, word)
                learned = True
            if name != MIDDLE:
                self._note_bearer(somebody, name, word)
        if not somebody.first and len(letter := parts.get(INITIALS, "")) == 1:
            somebody.first, learned = letter, True
        for letters in somebody.letters if learned else ():
            bearers = self.by_letters.setdefault(letters, [])
            if not bearers or bearers[-1] is not somebody:
                bearers.append(somebody)
        self.owners[reading.start] = somebody
        insort(self.starts, reading.start)
        insort(somebody.starts, reading.start)
        somebody.readings.append(reading)
        if reading.relation and not somebody.related:
            self.relatives.append(somebody)
        if reading.takes_surname:
            somebody.titles.add(reading.title)
        somebody.title = somebody.title or sex_of_word(reading.title)
        somebody.sex += reading.sex + self.pronouns.get(reading.start, 0.0)
        somebody.staff |= reading.staff
        somebody.related |= bool(reading.relation)
        somebody.child |= reading.child
        if len(somebody.readings) == 1 or not somebody.sex:
            somebody.sex += sex_of_name(re.split("[ -]", somebody.first or somebody.nickname)[0])
            somebody.sex += sex_of_others(somebody.middle, somebody.last)
        return True

    def _note_bearer(self, somebody: Somebody, part: str, name: str) -> None:
        for word in halves(name):
            bearers = self.by_word.setdefault(word, [])
            if somebody not in bearers[-_MOST_BEARERS:]:
                bearers.append(somebody)
        if part in self.slips:
            self.slips[part].add(name)

    def hear(self, found: Sequence[Reading]) -> None:
        """Note the pronouns that follow each name before the next one."""
        said = self.said
        for place, reading in enumerate(found):
            following = found[place + 1].start if place + 1 < len(found) else len(self.page.text)
            end = min(following, reading.end + 160)
            words = _SUBJECTS if reading.staff else _PRONOUNS
            first, last = bisect_left(said, (reading.end, "")), bisect_left(said, (end, ""))
            heard = sum([words.get(word, 0) for _, word in said[first:last]])
            evidence = float(max(-3, min(3, heard)))
            # "His friend Robin … for him": beside a relative the pronouns are the patient's.
            self.pronouns[reading.start] = evidence / (
                2 if reading.staff or reading.relation else 1
            )
        for somebody in self.everybody:
            somebody.sex += sum(self.pronouns[one.start] for one in somebody.readings)

    def choose_patient(self) -> None:
        """Whom the document is about: named in the heading, or described, or named most."""
        for somebody in self.everybody:
            if any(reading.heading for reading in somebody.readings):
                return self._set_patient(somebody)
        others = [one for one in self.everybody if not (one.treats or one.related)]
        for somebody in others:
            if any(reading.described for reading in somebody.readings):
                return self._set_patient(somebody)
        if others:
            self._set_patient(max(others, key=lambda one: len(one.readings)))
        return None

    def _set_patient(self, somebody: Somebody) -> None:
        somebody.patient, self.patient = True, somebody
        heard = Counter([_PRONOUNS[word] for _, word in self.said])
        if max(heard.values(), default=0) >= 3 * min(heard[1], heard[-1]) + 2:
            somebody.sex += 3 if heard[1] > heard[-1] else -3

    def people(self) -> tuple[list[Person], list[Mention]]:
        """Everybody in order of appearance, and their mentions in order of the page."""
        everybody = sorted(
            self.everybody, key=lambda one: min(reading.start for reading in one.readings)
        )
        self._pair_parents()
        mentions = []
        for number, somebody in enumerate(everybody):
            somebody.tell_nicknames(self.knowledge)
            for reading in somebody.readings:
                for span in reading.spans:
                    form = tuple(
                        (piece.start, piece.end, piece.part)
                        for piece in reading.pieces
                        if span.start <= piece.start < span.end
                    )
                    mentions.append(Mention(span, number, form))
        mentions.sort(key=lambda mention: mention.span.start)
        persons = [one.person(number, self.page) for number, one in enumerate(everybody)]
        return persons, mentions

    def _pair_parents(self) -> None:
        """Of two parents one is most often the mother, and the other the father."""
        for reading, other in [
            (reading, reading.apart)
            for somebody in self.everybody
            for reading in somebody.readings
            if reading.couple and reading.apart is not None
        ]:
            one, two = self.owners[reading.start], self.owners[other.start]
            if abs(one.sex) > 2 * abs(two.sex):
                two.sex -= _PARENT_OF if one.sex > 0 else -_PARENT_OF
