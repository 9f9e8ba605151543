"""Members of a household tell about each other: a cell that was coarsened for one stands beside.

Where it can be seen which records belong together, a variable that all members share (where they
live, how many they are) is what all their labels leave possible *together*. The people are counted
again with that, and households are counted as whole households.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.core import Ints
from indistinct.households import (
    agrees_beyond_chance,
    constant_in_households,
    household_column,
    household_numbers,
    is_number_of_members,
    number_of_members,
    pairs_in_households,
    told_by_counting,
)
from indistinct.prove.covering import cover
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial, together
from indistinct.prove.possible import (
    NONE_POSSIBLE,
    Coded,
    Possible,
    ValueSets,
    by_origin,
    coded_column,
    people_in_classes,
    people_of,
)
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["HouseholdAttack", "examine_households", "what_members_tell"]


_STANDING_TOGETHER = 0.5
"""Of neighbours in a household, the share that must stand side by side in the file for an
intruder to see the households in the order of the records."""

_MEMBERS_AT_MOST = 50
"""People of a household, on average, above which a column numbers something else."""


@result(eq=True)
class HouseholdAttack(Result):
    """What members of a household tell about each other, in numbers.

    Parameters
    ----------
    linked_by
        What shows who belongs together: a variable, or the order of the records.
    shared
        Key variables that members share.
    undone
        By variable, coarsened or suppressed cells that another member tells more exactly.
    exposed
        Records that are narrowed down to fewer than k people.
    households, rare
        Households of the release, and those whose members, all taken together, are like those of
        fewer than k households.
    fewest
        The fewest households that have the same members.
    """

    linked_by: str
    shared: tuple[str, ...]
    undone: dict[str, int]
    exposed: int
    k: int
    households: int
    rare: int
    fewest: int

    FACTS = facts("linked_by shared undone exposed k households rare fewest")

    def plot(self) -> str:
        """Draw the cells of each variable that members tell more exactly, as SVG."""
        return bars("Cells that other members tell", list(self.undone), list(self.undone.values()))

    def _lines(self) -> list[str]:
        shared = ", ".join(self.shared) or "no variable of the key"
        lines = [
            f"Households, told apart by {self.linked_by}: members share {shared}",
            f"  cells undone   {sum(self.undone.values()):>12,}",
            f"  fewest people  {self.k:>12,}",
            f"  rare homes     {self.rare:>12,} of {self.households:,}",
        ]
        return lines

    def _tables(self) -> list[Table]:
        facts: dict[str, object] = {
            "households": self.households,
            "like fewer than k others": self.rare,
            "fewest households alike": self.fewest,
            "records narrowed down below k": self.exposed,
            "fewest people": self.k,
            **{f"cells of {name} undone": cells for name, cells in self.undone.items()},
        }
        return [Table.facts("What members of a household tell about each other", facts)]


@register_examiner(place=110)
def examine_households(trial: Trial) -> Opinion:
    """Put together what the members of each household tell, and count again."""
    key = [name for name in trial.promise.key if name in trial.release.variables]
    if not trial.promise.claims_k or not key:
        return Opinion()
    return together([_examine(trial, key, by, households) for by, households in _linkages(trial)])


def _examine(trial: Trial, key: Sequence[str], by: str, households: Ints) -> Opinion:
    one, other = pairs_in_households(households)
    if not len(one):
        return Opinion()
    members = number_of_members(households)
    cells = {name: _possible(trial, name, members) for name in key}
    shared = _shared(trial, cells, one, other)
    own = {name: found.of_record for name, found in cells.items()}
    told = own | {
        name: what_members_tell(cells[name].sets, own[name], households) for name in shared
    }
    counted = _told_by_counting(trial, cells, members)
    for name in counted:
        # the last labels are the numbers of members, see _possible
        _, size = np.unique(members, return_inverse=True)
        by_count = cells[name].of_label[size.reshape(-1) - (int(size.max()) + 1)]
        both = cells[name].sets.meet(told[name], by_count)
        told[name] = np.where(both == NONE_POSSIBLE, told[name], both)
    shared = tuple(name for name in key if name in {*shared, *counted})
    undone = {name: int((told[name] != own[name]).sum()) for name in shared}
    people, k = people_of(trial), trial.promise.k
    classes, counts = people_in_classes(np.stack(list(told.values()), axis=1), people)
    exposed = 0
    if any(undone.values()):
        before, first = people_in_classes(np.stack(list(own.values()), axis=1), people)
        exposed = int(((counts[classes] < k) & (first[before] >= k)).sum())
    alike = _households_alike(classes, households)
    attack = HouseholdAttack(
        by,
        shared,
        {name: cells for name, cells in undone.items() if cells},
        exposed,
        int(counts.min()),
        len(alike),
        int((alike < k).sum()),
        int(alike.min()),
    )
    return _said(trial, attack)


def _said(trial: Trial, attack: HouseholdAttack) -> Opinion:
    promise, found = trial.promise, Opinion(parts={"households": attack})
    named = ", ".join(attack.undone)
    if attack.exposed and promise.population is None:
        found = Opinion(
            findings=(
                f"members of a household tell about each other (who belongs together is seen by "
                f"{attack.linked_by}): {sum(attack.undone.values()):,} cells of {named} can be "
                f"read more exactly from other members or by counting them, and {attack.exposed:,} "
                f"{'record is' if attack.exposed == 1 else 'records are'} narrowed down to as few "
                f"as {attack.k:,} {'person' if attack.k == 1 else 'people'}",
            ),
            k=attack.k,
            parts=found.parts,
        )
    elif attack.undone and promise.population is not None:
        found = found.reserving(
            "households",
            f"cells of {named} can be read more exactly from another member of the household (by "
            f"{attack.linked_by}); k among the people of a list was counted without that",
        )
    if attack.rare:
        said = (
            f"{attack.rare:,} of {attack.households:,} households have members who, all taken "
            f"together, are like those of fewer than {promise.k:,} households: whoever knows a "
            f"whole household may find it by {attack.linked_by}"
        )
        promised = any(model.get("model") == "k-households" for model in promise.models)
        found = found.finding(said) if promised else found.reserving("households", said)
    return found


def what_members_tell(sets: ValueSets, own: Ints, households: Ints) -> Ints:
    """Return for every record what all members of its household leave possible together.

    Where members contradict each other, nothing is inferred: each keeps what its own cell says.

    >>> sets = ValueSets()
    >>> wide, narrow = (sets.number(np.array(members)) for members in ([1, 2, 3], [2]))
    >>> told = what_members_tell(sets, np.array([wide, narrow, wide]), np.array([0, 0, 1]))
    >>> [sets.members[number].tolist() for number in told]
    [[2], [2], [1, 2, 3]]
    """
    room = int(own.max(initial=0)) + 1
    # each label of a household once; the first of them, then with the second, and so on
    pairs = np.unique(households * room + own)
    of_pair, label = np.divmod(pairs, room)
    first = np.searchsorted(of_pair, of_pair)
    rank = np.arange(len(pairs)) - first
    homes = int(households.max(initial=-1)) + 1
    common = np.full(homes, NONE_POSSIBLE, dtype=np.int64)
    common[of_pair[rank == 0]] = label[rank == 0]
    for turn in range(1, int(rank.max(initial=0)) + 1):
        here = rank == turn
        common[of_pair[here]] = sets.meet(common[of_pair[here]], label[here])
    told = common[households]
    return np.where(told == NONE_POSSIBLE, own, told)


def _linkages(trial: Trial) -> list[tuple[str, Ints]]:
    """Return all that shows who belongs together in the released file, with the households."""
    release, private, promise = trial.release, trial.private, trial.promise
    known = _household_of(trial)
    columns = dict.fromkeys(
        name
        for name in (known, household_column(release))
        if name is not None and name in release.variables and name not in promise.key
    )
    found = [(name, household_numbers(release, name)) for name in columns]
    found = [(name, homes) for name, homes in found if _are_households(homes)]
    if found or private is None or known is None or known not in private.variables:
        return found
    origin = trial.origin
    if origin is None and promise.keeps_order and private.records == release.records:
        origin = np.arange(release.records, dtype=np.int64)
    if origin is None or len(origin) != release.records:
        return []
    households = by_origin(household_numbers(private, known), origin)
    one, other = pairs_in_households(households)
    if not len(one) or float((other - one == 1).mean()) < _STANDING_TOGETHER:
        return []
    return [("the order of the records", households)]


def _are_households(homes: Ints) -> bool:
    """Say whether groups are as small as households; a guessed column may number other things."""
    return len(homes) <= _MEMBERS_AT_MOST * len(np.unique(homes))


def _household_of(trial: Trial) -> str | None:
    """Return the column of the private data that says who lives together."""
    private = trial.private
    return trial.promise.household or (household_column(private) if private is not None else None)


def _possible(trial: Trial, name: str, members: Ints) -> Possible:
    """Return what the cells of a variable leave possible, and every number of members would."""
    private = trial.private
    knows = private is not None and name in private.variables
    values = coded_column(private, name).values if private is not None and knows else ()
    released = coded_column(trial.release, name)
    labels = (*released.values, *map(str, np.unique(members).tolist()))
    return Possible.of(name, Coded(labels, released.codes), values, trial.hierarchies.get(name))


def _told_by_counting(trial: Trial, cells: dict[str, Possible], members: Ints) -> tuple[str, ...]:
    """Return the variables that are the number of members: whoever counts them knows it."""
    found = {
        name
        for name, possible in cells.items()
        if is_number_of_members(possible.cover.labels, possible.codes, members)
    }
    private, known = trial.private, _household_of(trial)
    if private is not None and known is not None and known in private.variables:
        names = [name for name in cells if name in private.variables]
        found |= set(told_by_counting(private, known, names))
    return tuple(name for name in cells if name in found)


def _shared(trial: Trial, cells: dict[str, Possible], one: Ints, other: Ints) -> tuple[str, ...]:
    """Return the variables that members share: in the private data, or by all that is released.

    Both count, so that whoever holds the private data sees no less than others.
    """
    found = {name for name, possible in cells.items() if _agree_as_released(possible, one, other)}
    private = trial.private
    known = _household_of(trial)
    if private is not None and known is not None and known in private.variables:
        names: Sequence[str] = [name for name in cells if name in private.variables]
        found |= set(constant_in_households(private, known, names))
    return tuple(name for name in cells if name in found)


def _agree_as_released(possible: Possible, one: Ints, other: Ints) -> bool:
    """Say whether members' labels agree where both say something, far more than by chance."""
    said = possible.telling
    both = said[one] & said[other]
    if not both.any():
        return False
    labels = possible.cover.labels
    between = cover(labels, labels, name=possible.cover.name)
    codes = possible.codes
    agreeing = between.meets(codes[one[both]], codes[other[both]])
    telling = np.flatnonzero(said)
    drawn = np.random.default_rng(len(telling)).permutation(telling)
    by_chance = between.meets(codes[telling], codes[drawn])
    return agrees_beyond_chance(float(agreeing.mean()), float(by_chance.mean()), int(both.sum()))


def _households_alike(classes: Ints, households: Ints) -> Ints:
    """Return for every household how many have the same members, as far as classes tell."""
    numbers, of_record = np.unique(households, return_inverse=True)
    # a set with repetitions is known by the sum of random words of its members
    words = np.random.default_rng(len(classes)).integers(
        0, 1 << 64, size=int(classes.max()) + 1, dtype=np.uint64
    )
    marks = np.zeros(len(numbers), dtype=np.uint64)
    np.add.at(marks, of_record.reshape(-1), words[classes])
    _, which, counts = np.unique(marks, return_inverse=True, return_counts=True)
    return np.asarray(counts[which.reshape(-1)], dtype=np.int64)
