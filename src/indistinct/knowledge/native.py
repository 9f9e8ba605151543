"""Names of people as they are written in scripts that are not Latin.

`data/native.txt`, written for this package, holds how names are formed in every script: endings of
surnames and patronymics, the signs that Chinese, Japanese and Korean names begin with, titles.
`data/native_names.txt`, made by `tools/native_names.py`, holds names. Not every name is there: it
is enough that most of a column's are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

_MOST_WORDS = 5
_LEAST_BEFORE = 2
"""Letters before the ending of a surname."""

_SCRIPTS = {
    "CYRILLIC": "cyrillic",
    "GREEK": "greek",
    "CJK": "han",
    "HIRAGANA": "han",
    "KATAKANA": "han",
    "HANGUL": "hangul",
    "ARABIC": "arabic",
    "HEBREW": "hebrew",
    "DEVANAGARI": "devanagari",
    "BENGALI": "bengali",
    "TAMIL": "tamil",
    "GEORGIAN": "georgian",
    "ARMENIAN": "armenian",
    "THAI": "thai",
}
_BETWEEN = re.compile(r"[\s,.\-·・’ʼ'\u200c]+")
_ALIKE = str.maketrans("أإآىةیيک", "ااايهييك")
"""Letters of Arabic that are written one for the other, as one; nothing is ever shown so."""


def is_native_name(text: str) -> bool:
    """Say whether a text is formed like the name of a person in its own script.

    >>> [is_native_name(t) for t in ("Иванова Мария Петровна", "김민준", "Παπαδόπουλος", "王伟")]
    [True, True, True, True]
    >>> [is_native_name(t) for t in ("Нижний Новгород", "서울시", "北京市", "Smith", "да")]
    [False, False, False, False, False]
    """
    script = _script(text)
    words = [_plain(word) for word in _BETWEEN.split(text) if word]
    if script is None or not 1 <= len(words) <= _MOST_WORDS:
        return False
    if script in _EITHER_ORDER:
        formed = _EITHER_ORDER[script]
        return formed("".join(words)) or (len(words) == 2 and formed(words[1] + words[0]))
    return _is_spelt(words, script, text)


def _script(text: str) -> str | None:
    """Return the script of a text's letters; None for Latin, and where it has several or none."""
    found = {
        _SCRIPTS.get(re.split(r"[ \-]", unicodedata.name(sign, ""))[0])
        for sign in text
        if unicodedata.category(sign) in ("Lu", "Ll", "Lo")
    }
    return found.pop() if len(found) == 1 else None


def _plain(word: str) -> str:
    """Return a word in small letters, without accents and with letters that look alike as one."""
    parts = unicodedata.normalize("NFD", word.lower())
    bare = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return bare.translate(_ALIKE).removeprefix("ال")


def _is_spelt(words: Sequence[str], script: str, text: str) -> bool:
    """Say so of scripts with letters: half of the words are names, or one ends as names do."""
    small = sum(word[0].islower() for word in _BETWEEN.split(text) if word)
    if 2 * small >= len(words) and text != text.lower():
        return False
    if text.strip().startswith(tuple(_listed(f"{script} title"))):
        return True
    known = sum(word in _names() for word in words)
    ends = tuple(_listed(f"{script} ends"))
    formed = any(word.endswith(ends) and len(word) > 2 + _LEAST_BEFORE for word in words)
    return formed or 2 * known >= len(words)


def _is_han(name: str) -> bool:
    if name.endswith(tuple(_listed("han not"))) or not 2 <= len(name) <= 6:
        return False
    japanese = name.startswith(tuple(n for n in _listed("japanese surname") if len(n) > 1))
    return japanese or (len(name) <= 4 and name.startswith(tuple(_listed("han surname"))))


def _is_hangul(name: str) -> bool:
    whole = unicodedata.normalize("NFC", name)
    if not 3 <= len(whole) <= 4 or whole.endswith(tuple(_listed("hangul not"))):
        return False
    return whole.startswith(tuple(_listed("hangul surname")))


_EITHER_ORDER = {"han": _is_han, "hangul": _is_hangul}


@lru_cache(maxsize=64)
def _listed(title: str) -> frozenset[str]:
    lines = _read("native").splitlines()
    lists = {
        title.removeprefix("# "): line for title, line in zip(lines[::2], lines[1::2], strict=True)
    }
    return frozenset(unicodedata.normalize("NFC", word) for word in lists.get(title, "").split())


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(map(_plain, [*_read("native_names").split(), *_listed("given")]))


def _read(name: str) -> str:
    file = resources.files(__package__) / "data" / f"{name}.txt"
    return file.read_text(encoding="utf-8")
