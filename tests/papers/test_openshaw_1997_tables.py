"""Openshaw, Duke-Williams and Rees (1997), "Measuring confidentiality risks in census data",
sections 3 and 4 and the worked example of section 5.3 (Tables 1, 2, 3 and 5, Figure 1).

The paper misplaces person 3, aged 11, in cell 9 of the second table (life stage 30–64) although
its Table 5 says life stage 1, which is cell 1. So the printed total of the second table has
1100100031111000 for 2100100021111000, and the printed 6 · 7 · 4 = 168 combinations are
6 · 6 · 4 = 144. Who is a full record tabular unique is not touched by that. Zeros that the scan
lost in nearly every printed vector are restored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import signature
from itertools import combinations

import numpy as np
import pytest
from small_data import open_small

from indistinct.risk import SCENARIOS, check_areas
from indistinct.tables import (
    Counted,
    DerivedSpec,
    Grouping,
    Published,
    Share,
    TableSet,
    TableSpec,
    Zoning,
    check_request,
    count_tables,
    derive,
    difference_geographies,
    false_matches,
    is_derived,
    kernels,
    merge_areas,
    output_class,
    persons,
    revealed_variance,
    table_links,
    tabular_uniques,
    teaching_vectors,
    trace,
)
from indistinct.tables.derived import KINDS
from indistinct.tables.matching.atoms import axes_of
from indistinct.tables.matching.combining import Ones, feasible_combinations

# Table 3: sex, age, ethnic group
GROUP_A = [
    (1, 27, 1),
    (2, 40, 4),
    (1, 11, 1),
    (2, 59, 1),
    (1, 52, 1),
    (1, 38, 2),
    (2, 5, 2),
    (1, 13, 1),
    (2, 68, 1),
    (2, 57, 3),
]
GROUP_B = [*GROUP_A[:9], (1, 52, 1)]
NAMES = ("sex", "age", "ethnic")

AGE = Grouping("age", "age")
AGE1 = Grouping("age1", "age", bands=tuple(float(age) for age in range(0, 91, 5)))
AGE2 = Grouping("age2", "age", bands=(0.0, 15.0, 30.0, 65.0))
SEX = Grouping("sex", "sex")
# four groups, of which nobody in B has the third
ETHNIC = Grouping("ethnic", "ethnic", groups=tuple((str(n), (n,)) for n in (1, 2, 3, 4)))
TABLES = (
    TableSpec("1", (AGE1, SEX)),
    TableSpec("2", (AGE2, ETHNIC)),
    TableSpec("3", (SEX, ETHNIC)),
)

# the vectors of section 5.3, zeros restored; person 3 where Table 5 puts them
Z_OF_A = [
    ("00000000001000000000000000000000000000", "0000100000000000", "10000000"),
    ("00000000000000000100000000000000000000", "0000000000010000", "00000001"),
    ("00001000000000000000000000000000000000", "1000000000000000", "10000000"),
    ("00000000000000000000000100000000000000", "0000000010000000", "00001000"),
    ("00000000000000000000100000000000000000", "0000000010000000", "10000000"),
    ("00000000000000100000000000000000000000", "0000000001000000", "01000000"),
    ("00010000000000000000000000000000000000", "0100000000000000", "00000100"),
    ("00001000000000000000000000000000000000", "1000000000000000", "10000000"),
    ("00000000000000000000000000010000000000", "0000000000001000", "00001000"),
    ("00000000000000000000000100000000000000", "0000000000100000", "00000010"),
]
CELLS_OF_A = [
    (11, 5, 1),
    (18, 12, 8),
    (5, 1, 1),
    (24, 9, 5),
    (21, 9, 1),
    (15, 10, 2),
    (4, 2, 6),
    (5, 1, 1),
    (28, 13, 5),
    (24, 11, 7),
]
Y_OF_A = ("00012000001000100100100200010000000000", "2100100021111000", "41002111")
Y_OF_B = ("00012000001000100100200100010000000000", "2100100031011000", "51002101")
PRINTED_Y2 = "1100100031111000"


def columns(group: Sequence[tuple[int, ...]]) -> dict[str, list[int]]:
    return {name: [person[j] for person in group] for j, name in enumerate(NAMES)}


@dataclass(frozen=True)
class District:
    """People counted, and the class of every one in the order of the paper's tables."""

    counted: Counted
    of_person: np.ndarray

    def by_person(self, of_class: np.ndarray) -> list:
        return of_class[self.of_person].tolist()

    def full(self) -> list[int]:
        """The full record tabular uniques, from 1."""
        return numbered(self.by_person(tabular_uniques(self.counted).full))

    def other(self, *specs: TableSpec) -> District:
        """The same people in other tables."""
        tables = replace(self.counted.tables, tables=specs)
        return District(self.counted.with_tables(tables), self.of_person)


