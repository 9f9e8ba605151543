"""Made-up numbers: of the same form, never issued, the same however they are punctuated."""

from __future__ import annotations

import ipaddress
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replacement_marks import marked

from indistinct.scrub.text.people import Person
from indistinct.scrub.text.replace import (
    Cast,
    Choices,
    Secret,
    checks,
    generalised_age,
    made_up_email,
    made_up_number,
    made_up_phone,
    made_up_user,
    made_up_web,
)
from indistinct.scrub.text.scrubber import Scrubber

SECRET = Secret.from_seed(5)


def digits(text: str) -> str:
    return re.sub(r"\D", "", text)


@given(st.from_regex(r"[A-Z]{0,3}[-# ]?[0-9]{2,4}[-. /]?[0-9]{1,8}[A-Za-z]{0,2}", fullmatch=True))
def test_the_form_stays_and_the_number_does_not(text: str) -> None:
    made = made_up_number(SECRET, text)
    assert made != text
    assert len(made) == len(text)
    for true, new in zip(text, made, strict=True):
        assert (true.isdigit(), true.isalpha(), true.islower()) == (
            new.isdigit(),
            new.isalpha(),
            new.islower(),
        )
        assert true.isalnum() or true == new


@given(st.integers(10**5, 10**11), st.sampled_from(" -./"))
def test_punctuation_does_not_matter(number: int, mark: str) -> None:
    plain = str(number)
    written = plain[:3] + mark + plain[3:]
    assert digits(made_up_number(SECRET, written)) == made_up_number(SECRET, plain)


@given(st.integers(0, 999), st.integers(0, 99), st.integers(0, 9999))
def test_social_security_numbers_are_of_no_person_taxpayer_or_bank(a: int, b: int, c: int) -> None:
    made = made_up_number(SECRET, f"{a:03d}-{b:02d}-{c:04d}")
    area, group, _ = made.split("-")
    assert area[0] == "9"
    assert 1 <= int(group) <= 49  # taxpayers' numbers (ITIN) have groups from 50
    assert not checks.routing(digits(made))


@given(st.integers(10**15, 10**16 - 1))
def test_cards_fail_luhn(card: int) -> None:
    assert not checks.luhn(made_up_number(SECRET, str(card)))


@given(st.integers(10**9, 10**10 - 1))
def test_providers_and_nhs_numbers_fail_their_checks(number: int) -> None:
    made = made_up_number(SECRET, str(number))
    assert not checks.npi(made)
    assert not checks.nhs(made)


@given(st.integers(0, 10**14 - 1))
def test_accounts_keep_their_country_and_fail_iso_13616(number: int) -> None:
    made = made_up_number(SECRET, f"GB82WEST{number:014d}")
    assert made.startswith("GB")
    assert not checks.iban(made)


@given(st.integers(0, 10**7 - 1))
def test_dea_and_vehicle_numbers_fail_their_checks(number: int) -> None:
    assert not checks.dea(made_up_number(SECRET, f"AB{number:07d}"))
    assert not checks.vin(made_up_number(SECRET, f"1M8GDM9AXK{number:07d}"))


def test_medicare_and_national_insurance_numbers_use_letters_that_are_never_issued() -> None:
    assert made_up_number(SECRET, "1EG4-TE5-MK73")[1] in "SLOIBZ"
    made = {made_up_number(SECRET, f"AB{n}C")[:2] for n in range(123456, 123556)}
    assert "QQ" in made  # wherever the last letter is one that such numbers end with


@pytest.mark.parametrize(
    ("text", "kept"),
    [("CH#32-841-09787", "CH#"), ("MRN-1004026", "MRN-"), ("MRN: 1004026", "MRN: "),
     ("INS-228851010", "INS-"), ("Patient ID: ABCD1234", "Patient ID: "), ("#YH-543210", "#")],
)  # fmt: skip
def test_words_that_announce_a_number_stay(text: str, kept: str) -> None:
    made = made_up_number(SECRET, text)
    assert made.startswith(kept)
    assert made != text


@given(st.integers(0, 2**32 - 1))
def test_ip_addresses_are_those_for_documentation(number: int) -> None:
    true = str(ipaddress.IPv4Address(number))
    made = ipaddress.IPv4Address(made_up_number(SECRET, true))
    nets = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
    assert any(made in ipaddress.IPv4Network(net) for net in nets)
    assert str(made) != true


