"""What a comparison of two files gives: shares by variable and group, in couples and households."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Bools, InputError, Ints, Level, did_you_mean
from indistinct.prove.changes.printing import change_lines, percent
from indistinct.prove.changes.shares import CoupleShares, HouseholdShares, household_shares
from indistinct.prove.changes.spread import Spread
from indistinct.results import MOST_LINES, Fact, Part, Result, Table, facts, folded, result
from indistinct.results.figures import shares

__all__ = ["Changes", "GroupChanges", "VariableChanges"]


@dataclass(frozen=True)
class VariableChanges(Part):
    """How many records have another value than before, and how far the new values are.

    Parameters
    ----------
    records, changed
        Records compared, and those whose value differs.
    value
        |released − original| of the changed ones, in the units of the variable (days for dates);
        None where differences mean nothing.
    rank
        How far the value has moved among the original file's people: the difference of mid-ranks
        in the original file, as a share of its records.
    unplaced
        Changed values that were or became missing or a label, so that no distance can be told.
    """

    name: str
    level: Level
    records: int
    changed: int
    value: Spread | None = None
    rank: Spread | None = None
    unplaced: int = 0

    FACTS = facts(
        "records changed",
        Fact("percent", lambda found: 100 * found.share),
        Fact("value_difference", "value"),
        Fact("rank_difference", "rank"),
        Fact("without_distance", "unplaced"),
    )

    @property
    def share(self) -> float:
        """The share of records changed."""
        return self.changed / self.records if self.records else 0.0


@dataclass(frozen=True)
class GroupChanges(Part):
    """Shares of a group's records that are changed: by variable, in any, in two or more."""

    name: str
    records: int
    variables: dict[str, float]
    any_variable: float
    two_or_more: float

    FACTS = facts(
        "records",
        Fact("any_variable", lambda found: 100 * found.any_variable),
        Fact("two_or_more", lambda found: 100 * found.two_or_more),
        Fact(
            "variables",
            lambda found: {name: 100 * share for name, share in found.variables.items()},
        ),
    )


