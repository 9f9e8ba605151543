"""Everything made of digits and codes: what is found whole, and what looks alike and stays.

The detectors are taken at their word here: what was measured of a rule on annotated text, and
what others say of the same characters, is not considered. In FOUND the stretch between ‹ and ›
must be covered to the last letter and digit and be of the kind named; in STAYS nothing may be
touched.
"""

from __future__ import annotations

from importlib import import_module

import pytest

from indistinct.scrub.text.board import resolve
from indistinct.scrub.text.detectors import _numbers
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import Kind, Span

DETECTORS = [
    "accounts", "ages", "births", "coordinates", "dates", "devices", "emails", "identities",
    "licences", "phones", "records", "vehicles", "webs",
]  # fmt: skip
THRESHOLD = 0.7

DATES = """
Back ‹Mon 4/2› for her labs.
Away the week of ‹5/3› at camp.
Inpatient ‹5/3-5/9› for chest pain.
Seen on ‹9/12› for pain in the hip.
POD 3 (‹4/4›): afebrile.
BP was 118/72. Labs (‹4/29 AM›) were normal.
By ‹1/4› she could walk.
Return ‹2/5› to the clinic.
Filed ‹2022-Feb-15› by the clerk.
Filed ‹2022, February 15› by the clerk.
Filed ‹Feb/15/22› by the clerk.
Away ‹April 3rd to the 9th› on leave.
He fell on ‹April 2/3› at night.
Planned for ‹2023-W14› as agreed.
Wieder am ‹05.03.› zur Kontrolle.
Seen ‹10 Mar '23› in the clinic.
He returned on ‹5/23/84› with the same complaint.
Operated on ‹05-23-1984› without incident.
Uploaded ‹2026-02-09T22:50:00Z› by the nurse.
Sutures out ‹2021-4-9›, wound dry.
She fell on ‹9/12› and broke her wrist.
Symptoms since ‹6/10› are worse at night.
Cough beginning about ‹3/7›, worse on lying down.
Home ‹7/12› w/ visiting nurse.
CT chest ‹04/29›: no change.
Review of ‹May 25, 2023› shows improvement.
Letter of ‹25 December 1995› received.
Next seen ‹Sept. 9 '24› in the clinic.
Due back ‹March 5th› for the cast.
Away ‹Mar 3 - 7›, then home.
‹Wednesday, February 2, 1994›
It began on ‹the 3rd of May› at work.
Seen on ‹11th March 2023› by the team.
Vorgestellt am ‹12.03.1999› in der Ambulanz.
Aufnahme am ‹3. Oktober 2019› zur Abklärung.
Consultation du ‹14 février 2020› au cabinet.
Ingresó el ‹2 de enero de 2018› por dolor.
Ricoverato il ‹7 luglio 2016› in reparto.
Inpatient ‹1/5/21-1/9/21› for pneumonia.
Stay from ‹3/14 to 3/19› was uneventful.
Biopsy ‹20-Oct-2015› was benign.
Dictated ‹08Apr2024› and not read.
We met on ‹April the 4th› to talk.
She delivered on ‹Christmas Day 2021› at term.
ADMITTED ‹MAY 25, 2023› FROM HOME.
seen ‹jan 15th 2023› in clinic
labs drawn ‹feb 5 2023› were normal
Signed ‹07 / 04 / 2001› at noon.
Collected ‹2019/11/03›.
Date: ‹20240317›
On ‹the twenty-third of June› he proposed.
Last visit ‹12/2/92› was brief.
"""
DATES_STAY = """
This 7 and 6/12 year old boy coughs.
A 3 6/12 year old girl fell.
He is 4 and 3/12 years of age.
Seen at age 7 9/12 for review.
Age 5 and 11/12 at the test.
Rates it 7/10 on 7/10 pain days.
Acuity went from 20/30 to 20/40.
Pain from 8/10 to 4/10 since then.
The mass shrank by 1/3 on treatment.
Hypoxia 2/2 pneumonia.
She has 24/7 care at home.
He met 5/9 criteria.
Took 1 1/2 tablets and then 2 1/4 more.
Since June of 1993 she has been well.
He was diagnosed in March 2019.
Married in 1987 and retired in 2012.
Pain 6/10 at rest, 8/10 on walking, down from 9/10.
Strength was 5/5 throughout and 4/5 in the left hand.
A 2/6 systolic murmur was heard.
BP 120/80, later 135/85.
Take 1/2 tablet twice daily, then 3/4 tablet.
Visual acuity 20/20 in each eye.
Nodes: 3/18 positive.
She may 2 days later return to work.
He may take 5 mg in the morning.
Review in 6/12 with repeat films.
Insulin 70/30 before meals.
The score was 9/12 on the scale.
About 2/3 of the wound had closed.
Symptoms recur every March and every May.
Ratio 3:1, FEV1/FVC 0.72.
Version 2.10.3 of the protocol.
"""
BIRTHS = """
DOB: ‹5/23/84›
Date of birth ‹1989-01-05›.
d.o.b. ‹07/04/51›, married
Patient born on ‹2 September 1904› at home.
He was born in Springfield on ‹Mar 26, 1911› to farmers.
Birthdate ‹20-Oct-2015›
DOB ‹1962›
dob=‹1970-12-31›
geb. ‹12.03.1949›, wohnhaft hier
née le ‹3 mars 1951› dans cette ville
"date_of_birth": "‹1990-06-30›"
DATE OF BIRTH: ‹JUNE 3, 1944›
"""
BIRTHS_STAY = """
She was born in 1950 on a farm.
Birth weight was 3200 g at term.
Born at 38 weeks by section.
Birthday celebrations were exhausting.
First-born of 3 children.
"""
AGES = """
This ‹92›-year-old woman fell.
He died aged ‹101› at home.
A ‹95› y/o gentleman with COPD.
Pt is ‹91›yo, frail.
The ‹ninety-three› year old widow lives alone.
Age: ‹97›
She is ‹90› years old.
Her grandmother turned ‹104› last week.
Seen today: ‹94› year old male.
He celebrated his ‹99th› birthday.
"""
AGES_STAY = """
This 89-year-old man is well.
A 46 year old lawyer.
Pulse 92, saturation 95 on air.
Temperature 99 F, later 101.
Walked 100 m without pain.
A 90 pack-year smoker.
Weight 92 kg.
Aged 72 at diagnosis.
"""
PHONES = """
My husband said ‹22 1234 567›, then hung up.
My husband said ‹55 1234 5678›, then hung up.
My husband said ‹138 1234 5678›, then hung up.
My husband said ‹98765 43210›, then hung up.
My husband said ‹11 91234-5678›, then hung up.
My husband said ‹8 (912) 345-67-89›, then hung up.
My husband said ‹030/1234567›, then hung up.
My husband said ‹312-5550143›, then hung up.
My husband said ‹+44 (0)20 7946 0958›, then hung up.
My husband said ‹0044 20 7946 0958›, then hung up.
Please call ‹1-503-643-0445› today.
Reach me at ‹(617) 555-0143› after five.
The nurse's line is ‹617.555.0143 x 234› on weekdays.
Tel ‹650 330 1574›
Ring ‹473-1214› if it bleeds.
Her daughter: ‹578-9943›.
From abroad ‹+44 20 7946 0958› works too.
Praxis Tel. ‹024 971 50 30›
Mobil ‹+41 (0)69 979 80 58›
Appelez le ‹01.84.17.61.18› le matin.
Cell:‹6175550143›
Call ‹617 dot 555 dot 0100› please.
Mother ‹(617)555-0143› (cell)
pager ‹34567›
phone ‹6l7-555-O143›
Her number is ‹five five five zero one four three›.
office ‹508-555-0177 ext. 12›
Dialling my number from abroad fails: ‹22 6570 704›.
‹9472 7916› is my number.
Contact ‹+234-803-555-1190› at night
"""
FAXES = """
Fax: ‹(307) 509-8426›
fax ‹438 328 1737›
Fax number is ‹+1 799 404 4991›.
FAX ‹633-5211›
Facsimile: ‹617-555-0188›
fax no. ‹617.555.0188›
faxed to fax ‹1-617-555-0188›
F: ‹617-555-0188›
"""
PHONES_STAY = """
Doses of 10 20 30 40 were tried.
Widths 12 14 16 18 20 on five films.
Counts of 4000 5000 were low.
In the years 1990 1995 2000 she moved.
Reference range 211-911 pg/mL.
Caffeine 200-1000 mg daily.
Platelets 150000 and WBC 12000.
BP 120/80, pulse 72, RR 18, sat 98.
Sodium 138 140 139 on three days.
Between 2012-2015 she lived abroad.
Give 500-1000 mL over two hours.
The 1990-1995 records were lost.
He ran 5 10 15 20 laps.
One two three four was all he could count.
"""
EMAILS = """
Write to ‹joan.berg@clinic.example.com›. Mr. De Roe knows.
Write to ‹"joan berg"@clinic.example.org› soon.
Write to ‹o'brien@clinic.example.org› soon.
Write to ‹joan@clinic,org› soon.
Write to ‹joan@clinic dot org› soon.
Write to ‹joan dot berg @ clinic dot org› soon.
Write to ‹joan underscore berg at clinic dot org› soon.
Write to ‹joan|at|clinic|dot|org› soon.
Write to ‹joan.berg at clinic.org› soon.
Write to ‹joan@[192.168.0.1]› soon.
Write to ‹joan+notes@clinic.healthcare› soon.
Write to ‹joan.berg@clinic.example.org› soon.
mail=‹joan%40example.com›&x=1
Reach ‹j_berg+notes@mail.example.co.uk›.
‹joan.berg [at] example dot com›
‹jberg (at) example (dot) org› is best
My address is ‹joan at example dot com›.
Send to ‹joan.berg @ example.com› please
‹JBERG@EXAMPLE.COM›
<‹j-berg99@example.net›>
"""
EMAILS_STAY = """
He pointed at the dot.
Meet at ten in room 4.
Dose 5 mg @ 10:00.
Look at the dot on the film.
She was seen at noon. Later she left.
HR 80 @ rest
"""
WEBS = """
See ‹https://www.example.org/a?b=1&c=2› for more.
His page ‹www.joanberg.example.com›.
Book on ‹myclinic.org› or by mail.
Follow ‹@joan_berg84› there.
username: ‹jberg.84›
His user name is ‹jsmith42›, he said.
‹ftp://files.example.net/joan›
Portal login: ‹jberg84›
Posted on ‹joansblog.com/2020/05› yesterday
Her Instagram is ‹joan.b_84›
"""
WEBS_STAY = """
Take b.i.d. with food.
E.g. aspirin, i.e. a salicylate.
He left.He came back.
Given p.o.in the morning.
Node.js was not discussed.
Handle with care.
The user is a nurse.
"""
RECORDS = """
(HICN: ‹123-45-6789A›)
Beneficiary ‹1EG4-TE5-MK73› was billed.
Admitted to the ward (‹H-2231›) for a week.
Seen at the clinic (‹QX77›) last week.
PID|1||‹6648737›^^^MR||
PV1|1|O|||||‹83620›^ROE^ANN
MRN: ‹989-44-94›
MRN# ‹4471023›
Medical record number ‹12201›
Unit No: ‹466-33-97›
UNIT NO. ‹MG994369›
Chart # ‹A-10442›
Hospital number ‹H1905301›
Case ‹PA26-04-8821› was signed out.
Specimen ID ‹S24-11872›
Accession: ‹20-SP-004417›
Encounter ‹7788123› closed
Claim number ‹CL-2024-00917›
Prescription ‹RX-78901234› was filled.
Policy # is ‹ABC-987654›.
Health plan ID ‹HMO298492991›.
Member ID: ‹W929176252›
Insurance: ‹BC81696370›.
HICN: ‹B123456789›
Group no. ‹80818›
Patient ID ‹67890› is on the list.
patient #‹448812›
"mrn": "‹MRN-1008124›", "x": 1
Records MRN-780498 and ‹H1905301› were merged.
The card says ‹INS-555511434›.
Reference code ‹ZK88120›
medical record no ‹778-3201-99›
mrn ‹90234-Q›
Visit number: ‹100234567›
The label read ‹MG450411›.
"""
RECORDS_STAY = """
Reference range: 12.0-16.0
Haemoglobin 10.4 (ref 12.0-16.0)
The patient (T2DM) and the ward (COVID-19) were discussed.
On the order of 10000 to 20000 were seen.
E11.9, I10 and S72.001A were coded.
HbA1c 7.2, CD4 350, B12 low, T2DM and COVID-19.
L4-L5 disc, C5-C6 fusion, A1C pending, 4x4 gauze.
PGY-3 resident, SARS-CoV-2 negative, PHQ-9 of 12, CA-125 of 34.
CPT 99213 and SNOMED 44054006 were billed.
NCT01234567 was the trial.
G3P2012 at term, pT2N0M0 at surgery.
Platelets 250000, viral load 1200000 copies.
Case 3 of the series; visit 2; unit 4; plan 1.
Metformin 1000 mg, heparin 5000 units, 20mg/5ml.
In 2019-2020 and the 1990s he travelled.
A 46-year-old man on a 12-lead ECG.
Room 4112, bed 12, floor 3.
The plan is to see 3 specialists.
CYP2C19 poor metaboliser, HLA-B27 positive, V600E mutation.
H1N1 vaccine, 18F-FDG uptake, I-131 therapy, Na 138, pH 7.38.
"""
LICENCES = """
Officer Roe, badge ‹2926›, was there.
Driver's license number is ‹N94263071›.
DL: ‹D123-4567-8901›
Medical license ‹MA-228817›
DEA ‹BX1234563›
NPI: ‹1663062169›
Passport: ‹P8E101798›
Visa number ‹A12345678›
Employee ID ‹EMP-36045›
Badge number ‹44812›
Joan Berg, M.D. ‹34764›
Signed by Ann Roe, RN ‹55123›
Licence no. ‹RN-887123›
"""
LICENCES_STAY = """
Provider range 12.0-16.0 was used.
He lost his licence in 2015.
She has been licensed for 20 years.
Employee of 12 years, staff of 40.
Provider 2 of 3 was present.
Her visa expires in 2026.
"""
IDENTITIES = """
SSN: ‹123-45-6789›
SSN ‹123456789›
Social security number ‹123 45 6789›
Found ‹982-85-8983› on the form.
social ‹l23-45-67O9›
Last four of SSN: ‹6789›
SSN ‹XXX-XX-6789›
NHS number ‹943 476 5919›
NHS No ‹9434765919›
SIN ‹046-454-286›
Tax ID ‹12-3456789›
National ID: ‹NID-900182315›
CPF ‹529.982.247-25›
NI number ‹AB 12 34 56 C›
Aadhaar ‹1234 5678 9012›
"""
IDENTITIES_STAY = """
Social history: 2 drinks a week.
Tax season is stressful for him.
National guidelines of 2019 apply.
The sin of gluttony, he said.
Security was called at 10:45.
"""
ACCOUNTS = """
Visa ‹4111 1111 1111 1111› was declined.
Card ‹4111-1111-1111-1111›
My card ‹378282246310005› expires soon.
Card ending in ‹5678›
account ending with ‹8899›
Card ‹**** **** **** 1234›
IBAN ‹GB29 NWBK 6016 1331 9268 19›
Transfer from ‹DE89370400440532013000› today
Account #‹10194155›
Account: ‹S39-74601›
Routing number ‹021000021›
Order number: ‹WX202507031250123456›
Booking code ‹YZ20251203A07›
SWIFT code ‹DEUTDEFF›
Wallet ‹1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa›
Transaction ID ‹TX-99812734›
"""
ACCOUNTS_STAY = """
The study ending in 2019 was small.
On account of pain in 2 joints.
In order to walk 100 metres.
He takes credit for 3 goals.
The card game lasted 2 hours.
Payment of $1,250 is due.
Swift recovery is expected.
"""
DEVICES = """
Pacemaker serial ‹LA538341H›.
Serial number: ‹SN-448812-B›
IMEI ‹490154203237518›
MAC ‹00:1A:2B:3C:4D:5E›
IP address ‹192.168.1.1›
from ‹2001:0db8:85a3:0000:0000:8a2e:0370:7334›
Device ‹AEBE52E7-03EE-455A-B3C4-E57283966239›
Biometric ‹BIO-FP-a3f8c2e1d5›
key ‹sk_test_abc123def456›
Implant lot no. ‹77A4410›
Token: ‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc123›
token ‹eyJhbGciOiJub25l›
hash ‹9f86d081884c7d659a2feaa0c55ad015›
"""
DEVICES_STAY = """
The device was checked in 2019.
Serial troponins 0.02, 0.04 and 0.03.
Seen at 10:45:12 in the unit.
Ratio 1:2:3 was used.
Version 1.2.3.4 of the software.
Lead 2 showed artefact.
"""
VEHICLES = """
VIN ‹1M8GDM9AXKP042788›
The car is ‹1HGCM82633A004352›.
License plate ‹ABC 1234›
plate ‹7XYZ123›
License plate number: ‹KLM-4471›
Registration no. ‹AB12 CDE›
Vehicle tag # ‹GH4410›
Plate: ‹B-MW 1234›
"""
VEHICLES_STAY = """
A plate with 6 screws was fixed.
The car hit a tree at 60 mph.
Tag along with 2 friends.
Registration took 20 minutes.
Vehicle accident in 2011.
"""
PLACES = """
Found at ‹40.7128° N, 74.0060° W›.
(‹40.7128, -74.0060›)
latitude: ‹52.5200›
lon=‹13.4050›
‹51°30'26"N 0°7'39"W›
GPS ‹48.85661, 2.35222›
lat ‹-33.8688›
‹40.7128N 74.0060W›
"""
PLACES_STAY = """
Flexion 90° and extension 10°.
Temperature 38.5 °C.
Ratio 0.1234.
Doses 1.25, 2.50 and 3.75.
Lateral view at 45°.
"""

