"""What is known of words: how common as a word, as a first name by sex, as a surname, as a place.

The tables beside this module are made by `tools/knowledge.py`; `data/firstnames.txt`, first
names of other languages by sex, was written for this package.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cached_property, lru_cache
from importlib import resources
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq


class Word(NamedTuple):
    """How common a word is: `zipf` among words (1 rare, 7 'the'), the rest per 100,000 people."""

    zipf: float
    female: float
    male: float
    surname: float

    @property
    def first(self) -> float:
        """How common as a first name of either sex."""
        return max(self.female, self.male)


class Place(NamedTuple):
    """A place by name: what it is, its largest bearer's inhabitants, its country."""

    kind: str
    population: int
    country: str


class Proper(NamedTuple):
    """How dictionaries write a word (small, with a capital), and what the name names.

    `sense` is 'person', 'location', 'group', 'other', or empty.
    """

    small: bool
    capital: bool
    sense: str


NOWHERE = Proper(False, False, "")
UNKNOWN = Word(0.0, 0.0, 0.0, 0.0)

# Bearers per 100,000 of a sex, below which the census does not settle a first name's sex.
RARE = 3.0


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """Lower case without accents, as words are looked up."""
    lower = text.lower()
    if lower.isascii():
        return lower
    parts = unicodedata.normalize("NFKD", lower)
    return "".join(c for c in parts if not unicodedata.combining(c))


def table(name: str) -> pa.Table:
    """One of the package's tables of knowledge."""
    with resources.as_file(resources.files(__package__) / "data" / f"{name}.parquet") as path:
        return pq.read_table(path)


class Lexicon:
    """Words, places, nicknames and area codes, each table read when first asked for.

    >>> lexicon = Lexicon()
    >>> long, lang = lexicon.word("Long"), lexicon.word("Lang")
    >>> long.zipf > 5 > lang.zipf            # a word that is also a name; rather a name
    True
    >>> long.surname > 0 and lang.surname > 0
    True
    >>> lexicon.sex("Virginia"), lexicon.sex("Patrick"), lexicon.sex("Table")
    ('F', 'M', None)
    >>> lexicon.sex("Lukasz"), lexicon.sex("Gülşah")      # of other languages
    ('M', 'F')
    >>> "dot" in lexicon.nicknames("Dorothy"), "dorothy" in lexicon.full_names("Dot")
    (True, True)
    >>> lexicon.place("Boston").kind
    'city'
    """

    def word(self, word: str) -> Word:
        """What is known of a word, in any case, with or without accents."""
        row = self._rows.get(plain(word))
        if row is None:
            return UNKNOWN
        zipf, female, male, surname = self._columns
        return Word(zipf[row], female[row], male[row], surname[row])

    def sex(self, first_name: str) -> str | None:
        """'F' or 'M' where nearly all bearers of the name are of that sex; None where unsure."""
        known = self.word(first_name)
        if known.female > 4 * known.male:
            return "F"
        if known.male > 4 * known.female:
            return "M"
        # Both sexes bear it: where it is rare, the census says little, and its language decides.
        return self._sexes.get(plain(first_name)) if known.first < RARE else None

    def place(self, name: str) -> Place | None:
        """The largest place of that name (several words are one name), if there is one."""
        return self._places.get(plain(name))

    def proper(self, name: str) -> Proper:
        """How dictionaries write a word or a name of several words."""
        return self._proper.get(plain(name), NOWHERE)

    def longest_name(self, word: str) -> int:
        """Number of words in the longest known name (place or other) beginning with the word."""
        return self._first_words.get(plain(word), 0)

    def begins_place(self, word: str) -> int:
        """Number of words in the longest known place name that begins with the word."""
        return self._place_words.get(plain(word), 0)

    def nicknames(self, name: str) -> tuple[str, ...]:
        """Short forms of a first name, in lower case."""
        return self._nicknames[0].get(plain(name), ())

    def full_names(self, nickname: str) -> tuple[str, ...]:
        """First names that a nickname may stand for, in lower case."""
        return self._nicknames[1].get(plain(nickname), ())

    def zip_states(self, digits: str) -> str:
        """States (two letters, separated by blanks) in which a ZIP code's first three lie."""
        return self._areas["zip"].get(digits[:3], "")

    def area_states(self, code: str) -> str:
        """States of a telephone area code; empty when it is not one."""
        return self._areas["phone"].get(code, "")

    @cached_property
    def _rows(self) -> dict[str, int]:
        words = self._words.column("word").to_pylist()
        return dict(zip(words, range(len(words)), strict=True))

    @cached_property
    def _columns(self) -> list[list[float]]:
        names = ("zipf", "female", "male", "surname")
        return [self._words.column(name).to_pylist() for name in names]

    @cached_property
    def _words(self) -> pa.Table:
        return table("words")

    @cached_property
    def _sexes(self) -> dict[str, str]:
        file = resources.files(__package__) / "data" / "firstnames.txt"
        bearers: dict[str, set[str]] = {"F": set(), "M": set()}
        for line in file.read_text(encoding="utf-8").splitlines():
            sex, *names = line.split()
            if sex in bearers:
                bearers[sex].update(names)
        female, male = bearers["F"], bearers["M"]
        return dict.fromkeys(female - male, "F") | dict.fromkeys(male - female, "M")

    @cached_property
    def _places(self) -> dict[str, Place]:
        # A name that is a city and a county or state is listed as the more populous.
        rows = table("places").sort_by("population")
        kinds = (rows.column(name).to_pylist() for name in ("kind", "population", "country"))
        return dict(zip(rows.column("name").to_pylist(), map(Place, *kinds), strict=True))

    @cached_property
    def _first_words(self) -> dict[str, int]:
        return _longest(self._proper, _longest(self._places, {}))

    @cached_property
    def _place_words(self) -> dict[str, int]:
        return _longest(self._places, {})

    @cached_property
    def _proper(self) -> dict[str, Proper]:
        rows = table("proper")
        marks = rows.select(["small", "capital", "sense"])
        kinds = marks.group_by(marks.column_names).aggregate([]).to_pylist()
        known = {tuple(kind.values()): Proper(**kind) for kind in kinds}
        columns = (marks.column(name).to_pylist() for name in marks.column_names)
        each = map(known.__getitem__, zip(*columns, strict=True))
        return dict(zip(rows.column("name").to_pylist(), each, strict=True))

    @cached_property
    def _nicknames(self) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
        short: dict[str, tuple[str, ...]] = {}
        full: dict[str, tuple[str, ...]] = {}
        for row in table("nicknames").to_pylist():
            name, nickname = row["name"], row["nickname"]
            short[name] = (*short.get(name, ()), nickname)
            full[nickname] = (*full.get(nickname, ()), name)
        return short, full

    @cached_property
    def _areas(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {"zip": {}, "phone": {}}
        for row in table("areas").to_pylist():
            found[row["kind"]][row["code"]] = row["states"]
        return found


def _longest(names: Iterable[str], longest: dict[str, int]) -> dict[str, int]:
    """By first word, the number of words of the longest name; added to what is there."""
    for name in names:
        first = name.partition(" ")[0]
        count = name.count(" ") + 1
        longest[first] = max(longest.get(first, 0), count)
    return longest
