"""Substitution: another value of the same equivalence class (Sweeney 2001, sections 4.1 and 6.2).

Datafly replaces a Social Security number by a made-up one, always the same for the same number:
records of a person stay together, and the number leads nowhere.

Made-up values of the forms that a variable has: punctuation, digits and letters in their places.

The *form* of a value tells whose it is where forms differ: few people have a name of four and of
fourteen letters. So forms are dealt out anew, at random, among the values of a variable: each
form stays as frequent as it was, and which one a value gets says nothing about the value.

A form has Π r_p possible values, r_p = 10 or 26 by place; one is drawn for every value that gets
the form, without replacement. What is drawn depends on the seed and on the value's place in the
sorted list of distinct values, not on the value itself, so nothing can be computed back from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Array, Bools, GuaranteeError, InputError, Ints
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.keys import KeyTable
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import class_numbers, values_of, with_columns

__all__ = ["Form", "Substitute", "dealt", "made_up_names", "marked"]

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
        return self.with_receipt(
            source,
            result,
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


# Made-up values of the forms that a variable has -------------------------------------------------


# characters of Unicode's private use area stand for a place that is drawn
DIGIT, UPPER, LOWER, FIRST_OF_PHONE, FIRST_OF_NUMBER = "\ue000\ue001\ue002\ue003\ue004"

_ALPHABETS = {
    DIGIT: "0123456789",
    UPPER: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    LOWER: "abcdefghijklmnopqrstuvwxyz",
    FIRST_OF_PHONE: "23456789",
    FIRST_OF_NUMBER: "123456789",
}

_LISTED = 1 << 16
"""Classes with no more possible values are listed; in larger ones values are drawn and tried."""

_ROUNDS = 500


def made_up_like(
    texts: pa.Array,
    templates: pa.Array,
    draws: Draws,
    *,
    stream: str,
    given: pa.Array | None = None,
    fresh: bool = True,
    taken: Sequence[str] = (),
) -> pa.Array:
    """Return a made-up text for each of some distinct texts, all different.

    Parameters
    ----------
    texts, templates
        Distinct texts in sorted order, and what `marked` says of them.
    given
        The form that each is to get, `dealt` out anew; by default its own.
    stream
        The name of the random numbers, the variable's.
    fresh
        Whether no made-up text may be one of the texts; else it may be that of another.
    taken
        Texts that must not be made up, such as codes for missing values.

    >>> texts = pa.array(["12-A", "57-B"])
    >>> draws = Draws.from_generator(np.random.default_rng(1))
    >>> new = made_up_like(texts, marked(texts), draws, stream="code").to_pylist()
    >>> len({*new, "12-A", "57-B"}), all(re.fullmatch(r"[0-9]{2}-[A-Z]", text) for text in new)
    (4, True)
    """
    if not len(texts):
        return texts
    coded = (templates if given is None else given).dictionary_encode()
    members = coded.indices.to_numpy()
    order = np.argsort(members, kind="stable")
    ends = np.cumsum(np.bincount(members, minlength=len(coded.dictionary)))
    held = pc.index_in(templates, value_set=coded.dictionary).to_numpy()
    by_form = np.split(np.argsort(held, kind="stable"), np.cumsum(np.bincount(held))[:-1])
    parts = []
    for template, first, last, same in zip(
        coded.dictionary.to_pylist(), [0, *ends[:-1]], ends, by_form, strict=True
    ):
        ids = order[first:last]
        form = _Form.of(template)
        own = form.idents_of(texts.take(pa.array(ids)).to_pylist())
        # whatever a form can write is marked as that form
        known = texts.take(pa.array(same)).to_pylist() if fresh else []
        reserved, fits = form.idents_of([*taken, *known])
        rows = form.drawn(ids, own, reserved[fits], draws, stream=stream, fresh=fresh)
        parts.append(form.written(rows))
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return pa.concat_arrays(parts).take(pa.array(back))


def marked(texts: pa.Array, *, keep: int = 0, form: str = "same") -> pa.Array:
    """Return texts with the places marked that are to be drawn.

    Letters of other alphabets count as letters, those without case as small ones. The first
    `keep` characters stay. Of a ``phone`` leading zeros stay, and the next digit is 2 to 9; the
    first digit of a ``number`` with several is 1 to 9. A text that is drawn is marked as before,
    so texts with different marks never become equal.
    """
    if form == "phone":
        return pa.array([_marked_phone(text, keep) for text in texts.to_pylist()], pa.string())
    head, tail = pc.utf8_slice_codeunits(texts, 0, keep), pc.utf8_slice_codeunits(texts, keep)
    if form == "number" and not keep:
        tail = pc.replace_substring_regex(tail, r"^[1-9]([0-9])", rf"{FIRST_OF_NUMBER}\1")
    for pattern, mark in ((r"\p{Nd}", DIGIT), (r"\p{Lu}", UPPER), (r"\p{L}", LOWER)):
        tail = pc.replace_substring_regex(tail, pattern, mark)
    return pc.binary_join_element_wise(head, tail, "")


def dealt(
    texts: pa.Array, templates: pa.Array, draws: Draws, *, stream: str, keep: int
) -> pa.Array:
    """Deal the forms out anew among the texts; among those with the same kept beginning."""
    drawn = np.argsort(draws.words(f"{stream}/forms", np.arange(len(texts))), kind="stable")
    if not keep:
        return templates.take(pa.array(drawn))
    heads = pc.utf8_slice_codeunits(texts, 0, keep).dictionary_encode().indices.to_numpy()
    give = drawn[np.argsort(heads[drawn], kind="stable")]
    get = np.argsort(heads, kind="stable")
    place = np.empty(len(texts), dtype=np.int64)
    place[get] = give
    return templates.take(pa.array(place))


def _marked_phone(text: str, keep: int) -> str:
    head = re.match(r"\W*0*", text[keep:])
    kept = keep + (head.end() if head else 0)
    rest = "".join(_mark(letter) for letter in text[kept:])
    if rest.startswith(DIGIT):
        rest = FIRST_OF_PHONE + rest[1:]
    return text[:kept] + rest


def _mark(letter: str) -> str:
    if letter.isdecimal():
        return DIGIT
    if letter.isalpha():
        return UPPER if letter.isupper() else LOWER
    return letter


@dataclass(frozen=True, eq=False)
class _Form:
    """One form: its template, the places that are drawn, and the alphabet of each."""

    template: str
    places: tuple[int, ...] = field(repr=False)
    radices: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, template: str) -> _Form:
        places = tuple(i for i, mark in enumerate(template) if mark in _ALPHABETS)
        return cls(template, places, tuple(len(_ALPHABETS[template[i]]) for i in places))

    @property
    def capacity(self) -> int:
        return math.prod(self.radices)

    def idents(self, rows: Ints) -> Array:
        """Return one sortable thing for each row: a number, or where there are too many, bytes."""
        if self.capacity < 1 << 62:
            number = np.zeros(len(rows), dtype=np.int64)
            for j, radix in enumerate(self.radices):
                number = number * radix + rows[:, j]
            return number
        # from 1, because bytes lose zeros at their end
        octets = np.ascontiguousarray(rows + 1, dtype=np.uint8)
        return octets.view(f"S{octets.shape[1]}").reshape(-1)

    def rows(self, numbers: Ints) -> Ints:
        rows = np.empty((len(numbers), len(self.radices)), dtype=np.int64)
        for j in range(len(self.radices) - 1, -1, -1):
            rows[:, j] = numbers % self.radices[j]
            numbers = numbers // self.radices[j]
        return rows

    def idents_of(self, texts: list[str]) -> tuple[Array, Bools]:
        """Return the idents of texts, and which could be drawn: the others' mean nothing."""
        length = len(self.template)
        if not texts:
            return self.idents(np.zeros((0, len(self.places)), dtype=np.int64)), np.zeros(0, bool)
        points = np.array(texts, dtype=f"U{length}").view(np.uint32).reshape(len(texts), length)
        rows = np.zeros((len(texts), len(self.places)), dtype=np.int64)
        fits = np.array([len(text) == length for text in texts], dtype=bool)
        drawn = dict(zip(self.places, range(len(self.places)), strict=True))
        for i, mark in enumerate(self.template):
            if i not in drawn:
                fits &= points[:, i] == ord(mark)
                continue
            alphabet = np.array([ord(c) for c in _ALPHABETS[mark]], dtype=np.uint32)
            at = np.minimum(np.searchsorted(alphabet, points[:, i]), len(alphabet) - 1)
            fits &= alphabet[at] == points[:, i]
            rows[:, drawn[i]] = at
        return self.idents(rows), fits

    def drawn(
        self,
        ids: Ints,
        own: tuple[Array, Bools],
        reserved: Array,
        draws: Draws,
        *,
        stream: str,
        fresh: bool,
    ) -> Ints:
        """Return rows for values: all different, none reserved, none the value's own."""
        number = len(ids)
        forbidden = _sorted(reserved)
        room = self.capacity - len(forbidden)
        if room < max(number, 1 if fresh else 2):
            raise GuaranteeError(
                f"{number:,} different values of '{stream}' share a form with only "
                f"{self.capacity:,} possible values, {room:,} of them free: too few for made-up "
                "ones. Generalise or leave out the variable"
                + (", or let values be reused with fresh=False." if fresh else ".")
            )
        if self.capacity <= max(_LISTED, 4 * number):
            return self.rows(self._listed(own, forbidden, draws, stream))
        return self._tried(ids, own, forbidden, draws, stream)

    def _listed(
        self,
        own: tuple[Array, Bools],
        forbidden: Array,
        draws: Draws,
        stream: str,
    ) -> Ints:
        idents, fits = own
        free = np.setdiff1d(np.arange(self.capacity), forbidden)
        free = free[np.argsort(draws.words(f"{stream}/{self.template}", free), kind="stable")]
        chosen, spare = free[: len(idents)].copy(), free[len(idents) :]
        same = np.flatnonzero(fits & (chosen == idents))
        if len(same) > 1:
            chosen[same] = np.roll(chosen[same], 1)
        elif len(same) and len(spare):
            chosen[same] = spare[0]
        elif len(same):
            other = 1 if same[0] == 0 else 0
            chosen[[same[0], other]] = chosen[[other, same[0]]]
        return chosen

    def _tried(
        self,
        ids: Ints,
        own: tuple[Array, Bools],
        forbidden: Array,
        draws: Draws,
        stream: str,
    ) -> Ints:
        idents, fits = own
        rows = np.zeros((len(ids), len(self.radices)), dtype=np.int64)
        used, waiting = forbidden, np.arange(len(ids))
        for turn in range(_ROUNDS):
            for j, radix in enumerate(self.radices):
                limits = np.full(len(waiting), radix, dtype=np.int64)
                rows[waiting, j] = draws.below(limits, f"{stream}/{j}", ids[waiting], turn=turn)
            found = self.idents(rows[waiting])
            good = np.zeros(len(waiting), dtype=bool)
            good[np.unique(found, return_index=True)[1]] = True
            good &= ~_within(found, used) & ~(fits[waiting] & (found == idents[waiting]))
            used = _sorted(np.concatenate([used, found[good]]))
            waiting = waiting[~good]
            if not len(waiting):
                return rows
        raise GuaranteeError(f"No made-up values of '{stream}' were found in {_ROUNDS} rounds.")

    def written(self, rows: Ints) -> pa.Array:
        """Return the texts of rows."""
        length = len(self.template)
        if not length:
            return pa.array([""] * len(rows), pa.string())
        points = np.tile(np.array([ord(c) for c in self.template], dtype=np.uint32), (len(rows), 1))
        for j, i in enumerate(self.places):
            alphabet = _ALPHABETS[self.template[i]]
            points[:, i] = np.array([ord(c) for c in alphabet], dtype=np.uint32)[rows[:, j]]
        return pa.array(points.view(f"U{length}").reshape(-1).tolist(), pa.string())


def _sorted(idents: Array) -> Array:
    """Sort, and leave out repetitions; faster here than NumPy's `unique`, which hashes."""
    ordered = np.sort(idents)
    return ordered[np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))[: len(ordered)]]


def _within(idents: Array, ordered: Array) -> Bools:
    if not len(ordered):
        return np.zeros(len(idents), dtype=bool)
    at = np.minimum(np.searchsorted(ordered, idents), len(ordered) - 1)
    return np.asarray(ordered[at] == idents)
