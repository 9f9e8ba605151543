"""Words that files use for one thing: sexes, yes and no, marital states, in six languages.

Such a word is public: it may be shown, whoever has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["NOTHING", "NOTHING_AMONG_NUMBERS", "NUMBERS_FOR_NOTHING", "other_words"]

NOTHING = frozenset(
    "na n/a n.a. nan null #n/a #na . .. - -- --- ? ?? nd n.d. s/d k.a. <na> missing unknown"
    " inconnu unbekannt desconocido sconosciuto onbekend".split()
) | {"", "keine angabe", "not known", "no answer", "sans réponse", "sin dato", "sin respuesta"}
"""Texts in small letters that stand for no answer."""

NOTHING_AMONG_NUMBERS = NOTHING | {"n", "x", "none"}
"""The same where all else is numbers."""

NUMBERS_FOR_NOTHING = frozenset(
    [
        *(*range(-9, 0), *range(-99, -94), *range(-999, -994), *range(-9999, -9994)),
        *(-66, -77, -88, -777, -888, 77, 88, 97, 98, 99, 777, 888, 997, 998, 999),
        *(9997, 9998, 9999, 99999, 999999, 9999999, 99999999, 999999999),
    ]
)
"""Whole numbers that stand for no answer in many a survey."""

_SAME: tuple[tuple[str, ...], ...] = (
    (
        "m male man men männlich maennlich mann homme masculin masculino hombre varon varón uomo"
        " maschio mannelijk",
        "f w female woman women weiblich frau femme féminin feminin femenino mujer donna femmina"
        " vrouwelijk vrouw",
        "d x divers diverse nonbinary non-binary",
    ),
    ("y yes ja oui si sí true j", "n no nein non nee false"),
    (
        "married verheiratet marié mariée casado casada sposato gehuwd",
        "single ledig unmarried célibataire soltero soltera ongehuwd",
        "divorced geschieden divorcé divorcée divorciado divorciada gescheiden",
        "widowed verwitwet veuf veuve viudo viuda vedovo weduwe",
    ),
)
"""By what they speak of: the words of each thing."""

_LEAST = 0.9
"""The share of the records that must speak of one of these, so that a letter is a word of it."""


def other_words(counted: Mapping[str, int], *, known: Sequence[str] = ()) -> dict[str, str]:
    """Return, for values that say in another word what more records say, that word.

    One of `known` goes before. Where hombre and mujer are *h* and *m*, nothing is said of *m*.

    >>> other_words({"m": 40, "w": 38, "weiblich": 2, "f": 1})
    {'weiblich': 'w', 'f': 'w'}
    >>> other_words({"h": 20, "m": 20, "male": 1}), other_words({"m": 4, "km": 5, "male": 1})
    ({}, {})
    """
    plain = {value: value.casefold() for value in counted}
    if {"h", "m"} <= set(plain.values()):
        return {}
    everywhere = sum(counted.values())
    for things in _SAME:
        thing_of = {word: thing for thing in things for word in thing.split()}
        told = [value for value in counted if plain[value] in thing_of]
        if sum(counted[value] for value in told) < _LEAST * everywhere:
            continue
        found: dict[str, str] = {}
        for thing in things:
            same = [value for value in told if thing_of[plain[value]] == thing]
            if len(same) > 1:
                kept = min(same, key=lambda value: (value not in known, -counted[value], value))
                found |= {value: kept for value in same if value != kept}
        return dict(sorted(found.items(), key=lambda pair: (-counted[pair[0]], pair[0])))
    return {}
