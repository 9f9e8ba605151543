"""Addresses, streets, cities, postal codes and regions: the ways in which people write them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.scrub.text.detectors import all_detectors
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import LOCATION, Kind

SURE = 0.7


def found(detector: str, text: str, *, at_least: float = SURE) -> set[str]:
    page = read(text)
    return {
        page.text[span.start : span.end]
        for span in all_detectors()[detector](page)
        if span.certainty >= at_least
    }


ADDRESSES = {
    "He lives at 418 Tanager Way, Apt. 6, Millbrook, OH 43999.": (
        "418 Tanager Way, Apt. 6, Millbrook, OH 43999"
    ),
    "Larkspur Clinic\n77 N. Harbor Blvd.\nSuite 210\nNew Calder, WA 98999\n": (
        "77 N. Harbor Blvd.\nSuite 210\nNew Calder, WA 98999"
    ),
    "sent to 5 Quarry Extension, East Brookport, MT 59999-1234 today": (
        "5 Quarry Extension, East Brookport, MT 59999-1234"
    ),
    "Home: 12 Fernhill Ct, Springfield IL 62799.": "12 Fernhill Ct, Springfield IL 62799",
    "Mail goes to P.O. Box 1180, Salem, OR 97399": "P.O. Box 1180, Salem, OR 97399",
    "Unit 4410 Box 77\nDPO AE 09999": "Unit 4410 Box 77\nDPO AE 09999",
    "PSC 81, Box 2290\nAPO AP 96999": "PSC 81, Box 2290\nAPO AP 96999",
    "9 Gerbergasse 14\n Apt. 3\n Luzern\n Switzerland 60099": (
        "9 Gerbergasse 14\n Apt. 3\n Luzern\n Switzerland 60099"
    ),
    "Seen in Boston, MA 02151, last week": "Boston, MA 02151",
    "at Number 14, Willow Road, East Lake District, Suzhou City, Jiangsu Province; with Li": (
        "Number 14, Willow Road, East Lake District, Suzhou City, Jiangsu Province"
    ),
    "to 31 Marlowe Road, Toronto, ON M5V 2T6": "31 Marlowe Road, Toronto, ON M5V 2T6",
    "to 412 Amselhove 13\nGlen Calder\n, CO\n 80999": "412 Amselhove 13\nGlen Calder\n, CO\n 80999",
    "17 Feldgasse 3 Apt. 12\nGRAZ, NO 80104": "17 Feldgasse 3 Apt. 12\nGRAZ, NO 80104",
    "Lindenweg 14\n80331 München\nGermany": "Lindenweg 14\n80331 München\nGermany",
    "Calle Mayor 3, 28013 Madrid, Spain": "Calle Mayor 3, 28013 Madrid, Spain",
}
STREETS = {
    "He moved to 18 Peregrine Trail in spring.": "18 Peregrine Trail",
    "Office at 221B Baker Street.": "221B Baker Street",
    "a house on 1200 N. Lamar Blvd. for years": "1200 N. Lamar Blvd.",
    "She fell at 45 West 112th Street yesterday": "45 West 112th Street",
    "at the corner of Elm St. and Third Ave": "the corner of Elm St. and Third Ave",
    "Hauptbahnhof, Lindenstraße 12, first floor": "Lindenstraße 12",
    "wohnt Kirchweg 4": "Kirchweg 4",
    "osoite Rantakatu 31": "Rantakatu 31",
    "Chez eux, 14 Rue de la Paix": "14 Rue de la Paix",
    "in Via Garibaldi 22 a Torino": "Via Garibaldi 22",
    "St. Agnes Hospital\nLongfellow 21\nBoston, MA 02199": "Longfellow 21",
    "The crash was on Willow Creek Road.": "Willow Creek Road",
    "exit from Highway 61 near the farm": "Highway 61",
    "St. Agnes Hospital CH#12-3\nLongfellow 21 DOB 01/02/80\nBoston, MA 02199": "Longfellow 21",
    "9 Martin Luther King Jr. Blvd": "9 Martin Luther King Jr. Blvd",
    "4 St. Clair Ave": "4 St. Clair Ave",
}
CITIES = {
    "She was born in Tampere and raised here.": "Tampere",
    "He drove in from Winston-Salem.": "Winston-Salem",
    "a retired teacher from Reading admitted": "Reading",
    "The family moved to Brunoville when he was three.": "Brunoville",
    "visiting her sister in Port Ellery.": "Port Ellery",
    "resident of East Marlowside, KS for years": "East Marlowside, KS",
    "He grew up in St. Louis.": "St. Louis",
    "flew to San Francisco yesterday": "San Francisco",
    "Denver, Colorado, is home.": "Denver, Colorado",
    "She came back from India with fever.": "India",
    "She works in NYC now.": "NYC",
    "traveled to the U.S. for surgery": "U.S.",
    "the economy of Portugal is": "Portugal",
    "i live in mumbai": "mumbai",
    "trips to Norway, Ghana, Texas and Peru": "Texas",
    "shelling in Mosul, Qarnabash and Tikrit": "Qarnabash",
    "her history is from Miami": "Miami",
    'city="Wexcombe" state': "Wexcombe",
    "his cousin Anna, of Harper; and a niece": "Harper",
    "moved to Kingston, Ont. in May": "Kingston, Ont.",
    "a shop in Seattle, Wa next door": "Seattle, Wa",
}
ZIPS = {
    "Gary, IN 46499": "46499",
    "Zip code: 02139": "02139",
    "postcode SW1A 2AA please": "SW1A 2AA",
    "Postal code K1A 0B1": "K1A 0B1",
    "London E17 is far": "E17",
    "Massachusetts 02134": "02134",
    "ZIP 90210-4321": "90210-4321",
    "anyone in the 60614 area": "60614",
    "12 ELM RD^^SALEM^OR^97399||": "97399",
}
REGIONS = {
    "They farm in Kittson County.": "Kittson County",
    "hiking in the Ohio River Valley": "Ohio River Valley",
    "the Gulf of Mexico spill": "Gulf of Mexico",
    "works in the Jinshui District": "Jinshui District",
    "a cabin on Lake Winona": "Lake Winona",
    "a suburb of Eastleigh in the south": "Eastleigh",
    "flew from Logan Airport": "Logan Airport",
    "sailing the Mediterranean again": "Mediterranean",
    "living in the Bay Area": "Bay Area",
    "on Whidbey Island all summer": "Whidbey Island",
}


@pytest.mark.parametrize(
    ("detector", "text", "expected"),
    [
        (detector, text, expected)
        for detector, forms in (
            ("addresses", ADDRESSES),
            ("streets", STREETS),
            ("cities", CITIES),
            ("zips", ZIPS),
            ("regions", REGIONS),
        )
        for text, expected in forms.items()
    ],
)
def test_the_form_is_found_whole(detector: str, text: str, expected: str) -> None:
    assert expected in {piece.removeprefix("the ") for piece in found(detector, text)} | found(
        detector, text
    )


STAY = {
    "addresses": [
        "BP 118/72, HR 78, SpO2 96% on room air.",
        "Take 2 tablets of Tylenol every 4 hours.",
        "Grade 3 Mitral Valve regurgitation was seen.",
        "On June 12, 1993 she was 7 years old.",
        "INR 2.4, WBC 10200, platelets 250000.",
        "Unit 2 of packed cells was given.",
    ],
    "streets": [
        "Type 2 Diabetes Mellitus",
        "aged 42 Patient reports no pain.",
        "During 1971 he was well.",
        "20 Units Lantus at night",
        "address the pain first",
        "results were sent via 2 messages",
        "closed with 3-0 Vicryl. Dr. Amsel assisted.",
        "SINEMET 25/100 FOUR TIMES DAILY. DR. OKAFOR WILL CALL.",
        "2 Tablets Twice Daily Dr. Okafor agrees",
    ],
    "cities": [
        "Nice to see her. Reading is easy again.",
        "Huntington's disease runs in the family.",
        "a high Framingham risk score",
        "Kawasaki disease in a child",
        "She has a mobile number.",
        "He is a Vietnam veteran.",
        "Rapid breathing; Moro reflex; Philadelphia chromosome absent.",
        "Human serum, Bone scan, Basic panel, Lime juice.",
        "Male, 47, with Colon cancer. March was hard.",
        "Most of the same symptoms. Of note, Normal gait.",
    ],
    "zips": [
        "MRN 46499",
        "the count was 10200 yesterday",
        "platelets of 15000",
        "vitamin B12 5MG daily",
        "code 12345",
        "London S3 and London W20 are no districts",
    ],
    "regions": [
        "the health district",
        "abdominal area tender",
        "Down syndrome",
        "the hospital area",
        "Assessment and Plan",
    ],
}


@pytest.mark.parametrize(
    ("detector", "text"), [(name, text) for name, texts in STAY.items() for text in texts]
)
def test_the_look_alike_stays(detector: str, text: str) -> None:
    assert found(detector, text) == set()


def test_an_address_is_one_span_with_the_label_of_a_place() -> None:
    page = read("418 Tanager Way, Apt. 6, Millbrook, OH 43999")
    spans = [s for s in all_detectors()["addresses"](page) if s.end == len(page.text)]
    whole = max(spans, key=lambda s: s.end - s.start)
    assert (whole.start, whole.kind, whole.label) == (0, Kind.ADDRESS, LOCATION)


def test_of_two_heads_in_a_row_the_longer_name_is_posted_once() -> None:
    assert found("regions", "a trip to the Ohio River Valley") == {"Ohio River Valley"}


def test_a_state_that_fits_the_zip_makes_it_more_certain() -> None:
    fits = next(iter(all_detectors()["zips"](read("Boston, MA 02139"))))
    not_so = next(iter(all_detectors()["zips"](read("Boston, TX 02139"))))
    assert fits.certainty > not_so.certainty


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="AaÉß1 ,.\n'-&stRoadMA02", max_size=120))
def test_any_text_gives_spans_inside_it(text: str) -> None:
    page = read(text)
    for name in ("addresses", "streets", "cities", "zips", "regions"):
        for span in all_detectors()[name](page):
            assert 0 <= span.start < span.end <= len(page.text)
            assert 0 <= span.certainty <= 1


def test_runs_are_in_order_and_do_not_overlap() -> None:
    from indistinct.scrub.text.detectors._places import runs

    page = read("Dr. A. B. Cole of St. Ives saw O'Neil-Smith at AT&T in the U.S. on B12.")
    assert all(one.end <= other.start for one, other in pairwise(runs(page)))
