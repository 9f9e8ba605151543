"""Interrupted at any moment, once or twice: what is said of what was written is so.

Every verb is interrupted at random moments, with everything that it started, as by Ctrl-C
(`make test-all`: a hundred times each; `make test`: four). The folder before and after is held
against the sentence: "Nothing was written" where nothing differs, else every place that differs is
named. Nothing stays aside or in the place for temporary files, and nothing is told as a fault.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from fuzz_commands import GOOD, verbs
from fuzz_ending import Killer, writing_command

from indistinct.release import check_folder, kind_of_folder

FURTHER = {
    "census": ["--register", "new2.csv", "--hierarchies", "new3"],
    "uniques": ["--pull-out", "new2.csv", "--identifiers", "name"],
    "verify": ["--audit", "trail.jsonl"],
    "query": ["--log", "log.jsonl"],
    "scrub": ["--spans", "new2.csv", "--secret", "new.key"],
}
"""More for some verbs to write, one after another: between two of them it may be interrupted."""
HANG = 120.0
"""Seconds after which a command that was interrupted should long have ended."""
SENTENCE = re.compile(
    r"^indistinct: (?:Interrupted\. (?P<nothing>Nothing was written)?"
    r"(?:Before that, (?P<written>.+) (?:was|were) written)?\."
    r"|The release was written to (?P<release>\S+) and stands.*)$",
    re.MULTILINE,
)

TIMES = [
    pytest.param(verb, times, marks=marks)
    for verb in sorted(GOOD)
    for times, marks in (
        (2, () if verb == "census" else pytest.mark.heavy),
        (100, pytest.mark.long),
    )
    if verb != "demo" or times == 100  # it takes half a minute, and writes as the others do
]


@pytest.mark.parametrize(("verb", "times"), TIMES)
def test_interrupted_at_any_moment(killer, verb, times):
    assert set(GOOD) == set(verbs())
    place = killer.place
    place.restore()
    command = [*writing_command(verb), *FURTHER.get(verb, [])]
    for _ in range(2):  # the first run compiles
        code, life = killer.run(command)
        assert code in (0, 1), killer.said
        done = differences(killer)
        assert done, f"{verb} writes nothing"
        place.restore()
    rng = random.Random(f"{verb} {times}")
    for number in range(times):
        # evenly over the run, and often in its last part, in which it writes
        moment = life * rng.choice([rng.uniform(0, 1.02), rng.uniform(0.8, 1.02)])
        again = [moment + rng.expovariate(50)] if rng.random() < 0.3 else []
        code, _ = killer.run(command, HANG, [moment, *again])
        when = f"{verb}, interrupt {number} after {moment:.4f} s of {life:.4f}, {again}"
        check_what_is_said(killer, code, done, when)
        assert not killer.left(), (when, killer.left(), killer.said)
        place.restore()


def differences(killer: Killer) -> set[str]:
    """Return what is new or other than before, relative to where the command was run."""
    before, after = killer.place.before, killer.place.seen()
    names = {n for n in {*before, *after} if before.get(n) != after.get(n)}
    return {Path(name).relative_to("work").as_posix() for name in names if name != "work"}


def check_what_is_said(killer: Killer, code: int | None, done: set[str], when: str) -> None:
    now, said = differences(killer), killer.said
    work = killer.place.folder / "work"
    about = (when, code, said[-600:], sorted(now)[:20])
    assert "Traceback" not in said, about
    assert "fault of its own" not in said, about
    if code in (0, 1):  # it was over, or the interrupt came too late to change anything
        assert {n.split("/")[0] for n in now} == {n.split("/")[0] for n in done}, about
        return
    assert code == 130, about
    told = SENTENCE.search(said)
    assert told, about
    if told["nothing"]:
        assert not now, about
        return
    named = [Path(one) for one in (told["written"] or told["release"]).split(", ")]
    named = [work / one for one in named]
    for path in named:
        assert path.relative_to(work).as_posix() in now, about
        if path.is_dir() and kind_of_folder(path) is not None:
            assert check_folder(path).findings == (), about
    for name in now:
        within = {work / name, *(work / name).parents}
        assert within & set(named) or any(work / name in path.parents for path in named), about
