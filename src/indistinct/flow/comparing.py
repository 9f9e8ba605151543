"""One call that compares a release with its original by everything that applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from indistinct.core import InputError, Ints, Level, Seed, progress
from indistinct.core.doors import watching
from indistinct.engine import Engine, EngineName
from indistinct.files import Source
from indistinct.flow.opening_both import (
    Opened,
    find_project,
    given_hierarchies,
    open_original,
    open_released,
    started_engine,
)
from indistinct.hierarchy import Hierarchy
from indistinct.households import HouseholdColumns, Kinship
from indistinct.project import Project, check_categories, check_levels
from indistinct.prove.changes import Match, ProtectionReport
from indistinct.rules import Rules, RulesReport
from indistinct.utility.analyses import Utility
from indistinct.utility.comparing import (
    Households,
    Prepared,
    ReleaseComparison,
    check_limits,
    compare_edit_rules,
    find_households,
    general_utility,
    in_another_order,
    made_demography,
    prepare,
    report_protection,
)
from indistinct.utility.demography import KinshipOf

__all__ = ["compare_release"]

_PARTS = 4
"""Opening, general measures, demographic tests, record by record."""

_NOT_COMPARED = ("identifier", "weight", "household")


@watching()
def compare_release(
    original: Any,
    released: Any,
    *,
    project: str | Path | Project | None = None,
    key: Sequence[str] | None = None,
    variables: Sequence[str] | None = None,
    levels: Mapping[str, Level] | None = None,
    targets: Sequence[str] = (),
    predictors: Sequence[str] = (),
    by: str | None = None,
    weight: str | None = None,
    household: HouseholdColumns | Mapping[str, Any] | None = None,
    education: str | None = None,
    kinship: KinshipOf = "own",
    thresholds: Mapping[str, float] | None = None,
    least: Mapping[str, float] | None = None,
    demography: bool | None = None,
    rules: Rules | None = None,
    protection: bool | None = None,
    match: str | None = None,
    unmatched: bool = False,
    origin: Ints | None = None,
    hierarchies: str | Path | Mapping[str, Hierarchy] | None = None,
    engine: Engine | EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
    seed: Seed = 1,
) -> ReleaseComparison:
    """Say whether results from a released file would be those from the original.

    Parameters
    ----------
    original
        A data file, a project file (``.toml``), a table in memory, or an open `Source`.
    released
        A release folder, a released file, a table or a `Source`. Its columns get the original's
        declarations where names and kinds fit.
    project
        A project file, where `original` is a data file.
    key
        What an intruder knows; by default the certificate's key, the project's, or the variables
        with that role.
    variables, levels, targets, predictors, by, weight
        See `indistinct.utility.analyses.analyse_utility`. The weight is by default the variable
        with that role, if both files have it.
    household
        Columns and codes of households, or some of them by name (``{"household": "hid"}``); the
        rest is the project's or guessed.
    education
        The variable of homogamy; by default one that is named so.
    kinship
        Whose kin the released file is given; see `demographic_tests`.
    thresholds
        ``gap``, ``fertility`` and ``odds``; by default `THRESHOLDS`.
    least
        Couples that an age or a level needs to be judged, ``gap`` and ``odds``; by default `LEAST`.
    demography, protection
        None makes them where that can be done and says why not where it cannot; True insists;
        False leaves them out.
    rules
        Edit rules; by default the project's.
    match
        A column that identifies the records of both files. Without it records correspond as the
        holder's part of a release folder says; those of files by position, if there are as many.
    unmatched
        Records do not correspond, although there are as many.
    origin
        The original record of each released one, from 0, where that is known.
    hierarchies
        A folder of ``<variable>.csv`` files, or hierarchies by name, that say what generalised
        labels stand for; by default those of the release's plan and of the project.
    engine, memory, threads, master, scratch
        An engine that runs already, or how to start one; see `indistinct.open_data`.
    seed
        For whatever is drawn; the same seed gives the same result.

    >>> people = {"age": [30, 41, 52, 63], "sex": ["f", "m", "f", "m"]}
    >>> found = compare_release(people, people | {"age": ["30-49", "30-49", "50+", "50+"]})
    >>> found.generalised
    (Generalised(name='age', values=4, categories=2),)
    >>> found.utility.marginals.same
    True
    """
    limits = check_limits(thresholds, least)
    if match is not None and unmatched:
        raise InputError("Records correspond by a column or not at all. Give one of the two.")
    declared = find_project(original, project)
    words = "comparing with the original"
    with (
        started_engine(engine, declared, memory, threads, master, scratch) as running,
        progress.task(words, total=_PARTS, unit="parts") as going,
    ):
        source = open_original(original, declared, running.workspace)
        if declared is not None and not isinstance(original, Source):
            check_levels(running, source)
            check_categories(running, source)
        opened = open_released(released, source, running.workspace)
        asked = list(dict.fromkeys([*targets, *predictors, *([by] if by else [])]))
        named = None if variables is None else _named(variables, asked)
        for side in (source, opened.source):
            more = [name for name in (weight, match) if name is not None]
            side.check_columns([*(named or asked), *(key or ()), *more])
        case = _case(
            running, source, opened, declared, household, named, hierarchies, (weight, match)
        )
        for name in asked:
            if name in case.both.left_out:
                raise InputError(
                    f"{opened.source.origin}: '{name}' is generalised or suppressed so far that no "
                    "result can rest on it. Leave it out of outcomes, predictors and by."
                )
        going.advance()
        utility = case.utility(
            by_name=named is not None,
            levels=levels or {},
            weight=weight,
            targets=targets,
            predictors=predictors,
            by=by,
            seed=seed,
        )
        going.advance()
        tests = None
        if demography is not False:
            tests = made_demography(
                case.both,
                case.households,
                limits=limits,
                education=education,
                kinship=kinship,
                asked=demography is True,
                notes=case.notes,
            )
        edit_rules = rules if rules is not None else declared.rules if declared else Rules()
        going.advance()
        checked, report = case.by_record(
            utility,
            rules=edit_rules,
            key=key,
            protection=protection,
            match=match if match is not None else _first(origin, opened.origin),
            unmatched=unmatched,
            levels=levels or {},
            seed=seed,
        )
    both = case.both
    return ReleaseComparison(
        utility,
        tests,
        checked,
        report,
        both.generalised,
        both.left_out,
        both.suppressed,
        tuple(case.notes),
    )


@dataclass(frozen=True)
class _Case:
    """Two files that were opened and can be compared, and what is known of them.

    Parameters
    ----------
    source
        The original as it is; `both` has it recoded where the release is generalised.
    compared
        The variables.
    notes
        Sentences for people, which the parts add to.
    """

    engine: Engine
    source: Source
    opened: Opened
    project: Project | None
    households: Households
    both: Prepared
    compared: list[str]
    notes: list[str] = field(default_factory=list)

    def utility(
        self, *, by_name: bool, levels: Mapping[str, Level], weight: str | None, **options: Any
    ) -> Utility:
        """Compare by the general measures."""
        return general_utility(
            self.engine,
            self.both,
            self.compared,
            by_name=by_name,
            levels=self._levels(levels),
            weights=weight or self._weight(),
            notes=self.notes,
            **options,
        )

    def by_record(
        self,
        utility: Utility,
        *,
        rules: Rules,
        key: Sequence[str] | None,
        protection: bool | None,
        match: Match | None,
        unmatched: bool,
        levels: Mapping[str, Level],
        seed: int,
    ) -> tuple[RulesReport | None, ProtectionReport | None]:
        """Compare what can only be compared where records correspond."""
        why_not = _apart(self.both, match, unmatched, folder=self.opened.folder)
        if why_not:
            if protection:
                raise InputError(f"What changed cannot be told: {why_not}")
            wanted = [(protection is None, "What changed was"), (bool(rules), "Rules were")]
            told = " ".join(words for asked, words in wanted if asked)
            if told:
                told = told.replace(" was Rules were", " and rules were")
                self.notes.append(f"{told} not compared: {why_not}")
            return None, None
        kin = self._kin() if protection is not False or rules.needs_kinship else None
        checked = (
            compare_edit_rules(rules, self.both, kin, match=match, notes=self.notes)
            if rules
            else None
        )
        if protection is False:
            return checked, None
        report = report_protection(
            self.engine,
            self.both,
            (self.source, self.opened.source),
            variables=utility.variables,
            key=self._key(key),
            households=self.households,
            kinship=kin,
            match=match,
            levels=self._levels(levels),
            seed=seed,
        )
        if match is None and in_another_order(self.engine, self.both, report, utility.marginals):
            self.notes.append(
                "What changed was not told: by position, records agree no more than by chance, so "
                "they seem to stand in another order. Name a column with --match, or compare the "
                "release folder, whose private part knows the order."
            )
            return None, None
        if self.both.labelled or self.both.suppressed:
            self.notes.append(
                "Changed is every cell that does not hold what it held. What an intruder finds is "
                "told of the original recoded as the release was. "
                "indistinct verify tells it of the true values, taking a label for all that it "
                "stands for."
            )
        return checked, report

    def _levels(self, levels: Mapping[str, Level]) -> dict[str, Level]:
        return {n: level for n, level in levels.items() if n not in self.both.labelled}

    def _weight(self) -> str | None:
        named = self.source.variables.names(role="weight")
        if named and named[0] not in self.opened.source.variables:
            self.notes.append(
                f"Records were not weighted: '{named[0]}' is not in the released file."
            )
            return None
        return named[0] if named else None

    def _key(self, given: Sequence[str] | None) -> list[str]:
        """Return what an intruder knows, as far as it can be compared."""
        names = list(given or self.opened.key)
        if not names and self.project is not None:
            names = list(self.project.release.key or ())
        names = names or self.source.variables.names(role="key")
        sides = self.source.variables, self.opened.source.variables
        return [
            n for n in names if all(n in side for side in sides) and n not in self.both.left_out
        ]

    def _kin(self) -> Kinship | None:
        try:
            return self.households.kinship(self.source)
        except InputError as error:
            self.notes.append(f"Couples and households are left out of what changed: {error}")
            return None


def _case(
    engine: Engine,
    source: Source,
    opened: Opened,
    project: Project | None,
    household: HouseholdColumns | Mapping[str, Any] | None,
    named: list[str] | None,
    hierarchies: str | Path | Mapping[str, Hierarchy] | None,
    apart: Sequence[str | None],
) -> _Case:
    """Find the households, recode what is generalised, and settle what is compared."""
    households = find_households(source, household, project)
    if households.columns is not None:
        source, released = (
            _numbering_households(side, households.columns.household)
            for side in (source, opened.source)
        )
        opened = replace(opened, source=released)
    chosen = named or _shared(source, opened.source, apart)
    both = prepare(
        engine,
        source,
        opened.source,
        chosen,
        lambda name, values: _tree(name, values, hierarchies, opened, project, source),
    )
    # like identifiers, they are there and are not compared
    hidden = [*both.left_out, *(name for name in apart if name is not None)]
    variables = both.original.variables.updated({n: {"role": "identifier"} for n in hidden})
    both = replace(both, original=replace(both.original, variables=variables))
    compared = [name for name in chosen if name not in both.left_out]
    if not compared:
        raise InputError(
            f"Every variable of {opened.source.origin} is suppressed, or generalised to labels "
            f"that cannot be matched with values of {source.origin}. Give hierarchies "
            "(--hierarchies DIR)."
        )
    notes = [*opened.notes, *both.notes()]
    return _Case(engine, source, opened, project, households, both, compared, notes)


def _numbering_households(source: Source, name: str) -> Source:
    """Give the number of the household its role, so that it is not compared as a value."""
    if name not in source.variables or source.variables[name].role != "other":
        return source
    return replace(source, variables=source.variables.updated({name: {"role": "household"}}))


def _shared(original: Source, released: Source, apart: Sequence[str | None]) -> list[str]:
    """Return what both files have but identifiers, weights and household numbers."""
    found = [
        name
        for name, variable in original.variables.items()
        if name in released.variables and variable.role not in _NOT_COMPARED and name not in apart
    ]
    if not found:
        raise InputError(
            f"{original.origin} and {released.origin} share no variable that can be compared. "
            "Names must be the same in both files."
        )
    return found


def _named(variables: Sequence[str], asked: Sequence[str]) -> list[str]:
    if not variables:
        raise InputError("Name at least one variable to compare.")
    return list(dict.fromkeys([*variables, *asked]))


def _tree(
    name: str,
    values: Sequence[Any],
    given: str | Path | Mapping[str, Hierarchy] | None,
    opened: Opened,
    project: Project | None,
    source: Source,
) -> Hierarchy | None:
    """Return the hierarchy of a variable: as given, of the plan, or declared in the project."""
    known = {**opened.hierarchies, **given_hierarchies(given, [name])}
    if name in known:
        return known[name]
    if project is None:
        return None
    declared = project.variables.get(name)
    folder = project.release.hierarchies
    there = folder is not None and (folder / f"{name}.csv").is_file()
    if (declared is None or declared.hierarchy is None) and not there:
        return None
    return project.hierarchies({name: values}, source)[name]


def _first(*given: Ints | None) -> Ints | None:
    return next((origin for origin in given if origin is not None), None)


def _apart(both: Prepared, match: Match | None, unmatched: bool, *, folder: bool) -> str:
    """Say why records do not correspond; nothing where they do."""
    if unmatched:
        return "records were said not to correspond."
    if match is not None:
        return ""
    if folder:
        return (
            "released records stand in another order than the original's, and which is whose "
            "stands in the holder's part of the folder, which is not there."
        )
    first, second = both.original.records, both.released.records
    if first != second:
        return (
            f"{first:,} original and {second:,} released records do not correspond by position. "
            "Name a column that identifies them in both files with --match."
        )
    return ""
