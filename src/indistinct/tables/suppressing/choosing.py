"""What suppressing a cell costs, and which cells one would rather publish."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints, did_you_mean
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.system import CellSystem

__all__ = ["Cost", "cell_costs", "charges", "publishing_order"]


Cost = Literal["cells", "value", "log", "people"]


def cell_costs(system: CellSystem, sensitive: Sensitive, cost: Cost | Floats) -> Floats:
    """Return what suppressing each cell costs.

    Parameters
    ----------
    cost
        ``cells`` counts cells, ``value`` adds up what they hold, ``log`` the logarithm of one more
        than that, and ``people`` those behind the cells, where the sensitive cells know their
        contributors; or a number for each cell.

    >>> from scipy import sparse
    >>> system = CellSystem(np.array([2.0, 3, 5]), sparse.csr_matrix([[1.0, 1, -1]]))
    >>> sensitive = Sensitive.of_width(np.array([0]), 1.0)
    >>> cell_costs(system, sensitive, "cells"), cell_costs(system, sensitive, "value")
    (array([1., 1., 1.]), array([2., 3., 5.]))
    """
    if not isinstance(cost, str):
        given = np.asarray(cost, dtype=np.float64)
        if given.shape != system.values.shape or not (np.isfinite(given) & (given >= 0)).all():
            raise InputError(
                f"'cost' needs a number of at least 0 for each of the {len(system):,} cells."
            )
        return given
    size = np.abs(system.values)
    if cost == "cells":
        return np.ones(len(system))
    if cost == "value":
        return size
    if cost == "log":
        return np.log1p(size)
    if cost == "people":
        if sensitive.contributors is None:
            raise InputError(
                "cost='people' needs the contributors of the cells. Give them with the sensitive "
                "cells, or use cost='value', which counts people in tables of counts."
            )
        return sensitive.contributors.astype(np.float64)
    raise InputError(f"Unknown cost '{cost}'. {did_you_mean(cost, get_args(Cost))}")


def charges(costs: Floats, primary: Bools) -> Floats:
    """Return costs as the linear programmes take them: around 1, and none next to nothing.

    A solver tells charges apart that differ by less than its tolerance only by chance.
    """
    usual = costs[~primary & (costs > 0)]
    unit = float(np.median(usual)) if len(usual) else 1.0
    charge: Floats = np.clip(costs / unit, 1e-3, 1e3)
    return charge


def publishing_order(costs: Floats, sizes: Floats, primary: Bools) -> Ints:
    """Return the cells that are not primary, those first that one would most like to publish.

    By cost, and of equal costs the larger: totals before their parts.

    >>> publishing_order(np.ones(3), np.array([2.0, 7, 5]), np.array([True, False, False]))
    array([1, 2])
    """
    cells = np.flatnonzero(~primary)
    return cells[np.lexsort((cells, -sizes[cells], -costs[cells]))]
