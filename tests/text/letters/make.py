"""Letters and notes of our own, filled in and annotated: one JSON line a document.

A template is a `.txt` file with markers. `{{P.full|NAME}}` becomes the full name of person P and
is annotated as NAME; a marker without a label is filled in and not annotated. Values belong to
the document: P is the same person and `d1` the same day in all of its markers.

    {{P.first}}             people are single capitals; parts are `full`, `first`, `last`, `nick`,
                            `initials`, `middle` (First M. Last), `comma` (Last, First),
                            `short` (F. Last), `typo` (the surname mistyped), `email`, `user`,
                            and words that agree with the person, as `he` (see `_WORDS`)
    {{d1.long|DATE}}        days; see `_DATE_FORMS`
    {{n1:##-@@-###|ID}}     a number by mask: # a digit, @ a capital
    {{phone1.dots|PHONE}}   see `_PHONE_FORMS`
    {{city1}} {{state1}} {{st1}} {{zip1}} {{street1}} {{hospital1}} {{clinic1}} {{employer1}}
    {{school1}} {{team1}} {{ward1}} {{site1}} {{age1}} {{age1.90}} {{year1}}
    {{=Bed 14|OPT}}         the words themselves, annotated

`.upper` and `.lower` after a part write it so. Names and places are drawn from the package's
own lists, and every fourth name is made up. `medicine.txt` holds texts in which nobody is named.

    python tests/text/letters/make.py > own.jsonl
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.knowledge import knowledge
from indistinct.knowledge.cues import STATES
from indistinct.knowledge.lexicon import table

HERE = Path(__file__).resolve().parent
FILLINGS = 6
_MARKER = re.compile(r"\{\{([^{}|]+)(?:\|([A-Z0-9]+))?\}\}")
_ONSETS = (
    "B",
    "Br",
    "Ch",
    "D",
    "Dr",
    "F",
    "Gr",
    "H",
    "J",
    "Kl",
    "L",
    "M",
    "N",
    "P",
    "R",
    "St",
    "Th",
)
_NUCLEI = ("a", "e", "i", "o", "u", "ae", "ea", "ou")
_CODAS = ("l", "n", "r", "s", "m", "ck", "nd", "rt", "th", "x", "ll", "nn")
_DATE_FORMS = {
    "us": "%m/%d/%Y", "us2": "%m/%d/%y", "iso": "%Y-%m-%d", "long": "%B {d}, %Y",
    "day": "%A, %B {d}, %Y", "mon": "{d} %B %Y", "dots": "%d.%m.%Y", "noyear": "%B {d}",
    "md": "{m}/{d}", "ord": "%B {d}{th}", "hl7": "%Y%m%d", "dash": "%d-%b-%Y",
    "abbr": "%b {d}, %Y", "my": "%B %Y", "of": "%B of %Y", "mslash": "%m/%Y",
}  # fmt: skip
_PHONE_FORMS = {
    "paren": "({0}) {1}-{2}", "dash": "{0}-{1}-{2}", "dots": "{0}.{1}.{2}",
    "plain": "{0}{1}{2}", "local": "{1}-{2}", "intl": "+1 {0} {1} {2}", "ext": "x{2}",
}  # fmt: skip
_STREETS = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "St.", "Ave", "Rd", "Blvd")
_HOSPITALS = ("{} General Hospital", "{} Medical Center", "St. {}'s Hospital", "{} Memorial",
              "{} Children's Hospital", "{} Regional Medical Center")  # fmt: skip
_CLINICS = ("{} Family Practice", "{} Clinic", "{} Pediatrics", "{} Health Center",
            "{} Orthopaedic Associates", "{} Surgery")  # fmt: skip
_EMPLOYERS = ("{} Corp", "{} & Sons", "{} Logistics", "{} Hardware", "{} Foods Inc.",
              "{} Insurance Company", "{} Textiles Ltd")  # fmt: skip
_SCHOOLS = ("{} Elementary School", "{} High School", "{} Middle School", "{} Academy")
_TEAMS = ("{} Junior Rowing Club", "{} Little League", "{} Swim Team", "{} Soccer Club")
_WORDS = {
    "he": "she he", "He": "She He", "him": "her him", "his": "her his", "His": "Her His",
    "Mr": "Mrs. Mr.", "son": "daughter son", "boy": "girl boy", "man": "woman man",
    "male": "female male", "father": "mother father", "husband": "wife husband",
    "brother": "sister brother", "Brother": "Sister Brother", "nephew": "niece nephew",
    "MF": "F M",
}  # fmt: skip
_ALWAYS = {"F": "M", "G": "F", "M": "F"}  # a father, a grandmother, a mother


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    words = table("words").to_pylist()
    # names that are hardly anything else, as most are, and the commonest of those that are words
    names = [
        row
        for row in words
        if len(row["word"]) > 2
        and (row["zipf"] < 4.6 or (row["zipf"] < 5.6 and row["surname"] > 40))
    ]
    cities = [
        row["name"].title()
        for row in table("places").to_pylist()
        if row["country"] == "US" and row["kind"] == "city" and 9_000 < row["population"] < 400_000
    ]
    return {
        "F": [r["word"].title() for r in names if r["female"] > max(8, 6 * r["male"])],
        "M": [r["word"].title() for r in names if r["male"] > max(8, 6 * r["female"])],
        "last": [_written(r["word"]) for r in names if r["surname"] > 4],
        "city": cities,
    }


def _written(name: str) -> str:
    """A surname with its capitals: McLeod."""
    return f"Mc{name[2:].title()}" if re.match("mc[a-z]{3}", name) else name.title()


def _invented(rng: np.random.Generator, *, syllables: int) -> str:
    made = "".join(
        str(rng.choice(_ONSETS)).lower() + str(rng.choice(_NUCLEI)) for _ in range(syllables)
    )
    return (made + str(rng.choice(_CODAS))).capitalize()


class _Filling:
    """The people, places, days and numbers of one document."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.known: dict[str, Any] = {}

    def __call__(self, marker: str) -> str:
        if marker.startswith("="):
            return marker[1:]
        name, _, part = marker.partition(".")
        if re.fullmatch(r"n\d+:.*", marker):
            key, _, mask = marker.partition(":")
            return str(self._kept(key, lambda: self._number(mask)))
        part, _, case = part.partition(".")
        if part in ("upper", "lower"):
            part, case = "", part
        text = self._value(name, part)
        return text.upper() if case == "upper" else text.lower() if case == "lower" else text

    def _value(self, name: str, part: str) -> str:
        if re.fullmatch("[A-Z]", name):
            return self._person(name, part)
        kind, key = name.rstrip("0123456789"), name
        if kind in ("d", "dob"):
            return self._day(key, part, birth=kind == "dob")
        if kind == "phone":
            return self._phone(key, part)
        if kind == "age":
            low, high = (90, 104) if part == "90" else (19, 88)
            return str(self._kept(key, lambda: int(self.rng.integers(low, high))))
        made = {
            "city": lambda: self._pick("city"),
            "st": lambda: self._kept(f"_st{key[2:]}", self._state),
            "state": lambda: STATES[self._kept(f"_st{key[5:]}", self._state)],
            "zip": lambda: self._number("#####"),
            "street": lambda: f"{self.rng.integers(2, 4000)} {self._name()} {self._of(_STREETS)}",
            "hospital": lambda: self._of(_HOSPITALS).format(self._name()),
            "clinic": lambda: self._of(_CLINICS).format(self._name()),
            "employer": lambda: self._of(_EMPLOYERS).format(self._name()),
            "school": lambda: self._of(_SCHOOLS).format(self._name()),
            "team": lambda: self._of(_TEAMS).format(self._pick("city")),
            "ward": lambda: f"Ward {self.rng.integers(1, 12)}{self._of(tuple('ABCDE'))}",
            "site": lambda: (
                f"www.{self._name().lower()}-{self._of(('health', 'care'))}.example.org"
            ),
            "year": lambda: str(self.rng.integers(1985, 2023)),
        }[kind]
        return str(self._kept(key, made))

    def _kept(self, key: str, make: Any) -> Any:
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def _of(self, choices: Any) -> str:
        return str(choices[int(self.rng.integers(len(choices)))])

    def _pick(self, which: str) -> str:
        return self._of(_lists()[which])

    def _name(self) -> str:
        if self.rng.random() < 0.25:
            return _invented(self.rng, syllables=2)
        return self._pick("last")

    def _number(self, mask: str) -> str:
        marks = {"#": "0123456789", "@": "ABCDEFGHJKLMNPRSTUVWXYZ"}
        return "".join(self._of(marks[c]) if c in marks else c for c in mask)

    def _state(self) -> str:
        return self._of([s for s in STATES if s not in ("PR", "GU", "VI", "AS", "MP")])

    def _person(self, who: str, part: str) -> str:
        p = self._kept(who, lambda: self._somebody(_ALWAYS.get(who)))
        first, last = p["first"], p["last"]
        if part in _WORDS:
            return _WORDS[part].split()[p["sex"] == "M"]
        return {
            "full": f"{first} {last}",
            "first": first,
            "last": last,
            "middle": f"{first} {p['initial']}. {last}",
            "comma": f"{last}, {first}",
            "commamid": f"{last}, {first} {p['initial']}",
            "short": f"{first[0]}. {last}",
            "initials": first[0] + last[0],
            "nick": p["nick"],
            "typo": p["typo"],
            "email": f"{first}.{last}@{p['mail']}.example.com".lower(),
            "user": f"{first[0]}{last}{p['digits']}".lower(),
        }[part]

    def _somebody(self, sex: str | None) -> dict[str, str]:
        sex = sex or self._of("FM")
        made_up = self.rng.random() < 0.25
        first = _invented(self.rng, syllables=1) if made_up else self._pick(sex)
        last = self._name()
        nicknames = [n for n in knowledge().nicknames(first) if n.isalpha()] or [first[:3]]
        vowels = [i for i, c in enumerate(last) if c in "aeiou"] or [len(last) - 1]
        place = vowels[0]
        typo = last[:place] + ("a" if last[place] != "a" else "e") + last[place + 1 :]
        return {
            "sex": sex, "first": first, "last": last, "typo": typo,
            "initial": self._of("ABCDEFGHJKLMNPRSTW"), "nick": self._of(nicknames).capitalize(),
            "mail": _invented(self.rng, syllables=1).lower(), "digits": self._number("##"),
        }  # fmt: skip

    def _day(self, key: str, form: str, *, birth: bool) -> str:
        years = (1930, 2004) if birth else (2009, 2024)
        first, last = date(years[0], 1, 1).toordinal(), date(years[1], 12, 31).toordinal()
        day: date = self._kept(
            key, lambda: date(1, 1, 1) + timedelta(days=int(self.rng.integers(first, last)) - 1)
        )
        th = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
        th = "th" if day.day in (11, 12, 13) else th
        pattern = _DATE_FORMS[form].replace("{d}", str(day.day)).replace("{m}", str(day.month))
        return day.strftime(pattern.replace("{th}", th))

    def _phone(self, key: str, form: str) -> str:
        area, exchange, line = self._kept(
            key,
            lambda: (
                f"{self.rng.integers(2, 10)}{self._number('0#')}".replace("00", "01"),
                f"{self.rng.integers(2, 10)}{self._number('##')}",
                self._number("####"),
            ),
        )
        return _PHONE_FORMS[form or "dash"].format(area, exchange, line)


