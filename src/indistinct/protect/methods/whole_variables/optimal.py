"""The best of all full-domain generalisations, with a proof or with how far it may be from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from indistinct.core import Bools, ClassSize, GuaranteeError, InputError, check_whole
from indistinct.hierarchy import Hierarchies
from indistinct.keys import Generalisable, KeyTable, Recoding
from indistinct.protect.dropping import DropUnsafe
from indistinct.protect.generalise import Generalise
from indistinct.protect.methods.whole_variables.lattice import Lattice, Levels, check_limits
from indistinct.protect.methods.whole_variables.lattice_losses import LossName, lattice_loss
from indistinct.protect.methods.whole_variables.lattice_search import Found, Judge, search
from indistinct.protect.models import KAnonymity, PrivacyModel
from indistinct.protect.plan import Plan
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["CHECKS", "Optimum", "most_dropped", "optimal"]

CHECKS = 50_000
"""At how many points classes are counted before a search gives up its proof."""


@result
class Optimum(Result):
    """The best full-domain generalisation that was found.

    Parameters
    ----------
    levels
        To which level each variable climbs.
    dropped
        Whether each class of the key table is left out.
    loss, score
        The loss and its value here; see `indistinct.utility` for what it means.
    bound
        No full-domain generalisation that is allowed has a lower score than this.
    checked, points
        At how many points of the lattice classes were counted, and how many there are.
    forced
        Whether it went further than the models of class sizes need, because of what models of
        sensitive values ask: whoever knows the method learns from that.
    sensitive, again
        The records counted by the key and the sensitive variables, and how the same is decided
        for another such count: to find out what can be learnt.
    """

    keys: Generalisable = field(repr=False)
    models: tuple[PrivacyModel, ...]
    max_drop: int
    loss: LossName
    levels: Mapping[str, int]
    dropped: Bools = field(repr=False)
    score: float
    bound: float
    checked: int
    points: int
    forced: bool = False
    sensitive: KeyTable | None = field(default=None, repr=False)
    again: Callable[[KeyTable], Optimum] | None = field(default=None, repr=False)

    FACTS = facts(
        "models max_drop loss levels score bound gap proved",
        Fact("records", "keys.records"),
        "records_dropped checked points forced",
    )

    @property
    def proved(self) -> bool:
        """Whether no better generalisation exists."""
        return self.bound >= self.score

    @property
    def gap(self) -> float:
        """By what share of its score the optimum may at most be lower; 0 if proved."""
        return (self.score - self.bound) / self.score if self.score > 0 else 0.0

    def releases_like(self, other: Optimum) -> bool:
        """Say whether another optimum of the same records leads to the same release."""
        return self.levels == other.levels and bool((self.dropped == other.dropped).all())

    @property
    def records_dropped(self) -> int:
        """Records left out."""
        return int(self.keys.counts[self.dropped].sum())

    @cached_property
    def recoding(self) -> Recoding:
        """What becomes of every class."""
        levels = [self.levels[name] for name in self.keys.names]
        return Recoding.full_domain(self.keys, levels, dropped=self.dropped)

    def plan(self) -> Plan:
        """Return the steps: generalise each variable, then leave out what is not safe."""
        names, hierarchies = self.keys.names, self.keys.hierarchies
        steps: list[Any] = [
            Generalise(hierarchy, self.levels[name])
            for name, hierarchy in zip(names, hierarchies, strict=True)
            if self.levels[name]
        ]
        alike: dict[str, Any] = {}
        if any(model.needs_register for model in self.models):
            alike = {
                "hierarchies": hierarchies,
                "levels": tuple(self.levels[name] for name in names),
            }
        return Plan((*steps, DropUnsafe(names, self.models, **alike)))

    def plot(self) -> str:
        """Draw the level of each variable beside its highest, as SVG."""
        return bars(
            "Levels of generalisation",
            list(self.keys.names),
            [self.levels[name] for name in self.keys.names],
            beside=list(self.keys.heights),
            names=("chosen", "highest"),
        )

    def _certainty(self) -> str:
        if self.proved:
            return "optimal"
        return f"within {self.gap:.1%} of optimal"

    def sentence(self) -> str:
        """Say what was asked and whether it is the best."""
        asked = ", ".join(model.describe() for model in self.models)
        return (
            f"Full-domain generalisation of {self.keys.records:,} records with {asked}: "
            f"{self._certainty()}"
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "Levels",
                ("variable", "level", "of"),
                [
                    (name, self.levels[name], height)
                    for name, height in zip(self.keys.names, self.keys.heights, strict=True)
                ],
            ),
            Table.facts(
                "The release",
                {
                    "records": self.keys.records,
                    "records left out": self.records_dropped,
                    "at most": self.max_drop,
                    self.loss: self.score,
                    "points checked": self.checked,
                    "points": self.points,
                },
            ),
        ]


def optimal(
    keys: Generalisable,
    *,
    k: ClassSize | None = None,
    models: Sequence[PrivacyModel] = (),
    loss: LossName = "loss",
    max_drop: float = 0,
    limits: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
    sensitive: KeyTable | None = None,
    register: KeyTable | None = None,
    checks: int | None = None,
) -> Optimum:
    """Find the full-domain generalisation with the least loss that is safe.

    Every variable climbs to one level. Classes that are not safe then are left out, if their
    records are few enough. Branch and bound over boxes of the lattice of levels proves the
    optimum without counting classes at most of its points; see `lattice_search`.

    Of several optima one is taken: the first that the search meets, whose order follows from the
    key table alone.

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    k
        Every class must have k records; beside `models`, which may ask for more.
    models
        What else is asked for: `LDiversity`, `TCloseness`, `KMap`, `AverageRisk` and others.
    loss
        What is made least: ``loss``, ``precision`` (one less Sweeney's precision), ``entropy``,
        ``discernibility`` or ``aecs`` (the average class size).
    max_drop
        How many records may be left out: a number, or a share of all as a fraction (0.02).
    limits
        The highest level of a variable, by name; 0 locks it.
    weights
        The importance of variables for the recipient, 1 by default.
    sensitive
        The same records counted by the key and the sensitive variables of the models.
    register
        The people among whom records are to hide, counted by the key, for `KMap`.
    checks
        At how many points classes may be counted. Where that is not enough for a proof, `bound`
        says how far from the optimum the result can be.

    >>> from indistinct.hierarchy import code_hierarchy, suppression_only
    >>> from indistinct import open_data
    >>> people = {"zip": ["02138", "02139", "02139", "02141", "02142"], "sex": [*"fmfmm"]}
    >>> zips = code_hierarchy(sorted(set(people["zip"])), name="zip", digits=(4,))
    >>> with open_data(people) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["zip", "sex"]),
    ...         {"zip": zips, "sex": suppression_only(["f", "m"], name="sex")},
    ...     )
    >>> found = optimal(keys, k=2, max_drop=1)
    >>> found
    Full-domain generalisation of 5 records with k=2: optimal
    Levels
      variable  level  of
      zip           1   2
      sex           0   1
    The release
      records                5
      records left out       1
      at most                1
      loss              0.3333
      points checked         4
      points                 6
    >>> found.plan()
    Plan of 2 steps
      1. generalise zip to level 1 of 2 (first 4 digits)
      2. leave out the records in classes of zip, sex that are not safe: k=2
    """
    asked = _asked(k, models)
    most = most_dropped(keys, max_drop)
    if checks is not None:
        check_whole("checks", checks, 1)
    lattice = _lattice(keys, asked, limits, sensitive, register)
    judge = Judge(lattice, asked, most=most)
    measure = lattice_loss(
        loss, lattice, weights=weights, smallest=judge.smallest, dropping=most > 0
    )
    if not keys.records:
        none = np.zeros(0, dtype=bool)
        levels = dict.fromkeys(keys.names, 0)
        return Optimum(keys, asked, 0, loss, levels, none, 0.0, 0.0, 0, lattice.points)
    _check_reachable(keys, judge)
    found = search(lattice, judge, measure, checks=CHECKS if checks is None else checks)
    if found.levels is None:
        free = lattice
        if lattice.top != keys.heights:
            free = _lattice(keys, asked, None, sensitive, register)
        raise GuaranteeError(_impossible(lattice, free, judge, found))
    table, groups = lattice.roll(lattice.base, found.levels)
    unsafe = judge(table).unsafe
    return Optimum(
        keys,
        asked,
        most,
        loss,
        dict(zip(keys.names, found.levels, strict=True)),
        unsafe[groups[: keys.classes]],
        found.score,
        found.bound,
        found.checked,
        lattice.points,
    )


def most_dropped(keys: Generalisable, max_drop: float) -> int:
    """Return how many records may be left out; a fraction is a share of all records."""
    if not isinstance(max_drop, bool) and isinstance(max_drop, int | float):
        if isinstance(max_drop, float) and 0 <= max_drop <= 1:
            return math.floor(max_drop * keys.records + 1e-9)
        if 0 <= max_drop <= keys.records and max_drop == int(max_drop):
            return int(max_drop)
    raise InputError(
        f"max_drop must be a number of records from 0 to {keys.records:,}, or a share of them "
        f"such as 0.02. Got {max_drop}."
    )


def _asked(k: int | None, models: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    wrong = next((model for model in models if not isinstance(model, PrivacyModel)), None)
    if wrong is not None:
        raise InputError(f"A model must be a PrivacyModel. Got {type(wrong).__name__}.")
    asked = (*([] if k is None else [KAnonymity(k)]), *models)
    if not asked:
        raise InputError("Nothing is asked for. Give k=5, or models.")
    return tuple(dict.fromkeys(asked))


def _lattice(
    keys: Generalisable,
    models: Sequence[PrivacyModel],
    limits: Mapping[str, int] | None,
    sensitive: KeyTable | None,
    register: KeyTable | None,
) -> Lattice:
    check_limits(keys, limits)
    names = tuple(dict.fromkeys(model.looks_at for model in models if model.looks_at))
    if names and sensitive is None:
        raise InputError(
            f"The models look at {', '.join(names)}. Give sensitive=, the key table counted by "
            "the key and by them."
        )
    people = None
    if any(model.needs_register for model in models):
        if register is None:
            raise InputError("k-map needs a register: give register=, its key table.")
        people = Generalisable.of(register, Hierarchies(keys.hierarchies))
    counted = (sensitive, names) if sensitive is not None and names and keys.records else None
    return Lattice(keys, limits=limits, register=people, sensitive=counted)


def _check_reachable(keys: Generalisable, judge: Judge) -> None:
    """Refuse a k that the file is too small for, unless it may be left out altogether."""
    if judge.smallest > keys.records > judge.most:
        raise GuaranteeError(
            f"Every class must have at least {judge.smallest:,} records, but the file has only "
            f"{keys.records:,}. Ask for less, or give more records."
        )


def _impossible(lattice: Lattice, free: Lattice, judge: Judge, found: Found) -> str:
    """Say why no generalisation is allowed, and what would help."""
    asked = ", ".join(model.describe() for model in judge.models)
    most = "no record" if not judge.most else f"at most {judge.most:,} records"
    names, heights = lattice.keys.names, lattice.keys.heights
    text = f"With {most} left out, {asked} cannot be reached"
    guilty = []
    freely = Judge(free, judge.models, most=judge.most)
    for j, (top, height) in enumerate(zip(lattice.top, heights, strict=True)):
        if top < height:
            levels: Levels = (*heights[:j], top, *heights[j + 1 :])
            alone = freely(free.rolled(levels)).dropped
            if alone > judge.most:
                guilty.append((names[j], top, alone))
    if guilty:
        name, top, alone = max(guilty, key=lambda found: found[2])
        return (
            f"{text} while '{name}' stays at level {top}: even if every other variable were "
            f"suppressed, {alone:,} records would be in classes that are not safe. Allow "
            f"{alone:,} records to be left out, or '{name}' to climb."
        )
    locked = [
        name for name, top, height in zip(names, lattice.top, heights, strict=True) if top < height
    ]
    climb = f", or let {', '.join(map(repr, locked))} climb higher" if locked else ""
    return (
        f"{text} at any of the {found.checked:,} points checked of {lattice.points:,}: at least "
        f"{found.fewest:,} records would be left out. Allow that many (max_drop={found.fewest})"
        f"{climb}, or ask for less."
    )
