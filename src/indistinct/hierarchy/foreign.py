"""Hierarchies and recodings that were made for other programs.

ARX keeps the hierarchies of a project inside its file (``.deid``), as CSV files. µ-Argus keeps a
recoding in a file per variable (``.grc``), and who works with sdcMicro has a script of R with calls
of ``globalRecode`` and ``groupAndRename``. A recoding is a hierarchy with one level between values
and root; a value that it does not name stays as it is.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from indistinct.core import InputError
from indistinct.core.doors import open_file, read_text
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.intervals import as_number
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy
from indistinct.hierarchy.text import as_text

__all__ = ["Recoding", "argus_recoding", "arx_hierarchies", "r_recodings"]

_LONGEST = 50_000_000
"""Bytes of all hierarchies of a project, unpacked."""


@dataclass(frozen=True)
class _Group:
    """Values that become one: what they are called, and which they are."""

    label: str
    span: str
    """What they are, in words that no value has."""
    holds: Callable[[str], bool]


@dataclass(frozen=True)
class Recoding:
    """Which values of a variable become one.

    >>> ages = argus_recoding(Path("Age.grc"), "1: -20\\n2: 21-30\\n<MISSING> 99")
    >>> ages.hierarchy([20, 25, 99], name="age").ancestors(20)
    ('20', '1', '*')
    """

    origin: str
    groups: tuple[_Group, ...]

    def hierarchy(
        self, values: Iterable[object], *, name: str, special: Iterable[object] = ()
    ) -> Hierarchy:
        """Return the hierarchy of one level; a group whose label is a value is told by its span."""
        ordinary, apart = distinct_texts(values, special=special, root=SUPPRESSED)
        groups = {t: g for t in ordinary if (g := self._group_of(t)) is not None}
        taken = {*ordinary, *apart}

        def ladder(text: str) -> Sequence[str]:
            group = groups[text]
            return (group.span if group.label in taken - {text} else group.label,)

        named = [text for text in ordinary if text in groups]
        others = [text for text in ordinary if text not in groups]
        return rule_hierarchy(
            named, [*others, *apart], ladder, steps=1, root=SUPPRESSED, name=name, ordered=False
        )

    def _group_of(self, text: str) -> _Group | None:
        return next((group for group in self.groups if group.holds(text)), None)


# ARX --------------------------------------------------------------------------------------------


def arx_hierarchies(path: Path) -> dict[Path, str]:
    """Return the hierarchy files inside a project of ARX, each with its text."""
    found: dict[Path, str] = {}
    left = _LONGEST
    try:
        with open_file(path, "hierarchy") as file, zipfile.ZipFile(file) as packed:
            for member in packed.infolist():
                inside = PurePosixPath(member.filename)
                if inside.parent.name != "hierarchies" or inside.suffix != ".csv":
                    continue
                with packed.open(member) as one:
                    content = one.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise InputError(
                        f"{path} holds more than {_LONGEST // 1_000_000} MB of hierarchies. Save "
                        "them as CSV files and name their folder."
                    )
                found[path / inside.name] = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path}: a hierarchy in it is not UTF-8.") from None
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError):
        raise InputError(f"{path} cannot be read as a project of ARX.") from None
    if not found:
        raise InputError(f"{path} holds no hierarchies: a project of ARX has them as CSV files.")
    return found


# µ-Argus ----------------------------------------------------------------------------------------

_LINE = re.compile(r"\s*([^:<>]+?)\s*:\s*(.+?)\s*")


def argus_recoding(path: Path, text: str | None = None) -> Recoding:
    """Return the recoding in a file of µ-Argus: ``new: old, from-to, -to, from-`` in each line."""
    groups: dict[str, list[str]] = {}
    for number, line in enumerate((text or read_text(path, "hierarchy")).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("<"):
            continue  # what is missing stays as it is, and code lists are labels for people
        found = _LINE.fullmatch(line)
        if found is None:
            raise InputError(
                f"{path}:{number}: a line of a recoding is 'new: old, old, from-to'. This is none."
            )
        groups.setdefault(found[1], []).extend(p.strip() for p in found[2].split(","))
    if not groups:
        raise InputError(f"{path} recodes nothing: a line of it is 'new: old, old, from-to'.")
    made = (_group(label, [p for p in parts if p]) for label, parts in groups.items())
    return Recoding(path.name, tuple(made))


def _group(label: str, parts: Sequence[str]) -> _Group:
    tests = [_part(part) for part in parts]
    spans = (re.sub(r"^-", "≤", re.sub(r"^(.+)-$", r"≥\1", part)) for part in parts)
    return _Group(label, ", ".join(spans), lambda text: any(test(text) for test in tests))


def _part(part: str) -> Callable[[str], bool]:
    """Return which values a code or a span of codes holds; digits are compared as numbers."""
    first, dash, last = part.partition("-")
    if not dash:
        return lambda text: text == part or _equal(text, part)
    low, high = first.strip(), last.strip()

    def within(text: str) -> bool:
        own = as_number(text)
        ends = [as_number(end) for end in (low, high) if end]
        if own is not None and None not in ends:
            return (not low or own >= as_number(low)) and (not high or own <= as_number(high))  # type: ignore[operator]
        return (
            own is None and None in ends and (not low or text >= low) and (not high or text <= high)
        )

    return within


def _equal(left: str, right: str) -> bool:
    numbers = as_number(left), as_number(right)
    return None not in numbers and numbers[0] == numbers[1]


# R ----------------------------------------------------------------------------------------------

_CALL = re.compile(r"\b(globalRecode|groupAndRename)\s*\(")
_COMMENT = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|#[^\n]*""")
_TOKEN = re.compile(
    r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[0-9.]+(?:[eE][+-]?[0-9]+)?L?|"""
    r"""[A-Za-z.][\w.]*|<-|->|.)""",
    re.DOTALL,
)
_Value = float | str | None
_PARAMETERS = {
    "globalRecode": ("obj", "column", "breaks", "labels", "method"),
    "groupAndRename": ("obj", "var", "before", "after", "addNA"),
}


class _NotPlain(Exception):
    """An argument that is computed, and so not known without running R."""


def r_recodings(path: Path, text: str | None = None) -> dict[str, Recoding]:
    """Return, by variable, the recodings that a script for sdcMicro makes.

    Nothing is run: values must stand in the calls, as ``c(0, 15, 65, 120)``, ``0:9`` or
    ``seq(0, 100, 10)``.

    >>> script = 'sdc <- globalRecode(sdc, column = "age", breaks = c(0, 20, 99), labels = 1:2)'
    >>> r_recodings(Path("sdc.R"), script)["age"].hierarchy([7, 20, 21], name="age").ancestors(20)
    ('20', '1', '*')
    """
    script = text if text is not None else read_text(path, "hierarchy")
    script = _COMMENT.sub(lambda found: found[1] or "", script)
    found: dict[str, list[_Group]] = {}
    for call in _CALL.finditer(script):
        line = script.count("\n", 0, call.start()) + 1
        try:
            given = _arguments(script, call)
            name, groups = (_cut if call[1] == "globalRecode" else _renamed)(given)
        except _NotPlain:
            raise InputError(
                f"{path}:{line}: the values of {call[1]} must stand in the call itself, such as "
                "c(0, 15, 65), for nothing of the script is run."
            ) from None
        found.setdefault(name, []).extend(groups)
    return {name: Recoding(path.name, tuple(groups)) for name, groups in found.items()}


def _cut(given: dict[str, list[_Value]]) -> tuple[str, list[_Group]]:
    """Return the groups of R's ``cut``: open below and closed above, the lowest value included."""
    name = _one_text(given.get("column"))
    breaks = sorted(b for b in given.get("breaks", []) if isinstance(b, float))
    labels = [label for label in given.get("labels", []) if label is not None]
    if len(breaks) < 2 or given.get("method", [None]) != [None]:
        raise _NotPlain
    if labels and len(labels) != len(breaks) - 1:
        raise _NotPlain
    groups = []
    for place, (low, high) in enumerate(pairwise(breaks)):
        bracket = "[" if place == 0 else "("
        span = f"{bracket}{low:g},{high:g}]"

        def holds(
            text: str, low: float = low, high: float = high, first: bool = place == 0
        ) -> bool:
            number = as_number(text)
            return number is not None and (low < number <= high or (first and number == low))

        groups.append(_Group(as_text(labels[place]) or span if labels else span, span, holds))
    return name, groups


