"""The demo's tables: ten of them for every small area, and a second geography that gives it away.

School catchments follow the small areas but for a few households at the boundaries. Whoever has
both sets of tables subtracts one from the other and has tables of those households.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.census import LABELS
from indistinct.core import GuaranteeError
from indistinct.flow import open_data
from indistinct.tables import Differencing
from indistinct.tables.publishing import (
    Asked,
    Publication,
    count_asked,
    publish_tables,
    settle_geographies,
)

__all__ = ["SmallAreas", "publish_small_areas"]

EVERY = 10
"""One area in so many has a household across the boundary of its catchment."""

_PROJECT = """# Ten tables for every small area, and for school catchments
[data]
file = "people.parquet"

[release]
holder = "The Statistical Office of Nowhere"

[publish]
area = "area"
also = ["catchment", "county"]
match_keys = ["age", "sex", "marital", "economic", "ethnic", "tenure", "household_size"]
threshold = 3
smallest_zone = 10
method = "cell-key"
variance = 2
stop = "merge"
seed = {seed}
out = "published"

[recodes.age5]
variable = "age"
bands = [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85]

[recodes.stage]
variable = "age"
bands = [0, 15, 30, 65]

[recodes.size]
variable = "household_size"
bands = [1, 2, 3, 4, 5, 6]

{tables}"""

TABLES = (
    ("age and sex", ("age5", "sex"), None),
    ("life stage and ethnic group", ("stage", "ethnic"), None),
    ("sex and ethnic group", ("sex", "ethnic"), None),
    ("marital status by sex", ("marital", "sex"), '{ age = ["15+"] }'),
    ("economic activity by sex", ("economic", "sex"), '{ age = ["15+"] }'),
    ("education by life stage", ("education", "stage"), '{ age = ["15+"] }'),
    ("tenure by size of household", ("tenure", "size"), None),
    ("health by life stage and sex", ("health", "stage", "sex"), None),
    ("travel to work by sex", ("travel", "sex"), '{ age = ["15+"] }'),
    ("size of household", ("size",), None),
)
"""The tables: what they are called, their dimensions, and who is counted."""


@dataclass(frozen=True)
class SmallAreas:
    """What was found of the demo's tables, how they were refused, and how they were published."""

    found: Publication
    refusal: str
    """What was said to the tables with the second geography as it was."""

    @property
    def revealed(self) -> Differencing:
        """What the catchments reveal beside the areas."""
        return self.found.risk.differencing.pairs[0]

    def moved_to(self, folder: Path) -> SmallAreas:
        """Return the same with its tables in the folder where they will be found."""
        written = self.found.folder
        if written is None:
            return self
        moved = replace(written, folder=folder / written.folder.name)
        return replace(self, found=replace(self.found, folder=moved))

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain values."""
        return {**self.found.to_dict(), "refusal": self.refusal}

    def lines(self) -> list[str]:
        """Return the story as Markdown."""
        risk, revealed = self.found.risk, self.revealed
        stopped = self.found.geographies
        zones = stopped.stopped["catchment"].to_dict() if stopped and stopped.stopped else None
        told = [
            "## Tables for small areas",
            "",
            f"Ten tables were made for each of {len(risk.counted.areas):,} small areas. People who "
            f"are alone in all of their tables: {risk.uniques.frtu:,}; in some: "
            f"{risk.uniques.prtu:,}.",
            "",
            "Then somebody asked for the same tables by school catchment. Catchments follow the "
            "areas but for a household here and there, and subtraction finds it: "
            f"**{revealed.zones:,} zones with {revealed.people:,} people**, the smallest of "
            f"{revealed.revealed.zone(0).people if revealed.zones else 0}; {revealed.frtu:,} of "
            "these people are alone in every table of their zone. The request was refused.",
        ]
        if zones is not None:
            told += [
                "",
                f"With {zones['merged']:,} of the {zones['zones_before']:,} catchments merged into "
                "their neighbours nothing below ten people can be had by subtraction. The tables "
                "were published so, with noise by cell keys, in `tables/published/`; "
                "`tables/tables.toml` asks for them.",
            ]
        return told


def publish_small_areas(folder: Path, census: Path, *, seed: int) -> SmallAreas:
    """Write people with their catchments and a project file; publish the tables in `folder`."""
    folder.mkdir()
    people = pq.read_table(census)
    people = people.append_column("catchment", catchments(people))
    pq.write_table(people, folder / "people.parquet")
    sections = [
        f'[tables."{name}"]\ndimensions = [{", ".join(json.dumps(d) for d in dimensions)}]\n'
        + (f"universe = {universe}\n" if universe else "")
        for name, dimensions, universe in TABLES
    ]
    project = folder / "tables.toml"
    text = _PROJECT.format(seed=seed, tables="\n".join([*_declared(), *sections]))
    project.write_text(text, encoding="utf-8", newline="\n")
    with open_data(project) as data:
        counted, asked = count_asked(data, Asked.of_texts())
        try:
            settle_geographies(counted, replace(asked.settings, stop="refuse"))
        except GuaranteeError as error:
            refusal = str(error)
        else:
            refusal = ""
        found = publish_tables(data, Asked.of_texts())
    return SmallAreas(found, refusal)


def _declared() -> list[str]:
    """Return groups of every value that a variable can have: a row is there whoever is in it."""
    sections = []
    for name in ("sex", "ethnic", "marital", "economic", "education", "tenure", "health", "travel"):
        groups = ", ".join(
            f"{json.dumps(label)} = [{code}]" for code, label in LABELS[name].items()
        )
        sections.append(f'[recodes.{name}]\nvariable = "{name}"\ngroups = {{ {groups} }}\n')
    return sections


def catchments(people: pa.Table) -> pa.Array:
    """Return everybody's school catchment: their area, but for a household at some boundaries."""
    area = people["area"].to_numpy()
    household = people["household"].to_numpy()
    areas = np.unique(area)
    moved = area.copy()
    for n in range(0, len(areas) - 1, EVERY):
        last = household[area == areas[n]].max()
        moved[household == last] = areas[n + 1]
    return pa.array(moved)
