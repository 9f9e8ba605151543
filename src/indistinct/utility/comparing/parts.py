"""The parts of a comparison beside general utility: households, rules, what changed.

Each is made where it can be. Where it cannot, one sentence says why; who asked for it expressly
gets that sentence as an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from indistinct.core import InputError, Ints, Level, at_least, check_number, did_you_mean
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.households import HouseholdColumns, Kinship, guess_household, read_kinship
from indistinct.households import read_columns as read_household_columns
from indistinct.project import Project
from indistinct.prove.changes import (
    Match,
    ProtectionReport,
    changes,
    pair_records,
    protection_report,
)
from indistinct.rules import Rules, RulesReport, compare_rules
from indistinct.utility.analyses import Marginals
from indistinct.utility.comparing.labels import Prepared
from indistinct.utility.demography import DemographicTests, demographic_tests
from indistinct.utility.demography.tests import KinshipOf

__all__ = [
    "LEAST",
    "THRESHOLDS",
    "Households",
    "check_limits",
    "compare_edit_rules",
    "find_households",
    "in_another_order",
    "made_demography",
    "report_protection",
]

THRESHOLDS: Mapping[str, float] = {"gap": 0.5, "fertility": 0.05, "odds": 0.2}
"""What a demographic test allows: years of age gap, children a woman, log odds of homogamy."""

LEAST: Mapping[str, float] = {"gap": 200, "odds": 50}
"""Couples that an age, or a level of education, needs to be judged."""

_EDUCATION = frozenset(
    {"education", "educ", "edu", "edattain", "edattan", "schl", "schooling", "educacion"}
    | {"instruction", "bildung"}
)


@dataclass(frozen=True)
class Households:
    """What is known of the original's households: their columns, or why there are none."""

    columns: HouseholdColumns | None
    why_not: str = ""

    def kinship(self, original: Source) -> Kinship | None:
        """Find who lives with whom in the original; None where that is not known."""
        return None if self.columns is None else read_kinship(original, self.columns)


def check_limits(
    thresholds: Mapping[str, float] | None, least: Mapping[str, float] | None
) -> dict[str, float]:
    """Return what `demographic_tests` calls its limits: those given, and the usual ones."""
    for what, given, usual in (
        ("threshold", thresholds or {}, THRESHOLDS),
        ("least number of couples", least or {}, LEAST),
    ):
        for name, value in given.items():
            if name not in usual:
                written = ",".join(f"{n}={v:g}" for n, v in usual.items())
                raise InputError(
                    f"There is no {what} '{name}'. {did_you_mean(name, usual)} They are written "
                    f"as {written}."
                )
            check_number(f"The {what} '{name}'", value, at_least(0))
    allowed, enough = {**THRESHOLDS, **(thresholds or {})}, {**LEAST, **(least or {})}
    return {f"{name}_threshold": value for name, value in allowed.items()} | {
        f"{name}_least": int(value) for name, value in enough.items()
    }


def find_households(
    original: Source,
    given: HouseholdColumns | Mapping[str, Any] | None,
    project: Project | None,
) -> Households:
    """Find the columns of households: as given, declared in the project, or guessed."""
    if isinstance(given, HouseholdColumns):
        original.check_columns(given.names)
        return Households(given)
    settings = {n: v for n, v in (given or {}).items() if v is not None}
    known = [f.name for f in fields(HouseholdColumns)]
    for name in settings:
        if name not in known:
            raise InputError(
                f"There is no setting '{name}' of households. {did_you_mean(name, known)}"
            )
    original.check_columns([n for n in settings.values() if isinstance(n, str) and n != "record"])
    if project is not None:
        declared = {f.name: getattr(project.household, f.name) for f in fields(project.household)}
        settings = {n: v for n, v in declared.items() if v is not None} | settings
    try:
        return Households(guess_household(original, **settings))
    except InputError as error:
        if given and any(given.values()):
            raise
        return Households(None, str(error))


def made_demography(
    both: Prepared,
    households: Households,
    *,
    limits: Mapping[str, float],
    education: str | None,
    kinship: KinshipOf,
    asked: bool,
    notes: list[str],
) -> DemographicTests | None:
    """Make the three demographic tests, or say in one sentence why not."""
    why_not = households.why_not
    columns = households.columns
    if columns is not None:
        why_not = _obstacle(both, columns, kinship)
    if not why_not and columns is not None:
        chosen = _education(both, education, notes)
        options: dict[str, Any] = {"kinship": kinship, **limits}
        try:
            if chosen is None:
                return demographic_tests(both.original, both.released, columns, **options)
            try:
                return demographic_tests(
                    both.original, both.released, columns, education=chosen, **options
                )
            except InputError as error:
                if education is not None:
                    raise
                found = demographic_tests(both.original, both.released, columns, **options)
                notes.append(f"Homogamy was not tested: {error}")
                return found
        except InputError as error:
            if education is not None:
                raise
            why_not = str(error)
    if asked or education is not None:
        raise InputError(f"The demographic tests cannot be made: {why_not}")
    notes.append(f"The demographic tests were not made: {why_not}")
    return None


def _obstacle(both: Prepared, columns: HouseholdColumns, kinship: KinshipOf) -> str:
    """Say what of the household's columns the released file does not have, or only as labels."""
    needed = [columns.sex, columns.age]
    if kinship == "own":
        needed += list(columns.names)
    names = [name for name in dict.fromkeys(needed) if name is not None]
    lost = [name for name in names if name not in both.released.variables]
    if lost:
        return f"{_released_name(both)} does not have {', '.join(lost)}."
    coarse = [n for n in names if n in both.labelled and n != columns.household]
    if coarse:
        return f"{', '.join(coarse)} of {_released_name(both)} is generalised or suppressed."
    return ""


