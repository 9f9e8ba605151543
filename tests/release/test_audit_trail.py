"""The audit trail: only ever added to, and whatever else is done to it shows."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct
from indistinct.core.errors import GuaranteeError, InputError
from indistinct.release import AuditTrail, Head

SHA = "ab" * 32


@pytest.fixture
def trail(tmp_path) -> AuditTrail:
    trail = AuditTrail(tmp_path / "audit.jsonl")
    for number in range(5):
        trail.append("look", data={"people.csv": SHA}, parameters={"k": number}, records=[number])
    return trail


def test_an_entry_tells_who_did_what_to_which_records(trail):
    entries = list(trail)
    assert [entry.number for entry in entries] == [1, 2, 3, 4, 5]
    assert [entry.records for entry in entries] == [(n,) for n in range(5)]
    first = entries[0]
    assert "@" in first.who
    assert first.data == {"people.csv": SHA}
    assert first.version == indistinct.__version__
    assert "look, people.csv, 1 record" in repr(first)
    assert json.loads(json.dumps(first.to_dict()))["records"] == [0]
    # equal questions have equal hashes, the question itself is not there
    assert len({entry.parameters for entry in entries}) == 5
    assert b'"k"' not in trail.path.read_bytes()
    assert stat.S_IMODE(trail.path.stat().st_mode) == 0o600


def test_a_whole_trail_says_so(trail):
    checked = trail.check()
    assert checked.whole
    assert (checked.entries, checked.hash) == (5, trail.head().hash)
    assert "whole" in repr(checked)


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        ("Ann Smith", {}),
        ("", {}),
        ("look", {"verdict": "income = 3"}),
        ("look", {"data": {"x": "no hash"}}),
        ("look", {"records": [-1]}),
    ],
)
def test_what_could_be_a_value_of_a_record_is_refused(trail, verb, options):
    before = trail.path.read_bytes()
    with pytest.raises(InputError):
        trail.append(verb, **options)
    assert trail.path.read_bytes() == before


def lines_of(trail: AuditTrail) -> list[bytes]:
    return trail.path.read_bytes().splitlines(keepends=True)


@given(st.data())
def test_any_other_order_of_lines_shows(tmp_path_factory, data):
    trail = AuditTrail(tmp_path_factory.mktemp("t") / "audit.jsonl")
    for number in range(4):
        trail.append("look", records=[number])
    lines = lines_of(trail)
    chosen = data.draw(st.lists(st.integers(0, 3), max_size=6))
    if chosen == [0, 1, 2, 3]:
        return
    trail.path.write_bytes(b"".join(lines[i] for i in chosen))
    assert not trail.check().whole


def test_a_removed_last_line_shows_by_the_head(trail):
    trail.path.write_bytes(b"".join(lines_of(trail)[:-1]))
    assert trail.check().findings == ("1 line at the end was removed",)
    with pytest.raises(GuaranteeError, match="last lines were removed"):
        trail.append("look")


def test_a_replaced_trail_shows_by_the_head(trail, tmp_path):
    other = AuditTrail(tmp_path / "other.jsonl")
    for _ in range(5):
        other.append("nothing")
    trail.path.write_bytes(other.path.read_bytes())
    assert not trail.check().whole
    with pytest.raises(GuaranteeError, match="changed"):
        trail.append("look")


def test_a_trail_replaced_with_its_head_shows_by_a_head_noted_elsewhere(trail, tmp_path):
    noted = trail.head()
    other = AuditTrail(tmp_path / "other.jsonl")
    for _ in range(5):
        other.append("nothing")
    trail.path.write_bytes(other.path.read_bytes())
    trail.head_path.write_bytes(other.head_path.read_bytes())
    assert trail.check().whole
    assert not trail.check(at=noted).whole


def test_a_head_noted_earlier_holds_while_the_trail_grows(trail):
    noted = trail.head()
    trail.append("look")
    assert trail.check(at=noted).whole
    assert not trail.check(at=Head(noted.entries + 9, noted.hash)).whole


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"entries":5}', b"\xff"])
def test_a_changed_head_shows(trail, content):
    trail.head_path.write_bytes(content)
    assert trail.check().findings == ("audit.jsonl.head was changed",)
    with pytest.raises(GuaranteeError, match="head is damaged"):
        trail.append("look")


def test_a_removed_head_shows(trail):
    trail.head_path.unlink()
    assert "is missing" in trail.check().findings[0]
    with pytest.raises(GuaranteeError, match="lines after its head"):
        trail.append("look")


def test_a_run_that_stopped_before_the_head_was_noted_is_put_right(trail, monkeypatch):
    def stop(self, head, handle):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(AuditTrail, "_write_head", stop)
        with pytest.raises(KeyboardInterrupt):
            trail.append("stopped")
    checked = trail.check()
    assert checked.whole
    assert "interrupted" in checked.notes[0]
    trail.append("look")
    assert [entry.verb for entry in trail][-2:] == ["stopped", "look"]
    assert trail.check().whole
    assert not trail.check().notes


@pytest.mark.parametrize("kept", [1, 5, 40, -1])
def test_a_line_that_was_never_finished_is_taken_off(trail, kept):
    line = lines_of(trail)[0]
    with trail.path.open("ab") as file:
        file.write(line[:kept])
    assert not trail.check().whole
    trail.append("look")
    assert trail.check().whole
    assert len(list(trail)) == 6


def test_what_is_no_beginning_of_an_entry_is_not_taken_off(trail):
    with trail.path.open("ab") as file:
        file.write(b"somebody's words")
    with pytest.raises(GuaranteeError, match="lines after its head"):
        trail.append("look")
    assert trail.path.read_bytes().endswith(b"somebody's words")


def test_several_can_add_at_the_same_time(tmp_path):
    path = tmp_path / "audit.jsonl"
    threads = [
        threading.Thread(target=lambda: [AuditTrail(path).append("look") for _ in range(15)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert AuditTrail(path).check().entries == 60
    assert AuditTrail(path).check().whole


def test_an_entry_is_on_disk_before_it_is_vouched_for(trail, monkeypatch):
    synced, really = [], os.fsync

    def fsync(handle):
        synced.append(os.fstat(handle).st_ino)
        really(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    trail.append("look")
    assert synced[0] == trail.path.stat().st_ino
    assert trail.head_path.stat().st_ino in synced


def test_whoever_shares_the_trail_shares_its_head(trail):
    trail.path.chmod(0o660)
    trail.append("look")
    assert stat.S_IMODE(trail.head_path.stat().st_mode) == 0o660


def test_long_entries_are_found_again(tmp_path):
    trail = AuditTrail(tmp_path / "audit.jsonl")
    for _ in range(2):
        trail.append("look", records=range(40_000))
    trail.append("look")
    assert trail.check().whole


def test_where_there_is_no_trail(tmp_path):
    with pytest.raises(InputError, match="There is no audit trail"):
        AuditTrail(tmp_path / "none").check()
    with pytest.raises(InputError, match="does not exist"):
        AuditTrail(Path(tmp_path / "none" / "audit.jsonl")).append("look")
