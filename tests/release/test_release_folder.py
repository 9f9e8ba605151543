"""The release folder: its parts, what they tell and do not tell, and that it is whole or absent."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest
from small_release import FAILS, HOLDS, PEOPLE, SEED, TERMS

import indistinct
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.files import open_data
from indistinct.protect import Plan
from indistinct.prove import Register, verify
from indistinct.release import (
    AuditTrail,
    Certificate,
    PublicKey,
    SigningKey,
    Terms,
    attacked_with,
    canonical,
    check_folder,
    file_digest,
    sign,
    told_verdict,
)

PUBLIC = {"contract.md", "certificate.json", "methodology.md", "codebook.html", "codebook.xml"}
PRIVATE = {"private/plan.json", "private/ledger.json", "private/audit.jsonl"}


def names(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("format", "suffix"),
    [("parquet", "parquet"), ("csv", "csv"), ("stata", "dta"), ("spss", "sav")],
)
def test_every_part_is_written_and_checked(release, tmp_path, format, suffix):
    written = release(tmp_path / "out", format=format)
    folder = tmp_path / "out"
    expected = PUBLIC | PRIVATE | {f"data.{suffix}", "private/audit.jsonl.head"}
    assert names(folder) == expected
    assert written.proved
    checked = check_folder(folder)
    assert (checked.whole, checked.private, checked.data) == (True, True, written.data)
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o700
    assert Plan.load(written.plan).steps[0].kind == "generalise"
    assert open_data(written.data, workspace=tmp_path).records == 12


def test_private_is_closed_whatever_the_umask(release, tmp_path):
    before = os.umask(0)
    try:
        release(tmp_path / "out")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out" / "private").stat().st_mode) == 0o700


def test_hashes_in_the_certificate_are_those_of_the_files(release, tmp_path):
    release(tmp_path / "out", format="csv")
    content = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert next(iter(content)) == "proved"
    for name in ("data.csv", "methodology.md", "contract.md"):
        raw = (tmp_path / "out" / name).read_bytes()
        assert content["files"][name] == hashlib.sha256(raw).hexdigest()
    ledger = (tmp_path / "out" / "private" / "ledger.json").read_bytes()
    assert content["ledger"] == hashlib.sha256(ledger).hexdigest()
    assert content["version"] == indistinct.__version__
    assert content["verdict"]["witnesses"] == 0
    assert content["attacked_with"] == HOLDS["checked"]
    assert dt.datetime.fromisoformat(content["created"]).utcoffset() == dt.timedelta(0)
    assert content["built_with"]["numpy"] == np.__version__


def test_what_the_recipient_gets_holds_nothing_private(release, plan, tmp_path):
    release(tmp_path / "out", format="csv")
    folder = tmp_path / "out"
    told = "".join((folder / name).read_text() for name in PUBLIC)
    assert str(SEED) not in told
    assert "people.csv" not in told
    assert "7, 11" not in told
    for column in PEOPLE.values():
        assert not any(str(value) in told for value in column if len(str(value)) > 2)
    # a plan this short could be guessed, so nothing may confirm a guess
    for guess in (canonical(plan.to_dict()), (folder / "private" / "plan.json").read_bytes()):
        assert hashlib.sha256(guess).hexdigest() not in told


def test_two_ledgers_of_the_same_release_have_different_hashes(release, tmp_path):
    release(tmp_path / "a")
    release(tmp_path / "b")
    contents = [json.loads((tmp_path / n / "certificate.json").read_text()) for n in "ab"]
    assert contents[0]["ledger"] != contents[1]["ledger"]
    assert contents[0]["audit"]["hash"] != contents[1]["audit"]["hash"]
    assert contents[0]["method"] == contents[1]["method"]
    assert contents[0]["files"] == contents[1]["files"]


def test_the_ledger_keeps_what_the_certificate_relies_on(release, tmp_path):
    release(tmp_path / "out", ledger={"seed": SEED, "salt": "mine", "files": {}})
    ledger = json.loads((tmp_path / "out" / "private" / "ledger.json").read_text())
    assert ledger["seed"] == SEED
    assert len(ledger["salt"]) == 64
    assert list(ledger["files"]) == ["private/plan.json"]


def test_the_prover_gets_the_file_that_was_written(release, tmp_path):
    seen = {}

    def prove(path):
        seen["name"], seen["text"] = path.name, path.read_bytes()
        return HOLDS

    written = release(tmp_path / "out", format="csv", prove=prove)
    assert seen == {"name": "data.csv", "text": written.data.read_bytes()}


@pytest.mark.parametrize("prove", [None, lambda path: FAILS])
def test_what_does_not_hold_is_not_written(release, tmp_path, prove):
    with pytest.raises(GuaranteeError, match="Nothing was written"):
        release(tmp_path / "out", prove=prove)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("prove", [None, lambda path: FAILS])
def test_what_does_not_hold_says_so_first_when_it_is_written(release, tmp_path, prove):
    written = release(tmp_path / "out", prove=prove, although_unproved=True)
    assert not written.proved
    assert "does not hold" in repr(written)
    assert written.certificate.read_text().startswith('{\n  "proved": false,')
    checked = check_folder(written.folder)
    assert checked.whole
    assert any("not proved" in note for note in checked.notes)


def test_a_verdict_that_names_witnesses_is_a_fault(release, tmp_path):
    for wrong in ({"witnesses": ["Ann"]}, {"extra": 1}, {"holds": 1},
                  {"checked": [{"role": "private", "sha256": "0" * 64}]}):  # fmt: skip
        with pytest.raises(ValueError, match=r"witnesses|fields|holds|private"):
            release(tmp_path / "out", prove=lambda path, wrong=wrong: {**HOLDS, **wrong})
    assert list(tmp_path.iterdir()) == []


def test_the_private_file_is_neither_named_nor_hashed(tmp_path):
    (tmp_path / "voters.csv").write_text("age\n1\n")
    told = attacked_with(tmp_path / "voters.csv", role="register", records=1)
    assert told["sha256"] == file_digest(tmp_path / "voters.csv")
    assert told["name"] == "voters.csv"
    assert attacked_with("secret.csv", role="private", records=9) == {
        "role": "private",
        "records": 9,
    }


def test_a_verification_becomes_a_verdict_that_may_be_told(release, engine, tmp_path):
    register = tmp_path / "voters.csv"
    register.write_text("age,sex\n" + "21,f\n22,m\n31,f\n32,m\n" * 3)

    def prove(path):
        people = open_data(register, workspace=tmp_path)
        found = verify(
            engine, open_data(path, workspace=tmp_path), ["age", "sex"], k=2,
            registers=[Register(people, people.origin)],
        )  # fmt: skip
        return told_verdict(found, files={people.origin: register})

    written = release(tmp_path / "out", prove=prove)
    content = Certificate.read(written.certificate).content
    assert (content["proved"], content["verdict"]["verdict"]) == (True, "k-map")
    assert content["verdict"]["k"] == 3
    assert content["attacked_with"] == [attacked_with(register, role="register", records=12)]
    assert str(tmp_path) not in written.certificate.read_text()


STAGES = [
    "write_data", "write_methodology", "write_contract", "_write_ledger", "make_certificate",
    "sync_all", "check_folder", "_put_in_place",
]  # fmt: skip


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_crash_anywhere_leaves_nothing_behind(release, tmp_path, monkeypatch, stage, error):
    def crash(*_args, **_options):
        raise error

    monkeypatch.setattr(f"indistinct.release.folder.{stage}", crash)
    with pytest.raises(error):
        release(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "becomes"),
    [
        (OSError(28, "No space left on device"), InputError),
        (OSError(13, "Permission denied"), InputError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_failing_rename_leaves_nothing_but_a_word_in_the_trail(
    release, tmp_path, monkeypatch, error, becomes
):
    place, really = tmp_path / "out", os.replace

    def replace(old, new):
        if Path(new) == place:
            raise error
        really(old, new)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(becomes):
        release(place, audit=tmp_path / "audit.jsonl")
    assert {p.name for p in tmp_path.iterdir()} == {"audit.jsonl", "audit.jsonl.head"}
    trail = AuditTrail(tmp_path / "audit.jsonl")
    assert [entry.verb for entry in trail] == ["release", "release failed"]
    assert trail.check().whole


def test_a_prover_that_fails_leaves_nothing_behind(release, tmp_path):
    def prove(path):
        raise InputError("There is no register.")

    with pytest.raises(InputError, match="no register"):
        release(tmp_path / "out", prove=prove)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_filled_and_a_full_one_refused(release, tmp_path):
    (tmp_path / "out").mkdir()
    release(tmp_path / "out")
    before = names(tmp_path / "out")
    with pytest.raises(InputError, match="exists already and is not empty"):
        release(tmp_path / "out")
    assert names(tmp_path / "out") == before
    with pytest.raises(InputError, match="does not exist"):
        release(tmp_path / "none" / "out")


def test_files_and_folders_are_synced_before_the_rename(release, tmp_path, monkeypatch):
    synced, really, moved = set(), os.fsync, []

    def fsync(handle):
        if not moved:
            synced.add(os.fstat(handle).st_ino)
        really(handle)

    def put(aside, place, *rest):
        moved.append({p.name: p.stat().st_ino for p in (*aside.rglob("*"), aside)})
        os.replace(aside, place)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr("indistinct.release.folder._put_in_place", put)
    release(tmp_path / "out")
    assert len(moved[0]) == 12
    assert set(moved[0].values()) <= synced


def test_explicit_identifiers_are_refused(release, people, tmp_path):
    with pytest.raises(InputError, match="'name' names people outright"):
        release(tmp_path / "out", source=people, terms=Terms())
    assert list(tmp_path.iterdir()) == []


def test_the_organisation_learns_of_the_release_and_its_certificate(release, tmp_path):
    written = release(tmp_path / "out", audit=tmp_path / "audit.jsonl")
    (entry,) = AuditTrail(tmp_path / "audit.jsonl")
    assert entry.verb == "release"
    assert entry.verdict == "k-map"
    assert entry.data["certificate.json"] == file_digest(written.certificate)
    assert entry.data["data.parquet"] == file_digest(written.data)


def test_the_private_trail_may_grow_after_the_release(release, tmp_path):
    written = release(tmp_path / "out")
    AuditTrail(written.folder / "private" / "audit.jsonl").append("verify", records=[3])
    assert check_folder(written.folder).whole


# the methodology note


def test_the_note_tells_steps_counts_terms_and_labels(release, tmp_path):
    written = release(tmp_path / "out")
    note = written.methodology.read_text()
    for words in (
        "1. Generalise age to level 1 of 2 (bands of 10).",
        "   - `age`: cells changed: 10",
        "2. Swap income between one pair of records named by the holder.",
        "3. Leave out the identifiers name.",
        "**Purpose:** Income by age",
        "**Recipient:** The university",
        "**Access:** semi-private",
        "`age` is generalised; its labels are `20-29`, `30-39`.",
        "stands for the values from 20 to 29, both included",
        "Questions go to The office, data@example.org",
        "suppressed",
    ):
        assert words in note


def test_the_note_has_blanks_where_nothing_is_known(release, tmp_path):
    note = release(tmp_path / "out", terms=Terms()).methodology.read_text()
    assert note.count("__________") == 4


# signatures


def test_a_signed_certificate_is_known_by_its_key(release, tmp_path):
    key = SigningKey.fresh()
    written = release(tmp_path / "out", sign_with=key)
    key.public.save(tmp_path / "holder.pub")
    checked = check_folder(written.folder, signed_by=tmp_path / "holder.pub")
    assert checked.whole
    assert Certificate.read(written.certificate).public_key == key.public
    other = SigningKey.fresh().public
    assert "another key" in check_folder(written.folder, signed_by=other).findings[0]
    assert any(key.public.fingerprint in note for note in check_folder(written.folder).notes)


def test_a_release_can_be_signed_later(release, tmp_path):
    written, key = release(tmp_path / "out"), SigningKey.fresh()
    assert "is not signed" in check_folder(written.folder, signed_by=key.public).findings[0]
    sign(written.folder, key)
    assert check_folder(written.folder, signed_by=key.public).whole
    written.data.write_bytes(b"other")
    with pytest.raises(GuaranteeError, match=r"data.parquet was changed"):
        sign(written.folder, key)


def test_key_files(tmp_path):
    key = SigningKey.fresh()
    path = key.save(tmp_path / "k.pem", password="open")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SigningKey.load(path, password="open").public == key.public
    for password in (None, "shut"):
        with pytest.raises(InputError, match="password"):
            SigningKey.load(path, password=password)
    with pytest.raises(InputError, match="never overwritten"):
        key.save(path)
    with pytest.raises(InputError, match="release folder"):
        key.save(tmp_path / "out" / "k.pem", release=tmp_path / "out")
    path.chmod(0o644)
    with pytest.raises(InputError, match="by others"):
        SigningKey.load(path, password="open")
    (tmp_path / "x.pub").write_text("no key")
    with pytest.raises(InputError, match="not a public key"):
        PublicKey.load(tmp_path / "x.pub")


def test_terms_that_the_release_breaks_are_refused_before_anything_is_written(release, tmp_path):
    terms = Terms(**{**TERMS.__dict__, "could_link": ("income",)})
    with pytest.raises(InputError, match="could link on 'income', which is not in the key"):
        release(tmp_path / "out", terms=terms)
    assert list(tmp_path.iterdir()) == []
