"""A key that is not right, and what is left to trust: against counting by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import InputError
from indistinct.engine import Engine
from indistinct.engine.duckdb import DuckDBEngine
from indistinct.files import open_table
from indistinct.flow.session import Data
from indistinct.hierarchy import Hierarchies, table_hierarchy
from indistinct.hierarchy.labels import stands_for
from indistinct.prove.registers import Register
from indistinct.prove.trusting import trust
from indistinct.prove.varying import sensitivity
from indistinct.prove.verifying import assumptions, doubts

KEY = ["sex", "zip"]
RELEASED = {
    "sex": ["f", "f", "f", "m", "m", "m"],
    "zip": ["0213*", "0213*", "0213*", "0214*", "0214*", "0214*"],
    "job": ["nurse", "nurse", "judge", "clerk", "clerk", "clerk"],
    "party": ["x", "y", "x", "x", "x", "x"],
    "income": [1, 2, 3, 4, 5, 6],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with DuckDBEngine(tmp_path_factory.mktemp("duckdb"), memory=10**9, threads=2) as started:
        yield started


@pytest.fixture
def data() -> Iterator[Data]:
    with indistinct.open_data(RELEASED) as opened:
        yield opened


def another(data: Data, columns: dict[str, list[Any]], name: str) -> Any:
    return open_table(pa.table(columns), workspace=data.engine.workspace, origin=name)


def voters(data: Data, **more: list[Any]) -> Register:
    people = {
        "sex": ["f"] * 5 + ["m"] * 4,
        "zip": ["02138", "02138", "02139", "02139", "02139", "02141", "02141", "02142", "02142"],
    }
    return Register(another(data, people | more, "voters"))


def test_each_attribute_known_too_in_the_file(data: Data) -> None:
    found = sensitivity(data.engine, data.source, key=KEY, k=3)
    assert (found.base.smallest, found.base.below) == (3, 0)
    rows = {row.attributes: row for row in found.added}
    assert (rows["job",].smallest, rows["job",].below, rows["job",].alone) == (1, 3, 1)
    assert (rows["party",].smallest, rows["party",].below, rows["party",].alone) == (1, 3, 1)
    assert found.naming == ("income",)
    assert [row.attributes for row in found.together] == [("job",), ("job", "party")]
    assert found.together[1].alone == 3
    assert found.one_more.tolist() == [True, True, True, False, False, False]
    assert {row.attributes[0]: row.smallest for row in found.without} == {"sex": 3, "zip": 3}
    assert all(row.against == "the file alone" for row in (*found.added, *found.together))
    assert any("no register was given" in warning for warning in found.warnings)
    assert any("'income'" in warning for warning in found.warnings)


def test_a_register_that_has_the_attribute_is_asked(data: Data) -> None:
    register = voters(data, party=["x", "x", "y", "y", "y", "x", "x", "x", "x"])
    found = sensitivity(
        data.engine, data.source, key=KEY, k=3, register=register, others=["job", "party"]
    )
    assert (found.base.against, found.base.smallest) == ("voters", 4)
    rows = {row.attributes[0]: row for row in found.added}
    # of party x there are two women in 0213*, of party y three
    assert (rows["party"].against, rows["party"].smallest, rows["party"].below) == ("voters", 2, 2)
    assert (rows["party"].smallest_before, rows["party"].below_before) == (4, 0)
    # the register knows no jobs, and there is no private file
    assert (rows["job"].against, rows["job"].smallest) == ("the file alone", 1)
    assert rows["job"].smallest_before == 3
    assert [row.attributes[0] for row in found.added] == ["job", "party"]
    assert {row.attributes[0]: row.smallest for row in found.without} == {"sex": 4, "zip": 4}
    assert not any("register" in warning for warning in found.warnings)


def test_the_private_people_stand_in_for_the_register(data: Data) -> None:
    private = another(
        data,
        {
            "sex": RELEASED["sex"] * 2,
            "zip": ["02138", "02138", "02139", "02141", "02141", "02142"] * 2,
            "job": RELEASED["job"] * 2,
        },
        "private.csv",
    )
    found = sensitivity(
        data.engine, data.source, key=KEY, k=3, private=private, others=["job", "party"]
    )
    rows = {row.attributes[0]: row for row in found.added}
    assert found.base.against == rows["job"].against == "the private data's own people"
    assert (rows["job"].smallest, rows["job"].below, rows["job"].smallest_before) == (2, 1, 6)
    assert rows["party"].against == "the file alone"


def test_labels_that_cannot_be_compared_fall_back_to_the_file(data: Data) -> None:
    register = voters(data, job=["1", "1", "2", "2", "2", "3", "3", "3", "3"])
    found = sensitivity(data.engine, data.source, key=KEY, k=3, register=register, others=["job"])
    assert found.added[0].against == "the file alone"
    assert "1" not in json.dumps(found.warnings).replace("k falls from 3 to 1", "")


small = st.sampled_from(["a", "b", "c"])
label = st.sampled_from(["a", "b", "c", None])


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(label, small, small, small), min_size=8, max_size=25),
    st.lists(st.tuples(small, small, small), min_size=1, max_size=30),
    st.integers(2, 5),
)
def test_counts_agree_with_comparing_all_pairs(engine: Engine, records, people, k) -> None:
    columns = {n: [r[i] for r in records] for i, n in enumerate(["p", "q", "x", "y"])}
    register = {n: [r[i] for r in people] for i, n in enumerate(["p", "q", "x"])}
    release = open_table(pa.table(columns), workspace=engine.workspace)
    source = open_table(pa.table(register), workspace=engine.workspace, origin="register")
    found = sensitivity(engine, release, key=["p", "q"], k=k, register=Register(source))

    def few(names: list[str]) -> tuple[int, int, list[int]]:
        """Everybody whom a record may be about; a value that nobody has is known to be wrong."""
        sizes = []
        for i in range(len(records)):
            told = [
                name
                for name in names
                if columns[name][i] is None
                or any(stands_for(columns[name][i], value) for value in register[name])
            ]
            says = any(columns[name][i] is not None for name in told)
            ignored = len(told) < len(names)
            linked = sum(
                all(stands_for(columns[n][i], register[n][j]) for n in told)
                for j in range(len(people))
            )
            sizes.append(0 if ignored and not says else linked)
        least = min((size for size in sizes if size), default=0)
        return least, sum(0 < size < k for size in sizes), sizes

    if found.base.against == "register":
        smallest, below, sizes = few(["p", "q"])
        assert (found.base.smallest, found.base.below) == (smallest, below)
        assert found.links.tolist() == sizes
    for row in found.added:
        if row.attributes == ("x",) and row.against == "register":
            assert (row.smallest, row.below) == few(["p", "q", "x"])[:2]
        if row.against == "the file alone":
            names = ["p", "q", *row.attributes]
            sizes = Counter(zip(*(columns[n] for n in names), strict=True))
            assert row.smallest == min(sizes.values())
            assert row.below == sum(size for size in sizes.values() if size < k)


def test_trust_counts_every_stronger_intruder(data: Data) -> None:
    found = sensitivity(data.engine, data.source, key=KEY, k=3)
    left = trust(data.engine, data.source, found)
    # income makes every record alone; by one further attribute it is set apart
    assert (left.by_key, left.by_one_more, left.by_all) == (0, 3, 6)
    assert left.listed == (1, 2, 3)
    assert left.expected_links == pytest.approx(2.0)
    assert left.highest == pytest.approx(1 / 3)
    assert not left.for_anybody
    assert left.to_dict()["by_one_more_share"] == pytest.approx(0.5)
    assert "income" in repr(left)


def test_trust_lists_twenty_records_at_most() -> None:
    rows = {"sex": ["f"] * 50, "job": [f"{i % 25}" for i in range(50)]}
    with indistinct.open_data(rows) as data:
        found = sensitivity(data.engine, data.source, key=["sex"], k=3)
        left = trust(data.engine, data.source, found)
    assert left.by_one_more == 50
    assert left.listed == tuple(range(1, 21))


def test_data_for_anybody() -> None:
    with indistinct.open_data({"sex": ["f"] * 4, "job": ["nurse"] * 4}) as data:
        found = sensitivity(data.engine, data.source, key=["sex"], k=4)
        assert trust(data.engine, data.source, found).for_anybody
        assert found.without == ()


def test_expected_links_are_the_sum_of_one_over_the_people(data: Data) -> None:
    found = sensitivity(data.engine, data.source, key=KEY, k=3, register=voters(data))
    np.testing.assert_array_equal(found.links, [5, 5, 5, 4, 4, 4])
    assert trust(data.engine, data.source, found).expected_links == pytest.approx(3 / 5 + 3 / 4)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"key": KEY, "k": 1}, "at least 2"),
        ({"key": [], "k": 3}, "key variables"),
        ({"key": ["sxe"], "k": 3}, "Did you mean 'sex'"),
        ({"key": KEY, "k": 3, "others": ["jbo"]}, "Did you mean 'job'"),
        ({"key": KEY, "k": 3, "others": ["sex"]}, "not in the key"),
    ],
)
def test_wrong_questions(data: Data, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        sensitivity(data.engine, data.source, **options)


def test_results_become_json_and_html(data: Data) -> None:
    found = sensitivity(data.engine, data.source, key=KEY, k=3)
    left = trust(data.engine, data.source, found)
    for result in (found, left):
        json.dumps(result.to_dict())
        assert result._repr_html_().startswith("<div>")


# What is assumed, and what the files themselves speak against


def test_assumptions_name_key_and_registers(data: Data) -> None:
    said = "\n".join(assumptions(data.source, key=KEY, k=5, registers=[voters(data)]))
    for words in ("sex and zip", "job, party and income", "voters", "ADS1", "ADS2", "wildcard"):
        assert words in said
    for words in ("one record is about one person", "cannot be known beforehand", "unusual values"):
        assert words in said
    assert "about 100 of 1,000" in said
    assert "makes no crowd" in said


def test_assumptions_follow_what_was_done(data: Data) -> None:
    options = {"key": KEY, "registers": [voters(data)]}
    plain = assumptions(data.source, **options)
    tried = assumptions(data.source, **options, probabilistic=True, missing="wildcard")
    assert any("were not tried (ADS1)" in s for s in plain)
    assert not any("were not tried (ADS1)" in s for s in tried)
    assert any("one of the crowd" in s for s in tried)
    assert any("without the private file" in s for s in plain)


def test_assumptions_tell_no_folder_of_the_holder(data: Data) -> None:
    register = Register(voters(data).source, "/home/ann/secret plans/voters.csv")
    said = "\n".join(assumptions(data.source, key=KEY, registers=[register]))
    assert "voters.csv" in said
    assert "ann" not in said.replace("cannot", "")


def test_the_private_people_are_no_register(data: Data) -> None:
    own = Register.of_private(voters(data).source)
    said = assumptions(data.source, key=KEY, registers=[own])
    assert any("no register was tried" in s and own.name in s for s in said)
    assert any(
        "no register" in s for s in doubts(data.engine, data.source, key=KEY, registers=[own])
    )


def test_assumptions_say_whose_hierarchies(data: Data) -> None:
    tree = table_hierarchy([("02138", "0213*", "*"), ("02141", "0214*", "*")], name="zip")
    given_by_people = assumptions(data.source, key=KEY, hierarchies={"zip": tree})
    assert any("given say of zip, what their form says of sex" in s for s in given_by_people)
    chosen = Hierarchies([tree], notes={"zip": "digits"})
    said = assumptions(data.source, key=KEY, hierarchies=chosen)
    assert any("the program chose say of zip" in s for s in said)


def test_a_register_that_shares_more_than_the_key(data: Data) -> None:
    register = voters(data, party=["x"] * 9)
    said = doubts(data.engine, data.source, key=KEY, registers=[register])
    assert len(said) == 1
    assert "voters has party" in said[0]
    assert doubts(data.engine, data.source, key=[*KEY, "party"], registers=[register]) == ()


def test_a_person_with_several_records(data: Data) -> None:
    private = another(data, {"who": ["a", "b", "a", "c", "b", None, None]}, "private.csv")
    said = doubts(
        *(data.engine, data.source),
        key=KEY, registers=[voters(data)], private=private, person="who",
    )  # fmt: skip
    assert len(said) == 1
    assert "private.csv: 2 people have 4 records" in said[0]


@pytest.mark.parametrize(("k", "reach", "warned"), [(100, 1000, True), (1001, 1000, False)])
def test_reach_of_a_channel(data: Data, k: int, reach: int, warned: bool) -> None:
    said = doubts(data.engine, data.source, key=KEY, registers=[voters(data)], k=k, reach=reach)
    assert bool(said) is warned


def test_a_reach_that_is_no_number(data: Data) -> None:
    with pytest.raises(InputError, match="reach must be"):
        doubts(data.engine, data.source, key=KEY, k=5, reach=0)
