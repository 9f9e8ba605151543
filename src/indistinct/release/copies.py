"""Copies are mended before a release is written: they follow what was coarsened, or stay behind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from indistinct.core import Seed
from indistinct.files import Source
from indistinct.protect import FollowLabel, Plan, Receipt, Step, SuppressAttribute
from indistinct.prove import Copy, Trial, find_copies

__all__ = ["SettledCopies", "settle_copies"]

_ROUNDS = 3
"""How often copies are blanked and looked for again before what still tells is left out."""


@dataclass(frozen=True)
class SettledCopies:
    """The records to be released, what was done to them, and the words about it."""

    source: Source
    steps: tuple[Step, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    warnings: tuple[str, ...] = ()


def settle_copies(
    trial: Trial, *, keep: Sequence[str] = (), seed: Seed | None = None, first: int = 0
) -> SettledCopies:
    """Let no variable leave that tells what was coarsened or altered in another.

    A coarser code of what was coarsened is blanked where it would say more; another copy is left
    out, and of two that tell only together one. What is to be kept is kept, and the judge will say
    what it does.

    Parameters
    ----------
    trial
        The records as they would be released, before they are written, with the private data.
    keep
        Variables that are released although they tell.
    first
        The number of steps of the plan so far.
    """
    kept = {*keep, *trial.promise.key}
    settled = SettledCopies(trial.release)
    followed: dict[str, Copy] = {}
    found = _to_be_settled(trial, kept)
    # a copy that follows one variable may still tell another by some of its values
    for _ in range(_ROUNDS):
        following = [
            c for c in found if c.breaks_k and (c.coarser or c.open_labels) and not c.altered
        ]
        steps = [FollowLabel(copy.name, copy.of, copy.open_labels) for copy in following]
        if not steps or all(step in settled.steps for step in steps):
            break
        settled = _applied(trial, settled, steps, seed, first)
        followed |= {copy.name: copy for copy in following if copy.name not in followed}
        found = _to_be_settled(replace(trial, release=settled.source), kept)
    gone = tuple(copy.name for copy in found)
    if gone:
        leaving = SuppressAttribute(gone, how="drop")
        settled = _applied(trial, settled, [leaving], seed, first)
    words = [
        _word(copy, "blanked where it says more")
        for copy in followed.values()
        if copy.name not in gone
    ]
    words += [_word(copy, "left out") for copy in found]
    return replace(settled, warnings=tuple(words))


def _to_be_settled(trial: Trial, kept: Collection[str]) -> list[Copy]:
    """Return the copies that do harm, under the name of what may stay behind."""
    found: dict[str, Copy] = {}
    for copy in find_copies(trial):
        if not copy.harms or copy.name in found or copy.beside in found:
            continue
        if copy.name in kept and copy.beside is not None:
            copy = replace(copy, name=copy.beside, beside=copy.name)
        if copy.name not in kept:
            found[copy.name] = copy
    return list(found.values())


def _applied(
    trial: Trial, so_far: SettledCopies, steps: Sequence[Step], seed: int | None, first: int
) -> SettledCopies:
    done = Plan(tuple(steps)).apply(
        trial.engine, so_far.source, seed=seed, first=first + len(so_far.steps)
    )
    return SettledCopies(done.source, (*so_far.steps, *steps), (*so_far.receipts, *done.receipts))


def _word(copy: Copy, done: str) -> str:
    return f"{copy.name} is {done}: {copy.sentence}. Keep it with --release {copy.name}."
