"""Which sensitive values are one and the same to a reader, and which say nothing.

*HIV*, *hiv* and *HIV* with a blank at its end are one illness, and an empty cell is none: a class
of the three and an empty one tells its illness as surely as one of four equal ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.core import Bools, Ints, Variable
from indistinct.hierarchy import as_texts
from indistinct.keys import KeyTable, Recode
from indistinct.risk.diversity import ROUNDING, SensitiveCounts, split_table

__all__ = ["fold_split", "fold_text", "split_told", "telling_classes", "with_missing_codes"]

_SAYS_NOTHING = frozenset(("na", "n/a", "nan", "null"))
_BLANKS = re.compile(r"\s+")


def fold_text(text: str | None) -> str | None:
    """Return a text as it is compared: in small letters, single blanks, None if it says nothing.

    >>> fold_text("HIV "), fold_text("  hiv"), fold_text("high  blood\\tpressure")
    ('hiv', 'hiv', 'high blood pressure')
    >>> fold_text(""), fold_text("***"), fold_text("n/a")
    (None, None, None)
    """
    if text is None:
        return None
    folded = _BLANKS.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return None if not folded.strip("*.-?/ ") or folded in _SAYS_NOTHING else folded


def split_told(
    table: KeyTable, key: Sequence[str], sensitive: str, variable: Variable | None = None
) -> SensitiveCounts:
    """Split a table into classes and what they tell: `split_table`, with the values folded.

    >>> import indistinct, pyarrow as pa
    >>> people = pa.table({"age": [30] * 4 + [41] * 2, "ill": ["HIV", "hiv", "HIV ", "", "a", "b"]})
    >>> with indistinct.open_data(people) as data:
    ...     split = split_told(data.key_table(["age", "ill"]), ["age"], "ill")
    >>> np.diff(split.starts), np.diff(split.telling.starts)
    (array([2, 2]), array([1, 2]))
    """
    if variable is None or not variable.user_missing:
        return fold_split(split_table(table, key, sensitive))
    told, row_of = _recoded(table, {sensitive: variable})
    found = fold_split(split_table(told, key, sensitive))
    return replace(found, class_of=found.class_of[row_of])


def fold_split(split: SensitiveCounts) -> SensitiveCounts:
    """Make one of the values that are the same once folded, and one of those that say nothing."""
    values = split.decoded()
    if all(type(value) is int for value in values):
        return split  # whole numbers are told apart by their digits, and each says something
    texts = [fold_text(text) for text in as_texts(values)]
    numbers = {text: n for n, text in enumerate(dict.fromkeys(t for t in texts if t is not None))}
    known = len(numbers)
    silent = any(text is None for text in texts)
    if known + silent == len(values) and silent == split.has_missing:
        return split
    become = np.array([known if text is None else numbers[text] for text in texts], dtype=np.int64)
    coding = split.coding
    if silent and not coding.missing:
        coding = replace(coding, size=coding.size + 1, missing=True)
    present = np.empty(known + silent, dtype=np.int64)
    present[become[::-1]] = split.present[::-1]  # the first of several stands for all
    if silent:
        present[-1] = coding.size - 1
    width = max(1, len(present))
    classes = np.repeat(np.arange(len(split.starts) - 1), np.diff(split.starts))
    cells, place = np.unique(classes * width + become[split.values], return_inverse=True)
    # counts are whole and far below 2^53, so that adding them as floats is exact
    counts = np.bincount(place.reshape(-1), weights=split.counts).astype(np.int64)
    starts = np.searchsorted(cells // width, np.arange(len(split.starts)))
    return replace(
        split,
        coding=coding,
        present=present,
        starts=starts.astype(np.int64),
        values=cells % width,
        counts=counts,
    )


def with_missing_codes(table: KeyTable, variables: Mapping[str, Variable]) -> KeyTable:
    """Return a table in which codes that are declared as missing are missing.

    >>> import indistinct
    >>> with indistinct.open_data({"age": [30, 30], "ill": [1, 999]}) as data:
    ...     table = data.key_table(["age", "ill"])
    >>> with_missing_codes(table, {"ill": Variable("ill", user_missing=(999,))}).values("ill")
    [1, None]
    """
    return _recoded(table, variables)[0]


def _recoded(table: KeyTable, variables: Mapping[str, Variable]) -> tuple[KeyTable, Ints]:
    recodes = {}
    for coding in table.coding.variables:
        if coding.name not in variables or not variables[coding.name].user_missing:
            continue
        variable = variables[coding.name]
        values = coding.decode(np.arange(coding.size))
        lacking = np.array([variable.is_missing(value) for value in values], dtype=bool)
        numbers = np.where(lacking, int((~lacking).sum()), np.cumsum(~lacking) - 1)
        kept = [value for value, missing in zip(values, lacking, strict=True) if not missing]
        recodes[coding.name] = Recode(numbers, [*kept, *([None] if lacking.any() else [])])
    return table.rollup(recodes=recodes) if recodes else (table, np.arange(table.classes))


def telling_classes(split: SensitiveCounts, *, confidence: float = 1.0) -> Bools:
    """Say of every class whether it tells its value: all records that have one have the same.

    Parameters
    ----------
    split
        What `split_told` returns.
    confidence
        A class tells a value that at least this share of the records with a value have. A file
        with one value for everybody tells nothing by its classes, and neither does an empty class.

    >>> import indistinct
    >>> people = {"age": [30, 30, 41, 41, 50], "ill": ["HIV", "", "a", "b", None]}
    >>> with indistinct.open_data(people) as data:
    ...     split = split_told(data.key_table(["age", "ill"]), ["age"], "ill")
    >>> telling_classes(split)
    array([ True, False, False])
    """
    told = split.telling
    found = np.zeros(len(split.starts) - 1, dtype=bool)
    filled = np.flatnonzero(np.diff(told.starts))
    if len(told.present) < 2 or not len(filled):
        return found
    most = np.maximum.reduceat(told.counts, told.starts[filled])
    found[filled] = most >= confidence * told.table.counts[filled] * (1 - ROUNDING)
    return found
