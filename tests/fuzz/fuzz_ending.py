"""Commands that write something, and a place in which they are ended at a chosen moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzz_commands import GOOD
from fuzz_place import make_place
from fuzz_running import NOTED, Place, Seen

__all__ = ["READING", "Killer", "changes", "killing", "writing_command"]

READING = {"verify"}
"""Verbs that write nothing but a line in a trail."""
FILES = {
    "uniques": "new.csv",
    "report": "new.html",
    "risk": "new.csv",
    "utility": "new.json",
    "query": "new.csv",
}
"""What those verbs write that look at data; the others say it in their command."""


def writing_command(verb: str) -> list[str]:
    """Return a command of this verb that writes something."""
    command = [verb, *GOOD[verb]]
    if verb == "tables":
        return [*command, "--method", "random-round", "--out", "new", "--seed", "1"]
    if verb in FILES:
        return [*command, "--out", FILES[verb]]
    return command


@dataclass
class Killer:
    """Runs commands in a place, and kills them."""

    place: Place
    scratch: Path
    process: subprocess.Popen[str]

    def run(
        self, arguments: list[str], seconds: float | None = None, interrupts: Sequence[float] = ()
    ) -> tuple[int | None, float]:
        said = self.scratch.parent / "said"
        said.unlink(missing_ok=True)
        asked = {"arguments": arguments, "seconds": seconds, "said": str(said),
                 "interrupts": list(interrupts)}  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["code"], answer["seconds"]

    @property
    def said(self) -> str:
        path = self.scratch.parent / "said"
        return path.read_text("utf-8", "replace") if path.is_file() else ""

    def left(self) -> list[Path]:
        """Return what stands aside in the place, and workspaces."""
        aside = [p for p in self.place.folder.rglob(".*") if p.name != ".indistinct"]
        return sorted([*aside, *self.scratch.glob("indistinct-*")])


@contextmanager
def killing(folder: Path) -> Iterator[Killer]:
    """Give a place in a folder, with the program ready in a process of its own."""
    place = Place(make_place(folder / "pristine"), folder / "place")
    scratch = folder / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("kill_parent.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=place.folder / "work",
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    try:
        yield Killer(place, scratch, process)
    finally:
        process.kill()
        process.wait()


def changes(before: Seen, after: Seen) -> tuple[list[str], list[str]]:
    harmed = [n for n, what in before.items() if after.get(n) != what and not NOTED.search(n)]
    return harmed, [n for n in after if n not in before]
