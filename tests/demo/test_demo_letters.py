"""The demo's letters: about people of its census, scrubbed, and linked with the register."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from indistinct.census import write_census
from indistinct.demo.letters import FORMS, fill, letters_about
from indistinct.demo.scrubbed import KNOWN, scrub_letters
from indistinct.scrub.text.annotated import REQUIRED


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("demo")
    register = made / "register.parquet"
    write_census(made / "census.parquet", people=3000, seed=2, register=register)
    (made / "private").mkdir()
    return made


@pytest.fixture(scope="module")
def census(folder):
    return pq.read_table(folder / "census.parquet")


@pytest.fixture(scope="module")
def letters(folder, census):
    return list(letters_about(census, pq.read_table(folder / "register.parquet"), seed=2))


def said(letter, label):
    return [letter.text[start:end] for start, end, name in letter.spans if name == label]


def test_every_form_is_filled_in_once(letters):
    assert len(letters) == len(FORMS) >= 12
    assert len({letter.name for letter in letters}) == len(letters)
    assert not any("{" in letter.text or "}" in letter.text for letter in letters)


def test_references_lie_where_the_blanks_were():
    form = "Dear {NAME a.first}, {he} ({AGE age}) was born on {DATE day}. {NAME a.first}!"
    values = {"a.first": "Ann", "he": "she", "age": "91", "day": "May 3, 1930"}
    text, spans = fill(form, values)
    assert text == "Dear Ann, she (91) was born on May 3, 1930. Ann!"
    found = [(text[start:end], label) for start, end, label in spans]
    assert found == [("Ann", "NAME"), ("91", "AGE90"), ("May 3, 1930", "DATE"), ("Ann", "NAME")]
    assert fill("{AGE age}", {"age": "89"})[1] == ((0, 2, "AGE"),)


def test_references_are_labelled_as_annotators_do_and_do_not_overlap(letters):
    for letter in letters:
        ends = [0, *(end for _, end, _ in letter.spans)]
        assert all(start >= end for (start, *_), end in zip(letter.spans, ends, strict=False))
        assert {label for *_, label in letter.spans} <= {*REQUIRED, "AGE"}
        assert said(letter, "NAME")


def test_patients_are_people_of_the_census(letters, census):
    people = {row["identity_number"]: row for row in census.to_pylist()}
    for letter in letters:
        row = people[letter.patient]
        names = " ".join(said(letter, "NAME")).lower()
        assert row["surname"].lower() in names or row["given_name"].lower() in names
    assert len({letter.patient for letter in letters}) == len(letters) - 1  # one has two letters


def test_families_are_those_of_the_household(letters, census):
    family = {row["identity_number"]: row["household"] for row in census.to_pylist()}
    (letter,) = [one for one in letters if "DISCHARGE SUMMARY" in one.text]
    here = census.filter(pa.compute.equal(census["household"], family[letter.patient]))
    spouse = next(text for text in ("His wife, ", "Her husband, ") if text in letter.text)
    name = letter.text.split(spouse)[1].split(",")[0]
    assert name in here["given_name"].to_pylist()


def test_the_same_seed_writes_the_same_letters(folder, census, letters):
    register = pq.read_table(folder / "register.parquet")
    assert list(letters_about(census, register, seed=2)) == letters
    assert list(letters_about(census, register, seed=3)) != letters


def test_a_census_of_nobody_fitting_has_no_letters(folder, census):
    register = pq.read_table(folder / "register.parquet")
    ages = (np.datetime64("2021-03-21") - census["date_of_birth"].to_numpy()).astype(int)
    babies = census.filter(pa.array(ages < 700))
    assert len(babies)
    assert list(letters_about(babies, register, seed=2)) == []


@pytest.mark.heavy
def test_the_chapter(folder, letters):
    told = scrub_letters(folder, seed=2)
    rows = told.done.evaluation.rows
    assert told.done.holds
    assert told.done.documents == len(letters)
    # the order of Figure 24, and numbers far from it where other people's letters are
    assert rows[0].share_removed < rows[1].share_removed < rows[2].share_removed
    assert rows[3].share_removed > 0.9
    assert told.before.attributes == KNOWN
    assert told.before.right >= len(letters) // 2
    assert told.after.right == 0
    story = "\n".join(told.lines())
    assert "de-identified only" in story
    assert f"**{told.before.right} of {len(letters)} letters**" in story
    json.dumps(told.to_dict())
    gold = (folder / "private/letters-gold.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in gold] == [letter.name for letter in letters]
    # nothing of a letter is in what is told of them, and no patient's full name in what leaves
    names = {text for letter in letters for text in said(letter, "NAME") if " " in text}
    assert len(names) > 20
    assert not any(name in story for name in names)
    out = "".join(path.read_text() for path in (folder / "letters").glob("*.txt"))
    patients = {said(letter, "NAME")[0] for letter in letters}
    assert sum(name in out for name in names & patients) == 0
