"""The project file: its sections, each a frozen dataclass, and every setting with its meaning.

A new setting is one line here; a new section is a dataclass and one line in `Project`.

Putting what a project file declares onto the variables of a data set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import pyarrow as pa

from indistinct import hierarchy as climbing
from indistinct.core import (
    InputError,
    Missing,
    Variable,
    did_you_mean,
    holds_numbers,
    holds_text,
)
from indistinct.engine import EngineName
from indistinct.files import Format, Source, mended, open_data
from indistinct.households import HouseholdColumns
from indistinct.options import READING, RELEASING, Lines, Told, Use, Where
from indistinct.project.declared import (
    MENDING,
    Declared,
    DeclaredVariables,
    is_name_pattern,
    mend_for,
)
from indistinct.project.method import MethodSettings, named_in_method
from indistinct.project.publishing import DeclaredRecode, DeclaredTable, Publish
from indistinct.project.sections import (
    Access,
    Contract,
    DeclaredRule,
    DeclaredStep,
    Household,
    Recipient,
    ReportSettings,
    TextSettings,
    household_columns,
    named_in_household,
    named_in_text,
    named_variables,
)
from indistinct.project.settings import (
    Problems,
    choice,
    cluster,
    count_or_share,
    data_file,
    encoding,
    existing_file,
    header,
    listed,
    of_option,
    one_or_several,
    path,
    setting,
    shown,
    size,
    text,
    whole,
    yes_or_no,
)
from indistinct.rules import Rules

__all__ = ["UNIQUE_ROLES", "Access", "Data", "EngineSettings", "Project", "Release"]

UNIQUE_ROLES = ("weight", "household", "relationship")
"""Roles that one variable at most can have."""

Loss = Literal["loss", "precision", "entropy", "discernibility", "aecs"]
"""What is made least by a method that can choose: a measure of `indistinct.utility`."""


@dataclass(frozen=True)
class Data:
    """``[data]``: where the records are."""

    file: str | Path = setting(
        data_file,
        "the records: a file, or postgresql://user@host/database",
        default="",
        required=True,
    )
    query: str | None = of_option("query")
    delimiter: str | None = setting(text, "what parts the fields of a CSV file")
    encoding: str | None = setting(encoding, "the character encoding of a CSV file")
    decimal: str | None = setting(choice(".", ","), "the decimal sign of a CSV file")
    table: str | None = of_option("table")
    header_row: int | None = of_option("header_row")
    dictionary: Path | None = setting(existing_file, READING["dictionary"].meaning)
    roles: Path | None = setting(
        existing_file,
        "a table with a line for each variable, as init --as writes it: name, role, level and more",
    )
    same_twice: str | None = setting(
        text,
        "the column that numbers the people: a record that is the same as an earlier one in every "
        "variable is left out",
    )
    one_each: str | None = setting(
        text,
        "the column that numbers the people: of the records with one number the first is kept",
    )


@dataclass(frozen=True)
class Release:
    """``[release]``: what is promised, to whom, and where it goes."""

    k: int | None = of_option("k")
    at_most: int | None = of_option("at_most")
    key: tuple[str, ...] | None = of_option("key")
    person: str | None = of_option("person")
    missing: Missing = setting(
        choice("own", "wildcard"),
        "what a missing value is when records are counted: a category of its own, or any value",
        default="own",
    )
    hierarchies: Path | None = setting(
        existing_file,
        "a folder of <variable>.csv hierarchy files, or a file of ARX, µ-Argus or sdcMicro",
    )
    method: str | None = setting(text, "how the data are protected, as --method says it")
    plan: Path | None = setting(
        existing_file, "a plan that was saved, to be replayed instead of a method"
    )
    max_drop: float | None = setting(
        count_or_share, "how many records may be left out: a number, or a share: 0.05 or '5%'"
    )
    loss: Loss | None = setting(choice(*get_args(Loss)), "the measure that is made least")
    keep: tuple[str, ...] | None = of_option("keep")
    keep_order: bool = of_option("keep_order", default=False)
    keep_formulas: bool = of_option("keep_formulas", default=False)
    keep_household_numbers: bool = of_option("keep_household_numbers", default=False)
    substitute: tuple[str, ...] | None = of_option("substitute")
    release: tuple[str, ...] | None = of_option("keep_named")
    registers: tuple[Path, ...] | None = setting(
        listed(existing_file, "files"), "files of people to attack the release with"
    )
    earlier: tuple[Path, ...] | None = setting(
        listed(existing_file, "release folders"),
        "earlier releases of the same people, which must not be undone",
    )
    confirmed: bool | None = setting(
        yes_or_no, "whether a person has confirmed that the key is what an intruder may know"
    )
    told: Told | None = of_option("told")
    accept: tuple[str, ...] | None = of_option("accept")
    use: Use | None = of_option("use")
    reach: int | None = of_option("reach")
    out: Path | None = setting(path, "the release folder to write")
    format: Format | None = of_option("format")
    seed: int | None = setting(
        whole(least=0), "for repeating a run; it stays private, with this file"
    )
    purpose: str | None = setting(text, "what the recipient wants the data for")
    recipient: str | None = setting(text, "who gets the data")
    access: Access | None = setting(choice(*get_args(Access)), "who else may get the data")
    holder: str | None = setting(text, "who holds the data and answers for the release")
    audit: Path | None = setting(path, "the audit trail of the organisation; see also private/")
    sign: Path | None = setting(
        existing_file, "the holder's private key, which signs the certificate"
    )
    secret: Path | None = setting(path, "encrypt: where the key is written")
    policy: tuple[Path, ...] | None = setting(
        one_or_several(listed(existing_file, "files")), RELEASING["policy"].meaning
    )
    exceptions: tuple[str, ...] | None = of_option("exceptions")


@dataclass(frozen=True)
class DeclaredPublic:
    """``[public.NAME]``: what anybody knows of everybody, so that no class tells it."""

    variable: str = setting(text, "the sensitive variable", default="", required=True)
    value: str = setting(text, "the value that everybody has", default="", required=True)
    given: str = setting(text, "the variable of the key that says who", default="", required=True)
    labels: tuple[str, ...] = setting(
        listed(text, "labels"), 'of whom: values or ranges, as "<15"', default=(), required=True
    )


@dataclass(frozen=True)
class EngineSettings:
    """``[engine]``: what does the counting."""

    name: EngineName = setting(
        choice(*get_args(EngineName)), "this machine or a cluster", default="duckdb"
    )
    memory: str | None = setting(size, "memory it may use, such as 2GB")
    threads: int | None = setting(whole(least=1), "threads it may use")
    master: str | None = setting(cluster, "the address of the Spark cluster")


def _section(kind: type, *, named: bool = False) -> Any:
    """Declare a section; with `named`, a section that has one part per name."""
    return field(
        default_factory=dict if named else kind, metadata={"section": kind, "named": named}
    )


@dataclass(frozen=True)
class Project:
    """A project file that was read without a mistake. Make one with `load_project`."""

    path: Path
    data: Data = _section(Data)
    variables: DeclaredVariables = field(
        default_factory=DeclaredVariables, metadata={"section": Declared, "named": True}
    )
    release: Release = _section(Release)
    method: MethodSettings = _section(MethodSettings)
    report: ReportSettings = _section(ReportSettings)
    contract: Contract = _section(Contract)
    recipients: Mapping[str, Recipient] = _section(Recipient, named=True)
    household: Household = _section(Household)
    rules: Rules = field(default_factory=Rules, metadata={"section": DeclaredRule, "named": True})
    public: Mapping[str, DeclaredPublic] = _section(DeclaredPublic, named=True)
    steps: Mapping[str, Mapping[str, Any]] = _section(DeclaredStep, named=True)
    publish: Publish = _section(Publish)
    tables: Mapping[str, DeclaredTable] = _section(DeclaredTable, named=True)
    recodes: Mapping[str, DeclaredRecode] = _section(DeclaredRecode, named=True)
    text: TextSettings = _section(TextSettings)
    engine: EngineSettings = _section(EngineSettings)
    lines: Lines = field(default_factory=lambda: Lines({}), repr=False, compare=False)
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        roles: dict[str, list[str]] = {}
        for name, declared in self.variables.items():
            roles.setdefault(declared.role or "no role", []).append(name)
        promise = [f"{n} = {v}" for n in ("k", "at_most") if (v := getattr(self.release, n))]
        heading = f"{self.path}: {', '.join([f'{len(self.variables)} variables', *promise])}"
        return "\n".join([heading, *(f"  {role}: {', '.join(n)}" for role, n in roles.items())])

    def open(self, workspace: Path) -> Source:
        """Open the data and put on it what the file declares."""
        data = self.data
        source = open_data(
            data.file,
            workspace=workspace,
            query=data.query,
            table=data.table,
            header_row=data.header_row,
            dictionary=data.dictionary,
            delimiter=data.delimiter,
            encoding=data.encoding,
            decimal=data.decimal,
        )
        return self.apply_to(source, workspace=workspace)

    def apply_to(self, source: Source, *, workspace: Path | None = None) -> Source:
        """Return the source, mended, with the declared roles, levels, labels, codes and categories.

        Names that the data do not have, and codes that do not fit the type of their column, are
        refused, all at once. Labels, codes and categories take the type of the column.

        Parameters
        ----------
        workspace
            Where a mended copy is written; needed where the file mends values.
        """
        return apply_declarations(self, source, workspace)

    def mending(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return by variable the settings that mend its values when they are read."""
        found = {name: self.variables[name] for name in names if name in self.variables}
        said = {
            name: tuple(one for one in MENDING if getattr(declared, one))
            for name, declared in found.items()
        }
        return {name: settings for name, settings in said.items() if settings}

    def key(self, source: Source) -> list[str]:
        """Return the key: what the file names, or every variable with role key."""
        names = list(self.release.key or source.variables.names(role="key"))
        if not names:
            raise InputError(
                f'{self.path}: no variable has the role "key". Give it to what an intruder can '
                "know, such as age and sex, or name them in [release] key."
            )
        return names

    def household_columns(self, source: Source) -> HouseholdColumns:
        """Return which columns say who lives with whom: as declared, and the rest guessed."""
        return household_columns(self, source)

    def public_if(self, key: Iterable[str]) -> dict[str, str]:
        """Return, for the variables of a key that are public for some records only, the column
        that says so."""
        named = ((name, self.variables[name].public_if) for name in key if name in self.variables)
        return {name: column for name, column in named if column}

    def of_variables(self, setting: str, key: Iterable[str]) -> dict[str, Any]:
        """Return what is declared under one setting for the variables of a key."""
        named = ((name, self.variables[name]) for name in key if name in self.variables)
        return {
            name: value
            for name, declared in named
            if (value := getattr(declared, setting)) is not None
        }

    def said_of(self, setting: str, key: Iterable[str]) -> Any:
        """Return what the file says where an option stands: ``release.max_drop``, or a number by
        variable of the key, ``variables.importance``."""
        section, _, name = setting.partition(".")
        if section == "variables":
            return self.of_variables(name, key)
        return getattr(getattr(self, section), name)

    def hierarchies(
        self, values: Mapping[str, Iterable[object]], source: Source
    ) -> climbing.Hierarchies:
        """Return a hierarchy for each variable, given the values that occur.

        What the file describes for the variable comes first, then ``<variable>.csv`` in the
        folder of hierarchies, then one chosen from the values. Codes that mean *missing* stay
        as they are.
        """
        known = {name: list(occurring) for name, occurring in values.items()}
        special = {
            name: [v for v in occurring if v is not None and source.variables[name].is_missing(v)]
            for name, occurring in known.items()
        }
        built, problems = {}, []
        for name, occurring in known.items():
            declared = self.variables.get(name)
            if declared is not None and declared.hierarchy is not None:
                try:
                    built[name] = declared.hierarchy.build(
                        occurring, name=name, special=special[name]
                    )
                except InputError as error:
                    entry = self.variables.entry_of(name, "hierarchy")
                    line = self.lines[(*entry.where, "hierarchy")]
                    problems.append(f"{self.path}:{line}: {error}")
        if problems:
            raise InputError("\n".join(problems))
        rest = climbing.load_hierarchies(
            self.release.hierarchies,
            {name: occurring for name, occurring in known.items() if name not in built},
            levels={name: source.variables[name].level for name in known},
            special=special,
            labelled={n for n, found in known.items() if source.variables[n].labels_most(found)},
        )
        return climbing.Hierarchies(
            [built.get(n) or rest[n] for n in known], notes=rest.notes, chosen=rest.chosen
        )


