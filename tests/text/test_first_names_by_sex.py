"""The sex of first names: by the census where it is clear, else by the list of other languages."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from indistinct.knowledge.lexicon import RARE, Lexicon

LEXICON = Lexicon()
FILE = resources.files("indistinct.knowledge") / "data" / "firstnames.txt"
LINES = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]


def listed(sex: str) -> list[str]:
    return [name for line in LINES if line[0] == sex for name in line.split()[1:]]


@pytest.mark.parametrize(
    ("female", "male"),
    [
        ("Agnieszka Malgorzata Grazyna", "Lukasz Wojciech Grzegorz"),
        ("Gülşah Ayşegül Nurcan", "Mehmet Ertuğrul Serdar"),
        ("Heidrun Wiebke", "Jürgen Detlef"),
        ("Geneviève Mireille", "François Thibault"),
        ("Ginevra Donatella", "Giuseppe Calogero"),
        ("Xóchitl Citlali", "Cuauhtémoc Heriberto"),
        ("Terezinha Conceição", "João Gonçalo"),
        ("Sujata Meenakshi", "Venkatesh Jignesh"),
        ("Khadija Sawsan", "Abdelkader Yassine"),
        ("Oksana Lyudmila", "Dmytro Vyacheslav"),
        ("Zsuzsanna Ildikó", "Zoltán László"),
        ("Chimamanda Titilayo", "Olusegun Chukwuemeka"),
    ],
)
def test_names_of_other_languages(female: str, male: str):
    assert [LEXICON.sex(name) for name in female.split()] == ["F"] * len(female.split())
    assert [LEXICON.sex(name) for name in male.split()] == ["M"] * len(male.split())


def test_the_list_is_plain_and_no_name_is_of_both_sexes():
    assert all(re.fullmatch(r"[FM]( [a-z]+){1,40}", line) for line in LINES)
    names = listed("F") + listed("M")
    assert len(names) == len(set(names)) >= 4000


def test_the_census_comes_first():
    assert [LEXICON.sex(name) for name in ("Virginia", "Patrick", "Table")] == ["F", "M", None]
    for name in listed("F") + listed("M"):
        known = LEXICON.word(name)
        if known.female > 4 * known.male or known.male > 4 * known.female:
            assert LEXICON.sex(name) == ("F" if known.female > known.male else "M")
        elif known.first >= RARE:
            assert LEXICON.sex(name) is None


def test_an_unknown_name_has_no_sex():
    assert LEXICON.sex("Qwxyzzy") is None
    assert LEXICON.sex("") is None
