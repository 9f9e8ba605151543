"""What a report is made of: claims, tables, figures, sections.

Every number is kept exactly as it was measured, beside the text in which people see it. The page
and its machine-readable twin are both made from these objects, so they cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from indistinct.prove import State
from indistinct.results import Fact, Part, Table, facts
from indistinct.results.figures import WIDTH

__all__ = [
    "Claim",
    "Document",
    "Edition",
    "Grid",
    "Heading",
    "Picture",
    "Piece",
    "Section",
    "Shown",
    "SignOff",
    "Tone",
]

Edition = Literal["private", "shareable"]
Listed = Literal["", "ul", "ol"]
Tone = Literal["plain", "good", "bad", "note"]
"""How a claim is set off; it always says in words too what the colour says."""


@dataclass(frozen=True)
class Shown:
    """A value as it is, and the text in which it is shown."""

    name: str
    value: Any
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Claim(Part):
    """A sentence or two; `parts` are words of the catalogue and values in turn.

    Parameters
    ----------
    name
        Its name in the catalogue, and in the twin.
    page
        The page of the method that it rests on.
    language
        Of the words, where they are not those of the report.
    listed
        Whether it is an item of a list, bulleted or numbered.
    """

    name: str
    parts: tuple[str | Shown, ...]
    tone: Tone = "plain"
    page: str | None = None
    language: str | None = None
    listed: Listed = ""

    FACTS = facts(Fact("claim", "name"), "text values tone")

    @property
    def text(self) -> str:
        """The sentence, without emphasis."""
        return "".join(
            part.text if isinstance(part, Shown) else part.replace("**", "") for part in self.parts
        )

    @property
    def values(self) -> dict[str, Any]:
        """The values in it, by name."""
        return {part.name: part.value for part in self.parts if isinstance(part, Shown)}


@dataclass(frozen=True)
class Grid(Part):
    """A table: its rows have as many cells as there are headings, the first names the row.

    Parameters
    ----------
    numeric
        The columns that hold numbers, which stand at the right.
    folded
        Whether it is shown only when asked for, as the data table of a figure is.
    """

    name: str
    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Shown, ...], ...]
    numeric: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    note: str = ""
    folded: bool = False

    FACTS = facts(
        Fact("table", "name"),
        "caption",
        Fact("rows", lambda found: [{cell.name: cell.value for cell in row} for row in found.rows]),
    )

    @property
    def short(self) -> bool:
        """Whether it is small enough to stand on one sheet of paper whole."""
        return sum(1 + max(len(cell.text) for cell in row) // 50 for row in self.rows) <= 15

    def to_frame(self) -> Any:
        """Return the exact values as a pandas frame."""
        return self._table().to_frame()

    def _table(self) -> Table:
        return Table(self.caption, self.headings, [[c.value for c in row] for row in self.rows])

    def _repr_html_(self) -> str:
        shown = [[cell.text for cell in row] for row in self.rows]
        return Table(self.caption, self.headings, shown).to_html()


@dataclass(frozen=True)
class Picture(Part):
    """A figure as SVG, what it shows in words, and its numbers.

    Parameters
    ----------
    narrow
        Whether two of them stand side by side.
    written
        Whether every number is written out in the figure, so that paper needs no table.
    """

    name: str
    caption: str
    alt: str
    svg: str = field(repr=False)
    grid: Grid | None = None
    page: str | None = None
    narrow: bool = False
    number: int | None = None
    written: bool = False

    FACTS = facts(
        Fact("figure", "id"),
        "caption alt",
        Fact("data", lambda found: found.grid.to_dict()["rows"] if found.grid else []),
    )

    @property
    def id(self) -> str:
        """Its place in the page; `number` tells pictures of one name apart."""
        own = self.name.replace(".", "-")
        return own if self.number is None else f"{own}-{self.number}"

    @property
    def wide(self) -> bool:
        """Whether a telephone is too narrow for its letters, so that it is scrolled there."""
        return f'width="{WIDTH}"' in self.svg[:200]

    def plot(self) -> str:
        """Return the figure as SVG."""
        return self.svg

    def to_frame(self) -> Any:
        """Return its numbers as a pandas frame; None where it has none."""
        return self.grid.to_frame() if self.grid else None

    def _repr_html_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Heading(Part):
    """A heading within a section."""

    name: str
    text: str

    FACTS = facts(Fact("heading", "name"), "text")


@dataclass(frozen=True)
class SignOff(Part):
    """A box to be signed: lines to be filled in by hand."""

    name: str
    lines: tuple[str, ...]
    choices: tuple[str, ...] = ()

    FACTS = facts(Fact("sign", "name"), "lines choices")


Piece = Claim | Grid | Picture | Heading | SignOff


@dataclass(frozen=True)
class Section(Part):
    """A part of a report under a heading of its own."""

    name: str
    title: str
    pieces: tuple[Piece, ...]

    FACTS = facts(Fact("section", "name"), "title pieces")


@dataclass(frozen=True, repr=False)
class Document(Part):
    """A report: what the page and its twin are made of.

    Parameters
    ----------
    state
        The verdict on the release as it is; of several, on the recommended one.
    passes
        Whether it holds, or every reservation was accepted by name.
    made
        With what it was written, for the foot of the page.
    """

    title: str
    edition: Edition
    edition_words: str
    language: str
    state: State
    passes: bool
    sections: tuple[Section, ...]
    made: str = ""

    FACTS = facts("title edition language state holds passes sections")

    @property
    def holds(self) -> bool:
        """Whether the promise is kept, and nothing has to be taken on trust."""
        return self.state == "holds"

    def __getitem__(self, name: str) -> Section:
        """Return a section by its name."""
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        """Say whether there is a section of that name."""
        return any(section.name == name for section in self.sections)

    def every(self, kind: type[Piece]) -> Iterator[Any]:
        """Return the pieces of one kind, in order."""
        return (p for section in self.sections for p in section.pieces if isinstance(p, kind))

    def __repr__(self) -> str:
        said = [piece.text for piece in self.sections[0].pieces if isinstance(piece, Claim)]
        names = ", ".join(section.name for section in self.sections)
        return "\n".join([f"{self.title} ({self.edition})", *said, f"  sections: {names}"])