_FOUND = [
    (DATES, Kind.DATE), (BIRTHS, Kind.BIRTH_DATE), (AGES, Kind.AGE), (PHONES, Kind.PHONE),
    (FAXES, Kind.FAX), (EMAILS, Kind.EMAIL), (WEBS, Kind.WEB), (RECORDS, Kind.RECORD_NUMBER),
    (LICENCES, Kind.LICENCE), (IDENTITIES, Kind.IDENTITY_NUMBER), (ACCOUNTS, Kind.ACCOUNT),
    (DEVICES, Kind.DEVICE), (VEHICLES, Kind.VEHICLE), (PLACES, Kind.PLACE),
]  # fmt: skip
FOUND = [(line, kind) for lines, kind in _FOUND for line in lines.strip().split("\n")]
STAYS = [
    line
    for lines in (
        DATES_STAY, BIRTHS_STAY, AGES_STAY, PHONES_STAY, EMAILS_STAY, WEBS_STAY, RECORDS_STAY,
        LICENCES_STAY, IDENTITIES_STAY, ACCOUNTS_STAY, DEVICES_STAY, VEHICLES_STAY, PLACES_STAY,
    )
    for line in lines.strip().split("\n")
]  # fmt: skip


def found_in(text: str) -> list[Span]:
    page = read(text)
    postings = [
        span
        for name in DETECTORS
        for span in import_module(f"indistinct.scrub.text.detectors.{name}").detect(page)
    ]
    return resolve(postings, page.text, THRESHOLD)