def test_ipv6_and_mac_addresses() -> None:
    six = ipaddress.IPv6Address(made_up_number(SECRET, "fe80::1ff:fe23:4567:890a"))
    assert six in ipaddress.IPv6Network("2001:db8::/32")
    made = made_up_number(SECRET, "00:1A:2B:3C:4D:5E")
    assert re.fullmatch(r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", made)
    assert int(made[:2], 16) & 0b11 == 0b10  # locally administered, one receiver


@pytest.mark.parametrize("text", ["", "#", "...", "7", "½", "ß12", "٣٤٥", "1-" * 2000])
def test_odd_texts_do_no_harm(text: str) -> None:
    made_up_number(SECRET, text)
    made_up_phone(SECRET, text)


# Telephones


@given(st.integers(200, 999), st.integers(200, 999), st.integers(0, 9999))
def test_american_numbers_ring_nowhere(area: int, exchange: int, line: int) -> None:
    made = made_up_phone(SECRET, f"({area}) {exchange}-{line:04d}")
    found = re.fullmatch(r"\((\d)(\d)(\d)\) 555-01\d\d", made)
    assert found
    assert found[2] == "9" or found[1] + found[2] in ("37", "96")
    dotted = made_up_phone(SECRET, f"1.{area}.{exchange}.{line:04d}")
    assert digits(dotted) == "1" + digits(made)


@pytest.mark.parametrize(
    ("text", "form"),
    [("473-1214", r"555-01\d\d"), ("+1 230 746 4729 ext. 12", r"\+1 \d{3} 555 01\d\d ext\. \d\d"),
     ("07911 123456", r"07700 900\d{3}"), ("+44 7911 123456", r"\+44 7700 900\d{3}"),
     ("+41 (0)69 979 80 58", r"\+41 \(0\)00 \d{3} \d\d \d\d"),
     ("+441314960405", r"\+44000\d{7}"), ("01.84.17.61.18", r"00\.00\.\d\d\.\d\d\.\d\d")],
)  # fmt: skip
def test_ways_of_writing_a_telephone_number(text: str, form: str) -> None:
    assert re.fullmatch(form, made_up_phone(SECRET, text))


def test_numbers_of_a_document_stay_apart_and_the_same() -> None:
    phones = [f"{n}-{1000 + n}" for n in range(300, 360)]
    text, spans = marked(" ".join(f"{{{phone}|phone}}" for phone in phones + phones))
    made = [c.replacement for c in Scrubber(SECRET).apply(text, spans).changes]
    assert len(set(made)) == 60  # of the hundred that there are
    assert made[:60] == made[60:]


# The net


def people() -> Cast:
    smith = Person(0, first="Jane", last="Quimby", nickname="Janie", sex="F")
    return Cast([smith], Choices(SECRET, set(), {"jane", "quimby"}), "me")


@pytest.mark.parametrize(
    ("local", "form"),
    [("jane.quimby", "{first}.{last}"), ("janequimby", "{first}{last}"), ("jquimby", "{f}{last}"),
     ("quimby_jane", "{last}_{first}"), ("quimbyj", "{last}{f}"), ("Jane.Quimby", "{First}.{Last}"),
     ("j.quimby", "{f}.{last}"), ("janie.quimby", "{nick}.{last}")],
)  # fmt: skip
def test_addresses_follow_the_made_up_person(local: str, form: str) -> None:
    players = people()
    role = players.role(0)
    made, domain = made_up_email(f"{local}@mail.com", players).split("@")
    assert domain in ("example.org", "example.com", "example.net")
    assert made == form.format(
        first=role.first,
        last=role.last,
        f=role.first[0],
        nick=role.nickname,
        First=role.first.capitalize(),
        Last=role.last.capitalize(),
    )


def test_digits_of_addresses_change_and_strangers_get_names() -> None:
    made = made_up_email("bob.walters42@mail.com", people())
    assert re.fullmatch(r"[a-z]+\.[a-z]+\d\d@example\.(?:org|com|net)", made)
    assert not {"bob", "walters", "42"} & set(re.split(r"[.@]|(?<=\D)(?=\d)", made))
    assert " at example dot " in made_up_email("bob.walters at mail dot com", people())


def test_web_addresses_and_handles() -> None:
    players = people()
    assert re.fullmatch(
        r"https://www\.example\.(?:org|com|net)/\w{6}",
        made_up_web("https://www.clinic.edu/~quimby?id=3", players),
    )
    assert made_up_web("@janequimby", players) == "@" + players.role(0).first + players.role(0).last
    assert "quimby" not in made_up_user("quimby99", players)


@pytest.mark.parametrize(
    ("text", "after", "made"),
    [("92-year-old", "", "90+-year-old"), ("92", "", "90 or older"), ("92", " y/o", "90+"),
     ("101 years old", "", "90+ years old"), ("age 93", "", "age 90 or older"),
     ("94F", "", "90+F"), ("ninety-three", "-year-old", "90+"), ("very old", "", "90 or older"),
     ("ninety-one", ".", "90 or older")],
)  # fmt: skip
def test_ages_over_89_are_one(text: str, after: str, made: str) -> None:
    assert generalised_age(text, after) == made
