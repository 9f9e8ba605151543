"""A small made census whose names are marked up, and every result about tables made from it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.flow.session import Data
from indistinct.project import Publish
from indistinct.tables import (
    CellSystem,
    Counted,
    DerivedSpec,
    Grouping,
    Published,
    Share,
    TableSet,
    TableSpec,
    attribute_disclosure,
    audit,
    cell_system,
    check_request,
    contributions,
    controlled_rounding,
    count_tables,
    derive,
    design_perturbation,
    differences,
    false_matches,
    magnitude_system,
    merge_areas,
    merge_to_stop,
    optimal_suppression,
    perturb_by_cell_key,
    perturbed_risk,
    read_rda,
    revealed_variance,
    risk_by_area_size,
    risk_by_recodes,
    risk_by_tables,
    rounded_intervals,
    small_cells,
    small_count_rounding,
    smallest_safe_size,
    suppress,
    system_contributions,
    table_links,
    tabular_uniques,
    threshold_rule,
    trace,
    traceable,
    uncertainty,
    zoning_of,
)
from indistinct.tables.perturb import RandomRounding
from indistinct.tables.perturb.small_counts import small_count_rounding_of_system
from indistinct.tables.publishing import Asked, publish_tables, weigh_tables
from indistinct.tables.publishing.geography import settle_geographies

AREA, ZONE, WARD = "<i>area</i>", "<b>zone", "ward & <u>"
SEX, ILL, WAGE = "<u>sex", "<b>ill</b>", "<i>wage"
PEOPLE = 120


def columns() -> dict[str, Any]:
    """People in six areas; a further geography nearly follows them, another follows nothing."""
    rng = np.random.default_rng(4)
    area = rng.integers(0, 6, PEOPLE)
    return {
        AREA: [f"<b>{n}</b>" for n in area],
        ZONE: [f"<i>{n // 2}" if at else "<i>9" for at, n in enumerate(area)],
        WARD: [f"<u>{n}" for n in rng.integers(0, 2, PEOPLE)],
        SEX: ["<u>f</u>" if n else "m" for n in rng.integers(0, 2, PEOPLE)],
        ILL: [("<script>", "a & b", '"c" <d>')[n] for n in rng.integers(0, 3, PEOPLE)],
        "age": rng.integers(0, 20, PEOPLE),
        WAGE: rng.integers(1, 900, PEOPLE),
    }


def one(name: str) -> Grouping:
    return Grouping(name, name)


class Tables:
    """The tables, and what several results are made from; each made once."""

    def __init__(self, data: Data, folder: Path) -> None:
        self.data, self.folder = data, folder

    @functools.cached_property
    def asked(self) -> TableSet:
        band = Grouping("<b>band", "age", bands=(0.0, 10.0))
        return TableSet(
            (
                TableSpec("<b>t</b>", (one(SEX), one(ILL))),
                TableSpec("<i>ages", (band, one(SEX))),
            ),
            one(AREA),
            (one(ZONE), one(WARD)),
        )

    @functools.cached_property
    def counted(self) -> Counted:
        return count_tables(self.data.source, self.data.engine, self.asked, besides=["age"])

    @functools.cached_property
    def sums(self) -> Counted:
        summed = TableSpec("<i>sums", (one(SEX),), value=WAGE)
        return self.counted.with_tables(TableSet((summed,), one(WARD)))

    @functools.cached_property
    def system(self) -> CellSystem:
        first = self.asked.tables[:1]
        return cell_system(self.counted.with_tables(TableSet(first, one(WARD))))

    @functools.cached_property
    def sum_system(self) -> CellSystem:
        return magnitude_system(self.data.source, self.sums)

    @functools.cached_property
    def sensitive(self) -> Any:
        smallest = int(np.sort(self.system.values[self.system.values > 0])[0])
        return threshold_rule(self.system, max(smallest + 1, 2))

    @functools.cached_property
    def differences(self) -> Any:
        return differences(self.counted)

    @functools.cached_property
    def published(self) -> Published:
        return Published((zoning_of(self.counted, one(ZONE)), zoning_of(self.counted, one(WARD))))

    @functools.cached_property
    def publication(self) -> Any:
        asked = Asked.of_texts(
            [f"{SEX},{ILL}"], area=WARD, method="round", seed=1, out=self.folder / "<published>"
        )
        return publish_tables(self.data, asked)

    def metadata(self) -> Any:
        path = self.folder / "<b>m.rda"
        path.write_text('<SEPARATOR> ";"\n"A<b>" 2 9\n <RECODEABLE>\n <DISTANCE> 1\n')
        return read_rda(path)

    def statistics(self) -> Any:
        share = Share("<b>women", ((SEX, ("<u>f</u>",)),))
        return derive(self.counted, [DerivedSpec("percentages", "<b>p", (share,))])


RESULTS: dict[str, Callable[[Tables], Any]] = {
    "TableSet": lambda t: t.asked,
    "Counted": lambda t: t.counted,
    "TabularUniques": lambda t: tabular_uniques(t.counted, modified=(SEX, ("m",))),
    "FalseMatches": lambda t: false_matches(t.counted),
    "TableLinks": lambda t: table_links(t.counted),
    "Trace": lambda t: trace(t.counted, {"age": 3, ILL: "a & b"}, area="<b>1</b>", alone=False),
    "Traceable": lambda t: traceable(t.counted, [SEX]),
    "SmallCells": lambda t: small_cells(t.counted),
    "tables.AttributeDisclosure": lambda t: attribute_disclosure(t.counted, known=[SEX]),
    "Merged": lambda t: merge_areas(t.counted, least_people=30),
    "Derived": lambda t: t.statistics(),
    "ArgusMetadata": lambda t: t.metadata(),
    # what geographies reveal
    "Differences": lambda t: t.differences,
    "Differencing": lambda t: t.differences.pairs[0],
    "Revealed": lambda t: t.differences.pairs[0].revealed,
    "Joint": lambda t: t.differences.joint,
    "Stopped": lambda t: merge_to_stop(
        [0, 0, 1, 1], [0, 1, 1, 2], [60, 3, 70, 50], second_labels=["<b>x"] * 3
    ),
    "RevealedVariance": lambda t: revealed_variance([3], [2], lambda count: 1.0),
    "Published": lambda t: t.published,
    "RequestVerdict": lambda t: check_request(
        t.published, zoning_of(t.counted, one(AREA)), t.counted
    ),
    # experiments
    "RiskByTables": lambda t: risk_by_tables(t.counted, orders=2),
    "RiskByAreaSize": lambda t: risk_by_area_size(t.counted, sizes=(5, 20), draws=1),
    "RiskByRecodes": lambda t: risk_by_recodes(t.counted, variable="age", widths=(2, 5)),
    "SafeSize": lambda t: smallest_safe_size(t.counted, draws=1),
    # suppression, and the sums of magnitudes
    "CellSystem": lambda t: t.system,
    "Sensitive": lambda t: t.sensitive,
    "tables.Suppression": lambda t: suppress(t.system, t.sensitive),
    "tables.Optimum": lambda t: optimal_suppression(t.system, t.sensitive),
    "Audit": lambda t: audit(t.system, suppress(t.system, t.sensitive).suppressed, t.sensitive),
    "Contributions": lambda t: contributions(t.data.source, t.data.engine, t.sums, "<i>sums"),
    "SystemContributions": lambda t: system_contributions(
        t.data.source, t.data.engine, t.sums, t.sum_system
    ),
    # rounding and noise
    "tables.Rounded": lambda t: controlled_rounding(t.system, 3),
    "RoundedIntervals": lambda t: rounded_intervals(controlled_rounding(t.system, 3)),
    "CellKeyDesign": lambda t: design_perturbation(variance=2.0),
    "PerturbedTables": lambda t: small_count_rounding(t.counted, 3, seed=1),
    "PerturbedRisk": lambda t: perturbed_risk(
        perturb_by_cell_key(t.counted, design_perturbation(variance=2.0), seed=1)
    ),
    "SmallCountsOfSystem": lambda t: small_count_rounding_of_system(t.system, 3, seed=1),
    "Uncertainty": lambda t: uncertainty(RandomRounding(3), 7),
    # from beginning to end
    "TableRisk": lambda t: weigh_tables(t.counted, Publish()),
    "Geographies": lambda t: settle_geographies(
        t.counted, Publish(stop="merge", merge=True), within=None, seed=1
    ),
    "Publication": lambda t: t.publication,
    "TablesFolder": lambda t: t.publication.folder,
}
"""Results by the names of their classes, with a word before where a name is taken elsewhere."""

PARTS = {
    "tables.AttributeDisclosure": ("TargetDisclosure",),
    "ArgusMetadata": ("ArgusVariable",),
    "Revealed": ("RevealedZone",),
}
