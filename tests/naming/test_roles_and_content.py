"""Laws of guesses: cues are words of the language, and what the content contradicts is not said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_data import open_small

from indistinct.naming import Guess, columns_that_name, guess_variables
from indistinct.naming.concepts import CONCEPTS, concept_of, concept_of_label, concept_of_part

SIZE = 400
rng = np.random.default_rng(7)
TIMES = [f"{hour:02}:{minute:02}" for hour, minute in rng.integers(0, [24, 60], (SIZE, 2))]
CODES = rng.integers(1, 5, SIZE).tolist()
NAMES = "Ann Berta Carl Dora Emil Frida Georg Hanna Ivan Julia Karl Lena".split()


def guessed(columns, labels=None) -> dict[str, Guess]:
    """Guess the columns of a small table, with labels where they are given."""
    with open_small(columns) as data:
        told = {name: {"label": label} for name, label in (labels or {}).items()}
        source = replace(data.source, variables=data.source.variables.updated(told))
        return {guess.name: guess for guess in guess_variables(data.engine, source)}


@pytest.mark.parametrize("name", ["Arrival Time", "arrival", "v7", "ARRIVALTIME"])
@pytest.mark.parametrize("label", ["", "Arrival Time", "Country of birth"])
def test_times_of_day_are_no_country_whatever_name_and_label_say(name, label):
    guess = guessed({name: TIMES, "sex": CODES}, {name: label})[name]
    assert guess.role == "other"
    assert "says country" not in guess.reason or "holds times of day" in guess.reason


NAMED = (
    "country_of_birth sex marital region occupation religion Staatsangehörigkeit istruzione income"
).split()


@pytest.mark.parametrize("name", NAMED)
def test_times_are_nothing_else_than_times(name):
    guess = guessed({name: TIMES, "q": CODES})[name]
    assert (guess.role, guess.certainty) == ("other", "unsure")
    assert "holds times of day" in guess.reason
    assert guess.question


@pytest.mark.parametrize("name", ["nationality", "religion", "sexo", "beruf", "cittadinanza"])
def test_amounts_are_no_categories(name):
    guess = guessed({name: rng.normal(50, 9, SIZE).tolist(), "q": CODES})[name]
    assert guess.role != "key"
    assert "fractions" in guess.reason


def test_free_text_is_no_country_but_may_name_people():
    told = [f"I came here with {who} in the year {n} by boat" for n, who in enumerate(NAMES * 40)]
    guess = guessed({"country": told, "q": (CODES * 2)[: len(told)]})["country"]
    assert guess.role == "identifier"


def test_a_label_beats_a_short_name_that_may_mean_several_things():
    columns = {"rel": CODES, "ms": CODES, "st": CODES}
    labels = {"rel": "Religionszugehörigkeit", "ms": "Mode of survey", "st": "Stellung im Beruf"}
    found = guessed(columns, labels)
    assert "religion" in found["rel"].reason
    assert "economic activity" in found["st"].reason


def words_with(cue: str) -> list[str]:
    return [f"x{cue}", f"{cue}x", f"xq{cue}qx"]


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda concept: concept.about)
def test_a_cue_is_a_word_and_never_inside_another(concept):
    """Of every one-word cue of every language: with letters before or behind it says nothing."""
    cues = {phrase[0] for phrase in concept.words if len(phrase) == 1 and len(phrase[0]) > 2}
    known = {word for one in CONCEPTS for phrase in one.words for word in phrase}
    for cue in sorted(cues):
        for word in words_with(cue):
            if word in known or word.endswith(("wgt", "wght")):
                continue
            assert concept_of(word) is None, word


WORDS = "message stage arrival rival percentage sextant Essex manage wage village passage".split()


@pytest.mark.parametrize("word", WORDS)
def test_words_of_the_language_are_not_taken_apart(word):
    assert concept_of_part(word) is None
    assert concept_of(word) is None or concept_of(word).about not in {"age", "sex"}


def test_what_is_not_sure_says_so_and_asks():
    columns = {
        "sex": ["f", "m"] * 200,
        "TOTREVENUE": rng.permutation(SIZE * 9)[:SIZE].tolist(),
        "v9": CODES,
        "nothing": [None] * SIZE,
        "always": ["x"] * SIZE,
    }
    found = guessed(columns)
    assert {name: guess.certainty for name, guess in found.items()} == {
        "sex": "sure",
        "TOTREVENUE": "unsure",
        "v9": "unsure",
        "nothing": "sure",
        "always": "sure",
    }
    for guess in found.values():
        assert bool(guess.question) == (guess.certainty == "unsure")


def test_letters_of_sexes_ages_and_states_are_asked_for_without_any_name():
    columns = {
        "a": ["M", "F"] * 200,
        "b": rng.integers(0, 96, SIZE).tolist(),
        "c": rng.choice(["NY", "CA", "TX", "WA", "OR", "ME"], SIZE).tolist(),
        "d": [f"K{n:05}" for n in rng.integers(0, 150, SIZE)],
    }
    found = guessed(columns)
    assert {name: guess.role for name, guess in found.items()} == {
        "a": "key",
        "b": "key",
        "c": "key",
        "d": "identifier",
    }
    assert {guess.certainty for guess in found.values()} == {"unsure"}


def test_what_a_key_variable_tells_is_protected_as_it_is():
    """A number per region tells the region, whatever it is called; a shuffled one does not."""
    region = rng.integers(0, 8, 900)
    density = np.array([3.5, 12.25, 7.0, 99.1, 45.5, 61.0, 5.2, 20.0])[region]
    columns = {"region": region, "z1": density, "z2": rng.permutation(density)}
    found = guessed(columns)
    assert (found["z1"].role, found["z2"].role) == ("key", "other")
    assert "region tells it" in found["z1"].reason


def test_numbers_within_runs_make_a_household_of_any_name():
    sizes = rng.integers(1, 5, 200)
    columns = {
        "q1": np.repeat(np.arange(200), sizes),
        "q2": np.concatenate([np.arange(1, size + 1) for size in sizes]),
        "q3": np.round(rng.gamma(4, 200, 200), 2)[np.repeat(np.arange(200), sizes)],
    }
    found = guessed(columns)
    assert found["q1"].role == "household"
    assert found["q2"].reason == "counts from 1 within each q1"
    assert "a weight?" in found["q3"].reason
    shuffled = rng.permutation(len(columns["q1"]))
    apart = guessed({name: column[shuffled] for name, column in columns.items()})
    assert apart["q1"].role != "household"


def test_labelled_codes_are_no_numbers_of_people():
    with open_small({"v1": CODES}) as data:
        told = {"v1": {"label": "Housing unit", "labels": {1: "own", 2: "rent", 3: "x", 4: "y"}}}
        source = replace(data.source, variables=data.source.variables.updated(told))
        (guess,) = guess_variables(data.engine, source)
    assert guess.role == "key"


@pytest.mark.parametrize("name", ["v1", "patient_id", "who"])
def test_codes_that_are_labelled_with_names_of_people_are_identifiers(name):
    names = "Kofron Garcia Lindqvist Müller Okafor Nguyen Smith Baker Silva Rossi Novak Petrov"
    given = "Diana John Richard Evelyn Julie Nancy Patricia Virginia Patrick Lukas Emma Hannah"
    pairs = zip(given.split(), names.split(), strict=True)
    labels = dict(enumerate(f"{first} {last}" for first, last in pairs))
    with open_small({name: (list(labels) * 40)[:SIZE], "q": CODES}) as data:
        told = {name: {"labels": labels}}
        source = replace(data.source, variables=data.source.variables.updated(told))
        assert guess_variables(data.engine, source)[0].role == "identifier"
        assert name in {one.name for one in columns_that_name(data.engine, source, key=["q"])}


def test_a_reason_and_a_question_hold_no_value():
    columns = {"v1": [f"Q{n:06}" for n in rng.integers(0, 99_999, SIZE)], "Arrival": TIMES}
    for guess in guessed(columns).values():
        said = f"{guess.reason} {guess.question}"
        assert not any(value in said for value in columns[guess.name])


def test_what_stands_in_brackets_only_explains():
    assert concept_of_label("Total income (rank within the state)")[0].about == "money"


@pytest.mark.parametrize("ordered", [True, False])
def test_dates_of_birth_are_known_in_a_file_that_is_sorted_by_them(ordered):
    """What is looked at is spread over the records: the first thousand span no lifetime."""
    days = [str(np.datetime64("1920-01-01") + int(day)) for day in rng.integers(0, 35_000, 6000)]
    guess = guessed({"d": sorted(days) if ordered else days})["d"]
    assert (guess.role, guess.certainty) == ("key", "likely")
    assert "lifetime" in guess.reason


def test_other_dates_to_the_day_are_asked_for():
    days = [str(np.datetime64("2019-01-01") + int(day)) for day in rng.integers(0, 700, SIZE)]
    guess = guessed({"d": days})["d"]
    assert (guess.role, guess.certainty) == ("key", "unsure")