def district(
    table: dict[str, list],
    specs: Sequence[TableSpec] = TABLES,
    *,
    area: str | None = None,
    also: Sequence[str] = (),
    besides: Sequence[str] = (),
) -> District:
    place = persons() if area is None else Grouping(area, area)
    tables = TableSet(tuple(specs), place, tuple(Grouping(name, name) for name in also))
    with open_small(table) as data:
        counted = count_tables(data.source, data.engine, tables, besides=besides)
        of_person = np.concatenate(list(counted.per_person(np.arange(counted.classes))))
        return District(counted, of_person)


def numbered(flags: Sequence[bool]) -> list[int]:
    return [n for n, flag in enumerate(flags, start=1) if flag]


def written(vector: np.ndarray) -> tuple[str, str, str]:
    """A vector of 62 counts as the paper writes it."""
    text = "".join(map(str, vector.tolist()))
    return text[:38], text[38:54], text[54:]


@pytest.fixture(scope="module")
def group_a() -> District:
    return district(columns(GROUP_A))


@pytest.fixture(scope="module")
def group_b() -> District:
    return district(columns(GROUP_B))


# section 5.3: tables, vectors, uniques ----------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "age1", "age2"),
    [
        (GROUP_A, [6, 9, 3, 12, 11, 8, 2, 3, 14, 12], [2, 3, 1, 3, 3, 3, 1, 1, 4, 3]),
        (GROUP_B, [6, 9, 3, 12, 11, 8, 2, 3, 14, 11], [2, 3, 1, 3, 3, 3, 1, 1, 4, 3]),
    ],
    ids=["A", "B"],
)
def test_table_5_recodes(group, age1, age2):
    ages = [person[1] for person in group]
    assert (AGE1.categories(ages).codes + 1).tolist() == age1
    assert (AGE2.categories(ages).codes + 1).tolist() == age2
    labels = AGE1.categories(ages).labels
    assert (len(labels), labels[0], labels[-1]) == (19, "0–4", "90+")
    assert AGE2.categories(ages).labels == ("0–14", "15–29", "30–64", "65+")


def test_62_cells(group_a):
    counted = group_a.counted
    assert [layout.cells for layout in counted.layouts] == [38, 16, 8]
    assert [layout.offset for layout in counted.layouts] == [0, 38, 54]
    assert counted.cells == 62


def test_cells_are_numbered_column_then_row(group_a):
    found = [group_a.by_person(group_a.counted.cell_of(table) + 1) for table in range(3)]
    assert list(zip(*found, strict=True)) == CELLS_OF_A


def test_vectors_of_the_ten_people(group_a):
    vectors = teaching_vectors(group_a.counted)[group_a.of_person]
    assert [written(vector) for vector in vectors] == Z_OF_A
    assert (vectors.sum(axis=1) == 3).all()


def test_totals_of_the_district(group_a, group_b):
    assert written(group_a.counted.area_vector(0)) == Y_OF_A
    assert written(group_b.counted.area_vector(0)) == Y_OF_B


def test_the_printed_total_follows_from_person_3_in_the_wrong_life_stage():
    wrong = as_printed()
    assert written(wrong.counted.area_vector(0)) == (Y_OF_A[0], PRINTED_Y2, Y_OF_A[2])
    # the full uniques are the same; person 8 alone changes, from none to part
    assert wrong.full() == [2, 6, 7]
    part = tabular_uniques(wrong.counted).part
    assert numbered(wrong.by_person(part)) == [1, 5, 8, 9, 10]


def as_printed() -> District:
    """Group A with the life stages that the printed vectors have: 3 for person 3."""
    stages = {"stage": [2, 3, 3, 3, 3, 3, 1, 1, 4, 3]}
    second = TableSpec("2", (Grouping("stage", "stage"), ETHNIC))
    return district(columns(GROUP_A) | stages, (TABLES[0], second, TABLES[2]))


