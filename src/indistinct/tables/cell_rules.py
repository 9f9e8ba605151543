"""Rules that say which published cells are sensitive, and how unsure an attacker must stay.

For a cell with the contributions x₁ ≥ x₂ ≥ … and the total X:

- threshold: fewer than t contributors;
- dominance (n, k): x₁ + … + xₙ > k/100 · X;
- p %: X − x₁ − x₂ < p/100 · x₁: the second largest can tell the largest to within p percent;
- (p, q): as p %, where everybody was known to within q percent beforehand.

The rules, and the protection that is customary for each, are those of Hundepool et al. (2012),
"Statistical disclosure control", chapter 4. A cell is left alone where a rule is met exactly.
"""

from __future__ import annotations

import numpy as np

from indistinct.core import Floats, InputError, above, at_least, check_number, check_whole
from indistinct.tables.magnitudes.totals import SystemContributions
from indistinct.tables.sensitive import Sensitive
from indistinct.tables.system import CellSystem

__all__ = ["combined", "dominance_rule", "p_percent_rule", "pq_rule", "threshold_rule"]


ROUNDING = 1e-9
"""Sums of floating numbers that differ by less than this share of a cell's value are equal."""


def threshold_rule(
    system: CellSystem,
    threshold: int,
    *,
    contributions: SystemContributions | None = None,
    zeros: bool = False,
    width: float | None = None,
    percent: float = 30.0,
) -> Sensitive:
    """Return the cells of 1 to `threshold` − 1 people, or contributors.

    Parameters
    ----------
    contributions
        Who is behind the cells. Without it every cell is a count.
    zeros
        Whether cells of nobody are sensitive too.
    width
        For counts, how wide an attacker's interval must be; `threshold` if not given.
    percent
        For sums, how far the interval must reach below and above, in percent of the cell's value.

    >>> from scipy import sparse
    >>> system = CellSystem(np.array([1.0, 7.0, 8.0]), sparse.csr_matrix([[1.0, 1.0, -1.0]]))
    >>> threshold_rule(system, 3)
    Sensitive(1 cells; threshold 3: 1)
      Sensitive cells
        rule         cells
        threshold 3      1
    """
    check_whole("threshold", threshold, 2)
    check_number("percent", percent, at_least(0))
    if contributions is None:
        people = np.rint(system.values).astype(np.int64)
        counts = np.ones(len(system), dtype=bool)
    else:
        _same_cells(system, contributions)
        people, counts = contributions.contributors, contributions.counts
    found = (people < threshold) & (people >= (0 if zeros else 1))
    cells = np.flatnonzero(found)
    wide = np.where(counts[cells], float(threshold if width is None else width), 0.0)
    reach = np.where(counts[cells], 0.0, percent / 100 * np.abs(system.values[cells]))
    why = (f"threshold {threshold}",) * len(cells)
    return Sensitive(cells, reach, reach.copy(), wide, people, why)


def dominance_rule(
    system: CellSystem,
    contributions: SystemContributions,
    *,
    n: int,
    k: float,
    lower: bool = True,
    sliding: bool = False,
) -> Sensitive:
    """Return the cells of which the `n` largest contributors have more than `k` percent.

    The attacker's interval must reach 100/k · (x₁ + … + xₙ) − X above the value: were the cell so
    large, the rule would be met.

    Parameters
    ----------
    lower
        Whether it must reach as far below.
    sliding
        Whether, instead of reaching so far to both sides, it must be as wide as both together.
    """
    check_whole("n", n, 1)
    _percent("k", k)
    largest = _largest(system, contributions, n)
    excess = 100 / k * largest.sum(axis=1) - contributions.total
    return _found(contributions, excess, f"dominance ({n}, {k:g})", lower, sliding)


def p_percent_rule(
    system: CellSystem,
    contributions: SystemContributions,
    *,
    p: float,
    coalition: int = 1,
    lower: bool = True,
    sliding: bool = False,
) -> Sensitive:
    """Return the cells from which a contributor can be told to within `p` percent.

    The worst case is that of the largest contributor and the next largest, who subtract what they
    know: sensitive if X − x₁ − x₂ < p/100 · x₁. The interval must reach
    p/100 · x₁ − (X − x₁ − x₂) above the value.

    Parameters
    ----------
    coalition
        How many contributors tell each other what they contribute: x₂ + … + x₁₊c for x₂.
    lower, sliding
        See `dominance_rule`.
    """
    check_number("p", p, above(0))
    excess = _told(system, contributions, p / 100, coalition)
    return _found(contributions, excess, _with_coalition(f"p% {p:g}", coalition), lower, sliding)


