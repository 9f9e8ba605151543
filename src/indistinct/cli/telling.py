"""Sentences for people, beside what was asked for: on standard error."""

from __future__ import annotations

from pathlib import Path

__all__ = ["honest", "tell_people"]


def honest(sentence: str, written: list[Path]) -> str:
    """Take back that nothing was written, where something was.

    >>> honest("The disk is full. Nothing was written.", [Path("c.csv")])
    'The disk is full. Before that, c.csv was written.'
    """
    if not written:
        return sentence
    was = f"efore that, {', '.join(map(str, written))} {'was' if len(written) == 1 else 'were'}"
    for first, word in (("B", "Nothing was written"), ("b", "nothing was written")):
        sentence = sentence.replace(word, f"{first}{was} written")
    return sentence


def tell_people(sentence: str) -> None:
    """Print a sentence where it does not mix with what was asked for."""
    from indistinct.cli.live import error_console

    error_console().print(sentence, markup=False, soft_wrap=True)
