"""Metadata of the ARGUS programs: the variables of a file of records (`.rda`).

A `.rda` file names a variable on a line of its own, with its place in the records, and says what is
known about it in keywords on the lines that follow. Records have fixed positions, or, where the
first line gives a separator, fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import read_file
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, code_hierarchy, taxonomy_hierarchy
from indistinct.results import Fact, Part, Result, Table, facts, result

__all__ = ["ArgusMetadata", "ArgusVariable", "read_codelist", "read_hrc", "read_rda"]


# Codes of the ARGUS programs: trees (`.hrc`) and labels (`.cdl`).

TOTAL = "Total"
"""The code of a total where none is given."""


def read_hrc(
    path: str | Path,
    *,
    lead: str = "@",
    name: str | None = None,
    total: str = TOTAL,
    values: Iterable[str] = (),
    missing: Iterable[str] = (),
) -> Hierarchy:
    """Read a tree of codes: one on a line, after the lead string once for each level it is below.

    Parameters
    ----------
    lead
        The lead string.
    name
        The variable; the file's name without its ending if not given.
    total
        The code at the top.
    values
        The codes of the data: where codes that have others below them are among them, they are
        known as values too.
    missing
        Codes that mean *missing*: each stands by itself below the total.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "region.hrc"
    >>> _ = path.write_text("North\\n@1\\n@2\\nSouth\\n@3\\n")
    >>> read_hrc(path).ancestors("2")
    ('2', 'North', 'Total')
    """
    path = Path(path)
    if not lead:
        raise InputError("The lead string of a tree of codes must not be empty. Usual is '@'.")
    above: list[str] = []
    line_of: dict[str, int] = {}
    links: list[tuple[str, str | None]] = []
    for number, line in text_lines(path):
        rest, level = line.strip(), 0
        while rest.startswith(lead):
            rest, level = rest[len(lead) :], level + 1
        code = rest.strip()
        if not code:
            raise wrong_line(path, number, "there is no code after the lead string")
        if level > len(above):
            raise wrong_line(
                path,
                number,
                f"the code is {level - len(above) + 1} levels below the one before. "
                "A level may not be left out",
            )
        if code in line_of:
            raise wrong_line(
                path,
                number,
                f"the code '{code}' stands in line {line_of[code]} already. A code has one place",
            )
        line_of[code] = number
        above[level:] = [code]
        links.append((code, above[level - 1] if level else None))
    if not links:
        raise InputError(f"{path} has no codes.")
    links += [(code, None) for code in missing if code not in line_of]
    inner = {parent for _, parent in links}
    known = [value for value in values if value in inner]
    return taxonomy_hierarchy(links, values=known, name=name or path.stem, root=total)


def read_codelist(path: str | Path) -> dict[str, str]:
    """Read the labels of codes: a code, a comma and its label on every line.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "region.cdl"
    >>> _ = path.write_text(" 1,Groningen\\n 2,Friesland\\n")
    >>> read_codelist(path)
    {'1': 'Groningen', '2': 'Friesland'}
    """
    path = Path(path)
    labels: dict[str, str] = {}
    for number, line in text_lines(path):
        code, comma, label = line.partition(",")
        code = code.strip().strip('"')
        if not comma or not code:
            raise wrong_line(path, number, "there must be a code, a comma and a label")
        if labels.setdefault(code, label.strip().strip('"')) != label.strip().strip('"'):
            raise wrong_line(path, number, f"the code '{code}' has two labels. Keep one")
    return labels


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, numbered; text is UTF-8, or else Windows-1252."""
    content = read_file(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, line


def wrong_line(path: Path, line: int, what: str) -> InputError:
    """Return the error that says what is wrong in a line of a file."""
    return InputError(f"{path}: line {line}: {what}.")


Kind = Literal["category", "number", "weight", "holding", "household", "request", "other"]


@dataclass(frozen=True)
class ArgusVariable(Part):
    """A variable as a `.rda` file describes it.

    Parameters
    ----------
    name
        Its name.
    line
        The line that names it, for messages.
    start, length
        Its first position in a record, from 1, and its width; a record with a separator has no
        positions.
    missing
        The codes that mean *missing*.
    kind
        What it is for: a category that spans tables, a number to be added up, a weight, the holding
        or household to which a record belongs, a request for protection.
    total
        The code of the total.
    decimals
        The decimals of a number.
    codelist, tree
        The files of its labels and of its tree of codes.
    lead
        What stands before a code in the tree, once for each level.
    digits
        How many digits of the code each level has, from the top.
    """

    name: str
    line: int = field(repr=False, default=0)
    start: int | None = None
    length: int = 0
    missing: tuple[str, ...] = ()
    kind: Kind = "other"
    total: str = TOTAL
    decimals: int = 0
    codelist: Path | None = None
    tree: Path | None = None
    lead: str = "@"
    digits: tuple[int, ...] = ()

    FACTS = facts(
        "name",
        "kind",
        "start",
        "length",
        "decimals",
        "missing",
        "total",
        Fact("hierarchical", "is_hierarchical"),
    )

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, not codes."""
        return self.kind in ("number", "weight")

    @property
    def is_hierarchical(self) -> bool:
        """Whether its codes form a tree."""
        return self.tree is not None or bool(self.digits)


@result(eq=True)
class ArgusMetadata(Result):
    """What a `.rda` file says about the records of a file.

    Parameters
    ----------
    path
        The file.
    separator
        What parts the fields of a record; None for fixed positions.
    variables
        The variables, in the order of the file.
    notes
        Keywords that mean nothing here, for people.
    """

    path: Path
    separator: str | None
    variables: tuple[ArgusVariable, ...]
    notes: tuple[str, ...] = ()

    FACTS = facts("path", "separator", "variables")

    def sentence(self) -> str:
        """Say how many variables there are, and how they are stored."""
        how = (
            "fixed positions" if self.separator is None else f"fields parted by {self.separator!r}"
        )
        return f"ArgusMetadata({self.path.name}: {len(self.variables)} variables, {how})"

    def __getitem__(self, name: str) -> ArgusVariable:
        for variable in self.variables:
            if variable.name == name:
                return variable
        hint = did_you_mean(name, [v.name for v in self.variables])
        raise InputError(f"{self.path} has no variable '{name}'. {hint}")

    def hierarchies(self, source: Source) -> dict[str, Hierarchy]:
        """Return the hierarchy of every variable that has one, for the codes of a file."""
        found = {}
        for one in self.variables:
            if one.is_hierarchical and one.name in source.variables:
                codes = _codes(source, one)
                if one.tree is not None:
                    found[one.name] = read_hrc(
                        one.tree,
                        lead=one.lead,
                        name=one.name,
                        total=one.total,
                        values=codes,
                        missing=[code for code in codes if code in one.missing],
                    )
                else:
                    found[one.name] = _by_digits(one, codes)
        return found

    def _row_tables(self) -> list[Table]:
        rows = [
            (v.name, v.kind, v.start, v.length, v.is_hierarchical, len(v.missing))
            for v in self.variables
        ]
        headings = ("variable", "kind", "start", "length", "hierarchical", "missing codes")
        return [Table("Variables", headings, rows)]


def read_rda(path: str | Path) -> ArgusMetadata:
    """Read the metadata of microdata, as τ-ARGUS and µ-ARGUS write them.

    Files that it names are looked for beside it. What describes a finished table is refused.
    """
    path = Path(path)
    separator: str | None = None
    variables: list[ArgusVariable] = []
    unused: dict[str, None] = {}
    for number, words in _lines_of_words(path):
        keyword = words[0].upper()
        if not keyword.startswith("<"):
            variables.append(_declared(path, number, words, separator))
            continue
        if keyword == "<SEPARATOR>":
            if variables:
                raise wrong_line(path, number, "<SEPARATOR> must stand before the first variable")
            separator = _separator(path, number, words)
            continue
        if keyword in _ELSEWHERE:
            raise wrong_line(path, number, _ELSEWHERE[keyword])
        if not variables:
            raise wrong_line(path, number, f"{keyword} stands before any variable. Name one first")
        if keyword in _UNUSED:
            unused[keyword] = None
        elif keyword in _KEYWORDS:
            variables[-1] = _KEYWORDS[keyword](variables[-1], _Said(path, number, words))
        else:
            hint = did_you_mean(keyword, [*_KEYWORDS, *_UNUSED])
            raise wrong_line(
                path, number, f"the keyword {keyword} is not known. {hint}".rstrip(".")
            )
    if not variables:
        raise InputError(f"{path} names no variable.")
    for one in variables:
        _check(path, one, [v for v in variables if v.name.lower() == one.name.lower()])
    notes = (f"read and not used: {', '.join(unused)}",) if unused else ()
    return ArgusMetadata(path, separator, tuple(variables), notes)


@dataclass(frozen=True)
class _Said:
    """A keyword and what follows it on its line."""

    path: Path
    line: int
    words: list[str]

    def text(self) -> str:
        if len(self.words) < 2:
            raise wrong_line(self.path, self.line, f"{self.words[0]} must be followed by a text")
        return self.words[1]

    def numbers(self) -> tuple[int, ...]:
        try:
            found = tuple(int(word) for word in self.words[1:])
        except ValueError:
            found = ()
        if not found or min(found) < 0:
            raise wrong_line(
                self.path, self.line, f"{self.words[0]} must be followed by whole numbers"
            )
        return found

    def file(self) -> Path:
        return _beside(self.path, self.line, self.text())


Keyword = Callable[[ArgusVariable, _Said], ArgusVariable]


def _of_kind(kind: Kind) -> Keyword:
    return lambda variable, said: replace(variable, kind=kind)


def _category(variable: ArgusVariable, said: _Said) -> ArgusVariable:
    # what is a number as well is added up, and can still be grouped
    return variable if variable.kind == "number" else replace(variable, kind="category")


def _number(variable: ArgusVariable, said: _Said) -> ArgusVariable:
    if len(said.words) > 1:
        raise wrong_line(said.path, said.line, _TABLE)
    return replace(variable, kind="number")


_TABLE = "the file describes a finished table. Open the records from which it was made"

_KEYWORDS: dict[str, Keyword] = {
    "<RECODEABLE>": _category,
    "<RECODABLE>": _category,
    "<NUMERIC>": _number,
    "<WEIGHT>": _of_kind("weight"),
    "<HOLDING>": _of_kind("holding"),
    "<HOUSE_ID>": _of_kind("household"),
    "<REQUEST>": _of_kind("request"),
    "<TOTCODE>": lambda v, said: replace(v, total=said.text() or TOTAL),
    "<DECIMALS>": lambda v, said: replace(v, decimals=said.numbers()[0]),
    "<CODELIST>": lambda v, said: replace(v, codelist=said.file()),
    "<HIERARCHICAL>": lambda v, said: v,
    "<HIERCODELIST>": lambda v, said: replace(v, tree=said.file()),
    "<HIERLEADSTRING>": lambda v, said: replace(v, lead=said.text()),
    "<HIERLEVELS>": lambda v, said: replace(v, digits=tuple(n for n in said.numbers() if n)),
    "<MISSING>": lambda v, said: replace(v, missing=(*v.missing, *said.words[1:])),
}

_UNUSED = (
    "<DISTANCE>",
    "<TRUNCABLE>",
    "<IDLEVEL>",
    "<HOUSEHOLD>",
    "<SUPPRESSWEIGHT>",
    "<RECORDKEY>",
    "<PFILE>",
    "<PFILE_FREQ>",
    "<PFILE_CONT>",
    "<PFILE_SEP>",
    "<CKM>",
    "<INCLUDEZEROS>",
    "<PARITY>",
    "<SEPARATION>",
    "<SCALING>",
)
"""Keywords of steps that are set elsewhere: costs of suppression, cell-key noise, µ-ARGUS' risk."""

_ELSEWHERE = {
    "<SPSS>": "the records are in an SPSS file. Open that file itself: it has its own metadata",
    **dict.fromkeys(
        ("<FREQUENCY>", "<MAXSCORE>", "<STATUS>", "<SAFE>", "<UNSAFE>", "<PROTECT>"), _TABLE
    ),
}


def _declared(path: Path, number: int, words: list[str], separator: str | None) -> ArgusVariable:
    """Return the variable of a line: name, position where positions are fixed, width, missing."""
    places = 2 if separator is None else 1
    try:
        found = [int(word) for word in words[1 : 1 + places]]
    except ValueError:
        found = []
    if len(found) < places or min(found) < 1:
        what = "its first position and its width" if places == 2 else "its width"
        raise wrong_line(
            path,
            number,
            f"'{words[0]}' must be followed by {what}. A file of fields begins with <SEPARATOR>",
        )
    missing = tuple(word.strip() for word in words[1 + places :] if word.strip())
    start = found[0] if places == 2 else None
    return ArgusVariable(words[0], number, start, found[-1], missing)


def _separator(path: Path, number: int, words: list[str]) -> str:
    if len(words) != 2 or len(words[1]) != 1:
        raise wrong_line(path, number, '<SEPARATOR> must be followed by one character, as in ";"')
    return words[1]


def _check(path: Path, one: ArgusVariable, same: list[ArgusVariable]) -> None:
    if len(same) > 1 and same[0] is not one:
        raise wrong_line(path, one.line, f"'{one.name}' is named in line {same[0].line} already")
    if one.digits and one.tree is not None:
        raise wrong_line(path, one.line, f"'{one.name}' has both <HIERLEVELS> and <HIERCODELIST>")
    if one.digits and sum(one.digits) != one.length:
        raise wrong_line(
            path,
            one.line,
            f"the <HIERLEVELS> of '{one.name}' add up to {sum(one.digits)} digits, and its width "
            f"is {one.length}",
        )


def _by_digits(one: ArgusVariable, codes: list[str]) -> Hierarchy:
    left, kept = sum(one.digits), []
    for digits in reversed(one.digits[1:]):
        left -= digits
        kept.append(left)
    return code_hierarchy(
        codes,
        name=one.name,
        digits=kept or None,
        separators="",
        special=[code for code in codes if code in one.missing],
        root=one.total,
    )


def _codes(source: Source, one: ArgusVariable) -> list[str]:
    """Return the codes that the records have."""
    found: Any = pa.array([], pa.string())
    for batch in source.batches([one.name]):
        column = batch.column(0).cast(pa.string())
        found = pc.unique(pa.concat_arrays([found, pc.unique(column)]))
    return sorted(code for code in found.to_pylist() if code is not None)


def _lines_of_words(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of every line; what stands in quotes is one word."""
    for number, line in text_lines(path):
        if line.count('"') % 2:
            raise wrong_line(path, number, "a quotation mark is missing")
        found = re.finditer(r'"([^"]*)"|(<[^<>\s]+>|[^\s"<]+)', line)
        words = [one[2] if one[1] is None else one[1] for one in found]
        if words:
            yield number, words


def _beside(path: Path, number: int, named: str) -> Path:
    """Return a file that metadata name: beside them, whatever the case and the folder they say."""
    name = PureWindowsPath(named).name
    for candidate in (path.parent / named.replace("\\", "/"), path.parent / name):
        if candidate.is_file():
            return candidate
    for candidate in sorted(path.parent.iterdir()):
        if candidate.name.lower() == name.lower():
            return candidate
    raise wrong_line(path, number, f"there is no file '{name}' beside it")
