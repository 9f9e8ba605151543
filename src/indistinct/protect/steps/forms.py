"""Made-up values of the forms that a variable has: punctuation, digits and letters in their places.

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

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Array, Bools, GuaranteeError, Ints
from indistinct.protect.randomness import Draws

__all__ = ["dealt", "made_up_like", "marked"]

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

_TURNS = 500


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
        for turn in range(_TURNS):
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
        raise GuaranteeError(f"No made-up values of '{stream}' were found in {_TURNS} rounds.")

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
