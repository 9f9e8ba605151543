"""Several releases together, against counts made record by record from the definitions."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small

from indistinct.files import open_table
from indistinct.hierarchy.labels import is_suppressed, stands_for
from indistinct.prove.together import Edition, check_together
from indistinct.prove.together.inference import inferred_associations

Rows = list[dict[str, Any]]

KEY = ("zip", "age", "sex")
ILLNESSES = ["flu", "gout", "asthma"]


def seeds(last, *, first=0):
    """Return seeds, of which all but some are for the whole suite."""
    return [
        seed if seed < first + 4 else pytest.param(seed, marks=pytest.mark.heavy)
        for seed in range(first, last)
    ]


def population(rng: np.random.Generator, size: int) -> Rows:
    return [
        {
            "zip": f"0{rng.integers(1, 3)}{rng.integers(1, 3)}",
            "age": int(rng.integers(20, 26)),
            "sex": "mf"[rng.integers(2)],
            "ill": ILLNESSES[rng.integers(3)],
        }
        for _ in range(size)
    ]


def released(people: Rows, rng: np.random.Generator, *, local: float) -> Rows:
    """Recode whole columns, and some cells further; leave out or shuffle nothing but the order."""
    digits, width = int(rng.integers(1, 4)), int(rng.choice([1, 2, 3]))
    hidden_sex = rng.random() < 0.3
    hidden_ill = rng.random() < 0.2
    rows = []
    for person in people:
        own_digits = digits if rng.random() >= local else int(rng.integers(0, 4))
        zipcode = person["zip"][:own_digits] + "*" * (3 - own_digits)
        low = 20 + (person["age"] - 20) // width * width
        age = str(person["age"]) if width == 1 else f"[{low}, {low + width})"
        if rng.random() < local / 2:
            age = None
        sex = "*" if hidden_sex or rng.random() < local / 4 else person["sex"]
        rows.append({"zip": zipcode, "age": age, "sex": sex, "ill": person["ill"]})
    rng.shuffle(rows)
    if hidden_ill:
        rows = [{name: row[name] for name in KEY} for row in rows]
    return rows


def meets(a: dict[str, Any], b: dict[str, Any], names: list[str]) -> bool:
    return all(stands_for(a[n], b[n]) for n in names)


def shared_names(one: Rows, other: Rows) -> list[str]:
    return [name for name in one[0] if name in other[0]]


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in KEY)


def partners(row: dict[str, Any], other: Rows, names: list[str]) -> Rows:
    return [b for b in other if meets(row, b, names)]


def refers(row: dict[str, Any], person: dict[str, Any], people: Rows) -> bool:
    """A cell that meets nobody is untrue and left out; a record of such cells refers to nobody."""
    true = [n for n in KEY if any(stands_for(row[n], u[n]) for u in people)]
    return bool(true) and meets(row, person, true)


def people_left(releases: list[Rows], people: Rows) -> list[list[int]]:
    """|L(r)| over the best choice of other releases, for every record of every release."""
    answer = []
    for i, rows in enumerate(releases):
        counts = []
        others = [j for j in range(len(releases)) if j != i]
        for row in rows:
            crowd = [u for u in people if refers(row, u, people)]
            found = {j: partners(row, releases[j], shared_names(rows, releases[j])) for j in others}
            least = len(crowd)
            for size in range(len(others) + 1):
                for chosen in combinations([j for j in others if found[j]], size):
                    left = sum(
                        all(any(refers(b, u, people) for b in found[j]) for j in chosen)
                        for u in crowd
                    )
                    if left:
                        least = min(least, left)
            counts.append(least)
        answer.append(counts)
    return answer


def check(releases: list[Rows], people: Rows | None, *, k: int, **options: Any) -> Any:
    with open_small(columns(releases[0])) as data:
        space = data.engine.workspace
        sources = [
            open_table(columns(rows), workspace=space, origin=f"R{number}")
            for number, rows in enumerate(releases)
        ]
        editions = [Edition(s, f"R{number}", KEY, k) for number, s in enumerate(sources)]
        if people is not None:
            register = open_table(
                columns([{n: u[n] for n in KEY} for u in people]), workspace=space, origin="E"
            )
            options["people"] = register
        return check_together(data.engine, editions, **options)


def columns(rows: Rows) -> dict[str, list[Any]]:
    return {
        name: [None if row[name] is None else str(row[name]) for row in rows] for name in rows[0]
    }


def case(seed: int, releases: int) -> tuple[list[Rows], Rows]:
    rng = np.random.default_rng(seed)
    subjects = population(rng, int(rng.integers(2, 14)))
    others = population(rng, int(rng.integers(0, 6)))
    local = float(rng.choice([0.0, 0.3]))
    return [released(subjects, rng, local=local) for _ in range(releases)], subjects + others


@pytest.mark.parametrize("seed", seeds(40))
def test_people_left_are_those_of_the_definition(seed: int) -> None:
    releases, people = case(seed, 2 + seed % 2)
    expected = people_left(releases, people)
    found = check(releases, people, k=1000)
    assert [g.together for g in found.releases] == [min(c) for c in expected]
    for k in (2, 3, 5):
        found = check(releases, people, k=k)
        assert [g.together for g in found.releases] == [min(c) for c in expected]
        assert found.k == min(map(min, expected))
        assert [g.below for g in found.releases] == [sum(n < k for n in c) for c in expected]
        assert found.holds == all(n >= k for c in expected for n in c)


@pytest.mark.parametrize("seed", seeds(80, first=60))
def test_people_who_are_not_in_a_register_are_not_counted(seed: int) -> None:
    """A register of others: records may refer to nobody, and partners may leave nobody."""
    releases, people = case(seed, 2)
    half = people[: max(1, len(people) // 2)]
    expected = people_left(releases, half)
    found = check(releases, half, k=1000)
    for given_, counts in zip(found.releases, expected, strict=True):
        assert given_.nobody == sum(n == 0 for n in counts)
        assert given_.together == min([n for n in counts if n], default=0)


@pytest.mark.parametrize("seed", seeds(40))
def test_counting_records_never_says_more_people_than_there_are(seed: int) -> None:
    """What is said without a register holds for every population that has the subjects."""
    releases, people = case(seed, 2 + seed % 2)
    true = people_left(releases, people)
    found = check(releases, None, k=1000)
    sizes = [[sum(key_of(o) == key_of(r) for o in rows) for r in rows] for rows in releases]
    for given_, counts, own in zip(found.releases, true, sizes, strict=True):
        assert 1 <= given_.together <= min(counts)
        assert given_.together <= given_.alone == min(own)
    for k in (2, 3):
        below = check(releases, None, k=k)
        for given_, counts in zip(below.releases, true, strict=True):
            assert given_.below >= sum(n < k for n in counts)


@pytest.mark.heavy
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4))
@settings(max_examples=20, deadline=None)
def test_another_release_never_adds_people(seed: int, k: int) -> None:
    releases, people = case(seed, 3)
    two, three = check(releases[:2], people, k=k), check(releases, people, k=k)
    assert three.k <= two.k <= min(g.alone for g in two.releases)
    for before, after in zip(two.releases, three.releases, strict=False):
        assert after.below >= before.below >= before.below_alone == after.below_alone


@pytest.mark.parametrize("seed", seeds(40))
def test_one_to_one_partners_are_those_of_all_pairings(seed: int) -> None:
    """Every permutation that pairs records which meet; the union of them are the partners."""
    rng = np.random.default_rng(seed)
    subjects = population(rng, int(rng.integers(2, 7)))
    releases = [released(subjects, rng, local=0.4) for _ in range(2)]
    names = shared_names(*releases)
    size = len(subjects)
    allowed = [[meets(a, b, names) for b in releases[1]] for a in releases[0]]
    possible = np.zeros((size, size), dtype=bool)
    for order in permutations(range(size)):
        if all(allowed[i][j] for i, j in enumerate(order)):
            possible[np.arange(size), list(order)] = True
    expected = []
    for i, side in enumerate(releases):
        counts = []
        for r, row in enumerate(side):
            met = possible[r] if i == 0 else possible[:, r]
            found = [b for b, here in zip(releases[1 - i], met, strict=True) if here]
            counts.append(
                sum(
                    meets(row, u, list(KEY)) and any(meets(b, u, list(KEY)) for b in found)
                    for u in subjects
                )
            )
        expected.append(counts)
    found = check(releases, subjects, k=1000, same_people=True)
    assert [g.together for g in found.releases] == [min(c) for c in expected]
    below = check(releases, subjects, k=2, same_people=True)
    assert [g.below for g in below.releases] == [sum(n < 2 for n in c) for c in expected]
    without = check(releases, None, k=1000, same_people=True)
    assert all(g.together <= min(c) for g, c in zip(without.releases, expected, strict=True))


@pytest.mark.parametrize("seed", seeds(40))
def test_values_left_are_the_intersection_of_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    subjects = population(rng, int(rng.integers(3, 12)))
    releases = [released(subjects, rng, local=0.2) for _ in range(2)]
    if any("ill" not in rows[0] for rows in releases):
        releases = [[{**row, "ill": row.get("ill", "flu")} for row in rows] for rows in releases]
    pinned = already = contradicted = 0
    for u in subjects:
        values = [{r["ill"] for r in rows if meets(r, u, list(KEY))} for rows in releases]
        left = set.intersection(*values)
        single = any(len(own) == 1 for own in values)
        already += single
        pinned += not single and len(left) == 1
        contradicted += not left
    found = check(releases, subjects, k=2, sensitive=["ill"]).pinned[0]
    assert (found.people, found.pinned) == (len(subjects), pinned)
    assert (found.already, found.contradicted) == (already, contradicted)


@pytest.mark.parametrize("seed", seeds(20))
def test_restored_attributes_are_those_on_which_all_partners_agree(seed: int) -> None:
    """Only suppression here, so that finer means told where the other tells nothing."""
    rng = np.random.default_rng(seed)
    subjects = population(rng, 8)
    releases = []
    for _ in range(2):
        rows = [{n: str(v) for n, v in person.items()} for person in subjects]
        for row in rows:
            for name in KEY:
                if rng.random() < 0.4:
                    row[name] = "*"
        rng.shuffle(rows)
        releases.append(rows)
    found = check(releases, None, k=2).restored
    expected = {}
    for i, name in product(range(2), KEY):
        number = 0
        for row in releases[i]:
            met = partners(row, releases[1 - i], [*KEY, "ill"])
            told = {b[name] for b in met}
            number += is_suppressed(row[name]) and len(told) == 1 and told != {"*"}
        if number:
            expected[name, f"R{i}"] = number
    assert {(r.attribute, r.release): r.records for r in found} == expected


@pytest.mark.parametrize("seed", seeds(15))
def test_limited_pairs_only_lower_the_numbers(seed: int) -> None:
    releases, people = case(seed, 2)
    true = people_left(releases, people)
    for crowd in (people, None):
        found = check(releases, crowd, k=2, limit=6)
        for given_, counts in zip(found.releases, true, strict=True):
            assert given_.together <= min(counts)
            assert given_.below >= sum(n < 2 for n in counts)


@pytest.mark.parametrize("seed", seeds(20))
def test_inferred_associations_record_by_record(seed: int) -> None:
    rng = np.random.default_rng(seed)
    visits = [
        {"physician": f"d{rng.integers(4)}", "patient": f"p{rng.integers(6)}"} for _ in range(8)
    ]
    drugs = [{"physician": f"d{rng.integers(4)}", "drug": f"m{rng.integers(5)}"} for _ in range(7)]
    with open_small(columns(visits)) as data:
        other = open_table(columns(drugs), workspace=data.engine.workspace, origin="drugs")
        found = inferred_associations(
            data.engine,
            Edition(data.source, "visits"),
            Edition(other, "drugs"),
            associate=("patient", "drug"),
            k=3,
        )
    for side, own, away, name in ((0, visits, drugs, "drug"), (1, drugs, visits, "patient")):
        left = [len({b[name] for b in away if b["physician"] == a["physician"]}) for a in own]
        result = found.sides[side]
        assert result.determined == left.count(1)
        assert result.narrowed == left.count(2)
        assert result.unmet == left.count(0)
        assert result.first == (left.index(1) + 1 if 1 in left else 0)
    joined = {
        (a["physician"], a["patient"], b["drug"])
        for a in visits
        for b in drugs
        if a["physician"] == b["physician"]
    }
    assert found.joined == len(joined)
    assert found.certain <= found.joined
