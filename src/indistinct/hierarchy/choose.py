"""A hierarchy for a variable that nobody gave one for, chosen from what its values look like."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from indistinct.core import Level, check_whole
from indistinct.hierarchy.codes import code_hierarchy
from indistinct.hierarchy.dates import date_hierarchy, is_date
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.intervals import as_number, interval_hierarchy
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy
from indistinct.hierarchy.standards import STANDARDS, recognised, standard_hierarchy

__all__ = ["Choice", "choose_hierarchy", "ordered_hierarchy", "suppression_only"]


# The two plainest hierarchies: all or nothing, and neighbours in an order.


def suppression_only(
    values: Iterable[object], *, name: str = "", ordered: bool = False, root: str = SUPPRESSED
) -> Hierarchy:
    """Return the hierarchy of height 1: a value is told, or it is not.

    >>> suppression_only(["male", "female"], name="sex").ancestors("male")
    ('male', '*')
    """
    ordinary, apart = distinct_texts(values, root=root)
    return rule_hierarchy(
        ordinary, apart, lambda _: (), steps=0, root=root, name=name, ordered=ordered
    )


def ordered_hierarchy(
    values: Iterable[object],
    *,
    name: str = "",
    group: int = 2,
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy that joins neighbours: `group` of them, then `group`², and so on.

    Parameters
    ----------
    values
        The values in their order, each once or more; the first appearance counts.
    group
        How many neighbours are joined at each level.
    special
        Values outside the order (``"unknown"``): they stay as they are.
    root
        The label of the root.

    >>> ordered_hierarchy(["none", "primary", "secondary", "tertiary"]).ancestors("primary")
    ('primary', 'none – primary', '*')
    """
    check_whole(f"group of '{name}'" if name else "group", group, 2)
    ordinary, apart = distinct_texts(values, special=special, root=root)
    place = {value: i for i, value in enumerate(ordinary)}
    spans = []
    span = group
    while span < len(ordinary):
        spans.append(span)
        span *= group

    def label(value: str, span: int) -> str:
        first = place[value] - place[value] % span
        last = min(first + span, len(ordinary)) - 1
        return value if first == last else f"{ordinary[first]} – {ordinary[last]}"

    return rule_hierarchy(
        ordinary,
        apart,
        lambda value: [label(value, span) for span in spans],
        steps=len(spans),
        root=root,
        name=name,
        ordered=not apart,
    )


_CODE_NAME = re.compile(r"zip|post|plz|icd|isco|isic|nace|nuts|code|tract|fips", re.IGNORECASE)
_LETTER_CODE = re.compile(r"[A-Z]\d\d(\.?[0-9A-Z]{1,4})?")
_FEW = 8
"""Whole numbers with fewer different values than this are more often categories than amounts."""
_INTERVALS = 20
"""At most about so many intervals at the lowest level: ages fall into fives, as is usual."""


class Choice(NamedTuple):
    """A hierarchy, and a sentence for people that says why it is this one."""

    hierarchy: Hierarchy
    reason: str


def choose_hierarchy(
    name: str,
    values: Iterable[object],
    level: Level | None = None,
    *,
    special: Iterable[object] = (),
    labelled: bool = False,
) -> Choice:
    """Return a hierarchy that fits the values of a variable, and the reason for it.

    ISO dates get windows of time; codes of digits of one length, and codes like those of ICD,
    are masked from the end; numbers get nested intervals that fit their range; everything else
    can be suppressed only. `level` settles what content leaves open: whole numbers of a
    *numeric* or *ordinal* variable are amounts even if few, those of a *taxonomy* are codes.
    `special` values (a code 999 for *unknown*) are not looked at and stay as they are. Codes that
    are `labelled` are categories and no numbers: neighbours are joined if the variable is ordinal.
    The sentence tells no value.

    >>> choose_hierarchy("age", range(100)).reason
    "'age' has no hierarchy file and holds numbers: intervals of 5, 10, 20, 40 were chosen."
    """
    values, special = list(values), list(special)
    texts, _ = distinct_texts(values, special=special, root=SUPPRESSED)
    hierarchy, reason = _chosen(name, values, texts, level, special, labelled)
    return Choice(hierarchy, f"'{name}' has no hierarchy file and {reason}.")


