"""What columns look like that neither name nor label nor categories tell; asked for, never sure."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from indistinct.core import Role
from indistinct.hierarchy import recognised
from indistinct.naming.amounts import is_skewed
from indistinct.naming.concepts import is_numbered
from indistinct.naming.content import Content

__all__ = ["Form", "formed_like"]

_SEXES = tuple(map(set, ("mf", "mw", "mv", "hf", "hm", "mk")))
"""Letters of two sexes, in some language; others, such as *d* and *x*, may stand beside them."""

_BESIDE = set("dxuon?")

_AGES = (60, 120, 40)
"""Ages reach at least and at most so far, and are at least so many different ones."""

_DENSE = 0.6
"""The share of numbers between the smallest and the largest that somebody has."""

_SHARED = 5.0
"""Records per value up to which codes may number people."""

_FEW = 15
_FEWEST = 100
_STATES = frozenset(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM"
    " NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR".split()
)
_PLACES = ("nuts", "country", "country-name", "uk-postcode", "ca-postcode", "nl-postcode")
_CODE = re.compile(r"(?=.*\d)[\w.:/-]{4,}")


@dataclass(frozen=True)
class Form:
    """What values look like."""

    role: Role
    reason: str


def formed_like(content: Content) -> Form | None:
    """Say what values look like; None where they look like nothing in particular."""
    if is_numbered(content.facts.name) and content.facts.distinct >= _FEW:
        return Form("identifier", "name of an id")
    if content.has_times:
        return None
    if content.holds_dates:
        many = content.facts.distinct >= _FEWEST
        return Form("key", "dates, which others may know") if many else None
    if content.is_text:
        return _of_texts(content)
    return _of_numbers(content)


def _of_texts(content: Content) -> Form | None:
    texts = content.texts
    letters = {text.strip().lower() for text in texts}
    if any(pair <= letters <= pair | _BESIDE for pair in _SEXES):
        return Form("key", "letters as for the sexes")
    if len(letters) >= _FEW and all(len(t.strip(" .")) == 1 and t[0].isalpha() for t in letters):
        return Form("identifier", "single letters, as initials are")
    if len(letters) >= 5 and {text.strip() for text in texts} <= _STATES:
        return Form("key", "codes as of the states of the US")
    if len(texts) >= 5 and (found := recognised("", texts[:300])) is not None:
        standard = found[0]
        if standard in _PLACES or "post" in standard:
            return Form("key", f"codes of a place ({standard})")
    if content.looks_numeric:
        return None
    few = content.records_per_value <= _SHARED and content.facts.distinct >= _FEWEST
    if few and sum(_CODE.fullmatch(text) is not None for text in texts) >= 0.95 * len(texts):
        return Form("identifier", "codes that few records share: they may number people")
    return None


def _of_numbers(content: Content) -> Form | None:
    if not content.is_number or content.facts.distinct < _AGES[2]:
        return None
    numbers = np.asarray(content.sample.cast("float64"))
    own = numbers[np.isfinite(numbers)]
    if content.facts.distinct >= _FEWEST and is_skewed(own):
        return Form("sensitive", "most small and some large, as amounts are")
    if not content.is_whole or content.present < 2 * content.facts.distinct:
        return None
    low, high = own.min(), own.max()
    dense = content.facts.distinct >= _DENSE * (high - low + 1)
    if dense and low >= 0 and _AGES[0] <= high <= _AGES[1]:
        return Form("key", "whole numbers as ages are")
    return None
