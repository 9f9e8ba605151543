"""Questions in SQL: what is answered is what DuckDB answers, and nothing else is run."""

from __future__ import annotations

import math
import random

import duckdb
import pyarrow as pa
import pytest
from released import session

from indistinct.errors import InputError

_draw = random.Random(5)
PEOPLE = {
    "Region": [_draw.choice(["north", "south", "it's", None]) for _ in range(300)],
    "sex": [_draw.choice("mf") for _ in range(300)],
    "age": [_draw.randrange(0, 95) for _ in range(300)],
    "income": [_draw.choice([None, 0, _draw.randrange(9000)]) for _ in range(300)],
    "born": [f"{_draw.randrange(1920, 2020)}-0{_draw.randrange(1, 10)}-11" for _ in range(300)],
    "own house": [_draw.choice([True, False, None]) for _ in range(300)],
}

ANSWERED = [
    "select count(*) from data",
    "select sex, count(*) as n, avg(income), sum(income), median(age) from data group by sex",
    "select region, sex, count(*) from data group by region, sex having count(*) > 30 "
    "order by 3, 2",
    "select distinct sex, region from data order by sex, region",
    "select age // 10 * 10 as decade, count(*) c from data group by decade order by c desc, decade",
    "select age % 2 = 0 as even, min(age), max(income) from data where age > 17 group by all",
    "select count(distinct region), count(income), count(1), count_if(age > 50) from data",
    "select sex, count(*) filter (where age between 20 and 29 and region is not null) * 100.0 / "
    "count(*) as share from data group by 1 order by share",
    "with adults as (select *, age >= 65 as old from data where age >= 18), "
    "rich as (select sex as s, old, income i from adults where income > 500) "
    "select s, old, count(*), round(avg(i), 2) from rich group by s, old order by s, old",
    "select x.sex, sum(x.income) / count(x.income) as m from (select * from data) x "
    "group by x.sex order by m",
    "select upper(left(region, 2)) || '-' || sex as code, count(*) from data "
    "where region like '%o%' or region in ('it''s') group by code order by code",
    "select case when age < 18 then 'child' when age < 65 then 'adult' else 'old' end as who, "
    "quantile_cont(age, 0.25), percentile_disc(0.5) within group (order by age), stddev(age), "
    "corr(age, income) from data group by who order by who",
    "select year(try_cast(born as date)) // 25 as quarter, count(*) from data group by quarter "
    "order by quarter desc nulls last limit 3 offset 1",
    'select "own house", bool_or("own house"), count(*) from data group by 1 '
    "order by 1 nulls first",
    "select * from data order by age desc, income, born, region, sex limit 7",
    "select age + 1 as older, older * 2 as twice, lower(region) from data where sex = 'f' "
    "order by age, born, region, income limit 20 offset 3",
    "select sex, max(age) - min(age) as width from release group by sex order by width, sex",
    "from data select sex, count(*) group by sex order by sex",
    "select avg(age) as age, sex from data group by sex order by age",
    "select coalesce(region, 'none') as where_, approx_count_distinct(sex) from data group by 1 "
    "order by 1",
    "select sex, string_agg(distinct sex, ',') from data group by sex order by sex",
    "select count(*) from data where not (age < 30 or income is null) and sex <> 'm'",
    "select count(*) from data where age is distinct from 30 and region not in ('north')",
]


def equal(ours: object, theirs: object) -> bool:
    if isinstance(ours, float) or isinstance(theirs, float):
        return math.isclose(float(str(ours)), float(str(theirs)), rel_tol=1e-12)
    return str(ours) == str(theirs)


@pytest.mark.parametrize("sql", ANSWERED)
def test_answers_equal_duckdb(sql):
    data = release = pa.table(PEOPLE)
    with duckdb.connect() as plain:
        plain.register("data", data)
        plain.register("release", release)
        theirs = plain.execute(sql).fetchall()
    with session(PEOPLE) as asked:
        ours = asked.ask(sql).rows
    assert len(ours) == len(theirs)
    if "order by" not in sql:
        ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
    for mine, other in zip(ours, theirs, strict=True):
        assert all(equal(a, b) for a, b in zip(mine, other, strict=True)), (mine, other)


