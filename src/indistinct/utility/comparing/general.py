"""General utility of two files, with a bound on the work of the one measure that needs it.

A model of all two-way interactions costs the square of their number for every record. Of many
variables, those in the pairs that differ most are put into it, and that is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from indistinct.core import Level
from indistinct.engine import Engine
from indistinct.keys import read_coded
from indistinct.utility.analyses import Utility, analyse_utility, compare_propensity
from indistinct.utility.comparing.labels import Prepared

__all__ = ["general_utility", "most_interacting"]

_WORK = 1.5e9
"""Products summed in one pass of the two-way model: half a second; there are about twenty."""

_RECORDS = 100_000
"""Records of each file that the two-way model uses at most."""

_FEWEST = 4


def general_utility(
    engine: Engine,
    both: Prepared,
    compared: Sequence[str],
    *,
    by_name: bool,
    levels: Mapping[str, Level],
    weights: str | None,
    targets: Sequence[str],
    predictors: Sequence[str],
    by: str | None,
    seed: int,
    notes: list[str],
) -> Utility:
    """Compare the files by every general measure.

    Parameters
    ----------
    compared
        The variables.
    by_name
        Whether they were chosen; otherwise texts that differ in almost every record are left out.
    """
    most = most_interacting(both.original.records, both.released.records)
    found = analyse_utility(
        engine,
        both.original,
        both.released,
        variables=compared if by_name else None,
        levels=levels or None,
        weights=weights,
        targets=targets,
        predictors=predictors,
        by=by,
        interactions=len(compared) <= most,
        seed=seed,
    )
    if found.interactions is not None or found.pairs is None:
        return found
    ordered = sorted(found.pairs.found, key=lambda table: -table.total_variation)
    first = list(dict.fromkeys(name for table in ordered for name in table.names))[:most]
    names = [name for name in found.variables if name in first]
    known = {name: level for name, level in levels.items() if name in names}
    coded = read_coded(both.original, both.released, variables=names, levels=known or None)
    if len(names) < len(found.variables):
        notes.append(
            f"The two-way model has {len(names)} of {len(found.variables)} variables, those in the "
            f"pairs that differ most: {', '.join(names)}."
        )
    return replace(found, interactions=compare_propensity(coded, interactions=True, seed=seed))


def most_interacting(original: int, released: int) -> int:
    """Return how many variables a two-way model of so many records may have.

    >>> most_interacting(24_000, 24_000), most_interacting(1_000_000, 1_000_000)
    (21, 15)
    """
    records = min(original, _RECORDS) + min(released, _RECORDS)
    count = _FEWEST
    while records * ((count + 1) * (count + 2) / 2) ** 2 / 2 <= _WORK:
        count += 1
    return count
