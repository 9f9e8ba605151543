"""No detector runs away: on hostile text the work grows with the text, not with its square."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from time import process_time

import pytest

from indistinct.scrub.text.detectors import all_detectors
from indistinct.scrub.text.page import Page, read
from indistinct.scrub.text.spans import Span

HOSTILE = {
    "one long word": "a",
    "digits and dashes": "1-",
    "digits": "7",
    "initials": "A. ",
    "titles": "Dr. ",
    "line ends": " \n",
    "dates cut short": "1/1/",
    "dotted words": "ab.",
    "at signs": "a@",
    "capitals": "Aa Bb ",
    "brackets": "((",
    "hexadecimal": "0a:",
    "months": "May 1 ",
    "spoken digits": "one ",
    "stars": "*x",
    "numbers and blanks": "12 ",
    "plus signs": "+1 ",
    "streets": "1 Elm St., ",
    "possessives": "Al's ",
    "labels": "MRN: ",
    "fillers before digits": "- 1234 ",
    "quoted addresses": '"a"@a.',
    "spoken addresses": "a at b dot ",
    "numbers and words": "12 and 6/12 ",
}
# Detectors may remember a page, so that every run has a page of its own.
_RUNS = ("b ", "c ", "d ")
# Letters of the shorter text, and seconds for the longer one below which nothing ran away.
_EVERYDAY = (1_000, 0.02)
_THOROUGH = (4_000, 0.05)


@pytest.mark.parametrize("name", sorted(all_detectors()))
def test_four_times_the_text_is_no_more_than_twelve_times_the_work(name: str) -> None:
    _grows_with_the_text(name, *_EVERYDAY)


@pytest.mark.heavy
@pytest.mark.parametrize("name", sorted(all_detectors()))
def test_four_times_a_long_text_is_no_more_than_twelve_times_the_work(name: str) -> None:
    _grows_with_the_text(name, *_THOROUGH)


def _grows_with_the_text(name: str, size: int, quick: float) -> None:
    detect = all_detectors()[name]
    _seconds(detect, read("What is read once, such as knowledge, is no part of the work."))
    for hostile in HOSTILE:
        first = _seconds(detect, _page(hostile, _RUNS[0], 4 * size))
        if first < quick:
            continue
        least = min(_seconds(detect, _page(hostile, run, size)) for run in _RUNS)
        most = min(first, *(_seconds(detect, _page(hostile, run, 4 * size)) for run in _RUNS[1:]))
        assert most < 12 * max(least, 0.002), f"{name} on {hostile}: {least:.3f} s, {most:.3f} s"


@cache
def _page(hostile: str, run: str, size: int) -> Page:
    unit = HOSTILE[hostile]
    return read(run + unit * (size // len(unit)))


def _seconds(detect: Callable[[Page], Iterable[Span]], page: Page) -> float:
    begun = process_time()
    for _ in detect(page):
        pass
    return process_time() - begun
