"""A released variable that tells what was coarsened or altered in another undoes it."""

from __future__ import annotations

from dataclasses import replace

from indistinct.prove.copies import PAIRS_AT_MOST, find_copies, pairs_passed_over
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["examine_copies"]


@register_examiner(place=120)
def examine_copies(trial: Trial) -> Opinion:
    """Name the copies: those that break k, those that undo an alteration, and the harmless."""
    found = Opinion()
    for copy in find_copies(trial):
        if copy.breaks_k:
            found = replace(found.finding(copy.sentence), k=min(copy.k or 1, found.k or 1 << 62))
        elif copy.altered:
            found = found.reserving("copies", copy.sentence)
        else:
            found = replace(found, notes=(*found.notes, copy.sentence))
    if passed_over := pairs_passed_over(trial):
        said = (
            f"whether two variables tell together what was coarsened was looked at for the "
            f"{PAIRS_AT_MOST:,} pairs that stand nearest in the file, and not for {passed_over:,} "
            "others"
        )
        found = replace(found, notes=(*found.notes, said))
    return found
