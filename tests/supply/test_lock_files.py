"""Every package that is installed is pinned to a version and to the hashes of its files."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))
PIN = re.compile(r"([a-z0-9-]+)==(\S+?)(?: ; (.+?))?((?: --hash=sha256:[0-9a-f]{64})+)")


def entries(lock: str) -> list[tuple[str, str, str]]:
    """Return names, versions and markers; whatever has no hash does not match."""
    text = re.sub(r" *\\\n +", " ", (ROOT / lock).read_text("utf-8"))
    matches = [(line, PIN.fullmatch(line)) for line in text.splitlines()]
    wrong = [line for line, match in matches if match is None]
    assert not wrong, f"{lock}: not a version with hashes: {wrong[:3]}"
    return [(match[1], match[2], match[3] or "") for _, match in matches if match]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_is_a_version_with_hashes(lock):
    assert entries(lock)


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_file_says_where_packages_come_from(lock):
    text = (ROOT / lock).read_text("utf-8")
    assert not re.search(r"://|--index|--extra-index|--find-links|--trusted-host", text)


def test_what_is_developed_with_is_what_is_run_with():
    assert set(entries("requirements.lock")) <= set(entries("requirements-dev.lock"))


@pytest.mark.parametrize(
    ("lock", "groups"),
    [("requirements.lock", ()), ("requirements-build.lock", ("build",)),
     ("requirements-dev.lock", ("dev",)), ("requirements-supply.lock", ("supply",)),
     ("requirements-docs.lock", ("docs",))],
)  # fmt: skip
def test_the_versions_are_those_that_the_project_asks_for(lock, groups):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [one for group in groups for one in project["dependency-groups"][group]]
    asked += project["project"]["dependencies"] if lock == "requirements.lock" else []
    pinned = [(name, version) for name, version, _ in entries(lock)]
    for requirement in map(Requirement, asked):
        versions = [v for name, v in pinned if name == canonicalize_name(requirement.name)]
        assert versions, requirement
        assert all(requirement.specifier.contains(v) for v in versions), (requirement, versions)


def test_what_builds_the_package_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["build-system"]["requires"] == project["dependency-groups"]["build"]


def test_make_installs_nothing_without_a_hash():
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    variables = dict(re.findall(r"^(\w+) := (.*)$", text, re.MULTILINE))
    installs = [line for line in text.splitlines() if re.search(r"\$\((LOCKED|INSTALL)\)", line)]
    assert "--require-hashes" in variables["LOCKED"]
    for line in (line for line in installs if line.startswith("\t")):
        assert "$(LOCKED) -r requirements" in line or "--no-deps --no-build-isolation -e ." in line
    assert not [
        line for line in text.splitlines() if line.startswith("\t") and "pip install" in line
    ]