def test_full_and_part_record_tabular_uniques(group_a, group_b):
    found = tabular_uniques(group_a.counted)
    words = np.where(found.full, "FRTU", np.where(found.part, "PRTU", "none"))
    assert group_a.by_person(words) == [
        *("PRTU", "FRTU", "none", "none", "PRTU", "FRTU", "FRTU", "none", "PRTU", "PRTU")
    ]
    assert (found.frtu, found.prtu, found.risk) == (3, 4, 0.3)
    assert group_a.full() == [2, 6, 7]
    # alone in one or in two of the three tables
    assert group_a.by_person(found.ones) == [2, 3, 0, 0, 1, 3, 3, 0, 2, 2]
    assert group_b.full() == [2, 6, 7]
    assert tabular_uniques(group_b.counted).risk == 0.3


def test_only_n_comparisons_for_each_table(group_a, monkeypatch):
    """Every person's cell is looked up once in each table; nobody is compared with anybody."""
    looked_up = []
    kernel = kernels.own_counts

    def counting(starts, cell, counts, cells, out):
        looked_up.append(len(cell))
        kernel(starts, cell, counts, cells, out)

    monkeypatch.setattr(kernels, "own_counts", counting)
    tabular_uniques(group_a.counted)
    assert looked_up == [10, 10, 10]


def test_an_area_without_ones_is_safe():
    twice = columns([*GROUP_A, *GROUP_A]) | {"ed": ["twins"] * 20}
    alone = columns(GROUP_A) | {"ed": ["ED"] * 10}
    both = {name: twice[name] + alone[name] for name in twice}
    counted = district(both, area="ed").counted
    found = tabular_uniques(counted)
    assert counted.areas == ("ED", "twins")
    assert found.frtu_per_area.tolist() == [3, 0]
    assert found.ones_per_table[:, 1].tolist() == [0, 0, 0]
    assert not found.is_safe
    assert tabular_uniques(district(twice, area="ed").counted).is_safe


def test_the_four_possible_tables_and_persons_instead_of_sex(group_a):
    possible = (
        TableSpec("1", (AGE, SEX)),
        TableSpec("2", (AGE, ETHNIC)),
        TableSpec("3", (SEX, ETHNIC)),
        TableSpec("4", (AGE, SEX, ETHNIC)),
    )
    found = group_a.other(*possible)
    assert [layout.shape for layout in found.counted.layouts] == [
        (10, 2),
        (10, 4),
        (2, 4),
        (10, 2, 4),
    ]
    # with ages in single years all are alone wherever age is: sex and ethnic group decide
    assert found.full() == [2, 6, 7, 10]
    found = group_a.other(
        *(
            TableSpec(table.name, tuple(persons() if d is SEX else d for d in table.dimensions))
            for table in possible
        )
    )
    assert [layout.shape for layout in found.counted.layouts] == [
        (10, 1),
        (10, 4),
        (1, 4),
        (10, 1, 4),
    ]
    # persons by ethnic group: groups 3 and 4 have one person each
    assert found.full() == [2, 10]


# section 5.3: false matches and links -----------------------------------------------------------


def test_combinations_of_ones_are_144_from_the_data_and_168_from_the_printed_vectors(group_a):
    found = false_matches(group_a.counted)
    assert found.ones_per_table[:, 0].tolist() == [6, 6, 4]
    assert found.combinations == 144
    printed = false_matches(as_printed().counted)
    assert printed.ones_per_table[:, 0].tolist() == [6, 7, 4]
    assert printed.combinations == 168
    # "of which all but three would be false matches"
    assert printed.combinations - printed.true == 165


def test_combinations_of_ones_of_group_b(group_b):
    found = false_matches(group_b.counted)
    assert found.ones_per_table[:, 0].tolist() == [6, 5, 3]
    assert found.combinations == 90


def test_linked_tables_leave_six_combinations_of_which_three_are_people(group_a, group_b):
    for group in (group_a, group_b):
        found = false_matches(group.counted)
        assert (found.feasible, found.true, found.false) == (6, 3, 3)
        assert found.success == 0.5
    axes = axes_of(group_a.counted, joined=True)
    ones = []
    for layout, uses, y in zip(
        group_a.counted.layouts, axes.uses, (Y_OF_A[0], PRINTED_Y2, Y_OF_A[2]), strict=True
    ):
        cells = np.array([n for n, digit in enumerate(y) if digit == "1"])
        pieces = tuple(use.piece_of(cells, layout.shape).astype(np.int32) for use in uses)
        ones.append(Ones(np.zeros(len(cells), dtype=np.int32), pieces))
    # "somewhat less than 168"
    assert feasible_combinations(axes, ones, 1, most_states=1000) == [6]


