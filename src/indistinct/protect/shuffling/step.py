"""The plan's step: controlled shuffling of some variables, for people or for couples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

import numpy as np

from indistinct.core import InputError, between, progress
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.households import HouseholdColumns
from indistinct.protect.receipt import Receipt
from indistinct.protect.shuffling.copula import Ties
from indistinct.protect.shuffling.reading import (
    ShuffledColumn,
    check_levels,
    read_bands,
    read_column,
    read_measure,
)
from indistinct.protect.shuffling.turns import Of, Turn, Units, find_units, take_turns
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_share, check_variables, with_columns
from indistinct.rules import Measure

__all__ = ["Hold", "Shuffle"]

Hold = Literal["table", "ranks"]
"""How the values of husband and wife hold together: their joint table stays exactly, or their
rank correlation does."""

_LEVEL = 1.0


@dataclass(frozen=True)
class Shuffle(Step, kind="shuffle"):
    """Deal the values of confidential variables out again, so that little is lost but the people.

    Every value is used as often as before. Rank correlations with each other and with the given
    variables stay.

    Parameters
    ----------
    variables
        What is shuffled: the confidential X.
    given
        The non-confidential S, to which the associations of X are kept.
    within
        Values are exchanged only between records that agree on these.
    apart
        Groups by these variables are shuffled each with its own correlations.
    where
        Only records for which this holds, in the language of edit rules: ``age < 20``.
    of
        ``people``; ``couples``, husband and wife together as one row; or ``singles``, who are in
        no couple. Unions of the same sex are too few to be shuffled among themselves and stay.
    hold
        For couples: ``table`` exchanges husbands' values between husbands whose wives have the
        same, and then wives' likewise, so that the joint table stays exactly; ``ranks`` shuffles
        both in one vector, so that the rank correlation stays.
    level
        The level of protection, from 0 (none) to 1 (maximum: X and Y independent given S), of the
        variables for which nothing else is said.
    levels
        Levels of single variables.
    shares
        For single variables, the share of the shuffled people whose value shall change, of those
        who have one that may move.
    max_risk
        Instead: the largest expected share of people whom an intruder finds who knows all
        variables of the step. The least level that attains it is found.
    hierarchies
        Taxonomies of variables; their codes are ordered by branch and marginality.
    stay
        The level of the hierarchy at which a variable's values stay in their branch.
    at
        The level of the hierarchy at which a variable of `given`, `within` or `apart` is taken
        into account: 23 groups of industries, say, instead of 110 industries.
    bands
        For numbers of `within`: the width of the bands in which records must agree. A shuffled
        variable may be within its own bands.
    derived
        Further variables for `given` and `within`: a name, and a number of every record in the
        language of edit rules, such as ``minimum(age)``, the age of the household's youngest.
    leave
        Values, as text, that stay where they are.
    nominal, ordered
        Variables whose order means nothing, or something; by default their level says it.
    households
        Which columns say who lives with whom; needed for couples.
    ties, diagonal
        ``free`` and True give the procedure as it was published; see the method's page.
    """

    variables: tuple[str, ...]
    given: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    where: str | None = None
    of: Of = "people"
    hold: Hold = "table"
    level: Annotated[float, between(0, 1)] = _LEVEL
    levels: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    max_risk: float | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    stay: Mapping[str, int] = field(default_factory=dict)
    at: Mapping[str, int] = field(default_factory=dict)
    bands: Mapping[str, float] = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    leave: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nominal: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    households: HouseholdColumns | None = None
    ties: Ties = "model"
    diagonal: bool = False

    draws_at_random = True
    perturbs = True

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        check_variables(self.variables, "shuffling")
        whole = set(self.within) - set(self.bands)
        for words, names in (("given", self.given), ("within", whole), ("apart", self.apart)):
            both = set(self.variables) & set(names)
            if both:
                raise InputError(f"'{min(both)}' cannot be both shuffled and {words}.")
        if self.of not in get_args(Of) or self.hold not in get_args(Hold):
            raise InputError("of must be people, couples or singles, and hold table or ranks.")
        if self.ties not in get_args(Ties):
            raise InputError("ties must be model or free.")
        for name in (*self.nominal, *self.ordered):
            if name not in (*self.variables, *self.given):
                raise InputError(f"'{name}' is neither shuffled nor given, so its order is unused.")
            if name in self.nominal and name in self.ordered:
                raise InputError(f"'{name}' cannot be both nominal and ordered.")
        check_levels({name: self.level for name in self.variables[:1]}, self.variables, "level")
        check_levels(self.levels, self.variables, "level")
        check_levels(self.shares, self.variables, "share")
        if twice := set(self.levels) & set(self.shares):
            raise InputError(f"'{min(twice)}' has both a level and a share. Give one of them.")
        if self.max_risk is not None:
            check_share(self.max_risk, "largest risk")
            if self.shares or self.levels:
                raise InputError("Give either levels and shares, or a largest risk.")
            if self.of == "couples" and self.hold == "table":
                raise InputError(
                    "A largest risk needs all variables to be shuffled at once, and the joint "
                    "table of couples one after the other. Hold ranks, or give levels or shares."
                )
        for name in (*self.stay, *self.leave):
            if name not in self.variables:
                raise InputError(f"'{name}' is not among the shuffled variables.")
        for name in self.at:
            if name in self.variables or name not in (*self.given, *self.within, *self.apart):
                raise InputError(
                    f"A level of '{name}' can be taken into account only where it is not shuffled "
                    "itself. For a shuffled variable say at which level its values stay."
                )
        for name, text in self.derived.items():
            Measure(name, text)
            if name not in (*self.given, *self.within):
                raise InputError(f"'{name}' is derived, and neither given nor within.")
        for name, width in self.bands.items():
            if name not in self.within or isinstance(width, bool) or not width > 0:
                raise InputError(
                    f"Bands are for variables of within, and their width is above 0: '{name}'."
                )
        if self.of != "people" and self.households is None:
            raise InputError("Couples are found from households. Say which columns these are.")

    def describe(self) -> str:
        """Say what is done, without what would help to undo it."""
        whom = {"people": "", "couples": " of couples", "singles": " of people in no couple"}
        parts = [f"shuffle {', '.join(self.variables)}{whom[self.of]}"]
        if self.where:
            parts.append(f"where {self.where}")
        if self.given:
            parts.append(f"given {', '.join(self.given)}")
        if self.within:
            parts.append(f"between records alike in {', '.join(map(self._band, self.within))}")
        if self.apart:
            parts.append(f"apart by {', '.join(self.apart)}")
        if self.shares:
            shares = " and ".join(f"{name} for {share:.1%}" for name, share in self.shares.items())
            parts.append(f"changing {shares}")
        if self.max_risk is not None:
            parts.append(f"until at most {self.max_risk:.2%} are expected to be found")
        return ", ".join(parts)

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Shuffle."""
        columns = self._read(engine, source)
        units = find_units(source, of=self.of, where=self.where, columns=self.households)
        notes = list(units.notes)
        rng = context.generator()
        drift = 0.0
        levels: dict[str, list[float]] = {}
        words = f"shuffling {', '.join(self.variables)}"
        for turn in progress.each(self._turns(columns, units), words, unit="shuffles"):
            done = turn.shuffle(rng)
            drift = max(drift, done.drift)
            for name, level in done.levels.items():
                levels.setdefault(name, []).append(level)
        changed = {name: columns[name].changed() for name in self.variables}
        for name, mask in changed.items():
            values = sum(
                int((columns[name].original[r] >= 0).sum()) for r in units.members.values()
            )
            notes.append(
                f"{name} changed for {mask.sum() / max(1, values):.1%} of {values:,} people"
            )
        notes.append(f"Spearman's correlations moved by at most {drift:.4f} in a shuffle")
        table = source.table(list(self.variables))
        result = with_columns(
            engine,
            source,
            {name: columns[name].renewed(table.column(name)) for name in self.variables},
        )
        return self.with_receipt(
            source,
            result,
            records_changed=int(np.logical_or.reduce(list(changed.values())).sum()),
            cells_changed={name: int(mask.sum()) for name, mask in changed.items()},
            notes=tuple(notes),
            warnings=(*units.warnings, *(w for c in columns.values() for w in c.warnings)),
            private={"levels": levels, "drift": drift},
        )

    def _read(self, engine: Engine, source: Source) -> dict[str, ShuffledColumn]:
        exact = [name for name in self.within if name not in self.bands]
        every = dict.fromkeys((*self.variables, *self.given, *exact, *self.apart))
        read = {
            name: read_measure(source, Measure(name, text), self.households)
            for name, text in self.derived.items()
        }
        read |= {
            name: read_column(
                engine,
                source,
                name,
                hierarchy=self.hierarchies.get(name),
                at=self.at.get(name),
                stay=self.stay.get(name),
                leave=self.leave.get(name, ()),
                nominal=True if name in self.nominal else False if name in self.ordered else None,
            )
            for name in every
            if name not in self.derived
        }
        for name, width in self.bands.items():
            read[self._band(name)] = read_bands(source, name, width)
        return read

    def _band(self, name: str) -> str:
        return f"{name} in bands of {self.bands[name]:g}" if name in self.bands else name

    def _turns(self, columns: Mapping[str, ShuffledColumn], units: Units) -> Iterator[Turn]:
        levels = {
            name: self.levels.get(name, self.level)
            for name in self.variables
            if name not in self.shares
        }
        return take_turns(
            columns,
            units,
            variables=self.variables,
            given=self.given,
            within=[self._band(name) for name in self.within],
            apart=self.apart,
            table=self.of == "couples" and self.hold == "table",
            levels=levels,
            shares=self.shares,
            max_risk=self.max_risk,
            ties=self.ties,
            diagonal=self.diagonal,
        )
