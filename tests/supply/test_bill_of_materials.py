"""The bill of materials names the wheel and everything that it is installed with."""

from __future__ import annotations

import hashlib
import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "bill_of_materials.py"))
WHEEL = "indistinct-9.8.7-py3-none-any.whl"


@pytest.fixture(scope="module")
def bill() -> dict:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    return json.loads(TOOL["bill_of"](lock, WHEEL, b"the wheel"))


def test_every_pinned_package_is_in_it_with_its_version_and_hashes(bill):
    pins = list(TOOL["pins_of"]((ROOT / "requirements.lock").read_text("utf-8")))
    assert len(pins) > 20
    named = {
        (one["name"], one["version"]): {hash_["content"] for hash_ in one["hashes"]}
        for one in bill["components"]
    }
    assert named == {(pin.name, pin.version): set(pin.hashes) for pin in pins}
    assert all(one["purl"].startswith("pkg:pypi/") for one in bill["components"])


def test_it_is_that_of_the_wheel(bill):
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    root = bill["metadata"]["component"]
    assert (root["name"], root["version"]) == ("indistinct", "9.8.7")
    assert root["hashes"] == [
        {"alg": "SHA-256", "content": hashlib.sha256(b"the wheel").hexdigest()}
    ]
    needs = {one["ref"]: one.get("dependsOn", []) for one in bill["dependencies"]}
    assert sorted(needs[root["bom-ref"]]) == sorted(c["bom-ref"] for c in bill["components"])


def test_two_versions_of_one_package_are_told_apart_by_their_markers(bill):
    both = [one for one in bill["components"] if one["name"] == "numpy"]
    markers = [one["properties"][0]["value"] for one in both]
    assert len({*markers}) == len(both)


def test_a_package_without_a_hash_is_refused():
    with pytest.raises(SystemExit, match="rich is not pinned"):
        list(TOOL["pins_of"]("rich==15.0\n"))


def test_it_is_written_beside_the_wheel(tmp_path):
    (tmp_path / WHEEL).write_bytes(b"the wheel")
    TOOL["main"]([str(ROOT / "requirements.lock"), str(tmp_path / WHEEL)])
    written = json.loads((tmp_path / "indistinct-9.8.7.cdx.json").read_text("utf-8"))
    assert written["metadata"]["component"]["version"] == "9.8.7"
