"""A first project file, drafted from the data, with the reason for each guess beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indistinct.core import ROLES, InputError, did_you_mean
from indistinct.core.doors import write_whole
from indistinct.dirt import Dirt, look_at_values, mending_settings
from indistinct.engine import Engine
from indistinct.files import Source, is_database, mended, shown_address
from indistinct.naming import Guess, find_person, guess_variables, with_person
from indistinct.options import toml_comment, toml_header, toml_key, toml_value
from indistinct.project.declared import Declared, mend_for
from indistinct.project.folding import (
    CERTAINTIES,
    FOLDED_FROM,
    Beside,
    DraftLine,
    folded_lines,
    name_shape,
)
from indistinct.project.roles import write_roles
from indistinct.protect import usual_method
from indistinct.results import Shown, Table

__all__ = ["Draft", "draft_project"]

_HEAD = """\
# Read what was guessed below, correct it, see who stands out, and run it:
#     indistinct uniques {file}
#     indistinct run {file}
#
# Roles:
#   identifier    names a person outright; it never leaves
#   key           an intruder can know it
#   sensitive     what an intruder is after
#   weight        the sampling weight
#   household     the number of the household
#   relationship  the relationship to the head of the household
#   other         none of these
# Levels: nominal, ordinal, numeric, date, taxonomy (codes that form a tree).
# Above each variable stands how certain its role is, and why; what is unsure is ASKED.
"""

_RELEASE = """\
# Every class of records that agree on the key has records of at least k people.
{k}
# Is the key (every variable with role = "key") all that an intruder may know? Until a person has
# looked and says so here, the release holds only with a reservation, and its report is not green.
confirmed = false
{person}
# A missing value is a category of its own ("own"), or can be any value ("wildcard").
missing = "own"
# hierarchies = "hierarchies"   # a folder of <variable>.csv files
# How the records are changed. This method because {reason}.
# What the others would cost is shown by: indistinct protect {file} --compare
method = "{method}"
# keep = []                     # the variables that are released beside the key; else all
# release = []                  # what names people and is released all the same
# registers = []                # files of people to attack the release with
# earlier = []                  # earlier releases of the same people, which must not be undone
out = "release"
# format = "csv"                # parquet, csv, stata or spss
# holder = ""                   # who answers for the release
# recipient = ""
# purpose = ""
# access = "semi-public"        # private, semi-private, semi-public or public
# audit = "audit.jsonl"         # the audit trail of the organisation

# What is read before signing: release/private/report.html, and an edition to show to others.
[report]
utility = true                  # compare the release with the original
map = false                     # protect copies in other ways too, for a map; takes far longer
shareable = true                # write an edition without private values, beside the folder
pdf = false                     # print each to PDF too; needs Chromium, Chrome or Edge

