"""People known from elsewhere in the document, from other documents, and from a list given.

Somebody who was found once with certainty is looked for everywhere: by surname, first name,
nickname, initials, in small letters or capitals, misspelt, joined to one word. The page is read
once, with one lookup per word. A word that is also common (Will, May, Hope) needs a capital that
the beginning of a sentence does not explain, or a cue; a term of medicine needs a cue.

Memory is bounded: it keeps the names met last. With `Memory.of`, all documents of a patient are
read before any is searched again, and what is found does not depend on their order.

Places and organisations that are named again, whole or by the short form of their name.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import log10

from indistinct.knowledge import MONTHS, RELATIONS, TITLES, plain
from indistinct.scrub.text.forms import PRIORS, Form, Forms, Name, distinct, name_of, words_of
from indistinct.scrub.text.identities import Identities
from indistinct.scrub.text.page import Page
from indistinct.scrub.text.people import Person
from indistinct.scrub.text.spans import NAME, Kind, Span

CERTAIN = 0.8
MOST_NAMES = 200

# On Zipf's scale a word of 3.5 is written once in 300,000 words, one of 2.6 once in 2.5 million.
_COMMON = 3.5
_RARE = 2.6
# A word is itself rather than a name where its place on that scale exceeds the logarithm of its
# bearers per 100,000 people by this much: Desmond 2.3, Rose 2.4, Hope 3.9, Will 5.2.
_ITSELF = 2.45
_ITSELF_IN_SMALL_LETTERS = 1.9
_LISTED = 5
_CUES = (TITLES | RELATIONS | {"pt", "dear", "hi", "hello", "cc"}) - {"general"}
# "Her mother will", "the nurse may": only a title that cannot be a subject makes these a name.
_VERY_COMMON = 5.6
_TITLES_ONLY = frozenset("dr mr mrs ms miss mx prof rev".split())
_ENDS = frozenset('.!?:;\n*-•>"')
# What follows somebody rather than the word: "Chance was", "May reports", "Will's".
_DOES = frozenset(
    "is was has had says said states stated reports reported denies denied lives works came went "
    "returned called presents presented feels felt wants wanted and who does did takes took "
    "tolerated continues remains remained appears appeared complains complained agrees "
    "agreed".split()
)


class Memory:
    """Who is known, apart from those on the page: names learned, and a table of identities.

    `learning` lets it learn from every page that it is used on; the names learned last are kept.
    """

    def __init__(
        self,
        names: Iterable[Name] = (),
        *,
        identities: Identities | None = None,
        learning: bool = False,
        most: int = MOST_NAMES,
    ) -> None:
        self.identities = identities
        self.learning = learning
        self.most = most
        self._names: OrderedDict[Name, float] = OrderedDict()
        self._add(names)

    @classmethod
    def of(
        cls,
        findings: Iterable[tuple[str, Sequence[Span]]],
        *,
        identities: Identities | None = None,
    ) -> Memory:
        """Remember the people found in several documents, given as (text, spans).

        >>> span = Span(0, 9, Kind.FULL_NAME, 0.95, "names")
        >>> Memory.of([("Jane Long was seen.", [span])]).names
        [Name(first=('jane',), last=('long',), nicknames=(), certainty=0.95)]
        """
        names = distinct(name for text, spans in findings for name in _sure(text, spans))
        # The certain last, so that which are kept of too many does not depend on the order.
        return cls(sorted(names, key=lambda name: (name.certainty, name)), identities=identities)

    @property
    def names(self) -> list[Name]:
        """The names that are kept, those met last at the end."""
        return [name._replace(certainty=trust) for name, trust in self._names.items()]

    def complete(self, person: Person) -> Person:
        """The person with the names that they have elsewhere, where only one fits.

        >>> memory = Memory([Name(("philippa",), ("ravensworth",), ("pip",))])
        >>> memory.complete(Person(0, nickname="Pip"))
        Person(number=0, first='Philippa', middle='', last='Ravensworth', nickname='Pip', \
sex=None, patient=False, staff=False)
        """
        called = {*words_of(person.first), *words_of(person.nickname)}
        if person.last and len(person.first) == 1:
            return self._spelt_out(person)
        if person.last or not called:
            return person
        fitting = {
            (name.first[0], name.last)
            for name in self._names
            if name.first and name.last and not called.isdisjoint((name.first[0], *name.nicknames))
        }
        if len(fitting) != 1:
            return person
        ((first, last),) = fitting
        return replace(person, first=person.first or first.title(), last=" ".join(last).title())

    def _spelt_out(self, person: Person) -> Person:
        """P. Okafor with the first name of the one Okafor who is a P elsewhere."""
        last, initial = words_of(person.last), plain(person.first)
        fitting = {
            name.first[0]
            for name in self._names
            if name.last == last and name.first and name.first[0].startswith(initial)
        }
        fitting = {first for first in fitting if len(first) > 1}
        if len(fitting) != 1:
            return person
        return replace(person, first=fitting.pop().title())

    def learn(self, people: Iterable[Person]) -> None:
        """Keep people for the next documents."""
        self._add(
            Name(
                words_of(one.first) + words_of(one.middle),
                words_of(one.last),
                words_of(one.nickname),
            )
            for one in people
        )

    def learn_from(self, text: str, spans: Sequence[Span]) -> None:
        """Keep the people whom spans name with certainty."""
        self._add(_sure(text, spans))

    def _add(self, names: Iterable[Name]) -> None:
        for name in names:
            known = self._names.pop(name.bare, 0.0)
            self._names[name.bare] = max(known, name.certainty)
        while len(self._names) > self.most:
            self._names.popitem(last=False)


def remembered(page: Page, postings: list[Span], memory: Memory) -> list[Span]:
    """Return where the page refers to somebody who is known, or to a place already named."""
    found = find_places_again(page, [span for span in postings if span.certainty >= CERTAIN])
    if memory.identities is not None:
        found += memory.identities.postings(page)
    names = distinct([*_sure(page.text, postings), *memory.names])
    if names:
        forms = Forms(names, page.knowledge)
        found += _Scan(page, forms, _covered(page, postings)).postings()
    if memory.learning:
        memory.learn_from(page.text, postings)
    return found


def _sure(text: str, spans: Iterable[Span]) -> Iterator[Name]:
    """Yield the names that are certain."""
    for span in spans:
        if span.certainty >= CERTAIN and span.label == NAME and span.kind is not Kind.INITIALS:
            name = name_of(text, span)
            if name.first or name.last or name.nicknames:
                yield name


def _covered(page: Page, postings: Iterable[Span]) -> set[int]:
    """Return the tokens that are surely part of a name already."""
    covered: set[int] = set()
    for span in postings:
        if span.certainty >= CERTAIN and span.label == NAME:
            covered.update(range(page.token_at(span.start), page.token_at(span.end - 1) + 1))
    return covered


class _Scan:
    """One reading of a page for the forms of names."""

    def __init__(self, page: Page, forms: Forms, covered: set[int]) -> None:
        self.page = page
        self.forms = forms
        self.covered = covered
        self.hits: dict[int, Form] = {}

    def postings(self) -> list[Span]:
        """All places where a form stands and is meant."""
        page, forms = self.page, self.forms
        lower = page.lower if page.text.isascii() else [plain(word) for word in page.lower]
        self.hits = {
            place: forms.words[word] for place, word in enumerate(lower) if word in forms.words
        }
        found = [
            span
            for place, word in enumerate(lower)
            if word in forms.joined and place not in self.covered
            for span in self._joined(place, forms.joined[word])
        ]
        for place, token in enumerate(page.tokens):
            if not token[0].isupper() or place in self.covered or place in self.hits:
                continue
            if len(token) > 3:
                found += self._slip(place, lower[place])
            elif len(token) == 1:
                found += self._spaced_initials(place)
            elif token.isupper() and lower[place] in forms.initials:
                found += self._initials(place, lower[place])
        return found + self._names()

    # Whole words

    def _names(self) -> list[Span]:
        """Neighbouring forms as one name, lone forms by their own right."""
        found: list[Span] = []
        runs: list[list[int]] = []
        for place in self.hits:
            if place in self.covered:
                continue
            if runs and self._joins(runs[-1][-1], place):
                runs[-1].append(place)
            else:
                runs.append([place])
        for run in runs:
            span = self._exact(run) if len(run) > 1 else None
            lone = [self._lone(place) for place in run] if span is None else [span]
            found += [one for one in lone if one is not None]
        return found

    def _joins(self, one: int, other: int) -> bool:
        gap = self.page.text[self.page.ends[one] : self.page.starts[other]]
        return gap in (" ", "-", "'", ", ", " - ")

    def _exact(self, run: list[int]) -> Span | None:
        """A first name and a surname of known people, one after the other."""
        kinds = {self.hits[place].kind for place in run}
        if Kind.LAST_NAME not in kinds:
            return None
        if not any(self._plainly_named(place) for place in run):
            return None
        trust = min(self.hits[place].certainty for place in run)
        kind = Kind.FULL_NAME if len(kinds) > 1 else Kind.LAST_NAME
        return self._span(run[0], run[-1], kind, "exact", trust)

    def _plainly_named(self, place: int) -> bool:
        """Whether a word of the run has a capital, or is no common word."""
        token = self.page.tokens[place]
        return token[0].isupper() or self.page.knowledge.word(token).zipf < _RARE

    def _lone(self, place: int) -> Span | None:
        """A form by itself, if capital, rarity or a cue speak for it."""
        page, form, token = self.page, self.hits[place], self.page.tokens[place]
        if self._is_month(place) or self._is_compound(place):
            return None
        cued = self._cued(place)
        known = page.knowledge.word(token)
        zipf, bearers = known.zipf, max(known.first, known.surname)
        itself = zipf - log10(bearers + 0.1)
        medical = page.knowledge.is_medical(token) or page.knowledge.is_eponym(token)
        if (medical or len(token) < 3) and not cued:
            return None
        rule = "possessive" if self._possessive(place) else form.rule
        if token[0].islower() or page.shouting:
            if zipf >= _VERY_COMMON:
                cued = cued and self._before(place) in _TITLES_ONLY
            usual = zipf >= (_COMMON if bearers >= _LISTED or page.whispering else _RARE)
            does = page.whispering and self._next(place) in _DOES
            short = len(token) < (3 if does else 4)
            if not cued and not does and ((usual and itself >= _ITSELF_IN_SMALL_LETTERS) or short):
                return None
            small = "whispered" if page.whispering else "lower-case"
            rule = "upper-case" if page.shouting else small
        elif token.isupper() and len(token) > 1:
            if not cued and ((zipf >= _COMMON and itself >= _ITSELF) or len(token) < 4):
                return None
            rule = "upper-case"
        elif zipf >= _COMMON and itself >= _ITSELF and not cued and self._begins_sentence(place):
            if self._next(place) not in _DOES and rule != "possessive":
                return None
            rule = "common-word"
        if form.rule == "nickname" and not cued and zipf >= _COMMON + 1:
            return None
        if form.rule == "nickname":
            rule = "nickname"
        return self._span(place, place, form.kind, rule, form.certainty)

    def _span(self, first: int, last: int, kind: Kind, rule: str, trust: float) -> Span:
        start, end = self.page.starts[first], self.page.ends[last]
        return Span(start, end, kind, min(PRIORS[rule], trust), "memory", rule)

    # Misspellings, initials, joined names

    def _slip(self, place: int, word: str) -> list[Span]:
        """A capitalised word that is nearly a name, and no word of its own."""
        if not self.forms.may_slip(word):
            return []
        cued, knowledge = self._cued(place), self.page.knowledge
        if not cued and (
            self.page.tokens[place].isupper()
            or knowledge.word(word).zipf >= _RARE
            or knowledge.is_eponym(word)
        ):
            return []
        form = None if knowledge.is_medical(word) else self.forms.slip_of(word)
        if form is None:
            return []
        return [self._span(place, place, form.kind, "misspelt", form.certainty)]

    def _spaced_initials(self, place: int) -> list[Span]:
        """E.C., E. C. and E.M.C. for Elizabeth Cook."""
        tokens, letters, last = self.page.tokens, self.page.lower[place], place
        while len(letters) < 3 and tokens[last + 1 : last + 2] == ["."]:
            after = tokens[last + 2 : last + 3]
            if not after or len(after[0]) > 1 or not after[0].isupper():
                break
            last += 2
            letters += after[0].lower()
        trust = self.forms.initials.get(letters[:1] + letters[1:][-1:])
        if trust is None or len(letters) < 2 or tokens[last + 1 : last + 2] != ["."]:
            return []
        begins_name = tokens[last + 2 : last + 3] and tokens[last + 2][0].isupper()
        if begins_name:
            return []
        return [self._span(place, last + 1, Kind.INITIALS, "initials", trust)]

    def _initials(self, place: int, letters: str) -> list[Span]:
        """EC beside a typist's initials (EC/jt), alone on its line, or after a cue."""
        page = self.page
        before = page.tokens[place - 1] if place else "\n"
        after = page.tokens[place + 1] if place + 1 < len(page.tokens) else "\n"
        typist = (
            after in "/:" and self._next(place + 1).isalpha() and len(self._next(place + 1)) < 4
        )
        alone = before == "\n" and (after == "\n" or typist)
        if not (alone or (before in "/:" and after == "\n") or typist):
            return []
        return [self._span(place, place, Kind.INITIALS, "initials", self.forms.initials[letters])]

    def _joined(self, place: int, form: Form) -> list[Span]:
        """Elizabethcook anywhere; ecook only as the name of an account."""
        if form.rule == "email-part":
            near = self.page.tokens[max(0, place - 3) : place + 3]
            around = {word.lower() for word in near}
            if not around & {"@", "_", "user", "username", "login", "handle", "account", "id"}:
                return []
        return [self._span(place, place, form.kind, form.rule, form.certainty)]

    # What stands around

    def _next(self, place: int) -> str:
        return self.page.lower[place + 1] if place + 1 < len(self.page.lower) else ""

    def _possessive(self, place: int) -> bool:
        return self.page.lower[place + 1 : place + 3] == ["'", "s"]

    def _before(self, place: int) -> str:
        """The word before, over a full stop, comma or colon."""
        before = place - 1
        while before >= 0 and before >= place - 2 and self.page.tokens[before] in (".", ",", ":"):
            before -= 1
        return self.page.lower[before] if before >= 0 else ""

    def _cued(self, place: int) -> bool:
        """Whether a title, relation or the like stands before, on the same line."""
        return self._before(place) in _CUES

    def _begins_sentence(self, place: int) -> bool:
        return place == 0 or self.page.tokens[place - 1] in _ENDS

    def _is_compound(self, place: int) -> bool:
        """Whether it is joined to a word in small letters, as in "Rose-colored"."""
        text, end = self.page.text, self.page.ends[place]
        return text[end : end + 1] == "-" and text[end + 1 : end + 2].islower()

    def _is_month(self, place: int) -> bool:
        """Whether "May" or "June" has a day or year beside it."""
        if self.page.lower[place] not in MONTHS:
            return False
        near = self.page.lower[max(0, place - 2) : place] + self.page.lower[place + 1 : place + 3]
        return any(word.isdigit() or word == "of" for word in near)


