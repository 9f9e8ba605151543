"""What may be told to others beside the data: one rule for every text that leaves with them.

Note on method, certificate and the shareable report count the same people, and whoever reads all
of them could subtract. So all are blurred alike (`few`): counts of people are rounded to multiples
of a base that is not smaller than k, one below it is told only to be below it, and how strongly
values were altered is not counted at all. The released file, which everybody can count, is told
exactly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from indistinct.release.few import Few, raised_count, rounded

__all__ = [
    "ALTERING",
    "blurred_sentence",
    "blurred_verdict",
    "in_words",
    "uncounted_step",
    "uncounted_steps",
]

ALTERING = ("perturb", "perturb-keeping")
"""Steps that draw other values, though nothing is shuffled or swapped by them."""

_COUNTED = {
    "add-records": (r"[\d,]+ made-up", "made-up"),
    "drop-outliers": (r", at most [\d,.]+%?\.$", "."),
    "generalise-cells": (r"[\d,]+ single cells?", "single cells"),
    # less what other steps left out, it is what is released
    "sample": (r"sample of [\d,.]+(% of the)? ", "sample of "),
    "sample-households": (r"sample of [\d,.]+(% of the)? ", "sample of "),
    "suppress-cells": (r"[\d,]+ single cells?", "single cells"),
    "suppress-records": (r"[\d,]+ records?", "records"),
}
"""Steps whose sentence counts cells or records: where it does, and what stands there instead."""

_COUNT = re.compile(
    r"(?<![\w.,=%-])(?<!k = )(?<!than )(?<!least )(?<!most )(?<!below )(?<!1 in )"
    r"(\d+(?:,\d{3})*)(?![\w.%-]|,\d| ?%)"
)
"""A whole number that counts something: neither k, nor a share, nor a part of a name."""


def in_words(count: int) -> str:
    """Return a count as it is told in a text.

    >>> in_words(rounded(2, 5)), in_words(rounded(2126, 5))
    ('fewer than 5', '2,125')
    """
    return f"fewer than {count.below}" if isinstance(count, Few) else f"{count:,}"


def blurred_sentence(sentence: str, base: int) -> str:
    """Round what a sentence counts; what it says of k or of shares stays.

    >>> blurred_sentence("3 of 126 records refer to fewer than 3 people (k = 3, 2.4 %)", 5)
    'fewer than 5 of 125 records refer to fewer than 3 people (k = 3, 2.4 %)'
    >>> blurred_sentence("of 361 people 163 are found, more than 1 in 3", 5)
    'of 360 people 165 are found, more than 1 in 3'
    """

    def told(found: re.Match[str]) -> str:
        return in_words(rounded(int(found[1].replace(",", "")), base))

    return _COUNT.sub(told, sentence)


def blurred_verdict(verdict: Mapping[str, Any], base: int) -> dict[str, Any]:
    """Blur the counts of a verdict: rounded up, so that it is never told to be better than it is.

    >>> blurred_verdict({"holds": False, "witnesses": 3, "disclosures": 0, "checked": []}, 5)
    {'holds': False, 'witnesses': 5, 'disclosures': 0, 'checked': []}
    """
    told = dict(verdict)
    for name in ("witnesses", "disclosures"):
        if isinstance(count := told.get(name), int):
            told[name] = _upwards(count, base)
    if "findings" in told:
        told["findings"] = [blurred_sentence(sentence, base) for sentence in told["findings"]]
    told["checked"] = [
        # registers are nobody's secret; how many people the private file has tells who was left out
        {**item, "records": _upwards(item["records"], base)}
        if item.get("role") == "private" and isinstance(item.get("records"), int)
        else item
        for item in told["checked"]
    ]
    return told


def _upwards(count: int, base: int) -> int:
    up = raised_count(count, base)
    return up.below if isinstance(up, Few) else up


def uncounted_step(kind: str, sentence: str) -> str:
    """Leave out of a step's sentence how many cells or records it counts.

    >>> uncounted_step("suppress-records", "Leave out 3 records named by the holder.")
    'Leave out records named by the holder.'
    """
    if kind not in _COUNTED:
        return sentence
    counted, instead = _COUNTED[kind]
    told, found = re.subn(counted, instead, sentence, count=1)
    return told if found else ""


def uncounted_steps(kinds: Sequence[str], sentences: Sequence[str]) -> list[str]:
    """Return the sentences of steps for others; one that cannot be told is called by its kind."""
    return [
        uncounted_step(kind, sentence) or f"{kind.replace('-', ' ').capitalize()}."
        for kind, sentence in zip(kinds, sentences, strict=True)
    ]
