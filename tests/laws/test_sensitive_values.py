"""What is learned counts: no release is green whose classes tell a sensitive value.

Brute force reads the released rows in plain Python, folds values itself, and counts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp, log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import open_small
from ways import KEY, WAYS, Way, count_examined, population, released

from indistinct.protect import LDiversity
from indistinct.prove import Promise, Trial, judge
from indistinct.prove.examiners.sensitive import examine_sensitive

SAID = ("flu", "Flu ", " FLU", "gout", "cold", "", None, "*")


def told(value):
    """Return a value as a reader takes it; None for what says nothing."""
    text = " ".join(str("" if value is None else value).split()).lower()
    return text if text.strip("*") else None


def classes_of(rows, key, sensitive):
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in key)].append(told(row[sensitive]))
    return list(found.values())


def telling(values):
    held = {value for value in values if value is not None}
    return len(held) == 1


def with_ill(seed, **options):
    """A file in which illness follows region and is written in several ways."""
    table = population(seed, **options)
    rng = np.random.default_rng(seed)
    near = [SAID[int(n) % 3] if r[0] == "N" and n < 60 else SAID[int(n) % len(SAID)]
            for r, n in zip(table["region"].to_pylist(), rng.integers(0, 100, table.num_rows),
                            strict=True)]  # fmt: skip
    return table.set_column(table.column_names.index("ill"), "ill", pa.array(near, pa.string()))


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_way_gives_a_green_release_that_tells_a_sensitive_value(way: Way, tmp_path):
    asked = {"roles": {"ill": "sensitive"}, "keep": [*KEY, "ill"]}
    table, number = with_ill(11), 0
    for choice in ({"told": "allow", "although_unproved": True}, {"told": "blank"}):
        number += 1
        found = released(way, table, tmp_path / f"r{number}", **asked, **choice, until_k=True)
        if found.refused or not found.certificate.promise.claims_k or "ill" in found.changed:
            continue
        tells = [telling(values) for values in classes_of(found.examine(), found.key, "ill")]
        said = found.certificate.content["verdict"]["findings"]
        assert any("'ill' is told for certain" in one for one in said) is any(tells)
        assert found.certificate.state == "fails" or not any(tells)


@pytest.mark.parametrize("way", [w for w in WAYS if w.name != "step scrub-text"], ids=str)
def test_blanking_what_is_told_leaves_nothing_told_and_touches_no_other_cell(way: Way, tmp_path):
    options = {"roles": {"ill": "sensitive"}, "keep": [*KEY, "ill"], "keep_order": True}
    table = with_ill(12)
    options |= {"although_unproved": True}
    before = released(way, table, tmp_path / "a", told="allow", **options)
    key = tuple(name for name in KEY if name not in before.changed)
    if key and key != KEY:  # what is altered is told by nobody's class
        before = released(way, table, tmp_path / "c", told="allow", key=key, **options)
    if not key or not before.certificate.promise.claims_k:
        return
    after = released(way, table, tmp_path / "b", told="blank", key=key, **options)
    rows = after.examine(whatever_is_said=True)
    assert not any(telling(values) for values in classes_of(rows, after.key, "ill"))
    if len(before.rows) != len(after.rows):
        return
    for one, other in zip(before.rows, after.rows, strict=True):
        assert all(one[name] == other[name] for name in after.key)
        assert other["ill"] in (one["ill"], None)


rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(SAID), st.sampled_from("xyz")),
    min_size=1,
    max_size=24,
)


@settings(max_examples=60, deadline=None)
@given(rows=rows, confidence=st.sampled_from([0.5, 0.75, 1.0]))
def test_the_examiner_finds_what_brute_force_finds(rows, confidence):
    people = {"zip": [r[0] for r in rows], "ill": [r[1] for r in rows]}
    promise = Promise(key=("zip",), k=2, sensitive=("ill",), confidence=confidence)
    with open_small(pa.table(people)) as data:
        found = examine_sensitive(Trial(data.engine, data.source, promise))
    held = {told(value) for _, value, _ in rows} - {None}
    count = 0
    for values in classes_of([{"zip": r[0], "ill": r[1]} for r in rows], ["zip"], "ill"):
        shares = Counter(value for value in values if value is not None)
        most = max(shares.values(), default=0)
        if len(held) > 1 and shares and most >= confidence * sum(shares.values()):
            count += len(values)
    assert bool(found.findings) is bool(count)
    if count:
        assert f" {count:,} of {len(rows):,} " in found.findings[0]


def _entropy(values):
    shares = Counter(values)
    total = sum(shares.values())
    return exp(-sum(n / total * log(n / total) for n in shares.values()))


def _recursive(values, c, l):
    counts = sorted(Counter(values).values(), reverse=True)
    return len(counts) >= l and counts[0] < c * sum(counts[l - 1 :])


@settings(max_examples=80, deadline=None)
@given(
    rows=rows, form=st.sampled_from(["distinct", "entropy", "recursive"]), l=st.sampled_from([2, 3])
)
def test_l_that_was_promised_is_checked_from_the_file(rows, form, l):
    people = {"zip": [r[0] for r in rows], "ill": [r[1] for r in rows]}
    model = {"model": "l-diversity", "variable": "ill", "l": l, "form": form, "c": 2.0}
    with open_small(pa.table(people)) as data:
        promise = Promise(key=("zip",), k=2, models=(model,))
        found = examine_sensitive(Trial(data.engine, data.source, promise))
    bad = 0
    for values in classes_of([{"zip": r[0], "ill": r[1]} for r in rows], ["zip"], "ill"):
        held = [value for value in values if value is not None]
        kept = {
            "distinct": len(set(held)) >= l,
            "entropy": bool(held) and _entropy(held) >= l * (1 - 1e-9),
            "recursive": _recursive(held, 2.0, l),
        }[form]
        bad += len(values) if held and not kept else 0
    assert bool(found.findings) is bool(bad)
    assert not bad or f"{bad:,} of {len(rows):,} records" in found.findings[0]


@settings(max_examples=40, deadline=None)
@given(rows=rows, t=st.sampled_from([0.1, 0.3, 0.5]))
def test_t_that_was_promised_is_checked_from_the_file(rows, t):
    people = {"zip": [r[0] for r in rows], "ill": [r[1] for r in rows]}
    model = {"model": "t-closeness", "variable": "ill", "t": t, "distance": "equal"}
    with open_small(pa.table(people)) as data:
        promise = Promise(key=("zip",), k=2, models=(model,))
        found = examine_sensitive(Trial(data.engine, data.source, promise))
    whole = Counter(v for r in rows if (v := told(r[1])) is not None)
    bad = False
    for values in classes_of([{"zip": r[0], "ill": r[1]} for r in rows], ["zip"], "ill"):
        here = Counter(value for value in values if value is not None)
        total = sum(here.values())
        if total:
            far = sum(abs(here[v] / total - n / sum(whole.values())) for v, n in whole.items()) / 2
            bad |= far > t + 1e-9
    assert bool(found.findings) is bad


@pytest.mark.parametrize("way", [w for w in WAYS if w.name == "optimal"], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_keeps_l_by_brute_force_and_its_certificate_says_l(way, seed, tmp_path):
    table = with_ill(seed)
    with open_small(table) as data:
        counted = data.key_table([*KEY, "ill"])
        done = way.protect(
            data,
            k=3,
            seed=1,
            max_drop=0.2,
            models=(LDiversity("ill", 2),),
            sensitive=counted,
        )
        written = data.release(tmp_path / "r", done, seed=1, keep=[*KEY, "ill"])
        rows = data.engine.sql("SELECT * FROM r", r=done.source).to_pylist()
    count_examined(way)
    for values in classes_of(rows, KEY, "ill"):
        assert len({value for value in values if value is not None}) >= 2
    promise = written.certificate.read_text()
    assert '"l-diversity"' in promise


def test_a_plan_judged_again_without_its_sensitive_column_says_nothing(tmp_path):
    promise = Promise(key=("zip",), k=2, sensitive=("gone",))
    with open_small(pa.table({"zip": ["a", "a"]})) as data:
        assert judge(Trial(data.engine, data.source, promise)).state == "holds"
