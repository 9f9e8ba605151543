"""Plans of perturbing steps, from what a project file or a caller asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import check_within
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.households import HouseholdColumns, guess_household
from indistinct.options import (
    Kind,
    Option,
    a_number,
    a_text,
    a_word,
    names,
    numbers_by_variable,
    only_by_keyword,
    register_method,
)
from indistinct.project import Project
from indistinct.protect import (
    CensusVariables,
    Decision,
    KeepRules,
    Plan,
    Records,
    Request,
    Shuffle,
    Step,
    census_shuffle,
)
from indistinct.protect.shuffling import Of
from indistinct.rules import Rules

__all__ = ["PERTURBING", "perturbing_plan"]

PERTURBING = ("shuffle", "steps")
"""Methods that perturb: shuffling, and whatever steps the project file lists."""

_TYPED: tuple[tuple[str, Kind[Any], str, str], ...] = (
    (
        "variables",
        names,
        "the confidential variables; without, the project's steps, or a census as a whole",
        "--shuffle",
    ),
    ("given", names, "variables whose associations with them are kept", ""),
    ("within", names, "values move only between records alike in these", ""),
    (
        "shares",
        numbers_by_variable(least=0, most=1),
        "the share of records to change, age=0.5,education=0.1",
        "--share",
    ),
    ("level", a_number(0, 1), "the level of protection, 0 (none) to 1 (maximum, default)", ""),
    ("max_risk", a_number(0), "the share of people that may still be found, at most", ""),
    ("of", a_word(Of), "whom", ""),
    ("where", a_text, "only records for which this holds, 'age < 20'", ""),
)
_SHUFFLING: tuple[Option[Any], ...] = tuple(
    # a project file lists shuffles among its steps
    Option(
        name, kind, meaning, flag, in_project=False, dest="shuffled" if flag == "--shuffle" else ""
    )
    for name, kind, meaning, flag in _TYPED
)
_FURTHER: tuple[Option[Any], ...] = tuple(
    Option(one.name, only_by_keyword(Any), "see `indistinct.protect.Shuffle`")
    for one in fields(Shuffle)
    if one.name not in {"hierarchies", *(option.name for option in _SHUFFLING)}
)


@register_method(
    "shuffle",
    "deals values out again, so that associations stay",
    options=(*_SHUFFLING, *_FURTHER),
    family="perturbing",
    promises="every value occurs as often as before; no k is promised",
    place=1,
)
def decide_shuffle(records: Records, asked: Request) -> Decision:
    """Plan the shuffle that is asked for, or the project's, or that of a census."""
    return _plan_of("shuffle", records, asked)


@register_method(
    "steps",
    "does what the project file lists in sections [steps.NAME]",
    family="perturbing",
    promises="what the steps promise holds",
    place=2,
)
def decide_steps(records: Records, asked: Request) -> Decision:
    """Plan the project's steps."""
    return _plan_of("steps", records, asked)


def _plan_of(method: str, records: Records, asked: Request) -> Decision:
    if records.source is None:
        raise InputError(f"'{method}' needs the records, not their count alone.")
    plan = perturbing_plan(
        method,
        records.source,
        project=records.project,
        hierarchies=records.climb,
        options={n: value for n, value in asked.given.items() if value not in ({}, ())},
    )
    return Decision(plan, promises=False)


Hierarchical = Callable[[Sequence[str]], Mapping[str, Hierarchy]]
"""Gives the hierarchies of some variables."""


def perturbing_plan(
    method: str,
    source: Source,
    *,
    project: Project | None,
    hierarchies: Hierarchical,
    options: Mapping[str, Any],
) -> Plan:
    """Return the plan: the options' shuffle, or the project's steps, or the census as a whole.

    With steps none of which is a shuffle, the census as a whole is shuffled after them.

    Where the project has edit rules, steps that alter values are applied under them.
    """
    if method == "shuffle" and options.get("variables"):
        given = _completed(dict(options), source, project, hierarchies)
        steps: Sequence[Step] = [Shuffle(**given)]
    elif options:
        raise InputError(
            f"{', '.join(options)}: which variables? Name what is shuffled with --shuffle a,b."
        )
    elif project is not None and project.steps:
        steps = _declared(source, project, hierarchies)
        if method == "shuffle" and not any(isinstance(step, Shuffle) for step in steps):
            steps = [*steps, *_census(source, project, hierarchies)]
    elif method == "shuffle":
        steps = _census(source, project, hierarchies)
    else:
        raise InputError(
            "There are no steps. List them in the project file, each in a section "
            '[steps.NAME] with its kind, such as kind = "rank-swap".'
        )
    return Plan(tuple(_under_rules(steps, source, project)))


