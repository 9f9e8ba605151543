"""Sweeney, *Computational disclosure control* (2001), section 6.1: the Scrub System.

Figures 21 to 25. Made-up values of Figure 22 need not come out as printed, only their kind, form
and consistency. Figure 24's numbers are of 3,000 letters that nobody else has; its order is tried
on letters of our own (`tests/text/letters`). Two slips of the paper: prose and Figure 24 disagree
slightly on Scrub (99-100 % and 98, 100 %), and the letter's age does not follow from its dates.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

import pytest

from indistinct.scrub.text.annotated import Annotated, Reference
from indistinct.scrub.text.baselines import Known, known_from_letter, search, search_with_cues
from indistinct.scrub.text.evaluating import evaluate
from indistinct.scrub.text.events import find_events
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.judging import DE_IDENTIFIED, verdict
from indistinct.scrub.text.page import read
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.text.scrubber import Scrubber
from indistinct.scrub.text.spans import Kind

FIGURE_21 = """ Wednesday, February 2, 1994

Marjorie Long, M.D. RE: Virginia Townsend
St. John's Hospital CH#32-841-09787
Huntington 18 DOB 05/26/86
Boston, MA 02151

Dear Dr. Lang:

I feel much better after seeing Virginia this time. As you know, Dot is a 7 and 6/12 year old \
female in follow up for insulin dependent diabetes mellitus diagnosed in June of 1993 by Dr. Frank \
at Brigham's. She is currently on Lily Human Insulin and is growing and gaining weight normally. \
She will start competing again with the U. S. Junior Gymnastics team. We will contact Mrs. \
Hodgkins in a week at Marina Corp 473-1214 to schedule a follow-up visit for her daughter.

