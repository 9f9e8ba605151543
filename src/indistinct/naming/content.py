"""What the content of a column looks like: exact facts from the engine, forms from a sample."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa

from indistinct.core import holds_numbers, holds_text
from indistinct.engine import ColumnFacts, Engine, quote
from indistinct.files import Source, dialect_of, is_number
from indistinct.hierarchy import as_texts, is_date
from indistinct.keys import KeyTable
from indistinct.knowledge import is_native_name, knowledge

__all__ = ["SAMPLE", "Content", "glance_at", "hold_addresses", "hold_names", "look_at"]


# Texts that are names of people or their addresses, whatever the column is called.
#
# A column of surnames repeats too often to single out nearly everybody, and its header may say
# nothing; yet whoever reads the released file reads who is in it.


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
    if sum(map(is_native_name, some)) >= _SHARE * len(some):
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
"""Records, from the first on, in which the form of text is looked at."""

_GLANCE = 1_000
"""Records that are enough to see the form of a column, where it is not drafted from."""

_SINGLED_OUT = 0.9
_FEWEST_PEOPLE = 10
"""From how many people on a column may be said to single out nearly every one of them."""

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
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
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
        Its values in the first records, without the missing ones.
    decimal
        The decimal sign of numbers that are text.
    people, alone
        The people of the file and how many of them have a value that nobody else has, where
        somebody has several records.
    measured
        Whether it holds amounts, going by the numbers and what goes with them.
    """

    facts: ColumnFacts
    records: int
    kind: pa.DataType
    sample: Sequence[Any]
    decimal: str = "."
    people: int | None = None
    alone: int | None = None
    measured: bool = False

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
        return any(math.isfinite(v) and v != int(v) for v in self.sample)

    @cached_property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers, whatever their type is."""
        if self.is_number:
            return not self.has_fractions
        return self.looks_numeric and all(_WHOLE.fullmatch(text) for text in self.texts)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values of the sample as text, without markers for *no value*."""
        found = as_texts(list(dict.fromkeys(self.sample)))
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
    def has_other_dates(self) -> bool:
        """Whether it holds dates that are not written as ISO dates."""
        return self.is_text and self.mostly(_OTHER_DATE)

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
            return "names of people"
        return "addresses" if hold_addresses(self.texts) else None

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
        changes = sum(a != b for a, b in zip(self.sample, self.sample[1:], strict=False))
        return len(self.sample) > 1 and changes + 1 == len(set(self.sample))

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


def look_at(engine: Engine, source: Source) -> list[Content]:
    """Look at every column: facts of all records, forms of the first `SAMPLE`."""
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
    first, dialect, schema = source.first(sample), dialect_of(source), source.schema
    return [
        Content(
            fact,
            source.records,
            schema.field(fact.name).type,
            first.column(fact.name).drop_null().to_pylist(),
            dialect.decimal if dialect else ".",
        )
        for fact in facts
    ]
