"""Checking a folder: what is missing, what comes from elsewhere, and a recipient's copy."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from indistinct.core.errors import GuaranteeError, InputError
from indistinct.release import Certificate, check_folder


@pytest.fixture
def folder(release, tmp_path):
    return release(tmp_path / "out", format="csv").folder


@pytest.mark.parametrize(
    "name",
    [
        "data.csv", "methodology.md", "contract.md", "certificate.json", "private/plan.json",
        "private/ledger.json", "private/audit.jsonl", "private/audit.jsonl.head",
    ],
)  # fmt: skip
def test_a_missing_part_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(InputError, match="data.csv" if name == "data.csv" else name) as caught:
        check_folder(folder)
    assert caught.value.exit_code == 2


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="There is no release folder"):
        check_folder(tmp_path / "out")


def test_findings_are_told_together_as_one_error(folder):
    (folder / "data.csv").write_text("other")
    (folder / "contract.md").write_text("other")
    (folder / "extra.txt").write_text("x")
    checked = check_folder(folder)
    assert checked.findings == (
        "data.csv was changed",
        "contract.md was changed",
        "extra.txt does not belong here",
    )
    assert "CHANGED" in repr(checked)
    with pytest.raises(GuaranteeError, match=r"data\.csv was changed") as caught:
        checked.refuse_changes()
    assert caught.value.exit_code == 1


def test_a_recipients_copy_has_no_private_part(folder):
    shutil.rmtree(folder / "private")
    for checked in (check_folder(folder), check_folder(folder, recipient=True)):
        assert checked.whole
        assert not checked.private
        assert any("private part is absent" in note for note in checked.notes)
    (folder / "data.csv").write_text("other")
    assert not check_folder(folder, recipient=True).whole


def test_a_recipient_is_told_of_a_private_part_that_should_not_be_there(folder):
    (folder / "private" / "plan.json").unlink()
    checked = check_folder(folder, recipient=True)
    assert checked.whole
    assert any("must not leave" in note for note in checked.notes)


def test_a_colleague_who_may_not_look_into_private_checks_the_rest(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    checked = check_folder(folder)
    assert checked.whole
    assert not checked.private


def test_a_private_part_that_others_can_read_is_noted(folder):
    (folder / "private").chmod(0o755)
    assert any("chmod 700" in note for note in check_folder(folder).notes)


def other_version(folder, **fields):
    path = folder / "certificate.json"
    content = {**Certificate.read(path).to_dict(), **fields}
    path.write_bytes(Certificate(content).signed(None).to_bytes())


def test_another_version_of_the_program_is_refused_unless_told(folder):
    other_version(folder, version="0.0.9")
    with pytest.raises(InputError, match=r"0\.0\.9.*verify the release again"):
        check_folder(folder)
    checked = check_folder(folder, any_version=True, recipient=True)
    assert checked.whole
    assert any("0.0.9" in note for note in checked.notes)


@pytest.mark.parametrize("form", [1, 3, True, "2", None])
def test_another_format_is_refused_always(folder, form):
    other_version(folder, format=form)
    with pytest.raises(InputError, match="this program reads format 2"):
        check_folder(folder, any_version=True)


def test_a_released_file_of_another_format_beside_the_one_certified(folder):
    (folder / "data.parquet").write_bytes(b"PAR1")
    checked = check_folder(folder)
    assert checked.data.name == "data.csv"
    assert checked.findings == ("data.parquet does not belong here",)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"NaN"])
def test_what_is_no_certificate_is_a_finding(folder, raw):
    (folder / "certificate.json").write_bytes(raw)
    checked = check_folder(folder)
    assert "is not a certificate" in checked.findings[0]
    assert checked.certificate is None


def test_what_is_checked_becomes_a_dict(folder):
    content = check_folder(folder).to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["certificate"]["proved"] is True
