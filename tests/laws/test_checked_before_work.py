"""Everything is checked before the work begins, all of it at once, ignored options included.

Over every verb and every option that names a place, found from the verbs' declarations. A verb is
tried without its body, which must not be reached; the cases that were seen are run as they are.
"""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path
from typing import get_args

import pytest
from typer.models import OptionInfo
from verbs import BY_NAME, INPUTS, PLACES, VERB_NAMES, World, needed, options

from indistinct.cli import run
from indistinct.cli.places import KeptFile, OutputFile, OutputFolder, PlaceKind
from indistinct.cli.verb import option_of
from indistinct.prove.opinion import RESERVATIONS

RULES = "__options_that_go_together__"


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_a_verb_begins_where_nothing_is_wrong(world, verb):
    assert world.tried(verb) is None


@pytest.mark.parametrize(("verb", "option"), options(PlaceKind))
def test_it_begins_with_each_place_that_is_right(world, verb, option):
    kind = PLACES[verb][option]
    given = {**needed(verb, option, world), option: world.sample(kind, option)}
    assert world.tried(verb, **given) is None


WRONG = {
    "no folder": lambda path: path.parent / "nowhere" / path.name,
    "a long name": lambda path: path.with_name("x" * 300 + path.suffix),
    "a long path": lambda path: path.parent / "/".join(["y" * 200] * 30) / path.name,
    "under a file": lambda path: path.parent / "people.csv" / path.name,
    "a device": lambda path: Path("/dev/full"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(("verb", "option"), options(OutputFile))
def test_a_place_that_cannot_be_is_refused(world, verb, option, wrong):
    place = WRONG[wrong](world.sample(PLACES[verb][option], option))
    refused = world.tried(verb, **{**needed(verb, option, world), option: place})
    assert refused, f"{verb} --{option} {wrong}"
    assert len(refused) < 2_000


@pytest.mark.parametrize(("verb", "option"), options(OutputFile))
def test_an_ending_that_means_nothing_is_refused(world, verb, option):
    kind = PLACES[verb][option]
    place = world.folder / "odd.exe"
    refused = world.tried(verb, **{**needed(verb, option, world), option: place})
    if isinstance(kind, OutputFile) and kind.endings:
        assert "must end in" in refused
    if isinstance(kind, OutputFolder):
        place.mkdir()
        (place / "x").write_text("here")
        refused = world.tried(verb, **{**needed(verb, option, world), option: place})
        assert "exists already" in refused


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_all_that_is_wrong_is_told_at_once(world, verb):
    named = [o for o, kind in PLACES[verb].items() if isinstance(kind, (*INPUTS, OutputFile))]
    given = {name: value for one in named for name, value in needed(verb, one, world).items()}
    given |= {option: world.folder / "nowhere" / f"{option}.csv" for option in named}
    refused = world.tried(verb, **given)
    for option in given:
        if option in PLACES[verb] and not isinstance(PLACES[verb][option], KeptFile):
            assert "nowhere" in refused
            kind = PLACES[verb][option]
            told = f"{option}.csv" in refused or "The folder" in refused
            assert told, f"{verb}: nothing is said of --{option} ({kind}): {refused}"
    inputs = [o for o in given if isinstance(PLACES[verb].get(o), INPUTS)]
    assert refused.count("\n") + 1 >= len(inputs)


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_two_outputs_are_two_places(world, verb):
    outputs = [o for o, kind in PLACES[verb].items() if isinstance(kind, OutputFile)]
    for i, one in enumerate(outputs):
        for other in outputs[i + 1 :]:
            given = {**needed(verb, one, world), **needed(verb, other, world)}
            place = world.sample(PLACES[verb][one], one)
            for second in (place, place / "below.csv"):
                refused = world.tried(verb, **{**given, one: place, other: second})
                assert refused, (one, other, second)


def rules(which: int) -> list[tuple[str, str, str]]:
    return [
        (verb, option, others)
        for verb, function in BY_NAME.items()
        for option, others in getattr(function, RULES, ({}, {}))[which].items()
    ]


def value_of(world: World, verb: str, option: str) -> object:
    """Return something that an option takes."""
    kind = PLACES[verb].get(option)
    if kind is not None:
        return world.sample(kind, option)
    hint = inspect.signature(BY_NAME[verb], eval_str=True).parameters[option].annotation
    types = str(get_args(hint)[0])
    if "bool" in types:
        return True
    if "int" in types or "float" in types:
        return 1
    words = [str(one) for choice in get_args(get_args(hint)[0]) for one in get_args(choice)]
    words += [str(one) for one in get_args(get_args(hint)[0]) if isinstance(one, str)]
    return words[0] if words else "a=1"


@pytest.mark.parametrize(("verb", "option", "others"), rules(0))
def test_an_option_that_means_nothing_alone_is_refused(world, verb, option, others):
    refused = world.tried(verb, **{option: value_of(world, verb, option)})
    assert f"{option_of(BY_NAME[verb], option)} can only be given with" in refused


@pytest.mark.parametrize(("verb", "option", "others"), rules(1))
def test_an_option_that_would_be_ignored_beside_another_is_refused(world, verb, option, others):
    for other in others.split():
        given = {one: value_of(world, verb, one) for one in (option, other)}
        assert "cannot be given with" in world.tried(verb, **given), other


ONLY = [
    (verb, option, *words.split())
    for verb, function in BY_NAME.items()
    for option, words in getattr(function, "__options_for_some_values__", {}).items()
]


@pytest.mark.parametrize("rule", ONLY, ids=" ".join)
def test_an_option_for_some_values_of_another_is_refused_beside_the_rest(world, rule):
    verb, option, other, *values = rule
    given = {option: value_of(world, verb, option)}
    hint = inspect.signature(BY_NAME[verb], eval_str=True).parameters[other].annotation
    known = [str(one) for choice in get_args(get_args(hint)[0]) for one in get_args(choice)]
    assert {*values} < {*known}
    for value in (None, *known):
        refused = world.tried(verb, **given, **({} if value is None else {other: value}))
        assert (refused is None) == (value in values), (value, refused)
        assert refused is None or "it would be ignored" in refused


@pytest.mark.parametrize("verb", [v for v in VERB_NAMES if "accept" in
                                  inspect.signature(BY_NAME[v]).parameters])  # fmt: skip
def test_a_reservation_that_there_is_none_of_cannot_be_accepted(world, verb):
    given = needed(verb, "accept", world)
    assert world.tried(verb, **given, accept="households,copies") is None
    assert "Did you mean 'households'?" in world.tried(verb, **given, accept="housholds")


def test_every_reservation_has_its_code_in_the_list_and_on_the_page():
    root = Path(__file__).resolve().parents[2]
    made = {
        code
        for file in (root / "src").rglob("*.py")
        for code in re.findall(r'(?:reserving|Reservation)\(\s*"([^"]+)"', file.read_text("utf-8"))
    }
    assert made <= set(RESERVATIONS)
    page = (root / "docs" / "methods" / "verdict.md").read_text("utf-8")
    assert not [code for code in RESERVATIONS if f"`{code}`" not in page]


def test_what_is_declared_to_go_together_are_options():
    for verb, option, others in (*rules(0), *rules(1)):
        known = inspect.signature(BY_NAME[verb]).parameters
        assert {option, *others.split()} - {".toml"} <= set(known), (verb, option)


def test_every_option_with_a_path_has_a_kind():
    for verb, function in BY_NAME.items():
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
            hint = parameter.annotation
            info = [one for one in get_args(hint) if isinstance(one, OptionInfo)]
            metavar = str(info[0].metavar or "") if info else ""
            is_path = "Path" in str(get_args(hint)[:1] or hint) or "FILE" in metavar
            assert not is_path or name in PLACES[verb], f"{verb} {name} names a path without a kind"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{n % 5},{'mf'[n % 2]},{n % 3}\n" for n in range(60))
    Path("people.csv").write_text("age,sex,area\n" + rows)
    return tmp_path


PROJECT = """
[data]
file = "people.csv"
[variables.age]
role = "key"
[variables.sex]
role = "key"
[release]
k = 2
confirmed = true
method = "suppress"
out = "rel"
[publish]
area = "area"
method = "round"
out = "{out}"
[tables.one]
dimensions = [{dimensions}]
"""


@pytest.mark.parametrize(
    ("out", "dimensions", "words"),
    [
        ("rel", '"age"', "two things"),
        ("rel/x", '"age"', "two things"),
        ("there", '"age"', "exists already"),
        ("tab", '"age:0"', "age:0"),
        ("tab", '"nosuch"', "nosuch"),
        ("nowhere/tab", '"age"', "does not exist"),
    ],
)
def test_what_is_wrong_with_tables_is_told_before_the_release(
    folder, out, dimensions, words, capfd
):
    Path("there").mkdir()
    Path("there/x").write_text("here")
    Path("release.toml").write_text(PROJECT.format(out=out, dimensions=dimensions))
    before = sorted(map(str, Path().rglob("*")))
    assert run(["run", "release.toml"]) == 2
    assert words in capfd.readouterr().err
    assert sorted(map(str, Path().rglob("*"))) == before


def test_two_runs_with_one_place_for_tables(folder, capfd):
    Path("release.toml").write_text(PROJECT.format(out="tab", dimensions='"age"'))
    assert run(["run", "release.toml"]) in (0, 1)
    capfd.readouterr()
    before = sorted(map(str, Path().rglob("*")))
    assert run(["run", "release.toml", "--out", "rel2"]) == 2
    assert "tab exists already" in capfd.readouterr().err
    assert sorted(map(str, Path().rglob("*"))) == before


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("risk --population people.csv --sample-fraction .5 --out f.csv --key age", "--out"),
        ("risk --population people.csv --sample-fraction .5 --weight nosuch --key age", "--weight"),
        ("risk --population people.csv --sample-fraction .5 --fraction 2 --key age", "--fraction"),
        ("tables people.csv --area area --table age --out o --per-person x.exe", "must end in"),
        ("tables people.csv --area area --table age --accept x", "--out"),
        ("uniques people.csv --key age --identifiers sex", "--pull-out"),
        ("census --people 10 --out c.csv --hierarchies people.csv", "exists already"),
        ("protect people.csv --key age --k 2 --method suppress --out o --shuffle sex", "--shuffle"),
        ("protect people.csv --key age --k 2 --method blank --out o --max-drop 3", "--max-drop"),
        ("protect people.csv --key age --k 2 --method suppress --out o --secret s", "--secret"),
        ("protect people.csv --key age --k 2 --compare --plan people.csv", "--plan"),
        ("protect people.csv --key age --k 2 --map --method suppress", "--method"),
        ("protect people.csv --key age --plan people.csv --method suppress --out o", "--method"),
        ("run release.toml --register people.csv --pdf --sign people.csv", "--register"),
    ],
)
def test_the_cases_that_were_ignored(folder, command, words, capfd):
    tables = PROJECT.format(out="tab", dimensions='"age"')
    start, end = tables.index("[release]"), tables.index("[publish]")
    Path("release.toml").write_text(tables[:start] + tables[end:])
    before = sorted(Path().iterdir())
    assert run(shlex.split(command)) == 2
    said = capfd.readouterr().err
    assert words in said
    assert "fault" not in said
    assert sorted(Path().iterdir()) == before


