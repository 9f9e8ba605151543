"""The words of a report: one catalogue file per language, and numbers as people read them.

A text of the catalogue has places such as ``{people:count}`` or ``{share:percent}``; what stands
there is shown rounded and kept exactly. ``**`` sets off, and ``{people:plural|person|people}``
chooses a word by a number.
"""

from __future__ import annotations

import math
import re
import string
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import read_text
from indistinct.release.few import Below, Few
from indistinct.release.report.pieces import Claim, Grid, Heading, Picture, Shown, Tone
from indistinct.release.report.sections.every import texts_of_sections

_LONGEST = 1_000_000

__all__ = ["Words", "load_words"]

_MOST_NAMES = 40


class Words:
    """The texts of one language, by name."""

    def __init__(self, texts: Mapping[str, str], *, said: Mapping[str, str] | None = None) -> None:
        self._texts = dict(texts)
        self._said = [(_pattern(english), text) for english, text in (said or {}).items()]
        self.language = texts["language"]

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __iter__(self) -> Any:
        return iter(self._texts)

    def __call__(self, name: str, /, **values: Any) -> str:
        """Return a text with its values filled in, without emphasis."""
        return Claim(name, tuple(self._parts(name, values))).text

    def raw(self, name: str) -> str:
        """Return a text whose places somebody else fills in."""
        return self._texts[name]

    def claim(
        self, name: str, /, *, tone: Tone = "plain", page: str | None = None, **values: Any
    ) -> Claim:
        """Return a sentence, its values beside it."""
        return Claim(name, tuple(self._parts(name, values)), tone, page)

    def heading(self, name: str) -> Heading:
        """Return a heading within a section."""
        return Heading(name, self(name))

    def said(
        self, sentence: str, *, name: str, tone: Tone = "plain", page: str | None = None
    ) -> Claim:
        """Return a sentence that another part of the program said, in this language if known.

        Where the catalogue has no text for it, it stays English and is marked as such.
        """
        for pattern, text in self._said:
            if match := pattern.fullmatch(sentence):
                found = text
                for number, group in enumerate(match.groups(), 1):
                    found = found.replace(f"{{{number}}}", group)
                return Claim(name, (found,), tone, page)
        if not re.match(r"\S*[./_]\S", sentence):  # the name of a file stays as it is
            sentence = sentence[:1].upper() + sentence[1:]
        if not sentence.endswith((".", "!", "?")):
            sentence += "."
        language = None if self.language == "en" else "en"
        return Claim(name, (Shown("said", sentence, sentence),), tone, page, language)

    def shown(self, name: str, value: Any, form: str = "") -> Shown:
        """Return a value with the text in which it is shown."""
        return Shown(name, value, self._show(value, form))

    def grid(
        self,
        name: str,
        columns: Sequence[tuple[str, str]],
        rows: Sequence[Sequence[Any]],
        /,
        *,
        marked: Sequence[int] = (),
        note: str = "",
        folded: bool = False,
        **values: Any,
    ) -> Grid:
        """Return a table.

        Parameters
        ----------
        name
            Its caption's name in the catalogue.
        columns
            For each, the name of its heading in the catalogue (``column.`` before it) and the
            form in which its values are shown.
        marked
            Rows to set off.
        values
            For the caption.
        """
        made = tuple(
            tuple(
                self.shown(column, value, form)
                for (column, form), value in zip(columns, row, strict=True)
            )
            for row in rows
        )
        numeric = frozenset(i for i, (_, form) in enumerate(columns) if form not in ("", "word"))
        headings = tuple(self(f"column.{column}") for column, _ in columns)
        caption = self(name, **values)
        return Grid(name, caption, headings, made, numeric, frozenset(marked), note, folded)

    def picture(
        self,
        name: str,
        svg: str,
        grid: Grid | None,
        /,
        *,
        page: str | None = None,
        narrow: bool = False,
        figure: int | None = None,
        written: bool = False,
        **values: Any,
    ) -> Picture:
        """Return a figure; its caption is `name`, its description `name` and ``.alt``."""
        caption, alt = self(name, **values), self(f"{name}.alt", **values)
        return Picture(name, caption, alt, svg, grid, page, narrow, figure, written)

    def untold(self, values: Iterable[Any]) -> str:
        """Return what a figure writes for those numbers that are not told exactly."""
        few = [value for value in values if isinstance(value, (Few, Below))]
        loosest = max(few, key=lambda v: v.below if isinstance(v, Few) else v.limit, default=None)
        return self._show(loosest, "")

    def _parts(self, name: str, values: Mapping[str, Any]) -> list[str | Shown]:
        if name not in self._texts:
            raise KeyError(f"the catalogue of '{self.language}' has no text '{name}'")
        parts: list[str | Shown] = []
        for literal, field, form, _ in string.Formatter().parse(self._texts[name]):
            if literal:
                parts.append(literal)
            if field is not None:
                value = values[field]
                if (form or "").startswith("plural|"):
                    parts.append(_plural(value, form or ""))
                else:
                    parts.append(self.shown(field, value, form or ""))
        return parts

    def _show(self, value: Any, form: str) -> str:
        if value is None:
            return self._texts["nothing"]
        if isinstance(value, bool):
            return self._texts["yes" if value else "no"]
        if isinstance(value, Few):
            return self("few", below=value.below)
        if isinstance(value, Below):
            return self("below", limit=value.limit)
        if form == "word":
            return self._texts[str(value)] if str(value) in self._texts else str(value)
        if isinstance(value, (list, tuple)):
            return self._list([str(one) for one in value])
        if not isinstance(value, (int, float)):
            return str(value)
        if isinstance(value, float) and not math.isfinite(value):
            return self._texts["nothing"]
        return self._number(value, form)

    def _number(self, value: float, form: str) -> str:
        if form == "percent":
            text = self._texts["percent"].format(_rounded_percent(100 * value))
        elif form == "times":
            text = f"{value:,.2f}"
        elif form == "count" or (form == "" and isinstance(value, int)):
            text = f"{value:,.0f}"
        elif form == "signed":
            text = f"{value:+.3g}" if value else "0"
        else:
            text = _significant(value)
        if self._texts["thousands"] == "," and self._texts["decimal"] == ".":
            return text
        table = {",": self._texts["thousands"], ".": self._texts["decimal"]}
        return "".join(table.get(letter, letter) for letter in text)

    def _list(self, names: list[str]) -> str:
        if not names:
            return self._texts["nothing"]
        if len(names) > _MOST_NAMES:
            rest = len(names) - _MOST_NAMES + 1
            return ", ".join(names[: _MOST_NAMES - 1]) + self._texts["and_more"].format(
                self._number(rest, "count")
            )
        if len(names) == 1:
            return names[0]
        return ", ".join(names[:-1]) + self._texts["and"] + names[-1]