def _chosen(
    name: str,
    values: list[object],
    texts: list[str],
    level: Level | None,
    special: list[object],
    labelled: bool,
) -> tuple[Hierarchy, str]:
    if not texts:
        # nothing but missing, suppressed or special cells
        nothing = suppression_only([SUPPRESSED, *special], name=name)
        return nothing, "holds no values: nothing is generalised"
    if level in (None, "nominal", "date", "ordinal") and all(map(is_date, texts)):
        dates = date_hierarchy(values, name=name, special=special)
        return dates, "holds dates: months, half-years, years, 5 and 10 years were chosen"
    found = None if level in ("numeric", "ordinal", "date") else recognised(name, texts)
    # ZIP codes keep losing one digit at a time, as in Sweeney's figures, unless a project says more
    if found is not None and found[0] != "us-zip":
        word, share = found
        tree = standard_hierarchy(values, standard=word, name=name, special=special)
        rule = STANDARDS[word]
        return tree, (
            f"holds {rule.title} ({share:.0%} of its values): {', '.join(rule.levels)} were chosen"
        )
    typed_numbers = not any(isinstance(value, str) for value in values)
    if _are_codes(name, texts, level, typed_numbers):
        codes = code_hierarchy(values, name=name, special=special)
        return codes, "holds codes: they are masked from the end, one character at a time"
    numbers = [n for text in texts if (n := as_number(text)) is not None]
    if labelled and level != "numeric":
        if level == "ordinal" and len(numbers) == len(texts) > 2:
            ranks = [text for _, text in sorted(zip(numbers, texts, strict=True))]
            ordered = ordered_hierarchy(ranks, name=name, special=special)
            return ordered, "holds ordered codes with labels: neighbours are joined"
        return suppression_only(values, name=name), (
            "holds codes with labels, which are categories: values can be suppressed only"
        )
    if len(numbers) == len(texts) and level != "taxonomy":
        few = len(numbers) < _FEW and level not in ("numeric", "ordinal")
        if not (few and _whole(numbers)):
            widths = _widths(numbers)
            if widths:
                told = ", ".join(format(w, "f") for w in widths)
                intervals = interval_hierarchy(values, name=name, widths=widths, special=special)
                return intervals, f"holds numbers: intervals of {told} were chosen"
    hierarchy = suppression_only(values, name=name)
    return hierarchy, "holds neither dates, codes nor enough numbers: values can be suppressed only"


def _are_codes(name: str, texts: list[str], level: Level | None, typed_numbers: bool) -> bool:
    if level in ("numeric", "ordinal", "date"):
        return False
    if all(_LETTER_CODE.fullmatch(text) for text in texts):
        return True
    if not all(text.isascii() and text.isdecimal() for text in texts):
        return False
    width = len(texts[0])
    one_length = all(len(text) == width for text in texts)
    if level == "taxonomy":
        return True
    if _CODE_NAME.search(name):
        return one_length and width >= 2
    # a leading zero means nothing in an amount, so it marks a code
    zeros = any(text[0] == "0" for text in texts)
    return one_length and width >= 2 and zeros and not typed_numbers


def _whole(numbers: list[Decimal]) -> bool:
    return all(number == number.to_integral_value() for number in numbers)


def _widths(numbers: list[Decimal]) -> list[Decimal]:
    """Return 1, 2 or 5 times a power of ten, doubled up to half the range."""
    extent = max(numbers) - min(numbers)
    if not extent:
        return []
    least = extent / _INTERVALS
    power = Decimal(1).scaleb(least.adjusted())
    width = next(power * step for step in (1, 2, 5, 10) if power * step >= least)
    if _whole(numbers):
        width = max(width, Decimal(2))
    widths = [width]
    while widths[-1] * 4 <= extent:
        widths.append(widths[-1] * 2)
    return [Decimal(format(w, "f")) for w in widths]
