"""Who is who: which names are one person's, which part of a name each word is, and of which sex.

In each letter a name is written as [name|person]; names with the same person must be gathered,
others must not. Sex, where the letter tells it, follows the person: [Ottilie Brandvold|P:F].
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.scrub.text.naming import sex_of_name
from indistinct.scrub.text.page import read
from indistinct.scrub.text.people import Mention, Person, gather
from indistinct.scrub.text.spans import Kind, Span

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "text"
MARKED = re.compile(r"\[([^|\]]+)\|(\w+)(?::([FM]))?\]")


def gathered(marked: str) -> tuple[str, list[Person], list[Mention], list[tuple[str, str | None]]]:
    text, spans, said, last = "", [], [], 0
    for match in MARKED.finditer(marked):
        text += marked[last : match.start()]
        span = Span(len(text), len(text) + len(match[1]), Kind.FULL_NAME, 0.9, "given")
        spans.append(span)
        said.append((match[2], match[3]))
        text += match[1]
        last = match.end()
    text += marked[last:]
    people, mentions = gather(read(text), spans)
    assert [mention.span for mention in mentions] == spans
    return text, people, mentions, said


LETTERS = r"""
RE: [Ottilie Brandvold|P:F]. [Ottilie|P] is well. Ms. [Brandvold|P] will come again.
[BRANDVOLD, OTTILIE|P] was seen by Dr. [Piet Haverkamp|D]. [Brandvold|P] thanked Dr. [Haverkamp|D].
RE: [Margaret Ashdown|P:F]. [Peggy|P] is better; [Maggie Ashdown|P] agrees.
[Marjorie Long|D:F], M.D. RE: [Virginia Townsend|P:F] Dear Dr. [Lang|D]: [Dot|P] is a 7 year old.
Patient: [Desmond Ashdown|P:M]. His wife [Philippa|W:F] called. Mrs. [Ashdown|W] is worried.
Patient: [Desmond Ashdown|P:M]. His brother [Rupert Ashdown|B:M] called. Mr. [Ashdown|P] is well.
He is the son of [Lucinda Falk|A:F] and [Lucian Falk|B:M]. [Lucian|B] works; [Lucinda|A] does not.
Patient: [Ann Falk|P:F]. Dr. [Falk|D] saw her, and [Karl Falk|D:M], MD, signed.
Seen: [Karl Falk|P:M]. Dr. [Jane Moss|D:F] dictated this.\n[JM|D]/kt
Name: [Anneliese Burkhardt-Voss|P:F]. Ms. [Voss|P] and Mr. [Voss|H:M] came.
RE: [Thornbert Quill|P:M], a man of 40. Mr. [Quill|P] and Ms. [Quill|W:F] came together.
Patient [Alix Moreau|P:F] came. She is a nurse. She and her son are well.
RE: [Alexander Falk|P:M]. His sister [Alexandra|S:F] called about [Alexander|P].
RE: [Ruth Falk|P:F], an 8 year old girl. Mrs. [Falk|M:F] called to ask about her daughter.
Dear Dr. [Van der Meer|D]: I saw [Jan|P]. [Piet van der Meer|D] knows.
[Maria García López|P:F] was seen. Mrs. [López|P] is well; Mrs. [García López|P] left.
RE: [E. Brandvold|P]. [Ottilie Moss|N:F] called for [Emil Brandvold|P:M].
RE: [Charles Tamsin|P:M]\nThank you for referring [Charles Tamsin|P]. His sister [Charles|S] called.
Mrs. [Halden|M:F] came for her daughter. [Ottoline|P:F] is a 9-year-old girl. [Ottoline|P] slept.
RE: [Rosalind Halden|P:F]. Dr. [Ash|D] came. [Rosie|P], as she is called, is a nurse. [Rosie|P] sat.
RE: [Thea Brandvold|P:F]. Dr. [Quill|D] saw her. [Bibi|P], as everyone calls her, is well.
[P. Okafor|P:M] came. [Okafor, Paul|P] left. [Paul|P] slept.
Seen by Mr. [Oskarion Thune|D:M]. [Nhung Ravel|P:M] lives alone. He works; his knee hurts.
She is the child of [Qiv Thorsen|A:F] and [Daniel Thorsen|B:M].
pt [brandvold|P] seen w/ dr [haverkamp|D]. brother [guy|B:M] at bedside. [brandvold|P] slept.
"""


@pytest.mark.parametrize("marked", LETTERS.strip().split("\n"))
def test_names_of_one_person_are_gathered_and_of_two_are_not(marked: str) -> None:
    text, people, mentions, said = gathered(marked.replace("\\n", "\n"))
    persons = [mention.person for mention in mentions]
    labels = [label for label, _ in said]
    for i, (label, sex) in enumerate(said):
        same = [persons[j] == persons[i] for j in range(len(said))]
        assert same == [other == label for other in labels], (text, people)
        assert sex is None or people[persons[i]].sex == sex


PARTS = {
    "[Ottilie K. Brandvold|P]": [("Ottilie", "first"), ("K", "middle"), ("Brandvold", "last")],
    "[Brandvold, Ottilie|P]": [("Brandvold", "last"), ("Ottilie", "first")],
    "[O. Brandvold|P]": [("O", "initials"), ("Brandvold", "last")],
    "[Dr. Piet van der Meer, MD|P]": [
        ("Piet", "first"), ("van", "last"), ("der", "last"), ("Meer", "last"),
    ],
    '[Virginia "Dot" Townsend|P]': [
        ("Virginia", "first"), ("Dot", "nickname"), ("Townsend", "last"),
    ],
    "Mrs. [Brandvold|P] came": [("Brandvold", "last")],
    "her mother [Ottilie|P] came": [("Ottilie", "first")],
    "[Sean O'Coleman-Voss|P]": [("Sean", "first"), ("O'Coleman-Voss", "last")],
    "[Ottilie|P] [Brandvold|P]": [("Ottilie", "first"), ("Brandvold", "last")],
    "[J.T.|P] signed": [("J", "initials"), ("T", "initials")],
    "[Karl Falk Jr.|P]": [("Karl", "first"), ("Falk", "last")],
    "his [brother Guy|P] came": [("Guy", "first")],
    "Dear [Hope|P]: thank you": [("Hope", "first")],
    "Thank you, [Major Falk|P]": [("Major", "first"), ("Falk", "last")],
}  # fmt: skip


@pytest.mark.parametrize("marked", PARTS)
def test_each_word_of_a_name_has_its_part(marked: str) -> None:
    text, _, mentions, _ = gathered(marked)
    form = [(text[start:end], part) for m in mentions for start, end, part in m.form]
    assert form == PARTS[marked]


def test_a_person_is_told_as_written() -> None:
    _, people, mentions, _ = gathered(
        "NAME: [OTTILIE BRANDVOLD|P]\n[Ottilie|P], called [Tilly|P], met Mrs. [Brandvold|P]'s son."
    )
    assert people == [Person(0, "Ottilie", "", "Brandvold", "Tilly", "F", patient=True)]
    assert [part for mention in mentions for *_, part in mention.form] == [
        "first", "last", "first", "nickname", "last",
    ]  # fmt: skip


PATIENTS = r"""
RE: [Rosalind Halden|P]\nDear Dr. [Quill|D]: Thank you for referring [Rosalind Halden|P].
Thank you for referring [Rosalind Halden|P], a 54-year-old violinist. [Ann Quill|D], M.D.
I spoke to [Rosalind Halden|P] about her knee. She walks. Dr. [Quill|D] agrees.
Provider name: [Jane Moss|D], RN\nPatient name: [Karl Falk|P]
Mother's name: [Jane Moss|D]\nName: [Karl Falk|P]
Mrs. [Halden|D] called about her daughter. [Ottoline|P] is a 9-year-old girl.
To: [Ann Quill|D]\nRE: [Karl Falk|P]
"""


@pytest.mark.parametrize("marked", PATIENTS.strip().split("\n"))
def test_heading_and_description_decide_the_patient(marked: str) -> None:
    _, people, mentions, said = gathered(marked.replace("\\n", "\n"))
    for mention, (label, _) in zip(mentions, said, strict=True):
        person = people[mention.person]
        assert person.patient == (label == "P")
        assert not (person.patient and person.staff)


def test_the_other_names_of_some_languages_tell_the_sex() -> None:
    assert gathered("[Xuq Thi Lanh|P] came.")[1][0].sex == "F"
    assert gathered("[Xuq Wisniewska|P] came.")[1][0].sex == "F"


def test_a_title_outweighs_the_first_name() -> None:
    for title, sex in (("Mr.", "M"), ("Mrs.", "F"), ("Sra.", "F")):
        _, people, _, _ = gathered(f"{title} [Kim Falk|P] came.")
        assert people[0].sex == sex
    _, people, _, _ = gathered("Mr. [Leslie Falk|P] came; he is well.")
    assert people[0].sex == "M"
    assert gathered("[Xq Zzyx|P] came.")[1][0].sex is None


def test_unknown_first_names_are_judged_by_their_ending() -> None:
    assert sex_of_name("Szarlottina") > 0 > sex_of_name("Brunaldo")
    assert sex_of_name("Irmhild") > 0 > sex_of_name("Wieslaw")
    assert abs(sex_of_name("Szarlottina")) <= 1.5


@given(st.text(alphabet="AaBb .,'-\n\"(MrDs", max_size=60), st.data())
def test_every_span_is_somebody_and_every_piece_lies_in_it(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), unique=True, max_size=8).map(sorted))
    spans = [
        Span(a, b, Kind.FULL_NAME, 0.9, "given")
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    page = read(text)
    spans = [s for s in spans if any(c.isalpha() for c in page.text[s.start : s.end])]
    people, mentions = gather(page, spans)
    assert {m.span for m in mentions} == set(spans)
    assert {m.person for m in mentions} == {p.number for p in people} == set(range(len(people)))
    for mention in mentions:
        ends = [
            mention.span.start,
            *(place for start, end, _ in mention.form for place in (start, end)),
        ]
        assert ends == sorted(ends)
        assert ends[-1] <= mention.span.end
        parts = {part for *_, part in mention.form}
        assert parts <= {"first", "middle", "last", "nickname", "initials"}


@pytest.mark.shared
@pytest.mark.parametrize("half", ["A", "B"])
def test_people_of_the_letters_are_told_apart(half: str) -> None:
    """B-cubed precision and recall from the annotated names, over both halves of the templates."""
    if not (SHARED / "letters.jsonl").exists():
        pytest.skip("the annotated letters are not beside the project")
    totals: Counter[str] = Counter()
    for line in (SHARED / "letters.jsonl").read_text().splitlines():
        letter = json.loads(line)
        if "AB"[zlib.crc32(letter["group"].encode()) // 7 % 2] != half:
            continue
        gold = [span for span in letter["spans"] if span.get("cluster")]
        spans = [Span(s["start"], s["end"], Kind.FULL_NAME, 0.9, "gold") for s in gold]
        _, mentions = gather(read(letter["text"]), spans)
        who = {mention.span.start: mention.person for mention in mentions}
        pairs = [(span["cluster"], who[span["start"]]) for span in gold]
        both, theirs, ours = (
            Counter(pairs),
            Counter(c for c, _ in pairs),
            Counter(p for _, p in pairs),
        )
        totals["mentions"] += len(pairs)
        totals["precision"] += sum(both[pair] / ours[pair[1]] for pair in pairs)
        totals["recall"] += sum(both[pair] / theirs[pair[0]] for pair in pairs)
    assert totals["precision"] / totals["mentions"] > 0.95
    assert totals["recall"] / totals["mentions"] > 0.95
