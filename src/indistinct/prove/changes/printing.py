"""The tables that the results print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indistinct.prove.changes.result import Changes, VariableChanges

__all__ = ["change_lines", "percent"]

_MOST_GROUPS = 4
_MOST_VARIABLES = 12


def percent(share: float) -> str:
    """Return a share in per cent, with as many decimals as it takes to see it.

    >>> percent(0.501), percent(0.00042), percent(0.0)
    ('50.1 %', '0.042 %', '0 %')
    """
    if share == 0:
        return "0 %"
    return f"{100 * share:.1f} %" if share >= 0.001 else f"{100 * share:.2g} %"


def change_lines(found: Changes) -> list[str]:
    """Return the lines of a comparison: variables, groups, couples, households."""
    lines = [f"What changed in {found.records:,} records, per cent of records"]
    if found.left_out:
        lines.append(f"  {found.left_out:,} original records were left out of the release")
    shown = [v for v in found.variables if v.changed][:_MOST_VARIABLES]
    groups = [found.everybody, *found.groups[:_MOST_GROUPS]]
    rows = [("", *(g.name for g in groups), "how far, on average")]
    for v in shown:
        rows.append((v.name, *(percent(g.variables[v.name]) for g in groups), _how_far(v)))
    rows.append(("any variable", *(percent(g.any_variable) for g in groups), ""))
    rows.append(("two or more", *(percent(g.two_or_more) for g in groups), ""))
    rows.append(("records", *(f"{g.records:,}" for g in groups), ""))
    lines += _columns(rows)
    if len(found.groups) > _MOST_GROUPS:
        lines.append(f"  and {len(found.groups) - _MOST_GROUPS} more groups")
    left = sum(v.changed > 0 for v in found.variables) - len(shown)
    if left:
        lines.append(f"  and {left} more variables that changed")
    unchanged = [v.name for v in found.variables if not v.changed]
    if unchanged:
        more = f" and {len(unchanged) - 8} more" if len(unchanged) > 8 else ""
        lines.append(f"  unchanged: {', '.join(unchanged[:8])}{more}")
    if found.couples is not None:
        lines += _couple_lines(found, [v.name for v in shown])
    if found.household is not None:
        share = found.household_shares()
        lines.append(
            f"  households: at least one member changed in {percent(share.at_least_one)} of "
            f"{share.households:,} ({percent(share.expected_at_least_one)} if independently)"
        )
    return [*lines, *(f"  note: {note}" for note in found.notes)]


def _couple_lines(found: Changes, names: Sequence[str]) -> list[str]:
    couples = found.couples or {}
    pairs = couples["any variable"].pairs
    heads = ("both", "husband only", "wife only", "at least one", "both if independent")
    rows: list[tuple[str, ...]] = [(f"{pairs:,} couples", *heads)]
    for name in ("any variable", *names):
        c = couples[name]
        parts = (c.both, c.husband_only, c.wife_only, c.at_least_one, c.expected_both)
        rows.append((name, *(percent(part) for part in parts)))
    return _columns(rows)


def _how_far(v: VariableChanges) -> str:
    if v.rank is None or not v.rank.records:
        return ""
    ranks = f"{percent(v.rank.mean)} of ranks"
    return ranks if v.value is None else f"{v.value.mean:,.3g}; {ranks}"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set rows in columns, the first to the left and the others to the right."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            f"{cell:>{width}}" if j else f"{cell:<{width}}"
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
