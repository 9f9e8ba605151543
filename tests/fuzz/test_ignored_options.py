"""No option is ignored in silence: with it and without it, something differs, or it is refused.

Observed, not read from declarations: every verb is run in some situations, and again with each of
its options alone, with a value that is not the default. What is compared is the exit code, all that
is said, and every file that is written (but for what two equal runs write differently). An option
with which nothing differs would have been ignored. `MAY_CHANGE_NOTHING` names those that may, each
with a reason; whatever is not there fails, a new option too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fuzz_commands import verbs
from fuzz_place import make_place
from fuzz_running import Place, Runner

from indistinct.cli.app import verb_function
from indistinct.cli.places import (
    DataPlace,
    HierarchyPlace,
    KeptFile,
    OutputFile,
    OutputFolder,
    PageFile,
    PlaceKind,
    ProjectFile,
    ReleasePlace,
)
from indistinct.cli.verb import places_of

pytestmark = pytest.mark.heavy

APART = {"engine", "master", "pdf", "query", "query_", "json"}
"""What starts other programs, or says the same in another form."""
OVER = ("people.csv", "--key", "age,sex")
PUBLISHED = ("people.csv", "--area", "county", "--table", "age:20,sex", "--method")
SITUATIONS: list[tuple[str, ...]] = [
    ("init", "people.csv", "--out", "new.toml"),
    ("uniques", *OVER, "--k", "3"),
    ("risk", *OVER, "--fraction", "0.1"),
    ("risk", "--key", "age,sex", "--population", "register.csv", "--sample-fraction", ".5",
     "--seed", "1"),
    ("protect", *OVER, "--k", "3", "--method", "suppress", "--seed", "1", "--accept",
     "households", "--out", "new"),
    ("verify", "rel"),
    ("verify", *OVER),
    ("verify", "tab"),
    ("utility", "people.csv", "rel"),
    ("tables", *PUBLISHED, "random-round", "--seed", "1", "--out", "new"),
    ("tables", *PUBLISHED, "suppress", "--out", "new"),
    ("scrub", "letters", "--seed", "1", "--out", "new"),
    ("report", "rel"),
    ("query", "rel", "select count(*) from data"),
    ("census", "--people", "100", "--out", "new.csv"),
]  # fmt: skip
PERMISSION = "lets something happen that does not happen here"
WAY = "a way to the same result"
DATA = "changes what is found in other data"
MAY_CHANGE_NOTHING = {
    **dict.fromkeys(("overwrite", "allow_outside", "accept", "although_unproved", "any_version"),
                    PERMISSION),
    **dict.fromkeys(("memory", "threads", "scratch", "approach"), WAY),
    **dict.fromkeys(("names", "protection"), "what is done anyway, said aloud"),
    **dict.fromkeys(("kinship", "told", "use"), DATA),
    "hierarchies": DATA,
    "mend": DATA,
    "brief": "leaves out what is not said of every kind of release",
    "who": "stands in the log, beside the time",
    "tables": "a promise that stands in the log",
    "most": "a promise that stands in the log",
    "seed": "for what is drawn, if anything is",
    "smallest_zone": DATA,
    "stop": DATA,
    "merge": DATA,
    "least_people": DATA,
    "reduce": DATA,
    "no_reduce": DATA,
    "identities": DATA,
}  # fmt: skip

Outcome = tuple[int | str, str, str, dict[str, str]]


@pytest.fixture(scope="module")
def runner(tmp_path_factory) -> Iterator[Runner]:
    folder = tmp_path_factory.mktemp("ignored")
    place = Place(make_place(folder / "pristine"), folder / "place")
    runner = Runner(place, folder / "scratch")
    yield runner
    runner.close()


def outcome(runner: Runner, command: list[str]) -> Outcome:
    """Return what came of a command, without times."""
    answer, place = runner.run(command), runner.place
    written = {n: what for n, what in place.seen().items() if place.before.get(n) != what}
    place.restore()
    said = [re.sub(r"\d+(\.\d+)? ?m?s\b|\d{4}-\d\d-\d\d\S*|\d\d:\d\d:\d\d\S*", "…", text)
            for text in (answer.out, answer.err)]  # fmt: skip
    return answer.code, said[0], said[1], written


def differs(one: Outcome, two: Outcome, other: Outcome) -> bool:
    """Say whether an outcome differs from two that should be equal, by more than these do."""
    steady = {name for name, what in one[3].items() if two[3].get(name) == what}
    return (
        other[0] != one[0]
        or other[1] not in (one[1], two[1])
        or other[2] not in (one[2], two[2])
        or set(other[3]) != set(one[3])
        or any(other[3][name] != one[3][name] for name in steady)
    )


def value_for(kind: PlaceKind | None, parameter: Any) -> str:
    """Return something that an option takes, and that is not its default."""
    match kind:
        case KeptFile():
            return "kept.jsonl"
        case PageFile():
            return "page.html"
        case OutputFolder():
            return "folder"
        case OutputFile():
            return f"file{(*kind.endings, '.csv')[0]}"
        case HierarchyPlace():
            return "trees"
        case ReleasePlace():
            return "rel"
        case ProjectFile():
            return "release.toml"
        case DataPlace():
            return "register.csv"
        case PlaceKind():
            return "register.csv"
    annotation = parameter.type_descriptor.annotation
    choices = getattr(annotation, "__args__", None)
    if choices and all(isinstance(choice, str) for choice in choices):
        return str(next(c for c in reversed(choices) if c != parameter.default))
    return {int: "7", float: "0.37", Path: "register.csv"}.get(annotation, "nosuch")


@pytest.mark.parametrize("situation", SITUATIONS, ids=" ".join)
def test_an_option_changes_something_or_is_refused(runner, situation):
    verb = situation[0]
    kinds = places_of(verb_function(verb))
    one, two = outcome(runner, [*situation]), outcome(runner, [*situation])
    assert one[0] in (0, 1), one[2]
    ignored = []
    for parameter in verbs()[verb].params:
        written = {*parameter.opts, *parameter.secondary_opts}
        taken = parameter.name in {*APART, *MAY_CHANGE_NOTHING} or written & {*situation}
        if parameter.param_type_name != "option" or taken:
            continue
        option = max(parameter.opts, key=len)
        value = [] if parameter.is_flag else [value_for(kinds.get(parameter.name), parameter)]
        got = outcome(runner, [*situation, option, *value])
        assert got[0] in (0, 1, 2), (option, got[2][-300:])
        if not differs(one, two, got):
            ignored.append(" ".join([option, *value]))
    assert not ignored, f"ignored by: indistinct {' '.join(situation)}"


def test_what_may_change_nothing_is_an_option():
    known = {parameter.name for verb in verbs().values() for parameter in verb.params}
    assert set(MAY_CHANGE_NOTHING) - {"no_reduce", "reduce"} <= known
