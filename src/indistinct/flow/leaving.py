"""Records on their way out: what still has to be done to protected records before they leave.

In this order: members of a household are treated alike and households get new numbers; sensitive
cells that a whole class has are blanked, or refused; declared texts are scrubbed; what names people
is replaced or left out; copies of what was coarsened follow it or stay behind; the records are put
in an order that says nothing. All of it is in the plan. What comes out is the file to be written,
and the promise by which it is judged.

A method's decision, so that the judge can take it again for other sensitive values.

`prove` knows nothing of methods. It is handed a function that says whether the method would have
released the same if people had had other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from indistinct.core import GuaranteeError, Ints, Seed
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import hierarchies_in
from indistinct.households import household_column
from indistinct.keys import KeyTable, group_rows
from indistinct.naming import Naming, columns_that_name, may_number_people, says_amount
from indistinct.project import Project
from indistinct.protect import (
    AlikeInHousehold,
    Deidentify,
    Encrypt,
    Plan,
    Protected,
    PublicRule,
    Receipt,
    RenumberHouseholds,
    Select,
    Step,
    Substitute,
    Told,
    altered_variables,
    fresh_seed,
    keep_untold,
    origin_of,
    promised_models,
    reads_blanks_as_wildcards,
    settle_households,
    true_rules,
)
from indistinct.protect.methods import Optimum
from indistinct.protect.steps import ScrambleOrder
from indistinct.prove import Promise, Replay, Trial, check_codes, with_replay, with_undecided
from indistinct.release import settle_copies
from indistinct.scrub import scrub_as_declared, scrubbed_columns

__all__ = ["Leaving", "prepare_to_leave", "replay_of"]


@dataclass(frozen=True, eq=False)
class Leaving:
    """Records that are about to leave.

    Parameters
    ----------
    protected
        What the method made of them, with what was done for whole households.
    source
        The records as they are written.
    in_order
        The same in the order in which they were protected, to be compared with the original.
    plan, receipts
        All that was done to them, the method's own steps first.
    promise
        What is promised of them.
    origin
        For each record the number of the private record that it was made from, where that is
        known; it stays with the holder.
    in_order_origin
        The same for `in_order`.
    replay
        How the method would have decided for other sensitive values, where it looked at them.
    seed
        The seed that was used.
    left_out
        Columns that were left out because they name people, and why.
    warnings
        What the holder should know of all this.
    """

    protected: Protected
    source: Source
    in_order: Source
    plan: Plan
    receipts: tuple[Receipt, ...]
    promise: Promise
    origin: Ints | None
    in_order_origin: Ints | None
    replay: Replay | None
    seed: int | None
    left_out: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def prepare_to_leave(
    engine: Engine,
    private: Source,
    done: Protected,
    *,
    project: Project | None = None,
    seed: Seed | None = None,
    keep: Sequence[str] | None = None,
    keep_named: Sequence[str] | None = None,
    keep_order: bool | None = None,
    keep_household_numbers: bool | None = None,
    substitute: Sequence[str] = (),
    told: Told | None = None,
    accept: Sequence[str] = (),
) -> Leaving:
    """Do what remains to be done to protected records; see `Data.release` for the options."""
    settings = project.release if project is not None else None
    if keep is None and settings is not None:
        keep = settings.keep
    if keep_named is None:
        keep_named = (settings.release if settings is not None else None) or ()
    private.check_columns(keep_named)
    check_codes((*accept, *((settings.accept or ()) if settings is not None else ())))
    if keep_order is None:
        keep_order = settings is not None and bool(settings.keep_order)
    if keep_household_numbers is None:
        keep_household_numbers = settings is not None and settings.keep_household_numbers
    seed = fresh_seed() if seed is None else seed
    as_decided = done
    warnings: list[str] = []
    household = project.household.household if project is not None else None
    household = household or household_column(private)
    shown = keep is None or household in keep
    steps = done.plan.steps
    replayed = bool(steps) and isinstance(steps[-1], ScrambleOrder)
    replayed |= any(isinstance(step, RenumberHouseholds) for step in steps)
    # members who stand together are seen to be a household, with a number or without
    if household in done.source.variables and (shown or keep_order) and not replayed:
        assert household is not None
        done = settle_households(
            engine,
            private,
            done,
            household=household,
            person=done.person,
            seed=seed,
            keep_numbers=keep_household_numbers or not shown,
        )
        alike = [r for r in done.receipts if r.kind == AlikeInHousehold.kind]
        if alike:
            changed = alike[-1].cells_changed
            told_cells = ", ".join(f"{n:,} of {name}" for name, n in changed.items())
            warnings.append(
                "people of a household were given the same labels, so that they do not tell about "
                f"each other: {told_cells} cells changed, {alike[-1].records_lost:,} records left "
                "out, beside what the method did. Without the household number it is not needed"
            )
        if household not in done.source.variables:
            keep = None if keep is None else [name for name in keep if name != household]
            warnings.append(
                f"{household} is left out: how many records have the same one would tell the size "
                "of the household, which was coarsened. Keep it with --keep-household-numbers."
            )
    sensitive = [n for n in _sensitive(private, done.plan) if keep is None or n in keep]
    said = project.public.values() if project is not None else ()
    rules = [PublicRule(one.variable, one.value, one.given, one.labels) for one in said]
    public = [one for one in true_rules(engine, private, rules) if one.variable in sensitive]
    untold = keep_untold(engine, done, sensitive, told=told, public=public, seed=seed)
    if untold is not done:
        cells = untold.receipts[-1].cells_changed
        blanked = ", ".join(f"{number:,} of {name}" for name, number in cells.items())
        warnings.append(
            "sensitive cells were blanked, as everybody in their class has the same, and those of "
            f"as many other classes, so that the blanks do not tell it: {blanked}"
        )
    done = untold
    on_the_way = _OnTheWay(engine, done.source, done.plan, done.receipts, seed)
    scrubbed = scrub_as_declared(project, engine, on_the_way.source, done.plan, seed=seed)
    if scrubbed is not None:
        source, plan, receipt = scrubbed
        on_the_way = replace(
            on_the_way, source=source, plan=plan, receipts=(*done.receipts, receipt)
        )
    undecided: list[str] = []
    if done.person is None:
        others = [*done.before.key, *([household] if household is not None else [])]
        undecided = may_number_people(engine, private, key=others)
        warnings += [
            f"several records share their {name}: if they are of one person or firm, say --person "
            f"{name}; as it is, every record counts as one"
            for name in undecided
        ]
    naming = _naming(on_the_way, private, done, household, substitute)
    left = [one for one in naming if one.name not in keep_named]
    kept = on_the_way.source.variables
    last: list[Step] = [Substitute(name) for name in substitute]
    if keep is not None:
        on_the_way.source.check_columns(keep)
        asked = dict.fromkeys([*done.before.key, *substitute, *keep, *keep_named])
        chosen = tuple(name for name in asked if name in kept)
        last.append(Select(chosen))
        left = [one for one in left if one.name in chosen]
    declared = private.variables.names(role="identifier")
    warnings += [
        f"left out {one}; release it with --release {one.name} if it must be"
        for one in left
        if one.name not in declared
    ]
    if left:
        last.append(Deidentify(tuple(one.name for one in left)))
    on_the_way = on_the_way.then(last)
    promise = _promised(on_the_way, private, done, naming, household, project, accept, public)
    trial = Trial(
        engine,
        on_the_way.source,
        promise,
        private,
        hierarchies=on_the_way.hierarchies,
        origin=origin_of(on_the_way.receipts, private.records),
    )
    settled = settle_copies(trial, keep=keep_named, seed=seed, first=len(on_the_way.plan))
    in_order = replace(
        on_the_way,
        source=settled.source,
        plan=Plan((*on_the_way.plan.steps, *settled.steps)),
        receipts=(*on_the_way.receipts, *settled.receipts),
    )
    on_the_way = in_order
    if in_order.plan.steps and isinstance(in_order.plan.steps[-1], ScrambleOrder):
        keep_order = False  # they stand in another order already
    elif not keep_order:
        on_the_way = in_order.then([ScrambleOrder()])
    promise = _promised(on_the_way, private, done, naming, household, project, accept, public)
    # what was coarsened or blanked further is not what the method decided
    replay = replay_of(done) if done is as_decided else None
    promise = with_replay(promise, replay)
    origin = origin_of(on_the_way.receipts, private.records)
    last_trial = Trial(engine, on_the_way.source, promise, private, origin=origin)
    promise = with_undecided(last_trial, undecided)
    return Leaving(
        done,
        on_the_way.source,
        in_order.source,
        on_the_way.plan,
        on_the_way.receipts,
        replace(promise, keeps_order=keep_order),
        origin,
        origin_of(in_order.receipts, private.records),
        replay,
        seed,
        {one.name: one.reason for one in left},
        (*warnings, *settled.warnings),
    )


@dataclass(frozen=True, eq=False)
class _OnTheWay:
    """Records, and all that was done to them so far."""

    engine: Engine
    source: Source
    plan: Plan
    receipts: tuple[Receipt, ...]
    seed: int | None

    def then(self, steps: Sequence[Step]) -> _OnTheWay:
        """Return the records after some steps more."""
        if not steps:
            return self
        applied = Plan(tuple(steps)).apply(
            self.engine, self.source, seed=self.seed, first=len(self.plan)
        )
        plan = Plan((*self.plan.steps, *steps))
        receipts = (*self.receipts, *applied.receipts)
        return replace(self, source=applied.source, plan=plan, receipts=receipts)

    @property
    def hierarchies(self) -> dict[str, Any]:
        """What generalised labels stand for."""
        return dict(hierarchies_in(self.plan.to_dict()))


def _naming(
    on_the_way: _OnTheWay,
    private: Source,
    done: Protected,
    household: str | None,
    substitute: Sequence[str],
) -> tuple[Naming, ...]:
    """Return the columns that name people: in the data, or in what was made of them.

    A number of a person with a little noise on it looks like an amount, so both are asked. What
    is disguised does not name anybody, and households have their own treatment.
    """
    plan, source = on_the_way.plan, on_the_way.source
    disguised = {
        *substitute,
        *scrubbed_columns(plan, source),
        *(step.variable for step in plan.steps if isinstance(step, Substitute)),
        *(name for step in plan.steps if isinstance(step, Encrypt) for name in step.variables),
    }
    excused = {*done.before.key, *([household] if household is not None else [])}
    found = {
        one.name: one
        for records in (source, private)
        for one in columns_that_name(
            on_the_way.engine,
            records,
            key=excused,
            person=done.person if done.person in records.variables else None,
        )
    }
    return tuple(
        found[name] for name in source.variables if name in found and name not in disguised
    )


def _sensitive(private: Source, plan: Plan) -> list[str]:
    """Return the variables of which nothing may be learnt: declared, or looked at by models."""
    looked_at = [model.get("variable") for model in promised_models(plan)]
    named = [*private.variables.names(role="sensitive"), *(name for name in looked_at if name)]
    return list(dict.fromkeys(named))


def _promised(
    on_the_way: _OnTheWay,
    private: Source,
    done: Protected,
    naming: Sequence[Naming],
    household: str | None,
    project: Project | None,
    accept: Sequence[str],
    public: Sequence[PublicRule],
) -> Promise:
    """Return what is promised of the records, from what was asked and what was done."""
    plan, released = on_the_way.plan, on_the_way.source.variables

    def there(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name in names if name in released))

    key = there(done.before.key)
    settings = project.release if project is not None else None
    accepted = (*accept, *((settings.accept or ()) if settings is not None else ()))
    return Promise(
        key=key,
        k=done.k,
        person=done.person,
        household=household,
        # what an intruder is believed to know need not be hidden from him
        sensitive=there([n for n in _sensitive(private, plan) if n not in key]),
        public=tuple(rule.to_dict() for rule in public if rule.variable in released),
        models=promised_models(
            plan,
            left_out=1 - on_the_way.source.records / max(1, done.before.records),
            result=done.result,
            receipts=on_the_way.receipts,
        ),
        wildcard=reads_blanks_as_wildcards(plan),
        perturbed=there(altered_variables(plan, on_the_way.receipts, key=key)),
        encrypted=there(
            [name for step in plan.steps if isinstance(step, Encrypt) for name in step.variables]
        ),
        substituted=there([step.variable for step in plan.steps if isinstance(step, Substitute)]),
        scrubbed=there(scrubbed_columns(plan, on_the_way.source)),
        kept=there([one.name for one in naming]),
        confirmed=settings is None or settings.confirmed is not False,
        accepted=tuple(dict.fromkeys(accepted)),
        labels={
            name: variable.label
            for name, variable in released.items()
            if variable.label and says_amount(name, variable.label) and not says_amount(name)
        },
    )


# A method's decision -----------------------------------------------------------------------------


def replay_of(done: Protected) -> Replay | None:
    """Return how a method would decide again; None where it cannot, or never looked at values.

    Where people have several records the method decided for people, and a class that is released
    holds their records: that is not replayed.
    """
    found = done.result
    if not isinstance(found, Optimum) or not found.forced or done.person is not None:
        return None
    counted, again = found.sensitive, found.again
    if counted is None or again is None:
        return None
    keys = found.keys.table
    variables = tuple(name for name in counted.names if name not in keys.names)
    table, _ = counted.rollup([*keys.names, *variables])
    rows = group_rows(table.codes[:, : len(keys.names)])
    codes, column = np.unique(table.codes[:, len(keys.names) :], axis=0, return_inverse=True)
    column = column.reshape(-1)
    held = np.zeros((keys.classes, len(codes)), dtype=np.int64)
    np.add.at(held, (rows, column), table.counts)

    def alike(other: Ints) -> bool:
        at, value = np.nonzero(other)
        placed = KeyTable(table.coding, np.hstack([keys.codes[at], codes[value]]), other[at, value])
        try:
            return again(placed).releases_like(found)
        except GuaranteeError:
            return False

    decoded = [
        coding.decode(codes[:, j])
        for j, coding in enumerate(table.coding.variables[len(keys.names) :])
    ]
    nodes = found.keys.nodes([found.levels[name] for name in keys.names])
    groups = np.where(found.dropped, -1, group_rows(nodes.astype(np.int64)))
    values, work = tuple(zip(*decoded, strict=True)), keys.classes * max(1, found.checked)
    return Replay(variables, values, held, groups, alike, work)
