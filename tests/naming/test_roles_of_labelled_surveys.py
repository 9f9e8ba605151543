"""Surveys in other languages, written by pyreadstat, are guessed by their labels alone."""

from __future__ import annotations

import pytest
from surveys import SURVEYS, write_survey

from indistinct.engine import start_engine
from indistinct.files import open_data, workspace
from indistinct.naming import Guess, guess_variables


def guesses_of(path) -> tuple[Guess, ...]:
    with workspace() as work, start_engine(workspace=work, threads=1) as engine:
        return guess_variables(engine, open_data(path, workspace=work))


@pytest.mark.parametrize("suffix", [".dta", ".sav"])
@pytest.mark.parametrize("language", SURVEYS)
def test_headers_that_say_nothing_are_guessed_by_labels_and_content(language, suffix, tmp_path):
    found = guesses_of(write_survey(language, tmp_path / f"survey{suffix}"))
    wrong = {
        one.label: f"{guess.role}: {guess.reason}"
        for one, guess in zip(SURVEYS[language], found, strict=True)
        if guess.role not in one.roles.split("|")
    }
    assert not wrong


@pytest.mark.parametrize("language", SURVEYS)
def test_what_somebody_thinks_of_a_place_is_no_place(language, tmp_path):
    """Opinions name what they are about: to be content with a place is no place."""
    found = guesses_of(write_survey(language, tmp_path / "survey.dta"))
    opinions = [
        guess
        for one, guess in zip(SURVEYS[language], found, strict=True)
        if one.roles == "other" and one.holds == "codes"
    ]
    assert opinions
    assert {(guess.role, guess.certainty) for guess in opinions} == {("other", "likely")}


@pytest.mark.parametrize("language", SURVEYS)
def test_households_are_known_by_who_is_counted_within_them(language, tmp_path):
    found = guesses_of(write_survey(language, tmp_path / "survey.dta"))
    (home,) = [guess for guess in found if guess.role == "household"]
    assert "counts from 1 within each" in home.reason