HOSTILE = [
    ("", "empty"),
    (";", "one SELECT"),
    ("-- nothing", "one SELECT"),
    ("select count(*) from data; drop table records", "one SELECT"),
    ("select count(*) from data; select 1", "one SELECT"),
    ("insert into data values (1)", "Got INSERT"),
    ("update data set age = 1", "Got UPDATE"),
    ("delete from data", "Got DELETE"),
    ("create table x as select * from data", "Got CREATE"),
    ("copy data to '/tmp/x.csv'", "Got COPY"),
    ("copy (select * from data) to '/tmp/x.csv'", "Got COPY"),
    ("attach '/tmp/x.db'", "Got ATTACH"),
    ("install httpfs", "Got "),
    ("load httpfs", "Got LOAD"),
    ("pragma database_list", "Got PRAGMA"),
    ("set memory_limit = '1TB'", "Got SET"),
    ("export database 'x'", "Got EXPORT"),
    ("call pragma_version()", "Got CALL"),
    ("explain select * from data", "Got EXPLAIN"),
    ("pivot data on sex", "Got "),
    ("show tables", "SHOW"),
    ("describe data", "SHOW"),
    ("summarize data", "SHOW"),
    ("select 1", "about the table"),
    ("values (1)", "VALUES"),
    ("select * from records", "no table 'records'"),
    ("select * from information_schema.tables", "no table 'tables'"),
    ("select * from pg_catalog.pg_class", "no table"),
    ("select * from main.data", "no table 'data'"),
    ("select * from memory.main.records", "no table"),
    ("select * from '/etc/passwd'", "no table '/etc/passwd'"),
    ("select * from 'data.parquet'", "no table"),
    ("select * from duckdb_settings()", "alone"),
    ("select * from read_csv('/etc/passwd')", "alone"),
    ("select * from read_parquet('private/ledger.json')", "alone"),
    ("select * from read_text('/etc/passwd')", "alone"),
    ("select * from glob('/*')", "alone"),
    ("select * from range(1000000000)", "alone"),
    ("select * from data, data d", "Joins"),
    ("select * from data natural join data d", "Joins"),
    ("select * from data left join read_csv('x') on true", "Joins"),
    ("select * from data where age in (select age from data)", "inside an expression"),
    ("select (select max(age) from data) from data", "inside an expression"),
    ("select * from data where exists (select 1 from read_text('/etc/passwd'))", "inside an"),
    ("select age from data union select income from data", "UNION"),
    ("with recursive r as (select 1 union all select 2) select * from r", "RECURSIVE|UNION"),
    ("select * from (select sex, count(*) from data group by sex)", "inner SELECT"),
    ("select avg(n) from (select count(*) as n from data group by age)", "inner SELECT"),
    ("select count(*) from (select * from data limit 1)", "inner SELECT"),
    ("select count(*) from (select distinct age from data)", "inner SELECT"),
    ("with t as (select max(age) m from data) select m from t", "inner SELECT"),
    ("select count(*) over (partition by age) from data", "Window"),
    ("select age from data qualify row_number() over () = 1", "QUALIFY"),
    ("select count(*) from data tablesample 10%", "Samples"),
    ("select count(*) from data using sample 5", "Samples"),
    ("select count(*) from data at (version => 1)", "no table"),
    ("select sex, count(*) from data group by rollup (sex)", "ROLLUP"),
    ("select sex, count(*) from data group by cube (sex, age)", "ROLLUP"),
    ("select distinct on (sex) age from data", "DISTINCT ON"),
    ("select distinct count(*) from data group by sex", "DISTINCT"),
    ("select columns(*) from data", "COLUMNS|'\\*'"),
    ("select * replace (1 as age) from data", "REPLACE"),
    ("select unnest([1, 2]) from data", "no function"),
    ("select getenv('HOME') from data", "no function 'getenv'"),
    ("select current_setting('temp_directory') from data", "no function"),
    ("select version() from data", "no function"),
    ("select current_user from data", "no column|no function"),
    ("select random() from data", "no function"),
    ("select now() from data", "no function"),
    ("select error('x') from data", "no function"),
    ("select repeat('x', 1000000000) from data", "no function"),
    ("select hash(age) from data", "no function"),
    ("select main.abs(age) from data", "without a schema"),
    ("select main.sum(age) from data", "without a schema"),
    ("select rowid from data", "no column 'rowid'"),
    ("select record from data", "no column 'record'"),
    ("select c0 from data", "no column 'c0'"),
    ("select filename from data", "no column 'filename'"),
    ("select file_row_number from data", "no column"),
    ("select data from data", "no column 'data'"),
    ("select aeg from data", "no column 'aeg'. Did you mean 'age'"),
    ("select d.age from data", "no column 'd.age'"),
    ("select age.x.y from data", "no column"),
    ("select #1 from data", "numbered"),
    ("select age from data where age = ?", "parameters"),
    ("select age from data where age = $1", "parameters"),
    ("select list_transform([1], x -> x) from data", "no function|->"),
    ("select age::mood from data", "cannot be turned"),
    ("select age::varchar[] from data", "cannot be turned"),
    ("select x'ab' from data", "number, a text"),
    ("select {'a': age} from data", "by name|no function"),
    ("select age[1] from data", "Lists"),
    ("select grouping(sex) from data group by sex", "GROUPING"),
    ("select region collate nocase from data", "COLLATE"),
    ("select age from data limit 10%", "whole number"),
    ("select age from data limit (select 3)", "whole number"),
    ("select age from data order by all", "ORDER BY ALL"),
    ("select age from data order by 9", "count to 1"),
    ("select sex, count(*) from data group by 9", "count to 2"),
    ("select age, count(*) from data", "must be in GROUP BY"),
    ("select *, count(*) from data", "beside aggregates"),
    ("select count(*) from data where count(*) > 1", "cannot stand here"),
    ("select count(*) from data group by max(age)", "cannot stand here"),
    ("select sum(max(age)) from data", "cannot stand here"),
    ("select sum(case when age = 93 then 1 else 0 end) from data", "as it stands"),
    ("select sum((age = 93)::int) from data", "as it stands"),
    ("select sum(i) from (select (age = 93)::int as i from data)", "as it stands"),
    ("select max(income * 1) from data", "as it stands"),
    ("select sum(older), age + 1 as older from data group by older", "as it stands"),
    ("select max(income, 100) from data", "takes 1 argument"),
    ("select min(income, 100) from data", "takes 1 argument"),
    ("select sum(income order by age) from data", "ORDER BY inside"),
    ("select quantile_cont(income, [0.1, 0.2]) from data", "no function"),
    ("select region + 1 from data", "type|worked out"),
    ("select sum(region) from data", "type"),
    ("select count(*) from data where region > 3", "type"),
    ("select count(*) from data where age > 'forty'", "does not fit"),
    ("select " + "(" * 3000 + "age" + ")" * 3000 + " from data", "."),
    ("select " + "+".join(["age"] * 5000) + " from data", "."),
    ("select from data", "."),
    ("selekt count(*) from data", "cannot be read as SQL"),
    ("select 'x from data", "cannot be read as SQL"),
    ("select count(*) from data\0", "not text"),
    ("select count(*) from data where sex = '\udcff'", "not text"),
    ("select count(*) as a, b as c, c as b from data group by b", "no column 'b'|too deep"),
]


