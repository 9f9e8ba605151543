"""Sealing a folder of tables or letters: a certificate with the hash of every file that leaves.

Where there is a holder's part, its ledger knows all that the certificate claims, as that of
released records does; see `checking` for what this shows.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import indistinct
from indistinct.core import systems
from indistinct.release import parts
from indistinct.release.canonical_json import file_digest, pretty
from indistinct.release.certificate import FORMAT, Certificate, Kind

__all__ = ["seal_folder"]


def seal_folder(
    folder: Path,
    kind: Kind,
    *,
    verdict: Mapping[str, Any],
    told: Mapping[str, Any],
    ledger: Mapping[str, Any] | None = None,
) -> Certificate:
    """Write the certificate of a folder in which everything else stands, and the ledger if any.

    Parameters
    ----------
    verdict
        What everybody may know of it: `state`, and where there are any `reservations`.
    told
        What else the certificate tells.
    ledger
        What the holder keeps.
    """
    public = [name for name in parts.found_in(folder) if name.split("/")[0] != parts.PRIVATE]
    certificate = Certificate(
        {
            "proved": verdict["state"] == "holds",
            "kind": kind,
            "format": FORMAT,
            "program": "indistinct",
            "version": indistinct.__version__,
            "verdict": dict(verdict),
            "files": {name: file_digest(folder / name) for name in public},
            **told,
        }
    )
    if ledger is not None:
        certificate = _with_ledger(folder, certificate, ledger)
    sealed = certificate.signed(None)
    (folder / parts.CERTIFICATE).write_bytes(sealed.to_bytes())
    return sealed


def _with_ledger(folder: Path, certificate: Certificate, ledger: Mapping[str, Any]) -> Certificate:
    (folder / parts.PRIVATE).mkdir(exist_ok=True)
    systems.set_mode(folder / parts.PRIVATE, 0o700)  # whatever the umask is
    kept = {
        # the certificate tells this file's hash, and what it says could be guessed and tried
        "salt": secrets.token_hex(32),
        "files": {},
        **ledger,
        "certificate": certificate.body(),
    }
    (folder / parts.LEDGER).write_bytes(pretty(kept))
    systems.set_mode(folder / parts.LEDGER, 0o600)
    return certificate.naming(ledger=folder / parts.LEDGER)