@pytest.mark.parametrize(("line", "kind"), FOUND)
def test_it_is_found_whole_and_by_its_kind(line: str, kind: Kind) -> None:
    start, end = line.index("‹"), line.index("›") - 1
    text = line.replace("‹", "").replace("›", "")
    spans = found_in(text)
    covered = {place for span in spans for place in range(span.start, span.end)}
    left = [text[i] for i in range(start, end) if text[i].isalnum() and i not in covered]
    assert not left, spans
    assert kind in {span.kind for span in spans if span.start < end and start < span.end}, spans
    beyond = [i for i in covered if text[i].isalnum() and not start <= i < end]
    others = [span for span in spans if span.end <= start or span.start >= end]
    if not others:
        assert not beyond, spans


@pytest.mark.parametrize("line", STAYS)
def test_what_looks_alike_stays(line: str) -> None:
    assert found_in(line) == []


def test_months_with_years_stay_beside_dates() -> None:
    text = "Seen May 2, 2021; again in June 2022 and on 7/14."
    assert [text[s.start : s.end] for s in found_in(text)] == ["May 2, 2021", "7/14"]


def test_two_births_in_one_line() -> None:
    text = "DOB 1/2/1980, spouse DOB 3/4/1982"
    assert [s.kind for s in found_in(text)] == [Kind.BIRTH_DATE] * 2