@result
class Changes(Result):
    """What changed between two files whose records correspond.

    Parameters
    ----------
    everybody
        Shares of all records that are in both files.
    left_out
        Original records that have no released one.
    variables
        What changed by variable.
    by_number
        How many records are changed in no, one, two, … variables.
    groups
        The same shares by group; groups are taken from the original file.
    couples
        By variable, and under ``"any variable"``; None where no couples were given.
    same_sex
        Unions of the same sex, which are not among the couples.
    changed
        For every variable, whether each original record was changed in it.
    """

    everybody: GroupChanges
    left_out: int
    variables: tuple[VariableChanges, ...]
    by_number: dict[int, int]
    groups: tuple[GroupChanges, ...] = ()
    couples: dict[str, CoupleShares] | None = None
    same_sex: int = 0
    notes: tuple[str, ...] = ()
    changed: Mapping[str, Bools] = field(default_factory=dict)
    kept: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    members: Mapping[str, Bools] = field(default_factory=dict)
    household: Ints | None = None

    FACTS = facts(
        "records left_out",
        Fact("percent", lambda found: found.percent()),
        Fact("variables", lambda found: {v.name: v for v in found.variables}),
        Fact(
            "by_number",
            lambda found: {str(number): count for number, count in found.by_number.items()},
        ),
        Fact("groups", lambda found: {group.name: group for group in found.groups}),
        Fact(
            "couples",
            lambda found: (
                None
                if found.couples is None
                else {name: couple.to_dict() for name, couple in found.couples.items()}
            ),
        ),
        Fact("same_sex_couples", "same_sex"),
        Fact("households", lambda found: None if found.household is None else found._households()),
        "notes",
    )

    @property
    def records(self) -> int:
        """Records that are in both files."""
        return self.everybody.records

    @property
    def number_changed(self) -> NDArray[np.int16]:
        """In how many variables each original record was changed."""
        total = np.zeros(len(self.kept), dtype=np.int16)
        for flags in self.changed.values():
            total += flags
        return total

    def household_shares(
        self, variable: str | None = None, *, group: str | None = None, members: int | None = None
    ) -> HouseholdShares:
        """Return in how many households one member, or at least one, was changed.

        Parameters
        ----------
        variable
            Changed in this variable; by default in any.
        group
            Members that count: a group that was named before, such as children.
        members
            Only households with so many of them.
        """
        if self.household is None:
            raise InputError("Households are not known. Give changes a kinship.")
        for given, known in ((variable, self.changed), (group, self.members)):
            if given is not None and given not in known:
                raise InputError(f"'{given}' was not compared. {did_you_mean(given, known)}")
        flags = self.number_changed > 0 if variable is None else self.changed[variable]
        among = self.kept if group is None else self.kept & self.members[group]
        return household_shares(flags, self.household, among=among, members=members)

    def percent(self) -> dict[str, float]:
        """Return the per cents by names such as a paper's table has them.

        ``any_variable``, ``two_or_more_all``, each variable, ``<variable>_<group>``,
        ``at_least_one_<group>``, ``two_or_more_<group>``, and for couples
        ``couples_both_<variable>``, ``couples_husband_only_<variable>``,
        ``couples_wife_only_<variable>``, ``couples_at_least_one_<variable>``.
        """
        every = self.everybody
        found = {"any_variable": every.any_variable, "two_or_more_all": every.two_or_more}
        found |= every.variables
        for group in self.groups:
            found |= {f"{name}_{group.name}": share for name, share in group.variables.items()}
            found[f"at_least_one_{group.name}"] = group.any_variable
            found[f"two_or_more_{group.name}"] = group.two_or_more
        for name, couple in (self.couples or {}).items():
            for word in ("both", "husband_only", "wife_only", "at_least_one"):
                found[f"couples_{word}_{name.replace(' ', '_')}"] = getattr(couple, word)
        return {name: 100 * share for name, share in found.items()}

    def _households(self) -> dict[str, Any]:
        names = [None, *self.changed]
        return {
            "everybody" if group is None else group: {
                name or "any variable": self.household_shares(name, group=group).to_dict()
                for name in names
            }
            for group in (None, *self.members)
        }

    def to_arrow(self) -> pa.Table:
        """Return one row per original record: in how many variables it was changed, and in which.

        This holds what is private: a holder's table, not for recipients.
        """
        columns: dict[str, Any] = {
            "record": np.arange(len(self.kept)),
            "released": self.kept,
            "variables_changed": self.number_changed,
        }
        return pa.table(columns | {f"{name}_changed": f for name, f in self.changed.items()})

    def plot(self) -> str:
        """Draw the per cent of records changed in each variable; return the SVG."""
        every = self.everybody
        rows = [*every.variables.items(), ("any variable", every.any_variable)]
        rows.append(("two or more", every.two_or_more))
        return shares(
            "Records changed, by variable", [name for name, _ in rows], [share for _, share in rows]
        )

    def __repr__(self) -> str:
        every = self.everybody
        changed = sorted(every.variables.items(), key=lambda item: -item[1])
        lines = [self.headline()]
        lines += [f"  {name:<24} {percent(share):>9}" for name, share in changed[:8] if share]
        left = sum(share > 0 for _, share in changed[8:])
        lines += [f"  and {left} variables that changed less"] if left else []
        if self.left_out:
            lines.append(f"  {self.left_out:,} original records were left out of the release")
        return folded(lines, most=MOST_LINES)

    def headline(self) -> str:
        """Say how many records were changed, in a line."""
        every = self.everybody
        return (
            f"Of {self.records:,} records {percent(every.any_variable)} changed in any variable, "
            f"{percent(every.two_or_more)} in two or more"
        )

    def by_variable(self, most: int = 6) -> str:
        """Say how many records changed in the variables that changed most, in a line."""
        shares = sorted(self.everybody.variables.items(), key=lambda item: -item[1])
        told = [f"{name} {percent(share)}" for name, share in shares if share]
        more = f" and {len(told) - most} more" if len(told) > most else ""
        return f"{', '.join(told[:most]) or 'nothing changed'}{more}"

    def _lines(self) -> list[str]:
        return change_lines(self)

    def _tables(self) -> list[Table]:
        groups = [self.everybody, *self.groups]
        rows: list[tuple[object, ...]] = [
            (
                v.name,
                *(g.variables[v.name] for g in groups),
                None if v.rank is None or not v.rank.records else v.rank.mean,
            )
            for v in self.variables
        ]
        rows.append(("any variable", *(g.any_variable for g in groups), None))
        rows.append(("two or more", *(g.two_or_more for g in groups), None))
        far = "mean change, share of ranks"
        names = [g.name for g in groups]
        tables = [
            Table(
                f"Shares of {self.records:,} records that changed",
                ("variable", *names, far),
                rows,
                dict.fromkeys((*names, far), ".1%"),
            )
        ]
        if self.couples is not None:
            heads = ("both", "husband only", "wife only", "at least one", "both if independent")
            tables.append(
                Table(
                    "Shares of couples in which it changed",
                    ("variable", *heads),
                    [
                        (name, c.both, c.husband_only, c.wife_only, c.at_least_one, c.expected_both)
                        for name, c in self.couples.items()
                    ],
                    dict.fromkeys(heads, ".1%"),
                )
            )
        return tables

    def _headline(self) -> str:
        return self.headline()
