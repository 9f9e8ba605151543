"""Law: no released variable tells the key more finely than k allows under a green verdict.

Every way of protecting, on files with copies; the judge is plain Python over rows, and knows how
`population` makes a copy from what it copies.
"""

from __future__ import annotations

from collections import Counter

import pytest
from ways import AGES, HIERARCHIES, KEY, REGIONS, WAYS, population, released

K = 3
VALUES = {"region": REGIONS, "age": tuple(map(str, AGES)), "sex": ("f", "m")}
COPIES = {
    "area": ("region", lambda area: {area.split("-")[0]}),
    "born": ("age", lambda born: {str(2026 - int(born[:4]))}),
    "age_group": ("age", lambda group: {a for a in VALUES["age"] if a[0] == group[0]}),
}
"""What each copy is made from, and which values of that a value of the copy leaves possible."""


def stands_for(name: str, label: object) -> frozenset[str]:
    if label is None:
        return frozenset(VALUES[name])
    found = {str(row[0]) for row in HIERARCHIES[name].rows() if str(label) in row}
    return frozenset(found or {str(label)})


def fewest_people(rows: list[dict], copy: str) -> int:
    of, tells = COPIES[copy]
    classes: Counter = Counter()
    for row in rows:
        cells = {name: stands_for(name, row[name]) for name in KEY}
        if row[copy] is not None:
            cells[of] = cells[of] & frozenset(tells(row[copy])) or cells[of]
        classes[tuple(cells[name] for name in KEY)] += 1
    return min(classes.values(), default=K)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_copy_undoes_the_key_under_a_green_verdict(way, tmp_path):
    table = population(1, people=160).select([*KEY, *COPIES, "ill"])
    found = released(way, table, tmp_path / "r", k=K)
    if not found.rows or not set(KEY) <= set(found.rows[0]):
        return
    promise = found.certificate.promise
    left = [copy for copy in COPIES if copy in found.rows[0] and copy not in promise.perturbed]
    if promise.claims_k and found.certificate.state != "fails":
        for copy in left:
            assert fewest_people(found.rows, copy) >= K, copy
    # what was altered is not told by what was not
    for copy in left:
        if found.green:
            assert COPIES[copy][0] not in promise.perturbed
