"""Nothing is overwritten: not an input of the run by any name, nor what exists without a word.

Over every verb and every option that names something to write, found from the verbs' declarations;
and over the whole source, which has no other way to write than the doors.
"""

from __future__ import annotations

import ast
import os
import re
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from verbs import PLACES, World, needed, options, pairs

import indistinct
from indistinct import open_data
from indistinct.census import write_census
from indistinct.cli import run
from indistinct.cli.places import (
    DataPlace,
    HierarchyPlace,
    KeptFile,
    LettersPlace,
    OutputFile,
    OutputFolder,
    PageFile,
    PlaceKind,
    ProjectFile,
    ReleasePlace,
)
from indistinct.core import doors
from indistinct.core.doors import watch as watch_module
from indistinct.core.doors.going import name_aside
from indistinct.core.errors import IndistinctError, InputError
from indistinct.query.log import Log
from indistinct.release import AuditTrail

PACKAGE = Path(indistinct.__file__).parent
FOREIGN = [
    b"a first line\nand a last one without an end",
    b'{"log":{"version":"1.2","entries":[1,2,3]}}',
    b'{"log": "of the ship"}',
    b'{"data":[{"id":1},{"id":2}]}',
    b'{"data":{"id":1}}',
    b'{"data":{"name":"Ann","hash":"12"}}',
    b'{"version": 1}',
    b"\xff\x00\xfe",
]
"""What somebody may have written, some of it much like what the program keeps."""


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def renamed(path: Path, like: Path, how: str) -> Path:
    """Return another name of a file, with the ending that the option wants."""
    other = path.parent / f"other-name{like.suffix or path.suffix}"
    if how == "itself":
        return path
    if how == "hard link":
        os.link(path, other)
    elif how == "link":
        other.symlink_to(path)
    else:
        return path.parent / "." / ".." / path.parent.name / path.name
    return other


@pytest.mark.parametrize("how", ["itself", "hard link", "link", "roundabout"])
@pytest.mark.parametrize(("verb", "read", "written"), list(pairs()))
def test_an_input_is_never_written_over(world, verb, read, written, how):
    kind = PLACES[verb][written]
    target = renamed(world.file_of(PLACES[verb][read]), world.sample(kind, written), how)
    before = world.bytes()
    given = {
        **needed(verb, read, world),
        **needed(verb, written, world),
        read: world.sample(PLACES[verb][read], read),
        written: target,
    }
    more = ["--overwrite"] if kind.may_replace else []
    assert world.tried(verb, *more, **given), f"{verb} --{written} over its --{read}"
    assert world.bytes() == before


@pytest.mark.parametrize(("verb", "option"), options(OutputFile))
def test_what_exists_is_not_replaced_without_a_word(world, verb, option):
    kind = PLACES[verb][option]
    target = world.sample(kind, option)
    target.write_text("somebody's work")
    given = {**needed(verb, option, world), option: target}
    refused = world.tried(verb, **given)
    if isinstance(kind, KeptFile):  # it would be added to, and is none of ours
        assert refused is not None
    else:
        assert "exists already" in refused or "would be replaced" in refused
    if kind.may_replace:
        assert world.tried(verb, "--overwrite", **given) is None
    assert target.read_text() == "somebody's work"


@pytest.mark.parametrize("content", FOREIGN)
@pytest.mark.parametrize(("verb", "option"), options(KeptFile))
def test_what_is_none_of_ours_is_not_kept_on(world, verb, option, content):
    target = world.sample(PLACES[verb][option], option)
    target.write_bytes(content)
    target.chmod(0o600)
    assert world.tried(verb, **{**needed(verb, option, world), option: target})
    assert target.read_bytes() == content


@pytest.mark.parametrize("content", FOREIGN)
def test_nothing_foreign_is_added_to_or_cut(tmp_path, content):
    target = tmp_path / "somebody's"
    target.write_bytes(content)
    with pytest.raises(IndistinctError):
        AuditTrail(target).append("verify")
    log = Log(target, records="0" * 64, bound=None)
    with pytest.raises(InputError, match="is not a log of questions"), log.open():
        pass
    assert target.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_what_is_ours_is_mended_wherever_it_was_cut(tmp_path):
    trail = AuditTrail(tmp_path / "trail")
    trail.append("verify", data={'it\'s "ours" ü.csv': "ab" * 32, "b.csv": "12" * 32})
    log = Log(tmp_path / "log", records="0" * 64, bound=None)
    with log.open() as asked:
        asked.add("Ann", "select", (), answered=True)
    for path, again in ((trail.path, lambda: trail.append("verify")), (log.path, None)):
        whole = path.read_bytes()
        first = whole.index(b"\n") + 1
        for length in range(first):
            path.write_bytes(whole[:length])
            trail.head_path.unlink(missing_ok=True)
            if again:
                again()
            else:
                with log.open():
                    pass
            assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("content", FOREIGN)
