"""Weak encryption: a fixed replacement of characters is none (Sweeney 2001, Figure 16).

Scrambling the digits of a number by a fixed rule hides them from nobody: one known pair tells what
it holds of the rule, and without any pair the frequencies of the characters do. The functions here
find such a rule between two columns, and break it, to show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from indistinct.core import InputError
from indistinct.hierarchy import as_texts

__all__ = [
    "WeakEncryption",
    "break_by_frequency",
    "break_by_pairs",
    "find_weak_encryption",
    "undone",
    "weak_encryption_warning",
]

_NO_RULE = "The pairs do not come from one fixed replacement of characters."

_EVIDENCE = 10
"""Characters that must agree with the rule beyond those that taught it; by chance one in ten
digits would, so ten do once in ten thousand million times."""


@dataclass(frozen=True)
class WeakEncryption:
    """A fixed rule that leads from one column to another.

    Parameters
    ----------
    kind
        ``identical``; ``shift``, a fixed number is added; ``characters``, each character has one
        replacement wherever it stands; ``places``, one at each place; ``order``, the characters
        of a value change places, always the same.
    evidence
        How many characters (or numbers) agree with the rule beyond those that teach it.
    """

    kind: str
    evidence: int


def find_weak_encryption(
    original: Iterable[object], released: Iterable[object]
) -> WeakEncryption | None:
    """Look for a fixed rule between two columns, given record by record; None if there is none.

    >>> rotated = ["345", "901", "456", "012", "678", "567"]
    >>> find_weak_encryption(["012", "678", "123", "789", "345", "234"], rotated)
    WeakEncryption(kind='shift', evidence=...)
    """
    pairs = _pairs(original, released)
    if not pairs:
        return None
    if all(a == b for a, b in pairs):
        return WeakEncryption("identical", len(pairs))
    characters = [(a, b) for a, b in pairs if len(a) == len(b)]
    if len(characters) == len(pairs):
        rotation = _digit_rotation(pairs)
        if rotation is not None:
            return rotation
        everywhere = [(c, d) for a, b in pairs for c, d in zip(a, b, strict=True)]
        if _is_rule(everywhere):
            return WeakEncryption("characters", len(everywhere) - len(set(everywhere)))
        by_place = [(i, c, d) for a, b in pairs for i, (c, d) in enumerate(zip(a, b, strict=True))]
        if _is_rule([((i, c), (i, d)) for i, c, d in by_place]):
            return WeakEncryption("places", len(by_place) - len(set(by_place)))
        moved = _order(pairs)
        if moved is not None:
            return moved
    return _numeric_shift(pairs)


def weak_encryption_warning(original: Iterable[object], released: Iterable[object]) -> str | None:
    """Say why a released column is not encrypted, or None where no fixed rule is found.

    >>> codes = [f"{n:04}" for n in range(0, 9000, 371)]
    >>> scrambled = [code.translate(str.maketrans("0123456789", "7305918264")) for code in codes]
    >>> print(weak_encryption_warning(codes, scrambled))
    The released values are the original ones with every character replaced by a fixed other. ...
    """
    found = find_weak_encryption(original, released)
    if found is None:
        return None
    what = {
        "identical": "are the original ones",
        "shift": "are the original ones shifted by a fixed amount",
        "characters": "are the original ones with every character replaced by a fixed other",
        "places": "are the original ones with the character at every place replaced by a fixed "
        "other",
        "order": "are the original ones with their characters in another, fixed order",
    }[found.kind]
    return (
        f"The released values {what}. This is no encryption: a few known values or the "
        "frequencies of characters undo it. Use Encrypt, whose key stays with the holder, or "
        "Substitute."
    )


def break_by_pairs(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return, from known pairs (original, released), what each released character stands for.

    >>> rule = break_by_pairs([("02138", "94371")])
    >>> undone(["94377", "94365"], rule)
    ['02133', '021??']
    """
    stands_for: dict[str, str] = {}
    for original, released in pairs:
        if len(original) != len(released):
            raise InputError("The two values of a pair must have the same length.")
        for a, b in zip(original, released, strict=True):
            if stands_for.setdefault(b, a) != a:
                raise InputError(_NO_RULE)
    if len(set(stands_for.values())) < len(stands_for):
        raise InputError(_NO_RULE)
    return stands_for


