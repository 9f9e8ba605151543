"""Scrubbing with references given: nothing true survives, nothing else is touched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replacement_marks import marked

from indistinct.core.errors import InputError
from indistinct.knowledge import knowledge
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.memory import Memory
from indistinct.scrub.text.replace import Secret
from indistinct.scrub.text.replace.pools import clear_sex
from indistinct.scrub.text.scrubber import Scrubbed, Scrubber
from indistinct.scrub.text.spans import Kind, Span

FIGURE_21 = """ {Wednesday, February 2, 1994|date}

{Marjorie Long|full name}, M.D. RE: {Virginia Townsend|full name}
{St. John’s Hospital|hospital}  {CH#32-841-09787|record number}
{Huntington 18|street}  DOB {05/26/86|date of birth}
{Boston, MA 02151|address block}

Dear Dr. {Lang|last name}:

I feel much better after seeing {Virginia|first name} this time. As you
know, {Dot|nickname} is a 7 and 6/12 year old female in follow up
for insulin dependent diabetes mellitus diagnosed in
June of 1993 by Dr. {Frank|last name} at {Brigham’s|hospital}. She is currently
on Lily Human Insulin and is growing and
gaining weight normally.  She will start competing again
with the {U. S. Junior Gymnastics team|team}.  We will
contact Mrs. {Hodgkins|last name} in a week at {Marina Corp|employer}
{473-1214|phone} to schedule a follow-up visit for her daughter.

  {Patrick Hayes|full name}, M.D. {34764|licence number}
"""


def between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """What stands outside the spans."""
    places = [0, *[place for span in spans for place in span], len(text)]
    return [text[a:b] for a, b in zip(places[::2], places[1::2], strict=True)]


def kept(text: str, done: Scrubbed) -> bool:
    """Whether the scrubbed text is the text with the changes made, and nothing else."""
    parts = between(text, [(change.span.start, change.span.end) for change in done.changes])
    made = [change.replacement for change in done.changes]
    return done.text == "".join(a + b for a, b in zip(parts, [*made, ""], strict=True))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_figure_22(seed: int) -> None:
    """What the paper's scrubbed letter has and has not (Sweeney 2001, Figures 21 and 22)."""
    text, spans = marked(FIGURE_21)
    done = Scrubber(Secret.from_seed(seed)).apply(text, spans)
    lines = done.text.split("\n")
    assert kept(text, done)
    assert lines[0] == " February, 1994"
    assert re.fullmatch(r"\w+ (\w+), M\.D\. RE: (\w+) \w+", lines[2])
    assert re.fullmatch(r"\w+'s Hospital  CH#\d\d-\d{3}-\d{5}", lines[3])
    assert lines[4].endswith("  DOB 05/86")
    assert re.fullmatch(r"[A-Z]\w+, MA 02100", lines[5])
    doctor, first = re.findall(r"^\w+ (\w+), M\.D\. RE: (\w+)", done.text, re.M)[0]
    assert f"Dear Dr. {doctor}:" in done.text  # Lang was Long, and is again the same
    assert f"seeing {first} this time" in done.text
    assert "with the [removed].  We will" in done.text
    assert re.search(r"at \w+ Corp\n555-01\d\d to", done.text)
    assert "Lily Human Insulin" in done.text
    assert "June of 1993" in done.text
    for true in ("Marjorie", "Long", "Virginia", "Townsend", "John", "Huntington", "Boston", "Lang",
                 "Dot", "Frank", "Brigham", "Gymnastics", "Hodgkins", "Marina", "473", "Patrick",
                 "Hayes", "34764", "02151", "32-841"):  # fmt: skip
        assert not re.search(rf"\b{true}\b", done.text), true


def test_a_patient_keeps_sex_and_nickname_link_in_figure_21() -> None:
    text, spans = marked(FIGURE_21)
    for seed in range(20):
        done = Scrubber(Secret.from_seed(seed)).apply(text, spans)
        made = {text[c.span.start : c.span.end]: c.replacement for c in done.changes}
        first = made["Virginia Townsend"].split()[0]
        assert clear_sex(first) == "F"
        assert made["Virginia"] == first
        assert made["Dot"].lower() in knowledge().nicknames(first)
        assert clear_sex(made["Patrick Hayes"].split()[0]) == "M"


SURNAMES = (
    "Abernathy Boatwright Castellano Dunleavy Eriksson Fitzhugh Garibaldi Holloway Inoue Jankowski "
    "Kowalczyk Lindqvist Macintyre Nakamura Oyelaran Papadakis Quintero Rasmussen Szabo Tremblay "
    "Ng Li Obi Wu"
)
NAMES = st.sampled_from(SURNAMES.split())
FIRSTS = st.sampled_from(
    ["Ann", "Bob", "Chidi", "Dorothy", "Emil", "Farah", "Grace", "Hugo", "Ian"]
)


@st.composite
def letters(draw: st.DrawFn) -> str:
    """A letter about some people, with their numbers and dates."""
    people = draw(st.lists(st.tuples(FIRSTS, NAMES), min_size=1, max_size=4, unique=True))
    parts = [draw(st.sampled_from(["Clinic note.\n", "RE: follow up — café\n", "", "🙂 "]))]
    for first, last in people:
        parts.append(
            draw(
                st.sampled_from(
                    [
                        f"{{{first} {last}|full name}} came. {{{first}|first name}} is well. ",
                        f"{{{last.upper()}, {first}|full name}}\nDr. {{{last}|last name}} agrees. ",
                        f"{{{first} {last}|full name}}'s knee; call {{{last}|last name}}. ",
                    ]
                )
            )
        )
        number = draw(st.integers(10**5, 10**9))
        parts.append(f"MRN {{{number}|record number}}, phone {{{number % 899 + 100}-4321|phone}}. ")
        day = draw(st.dates())
        parts.append(f"Seen {{{day.month}/{day.day}/{day.year:04d}|date}}.\n")
    return "".join(parts)


@settings(max_examples=60, deadline=None)
@given(letters(), st.integers(0, 5))
def test_nothing_true_survives_and_nothing_else_changes(letter: str, seed: int) -> None:
    text, spans = marked(letter)
    done = Scrubber(Secret.from_seed(seed)).apply(text, spans)
    assert kept(text, done)
    made = " ".join(change.replacement for change in done.changes)
    words = set(re.findall(r"\w+", made.lower()))
    for span in spans:
        true = text[span.start : span.end]
        if span.label == "NAME":
            assert not set(re.findall(r"[^\W_]{2,}", true.lower())) & words
        elif span.label != "DATE":
            assert true not in made
    assert done == Scrubber(Secret.from_seed(seed)).apply(text, spans)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.data())
