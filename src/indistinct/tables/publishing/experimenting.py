"""The experiments that Openshaw et al. (1997) ask for, on the tables of a project."""

from __future__ import annotations

from typing import Literal

from indistinct.core import InputError, Seed
from indistinct.flow import Data
from indistinct.tables import (
    RiskByAreaSize,
    RiskByRecodes,
    RiskByTables,
    SafeSize,
    risk_by_area_size,
    risk_by_recodes,
    risk_by_tables,
    smallest_safe_size,
)
from indistinct.tables.publishing.asked import Asked
from indistinct.tables.publishing.publish_tables import count_asked

__all__ = ["Experiment", "experiment"]

Experiment = Literal["tables", "area-size", "recodes", "safe-size"]
"""What the risk is shown against: the number of tables, the size of areas, the coding of a
variable; or the search for the smallest size of areas that is safe."""


WIDTHS = (1, 2, 5, 10, 20)
"""Widths of bands that are tried for a variable."""


def experiment(
    data: Data, asked: Asked, kind: Experiment, *, vary: str | None = None, seed: Seed = 0
) -> RiskByTables | RiskByAreaSize | RiskByRecodes | SafeSize:
    """Show how the risk of the tables that are asked for depends on one thing.

    Parameters
    ----------
    vary
        For ``recodes``, the variable whose numbers are banded ever more widely.
    """
    counted, _ = count_asked(data, asked)
    if kind == "tables":
        return risk_by_tables(counted, seed=seed)
    if kind == "area-size":
        return risk_by_area_size(counted, seed=seed)
    if kind == "safe-size":
        return smallest_safe_size(counted, seed=seed)
    if vary is None:
        raise InputError("Which variable is recoded? Name it with --vary, as --vary age.")
    return risk_by_recodes(counted, variable=vary, widths=WIDTHS, seed=seed)
