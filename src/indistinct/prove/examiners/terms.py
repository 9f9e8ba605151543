"""What the holder said of the release himself: what is not confirmed, kept or altered."""

from __future__ import annotations

from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial

__all__ = ["examine_terms"]


@register_examiner(place=10)
def examine_terms(trial: Trial) -> Opinion:
    """Name what must be taken on trust because the promise itself says so."""
    promise, found = trial.promise, Opinion()
    if not promise.confirmed:
        found = found.reserving(
            "key-not-confirmed",
            f"nobody has confirmed that {', '.join(promise.key)} is all that an intruder may know: "
            "write confirmed = true under [release] in the project file when it is",
        )
    if promise.kept:
        found = found.reserving(
            "identifier-released",
            f"{', '.join(promise.kept)} may name people and "
            f"{'is' if len(promise.kept) == 1 else 'are'} released because it was asked for",
        )
    if promise.scrubbed:
        found = found.reserving(
            "text-scrubbed",
            f"{', '.join(promise.scrubbed)} held what people wrote: Scrub replaced what it found "
            "to refer to people, and nobody can prove that it found all",
        )
    hidden = [n for n in promise.key if n in {*promise.encrypted, *promise.substituted}]
    if hidden:
        found = found.reserving(
            "encrypted",
            f"{', '.join(hidden)} {'is' if len(hidden) == 1 else 'are'} hidden and not coarsened: "
            "k is not claimed, and whoever gets the key, or what was replaced by what, reads them",
        )
    if promise.population is not None:
        found = found.reserving(
            "population",
            f"k counts the people of {promise.population}, and holds if the records are about "
            "people of that list and an intruder cannot tell who of them is in the data",
        )
    return found
