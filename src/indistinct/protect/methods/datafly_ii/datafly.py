"""Datafly II: generalise the attribute with the most distinct values until k holds.

What Datafly is asked, checked and put into numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import ClassVar

import numpy as np

from indistinct.core import (
    Bools,
    GuaranteeError,
    InputError,
    Ints,
    SmallInts,
    between,
    check_number,
    check_whole,
    did_you_mean,
)
from indistinct.keys import Generalisable, Recoding, group_rows
from indistinct.protect.generalise import Generalise
from indistinct.protect.methods.datafly_ii.datafly_outliers import (
    DropOutliers,
    Rollup,
    allowed_drop,
    outliers,
    settled,
)
from indistinct.protect.methods.datafly_ii.datafly_profile import (
    AnonymityMapping,
    Profile,
    check_profile,
    exact_share,
    percent_of_records,
)
from indistinct.protect.plan import Plan
from indistinct.protect.step import Step
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["DataflyResult", "average_class_size", "datafly"]


@result
class DataflyResult(Result):
    """The levels to which Datafly raised each attribute, and the records it leaves out.

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    k
        What holds for every quasi-identifier; None where no k was asked for (anonymity level 0,
        1, or a recipient who is trusted with everything).
    anonymity
        The anonymity level from which k was computed, if it was.
    levels
        The level of each attribute.
    path
        The attributes in the order in which each was raised by one level.
    quasi_identifiers
        Those that were enforced, without the attributes that do not count.
    max_drop
        The most records that were allowed to go: a number, or a share of the file.
    left_out
        Whether each class of the original table is left out. Private.
    before, after
        Steps of the plan before and after Datafly's own.
    """

    techniques: ClassVar[tuple[str, ...]] = (
        "de-identification",
        "equivalence-class substitution",
        "generalisation",
        "suppression",
    )
    """Disclosure limitation techniques of the system (Sweeney 2001, section 6.2)."""

    keys: Generalisable
    k: int | None
    anonymity: float | None
    levels: Mapping[str, int]
    path: tuple[str, ...]
    quasi_identifiers: tuple[tuple[str, ...], ...]
    max_drop: float
    profile: Profile
    left_out: Bools = field(repr=False)
    before: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()

    FACTS = facts(
        Fact("method", lambda _: "datafly"),
        "k anonymity",
        Fact("records_in", "keys.records"),
        Fact("records_out", lambda found: found.keys.records - found.records_dropped),
        Fact("suppressed_records", "records_dropped"),
        "levels path quasi_identifiers smallest",
        Fact("average", lambda found: found.average_class_size()),
        "profile techniques",
    )

    @cached_property
    def recoding(self) -> Recoding:
        """What happens to every class."""
        levels = [self.levels[name] for name in self.keys.names]
        return Recoding.full_domain(self.keys, levels, dropped=self.left_out)

    @property
    def records_dropped(self) -> int:
        """Records left out."""
        return int(self.keys.counts[self.left_out].sum())

    @property
    def smallest(self) -> int:
        """The size of the smallest class of any quasi-identifier in the release."""
        sizes = [self._sizes(names).min(initial=self.keys.records) for names in self._groups]
        return int(min(sizes)) if sizes and self.records_dropped < self.keys.records else 0

    def average_class_size(self, names: Sequence[str] | None = None) -> float:
        """Return the records released by the distinct values of some attributes together.

        Sweeney's *average value of k* (2001, section 6.2): it says more of what a recipient can
        tell apart than the smallest class does.
        """
        sizes = self._sizes(tuple(names or self.keys.names))
        return float(sizes.sum() / len(sizes)) if len(sizes) else 0.0

    def plan(self) -> Plan:
        """Return the steps: attributes are generalised, then the outliers are left out."""
        steps: list[Step] = [
            Generalise(hierarchy, self.levels[name])
            for name, hierarchy in zip(self.keys.names, self.keys.hierarchies, strict=True)
            if self.levels[name]
        ]
        if self.k is not None and self.quasi_identifiers:
            share = self.max_drop if isinstance(self.max_drop, float) else None
            count = 0 if share is not None else int(self.max_drop)
            steps.append(DropOutliers(self.quasi_identifiers, self.k, count, share))
        return Plan((*self.before, *steps, *self.after))

    def plot(self) -> str:
        """Draw the level of each attribute beside its highest, as SVG."""
        return bars(
            "Levels of generalisation",
            list(self.keys.names),
            [self.levels[name] for name in self.keys.names],
            beside=list(self.keys.heights),
            names=("raised to", "highest"),
        )

    def sentence(self) -> str:
        """Say what was promised, and by which attributes."""
        promise = "no k" if self.k is None else f"k = {self.k}"
        if self.anonymity is not None:
            promise = f"anonymity {self.anonymity:g}, {promise}"
        by = " and by ".join(", ".join(names) for names in self.quasi_identifiers) or "nothing"
        each = self.k is not None and self.profile.per_attribute
        said = "; k holds for each attribute by itself, not for combinations" if each else ""
        return f"Datafly ({promise}) by {by}{said}"

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "Levels to which the attributes were raised",
                ("attribute", "level", "of"),
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
                    "smallest class": self.smallest,
                    "average class": self.average_class_size(),
                    "raised": self.path,
                },
            ),
        ]

    @property
    def _groups(self) -> tuple[tuple[str, ...], ...]:
        return self.quasi_identifiers or (self.keys.names,)

    def _sizes(self, names: Sequence[str]) -> Ints:
        kept = ~self.left_out
        columns = [self.keys.table.position(name) for name in names]
        levels = [self.levels[name] for name in self.keys.names]
        return _class_sizes(self.keys.nodes(levels)[kept][:, columns], self.keys.counts[kept])


def datafly(
    keys: Generalisable,
    *,
    k: int | None = None,
    anonymity: float | None = None,
    mapping: AnonymityMapping = percent_of_records,
    max_drop: float = 0,
    profile: Profile | Mapping[str, float] | None = None,
    linking: Mapping[str, float] | None = None,
    quasi_identifiers: Sequence[Sequence[str]] | None = None,
    ties: str | Sequence[str] = "rightmost",
    per_attribute: bool = False,
    limits: Mapping[str, int] | None = None,
) -> DataflyResult:
    """Generalise attribute by attribute until few enough records are rare, and drop those.

    Sweeney's Datafly II (2001, section 6.2). While more than `max_drop` records would have to
    go, one attribute of a quasi-identifier that does not hold yet is raised one level: the one
    with the highest tolerance, then the highest linking value, then the most distinct values,
    then as `ties` says. An attribute with a single value left is not raised, for it cannot help.
    What is left in classes smaller than k is dropped.

    Parameters
    ----------
    k
        A class is safe with at least k records.
    anonymity
        Instead of k, a level from 0, the original data, to 1, the most general data that the
        profile allows; `mapping` makes a k of what lies between.
    mapping
        k from the anonymity level and the number of records.
    max_drop
        How many records may go: a whole number, or a share of the file (0.05).
    profile, linking
        A `Profile`, or the tolerance of some attributes (others: 1); the linking values of some.
    quasi_identifiers
        Groups of attributes; all of the key together by default. k holds for each in what is
        released, also after records were dropped for another.
    ties
        ``rightmost`` or ``leftmost`` in the key, or the attributes in order of preference. The
        paper does not say; the rightmost reproduces its Figures 26 and 29.
    per_attribute
        Whether k is asked of every attribute by itself, as in the first Datafly.
    limits
        The highest level an attribute may climb to.

    >>> from indistinct.hierarchy import code_hierarchy, suppression_only
    >>> from indistinct import open_data
    >>> people = {"sex": list("mmff"), "zip": ["02138", "02139", "02141", "02142"]}
    >>> with open_data(people) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["sex", "zip"]),
    ...         {
    ...             "sex": suppression_only(["m", "f"], name="sex"),
    ...             "zip": code_hierarchy(people["zip"], name="zip", digits=(4, 3)),
    ...         },
    ...     )
    >>> datafly(keys, k=2)
    Datafly (k = 2) by sex, zip
    Levels to which the attributes were raised
      attribute  level  of
      sex            0   1
      zip            1   3
    The release
      records             4
      records left out    0
      smallest class      2
      average class       2
      raised            zip
    """
    whom = whole_profile(profile, linking, per_attribute, keys.names)
    highest = highest_levels(keys, limits)
    groups = counting_groups(keys, quasi_identifiers, whom)
    most = allowed_drop(max_drop, keys.records)
    order = preference(keys.names, ties)
    wanted = wanted_k(k, anonymity, mapping, keys.records)
    if anonymity == 1:
        levels = tuple(
            math.floor(exact_share(whom.tolerance_of(name)) * limit)
            for name, limit in zip(keys.names, highest, strict=True)
        )
        path = [n for n, level in zip(keys.names, levels, strict=True) for _ in range(level)]
        gone = np.zeros(keys.classes, dtype=bool)
    elif wanted is None or not groups:
        levels, path, gone = (0,) * len(keys.names), [], np.zeros(keys.classes, dtype=bool)
        wanted = None
    else:
        levels, path = _search(keys, wanted, most, whom, groups, order, highest)
        nodes = keys.nodes(levels)
        gone = outliers(nodes, keys.counts, groups, wanted)
    return DataflyResult(
        keys,
        wanted,
        anonymity,
        dict(zip(keys.names, levels, strict=True)),
        tuple(path),
        tuple(tuple(keys.names[j] for j in group) for group in groups) if wanted else (),
        max_drop,
        whom,
        gone,
    )


def average_class_size(
    keys: Generalisable,
    names: Sequence[str] | None = None,
    *,
    levels: Mapping[str, int] | None = None,
) -> float:
    """Return N divided by the number of distinct values of some attributes, at some levels.

    Sweeney's *average value of k* (2001, section 6.2): 135,000 employees have 3 by birth date
    and gender, and 1,125 by year of birth and gender.
    """
    columns = [keys.table.position(name) for name in (names or keys.names)]
    nodes = keys.nodes(keys.check_levels(levels or {}))[:, columns]
    sizes = _class_sizes(nodes, keys.counts)
    return float(keys.records / len(sizes)) if len(sizes) else 0.0


def _search(
    keys: Generalisable,
    k: int,
    most: int,
    profile: Profile,
    groups: Sequence[Sequence[int]],
    order: Sequence[int],
    highest: Sequence[int],
) -> tuple[tuple[int, ...], list[str]]:
    """Return the levels at which at most `most` records must go, and how they were reached."""
    if keys.records and k > keys.records:
        raise GuaranteeError(
            f"k = {k:,} cannot be reached: the file has {keys.records:,} records. "
            "Ask for a smaller k."
        )
    used = sorted({j for group in groups for j in group})
    rollup = Rollup(keys, used)
    local = [[used.index(j) for j in group] for group in groups]
    path: list[str] = []
    while True:
        bins = [rollup.bins(group) for group in local]
        gone = settled(bins, k)
        number = int(rollup.counts[gone].sum())
        if number <= most and number < max(1, keys.records):
            break
        rare = {
            at
            for group, classes in zip(local, bins, strict=True)
            if classes.smaller_than(k).any()
            for at in group
        }
        able = [a for a in rare if rollup.levels[a] < highest[used[a]] and rollup.distinct[a] > 1]
        if not able:
            raise GuaranteeError(_out_of_reach(keys, k, most, number, used, rollup, highest))

        def precedence(at: int) -> tuple[float, float, int, int]:
            name = keys.names[used[at]]
            return (
                profile.tolerance_of(name),
                profile.linking_of(name),
                rollup.distinct[at],
                -order.index(used[at]),
            )

        chosen = max(able, key=precedence)
        rollup.climb(chosen)
        path.append(keys.names[used[chosen]])
    levels = [0] * len(keys.names)
    for at, j in enumerate(used):
        levels[j] = rollup.levels[at]
    return tuple(levels), path


def _out_of_reach(
    keys: Generalisable,
    k: int,
    most: int,
    number: int,
    used: Sequence[int],
    rollup: Rollup,
    highest: Sequence[int],
) -> str:
    """Say why k cannot be reached, and what would help."""
    held = [
        keys.names[j]
        for at, j in enumerate(used)
        if rollup.levels[at] == highest[j] < keys.heights[j] and rollup.distinct[at] > 1
    ]
    blocks = ", ".join(f"'{name}' (level {highest[keys.names.index(name)]})" for name in held)
    if number == keys.records:
        return (
            f"k = {k:,} cannot be reached: at the highest levels allowed all {number:,} records "
            f"would have to be left out. Let {blocks} climb higher, or ask for a smaller k."
        )
    return (
        f"With at most {most:,} records left out, k = {k:,} cannot be reached while {blocks} may "
        f"climb no higher: {number:,} records are still in classes smaller than {k:,}. "
        f"Allow {number:,} to be left out (max_drop={number}), or let these attributes climb."
    )


def _class_sizes(nodes: SmallInts, counts: Ints) -> Ints:
    groups = group_rows(nodes.astype(np.int64))
    return np.bincount(groups, weights=counts).astype(np.int64)


# What Datafly is asked, checked and put into numbers ---------------------------------------------


def wanted_k(
    k: int | None, anonymity: float | None, mapping: AnonymityMapping, records: int
) -> int | None:
    """Return the k to enforce, or None for a level at which none is."""
    if (k is None) == (anonymity is None):
        raise InputError("Give either k or an anonymity level.")
    if anonymity is None:
        check_whole("k", k, 2, hint="For the original data: anonymity=0.")
        return k
    check_number("The anonymity level", anonymity, between(0, 1))
    if anonymity in (0, 1) or not records:
        return None
    mapped = mapping(anonymity, records)
    if isinstance(mapped, bool) or not isinstance(mapped, int) or mapped < 2:
        # k below 2 would be the original data, which nobody asked for
        raise InputError(
            f"The anonymity level {anonymity:g} of {records:,} records must map to a k of at "
            f"least 2. Got {mapped}. Raise the level, give another mapping, or give k."
        )
    return mapped


def whole_profile(
    profile: Profile | Mapping[str, float] | None,
    linking: Mapping[str, float] | None,
    per_attribute: bool,
    names: Sequence[str],
) -> Profile:
    """Return what is known of the recipient, in one profile of attributes that exist."""
    made = profile if isinstance(profile, Profile) else Profile(tolerance=dict(profile or {}))
    made = made.with_values(linking=linking)
    if per_attribute and not made.per_attribute:
        made = Profile.from_dict({**made.to_dict(), "per_attribute": True})
    check_profile(made, names)
    return made


def highest_levels(keys: Generalisable, limits: Mapping[str, int] | None) -> tuple[int, ...]:
    """Return the highest level of each attribute: its limit, or the top of its hierarchy."""
    given = limits or {}
    checked = keys.check_levels(given)
    return tuple(
        checked[j] if name in given else keys.heights[j] for j, name in enumerate(keys.names)
    )


def counting_groups(
    keys: Generalisable, groups: Sequence[Sequence[str]] | None, profile: Profile
) -> list[list[int]]:
    """Return the quasi-identifiers by position, without attributes that are trusted."""
    if groups is not None and (
        not groups or isinstance(groups, str) or any(isinstance(g, str) or not g for g in groups)
    ):
        raise InputError("quasi_identifiers must be a list of at least one list of attributes.")
    given = groups if groups is not None else [keys.names]
    if profile.per_attribute:
        given = [[name] for name in dict.fromkeys(name for group in given for name in group)]
    counting = [
        sorted({keys.table.position(name) for name in group if profile.linking_of(name) > 0})
        for group in given
    ]
    return [group for group in counting if group]


def preference(names: Sequence[str], ties: str | Sequence[str]) -> list[int]:
    """Return positions in the key, the one that wins a tie first."""
    if ties in ("rightmost", "leftmost"):
        order = list(range(len(names)))
        return order[::-1] if ties == "rightmost" else order
    if isinstance(ties, str):
        raise InputError(
            f"ties must be rightmost, leftmost or a list of attributes. Got '{ties}'. "
            f"{did_you_mean(ties, ['rightmost', 'leftmost'])}"
        )
    for name in ties:
        if name not in names:
            raise InputError(f"'{name}' is not in the key. {did_you_mean(name, names)}")
    given = [names.index(name) for name in dict.fromkeys(ties)]
    return given + [j for j in range(len(names)) if j not in given]
