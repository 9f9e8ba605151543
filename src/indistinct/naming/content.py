"""What the content of a column looks like: exact facts from the engine, forms from a sample."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import holds_numbers, holds_text
from indistinct.engine import ColumnFacts, Engine, quote
from indistinct.files import Source, dialect_of, is_number
from indistinct.hierarchy import as_texts, is_date
from indistinct.keys import KeyTable
from indistinct.knowledge import is_native_name, knowledge
from indistinct.naming.inside_texts import are_drawn_at_random, joined_names, left_of_texts

__all__ = [
    "NAMES",
    "SAMPLE",
    "Content",
    "codes_of",
    "glance_at",
    "hold_addresses",
    "hold_names",
    "look_at",
]


# Texts that are names of people or their addresses, whatever the column is called.
#
# A column of surnames repeats too often to single out nearly everybody, and its header may say
# nothing; yet whoever reads the released file reads who is in it.


NAMES = "names of people"

_FEWEST = 10
"""Different texts of which it can be said what they are."""

_MOST = 1_000
_SHARE = 0.6
"""The share of texts that are known as names from which all are taken for some."""

_FORM_SHARE = 0.9
_LONGEST = 4
"""Words of a name, titles and initials left aside."""

_FIRST, _SURNAME = 1.0, 0.5
"""Bearers per 100,000 people from which a word is known as a first name, or as a surname."""

_FULL_NAMES = 5
"""Texts with a first name beside a surname from which on a column names people."""

_KNOWN_FIRST, _KNOWN_SURNAME = 5.0, 1.0
"""The bearers of both."""

_PAIR = re.compile(r"(?=\b(?P<a>[^\W\d_]{2,}),? (?P<b>[^\W\d_]{2,})\b)")

_COMMON, _NOTHING_ELSE = 4.2, 0.3
"""How common a word may be (1 rare, 7 'the') that is nothing but a name, and the share of texts
that must have one: people are called like months and trades, too."""

_LETTERS = re.compile(r"[^\W\d_]+")
_FORM = re.compile(r"[^\W\d_][^\W\d_.'’\-]*(?:[\s.,'’\-]+[^\W\d_]+)*\.?")
_TITLES = frozenset("mr mrs ms miss dr prof sir jr sr ii iii herr frau mme mlle sra senor".split())

_STREETS = (
    "st street rd road ave avenue av ln lane dr drive blvd boulevard ct court cir circle pl place"
    " ter terrace way pkwy parkway hwy highway trl trail sq square close crescent"
    " strasse straße str weg platz allee gasse"
)
_ENDING = re.compile(
    r".*\w.*(?:\s(?:" + "|".join(_STREETS.split()) + r")|stra(?:ss|ß)e|str)\.?"
    r"(?:\s(?:[nsew]|ne|nw|se|sw))?(?:,?\s+#?\d+\s?[a-z]?)?",
    re.IGNORECASE,
)
_BEGINNING = re.compile(
    r"(?:\d+\s?[a-z]?,?\s)?(?:rue|avenue|boulevard|place|chemin|calle|avenida|carrera|plaza|via"
    r"|viale|piazza|rua)\s\w.*",
    re.IGNORECASE,
)


def hold_names(texts: Sequence[str]) -> bool:
    """Say whether different texts are names of people, by what is known of first and last names.

    Names in scripts that are not Latin are known by how they are formed.

    Many a town bears a name that people bear, and the other way round: what is known as places
    more often than as people is taken for places.

    >>> hold_names("Kofron Garcia Lindqvist Müller Okafor Nguyen Smith Baker Silva Rossi".split())
    True
    >>> hold_names("Boston Paris Lyon Austin Berlin Madrid Porto Orlando Dallas Perth".split())
    False
    """
    some = texts[:_MOST]
    if len(some) < _FEWEST:
        return False
    foreign = [text for text in some if not text.isascii()]
    if sum(map(is_native_name, foreign)) >= _SHARE * len(some):
        return True
    formed = [text for text in some if _FORM.fullmatch(text.strip())]
    if len(formed) < _FORM_SHARE * len(some):
        return False
    named = [words for text in formed if (words := _as_name(text))]
    nothing_else = sum(any(map(_nothing_else, words)) for words in named)
    if len(named) < _SHARE * len(some) or nothing_else < _NOTHING_ELSE * len(some):
        return False
    known = knowledge()
    return len(named) > sum(known.place(text.strip()) is not None for text in formed)


def _as_name(text: str) -> list[str]:
    """Return the words of a name, without titles and initials; nothing if it is none."""
    words = [word for word in _LETTERS.findall(text) if word.lower() not in _TITLES]
    spelt = [word for word in words if len(word) > 1]
    known = knowledge()
    found = [known.word(word) for word in spelt]
    borne = all(word.first >= _FIRST or word.surname >= _SURNAME for word in found)
    return spelt if borne and len(spelt) <= _LONGEST else []


def _nothing_else(word: str) -> bool:
    known = knowledge()
    return known.word(word).zipf < _COMMON and not known.proper(word).small


def hold_names_inside(texts: Sequence[str]) -> bool:
    """Say whether names of people stand inside different texts, among words that many of them have.

    >>> surnames = "kofron garcia lindqvist muller okafor nguyen smith baker silva rossi".split()
    >>> hold_names_inside([f"/scans/{name}_{n}.pdf" for n, name in enumerate(surnames)])
    True
    >>> hold_names_inside([f"{kind} of cars" for kind in "sale rent hire wash fuel".split()] * 2)
    False
    """
    some = texts[:_MOST]
    left = left_of_texts(some)
    if len(set(left)) < _FEWEST or len(left) < _SHARE * len(some):
        return False
    return hold_names(left) or joined_names(left) >= _SHARE * len(left)


def hold_full_names(texts: Sequence[str]) -> bool:
    """Say whether first names beside surnames stand in some of different texts.

    Notes are mostly of other things. In the lists of diagnoses, occupations, activities and
    countries that come with this program there is none.

    >>> callers = "Anna Schmidt,Maria Lopez,Olga Rossi,Hugo Wagner,Emily Garcia".split(",")
    >>> hold_full_names(["no answer", "to be called", "see " + callers[0]])
    False
    >>> hold_full_names(["no answer", "to be called", *(f"ask {name}" for name in callers)])
    True
    """
    found = 0
    for text in texts[:_MOST]:
        found += _has_full_name(text)
        if found >= _FULL_NAMES:
            return True
    return False


def _has_full_name(text: str) -> bool:
    known = knowledge()
    for pair in _PAIR.finditer(text):
        words = pair["a"], pair["b"]
        if not all(word[0].isupper() for word in words) or not any(map(_nothing_else, words)):
            continue
        one, other = map(known.word, words)
        called = any(
            first.first >= _KNOWN_FIRST and last.surname >= _KNOWN_SURNAME
            for first, last in ((one, other), (other, one))
        )
        if called and known.place(" ".join(words)) is None:
            return True
    return False


def hold_addresses(texts: Sequence[str]) -> bool:
    """Say whether different texts are names of streets, with house numbers or without.

    >>> streets = [f"{name} {kind}" for name in ("Oak", "5th", "High") for kind in ("St", "Rd")]
    >>> hold_addresses([*streets, "rue Monge", "12 calle Mayor", "Lindenstraße 7", "Am Weg 3"])
    True
    >>> hold_addresses(["yes", "no", "do not know", "refused"] * 3)
    False
    """
    some = texts[:_MOST]
    if len(some) < _FEWEST:
        return False
    streets = sum(
        _ENDING.fullmatch(text.strip()) is not None
        or _BEGINNING.fullmatch(text.strip()) is not None
        for text in some
    )
    return streets >= _SHARE * len(some)


SAMPLE = 10_000
"""Records, from all over the file, in which the form of text is looked at."""

_TEXTS = 1_000
"""Different values of the sample of which the form is looked at."""

_GLANCE = 1_000
"""Records that are enough to see the form of a column, where it is not drafted from."""

_SINGLED_OUT = 0.9
_FEWEST_PEOPLE = 10
"""From how many people on a column may be said to single out nearly every one of them."""

_FEWEST_IN_ORDER, _IN_ORDER = 30, 0.99
"""Numbers of which it can be said that they follow the records, and their rank correlation."""

_NEARLY_ALL = 0.95
_MARKERS = frozenset(
    [
        "n",
        "na",
        "n/a",
        "nan",
        "null",
        "none",
        ".",
        "..",
        "-",
        "--",
        "?",
        "x",
        "nd",
        "s/d",
        "unknown",
        "missing",
        "inconnu",
        "unbekannt",
        "desconocido",
    ]
)
"""Texts that stand among numbers for *no number*. They tell nothing private."""
_MOST_LISTED = 200_000
_COLUMNS_AT_ONCE = 500

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_PHONE = re.compile(r"\+?[\d\s()./-]{9,20}")
_OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})|\d{4}([./])\d{1,2}\3\d{1,2}")
_TIME = re.compile(r"(?:[01]?\d|2[0-4])[:h.][0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?: ?[ap]\.?m\.?)?", re.I)
_CLOCK = re.compile(r".*[:h].*", re.I)
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
_DATED = re.compile(
    r"%-?[td]|[AEJS]?DATE(?!.*AMPM)|MOYR|QYR|WKYR|YMDHMS|DDMMYY|MMDDYY|YYMMDD|MONYY|[BE]8601D", re.I
)
"""Display formats by which Stata, SPSS and SAS declare that numbers are dates."""

_ICD = re.compile(r"[A-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?")


@dataclass(frozen=True, eq=False)
class Content:
    """One column, looked at.

    Parameters
    ----------
    facts
        Distinct and missing values, smallest and largest, of all records.
    records
        Records in the file.
    kind
        The column's Arrow type.
    sample
        Its values in records from all over the file, without the missing ones.
    decimal
        The decimal sign of numbers that are text.
    people, alone
        The people of the file and how many of them have a value that nobody else has, where
        somebody has several records.
    measured
        Whether it holds amounts, going by the numbers and what goes with them.
    declared
        The display format of the file it came from.
    """

    facts: ColumnFacts
    records: int
    kind: pa.DataType
    sample: pa.ChunkedArray
    decimal: str = "."
    people: int | None = None
    alone: int | None = None
    measured: bool = False
    declared: str = ""

    @property
    def present(self) -> int:
        """Records in which it is not missing."""
        return self.records - self.facts.missing

    @property
    def records_per_value(self) -> float:
        """Records for each distinct value."""
        return self.present / max(self.facts.distinct, 1)

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly every record has a value of its own."""
        return self.present >= 20 and self.facts.distinct >= 0.99 * self.present

    @property
    def singles_out(self) -> bool:
        """Whether nearly every person has a value of their own."""
        people = self.present if self.people is None else self.people
        alone = self.facts.distinct if self.alone is None else self.alone
        return people >= _FEWEST_PEOPLE and alone >= _SINGLED_OUT * people

    @property
    def is_text(self) -> bool:
        """Whether the column holds text."""
        return holds_text(self.kind)

    @property
    def is_integer(self) -> bool:
        """Whether the column holds whole numbers."""
        return bool(pa.types.is_integer(self.kind))

    @property
    def is_number(self) -> bool:
        """Whether the column's type is a number."""
        return holds_numbers(self.kind)

    @cached_property
    def looks_numeric(self) -> bool:
        """Whether it holds numbers, or text that is a number wherever it says something."""
        if self.is_number:
            return True
        return self.is_text and bool(self.texts) and all(self._numbers(self.texts))

    @property
    def is_positive(self) -> bool:
        """Whether it holds numbers, in every record, and all above zero."""
        if not self.is_number or self.facts.missing or self.facts.smallest is None:
            return False
        return bool(self.facts.smallest > 0)

    @cached_property
    def has_fractions(self) -> bool:
        """Whether some number of the sample is not whole."""
        if not self.is_number or self.is_integer:
            return False
        numbers = np.asarray(self.sample.cast("float64"))
        own = numbers[np.isfinite(numbers)]
        return bool((own != np.floor(own)).any())

    @cached_property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers, whatever their type is."""
        if self.is_number:
            return not self.has_fractions
        return self.looks_numeric and all(_WHOLE.fullmatch(text) for text in self.texts)

    @cached_property
    def texts(self) -> list[str]:
        """Distinct values of the sample as text, at most `_TEXTS`, without those for *no value*.

        They are taken from all of the sample: files are sorted by dates and names.
        """
        some = self.sample.unique()
        if len(some) > _TEXTS:
            some = some.take(np.linspace(0, len(some) - 1, _TEXTS).astype(np.int64))
        found = as_texts((some.cast(pa.string()) if self.is_integer else some).to_pylist())
        return [t for t in found if t is not None and t.strip().lower() not in _MARKERS]

    def mostly(self, pattern: re.Pattern[str]) -> bool:
        """Say whether nearly all distinct texts have a form."""
        matching = sum(pattern.fullmatch(text) is not None for text in self.texts)
        return bool(self.texts) and matching >= _NEARLY_ALL * len(self.texts)

    @cached_property
    def has_dates(self) -> bool:
        """Whether it holds ISO dates, or a type of date."""
        if pa.types.is_date(self.kind) or pa.types.is_timestamp(self.kind):
            return True
        return self.is_text and bool(self.texts) and all(map(is_date, self.texts))

    @cached_property
    def has_times(self) -> bool:
        """Whether it holds times of day."""
        if pa.types.is_time(self.kind):
            return True
        return self.is_text and self.mostly(_TIME) and self.mostly(_CLOCK)

    @cached_property
    def has_other_dates(self) -> bool:
        """Whether it holds dates that are not written as ISO dates."""
        return self.is_text and self.mostly(_OTHER_DATE)

    @property
    def holds_dates(self) -> bool:
        """Whether it holds dates, in whatever form, or numbers that are declared to be dates."""
        return self.has_dates or self.has_other_dates or _DATED.match(self.declared) is not None

    @cached_property
    def contact(self) -> str | None:
        """What of a person its form gives away, if anything."""
        if not self.is_text or self.has_dates or self.has_other_dates or len(self.texts) < 5:
            return None
        if self.mostly(_EMAIL):
            return "e-mail addresses"
        if self.mostly(_SSN):
            return "social security numbers"
        digits = sum(map(str.isdecimal, "".join(self.texts))) / len(self.texts)
        if self.mostly(_PHONE) and not any(self._numbers(self.texts)) and digits >= 9:
            return "telephone numbers"
        return None

    @cached_property
    def persons(self) -> str | None:
        """What of people it spells out: their names, or where they live."""
        if not self.is_text or self.has_dates or self.has_other_dates:
            return None
        if hold_names(self.texts):
            return NAMES
        if hold_addresses(self.texts):
            return "addresses"
        if hold_names_inside(self.texts):
            return "names of people in its texts"
        return "names of people in some of its texts" if hold_full_names(self.texts) else None

    @cached_property
    def is_drawn_at_random(self) -> bool:
        """Whether it holds codes of which every sign looks drawn, as those of digests are."""
        return self.is_text and not self.has_dates and are_drawn_at_random(self.texts)

    @cached_property
    def tells_times(self) -> bool:
        """Whether it holds days, or times of a day, in whatever form."""
        return self.has_dates or self.has_other_dates

    @cached_property
    def follows_records(self) -> bool:
        """Whether its numbers rise or fall from record to record, as those of a count do."""
        if not self.is_number or len(self.sample) < _FEWEST_IN_ORDER:
            return False
        own = np.asarray(self.sample.cast("float64"))
        places = np.arange(len(own))
        ranks = np.argsort(np.argsort(own, kind="stable"), kind="stable")
        spread = abs(float(np.corrcoef(ranks, places)[0, 1]))
        return spread >= _IN_ORDER

    @cached_property
    def has_medical_codes(self) -> bool:
        """Whether it holds codes like those of ICD: not one letter and a number, given out."""
        if not self.is_text or len(self.texts) < 5 or not self.mostly(_ICD):
            return False
        numbered = all(text[1:].isdecimal() for text in self.texts) and self.code_length >= 5
        return not (numbered and len({text[0] for text in self.texts}) == 1)

    @cached_property
    def code_length(self) -> int:
        """The length of its codes, if all have a digit and the same length; else 0."""
        if self.has_dates or self.has_fractions:
            return 0
        lengths = {len(text) for text in self.texts}
        coded = all(any(c.isdecimal() for c in t) and " " not in t for t in self.texts)
        return lengths.pop() if coded and len(lengths) == 1 else 0

    @cached_property
    def comes_in_runs(self) -> bool:
        """Whether equal values of the sample stand next to each other, nowhere else."""
        if len(self.sample) < 2:
            return False
        codes = codes_of(self.sample)
        return bool(np.count_nonzero(np.diff(codes)) == codes.max())

    @cached_property
    def is_free_text(self) -> bool:
        """Whether it holds sentences."""
        if not self.is_text or not self.texts:
            return False
        words = sum(len(text.split()) for text in self.texts) / len(self.texts)
        return words >= 6

    def markers(self, engine: Engine, source: Source) -> tuple[str, ...] | None:
        """Return the texts that stand for *no number* if all else is numbers; None if it is not."""
        if self.is_number:
            return ()
        if not self.looks_numeric or self.facts.distinct > _MOST_LISTED:
            return None
        name = self.facts.name
        values = KeyTable.from_tally(engine.count(source, [name])).values(name)
        values = [value for value in values if value is not None]
        pairs = zip(values, self._numbers(values), strict=True)
        others = [value for value, is_one in pairs if not is_one]
        return tuple(others) if all(v.strip().lower() in _MARKERS for v in others) else None

    def _numbers(self, texts: list[str]) -> list[bool]:
        found: list[bool] = is_number(
            pa.array(texts, pa.string()), decimal=self.decimal
        ).to_pylist()
        return found


def codes_of(values: pa.ChunkedArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Number the values by their first appearance, from 0; what is missing is -1."""
    coded = values.combine_chunks().dictionary_encode()
    indices = coded.indices if isinstance(coded, pa.DictionaryArray) else coded
    return np.asarray(indices.fill_null(-1)).astype(np.int64)


