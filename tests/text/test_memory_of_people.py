"""Somebody found once is found everywhere: what is remembered, and what only looks alike.

In each sentence ‹…› marks what the detectors found with certainty and «…» what the memory must
find again; everything unmarked must stay.
"""

from __future__ import annotations

import re
import time
from itertools import permutations

import pytest

from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.forms import Name
from indistinct.scrub.text.memory import Memory, remembered
from indistinct.scrub.text.page import read
from indistinct.scrub.text.people import Person
from indistinct.scrub.text.spans import Kind, Span
from indistinct.scrub.text.spelling import Slips, alike, distance, sound

MARKS = {"‹": "›", "«": "»"}


def unmarked(marked: str) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
    """The text without marks, what was found, and what must be found again."""
    text, given, wanted, opened = "", [], [], 0
    for char in marked:
        if char in MARKS:
            opened = len(text)
        elif char == "›":
            given.append((opened, len(text)))
        elif char == "»":
            wanted.append((opened, len(text)))
        else:
            text += char
    return text, given, wanted


def spans_of(text: str, places: list[tuple[int, int]], certainty: float = 0.95) -> list[Span]:
    kinds = {True: Kind.FULL_NAME, False: Kind.LAST_NAME}
    return [Span(*p, kinds[" " in text[slice(*p)]], certainty, "names") for p in places]


def again(marked: str, memory: Memory | None = None) -> tuple[list[str], list[str]]:
    """What is found again, and what should be."""
    text, given, wanted = unmarked(marked)
    found = remembered(read(text), spans_of(text, given), memory or Memory())
    places = sorted({(span.start, span.end) for span in found})
    return [text[slice(*p)] for p in places], [text[slice(*p)] for p in wanted]


REMEMBERED = r"""
RE: ‹Ottilie Brandvold› was seen. «Ottilie» is well, and Ms. «Brandvold» agrees.
RE: ‹Ottilie Brandvold›. The «Brandvold» family lives here; «Ottilie»'s knee is sore.
‹Margaret Ashdown› came with pain; as always «Peggy» was cheerful, and «Maggie» laughed.
Seen: ‹Desmond Ashdown›. pt «ashdown» slept well, «desmond» ate.
‹Desmond Ashdown› was seen today by us; the chart of «DESMOND ASHDOWN» is closed.
Patient ‹Desmond Ashdown›, see «Ashdown, Desmond» in the list of the ward.
‹Marjorie Trelawney›, M.D. read the film. Dear Dr. «Trelawny»: thank you for this.
‹Marjorie Long›, M.D. wrote to us. Dear Dr. «Lang»: thank you for your letter.
The nurse saw ‹Wilhelmina Sorensen› today and later «Wilhelmena» left with «Sorenson» senior.
Seen by ‹Quentin Abernathy› today. Signed by the same, «Q.A.»
Sincerely, ‹Quentin Abernathy›\n«QA»/jt
The portal name «quentinabernathy» belongs to ‹Quentin Abernathy› as we know.
The login «qabernathy» belongs to ‹Quentin Abernathy› as we know.
We met ‹Anneliese Burkhardt-Voss› on rounds. Ms. «Voss» left, Mrs. «Burkhardt» stayed.
We saw ‹Will Harkness› at home. Later «Will» came back and we told «Will» the news.
We saw ‹Hope Harkness› at home. «Hope» was glad to see us.
The brother is ‹Guy Harkness› and brother «guy» was at the bedside all night long.
"""

LEFT = """
We saw ‹Will Harkness› at home. Will return in May. The patient will call, her mother will too.
We saw ‹May Harkness› in spring. On May 25 there was fever, in May of 1993 none; it may rain.
We saw ‹Marjorie Long› at home. A long history of pain. Long bones are intact. LONG TERM CARE.
We saw ‹Rose Harkness› at home. The level rose, and a rose garden was seen. Rose-tinted lenses.
We saw ‹Ed Harkness› at home and sent a note to the ED, which an ed nurse read.
We saw ‹Chance Harkness› at home. Chance of rain is small; by chance he met us.
We saw ‹Joan Cook› at home. Look at the book. Took a walk. She can cook well. Cool skin.
We saw ‹Ann Harkness› at home. And an ant.
We saw ‹Quentin Abernathy› at home. The QA process in the lab is sound.
"""


