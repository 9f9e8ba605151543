"""A thousand changes of folders that were released: `verify` notices every one, and never fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fuzz_files import Spoilt, spoil, spoilt
from fuzz_place import make_place
from fuzz_running import Place, Runner, cases
from hypothesis import assume, given
from hypothesis import strategies as st

pytestmark = pytest.mark.heavy

FOLDERS = ("rel", "tab", "scr")
ACCEPT = ["--brief", "--accept", "text-scrubbed"]


@pytest.fixture(scope="module")
def runner(tmp_path_factory) -> Iterator[Runner]:
    folder = tmp_path_factory.mktemp("folders")
    place = Place(make_place(folder / "pristine"), folder / "place")
    runner = Runner(place, folder / "scratch")
    yield runner
    runner.close()


def remove(path: Path, other: Path) -> None:
    path.unlink()


def rename(path: Path, other: Path) -> None:
    path.rename(path.with_name(f"{path.name}.old"))


def copy(path: Path, other: Path) -> None:
    shutil.copy(path, path.with_name(f"copy of {path.name}"))


def empty(path: Path, other: Path) -> None:
    path.write_bytes(b"")


def link(path: Path, other: Path) -> None:
    elsewhere = path.parents[2] / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def folder(path: Path, other: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe(path: Path, other: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def exchange(path: Path, other: Path) -> None:
    one, two = path.read_bytes(), other.read_bytes()
    path.write_bytes(two)
    other.write_bytes(one)


def add(path: Path, other: Path) -> None:
    (path.parent / ".hidden").write_bytes(b"x")


def nest(path: Path, other: Path) -> None:
    shutil.copytree(path.parent, path.parent / "inner")


def endless(path: Path, other: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


CHANGES: dict[str, Callable[[Path, Path], None]] = {
    change.__name__: change
    for change in (remove, rename, copy, empty, link, folder, pipe, exchange, add, nest, endless)
}


def test_folders_that_nobody_changed_are_whole(runner):
    for name in FOLDERS:
        answer = runner.run(["verify", name, *ACCEPT])
        assert answer.code == 0, answer.err
    runner.place.restore()


@cases(200, long=10_000)
@given(data=st.data(), how=st.one_of(spoilt(), spoilt(), st.sampled_from(sorted(CHANGES))))
def test_every_change_of_a_folder_is_noticed(runner, data, how: Spoilt | str):
    name = data.draw(st.sampled_from(FOLDERS))
    inside = runner.place.folder / "work" / name
    files = sorted(path for path in inside.rglob("*") if path.is_file())
    path, other = data.draw(st.sampled_from(files)), data.draw(st.sampled_from(files))
    try:
        if isinstance(how, str):
            assume(how != "exchange" or path.read_bytes() != other.read_bytes())
            CHANGES[how](path, other)
        else:
            raw = path.read_bytes()
            changed = spoil(raw, how)
            assume(changed != raw)
            path.write_bytes(changed)
        answer = runner.run(["verify", name, *ACCEPT])
        what = f"{path.relative_to(inside)}: {how}"
        assert answer.code in (1, 2), (what, answer.code, answer.err[-500:])
        assert "fault of its own" not in answer.said, (what, answer.err)
    finally:
        runner.place.restore()
