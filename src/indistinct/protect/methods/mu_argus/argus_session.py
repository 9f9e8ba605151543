"""µ-Argus as a conversation: generalise, look, undo, and at last suppress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from indistinct.core import InputError
from indistinct.keys import Generalisable
from indistinct.protect.methods.mu_argus.argus import ArgusResult, argus
from indistinct.protect.methods.mu_argus.argus_bins import (
    Cells,
    Reading,
    UnsafeCombinations,
    check_identification,
    combinations_examined,
    summary,
)
from indistinct.protect.step import check_key
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["ArgusSession", "Effect"]


@result(eq=True)
class Effect(Result):
    """What generalising one variable does to the unsafe combinations."""

    variable: str
    level: int
    before: UnsafeCombinations
    after: UnsafeCombinations

    FACTS = facts("variable level before after")

    def sentence(self) -> str:
        """Say what becomes of the unsafe combinations."""
        return f"{self.variable} at level {self.level}"

    def _row_tables(self) -> list[Table]:
        before, after = self.before, self.after
        return [
            Table(
                "What is unsafe",
                ("", "before", "after"),
                [
                    ("unsafe combinations", len(before.unsafe), len(after.unsafe)),
                    ("bins", before.bins, after.bins),
                    ("records", before.records, after.records),
                ],
            )
        ]


class ArgusSession(Result):
    """The user decides when to generalise and when to suppress, and can take a step back.

    "The µ-Argus program operates in an interactive mode so the user can see the effect of
    generalizing and can then select to undo the step" (Sweeney 2001, section 6.3).

    Parameters
    ----------
    keys
        The classes and their hierarchies.
    k, identification, **options
        Of `argus`.

    >>> from indistinct.hierarchy import code_hierarchy, suppression_only
    >>> from indistinct import open_data
    >>> people = {"sex": list("mmff"), "zip": ["02138", "02139", "02141", "02142"]}
    >>> with open_data(people) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["sex", "zip"]),
    ...         {
    ...             "sex": suppression_only(["m", "f"], name="sex"),
    ...             "zip": code_hierarchy(people["zip"], name="zip", digits=(4, 3)),
    ...         },
    ...     )
    >>> session = ArgusSession(keys, k=2, identification={"sex": 2, "zip": 2})
    >>> session.generalise("zip")
    zip at level 1
    What is unsafe
                           before  after
      unsafe combinations       2      0
      bins                      8      0
      records                   4      0
    >>> session.undo()
    zip at level 0
    What is unsafe
                           before  after
      unsafe combinations       0      2
      bins                      0      8
      records                   0      4
    """

    FACTS = facts(Fact("k", lambda found: found._k), "levels history unsafe")

    def __init__(
        self,
        keys: Generalisable,
        *,
        k: int,
        identification: Mapping[str, int],
        combinations: Reading = "all",
        largest: int = 3,
        without: Sequence[Sequence[str]] = (),
        levels: Mapping[str, int] | None = None,
        **options: Any,
    ) -> None:
        check_key(keys.names, k)
        rated = check_identification(keys.names, identification)
        excluded = [frozenset(keys.table.position(n) for n in names) for names in without]
        self._examined = combinations_examined(
            rated, reading=combinations, largest=largest, without=excluded
        )
        self._keys, self._k = keys, k
        self._options = {
            "identification": dict(identification),
            "combinations": combinations,
            "largest": largest,
            "without": without,
            **options,
        }
        start = dict(zip(keys.names, keys.check_levels(levels or {}), strict=True))
        self._states = [(start, self._look(start))]
        self._raised: list[str] = []

    @property
    def levels(self) -> dict[str, int]:
        """The level at which each variable is now."""
        return dict(self._states[-1][0])

    @property
    def unsafe(self) -> UnsafeCombinations:
        """The unsafe combinations as things are now."""
        return self._states[-1][1]

    @property
    def history(self) -> tuple[str, ...]:
        """The variables that were generalised and not undone, in order."""
        return tuple(self._raised)

    def preview(self, variable: str, *, to: int | None = None) -> Effect:
        """Say what generalising a variable would do, without doing it."""
        levels, unsafe = self._states[-1]
        there = levels[self._keys.names[self._keys.table.position(variable)]]
        level = there + 1 if to is None else to
        height = self._keys.heights[self._keys.table.position(variable)]
        if to is None and level > height:
            raise InputError(f"'{variable}' is at its highest level, {height}, already.")
        changed = {**levels, variable: level}
        self._keys.check_levels(changed)
        return Effect(variable, level, unsafe, self._look(changed))

    def generalise(self, variable: str, *, to: int | None = None) -> Effect:
        """Raise a variable by one level, or put it at a level, and say what that does."""
        effect = self.preview(variable, to=to)
        self._states.append(({**self.levels, variable: effect.level}, effect.after))
        self._raised.append(variable)
        return effect

    def undo(self) -> Effect:
        """Take the last generalisation back; levels and counts are again as they were."""
        if not self._raised:
            raise InputError("Nothing was generalised in this session, so nothing can be undone.")
        variable = self._raised.pop()
        _, before = self._states.pop()
        levels, after = self._states[-1]
        return Effect(variable, levels[variable], before, after)

    def suppress(self) -> ArgusResult:
        """Suppress what is still unsafe at the present levels; the session stays as it is."""
        return argus(self._keys, k=self._k, levels=self.levels, **self._options)

    def _lines(self) -> list[str]:
        levels = ", ".join(f"{name} {level}" for name, level in self.levels.items())
        return [f"µ-Argus session (k = {self._k}), levels: {levels}\n{self.unsafe!r}"]

    def _tables(self) -> list[Table]:
        return [
            Table("Levels now", ("variable", "level"), list(self.levels.items())),
            *self.unsafe._tables(),
        ]

    def _look(self, levels: Mapping[str, int]) -> UnsafeCombinations:
        at = [levels[name] for name in self._keys.names]
        examined = Cells(self._keys, at).examine(self._examined, self._k)
        return summary(self._keys.names, self._examined, self._k, examined, self._keys.counts)