@pytest.fixture(scope="module")
def asked():
    with session(PEOPLE, smallest=5) as started:
        yield started


@pytest.mark.parametrize(("sql", "said"), HOSTILE, ids=lambda value: str(value)[:60])
def test_whatever_else_is_refused_with_a_sentence(asked, sql, said):
    with pytest.raises(InputError, match=said) as refused:
        asked.ask(sql)
    text = str(refused.value)
    assert not any(word in text for word in ("Traceback", "LINE 1", "c1", "a0"))


def test_names_are_doubled_until_the_question_is_too_long(asked):
    names = ", ".join(f"a{i} || a{i} as a{i + 1}" for i in range(40))
    with pytest.raises(InputError, match="too long"):
        asked.ask(f"select region as a0, {names} from data")


def test_a_name_that_stands_for_itself_is_refused(asked):
    with pytest.raises(InputError, match="no column 'a'"):
        asked.ask("select a + 1 as b, b + 1 as a from data")


def test_the_database_itself_is_shut_behind_the_check(asked):
    """The second wall: text that got past the reading would still find no way out."""
    for sql in (
        "select * from read_text('/etc/passwd')",
        "copy records to '/tmp/query-leak.csv'",
        "attach '/tmp/query-leak.db'",
        "set enable_external_access = true",
        "install httpfs",
    ):
        with pytest.raises(InputError):
            asked._sandbox.run(sql)


def test_a_cell_that_does_not_convert_is_missing_and_is_not_quoted():
    data = {"code": ["12", "13", "HIV"], "n": [9_223_372_036_854_775_807, 1, 2]}
    with session(data) as asked:
        assert asked.ask("select cast(code as int) from data").rows == ((12,), (13,), (None,))
        assert asked.ask("select n + 1 as m from data").rows == ((None,), (2,), (3,))
        assert asked.ask("select count(*) from data where code::int > 1").rows == ((2,),)


def test_columns_named_like_our_own_are_the_users():
    data = {"record": [7, 8], "rowid": [1, 2], "c0": ["x", "y"], "having": [3, 4], 'a b"c': [5, 6]}
    with session(data) as asked:
        assert asked.ask("select * from data").rows == ((7, 1, "x", 3, 5), (8, 2, "y", 4, 6))
        assert asked.ask('select sum("a b""c"), sum(record) from data').rows == ((11, 15),)


def test_a_long_listing_is_cut_with_a_word():
    with session({"n": list(range(10_001))}) as asked:
        answer = asked.ask("select n from data")
        assert len(answer.rows) == 10_000
        assert "cut after 10,000 rows" in answer.notes[0]
        assert not asked.ask("select n from data limit 10000").notes


def test_a_question_that_takes_too_long_is_stopped():
    from indistinct.engine.sandbox import Sandbox
    from indistinct.files import open_table, workspace

    with workspace() as folder:
        source = open_table({"n": list(range(3000))}, workspace=folder)
        with (
            Sandbox(source, seconds=0.2) as sandbox,
            pytest.raises(InputError, match="took longer"),
        ):
            sandbox.run(
                "SELECT count(*) FROM records a, records b, records c WHERE a.c0 < b.c0 + c.c0"
            )


def test_records_keep_their_order_over_row_groups(tmp_path):
    import pyarrow.parquet as pq

    from indistinct.engine.sandbox import Sandbox
    from indistinct.files import open_data

    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": list(range(50_000))}), path, row_group_size=700)
    with Sandbox(open_data(path, workspace=tmp_path)) as sandbox:
        assert sandbox.run("SELECT count(*) AS n FROM records WHERE record <> c0").to_pylist() == [
            {"n": 0}
        ]
