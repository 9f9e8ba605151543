"""People who have several rows in a register are counted once: brute force is the judge."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.prove import people as module
from indistinct.prove.covering import cover
from indistinct.prove.people import PeopleOfClasses


@pytest.mark.parametrize("most", [module.MOST_PAIRS, 0], ids=["exact", "bounded"])
@pytest.mark.parametrize("seed", range(8))
def test_people_met_agree_with_sets(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAIRS", most)
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 7)
    rng = np.random.default_rng(seed)
    zips = [f"{a}{b}" for a in "123" for b in "12"]
    labels = ["*", "1*", "2*", *zips]
    values = [(z, s) for z in zips for s in "fm"]
    rows = rng.integers(0, len(values), 60)
    whose = rng.integers(0, 25 if seed % 2 else 60, 60)
    keys = [(x, s) for x in labels for s in ("f", "m", "*")]
    codes = np.array([[zips.index(z), "fm".index(s)] for z, s in values])
    wanted = np.array([[labels.index(x), "fm*".index(s)] for x, s in keys])
    covers = [cover(labels, zips, name="zip"), cover(["f", "m", "*"], ["f", "m"], name="sex")]
    pairs = np.unique(np.stack([rows, whose], axis=1), axis=0)
    found = PeopleOfClasses(
        np.bincount(pairs[:, 0], minlength=len(values)), pairs[:, 0], pairs[:, 1]
    ).met(wanted, codes, covers, missing="own")
    for key, people in zip(keys, found.tolist(), strict=True):
        met = {
            person
            for row, person in zip(rows.tolist(), whose.tolist(), strict=True)
            if values[row][0].startswith(key[0].rstrip("*")) and key[1] in ("*", values[row][1])
        }
        assert people == len(met) if most else people <= len(met)
