"""Write the bill of materials that goes with a wheel: what it is installed with, in CycloneDX.

    python tools/bill_of_materials.py requirements.lock dist/indistinct-VERSION-py3-none-any.whl

writes `dist/indistinct-VERSION.cdx.json`. It names the wheel by its hash, and every package that
the lock file pins by version and by the hashes of the files that may be installed for it. One that
is pinned in two versions, for two versions of Python, stands there twice, each with its marker.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cyclonedx.contrib.this.builders import this_component
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename


@dataclass(frozen=True)
class Pin:
    """One package of a lock file: its version, when it is needed, and its files by SHA-256."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def pins_of(lock: str) -> Iterator[Pin]:
    r"""Read what a lock file pins.

    >>> list(pins_of("rich==15.0 ; os_name == 'nt' \\\n    --hash=sha256:0a\n"))
    [Pin(name='rich', version='15.0', marker='os_name == "nt"', hashes=('0a',))]
    """
    for line in lock.replace("\\\n", " ").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        asked, *hashes = line.split("--hash=sha256:")
        requirement = Requirement(asked)
        versions = [one.version for one in requirement.specifier if one.operator == "=="]
        if len(versions) != 1 or not hashes:
            raise SystemExit(f"{requirement.name} is not pinned to one version with hashes.")
        yield Pin(
            requirement.name,
            versions[0],
            str(requirement.marker or ""),
            tuple(one.strip() for one in hashes),
        )


def bill_of(lock: str, wheel: str, content: bytes) -> str:
    """Return the bill of materials of a wheel and of what a lock file pins, as JSON."""
    name, version, _, _ = parse_wheel_filename(wheel)
    bill = Bom()
    bill.metadata.tools.components.add(this_component())
    root = Component(
        name=name,
        version=str(version),
        type=ComponentType.APPLICATION,
        bom_ref=f"{name}@{version}",
        purl=PackageURL("pypi", None, name, str(version)),
        hashes=[_sha256(hashlib.sha256(content).hexdigest())],
    )
    bill.metadata.component = root
    needed = [_component(pin) for pin in pins_of(lock)]
    bill.components.update(needed)
    bill.register_dependency(root, needed)
    return make_outputter(bill, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string(indent=1)


def _component(pin: Pin) -> Component:
    return Component(
        name=pin.name,
        version=pin.version,
        bom_ref=f"{pin.name}@{pin.version}",
        purl=PackageURL("pypi", None, pin.name, pin.version),
        hashes=[_sha256(one) for one in pin.hashes],
        properties=[Property(name="indistinct:marker", value=pin.marker)] if pin.marker else (),
    )


def _sha256(content: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=content)


def main(arguments: Sequence[str]) -> None:
    lock, wheel = map(Path, arguments)
    name, version, _, _ = parse_wheel_filename(wheel.name)
    place = wheel.with_name(f"{name}-{version}.cdx.json")
    place.write_text(bill_of(lock.read_text("utf-8"), wheel.name, wheel.read_bytes()), "utf-8")
    print(f"{place} names {len(list(pins_of(lock.read_text('utf-8'))))} packages")


if __name__ == "__main__":
    main(sys.argv[1:])
