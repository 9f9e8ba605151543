"""Intruder scenarios: what a would-be intruder is taken to know, as keys with a published source.

A scenario names what the intruder knows by role (marital status); `Scenario.key_for` finds the
columns of a file that hold it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indistinct.core import InputError, Variables, did_you_mean
from indistinct.results import Result, Table, facts, result

__all__ = [
    "MCCAA_2013",
    "SCENARIOS",
    "SKINNER_HOLMES_1998",
    "KeyRole",
    "Scenario",
    "ScenarioKey",
]


@dataclass(frozen=True)
class KeyRole:
    """Something an intruder knows of a person, and the names that columns with it often have."""

    name: str
    names: tuple[str, ...]


@result(eq=True)
class ScenarioKey(Result):
    """The columns of a file that stand for a scenario's key.

    `guessed` are the roles that were matched by name; `missing` those without a column.
    """

    scenario: str
    columns: Mapping[str, str]
    guessed: tuple[str, ...]
    missing: tuple[str, ...]

    FACTS = facts(
        "scenario",
        "columns",
        "guessed",
        "missing",
    )

    def sentence(self) -> str:
        """Say whose key it is."""
        return f"Key of the scenario {self.scenario}"

    @property
    def key(self) -> tuple[str, ...]:
        """The columns, in the scenario's order."""
        return tuple(self.columns.values())

    def _row_tables(self) -> list[Table]:
        rows = [(role, column, role in self.guessed) for role, column in self.columns.items()]
        return [
            Table(
                f"Key of the scenario {self.scenario}",
                ("role", "column", "by its name"),
                [*rows, *((role, None, None) for role in self.missing)],
            )
        ]


@dataclass(frozen=True)
class Scenario:
    """An intruder with a reason to look, and the variables he is taken to know.

    Parameters
    ----------
    name, source
        What it is called, and where it is published.
    environment
        The world outside the data: where the intruder has it from.
    roles
        What he knows, by role; the columns are found in a file by `key_for`.
    area_threshold
        The smallest population an area may have to be told in the file, where there is such a
        rule.

    >>> MCCAA_2013.key_for(["AGE", "gender", "marital_status"], partial=True).key
    ('gender', 'AGE', 'marital_status')
    """

    name: str
    source: str
    environment: str
    roles: tuple[KeyRole, ...] = field(repr=False)
    area_threshold: int | None = None

    @property
    def role_names(self) -> tuple[str, ...]:
        """What the intruder knows."""
        return tuple(role.name for role in self.roles)

    def key_for(
        self,
        variables: Variables | Sequence[str],
        columns: Mapping[str, str] | None = None,
        *,
        partial: bool = False,
    ) -> ScenarioKey:
        """Find the columns of a file that stand for the roles of this scenario.

        Parameters
        ----------
        variables
            The variables of the file, or their names.
        columns
            The column of a role, where it is known; the others are guessed by name and label.
        partial
            Whether roles without a column may be left out. Without it they are an error.
        """
        given = dict(columns or {})
        names = list(variables)
        problems = self._problems(given, names)
        if problems:
            raise InputError("\n".join(problems))
        guesses = self._guesses(variables, given)
        found = {r: given.get(r) or guesses[r] for r in self.role_names if r in given | guesses}
        missing = tuple(role for role in self.role_names if role not in found)
        if missing and (not partial or not found):
            raise InputError(
                f"The scenario {self.name} needs a column for each of: {', '.join(missing)}. None "
                "was found by name. Say which column it is (role = column), or ask for a partial "
                "key."
            )
        guessed = tuple(role for role in found if role not in given)
        return ScenarioKey(self.name, found, guessed, missing)

    def _problems(self, given: Mapping[str, str], names: Sequence[str]) -> list[str]:
        problems = []
        for role, column in given.items():
            if role not in self.role_names:
                problems.append(
                    f"The scenario {self.name} has no role '{role}'. "
                    f"{did_you_mean(role, self.role_names)}"
                )
            if column not in names:
                problems.append(f"There is no variable '{column}'. {did_you_mean(column, names)}")
        chosen = list(given.values())
        for column in dict.fromkeys(c for c in chosen if chosen.count(c) > 1):
            problems.append(f"Variable '{column}' is given two roles. Give it one.")
        return problems

    def _guesses(
        self, variables: Variables | Sequence[str], given: Mapping[str, str]
    ) -> dict[str, str]:
        """Match roles and columns, the surest pair first; a column gets one role at most."""
        pairs = []
        for i, role in enumerate(self.roles):
            for j, column in enumerate(variables):
                label = variables[column].label if isinstance(variables, Variables) else ""
                score = max(_likeness(role, column, 4), _likeness(role, label, 2))
                if score and role.name not in given and column not in given.values():
                    pairs.append((-score, i, j, role.name, column))
        found: dict[str, str] = {}
        for _, _, _, name, column in sorted(pairs):
            if name not in found and column not in found.values():
                found[name] = column
        return found


