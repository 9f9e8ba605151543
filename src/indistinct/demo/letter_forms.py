"""The forms of the demo's letters and notes: what people write about patients, with blanks.

A blank `{he}` is filled in; `{NAME patient.first}` is filled in and is a reference, which must go.
Of ages only those over 89 must.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FORMS", "Form", "Who"]

Who = Literal["adult", "worker", "married", "parent", "child", "old", "again"]
"""Whom a letter can be about; `again` is about the same patient as the one before."""


@dataclass(frozen=True)
class Form:
    """A letter with blanks, and whom it can be about."""

    who: Who
    text: str


FORMS: tuple[Form, ...] = (
    Form(
        "worker",
        """\
{ORG hospital}
Department of Cardiology
{LOCATION hospital_address}

{DATE visit}

{NAME recipient.full}, M.D.
{LOCATION clinic_address}

RE: {NAME patient.full}
DOB: {DATE born_slashed}
MRN: {ID record}

Dear Dr. {NAME recipient.last}:

Thank you for sending {NAME patient.full}, a {AGE age}-year-old {man} who gives {his} \
occupation as {job}. {He} has had palpitations since {month}, mostly on the stairs. {title} \
{NAME patient.last} takes metoprolol 25 mg twice a day and has no allergies. Blood pressure was \
132/84; the echocardiogram showed mild mitral regurgitation and a normal ejection fraction.

A 48-hour Holter will be put on at {ORG clinic} on {DATE next}. Until then {he} may go on working. \
{He} can be reached at {PHONE phone}.

Sincerely,

{NAME author.full}, M.D.
License {ID licence}
""",
    ),
    Form(
        "again",
        """\
TELEPHONE NOTE   {DATE next_slashed}   {NAME author.last}

{NAME patient.last}, {NAME patient.first} called from {PHONE phone_dotted}. Holter shows two runs \
of atrial flutter, longest 40 sec. Told {him} to stop coffee and to come in. {NAME patient.first} \
asked that Dr. {NAME recipient.last} be told. Apixaban 5 mg b.i.d. started.
""",
    ),
    Form(
        "child",
        """\
{DATE visit_day_first}

Dear {NAME mother.full},

It was good to see {NAME patient.first} and you in our clinic. As we discussed, \
{NAME patient.nick} has grown 6 cm since {month}, and the coeliac disease is quiet. Please \
keep {him} free of gluten. The dietitian, {NAME other.full}, will ring you at {PHONE phone} \
next week.

{ORG school} needs the enclosed certificate before {DATE next}.

With kind regards,
{NAME author.full}
Consultant Paediatrician, {ORG hospital}
""",
    ),
    Form(
        "married",
        """\
DISCHARGE SUMMARY

Patient: {NAME patient.comma}          MRN: {ID record}
Date of birth: {DATE born_slashed}     Sex: {sex_letter}
Admitted: {DATE visit_slashed}         Discharged: {DATE next_slashed}
Attending: {NAME author.full}, MD

HISTORY: {title} {NAME patient.last} is a {AGE age} year old {man} with Crohn's disease who came \
to the emergency department with pain in the right lower quadrant. {His} {spouse_word}, \
{NAME spouse.first}, brought {him} in from {LOCATION town}.

COURSE: CT showed an abscess of 3 cm. Dr. {NAME other.last} drained it on the second day. \
Ceftriaxone and metronidazole were given. McBurney's point was no longer tender on the third day.

FOLLOW-UP: with Dr. {NAME recipient.last} at {ORG clinic} on {DATE follow_up}. {NAME spouse.first} \
will drive. Contact: {PHONE phone}.
""",
    ),
    Form(
        "adult",
        """\
pt {NAME patient.full.lower} seen today w/ low back pain x 3 wks, no red flags. lives in \
{LOCATION town.lower}. sees {NAME other.full.lower} for physio twice a week. straight leg \
raise neg. ibuprofen 400 tid, recheck {DATE next_slashed}. cell {PHONE phone}
""",
    ),
    Form(
        "old",
        """\
NURSING HOME PROGRESS NOTE
Resident: {NAME patient.full.upper}   DOB {DATE born_slashed}   Facility: {ORG residence}

This {AGE age}-year-old {man} with Parkinson's disease and a Foley catheter was found on the floor \
at 06:40. No head strike. {NAME patient.first} says {he} slipped. Hip films were negative. \
{title} {NAME patient.last} was seen by {NAME author.full}, RN. Family of the resident were \
called at {PHONE phone} and left a message for {NAME other.full}.
""",
    ),
    Form(
        "parent",
        """\
Social work assessment, {DATE visit}

Client: {NAME patient.full}, born {DATE born_written}
Address: {LOCATION home}
Telephone: {PHONE phone}

{title} {NAME patient.last} was referred by Dr. {NAME recipient.full} after the diagnosis of \
Hodgkin's disease. {He} lives with {his} child {NAME child.first}, who attends {ORG school}. \
{He} has been on leave from {ORG employer} since {month} and worries about the rent. \
{NAME patient.nick}, as {he} asks to be called, has no other family in {LOCATION town}. \
A letter will go to {ORG employer}; the contact there is {NAME other.full} ({EMAIL other.mail}).

