"""The verdict on files, made for any size, equals the definition on small instances."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from small_data import open_small

from indistinct.files import open_table
from indistinct.prove import MODELS, Register, verify
from indistinct.prove.ads0 import ADS0

ZIPS = ["02138", "02139", "02141"]
BORN = ["1961-03-08", "1961-07-14", "1962-10-02"]
ILL = ["flu", "cold"]
LABELS = {
    "zip": [lambda v: v, lambda v: v[:4] + "*", lambda v: None],
    "born": [lambda v: v, lambda v: v[:7], lambda v: v[:4], lambda v: None],
}


def instance(seed: int):
    """A random system: private records, a larger register, and a release of mixed quality."""
    rng = np.random.default_rng(seed)
    names = [f"P{number}" for number in range(int(rng.integers(3, 8)))]
    register = [
        {"name": name, "zip": str(rng.choice(ZIPS)), "born": str(rng.choice(BORN))}
        for name in names
    ]
    held = rng.permutation(len(names))[: rng.integers(1, len(names) + 1)]
    private = [{**register[i], "ill": str(rng.choice(ILL))} for i in held]
    rows = [dict(row) for row in private]
    if rng.random() < 0.4:  # the key exchanged as a unit
        order = rng.permutation(len(rows))
        keys = [(rows[i]["zip"], rows[i]["born"]) for i in order]
        for row, (code, born) in zip(rows, keys, strict=True):
            row["zip"], row["born"] = code, born
    cellwise = rng.random() < 0.5
    whole = {name: rng.integers(len(LABELS[name])) for name in LABELS}
    release = []
    for row in rows:
        out = {"ill": row["ill"] if rng.random() < 0.9 else None}
        for name, ways in LABELS.items():
            level = rng.integers(len(ways)) if cellwise else whole[name]
            out[name] = ways[level](row[name])
        release.append(out)
    if rng.random() < 0.3:
        release.append({"ill": "flu", "zip": "99999", "born": "1961"})
    return register, private, release


def table(rows, columns):
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in columns})


def on_files(register, private, release, *, k):
    with open_small(table(release, ["zip", "born", "ill"])) as data:
        folder = data.engine.workspace
        people = open_table(
            table(register, ["name", "zip", "born"]), workspace=folder, origin="register"
        )
        held = open_table(
            table(private, ["name", "zip", "born", "ill"]), workspace=folder, origin="private"
        )
        return verify(
            data.engine,
            data.source,
            ["zip", "born"],
            k=k,
            private=held,
            registers=[Register(people, "register", "name")],
            person="name",
            unmet="excluding",
        )


def agree(chunk):
    """Compare thirty instances; return the records that each model protects."""
    seen = Counter()
    for seed in range(chunk * 30, chunk * 30 + 30):
        register, private, release = instance(seed)
        system = ADS0.of(
            subjects=[row["name"] for row in private],
            private=private,
            key=["zip", "born"],
            external=[register],
            releases=[release],
        )
        expected = system.verdict()
        found = on_files(register, private, release, k=2)
        assert found.ads0 == expected.ads0, seed
        assert found.disclosures == sum(bool(t.discloses) for t in expected.tuples), seed
        for model in ("null-map", "k-map", "wrong-map", "none"):
            assert found.models[model] == expected.models.get(model, 0), (seed, model)
        counted = [t.k for t in expected.tuples if t.model != "null-map"]
        assert found.k == min(counted, default=0), seed
        seen.update(found.models)
    return seen


@pytest.mark.parametrize("chunk", [0, pytest.param(1, marks=pytest.mark.heavy)])
def test_files_and_definition_agree(chunk):
    assert agree(chunk)["none"] > 0


@pytest.mark.heavy
def test_files_and_definition_agree_on_more():
    seen = sum((agree(chunk) for chunk in range(2, 10)), Counter())
    assert min(seen[model] for model in MODELS) > 10
