"""Folders of tables and of letters have certificates too, and `verify` checks every byte."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import indistinct
from indistinct.cli import run
from indistinct.core.errors import InputError
from indistinct.flow.verifying import verify_release
from indistinct.release import Certificate, check_folder, file_digest, kind_of_folder
from indistinct.scrub import scrub
from indistinct.tables.publishing import Asked, publish_tables

PEOPLE = {"county": ["a", "b"] * 60, "sex": ["f", "f", "m"] * 40}


@pytest.fixture(scope="module")
def sealed(tmp_path_factory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("sealed")
    with indistinct.open_data(PEOPLE) as data:
        asked = Asked.of_texts(
            ["sex"], area="county", method="random-round", seed=1, out=place / "t"
        )
        publish_tables(data, asked)
    (place / "a.txt").write_text("Mrs Ann Lee came.")
    (place / "b.txt").write_text("Nobody came.")
    scrub([place / "a.txt", place / "b.txt"], out=place / "s", seed=1)
    return {"tables": place / "t", "letters": place / "s"}


@pytest.fixture(params=["tables", "letters"])
def folder(sealed, tmp_path, request) -> Path:
    return shutil.copytree(sealed[request.param], tmp_path / request.param)


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def noticed(folder: Path) -> bool:
    try:
        return not check_folder(folder).whole
    except InputError:
        return True


def test_what_nobody_changed_is_whole(folder, capfd):
    assert check_folder(folder).findings == ()
    assert kind_of_folder(folder) == folder.name
    assert run(["verify", str(folder), "--accept", "text-scrubbed"]) == 0
    capfd.readouterr()


def test_scrubbed_letters_are_never_green_unasked(sealed, capfd):
    assert run(["verify", str(sealed["letters"])]) == 1
    assert "--accept text-scrubbed" in capfd.readouterr().err


def test_options_for_records_are_refused(folder, capfd):
    assert run(["verify", str(folder), "--k", "3", "--key", "age"]) == 2
    assert "--key, --k" in capfd.readouterr().err
    with pytest.raises(InputError, match="no records"):
        verify_release(folder)


def test_every_change_of_a_file_is_noticed(folder, tmp_path, capfd):
    for number, path in enumerate(files_of(folder)):
        raw = path.read_bytes()
        for changed in (b"", raw + b" ", raw[:-1], b"x" + raw[1:]):
            path.write_bytes(changed)
            assert noticed(folder), (path, changed[:20])
        assert run(["verify", str(folder)]) in (1, 2)
        path.unlink()
        assert noticed(folder), path
        os.mkfifo(path)
        assert noticed(folder), path
        path.unlink()
        elsewhere = tmp_path / f"elsewhere-{number}"
        elsewhere.write_bytes(raw)
        path.symlink_to(elsewhere)
        assert noticed(folder), path
        path.unlink()
        path.write_bytes(raw)
        assert not noticed(folder)
    (folder / "more.txt").write_text("x")
    assert noticed(folder)
    capfd.readouterr()


def test_tables_written_anew_are_told_from_the_ledger(sealed, tmp_path):
    folder = shutil.copytree(sealed["tables"], tmp_path / "tables")
    table = next((folder / "tables").iterdir())
    table.write_text(table.read_text().replace("f", "m"))
    content = Certificate.read(folder / "certificate.json").to_dict()
    content["files"][f"tables/{table.name}"] = file_digest(table)
    rewritten = Certificate(content).signed(None)
    (folder / "certificate.json").write_bytes(rewritten.to_bytes())
    assert "ledger.json knows another files" in check_folder(folder).findings[0]
    shutil.rmtree(folder / "private")
    assert check_folder(folder).whole  # as the documentation says: nothing shows it but a ledger
    kept = sealed["tables"] / "private" / "ledger.json"
    assert not check_folder(folder, ledger=kept).whole


def test_a_certificate_that_lists_what_is_outside_is_broken(folder):
    path = folder / "certificate.json"
    content = Certificate.read(path).to_dict()
    content["files"]["../a.txt"] = "0" * 64
    path.write_bytes(Certificate(content).signed(None).to_bytes())
    assert any("../a.txt" in finding for finding in check_folder(folder).findings)


def test_letters_do_not_take_the_names_of_the_folders_own_parts(tmp_path):
    (tmp_path / "in" / "private").mkdir(parents=True)
    (tmp_path / "in" / "private" / "a.txt").write_text("Mrs Ann Lee came.")
    scrub(tmp_path / "in", out=tmp_path / "out", seed=1, keep_names=True)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "about.md", "certificate.json", "letter-000001.txt",
    ]  # fmt: skip
    assert check_folder(tmp_path / "out").whole
