"""What every method is given and what it gives back: records, and a decision about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from indistinct.core import InputError
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, KeyTable, Recoding, Uniques
from indistinct.keys.losses import LossName
from indistinct.options import (
    Option,
    a_count_or_share,
    a_word,
    numbers_by_variable,
)
from indistinct.protect.plan import Plan

if TYPE_CHECKING:
    from indistinct.engine import Engine
    from indistinct.files import Source

__all__ = ["LIMITS", "LOSS", "MAX_DROP", "WEIGHTS", "Decision", "Records", "cell_loss"]

MAX_DROP: Option[float] = Option(
    "max_drop",
    a_count_or_share,
    "records that may be left out: a number, or a share: 0.05 or 5%",
    setting="release.max_drop",
)
LOSS: Option[LossName | None] = Option(
    "loss", a_word(LossName), "the measure that is made least", setting="release.loss"
)
LIMITS: Option[Mapping[str, int]] = Option(
    "limits",
    numbers_by_variable(least=0, whole=True),
    "the highest level of variables: sex=0,birth=2; 0 locks one",
    flag="--highest",
    setting="variables.highest_level",
)
WEIGHTS: Option[Mapping[str, float]] = Option(
    "weights",
    numbers_by_variable(least=0),
    "how much the recipient needs variables: age=3,zip=0.5",
    flag="--importance",
    setting="variables.importance",
)


def cell_loss(asked: LossName | None, method: str, *, usually: LossName) -> Any:
    """Return the loss of a method that judges cell by cell; refuse those of whole classes."""
    loss = asked or usually
    if loss not in ("loss", "precision"):
        raise InputError(
            f"'{method}' makes the loss or the precision least, cell by cell. Got '{loss}'. "
            "The optimum over whole variables (--method optimal) knows the others."
        )
    return loss


@dataclass(frozen=True, eq=False)
class Records:
    """The records that a method decides about.

    Parameters
    ----------
    key
        The variables an intruder may know.
    climb
        Gives the hierarchies of some variables.
    found
        The records counted by the key; None before.
    engine, source
        The records themselves; None where only their count is known.
    project
        The project file, for methods that read it.
    """

    key: tuple[str, ...]
    climb: Callable[[Sequence[str]], Mapping[str, Hierarchy]]
    found: Uniques | None = None
    engine: Engine | None = None
    source: Source | None = None
    project: Any = None

    @property
    def table(self) -> KeyTable:
        """The records counted by the key."""
        if self.found is None:
            raise InputError("The records have not been counted by the key.")
        return self.found.key_table

    @cached_property
    def keys(self) -> Generalisable:
        """The count with a hierarchy for each variable of the key."""
        return Generalisable.of(self.table, self.climb(self.key))

    def count(self, names: Sequence[str]) -> KeyTable:
        """Count the records by other variables."""
        if self.engine is None or self.source is None:
            raise InputError("The records cannot be counted by other variables here.")
        return KeyTable.from_tally(self.engine.count(self.source, list(names)))


@dataclass(frozen=True, eq=False)
class Decision:
    """What a method decided.

    Parameters
    ----------
    plan
        The steps to apply.
    recoding
        What happens to every class; None where the plan's step finds it when it is applied.
    result
        What the method itself returned, or None.
    measure
        The loss by which the method judges.
    least
        A loss that no release of this kind goes below, with `reached` if one has it.
    promises
        Whether k holds on the whole key.
    wildcard
        Whether a blank agrees with any value when the records are counted again.
    again
        How often the plan may be applied anew to what still stands out.
    hint
        What to do where records still stand out after that.
    """

    plan: Plan
    recoding: Recoding | None = None
    result: Any = None
    measure: str = "loss"
    least: Callable[[Recoding], tuple[float, bool] | None] = lambda recoding: None
    promises: bool = True
    wildcard: bool = False
    again: int = 1
    hint: str = ""
