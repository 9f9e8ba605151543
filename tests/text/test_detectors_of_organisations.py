"""Hospitals, wards, employers, schools, teams and other organisations, as people write them."""

from __future__ import annotations

import pytest

from indistinct.scrub.text.detectors import all_detectors
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import ORG

SURE = 0.7


def found(detector: str, text: str) -> set[str]:
    page = read(text)
    return {
        page.text[span.start : span.end]
        for span in all_detectors()[detector](page)
        if span.certainty >= SURE
    }


HOSPITALS = {
    "Transfer to Fairhope General Hospital tonight": "Fairhope General Hospital",
    "seen at St. Odile's Hospital on Monday": "St. Odile's Hospital",
    "Children's Hospital of Brantford called": "Children's Hospital of Brantford",
    "followed at Larkspur Family Medicine": "Larkspur Family Medicine",
    "diagnosed by Dr. Frank at Brigham's.": "Brigham's",
    "She was seen at Johns Hopkins in June": "Johns Hopkins",
    "records from Cedars-Sinai": "Cedars-Sinai",
    "admitted to UCLA med center": "UCLA med center",
    "admitted to NYU Med. Center": "NYU Med. Center",
    "stays at Sunrise Hills Nursing Home": "Sunrise Hills Nursing Home",
    "seen in our Dallas facility": "Dallas facility",
    "visited the New York clinic": "New York clinic",
    "surgery at Chicago General last year": "Chicago General",
    "He went to St. Brendan's.": "St. Brendan's",
    "University of Iowa Hospitals saw him": "University of Iowa Hospitals",
    "treated at Brigham and Women's Hospital": "Brigham and Women's Hospital",
    "care at Memorial Hospital in Tulsa": "Memorial Hospital",
    "Kestrel Hospital, Detroit, MI": "Kestrel Hospital, Detroit, MI",
    "Lantern Family Medicine\n\nRe: annual visit": "Lantern Family Medicine",
    "PCP: Larkspur Internal Medicine Associates": "Larkspur Internal Medicine Associates",
    "Rosewood Pediatrics called about the rash.": "Rosewood Pediatrics",
    "referred to Pinnacle Physical Therapy": "Pinnacle Physical Therapy",
    "dialysis at Lakeview Dialysis on Mondays": "Lakeview Dialysis",
    "sent to Walden Pharmacy": "Walden Pharmacy",
    "care by Fernhill Home Health": "Fernhill Home Health",
    "Northgate Orthopedics and Sports Medicine": "Northgate Orthopedics and Sports Medicine",
    "to Cottonwood Skilled Nursing and Rehab": "Cottonwood Skilled Nursing and Rehab",
    "came from Alder Med Ctr": "Alder Med Ctr",
    "records of SF General and Houston Healthcare": "Houston Healthcare",
    "St. Brendan's admitted him twice.": "St. Brendan's",
    "MGH records. BWH films. UCLA notes.": "BWH",
    "UPMC Presbyterian called": "UPMC Presbyterian",
    "seen at Kaiser Permanente Oakland": "Kaiser Permanente Oakland",
    "she is at the VA for follow-up": "VA",
    "the pt was sent to ashgrove hospital by ems last night and he is now doing much better": (
        "ashgrove hospital"
    ),
}
WARDS = {
    "moved to Ward 7B": "Ward 7B",
    "He is in Room 312.": "Room 312",
    "transferred to 4 West for monitoring": "4 West",
    "now on Ellison 12.": "Ellison 12",
    "patient in bed 21 is stable": "bed 21",
    "the Lindqvist Pavilion is new": "Lindqvist Pavilion",
    "Rm 1408 please": "Rm 1408",
    "sent to Unit 5C": "Unit 5C",
}
EMPLOYERS = {
    "She works for Marlin Corp in sales": "Marlin Corp",
    "He works nights at Hale-Okafor; she rests": "Hale-Okafor",
    "call her at Tidewater Industries": "Tidewater Industries",
    "employed by Orr, Vance and Whitfield": "Orr, Vance and Whitfield",
    "clerk at Dunmore and Sons": "Dunmore and Sons",
    "invoice from Quillfeather LLC.": "Quillfeather LLC",
    "of Brückner GmbH in Mainz": "Brückner GmbH",
    "Employer: Northgate Foods": "Northgate Foods",
    "an account at Harrowgate Bank": "Harrowgate Bank",
    "retired from Ostrander Technologies": "Ostrander Technologies",
}
SCHOOLS = {
    "a student at Larchmont Middle School": "Larchmont Middle School",
    "graduated from Rutherford University": "Rutherford University",
    "the University of Oulu accepted her": "University of Oulu",
    "teaches at Emmaus College": "Emmaus College",
    "goes to Roosevelt Elementary": "Roosevelt Elementary",
    "Braxton Academy won": "Braxton Academy",
    "in Community School District 12": "School District 12",
    "School of Public Health at Yarrow": "School of Public Health at Yarrow",
    "plays for Westfield high school": "Westfield high school",
    "teacher (Pinellas County Schools)": "Pinellas County Schools",
}
TEAMS = {
    "competing with the U. S. Junior Gymnastics team.": "U. S. Junior Gymnastics team",
    "plays for the Riverton Soccer Club": "Riverton Soccer Club",
    "a member of St. Columba's Church": "St. Columba's Church",
    "sings at Grace Lutheran Church": "Grace Lutheran Church",
    "in Girl Scout Troop 418": "Girl Scout Troop 418",
    "with the 82nd Airborne Division": "82nd Airborne Division",
    "steward of Local 1199": "Local 1199",
    "swims for the Dunmore swim team": "Dunmore swim team",
}
ORGANISATIONS = {
    "the Department of Children and Families": "Department of Children and Families",
    "a grant of the Wexford Foundation": "Wexford Foundation",
    "the American Cancer Society": "American Cancer Society",
    "a job at Microsoft": "Microsoft",
    "She read the New York Times.": "New York Times",
    "He shops at Walmart": "Walmart",
    "an agent of the FBI": "FBI",
    "the Ministry of Justice": "Ministry of Justice",
    "International Energy Agency": "International Energy Agency",
    "he uses facebook all day": "facebook",
    "[Push/Fernpay] Fernpay: your bill": "Fernpay",
}
FORMS = {
    "hospitals": HOSPITALS,
    "wards": WARDS,
    "employers": EMPLOYERS,
    "schools": SCHOOLS,
    "teams": TEAMS,
    "organisations": ORGANISATIONS,
}


