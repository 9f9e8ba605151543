"""Several releases of the same people: what they tell together, though each is safe alone.

A second release, for another recipient or of another year, is put together with every earlier
one. Records that may be about the same person are found by all that the releases share, whether
it is a key variable or not; then people are counted again (Sweeney 2001, sections 3.2 and 4.1:
"the data holder cannot release both versions, because doing so may allow the two releases to be
linked and reveal all information").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.core import Bools, InputError, Ints, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, Nesting, is_suppressed
from indistinct.prove.covering import texts_of
from indistinct.prove.together.build import Combination, Edition
from indistinct.prove.together.count import NONE, Left, Profiles, left_in_files, left_in_people
from indistinct.prove.together.join import (
    AT_MOST_PAIRS,
    Sets,
    distinct_rows,
    layers_of,
    meeting_pairs,
)
from indistinct.prove.together.people import People, people_of
from indistinct.prove.together.result import (
    Apart,
    Given,
    Joined,
    Pinned,
    Restored,
    Together,
    TogetherWitness,
)
from indistinct.prove.verification import AT_MOST_WITNESSES

__all__ = ["check_together", "pinned_people"]


# Sensitive values that several releases leave to a person, by intersection.
#
# A person known to be in every release has one of the values of her class in the first, and one of
# the values of her class in the second; what is left is what both allow (the intersection attack of
# Ganta, Kasiviswanathan and Smith, *Composition attacks and auxiliary information in data privacy*,
# KDD 2008). It needs no record to be linked, only the values to be the same in all releases.


TYPES_AT_ONCE = 1 << 16


def pinned_people(combination: Combination, people: People, attribute: str) -> Pinned:
    """Count the people for whom one value of an attribute is left that all releases allow."""
    having = [number for number, e in enumerate(combination.editions) if attribute in e.columns]
    totals = np.zeros(4, dtype=np.int64)
    values = [_values_of_keys(combination, number, attribute) for number in having]
    meeting = [_first_labels(combination, number, attribute, having[0]) for number in having]
    hidden = [_hidden(combination, number, attribute) for number in having]
    for start in range(0, len(people.types), TYPES_AT_ONCE):
        types = people.types[start : start + TYPES_AT_ONCE]
        amounts = people.people[start : start + TYPES_AT_ONCE]
        size = len(types)
        allowed = []
        for number, of_key in zip(having, values, strict=True):
            own = Sets(np.arange(size + 1, dtype=np.int64), types[:, number], np.ones(size, bool))
            keys = Sets.of_pairs(*own.through(people.known), size=size)
            allowed.append(Sets.of_pairs(*keys.through(of_key), size=size))
        counts = np.stack([_counts(a, h) for a, h in zip(allowed, hidden, strict=True)])
        common = allowed[0]
        for own, labels in zip(allowed[1:], meeting[1:], strict=True):
            common = _intersection(common, Sets.of_pairs(*own.through(labels), size=size))
        left = _counts(common, hidden[0])
        linked = counts.min(axis=0) > 0
        single = counts.min(axis=0) == 1
        totals += [
            int(amounts[linked].sum()),
            int(amounts[linked & ~single & (left == 1)].sum()),
            int(amounts[linked & single].sum()),
            int(amounts[linked & (left == 0)].sum()),
        ]
    names = tuple(combination.editions[number].name for number in having)
    return Pinned(attribute, names, *totals.tolist())


def _values_of_keys(combination: Combination, number: int, attribute: str) -> Sets:
    """Return the values found under every key of a release."""
    values = combination.tables[number].codes([attribute])[:, 0]
    return Sets.of_pairs(combination.key_of_row[number], values, size=combination.key_count)


def _first_labels(combination: Combination, number: int, attribute: str, first: int) -> Sets:
    """Return for every value of a release the first release's labels that it meets."""
    here = combination.tables[first].labels(attribute)
    there = combination.tables[number].labels(attribute)
    tree = combination.hierarchies.get(attribute)
    layers, _ = layers_of(here, there, name=attribute, hierarchy=tree)
    label, value = meeting_pairs(
        np.arange(len(here)).reshape(-1, 1), np.arange(len(there)).reshape(-1, 1), [layers]
    )
    return Sets.of_pairs(value, label, size=len(there))


