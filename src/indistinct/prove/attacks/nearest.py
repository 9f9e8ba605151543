"""Looking for people by true values in a file whose values were altered.

The intruder takes the released record that is nearest to what is known of a person, in the way
that finds more people: by differences as shares of the range, by differences of ranks, or by how
likely the method is to have made one value of the other. For the last he knows the method and how
much it changes: a value stays with chance q, and otherwise moves by s or so, so that a record with
the value y tells ``log(q [x = y] / u(y) + (1 - q) exp(-(x - y)² / 2s²))`` for a person with x,
where u is how frequent y is (the weights of Fellegi and Sunter 1969, for amounts and categories).

He also knows how sure he is: how much nearer the first record is than the k-th. Ten people who
were left as they were among ten thousand change no average, and he can tell that they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import betaincinv

from indistinct.core import Bools, Floats, Ints, progress
from indistinct.results import Part

__all__ = ["Nearest", "TrueValues", "at_least", "at_most", "look_for"]


EQUAL = 1e-12
"""Distances that differ by less are equal."""
DOUBT = 0.05
"""The chance that a bound is wrong."""
DOUBT_OF_GROUPS = 0.01
"""The same for all groups of people of whom the intruder is sure, together."""
FEWEST_SURE = 8
"""Of fewer people than this no rate is told."""
LOST = 8.0
"""What a value beside a missing one counts against a record, as a logarithm."""


def at_most(right: float, of: float, *, doubt: float = DOUBT) -> float:
    """Return the exact upper bound of a rate (Clopper and Pearson 1934).

    >>> round(at_most(0, 30), 3), at_most(3, 3)
    (0.095, 1.0)
    """
    return 1.0 if right >= of else float(betaincinv(right + 1, of - right, 1 - doubt))


def at_least(right: float, of: float, *, doubt: float = DOUBT) -> float:
    """Return the exact lower bound of a rate.

    >>> round(at_least(30, 30), 3), at_least(0, 3)
    (0.905, 0.0)
    """
    return 0.0 if right <= 0 else float(betaincinv(right, of - right + 1, doubt))


@dataclass(frozen=True)
class Nearest(Part):
    """How often the released record nearest to what is known of a person is their own.

    Parameters
    ----------
    key
        What is known.
    share, targets
        The share of the people looked for, drawn at random; one among t equally near records
        counts as 1/t.
    bound
        How large the share may be, if others had been drawn or the noise been drawn again.
    sure, sure_right
        The people of whom the intruder is surest, where too many of them are found, and how many.
    """

    key: tuple[str, ...]
    share: float
    targets: int
    bound: float
    sure: int = 0
    sure_right: float = 0.0

    def __repr__(self) -> str:
        return (
            f"nearest record by {', '.join(self.key)}: the own one of {self.share:.1%} of "
            f"{self.targets:,} people"
        )


@dataclass(frozen=True, eq=False)
class TrueValues:
    """One altered variable: what people have, and what the records say.

    Parameters
    ----------
    own, theirs
        Numbers of people and of records; codes, equal or not, where `ordered` is False.
    stays, moves
        How often a value is released as it is, and by how much others move.
    """

    own: Floats = field(repr=False)
    theirs: Floats = field(repr=False)
    ordered: bool
    stays: float
    moves: float
    wide: float
    ranks: tuple[Floats, Floats] = field(repr=False)
    frequent: Floats = field(repr=False)
    """How frequent the value of each record is."""

    @classmethod
    def of(cls, own: Floats, theirs: Floats, record_of: Ints, *, ordered: bool) -> TrueValues:
        """Measure how much a variable was altered, by whose record each is (-1: not known)."""
        people = np.flatnonzero(record_of >= 0)
        was, became = own[people], theirs[record_of[people]]
        same = (was == became) | (np.isnan(was) & np.isnan(became))
        moved = (became - was)[~same & np.isfinite(was) & np.isfinite(became)]
        there = np.concatenate([own, theirs])
        there = there[np.isfinite(there)]
        wide = (float(np.ptp(there)) if len(there) else 0.0) or 1.0
        values, at, times = np.unique(theirs, return_inverse=True, return_counts=True)
        del values
        return cls(
            own,
            theirs,
            ordered,
            float(same.mean()) if len(same) else 0.0,
            float(np.sqrt(np.mean(moved**2))) if len(moved) else wide,
            wide,
            (_ranks(own), _ranks(theirs)),
            times[at.reshape(-1)] / max(1, len(theirs)),
        )

    def by_value(self, person: int, records: Ints) -> Floats:
        """Return how far records are from what is known of a person, as shares of the range."""
        return self._apart(self.own[person], self.theirs[records], self.wide)

    def by_rank(self, person: int, records: Ints) -> Floats:
        """Return how far they are in ranks, as shares of all."""
        return self._apart(self.ranks[0][person], self.ranks[1][records], 1.0)

    def by_likelihood(self, person: int, records: Ints) -> Floats:
        """Return how unlikely it is that the method made these values of the person's."""
        known, told = self.own[person], self.theirs[records]
        if np.isnan(known):
            return np.where(np.isnan(told), 0.0, LOST)
        near = np.ones(len(records))
        if self.ordered:
            near = np.exp(-0.5 * ((told - known) / self.moves) ** 2)
        likely = self.stays * (told == known) / self.frequent[records] + (1 - self.stays) * near
        found: Floats = np.where(np.isnan(told), LOST, -np.log(np.maximum(likely, np.exp(-500.0))))
        return found

    def _apart(self, known: float, told: Floats, wide: float) -> Floats:
        if not self.ordered:
            return np.where(told == known, 0.0, 1.0)
        if np.isnan(known):
            return np.where(np.isnan(told), 0.0, 1.0)
        return np.where(np.isnan(told), 1.0, np.abs(told - known) / wide)