def _renamed(given: dict[str, list[_Value]]) -> tuple[str, list[_Group]]:
    name = _one_text(given.get("var"))
    before = [as_text(value) for value in given.get("before", [])]
    after = [as_text(value) for value in given.get("after", [])]
    if len(after) == 1:
        after *= len(before)
    if not before or len(before) != len(after) or None in before or None in after:
        raise _NotPlain
    groups = []
    for label in dict.fromkeys(after):
        held = [old for old, new in zip(before, after, strict=True) if new == label]
        groups.append(_group_of_texts(str(label), [str(old) for old in held]))
    return name, groups


def _group_of_texts(label: str, held: Sequence[str]) -> _Group:
    return _Group(
        label, ", ".join(held), lambda text: any(text == h or _equal(text, h) for h in held)
    )


def _one_text(values: list[_Value] | None) -> str:
    if not values or len(values) != 1 or not isinstance(values[0], str):
        raise _NotPlain
    return values[0]


def _arguments(script: str, call: re.Match[str]) -> dict[str, list[_Value]]:
    """Return the arguments of a call by name, those that are values."""
    tokens = _tokens(script, call.end())
    parameters = _PARAMETERS[call[1]]
    named = {word for argument in tokens if (word := _name_of(argument)) is not None}
    rest = [parameter for parameter in parameters if parameter not in named]
    given: dict[str, list[_Value]] = {}
    for argument in tokens:
        word = _name_of(argument)
        name = word if word is not None else (rest.pop(0) if rest else "")
        if name not in ("obj", "", "addNA"):
            given[name] = _values(argument[2:] if word is not None else argument)
    return given


