"""Substitution: another value of the same equivalence class (Sweeney 2001, sections 4.1 and 6.2).

Datafly replaces a Social Security number by a made-up one, always the same for the same number:
records of a person stay together, and the number leads nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, GuaranteeError, InputError
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import class_numbers, values_of, with_columns
from indistinct.protect.steps.forms import dealt, made_up_like, marked

__all__ = ["Form", "Substitute", "made_up_names"]


# Made-up names, put together from syllables: nobody's, or nobody's in the file.


_ONSETS = ("b", "br", "d", "dr", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ea")
_CODAS = ("", "l", "n", "nd", "r", "rt", "s", "th")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"

_WORD = re.compile(r"[^\W\d_]+")
_TURNS = 200


def made_up_names(
    names: Sequence[str],
    draws: Draws,
    *,
    stream: str,
    fresh: bool = True,
    taken: Sequence[str] = (),
) -> list[str]:
    """Return a made-up name for each of some distinct names, all different.

    Each gets the form of one of the names, drawn at random: words of two to four syllables (a
    single letter for a single letter) with its capitals, all else as it stands there. How many
    words a made-up name has tells nothing of the name whose place it takes. A name is made up as
    a whole: a shared surname does not stay shared.

    Parameters
    ----------
    fresh
        Whether no made-up name may be one of the names, in whatever capitals; else it may be that
        of another.
    taken
        Names that must not be made up.

    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> made_up_names(["Virginia Townsend", "DR J. LANG"], draws, stream="name")
    ['BRAIBRAITH C. HOTEA', 'Fumailais Gohan']
    """
    forbidden = {text.casefold() for text in (*taken, *(names if fresh else ()))}
    made: list[str] = [""] * len(names)
    drawn = np.argsort(draws.words(f"{stream}/forms", np.arange(len(names))), kind="stable")
    forms = [names[i] for i in drawn.tolist()]
    waiting = np.arange(len(names))
    for turn in range(_TURNS):
        if not len(waiting):
            return made
        most = max(len(_WORD.findall(forms[i])) for i in waiting.tolist())
        words = [draws.words(f"{stream}/{j}", waiting, turn=turn).tolist() for j in range(most)]
        left = []
        for place, i in enumerate(waiting.tolist()):
            text = _renamed(forms[i], [column[place] for column in words], turn)
            folded = text.casefold()
            if folded in forbidden or folded == names[i].casefold():
                left.append(i)
            else:
                forbidden.add(folded)
                made[i] = text
        waiting = np.array(left, dtype=np.int64)
    if len(waiting):
        raise GuaranteeError(
            f"{len(waiting):,} values of '{stream}' have too few letters for as many made-up "
            "names. Leave out the variable, or use another form."
        )
    return made


def _renamed(name: str, drawn: Sequence[int], turn: int) -> str:
    bits = iter(drawn)
    return _WORD.sub(lambda found: _like(found.group(), next(bits), turn), name)


def _like(word: str, bits: int, turn: int) -> str:
    """Return the word that random bits give, with the capitals of another; longer in late turns."""
    if len(word) == 1:
        text = _LETTERS[bits % len(_LETTERS)]
    else:
        text = ""
        bits, extra = divmod(bits, 2)
        for _ in range(2 + extra + min(1, turn // 4)):
            bits, onset = divmod(bits, len(_ONSETS))
            bits, vowel = divmod(bits, len(_VOWELS))
            text += _ONSETS[onset] + _VOWELS[vowel]
        text += _CODAS[bits % len(_CODAS)]
    if word.isupper():
        return text.upper()
    return text.capitalize() if word[0].isupper() else text


Form = Literal["same", "identity", "phone", "name"]


@dataclass(frozen=True)
class Substitute(Step, kind="substitute"):
    """Replace every value by a made-up one of a form that the variable has, one to one.

    The form that a value gets is another's as likely as its own: lengths, capitals and the number
    of words say nothing about the value. Equal values stay equal, different ones different, so a
    substituted variable is exempt from k: it must be no part of the quasi-identifier. With another
    seed every value gets another substitute; only the seed ties the two together. Missing values
    stay.

    Parameters
    ----------
    variable
        A column of text or of whole numbers.
    form
        ``same``: digits and letters are drawn, all else and the case are those of the form.
        ``identity``: the same, for numbers such as 012-34-5678; every value must have a digit.
        ``phone``: a form's leading zeros stay, the next digit is 2 to 9.
        ``name``: words of made-up syllables, in the form of some name of the variable.
    fresh
        No original value is used as a substitute, for anyone. False allows that of another.
    keep
        So many leading characters stay, such as an area code; they tell what they tell.
    """

    variable: str
    form: Form = "same"
    fresh: bool = True
    keep: int = 0

    draws_at_random = True
    exempt_from_k: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a form that is none, and a negative number of characters."""
        if self.form not in ("same", "identity", "phone", "name"):
            raise InputError(f"The form must be same, identity, phone or name. Got '{self.form}'.")
        if isinstance(self.keep, bool) or self.keep < 0 or (self.keep and self.form == "name"):
            raise InputError("keep must be a number of characters, and 0 for names.")

    def describe(self) -> str:
        """Say what is done."""
        what = {"name": "made-up names", "phone": "made-up phone numbers"}.get(
            self.form, "made-up values of the forms that occur"
        )
        kept = f", the first {self.keep} characters kept" if self.keep else ""
        return f"substitute {what} for those of {self.variable}, one to one{kept}"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Make up a value for each distinct one, and replace."""
        name = self.variable
        source.check_columns([name])
        kind = source.schema.field(name).type
        whole = pa.types.is_integer(kind)
        if not (whole or pa.types.is_string(kind)) or (whole and self.form == "name"):
            raise InputError(
                f"{source.origin}: substitution of form '{self.form}' is not for '{name}', which "
                f"holds {kind}. It is for text, and forms other than names for whole numbers."
            )
        tally = engine.count(source, [name])
        table = KeyTable.from_tally(tally)
        values = values_of(table.coding.variables[0], table.codes[:, 0], kind)
        real = _real(source, name, values)
        texts = values.filter(pa.array(real)).cast(pa.string())
        if whole and len(texts) and pc.min(values.filter(pa.array(real))).as_py() < 0:
            raise InputError(
                f"{source.origin}: '{name}' has numbers below 0. Numbers that name things have "
                "none: declare codes for missing values, or convert the column to text."
            )
        codes = [str(c) for c in values.filter(pa.array(~real)).drop_null().to_pylist()]
        made = self._made_up(source, texts, context.draws(), whole=whole, taken=codes)
        if len(pc.unique(made)) < len(made):
            raise GuaranteeError(f"{source.origin}: two values of '{name}' would become one.")
        if whole:
            made = _as_numbers(made, kind, source, name)
        places = np.full(len(values), -1, dtype=np.int64)
        places[real] = np.arange(len(texts))
        new = made.take(pa.array(places, mask=~real))
        new = pc.coalesce(new, values.cast(made.type))
        classes = class_numbers(tally)
        result = with_columns(engine, source, {name: new.take(pa.array(classes))})
        cells = int(real[classes].sum())
        return result, Receipt(
            self.kind,
            source.records,
            result.records,
            records_changed=cells,
            cells_changed={name: cells},
            notes=(f"{len(texts):,} different values of {name} have made-up ones in their place",),
        )

    def _made_up(
        self, source: Source, texts: pa.Array, draws: Draws, *, whole: bool, taken: list[str]
    ) -> pa.Array:
        name = self.variable
        needs = {"name": r"\p{L}", "identity": r"\p{Nd}", "phone": r"\p{Nd}"}.get(self.form)
        if needs is not None:
            without = len(texts) - (pc.sum(pc.match_substring_regex(texts, needs)).as_py() or 0)
            if without:
                what = "letter" if self.form == "name" else "digit"
                raise InputError(
                    f"{source.origin}: {without:,} different values of '{name}' have no {what}, so "
                    f"they have not the form '{self.form}'. Use the form 'same', or correct them."
                )
        if self.form == "name":
            names = made_up_names(
                texts.to_pylist(), draws, stream=name, fresh=self.fresh, taken=taken
            )
            return pa.array(names, pa.string())
        form = "number" if whole and self.form != "phone" else self.form
        templates = marked(texts, keep=self.keep, form=form)
        given = dealt(texts, templates, draws, stream=name, keep=self.keep)
        return made_up_like(
            texts, templates, draws, stream=name, given=given, fresh=self.fresh, taken=taken
        )


def _real(source: Source, name: str, values: pa.Array) -> Bools:
    """Say which values are values, and neither missing nor empty nor a code for missing."""
    variable = source.variables[name]
    if variable.user_missing:
        real = np.array([not variable.is_missing(v) for v in values.to_pylist()], dtype=bool)
    else:
        real = values.is_valid().to_numpy(zero_copy_only=False).copy()
    if pa.types.is_string(values.type):
        real &= pc.not_equal(values, "").fill_null(False).to_numpy(zero_copy_only=False)
    return np.asarray(real)


def _as_numbers(made: pa.Array, kind: pa.DataType, source: Source, name: str) -> pa.Array:
    try:
        wide = made.cast(pa.int64())
    except pa.ArrowInvalid:
        raise InputError(
            f"{source.origin}: '{name}' has numbers of so many digits that a made-up one may not "
            "fit in 64 bits. Convert the column to text."
        ) from None
    try:
        return wide.cast(kind)
    except pa.ArrowInvalid:
        return wide