Patrick Hayes, M.D. 34764"""

# The twenty references of Figure 22 in order, without what it keeps of them, and their labels.
REFERENCES = [
    ("Wednesday, February 2, 1994", "DATE"),
    ("Marjorie Long", "NAME"),
    ("Virginia Townsend", "NAME"),
    ("St. John's", "ORG"),
    ("32-841-09787", "ID"),
    ("Huntington 18", "LOCATION"),
    ("05/26/86", "DATE"),
    ("Boston", "LOCATION"),
    ("02151", "LOCATION"),
    ("Lang", "NAME"),
    ("Virginia", "NAME"),
    ("Dot", "NAME"),
    ("Frank", "NAME"),
    ("Brigham's", "ORG"),
    ("U. S. Junior Gymnastics team", "ORG"),
    ("Hodgkins", "NAME"),
    ("Marina", "ORG"),
    ("473-1214", "PHONE"),
    ("Patrick Hayes", "NAME"),
    ("34764", "ID"),
]
KEPT = [
    "M.D.", "RE:", "CH#", "DOB", "MA", "Dear Dr.", "insulin dependent diabetes mellitus",
    "June of 1993", "7 and 6/12 year old", "Lily Human Insulin", "Mrs.", "Corp", "Hospital",
]  # fmt: skip
FIGURE_23 = ["Virginia Townsend", "32-841-09787", "Virginia", "Patrick Hayes", "34764"]
FIGURE_25 = (
    "At the age of two she was sexually assaulted. At the age of three she set fire to her home. "
    "At the age of four her parents divorced. At the age of five she was placed in foster care "
    "after stabbing her nursery school teacher with scissors."
)


def annotated():
    references, place = [], 0
    for value, label in REFERENCES:
        place = FIGURE_21.index(value, place)
        references.append(Reference(place, place + len(value), label))
        place += len(value)
    # what Figure 22 keeps of a reference may go with it
    for word in ("Hospital", "Corp", "CH", "MA"):
        place = re.search(rf"\b{word}\b", FIGURE_21).start()
        references.append(Reference(place, place + len(word), "OPT"))
    return Annotated(FIGURE_21, references)


def words(spans):
    return [FIGURE_21[span.start : span.end] for span in spans]


@pytest.fixture(scope="module")
def scrubbed():
    return Scrubber(secret=Secret.from_seed(1)).scrub(FIGURE_21)


@pytest.fixture(scope="module")
def made(scrubbed):
    """What took the place of each piece of text, in the order of the letter."""
    return [(FIGURE_21[c.span.start : c.span.end], c) for c in scrubbed.changes]


def replaced(made, value):
    """The change that covers a value."""
    return next(change for piece, change in made if value in piece)


# Figures 21 and 22


def test_all_twenty_references_of_figure_21_are_found():
    seen = evaluate([annotated()], Finder(threshold=0.7, reduce=True).find)
    assert (seen.references, seen.removed) == (20, 20), words(Finder().find(FIGURE_21))
    assert seen.tokens_wrong == 0, words(Finder().find(FIGURE_21))


def test_nothing_of_the_twenty_references_is_left(scrubbed):
    for value, _ in REFERENCES:
        assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", scrubbed.text), value
    for name in ("Townsend", "Marjorie", "Long", "Patrick", "Hayes", "Huntington", "Gymnastics"):
        assert name not in scrubbed.text


def test_what_figure_22_keeps_is_kept(scrubbed):
    for value in KEPT:
        assert value in scrubbed.text, value
    tail = "is growing and gaining weight normally. She will start competing again with the "
    assert tail in scrubbed.text


def test_the_same_person_has_the_same_name_throughout(scrubbed, made):
    full = re.search(r"RE: (\w+) (\w+)", scrubbed.text)
    assert f"after seeing {full[1]} this time" in scrubbed.text
    whole = replaced(made, "Virginia Townsend")
    first = next(change for piece, change in made if piece == "Virginia")
    assert whole.person == first.person
    others = {replaced(made, name).person for name in ("Frank", "Hodgkins", "Patrick", "Marjorie")}
    assert whole.person not in others
    assert len(others) == 4


def test_the_nickname_goes_and_a_nickname_comes(scrubbed):
    named = re.search(r"As you know, (\w+) is a 7", scrubbed.text)
    assert named[1] != "Dot"
    assert named[1][0].isupper()


def test_dates_are_generalised_to_month_and_year(scrubbed, made):
    assert re.match(r"\s*February,? 1994\n", scrubbed.text)
    assert "DOB 05/86\n" in scrubbed.text
    assert replaced(made, "February").action == "generalised"
    assert replaced(made, "05/26/86").action == "generalised"
    assert replaced(made, "05/26/86").span.kind == Kind.BIRTH_DATE


def test_the_zip_is_generalised_to_three_digits(scrubbed):
    assert ", MA 02100\n" in scrubbed.text


@pytest.mark.parametrize(
    ("pattern", "old"),
    [
        (r"CH#(\d\d-\d\d\d-\d\d\d\d\d)\n", "32-841-09787"),
        (r"Corp (\d\d\d-\d\d\d\d) to schedule", "473-1214"),
        (r"M\.D\. (\d\d\d\d\d)$", "34764"),
    ],
)
def test_numbers_keep_their_form(scrubbed, pattern, old):
    assert re.search(pattern, scrubbed.text)[1] != old


def test_the_team_is_suppressed_as_nobody_knows_how_to_replace_it(made):
    team = replaced(made, "Gymnastics")
    assert team.action == "suppressed"
    assert team.span.kind == Kind.TEAM


def test_the_mistyped_name_in_the_salutation_is_found(scrubbed, made):
    """Figure 22 takes Dr. Lang for somebody else than Long; one and the same is as good."""
    assert replaced(made, "Lang").span.label == "NAME"
    assert re.search(r"Dear Dr\. [A-Z]\w+:\n", scrubbed.text)


def test_the_medicine_stays_and_the_mother_goes(made):
    assert "Lily" not in " ".join(piece for piece, _ in made)
    assert replaced(made, "Hodgkins").action == "replaced"
    assert Finder().find("Diagnosed with Hodgkins disease in 1993.") == []


def test_detectors_compete_and_each_character_has_one_winner():
    page = read(FIGURE_21)
    posted = Finder().postings(page)
    assert any(a.overlaps(b) and a.detector != b.detector for a in posted for b in posted)
    found = Finder().find(FIGURE_21)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_lower_threshold_finds_a_superset():
    found = [
        {
            i
            for s in Finder(threshold=t, reduce=False).find(FIGURE_21)
            for i in range(s.start, s.end)
        }
        for t in (0.8, 0.7)
    ]
    assert found[0] <= found[1]


def test_the_age_of_figure_21_does_not_follow_from_its_dates():
    """Oracle swe.scrub.age, an error of the paper: printed 7 and 6/12, by the dates 7 and 8/12."""
    seen, born = date(1994, 2, 2), date(1986, 5, 26)
    months = (seen.year - born.year) * 12 + seen.month - born.month - (seen.day < born.day)
    assert divmod(months, 12) == (7, 8)
    assert "7 and 6/12 year old" in FIGURE_21


# Figure 23


def test_straight_search_replaces_the_five_of_figure_23():
    """Oracle swe.scrub.search_replace: 5 of 20 references, 25 %."""
    known = Known("Virginia Townsend", "32-841-09787", "Patrick Hayes", "34764")
    assert known_from_letter(FIGURE_21) == known
    assert words(search(FIGURE_21, known)) == FIGURE_23
    seen = evaluate([annotated()], lambda text: search(text, known))
    assert (seen.removed, seen.references, 100 * seen.share_removed) == (5, 20, 25.0)


def test_straight_search_replaced_as_in_figure_23():
    spans = search(FIGURE_21)
    after = Scrubber(secret=Secret.from_seed(1)).apply(FIGURE_21, spans).text
    for value in ("Virginia", "Townsend", "32-841-09787", "Patrick Hayes", "34764"):
        assert value not in after
    for value, _ in REFERENCES:
        if value not in FIGURE_23:
            assert value in after


# Figure 24


def test_the_four_methods_on_the_letter_of_figure_21_stand_in_the_order_of_figure_24():
    document = annotated()
    strict = Finder(threshold=0.8, reduce=False)
    lenient = Finder(threshold=0.7, reduce=True)
    methods = (search, search_with_cues, strict.find, lenient.find)
    shares = [evaluate([document], method).share_removed for method in methods]
    assert shares[0] == 0.25
    assert shares[0] < shares[1] < shares[2] <= shares[3] == 1
    # family, nickname, other phone numbers: what cues cannot find, in the paper's words
    found = " ".join(words(search_with_cues(FIGURE_21)))
    assert not [value for value in ("Dot", "Hodgkins", "473-1214", "Frank") if value in found]


# Figure 25


def test_no_detector_fires_on_figure_25_and_the_verdict_warns():
    assert Finder().find(FIGURE_25) == []
    assert Scrubber(secret=Secret.from_seed(1)).scrub(FIGURE_25).text == FIGURE_25
    told = find_events(FIGURE_25)
    assert [event.anchor for event in told] == ["age"] * 4
    said = verdict([FIGURE_25])
    assert said.verdict == DE_IDENTIFIED
    assert not said.ads0
    assert said.documents_with_sequences == 1
    assert any("sequence of events" in warning for warning in said.warnings)


def test_figure_22_has_no_such_sequence_and_is_no_more_anonymous(scrubbed):
    said = verdict([scrubbed.text])
    assert said.documents_with_sequences == 0
    assert said.verdict == DE_IDENTIFIED
