"""What a demo replaces: an earlier one as it was written, and nothing that somebody did in it."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from indistinct.core.errors import InputError
from indistinct.demo import is_demo, making


@pytest.fixture
def demo(tmp_path):
    folder = tmp_path / "demo"
    for name in ("summary.md", "release.toml", "private/flagged.csv", "letters/1.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} of the demo")
    (folder / "release" / "private").mkdir(parents=True)
    (folder / "release" / "private" / "audit.jsonl").write_text("{}\n")
    (folder / "demo.json").write_text(json.dumps(making._files(folder)))
    return folder


def test_a_demo_as_it_was_written_is_known(demo):
    assert is_demo(demo)
    for name in ("audit.jsonl", "audit.jsonl.head", "report.html", "report.json"):
        (demo / "release" / "private" / name).write_text("written by a verb")
    assert is_demo(demo)


@pytest.mark.parametrize(
    "name",
    ["mine.csv", "private/mine.csv", "letters/2.txt", "release.toml", "letters/1.txt", ".hidden"],
)
def test_what_somebody_wrote_in_it_makes_it_theirs(demo, name):
    (demo / name).write_text("hours of work")
    assert not is_demo(demo)
    with pytest.raises(InputError, match="not empty"):
        making.run_demo(demo, people=1000)
    assert (demo / name).read_text() == "hours of work"


@pytest.mark.parametrize("change", ["folder", "link", "removed", "pipe", "no list", "no JSON"])
def test_any_other_change_makes_it_theirs(demo, change):
    match change:
        case "folder":
            (demo / "letters" / "mine").mkdir()
        case "link":
            (demo / "letters" / "mine").symlink_to("/")
        case "removed":
            shutil.rmtree(demo / "letters")
        case "pipe":
            os.mkfifo(demo / "mine")
        case "no list":
            (demo / "demo.json").unlink()
        case "no JSON":
            (demo / "demo.json").write_text("[" * 100_000)
    assert not is_demo(demo)