def break_by_frequency(released: Sequence[str], alike: Sequence[str]) -> dict[str, str]:
    """Return the most likely replacement, from values of the same sort that are known.

    With n_ic the times that character c stands at place i of the released values, and p_ia the
    share of a at place i of those `alike`, the one-to-one rule is taken that has the largest
    likelihood Σ n_ic log p_i,rule(c): an assignment problem. No pair is needed.

    >>> alike = [f"{10 ** (3 + n / 5000):.0f}" for n in range(5000)]
    >>> secret = str.maketrans("0123456789", "7305918264")
    >>> released = [f"{10 ** (3 + n / 1777):.0f}".translate(secret) for n in range(1777)]
    >>> undone(released[1500:1502], break_by_frequency(released, alike))
    ['6984', '6993']
    """
    seen = sorted({c for text in released for c in text})
    known = sorted({c for text in alike for c in text} | set(seen))
    if not seen:
        raise InputError("There are no released values to break.")
    places = max(map(len, [*released, *alike]))
    found = _counts(released, seen, places)
    # half a character more at every place, so that what was never seen is only unlikely
    expected = _counts(alike, known, places) + 0.5
    shares = np.log(expected / expected.sum(axis=1, keepdims=True))
    rows, columns = linear_sum_assignment(-(found.T @ shares))
    return {seen[i]: known[j] for i, j in zip(rows, columns, strict=True)}


def undone(released: Iterable[str], rule: Mapping[str, str]) -> list[str]:
    """Return released values with every character as the rule says; unknown ones become ``?``.

    >>> undone(["2649"], {"2": "8", "6": "1", "4": "9"})
    ['819?']
    """
    return ["".join(rule.get(c, "?") for c in text) for text in released]


def _pairs(original: Iterable[object], released: Iterable[object]) -> list[tuple[str, str]]:
    first, second = as_texts(original), as_texts(released)
    if len(first) != len(second):
        raise InputError(
            f"The columns must have the same records. Got {len(first):,} and {len(second):,}."
        )
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    # a record that is there twice is no evidence
    return list(dict.fromkeys(both))


def _is_rule(steps: Sequence[tuple[object, object]]) -> bool:
    """Say whether steps are those of a one-to-one rule, beyond what chance would give."""
    rule = set(steps)
    one_to_one = len({a for a, _ in rule}) == len({b for _, b in rule}) == len(rule)
    return one_to_one and len(steps) - len(rule) >= _EVIDENCE


def _digit_rotation(pairs: Sequence[tuple[str, str]]) -> WeakEncryption | None:
    shifts = set()
    digits = 0
    for a, b in pairs:
        for c, d in zip(a, b, strict=True):
            if c.isdecimal() and d.isdecimal():
                shifts.add((int(d) - int(c)) % 10)
                digits += 1
            elif c != d:
                return None
    if len(shifts) == 1 and digits > _EVIDENCE:
        return WeakEncryption("shift", digits - 1)
    return None


def _numeric_shift(pairs: Sequence[tuple[str, str]]) -> WeakEncryption | None:
    try:
        shifts = {int(b) - int(a) for a, b in pairs}
    except ValueError:
        return None
    if len(shifts) == 1 and len(pairs) > 2:
        return WeakEncryption("shift", len(pairs) - 1)
    return None


def _order(pairs: Sequence[tuple[str, str]]) -> WeakEncryption | None:
    """Look for a rule by which characters change places, in values of one length."""
    length = len(pairs[0][0])
    if any(len(a) != length for a, _ in pairs) or length < 2:
        return None
    before = np.array([list(a) for a, _ in pairs])
    after = np.array([list(b) for _, b in pairs])
    fits = (after[:, :, None] == before[:, None, :]).all(axis=0)
    to, origin = linear_sum_assignment(~fits)
    evidence = (len(pairs) - 1) * length
    if fits[to, origin].all() and evidence >= _EVIDENCE:
        return WeakEncryption("order", evidence)
    return None


def _counts(texts: Sequence[str], letters: Sequence[str], places: int) -> np.ndarray:
    number = {c: j for j, c in enumerate(letters)}
    counts = np.zeros((places, len(letters)))
    for text in texts:
        for i, c in enumerate(text):
            counts[i, number[c]] += 1
    return counts
