"""What an intruder finds who looks for a person's true key in the released file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.prove.changes.pairing import Match, PairedKeys, pair_keys, pair_records
from indistinct.prove.changes.printing import percent
from indistinct.results import Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["ExactMatches", "exact_matches", "matches_of"]


@result(eq=True)
class ExactMatches(Result):
    """Original keys looked for in the released file.

    Parameters
    ----------
    records
        Original records; each is looked for.
    own_key_kept
        Records whose own released record still has their key.
    before, after
        The expected number of right guesses, over the records: an intruder who takes one of the F
        records with the key at random is right with chance 1/F if the person's own is among them.
        Before, the original file is searched.
    nobody
        Records whose key no released record has.
    uniques
        Records that are alone with their key in the original file.
    uniques_present
        Those of them whose key is in the release (the unique exact matches of NIST's SDNist).
    uniques_unique
        Those of them whose key exactly one released record has: a match that looks certain.
    uniques_unchanged
        Those of them whose own released record still has the key.
    uniques_identified
        Those of them whose key one released record has, and it is their own.
    """

    key: tuple[str, ...]
    records: int
    own_key_kept: int
    before: float
    after: float
    nobody: int
    uniques: int
    uniques_present: int
    uniques_unique: int
    uniques_unchanged: int
    uniques_identified: int

    FACTS = facts(
        "key records own_key_kept before after nobody uniques uniques_present",
        "uniques_unique uniques_unchanged uniques_identified misled rate_before",
        "rate_after",
    )

    @property
    def misled(self) -> int:
        """Uniques whose key one released record has that is somebody else's: a false match."""
        return self.uniques_unique - self.uniques_identified

    @property
    def rate_before(self) -> float:
        """The share of original records that guessing in the original file gets right."""
        return self.before / self.records if self.records else 0.0

    @property
    def rate_after(self) -> float:
        """The share of original records that guessing in the released file gets right."""
        return self.after / self.records if self.records else 0.0

    def _lines(self) -> list[str]:
        uniques, everybody = max(1, self.uniques), max(1, self.records)
        return [
            f"True keys ({', '.join(self.key)}) of {self.records:,} people looked for",
            f"  right by guessing           {percent(self.rate_before)} in the original, "
            f"{percent(self.rate_after)} in the released file",
            f"  own record has the key      {percent(self.own_key_kept / everybody)}",
            f"  no record has the key       {percent(self.nobody / everybody)}",
            f"  unique in the original      {self.uniques:,}",
            f"    key in the release        {self.uniques_present:,} "
            f"({percent(self.uniques_present / uniques)})",
            f"    own record unchanged      {self.uniques_unchanged:,} "
            f"({percent(self.uniques_unchanged / uniques)})",
            f"    one match, the right one  {self.uniques_identified:,} "
            f"({percent(self.uniques_identified / uniques)})",
            f"    one match, a wrong one    {self.misled:,} ({percent(self.misled / uniques)})",
        ]

    def plot(self) -> str:
        """Draw the per cent of people who are found by guessing, and of uniques, as SVG."""
        uniques = max(1, self.uniques)
        rows = [
            ("guessing, original", self.rate_before),
            ("guessing, released", self.rate_after),
            ("uniques unchanged", self.uniques_unchanged / uniques),
            ("uniques found for certain", self.uniques_identified / uniques),
            ("uniques taken for another", self.misled / uniques),
        ]
        return bars(
            "Found by the true key, per cent", [n for n, _ in rows], [100 * s for _, s in rows]
        )

    def _tables(self) -> list[Table]:
        uniques, everybody = max(1, self.uniques), max(1, self.records)
        return [
            Table(
                f"True keys ({', '.join(self.key)}) of {self.records:,} people looked for",
                ("", "people", "share"),
                [
                    ("right by guessing in the original", self.before, self.rate_before),
                    ("right by guessing in the release", self.after, self.rate_after),
                    ("own record has the key", self.own_key_kept, self.own_key_kept / everybody),
                    ("no record has the key", self.nobody, self.nobody / everybody),
                    ("unique in the original", self.uniques, self.uniques / everybody),
                ],
                {"people": ",.0f", "share": ".2%"},
            ),
            Table(
                f"The {self.uniques:,} who are unique in the original",
                ("", "people", "share"),
                [
                    ("key in the release", self.uniques_present, self.uniques_present / uniques),
                    (
                        "own record unchanged",
                        self.uniques_unchanged,
                        self.uniques_unchanged / uniques,
                    ),
                    (
                        "one match, the right one",
                        self.uniques_identified,
                        self.uniques_identified / uniques,
                    ),
                    ("one match, a wrong one", self.misled, self.misled / uniques),
                ],
                {"share": ".2%"},
            ),
        ]


def exact_matches(
    engine: Engine,
    original: Source,
    released: Source,
    key: Sequence[str],
    *,
    match: Match | None = None,
) -> ExactMatches:
    """Look for the true key of every original record in the released file.

    With f and F the records of the original and of the released file that have a record's true
    key: before Σ 1/f, which is the number of classes; after Σ 1/F over the records whose own
    released record still has it.

    >>> import indistinct, pyarrow as pa
    >>> before, after = pa.table({"age": [30, 40, 8, 8]}), pa.table({"age": [40, 40, 8, 30]})
    >>> with indistinct.open_data(before) as a, indistinct.open_data(after) as b:
    ...     found = exact_matches(a.engine, a.source, b.source, ["age"])
    >>> found.before, found.after, found.uniques, found.uniques_unchanged, found.misled
    (3.0, 1.5, 2, 1, 1)
    """
    for source in (original, released):
        source.check_columns(key)
    partner = pair_records(original, released, match=match)
    return matches_of(pair_keys(engine, original, released, key, partner=partner))


def matches_of(pairs: PairedKeys) -> ExactMatches:
    """Count the matches of files that have been counted by the key already."""
    own = pairs.released == pairs.original
    kept = np.bincount(pairs.original[own], minlength=len(pairs.before))
    f, found = pairs.before, pairs.after
    unique = f == 1
    return ExactMatches(
        key=tuple(scale.name for scale in pairs.scales),
        records=pairs.records,
        own_key_kept=int(own.sum()),
        before=float((f > 0).sum()),
        after=float((kept / np.maximum(1, found)).sum()),
        nobody=int(f[found == 0].sum()),
        uniques=int(unique.sum()),
        uniques_present=int((unique & (found > 0)).sum()),
        uniques_unique=int((unique & (found == 1)).sum()),
        uniques_unchanged=int((unique & (kept > 0)).sum()),
        uniques_identified=int((unique & (kept > 0) & (found == 1)).sum()),
    )
