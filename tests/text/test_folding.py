"""Unicode tricks are undone before detection, and positions are those of the text given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.page import fold


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Rаmirez", "Ramirez"),  # Cyrillic а
        ("Amand\u200ba", "Amanda"),
        ("Jo\u00adhn", "John"),  # soft hyphen
        ("Ｊｏｈｎ", "John"),
        ("𝐉𝐨𝐡𝐧", "John"),
        ("６１７－５５５", "617-555"),
        ("O’Brien", "O'Brien"),
        ("a\u00a0b\tc\r\nd\re", "a b c\nd\ne"),
        ("Whit\x01field\x7f\x00", "Whitfield"),
        ("ﬁne", "fine"),
        ("\ufeffDear", "Dear"),
    ],
)
def test_what_people_read(written: str, read: str) -> None:
    assert fold(written).text == read


def test_words_of_another_script_stay() -> None:
    assert fold("Иван Петров").text == "Иван Петров"
    assert fold("翔太 吉田").text == "翔太 吉田"


@given(st.text(max_size=60), st.data())
def test_positions_map_back(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    size = len(folded.text)
    if not size:
        return
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start + 1, size))
    first, last = folded.original(start, end)
    assert 0 <= first < last <= len(text)
    # Stretches that follow each other in the folded text follow each other in the source.
    if end < size:
        assert folded.original(end, size)[0] >= last - 1
    assert folded.original(start, start + 1)[0] == first


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_plain_text_stays_where_it_is(text: str) -> None:
    plain = text.replace("\r", "").replace("\x00", "")
    folded = fold(plain)
    if folded.places is None:
        assert len(folded.text) == len(plain)


@pytest.mark.parametrize(
    "written", ["Mary J\u200bones", "Mаry Jоnes", "Ｍａｒｙ Ｊｏｎｅｓ", "M\u00adary Jones"]
)
def test_a_disguised_name_is_found_where_it_stands(written: str) -> None:
    text = f"Please call Mrs. {written} today."
    found = Finder().find(text)
    start = text.index(written)
    covered = {place for span in found for place in range(span.start, span.end)}
    letters = {start + i for i, c in enumerate(written) if c.isalnum()}
    assert letters <= covered