WAYS: tuple[Callable[[TrueValues, int, Ints], Floats], ...] = (
    TrueValues.by_value,
    TrueValues.by_rank,
    TrueValues.by_likelihood,
)


def look_for(
    known: Sequence[TrueValues],
    key: Sequence[str],
    record_of: Ints,
    candidates: Callable[[int], Ints],
    *,
    k: int,
    targets: int,
    whose: Ints | None = None,
) -> Nearest:
    """Look for people drawn at random, and for those who stand out.

    Parameters
    ----------
    record_of
        The own record of every person, -1 where it is not known.
    candidates
        The records that a person may have, by what was not altered.
    k, targets
        The promise, and how many people are drawn. Half as many who stand out are looked for too.
    whose
        The person of each record, where people have several: then the nearest person is found.
    """
    people = np.flatnonzero(record_of >= 0)
    drawn = people
    if len(people) > targets:
        drawn = np.sort(np.random.default_rng(1).choice(people, targets, replace=False))
    outliers = _who_stand_out(known, people, targets // 2)
    everybody = np.concatenate([drawn, np.setdiff1d(outliers, drawn)])
    right = np.zeros((len(WAYS), len(everybody)))
    sure, few = np.zeros_like(right), np.zeros(right.shape, dtype=bool)
    seeking = progress.each(everybody.tolist(), "looking for the nearest record", unit="people")
    for number, person in enumerate(seeking):
        there = candidates(person)
        if not len(there):
            continue
        held, at = (there, None) if whose is None else _people_of(whose, there)
        mine = record_of[person] if whose is None else whose[record_of[person]]
        own = np.flatnonzero(held == mine)
        for way, distance in enumerate(WAYS):
            far = np.sum([distance(variable, person, there) for variable in known], axis=0)
            if at is not None:
                every, far = far, np.full(len(held), np.inf)
                np.minimum.at(far, at, every)
            first = float(far.min())
            near = far <= first + EQUAL
            ties = int(near.sum())
            right[way, number] = near[own].any() / ties
            few[way, number] = ties < k
            kth = float(np.partition(far, k - 1)[k - 1]) if len(far) >= k else np.inf
            sure[way, number] = _sureness(first, kth, logs=distance is TrueValues.by_likelihood)
    asked = len(drawn)
    shares = right[:, :asked].mean(axis=1)
    best = int(shares.argmax())
    groups = [_surest(right[way], sure[way], k) for way in range(len(WAYS))]
    group = max(groups, key=lambda found: found[1] / max(1, found[0]))
    bound = max(_bounded(right[way, :asked], few[way, :asked]) for way in range(len(WAYS)))
    return Nearest(tuple(key), float(shares[best]), asked, bound, *group)


def _people_of(whose: Ints, records: Ints) -> tuple[Ints, Ints]:
    """Return the people of some records, each once, and where each record's stands."""
    people, at = np.unique(whose[records], return_inverse=True)
    return people, at.reshape(-1)


def _sureness(first: float, kth: float, *, logs: bool) -> float:
    """Return how much nearer the first record is than the k-th; 0 where not at all."""
    if kth - first <= EQUAL:
        return 0.0
    if logs:
        return kth - first
    return 1.0 if np.isinf(kth) else (kth - first) / kth


def _bounded(right: Floats, few: Bools) -> float:
    """Bound the share who are found; where k records are equally near, there is no doubt."""
    if not len(right):
        return 0.0
    open_ = int(few.sum())
    doubtful = open_ * at_most(float(right[few].sum()), open_) if open_ else 0.0
    return float((right[~few].sum() + doubtful) / len(right))


def _surest(right: Floats, sure: Floats, k: int) -> tuple[int, float]:
    """Return the people of whom the intruder is surest, where more than 1 in k of them is found.

    Groups from the surest on, each larger by some than the one before; one counts if the lower
    bound of its rate is above the limit, with a doubt that is shared among all of them.
    """
    order = np.argsort(-sure, kind="stable")
    able = int((sure > 0).sum())
    sizes = []
    size = float(FEWEST_SURE)
    while size <= able:
        sizes.append(int(size))
        size *= 2**0.5
    found, doubt = (0, 0.0), DOUBT_OF_GROUPS / (len(WAYS) * max(1, len(sizes)))
    added = np.cumsum(right[order])
    for size_ in sizes:
        hits = float(added[size_ - 1])
        if at_least(hits, size_, doubt=doubt) > 1 / k:
            found = (size_, hits)
    return found


def _who_stand_out(known: Sequence[TrueValues], people: Ints, most: int) -> Ints:
    """Return the people who are farthest from their nearest by the true values."""
    points = [v.own[people] / v.wide for v in known if v.ordered]
    if not points or len(people) <= most:
        return people
    places = np.nan_to_num(np.column_stack(points), nan=0.0)
    apart = cKDTree(places).query(places, k=2)[0][:, 1]
    return np.sort(people[np.argsort(-apart, kind="stable")[:most]])


def _ranks(values: Floats) -> Floats:
    """Return the middle rank of each number, as a share of all."""
    placed = np.isfinite(values)
    found = np.full(len(values), np.nan)
    _, at, times = np.unique(values[placed], return_inverse=True, return_counts=True)
    if len(times):
        found[placed] = ((np.cumsum(times) - times / 2) / times.sum())[at.reshape(-1)]
    return found
