"""What the content of a column looks like: exact facts from the engine, forms from a sample."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from indistinct.engine import ColumnFacts, Engine
from indistinct.files import Source, dialect_of
from indistinct.files.columns import is_number
from indistinct.hierarchy import as_text
from indistinct.hierarchy.dates import is_date
from indistinct.keys import KeyTable

__all__ = ["SAMPLE", "Content", "look_at"]

SAMPLE = 10_000
"""Records, from the first on, in which the form of text is looked at."""

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

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_PHONE = re.compile(r"\+?[\d\s()./-]{9,20}")
_OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})|\d{4}([./])\d{1,2}\3\d{1,2}")
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
    """

    facts: ColumnFacts
    records: int
    kind: pa.DataType
    sample: Sequence[Any]
    decimal: str = "."

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
    def is_text(self) -> bool:
        """Whether the column holds text."""
        return bool(pa.types.is_string(self.kind) or pa.types.is_large_string(self.kind))

    @property
    def is_integer(self) -> bool:
        """Whether the column holds whole numbers."""
        return bool(pa.types.is_integer(self.kind))

    @property
    def is_number(self) -> bool:
        """Whether the column's type is a number."""
        return self.is_integer or bool(
            pa.types.is_floating(self.kind) or pa.types.is_decimal(self.kind)
        )

    @cached_property
    def looks_numeric(self) -> bool:
        """Whether it holds numbers, or text that is a number wherever it says something."""
        if self.is_number:
            return True
        return self.is_text and bool(self.texts) and all(self._numbers(self.texts))

    @property
    def is_positive(self) -> bool:
        """Whether it holds numbers, in every record, and all above zero."""
        return self.is_number and not self.facts.missing and self.facts.smallest > 0

    @cached_property
    def has_fractions(self) -> bool:
        """Whether some number of the sample is not whole."""
        if not self.is_number or self.is_integer:
            return False
        return any(math.isfinite(v) and v != int(v) for v in self.sample)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values of the sample as text, without markers for *no value*."""
        found = (as_text(value) for value in dict.fromkeys(self.sample))
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
    def has_medical_codes(self) -> bool:
        """Whether it holds codes like those of ICD."""
        return self.is_text and len(self.texts) >= 5 and self.mostly(_ICD)

    @cached_property
    def code_length(self) -> int:
        """The length of its codes, if all have a digit and the same length; else 0."""
        if self.has_dates or self.has_fractions:
            return 0
        lengths = {len(text) for text in self.texts}
        coded = all(any(c.isdecimal() for c in t) and " " not in t for t in self.texts)
        return lengths.pop() if coded and len(lengths) == 1 else 0

    @cached_property
    def is_numbering(self) -> bool:
        """Whether whole numbers look given out rather than measured."""
        low, high = self.facts.smallest, self.facts.largest
        if not self.is_integer or low is None or low < 0:
            return False
        return bool(high - low < 2 * self.facts.distinct or len(str(low)) == len(str(high)))

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
    facts = engine.describe(source)
    first = next(iter(source.batches(batch_records=SAMPLE)), None)
    dialect = dialect_of(source)
    contents = []
    for position, fact in enumerate(facts):
        column = [] if first is None else first.column(position).drop_null().to_pylist()
        kind = source.schema.field(fact.name).type
        contents.append(
            Content(fact, source.records, kind, column, dialect.decimal if dialect else ".")
        )
    return contents
