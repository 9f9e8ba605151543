"""Detectors of people's names: forms that each must find whole, and look-alikes that must stay."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.page import read
from indistinct.scrub.text.spans import Kind

LIKELY = 0.7
NAMES = (
    "titled", "credentialed", "headings", "salutations", "relatives", "listed", "initials",
    "nicknames", "foreign", "unknowns", "spoken", "tabulated",
)  # fmt: skip

# In each sentence the names that the detector must find whole stand between < and >.
FOUND = {
    "titled": [
        "I spoke with Dr. <Lang> this morning.",
        "seen with dr <koruturk>, will follow",
        "We shall call Mrs. <Hodgkins> in a week.",
        "Drs. <Chen>, <van der Berg> and <Patel> concur.",
        "Sister <Mary Agnes> sat with her.",
        "Dr. <Jennifer Nelson>'s note was reviewed.",
        "Mr. and Mrs. <O'Brien> asked about the test.",
        "Prof. Dr. <Weber> gave an opinion.",
        "La Sra. <Gutiérrez> no toma nada; Mme <Lefèvre> too; Herr <Müller> as well.",
        "MR. <KOWALCZYK> WAS SEEN TODAY AND HAS NO NEW COMPLAINTS AT ALL",
        "Discussed with Dr. <J. R. McAllister-Jones, Jr>. by phone.",
        "Thank you, Mrs. <May>, for coming.",
        "Dr. <Long> and Dr. <Best> agree.",
        "RN <Delgado> changed the dressing.",
        "Officer <Brennan> brought him in.",
        "Ms <Church-Lambert> declined.",
        "Dr. <Maria de la Cruz> operated.",
        "mr <whitaker> ambulating in hall",
        "rounded w/ dr <early>. c/o thirst",
        "d/w dr <means>, will follow",
        "Unit no. 4471\n\nDear Dr. <Winter>:",
        "She was sent to the clinic by her physician, Dr.\n<Lang>, last week.",
        "Seen by Dr. <Le> and Mrs. <Vu> and Mr. <Ho> today.",
    ],
    "credentialed": [
        "<Marjorie Long>, M.D.",
        "<Kurik, Michael> MD",
        "Dressing changed by <Jason Blake> RN at noon",
        "<Anthony Scott>, LICSW",
        "<SMITH JOHN A> MD",
        "<Priya Raman>, MBBS, FRCP, PhD",
        "<Tomas O'Rourke>, PA-C",
        "Report: <Leila Haddad-Fox>, Ph.D., reviewed",
        "<Donald Best>, D.O.",
        "Seen by <Ruth A. Feldman>, R.N., C.N.M.",
        "<Hiroshi Tanabe>, PharmD",
        "<Edward van Houten, III>, M.D.",
        "<Ana Lucía Prieto>, LCSW-R",
    ],
    "headings": [
        "Patient: <Virginia Townsend>   MRN: 12",
        "NAME: <TOWNSEND, VIRGINIA A>   DOB: 1/2/60",
        "RE: <Virginia Townsend>\nDOB 05/26/86",
        "Attending: Dr. <Hoang Parsa>",
        "PCP: <Ubaldo Sener>",
        "Dictated by <Sterling Halzel> on Monday",
        "cc: <Donna Navarro>, 12 Elm Road",
        "Emergency contact: <Luisa Ferrante> (sister)",
        "Next of kin: <Gregor Haas>",
        '{"name": "<Amy Ramirez>", "dob": "1970-01-01"}',
        "<name><Ann Tolliver></name>",
        'patient_name="<Ned Fairbanks>" sex="M"',
        "https://clinic.example/find?name=<Ann+Tolliver>&id=3",
        "<Sara>: are you coming in today?",
        "[Chat] <Miriam Okafor>: my ride is late",
        "Patient <Robert Lee> was admitted overnight.",
        "pt <kowalski> seen on rounds",
        "pt <church> seen on rounds, pt <kent> c/o thirst",
        "pt <ho-stone> admitted overnight",
        "Electronically signed by: <Grace Oduya>",
        "Surgeon: <Best, Amanda>",
        "To: <Wendell Pruitt>",
    ],
    "salutations": [
        "Dear <Virginia>,",
        "Dear Dr. <Lang>:",
        "Hi <Tom>, the scan is back.",
        "hello <maria>, how are you",
        "Sincerely,\n\n<Patrick Hayes>",
        "Yours truly,\n<Constance Abernathy>\n",
        "Best wishes,\n\n   <Joel>\n",
        "With best wishes to you and <Douglas>, I remain",
        "Kind regards,\n<Nadia Petrosyan>, Secretary",
        "<Clint>,\nI will send the draft later.",
        "Dear <Paul> and <Helen>,",
        "Thanks,\n<sara>\n",
        "I will write again soon.\n<Marcus Webb>\n",
    ],
    "relatives": [
        "Her mother <Dorothy> drove her in.",
        "brother <guy> at bedside",
        "father <will> at bedside, daughter <summer> was told",
        "Her father <Will Reading> (919-555-0103) drove.",
        "Her father <Will> had a similar illness.",
        "neighbor Darnell and Pastor <Myrick> visit",
        "Contact <Luisa Ferrante> (sister), or <Karl> (his son).",
        'calling for "<Brenvath>" (late husband)',
        "Her daughter, <Violet Davis> (919-555-0100), will come.",
        "Wife (<Carla>, 919-555-0101) is the proxy.",
        "He is the son of <Lucie Ortiz> and <John Ortiz>.",
        "She is married to <Douglas Finch>.",
        "husband <giampiero> at bedside",
        "Lives with his sister <Abigail Guarana> in a flat.",
        "His wife is <Ellen>.",
        "her sons <Peter> and <Karl> visit",
        "Daughter\n   <Olena> (cell 216-555-0102) will be present",
        "his neighbor, <Walter Grimes>, found him",
        "Her friend <Tanisha> stayed overnight.",
    ],
    "listed": [
        "We met <Elizabeth Cook> in the hall.",
        "The letter from <Susan B. Miller> arrived.",
        "We thank <Kevin O'Brien> for the films.",
        "It was <Patricia Church-Lambert> who called.",
        "The plan of <Ronald McDonald> is sound.",
        "We saw <Maria de la Cruz> and <Peter van der Berg> there.",
        "It concerns <Robert Davis, Jr>. and his knee.",
        "Then <Virginia> reports no pain.",
        "I hope that <Deborah> sleeps better.",
        "The knee of <Gregory> is swollen.",
        "Young reports that <Jessica Nelson> came.",
        "the plan was made with <jennifer nelson> over the phone and it is fine by me",
        "<Wells> reviewed the chart.",
        "They have four: <Erik>, <Amy>, <Nathaniel> and <Romi>.",
        "<Charles> and <Nancy> came along.",
        "It went well. <May> will return in a month.",
        "<Will> works nights. <Summer> will be seen again.",
        "<Strong> can be reached at 919-555-0104.",
        "<Bob> will return. <Day> can be reached, and <Vu> is a veteran.",
        "<Qwerrero> can be contacted by phone.",
        "As you know, <Dot> is a 7 and 6/12 year old girl.",
        "REPORT\n<Corbett, Elbert R>   34/male   Unit 7",
        "PT eval\n<Grabren, Nunn> - 69yo - knee",
        "Then <Tuan Le> and <Kim Vu> and <Anh Ho> came.",
    ],
    "initials": [
        "The case of <Sarah P.> was discussed.",
        "A letter from <J. Smith> came.",
        "Sincerely,\n\nPatrick Hayes\n<WR>/jt\n",
        "<P.H.>/mc\n",
        "The pt. <J.S.> was seen.",
        "Record of <A***** L****> is closed.",
        "Patient <K.M.> was seen twice.",
        "We asked <R. J. Feldman> to see her.",
        "<Jennifer K.>, who moved, was seen.",
        "initials: <T.B.K.>",
        "Follow <Paul M.> closely.",
        "<Maria T>, admitted on Monday",
        "Counts were correct.\n\n<GW>/585\n",
    ],
    "nicknames": [
        "He is known to everyone as <Chance>.",
        "She goes by <Dot> at school.",
        'We saw <William "Bill" Smith> today.',
        "We saw <Robert (Bob) Jones> today.",
        "Her nickname is <Trixie>.",
        "The boy, nicknamed <Ace>, is well.",
        "He prefers to be called <Hank>.",
        "Her grandchildren call her <Nana>.",
        "Margaret (<Peggy>) is doing well.",
        "Theodore Brandt, a.k.a. <Teddy>, was seen.",
        "The patient likes to be called <Midge>.",
        "This is Elizabeth, also known as <Betsy>.",
    ],
    "foreign": [
        "I met <Wang Mingyuan> for tea.",
        "The nurse <Lin Chia-hsin> agreed.",
        "Then <Xiaowen> took the train.",
        "We gave <Lingling> a toy.",
        "Ask Lao <Wang> for the key.",
        "The chart of <Kim Min-jun> is here.",
        "I saw <Hae-won Park> in clinic.",
        "Please greet <Tanaka>-san for me.",
        "The visit of <Nguyen Van Thanh> is due.",
        "It was signed <Oksana Hrytsenko> in ink.",
        "The name on the card was 王小明, he said: <王小明>.",
        "The bracelet read <Иван Петров> in ink.",
        "The bracelet read <翔太 吉田> in ink.",
        "Signed <И. И. Петров> and <김 민준> and <田中 さくら> in ink.",
        "Card: <Сорока Иван>",
        "The form says <Γιώργος Παπαδόπουλος> at the top.",
        "Her passport says <김민준> and nothing else.",
        "Add <Irenke Sörös> as a contact.",
        "Give it to <Zhang> Ge at the desk.",
    ],
    "spoken": [
        "hello, my name is <borna kovačević> and i need a refill",
        "Bot: What is your name? User: <Beatrix Veres>",
        "Everyone calls me <Tess>.",
        "Please call <Marta> about the result.",
        "Hello, I'm <Imogen>, the owner.",
        "This is <Kevin> from the lab.",
        "I, <Hamish McAdoo>, consent to this.",
        "D/w <Weiss>, who agrees.",
        "Staffed with <Farrell>.",
        "The patient's name is <Hubert Njoroge>.",
        "I spoke to <Theresa> about it.",
        "A boy named <Ignatius> came in.",
        "Seen w/ <Hume> today",
        "69yo - ref <Hirsch> - knee",
    ],
    "tabulated": [
        "id,first_name,last_name,dob\n1,<Marisela>,<Quintana>,1970-01-02\n",
        "| Name | Age |\n|---|---|\n| <Marisela Quintana> | 50 |\n",
        "PID|1||4455^^^HOSP||<QUINTANA^MARISELA^B>||19700102|F",
        "PV1|1|I|ICU||||1234^<FERRELL^DWIGHT>^^^DR",
        "PID|1||66487||<FINN^FULL>||19700101|F\nNK1|1|<GREEN^WILL>|SPO",
        '{"first": "<Ann>", "last": "<Tolliver>"}',
        '{"given_name": "<Ann>"}',
        "{'family': '<Tolliver>'}",
        '"given": ["<Ann>"]',
        "patient;ward\n<Otto Brandvold>;7\n<Jutta Weiss>;8\n",
        "dob,surname\n1970-01-02,<O'Shea>\n",
    ],
    "unknowns": [
        "The form was filled in by <Zelpa Mikranth> at noon.",
        "We then saw <Jorvath Blenwick> in clinic.",
        "I told <Adaeze Okwuosa> about it.",
        "The caller was <Thrain Haldwick>, he said.",
        "A talk with <Yuito Hirabe> followed.",
        "<Waseem Kayanith>, 28, was seen.",
        "The chart of <Vikrant Deshmukh> is missing.",
        "It was <Ngozi Ezeakolam> who found him.",
        "We met <Tadeu Vasconcelhos> again.",
        "then <Bjorna Kvalheim> came in",
    ],
}  # fmt: skip

STAYS = {
    "titled": [
        "He lives at 14 Maple Dr. Boston is near.",
        "General Surgery was consulted.",
        "MS relapse in March; MR angiography normal.",
        "A latency of 40 ms was measured.",
        "Major Depressive Disorder, recurrent.",
        "Ask the dr to call when free.",
        "Nurse Practitioner visit. Sister has asthma.",
        "The nurse changed the dressing.",
        "dr visit today, dr appt friday, told dr today. called dr back.",
        "PV1|1|O|||||83620^WAGGONER^STEVEN^^^DR\nOBR|1|||CBC",
    ],
    "credentialed": [
        "She moved to Silver Spring, MD 20901 last year.",
        "Referral to PT and OT was made.",
        "DO NOT RESUSCITATE. Past Medical History, PA view.",
        "Ask an RN or NP.",
        "The Department MD on call was paged.",
        "Discharge Summary MD",
    ],
    "headings": [
        "Plan: Continue Lasix. Name: unknown",
        "RE: Follow up of blood pressure",
        "To: Department of Surgery",
        "Drug name: Coumadin 5 mg",
        "Patient reports pain. Patient: seen and examined",
        "Assessment: Hodgkin disease, stable",
        "I am writing to refer a man. I am happy.",
        "pt seen on rounds, pt denies pain",
        "pt is well, pt care reviewed, pt room changed, pt head examined, pt dx'd w/ flu",
        "Procedure: Laparoscopic cholecystectomy",
    ],
    "salutations": [
        "Dear Colleague,",
        "Dear Sir or Madam:",
        "To whom it may concern,\nThank you for the referral.",
        "Thank you.\n\nPast Medical History\n",
        "Hello there, how can we help?",
        "Best,\n\nPlan: continue",
        "Thanks for the consult on this man.",
    ],
    "relatives": [
        "Mother denies fever. Father has Parkinson disease.",
        "Her mother and sister have diabetes.",
        "brother with asthma, sister alive and well",
        "Family history: mother breast cancer",
        "His friend drove him. Son aware of plan.",
        "wife at bedside; daughter updated by phone",
        "mother will call later, father may be at bedside, son young at onset",
        "ACCOMPANIED BY A BROTHER WHO DROVE.",
        "Breast Cancer (mother), Asthma (sister), Crohn (brother), Depression (her aunt)",
        "The baby Tylenol was given.",
    ],
    "listed": [
        "Past Medical History: Long standing pain.",
        "Will follow. May return to work. Mark the site.",
        "He was given Premarin and Lasix.",
        "Seen at Johns Hopkins Hospital on Taylor Street.",
        "She is on Lily Human Insulin.",
        "Rose-colored fluid. Grace period. Chase with water.",
        "Seen in June and in April.",
        "Physical Exam: Heart regular. Lungs clear.",
        "May was cold. March will be busy. Spring will be late. Hope to see her.",
        "The pouch of Douglas is normal. Thomas + on the left.",
        "Wright-Giemsa stain. A Foley catheter. TENDER AT MCBURNEY POINT",
        "Staff can be reached at 555-0101. Clinic will call.",
        "Glucose, Serum   98\nCough, Cold\nBoston, Mass  02151",
    ],
    "initials": [
        "Take vitamin D. Then rest.",
        "U.S. troops; the B.I.D. dose; A.M. labs.",
        "A/P: stable\nN/V: none\n",
        "Hepatitis B. Vaccine given.",
        "Type A. Negative for C. difficile.",
        "Patient I.V. was removed.",
        "E. coli grew; S. aureus did not.",
        "Q. State your name.\nA. Lora Purcell.\nQ. Were you there?\nA. I was.",
    ],
    "nicknames": [
        "What is known as hypertension was treated.",
        "The day goes by. She was called today.",
        'The "white coat" effect (mild) was seen.',
        "He was born in June. Formerly a smoker.",
        "It is called Babinski sign.",
        "Insulin (Humalog) was given.",
    ],
    "foreign": [
        "He can walk. Sun exposure was long.",
        "Long term plan. Song and dance.",
        "Jingba Road, Jinshui District",
        "Mama and Papa came. Haha, he said.",
        "The To-do list was long.",
        "A follow-up visit. Ho hum.",
        "Her X-ray and T-cell count.",
        "Romberg negative. Babinski absent.",
    ],
    "spoken": [
        "My name was misspelt. I am happy to help.",
        "I'm fine. I am Canadian. This is normal.",
        "Discussed with patient. D/w family. Seen w/ Surgery.",
        "Please call the clinic. Call Radiology for results.",
        "Contact Precautions. See Above. Per Protocol.",
        "I spoke with staff. It's July.",
        "tolerating po, ambulating with walker, no pain, home in am with vna",
    ],
    "tabulated": [
        "date,weight,name of drug\n1/2,70,Lasix\n",
        "Pain, fever, cough\nDrug, dose, route\n",
        "10^9 cells; 2^3; x^y",
        "MSH|LAB|20180104||ORU^R01|1\nOBR|1|||CBC^COMPLETE BLOOD COUNT\n",
        "PAST HISTORY, Family\nCough, Cold\n",
        '{"first": 3, "last": 5}',
        "In the name of clarity, rest, fluids, and salt.\nThen, a walk, and rest, and sleep.\n",
        '"test": "CBC", "unit": "mg"',
    ],
    "unknowns": [
        "Past Medical History and Review of Systems",
        "She takes Lopressor and Zocor daily.",
        "Chest Pain and Shortness of Breath",
        "The Vietnamese Women and Canadian Nurses met.",
        "The SmartLock comes with a manual.",
        "Atrial Fibrillation, Congestive Heart Failure",
        "See www.Goldstarq.com for tickets.",
        "Sitter requested. A Bosniak I cyst and Crohn's disease.",
    ],
}


def marked(sentence: str) -> tuple[str, list[tuple[int, int]]]:
    """A sentence without its marks, and where the marked names stand."""
    text, places, start = "", [], -1
    for place, char in enumerate(sentence):
        tag = (
            sentence[place + 1 : place + 5] == "name" or sentence[place + 1 : place + 6] == "/name"
        )
        closes_tag = char == ">" and text.endswith("name")
        if char == "<" and not tag:
            start = len(text)
        elif char == ">" and start >= 0 and not closes_tag:
            places.append((start, len(text)))
            start = -1
        else:
            text += char
    return text, places


def cases(sentences: dict[str, list[str]]) -> Iterator[object]:
    for detector in NAMES:
        for sentence in sentences[detector]:
            yield pytest.param(detector, sentence, id=f"{detector}: {sentence[:40]}")


def postings(detector: str, text: str) -> list[tuple[int, int]]:
    detect = import_module(f"indistinct.scrub.text.detectors.{detector}").detect
    return [(span.start, span.end) for span in detect(read(text)) if span.certainty >= LIKELY]


def test_every_detector_has_enough_forms_and_look_alikes() -> None:
    assert all(len(FOUND[name]) >= 10 and len(STAYS[name]) >= 6 for name in NAMES)


@pytest.mark.parametrize(("detector", "sentence"), list(cases(FOUND)))
def test_names_are_found_whole(detector: str, sentence: str) -> None:
    text, names = marked(sentence)
    found = postings(detector, text)
    for start, end in names:
        assert any(a <= start and end <= b and b - end <= 1 and a == start for a, b in found), (
            text[start:end],
            [text[a:b] for a, b in found],
        )


@pytest.mark.parametrize(("detector", "sentence"), list(cases(STAYS)))
def test_look_alikes_stay(detector: str, sentence: str) -> None:
    assert [sentence[a:b] for a, b in postings(detector, sentence)] == []


# The names in the paper's Figure 21, a letter back to a referring physician.
FIGURE_21 = """ Wednesday, February 2, 1994

