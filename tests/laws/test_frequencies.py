"""Frequencies: codes that are one to one with values are as frequent as they.

Brute force tries every one-to-one reading of the codes that leaves all counts as they are.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small
from ways import KEY, WAYS, Way, population, released

from indistinct.prove import Promise, Trial
from indistinct.prove.examiners.frequencies import examine_frequencies

rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from("12")),
    min_size=2,
    max_size=12,
)


def readings(records):
    """Yield every renaming of the first two variables that leaves the file's counts as they are."""
    whole = Counter(records)
    first, second = (sorted({r[j] for r in records}) for j in (0, 1))
    for one in permutations(first):
        for other in permutations(second):
            read = dict(zip(first, one, strict=True)), dict(zip(second, other, strict=True))
            if Counter((read[0][r[0]], read[1][r[1]], r[2]) for r in records) == whole:
                yield read


def people_behind(records):
    """Return for each record how many people's values some reading gives it."""
    whole, found = Counter(records), []
    possible = list(readings(records))
    for a, b, c in records:
        values = {(one[a], other[b], c) for one, other in possible}
        found.append(sum(whole[value] for value in values))
    return found


@settings(max_examples=100, deadline=None)
@given(records=rows, k=st.integers(2, 4))
def test_no_reading_that_counts_allow_is_missed(records, k):
    """Colours may leave more readings open than there are, never fewer: what is found is true."""
    behind = people_behind(records)
    table = pa.table({name: [r[j] for r in records] for j, name in enumerate("abc")})
    promise = Promise(key=("a", "b", "c"), k=k, encrypted=("a", "b"))
    with open_small(table) as data:
        found = examine_frequencies(Trial(data.engine, data.source, promise))
    few = sum(number < k for number in behind)
    said = int(found.findings[0].split(": ")[1].split(" of ")[0]) if found.findings else 0
    repeats = [len({r[j] for r in records}) < len(records) for j in (0, 1)]
    several = [len({r[j] for r in records}) > 1 for j in (0, 1)]
    if all(repeats) and all(several):
        assert said <= few


def test_frequencies_that_all_differ_read_every_code():
    codes = ["q"] * 1 + ["w"] * 2 + ["e"] * 3 + ["r"] * 4
    promise = Promise(key=("town",), k=5, encrypted=("town",))
    with open_small(pa.table({"town": codes})) as data:
        found = examine_frequencies(Trial(data.engine, data.source, promise))
    assert "10 of 10 records" in found.findings[0]


def test_codes_that_occur_once_each_tell_nothing():
    promise = Promise(key=("zip",), k=2, substituted=("id",), encrypted=("noise",))
    table = pa.table({"zip": ["1", "1", "2", "2"], "id": list("abcd"), "noise": list("wxyz")})
    with open_small(table) as data:
        found = examine_frequencies(Trial(data.engine, data.source, promise))
    assert not found.findings
    assert not found.reservations


def test_made_up_numbers_that_tie_visits_together_name_patients():
    """Everybody has a record in each of two classes but one, whose two are in the same."""
    promise = Promise(key=("zip",), k=2, substituted=("id",))
    table = pa.table({"id": list("aabbcc"), "zip": ["1", "2", "1", "2", "1", "1"]})
    with open_small(table) as data:
        found = examine_frequencies(Trial(data.engine, data.source, promise))
    assert "2 of 6 records lead to fewer than 2" in found.findings[0]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_nothing_whose_codes_can_be_counted_is_green(way: Way, tmp_path):
    found = released(way, population(31), tmp_path / "r", although_unproved=True)
    promise = found.certificate.promise
    for name in (*promise.encrypted, *promise.substituted):
        counts = Counter(row[name] for row in found.examine(whatever_is_said=True))
        if len(counts) > 1 and max(counts.values()) > 1:
            assert not found.green
            if name in KEY:
                assert found.certificate.state != "holds"