def _released_name(both: Prepared) -> str:
    """Return what the released file is called; one that is not written yet has no name."""
    own = both.released.origin
    return "the released file" if own == both.original.origin else own


def _education(both: Prepared, given: str | None, notes: list[str]) -> str | None:
    """Return the variable of education: as given, or by its name."""
    if given is not None:
        for source in (both.original, both.released):
            source.check_columns([given])
        return given
    for name in both.original.variables:
        if _EDUCATION & set(re.split(r"[^a-z]+", name.lower())):
            if name in both.released.variables and name not in both.left_out:
                return name
            notes.append(f"Homogamy was not tested: {name} is not in the released file as it was.")
            return None
    return None


def compare_edit_rules(
    rules: Rules,
    both: Prepared,
    kinship: Kinship | None,
    *,
    match: Match | None,
    notes: list[str],
) -> RulesReport | None:
    """Count who breaks the rules before and after, for records that correspond.

    The kin are those of the original: in the released file nobody would be found to be the mother
    of somebody older.
    """
    told = [
        rule
        for rule in rules.values()
        if all(
            v in both.released.variables and v not in both.labelled
            for v in rule.expression.variables
        )
        and not (kinship is None and rule.expression.needs_kinship)
    ]
    left = [name for name in rules if name not in {rule.name for rule in told}]
    if left:
        notes.append(
            f"Rules that were not compared: {', '.join(left)}. The released file does not have "
            "their variables, or only as labels, or households are not known."
        )
    kept_rules = Rules(told)
    if not kept_rules:
        return None
    kin = kinship if kept_rules.needs_kinship else None
    try:
        if match is None:
            return compare_rules(kept_rules, both.original, both.released, kinship=kin)
        partner = pair_records(both.original, both.released, match=match)
        assert partner is not None
        return _by_partner(kept_rules, both, kin, partner)
    except InputError as error:
        notes.append(f"Rules were not compared: {error}")
        return None


def _by_partner(
    rules: Rules, both: Prepared, kinship: Kinship | None, partner: Ints
) -> RulesReport:
    """Compare rules where the released records stand in another order or are fewer."""
    records = both.original.records
    kept = partner >= 0
    # who was left out stays in the household as they were, and is not counted
    at = pa.array(np.where(kept, records + partner, np.arange(records)))
    schema = both.original.schema
    names = list(rules.variables)
    tables = both.original.table(names), both.released.table(names)
    after = {}
    for name in names:
        columns = [table.column(name).cast(schema.field(name).type) for table in tables]
        joined = pa.chunked_array([c for column in columns for c in column.chunks])
        after[name] = joined.take(at)
    before = read_household_columns(both.original, names)
    moved = {n: type(before[n]).from_arrow(a, both.original.variables[n]) for n, a in after.items()}
    found = compare_rules(rules, before, moved, kinship=kinship)
    first, second = (
        replace(
            check,
            records=int(kept.sum()),
            by_rule={name: broken[kept] for name, broken in check.by_rule.items()},
            household=None if check.household is None else check.household[kept],
        )
        for check in (found.before, found.after)
    )
    became = {n: np.flatnonzero(second.by_rule[n] & ~first.by_rule[n]) for n in rules}
    return RulesReport(rules, first, second, became)


def report_protection(
    engine: Engine,
    both: Prepared,
    unrecoded: tuple[Source, Source],
    *,
    variables: Sequence[str],
    key: Sequence[str],
    households: Households,
    kinship: Kinship | None,
    match: Match | None,
    levels: Mapping[str, Level],
    seed: int,
) -> ProtectionReport:
    """Say what changed in which records, and what an intruder still finds."""
    columns, woman = households.columns, None
    if kinship is not None and columns is not None and columns.sex and columns.female:
        sex = read_household_columns(both.original, [columns.sex])[columns.sex]
        woman = sex.recoded(columns.codes("male", "female")) == 2
    return protection_report(
        engine,
        both.original,
        both.released,
        key=list(key) or None,
        variables=list(variables),
        kinship=kinship if woman is not None else None,
        woman=woman,
        match=match,
        levels=levels,
        seed=seed,
        unrecoded=unrecoded,
        recoded=both.left_out,
    )


def in_another_order(
    engine: Engine, both: Prepared, report: ProtectionReport, marginals: Marginals
) -> bool:
    """Say whether records agree by position no more than by chance, in every variable.

    Of two independent records a share Σ p q has the same value. A twentieth of the rest beyond it,
    in any variable, or three standard errors, are taken for records that correspond.
    """
    found = []
    coarser = [found.name for found in both.generalised]
    told = [v for v in report.changes.variables if v.name not in both.labelled]
    if coarser:  # a label agrees with what it stands for
        told += changes(engine, both.original, both.released, variables=coarser).variables
    for variable in told:
        marginal = marginals[variable.name]
        chance = float(marginal.p @ marginal.q)
        if not marginal.bins and chance < 0.9:
            error = (chance * (1 - chance) / max(1, variable.records)) ** 0.5
            beyond = max(0.05 * (1 - chance), 3 * error)
            found.append(1 - variable.share <= chance + beyond)
    return bool(found) and all(found)