def test_quasi_identifiers_make_the_key(folder):
    asked = "--quasi-identifier age,sex --quasi-identifier area --k 2 --method datafly --out o"
    assert run(["protect", "people.csv", *asked.split()]) in (0, 1)
    assert Path("o/certificate.json").is_file()


def test_a_release_is_not_nested_in_another(folder, capfd):
    asked = "--key age,sex --k 2 --method suppress --out".split()
    assert run(["protect", "people.csv", *asked, "relA"]) == 0
    for place in ("relA/x.csv", "relA/private/x", "relA/x"):
        assert run(["protect", "people.csv", *asked, place]) == 2
        assert "release folder" in capfd.readouterr().err


def test_a_long_purpose_is_refused_at_once(folder, capfd):
    text = PROJECT.format(out="tab", dimensions='"age"')
    Path("release.toml").write_text(
        text.replace("[release]", f'[release]\npurpose = "{"x" * 20_000_000}"')
    )
    assert run(["run", "release.toml"]) == 2
    assert "bytes" in capfd.readouterr().err


def test_a_plan_of_unknown_steps_is_told_briefly(folder, capfd):
    steps = ",".join('{"kind": "nosuch"}' for _ in range(20_000))
    Path("plan.json").write_text(f'{{"version": 1, "steps": [{steps}]}}')
    assert run(shlex.split("protect people.csv --key age --k 2 --plan plan.json --out o")) == 2
    assert len(capfd.readouterr().err) < 2_000
