"""What changed between the original and the released file, record by record.

The figures are those by which McCaa, Muralidhar, Sarathy, Comerford and Esteve (2013), "Analytical
tests of controlled shuffling …", section 4, describe the protection of a census sample: the per
cent of records changed in each variable, in any, in two or more, by age group and in couples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indistinct.core import Bools, Floats, InputError, Ints, Level, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.households import Kinship
from indistinct.prove.changes.groups import Rule, find_groups, who
from indistinct.prove.changes.pairing import Match, pair_keys, pair_records, shared_variables
from indistinct.prove.changes.result import Changes, GroupChanges, VariableChanges
from indistinct.prove.changes.scales import Scale
from indistinct.prove.changes.shares import CoupleShares, couple_shares, restricted
from indistinct.prove.changes.spread import measure_spread

__all__ = ["changes"]


def changes(
    engine: Engine,
    original: Source,
    released: Source,
    *,
    variables: Sequence[str] | None = None,
    groups: Mapping[str, Rule] | None = None,
    by: Sequence[str] = (),
    kinship: Kinship | None = None,
    woman: Rule | None = None,
    match: Match | None = None,
    levels: Mapping[str, Level] | None = None,
) -> Changes:
    """Compare the released file with the original, record by record.

    Parameters
    ----------
    variables
        What to compare; by default all that both files have but identifiers, weights and
        household numbers.
    groups
        Groups of people by name: true or false for every original record, or a rule in words
        about the original file (``"age >= 20"``; see `who`).
    by
        Variables whose values in the original file are groups as well.
    kinship
        Households and couples, by original record.
    woman
        Who is a woman, as a group is given; needed for couples.
    match
        A column that identifies the records of both files, or for each released record the number
        of the original one (-1 for nobody); by default they correspond by position.
    levels
        The level of measurement of variables where the file does not say it rightly.

    A missing value equals a missing value. Values compare as in `joint_scale`.

    >>> import indistinct, pyarrow as pa
    >>> before = pa.table({"age": [30, 40, 8, None], "sex": [1, 2, 1, 2]})
    >>> after = pa.table({"age": [40, 30, 8, None], "sex": [1, 2, 2, 2]})
    >>> with indistinct.open_data(before) as a, indistinct.open_data(after) as b:
    ...     found = changes(a.engine, a.source, b.source, groups={"20plus": "age >= 20"})
    >>> found.percent()
    {'any_variable': 75.0, 'two_or_more_all': 0.0, 'age': 50.0, 'sex': 25.0, 'age_20plus': 100.0,
     'sex_20plus': 0.0, 'at_least_one_20plus': 100.0, 'two_or_more_20plus': 0.0}
    """
    names = shared_variables(original, released, variables, match=match)
    partner = pair_records(original, released, match=match)
    members = find_groups(original, groups, by)
    kept = np.ones(original.records, bool) if partner is None else partner >= 0
    found, flags = [], {}
    for name in progress.each(names, "comparing values", unit="variables"):
        pairs = pair_keys(engine, original, released, [name], partner=partner, levels=levels)
        mine, theirs = pairs.code(0)
        flags[name] = mine != theirs
        before = np.bincount(mine, minlength=pairs.scales[0].size)
        found.append(_variable(pairs.scales[0], mine, theirs, before, int(kept.sum())))
    number = np.zeros(original.records, dtype=np.int16)
    for changed in flags.values():
        number += changed
    notes: list[str] = []
    couples, same_sex = _couples(original, kinship, woman, kept, flags, number > 0, notes)
    counts = np.bincount(number[kept], minlength=1)
    return Changes(
        _group("everybody", kept, flags, number),
        int((~kept).sum()),
        tuple(found),
        {n: int(count) for n, count in enumerate(counts)},
        tuple(_group(name, kept & rows, flags, number) for name, rows in members.items()),
        couples,
        same_sex,
        tuple(notes),
        flags,
        kept,
        members,
        None if kinship is None else kinship.household,
    )


def _variable(
    scale: Scale, mine: Ints, theirs: Ints, before: Ints, records: int
) -> VariableChanges:
    rows = np.flatnonzero(mine != theirs)
    if not scale.ordered:
        return VariableChanges(scale.name, scale.level, records, len(rows))
    a, b = mine[rows], theirs[rows]
    far = np.abs(scale.place[a] - scale.place[b])
    placed = np.isfinite(far)
    rank = _mid_ranks(scale, before)
    return VariableChanges(
        scale.name,
        scale.level,
        records,
        len(rows),
        None if scale.level == "ordinal" else measure_spread(far[placed]),
        measure_spread(np.abs(rank[a] - rank[b])[placed]),
        int((~placed).sum()),
    )


def _mid_ranks(scale: Scale, before: Ints) -> Floats:
    """Return each code's mid-rank among the original's placed values, as a share of them."""
    placed = np.isfinite(scale.place)
    values, at = np.unique(scale.place[placed], return_inverse=True)
    counts = np.bincount(at, weights=before[placed], minlength=len(values))
    middle = (np.cumsum(counts) - counts / 2) / max(1.0, counts.sum())
    found = np.full(scale.size, np.nan)
    found[placed] = middle[at]
    return found


def _group(
    name: str, rows: Bools, flags: Mapping[str, Bools], number: NDArray[np.int16]
) -> GroupChanges:
    records = int(rows.sum())
    inside = number[rows]
    shares = {v: int(changed[rows].sum()) / max(1, records) for v, changed in flags.items()}
    return GroupChanges(
        name,
        records,
        shares,
        int((inside > 0).sum()) / max(1, records),
        int((inside > 1).sum()) / max(1, records),
    )


def _couples(
    original: Source,
    kinship: Kinship | None,
    woman: Rule | None,
    kept: Bools,
    flags: Mapping[str, Bools],
    any_changed: Bools,
    notes: list[str],
) -> tuple[dict[str, CoupleShares] | None, int]:
    if kinship is None:
        return None, 0
    if kinship.records != original.records:
        raise InputError(
            f"The kinship is of {kinship.records:,} people, but {original.origin} has "
            f"{original.records:,} records. Find it from the original file."
        )
    if woman is None:
        notes.append("couples were not counted: woman was not given")
        return None, 0
    couples = restricted(kinship.couples(who(original, woman, name="woman")), kept)
    by_name = {"any variable": any_changed, **flags}
    return {v: couple_shares(f, couples) for v, f in by_name.items()}, len(couples.same_sex)
