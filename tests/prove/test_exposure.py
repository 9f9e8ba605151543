"""Linking a release with a register: against comparing every record with everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.engine import Engine
from indistinct.engine.duckdb import DuckDBEngine
from indistinct.files import Source, open_table
from indistinct.hierarchy import Hierarchy, code_hierarchy, table_hierarchy
from indistinct.hierarchy.labels import is_suppressed, stands_for
from indistinct.prove.exposure import count_by, expose, expose_alone
from indistinct.prove.registers import Register, check_one_to_one, join_registers, shared_attributes

ZIPS = ["02138", "02139", "02141", "02142"]
JOBS = table_hierarchy(
    [("nurse", "care", "*"), ("doctor", "care", "*"), ("clerk", "office", "*")], name="job"
)
TREES: dict[str, Hierarchy] = {"zip": code_hierarchy(ZIPS, name="zip"), "job": JOBS}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with DuckDBEngine(tmp_path_factory.mktemp("duckdb"), memory=10**9, threads=2) as started:
        yield started


def table(engine: Engine, columns: dict[str, Any], name: str = "people") -> Source:
    return open_table(pa.table(columns), workspace=engine.workspace, origin=name)


def texts(*values: str | None) -> pa.Array:
    return pa.array(values, pa.string())


released_rows = st.lists(
    st.tuples(
        st.sampled_from(["02138", "02142", "0213*", "021**", None]),
        st.sampled_from(["nurse", "clerk", "care", "office", None]),
    ),
    min_size=1,
    max_size=15,
)
people_rows = st.lists(
    st.tuples(st.sampled_from([*ZIPS, None]), st.sampled_from([*JOBS.values, "care", None])),
    min_size=1,
    max_size=20,
)


def few_people(record: Any, people: Any, missing: str, unmet: str) -> int:
    """People whom a record may be about, one by one."""
    trees = (TREES["zip"], JOBS)

    def meets(j: int, person: Any) -> bool:
        if is_suppressed(person[j]):
            return missing == "wildcard" or is_suppressed(record[j])
        return stands_for(record[j], person[j], trees[j])

    # whether a label meets any value of the register: who is missing has none
    met = [
        is_suppressed(record[j])
        or any(not is_suppressed(p[j]) and stands_for(record[j], p[j], trees[j]) for p in people)
        for j in range(2)
    ]
    asked = [0, 1]
    if unmet == "ignored":
        says = [j for j in range(2) if not is_suppressed(record[j])]
        if says and not any(met[j] for j in says):
            return 0
        asked = [j for j in range(2) if met[j]]
    return sum(all(meets(j, person) for j in asked) for person in people)


def coded_differently(records: Any, people: Any) -> bool:
    """Say of some variable that labels tell something, and none meets a value."""
    for j, tree in enumerate((TREES["zip"], JOBS)):
        told = [record[j] for record in records if not is_suppressed(record[j])]
        values = [person[j] for person in people if not is_suppressed(person[j])]
        if told and not any(stands_for(label, value, tree) for label in told for value in values):
            return True
    return False


@pytest.mark.parametrize("missing", ["own", "wildcard"])
@pytest.mark.parametrize("unmet", ["ignored", "excluding"])
@settings(max_examples=25, deadline=None)
@given(records=released_rows, people=people_rows)
def test_people_agree_with_comparing_all_pairs(
    engine: Engine, missing: Any, unmet: Any, records: Any, people: Any
) -> None:
    release = table(
        engine, {"zip": texts(*(r[0] for r in records)), "job": texts(*(r[1] for r in records))}
    )
    register = Register(
        table(
            engine, {"zip": texts(*(p[0] for p in people)), "job": texts(*(p[1] for p in people))}
        )
    )
    options = {"hierarchies": TREES, "missing": missing, "unmet": unmet}
    if coded_differently(records, people):
        with pytest.raises(InputError, match="coded differently"):
            expose(engine, release, register, ["zip", "job"], **options)
        return
    found = expose(engine, release, register, ["zip", "job"], **options)
    expected = [few_people(record, people, missing, unmet) for record in records]
    assert found.released.per_record(found.people).tolist() == expected
    linked = [size for size in expected if size]
    assert found.smallest == min(linked, default=0)


def test_people_of_a_class_are_its_rows(engine: Engine) -> None:
    release = table(engine, {"zip": texts("0213*", "02142")})
    register = Register(table(engine, {"zip": texts("02139", "02142", "02138", "02142", "02141")}))
    found = expose(engine, release, register, ["zip"], hierarchies=TREES)
    assert found.people.tolist() == [2, 2]
    assert found.people_of(0, at_most=5) == [0, 2]
    assert found.people_of(1, at_most=1) == [1]


def test_subjects_by_the_column_that_names_people(engine: Engine) -> None:
    register = Register(table(engine, {"zip": texts(*ZIPS), "who": [1, 2, 3, 4]}))
    private = table(engine, {"zip": texts("02139", "02141"), "who": texts("2", "3")})
    release = table(engine, {"zip": texts("0213*", "021**")})
    found = expose(
        engine, release, register, ["zip"], hierarchies=TREES, private=private, person="who"
    )
    assert found.released.per_record(found.people).tolist() == [2, 4]
    assert found.released.per_record(found.subjects).tolist() == [1, 2]


def test_counting_alone_keeps_suppressed_as_a_value(engine: Engine) -> None:
    release = table(engine, {"zip": texts("0213*", None, None, "0213*", "0213*")})
    found = expose_alone(engine, release, ["zip"])
    assert found.released.per_record(found.people).tolist() == [3, 2, 2, 3, 3]


def test_counted_classes_and_their_records(engine: Engine) -> None:
    source = table(engine, {"a": [2, 1, 2, None], "b": texts("x", "y", "x", None)})
    counted = count_by(engine, source, ["a", "b"])
    assert sorted(counted.counts.tolist()) == [1, 1, 2]
    twos = np.flatnonzero(counted.counts == 2)
    records, places = counted.records_in(twos)
    assert (records.tolist(), places.tolist()) == ([0, 2], [0, 0])


# Wrong input


def test_no_shared_attribute(engine: Engine) -> None:
    release = table(engine, {"zip": texts("02138"), "ill": texts("flu")}, "release.csv")
    register = Register(table(engine, {"name": texts("Ann")}, "voters.csv"))
    with pytest.raises(InputError, match=r"voters\.csv shares no key variable with release\.csv"):
        shared_attributes(release, register, ["zip"])
    both = Register(table(engine, {"zip": texts("02138"), "age": [3]}, "voters.csv"))
    assert shared_attributes(release, both, ["age", "zip"]) == ["age", "zip"]


def test_coded_differently_without_private_file(engine: Engine) -> None:
    release = table(engine, {"sex": texts("male", "female")}, "release.csv")
    register = Register(table(engine, {"sex": [1, 2]}, "voters.csv"))
    with pytest.raises(InputError, match=r"'sex' is coded differently in release\.csv") as told:
        expose(engine, release, register, ["sex"])
    assert "--encrypted sex" in str(told.value)
    found = expose(engine, release, register, ["sex"], encrypted=["sex"])
    assert found.people.tolist() == [0, 0]


def test_values_that_a_register_lacks_are_not_taken_for_encrypted(engine: Engine) -> None:
    release = table(engine, {"zip": texts("02138", "02139")}, "release.csv")
    register = Register(table(engine, {"zip": texts("02999", "02141")}, "voters.csv"))
    with pytest.raises(InputError, match="both are written as 5 digits") as told:
        expose(engine, release, register, ["zip"])
    assert "merely lacks people" in str(told.value)
    assert "--encrypted" not in str(told.value)


def test_coded_differently_from_the_private_file_names_no_private_value(engine: Engine) -> None:
    release = table(engine, {"sex": texts("male", "female")}, "release.csv")
    register = Register(table(engine, {"sex": [1, 2]}, "voters.csv"))
    private = table(engine, {"sex": texts("male", "female", "unwritten")}, "private.csv")
    with pytest.raises(InputError, match=r"the private data's in voters.*as 1 digit") as told:
        expose(engine, release, register, ["sex"], private=private)
    assert not any(value in str(told.value) for value in ("male", "unwritten"))


def test_values_are_encrypted_only_where_somebody_says_so(engine: Engine) -> None:
    release = table(engine, {"zip": texts("qX7", "Jcd")}, "release.csv")
    register = Register(table(engine, {"zip": texts("02138", "02139")}, "voters.csv"))
    private = table(engine, {"zip": texts("02138", "02139")}, "private.csv")
    with pytest.raises(InputError, match=r"as 5 digits in voters.*--encrypted zip"):
        expose(engine, release, register, ["zip"], private=private)
    found = expose(engine, release, register, ["zip"], private=private, encrypted=["zip"])
    assert found.people.tolist() == [0, 0]


def test_labels_that_nobody_can_read(engine: Engine) -> None:
    release = table(engine, {"job": texts("nurse", "care")}, "release.csv")
    register = Register(table(engine, {"job": texts("nurse", "doctor")}, "voters.csv"))
    with pytest.raises(InputError, match="not known what 1 released value stands for"):
        expose(engine, release, register, ["job"])
    found = expose(engine, release, register, ["job"], hierarchies=TREES)
    assert found.released.per_record(found.people).tolist() == [1, 2]


def test_private_people_cannot_be_found_in_the_register(engine: Engine) -> None:
    release = table(engine, {"zip": texts("02138")})
    register = Register(table(engine, {"zip": texts("02138")}, "voters.csv"))
    private = table(engine, {"job": texts("nurse")}, "private.csv")
    with pytest.raises(InputError, match=r"private\.csv has no column zip.*--person"):
        expose(engine, release, register, ["zip"], private=private)


@pytest.mark.parametrize(
    ("ids", "told"), [([1, 2, 2], "once"), ([1, None, 2], "every person|missing|does not name")]
)
def test_an_id_that_is_not_one_to_one(engine: Engine, ids: list[Any], told: str) -> None:
    register = Register(table(engine, {"who": ids}, "voters.csv"), person="who")
    with pytest.raises(InputError, match=told):
        check_one_to_one(engine, register, "who")


def test_who_has_several_rows_in_one_register_has_several_in_the_join(engine: Engine) -> None:
    voters = Register(table(engine, {"who": [1, 2, 2, None], "zip": texts("a", "b", "c", "d")}))
    births = Register(table(engine, {"who": [1, 2, 3], "born": texts("x", "y", "z")}))
    joined = join_registers(engine, [voters, births], "who")
    rows = {tuple(row.values()) for row in joined.source.table().to_pylist()}
    assert rows == {
        ("1", "a", "x"),
        ("2", "b", "y"),
        ("2", "c", "y"),
        ("3", None, "z"),
        (None, "d", None),
    }


def test_one_register_is_no_join(engine: Engine) -> None:
    with pytest.raises(InputError, match="two registers"):
        join_registers(engine, [Register(table(engine, {"who": [1]}))], "who")


def test_a_column_for_persons_that_is_not_there(engine: Engine) -> None:
    with pytest.raises(InputError, match="Did you mean 'who'"):
        Register(table(engine, {"who": [1]}), person="woh")


def test_joined_registers_know_what_either_knows(engine: Engine) -> None:
    voters = table(engine, {"who": [1, 2], "zip": texts("02138", None)}, "voters")
    births = table(engine, {"who": texts("2", "3"), "zip": texts("02139", "02141")}, "births")
    found = join_registers(engine, [Register(voters), Register(births)], "who")
    rows = found.source.table().to_pylist()
    assert {row["who"]: row["zip"] for row in rows} == {"1": "02138", "2": "02139", "3": "02141"}
