"""Places and organisations: names that nobody bears, kinds and states kept, ZIP to three digits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replacement_marks import marked

from indistinct.knowledge import knowledge
from indistinct.scrub.text.replace import (
    SUPPRESSED,
    Choices,
    Secret,
    generalised_zip,
    made_up_address,
    made_up_city,
    made_up_organisation,
    made_up_place,
    made_up_ward,
)
from indistinct.scrub.text.replace.choosing import town
from indistinct.scrub.text.scrubber import Scrubber

RESTRICTED = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"


def choices(seed: int = 2) -> Choices:
    return Choices(Secret.from_seed(seed), set(), set())


def same_form(pattern: str, text: str) -> bool:
    """Whether a text is as the pattern says: @ a made-up name, ~ a letter, 9 any digit."""
    form = re.escape(pattern).replace("@", "[A-Z][a-z]{3,}").replace("9", r"\d")
    form = form.replace(re.escape("~"), "[A-Z]")
    return re.fullmatch(form, text) is not None


def test_made_up_towns_are_nowhere() -> None:
    secret = Secret.from_seed(1)
    names = {town(secret, f"place {n}", 0) for n in range(500)} - {""}
    assert len(names) > 400
    for name in names:
        assert knowledge().place(name) is None
        assert knowledge().word(name).surname == 0


@given(st.integers(0, 99999))
def test_zip_codes_keep_three_digits_unless_few_live_there(number: int) -> None:
    code = f"{number:05d}"
    kept = "000" if code[:3] in RESTRICTED.split() else code[:3]
    assert generalised_zip(code) == kept + "00"
    assert generalised_zip(code + "-1234") == kept + "00"


@pytest.mark.parametrize(
    ("code", "made"),
    [("SW1A 1AA", "SW"), ("M5V 2T6", "M"), ("9100", "9000"), ("340 12", "340 00")],
)
def test_codes_of_other_countries(code: str, made: str) -> None:
    assert generalised_zip(code) == made


@pytest.mark.parametrize(
    ("text", "form"),
    [("Boston, MA 02151", "@, MA 02100"), ("18 Elm Street", "99 @ Street"),
     ("403 North Elm Glens, Apt. 13, Dunwich, NY 95013", "999 North @ Glens, Apt. 99, @, NY 95000"),
     ("12 Old Mill Rd, Suite 4B, Fort Worth TX 76102", "99 @ Rd, Suite 9~, @ TX 76100"),
     ("101 Manning Drive Boston MA 02115", "999 @ Drive @ MA 02100"),
     ("Pittsburgh PA 15217", "@ PA 15200"), ("P.O. Box 242", "P.O. Box 999"),
     ("88 Magnolia Ct\\nHillsborough, North Carolina", "99 @ Ct\\n@, North Carolina"),
     ("99 South Street", "99 @ Street"), ("12 West Road", "99 @ Road"),
     ("3 N Street", "9 @ Street"),
     ("East Avenue", "@ Avenue"), ("12 Elm Street North", "99 @ Street North"),
     ("Elm Road and South Street", "@ Road and @ Street"), ("12 North Park", "99 @ Park"),
     ("5th Avenue", "@ Avenue"), ("South 4th Street", "South @ Street"), ("2 The Green", "9 The @"),
     ("Highway 61", "Highway 99"), ("State Route 128", "State Route 999"), ("I-95", "I-99"),
     ("Dunwich, South Street", "@, @ Street"), ("10 North St. Paul Street", "99 North @ Street"),
     ("3rd Floor, 14 Oak Lane", "9th Floor, 99 @ Lane"), ("Suite 200-B", "Suite 999-~"),
     ("450 5th Avenue", "999 @ Avenue"), ("Huntington 18", "@ 99"), ("Apt 12", "Apt 99")],
)  # fmt: skip
def test_addresses_in_their_parts(text: str, form: str) -> None:
    text, form = text.replace("\\n", "\n"), form.replace("\\n", "\n")
    made = made_up_address(text, choices())
    assert same_form(form, made)
    words = re.compile(r"[A-Za-z]{4,}")
    own = set(words.findall(text)) - set(words.findall(form))
    assert not own & set(words.findall(made))


@given(st.integers(1, 99999))
def test_house_numbers_keep_their_length_and_change(number: int) -> None:
    made = made_up_address(f"{number} Elm Street", choices()).split()[0]
    assert len(made) == len(str(number))
    assert all(new != old for new, old in zip(made, str(number), strict=True))


def test_both_streets_of_a_corner_go() -> None:
    made = made_up_address("the corner of 35 Elm Street and Quince Road", choices())
    assert not {"Elm", "Quince"} & set(made.split())


@pytest.mark.parametrize(
    ("text", "form"),
    [("Boston", "@"), ("boston", "town"), ("Orange County", "@ County"), ("Texas", SUPPRESSED),
     ("France", SUPPRESSED), ("U.S.", SUPPRESSED), ("40.71° N, 74.00° W", SUPPRESSED),
     ("Salt Lake City", "@ City"), ("Upper East Side", "Upper @"), ("La Paz", "@"),
     ("County of Orange", "County of @"), ("South Street", "@ Street"), ("Mrs. Quill", "Mrs. @"),
     ("West Valley", "@ Valley"), ("Worcester, MA", "@, MA")],
)  # fmt: skip
def test_places(text: str, form: str) -> None:
    made = made_up_place(text, choices())
    if form == "town":
        assert made.islower()
        assert made != text
    else:
        assert same_form(form, made), made


@pytest.mark.parametrize(
    ("text", "form"),
    [("Brigham Hospital", "@ Hospital"), ("Mass General Hospital", "@ General Hospital"),
     ("Children's Hospital of Dunwich", "Children's Hospital of @"), ("Marina Corp", "@ Corp"),
     ("Kent, Marsh and Roy", "@, @ and @"), ("Gilbert-Harding", "@-@"), ("Quinn LLC", "@ LLC"),
     ("St. John's Hospital", "@'s Hospital"), ("Oldham Middle School", "@ Middle School"),
     ("University of Michigan", "University of @"), ("Home Depot", "@"), ("AT&T", "@"),
     ("Ohio State University", "@ State University"), ("Children's Mercy Hospital", "@ Hospital"),
     ("University of Dunwich at Chapel Hill", "University of @ at @"),
     ("UNC Hospitals", "@ Hospitals"), ("General Hospital", "@ Hospital"), ("Brigham's", "@'s"),
     ("Simpson and Sons", "@ and Sons"), ("Hospital", "@")],
)  # fmt: skip
def test_organisations_keep_their_kind(text: str, form: str) -> None:
    assert same_form(form, made_up_organisation(text, choices()))


def test_short_and_long_form_of_an_organisation_share_their_name() -> None:
    given = choices()
    stem = made_up_organisation("Brigham Hospital", given).split()[0]
    assert made_up_organisation("Brigham's", given) == f"{stem}'s"
    assert made_up_organisation("BRIGHAM HOSPITAL", given) == f"{stem.upper()} HOSPITAL"
    assert made_up_city("Brigham", given) == stem


def test_a_town_with_the_name_of_a_street_is_a_street() -> None:
    assert same_form("@ Road", made_up_city("West Road", choices()))


def test_wards_get_other_numbers() -> None:
    made = made_up_ward("Ward 7B", choices())
    assert re.fullmatch(r"Ward [1-689]B", made)


def test_teams_and_unsure_organisations_are_suppressed() -> None:
    text, spans = marked("with the {U. S. Junior Gymnastics team|team} and {Zorbex|organisation}.")
    scrubber = Scrubber(Secret.from_seed(2))
    made = scrubber.apply(text, spans)
    assert made.text.startswith(f"with the {SUPPRESSED} and ")
    assert made.changes[0].action == "suppressed"
    assert made.changes[1].action == "replaced"
    text, spans = marked("and {Zorbex|organisation}.", certainty=0.72)
    assert scrubber.apply(text, spans).text == f"and {SUPPRESSED}."


def test_a_state_stays_in_an_address_and_goes_alone() -> None:
    text, spans = marked("{Boston|city}, {MA|state} {02151|zip}. She moved from {Texas|state}.")
    made = Scrubber(Secret.from_seed(2)).apply(text, spans)
    assert re.fullmatch(r"[A-Z]\w+, MA 02100\. She moved from \[removed\]\.", made.text)


@pytest.mark.parametrize("text", ["", ",", "\n", "1-" * 2000, "A. " * 2000, "St. " * 2000, "MA"])
def test_odd_places_end(text: str) -> None:
    made_up_address(text, choices())
    made_up_place(text, choices())
    made_up_organisation(text, choices())
