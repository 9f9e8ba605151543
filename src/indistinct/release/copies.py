"""Copies are mended before a release is written: they follow what was coarsened, or stay behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indistinct.files.source import Source
from indistinct.protect import FollowLabel, Plan, Receipt, Step, SuppressAttribute
from indistinct.prove import Copy, Trial, find_copies

__all__ = ["SettledCopies", "settle_copies"]


@dataclass(frozen=True)
class SettledCopies:
    """The records to be released, what was done to them, and the words about it."""

    source: Source
    steps: tuple[Step, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    warnings: tuple[str, ...] = ()


def settle_copies(
    trial: Trial, *, keep: Sequence[str] = (), seed: int | None = None, first: int = 0
) -> SettledCopies:
    """Let no variable leave that tells what was coarsened or altered in another.

    A coarser code of what was coarsened is blanked where it would say more; another copy is left
    out. What is to be kept is kept, and the judge will say what it does.

    Parameters
    ----------
    trial
        The records as they would be released, before they are written, with the private data.
    keep
        Variables that are released although they tell.
    first
        The number of steps of the plan so far.
    """
    found = [copy for copy in find_copies(trial) if copy.harms and copy.name not in keep]
    following = [c for c in found if c.breaks_k and c.coarser and not c.altered]
    settled = SettledCopies(trial.release)
    if following:
        steps = [FollowLabel(copy.name, copy.of) for copy in following]
        settled = _applied(trial, settled, steps, seed, first)
        again = find_copies(replace(trial, release=settled.source))
        found = [copy for copy in again if copy.harms and copy.name not in keep]
    if found:
        leaving = SuppressAttribute(tuple(copy.name for copy in found), how="drop")
        settled = _applied(trial, settled, [leaving], seed, first)
    gone = {copy.name for copy in found}
    words = [
        _word(copy, "blanked where it says more") for copy in following if copy.name not in gone
    ]
    words += [_word(copy, "left out") for copy in found]
    return replace(settled, warnings=tuple(words))


def _applied(
    trial: Trial, so_far: SettledCopies, steps: Sequence[Step], seed: int | None, first: int
) -> SettledCopies:
    done = Plan(tuple(steps)).apply(
        trial.engine, so_far.source, seed=seed, first=first + len(so_far.steps)
    )
    return SettledCopies(done.source, (*so_far.steps, *steps), (*so_far.receipts, *done.receipts))


def _word(copy: Copy, done: str) -> str:
    return f"{copy.name} is {done}: {copy.sentence}. Keep it with --release {copy.name}."
