"""The lattice says of every node what counting says, and its least safe nodes are those."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from served import PEOPLE, PROJECT, Served

from indistinct.hierarchy import Hierarchy
from indistinct.workbench.screens.lattice import detail_kept


def gone_over(served: Served) -> dict:
    served.get("/risk")
    served.settle("count")
    assert served.change("/lattice").status == 303
    served.settle("lattice")
    found = served.desk.result("lattice")
    assert found is not None, served.desk.jobs.of("lattice")[-1].error
    return found


def test_every_node_is_what_counting_says(begun: Served):
    found = gone_over(begun)
    trees = begun.desk.result("count")["trees"]
    rows = [dict(zip(("sex", "town", "age"), line.split(","), strict=False))
            for line in PEOPLE.split()[1:]]  # fmt: skip
    climb = [Hierarchy.from_dict(trees[name]) for name in found["key"]]
    nodes = {tuple(levels): at_risk for levels, at_risk in found["nodes"]}
    assert set(nodes) == set(itertools.product(*(range(h + 1) for h in found["heights"])))
    for levels, at_risk in nodes.items():
        cells = [
            tuple(t.generalise(row[t.name], level) for t, level in zip(climb, levels, strict=True))
            for row in rows
        ]
        sizes = Counter(cells)
        assert at_risk == sum(sizes[cell] < 3 for cell in cells), levels
    assert 0 < sum(n == 0 for n in nodes.values()) < len(nodes)


def test_the_least_are_safe_and_nothing_below_them_is(begun: Served):
    found = gone_over(begun)
    nodes = {tuple(levels): at_risk for levels, at_risk in found["nodes"]}
    page = begun.get("/lattice").text
    listed = [tuple(map(int, at.split(","))) for at in re.findall(r'value="([\d,]+,\d+)"', page)]
    assert listed
    for levels in listed:
        assert nodes[levels] == 0
        for j, level in enumerate(levels):
            if level:
                assert nodes[(*levels[:j], level - 1, *levels[j + 1 :])] > 0
    kept = [detail_kept(levels, found["heights"]) for levels in listed]
    assert kept == sorted(kept, reverse=True)


def test_a_node_that_is_picked_makes_everybody_safe(begun: Served):
    gone_over(begun)
    node = re.findall(r'value="([\d,]+,\d+)"', begun.get("/lattice").text)[0]
    assert begun.change("/lattice/use", node=node).status == 303
    begun.settle("count")
    page = begun.get("/hierarchies").text
    assert re.search(r'class="figure"><b class="good">0</b>', page)
    begun.change("/protect/undo")
    assert (begun.desk.folder / "release.toml").read_text() == PROJECT
    for wrong in ("9,9,9", "0", "", "a,b,c", "-1,0,0"):
        assert begun.change("/lattice/use", node=wrong).status == 400


def test_filters_keep_what_they_say_and_strange_ones_do_no_harm(begun: Served):
    gone_over(begun)
    locked = begun.get("/lattice?limit.0=0&left_out=10").text
    listed = [at.split(",") for at in re.findall(r'value="([\d,]+,\d+)"', locked)]
    assert listed
    assert all(levels[0] == "0" for levels in listed)
    for wrong in ("left_out=nan", "left_out=inf", "left_out=-1", "left_out=x", "limit.0=99999",
                  "limit.0=-1"):  # fmt: skip
        assert begun.get(f"/lattice?{wrong}").status == 200


def test_too_large_a_lattice_is_told(begun: Served):
    begun.desk.open_project("release.toml")
    wide = "".join(f"[variables.v{i}]\nrole = 'key'\nlevel = 'numeric'\n" for i in range(9))
    (begun.desk.folder / "release.toml").write_text(
        PROJECT.replace("people.csv", "wide.csv").partition("[variables.sex]")[0] + wide
    )
    names = ",".join(f"v{i}" for i in range(9))
    lines = [",".join(str((n * (i + 3)) % 40) for i in range(9)) for n in range(40)]
    (begun.desk.folder / "wide.csv").write_text("\n".join([names, *lines]) + "\n")
    begun.get("/risk")
    begun.settle("count")
    begun.change("/lattice")
    begun.settle("lattice")
    assert "20,000 are gone over at most" in begun.get("/lattice").text
