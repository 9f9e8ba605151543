"""The judge sees it: a breach that is planted into a release of any way is told by a new word.

The release is judged before and after. What is said after must name the breach, which was not
said before; and whoever takes the examiner away sees the law fail.
"""

from __future__ import annotations

import functools
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from breaches import BREACHES, Breach, Released
from small_data import shared_engine
from ways import KEY, WAYS, Way, count_examined, population, released

from indistinct.prove import Verification, judge
from indistinct.prove.examiners import all_examiners
from indistinct.prove.examiners.minimality import examine_minimality
from indistinct.release import read_origin

K = 3
OWN_LAW = {examine_minimality: "tests/laws/test_minimality.py tries every placement"}
"""Examiners for which no breach is planted here, and where that is done."""


def people() -> pa.Table:
    """Make a file whose jobs are so many that no class tells one by chance."""
    table = population(3, people=240)
    jobs = np.random.default_rng(3).integers(10, 60, table.num_rows)
    return table.append_column("job", pa.array([f"j{n}" for n in jobs.tolist()]))


@functools.cache
def file_of(way: Way, altered: bool = False) -> tuple[Released, Verification]:
    """Release a file by a way, once for all breaches, and have it judged."""
    table = people()
    # what this step selects is all that is left
    keep = [*KEY, "ill", *([] if way.name == "step select" else ["income", "job"])]
    with tempfile.TemporaryDirectory() as folder:
        found = released(
            way, table, Path(folder) / "r", k=K, keep=keep, roles={"home": "household"},
            although_unproved=True, until_k=not altered,
        )  # fmt: skip
        assert found.certificate is not None, found.refused
        origin = read_origin(found.folder, records=len(found.rows))
    promise = found.certificate.promise
    if "job" in found.rows[0]:
        promise = type(promise)(**{**promise.__dict__, "sensitive": ("job",)})
    file = Released(table.to_pylist(), found.rows, promise, origin)
    return file, file.judged(shared_engine())


def words(verdict: Verification) -> set[str]:
    return {*verdict.findings, *(reservation.sentence for reservation in verdict.reservations)}


def says_more(breach: Breach, before: Verification, after: Verification) -> bool:
    """Whether a judge who has seen the breach says what he did not say before."""
    if breach.examiner is None:
        return after.state == "fails" and before.k >= K > after.k
    news = words(after) - words(before)
    return after.state != "holds" and any(breach.said in one for one in news)


@pytest.mark.parametrize("breach", BREACHES, ids=str)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_breach_that_is_planted_is_seen(way: Way, breach: Breach):
    file, before = file_of(way, breach.altered)
    planted = breach.plant(file)
    if planted is None:
        return
    count_examined(way)
    after = planted.judged(shared_engine())
    assert says_more(breach, before, after), (words(before), words(after))


def test_every_examiner_has_a_breach_to_see():
    assert {breach.examiner for breach in BREACHES} - {None} == {*all_examiners()} - {*OWN_LAW}


@pytest.mark.parametrize("breach", [b for b in BREACHES if b.examiner is not None], ids=str)
def test_without_its_examiner_a_breach_is_not_seen(breach: Breach, monkeypatch):
    """So that the law above can fail: it rests on this examiner and on no other."""
    left = tuple(one for one in all_examiners() if one is not breach.examiner)
    names = ("mondrian", "step add-noise", "local-recoding")
    for way in (way for way in WAYS if way.name in names):
        file, _ = file_of(way, breach.altered)
        planted = breach.plant(file)
        if planted is None:
            continue
        monkeypatch.setattr(sys.modules[judge.__module__], "all_examiners", lambda left=left: left)
        before, after = file.judged(shared_engine()), planted.judged(shared_engine())
        monkeypatch.undo()
        assert not says_more(breach, before, after), words(after) - words(before)
        return
    pytest.fail("no file has a place for it")