def test_any_text_and_any_spans(text: str, data: st.DataObject) -> None:
    places = st.integers(0, len(text))
    spans = []
    for _ in range(data.draw(st.integers(0, 4))):
        a, b = sorted((data.draw(places), data.draw(places)))
        spans.append(Span(a, b, data.draw(st.sampled_from(list(Kind))), 0.8, "test"))
    for dates in ("month", "shift"):
        done = Scrubber(Secret.from_seed(1), dates=dates).apply(text, spans)
        assert kept(text, done)


def test_tricks_of_unicode_are_replaced_whole() -> None:
    names = ("Amand\u200ba Rаmirez", "Rene\u0301 \u200bPere\u0301")
    text = f"Seen: {names[0]}, and {names[1]}."
    places = [(text.index(name), text.index(name) + len(name)) for name in names]
    # A finder's span ends with the last letter, before the accent that is written after it.
    spans = [
        Span(start, end - n, Kind.FULL_NAME, 0.9, "test") for n, (start, end) in enumerate(places)
    ]
    done = Scrubber(Secret.from_seed(1)).apply(text, spans)
    assert kept(text, done)
    assert re.fullmatch(r"Seen: [A-Z]\w+ [A-Z]\w+, and [A-Z]\w+ [A-Z]\w+\.", done.text)
    assert "\u0301" not in done.text


def test_a_scrubbed_letter_prints_no_true_name() -> None:
    text, spans = marked(FIGURE_21)
    done = Scrubber(Secret.from_seed(1)).apply(text, spans)
    shown = repr(done) + done._repr_html_() + done.to_frame().to_string()
    assert "19 references" in shown
    assert not any(text[s.start : s.end] in shown for s in spans)


@pytest.mark.parametrize(("name", "value"), [("dates", "day"), ("scope", "world")])
def test_unknown_options_are_refused(name: str, value: str) -> None:
    with pytest.raises(InputError, match=f"{name} must be one of"):
        Scrubber(Secret.from_seed(1), **{name: value})


def test_scrub_finds_and_replaces() -> None:
    text = "Please write to quimby99@hospital.edu about it."
    scrubber = Scrubber(Secret.from_seed(1), finder=Finder(detectors=["emails"]))
    done = scrubber.scrub(text, memory=Memory())
    assert re.fullmatch(r"Please write to \w+@example\.(?:org|com|net) about it\.", done.text)
    assert done.changes[0].person is None


def test_a_title_alone_stays_and_one_inside_a_span_too() -> None:
    text, spans = marked(
        "{Dr.|last name} {Quill|last name} and {Dr.|place} saw {MD|full name} her."
    )
    done = Scrubber(Secret.from_seed(1)).apply(text, spans)
    assert re.fullmatch(r"Dr\. [A-Z][a-z]+ and Dr\. saw MD her\.", done.text)
    assert "Quill" not in done.text
    text, spans = marked("{Mrs. Quill|last name} met {Dr. Ann Falk|full name} at {Dr. Moss|place}.")
    done = Scrubber(Secret.from_seed(1)).apply(text, spans)
    assert re.fullmatch(r"Mrs\. \w+ met Dr\. \w+ \w+ at Dr\. \w+\.", done.text)
    assert not {"Quill", "Ann", "Falk", "Moss"} & set(re.findall(r"\w+", done.text))


def test_initials_are_those_of_the_made_up_name() -> None:
    text, spans = marked(
        "{P. Okafor|full name} saw her. {Okafor, Paul|full name}, MD\n{PO|initials}/kt"
    )
    made = [
        change.replacement for change in Scrubber(Secret.from_seed(1)).apply(text, spans).changes
    ]
    last, first = made[1].split(", ")
    assert made == [f"{first[0]}. {last}", made[1], first[0] + last[0]]


def test_an_initial_is_the_same_in_all_letters_of_a_project() -> None:
    scrubber = Scrubber(Secret.from_seed(1))
    letters = [marked("Seen by {P. Okafor|full name} " + rest) for rest in ("today.", "in May.")]
    assert len({scrubber.apply(*letter).changes[0].replacement for letter in letters}) == 1


def test_a_name_without_the_marks_before_it() -> None:
    text, spans = marked("She left{. Quill|last name} stayed.")
    done = Scrubber(Secret.from_seed(1)).apply(text, spans)
    assert re.fullmatch(r"She left\. [A-Z][a-z]+ stayed\.", done.text)
