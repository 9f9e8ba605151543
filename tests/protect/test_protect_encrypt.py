"""Encryption: the identity with the key, nothing without it; and where the key may be."""

from __future__ import annotations

import base64
import datetime as dt
import math
import os
import pickle
from decimal import Decimal

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.core.errors import InputError
from indistinct.files import open_data, write_data
from indistinct.protect import Encrypt, Plan, ReleaseKey, decrypt

KINDS = {
    "int8": pa.array([-128, 127, None], pa.int8()),
    "uint64": pa.array([0, 2**64 - 1, None], pa.uint64()),
    "float": pa.array([-0.0, 0.0, math.inf]),
    "single": pa.array([0.1, -0.0, None], pa.float32()),
    "text": pa.array(["", "é\0", None]),
    "yes": pa.array([True, False, None]),
    "day": pa.array([dt.date(1900, 1, 1), dt.date(2024, 2, 29), None]),
    "when": pa.array([dt.datetime(2024, 1, 1), None, None], pa.timestamp("us", tz="Europe/Oslo")),
    "naive": pa.array([dt.datetime(1924, 1, 1), None, None], pa.timestamp("ns")),
    "clock": pa.array([dt.time(1, 2, 3), None, None], pa.time64("us")),
    "span": pa.array([dt.timedelta(1), None, None], pa.duration("ms")),
    "money": pa.array([Decimal("-1.20"), Decimal("99999.99"), None], pa.decimal128(10, 2)),
}


@pytest.mark.parametrize("randomised", [False, True])
def test_decrypting_restores_every_type_and_value(randomised, engine, opened):
    source = opened(pa.table(KINDS))
    key = ReleaseKey.fresh()
    plan = Plan((Encrypt(tuple(KINDS), randomised),))
    done = plan.apply(engine, source, secrets=key)
    hidden = done.source.table()
    assert all(kind == pa.string() for kind in hidden.schema.types)
    assert all(column.null_count == 0 for column in hidden.columns)
    back = decrypt(engine, done.source, list(KINDS), secrets=key, known=source.variables)
    assert back.table().equals(source.table())
    assert back.schema.types == source.schema.types
    assert [math.copysign(1, v) for v in back.table()["float"].to_pylist()] == [-1, 1, 1]
    assert back.variables["day"].level == "date"


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(st.none() | st.text(st.characters(codec="utf-8"), max_size=400), min_size=1),
    floats=st.lists(st.floats(), min_size=1),
    randomised=st.booleans(),
)
def test_decrypting_is_the_inverse(texts, floats, randomised, engine, small_batches, opened):
    length = min(len(texts), len(floats))
    table = pa.table({"t": pa.array(texts[:length], pa.string()), "f": floats[:length]})
    source = opened(table)
    key = ReleaseKey.fresh()
    plan = Plan((Encrypt(("t", "f"), randomised),))
    done = plan.apply(engine, source, secrets=key)
    again = plan.apply(small_batches, source, secrets=key)
    assert done.source.path.read_bytes() == again.source.path.read_bytes()
    back = decrypt(small_batches, done.source, ["t", "f"], secrets=key).table()
    assert back["t"].equals(source.table()["t"])
    # bit by bit, since nan is not equal to nan
    assert (
        back["f"]
        .combine_chunks()
        .view(pa.int64())
        .equals(source.table()["f"].combine_chunks().view(pa.int64()))
    )


def test_equal_values_are_equal_or_not_as_asked_and_lengths_tell_nothing(engine, opened):
    source = opened(pa.table({"a": ["no", "yes", "no", None, ""], "b": [1, 1, 10**9, 2, 3]}))
    key = ReleaseKey.fresh()
    same = Plan((Encrypt(("a", "b")),)).apply(engine, source, secrets=key)
    cells = same.source.table()["a"].to_pylist()
    assert cells[0] == cells[2]
    assert len(set(cells)) == 4
    assert "equal ciphertexts" in same.receipts[0].warnings[0]
    differing = Plan((Encrypt(("a", "b"), randomised=True),)).apply(engine, source, secrets=key)
    assert len(set(differing.source.table()["a"].to_pylist())) == 5
    for done in (same, differing):
        for name in ("a", "b"):
            assert len({len(cell) for cell in done.source.table()[name].to_pylist()}) == 1


def test_two_releases_encrypt_the_same_value_differently(engine, opened):
    source = opened(pa.table({"a": [1, 2], "b": [1, 2]}))
    plan = Plan((Encrypt(("a", "b")),))
    first, second = (
        plan.apply(engine, source, secrets=ReleaseKey.fresh()).source.table() for _ in range(2)
    )
    cells = [cell for t in (first, second) for c in t.columns for cell in c.to_pylist()]
    # neither releases nor variables share a ciphertext
    assert len(set(cells)) == 8


def test_the_cells_are_aes_siv_with_the_variable_as_associated_data(engine, opened):
    key = ReleaseKey.fresh()
    source = opened(pa.table({"age": [41]}))
    done = Plan((Encrypt(("age",)),)).apply(engine, source, secrets=key)
    cell = done.source.table()["age"][0].as_py()
    raw = base64.urlsafe_b64decode(cell + "=" * (-len(cell) % 4))
    plain = AESSIV(key.material("cells")).decrypt(raw[1:], [raw[:1], b"age"])
    assert plain.startswith(b"int64\0")
    assert (41).to_bytes(8, "little") in plain


