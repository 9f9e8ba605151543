"""Verifying files: the paper's releases, several registers, mixtures, and wrong input."""

from __future__ import annotations

from contextlib import contextmanager

import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.core.errors import InputError
from indistinct.files import open_table
from indistinct.prove import Register, verify

# Sweeney (2001), Figures 2 and 19
COLUMNS = ["name", "birth date", "ZIP", "diagnosis"]
KEY = COLUMNS[:3]
PRIVATE = [
    ["Ann", "10/2/61", "02139", "cardiac"],
    ["Abe", "7/14/61", "02139", "cancer"],
    ["Al", "3/8/61", "02138", "liver"],
]


def table(rows, columns):
    return pa.table(
        {name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)}
    )


@contextmanager
def opened(release, *, private=None, registers=()):
    """Yield engine, release, private data and registers."""
    with open_small(release) as data:
        folder = data.engine.workspace
        held = None if private is None else open_table(private, workspace=folder, origin="private")
        people = [
            open_table(rows, workspace=folder, origin=f"register {number}")
            for number, rows in enumerate(registers, 1)
        ]
        yield data.engine, data.source, held, people


def checked(release, key, *, private=None, registers=(), person=None, **options):
    with opened(release, private=private, registers=registers) as (engine, source, held, people):
        return verify(
            engine,
            source,
            key,
            private=held,
            registers=[Register(p, p.origin, person) for p in people],
            person=person,
            **options,
        )


def of_paper(rows, **given):
    return checked(
        table(rows, COLUMNS),
        KEY,
        private=table(PRIVATE, COLUMNS),
        registers=[table([row[:3] for row in PRIVATE], KEY)],
        **given,
    )


def test_identity_release_discloses_everybody():
    found = of_paper(PRIVATE)
    assert (found.verdict, found.ads0, found.disclosures, found.k) == ("none", False, 3, 1)
    assert [witness.record for witness in found.witnesses] == [1, 2, 3]
    assert [witness.people for witness in found.witnesses] == [("row 1",), ("row 2",), ("row 3",)]
    assert not found.holds


def test_complete_suppression():
    found = of_paper([[None] * 4] * 3)
    assert (found.verdict, found.ads0, found.k, found.holds) == ("k-map", True, 3, True)


def test_removing_names_is_not_enough():
    found = of_paper([[None, *row[1:]] for row in PRIVATE])
    assert (found.verdict, found.ads0, found.disclosures) == ("none", False, 3)


def test_strong_encryption_is_a_null_map():
    rows = [[f"J{i}", f"x{i}", f"y{i}", row[3]] for i, row in enumerate(PRIVATE)]
    found = of_paper(rows, encrypted=KEY)
    assert (found.verdict, found.ads0, found.k) == ("null-map", True, 0)
    assert found.sentence.startswith("null-map")


def test_encrypting_a_part_of_the_key_is_not():
    """Nobody is kept from linking on the rest of it."""
    found = of_paper([[f"J{i}", *row[1:]] for i, row in enumerate(PRIVATE)], encrypted=KEY[:1])
    assert (found.verdict, found.disclosures) == ("none", 3)


def test_generalisation():
    found = of_paper([["A*", "1961", "0213*", row[3]] for row in PRIVATE])
    assert (found.verdict, found.ads0, found.k) == ("k-map", True, 3)
    assert found.sentence == "k-map, k=3: no released record refers to fewer than 3 people"


def test_key_exchanged_as_a_unit():
    rows = [[*PRIVATE[(i + 1) % 3][:3], row[3]] for i, row in enumerate(PRIVATE)]
    found = of_paper(rows)
    assert (found.verdict, found.ads0, found.k, found.holds) == ("wrong-map", True, 1, True)


