"""Codes of the ARGUS programs: trees (`.hrc`) and labels (`.cdl`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from indistinct.core import InputError
from indistinct.core.doors import read_file
from indistinct.hierarchy import Hierarchy, taxonomy_hierarchy

__all__ = ["TOTAL", "read_codelist", "read_hrc", "text_lines", "wrong_line"]

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
