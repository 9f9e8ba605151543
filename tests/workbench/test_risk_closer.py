"""What the closer look says of the risk is what going through the records one by one says."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest
from served import Served, folder_with, serving

KEY = ("sex", "town", "age")
PROJECT = """\
[data]
file = "people.csv"

[release]
k = 3
seed = 7
out = "release"

[variables.sex]
role = "key"

[variables.town]
role = "key"

[variables.age]
role = "key"

[variables.home]
role = "household"

[variables.ill]
role = "sensitive"
"""


def people(gaps: bool = False) -> list[dict[str, str]]:
    draw = random.Random(4)
    found = [
        {
            "home": str(n // 3),
            "sex": draw.choice("mf"),
            "town": draw.choice("abcd"),
            "age": str(draw.choice([20, 20, 20, 30, 30, 40, 50])),
            "ill": draw.choice("yn"),
        }
        for n in range(90)
    ]
    if gaps:
        for row in found[::9]:
            row["town"] = ""
    return found


def served_with(folder: Path, rows: list[dict[str, str]], project: str = PROJECT) -> Path:
    folder_with(folder, project=project)
    lines = [",".join(rows[0])] + [",".join(row.values()) for row in rows]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return folder


def looked_at(served: Served) -> dict:
    served.begin()
    served.desk.open_project("release.toml")
    served.get("/risk")
    served.settle("count")
    assert served.post("/risk/closer").status == 303
    served.settle("closer")
    job = served.desk.jobs.of("closer")[-1]
    assert job.state == "done", job.error
    return served.desk.result("closer")


@pytest.fixture(scope="module")
def look(tmp_path_factory: pytest.TempPathFactory):
    folder = served_with(tmp_path_factory.mktemp("closer") / "work", people())
    with serving(folder) as served:
        yield looked_at(served), served


def of(row: dict[str, str], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row[name] for name in names)


def test_minimal_combinations_are_those_of_brute_force(look):
    found, _ = look
    expected: Counter = Counter()
    for row in people():
        alone = []
        for size in range(1, 4):
            for names in combinations(KEY, size):
                if any(set(one) <= set(names) for one in alone):
                    continue
                if sum(of(other, names) == of(row, names) for other in people()) == 1:
                    alone.append(names)
                    expected[names] += 1
    assert {tuple(names): n for names, n in found["combinations"]} == dict(expected)
    assert found["sample_uniques"] == sum(
        n == 1 for n in Counter(of(row, KEY) for row in people()).values()
    )


def test_who_lives_with_somebody_who_stands_out(look):
    found, _ = look
    sizes = Counter(of(row, KEY) for row in people())
    out = [sizes[of(row, KEY)] < 3 for row in people()]
    homes = {row["home"] for row, stands in zip(people(), out, strict=True) if stands}
    assert found["household"] == {
        "name": "home",
        "themselves": sum(out),
        "with_others": sum(row["home"] in homes for row in people()),
    }


def test_what_is_told_of_sensitive_variables(look):
    found, _ = look
    classes = defaultdict(list)
    for row in people():
        classes[of(row, KEY)].append(row["ill"])
    (told,) = found["sensitive"]
    assert told["name"] == "ill"
    assert told["l"] == min(len(set(values)) for values in classes.values())
    assert told["disclosed"] == sum(
        len(values) for values in classes.values() if len(values) > 1 and len(set(values)) == 1
    )


def test_the_page_shows_it_in_both_languages_and_keeps_it(look):
    found, served = look
    page = served.get("/risk").text
    assert "What is enough to be found" in page
    assert " × ".join(found["combinations"][0][0]) in page
    assert "wildcard" not in page
    served.cookies["language"] = "de"
    assert "Was genügt, um gefunden zu werden" in served.get("/risk").text
    before = len(served.desk.jobs.of("closer"))
    assert served.post("/risk/closer").status == 303
    assert len(served.desk.jobs.of("closer")) == before


def test_where_missing_is_a_wildcard_the_page_says_what_counts_how(tmp_path: Path):
    project = PROJECT.replace("k = 3", 'k = 3\nmissing = "wildcard"')
    rows = people(gaps=True)
    with serving(served_with(tmp_path / "work", rows, project)) as served:
        found = looked_at(served)
        agree = [
            sum(
                all(a == b or not a or not b for a, b in zip(of(x, KEY), of(y, KEY), strict=True))
                for y in rows
            )
            for x in rows
        ]
        assert found["at_risk"] == sum(n < 3 for n in agree)
        assert found["at_risk"] < served.desk.result("count")["below"][""][3]
        page = served.get("/risk").text
        assert "reads a missing value as a wildcard" in page
        assert f"Counted so, {found['at_risk']} records" in page
        assert "wildcard" in served.get("/hierarchies/effect").text


def test_an_estimate_comes_with_its_interval_and_what_tests_the_model(look):
    _, served = look
    served.cookies.pop("language", None)
    assert served.post("/risk/population", sample="10").status == 303
    served.settle("population")
    page = served.get("/risk?sample=10").text
    assert "With 95% confidence from" in page
    assert "the test of the model gives" in page