def test_a_wrong_key_or_a_changed_cell_is_named_by_record_not_by_value(engine, opened):
    source = opened(pa.table({"name": ["Berglind"] * 5}))
    key = ReleaseKey.fresh()
    done = Plan((Encrypt(("name",), randomised=True),)).apply(engine, source, secrets=key)
    with pytest.raises(InputError, match="record 1 cannot be decrypted") as caught:
        decrypt(engine, done.source, ["name"], secrets=ReleaseKey.fresh())
    assert "Berglind" not in str(caught.value)
    cells = done.source.table()["name"].to_pylist()
    other = "B" if cells[3][8] == "A" else "A"  # the key is drawn anew: never the same letter
    for damage in (cells[3][:8] + other + cells[3][9:], "!", "", cells[3][:10], "é"):
        changed = opened(pa.table({"name": [*cells[:3], damage, cells[4]]}))
        with pytest.raises(InputError, match="'name' in record 4 cannot"):
            decrypt(engine, changed, ["name"], secrets=key)
    renamed = opened(pa.table({"nom": cells}))
    with pytest.raises(InputError, match=r"'nom' in record 1 .* renamed"):
        decrypt(engine, renamed, ["nom"], secrets=key)
    with pytest.raises(InputError, match="is not encrypted"):
        decrypt(engine, opened(pa.table({"a": [1]})), ["a"], secrets=key)
    with pytest.raises(InputError, match="all cells of 'a' are missing"):
        decrypt(engine, opened(pa.table({"a": pa.nulls(2, pa.string())})), ["a"], secrets=key)


def test_a_cell_blanked_after_encryption_stays_missing(engine, opened):
    source = opened(pa.table({"a": [5, 6, 7]}))
    key = ReleaseKey.fresh()
    cells = Plan((Encrypt(("a",)),)).apply(engine, source, secrets=key).source.table()["a"]
    blanked = opened(pa.table({"a": [None, *cells.to_pylist()[1:]]}))
    assert decrypt(engine, blanked, ["a"], secrets=key).table()["a"].to_pylist() == [None, 6, 7]


def test_cells_come_back_through_csv(engine, opened, tmp_path):
    source = opened(pa.table({"a": [5, None, 7], "b": ["x", "y", "z"]}))
    key = ReleaseKey.fresh()
    done = Plan((Encrypt(("a",)),)).apply(engine, source, secrets=key)
    path = write_data(done.source, tmp_path / "out.csv")
    read = open_data(path, workspace=tmp_path)
    assert decrypt(engine, read, ["a"], secrets=key).table().equals(source.table())


def test_labels_of_codes_do_not_stay_on_ciphertexts(engine, opened):
    from dataclasses import replace

    source = opened(pa.table({"sex": [1, 2]}))
    labels = {"sex": {"labels": {1: "male", 2: "female"}, "categories": (1, 2), "role": "key"}}
    source = replace(source, variables=source.variables.updated(labels))
    done = Plan((Encrypt(("sex",)),)).apply(engine, source, secrets=ReleaseKey.fresh())
    variable = done.source.variables["sex"]
    assert (variable.labels, variable.categories, variable.role) == ({}, None, "key")


@pytest.mark.parametrize("variables", [(), ("a", "a"), "a"])
def test_wrong_variables_are_refused(variables):
    with pytest.raises(InputError):
        Encrypt(variables)


# the key's file


def test_a_key_is_written_for_its_owner_alone_and_read_back(tmp_path):
    key = ReleaseKey.fresh()
    mask = os.umask(0)
    try:
        path = key.save(tmp_path / "release.key", release=tmp_path / "release")
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o600
    assert ReleaseKey.load(path) == key
    with pytest.raises(InputError, match="never overwritten"):
        ReleaseKey.fresh().save(path)
    assert ReleaseKey.load(path) == key


def test_a_key_that_others_can_read_is_refused(tmp_path):
    path = ReleaseKey.fresh().save(tmp_path / "release.key")
    for mode in (0o640, 0o604, 0o620):
        path.chmod(mode)
        with pytest.raises(InputError, match="chmod 600"):
            ReleaseKey.load(path)


def test_a_key_in_the_release_folder_is_refused(tmp_path):
    release = tmp_path / "release"
    (release / "private").mkdir(parents=True)
    inside = release / "private" / "release.key"
    with pytest.raises(InputError, match="leave with it"):
        ReleaseKey.fresh().save(inside, release=release)
    assert not inside.exists()
    ReleaseKey.fresh().save(inside)
    (tmp_path / "link").symlink_to(release)
    with pytest.raises(InputError, match="leave with it"):
        ReleaseKey.load(inside, release=tmp_path / "link")


def test_a_key_through_a_link_is_not_written(tmp_path):
    (tmp_path / "link.key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="exists already"):
        ReleaseKey.fresh().save(tmp_path / "link.key")


@pytest.mark.parametrize("text", ["", "x", "indistinct-release-key-1 AAAA", "é" * 100])
def test_a_damaged_key_is_refused_without_showing_it(text, tmp_path):
    path = tmp_path / "key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InputError, match="is not a release key") as caught:
        ReleaseKey.load(path)
    assert "AAAA" not in str(caught.value)
    with pytest.raises(InputError, match="There is no key"):
        ReleaseKey.load(tmp_path / "absent")
    with pytest.raises(InputError):
        ReleaseKey.fresh().save(tmp_path / "absent" / "key")


def test_the_key_shows_itself_nowhere(engine, opened, tmp_path):
    key = ReleaseKey.fresh()
    body = key.save(tmp_path / "key").read_text().split()[1]
    done = Plan((Encrypt(("a",)),)).apply(engine, opened(pa.table({"a": [1]})), secrets=key)
    shown = repr(key) + str(key) + repr(done) + str([r.to_dict() for r in done.receipts])
    assert body[:8] not in shown
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(key)
