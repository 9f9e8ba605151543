from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linkage_noise import dirty

from indistinct.census import census_table
from indistinct.core.errors import InputError
from indistinct.prove.attacks.blocking import choose_rules
from indistinct.prove.attacks.comparisons import (
    LEVELS,
    LONGEST,
    attributes_of,
    edits,
    kind_of,
    similarity,
)
from indistinct.prove.attacks.fellegi_sunter import evaluate, link_probabilistically, told_by_others
from indistinct.prove.attacks.fs_choosing import chosen_one_to_one, shared_probability

KNOWN = ["given_name", "surname", "date_of_birth", "area", "sex"]


def chars(*words: str) -> tuple[np.ndarray, list[int]]:
    text = "".join(words)
    ends = np.cumsum([0, *(len(w) for w in words)]).tolist()
    return np.array([ord(c) for c in text], dtype=np.int32), ends


def edits_of(a: str, b: str, limit: int) -> int:
    text, (start, middle, end) = chars(a, b)
    room = np.zeros((3, LONGEST + 2), dtype=np.int64)
    return edits(text, start, middle, middle, end, limit, room)


def edits_by_definition(a: str, b: str) -> int:
    @cache
    def least(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        found = min(
            least(i - 1, j) + 1, least(i, j - 1) + 1, least(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        )
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            found = min(found, least(i - 2, j - 2) + 1)
        return found

    return least(len(a), len(b))


@pytest.mark.parametrize(
    ("a", "b", "published"),
    [("martha", "marhta", 0.961), ("dixon", "dicksonx", 0.813), ("dwayne", "duane", 0.840)],
)
def test_jaro_winkler_as_published_by_winkler(a, b, published):
    text, (start, middle, end) = chars(a, b)
    assert similarity(text, start, middle, middle, end) == pytest.approx(published, abs=5e-4)


@settings(max_examples=300, deadline=None)
@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.integers(1, 4))
def test_edits_equal_their_definition(a, b, limit):
    assert edits_of(a, b, limit) == min(edits_by_definition(a, b), limit + 1)


def level(name: str, kind: str, a: object, b: object) -> str:
    (found,) = attributes_of(pa.table({name: [a]}), pa.table({name: [b]}), {name: kind})
    at = int(found.compare(np.zeros(1, np.int32), np.zeros(1, np.int32))[0])
    return "missing" if at < 0 else LEVELS[kind][at]


@pytest.mark.parametrize(
    ("kind", "a", "b", "expected"),
    [
        ("name", "Núñez", "NUNEZ", "equal"),
        ("name", "Jones", "Jonse", "near"),
        ("name", "J", "John", "part or initial"),
        ("name", "Alonso Tellez", "Tellez", "part or initial"),
        ("name", "Smith", "Garcia", "different"),
        ("name", None, "Garcia", "missing"),
        ("name", "*", "Garcia", "missing"),
        ("text", "145th st", "145th srt", "near"),
        ("date", "1961-05-03", "03/05/1961", "one error or swapped"),
        ("date", "1961-05-13", "05/13/1961", "equal"),
        ("date", "1961-05-03", "1961-03-05", "one error or swapped"),
        ("date", "1961-05-13", "1984-05-13", "two parts equal"),
        ("date", "1961", "1961-05-13", "agrees where coarser"),
        ("date", "1962", "1961-05-13", "different"),
        ("date", "1961-05-13", "1962-03-09", "within a year"),
        ("code", "0213*", "02138", "agrees where coarser"),
        ("code", "0214*", "02138", "different"),
        ("code", "02138", "02183", "one error"),
        ("code", "M", "F", "different"),
        ("number", "[20, 30)", "29", "in the coarser range"),
        ("number", "[20, 30)", "30", "different"),
        ("number", "20-30", "30", "in the coarser range"),
        ("number", "7", "7.0", "equal"),
    ],
)
def test_levels_of_agreement(kind, a, b, expected):
    assert level("x", kind, a, b) == expected


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("last_name", ["Todd", "Lee"], "name"),
        ("street_name", [f"{i}th street" for i in range(99)], "text"),
        ("dob", ["05/06/1994", "09/29/1994"], "date"),
        ("zipcode", ["02138", "98101"], "code"),
        ("sex", ["Male", "Female"], "code"),
        ("age", ["31", "47"], "number"),
    ],
)
def test_kinds_are_chosen_from_name_and_content(name, values, kind):
    assert kind_of(name, values) == kind