def _plural(value: Any, form: str) -> str:
    _, one, other = form.split("|")
    number = len(value) if isinstance(value, (list, tuple)) else value
    return one if number == 1 else other


def _rounded_percent(value: float) -> str:
    """Round per cents for reading: a share that is not 0 never reads as 0, nor one below 1 as 100.

    >>> [_rounded_percent(p) for p in (0, 0.004, 0.42, 4.26, 42.6, 99.97, 100)]
    ['0', '0.004', '0.42', '4.3', '43', '99.97', '100']
    """
    size = abs(value)
    if size in (0, 100):
        return f"{value:.0f}"
    if size < 1:
        return _significant(value, 2)
    if size < 10:
        return f"{value:.1f}"
    if 99 < size < 100:
        # what is missing to all, to two digits
        lacking = max(1e-4, float(f"{100 - size:.2g}"))
        return f"{math.copysign(100 - lacking, value):.4f}".rstrip("0")
    return f"{value:,.0f}"


def _significant(value: float, digits: int = 3) -> str:
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) < 1e-4:
        return f"{value:.1e}"
    text = f"{value:.{digits}g}"
    return text if "e" not in text else f"{value:.1f}"


def _pattern(english: str) -> re.Pattern[str]:
    """Make a pattern of a sentence with places ``{1}``, ``{2}``."""
    parts = re.split(r"\{\d+\}", english)
    return re.compile("(.+?)".join(re.escape(part) for part in parts), re.DOTALL)


@cache
def _english_catalogue() -> dict[str, Any]:
    text = resources.files("indistinct.release.report").joinpath("words/en.toml").read_text("utf-8")
    return tomllib.loads(text)


def _english() -> dict[str, Any]:
    """Return the English catalogue, with the texts that sections bring with them."""
    content = _english_catalogue()
    return content | {"text": texts_of_sections() | content["text"]}


def load_words(language: str | Path = "en") -> Words:
    """Return the words of a language: one that comes with the program, or a catalogue file.

    A catalogue that lacks a text, or has places in it that the English one has not, is refused.

    >>> load_words()("yes")
    'yes'
    """
    english = _english()
    if str(language) == "en":
        return Words(english["text"], said=english.get("said"))
    path = Path(language)
    if not path.suffix:
        raise InputError(
            f"There is no language '{language}' here. Give 'en', or the path of a catalogue "
            "(.toml)."
        )
    try:
        content = tomllib.loads(read_text(path, "catalogue", limit=_LONGEST))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not a catalogue in TOML: {error}.") from None
    texts = content.get("text")
    if not isinstance(texts, dict) or not all(isinstance(t, str) for t in texts.values()):
        raise InputError(f"{path} has no table [text] of texts by name.")
    problems = [f"'{name}' is missing" for name in english["text"] if name not in texts]
    problems += [
        f"'{name}' is no text of this version" for name in texts if name not in english["text"]
    ]
    problems += [
        f"'{name}' has the places {', '.join(sorted(found)) or 'none'}, and the English text "
        f"{', '.join(sorted(known)) or 'none'}"
        for name in english["text"]
        if name in texts
        and not (found := _places(texts[name])) <= (known := _places(english["text"][name]))
    ]
    problems += [f"'{name}': {wrong}" for name in texts if (wrong := _wrong_form(texts[name]))]
    problems += [
        f"'{name}' must have one place {{}}"
        for name in ("percent", "and_more")
        if texts.get(name, "{}").count("{}") != 1
    ]
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:20])
        more = f"\n  and {len(problems) - 20} more" if len(problems) > 20 else ""
        raise InputError(f"{path} does not fit:\n{shown}{more}")
    said = content.get("said", {})
    if not isinstance(said, dict) or not all(isinstance(text, str) for text in said.values()):
        raise InputError(f"{path} has a table [said] that does not hold texts alone.")
    return Words(texts, said=said)


def _wrong_form(text: str) -> str:
    """Say which place of a text is written in a form that there is not."""
    try:
        forms = [form or "" for _, field, form, _ in string.Formatter().parse(text) if field]
    except ValueError:
        return ""
    for form in forms:
        plural = form.startswith("plural|") and form.count("|") == 2
        if not plural and form not in ("", "count", "number", "percent", "signed", "times", "word"):
            return f"there is no form '{form}'"
    return ""


def _places(text: str) -> set[str]:
    try:
        return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}
    except ValueError:
        return {"(a brace that is not closed)"}