def fill(
    template: str, rng: np.random.Generator
) -> tuple[str, list[dict[str, Any]], dict[str, Any]]:
    """Fill in a template: the text, its annotated spans, and the people in it."""
    filling = _Filling(rng)
    pieces: list[str] = []
    spans: list[dict[str, Any]] = []
    length = place = 0
    for match in _MARKER.finditer(template):
        value = filling(match[1])
        before = template[place : match.start()]
        start = length + len(before)
        if match[2]:
            end = start + len(value)
            spans.append({"start": start, "end": end, "label": match[2], "orig": match[1]})
            if re.match(r"[A-Z]\.", match[1]):
                spans[-1]["cluster"] = match[1][0]
        pieces += [before, value]
        length, place = start + len(value), match.end()
    pieces.append(template[place:])
    people = {who: p for who, p in filling.known.items() if len(who) == 1}
    return "".join(pieces), spans, people


def templates() -> dict[str, str]:
    """The templates by name."""
    found = sorted(HERE.glob("*.txt"))
    return {p.stem: p.read_text(encoding="utf-8") for p in found if p.stem != "medicine"}


def medicine() -> list[str]:
    """Texts of pure medicine, in which nothing is to be changed."""
    text = (HERE / "medicine.txt").read_text(encoding="utf-8")
    return [part.strip("\n") for part in text.split("\n====\n")]


def documents(*, seed: int = 1, fillings: int = FILLINGS) -> Iterator[dict[str, Any]]:
    """Every template filled in a few times, then the texts of medicine."""
    for name, template in templates().items():
        for number in range(fillings):
            rng = np.random.default_rng([seed, number, *name.encode()])
            text, spans, people = fill(template, rng)
            yield {
                "id": f"{name}-{number}",
                "group": name,
                "text": text,
                "spans": spans,
                "people": people,
            }
    for number, text in enumerate(medicine(), start=1):
        yield {"id": f"medicine-{number}", "group": f"medicine-{number}", "text": text, "spans": []}


def taught() -> Iterator[dict[str, Any]]:
    """What the tagger and the certainties may learn from: the templates with even numbers.

    Those with odd numbers have taught nothing to anybody.
    """
    for document in documents(seed=11, fillings=10):
        if int(re.search(r"\d+", document["group"])[0]) % 2 == 0:  # type: ignore[index]
            yield document


if __name__ == "__main__":
    for document in taught() if "--taught" in sys.argv else documents():
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