def people(n: int, seed: int, **noise: float) -> tuple[pa.Table, pa.Table, np.ndarray, np.ndarray]:
    """Two overlapping dirty samples of a synthetic census and their true identities."""
    census = census_table(n, seed=seed).select(KNOWN)
    census = census.set_column(2, "date_of_birth", pc.strftime(census["date_of_birth"], "%Y-%m-%d"))
    rng = np.random.default_rng(seed)
    sides, ids = [], []
    for _ in range(2):
        chosen = rng.permutation(n)[: 3 * n // 4]
        ids.append(chosen)
        sides.append(
            dirty(
                census.take(chosen),
                rng,
                names=("given_name", "surname"),
                date="date_of_birth",
                place=("area",),
                **noise,
            )
        )
    return sides[0], sides[1], ids[0], ids[1]


NOISE = {"typos": 0.06, "nicknames": 0.05, "dates": 0.05, "missing": 0.02, "moved": 0.15}


@pytest.mark.heavy
def test_dirty_copies_are_linked_and_the_precision_is_foretold():
    left, right, ids_left, ids_right = people(8_000, 11, **NOISE)
    links = link_probabilistically(left, right, KNOWN)
    found = evaluate(links, ids_left, ids_right)
    assert found.recall >= 0.9
    assert found.precision >= 0.95
    assert abs(links.expected_precision - found.precision) < 0.03
    assert links.expected_links == pytest.approx(found.there, rel=0.1)
    assert not links.model.doubtful
    assert len(set(links.left.tolist())) == len(set(links.right.tolist())) == len(links)
    assert (np.diff(links.probability) <= 0).all()


@pytest.mark.heavy
def test_estimated_m_is_the_share_of_errors_made():
    left, right, ids_left, ids_right = people(8_000, 12, **NOISE)
    model = link_probabilistically(left, right, KNOWN).model
    where = {person: i for i, person in enumerate(ids_right.tolist())}
    pairs = [(i, where[p]) for i, p in enumerate(ids_left.tolist()) if p in where]
    for attribute in model.attributes:
        if attribute.told_by:
            continue
        a, b = (t.column(attribute.name).to_pylist() for t in (left, right))
        both = [(a[i], b[j]) for i, j in pairs if a[i] is not None and b[j] is not None]
        equal = np.mean([x == y for x, y in both])
        assert attribute.m[-1] == pytest.approx(equal, abs=0.03), attribute.name


@pytest.mark.heavy
def test_a_generalised_release_links_to_a_register():
    census = census_table(12_000, seed=2)
    release = pa.table(
        {
            "date_of_birth": pc.strftime(census["date_of_birth"], "%Y"),
            "area": [f"{str(v)[:4]}***" for v in census["area"].to_pylist()],
            "occupation": census["occupation"],
            "income": census["income"],
        }
    ).slice(0, 3_000)
    register = census.select(release.column_names)
    links = link_probabilistically(release, register, release.column_names)
    found = evaluate(links, range(3_000), range(12_000))
    # children have neither occupation nor income: they hide among each other
    working = pc.sum(pc.greater(release["income"], 0)).as_py()
    assert found.right >= 0.9 * working
    assert found.precision >= 0.95


@pytest.mark.heavy
def test_files_with_nobody_in_common_are_doubted():
    census = census_table(10_000, seed=3).select(KNOWN)
    order = np.random.default_rng(3).permutation(10_000)
    links = link_probabilistically(census.take(order[:5_000]), census.take(order[5_000:]), KNOWN)
    assert len(links) < 100
    assert not len(links) or links.model.doubtful
    assert evaluate(links, order[:5_000], order[5_000:]).there == 0


@pytest.mark.heavy
def test_same_seed_same_links():
    left, right, *_ = people(3_000, 13, **NOISE)
    one, two = (link_probabilistically(left, right, KNOWN, seed=5) for _ in range(2))
    assert one.left.tobytes() == two.left.tobytes()
    assert one.probability.tobytes() == two.probability.tobytes()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_pairs_are_those_of_brute_force_each_once(seed):
    rng = np.random.default_rng(seed)
    sides = [
        pa.table(
            {
                "surname": rng.choice(["smith", "smyth", "jones", "brown", None], n).tolist(),
                "zip": rng.choice(["02138", "02139", "98101", "98"], n).tolist(),
            }
        )
        for n in (17, 23)
    ]
    known = attributes_of(*sides, ["surname", "zip"])
    plan = choose_rules(known, rules=[("surname:sound", "zip"), "surname"])
    found = [(int(i), int(j)) for a, b in plan.pairs() for i, j in zip(a, b, strict=True)]
    sound = {"smith": "s530", "smyth": "s530", "jones": "j520", "brown": "b650"}
    rows = [list(zip(t["surname"].to_pylist(), t["zip"].to_pylist(), strict=True)) for t in sides]
    expected = {
        (i, j)
        for i, (name, place) in enumerate(rows[0])
        for j, (other, there) in enumerate(rows[1])
        if name and other and (name == other or (sound[name] == sound[other] and place == there))
    }
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_named_rules_are_used():
    left, right, ids_left, ids_right = people(2_000, 14, typos=0.05)
    rules = ["date_of_birth", ("surname:sound", "date_of_birth:year")]
    links = link_probabilistically(left, right, KNOWN, blocking=rules)
    assert links.blocking.rules == (("date_of_birth",), ("surname:sound", "date_of_birth:year"))
    assert evaluate(links, ids_left, ids_right).recall > 0.95


def test_an_area_tells_its_county_and_not_the_other_way():
    census = census_table(5_000, seed=4).select(["area", "county", "sex"])
    known = attributes_of(census.slice(0, 2_500), census.slice(2_500), census.column_names)
    assert told_by_others(known) == [(), ("area",), ()]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.floats(0, 50)), min_size=1))