{NAME author.full}, LCSW
""",
    ),
    Form(
        "worker",
        """\
From: {EMAIL author.mail}
To: {EMAIL recipient.mail}
Date: {DATE visit_iso}
Subject: {NAME patient.first} {NAME patient.last}

Hello {NAME recipient.first},

the biopsy of {title} {NAME patient.last} (born {DATE born_iso}, number {ID record}) came back \
benign. {His} ferritin is still low at 9. Could you see {him} at {ORG clinic} before \
{DATE follow_up}? {He} works shifts at {ORG employer} and is free in the mornings.

Thanks
{NAME author.first}
""",
    ),
    Form(
        "child",
        """\
{ORG hospital}
Emergency Department

{NAME patient.full} / {DATE born_iso} / {ID record}

{AGE age} year old {boy} brought by {his} mother, Mrs. {NAME mother.last}, after a fall from a \
swing. {NAME mother.first} saw no loss of consciousness. GCS 15. Colles' fracture on the left, \
reduced under nitrous oxide by Dr. {NAME other.full}. {NAME patient.first} went home to \
{LOCATION street} with a cast. Fracture clinic {DATE next}.

{NAME author.full}, MD
""",
    ),
    Form(
        "adult",
        """\
{NAME author.full}, Psy.D.
{LOCATION clinic_address}
Tel. {PHONE phone}   Fax {PHONE fax}

{DATE visit}

To whom it may concern:

{NAME patient.full} has been under my care since {month} for a major depressive episode. \
{NAME patient.first}'s sleep has improved on sertraline 100 mg. I support {title} \
{NAME patient.last}'s return to work on {DATE next}, four hours a day at first.

{NAME author.full}
""",
    ),
    Form(
        "married",
        """\
OPERATIVE REPORT
PATIENT NAME: {NAME patient.full.upper}
MEDICAL RECORD NUMBER: {ID record}
DATE OF OPERATION: {DATE visit_slashed}
SURGEON: {NAME author.full.upper}, M.D.
ASSISTANT: {NAME other.full.upper}, M.D.

PROCEDURE: LAPAROSCOPIC CHOLECYSTECTOMY.
FINDINGS: THE GALLBLADDER WAS INFLAMED. CALOT'S TRIANGLE WAS DISSECTED WITHOUT DIFFICULTY.
MR. AND MRS. {NAME patient.last.upper} WERE TOLD OF THE FINDINGS. A COPY GOES TO \
DR. {NAME recipient.last.upper} AT {ORG clinic.upper}.
""",
    ),
    Form(
        "worker",
        """\
Occupational health: fitness for work

Employer: {ORG employer}
Employee: {NAME patient.full}, date of birth {DATE born_day_first}, staff number {ID licence}

I saw {NAME patient.full} on {DATE visit}. {He} has had carpal tunnel syndrome on both sides \
since {month}; Phalen's test was positive. {title} {NAME patient.last} should not use vibrating \
tools for six weeks. Questions may go to me, {NAME author.full}, at {EMAIL author.mail}.
""",
    ),
    Form(
        "parent",
        """\
Dear {NAME recipient.first},

I saw {NAME patient.full} ({DATE born_written}) with {his} little {NAME child.first} on \
{DATE visit}. {NAME patient.first} has had migraine since the birth; propranolol helps. I asked \
{him} to keep a diary and to bring it on {DATE next}. The family has moved from {LOCATION town} to \
{LOCATION street}, so that you may wish to change your records.

Best wishes,
{NAME author.first}

cc: {NAME other.full}, {ORG hospital}
""",
    ),
    Form(
        "old",
        """\
{DATE visit_slashed} {NAME author.initials}
{NAME patient.comma} #{ID record}
{AGE age}yo {sex_letter}, hx CHF, T2DM, s/p CABG. Wt up 2 kg since last wk. JVP 9 cm, trace edema. \
Furosemide 40 -> 80. K 4.1, Cr 1.3. {NAME other.first} from {ORG residence} to weigh {him} daily \
and call {PHONE phone} if > 1 kg/d. d/w Dr {NAME recipient.last}.
""",
    ),
    Form(
        "adult",
        """\
Genetics clinic, {ORG hospital}

RE: {NAME patient.full}; {LOCATION home}; DOB {DATE born_written}; NHS number {ID record}

Dear {NAME patient.first},

Your blood test found no change in BRCA1 or BRCA2. Your cousin, {NAME other.full}, may still wish \
to be tested. We can be reached on {PHONE phone} or at {URL site}.

Yours sincerely,

Dr {NAME author.full}
""",
    ),
    Form(
        "adult",
        """\
Court report, private and confidential

{NAME patient.full} was born in {LOCATION town} on {DATE born_written}. At the age of three {he} \
was placed in foster care. At the age of nine {he} set fire to a barn. At the age of fifteen {he} \
was found in the river and revived. At the age of seventeen {he} won a national prize for the \
violin. {title} {NAME patient.last} told me so {himself} on {DATE visit}.

{NAME author.full}, M.D., {ORG hospital}
""",
    ),
)