_NAMED = {
    Kind.CITY, Kind.PLACE, Kind.HOSPITAL, Kind.ORGANISATION, Kind.EMPLOYER, Kind.SCHOOL, Kind.TEAM,
}  # fmt: skip
# Words that say what an organisation is, not which.
_GENERIC = frozenset(
    "hospital hospitals clinic clinics center centre medical health healthcare care memorial "
    "general regional community university college school elementary middle high academy group "
    "inc llc ltd corp corporation company co plc and sons associates partners services institute "
    "infirmary practice pharmacy rehabilitation nursing home department of the at for s".split()
)
_WHOLE, _SHORT = 0.88, 0.74
_MOST_WORDS = 8
_USUAL = 3.8


def find_places_again(page: Page, sure: Sequence[Span]) -> list[Span]:
    """Return where a place or organisation that was found with certainty is named again.

    "Brigham Hospital" is found again as such and as "Brigham", with the capitals of a name.
    """
    phrases: dict[str, list[tuple[list[str], Kind, str, float]]] = {}
    for span in sure:
        if span.kind in _NAMED:
            first, last = page.token_at(span.start), page.token_at(span.end - 1)
            words = page.tokens[first : last + 1]
            if not words[0][0].isalpha() or len(words) > _MOST_WORDS or len(words[0]) < 2:
                continue
            for form, rule, prior in _forms_of(page, words):
                entry = (form, span.kind, rule, min(prior, span.certainty))
                entries = phrases.setdefault(form[0], [])
                if entry[0] not in [known[0] for known in entries]:
                    entries.append(entry)
    if not phrases:
        return []
    return _found(page, phrases, sure)


