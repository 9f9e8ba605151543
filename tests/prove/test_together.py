"""Several releases together: the cases of Sweeney (2001), and releases that may go out together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from small_data import open_small

import indistinct
from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.hierarchy import table_hierarchy
from indistinct.prove.together import Edition, Together, check_together
from indistinct.prove.together.inference import inferred_associations

ADULT = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "adult.csv"

# twelve people of two ZIP codes and three ethnicities; what a class has in common differs
PEOPLE = {
    "zip": ["02138"] * 6 + ["02141"] * 6,
    "ethnicity": ["black", "black", "white", "white", "asian", "asian"] * 2,
    "sex": ["f", "m"] * 6,
    "problem": [f"p{number}" for number in range(12)],
}
KEY = ("zip", "ethnicity", "sex")


@contextmanager
def opened(**tables: dict[str, list[Any]]) -> Iterator[Any]:
    first = next(iter(tables.values()))
    with open_small(first) as data:
        space = data.engine.workspace
        yield (
            data.engine,
            {
                name: open_table(table, workspace=space, origin=name)
                for name, table in tables.items()
            },
        )


def without(table: dict[str, list[Any]], *names: str) -> dict[str, list[Any]]:
    return {n: [None] * len(v) if n in names else list(v) for n, v in table.items()}


def together(
    tables: dict[str, dict[str, list[Any]]],
    *,
    k: int | None = 2,
    key: tuple[str, ...] = KEY,
    people: dict[str, list[Any]] | None = None,
    **options: Any,
) -> Together:
    everything = {**tables, **({"register": people} if people is not None else {})}
    with opened(**everything) as (engine, sources):
        editions = [
            Edition(sources[n], n, tuple(c for c in key if c in tables[n]), k) for n in tables
        ]
        if people is not None:
            options["people"] = sources["register"]
        return check_together(engine, editions, **options)


def test_versions_without_zip_and_without_ethnicity_must_not_both_be_released() -> None:
    """Section 4.1: "the data holder cannot release both versions"."""
    for toxic, heart in (
        (without(PEOPLE, "ethnicity", "sex"), without(PEOPLE, "zip", "sex")),
        (
            {n: PEOPLE[n] for n in ("zip", "problem")},
            {n: PEOPLE[n] for n in ("ethnicity", "problem")},
        ),
    ):
        found = together({"toxic": toxic, "heart": heart}, k=4)
        assert [given.alone for given in found.releases] == [6, 4]
        assert not found.holds
        assert found.k == 2  # two people of each ZIP code have the same ethnicity
        assert found.below == 24
        known = {(r.attribute, r.release, r.records) for r in found.restored}
        assert known == {("ethnicity", "toxic", 12), ("zip", "heart", 12)}


def test_with_a_register_the_people_left_are_counted_and_named() -> None:
    toxic, heart = without(PEOPLE, "ethnicity", "sex"), without(PEOPLE, "zip", "sex")
    register = {n: PEOPLE[n] for n in KEY}
    found = together({"toxic": toxic, "heart": heart}, k=4, people=register)
    assert found.k == 2  # two people of each ZIP code have the same ethnicity
    assert [given.below for given in found.releases] == [12, 12]
    worst = found.witnesses[0]
    assert (worst.left, worst.alone) == (2, 6)
    assert worst.partners == {"heart": worst.record}
    assert len(worst.people) == 2
    assert worst.record in worst.people
    assert together({"toxic": toxic, "heart": heart}, k=2, people=register).holds


def test_complementary_suppressions_by_cell_restore_the_table() -> None:
    """Section 3.2: declassified differently by two departments, the original is reconstructed."""
    defense = {n: list(v) for n, v in PEOPLE.items()}
    energy = {n: list(v) for n, v in PEOPLE.items()}
    for record in range(12):
        hidden, shown = (defense, energy) if record % 2 else (energy, defense)
        hidden["zip"][record] = "*"
        shown["ethnicity"][record] = "*"
        hidden["sex"][record] = shown["sex"][record] = "*"
    found = together({"defense": defense, "energy": energy})
    assert found.k == 1
    assert not found.holds
    assert sum(r.records for r in found.restored) == 24


def test_nothing_to_tell_records_apart_restores_nothing() -> None:
    """Without a common attribute that links, the two versions leave everybody possible."""
    toxic = {"zip": PEOPLE["zip"]}
    heart = {"ethnicity": PEOPLE["ethnicity"]}
    found = together({"toxic": toxic, "heart": heart}, k=4, people=PEOPLE)
    assert found.holds
    assert found.k == 4
    assert found.restored == ()
    assert found.pairs[0].shared == ()


def test_the_same_generalisation_twice_changes_nothing() -> None:
    release = without(PEOPLE, "ethnicity", "sex")
    reordered = {n: v[::-1] for n, v in release.items()}
    for people in (None, PEOPLE):
        for same in (False, True):
            found = together({"A": release, "B": reordered}, k=6, people=people, same_people=same)
            assert found.holds
            assert [given.together for given in found.releases] == [6, 6]


def test_a_release_that_is_coarser_everywhere_is_fine() -> None:
    """Also where cells are suppressed, and problems occur in several classes."""
    fine = {
        "zip": ["02138"] * 4 + ["02139"] * 4 + ["02141"] * 4,
        "age": ["20-24"] * 8 + ["25-29"] * 4,
        "problem": ["flu", "gout", "flu", "cold"] * 3,
    }
    coarse = {
        "zip": ["0213*"] * 6 + ["*", "*"] + ["*"] * 4,
        "age": ["20-29"] * 12,
        "problem": fine["problem"],
    }
    for order in (("fine", "coarse"), ("coarse", "fine")):
        tables = {name: {"fine": fine, "coarse": coarse}[name] for name in order}
        found = together(tables, k=4, key=("zip", "age"))
        assert found.holds
        assert {g.name: g.together for g in found.releases} == {"fine": 4, "coarse": 6}


def test_a_chain_of_ever_coarser_releases_is_fine() -> None:
    problems = ["flu", "gout", "flu", "cold"] * 3
    tables = {
        "fine": {"zip": ["02138"] * 4 + ["02139"] * 4 + ["02141"] * 4, "problem": problems},
        "middle": {"zip": ["0213*"] * 8 + ["0214*"] * 4, "problem": problems},
        "coarse": {"zip": ["021**"] * 12, "problem": problems},
    }
    found = together(tables, k=4, key=("zip",))
    assert found.holds
    # every problem of the coarse release occurs in all classes of the others
    assert [g.together for g in found.releases] == [4, 4, 12]


def test_two_groupings_of_one_attribute_cross() -> None:
    """Ages by 20-29, 30-39 and by 15-24, 25-34: together by five years."""
    ages = [20, 22, 26, 28, 31, 33, 36, 38]
    tens = {"age": [f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in ages]}
    fives = {"age": [f"{(a - 5) // 10 * 10 + 5}-{(a - 5) // 10 * 10 + 14}" for a in ages]}
    ill = {"ill": [str(n) for n in range(8)]}
    found = together(
        {"A": {**tens, **ill}, "B": {**fives, **ill}}, key=("age",), people={"age": ages}
    )
    assert [g.alone for g in found.releases] == [4, 2]
    assert found.k == 2
    assert found.releases[0].together == 2


def test_labels_are_read_by_a_hierarchy_where_there_is_one() -> None:
    jobs = table_hierarchy(
        [("nurse", "health", "*"), ("doctor", "health", "*"), ("cook", "food", "*")], name="job"
    )
    fine = {"job": ["nurse", "doctor", "cook"], "ill": ["a", "b", "c"]}
    coarse = {"job": ["health", "health", "food"], "ill": ["a", "b", "c"]}
    found = together({"A": coarse, "B": fine}, key=("job",), people=fine, hierarchies={"job": jobs})
    assert [g.alone for g in found.releases] == [1, 1]
    assert {(r.attribute, r.release, r.records) for r in found.restored} == {
        ("job", "A", 2)
    }  # food is cook


def test_one_to_one_pairing_tells_more() -> None:
    """Three records, one of which only fits the second; the others then have the first."""
    a = {"zip": ["0213*", "0213*", "02139"], "ill": ["flu"] * 3}
    b = {"zip": ["02138", "02138", "02139"], "ill": ["flu"] * 3}
    people = {"zip": ["02138", "02138", "02139"]}
    loose = together({"A": a, "B": b}, key=("zip",), people=people)
    strict = together({"A": a, "B": b}, key=("zip",), people=people, same_people=True)
    assert [w.left for w in loose.witnesses if w.release == "A"] == [1]
    first = next(g for g in strict.releases if g.name == "A")
    assert first.below == 1
    assert together({"A": a, "B": b}, key=("zip",), k=3, people=people).releases[0].below == 1
    strict = together({"A": a, "B": b}, key=("zip",), k=3, people=people, same_people=True)
    assert strict.releases[0].below == 3


def test_newcomers_of_a_later_year_are_reported() -> None:
    before = {"zip": ["0213*"] * 3, "ill": ["flu", "gout", "cold"]}
    after = {"zip": ["0213*"] * 4, "ill": ["flu", "gout", "cold", "hiv"]}
    found = together({"2001": before, "2002": after}, key=("zip",), k=3)
    assert found.holds
    (new,) = found.apart
    assert (new.release, new.other, new.records, new.in_small_groups) == ("2002", "2001", 1, 1)


def test_values_left_by_the_intersection_of_two_classes() -> None:
    """Ganta, Kasiviswanathan and Smith (2008), figure 1 in small: 28, 13012, AIDS."""
    city = {
        "age": ["20-29"] * 4 + ["30-39"] * 2,
        "ill": ["AIDS", "flu", "flu", "asthma", "cancer", "gout"],
    }
    clinic = {
        "age": ["28-35"] * 4 + ["20-27"] * 2,
        "ill": ["AIDS", "cancer", "cancer", "ulcer", "flu", "asthma"],
    }
    found = together(
        {"city": city, "clinic": clinic},
        key=("age",),
        people={"age": [28, 21, 33]},
        sensitive=["ill"],
    )
    (ill,) = found.pinned
    # 28: AIDS; 33: cancer; 21: flu or asthma
    assert (ill.people, ill.pinned, ill.already, ill.contradicted) == (3, 2, 0, 0)


def test_attributes_that_cannot_be_true_in_both_are_left_out() -> None:
    a = {**without(PEOPLE, "ethnicity", "sex"), "id": [f"a{n}" for n in range(12)]}
    b = {**without(PEOPLE, "zip", "sex"), "id": [f"b{n}" for n in range(12)]}
    found = together({"A": a, "B": b}, k=4)
    assert found.k == 2
    assert any("'id'" in note for note in found.notes)
    assert found.pairs[0].shared == ("zip", "ethnicity", "sex", "problem")


def test_joining_on_named_attributes_only() -> None:
    toxic, heart = without(PEOPLE, "ethnicity", "sex"), without(PEOPLE, "zip", "sex")
    found = together({"toxic": toxic, "heart": heart}, k=4, attributes=["zip", "ethnicity"])
    assert found.holds


def test_columns_with_other_names() -> None:
    with opened(
        A={"zip": ["02138"] * 2, "ill": ["flu", "gout"]},
        B={"postcode": ["02138"] * 2, "diagnosis": ["flu", "gout"], "sex": ["m", "f"]},
        E={"plz": ["02138"] * 2, "sex": ["m", "f"]},
    ) as (engine, sources):
        second = Edition(
            sources["B"], key=("postcode", "sex"), names={"postcode": "zip", "diagnosis": "ill"}
        )
        found = check_together(
            engine,
            [Edition(sources["A"], key=("zip",), k=2), second],
            people=sources["E"],
            people_names={"plz": "zip"},
        )
    assert found.pairs[0].shared == ("zip", "ill")
    assert found.releases[0].together == 1
    assert [r.attribute for r in found.restored] == ["sex"]


def test_many_pairs_are_told_and_never_raise_the_numbers() -> None:
    toxic, heart = without(PEOPLE, "ethnicity", "sex"), without(PEOPLE, "zip", "sex")
    found = together({"toxic": toxic, "heart": heart}, k=4, limit=5)
    assert not found.holds
    assert any("more than 5 pairs" in note for note in found.notes)


def test_the_result_prints_itself_and_becomes_a_dict() -> None:
    toxic, heart = without(PEOPLE, "ethnicity", "sex"), without(PEOPLE, "zip", "sex")
    found = together({"toxic": toxic, "heart": heart}, k=4)
    content = found.to_dict()
    assert content["holds"] is False
    assert content["k"] == 2
    assert len(content["witnesses"]) == 12  # one of each two that cannot be told apart
    assert "ethnicity, not told in toxic, is known from heart for 12 records" in repr(found)
    assert found._repr_html_().startswith("<div>")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensitive": ["problem"]}, "name the people"),
        ({"attributes": ["problen"]}, "Did you mean 'problem'"),
        ({"promises": {"C": 3}}, "no release 'C'"),
    ],
)
def test_wrong_requests_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        together({"A": PEOPLE, "B": PEOPLE}, **options)


def test_releases_of_different_people_meet_nowhere() -> None:
    here = {"zip": ["02138"] * 3, "ill": ["flu", "gout", "cold"]}
    there = {"zip": ["0213*"] * 2, "ill": ["acne", "gout"]}
    elsewhere = {"zip": ["02141"] * 2 + ["02138"], "ill": ["acne", "mumps", "itch"]}
    assert together({"A": here, "B": there}, key=("zip",), k=2).apart[0].records == 2
    found = together({"A": here, "B": elsewhere}, key=("zip",), k=1, attributes=["zip", "ill"])
    assert found.restored == ()
    assert found.holds


def test_a_key_and_records_are_needed() -> None:
    with pytest.raises(InputError, match="Name the key"):
        together({"A": PEOPLE, "B": PEOPLE}, key=())
    with pytest.raises(InputError, match="has no records"):
        together({"A": PEOPLE, "B": {n: PEOPLE[n][:0] for n in PEOPLE}})
    with pytest.raises(InputError, match="From 2 to 8"):
        together({"A": PEOPLE})


def test_releases_that_cannot_have_the_same_people_are_refused() -> None:
    fewer = {n: v[:-1] for n, v in PEOPLE.items()}
    with pytest.raises(InputError, match="12 and 11 records"):
        together({"A": PEOPLE, "B": fewer}, same_people=True)
    other = {**PEOPLE, "problem": [*PEOPLE["problem"][:-1], "p0"]}
    with pytest.raises(InputError, match="cannot all be paired"):
        together({"A": PEOPLE, "B": other}, same_people=True)


def test_patients_and_medications_of_the_same_physicians() -> None:
    """Section 3.3: R(physician, patient) with R(physician, medication)."""
    visits = {"physician": ["A", "A", "B", "C", "C"], "patient": ["1", "2", "3", "4", "5"]}
    drugs = {"physician": ["A", "B", "B", "C", "C"], "drug": ["azt", "iron", "zinc", "oil", "tea"]}
    with opened(visits=visits, drugs=drugs) as (engine, sources):
        editions = [Edition(sources["visits"]), Edition(sources["drugs"])]
        found = inferred_associations(engine, *editions, associate=("patient", "drug"), k=3)
        with pytest.raises(InputError, match="is not in both"):
            inferred_associations(
                engine, *editions, associate=("patient", "drug"), shared=["patient"]
            )
    seen, given = found.sides
    assert (seen.determined, seen.narrowed) == (2, 3)  # A's patients get azt
    assert (given.determined, given.narrowed) == (2, 3)  # B's drugs go to patient 3
    assert (found.joined, found.certain) == (8, 6)
    assert "75.0% of the joined pairs are true" in found.warning
    assert found.to_dict()["lossless"] == 0.75


def test_no_warning_where_nothing_is_inferred() -> None:
    visits = {"physician": ["A", "A"], "patient": ["1", "2"]}
    drugs = {"physician": ["A", "A"], "drug": ["azt", "iron"]}
    with opened(visits=visits, drugs=drugs) as (engine, sources):
        found = inferred_associations(
            engine,
            Edition(sources["visits"]),
            Edition(sources["drugs"]),
            associate=("patient", "drug"),
        )
    assert found.warning == ""
    assert "nothing is inferred" in repr(found)


@pytest.mark.shared
@pytest.mark.heavy
def test_adult_two_releases_leave_fewer_people_together() -> None:
    """Two k = 5 releases of the same people for two recipients, by our own methods."""
    if not ADULT.exists():
        pytest.skip("the shared data are not beside the project")
    first_key, second_key = ["age", "sex", "race"], ["age", "sex", "education"]
    with indistinct.open_data(ADULT) as data:
        names = set(data.variables)
        assert {*first_key, *second_key, "occupation"} <= names
        a = data.protect(first_key, method="datafly", k=5, seed=1).source
        b = data.protect(second_key, method="datafly", k=5, seed=1).source
        both = ["workclass", "occupation", "marital-status", "native-country"]
        editions = [Edition(a, "A", tuple(first_key), 5), Edition(b, "B", tuple(second_key), 5)]
        alone = check_together(data.engine, editions, attributes=[], people=data.source)
        found = check_together(data.engine, editions, attributes=both, people=data.source)
        files = check_together(data.engine, editions, attributes=both)
    # what both recipients know of people is the union of the keys
    assert found.k <= alone.k
    assert found.below > alone.below
    assert files.below >= found.below
    assert {r.attribute for r in found.restored} >= {"race", "education"}
