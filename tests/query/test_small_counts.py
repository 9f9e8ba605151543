"""What several answers together give away, against brute force over the records."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from released import fewest_records

from indistinct.query.small_counts import weak_combinations


def atoms_of(sets: list[set[int]], records: int) -> dict[frozenset[int], int]:
    atoms: dict[frozenset[int], int] = {}
    for r in range(records):
        key = frozenset(i for i, members in enumerate(sets) if r in members)
        if key:
            atoms[key] = atoms.get(key, 0) + 1
    return atoms


families = st.integers(3, 8).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=6),
        st.integers(1, 5),
    )
)


@settings(max_examples=400, deadline=None)
@given(families)
def test_weakness_equals_brute_force(family):
    records, sets, smallest = family
    found = weak_combinations(atoms_of(sets, records), smallest=smallest)
    assert bool(found) == (fewest_records(sets, records, up_to=records) < smallest)
    for answers in found:
        assert fewest_records([sets[i] for i in answers], records, up_to=smallest) < smallest


@pytest.mark.parametrize(
    ("withheld", "safe"),
    [
        ({(0, 0)}, False),  # the cell is its row less the others
        ({(0, 0), (0, 1)}, False),  # each is its column less the others
        ({(0, 0), (0, 1), (1, 0)}, False),
        ({(0, 0), (0, 1), (1, 0), (1, 1)}, True),  # a rectangle holds in both directions
    ],
)
def test_a_table_with_its_margins_needs_a_rectangle_of_withheld_cells(withheld, safe):
    """The classic of complementary suppression: cells of 2 records each, `smallest` = 4."""
    cell = {(i, j): 2 if i < 2 and j < 2 else 9 for i in range(3) for j in range(3)}
    atoms = {}
    for (i, j), records in cell.items():
        answers = {100, 10 + i, 20 + j}
        if (i, j) not in withheld:
            answers.add(1000 + 3 * i + j)
        atoms[frozenset(answers)] = records
    published_small = any(n < 4 and at not in withheld for at, n in cell.items())
    assert (not weak_combinations(atoms, smallest=4)) == (safe and not published_small)


def test_a_difference_of_sums_over_several_answers_is_found():
    """Two of five regions together, less both regions: the one record left out."""
    atoms = {
        frozenset({0, 1, 6}): 19,
        frozenset({0, 1}): 1,
        frozenset({0, 2, 6}): 20,
        **{frozenset({0, r}): 20 for r in range(3, 6)},
    }
    (found,) = weak_combinations(atoms, smallest=5)
    assert 6 in found


def test_large_tables_are_looked_at_in_whole():
    """A hundred by fifty cells with both margins: all sizes are enough, so nothing is weak."""
    cells = [(i, j) for i in range(100) for j in range(50)]
    atoms = {frozenset({0, 1 + i, 200 + j, 1000 + 50 * i + j}): 5 for i, j in cells}
    assert weak_combinations(atoms, smallest=5) == []
    everything = frozenset({0, 8, 207, 1357})
    atoms[everything - {1357}] = atoms.pop(everything)
    assert weak_combinations(atoms, smallest=5) == []
    atoms[everything - {1357}] = 4  # the only cell that is withheld, had from either margin
    assert weak_combinations(atoms, smallest=5) != []