def test_a_modified_record_is_not_at_risk():
    imputed = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    people = columns(GROUP_A) | {"imputed": imputed}
    counted = district(people, besides=["imputed"]).counted
    found = tabular_uniques(counted, modified=("imputed", (1,)))
    # the paper does not say whether N leaves modified records out; all ten are kept
    assert found.risk == pytest.approx(0.2, abs=1e-12)
    assert found.frtu == 3
    # potential matches are those of all records, modified ones too
    assert false_matches(counted, found).combinations == 144
    assert false_matches(counted, found).true == 2


def test_the_only_17_year_old_is_tracked_across_tables():
    people = columns([(1, 17, 1), *GROUP_A[1:]]) | {"travel": ["car"] + ["bus"] * 9}
    travel = Grouping("travel", "travel")
    specs = [TableSpec(one.name, (AGE, one)) for one in (SEX, ETHNIC, travel)]
    counted = district(people, specs).counted
    assert table_links(counted).spectrum == 1.0
    assert table_links(counted).common_coding == ("age",)
    found = trace(counted, {"age": 17})
    assert found.record == {"sex": "1", "ethnic": "1", "travel": "car"}
    assert found.complete


def test_tables_that_share_no_variable_disclose_only_in_part():
    """One 27-year-old male and one person who travels by car: nothing says that they are one."""
    people = columns(GROUP_A) | {"travel": ["car"] + ["bus"] * 9}
    specs = [TableSpec("1", (AGE, SEX)), TableSpec("2", (Grouping("travel", "travel"),))]
    counted = district(people, specs).counted
    assert table_links(counted).spectrum == 0.0
    assert table_links(counted).pairs == ()
    found = trace(counted, {"age": 27})
    assert found.record == {"sex": "1"}
    assert not found.complete


# section 3: what may leave, match keys, sizes ---------------------------------------------------

# Table 2, in the paper's order
MATCH_KEYS = ("gender", "age", "occupation", "house type", "tenure", "car ownership")


def test_match_keys_of_table_2_change_who_is_at_risk():
    rng = np.random.default_rng(2)
    sizes = (2, 30, 4, 3, 3, 3)
    people = {
        name: rng.integers(0, size, 40).tolist()
        for name, size in zip(MATCH_KEYS, sizes, strict=True)
    }
    people |= {"illness": rng.integers(0, 5, 40).tolist(), "born": rng.integers(0, 9, 40).tolist()}
    pairs = [
        *(("age", "gender"), ("born", "tenure"), ("illness", "occupation", "gender")),
        *(("house type", "car ownership", "age"), ("tenure", "occupation", "age")),
    ]
    specs = [TableSpec(" ".join(p), tuple(Grouping(n, n) for n in p)) for p in pairs]
    everything = district(people, specs)
    tables = everything.counted.tables
    known = everything.other(*tables.restricted(MATCH_KEYS))
    variables = {name for table in known.counted.tables for name in table.variables}
    assert variables == set(MATCH_KEYS)
    assert known.counted.cells < everything.counted.cells
    # tables added up over what is not known count more people in every cell
    assert set(known.full()) < set(everything.full())
    # and without the tables that have something unknown there are fewer to be alone in
    alone = everything.other(*tables.restricted(MATCH_KEYS, margins=False))
    assert set(everything.full()) < set(alone.full())
    assert [table.name for table in alone.counted.tables] == [
        *("age gender", "house type car ownership age", "tenure occupation age")
    ]


def test_match_keys_of_the_worked_example(group_a):
    """Without the ethnic group nobody is alone in all tables: the sexes are five and five."""
    tables = group_a.counted.tables
    known = group_a.other(*tables.restricted(("age", "sex")))
    assert [layout.shape for layout in known.counted.layouts] == [(19, 2), (4,), (2,)]
    assert known.full() == []
    only = group_a.other(*tables.restricted(("age", "sex"), margins=False))
    assert only.full() == [1, 2, 5, 6, 7, 9]