Marjorie Long, M.D. RE: Virginia Townsend
St. John's Hospital  CH#32-841-09787
Huntington 18  DOB 05/26/86
Boston, MA 02151

Dear Dr. Lang:

I feel much better after seeing Virginia this time. As you
know, Dot is a 7 and 6/12 year old female in follow up
for insulin dependent diabetes mellitus diagnosed in
June of 1993 by Dr. Frank at Brigham's. She is currently
on Lily Human Insulin and is growing and
gaining weight normally.  She will start competing again
with the U. S. Junior Gymnastics team.  We will
contact Mrs. Hodgkins in a week at Marina Corp
473-1214 to schedule a follow-up visit for her daughter.

  Patrick Hayes, M.D. 34764
"""


def test_the_names_of_figure_21_are_found_and_its_insulin_stays() -> None:
    found = Finder(detectors=NAMES).find(FIGURE_21)
    names = {FIGURE_21[span.start : span.end] for span in found if span.label == "NAME"}
    assert names >= {
        "Marjorie Long", "Virginia Townsend", "Lang", "Virginia", "Dot", "Frank", "Hodgkins",
        "Patrick Hayes",
    }  # fmt: skip
    assert not any(word in name for name in names for word in ("Insulin", "Lily", "June", "Dr"))


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Seen by Dr. Lang's team.", "Lang", Kind.LAST_NAME),
        ("Dr. Jennifer Nelson came.", "Jennifer Nelson", Kind.FULL_NAME),
        ("Her mother Dorothy came.", "Dorothy", Kind.FIRST_NAME),
        ("She goes by Dot at school.", "Dot", Kind.NICKNAME),
        ("The record of A***** L**** is closed.", "A***** L****", Kind.INITIALS),
        ("We met Elizabeth Cook's niece.", "Elizabeth Cook", Kind.FULL_NAME),
    ],
)
def test_spans_have_the_kind_and_leave_title_and_possessive(
    text: str, name: str, kind: Kind
) -> None:
    found = {text[s.start : s.end]: s.kind for s in Finder(detectors=NAMES).find(text)}
    assert found.get(name) == kind


@pytest.mark.parametrize("detector", NAMES)
@pytest.mark.parametrize("text", ["", "\n", "A", "Dr.", "name:", ", MD", "O'", "^", "I, ", "w/"])
def test_scraps_of_text_are_read_without_complaint(detector: str, text: str) -> None:
    assert postings(detector, text) == []


@pytest.mark.heavy
def test_postings_come_in_the_same_order_whatever_the_hash_seed() -> None:
    code = (
        "from importlib import import_module;from indistinct.scrub.text.page import read;"
        f"page = read({FIGURE_21!r});"
        f"print([list(import_module('indistinct.scrub.text.detectors.' + name).detect(page))"
        f" for name in {NAMES!r}])"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    page = read(FIGURE_21)
    here = [
        list(import_module(f"indistinct.scrub.text.detectors.{name}").detect(page))
        for name in NAMES
    ]
    assert elsewhere.stdout.strip() == repr(here)