def test_one_to_one_leaves_no_pair_of_free_records(pairs):
    pairs = list({(a, b): (a, b, w) for a, b, w in pairs}.values())
    left, right = (np.array([p[i] for p in pairs]) for i in (0, 1))
    odds = np.array([p[2] for p in pairs])
    probability = shared_probability(left, right, odds)
    for side in (left, right):
        assert (np.bincount(side, weights=probability) <= 1 + 1e-9).all()
    kept = chosen_one_to_one(left, right, probability, odds)
    used = set(left[kept].tolist()), set(right[kept].tolist())
    assert len(used[0]) == len(used[1]) == len(kept)
    assert all(a in used[0] or b in used[1] for a, b, _ in pairs)


@pytest.mark.heavy
def test_without_one_to_one_a_person_may_have_two_partners():
    census = census_table(3_000, seed=5).select(KNOWN)
    twice = pa.concat_tables([census.slice(0, 1_000), census.slice(0, 1_000)])
    links = link_probabilistically(census, twice, KNOWN, one_to_one=False, threshold=0.5)
    found = evaluate(links, range(3_000), [*range(1_000), *range(1_000)])
    assert found.there == 2_000
    assert found.recall > 0.95


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"attributes": ["surnme"]}, "Did you mean 'surname'"),
        ({"attributes": []}, "at least one attribute"),
        ({"attributes": {"surname": "word"}}, "one of name, text, date, number, code"),
        ({"threshold": 1.5}, "threshold must be a number above 0"),
        ({"precision": 0.0}, "precision must be a number above 0"),
        ({"blocking": ["surname:shape"]}, "There is no view 'surname:shape'"),
    ],
)
def test_wrong_requests_are_refused(change, words):
    census = census_table(100, seed=6).select(KNOWN)
    request = {"attributes": KNOWN, **change}
    with pytest.raises(InputError, match=words):
        link_probabilistically(census, census, **request)


def test_empty_tables_are_refused():
    census = census_table(100, seed=6).select(KNOWN)
    with pytest.raises(InputError, match="right table has no records"):
        link_probabilistically(census, census.slice(0, 0), KNOWN)