def test_the_seven_safe_kinds_of_table_1_can_be_computed():
    rng = np.random.default_rng(3)
    area = np.repeat(np.arange(30), 80)
    level = rng.normal(0, 0.7, 30)[area]
    people = {"area": area, "head": rng.integers(0, 2, 2400), "age": rng.integers(0, 90, 2400)}
    for name in ("car", "work", "room"):
        people[name] = (rng.random(2400) < 1 / (1 + np.exp(-level))).astype(int)
    names = ("car", "work", "room", "head", "age")
    spec = TableSpec("all", tuple(Grouping(name, name) for name in names))
    car, work, room = (Share(name, ((name, (1,)),)) for name in names[:3])
    asked = [
        DerivedSpec("counts", "people", households=(("head", (1,)),)),
        DerivedSpec("index", "need", (car, work)),
        DerivedSpec("chi-square", "work against the rest", (work,)),
        DerivedSpec("components", "first component", (car, work, room)),
        DerivedSpec("percentages", "rooms", (room,)),
        DerivedSpec("model", "cars by work", (work,), outcome=car, numbers=("age",)),
        DerivedSpec("clusters", "kind of area", (car, work, room), clusters=3),
    ]
    assert [one.kind for one in asked] == list(KINDS)
    found = derive(district(people, [spec], area="area").counted, asked)
    assert {column.kind for column in found.columns} == set(KINDS) - {"model"}
    assert [p.model for p in found.parameters] == ["cars by work"] * 3
    for column in found.columns:
        assert column.withheld < 30, column.name
    assert found["people"].tolist() == [80] * 30
    # the classes of output of section 3: derived statistics, and raw counts
    assert all(map(is_derived, asked))
    assert output_class(spec) == "raw counts"


def test_24_questions_become_10000_cells_for_districts_and_20000_for_wards():
    """400 people of a district in 100 tables are 40,000 ones among 10,000 cells."""
    rng = np.random.default_rng(1)
    questions = {f"q{n:02}": rng.integers(0, 10, 400).tolist() for n in range(24)}
    groupings = [Grouping(name, name) for name in questions]
    specs = [TableSpec(f"{a.name} {b.name}", (a, b)) for a, b in combinations(groupings, 2)]
    found = district(questions, [*specs[:76], *specs[-124:]])
    wards, districts = found.counted, found.other(*specs[:76], *specs[-24:]).counted
    assert len(wards.codes) == 24
    assert (districts.cells, wards.cells) == (10_000, 20_000)
    y = districts.area_vector(0)
    assert (len(y), y.sum()) == (10_000, 400 * 100)
    # only cells that somebody is in are kept
    assert sum(len(districts.cell_counts(n)) for n in range(100)) == (y > 0).sum()


def test_thresholds_of_1991_are_50_people_for_tables_and_120000_for_samples():
    districts = columns([*GROUP_A * 3, *GROUP_B * 4]) | {"ed": [f"{n // 10}" for n in range(70)]}
    merged = merge_areas(district(districts, area="ed").counted, least_people=50)
    assert merged.regrouped.area_sizes.min() >= 50
    assert any(one.area_threshold == 120_000 for one in SCENARIOS.values())
    assert signature(check_areas).parameters["at_least"].default == 120_000


# section 4: differencing ------------------------------------------------------------------------


def test_a_zone_of_eight_reveals_the_other_two():
    table = columns(GROUP_A) | {"ed": ["ED"] * 10, "zone": ["zone"] * 8 + [None] * 2}
    people = district(table, area="ed", also=["zone"])
    # neither is a full unique of the district
    assert people.full() == [2, 6, 7]
    found = difference_geographies(people.counted, *(Grouping(n, n) for n in ("ed", "zone")))
    assert written(found.vector(0)) == (
        "00000000000000000000000100010000000000",
        "0000000000101000",
        "00001010",
    )
    full = np.zeros(people.counted.classes, dtype=bool)
    full[found.classes[found.full]] = True
    assert numbered(people.by_person(full)) == [9, 10]
    assert (found.people, found.frtu, found.newly) == (2, 2, 2)


def test_a_second_request_is_refused():
    people = {"first": 8, "last": 2}
    whole = Zoning("district", "part", {"first": "ED", "last": "ED"})
    zone = Zoning("zone", "part", {"first": "zone", "last": None})
    published = Published()
    for request in (whole, zone):
        assert check_request(published, request, people, threshold=5).allowed
    for first, second in ((whole, zone), (zone, whole)):
        verdict = check_request(published.and_also(first), second, people, threshold=5)
        assert not verdict.allowed
        assert "2 people" in verdict.reasons[0]


def test_uncertainties_of_both_sources_add_up():
    """Point 5: the uncertainty of a revealed table is the sum of those of its two sources."""
    found = revealed_variance([10], [8], lambda _: 2 / 3, lambda _: 0.5)
    assert found.count == 2
    assert found.variance == pytest.approx(2 / 3 + 1 / 2)
    assert not found.is_usable
