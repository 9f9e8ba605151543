"""The fuzzer can fail: each law that it holds commands to is broken here, and it says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import fuzz_running
import pytest
from fuzz_running import Answer, Place, broken_laws, cases

BREAKING: dict[str, tuple[Callable[[Path], Answer], str]] = {
    "a fault": (lambda work: Answer(70, "", "a fault of its own"), "a fault"),
    "a hang": (lambda work: Answer("hang"), "exit code hang"),
    "a death": (lambda work: Answer("died with -11"), "exit code died"),
    "a value told": (lambda work: Answer(0, "Qzxname1007 is here"), "a private value"),
    "an income told": (lambda work: Answer(2, "", "got 91371234"), "a private value"),
    "no end of words": (lambda work: Answer(2, "", "x" * 50_000), "characters were said"),
    "an input harmed": (lambda work: _write(work / "people.csv", Answer(0)), "changed"),
    "refused, yet written": (lambda work: _write(work / "new.csv", Answer(2)), "refused, and yet"),
    "left aside": (lambda work: _write(work / ".new.part", Answer(0)), "left over"),
    "scratch left": (
        lambda work: _write(work.parents[1] / "scratch" / "indistinct-7-x", Answer(0)),
        "place for temporary files",
    ),
}


def _write(path: Path, answer: Answer) -> Answer:
    path.write_text("spoilt")
    return answer


class Broken:
    """Stands for a program with one fault."""

    def __init__(self, folder: Path, fault: Callable[[Path], Answer]) -> None:
        work = folder / "pristine" / "work"
        work.mkdir(parents=True)
        (work / "people.csv").write_text("age\n41\n")
        self.place, self.scratch = Place(folder / "pristine", folder / "place"), folder / "scratch"
        self.scratch.mkdir()
        self.fault = fault

    def run(self, arguments: list[str]) -> Answer:
        return self.fault(self.place.folder / "work")


@pytest.mark.parametrize("name", BREAKING)
def test_a_broken_law_is_noticed(tmp_path, name):
    fault, words = BREAKING[name]
    broken = broken_laws(Broken(tmp_path, fault), ["uniques", "people.csv"])
    assert any(words in one for one in broken), broken


def test_a_good_command_breaks_none(tmp_path):
    assert broken_laws(Broken(tmp_path, lambda work: Answer(0, "fine")), ["uniques"]) == []


def test_there_are_as_many_cases_as_the_pages_say(monkeypatch):
    """About a thousand by `make test`, a hundred thousand by `make test-all`."""
    source = Path(__file__).with_name("test_fuzz.py").read_text()
    numbers = [int(number) for number in re.findall(r"^@cases\((\d+)\)$", source, re.MULTILINE)]
    for profile, least, most in (("default", 1_000, 2_000), ("long", 100_000, 200_000)):
        monkeypatch.setattr(fuzz_running, "profile", lambda profile=profile: profile)
        assert least <= sum(cases(number).max_examples for number in numbers) <= most