def test_a_project_adds_to_no_trail_that_is_none(world, content):
    (world.folder / "mine").write_bytes(content)
    with (world.folder / "release.toml").open("a") as file:
        file.write('[release]\naudit = "mine"\n')
    for verb, option in options(ProjectFile, DataPlace):
        given = {**needed(verb, option, world), option: world.folder / "release.toml"}
        assert "is not an audit trail" in (world.tried(verb, **given) or ""), (verb, option)
    assert (world.folder / "mine").read_bytes() == content


def test_a_head_without_its_trail_makes_no_trail(tmp_path):
    (tmp_path / "trail.head").write_text("somebody's work")
    with pytest.raises(IndistinctError):
        AuditTrail(tmp_path / "trail").append("verify")
    assert [path.name for path in tmp_path.iterdir()] == ["trail.head"]


INTO_FOLDERS = [
    (verb, read, written)
    for verb, read, written in pairs()
    if isinstance(PLACES[verb][read], HierarchyPlace | LettersPlace)
]


@pytest.mark.parametrize("how", ["itself", "inside", "deep inside"])
@pytest.mark.parametrize(("verb", "read", "written"), INTO_FOLDERS)
def test_a_folder_that_is_read_is_not_written_into(world, verb, read, written, how):
    folder = world.folder / "read"
    (folder / "deep").mkdir(parents=True)
    name = world.sample(PLACES[verb][written], written).name
    places = {"itself": folder, "inside": folder / name, "deep inside": folder / "deep" / name}
    if how == "itself":
        (folder / "deep").rmdir()  # an empty folder would be taken for a new one
    given = {
        **needed(verb, read, world),
        **needed(verb, written, world),
        read: folder,
        written: places[how],
    }
    assert world.tried(verb, **given), f"{verb} --{written} into its --{read}"


@pytest.mark.parametrize(("verb", "option"), options(OutputFile))
def test_nothing_is_put_into_a_release(world, verb, option):
    kind = PLACES[verb][option]
    target = world.folder / "release" / world.sample(kind, option).name
    refused = world.tried(verb, **{**needed(verb, option, world), option: target})
    assert "release folder" in refused
    deeper = world.folder / "release" / "deep"
    deeper.mkdir()
    refused = world.tried(verb, **{**needed(verb, option, world), option: deeper / target.name})
    assert "release folder" in refused


@pytest.mark.parametrize(("verb", "option"), options(OutputFile))
def test_nor_where_the_folder_above_is_called_like_the_program_s_own(tmp_path, verb, option):
    home = tmp_path / "indistinct-2024-census"
    home.mkdir()
    test_nothing_is_put_into_a_release(World(home), verb, option)


def test_a_folder_that_is_read_is_known_by_its_other_names_too(world, monkeypatch):
    """Where upper and lower case are one, or a folder is mounted twice, paths tell nothing."""
    folder = world.folder / "read"
    folder.mkdir()
    (folder / "a.csv").write_text("41,*\n")
    known = watch_module._identity
    monkeypatch.setattr(
        watch_module, "_identity", lambda path: known(Path(str(path).replace("READ", "read")))
    )
    with doors.watching() as watch:
        watch.note_input(folder, "folder")
        assert watch.what_is_read(world.folder / "READ" / "a.csv") == "lies in the folder"
        assert watch.what_is_read(world.folder / "READ" / "new" / "a.csv") == "lies in the folder"
        assert watch.what_is_read(world.folder / "other") is None


WRITING = set(
    "write_text write_bytes writelines to_csv to_parquet write_table write_feather savez "
    "savez_compressed savefig rename mkdir makedirs touch symlink_to hardlink_to mkdtemp mkstemp "
    "NamedTemporaryFile TemporaryDirectory FileOutputStream".split()
)
OF_OS = {"replace", "link", "symlink", "rename", "renames"}
OWN_GROUND = {
    "core/doors": "the door itself",
    "core/systems.py": "has what was written put on the disk",
    "files/workspaces.py": "makes the workspace, the program's own scratch",
    "files/packed.py": "unpacks into the workspace, the program's own scratch",
    "files/parquet.py": "writes to the file aside that its writer was given",
    "files/statwrite.py": "given a name aside by write_data",
    "engine/spark.py": "parts of a result in the workspace, which workers write",
    "engine/spark_session.py": "the log of Spark in the workspace",
    "engine/cost.py": "what this machine costs, in the user's cache",
    "protect/steps/households/scramble.py": "parts of the records in the workspace",
    "protect/steps/scramble.py": "parts of the records in the workspace",
    "scrub/on_spark.py": "parts of the letters in the workspace",
    "scrub/writing.py": "letters in a folder that was written aside",
    "release/report/pdf.py": "the browser's page in the workspace",
    "release/locking.py": "adds to a trail that the door has checked",
    "release/origin.py": "given the folder aside by write_release",
    "tables/publishing/numbers.py": "given the folder aside by write_folder",
    "demo": "all of it in a folder that was written aside",
    "query/kept.py": "the program's own folder beside the data",
    "query/profiles.py": "versions of the recipients, in the program's own folder",
    "release/sealing.py": "a folder that is written aside",
    "cli/faults.py": "the private file of a crash",
    "workbench/desk.py": "makes the private folder beside a project",
    "workbench/history.py": "makes a folder in the private folder beside a project",
    "workbench/store.py": "makes a folder in the private folder beside a project",
    "workbench/tabling.py": "makes a folder in the private folder beside a project",
    "workbench/screens/proving.py": "makes a folder in the private folder beside a project",
    "workbench/trees.py": "makes the project's folder of hierarchies",
    "workbench/lettering.py": "scratch of a job, gone when it ends",
    "workbench/working.py": "the pipe to the server that started a job",
}


