"""Names that everybody knows, where no word around them says that they are names."""

from __future__ import annotations

import pytest

from indistinct.scrub.text.detectors.wellknown import detect, well_known
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import LOCATION, NAME, ORG


def found(text: str, *, certainty: float = 0.0) -> dict[str, str]:
    page = read(text)
    return {
        page.text[span.start : span.end]: span.label
        for span in detect(page)
        if span.certainty >= certainty
    }


FOUND = {
    "She watched Putin's speech twice.": {"Putin": NAME},
    "and then Hosni Mubarak resigned": {"Hosni Mubarak": NAME},
    "He wrote about Usama bin Ladin at length": {"Usama bin Ladin": NAME},
    "the rule of SADDAM HUSSEIN ended": {"SADDAM HUSSEIN": NAME},
    "worked for years on the West Bank": {"West Bank": LOCATION},
    "a flight over the Persian\nGulf in spring": {"Persian\nGulf": LOCATION},
    "grew up in the U.K., then came here": {"U.K.": LOCATION},
    "moved here from the UAE last year": {"UAE": LOCATION},
    "an engineer who testified before FERC": {"FERC": ORG},
    "fined by the F.E.R.C. for it": {"F.E.R.C.": ORG},
    "fled from al-Shabaab with two children": {"al-Shabaab": ORG},
    "members of Hizb'allah and of the Ba'ath Party": {"Hizb'allah": ORG, "Ba'ath Party": ORG},
    "read a lot about hizballah online": {"hizballah": ORG},
    "was told osama bin laden had died": {"osama bin laden": NAME},
}


@pytest.mark.parametrize("text", FOUND)
def test_is_found_without_a_cue(text: str) -> None:
    assert found(text) == FOUND[text]


LOOK_ALIKES = [
    "Bush fires kept her indoors.",  # the capital belongs to the sentence
    "seats in the middle east of the room",  # everyday words
    "Middle East respiratory syndrome was excluded.",
    "Rate 60, BP 120/70, PA normal, ER positive, MS stable, RA negative.",
    "the ferc was not given",  # an acronym has its capitals
    "Lot FERC-12 was used, then 3FERC and FERC_2.",
    "the west bank of the wound",
    "COLD BUSH TEA WAS TAKEN BY THE PATIENT THIS MORNING WITH A LITTLE SUGAR",
    "He is a Persian speaker and reads general assembly manuals.",
    "Hosni, then Mubar, came.",
    "see www.hizballah.org or maps.example.org/tashkent",
    "Berlin questionnaire high; likes Brussels sprouts and Lima beans.",
    "Foley removed, Babinski absent, Holter placed, Glasgow Coma Scale 15.",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_look_alike_stays(text: str) -> None:
    assert found(text) == {}


def test_an_ambiguous_name_alone_is_never_sure() -> None:
    text = "He met Bush there."
    assert found(text) == {"Bush": NAME}
    assert found(text, certainty=0.7) == {}


def test_the_longest_name_wins() -> None:
    assert list(found("voted for Barack Obama again")) == ["Barack Obama"]


def test_no_name_in_the_list_is_one_letter_or_without_section() -> None:
    names = [name for group in well_known().values() for name in group]
    assert len(names) > 1500
    assert {name.section for name in names} == {"person", "place", "organisation"}
    assert all(len("".join(name.words)) > 1 for name in names)


def test_accents_may_be_left_out() -> None:
    assert found("a week in São Tomé and later Sao Tome") == {
        "São Tomé": LOCATION,
        "Sao Tome": LOCATION,
    }