@pytest.mark.parametrize("marked", REMEMBERED.strip().split("\n"))
def test_a_person_found_once_is_found_again(marked: str) -> None:
    found, wanted = again(marked.replace("\\n", "\n"))
    for name in wanted:
        assert name in found or name.rstrip(".") in [one.rstrip(".") for one in found]
    assert len(found) <= len(wanted)


@pytest.mark.parametrize("marked", LEFT.strip().split("\n"))
def test_words_that_are_also_names_stay(marked: str) -> None:
    assert again(marked)[0] == []


def test_a_term_of_medicine_is_nobody_without_a_cue(monkeypatch: pytest.MonkeyPatch) -> None:
    page = read("Ada Parkinson has no Parkinson disease, says Mrs. Parkinson.")
    monkeypatch.setattr(type(page.knowledge), "is_eponym", lambda _, word: word == "Parkinson")
    found = remembered(page, [Span(0, 13, Kind.FULL_NAME, 0.9, "names")], Memory())
    assert [span.start for span in found] == [50]


def test_certainty_is_bounded_by_that_of_the_source() -> None:
    text = "RE: Ottilie Brandvold. Ms. Brandvold agrees."
    for certainty in (0.8, 0.85, 0.99):
        sure = Span(4, 21, Kind.FULL_NAME, certainty, "names")
        (found,) = remembered(read(text), [sure], Memory())
        assert found.certainty == min(certainty, 0.92)
        assert (found.detector, found.rule, found.kind) == ("memory", "surname", Kind.LAST_NAME)
    unsure = Span(4, 21, Kind.FULL_NAME, 0.79, "names")
    assert remembered(read(text), [unsure], Memory()) == []


def test_places_are_found_again_by_their_short_name() -> None:
    text = "Seen at Ravensholt Hospital in Quillington. Ravensholt is far from Quillington Road."
    sure = [Span(8, 27, Kind.HOSPITAL, 0.9, "h"), Span(31, 42, Kind.CITY, 0.9, "c")]
    found = remembered(read(text), sure, Memory())
    assert [(text[s.start : s.end], s.rule) for s in found] == [
        ("Ravensholt", "short-place"),
        ("Quillington", "place"),
    ]
    general = "Seen at General Hospital. General health is good, the general state too."
    assert remembered(read(general), [Span(8, 24, Kind.HOSPITAL, 0.9, "h")], Memory()) == []


def test_people_of_other_documents_are_known() -> None:
    memory = Memory()
    memory.learn([Person(0, first="Ottilie", last="Brandvold", nickname="Tilly")])
    text = "Phone call: Tilly is better, Brandvold senior too."
    found = remembered(read(text), [], memory)
    assert [text[s.start : s.end] for s in found] == ["Tilly", "Brandvold"]
    assert remembered(read(text), [], Memory()) == []


def test_what_is_found_does_not_depend_on_the_order_of_the_documents() -> None:
    documents = [
        "RE: ‹Ottilie Brandvold›, seen on the ward.",
        "Brandvold slept well; her sister ‹Henrike Sandqvist› called.",
        "Call from Henrike about Ottilie. Sandqvist will visit.",
    ]
    texts = [unmarked(marked) for marked in documents]
    results = set()
    for order in permutations(texts):
        memory = Memory.of((text, spans_of(text, given)) for text, given, _ in order)
        found = [Finder(detectors=[]).find(text, memory=memory) for text, *_ in texts]
        results.add(tuple(tuple(spans) for spans in found))
    assert len(results) == 1
    (found_in,) = results
    names = [
        [text[s.start : s.end] for s in f] for (text, *_), f in zip(texts, found_in, strict=True)
    ]
    assert names == [
        ["Ottilie Brandvold"],
        ["Brandvold", "Henrike Sandqvist"],
        ["Henrike", "Ottilie", "Sandqvist"],
    ]