def look_at(engine: Engine, source: Source) -> list[Content]:
    """Look at every column: facts of all records, forms of `SAMPLE`."""
    return _contents(source, engine.describe(source), sample=SAMPLE)


def glance_at(engine: Engine, source: Source, *, person: str | None = None) -> list[Content]:
    """Look at every column in one pass: exactly at those that may single out people, else about.

    Where `person` is given it says who the people are: a value that only one of them has, in
    however many records, singles that person out.
    """
    about = _about(engine, source)
    people = source.records
    if person is not None:
        people = engine.describe(source, [person])[0].distinct
    exact = [fact.name for fact in about if fact.distinct >= people / 2]
    facts = {fact.name: fact for fact in engine.describe(source, exact)}
    contents = _contents(source, [facts.get(fact.name, fact) for fact in about], sample=_GLANCE)
    if person is None or people == source.records:
        return contents
    return [
        replace(
            content,
            people=people,
            alone=_people_alone(engine, source, content.facts.name, person)
            if content.facts.name in facts
            else 0,
        )
        for content in contents
    ]


def _about(engine: Engine, source: Source) -> list[ColumnFacts]:
    """Return roughly how many values each column has, and exactly its smallest and the missing."""
    schema, facts = source.schema, []
    names = list(source.variables)
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[start : start + _COLUMNS_AT_ONCE]
        asked = ", ".join(
            f"approx_count_distinct({quote(name)}) AS d{i}, count({quote(name)}) AS n{i}, "
            f"min({quote(name)}) AS low{i}"
            for i, name in enumerate(some)
        )
        found = engine.sql(f"SELECT {asked} FROM records", records=source).to_pylist()[0]
        facts += [
            ColumnFacts(
                name,
                str(schema.field(name).type),
                min(found[f"d{i}"], found[f"n{i}"]),
                source.records - found[f"n{i}"],
                found[f"low{i}"],
                None,
            )
            for i, name in enumerate(some)
        ]
    return facts


def _people_alone(engine: Engine, source: Source, name: str, person: str) -> int:
    """Count the people who have a value in this column that nobody else has."""
    value, who = quote(name), quote(person)
    found = engine.sql(
        f"SELECT count(DISTINCT one) AS n FROM (SELECT min({who}) AS one FROM records "
        f"WHERE {value} IS NOT NULL GROUP BY {value} HAVING min({who}) = max({who})) t",
        records=source,
    )
    return int(found.column("n")[0].as_py())


def _contents(source: Source, facts: Sequence[ColumnFacts], *, sample: int) -> list[Content]:
    some, dialect, schema = source.spread(sample), dialect_of(source), source.schema
    return [
        Content(
            fact,
            source.records,
            schema.field(fact.name).type,
            some.column(fact.name).drop_null(),
            dialect.decimal if dialect else ".",
            declared=source.variables[fact.name].format,
        )
        for fact in facts
    ]