# Putting what a project file declares onto the variables of a data set ---------------------------


class _Unfit(Exception):
    """A declared value that a column of this type cannot hold."""


def apply_declarations(project: Project, source: Source, workspace: Path | None) -> Source:
    """Return the source with its values mended and its variables as declared; refuse what does
    not fit, all at once."""
    problems = Problems(str(project.path), project.lines)
    declared = {
        name: project.variables[name] for name in source.variables if name in project.variables
    }
    _check_names(project, source, problems)
    _check_unique_roles(project, declared, problems)
    if not len(problems):
        source = _mended(project, source, declared, workspace)
    schema = source.schema
    changes = {
        name: _changes(project, name, said, schema.field(name).type, problems)
        for name, said in declared.items()
    }
    problems.raise_all()
    return replace(source, variables=source.variables.updated(changes))


def _check_names(project: Project, source: Source, problems: Problems) -> None:
    """Find the names that the data do not have, and patterns that nothing fits."""
    for name in project.variables:
        entry = project.variables.entries(name)[0]
        if name in source.variables or not is_name_pattern(name):
            _exists(source, name, entry.where, entry.label, problems)
        elif not project.variables.fitting(name, source.variables):
            problems.add(
                entry.where,
                f"{entry.label} fits no variable of {source.origin}. "
                f"{did_you_mean(name.strip('*?'), source.variables)}",
            )
    for name in source.variables:
        odds = project.variables.at_odds(name)
        if odds is not None:
            setting_name, one, other = odds
            problems.add(
                (*other.where, setting_name),
                f"{one.label} and {other.label} both fit '{name}', and say different things of its "
                f"{setting_name}. Say it in {header(('variables', name))}.",
            )
        if name in project.variables and (of := project.variables[name].public_if) is not None:
            entry = project.variables.entry_of(name, "public_if")
            _exists(source, of, (*entry.where, "public_if"), f"{entry.label} public_if", problems)
    for setting_name in ("same_twice", "one_each"):
        if (number_of := getattr(project.data, setting_name)) is not None:
            place: Where = ("data", setting_name)
            _exists(source, number_of, place, f"[data] {setting_name}", problems)
    for entry_name in ("key", "keep", "substitute", "release"):
        for position, name in enumerate(getattr(project.release, entry_name) or ()):
            place = ("release", entry_name, position)
            _exists(source, name, place, f"[release] {entry_name}", problems)
    for where, label, name in (
        *named_variables(project.contract),
        *named_in_method(project),
        *named_in_household(project),
        *named_in_text(project.text),
    ):
        _exists(source, name, where, label, problems)