def pq_rule(
    system: CellSystem,
    contributions: SystemContributions,
    *,
    p: float,
    q: float,
    coalition: int = 1,
    lower: bool = True,
    sliding: bool = False,
) -> Sensitive:
    """Return the cells that make somebody known to within `p` percent, after `q` percent before.

    Sensitive if q/100 · (X − x₁ − x₂) < p/100 · x₁; the interval must reach
    p/q · x₁ − (X − x₁ − x₂) above the value. With q = 100 it is the p % rule.
    """
    check_number("q", q, above(0))
    check_number("p", p, above(0, below=q))
    if q > 100:
        raise InputError(f"q must be at most 100. Got {q:g}.")
    excess = _told(system, contributions, p / q, coalition)
    why = _with_coalition(f"pq ({p:g}, {q:g})", coalition)
    return _found(contributions, excess, why, lower, sliding)


def combined(*found: Sensitive) -> Sensitive:
    """Return the cells that any of several rules found, with the greatest protection each needs."""
    if not found:
        raise InputError("There is no rule to combine. Give at least one.")
    cells = np.unique(np.concatenate([one.cells for one in found])).astype(np.int64)
    required = {name: np.zeros(len(cells)) for name in ("lower", "upper", "sliding")}
    why: list[list[str]] = [[] for _ in cells]
    for one in found:
        at = np.searchsorted(cells, one.cells)
        for name, most in required.items():
            np.maximum.at(most, at, getattr(one, name))
        for n, rule in zip(at.tolist(), one.why, strict=False):
            why[n].append(rule)
    return Sensitive(
        cells,
        required["lower"],
        required["upper"],
        required["sliding"],
        next((one.contributors for one in found if one.contributors is not None), None),
        tuple(" and ".join(dict.fromkeys(rules)) or "given" for rules in why),
    )


def _told(
    system: CellSystem, contributions: SystemContributions, share: float, coalition: int
) -> Floats:
    """Return by how much less than a share of the largest the others have whom nobody knows."""
    check_whole("coalition", coalition, 1)
    largest = _largest(system, contributions, 1 + coalition)
    excess: Floats = share * largest[:, 0] - (contributions.total - largest.sum(axis=1))
    return excess


def _found(
    contributions: SystemContributions, excess: Floats, why: str, lower: bool, sliding: bool
) -> Sensitive:
    tolerance = ROUNDING * np.abs(contributions.total)
    cells = np.flatnonzero(contributions.magnitude & (excess > tolerance))
    upper = excess[cells]
    below = upper if lower else np.zeros(len(cells))
    none = np.zeros(len(cells))
    if sliding:
        below, upper, wide = none, none, upper + below
    else:
        wide = none
    people = contributions.contributors
    return Sensitive(cells, below, upper, wide, people, (why,) * len(cells))


def _largest(system: CellSystem, contributions: SystemContributions, number: int) -> Floats:
    _same_cells(system, contributions)
    kept = contributions.largest.shape[1]
    if kept < number:
        raise InputError(
            f"The rule needs the {number} largest contributions, and {kept} were kept. "
            f"Collect them with top={number}."
        )
    for table, (variable, record) in contributions.negative.items():
        raise InputError(
            f"'{variable}' of the table '{table}' is below zero in record {record + 1:,}. Rules of "
            "dominance are for values that are not: correct it, leave the record out, or use the "
            "threshold rule."
        )
    return contributions.largest[:, :number]


def _same_cells(system: CellSystem, contributions: SystemContributions) -> None:
    if len(system) != len(contributions):
        raise InputError(
            f"The system has {len(system):,} cells, and contributions are given for "
            f"{len(contributions):,}. Collect them for this system."
        )


def _with_coalition(why: str, coalition: int) -> str:
    return why if coalition == 1 else f"{why}, coalition of {coalition}"


def _percent(name: str, value: float) -> None:
    check_number(name, value, above(0, below=100, hint="It is a percentage."))
