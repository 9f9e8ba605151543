"""Ask whether a fault is known in a package that is pinned, and tell "none" from "nobody knows".

    python tools/audit.py requirements.lock requirements-dev.lock

pip-audit asks a vulnerability service over the network. Where the service cannot be reached, or
does not know a package, it may still say that nothing was found and end with 0. So its list is read
here, and the exit code says which it was: 0 every package was looked up and no fault is known,
1 a fault is known, 3 something could not be looked up (and nothing was found in the rest).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

CLEAN, FOUND, UNKNOWN = 0, 1, 3

Asked = Callable[[str], "tuple[str, str]"]
"""Asks about a lock file; gives what pip-audit wrote, and why it did not where it did not."""


def ask_pip_audit(lock: str) -> tuple[str, str]:
    command = [sys.executable, "-m", "pip_audit", "--requirement", lock, "--require-hashes",
               "--disable-pip", "--format", "json", "--progress-spinner", "off"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def audit(locks: Sequence[str], ask: Asked = ask_pip_audit) -> int:
    """Ask about every lock file, print what is known, and return the exit code."""
    known: dict[tuple[str, str], set[str]] = {}
    unknown: set[str] = set()
    looked_up: set[str] = set()
    for lock in locks:
        said, why = ask(lock)
        try:
            packages = json.loads(said)["dependencies"]
        except (ValueError, KeyError, TypeError):
            last = why.strip().splitlines()[-1:] or ["pip-audit gave no answer"]
            print(f"{lock} could not be checked: {last[0][:300]}")
            unknown.add(lock)
            continue
        for package in packages:
            if "skip_reason" in package:
                unknown.add(package["name"])
                continue
            looked_up.add(package["name"])
            for fault in package["vulns"]:
                found = known.setdefault((package["name"], package["version"]), set())
                found.add(fault["id"])
    unknown -= looked_up
    for (name, version), faults in sorted(known.items()):
        print(f"{name} {version}: {', '.join(sorted(faults))}")
    if unknown:
        print(
            f"Could not be checked: {', '.join(sorted(unknown))}. The vulnerability service cannot "
            "be reached from here, or does not know them; this says nothing about them."
        )
    if known:
        return FOUND
    if unknown or not looked_up:
        return UNKNOWN
    print(f"No fault is known in any of {len(looked_up)} packages.")
    return CLEAN


def main(arguments: Sequence[str]) -> None:
    missing = [lock for lock in arguments if not Path(lock).is_file()]
    if missing or not arguments:
        raise SystemExit(f"Name lock files that exist. Missing: {', '.join(missing) or 'all'}.")
    sys.exit(audit(arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