@pytest.mark.parametrize("subjects", [1, 2])
def test_no_wrong_map_for_one_or_two(subjects):
    private = PRIVATE[:subjects]
    rows = [[*private[(i + 1) % subjects][:3], "none of these"] for i in range(subjects)]
    found = checked(
        table(rows, COLUMNS),
        KEY,
        private=table(private, COLUMNS),
        registers=[table([row[:3] for row in PRIVATE], KEY)],
    )
    assert found.verdict == "none"


def test_k_is_counted_over_the_register_and_not_over_the_file():
    release = pa.table({"zip": ["0213*"], "ill": ["flu"]})
    private = pa.table({"zip": ["02138"], "ill": ["flu"]})
    alone = checked(release, ["zip"], private=private)
    assert (alone.verdict, alone.k) == ("none", 1)
    register = pa.table({"zip": ["02138", "02139", "02139", "02141"]})
    outside = checked(release, ["zip"], private=private, registers=[register])
    assert (outside.verdict, outside.k) == ("k-map", 3)


def test_a_mixture_has_the_model_of_its_least_protected_record():
    private = pa.table({"zip": ["1", "1", "2", "3", "4"], "ill": list("abcde")})
    release = pa.table({"zip": ["1", "1", "9", "4", "3"], "ill": list("abcde")})
    found = checked(release, ["zip"], private=private)
    assert dict(found.models) == {"none": 0, "wrong-map": 2, "k-map": 2, "null-map": 1}
    assert (found.verdict, found.state) == ("wrong-map", "reservations")  # zip 9 is nobody's
    assert "2 by k-map and 1 by null-map" in found.sentence


def test_what_was_asked_for_counts():
    release = pa.table({"sex": ["m"] * 4})
    assert checked(release, ["sex"], k=4).verdict == "k-map"
    found = checked(release, ["sex"], k=5)
    assert (found.verdict, found.k, found.exposed, found.ads0) == ("none", 4, 4, True)
    assert len(found.witnesses) == 4


def test_a_file_alone_is_counted_and_said_to_be():
    found = checked(pa.table({"sex": ["m", "m", "f"]}), ["sex"])
    assert (found.verdict, found.disclosures, found.k) == ("none", 1, 1)
    assert "no register" in found.notes[0]


def test_the_least_of_several_registers_counts():
    release = pa.table({"zip": ["02138", "02138"], "sex": ["m", "m"]})
    crowd = pa.table({"zip": ["02138"] * 9})
    few = pa.table({"sex": ["m", "m", "f"]})
    found = checked(release, ["zip", "sex"], registers=[crowd, few])
    assert found.k == 2
    assert [check["k"] for check in found.checked] == [9, 2]


def test_registers_are_joined_by_the_person():
    """Neither register tells much; the join does."""
    release = pa.table({"zip": ["02138", "02139"], "sex": ["m", "f"]})
    by_zip = pa.table({"person": [1, 2, 3, 4], "zip": ["02138", "02138", "02139", "02139"]})
    by_sex = pa.table({"person": ["1", "2", "3", "4"], "sex": ["m", "f", "f", "m"]})
    apart = checked(release, ["zip", "sex"], registers=[by_zip, by_sex])
    assert (apart.verdict, apart.k) == ("k-map", 2)
    joined = checked(release, ["zip", "sex"], registers=[by_zip, by_sex], person="person")
    assert (joined.verdict, joined.k, joined.disclosures) == ("none", 1, 2)
    assert {witness.people for witness in joined.witnesses} == {("1",), ("3",)}


def test_a_released_identifier_is_taken_as_known():
    private = pa.table({"name": list("abcd"), "zip": ["1"] * 4})
    with open_small(private) as data:
        named = data.with_roles(name="identifier").source
        found = verify(data.engine, named, ["zip"], private=named)
    assert (found.verdict, found.disclosures) == ("none", 4)
    assert "names people" in found.notes[0]


