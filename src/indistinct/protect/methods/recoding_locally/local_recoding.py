"""Local recoding: every record climbs only as far as its own class needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indistinct.core import ClassSize, InputError
from indistinct.hierarchy import Hierarchy
from indistinct.keys import Generalisable, Recoding
from indistinct.protect.methods.recoding_locally.local_recoding_costs import (
    CellLoss,
    Ladders,
    check_ceiling,
    check_k,
    check_limits,
    check_loss,
    check_weights,
)
from indistinct.protect.methods.recoding_locally.local_recoding_search import Search, schedule
from indistinct.protect.plan import Plan
from indistinct.protect.recode import RecodingStep
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["LocalRecoding", "LocalRecodingStep", "local_recoding"]


@result
class LocalRecoding(Result):
    """What local recoding decided.

    Parameters
    ----------
    recoding
        How far each cell climbs.
    k
        The smallest class.
    loss
        The name of the loss that was kept small.
    value
        Its value: the mean over records and variables, by their weights.
    ceiling
        The levels above which no cell was allowed, and `ceiling_value`, the loss of a release in
        which every cell climbs to them.
    complete
        Whether every combination of levels was tried; else the cheapest ones, then others found
        by climbing down.
    limits, weights, start
        As they were given.
    """

    recoding: Recoding
    k: int
    loss: CellLoss
    value: float
    ceiling: Mapping[str, int]
    ceiling_value: float
    complete: bool
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    start: Mapping[str, int] | None = None

    FACTS = facts(
        Fact("method", lambda _: "local-recoding"),
        Fact("k", shown="k"),
        "loss",
        Fact("value", shown="loss", form=".4f"),
        "ceiling",
        Fact("ceiling_value", shown="loss with all cells at the ceiling", form=".4f"),
        "complete",
        Fact("records", "recoding.keys.records", shown="records"),
        Fact("classes", lambda found: len(found.recoding.group_counts), shown="classes"),
        Fact("smallest", "recoding.smallest", shown="smallest class"),
        Fact("cells_changed", lambda found: found.recoding.cells_changed()),
    )

    def plan(self) -> Plan:
        """Return the plan that makes this release."""
        keys = self.recoding.keys
        return Plan(
            (
                LocalRecodingStep(
                    keys.names,
                    self.k,
                    keys.hierarchies,
                    loss=self.loss,
                    start=None if self.start is None else dict(self.start),
                    limits=dict(self.limits),
                    weights=dict(self.weights),
                ),
            )
        )

    def plot(self) -> str:
        """Draw the cells of each variable that are changed, and those suppressed, as SVG."""
        return self.recoding.plot()

    def sentence(self) -> str:
        """Say what was made, and whether everything was tried."""
        tried = "" if self.complete else "; not every combination of levels was tried"
        return f"Local recoding, k={self.k}, by {self.loss}{tried}"

    def _row_tables(self) -> Sequence[Table]:
        return self.recoding._tables()


def local_recoding(
    keys: Generalisable,
    *,
    k: ClassSize,
    start: Mapping[str, int] | None = None,
    loss: CellLoss = "loss",
    limits: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> LocalRecoding:
    """Release every class of records at the cheapest levels at which it has k of them.

    Combinations of levels are tried from the cheapest up. At each, the records not yet released
    are counted by the labels they would have there, and the classes of at least k are released.
    The few that are left at the ceiling are joined by released records, the dearest first, until
    they are k. Each class is then released at its members' lowest common ancestors.

    Releasing part of the records at some levels and searching again for the rest is how ARX
    recodes locally (Prasser, Eicher, Spengler, Bild and Kuhn 2020), with a search of the whole
    lattice in every round. Here the order of the combinations is fixed by their price, and one is
    visited once for each band of prices that its classes have.

    Parameters
    ----------
    k
        Every class of the release has at least k records.
    start
        Levels of a full-domain release in which every class has k records: a ceiling for every
        cell. No cell is released above it, so that the result is never worse than that release.
        A variable that is not named starts at 0. By default the ceiling is `limits`, which leaves
        most room and so mostly gives the lowest loss.
    loss
        What is kept small: ``loss``, (s − 1) / (D − 1) for a label that stands for s of D values,
        or ``precision``, level / height; the mean over cells in both.
    limits
        The highest level that a variable may climb to; 0 locks it.
    weights
        The importance of variables, 1 by default; cells of important ones cost more.

    >>> from indistinct.hierarchy import code_hierarchy, suppression_only
    >>> from indistinct import open_data
    >>> people = {"zip": ["02138", "02139", "02141", "02141", "02141"], "sex": [*"mfmff"]}
    >>> ladders = {"zip": code_hierarchy(people["zip"], name="zip", digits=(4, 3)),
    ...            "sex": suppression_only(["m", "f"], name="sex")}
    >>> with open_data(people) as data:
    ...     keys = Generalisable.of(data.key_table(["zip", "sex"]), ladders)
    >>> local_recoding(keys, k=2)
    Local recoding, k=2, by loss
      k                                        2
      loss                                0.6000
      loss with all cells at the ceiling  1.0000
      records                                  5
      classes                                  2
      smallest class                           2
    Cells of the records that are kept
      variable  changed  suppressed
      zip             3           0
      sex             3           3
    """
    check_k(keys, k)
    check_loss(loss)
    highest = check_limits(keys, limits)
    importance = check_weights(keys, weights)
    ceiling = highest if start is None else keys.check_levels(start)
    for name, level, limit in zip(keys.names, ceiling, highest, strict=True):
        if level > limit:
            raise InputError(
                f"start puts '{name}' at level {level}, above its limit {limit}. "
                "Lower the start or raise the limit."
            )
    check_ceiling(keys, ceiling, k=k, given="limits" if start is None else "levels of start")
    ladders = Ladders.of(keys, loss=loss, weights=importance)
    at_ceiling = Recoding.full_domain(keys, ceiling)
    if keys.records:
        tried = schedule(keys, ladders, ceiling)
        search = Search(keys, ladders, ceiling, k=k)
        complete = search.sweep(tried) and tried.complete
        search.descend()
        recoding = search.finished()
    else:
        recoding, complete = at_ceiling, True
    return LocalRecoding(
        recoding,
        k,
        loss,
        ladders.mean(recoding),
        dict(zip(keys.names, ceiling, strict=True)),
        ladders.mean(at_ceiling),
        complete,
        dict(limits or {}),
        dict(weights or {}),
        None if start is None else dict(start),
    )


@dataclass(frozen=True)
class LocalRecodingStep(RecodingStep, kind="local-recoding"):
    """Recode locally by `local_recoding`; the same records give the same release.

    Parameters
    ----------
    key, k, hierarchies
        The variables an intruder may know, the smallest class, and a hierarchy for each variable.
    loss, start, limits, weights
        See `local_recoding`.
    """

    truthful = True

    key: tuple[str, ...]
    k: int
    hierarchies: tuple[Hierarchy, ...]
    loss: CellLoss = "loss"
    start: Mapping[str, int] | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a wrong key, k, hierarchies or loss."""
        super().__post_init__()
        check_loss(self.loss)

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"generalise each record's {', '.join(self.key)} as little as its class needs to have "
            f"{self.k} records (local recoding by {self.loss})"
        )

    def recoding(self, keys: Generalisable) -> Recoding:
        """Decide how far each cell climbs."""
        return local_recoding(
            keys,
            k=self.k,
            start=self.start,
            loss=self.loss,
            limits=self.limits,
            weights=self.weights,
        ).recoding