def _words(name: str) -> list[str]:
    """Return the words of a name, lower case: 'RegionOfBirth' and 'region_of_birth' alike."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [w for w in re.split(r"[^a-z0-9]+", parted.lower()) if w and w not in ("of", "the")]


def _likeness(role: KeyRole, name: str, same: float) -> float:
    """Score a column by its name: `same` when it is one of the role's, less when it holds one."""
    words = _words(name)
    best = 0.0
    for rank, alias in enumerate(role.names):
        wanted = _words(alias)
        if wanted == words:
            return same - rank / 100
        # of two names within a longer one, the longer says more
        if words and set(wanted) <= set(words):
            best = max(best, same / 4 + len(wanted) / 100)
    return best


def _roles(**names: str) -> tuple[KeyRole, ...]:
    return tuple(
        KeyRole(role.replace("_", " "), (role, *(a.strip() for a in aliases.split(","))))
        for role, aliases in names.items()
    )


MCCAA_2013 = Scenario(
    "mccaa-2013",
    "McCaa, Muralidhar, Sarathy, Comerford and Esteve (2013), section 2",
    "Public profiles in social networks, with a detailed curriculum vitae: a deliberately "
    "conservative key, a worst case.",
    _roles(
        sex="gender, sexe, sexo, geschlecht",
        age="agep, age years, age in years, alter, edad",
        marital_status="marital, marst, msp, mar, civil status, marital stat",
        nationality="citizenship, nation, citizen",
        ethnicity="ethnic, ethnic group, race, rac1p, ethnic origin",
        education="level education, educational level, educ, edu, highest qualification, schooling",
        occupation="occupational group, occ, occup, occp, isco",
        industry="industry classification, ind, indp, isic, naics",
        region_of_residence="region, region usual residence, province, county, state, puma",
        region_of_birth="birth region, birth province, county birth, region born",
        country_of_residence="country usual residence, residence country, country residence",
        country_of_birth="birth country, birthplace, place birth, native country, bpl, cob, pobp",
    ),
)
"""The twelve variables of the conservative key."""

SKINNER_HOLMES_1998 = Scenario(
    "skinner-holmes-1998",
    "Skinner and Holmes (1998), section 4",
    "Six variables that others may know of a person, with four areas told apart; areas of fewer "
    "than 120,000 people were not told in the 1991 samples of anonymised records.",
    _roles(
        age_group="age band, agegroup, age, agep",
        sex="gender",
        ethnic_group="ethnic, ethnicity, race, rac1p",
        marital_status="marital, marst, msp, mar, civil status",
        economic_status="economic, economic activity, activity, employment status, empstat, esr",
        geographical_area="geography, region, place, province, county, state, puma, area",
    ),
    area_threshold=120_000,
)
"""The six variables of the samples of anonymised records, and their smallest area."""

SCENARIOS = {scenario.name: scenario for scenario in (MCCAA_2013, SKINNER_HOLMES_1998)}
"""The scenarios that can be asked for by name."""