def test_a_made_up_identifier_does_not_hide_the_rest():
    private = pa.table({"name": list("abcd"), "zip": ["1", "2", "3", "4"]})
    release = pa.table({"name": list("wxyz"), "zip": ["1", "2", "3", "4"]})
    found = checked(release, ["name", "zip"], private=private, encrypted=["name"])
    assert (found.verdict, found.disclosures) == ("none", 4)


def test_missing_values_of_a_register_make_no_crowd():
    release = pa.table({"zip": ["02138"] * 3})
    register = pa.table({"zip": ["02138", None, None]})
    assert checked(release, ["zip"], registers=[register]).k == 1
    assert checked(release, ["zip"], registers=[register], missing="wildcard").k == 3


def test_a_coarser_register_links_too():
    release = pa.table({"age": [23, 27, 61]})
    register = pa.table({"age": ["20-29", "20-29", "20-29", "60-69", "60-69"]})
    found = checked(release, ["age"], registers=[register])
    assert (found.verdict, found.k) == ("k-map", 2)


def test_witnesses_are_twenty_at_most_and_the_worst_first():
    release = pa.table({"zip": [f"{n:05}" for n in range(50)] + ["99999"] * 2})
    found = checked(release, ["zip"], k=3)
    assert (found.exposed, len(found.witnesses)) == (52, 20)
    assert {witness.count for witness in found.witnesses} == {1}


class TestWrongInput:
    def test_a_register_without_a_shared_attribute(self):
        with pytest.raises(InputError, match=r"shares no key variable.*the register has town, age"):
            checked(
                pa.table({"zip": ["1", "1"]}),
                ["zip"],
                registers=[pa.table({"town": ["x"], "age": [3]})],
            )

    def test_a_different_coding(self):
        release, register = pa.table({"sex": ["m", "f"]}), pa.table({"sex": ["1", "2"]})
        with pytest.raises(InputError, match=r"coded differently.*as words.*as 1 digit"):
            checked(release, ["sex"], registers=[register])
        with pytest.raises(InputError, match=r"beside the private data's in register 1"):
            checked(release, ["sex"], registers=[register], private=release)

    def test_private_values_are_not_shown(self):
        private = pa.table({"sex": ["secret-m", "secret-f"]})
        with pytest.raises(InputError) as raised:
            checked(private, ["sex"], registers=[pa.table({"sex": ["1", "2"]})], private=private)
        assert "secret" not in str(raised.value)

    def test_labels_that_nobody_can_read(self):
        release = pa.table({"job": ["nurse", "white collar"]})
        register = pa.table({"job": ["nurse", "clerk"]})
        with pytest.raises(InputError, match=r"not known what 1 released value stands for"):
            checked(release, ["job"], registers=[register])

    def test_they_may_be_said_to_be_encrypted(self):
        release = pa.table({"job": ["nurse", "x7f"]})
        register = pa.table({"job": ["nurse", "nurse"]})
        found = checked(release, ["job"], registers=[register], encrypted=["job"])
        assert dict(found.models) == {"none": 0, "wrong-map": 0, "k-map": 1, "null-map": 1}

    def test_a_person_who_is_there_twice_is_counted_once(self):
        register = pa.table({"id": [1, 1, 2], "zip": ["11", "12", "21"]})
        release = pa.table({"zip": ["1*", "1*", "*", "*"]})
        found = checked(release, ["zip"], registers=[register], person="id")
        assert found.k == 1  # 1* are two rows of one person
        assert [witness.count for witness in found.witnesses] == [1, 1]
        assert any("'id' says whose record each is" in said for said in found.assumptions)

    def test_rows_without_a_name_may_all_be_of_one_person(self):
        register = pa.table({"id": [None, None, 2], "zip": ["1", "2", "2"]})
        found = checked(pa.table({"zip": ["*"] * 3}), ["zip"], registers=[register], person="id")
        assert found.k == 2

    def test_k_of_one(self):
        with pytest.raises(InputError, match="at least 2"):
            checked(pa.table({"zip": ["1"]}), ["zip"], k=1)
