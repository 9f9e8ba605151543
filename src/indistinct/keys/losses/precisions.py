"""Sweeney's distance and precision: how many levels the cells of a release have climbed.

Sweeney (2001, section 6.5, Figures 31 and 32). The distance of a value to its generalisation is
the number of levels it has climbed; that of a table is the sum over its cells. *Precision*
divides each by the height of its hierarchy, so that a suppressed cell costs 1:

    Prec = 1 − Σⱼ Σᵢ h(i, j) / |VGHⱼ|  /  (|PT| · N_A)

with h(i, j) the levels climbed by the cell of record i and attribute j, |VGHⱼ| the height of the
attribute's hierarchy, |PT| the records of the *private* table and N_A its attributes. A record
that is left out counts as one whose cells are all suppressed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from indistinct.core import Floats, InputError
from indistinct.keys import Recoding
from indistinct.keys.losses.cells import cell_counts, total_cost, weights_of

__all__ = ["distortion", "levels_up", "precision", "precision_loss"]


def levels_up(
    recoding: Recoding,
    *,
    variables: Sequence[str] | None = None,
    start_levels: Mapping[str, int] | None = None,
) -> int:
    """Return Sweeney's distance: the levels that all cells together have climbed.

    A cell of a record left out has climbed to the root.

    Parameters
    ----------
    variables
        The attributes that count; all of the key by default.
    start_levels
        The level at which a variable's data began, 0 by default.
    """
    starts = recoding.keys.check_levels(start_levels or {})
    counts = cell_counts(recoding)
    total = 0
    for j in _chosen(recoding, variables):
        height = recoding.keys.heights[j]
        climbed = np.maximum(np.arange(height + 1) - starts[j], 0)
        total += int(counts.kept[j].sum(axis=1) @ climbed)
        total += int(counts.dropped[j].sum()) * (height - starts[j])
    return total


def distortion(
    recoding: Recoding,
    *,
    variables: Sequence[str] | None = None,
    start_levels: Mapping[str, int] | None = None,
) -> float:
    """Return the sum over all cells of the levels climbed, each as a share of the height.

    Parameters are those of `precision`, which is one less the mean of the same shares.
    """
    chosen = _chosen(recoding, variables)
    return float(_shares(recoding, chosen, start_levels).sum())


def precision(
    recoding: Recoding,
    *,
    variables: Sequence[str] | None = None,
    start_levels: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> float:
    """Return Sweeney's precision: 1 for the original table, 0 if everything is suppressed.

    Parameters
    ----------
    recoding
        The release. Records left out count as suppressed in all cells, and |PT| counts them.
    variables
        The attributes that count (N_A of them); all of the key by default.
    start_levels
        The level at which a variable's data began, for a table that was generalised before it
        came. From there a cell climbs ``level − start`` of ``height − start``.
    weights
        The importance of variables, 1 by default.

    >>> from indistinct.hierarchy import code_hierarchy
    >>> from indistinct.keys import Generalisable
    >>> from indistinct import open_data
    >>> zips = code_hierarchy(["02138", "02139", "02141"], name="zip", digits=(4, 3))
    >>> with open_data({"zip": ["02138", "02139", "02141", "02141"]}) as data:
    ...     keys = Generalisable.of(data.key_table(["zip"]), {"zip": zips})
    >>> release = Recoding.full_domain(keys, [1])
    >>> levels_up(release), round(precision(release), 4)
    (4, 0.6667)
    """
    chosen = _chosen(recoding, variables)
    weight = weights_of(recoding, weights)[chosen]
    if not len(chosen) or not recoding.keys.records or not weight.any():
        return 1.0
    shares = _shares(recoding, chosen, start_levels) / recoding.keys.records
    return 1.0 - float(shares @ weight / weight.sum())


def precision_loss(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> float:
    """Return one less the precision: the mean of level over height, as ARX scores it."""
    return 1.0 - precision(recoding, weights=weights)


def _shares(
    recoding: Recoding, chosen: list[int], start_levels: Mapping[str, int] | None
) -> Floats:
    starts = recoding.keys.check_levels(start_levels or {})

    def cost(j: int) -> Floats:
        height = recoding.keys.heights[j]
        climbed = np.maximum(np.arange(height + 1) - starts[j], 0)
        return (climbed / max(height - starts[j], 1))[:, None]

    return total_cost(recoding, cost, variables=chosen)


def _chosen(recoding: Recoding, variables: Sequence[str] | None) -> list[int]:
    if variables is None:
        return list(range(len(recoding.keys.names)))
    if isinstance(variables, str):
        raise InputError("The variables must be a list of names. Got one text.")
    return [recoding.keys.table.position(name) for name in variables]