def _declared(source: Source, project: Project, hierarchies: Hierarchical) -> list[Step]:
    steps, problems = [], []
    for name, content in project.steps.items():
        line = project.lines["steps", name]
        try:
            given = dict(content)
            if given.get("kind") == "shuffle":
                given = _completed(given, source, project, hierarchies, plain=True)
            steps.append(_within_reach(Step.from_dict(given), project))
        except InputError as error:
            problems.append(f"{project.path}:{line}: [steps.{name}]: {error}")
    if problems:
        raise InputError("\n".join(problems))
    return steps


def _within_reach(step: Step, project: Project) -> Step:
    """Refuse a step that reads what its project file may not name."""
    for named in step.files():
        astray = check_within(Path(named), project.path.parent)
        if astray is not None:
            raise InputError(f"{named} {astray}.")
    return step


def _completed(
    given: dict[str, Any],
    source: Source,
    project: Project | None,
    hierarchies: Hierarchical,
    *,
    plain: bool = False,
) -> dict[str, Any]:
    """Add the hierarchies of taxonomies and the columns of households, where these are needed."""
    # what is no list, no text and no mapping here is told when the step is made
    lists = [given.get(part) for part in ("variables", "given", "within", "apart")]
    names = [n for part in lists if isinstance(part, (list, tuple)) for n in part]
    coarse = [name for part in ("stay", "at") for name in _names_in(given.get(part))]
    needed = [
        name
        for name in dict.fromkeys(n for n in names if isinstance(n, str))
        if name in source.variables
        and (source.variables[name].level == "taxonomy" or name in coarse)
    ]
    if needed and "hierarchies" not in given:
        found = hierarchies(needed)
        given["hierarchies"] = {
            name: found[name].to_dict() if plain else found[name] for name in needed
        }
    speaks_of_kin = (
        given.get("of", "people") != "people" or given.get("where") or "derived" in given
    )
    if speaks_of_kin and "households" not in given:
        try:
            columns = _households(source, project)
        except InputError:
            if given.get("of", "people") != "people":
                raise
        else:
            given["households"] = columns.to_dict() if plain else columns
    return given


def _names_in(given: object) -> list[str]:
    return list(given) if isinstance(given, Mapping) else []


def _households(source: Source, project: Project | None) -> HouseholdColumns:
    return project.household_columns(source) if project else guess_household(source)


def _census(source: Source, project: Project | None, hierarchies: Hierarchical) -> list[Step]:
    """Return the shuffles of a census, of what it has beside age and sex."""
    try:
        columns = _households(source, project)
    except InputError as error:
        raise InputError(
            "What is to be shuffled? Name variables with --shuffle a,b, or list steps in the "
            f"project file. A census would be shuffled as a whole, but: {error}"
        ) from None
    used = {columns.age, columns.sex, columns.marital, columns.relationship}
    by_name = {
        what: next((n for n in source.variables if what in n.lower() and n not in used), None)
        for what in ("education", "industry", "occupation")
    }
    work = [name for what in ("industry", "occupation") if (name := by_name[what]) is not None]
    found = dict(hierarchies(work)) if work else {}
    # work stays in its main group, and those without stay without
    top = {name: hierarchy.height - 1 for name, hierarchy in found.items()}
    return list(
        census_shuffle(
            columns,
            CensusVariables(
                by_name["education"],
                by_name["industry"],
                by_name["occupation"],
                hierarchies=found,
            ),
            industry_level=top.get(by_name["industry"] or ""),
            occupation_level=top.get(by_name["occupation"] or ""),
        )
    )


def _under_rules(steps: Sequence[Step], source: Source, project: Project | None) -> list[Step]:
    """Put runs of steps that alter values under the project's edit rules."""
    rules: Rules = project.rules if project is not None else Rules()
    if not len(rules):
        return list(steps)
    columns = _households(source, project) if rules.needs_kinship else None
    planned: list[Step] = []
    for perturbs, run in groupby(steps, key=lambda step: step.perturbs):
        together = tuple(run)
        planned += [KeepRules(together, rules, columns)] if perturbs else together
    return planned
