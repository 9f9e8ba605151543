"""What a person says of references holds where the same words stand, and nowhere else."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.core import InputError
from indistinct.scrub import Correction, read_corrections, scrub
from indistinct.scrub.correcting import corrected
from indistinct.scrub.text import Kind, Span

LETTER = "Mrs. Jane Longfellow was seen. The Quexal sign was absent. Quexally spoken.\n"


def corrections_in(folder: Path, *said: Correction) -> Path:
    place = folder / "corrections.json"
    place.write_text(json.dumps({"corrections": [one.to_dict() for one in said]}))
    return place


def scrubbed(folder: Path, *said: Correction, name: str = "out") -> dict[str, str]:
    letters = folder / "in"
    letters.mkdir(exist_ok=True)
    for one in ("a.txt", "b.txt"):
        (letters / one).write_text(LETTER)
    options = {"corrections": corrections_in(folder, *said)} if said else {}
    scrub(letters, out=folder / name, seed=1, keep_names=True, **options)
    return {one: (folder / name / one).read_text() for one in ("a.txt", "b.txt")}


def test_without_corrections_nothing_is_other_than_before(tmp_path: Path):
    plain = scrubbed(tmp_path, name="plain")
    assert scrubbed(tmp_path, Correction("Nowhere", "city"), name="out") == plain


def test_a_reference_that_is_said_is_replaced_as_a_word_of_its_own(tmp_path: Path):
    plain = scrubbed(tmp_path, name="plain")
    found = scrubbed(tmp_path, Correction("Quexal", "last name", "a.txt"))
    assert "Quexal sign" not in found["a.txt"]
    assert "Quexally" in found["a.txt"]
    assert found["b.txt"] == plain["b.txt"]


def test_what_refers_to_nobody_stays(tmp_path: Path):
    found = scrubbed(tmp_path, Correction("Jane", None), Correction("Longfellow", None))
    assert all("Jane Longfellow" in text for text in found.values())


@given(
    st.text("ab .", max_size=30),
    st.lists(st.tuples(st.integers(0, 25), st.integers(1, 8)), max_size=4),
    st.lists(st.tuples(st.text("ab", min_size=1, max_size=3), st.booleans()), max_size=3),
)
def test_corrected_references_hold_and_uncover_nothing_else(text, places, said):
    """By hand, sign by sign: what was covered stays covered but for the words said to be nobody."""
    spans, end = [], 0
    for start, size in sorted(places):
        if start >= end and start + size <= len(text):
            spans.append(Span(start, start + size, Kind.CITY, 0.8, "test"))
            end = start + size
    words = {word: Correction(word, "city" if is_one else None) for word, is_one in said}
    found = corrected(text, spans, list(words.values()))
    assert all(one.end <= other.start for one, other in pairwise(found))
    covered = {n for one in found for n in range(one.start, one.end)}
    settled: dict[int, bool] = {}
    for one in sorted(words.values(), key=lambda one: -len(one.words)):
        for at in range(len(text)):
            whole = text[at : at + len(one.words)] == one.words
            ends = at + len(one.words)
            if (
                whole
                and text[at - 1 : at] not in tuple("ab")
                and text[ends : ends + 1] not in (tuple("ab"))
            ):
                for n in range(at, ends):
                    settled.setdefault(n, one.kind is not None)
    before = {n for one in spans for n in range(one.start, one.end) if text[n].isalnum()}
    for n in range(len(text)):
        if text[n].isalnum():
            assert (n in covered) == settled.get(n, n in before), (n, text)


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"corrections": 5}', '{"corrections": [{"words": "a"}]}', '{"corrections": [5]}',
     '{"corrections": [{"words": "a", "kind": "nothing"}]}',
     '{"corrections": [{"words": " ", "kind": "city"}]}'],
)  # fmt: skip
def test_a_file_that_holds_no_corrections_is_refused(tmp_path: Path, content: str):
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(InputError):
        read_corrections(tmp_path / "c.json")


def test_corrections_do_not_leave_with_the_letters(tmp_path: Path):
    scrubbed(tmp_path, name="first")
    inside = corrections_in(tmp_path / "in", Correction("Quexal", "city"))
    with pytest.raises(InputError):
        scrub(tmp_path / "in", out=inside, corrections=inside, seed=1)
