"""The wheel, installed into an empty environment by pip, is a program that works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.heavy


def test_the_wheel_works_in_an_empty_environment(tmp_path):
    build = ["-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([sys.executable, *build, str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("indistinct-*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "empty")], check=True)
    own = tmp_path / "empty" / "bin"
    locked = ["-m", "pip", "install", "-q", "--require-hashes", "-r"]
    fetched = subprocess.run(
        [own / "python", *locked, ROOT / "requirements.lock"], capture_output=True, text=True
    )
    if fetched.returncode:
        pytest.skip("no package index can be had: " + fetched.stderr.strip()[-200:])
    subprocess.run([own / "python", "-m", "pip", "install", "-q", "--no-deps", wheel], check=True)
    people = tmp_path / "people.parquet"
    plain = {"PATH": str(own), "HOME": str(tmp_path)}
    for words in (
        ["census", "--people", "500", "--out", people],
        ["uniques", people, "--key", "age,sex", "--k", "3"],
    ):
        done = subprocess.run(
            [own / "indistinct", *words], cwd=tmp_path, env=plain, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
