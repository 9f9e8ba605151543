"""Plans: ordered steps that can be read, saved, undone and replayed.

*A protection step is a pure function of (records, parameters, seed) to (records, receipt), and
every step is in the plan.*
"""

from __future__ import annotations

import json
import secrets as system_secrets
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from indistinct.core import IndistinctError, InputError, Seed, check_whole, for_json, progress
from indistinct.core.doors import check_within, read_file, write_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.step import Context, Step
from indistinct.results import Fact, Result, Table, facts, result

__all__ = ["Applied", "Context", "Plan", "Receipt", "Step", "fresh_seed"]

VERSION = 1
MOST_STEPS = 1_000
"""Steps that a plan may have: each is held against every other."""


def fresh_seed() -> int:
    """Return a seed nobody can guess; whoever has it can undo a perturbation, so keep it.

    >>> fresh_seed() != fresh_seed()
    True
    """
    return system_secrets.randbits(128)


@result(eq=True)
class Applied(Result):
    """The records after a plan, and what each step did."""

    source: Source
    receipts: tuple[Receipt, ...]

    FACTS = facts(Fact("records", "source.records"), "receipts")

    def _lines(self) -> list[str]:
        return [repr(self.source), *(receipt.details() for receipt in self.receipts)]

    def _tables(self) -> list[Table]:
        return [table for receipt in self.receipts for table in receipt._tables()]

    def to_frame(self) -> Any:
        """Return one row per step as a pandas frame."""
        rows = [
            (r.kind, r.records_before, r.records_after, r.records_changed, r.cells)
            for r in self.receipts
        ]
        head = ("step", "records before", "records after", "records changed", "cells changed")
        return Table("Steps", head, rows).to_frame()


@result(eq=True)
class Plan(Result):
    """Steps in the order in which they are applied. It holds no seed, no key and no record.

    >>> from indistinct.protect import Blank, Deidentify
    >>> plan = Plan((Blank(key=("age", "sex"), k=3),)).with_step(Deidentify(("name",)))
    >>> plan
    Plan of 2 steps
      1. blank the whole key (age, sex) of the records in classes smaller than 3
      2. leave out the identifiers name
    >>> plan.undo() == Plan((Blank(key=("age", "sex"), k=3),))
    True
    """

    steps: tuple[Step, ...] = ()

    FACTS = facts(Fact("version", lambda found: VERSION), "steps")

    def __post_init__(self) -> None:
        """Refuse steps in an order in which a later one cannot do its work."""
        object.__setattr__(self, "steps", tuple(self.steps))
        problems = _order_problems(self.steps)
        if problems:
            raise InputError("\n".join(problems))

    def __len__(self) -> int:
        return len(self.steps)

    def _lines(self) -> list[str]:
        lines = [f"Plan of {len(self)} step{'' if len(self) == 1 else 's'}"]
        lines += [f"  {n}. {step.describe()}" for n, step in enumerate(self.steps, 1)]
        return lines

    def _tables(self) -> list[Table]:
        return [
            Table(
                "Steps, in the order in which they are applied",
                ("step", "kind", "what it does"),
                [(n, step.kind, step.describe()) for n, step in enumerate(self.steps, 1)],
            )
        ]

    def with_step(self, step: Step) -> Plan:
        """Return the plan with one step more, at its end."""
        return Plan((*self.steps, step))

    def undo(self, steps: int = 1) -> Plan:
        """Return the plan without its last steps; apply it to the original records."""
        if not 0 <= steps <= len(self):
            raise InputError(
                f"The plan has {len(self)} steps, so 0 to {len(self)} can be undone. Got {steps}."
            )
        return Plan(self.steps[: len(self) - steps])

    def apply(
        self,
        engine: Engine,
        source: Source,
        *,
        seed: Seed | None = None,
        secrets: ReleaseKey | None = None,
        first: int = 0,
    ) -> Applied:
        """Apply every step in turn to a copy of the records.

        Parameters
        ----------
        seed
            For steps that draw at random; the same seed gives the same bytes.
        secrets
            The release's key, for steps that encrypt.
        first
            The place of the first step, where steps before it have been applied already.
        """
        if seed is not None:
            check_whole("seed", seed, 0)
        drawing = [step.kind for step in self.steps if step.draws_at_random]
        if drawing and seed is None:
            raise InputError(
                f"The plan draws at random ({', '.join(dict.fromkeys(drawing))}) and needs a seed. "
                "Make one with fresh_seed() and keep it private: it would undo the plan."
            )
        receipts = []
        steps = progress.each(self.steps, "applying the plan", unit="steps")
        for position, step in enumerate(steps, first):
            try:
                with progress.task(f"step {position + 1}: {step.kind}"):
                    source, receipt = step.apply(engine, source, Context(position, seed, secrets))
            except IndistinctError as error:
                raise type(error)(f"Step {position + 1} ({step.kind}): {error}") from None
            receipts.append(receipt)
        return Applied(source, tuple(receipts))

    @classmethod
    def from_dict(cls, content: object, *, origin: str = "The plan") -> Plan:
        """Make the plan that `to_dict` described; all problems are told at once."""
        if not isinstance(content, dict):
            raise InputError(f"{origin}: a plan must be an object with version and steps.")
        problems = [
            f"there is no field '{name}' in a plan"
            for name in content
            if name not in ("version", "steps")
        ]
        version, entries = content.get("version"), content.get("steps")
        if version != VERSION or isinstance(version, bool):
            shown = f"Got {version}" if isinstance(version, int) else "It has none of that kind"
            problems.append(f"the version of a plan must be {VERSION}. {shown}")
        steps: list[Step] = []
        if isinstance(entries, list) and len(entries) > MOST_STEPS:
            problems.append(f"a plan has at most {MOST_STEPS:,} steps. Got {len(entries):,}")
        elif isinstance(entries, list):
            for number, entry in enumerate(entries, 1):
                try:
                    steps.append(Step.from_dict(entry))
                except InputError as error:
                    problems.append(f"step {number}: {error}")
        else:
            problems.append("'steps' must be a list")
        problems += _order_problems(steps)
        if problems:
            raise InputError("\n".join(f"{origin}: {problem}" for problem in problems))
        return cls(tuple(steps))

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the plan as JSON; the same plan gives the same bytes."""
        text = for_json(self.to_dict(), indent=2) + "\n"
        return write_whole(path, text, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a plan that was saved."""
        path = Path(path)
        try:
            content = json.loads(read_file(path, "plan"))
        except (ValueError, RecursionError):
            raise InputError(
                f"{path} is not a plan: it is not JSON. Save one with Plan.save."
            ) from None
        plan = cls.from_dict(content, origin=str(path))
        for number, step in enumerate(plan.steps, 1):
            for named in step.files():
                astray = check_within(Path(named), path.parent, "plan")
                if astray is not None:
                    raise InputError(f"{path}: step {number}: {named} {astray}.")
        return plan


def _order_problems(steps: Sequence[Step]) -> list[str]:
    found = (
        (i, j, first.order_problem(later))
        for (i, first), (j, later) in combinations(enumerate(steps, 1), 2)
    )
    return [f"step {i} must not come before step {j}: {why}" for i, j, why in found if why]
