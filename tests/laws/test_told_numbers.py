"""Numbers that are told agree with each other, and with what a plain count over the rows gives.

Whoever has every text that leaves the house can subtract; so all are blurred alike.
"""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from small_data import open_small
from ways import HIERARCHIES, KEY, WAYS, Way, count_examined, population, released

from indistinct.flow import make_report
from indistinct.release.few import rounding_base
from indistinct.release.report.html import document_json

PEOPLE = 203
"""No multiple of a base, so that the number of private records is known by its digits."""


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_number_told_to_outsiders_is_blurred_alike(way: Way, tmp_path):
    table = population(5, people=PEOPLE)
    found = released(way, table, tmp_path / "r", although_unproved=True, keep=[*KEY, "ill"])
    assert found.folder is not None, found.refused
    found.examine(whatever_is_said=True)
    base = rounding_base(3)
    note = (found.folder / "methodology.md").read_text()
    for fact in re.findall(r"^   - (.*)$", note, re.MULTILINE):
        for number in re.findall(r"[\d,]+$", fact):
            assert int(number.replace(",", "")) % base == 0, fact
    told = json.loads((found.folder / "certificate.json").read_text())
    for name in ("witnesses", "disclosures"):
        assert told["verdict"][name] % base == 0
    assert all(a["records"] % base == 0 for a in told["attacked_with"] if a["role"] == "private")
    if found.table.num_rows != PEOPLE:
        steps = note.split("## Steps")[1]
        shared = document_json(make_report(found.folder, edition="shareable"))
        outward = (steps, (found.folder / "contract.md").read_text(), json.dumps(told), shared)
        assert not any(re.search(rf"(?<![\d.a-f-]){PEOPLE}(?![\d.a-f-])", text) for text in outward)


@pytest.mark.parametrize("k", [2, 3, 4, 7])
@pytest.mark.parametrize("how", ["own", "wildcard", "public", "person"])
def test_the_table_of_class_sizes_agrees_with_its_headline(how, k):
    columns = population(6, visits=3 if how == "person" else 1).to_pydict()
    columns["age"] = [None if i % 9 == 0 else a for i, a in enumerate(columns["age"])]
    columns["known"] = [i % 4 for i in range(len(columns["age"]))]
    options = {
        "own": {},
        "wildcard": {"missing": "wildcard"},
        "public": {"public": {"age": "known"}},
        "person": {"person": "case_no"},
    }[how]
    with open_small(columns) as data:
        found = data.uniques(list(KEY), k=k, **options)
        sizes = found.sizes()
        frequency = found.frequency().tolist()
    first = {name: int(re.match(r"\d+", name)[0]) for name, *_ in sizes}
    assert sum(records for *_, records in sizes) == found.records
    assert sum(records for name, _, records in sizes if first[name] < k) == found.at_risk
    assert sum(records for name, _, records in sizes if first[name] == 1) == found.unique
    assert sum(f < k for f in frequency) == found.at_risk
    shown = found._tables()[1].rows
    assert sum(row[-1] for row in shown) == found.records
    if found.shared is None:
        assert sum(row[1] for row in shown) == found.classes


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_utility_counts_as_changed_what_differs_and_what_the_receipts_count(way: Way):
    table = population(8, people=120)
    with open_small(table) as data:
        whole = {"max_drop": 0} if way.name in ("datafly", "optimal") else {}
        done = way.protect(data, **whole)
        if done.source.records != table.num_rows or "scramble" in way.name:
            return
        names = [n for n in (*KEY, "income", "ill") if n in done.source.variables]
        after = done.source.table(names).to_pydict()
        before = {name: table.column(name).to_pylist() for name in names}
        differs = Counter(
            row
            for name in names
            for row, (a, b) in enumerate(zip(before[name], after[name], strict=True))
            if _text(a) != _text(b)
        )
        found = data.utility(
            done.source,
            key=list(KEY),
            variables=names,
            hierarchies=HIERARCHIES,
            demography=False,
            protection=True,
        )
    count_examined(way)
    changed = found.protection.changes
    assert round(changed.everybody.any_variable * changed.records) == len(differs)
    touching = [r for r in done.receipts if r.records_changed]
    if len(touching) == 1 and set(touching[0].cells_changed) <= set(names):
        assert touching[0].records_changed == len(differs)


def _text(value: object) -> str | None:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return None if value is None else str(value)
