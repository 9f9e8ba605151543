"""What of a prover's verdict gets into a certificate, which everybody may read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from indistinct.prove import STATES, Verification
from indistinct.release.canonical_json import file_digest

__all__ = ["VERDICT_FIELDS", "attacked_with", "checked_verdict", "told_verdict"]

VERDICT_FIELDS = (
    "verdict",
    "k",
    "ads0",
    "disclosures",
    "witnesses",
    "checked",
    "assumptions",
    "state",
    "holds",
    "findings",
    "reservations",
    "accepted",
)
"""What a prover says; nothing else of it gets into a certificate."""


def told_verdict(
    found: Verification, *, files: Mapping[str, str | Path] | None = None
) -> dict[str, Any]:
    """Return what a certificate may say of a verification: numbers, and not who.

    Parameters
    ----------
    files
        Registers and earlier releases by the names under which they were attacked with; their
        hashes are told. The private file must not be among them.
    """
    paths = files or {}
    checked = []
    for check in found.checked:
        name, role, records = str(check["name"]), str(check["what"]), int(check["records"])
        if role == "private" or name in paths:
            checked.append(attacked_with(paths.get(name, name), role=role, records=records))
        else:
            checked.append({"role": role, "name": Path(name).name, "records": records})
    return {
        "verdict": found.verdict,
        "k": found.k,
        "ads0": found.ads0,
        "disclosures": found.disclosures,
        "witnesses": found.exposed,
        "checked": checked,
        "assumptions": list(found.assumptions),
        "state": found.state,
        "holds": found.holds,
        "findings": list(found.broken),
        "reservations": [reservation.to_dict() for reservation in found.reservations],
        "accepted": list(found.accepted),
    }


def attacked_with(path: str | Path, *, role: str, records: int | None = None) -> dict[str, Any]:
    """Return what a certificate says of a file that a release was attacked with.

    Parameters
    ----------
    role
        ``register``, ``release`` or ``private``; of the private file neither name nor hash is
        told.
    """
    if role == "private":
        return {"role": role, "records": records}
    return {
        "role": role,
        "name": Path(path).name,
        "sha256": file_digest(path),
        "records": records,
    }


def checked_verdict(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prover's verdict, after making sure that it may be told.

    A fault here is one of the program that called, not of its user.
    """
    if set(found) != set(VERDICT_FIELDS):
        raise ValueError(f"a verdict has the fields {', '.join(VERDICT_FIELDS)}")
    if found["state"] not in STATES or found["holds"] is not (found["state"] == "holds"):
        raise ValueError(f"'state' of a verdict is one of {', '.join(STATES)}, as 'holds' says")
    if found["witnesses"] is not None and not isinstance(found["witnesses"], int):
        raise ValueError("a certificate tells the number of witnesses, not who they are")
    for item in found["checked"]:
        private = isinstance(item, Mapping) and item.get("role") == "private"
        if private and set(item) - {"role", "records"}:
            raise ValueError("neither name nor hash of the private file is told")
    return {name: found[name] for name in VERDICT_FIELDS}
