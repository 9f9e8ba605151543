"""Surveys in other languages, written by pyreadstat, are guessed by their labels alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyreadstat
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


def test_numbers_that_a_file_declares_to_be_dates_are_dates(tmp_path):
    """Stata counts months from 1960, SPSS seconds from 1582: the format says so, not the number."""
    rng = np.random.default_rng(3)
    days = pd.to_datetime("1990-01-01") + pd.to_timedelta(rng.integers(0, 9000, 400), unit="D")
    people = pd.DataFrame({"v1": days, "country": days})
    people.to_stata(tmp_path / "a.dta", convert_dates={"v1": "tm", "country": "tm"})
    counted = pd.DataFrame(
        {"v1": rng.integers(0, 9000, 400), "country": rng.integers(0, 9000, 400)}
    )
    formats = {"v1": "DATE11", "country": "MOYR8"}
    pyreadstat.write_sav(counted, str(tmp_path / "b.sav"), variable_format=formats)
    for name in ("a.dta", "b.sav"):
        found = {guess.name: guess for guess in guesses_of(tmp_path / name)}
        assert (found["v1"].role, found["v1"].certainty) == ("key", "unsure")
        assert found["v1"].reason.endswith("dates, which others may know")
        assert "holds dates" in found["country"].reason
