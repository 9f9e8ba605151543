"""The secret: keyed, hidden, kept in a file that is never written over."""

from __future__ import annotations

import hashlib
import hmac
import pickle
import stat
from pathlib import Path

import pytest

from indistinct.core.errors import InputError
from indistinct.scrub.text.replace import Secret


def test_a_draw_is_hmac_sha256_of_the_standard_library() -> None:
    secret = Secret(b"k" * 32)
    assert secret.draw("a", "b") == hmac.digest(b"k" * 32, b"a\0b", hashlib.sha256)


def test_longer_draws_begin_with_the_short_one_and_go_on() -> None:
    secret = Secret.from_seed(1)
    long = secret.draw("x", size=100)
    assert len(long) >= 100
    assert long[:32] == secret.draw("x")
    assert long[32:64] != long[:32]


def test_the_key_is_not_printed() -> None:
    secret = Secret(b"0123456789abcdef0123456789abcdef")
    assert "0123" not in repr(secret)
    assert "0123" not in str({"secret": secret})


def test_a_secret_survives_file_and_pickle(tmp_path: Path) -> None:
    secret = Secret.random()
    path = secret.to_file(tmp_path / "scrub.key")
    assert Secret.from_file(path) == secret
    assert pickle.loads(pickle.dumps(secret)) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["scrub.key"]


def test_a_secret_is_not_written_over(tmp_path: Path) -> None:
    path = Secret.from_seed(1).to_file(tmp_path / "scrub.key")
    with pytest.raises(InputError, match="not written over"):
        Secret.from_seed(2).to_file(path)
    assert Secret.from_file(path) == Secret.from_seed(1)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("content", ["", "no key", "abcd", "é" * 64])
def test_a_file_without_a_secret_is_refused_and_its_content_not_told(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "key"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match="holds no secret") as told:
        Secret.from_file(path)
    assert content == "" or content not in str(told.value)


def test_a_missing_file_and_a_short_key_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no secret .*Its folder is empty"):
        Secret.from_file(tmp_path / "none")
    with pytest.raises(InputError, match="at least 32 bytes"):
        Secret(b"short")


def test_numbers_spread_evenly() -> None:
    secret = Secret.from_seed(3)
    drawn = [secret.number("n", str(n), below=10) for n in range(5000)]
    # 500 expected each, standard deviation 21: five of them either way.
    assert all(395 < drawn.count(digit) < 605 for digit in range(10))
