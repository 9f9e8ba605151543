"""Which cells must not be told, and how unsure an attacker must stay about them."""

from __future__ import annotations

import numpy as np

from indistinct.core import Bools, Floats, InputError, Ints
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["Sensitive"]


@result
class Sensitive(Result):
    """Sensitive cells of a system, and the interval that an attacker must not get below.

    The interval of values that agree with everything published must reach at least `lower` below
    the true value and `upper` above it, and be at least `sliding` wide; and it must always hold
    more than one value.

    Parameters
    ----------
    cells
        The cells, as positions in the system.
    lower, upper, sliding
        The requirements, one of each for every sensitive cell.
    contributors
        For every cell of the system the people (or firms) behind it, where that is known. Who is
        alone in a cell knows its value, and may subtract it.
    why
        For every sensitive cell the rule that found it.
    """

    cells: Ints
    lower: Floats
    upper: Floats
    sliding: Floats
    contributors: Ints | None = None
    why: tuple[str, ...] = ()

    FACTS = facts(Fact("cells", lambda found: len(found)), Fact("rules", "by_rule"))

    def sentence(self) -> str:
        """Say how many cells which rule found."""
        rules = ", ".join(f"{rule}: {n:,}" for rule, n in self.by_rule.items())
        return f"Sensitive({len(self):,} cells{'; ' + rules if rules else ''})"

    @property
    def by_rule(self) -> dict[str, int]:
        """How many cells each rule found."""
        return {rule: self.why.count(rule) for rule in sorted(set(self.why))}

    def _row_tables(self) -> list[Table]:
        rows = list(self.by_rule.items()) or [("given", len(self))]
        return [Table("Sensitive cells", ("rule", "cells"), rows)]

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "sliding"):
            required = getattr(self, name)
            if len(required) != len(self.cells):
                raise InputError(f"'{name}' needs one number for each sensitive cell.")
            if (required < 0).any():
                raise InputError(f"'{name}' must not be negative.")

    @classmethod
    def of_width(
        cls,
        cells: Ints,
        width: float,
        *,
        contributors: Ints | None = None,
        why: tuple[str, ...] = (),
    ) -> Sensitive:
        """Return a requirement of a width alone, for counts: intervals at least so wide."""
        none = np.zeros(len(cells))
        return cls(cells, none, none, np.full(len(cells), float(width)), contributors, why)

    def __len__(self) -> int:
        return len(self.cells)

    def holds(self, values: Floats, low: Floats, high: Floats) -> Bools:
        """Say of every sensitive cell whether an attacker's interval is wide enough.

        `values`, `low` and `high` are those of the sensitive cells. Numbers that a solver found
        are compared with the tolerance that it has.
        """
        slack = 1e-6 * np.maximum(1.0, np.abs(values))
        wide: Bools = (
            (low <= values - self.lower + slack)
            & (high >= values + self.upper - slack)
            & (high - low >= self.sliding - slack)
            & (high - low > slack)
        )
        return wide