def _name_of(argument: Sequence[str]) -> str | None:
    return argument[0] if len(argument) > 2 and argument[1] == "=" else None


def _tokens(script: str, start: int) -> list[list[str]]:
    """Return the words of each argument of a call that begins here."""
    arguments: list[list[str]] = [[]]
    depth, place = 0, start
    while found := _TOKEN.match(script, place):
        place, word = found.end(), found[1]
        if word == ")" and depth == 0:
            return [argument for argument in arguments if argument]
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and depth == 0:
            arguments.append([])
        elif not word.isspace():
            arguments[-1].append(word)
    raise _NotPlain


def _values(words: Sequence[str]) -> list[_Value]:
    """Return what an argument holds: a value, a row of them, or a vector."""
    if len(words) > 3 and words[0] in ("c", "seq") and words[1] == "(" and words[-1] == ")":
        parts = [_values(part) for part in _split(words[2:-1])]
        if words[0] == "c":
            return [value for part in parts for value in part]
        return [float(number) for number in _sequence([_number(part) for part in parts])]
    if ":" in words:
        place = list(words).index(":")
        low, high = _number(_values(words[:place])), _number(_values(words[place + 1 :]))
        return [float(number) for number in _sequence([low, high])]
    if len(words) == 2 and words[0] == "-":
        return [-_number(_values(words[1:]))]
    if len(words) != 1:
        raise _NotPlain
    (word,) = words
    if word[0] in "\"'":
        return [re.sub(r"\\(.)", r"\1", word[1:-1])]
    if word in ("NULL", "NA"):
        return [None]
    if word == "Inf":
        return [float("inf")]
    try:
        return [float(word.removesuffix("L"))]
    except ValueError:
        raise _NotPlain from None


def _split(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Part the arguments of `c` or `seq`; names such as ``by =`` are left out."""
    begin = depth = 0
    for place, word in enumerate([*words, ","]):
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and depth == 0:
            part = words[begin:place]
            yield part[2:] if _name_of(part) is not None else part
            begin = place + 1


def _number(values: list[_Value]) -> float:
    if len(values) != 1 or not isinstance(values[0], float):
        raise _NotPlain
    return values[0]


_MOST = 100_000


def _sequence(ends: Sequence[float]) -> Iterator[float]:
    """Yield the numbers from one to another by a step, the last included."""
    if not 2 <= len(ends) <= 3:
        raise _NotPlain
    low, high, step = [*ends, 1.0][:3]
    if not step > 0 or not 0 <= (high - low) / step <= _MOST:
        raise _NotPlain
    number = low
    while number <= high + step * 1e-9:
        yield round(number, 9)
        number += step