def is_writing(call: ast.Call) -> bool:
    """Say whether a call writes to a file, or makes one or a folder."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if ast.unparse(function) == "formatter.write_text":  # of the help
        return False
    of_os = isinstance(function, ast.Attribute) and ast.unparse(function.value) in ("os", "shutil")
    if name in WRITING or (of_os and name in OF_OS):
        return True
    if name not in ("open", "OSFile", "fdopen") or "devnull" in ast.unparse(call):
        return False
    if re.search(r"O_(WRONLY|RDWR|CREAT)", ast.unparse(call)):
        return True
    words = [one.value for one in ast.walk(call) if isinstance(one, ast.Constant)]
    modes = [one for one in words if isinstance(one, str) and re.fullmatch("[rwaxbt+]{1,3}", one)]
    return any(set(mode) & set("wax+") for mode in modes)


def names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def names_of_what_is_aside(tree: ast.AST) -> set[str]:
    """Return `aside`, and what is made from it: ``private = aside / "private"``."""
    known = {"aside"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and names_in(node.value) & known:
            known |= {one.id for one in node.targets if isinstance(one, ast.Name)}
        if isinstance(node, ast.withitem) and names_in(node.context_expr) & known:
            known |= names_in(node.optional_vars) if node.optional_vars else set()
    return known


def test_there_is_no_other_way_to_write():
    found = []
    for module in sorted(PACKAGE.rglob("*.py")):
        name = module.relative_to(PACKAGE).as_posix()
        if any(name == place or name.startswith(f"{place}/") for place in OWN_GROUND):
            continue
        tree = ast.parse(module.read_text())
        for function in ast.walk(tree):
            if not isinstance(function, (ast.FunctionDef, ast.Module)):
                continue
            known = names_of_what_is_aside(function)
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and is_writing(node) and not names_in(node) & known:
                    found.append(f"{name}:{node.lineno} {ast.unparse(node.func)}")
    assert not found, f"written past the doors: {sorted(set(found))}"


def test_the_list_of_own_ground_is_not_longer_than_it_must_be():
    for place in OWN_GROUND:
        modules = [PACKAGE / place] if place.endswith(".py") else (PACKAGE / place).rglob("*.py")
        calls = [n for m in modules for n in ast.walk(ast.parse(m.read_text()))]
        assert any(isinstance(node, ast.Call) and is_writing(node) for node in calls), place


@pytest.fixture
def private(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text("name,age,sex\n" + "".join(f"P{n},{n % 5},m\n" for n in range(40)))
    return Path("mine.csv")


@pytest.mark.parametrize(
    "command",
    [
        "uniques mine.csv --key age,sex --out mine.csv",
        "uniques mine.csv --key age,sex --pull-out mine.csv --identifiers name",
        "risk mine.csv --key age,sex --fraction 0.1 --out mine.csv",
        "utility mine.csv mine.csv --out mine.csv",
        'query mine.csv "select count(*) from data" --out mine.csv',
        "tables mine.csv --area sex --table age --per-person mine.csv",
        "tables mine.csv --area sex --table age --plot mine.csv",
        "tables mine.csv --area sex --table age --plot link.svg",
        "census --people 10 --out mine.csv",
        "census --people 10 --out c.csv --register mine.csv",
        "census --people 10 --out c.csv --hierarchies mine.csv",
        "utility release.toml mine.csv --out release.toml",
        "utility release.toml mine.csv --out release.toml --overwrite",
        "scrub mine.csv --columns name --out o --spans mine.csv --overwrite",
    ],
)
def test_the_cases_that_were_seen(private, command, capfd):
    import shlex

    Path("release.toml").write_text('[data]\nfile = "mine.csv"\n')
    os.link("mine.csv", "link.svg")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert run(shlex.split(command)) == 2
    assert {path: path.read_bytes() for path in Path().iterdir()} == before
    assert "fault" not in capfd.readouterr().err


def test_python_s_own_way_out_is_the_same_door(private):
    with open_data("mine.csv") as data:
        found = data.uniques(["age", "sex"], k=3)
        for path in ("mine.csv", "./mine.csv"):
            with pytest.raises(InputError, match="never written over"):
                found.write(path, overwrite=True)
        found.write("new.csv")
        with pytest.raises(InputError, match="exists already"):
            found.write("new.csv")
        found.write("new.csv", overwrite=True)
        data.write("copy.csv")
    with pytest.raises(InputError, match="exists already"):
        write_census("mine.csv", people=10, seed=1)
    assert private.read_text().startswith("name,age,sex\nP0")


def test_what_a_killed_run_left_is_removed_by_the_next_and_said(private, capfd):
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    dead = [Path(f".new.csv.indistinct-{gone.pid}-0123abcd.part"), Path("mine.csv.part")]
    dead[0].write_text("half of it")
    dead[1].write_text("somebody's own")
    folder = Path(f".out.indistinct-{gone.pid}-0123abcd")
    folder.mkdir(mode=0o700)
    (folder / "data.csv").write_text("half")
    alive = name_aside(Path("new.csv").resolve(), file=True)
    alive.write_text("being written")
    assert run(["uniques", "mine.csv", "--key", "age,sex", "--out", "new.csv"]) == 0
    assert "left in" in capfd.readouterr().err
    assert not dead[0].exists()
    assert not folder.exists()
    assert dead[1].exists()
    assert alive.exists()


@pytest.mark.parametrize(("verb", "option"), options(PlaceKind))
def test_any_verb_removes_what_was_left_beside_what_it_names(world, verb, option, capfd):
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    kind = PLACES[verb][option]
    named = world.sample(kind, option)
    rooms = {named.parent, named} if named.is_dir() else {named.parent}
    if isinstance(kind, ReleasePlace):
        (named / "private").mkdir()
        rooms.add(named / "private")
    left = [room / f".x.indistinct-{gone.pid}-0123abcd.part" for room in rooms]
    for path in left:
        path.write_text("half of it")
    assert world.tried(verb, **{**needed(verb, option, world), option: named}) is None
    assert not [path for path in left if path.exists()]
    assert capfd.readouterr().err.count("left in") == len(rooms)


def test_what_is_refused_removes_nothing(world):
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    left = world.folder / f".x.indistinct-{gone.pid}-0123abcd.part"
    left.write_text("half of it")
    assert world.tried("uniques", data=world.folder / "nosuch.csv")
    assert left.exists()


def test_a_kill_in_the_middle_leaves_nothing_after_the_next_run(private):
    program = (
        "import sys, time\nfrom indistinct.core.doors import written_whole\n"
        "with written_whole('new.csv') as aside:\n"
        "    aside.write_text('half')\n    print('now', flush=True)\n    time.sleep(60)\n"
    )
    writing = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert writing.stdout is not None
    writing.stdout.readline()
    assert run(["uniques", "mine.csv", "--key", "age,sex", "--out", "other.csv"]) == 0
    assert list(Path().glob(".new.csv*")), "a running one's is not touched"
    writing.kill()
    writing.wait()
    time.sleep(0.01)
    assert run(["uniques", "mine.csv", "--key", "age,sex", "--out", "third.csv"]) == 0
    assert not list(Path().glob(".*"))


def test_what_is_said_to_be_unwritten_is_not_there(private, monkeypatch, capfd):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("indistinct.census.hierarchies.hierarchy_rows", full)
    code = run(["census", "--people", "50", "--out", "c.csv", "--hierarchies", "h"])
    said = capfd.readouterr().err
    assert code == 2
    assert Path("c.csv").exists()
    assert "c.csv was written" in said
    assert "othing was written" not in said
    assert not Path("h").exists()


def test_private_lists_are_their_owner_s_alone(private):
    asked = ["--pull-out", "who.csv", "--identifiers", "name"]
    assert run(["uniques", "mine.csv", "--key", "age,sex", "--k", "99", *asked]) == 0
    assert stat.S_IMODE(Path("who.csv").stat().st_mode) == 0o600


def test_a_list_of_nobody_can_be_pulled_out(private):
    asked = ["--pull-out", "who.csv", "--identifiers", "name"]
    assert run(["uniques", "mine.csv", "--key", "sex", "--k", "2", *asked]) == 0
    assert Path("who.csv").read_text() == "record,frequency,case,name\n"


def test_folders_and_pages_have_no_overwrite():
    for verb, option in options(OutputFolder, PageFile, KeptFile):
        assert not PLACES[verb][option].may_replace