def _check_unique_roles(
    project: Project, declared: Mapping[str, Declared], problems: Problems
) -> None:
    """Refuse a second weight, household or relationship among those that patterns named."""
    for role in UNIQUE_ROLES:
        first, *others = [name for name, said in declared.items() if said.role == role] or [""]
        for name in others:
            entry = project.variables.entry_of(name, "role")
            problems.add(
                (*entry.where, "role"),
                f"{entry.label} role: {first!r} is the {role} already, and '{name}' would be a "
                "second. One variable at most can be: give one of them another role.",
            )


def _mended(
    project: Project,
    source: Source,
    declared: Mapping[str, Declared],
    workspace: Path | None,
) -> Source:
    mends = {name: mend_for(said, source.variables[name]) for name, said in declared.items()}
    mends = {name: mend for name, mend in mends.items() if mend}
    numbered = {"same_twice": project.data.same_twice, "one_each": project.data.one_each}
    if not mends and not any(numbered.values()):
        return source
    if workspace is None:
        raise InputError(
            f"{project.path} mends values on the way in, which needs a place for the mended copy. "
            "Give workspace=."
        )
    return mended(source, mends, workspace=workspace, **numbered)


def _exists(source: Source, name: str, where: Where, label: str, problems: Problems) -> bool:
    try:
        source.check_columns([name])
    except InputError as error:
        problems.add(where, f"{label}: {error}")
        return False
    return True


