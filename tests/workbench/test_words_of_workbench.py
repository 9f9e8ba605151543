"""Both languages say the same things, with the same places in them, and no page lacks a text."""

from __future__ import annotations

import re
import string
from pathlib import Path

import indistinct
from indistinct.workbench.words import LANGUAGES, load_words

ROOM = Path(indistinct.__file__).parent / "workbench"


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_language_has_the_same_texts_with_the_same_places():
    english = load_words("en").texts
    for code in LANGUAGES:
        other = load_words(code).texts
        assert set(other) == set(english), code
        for name, text in english.items():
            assert places(other[name]) == places(text), f"{code}: {name}"
            assert other[name].strip(), f"{code}: {name}"


def test_german_is_german():
    english, german = load_words("en").texts, load_words("de").texts
    same = {name for name in english if german[name] == english[name]}
    assert same == {"open.code_in", "argus.name"}, "the German for in is in, and a name is a name"


def test_what_the_pages_and_screens_name_is_in_the_catalogue_and_all_of_it_is_named():
    source = "".join(p.read_text() for p in [*ROOM.rglob("*.html"), *ROOM.rglob("*.py")])
    named = set(re.findall(r"\bt\('([\w.]+)'[,)]", source))
    named |= set(re.findall(r"(?<!_)words\(\s*\"([\w.]+)\"", source))
    texts = load_words("en").texts
    assert not named - set(texts)
    built = tuple(re.findall(r"(?:t|known)\('([\w.]+[._])' ~", source))
    ends = (".name",)  # of every screen
    unnamed = [
        n
        for n in set(texts) - named
        if not n.startswith(built) and not n.endswith(ends) and f'"{n}"' not in source
    ]
    assert not unnamed


def test_what_stands_in_a_text_is_no_markup():
    assert load_words("en")("risk.by_person", person="<b>", n=1) == (
        "People are counted by &lt;b&gt;: 1 people."
    )
