"""What two zonings reveal by subtraction, against every subset of zones and the paper's example."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.tables import Grouping, TableSet, TableSpec, count_tables
from indistinct.tables.counting import Counted
from indistinct.tables.differencing import (
    difference_geographies,
    difference_recodings,
    difference_universes,
    differences,
    joint,
    joint_atoms,
    merge_to_stop,
    revealed_variance,
    revealed_zones,
    two_geographies,
)

# Openshaw et al. (1997), Table 3, group A: sex, age, ethnic group
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

AGE5 = Grouping("age5", "age", bands=tuple(range(0, 91, 5)))
STAGE = Grouping("stage", "age", bands=(0, 15, 30, 65))
SEX = Grouping("sex", "sex")
ETHNIC = Grouping("ethnic", "ethnic")
PAPER_TABLES = (
    TableSpec("age and sex", (AGE5, SEX)),
    TableSpec("stage and ethnic", (STAGE, ETHNIC)),
    TableSpec("sex and ethnic", (SEX, ETHNIC)),
)


def every_subset(items):
    for size in range(len(items) + 1):
        yield from combinations(items, size)


def by_brute_force(first, second, counts, threshold):
    """Every union of zones of one minus every union of zones of the other that lies within it."""
    atoms = {}
    for a, b, count in zip(first, second, counts, strict=True):
        if count and (a >= 0 or b >= 0):
            atoms[a, b] = atoms.get((a, b), 0) + count
    least = {}
    for some in every_subset(sorted({a for a, _ in atoms if a >= 0})):
        in_some = {atom for atom in atoms if atom[0] in some}
        for others in every_subset(sorted({b for _, b in atoms if b >= 0})):
            in_others = {atom for atom in atoms if atom[1] in others}
            for large, small in ((in_some, in_others), (in_others, in_some)):
                people = sum(atoms[atom] for atom in large - small)
                if small <= large and 0 < people < threshold:
                    for atom in large - small:
                        least[atom] = min(people, least.get(atom, people))
    return least


def random_zonings(rng):
    """Zonings that have nothing to do with each other, or nearly agree as geographies do."""
    threshold = int(rng.choice([3, 6, 10]))
    if rng.random() < 0.5:
        zones = rng.integers(1, 6, size=2)
        rows = int(rng.integers(2, 22))
        codes = [rng.integers(-int(rng.random() < 0.4), n, size=rows) for n in zones]
        sizes = [1, 2, 3, 4, 8, 20, 50] if rng.random() < 0.7 else [1, 2, 3]
        return codes[0], codes[1], rng.choice(sizes, size=rows), threshold
    # a core in every zone, and slivers to zones farther on: told only several together
    zones, slivers = int(rng.integers(3, 6)), int(rng.integers(2, 9))
    ends = np.sort(rng.integers(-int(rng.random() < 0.2), zones, size=(slivers, 2)), axis=1)
    if rng.random() < 0.3:
        ends[0] = ends[0, ::-1]
    first, second = (np.concatenate([np.arange(zones), ends[:, side]]) for side in (0, 1))
    counts = np.concatenate([rng.choice([5, 20, 50], zones), rng.integers(1, 4, slivers)])
    return first, second, counts, threshold


def check_against_brute_force(seed, cases):
    rng = np.random.default_rng(seed)
    several = subtracted = 0
    for _ in range(cases):
        first, second, counts, threshold = random_zonings(rng)
        found = revealed_zones(first, second, counts, threshold)
        two = found.overlap
        least = {
            (int(a), int(b)): int(people)
            for a, b, people in zip(two.first, two.second, found.least_people, strict=True)
            if people
        }
        expected = by_brute_force(first.tolist(), second.tolist(), counts.tolist(), threshold)
        assert least == expected
        several += int((np.diff(found.starts)[: found.number] > 1).sum())
        subtracted += found.number
        for number in range(len(found.people)):
            check_calculation(found, number)
    assert several > cases / 10
    assert subtracted > cases / 3


def check_calculation(found, number):
    """Adding and subtracting the zones that are named gives the atoms, each once."""
    two, zone = found.overlap, found.zone(number)
    sides = {two.names[0]: (two.first, two.first_labels)}
    sides[two.names[1]] = (two.second, two.second_labels)
    total = np.zeros(len(two), dtype=int)
    for sign, labels, source in (
        (1, zone.added, zone.added_from),
        (-1, zone.subtracted, zone.subtracted_from),
    ):
        code, known = sides[source]
        for label in labels:
            total[code == list(known).index(label)] += sign
    expected = np.zeros(len(two), dtype=int)
    expected[list(zone.atoms)] = 1
    assert (total == expected).all()
    assert two.people[list(zone.atoms)].sum() == zone.people < found.threshold


def test_smallest_revealed_zones_equal_brute_force():
    check_against_brute_force(1, 120)


@pytest.mark.heavy
def test_smallest_revealed_zones_equal_brute_force_in_1000_cases():
    check_against_brute_force(2, 1000)


def test_zones_that_nest_reveal_what_one_of_them_lacks():
    # the county is published, and all of its districts but a small one
    found = revealed_zones([0, 0, 0, 1], [0, 1, -1, 2], [500, 300, 7, 900])
    assert [(zone.people, zone.how) for zone in found.zones()] == [
        (7, "1 of first minus 1, 2 of second")
    ]
    whole = revealed_zones([0, 0, 0, 1], [0, 1, 2, 3], [500, 300, 7, 900])
    assert whole.number == 0
    assert whole.published_below == 1


def test_boundaries_shifted_along_a_road_are_told_by_running_sums():
    # every zone loses 3 people to the one before it: zones 1 … n minus zones 1 … n of the other
    number = 3000
    first = np.repeat(np.arange(number), 2)
    second = np.maximum(first - (np.arange(2 * number) % 2 == 0), 0)
    counts = np.tile([3, 97], number)
    found = revealed_zones(first, second, counts)
    assert found.number == number - 1
    assert (found.people[: found.number] == 3).all()
    assert (np.diff(found.starts)[: found.number] == 1).all()
    check_calculation(found, 10)


def test_many_people_around_a_sliver_hide_it():
    assert revealed_zones([0, 0, 1, 1], [0, 1, 0, 1], [60, 3, 40, 70]).number == 0
    # unless the other sliver is small as well: two zones minus two zones are no help, but one is
    assert revealed_zones([0, 0, 1, 1], [0, 1, 0, 1], [60, 3, 4, 70]).number == 0
    assert revealed_zones([0, 0, 1, 1], [0, 1, 1, 2], [60, 3, 4, 70]).number == 2


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="threshold must be a whole number of at least 2"):
        revealed_zones([0], [0], [5], 1)
    with pytest.raises(InputError, match="same rows"):
        revealed_zones([0, 1], [0], [5])
    with pytest.raises(InputError, match="negative"):
        revealed_zones([0], [0], [-5])


# the paper's example ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paper() -> Iterator[Counted]:
    table = {name: [row[n] for row in GROUP_A] for n, name in enumerate(("sex", "age", "ethnic"))}
    table["ed"] = ["ED"] * 10
    table["zone"] = ["Z"] * 8 + [None] * 2
    tables = TableSet(PAPER_TABLES, Grouping("ed", "ed"), (Grouping("zone", "zone"),))
    with open_small(table) as data:
        yield count_tables(data.source, data.engine, tables)


def test_persons_9_and_10_become_full_uniques_as_in_ops_differencing(paper):
    ed, zone = paper.tables.area, paper.tables.also[0]
    found = difference_geographies(paper, ed, zone)
    vector = "".join(map(str, found.vector(0)))
    assert [vector[:38], vector[38:54], vector[54:]] == [
        "00000000000000000000000100010000000000",
        "0000000000101000",
        "00001010",
    ]
    assert (found.zones, found.people, found.frtu, found.prtu, found.newly) == (1, 2, 2, 0, 2)
    ages = [paper.values["age"][paper.codes["age"][n]] for n in found.classes[found.full]]
    assert sorted(ages) == [57, 68]
    assert found.revealed.zone(0).how == "ED of ed minus Z of zone"
    assert (difference_geographies(paper, zone, ed).vector(0) == found.vector(0)).all()


def test_difference_of_published_vectors_is_the_revealed_table(paper):
    ed, zone = paper.tables.area, paper.tables.also[0]
    inside = paper.values["zone"].index("Z")
    cells = [paper.cell_of(n) + layout.offset for n, layout in enumerate(paper.layouts)]
    published = np.zeros(paper.cells, dtype=int)
    for cell in cells:
        np.add.at(published, cell[paper.codes["zone"] == inside], 1)
    revealed = difference_geographies(paper, ed, zone).vector(0)
    assert (paper.area_vector(0) - published == revealed).all()


def test_codings_that_nest_leave_nothing_to_subtract(paper):
    found = differences(paper)
    assert [pair.kind for pair in found.pairs] == ["geographies"]
    assert found.joint is None
    told = found.to_dict()["pairs"][0]
    assert (told["first"], told["second"], told["revealed"], told["frtu"]) == ("ed", "zone", 1, 2)


# groupings and universes -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def working() -> Iterator[Counted]:
    rng = np.random.default_rng(4)
    people = 400
    table = {
        "area": rng.integers(1, 4, people),
        "other": rng.integers(1, 3, people),
        "third": rng.integers(1, 3, people),
        "age": rng.integers(0, 40, people),
        "sex": rng.choice(["f", "m"], people),
        "work": rng.choice(["yes", "yes", "yes", "no"], people),
    }
    adults = Grouping("adult", "age", bands=(0, 16))
    tables = TableSet(
        (
            TableSpec("five", (Grouping("age5", "age", width=5), SEX)),
            TableSpec("adults", (adults, SEX)),
            TableSpec("at work", (adults, SEX), universe=(("work", ("yes",)),)),
        ),
        Grouping("area", "area"),
        (Grouping("other", "other"), Grouping("third", "third")),
    )
    with open_small(table) as data:
        yield count_tables(data.source, data.engine, tables)


def counts_where(counted, area, **conditions):
    inside = counted.area == area
    for name, test in conditions.items():
        values = [test(value) for value in counted.values[name]]
        inside &= np.array(values)[counted.codes[name]]
    return int(counted.counts[inside].sum())


def test_fifteen_year_olds_are_told_by_two_groupings_of_age(working):
    found = difference_recodings(working, "five", "adults", threshold=10)
    # 0–15 minus 0–4, 5–9 and 10–14; what is left of 15–19 stays with the others from 16 on
    sizes = [
        counts_where(working, area, age=lambda a: a == 15, sex=lambda s, want=sex: s == want)
        for area in range(3)
        for sex in ("f", "m")
    ]
    small = [size for size in sizes if 0 < size < 10]
    revealed = found.revealed
    alone = [
        zone.people
        for zone in revealed.zones()
        if len(zone.added) == 1 and len(zone.subtracted) == 3
    ]
    assert sorted(alone) == sorted(small)
    assert all("0–15" in zone.added[0] for zone in revealed.zones() if len(zone.subtracted) == 3)
    for number in range(revealed.number):
        check_calculation(revealed, number)


def test_one_universe_minus_another_tells_the_others(working):
    found = difference_universes(working, "adults", "at work", threshold=20)
    sizes = [
        counts_where(
            working,
            area,
            age=lambda a, adult=adult: (a >= 16) == adult,
            sex=lambda s, want=sex: s == want,
            work=lambda w: w == "no",
        )
        for area in range(3)
        for sex in ("f", "m")
        for adult in (False, True)
    ]
    revealed = found.revealed
    assert sorted(revealed.people[: revealed.number]) == sorted(s for s in sizes if 0 < s < 20)
    assert found.kind == "universes"


def test_full_uniques_of_revealed_cells_are_alone_in_every_other_table(working):
    found = difference_universes(working, "adults", "at work", threshold=20)
    five = working.own_counts(working.position("five"))[found.classes]
    size = found.revealed.people[found.counted.area]
    assert (found.full == ((size == 1) & (five == 1))).all()


def test_everything_is_compared_with_everything_once(working):
    found = differences(working, threshold=10, cell_threshold=4)
    assert [(pair.kind, pair.revealed.overlap.names) for pair in found.pairs] == [
        ("geographies", ("area", "other")),
        ("geographies", ("area", "third")),
        ("geographies", ("other", "third")),
        ("recodings", ("five", "adults")),
        ("recodings and universes", ("five", "at work")),
        ("universes", ("adults", "at work")),
    ]
    assert found.joint is not None
    assert found.revealed == sum(p.zones for p in found.pairs) + found.joint.number
    with pytest.raises(InputError, match="group no variable differently"):
        difference_recodings(working, "adults", "at work")
    with pytest.raises(InputError, match="count the same people"):
        difference_universes(working, "five", "adults")


# several zonings together ----------------------------------------------------------------------


def every_move(zones):
    """A basis of the vectors that add up to 0 in every zone, by elimination over the fractions."""
    atoms, kinds = zones.shape
    rows = [
        [Fraction(int(x)) for x in zones[:, kind] == zone]
        for kind in range(kinds)
        for zone in range(zones[:, kind].max() + 1)
    ]
    pivots, done = [], 0
    for column in range(atoms):
        at = next((n for n in range(done, len(rows)) if rows[n][column]), None)
        if at is None:
            continue
        rows[done], rows[at] = rows[at], rows[done]
        rows[done] = [x / rows[done][column] for x in rows[done]]
        for n, row in enumerate(rows):
            if n != done and row[column]:
                rows[n] = [x - row[column] * y for x, y in zip(row, rows[done], strict=True)]
        pivots.append(column)
        done += 1
    for free in sorted(set(range(atoms)) - set(pivots)):
        move = [Fraction(0)] * atoms
        move[free] = Fraction(1)
        for row, pivot in zip(rows, pivots, strict=False):
            move[pivot] = -row[free]
        yield move


@pytest.mark.parametrize("exact_work", [joint.EXACT_WORK, 0])
def test_jointly_determined_atoms_equal_elimination_over_fractions(exact_work, monkeypatch):
    monkeypatch.setattr(joint, "EXACT_WORK", exact_work)
    rng = np.random.default_rng(3)
    singles = pairs = 0
    for _ in range(40):
        rows = int(rng.integers(3, 14))
        zonings = [
            rng.integers(-int(rng.random() < 0.3), rng.integers(2, 5), size=rows)
            for _ in range(rng.integers(2, 5))
        ]
        found = joint_atoms(zonings, rng.choice([1, 2, 3, 20], size=rows), 10)
        basis, people = list(every_move(found.zones)), found.people
        fixed = [n for n in range(len(people)) if all(move[n] == 0 for move in basis)]
        both = [
            [m, n]
            for m, n in combinations(sorted(set(range(len(people))) - set(fixed)), 2)
            if people[m] + people[n] < 10 and all(move[m] + move[n] == 0 for move in basis)
        ]
        assert sorted(found.single.tolist()) == [n for n in fixed if people[n] < 10]
        assert found.pairs.tolist() == both
        singles, pairs = singles + len(found.single), pairs + len(both)
    assert singles > 40
    assert pairs > 10


@pytest.fixture(scope="module")
def geographies():
    return two_geographies(np.random.default_rng(1), people=40_000, zones=400, shift=0.05)


def test_cuts_and_linear_algebra_agree_on_a_map(geographies):
    counts = np.ones(len(geographies.first), dtype=int)
    revealed = revealed_zones(geographies.first, geographies.second, counts)
    together = joint_atoms([geographies.first, geographies.second], counts)
    lengths = np.diff(revealed.starts)
    single = revealed.atoms[revealed.starts[:-1][lengths == 1]]
    assert revealed.number > 10
    assert sorted(single) == sorted(together.single)
    pairs = {tuple(sorted(revealed.atoms_of(n).tolist())) for n in np.flatnonzero(lengths == 2)}
    assert pairs <= {tuple(pair) for pair in together.pairs.tolist()}
    for number in range(0, revealed.number, 5):
        check_calculation(revealed, number)


# stopping and uncertainty ----------------------------------------------------------------------


def test_merging_stops_an_attack_on_a_map(geographies):
    counts = np.ones(len(geographies.first), dtype=int)
    done = merge_to_stop(geographies.first, geographies.second, counts)
    assert done.before.number > 10
    merged = done.zoning(geographies.second)
    assert revealed_zones(geographies.first, merged, counts).number == 0
    # the zones that are merged, and no others, are in new zones
    kept = [label for label in done.labels if "+" not in label]
    assert len(kept) + sum(map(len, done.merged)) == len(done.before.overlap.second_labels)
    assert done.to_dict()["left_out"] == 0


def test_merging_always_ends_with_nothing_revealed():
    rng = np.random.default_rng(6)
    for _ in range(60):
        first, second, counts, threshold = random_zonings(rng)
        done = merge_to_stop(first, second, counts, threshold)
        assert revealed_zones(first, done.zoning(second), counts, threshold).number == 0


def test_variances_of_both_sources_add_up():
    # rounding to base 3 at random: a remainder r moves up with r/3, so the variance is r(3 - r)
    def rounding(count):
        return (count % 3) * (3 - count % 3)

    found = revealed_variance([10, 7], [4, 5], rounding, lambda count: 0.5)
    assert found.variance == pytest.approx(2 + 2 + 0.5 + 0.5)
    assert (found.count, found.terms) == (8, 4)
    rng = np.random.default_rng(1)
    drawn = [3 * (n // 3) + 3 * (rng.random(200_000) < (n % 3) / 3) for n in (10, 7)]
    rounded = drawn[0] + drawn[1]
    assert rounded.var() == pytest.approx(rounding(10) + rounding(7), rel=0.02)


def test_a_revealed_count_is_usable_up_to_a_relative_error():
    assert revealed_variance([100], [4], lambda count: 1.0).is_usable
    assert not revealed_variance([10], [8], lambda count: 1.0).is_usable
    assert revealed_variance([10], [8], lambda count: 0.0).is_usable
    nothing = revealed_variance([8], [8], lambda count: 1.0)
    assert not nothing.is_usable
    assert nothing.to_dict()["relative_error"] is None
    with pytest.raises(InputError, match="negative"):
        revealed_variance([1], [1], lambda count: -1.0)
