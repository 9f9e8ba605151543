"""Killed at any moment: no half release, the input unchanged, and the next run clears away.

Every verb that writes is killed at random moments (`make test-all`: a hundred each; `make test`:
two). What a killed run leaves is for its owner's eyes alone, and is removed by the next run of any
verb in that place, which says so.
"""

from __future__ import annotations

import random
import stat
import time
from pathlib import Path

import pytest
from fuzz_commands import GOOD, verbs
from fuzz_ending import READING, Killer, changes, writing_command
from fuzz_running import SECRET

from indistinct.release import check_folder, kind_of_folder


def is_closed(path: Path, within: Path) -> bool:
    """Say whether nobody but the owner can read a file, by its mode or that of a folder above."""
    steps = [path, *(p for p in path.parents if within in (p, *p.parents))]
    return any(not step.lstat().st_mode & 0o077 for step in steps)


def check_what_is_there(killer: Killer, whole: dict[str, bytes], when: str) -> None:
    """Nothing that was there is harmed; what is new is whole, or aside and closed to others."""
    place = killer.place
    harmed, new = changes(place.before, place.seen())
    assert not harmed, (when, harmed)
    for name in new:
        path = place.folder / name
        aside = any(step.startswith(".") and step != ".indistinct" for step in Path(name).parts)
        if path.is_file() and aside and not is_closed(path, place.folder):
            assert not SECRET.search(path.read_bytes().decode("latin-1")), (when, name)
        if path.is_dir() and kind_of_folder(path) is not None and not aside:
            assert check_folder(path).findings == (), when
        if path.is_file() and name in whole:
            assert path.read_bytes() == whole[name], (when, name)
    for path in killer.scratch.glob("indistinct-*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, (when, path)


KILLS = [
    pytest.param(verb, kills, marks=marks)
    for verb in sorted(set(GOOD) - READING)
    for kills, marks in (
        (1, () if verb == "protect" else pytest.mark.heavy),
        (100, pytest.mark.long),
    )
    if verb != "demo" or kills == 100  # it takes half a minute, and writes as the others do
]


@pytest.mark.parametrize(("verb", "kills"), KILLS)
def test_killed_at_any_moment(killer, verb, kills):
    assert set(GOOD) == set(verbs())
    place, command = killer.place, writing_command(verb)
    lives, contents = [], []
    for _ in range(2):  # the first run compiles
        code, seconds = killer.run(command)
        assert code in (0, 1), killer.said
        lives.append(seconds)
        _, new = changes(place.before, place.seen())
        assert new, f"{verb} writes nothing"
        contents.append({n: (place.folder / n).read_bytes() for n in new
                         if (place.folder / n).is_file()})  # fmt: skip
        assert not killer.left(), killer.left()
        place.restore()
    whole = {n: raw for n, raw in contents[0].items() if contents[1].get(n) == raw}
    rng = random.Random(f"{verb} {kills}")
    for number in range(kills):
        moment = rng.uniform(0, 1.05 * lives[1])
        killer.run(command, moment)
        _wait_for_orphans(killer)
        when = f"{verb}, kill {number} after {moment:.3f} s of {lives[1]:.3f}"
        check_what_is_there(killer, whole, when)
        if killer.left():
            done = [n for n in place.seen() if n not in place.before and "/." not in f"/{n}"]
            for name in sorted(done, reverse=True):
                path = place.folder / name
                path.rmdir() if path.is_dir() else path.unlink()
            visible = [path for path in killer.left() if place.folder in path.parents]
            code, _ = killer.run(command)
            assert code in (0, 1), (when, killer.said)
            assert not killer.left(), (when, killer.left())
            if visible:
                assert "removed" in killer.said, (when, killer.said)
        place.restore()


def _wait_for_orphans(killer: Killer) -> None:
    """Let processes that the killed one had started notice that it is gone."""
    before, deadline = None, time.monotonic() + 60
    while before != (now := killer.place.seen()) and time.monotonic() < deadline:
        before = now
        time.sleep(0.05)
