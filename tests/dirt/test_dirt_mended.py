"""A clean file that is made dirty: every record is told, and the lines that are told mend it.

The dirt is put there by the test, which counts it by itself.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.dirt import Dirt, find_dirt, mending_settings
from indistinct.files import Source, open_table, workspace
from indistinct.options import toml_key, toml_value
from indistinct.project import read_project

Columns = dict[str, list[Any]]
KEY = ("sex", "town", "born", "age", "score", "job")
LABELS = {1: "clerk", 2: "cook", 3: "farmer"}


def clean_file(rng: random.Random, n: int) -> Columns:
    days = [f"19{rng.randint(30, 99)}-{rng.randint(1, 12):02}-{rng.randint(13, 28)}" for _ in "abc"]
    towns = ["Old Town", "Berlin", "Ålesund"]
    made: Columns = {
        "patient": [1000 + i for i in range(n)],
        "sex": [("m", "w")[i % 2] for i in range(n)],
        "town": [towns[i % 3] for i in range(n)],
        "born": [rng.choice(days) for _ in range(n)],
        "age": [i % 20 if i < 40 else rng.randint(0, 95) for i in range(n)],
        "score": [i % 5 + 1 for i in range(n)],
        "job": [i % 3 + 1 for i in range(n)],
    }
    for name in ("town", "age", "score", "job"):
        for i in rng.sample(range(60, n), 4):
            made[name][i] = None
    return made


def made_dirty(clean: Columns, rng: random.Random) -> tuple[Columns, dict[tuple[str, str], int]]:
    """Return a dirty copy, and how many records each kind of dirt concerns."""
    dirty = {name: list(values) for name, values in clean.items()}
    n = len(dirty["sex"])
    told: dict[tuple[str, str], int] = {}

    def some(most: int) -> list[int]:
        return rng.sample(range(60, n), rng.randint(0, most))

    respelt, words = some(5), some(4)
    blanks_alone = rng.random() < 0.3
    for i in respelt:
        sex = clean["sex"][i]
        dirty["sex"][i] = (
            f" {sex}" if blanks_alone else rng.choice([sex.upper(), f"{sex.upper()} "])
        )
    told["sex", "blanks" if blanks_alone else "spelling"] = len(set(respelt) - set(words))
    for i in words:
        dirty["sex"][i] = {"m": "male", "w": "weiblich"}[clean["sex"][i]]
    told["sex", "words"] = len(words)

    for i in (respelt := [i for i in some(5) if clean["town"][i] is not None]):
        dirty["town"][i] = rng.choice([clean["town"][i].upper(), clean["town"][i].lower()])
    told["town", "spelling"] = len(respelt)
    missing = [i for i in range(n) if clean["town"][i] is None]
    told["town", "missing"] = rng.randint(0, 3)
    for i in missing[: told["town", "missing"]]:
        dirty["town"][i] = rng.choice(["NA", " n/a", "?", "k.A."])

    form = rng.choice(["%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"])
    for i in (rewritten := some(6)):
        year, month, day = clean["born"][i].split("-")
        parts = {"Y": year, "m": str(int(month)), "d": day}
        dirty["born"][i] = form.replace("%d", day).replace("%m", parts["m"]).replace("%Y", year)
    told["born", "dates"] = len(rewritten)

    dirty["age"] = [None if age is None else str(age) for age in clean["age"]]
    missing = [i for i in range(n) if clean["age"][i] is None]
    codes = missing[: rng.randint(0, 3)]
    for i in codes:
        dirty["age"][i] = rng.choice(["NA", ".", "unknown"])
    odd = [i for i in some(5) if clean["age"][i] is not None]
    for i in odd:
        dirty["age"][i] = rng.choice([" {}", "{}\u00a0", "{} "]).format(clean["age"][i])
    told["age", "missing"], told["age", "numbers"] = len(codes), len(codes) + len(odd)

    missing = [i for i in range(n) if clean["score"][i] is None]
    told["score", "missing"] = rng.randint(0, 4)
    for i in missing[: told["score", "missing"]]:
        dirty["score"][i] = rng.choice([-9, 99])
    missing = [i for i in range(n) if clean["job"][i] is None]
    told["job", "outside"] = rng.randint(0, 4)
    for i in missing[: told["job", "outside"]]:
        dirty["job"][i] = 7

    # of the first sixty, which are clean: a copy of a dirty record would be dirty once more
    told["patient", "same record twice"] = rng.randint(0, 4)
    for i in rng.sample(range(60), told["patient", "same record twice"]):
        for values in dirty.values():
            values.append(values[i])
    return dirty, {what: records for what, records in told.items() if records}


def opened(columns: Columns, folder: Path) -> Source:
    source = open_table(pa.table(columns), workspace=folder, origin="people")
    labelled = source.variables.updated({"job": {"labels": LABELS}})
    return replace(source, variables=labelled)


def project_lines(found: tuple[Dirt, ...]) -> str:
    """Write all that is proposed, as somebody does who believes it all."""
    parts = ["[data]", 'file = "."']
    of_data = mending_settings(one for one in found if one.of_data)
    parts += [f"{toml_key(name)} = {toml_value(value)}" for name, value in of_data.items()]
    for name in dict.fromkeys(one.variable for one in found if not one.of_data):
        parts.append(f"[variables.{toml_key(name)}]")
        said = mending_settings(o for o in found if o.variable == name and not o.of_data)
        parts += [f"{toml_key(setting)} = {toml_value(value)}" for setting, value in said.items()]
    return "\n".join(parts) + "\n"


def classes(source: Source) -> Counter[tuple[str, ...]]:
    columns = (map(str, source.table([name]).column(name).to_pylist()) for name in KEY)
    return Counter(zip(*columns, strict=True))


@given(st.integers(0, 10**6), st.integers(120, 200))
@settings(max_examples=8, deadline=None)
def test_dirt_is_told_exactly_and_its_lines_give_back_the_clean_file(seed, n):
    rng = random.Random(seed)
    clean = clean_file(rng, n)
    dirty, told = made_dirty(clean, rng)
    with workspace() as folder:
        before = opened(clean, folder)
        assert find_dirt(before, person="patient") == ()
        source = opened(dirty, folder)
        found = find_dirt(source, person="patient")
        again = Counter()
        for one in found:
            again[one.variable, one.kind] += one.records
        assert again == told
        project = read_project(project_lines(found), folder / "release.toml")
        mended = project.apply_to(source, workspace=folder)
        assert mended.records == n
        assert classes(mended) == classes(before)
        assert find_dirt(mended, person="patient") == ()
        # what mends the dirty file leaves the clean one as it is
        assert project.apply_to(before, workspace=folder).path == before.path


@pytest.mark.parametrize(
    ("column", "kinds"),
    [
        (["01", "02", "10"] * 20, []),  # codes, not numbers
        (["DE", "FR", "NA", "US", "GB", "ES"] * 5, []),  # Namibia
        (["h", "m"] * 30, []),  # hombre, mujer
        ([*["h", "m"] * 30, "male"], []),
        (["1.5", "2.25", "3"] * 10, []),
        ([-2, -1, 0, 1, 2] * 10, []),  # a scale
        ([*range(100)] * 3, []),  # 99 is an age as good as others
        ([*range(90)] * 3 + [99] * 40, ["missing"]),
        ([1, 2, 3, 97, 98, 99] * 10, ["missing"]),
        ([0, 1, 2, -9] * 10, ["missing"]),
        ([1, 2, 3, -8, -9] * 10, ["missing"]),
        (["yes", "no", "ja"] * 10, ["words"]),
        ([None, "a", "b", "n/a"] * 9, ["missing"]),
        (["a", "b", "n/a"] * 9, []),  # one code for missing is a category of its own
        (["a", "b", "  "] * 9, []),
        (["13.4.1970", "24.12.1980"] * 20, ["dates"]),
        (["3/4/1970", "5/6/1980"] * 20, ["dates"]),
        (["1970-04-13", "1980-12-24"] * 20, []),
        (["1970-04-13", "1980-12-24", " 1980-12-24"] * 20, ["dates"]),
        (["1970-04-13", "1980-1-4"] * 20, ["dates"]),
        ([*["13.4.1970", "24.12.1980"] * 20, "NA"], ["dates"]),
        (["1,5", "2,5", "3.5"] * 9, ["numbers"]),
        ([*["1", "2", "3"] * 9, "3.0"], ["numbers"]),
        (["1'200", "2'500", "900"] * 9, ["numbers"]),
        (["x" * 80, "X" * 80] * 20, []),  # letters
        (["Ann", "ann", "Bob", "Cid"], []),  # nothing repeats
    ],
)
def test_what_is_dirty_and_what_only_looks_so(column, kinds):
    with workspace() as folder:
        source = open_table({"v": column}, workspace=folder)
        found = find_dirt(source)
        assert [one.kind for one in found] == kinds
        # what is told can be done, and then there is nothing to tell
        project = read_project(project_lines(found), folder / "release.toml")
        assert find_dirt(project.apply_to(source, workspace=folder)) == ()


def test_a_day_that_may_be_a_month_is_for_a_person_to_decide():
    with workspace() as folder:
        unsure, sure = (
            find_dirt(open_table({"born": dates * 20}, workspace=folder))[0]
            for dates in (["3/4/1970", "5/6/1980"], ["3/4/1970", "5/16/1980"])
        )
    assert not unsure.sure
    assert "must be said by you" in unsure.said
    assert sure.sure
    assert sure.settings == {"dates": ["%m/%d/%Y"]}


def test_only_values_that_tell_nothing_of_anybody_are_shown():
    columns = {"job": [1, 2, 3] * 50 + [7] * 12 + [8881234], "name": ["Zebulon "] + ["Ann"] * 162}
    with workspace() as folder:
        source = open_table(columns, workspace=folder)
        labelled = source.variables.updated({"job": {"labels": {1: "a", 2: "b", 3: "c"}}})
        found = find_dirt(replace(source, variables=labelled))
    told = " ".join(map(str, found))
    assert "7 12" in told  # many have it
    assert "1 that few records have" in told
    assert "8881234" not in told
    assert "Zebulon" not in told
    assert [one.kind for one in found] == ["outside", "blanks"]


def test_people_with_several_records_are_no_dirt():
    visits = {"patient": [i // 3 for i in range(90)], "sex": ["m", "w"] * 45}
    with workspace() as folder:
        assert find_dirt(open_table(visits, workspace=folder), person="patient") == ()


def test_records_of_one_number_are_the_same_or_not():
    table = {"patient": [*range(40), 3, 4], "sex": [*["m"] * 40, "m", "w"]}
    with workspace() as folder:
        found = find_dirt(open_table(table, workspace=folder), person="patient")
    assert [(one.kind, one.records, dict(one.settings)) for one in found] == [
        ("same record twice", 1, {"same_twice": "patient"}),
        ("several records", 1, {"one_each": "patient"}),
    ]
