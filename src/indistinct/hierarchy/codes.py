"""Codes whose beginning says more than their end: ZIP, ICD, ISCO, NACE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from indistinct.core import InputError
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.special import Ladder, distinct_texts, rule_hierarchy

__all__ = ["code_hierarchy"]

_MASK = "*"


def code_hierarchy(
    values: Iterable[object],
    *,
    name: str = "",
    digits: Sequence[int] | None = None,
    minimum: int | None = None,
    separators: str = ".-/ ",
    at_separators: bool = False,
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy that masks a code from its end.

    Codes of one shape keep it: 02138, 0213*, 021**. Codes of different lengths end in one mask
    that stands for whatever follows: E11.91, E11.9*, E11*, E1*; there a code that is the
    beginning of others, such as E11, belongs to their node E11*.

    Parameters
    ----------
    values
        The codes, as data hold them.
    digits
        How many digits (or letters) are left at levels 1, 2, …, falling: ``(3, 2)`` makes
        5 → 3 → 2 → none of a ZIP code. Without it one goes at a time.
    minimum
        The fewest digits that are left when they go one at a time. If that leaves one label
        only, that label is the root (Sweeney's Figure 18); else `root` stands above.
    separators
        Characters that do not count as digits.
    at_separators
        Cut at the separators instead of at digits: E11.9, E11*.
    special
        Values that are no codes (``"unknown"``): they stay as they are up to the root.
    root
        The label of the root.

    >>> code_hierarchy(["02138", "02142"], digits=(4, 3), root="*****").ancestors("02138")
    ('02138', '0213*', '021**', '*****')
    >>> code_hierarchy(["E11.91", "E11.9", "E11"], digits=(4, 3)).ancestors("E11.9")
    ('E11.9', 'E11.9*', 'E11*', '*')
    >>> code_hierarchy(["01.11", "01.2", "10"], at_separators=True).ancestors("01.11")
    ('01.11', '01*', '*')
    """
    ordinary, apart = distinct_texts(values, special=special, root=root)
    ordinary.sort()
    positions = {code: _ends(code, separators, at_separators) for code in ordinary}
    longest = max((len(ends) for ends in positions.values()), default=0)
    counts = _counts(digits, minimum, longest, name)
    shape = _shape(ordinary, separators)
    fixed = shape is not None and not at_separators

    def label(code: str, count: int) -> str:
        ends = positions[code]
        if len(ends) < count:
            return code
        start = ends[count - 1] if count else 0
        rest = code[start:]
        if not fixed:
            return code[:start] + _MASK
        return code[:start] + "".join(c if c in separators else _MASK for c in rest)

    top: str | None = root
    if (
        minimum
        and counts
        and len({label(code, counts[-1]) for code in ordinary}) == 1
        and not apart
    ):
        top = None
    ladder: Ladder = lambda code: [label(code, count) for count in counts]  # noqa: E731
    return rule_hierarchy(
        ordinary, apart, ladder, steps=len(counts), root=top, name=name, ordered=False
    )


def _ends(code: str, separators: str, at_separators: bool) -> list[int]:
    """Return where a code can be cut: after each digit, or after each part."""
    if not at_separators:
        # a digit that was masked before is no digit
        return [i + 1 for i, c in enumerate(code) if c not in separators and c != _MASK]
    inner = [i for i, c in enumerate(code) if c in separators and i > 0]
    return [*inner, len(code)]


def _shape(codes: Sequence[str], separators: str) -> str | None:
    shapes = {"".join(c if c in separators else "9" for c in code) for code in codes}
    return shapes.pop() if len(shapes) == 1 else None


def _counts(
    digits: Sequence[int] | None, minimum: int | None, longest: int, name: str
) -> list[int]:
    of = f" of '{name}'" if name else ""
    if minimum is not None and (digits is not None or minimum < 0):
        raise InputError(
            f"minimum{of} must be 0 or more, and digits not given too. Got minimum={minimum}, "
            f"digits={digits}."
        )
    if digits is None:
        return list(range(longest - 1, max(minimum or 0, 1) - 1, -1))
    counts = list(digits)
    falling = all(a > b for a, b in pairwise(counts))
    if not falling or any(count < 0 for count in counts):
        raise InputError(
            f"digits{of} must fall from level to level and not below 0, as (4, 3, 2). "
            f"Got {tuple(counts)}."
        )
    # no digit left is the root itself, which stands above all levels anyway
    return counts[:-1] if counts and counts[-1] == 0 else counts
