"""The protection report: what changed, how far, and what an intruder still finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indistinct.core import Level, Seed
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.households import Kinship
from indistinct.prove.changes.compare import changes
from indistinct.prove.changes.exact import ExactMatches, matches_of
from indistinct.prove.changes.groups import Rule
from indistinct.prove.changes.linkage import LINKAGES, Linkage, LinkageDistance, link_pairs
from indistinct.prove.changes.pairing import Match, pair_keys, pair_records, shared_variables
from indistinct.prove.changes.permutation import PermutationDistances, permutation_distances
from indistinct.prove.changes.printing import percent
from indistinct.prove.changes.result import Changes
from indistinct.results import Fact, Result, Table, facts, folded, result

__all__ = ["ProtectionReport", "protection_report"]


@result
class ProtectionReport(Result):
    """What changed between the original and the released file, and what an intruder still finds.

    It is the holder's: what is told of few records may point at them.
    """

    changes: Changes
    permutation: PermutationDistances
    exact: ExactMatches | None = None
    linkage: tuple[Linkage, ...] = ()

    FACTS = facts(
        "changes permutation exact",
        Fact(
            "linkage",
            lambda found: {linkage.distance: linkage for linkage in found.linkage},
        ),
    )

    def __repr__(self) -> str:
        return folded(self.headlines())

    def headlines(self) -> list[str]:
        """Say what changed and what is still found, in a few lines."""
        found = [self.changes.headline(), f"  {self.changes.by_variable()}", *self._moved()]
        return found + (self._found(self.exact) if self.exact is not None else []) + self._nearest()

    def _nearest(self) -> list[str]:
        lines = []
        for linkage in self.linkage:
            between = "" if linkage.low == linkage.high else f" ±{_half(linkage)}"
            own = f"own record {percent(linkage.share)}{between}"
            lines.append(
                f"  nearest by {linkage.distance:<6}  {own}; "
                f"in the original {percent(linkage.before)}, by chance {percent(linkage.chance)}"
            )
        return lines

    def _lines(self) -> list[str]:
        lines = [self.changes.details(), *self._moved()]
        return lines + (self._found(self.exact) if self.exact is not None else []) + self._nearest()

    def _moved(self) -> list[str]:
        moved = self.permutation
        if not moved.variables:
            return []
        return [
            f"  moved by {percent(moved.d)} or more of the ranks in some variable: "
            f"{percent(moved.moved)} of records"
        ]

    def _found(self, exact: ExactMatches) -> list[str]:
        uniques = max(1, exact.uniques)
        return [
            f"What an intruder still finds who knows {', '.join(exact.key)}",
            f"  right by guessing  {percent(exact.rate_after)} of people; in the original "
            f"{percent(exact.rate_before)}",
            f"  {exact.uniques:,} unique people: {percent(exact.uniques_unchanged / uniques)} "
            f"unchanged, {percent(exact.uniques_identified / uniques)} found for certain, "
            f"{percent(exact.misled / uniques)} taken for somebody else",
        ]

    def plot(self) -> str:
        """Draw the per cent of records changed in each variable; return the SVG."""
        return self.changes.plot()

    def _headline(self) -> str:
        return self.changes.headline()

    def _notes(self) -> list[str]:
        return list(self.changes.notes)

    def _figures(self) -> list[str]:
        found = [self.changes.plot()]
        return found if self.exact is None else [*found, self.exact.plot()]

    def _tables(self) -> list[Table]:
        parts = (self.changes, self.permutation, self.exact, *self.linkage)
        return [table for part in parts if part is not None for table in part._tables()]


def protection_report(
    engine: Engine,
    original: Source,
    released: Source,
    *,
    key: Sequence[str] | None = None,
    variables: Sequence[str] | None = None,
    groups: Mapping[str, Rule] | None = None,
    by: Sequence[str] = (),
    kinship: Kinship | None = None,
    woman: Rule | None = None,
    match: Match | None = None,
    levels: Mapping[str, Level] | None = None,
    linkages: Sequence[LinkageDistance] = LINKAGES,
    within: Sequence[str] = (),
    targets: int | None = 2000,
    seed: Seed = 1,
    d: float = 0.01,
    unrecoded: tuple[Source, Source] | None = None,
    recoded: Sequence[str] = (),
) -> ProtectionReport:
    """Compare the released file with the original, then attack it with what the original knows.

    Parameters
    ----------
    key
        What an intruder knows of people; without it nothing is attacked.
    linkages, within, targets, seed
        Attacks by the nearest record; see `link_own`.
    unrecoded, recoded
        The two files as they are, where `original` and `released` were recoded alike to be
        compared, and the variables that only they can tell: what changed is counted in them, as
        the receipts of a plan count it.

    The other parameters are those of `changes` and `permutation_distances`.

    >>> import indistinct, pyarrow as pa
    >>> before = pa.table({"age": [30, 40, 8, 9], "sex": [1, 2, 1, 2]})
    >>> after = pa.table({"age": [40, 30, 8, 9], "sex": [1, 2, 1, 2]})
    >>> with indistinct.open_data(before) as a, indistinct.open_data(after) as b:
    ...     report = protection_report(a.engine, a.source, b.source, key=["age", "sex"])
    >>> report.exact.uniques_unchanged, report.changes.percent()["age"]
    (2, 50.0)
    """
    names = shared_variables(original, released, variables, match=match)
    found = changes(
        engine,
        *(unrecoded or (original, released)),
        variables=list(dict.fromkeys([*names, *recoded])),
        groups=groups,
        by=by,
        kinship=kinship,
        woman=woman,
        match=match,
        levels=levels,
    )
    moved = permutation_distances(
        engine, original, released, variables=names, d=d, match=match, levels=levels
    )
    if not key:
        return ProtectionReport(found, moved)
    for source in (original, released):
        source.check_columns([*key, *within])
    partner = pair_records(original, released, match=match)
    both = list(dict.fromkeys([*key, *within]))
    pairs = pair_keys(engine, original, released, both, partner=partner, levels=levels)
    links = tuple(
        link_pairs(
            pairs,
            distance=distance,
            within=within,
            targets=targets,
            seed=seed,
            threads=engine.threads,
        )
        for distance in linkages
    )
    return ProtectionReport(found, moved, matches_of(pairs), links)


def _half(linkage: Linkage) -> str:
    return percent((linkage.high - linkage.low) / 2)
