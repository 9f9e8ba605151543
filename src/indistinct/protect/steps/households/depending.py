"""What goes with the place of a household: whoever moves and keeps it tells where they came from.

An area below a county, a county's name beside its code, or whether it is urban: variables that
tell the place, or that follow from it. They are found by counting, as the judge finds copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import decoded
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.steps.columns import class_numbers
from indistinct.protect.steps.households.groups import Households, Ints
from indistinct.protect.steps.households.places import Places

__all__ = ["Depending", "what_goes_with_places"]

_SAMPLE = 5_000
_AT_ONCE = 8
"""Columns that are read together."""

_EVIDENCE = 8.0
"""Households that would disagree by chance; with fewer, agreeing means nothing."""

_TELLS = 0.9
"""How much better than chance a place must be told, from 0 to 1: that of the judge of copies."""


@dataclass(frozen=True)
class Depending:
    """Variables that belong to the place, by what can be done.

    Parameters
    ----------
    with_place
        Those that all of a household share, and that tell the place exactly or follow from it.
    telling
        Others that tell the place, exactly or nearly.
    """

    with_place: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()


def what_goes_with_places(
    engine: Engine,
    source: Source,
    households: Households,
    places: Places,
    *,
    without: Sequence[str],
) -> Depending:
    """Find the variables that belong to the place, all but some.

    >>> import indistinct
    >>> from indistinct.protect.steps.households.groups import read_households
    >>> from indistinct.protect.steps.households.places import read_places
    >>> people = {"home": [*range(24)], "county": ["n", "s"] * 12,
    ...           "area": ["n1", "s1", "n2", "s2"] * 6, "rooms": [1, 2, 2, 1, 3, 1] * 4}
    >>> with indistinct.open_data(people) as data:
    ...     homes = read_households(data.engine, data.source, "home")
    ...     where = read_places(data.engine, data.source, homes, ["county"])
    ...     what_goes_with_places(data.engine, data.source, homes, where, without=["home"])
    Depending(with_place=('area',), telling=())
    """
    apart = {*places.names, *without, *source.variables.names(role="identifier")}
    names = [name for name in source.variables if name not in apart]
    with_place, telling = [], []
    for name in _candidates(source, households, places, names):
        codes = class_numbers(engine.count(source, [name]))
        own = codes[households.first]
        shared = bool((own[households.of_record] == codes).all())
        tells = max(_told(level, own) for level in places.at)
        if shared and (tells == 1 or _told(own, places.at[-1]) == 1):
            with_place.append(name)
        elif tells >= _TELLS or max(_in_order(level, source, name, households)
                                    for level in places.at) >= _TELLS:  # fmt: skip
            telling.append(name)
    return Depending(tuple(with_place), tuple(telling))


def _candidates(
    source: Source, households: Households, places: Places, names: Sequence[str]
) -> list[str]:
    """Return the variables that some households, drawn at random, do not rule out."""
    number = len(households)
    drawn = np.arange(number)
    if number > _SAMPLE:
        drawn = np.sort(np.random.default_rng(number).choice(number, _SAMPLE, replace=False))
    rows, found = pa.array(households.first[drawn]), []
    at = [level[drawn] for level in places.at]
    for start in range(0, len(names), _AT_ONCE):
        some = list(names[start : start + _AT_ONCE])
        table = source.table(some).take(rows)
        for name in some:
            own = _ordered(table.column(name))
            if any(max(_told(level, own), _told(own, level), _unbroken(level, own)) >= _TELLS
                   for level in at):  # fmt: skip
                found.append(name)
    return found


def _told(told: Ints, by: Ints) -> float:
    """Return how much better than chance households with one value agree in another, up to 1."""
    order = np.argsort(by, kind="stable")
    same = by[order][1:] == by[order][:-1]
    agree = (told[order][1:] == told[order][:-1])[same]
    return _beyond_chance(agree, told)


def _unbroken(told: Ints, by: Ints) -> float:
    """Return the same of households that stand side by side in the order of a value."""
    inside = told[np.argsort(by, kind="stable")]
    return _beyond_chance(inside[1:] == inside[:-1], told)


def _in_order(level: Ints, source: Source, name: str, households: Households) -> float:
    own = _ordered(source.table([name]).column(0).take(pa.array(households.first)))
    return _unbroken(level, own)


def _beyond_chance(agree: np.ndarray[tuple[int], np.dtype[np.bool_]], told: Ints) -> float:
    shares = np.bincount(told - told.min(initial=0)) / max(1, len(told))
    chance = float(shares @ shares)
    if len(agree) * (1 - chance) < _EVIDENCE:
        return 0.0
    return (float(agree.mean()) - chance) / (1 - chance)


def _ordered(column: pa.ChunkedArray) -> Ints:
    """Return values as places in their order; a missing one is a value."""
    coded = decoded(column.combine_chunks()).dictionary_encode(null_encoding="encode")
    place = np.empty(len(coded.dictionary), dtype=np.int64)
    place[pc.sort_indices(coded.dictionary).to_numpy()] = np.arange(len(place))
    return np.asarray(place[coded.indices.to_numpy()])