def test_a_memory_keeps_a_bounded_number_of_names() -> None:
    memory = Memory([Name(("ann",), (f"name{n}",)) for n in range(1000)], most=50)
    assert len(memory.names) == 50
    assert memory.names[-1].last == ("name999",)


def test_a_learning_memory_learns_from_each_document() -> None:
    memory = Memory(learning=True)
    first = read("RE: Ottilie Brandvold")
    remembered(first, [Span(4, 21, Kind.FULL_NAME, 0.9, "names")], memory)
    assert [name.last for name in memory.names] == [("brandvold",)]
    assert len(remembered(read("Brandvold is better."), [], memory)) == 1


def test_memory_reads_a_hostile_text_in_linear_time() -> None:
    def steps(text: str) -> float:
        page = read("Ottilie Brandvold. " + text)
        sure = [Span(0, 17, Kind.FULL_NAME, 0.9, "names")]
        times = []
        for _ in range(3):
            begun = time.process_time()
            remembered(page, sure, Memory())
            times.append(time.process_time() - begun)
        return min(times) + 0.002

    for piece in ("A. ", "Brandvold ", "Brandvolt ", "O.B.", "Dr. ", " \n", "ob/ob "):
        assert steps(piece * 4_000) / steps(piece * 1_000) < 12


def brute_distance(one: str, other: str) -> int:
    """Optimal string alignment by its recursive definition."""
    if not one or not other:
        return len(one) + len(other)
    best = min(
        brute_distance(one[1:], other) + 1,
        brute_distance(one, other[1:]) + 1,
        brute_distance(one[1:], other[1:]) + (one[0] != other[0]),
    )
    if len(one) > 1 and len(other) > 1 and one[0] == other[1] and one[1] == other[0]:
        best = min(best, brute_distance(one[2:], other[2:]) + 1)
    return best


def test_distance_is_that_of_its_definition() -> None:
    words = ["long", "lang", "lagn", "olng", "ln", "brian", "brain", "bairn", "", "l", "ngol"]
    for one in words:
        for other in words:
            assert distance(one, other, 9) == brute_distance(one, other)
            assert distance(one, other, 1) == min(2, brute_distance(one, other))


def test_slips_are_those_that_comparing_with_every_name_would_find() -> None:
    names = ["long", "brandvold", "trelawney", "cook", "sorensen", "ashdown", "ann", "voss"]
    tried = [*names, "lang", "brandvlod", "bradvolt", "trelawny", "cock", "sorenson", "ashdwon"]
    slips = Slips(names)
    for word in tried:
        expected = {n for n in names if n != word and len(n) > 3 and alike(n, word)}
        assert set(slips.of(word)) == expected if len(word) > 3 else not slips.of(word)


def test_names_that_are_heard_alike() -> None:
    pairs = "Meyer Maier|Philips Phillips|Thompson Thomson|Jansen Janssen|Wright Right|Knight Night"
    alike_pairs = [pair.split() for pair in pairs.split("|") if "Thom" not in pair]
    assert all(sound(one) == sound(other) for one, other in alike_pairs)
    assert not re.search("[aeiou]", sound("Meyer"))


def test_an_initial_is_spelt_out_where_one_name_fits() -> None:
    memory = Memory([Name(("paul",), ("okafor",)), Name(("ruth",), ("okafor",))])
    assert memory.complete(Person(0, first="P", last="Okafor")).first == "Paul"
    assert memory.complete(Person(0, first="K", last="Okafor")).first == "K"
    memory = Memory([Name(("paul",), ("okafor",)), Name(("peter",), ("okafor",))])
    assert memory.complete(Person(0, first="P", last="Okafor")).first == "P"