def _forms_of(page: Page, words: list[str]) -> Iterable[tuple[list[str], str, float]]:
    """Yield the whole name and its short form."""
    if len(words) > 1 or page.knowledge.word(words[0]).zipf < _USUAL:
        yield words, "place", _WHOLE
    short = list(words)
    while short and (short[-1].lower() in _GENERIC or not short[-1][0].isalnum()):
        short.pop()
    if not short or len(short) == len(words):
        return
    lone = len(short) == 1
    known = page.knowledge.word(short[0])
    if short[0].lower() in _GENERIC or (lone and (len(short[0]) < 4 or known.zipf >= _USUAL)):
        return
    if lone and (page.knowledge.is_medical(short[0]) or page.knowledge.is_eponym(short[0])):
        return
    yield short, "short-place", _SHORT


def _found(
    page: Page,
    phrases: dict[str, list[tuple[list[str], Kind, str, float]]],
    sure: Sequence[Span],
) -> list[Span]:
    tokens = page.tokens
    begun = [place for place, token in enumerate(tokens) if token in phrases]
    # Those that were found are among them; they need not be found again.
    taken = {span.start for span in sure if span.kind in _NAMED}
    found = []
    for place in begun:
        if page.starts[place] in taken:
            continue
        fitting = [
            entry
            for entry in phrases[tokens[place]]
            if tokens[place : place + len(entry[0])] == entry[0]
        ]
        if fitting:
            words, kind, rule, certainty = max(fitting, key=lambda entry: len(entry[0]))
            end = page.ends[place + len(words) - 1]
            found.append(Span(page.starts[place], end, kind, certainty, "memory", rule))
    return found
