"""The replacement on annotated letters: same person, same name; sex and nickname link kept."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from indistinct.knowledge import knowledge
from indistinct.scrub.text.replace import Secret
from indistinct.scrub.text.replace.pools import clear_sex
from indistinct.scrub.text.scrubber import Scrubbed, Scrubber
from indistinct.scrub.text.spans import Kind, Span

LETTERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "text" / "letters.jsonl"

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.shared,
    pytest.mark.skipif(not LETTERS.exists(), reason="the annotated letters are not beside us"),
]

LABELS = {
    "NAME": Kind.FULL_NAME, "ORG": Kind.ORGANISATION, "LOCATION": Kind.PLACE, "DATE": Kind.DATE,
    "PHONE": Kind.PHONE, "EMAIL": Kind.EMAIL, "ID": Kind.RECORD_NUMBER,
}  # fmt: skip
PARTS = {
    "first": Kind.FIRST_NAME, "firstlower": Kind.FIRST_NAME, "nick": Kind.FIRST_NAME,
    "last": Kind.LAST_NAME, "lower": Kind.LAST_NAME, "init": Kind.INITIALS,
}  # fmt: skip


def kind(span: dict[str, Any]) -> Kind:
    part = span["orig"].partition(".")[2].lower()
    return PARTS.get(part, Kind.FULL_NAME) if span["label"] == "NAME" else LABELS[span["label"]]


@pytest.fixture(scope="module")
def letters() -> list[tuple[dict[str, Any], Scrubbed]]:
    scrubber = Scrubber(Secret.from_seed(5))
    done = []
    for line in LETTERS.read_text("utf-8").splitlines():
        letter = json.loads(line)
        letter["spans"] = [span for span in letter["spans"] if span["label"] in LABELS]
        spans = [Span(s["start"], s["end"], kind(s), 0.9, "gold") for s in letter["spans"]]
        done.append((letter, scrubber.apply(letter["text"], spans)))
    return done


def names(letter: dict[str, Any], done: Scrubbed) -> dict[str, dict[str, set[str]]]:
    """The made-up names by person and part."""
    made = {change.span.start: change.replacement.lower() for change in done.changes}
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for span in letter["spans"]:
        if span["label"] != "NAME":
            continue
        person, _, part = span["orig"].partition(".")
        written, parts = made[span["start"]].removesuffix("'s"), found[person]
        if part == "lastfirst":
            last, first = written.split(", ")
            parts["last"].add(last)
            parts["first"].add(first)
        elif "full" in part.lower():
            parts["first"].add(written.split()[0])
            parts["last"].add(" ".join(written.split()[1:]))
        else:
            parts[part.removesuffix("lower") or "last"].add(written)
    return found


def test_same_person_same_replacement(letters: list[tuple[dict[str, Any], Scrubbed]]) -> None:
    same = [
        all(len(parts[part]) <= 1 for part in ("first", "last", "nick"))
        for letter, done in letters
        for parts in names(letter, done).values()
    ]
    # In a letter whose patient and sister are both Charles, who is meant is guessed.
    assert len(same) > 1000
    assert sum(same) / len(same) >= 0.998


def test_the_sex_that_a_name_says_is_kept(letters: list[tuple[dict[str, Any], Scrubbed]]) -> None:
    kept: Counter[bool] = Counter()
    for letter, done in letters:
        for person, parts in names(letter, done).items():
            true = letter["people"][person]
            sex = "F" if true["female"] else "M"
            if clear_sex(true["first"]) == sex:
                kept.update(clear_sex(name) == sex for name in parts["first"] | parts["nick"])
    assert kept.total() > 800
    assert kept[True] / kept.total() >= 0.99


def test_the_nickname_link_is_kept(letters: list[tuple[dict[str, Any], Scrubbed]]) -> None:
    kept: Counter[bool] = Counter()
    for letter, done in letters:
        for person, parts in names(letter, done).items():
            true = letter["people"][person]
            for nickname in parts["nick"]:
                for first in parts["first"]:
                    same = true["nick"] == true["first"]
                    kept[
                        nickname == first if same else nickname in knowledge().nicknames(first)
                    ] += 1
    assert kept.total() > 100
    assert kept[True] / kept.total() >= 0.98


def test_no_reference_survives(letters: list[tuple[dict[str, Any], Scrubbed]]) -> None:
    for letter, done in letters:
        for change in done.changes:
            true = letter["text"][change.span.start : change.span.end]
            if change.span.label != "DATE" and len(true) > 2:
                assert true.lower() not in change.replacement.lower()