@pytest.mark.parametrize(
    ("detector", "text", "expected"),
    [(name, text, whole) for name, forms in FORMS.items() for text, whole in forms.items()],
)
def test_the_form_is_found_whole(detector: str, text: str, expected: str) -> None:
    assert any(expected in piece for piece in found(detector, text)), found(detector, text)


STAY = {
    "hospitals": [
        "She was seen in the clinic and at the hospital.",
        "Our hospital has an Emergency Department.",
        "Referred to Cardiology and to the Pain Clinic.",
        "The Parkinson clinic note was reviewed.",
        "Mayo score of 7; St. John's wort was stopped.",
        "transferred to the Intensive Care Unit",
        "Attorney General, Surgeon General",
        "Start Physical Therapy. Continue Home Health. Outpatient Dialysis.",
        "Internal Medicine consulted. The Pharmacy called. Dental exam normal.",
        "six cycles of CHOP; R-CHOP was tolerated",
        "St. Anthony's fire, St. Vitus' dance",
    ],
    "wards": [
        "on room air, SpO2 98%",
        "bed rest for two days",
        "2 units of blood",
        "Unit dose given",
        "in May 12, Stage 3",
    ],
    "employers": [
        "Fever, Cough and Headache persisted.",
        "She works with a cane.",
        "HBs AG negative",
        "Internal Medicine and Surgery",
        "Tylenol, Advil and Motrin were tried.",
    ],
    "schools": [
        "She is in high school.",
        "He attends college.",
        "medical school was hard",
        "School of hard knocks",
        "the University is closed",
    ],
    "teams": [
        "The Cardiology team saw him.",
        "Palliative Care team consulted",
        "Social Work team will call",
        "the team agrees",
        "Trauma Team activation",
    ],
    "organisations": [
        "Department of Medicine",
        "Department of Cardiology",
        "The Emergency Department",
        "Apple juice was tolerated. Shell fish allergy.",
        "He ate at noon on the target date.",
    ],
}


@pytest.mark.parametrize(
    ("detector", "text"), [(name, text) for name, texts in STAY.items() for text in texts]
)
def test_the_look_alike_stays(detector: str, text: str) -> None:
    assert found(detector, text) == set()


@pytest.mark.parametrize("detector", sorted(FORMS))
def test_every_posting_has_the_label_of_organisations_and_a_named_rule(detector: str) -> None:
    for text in FORMS[detector]:
        for span in all_detectors()[detector](read(text)):
            assert (span.label, span.detector, bool(span.rule)) == (ORG, detector, True)


def test_the_small_word_between_a_hospital_and_its_city_belongs_to_neither() -> None:
    text = "He was treated at Kestrel Hospital in Detroit, MI, twice."
    assert found("hospitals", text) == {"Kestrel Hospital"}
    assert found("cities", text) == {"Detroit, MI"}


def test_a_title_before_the_name_stays_outside() -> None:
    assert found("hospitals", "Dr. Orly Hospital") <= {"Orly Hospital"}


def test_a_disease_is_no_employer() -> None:
    text = "She is a teacher with Graves' disease and works with Parkinson patients."
    assert [text[s.start : s.end] for s in all_detectors()["employers"](read(text))] == []
