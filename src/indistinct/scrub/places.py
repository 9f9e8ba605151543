"""Where things are written: never over what is read, over each other, or among the letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from indistinct.core import InputError
from indistinct.core.doors import check_new_folder

__all__ = ["check_places", "check_secret"]


def check_places(
    letters: Sequence[Path],
    out: Path | None,
    *private: Path | None,
    others: Iterable[Path] = (),
) -> None:
    """Refuse places that cannot be written, or that are read, before any work.

    Parameters
    ----------
    letters
        What is read: files and folders.
    out
        A new folder.
    private
        Files that must not leave with the folder.
    others
        What is read beside the letters.
    """
    if out is not None:
        if out.suffix.lower() in (".txt", ".jsonl", ".csv", ".parquet"):
            raise InputError(
                f"--out names a folder, in which the scrubbed letters get names of their own. "
                f"Got {out}."
            )
        check_new_folder(out)
    for place in filter(None, private):
        if out is not None and place.resolve().is_relative_to(out.resolve()):
            raise InputError(
                f"{place} is private, and would leave with the letters in {out}. Write it "
                "elsewhere."
            )
        if place.is_dir() or not place.resolve().parent.is_dir():
            raise InputError(f"{place} cannot be written: name a file in a folder that exists.")
    places = [place for place in (out, *private) if place is not None]
    for one, other in combinations(places, 2):
        if _same(one, other):
            raise InputError(f"{one} is named for two things to write. Name each by itself.")
    for place in places:
        for path in letters:
            if _is_within(place, path):
                raise InputError(f"{place} is among the letters in {path}. Write it elsewhere.")
    for path in others:
        for place in places:
            if _is_within(place, path):
                raise InputError(f"{place} is read, and would be written over. Write elsewhere.")


def check_secret(secret: Path | None, letters: Sequence[Path]) -> None:
    """Refuse a secret among the letters, which would be passed on as one of them."""
    for path in letters:
        if secret is not None and _is_within(secret, path):
            raise InputError(
                f"The secret {secret} is among the letters in {path}. Keep it elsewhere."
            )


def _is_within(place: Path, path: Path) -> bool:
    return _same(place, path) or (path.is_dir() and place.resolve().is_relative_to(path.resolve()))


def _same(one: Path, other: Path) -> bool:
    """Say whether two names are of one file, by whatever links."""
    if one.resolve() == other.resolve():
        return True
    return one.exists() and other.exists() and one.samefile(other)
