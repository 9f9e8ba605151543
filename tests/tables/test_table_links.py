"""Which tables share which variables, on the paper's tables and at both ends of its spectrum."""

from __future__ import annotations

import pytest
from tabulated import AGE5, ETHNIC, PAPER_A, PAPER_TABLES, SEX, STAGE, tabulated

from indistinct.tables.grouping import Grouping, persons
from indistinct.tables.matching.linking import TableLinks, table_links
from indistinct.tables.specification import TableSet, TableSpec


def relations(found: TableLinks) -> dict[tuple[str, str], dict[str, str]]:
    return {
        (pair.first, pair.second): {link.variable: link.relation for link in pair.links}
        for pair in found.pairs
    }


@pytest.mark.parametrize("as_counted", [True, False])
def test_the_papers_tables(as_counted: bool) -> None:
    found = table_links(tabulated(PAPER_A, PAPER_TABLES) if as_counted else PAPER_TABLES)
    assert relations(found) == {
        ("age by sex", "stage by ethnic"): {"age": "finer"},
        ("age by sex", "sex by ethnic"): {"sex": "same"},
        ("stage by ethnic", "sex by ethnic"): {"ethnic": "same"},
    }
    assert found.groups == (("age by sex", "stage by ethnic", "sex by ethnic"),)
    assert found.common == ()
    assert found.linked_share == 1
    # sex in one coding in two of three tables
    assert found.spectrum == 0.5


def specs(*tables: tuple[Grouping, ...]) -> TableSet:
    named = (TableSpec(f"t{n}", dimensions) for n, dimensions in enumerate(tables))
    return TableSet(tuple(named), persons())


def test_all_share_one_variable_in_one_coding() -> None:
    found = table_links(specs((AGE5, SEX), (AGE5, ETHNIC), (AGE5,)))
    assert (found.spectrum, found.common, found.common_coding) == (1, ("age",), ("age",))
    assert "tracked across all" in found.verdict


def test_none_shares_anything() -> None:
    found = table_links(specs((AGE5, SEX), (ETHNIC,)))
    assert (found.spectrum, found.pairs, len(found.groups)) == (0, (), 2)
    assert "only partial disclosure" in found.verdict


def test_all_share_a_variable_in_several_codings() -> None:
    found = table_links(specs((AGE5, SEX), (STAGE, ETHNIC)))
    assert (found.common, found.common_coding, found.spectrum) == (("age",), (), 0)
    assert "coded in several ways" in found.verdict


def test_groups_that_share_nothing_and_links_by_way_of_others() -> None:
    job = Grouping("job", "job")
    found = table_links(specs((AGE5, SEX), (job,), (SEX, ETHNIC), (ETHNIC,)))
    assert found.groups == (("t0", "t2", "t3"), ("t1",))
    assert found.linked_share == pytest.approx(2 / 6)


def test_codings_that_overlap_are_told_by_the_values() -> None:
    thirds = Grouping("thirds", "age", bands=(0.0, 20.0, 40.0))
    halves = Grouping("halves", "age", bands=(0.0, 30.0))
    tables = specs((thirds,), (halves,), (Grouping("age", "age"),))
    found = relations(table_links(tabulated(PAPER_A, tables)))
    assert found == {
        ("t0", "t1"): {"age": "overlapping"},
        ("t0", "t2"): {"age": "coarser"},
        ("t1", "t2"): {"age": "coarser"},
    }
    declared = relations(table_links(tables))
    assert declared[("t0", "t1")] == {"age": "unknown"}
    assert declared[("t0", "t2")] == {"age": "coarser"}


def test_codings_with_other_names_may_be_the_same() -> None:
    renamed = Grouping("gender", "sex", groups=(("m", (1,)), ("f", (2,))))
    found = table_links(tabulated(PAPER_A, specs((SEX,), (renamed,))))
    assert relations(found) == {("t0", "t1"): {"sex": "same"}}
    assert found.spectrum == 1


def test_a_universe_links_too() -> None:
    adults = TableSpec("adults", (ETHNIC,), (("age", ("30+",)),))
    tables = TableSet((TableSpec("ages", (STAGE, SEX)), adults), persons())
    found = table_links(tabulated(PAPER_A, tables))
    assert relations(found) == {("ages", "adults"): {"age": "finer"}}


def test_results_show_themselves() -> None:
    found = table_links(tabulated(PAPER_A, PAPER_TABLES))
    told = found.to_dict()
    assert told["pairs"][0]["links"] == [
        {"variable": "age", "first": "age5", "second": "stage", "relation": "finer"}
    ]
    assert told["codings"]["sex"] == {"sex": ["age by sex", "sex by ethnic"]}
    assert found.plot().startswith("<svg")
    assert found.to_frame()["tables"].tolist() == [2, 2, 2]