def _hidden(combination: Combination, number: int, attribute: str) -> Bools:
    tree = combination.hierarchies.get(attribute)
    texts = texts_of(combination.tables[number].labels(attribute))
    return np.array([is_suppressed(text, tree) for text in texts], dtype=bool)


def _intersection(one: Sets, other: Sets) -> Sets:
    room = 1 + max(int(one.members.max(initial=0)), int(other.members.max(initial=0)))
    size = len(one)
    first, second = (
        np.repeat(np.arange(size), sets.sizes) * room + sets.members for sets in (one, other)
    )
    both = np.intersect1d(first, second, assume_unique=True)
    return Sets.of_pairs(both // room, both % room, size=size)


def _counts(sets: Sets, hidden: Bools) -> Ints:
    """Count the values of each set; a suppressed one may be anything, so it counts as several."""
    rows = np.repeat(np.arange(len(sets)), sets.sizes)
    amounts = np.where(hidden[sets.members], 2, 1)
    return np.bincount(rows, weights=amounts, minlength=len(sets)).astype(np.int64)


MOST_RELEASES = 8
LEAST_PROMISE = 2
NAMED_PEOPLE = 5


def check_together(
    engine: Engine,
    releases: Sequence[Edition],
    *,
    people: Source | None = None,
    people_names: Mapping[str, str] | None = None,
    attributes: Sequence[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    promises: Mapping[str, int] | None = None,
    same_people: bool = False,
    sensitive: Sequence[str] = (),
    limit: int = AT_MOST_PAIRS,
) -> Together:
    """Count the people left for every record when releases are put together.

    Parameters
    ----------
    releases
        Two or more, in any order.
    people
        The people who may be meant: a population register, or the private data themselves.
        Without them the records are people, and what is said is at least so many.
    people_names
        Common names of the register's columns, where they differ.
    attributes
        What to join on, by common name; by default all that two releases have. Leave out what is
        not true in both: values that were exchanged, blurred, or have changed since.
    hierarchies
        What generalised labels stand for, by attribute; other labels are read by their form.
    promises
        k by the name of a release, for those that do not say it themselves.
    same_people
        All releases are about exactly the same people, so that records pair off one to one.
    sensitive
        Attributes for which to count people with a single value left; needs `people`.
    limit
        Pairs that are listed for two releases; beyond, numbers are lower bounds.

    >>> import indistinct
    >>> from indistinct.files import open_table
    >>> a = {"zip": ["02138", "02138"], "race": ["*", "*"], "ill": ["flu", "gout"]}
    >>> b = {"zip": ["*", "*"], "race": ["black", "white"], "ill": ["flu", "gout"]}
    >>> with indistinct.open_data(a) as data:
    ...     other = open_table(b, workspace=data.engine.workspace, origin="B")
    ...     key = ("zip", "race")
    ...     both = [Edition(data.source, "A", key, k=2), Edition(other, "B", key)]
    ...     found = check_together(data.engine, both)
    >>> print(found.sentence)
    A and B together leave fewer than 2 people for 4 of 4 records (at the least 1); 2 of them
    without being put together
    """
    editions = _checked(releases, promises or {})
    notes: list[str] = []
    columns = _people_columns(people, people_names or {})
    known = list(dict.fromkeys(name for edition in editions for name in edition.key))
    if not known:
        raise InputError("What can an intruder know of people? Name the key of a release at least.")
    if people is not None:
        linking = [name for name in known if name in columns]
        if not linking:
            raise InputError(
                f"{people.origin} shares no key variable with the releases. The keys are "
                f"{', '.join(known)}; it has {', '.join(list(columns)[:20])}."
            )
    else:
        linking = known
    _check_names(editions, attributes, sensitive, people)
    combination = Combination(
        engine,
        editions,
        known=linking,
        attributes=attributes,
        hierarchies=hierarchies or {},
        carried=sensitive,
        same_people=same_people,
        limit=limit,
    )
    promised = [edition.k for edition in editions if edition.k is not None]
    if not promised:
        notes.append(f"no release promised a k: {LEAST_PROMISE} is taken")
    promise = max(promised, default=LEAST_PROMISE)
    crowd = None if people is None else people_of(engine, people, columns, combination)
    alone = combination.class_sizes() if crowd is None else crowd.alone
    profiles, profile_of_row = combination.profiles(alone)
    if crowd is None:
        left, unresolved = _by_records(combination, profiles, promise)
    else:
        left, unresolved = _by_people(combination, profiles, crowd, promise)
    below = (left.people < promise) & (profiles.alone > 0)
    return Together(
        releases=_given(combination, profiles, left, below, promise),
        promise=promise,
        k=_least(left.people[profiles.alone > 0]),
        below=int(profiles.records[below].sum()),
        pairs=_joined(combination, profiles, left, promise),
        restored=tuple(_restored(combination, known)),
        apart=tuple(_apart(combination, promise)),
        pinned=tuple(
            pinned_people(combination, crowd, name) for name in sensitive if crowd is not None
        ),
        witnesses=tuple(_witnesses(combination, profiles, profile_of_row, left, below, crowd)),
        people=None if people is None else people.origin,
        same_people=same_people,
        unresolved=int(profiles.records[unresolved & below].sum()),
        notes=(*notes, *combination.notes),
    )


def _checked(releases: Sequence[Edition], promises: Mapping[str, int]) -> list[Edition]:
    if not 2 <= len(releases) <= MOST_RELEASES:
        raise InputError(
            f"From 2 to {MOST_RELEASES} releases can be put together. Got {len(releases)}."
        )
    names = [edition.name for edition in releases]
    if len(set(names)) < len(names):
        raise InputError("Every release needs a name of its own. Got a name twice.")
    for edition in releases:
        if not edition.source.records:
            raise InputError(f"{edition.name} has no records. Leave it out.")
    for name in promises:
        if name not in names:
            raise InputError(f"There is no release '{name}'. {did_you_mean(name, names)}")
    return [
        replace(edition, k=edition.k if edition.k is not None else promises.get(edition.name))
        for edition in releases
    ]


def _people_columns(people: Source | None, names: Mapping[str, str]) -> dict[str, str]:
    if people is None:
        return {}
    people.check_columns(list(names))
    return {names.get(column, column): column for column in people.variables}


def _check_names(
    editions: Sequence[Edition],
    attributes: Sequence[str] | None,
    sensitive: Sequence[str],
    people: Source | None,
) -> None:
    times: dict[str, int] = {}
    for edition in editions:
        for name in edition.columns:
            times[name] = times.get(name, 0) + 1
    for name in [*(attributes or ()), *sensitive]:
        if times.get(name, 0) < 2:
            known = [other for other, number in times.items() if number > 1]
            raise InputError(
                f"'{name}' is not an attribute of two releases. {did_you_mean(name, known)}"
            )
    if sensitive and people is None:
        raise InputError(
            "To find people whose sensitive value is known, name the people: a register or the "
            "private data."
        )


def _by_people(
    combination: Combination, profiles: Profiles, crowd: People, promise: int
) -> tuple[Left, Bools]:
    left = left_in_people(
        profiles,
        combination.partners,
        types=crowd.types,
        type_people=crowd.people,
        known=crowd.known,
        types_of_key=crowd.types_of_key,
        keys=combination.key_count,
        enough=promise,
    )
    partial = _partial(combination, profiles) | (not crowd.whole)
    # without all partners, nobody left means nothing
    lost = partial & (left.by != (1 << profiles.sets.shape[1]) - 1) & (profiles.alone > 0)
    return replace(left, people=np.where(lost, 1, left.people)), partial


def _by_records(combination: Combination, profiles: Profiles, promise: int) -> tuple[Left, Bools]:
    releases = profiles.sets.shape[1]

    def count(used: Bools) -> Ints:
        return left_in_files(
            profiles,
            combination.partners,
            profiles_of_key=combination.profiles_of_key(profiles),
            containing=combination.containing,
            release_of_key=combination.release_of_key,
            keys=combination.key_count,
            enough=promise,
            used=used,
        )

    people = count(np.ones(releases, dtype=bool))
    by_pair = np.repeat(profiles.alone.reshape(-1, 1), releases, axis=1)
    for i, j in combination.shared:
        found = people
        if releases > 2:
            found = count(np.isin(np.arange(releases), (i, j)))
        for own, other in ((i, j), (j, i)):
            here = profiles.release == own
            by_pair[here, other] = found[here]
    by = np.full(len(profiles), (1 << releases) - 1, dtype=np.int64)
    return Left(people, by, by_pair), _partial(combination, profiles)


def _partial(combination: Combination, profiles: Profiles) -> Bools:
    """Say of profiles whether some of their partners were left out."""
    complete = np.append(combination.partners.complete, True)  # NONE is the last
    return np.asarray(np.logical_not(complete[profiles.sets].all(axis=1)), dtype=bool)


def _least(people: Ints) -> int:
    return int(people.min()) if len(people) else 0


def _given(
    combination: Combination,
    profiles: Profiles,
    left: Left,
    below: Bools,
    promise: int,
) -> tuple[Given, ...]:
    found = []
    for number, edition in enumerate(combination.editions):
        own = profiles.release == number
        linked = own & (profiles.alone > 0)
        found.append(
            Given(
                edition.name,
                edition.key,
                edition.source.records,
                edition.k,
                _least(profiles.alone[linked]),
                _least(left.people[linked]),
                int(profiles.records[own & below].sum()),
                int(profiles.records[linked & (profiles.alone < promise)].sum()),
                int(profiles.records[own & ~linked].sum()),
            )
        )
    return tuple(found)


def _joined(
    combination: Combination, profiles: Profiles, left: Left, promise: int
) -> tuple[Joined, ...]:
    found = []
    for (i, j), shared in combination.shared.items():
        below = 0
        for own, other in ((i, j), (j, i)):
            few = (profiles.alone > 0) & (left.by_pair[:, other] < promise)
            below += int(profiles.records[few & (profiles.release == own)].sum())
        names = (combination.editions[i].name, combination.editions[j].name)
        found.append(Joined(names, shared, below))
    return tuple(found)


def _apart(combination: Combination, promise: int) -> list[Apart]:
    found = []
    for number, sets in enumerate(combination.set_of_row):
        table = combination.tables[number]
        for other, edition in enumerate(combination.editions):
            rows = np.flatnonzero(sets[:, other] == NONE)
            if other == number or not len(rows):
                continue
            keys = combination.key_of_row[number][rows]
            together = np.bincount(keys, weights=table.records[rows]).astype(np.int64)
            small = table.records[rows][together[keys] < promise]
            found.append(
                Apart(
                    combination.editions[number].name,
                    edition.name,
                    int(table.records[rows].sum()),
                    int(small.sum()),
                )
            )
    return found


def _restored(combination: Combination, known: Sequence[str]) -> list[Restored]:
    """Find attributes for which all partners of a record agree on more than the record says."""
    found = []
    partners = combination.partners
    filled = np.flatnonzero((partners.sizes > 0) & partners.complete)
    for other, edition in enumerate(combination.editions if len(filled) else ()):
        table = combination.tables[other]
        for name in (n for n in known if n in edition.columns):
            if name not in combination.keys[other]:
                continue
            labels = table.labels(name)
            tree = combination.hierarchies.get(name)
            hidden = np.array([is_suppressed(label, tree) for label in labels], dtype=bool)
            at = combination.keys[other].index(name)
            code_of_key = np.full(combination.key_count, -1, dtype=np.int64)
            own = slice(combination.offsets[other], combination.offsets[other + 1])
            code_of_key[own] = combination.key_rows[other][:, at]
            codes = code_of_key[partners.members]
            told = np.full(len(partners) + 1, -1, dtype=np.int64)  # NONE is the last
            starts = partners.starts[filled]
            least, most = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
            agreed = (least == most) & (least >= 0)
            agreed[agreed] = ~hidden[least[agreed]]
            told[filled[agreed]] = least[agreed]
            for number in range(len(combination.editions)):
                if number != other:
                    records = _gained(combination, number, other, name, told)
                    if records:
                        receiver = combination.editions[number].name
                        found.append(Restored(name, receiver, edition.name, records))
    return found


def _gained(combination: Combination, number: int, other: int, name: str, told: Ints) -> int:
    """Count the records of a release to which another tells more of an attribute."""
    table = combination.tables[number]
    code = told[combination.set_of_row[number][:, other]]
    rows = np.flatnonzero(code >= 0)
    if name in combination.editions[number].columns:
        own = table.codes([name])[rows, 0]
        here, there = table.labels(name), combination.tables[other].labels(name)
        tree = combination.hierarchies.get(name)
        inside = Nesting(there, here, hierarchy=tree).of_pairs(code[rows], own)
        outside = Nesting(here, there, hierarchy=tree).of_pairs(own, code[rows])
        rows = rows[inside & ~outside]
    return int(table.records[rows].sum())


def _witnesses(
    combination: Combination,
    profiles: Profiles,
    profile_of_row: Sequence[Ints],
    left: Left,
    below: Bools,
    crowd: People | None,
) -> list[TogetherWitness]:
    """Show the records with the fewest people left, first those that were safe alone."""
    bad = np.flatnonzero(below)
    order = np.lexsort((bad, -profiles.alone[bad], left.people[bad]))
    found = []
    for profile in bad[order[:AT_MOST_WITNESSES]].tolist():
        own = int(profiles.release[profile])
        table = combination.tables[own]
        row = int(np.flatnonzero(profile_of_row[own] == profile)[0])
        used = [
            other
            for other in range(len(combination.editions))
            if profiles.sets[profile, other] != NONE and left.by[profile] >> other & 1
        ]
        keys = {other: combination.partners[profiles.sets[profile, other]] for other in used}
        rows: tuple[int, ...] = ()
        if crowd is not None:
            people = crowd.rows_left(int(profiles.key[profile]), list(keys.values()))
            records, _ = crowd.table.counted.records_in(people)
            rows = tuple((np.sort(records)[:NAMED_PEOPLE] + 1).tolist())
        names = [edition.name for edition in combination.editions]
        found.append(
            TogetherWitness(
                names[own],
                table.first_records(np.array([row]))[row] + 1,
                {
                    names[other]: _first_partner(combination, own, row, other, keys[other]) + 1
                    for other in used
                    if len(keys[other])
                },
                {names[other]: len(keys[other]) for other in used},
                int(left.people[profile]),
                int(profiles.alone[profile]),
                rows,
            )
        )
    return found


def _first_partner(combination: Combination, own: int, row: int, other: int, keys: Ints) -> int:
    """Return the first record of another release that a row meets and that has one of the keys."""
    names = combination.shared[min(own, other), max(own, other)]
    mine = combination.tables[own].codes(names)[row : row + 1]
    theirs, number = distinct_rows(combination.tables[other].codes(names))
    layers = [combination.layers(own, other, name) for name in names]
    _, met = meeting_pairs(mine, theirs, layers)
    rows = np.flatnonzero(np.isin(number, met) & np.isin(combination.key_of_row[other], keys))
    return min(combination.tables[other].first_records(rows).values())