# The terms of use; what is left out stays blank in contract.md, for signing by hand.
# [contract]
# needed = []                   # variables that the purpose needs
# could_link = []               # variables on which the recipient could link other data
# will_link = []                # variables on which the recipient will
# lifetime = 2030-06-30         # the recipient works with the data until then
# destroy_by = 2030-12-31       # and destroys every copy by then
# review_days = 30              # the holder reads publications so many days before
# security = ""                 # how the recipient keeps the data safe
# sanctions = ""                # what follows if the terms are broken
"""


@dataclass(frozen=True, repr=False)
class Draft(Shown):
    """Guesses about the variables of a data set; printed as a table, written as a project file.

    Parameters
    ----------
    data_path
        The data as the user named them.
    records
        How many records were looked at.
    guesses
        What each variable may be for, in file order.
    query
        What was asked of a database.
    person
        The column that says whose record each is, where people have several.
    reading
        What else was said of how the data are read, as ``[data]`` has it.
    dirt
        What is not as it should be, with the settings that mend it.
    distinct, missing
        How many different values a variable has, and how many records have none.
    mend
        Whether what can be mended without loss is: the guesses are of the mended records, and the
        settings stand in the project file. Else they are comments.
    """

    data_path: str
    records: int
    guesses: tuple[Guess, ...]
    query: str | None = None
    person: str | None = None
    reading: Mapping[str, str | int] = field(default_factory=dict)
    dirt: tuple[Dirt, ...] = ()
    distinct: Mapping[str, int] = field(default_factory=dict)
    missing: Mapping[str, int] = field(default_factory=dict)
    mend: bool = False

    def __getitem__(self, name: str) -> Guess:
        for guess in self.guesses:
            if guess.name == name:
                return guess
        hint = did_you_mean(name, [guess.name for guess in self.guesses])
        raise InputError(f"There is no variable '{name}'. {hint}")

    def __iter__(self) -> Iterator[Guess]:
        return iter(self.guesses)

    def __len__(self) -> int:
        return len(self.guesses)

    def _rows(self) -> list[tuple[str, ...]]:
        """Return what is guessed, a line each; of many variables those that are alike together."""
        if len(self.guesses) > FOLDED_FROM:
            lines = folded_lines(self.guesses)
        else:
            lines = [DraftLine(guess.name, (guess,)) for guess in self.guesses]
        said = [(line.name, line.first, line.because) for line in lines]
        return [(name, g.role, g.level, g.certainty, because) for name, g, because in said]

    def _told_dirt(self) -> list[str]:
        """Return what is dirty, once for variables whose names differ in numbers alone."""
        groups: dict[str, list[Dirt]] = {}
        for one in self.dirt:
            same = repr((name_shape(one.variable), one.kind, dict(one.settings)))
            groups.setdefault(same, []).append(one)
        return [
            f"{of[0]}; {len(of) - 1:,} more like it" if len(of) > 1 else str(of[0])
            for of in groups.values()
        ]

    def _lines(self) -> list[str]:
        rows = [_COLUMNS, *self._rows()]
        widths = [min(max(len(row[i]) for row in rows), 40) for i in range(len(_COLUMNS) - 1)]
        shown = [
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in rows
        ]
        dirty = self._told_dirt()
        if dirty:
            dirty = ["", "not as it should be:", *dirty]
        return [f"{_shown(self.data_path)}: {self.records:,} records", *shown, *dirty]

    @property
    def asked(self) -> tuple[Guess, ...]:
        """The guesses that are unsure, which a person should answer."""
        return tuple(guess for guess in self.guesses if guess.question)

    def asking(self) -> Iterator[str]:
        """Give what a person should answer, what protects most first, a sentence for each role."""
        for role in ROLES:
            names = [guess.name for guess in self.asked if guess.role == role]
            if names:
                more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
                question = next(g.question for g in self.asked if g.role == role)
                yield f"asked of {', '.join(names[:_NAMED])}{more} ({role}): {question}"

    def __repr__(self) -> str:
        return self._short()

    def to_dict(self) -> dict[str, Any]:
        """Return what was guessed, for other programs."""
        return {
            "data": _shown(self.data_path),
            "records": self.records,
            "person": self.person,
            "variables": [
                {
                    "name": g.name,
                    "role": g.role,
                    "level": g.level,
                    "certainty": g.certainty,
                    "reason": g.reason,
                    "question": g.question,
                }
                for g in self.guesses
            ],
            "asked": [g.name for g in self.asked],
            "dirt": [one.to_dict() for one in self.dirt],
            "mended": self.mend,
        }

    def to_toml(
        self,
        *,
        file: str = "release.toml",
        folder: Path | None = None,
        folded: bool | None = None,
        roles: str | Path | None = None,
    ) -> str:
        """Return the text of a project file.

        Parameters
        ----------
        file
            The name that the file will have.
        folder
            Where it will stand; the data are then named relative to it.
        folded
            Whether variables that are alike share a line; by default where there are many.
        roles
            The table of roles that stands in place of the variables' sections.
        """
        key = [guess.name for guess in self.guesses if guess.role == "key"]
        promise = "k = 5" if key else "# k = 5   (no variable looks like a key: name some first)"
        usual = usual_method(
            records=self.records,
            weighted=any(guess.role == "weight" for guess in self.guesses),
            several_records=self.person is not None,
        )
        lines = [
            toml_comment(f"A first draft, from {self.records:,} records."),
            _HEAD.format(file=toml_comment(file)[2:]),
            *self._on_dirt(),
            toml_header("data"),
            f"file = {toml_value(self._data_from(folder))}",
        ]
        if self.query is not None:
            lines.append(f"query = {toml_value(self.query)}")
        for name, value in self.reading.items():
            if name == "dictionary":
                value = self._from(folder, str(value))
            lines.append(f"{name} = {toml_value(value)}")
        if roles is not None:
            lines.append(f"roles = {toml_value(self._from(folder, str(roles)))}")
        lines += self._mending([one for one in self.dirt if one.of_data])
        lines += [
            "",
            toml_header("release"),
            _RELEASE.format(
                k=promise,
                person=self._person(),
                file=toml_comment(file)[2:],
                method=usual.method,
                reason=usual.reason,
            ),
        ]
        if roles is not None:
            return "\n".join(lines)
        if folded is None:
            folded = len(self.guesses) > FOLDED_FROM
        if folded:
            return "\n".join([*lines, *self._folded()]) + "\n"
        for guess in self.guesses:
            lines += [*self._section(guess), ""]
        return "\n".join(lines[:-1]) + "\n"

    def write(
        self, path: str | Path, *, overwrite: bool = False, roles: str | Path | None = None
    ) -> Path:
        """Write the project file, whole or not at all; an existing file only if told so.

        With `roles`, what is said of variables is written there, as a workbook or CSV file.
        """
        path = Path(path)
        text = self.to_toml(file=path.name, folder=path.parent, roles=roles)
        if roles is not None:
            write_roles(roles, self._role_rows(), overwrite=overwrite)
        return write_whole(path, text, overwrite=overwrite)

    def _role_rows(self) -> list[dict[str, str | int | None]]:
        """Return the lines of the table of roles, those that are unsure first."""
        rows: list[dict[str, str | int | None]] = []
        for guess in sorted(self.guesses, key=lambda guess: CERTAINTIES.index(guess.certainty)):
            missing = [f"missing = {toml_value(guess.missing)}"] if guess.missing else []
            mending = self._mending(self._dirt_of(guess.name))
            rows.append(
                {
                    "name": guess.name,
                    "label": guess.label or None,
                    "role": guess.role,
                    "guessed role": guess.role,
                    "level": guess.level,
                    "distinct": self.distinct.get(guess.name),
                    "missing": self.missing.get(guess.name),
                    "certainty": guess.certainty,
                    "reason": guess.reason,
                    "possible hierarchy": toml_value(guess.hierarchy) if guess.hierarchy else None,
                    "settings": "\n".join([*missing, *mending]) or None,
                }
            )
        return rows

    def _dirt_of(self, name: str) -> list[Dirt]:
        return [one for one in self.dirt if one.variable == name and not one.of_data]

    def _on_dirt(self) -> list[str]:
        """Return what is said at the head of the file where something is dirty."""
        if not self.dirt:
            return []
        dirty = len({one.variable for one in self.dirt})
        of = f"# {dirty:,} of {len(self.guesses):,} variables"
        have = "has" if dirty == 1 else "have"
        if self.mend:
            return [
                f"{of} {have} values that are not as they should be. What is mended without loss",
                "# is mended when the data are read; what stands as a comment is yours to decide.",
                "",
            ]
        return [
            f"{of} {have} values that are not as they should be. The lines that mend them stand",
            "# beside: take the # away and look at the level, or draft again with --mend. What is",
            "# right as it is has checked = true, and is told no more.",
            "",
        ]

    def _beside(self, found: list[Dirt]) -> Beside:
        """Return what is mended, what could be, and what was found."""
        mended = mending_settings(one for one in found if self.mend and one.sure)
        rest = mending_settings(one for one in found if not (self.mend and one.sure))
        proposed = {name: value for name, value in rest.items() if name not in mended}
        return Beside(mended, proposed, tuple(one.said for one in found))

    def _mending(self, found: list[Dirt]) -> list[str]:
        """Return the lines that mend, after what they mend; as comments what is not asked for."""
        beside = self._beside(found)
        lines = [toml_comment(f"{one.variable}: {one.said}") for one in found]
        lines += [f"{toml_key(n)} = {toml_value(value)}" for n, value in beside.mended.items()]
        proposed = beside.proposed.items()
        return lines + [toml_comment(f"{toml_key(n)} = {toml_value(v)}") for n, v in proposed]

    def _section(self, guess: Guess) -> list[str]:
        lines = [
            toml_comment(f"{guess.certainty}: {guess.reason}"),
            *([toml_comment(f"ASKED: {guess.question}")] if guess.question else []),
            toml_header("variables", guess.name),
            f"role = {toml_value(guess.role)}",
            f"level = {toml_value(guess.level)}",
        ]
        if guess.label:
            lines.append(f"label = {toml_value(guess.label)}")
        if guess.missing:
            lines.append(f"missing = {toml_value(guess.missing)}")
        if guess.hierarchy:
            said = f"{toml_key('hierarchy')} = {toml_value(guess.hierarchy)}"
            lines.append(toml_comment(said))
        return [*lines, *self._mending(self._dirt_of(guess.name))]

    def _folded(self) -> list[str]:
        """Return a line for all that is alike, what is unsure first."""
        dirty = dict.fromkeys(one.variable for one in self.dirt)
        folded = folded_lines(
            self.guesses, {name: self._beside(self._dirt_of(name)) for name in dirty}
        )
        unsure = [line for line in folded if not line.is_sure]
        sure = [line for line in folded if line.is_sure]
        lines = []
        lines.append("# A line for each variable, or for all whose names fit a pattern (* and ?).")
        lines.append("# What has a line or section of its own goes before a pattern.")
        lines.append(toml_header("variables"))
        if unsure:
            lines.append("# Unsure: look at each of them.")
            lines += [text for line in unsure for text in line.to_toml()]
        for role in dict.fromkeys(line.first.role for line in sure):
            lines += ["", f"# {role}"]
            lines += [t for line in sure if line.first.role == role for t in line.to_toml()]
        return lines

    def _person(self) -> str:
        """Return the line that says who the people are."""
        if self.person is None:
            return (
                '# person = ""                   # whose record each is, where people have several'
            )
        named = f"person = {toml_value(self.person)}"
        return f"# Several records share what stands here, so k counts people by it.\n{named}"

    def _data_from(self, folder: Path | None) -> str:
        return self._from(folder, self.data_path)

    @staticmethod
    def _from(folder: Path | None, path: str) -> str:
        """Return a path as it is named from the folder of the project file."""
        if is_database(path) or folder is None:
            return _shown(path)
        try:
            relative = os.path.relpath(path, folder)
        except ValueError:  # another drive
            return str(Path(path).resolve())
        return Path(relative).as_posix()

    def _tables(self) -> list[Table]:
        return [
            Table(
                f"What the variables of {_shown(self.data_path)} may be for",
                _COLUMNS,
                [(g.name, g.role, g.level, g.certainty, g.reason) for g in self.guesses],
            )
        ]


def draft_project(
    engine: Engine,
    source: Source,
    *,
    data_path: str | Path,
    query: str | None = None,
    table: str | None = None,
    header_row: int | None = None,
    dictionary: str | Path | None = None,
    mend: bool = False,
) -> Draft:
    """Guess what each variable is for, from all that is known of it, and find what is dirty.

    Parameters
    ----------
    engine
        Counts distinct and missing values, in all records.
    source
        The data, opened; the form of text is looked at in the first 10,000 records.
    data_path
        The data as the user named them, for the project file.
    query, table, header_row, dictionary
        How the data were read, where that had to be said.
    mend
        Guess from the records as they are when all that is dirty, and is mended without loss, is
        mended.

    >>> import pyarrow as pa
    >>> from indistinct.engine import start_engine
    >>> from indistinct.files import open_table, workspace
    >>> with workspace() as folder, start_engine(workspace=folder, threads=1) as engine:
    ...     people = pa.table({"sex": ["m", "f"] * 20, "Einkommen": range(1000, 1040)})
    ...     source = open_table(people, workspace=folder)
    ...     print(draft_project(engine, source, data_path="people.csv"))
    people.csv: 40 records
    variable   role       level    certainty  because
    sex        key        nominal  sure       name says sex; 2 categories
    Einkommen  sensitive  numeric  sure       name says money; 40 different numbers
    """
    records = source.records
    if mend:
        looked = look_at_values(source, person=find_person(engine, source))
        source = _mended(engine, source, looked.dirt)
    guesses = guess_variables(engine, source)
    key = [guess.name for guess in guesses if guess.role == "key"]
    person = find_person(engine, with_person(engine, source, key=key), key=key)
    if not mend:
        looked = look_at_values(source, person=person)
    reading: dict[str, str | int] = {}
    if table is not None:
        reading["table"] = table
    if header_row is not None:
        reading["header_row"] = header_row
    if dictionary is not None:
        reading["dictionary"] = str(dictionary)
    return Draft(
        str(data_path),
        records,
        guesses,
        query,
        person,
        reading,
        looked.dirt,
        looked.distinct,
        looked.missing,
        mend,
    )


_NAMED = 12
"""Variables that are named in one sentence; the project file asks for each."""

_COLUMNS = ("variable", "role", "level", "certainty", "because")


def _mended(engine: Engine, source: Source, dirt: tuple[Dirt, ...]) -> Source:
    """Return the records with all mended that is mended without loss."""
    sure = [one for one in dirt if one.sure]
    of_data = mending_settings(one for one in sure if one.of_data)
    mends = {}
    for name in {one.variable for one in sure if not one.of_data}:
        settings = mending_settings(o for o in sure if o.variable == name and not o.of_data)
        said: dict[str, Any] = {
            n: tuple(v) if isinstance(v, list) else v for n, v in settings.items()
        }
        mends[name] = mend_for(Declared(**said), source.variables[name])
    return mended(source, mends, workspace=engine.workspace, **of_data)


def _shown(data_path: str) -> str:
    """Return the path; a database's address without its password."""
    return shown_address(data_path) if is_database(data_path) else data_path