def _changes(
    project: Project, name: str, declared: Declared, kind: pa.DataType, problems: Problems
) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for key in ("role", "level", "label"):
        if getattr(declared, key) is not None:
            changes[key] = getattr(declared, key)

    def fitted(value: Any, *steps: str | int) -> Any:
        try:
            if isinstance(value, tuple):
                return tuple(_fit_number(v, kind) for v in value)
            return _fit(value, kind)
        except _Unfit:
            said = shown(list(value) if isinstance(value, tuple) else value)
            entry = project.variables.entry_of(name, str(steps[0]))
            problems.add(
                (*entry.where, *steps),
                f"{entry.label} {steps[0]}: {said} does not fit the column, which holds "
                f"{_said(kind)}. Correct it.",
            )
            return value

    for old, new in (declared.recode or {}).items() if holds_numbers(kind) else ():
        if _fits(old, kind):
            fitted(new, "recode", old)
    if declared.labels is not None:
        pairs = declared.labels.items()
        changes["labels"] = {fitted(code, "labels", code): label for code, label in pairs}
    if declared.missing is not None:
        emptied = mend_for(declared, Variable(name)).empty
        codes = [(i, code) for i, code in enumerate(declared.missing) if code not in emptied]
        changes["user_missing"] = tuple(fitted(code, "missing", i) for i, code in codes)
    if declared.categories is not None:
        values = enumerate(declared.categories)
        changes["categories"] = tuple(fitted(value, "categories", i) for i, value in values)
    return changes


def _fit_number(value: Any, kind: pa.DataType) -> Any:
    if not holds_numbers(kind):
        raise _Unfit
    return value


def _fit(value: Any, kind: pa.DataType) -> Any:
    """Give a declared value the type of its column: keys of a TOML table are always text."""
    if holds_text(kind):
        return climbing.as_text(value)
    if not holds_numbers(kind):
        raise _Unfit
    if not isinstance(value, str):
        return value
    try:
        return int(value) if pa.types.is_integer(kind) else float(value)
    except ValueError:
        raise _Unfit from None


def _fits(value: Any, kind: pa.DataType) -> bool:
    try:
        _fit(value, kind)
    except _Unfit:
        return False
    return True


def _said(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "whole numbers"
    if holds_numbers(kind):
        return "numbers"
    return "text" if holds_text(kind) else f"values of type {kind}"
