"""Straight search and search with cues: what they find, and what they cannot find."""

from __future__ import annotations

import timeit
from itertools import pairwise

import pytest

from indistinct.scrub.text.annotated import Annotated, Reference
from indistinct.scrub.text.baselines import (
    Known,
    four_rows,
    known_from_letter,
    known_of,
    search,
    search_with_cues,
)

LETTER = """Harbor View Clinic
March 3, 2011

Edith Kerr, M.D.          RE: Nora Finch
12 Mill Road              MRN: 448-2210
Salem, MA 01970

Dear Dr. Karr:

Nora came with her aunt, Mrs. Bright (555-7719). Nora's sister Rosie is well too.
Finch takes Advil.

Tom Ames, M.D. 90211
"""
KNOWN = Known("Nora Finch", "448-2210", "Tom Ames", "90211")


def words(spans, text=LETTER):
    return [text[span.start : span.end] for span in spans]


def test_straight_search_finds_the_known_values_and_nothing_else():
    assert words(search(LETTER, KNOWN)) == [
        "Nora Finch", "448-2210", "Nora", "Nora", "Tom Ames", "90211",
    ]  # fmt: skip


def test_known_values_are_found_in_any_case_but_only_whole():
    text = "NORA FINCH saw Noray and nora. 448-22109"
    assert words(search(text, KNOWN), text) == ["NORA FINCH", "nora"]


def test_what_is_known_is_read_off_the_letter():
    assert known_from_letter(LETTER) == KNOWN
    turned = "Patient: FINCH, NORA\nMRN: A12345\nSeen today."
    assert known_from_letter(turned) == Known("NORA FINCH", "A12345")
    assert known_from_letter("no form at all") == Known()


def test_people_whom_the_corpus_names_come_first():
    people = {"P": {"first": "Nan", "last": "Fitch"}, "D": {"first": "", "last": "Oz"}}
    document = Annotated(LETTER, [], people=people)
    assert known_of(document) == Known("Nan Fitch", "448-2210", "Oz", "90211")


def test_cues_add_heading_salutation_and_surname_but_not_family_or_nicknames():
    found = "\n".join(words(search_with_cues(LETTER, KNOWN)))
    for value in ("Harbor View Clinic", "Edith Kerr", "Karr", "Salem", "01970", "March 3, 2011"):
        assert value in found
    assert found.count("Finch") == 2
    for missed in ("Bright", "555-7719", "Rosie"):
        assert missed not in found
    for label in ("M.D.", "RE", "MRN", "Advil", "Dear"):
        assert label not in found


def test_labelled_values_are_found_without_a_salutation():
    note = "DOB: 04/05/1961  MRN 99-1234  Tel: (555) 201-3344\nFeels well."
    found = words(search_with_cues(note), note)
    assert "04/05/1961" in found
    assert "99-1234" in found
    assert any("201-3344" in value for value in found)
    assert "Feels" not in found


def test_spans_are_in_order_and_apart():
    for method in (search, search_with_cues):
        spans = method(LETTER * 3, KNOWN)
        assert all(a.end <= b.start for a, b in pairwise(spans))


@pytest.mark.parametrize("piece", ["Dear ", "RE: ", "MRN ", "1-", "A. ", "Ab Cd ", " ", "cc: A"])
def test_time_grows_with_the_length_of_hostile_text(piece):
    def seconds(times):
        text = "RE: " + piece * times
        return min(timeit.repeat(lambda: search_with_cues(text), number=1, repeat=3))

    # four times the text; sixteen times the work would be quadratic
    assert seconds(4000) < 12 * seconds(1000) + 0.005


def gold(*values):
    starts = [LETTER.index(value) for value in values]
    return [Reference(a, a + len(v), "NAME") for a, v in zip(starts, values, strict=True)]


def test_four_rows_in_the_order_of_the_figure():
    document = Annotated(LETTER, gold("Nora Finch", "Karr", "Bright", "Tom Ames"), id="1")
    rows = four_rows([document], known={"1": KNOWN})
    assert [row.method for row in rows.rows] == [
        "Straight search",
        "Search with cues",
        "Scrub (threshold 0.8)",
        "Scrub (threshold 0.7, false positive reduction)",
    ]
    assert rows.shares[:2] == (0.5, 0.75)
    printed = str(rows)
    assert "Straight search" in printed
    assert "50.0%" in printed
    assert "a table of identities" in printed
    # without an entry for the document, straight search has nothing to look for
    assert four_rows([document], known={}).shares[0] == 0
