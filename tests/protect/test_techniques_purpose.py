"""The purpose check, and weak encryption found and broken."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.core.errors import InputError
from indistinct.hierarchy import code_hierarchy
from indistinct.protect import Blank, Deidentify, Encrypt, Generalise, Perturb, Plan, ReleaseKey
from indistinct.protect.methods.microaggregating.microaggregate import Microaggregate
from indistinct.protect.select import Select
from indistinct.protect.steps import (
    AddNoise,
    Round,
    ScrambleOrder,
    Substitute,
    SuppressAttribute,
    SuppressCells,
    SuppressRecords,
    SwapValues,
    break_by_frequency,
    break_by_pairs,
    find_weak_encryption,
    purpose_warnings,
    undone,
    weak_encryption_warning,
)

TREE = code_hierarchy(["02138", "02139"], name="zip", digits=(4,))


def test_the_epidemiologists_of_section_4_1():
    """ZIP must stay for toxic waste, ethnicity for heart disease; each plan suits one."""
    without_zip = Plan((SuppressAttribute(("zip",)),))
    without_ethnicity = Plan((SuppressAttribute(("ethnicity",)),))
    assert purpose_warnings(without_zip, needed=["zip"])
    assert not purpose_warnings(without_zip, needed=["ethnicity"])
    assert purpose_warnings(without_ethnicity, needed=["ethnicity"])
    assert not purpose_warnings(without_ethnicity, needed=["zip"])


@pytest.mark.parametrize(
    ("step", "harmed"),
    [
        (Generalise(TREE, TREE.height), True),
        (Generalise(TREE, 1), False),
        (Deidentify(("zip",)), True),
        (Encrypt(("zip",)), True),
        (Substitute("zip"), True),
        (SuppressCells(((0, "zip"),)), True),
        (Blank(("zip", "age"), 3), True),
        (Blank(("zip", "age"), 3, part="given", variables=("age",)), False),
        (Round(("zip",), base=10), False),
        (Select(("age",)), True),
        (Select(("age", "zip")), False),
    ],
)
def test_a_needed_attribute(step, harmed):
    assert bool(purpose_warnings(Plan((step,)), needed=["zip"])) == harmed


@pytest.mark.parametrize(
    ("step", "ruins"),
    [
        (SuppressRecords((1,)), "statistics"),
        (Blank(("a",), 2), "statistics"),
        (AddNoise(("a",), 1.0), "records"),
        (Microaggregate(("a",), 3), "records"),
        (SwapValues(("a",), share=0.1), "records"),
        (Perturb(("a",), 2), "records"),
        (Round(("a",), base=5, to="random"), "records"),
        (Round(("a",), base=5), None),
        (ScrambleOrder(), None),
    ],
)
def test_suppression_ruins_statistics_and_perturbation_ruins_records(step, ruins):
    for use in ("statistics", "records"):
        assert bool(purpose_warnings(Plan((step,)), use=use)) == (use == ruins)
    assert not purpose_warnings(Plan((step,)))
    with pytest.raises(InputError, match="statistics or records"):
        purpose_warnings(Plan((step,)), use="both")


SSNS = [f"{n:09}" for n in np.random.default_rng(3).integers(0, 10**9, 30).tolist()]
RULE = str.maketrans("0123456789", "7305918264")


@pytest.mark.parametrize(
    ("kind", "scramble"),
    [
        ("identical", lambda s: s),
        ("shift", lambda s: "".join(str((int(c) + 3) % 10) for c in s)),
        ("shift", lambda s: str(int(s) + 4711)),
        ("characters", lambda s: s.translate(RULE)),
        ("places", lambda s: "".join(str((int(c) + i) % 10) for i, c in enumerate(s))),
        ("order", lambda s: s[::-1]),
        ("order", lambda s: s[3:] + s[:3]),
    ],
)
def test_fixed_rules_are_found(kind, scramble):
    found = find_weak_encryption(SSNS, [scramble(s) for s in SSNS])
    assert found is not None
    assert found.kind == kind
    assert "no encryption" in (weak_encryption_warning(SSNS, map(scramble, SSNS)) or "")


def test_encryption_and_substitution_are_not_taken_for_weak(engine, opened):
    source = opened({"ssn": SSNS})
    for step in (Encrypt(("ssn",)), Substitute("ssn")):
        done = Plan((step,)).apply(engine, source, seed=1, secrets=ReleaseKey.fresh())
        released = done.source.table()["ssn"].to_pylist()
        assert weak_encryption_warning(SSNS, released) is None
    assert weak_encryption_warning([], []) is None
    assert weak_encryption_warning([None], ["1"]) is None


def test_a_known_pair_breaks_a_substitution_of_digits():
    released = [s.translate(RULE) for s in SSNS]
    rule = break_by_pairs([("0123456789", "0123456789".translate(RULE))])
    assert undone(released, rule) == SSNS
    partly = undone(released, break_by_pairs([(SSNS[0], released[0])]))
    assert partly[0] == SSNS[0]
    with pytest.raises(InputError, match="one fixed replacement"):
        break_by_pairs([("11", "12")])


def test_frequencies_break_a_substitution_without_any_pair():
    """Places are no secret: that many live in some of them and few in others is enough."""
    rng = np.random.default_rng(5)
    zips = [f"{n:05}" for n in rng.choice(3000, 60, replace=False)]
    popular = 0.93 ** np.arange(60)
    mine, alike = (
        [zips[i] for i in rng.choice(60, n, p=popular / popular.sum())] for n in (2000, 20_000)
    )
    broken = break_by_frequency([text.translate(RULE) for text in mine], alike)
    assert undone([text.translate(RULE) for text in mine], broken) == mine
