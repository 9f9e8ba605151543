"""No answer, and no combination of answers, rests on few records: against brute force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from released import fewest_records, session

from indistinct.errors import GuaranteeError, InputError
from indistinct.query import KnownSets, Layer, QuerySession

RECORDS = 12


@dataclass(frozen=True)
class Asked:
    """A question in two forms: SQL, and what brute force makes of it."""

    where: tuple[tuple[str, int], ...]
    by: tuple[str, ...]
    what: str

    @property
    def sql(self) -> str:
        tail = " and ".join(f"{name} <> {value}" for name, value in self.where)
        what = {"n": "count(*)", "x": "avg(x)", "f": "count(*) filter (where a = 1)"}[self.what]
        return (
            f"select {', '.join([*self.by, what])} from data"
            f"{' where ' + tail if tail else ''}"
            f"{' group by ' + ', '.join(self.by) if self.by else ''}"
        )

    def sets(self, data: dict[str, list], key: tuple) -> tuple[list[set[int]], set[int]]:
        """Return the sets of records whose number the row with this key tells, and those that
        add to a sum."""
        chosen = {
            r
            for r in range(RECORDS)
            if all(data[name][r] != value for name, value in self.where)
            and tuple(data[name][r] for name in self.by) == key
        }
        counted, adding = [chosen], set()
        if self.what == "x":
            adding = {r for r in chosen if data["x"][r]}
            values = {data["x"][r] for r in chosen} - {None}
            if len(values) == 2:  # a mean of two values tells how many records have each
                counted += [{r for r in chosen if data["x"][r] == value} for value in values]
        if self.what == "f":
            counted.append({r for r in chosen if data["a"][r] == 1})
        return [members for members in counted if members], adding


tables = st.fixed_dictionaries(
    {
        "a": st.lists(st.integers(0, 1), min_size=RECORDS, max_size=RECORDS),
        "b": st.lists(st.integers(0, 2), min_size=RECORDS, max_size=RECORDS),
        "x": st.lists(st.sampled_from([None, 0, 3, 5]), min_size=RECORDS, max_size=RECORDS),
    }
)
questions = st.builds(
    Asked,
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), max_size=1).map(tuple),
    st.sampled_from([(), ("a",), ("b",), ("a", "b")]),
    st.sampled_from("nxf"),
)


several = st.tuples(tables, st.lists(questions, min_size=1, max_size=3), st.integers(2, 4))


@settings(max_examples=15, deadline=None)
@given(several)
def test_nothing_small_can_be_worked_out_of_a_session(drawn):
    converse(*drawn)


@pytest.mark.heavy
@settings(max_examples=120, deadline=None)
@given(several)
def test_nothing_small_can_be_worked_out_of_many_sessions(drawn):
    converse(*drawn)


def converse(data, asked, smallest):
    known, sums = [set(range(RECORDS))], []
    with session(data, smallest=smallest) as started:
        for question in asked:
            answer = started.ask(question.sql)
            for row, records in zip(answer.rows, answer.records, strict=True):
                counted, adding = question.sets(data, row[:-1])
                assert records == (len(counted[0]) if counted else 0)
                assert all(len(members) >= smallest for members in counted)
                if question.what == "x" and row[-1] is not None:
                    there = [r for r in counted[0] if data["x"][r] is not None]
                    assert len(there) >= smallest
                known += counted
                sums += [adding] if adding else []
            assert fewest_records(known, RECORDS, up_to=smallest) >= smallest
            assert fewest_records(sums, RECORDS, up_to=smallest) >= smallest


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=4, max_size=60), st.integers(2, 6))
def test_withheld_rows_of_one_table_are_none_or_hold_enough_records(town, smallest):
    """Total less all rows that are told: never 1 to smallest - 1 records."""
    if len(town) < smallest:
        return
    with session({"town": town}, smallest=smallest) as started:
        answer = started.ask("select town, count(*) as n from data group by town")
    told = sum(n for _, n in answer.rows)
    assert len(town) - told == 0 or len(town) - told >= smallest
    assert all(n >= smallest for _, n in answer.rows)
    assert len(answer.rows) + answer.withheld == len(set(town))
    small = {t for t in town if town.count(t) < smallest}
    assert not small & {t for t, _ in answer.rows}
    if not small:
        assert answer.withheld == 0


def test_one_small_row_takes_the_next_smallest_with_it():
    town = ["a"] * 20 + ["b"] * 7 + ["c"] * 2 + ["d"] * 9
    with session({"town": town}, smallest=5) as started:
        answer = started.ask("select town, count(*) from data group by town")
    assert answer.rows == (("a", 20), ("d", 9))
    assert answer.withheld == 2


def test_small_rows_that_are_enough_together_take_no_other():
    town = ["a"] * 20 + ["b"] * 3 + ["c"] * 2
    with session({"town": town}, smallest=5) as started:
        answer = started.ask("select town, count(*) from data group by town")
    assert answer.rows == (("a", 20),)


PEOPLE = {
    "sex": ["m"] * 30 + ["f"] * 30,
    "age": [40] * 28 + [93] * 2 + [40] * 30,
    "income": [100] * 59 + [9000],
    "sick": [0] * 57 + [1] * 3,
}


def test_two_questions_that_differ_in_few_records_are_not_both_answered():
    with session(PEOPLE, smallest=5) as started:
        assert started.ask("select count(*) from data where sex = 'm'").rows == ((30,),)
        second = started.ask("select count(*) from data where sex = 'm' and age < 90")
        assert (second.rows, second.withheld) == ((), 1)
        assert started.ask("select count(*) from data where sex = 'f'").rows == ((30,),)
    with session(PEOPLE, smallest=5) as started:
        assert started.ask("select count(*) from data where sex = 'm' and age < 90").rows
        assert started.ask("select count(*) from data where sex = 'm'").withheld == 1


def test_the_complement_of_few_records_is_not_answered():
    with session(PEOPLE, smallest=5) as started:
        assert started.ask("select count(*) from data where age <> 93").withheld == 1
        assert started.ask("select avg(income) from data where not (age = 93)").withheld == 1


def test_a_union_of_rows_less_few_records_is_found():
    data = {"town": [t for t in "abcde" for _ in range(20)], "n": list(range(100))}
    with session(data, smallest=5) as started:
        assert len(started.ask("select town, count(*) from data group by town").rows) == 5
        assert started.ask("select count(*) from data where town in ('a', 'b')").rows == ((40,),)
        assert started.ask("select sum(n) from data where town in ('a', 'b') and n <> 7").withheld


def test_sums_of_zeros_and_ones_are_counts():
    with session(PEOPLE, smallest=5) as started:
        assert started.ask("select sum(sick) from data").withheld == 1
        assert started.ask("select avg(sick) from data").withheld == 1
        assert started.ask("select count(*) filter (where sick = 1) from data").withheld == 1
        assert started.ask("select count_if(sick = 1) from data").withheld == 1
        assert started.ask("select count(nullif(sick, 0)) from data").withheld == 1


def test_sums_differ_by_many_records_that_are_not_zero():
    """A sum rests on the records that add to it: others may come and go."""
    data = {"rent": [0] * 3 + list(range(1, 58)), "town": ["a"] * 30 + ["b"] * 30}
    with session(data, smallest=5) as started:
        assert started.ask("select sum(rent), avg(rent) from data").withheld == 0
        assert started.ask("select town, sum(rent) from data group by town").withheld == 0
        assert started.ask("select sum(rent) from data where rent > 3 or town = 'b'").withheld == 1
    few = {"rent": [0] * 30 + [700, 800]}
    with session(few, smallest=5) as started:
        assert started.ask("select sum(rent) from data").withheld == 1


def test_as_many_moments_as_values_tell_the_counts():
    data = {"children": [0] * 20 + [1] * 20 + [2] * 3}
    with session(data, smallest=5) as started:
        assert started.ask("select avg(children) from data").rows
        assert started.ask("select variance(children) from data").withheld == 1
        assert started.ask("select entropy(children) from data").rows
    with session({"sick": ["yes"] * 3 + ["no"] * 40}, smallest=5) as started:
        assert started.ask("select entropy(sick) from data").withheld == 1
        assert started.ask("select mode(sick) from data").rows == (("no",),)


def test_having_order_and_limit_tell_nothing_of_rows_that_are_withheld():
    town = ["a"] * 20 + ["b"] * 9 + ["c"] * 2 + ["d"] * 6
    with session({"town": town, "n": list(range(37))}, smallest=5) as started:
        small = started.ask("select town, count(*) from data group by town having count(*) < 5")
        none = started.ask("select town, count(*) from data group by town having count(*) > 99")
        assert (small.rows, small.withheld) == (none.rows, none.withheld) == ((), 2)
        first = started.ask("select town from data group by town order by count(*) limit 1")
        assert first.rows == (("b",),)
        rich = started.ask("select town from data where town = 'c' group by town having max(n) > 3")
        poor = started.ask("select town from data where town = 'c' group by town having max(n) < 3")
        assert rich == poor


def test_an_empty_set_of_records_is_told():
    with session(PEOPLE, smallest=5) as started:
        assert started.ask("select count(*) from data where age = 17").rows == ((0,),)
        empty = started.ask("select sex, count(*) from data where age = 17 group by sex")
        assert empty.rows == ()
        assert empty.notes == (
            "The answer is empty: no record, or no group, meets the conditions.",
        )


def test_extremes_rest_on_the_records_behind_them():
    with session(PEOPLE, smallest=5) as started:
        assert started.ask("select max(income) from data where age = 93").withheld == 1
        assert started.ask("select sex, max(income) from data group by sex").rows == (
            ("f", 9000),
            ("m", 100),
        )


@pytest.mark.parametrize(
    "sql",
    [
        "select * from data",
        "select age from data limit 1",
        "select sex, string_agg(age::varchar, ',') from data group by sex",
        "select list(age) from data",
        "select first(age) from data",
        "select arg_max(age, income) from data",
    ],
)
def test_listings_are_told_only_where_they_may_be(sql):
    with (
        session(PEOPLE, smallest=5, listing=False, why_not="there is no certificate") as started,
        pytest.raises(InputError, match=r"single records, .*: there is no certificate"),
    ):
        started.ask(sql)


def test_listings_of_arguments_that_need_no_cast_work_where_they_may_be():
    with session(PEOPLE, smallest=5) as started:
        assert len(started.ask("select age, sex from data where age = 93").rows) == 2
        assert len(started.ask("select list(age) from data").rows[0][0]) == 60


@pytest.mark.parametrize("smallest", [0, -1, True, 2.5])
def test_smallest_must_be_a_number_of_records(smallest):
    refused = pytest.raises(InputError, match="smallest must be an integer of at least 1")
    with refused, session(PEOPLE, smallest=smallest):
        pass


def test_a_release_of_fewer_records_answers_nothing():
    refused = pytest.raises(GuaranteeError, match="fewer than 5 records")
    with refused, session({"n": [1, 2]}, smallest=5):
        pass


def test_a_log_carries_answers_from_session_to_session(tmp_path):
    log = tmp_path / "answered.npz"
    with session(PEOPLE, smallest=5, log=log) as started:
        assert started.ask("select count(*) from data where sex = 'm'").rows == ((30,),)
    with session(PEOPLE, smallest=5, log=log) as started:
        assert started.ask("select count(*) from data where sex = 'm' and age < 90").withheld == 1
        assert started.ask("select sex, count(*) from data group by sex").withheld == 0


def test_two_sessions_at_once_share_their_log(tmp_path):
    log = tmp_path / "answered.npz"
    with session(PEOPLE, smallest=5, log=log) as one, session(PEOPLE, smallest=5, log=log) as two:
        assert one.ask("select count(*) from data where sex = 'm'").rows
        assert two.ask("select count(*) from data where sex = 'm' and age < 90").withheld == 1


def test_a_log_of_other_records_is_refused(tmp_path):
    log = tmp_path / "answered.npz"
    with session(PEOPLE, smallest=5, log=log) as started:
        started.ask("select count(*) from data")
    refused = pytest.raises(InputError, match="log of a release of 60 records")
    with session({"n": list(range(9))}, smallest=5, log=log) as started, refused:
        started.ask("select count(*) from data")
    log.write_bytes(b"PK nonsense")
    refused = pytest.raises(InputError, match="not a log of answers")
    with session(PEOPLE, smallest=5, log=log) as started, refused:
        started.ask("select count(*) from data")


def test_known_sets_are_the_same_after_saving(tmp_path):
    def layer(*rows):
        return Layer(np.concatenate(rows).astype(np.int64), np.array([len(r) for r in rows]))

    known = KnownSets(20, smallest=3)
    two = [layer(range(0, 9), range(9, 20)), layer(range(0, 5), range(9, 14))]
    known.admit({"": two, "sum c1": [layer(range(0, 4), range(9, 20))]})
    known.save(tmp_path / "known.npz")
    again = KnownSets.load(tmp_path / "known.npz", records=20, smallest=3)
    for sets in (layer(range(0, 7)), layer(range(5, 9)), layer(range(3, 20))):
        asked = {"": [layer(range(0, 9))], "sum c1": [sets]}
        assert known.admit({"": [sets]}).tolist() == again.admit({"": [sets]}).tolist()
        assert known.admit(asked).tolist() == again.admit(asked).tolist()


@pytest.mark.heavy
def test_a_million_records_and_a_thousand_cells():
    draw = np.random.default_rng(3)
    data = {
        "town": draw.integers(0, 100, 1_000_000),
        "age": draw.integers(0, 90, 1_000_000),
        "income": draw.integers(0, 9, 1_000_000),
    }
    with session(data, smallest=5) as started:
        assert isinstance(started, QuerySession)
        assert len(started.ask("select town, avg(income) from data group by town").rows) == 100
        table = started.ask("select town, age, count(*) from data group by town, age")
        assert len(table.rows) == 9_000
        assert started.ask("select count(*) from data where town = 3 and age <> 4").rows