def test_a_long_extension_belongs_to_the_number() -> None:
    text = "call 617-555-0143 x2157 now"
    assert [text[s.start : s.end] for s in found_in(text)] == ["617-555-0143 x2157"]


def test_a_number_with_a_line_of_its_own_is_a_telephone() -> None:
    text = "Ann Roe\n12 Elm Road\n22 657 07 04\nBring her films."
    assert [text[s.start : s.end] for s in found_in(text) if s.kind is Kind.PHONE] == [
        "22 657 07 04"
    ]


def test_dates_without_a_year_pass_their_context_on() -> None:
    text = "Seen on 3/4, 3/5 and 3/6 by the team."
    assert [text[s.start : s.end] for s in found_in(text)] == ["3/4", "3/5", "3/6"]


def test_only_the_latest_page_is_remembered() -> None:
    pages = [read(text) for text in ("MRN 12345", "MRN 67890")]
    assert [_numbers.codes(page)[0].text for page in pages] == ["12345", "67890"]
    assert [known.page for known in _numbers._latest] == [pages[1]]
    assert _numbers.lowered.cache_info().maxsize == 4


def test_invisible_characters_and_wide_digits_hide_nothing() -> None:
    text = "SSN 98\u200b2-85-8983 tel ６１７-555-0143"
    assert [s.kind for s in found_in(text)] == [Kind.IDENTITY_NUMBER, Kind.PHONE]
