"""Stata's and SAS's lettered missing values (``.a`` to ``.z``) as numbers, and back.

Arrow has no letters among its numbers, so these stand in a column as the codes by which Stata
itself stores them, beyond the largest value each type can hold: 2147483621 and 26 more in
integers, 2^1023 (1 + i/4096) in floats (Stata manual, *File formats .dta*, 5.2.1 "Missing
values"). They are declared in `Variable.user_missing`, with their value labels if they have
any. SAS's ``._`` takes the code of Stata's plain ``.``.
"""

from __future__ import annotations

from indistinct.core import Variable

__all__ = ["float_code", "integer_code", "tag_letters"]

_INTEGER_BASE = 2_147_483_621
_FLOAT_BASE = 2.0**1023


def _place(letter: str) -> int:
    return 0 if letter == "_" else ord(letter.lower()) - ord("a") + 1


def integer_code(letter: str) -> int:
    """Return the code of a letter in a column of integers.

    >>> integer_code("a"), integer_code("z")
    (2147483622, 2147483647)
    """
    return _INTEGER_BASE + _place(letter)


def float_code(letter: str) -> float:
    """Return the code of a letter in a column of floats.

    >>> float_code("a").hex()
    '0x1.0010000000000p+1023'
    """
    return _FLOAT_BASE * (1 + _place(letter) / 4096)


_LETTERS: dict[int | float, str] = {
    code(letter): letter
    for letter in "abcdefghijklmnopqrstuvwxyz"
    for code in (integer_code, float_code)
}


def tag_letters(variable: Variable) -> dict[int | float, str]:
    """Return the lettered missing values that are declared of a variable, by code.

    >>> tag_letters(Variable("age", user_missing=(2147483622, 999)))
    {2147483622: 'a'}
    """
    return {
        code: _LETTERS[code]
        for code in variable.user_missing
        if not isinstance(code, (tuple, str)) and code in _LETTERS
    }
