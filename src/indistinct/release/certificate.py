"""The certificate: what was proved of which bytes, by which program.

Decisions about security: a certificate goes to the recipient, so it holds no value of a cell, no
seed, and no hash of a thing that could be guessed and tried. A plan may be short ("swap records 3
and 9"), and whoever had its hash could try all pairs; therefore the hashes of the private files are
in the private ledger, which holds 256 random bits, and only the ledger's own hash is told. The
hash of the private data is nowhere in it for the same reason. Its own hash shows a changed byte;
against whoever writes data and certificate anew only a signature helps.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import indistinct
from indistinct.core import InputError
from indistinct.core.doors import read_file
from indistinct.prove import STATES, Promise, State
from indistinct.release.canonical_json import digest, file_digest, pretty
from indistinct.release.chain import Head
from indistinct.release.few import rounding_base
from indistinct.release.outward import blurred_verdict
from indistinct.release.signing import PublicKey, SigningKey
from indistinct.release.verdict import checked_verdict
from indistinct.results import Fact, Result, Table, facts, result

__all__ = [
    "FORMAT",
    "Certificate",
    "Kind",
    "check_signature",
    "hash_holds",
    "make_certificate",
]

FORMAT = 2
"""The version of the certificate's format."""

Kind = Literal["records", "tables", "letters"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""What a folder with a certificate holds."""

_PURPOSE = b"indistinct certificate 1\n"
_OUTSIDE = ("sha256", "signature")


@result(eq=True)
class Certificate(Result):
    """What `certificate.json` holds. Its fields are those of the file."""

    content: Mapping[str, Any]

    FACTS = facts(Fact("*", "content", spread=True))

    @property
    def kind(self) -> Kind:
        """What its folder holds; records where it does not say."""
        told = self.content.get("kind")
        return told if told in KINDS else "records"

    @property
    def proved(self) -> bool:
        """Whether the verdict holds, without any reservation."""
        return self.content.get("proved") is True

    @property
    def state(self) -> State:
        """What may be said of the release: one of three; *fails* where nobody judged it."""
        told = self.verdict.get("state")
        return told if told in STATES else "fails"

    @property
    def reservations(self) -> list[Mapping[str, str]]:
        """What the verdict rests on, each with ``code`` and ``sentence``."""
        told = self.verdict.get("reservations")
        return [r for r in told if isinstance(r, dict)] if isinstance(told, list) else []

    @property
    def accepted(self) -> tuple[str, ...]:
        """The codes of reservations that the holder took upon himself."""
        told = self.verdict.get("accepted")
        return tuple(c for c in told if isinstance(c, str)) if isinstance(told, list) else ()

    @property
    def promise(self) -> Promise | None:
        """What was promised; None in a certificate that does not say it whole."""
        try:
            return Promise.from_dict(self._fields_of("promise"))
        except TypeError:
            return None

    @property
    def verdict(self) -> Mapping[str, Any]:
        """The prover's verdict; empty where nobody attacked the release."""
        return self._fields_of("verdict")

    @property
    def key(self) -> list[str]:
        """The variables against whose linking the release is protected."""
        told = self.content.get("key")
        return [name for name in told if isinstance(name, str)] if isinstance(told, list) else []

    @property
    def k(self) -> int | None:
        """How many people every key is to stand for."""
        told = self.content.get("k")
        return told if isinstance(told, int) and not isinstance(told, bool) else None

    @property
    def files(self) -> Mapping[str, str]:
        """The SHA-256 of each file that the recipient gets, by name."""
        return self._fields_of("files")

    @property
    def audit(self) -> Head:
        """The end of the private audit trail when the release was written."""
        noted = self._fields_of("audit")
        entries = noted.get("entries")
        return Head(entries if isinstance(entries, int) else -1, str(noted.get("hash")))

    @property
    def public_key(self) -> PublicKey | None:
        """The key that it says it was signed with."""
        signer = self.content.get("signed_by")
        if signer is None:
            return None
        try:
            return PublicKey(bytes.fromhex(signer["public_key"]))
        except (KeyError, TypeError, ValueError, InputError):
            return None

    def _fields_of(self, name: str) -> Mapping[str, Any]:
        """Return a part that has fields; it has none in a certificate that was tampered with."""
        part = self.content.get(name)
        return part if isinstance(part, dict) else {}

    def body(self) -> dict[str, Any]:
        """Return what its hash and its signature are taken of."""
        return {name: value for name, value in self.content.items() if name not in _OUTSIDE}

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        return pretty(self.content)

    def naming(self, *, ledger: Path) -> Certificate:
        """Return it with the hash of the private ledger, which has the rest of it already."""
        return Certificate({**self.body(), "ledger": file_digest(ledger)})

    def signed(self, key: SigningKey | None) -> Certificate:
        """Return it with its own hash, and signed where there is a key."""
        body = self.body()
        public = key.public if key else None
        body["signed_by"] = public and {
            "algorithm": "Ed25519",
            "public_key": public.hex(),
            "fingerprint": public.fingerprint,
        }
        sealed = {**body, "sha256": _own_hash(body)}
        if key is not None:
            sealed["signature"] = key.sign(_PURPOSE + pretty(body)).hex()
        return Certificate(sealed)

    def signature_holds(self, key: PublicKey) -> bool:
        """Say whether the owner of this key signed exactly this."""
        written = self.content.get("signature")
        try:
            signature = bytes.fromhex(written)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False
        return signature.hex() == written and key.verifies(
            signature, _PURPOSE + pretty(self.body())
        )

    @classmethod
    def read(cls, path: str | Path) -> Certificate:
        """Read a certificate; nothing is checked but that it is one."""
        path = Path(path)
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a plain file.")
        try:
            content = json.loads(read_file(path, "certificate", kept=True))
        except (ValueError, RecursionError):
            raise InputError(f"{path} is not a certificate: it is not JSON.") from None
        if not isinstance(content, dict):
            raise InputError(f"{path} is not a certificate: it has no fields.")
        return cls(content)

    def _lines(self) -> list[str]:
        verdict = self.verdict
        said = {"holds": "proved", "reservations": "holds with reservations"}.get(
            self.state, "NOT PROVED"
        )
        if self.kind != "records":
            return [f"Certificate of {self.kind}: {said}", *self._reserved()]
        lines = [
            f"Certificate of {self.content.get('created')}: {said}",
            f"  verdict        {verdict.get('verdict', 'none was asked for')}",
            f"  key            {', '.join(self.key)}",
            f"  k              {self.k}",
            f"  made with      {self.content.get('program')} {self.content.get('version')}",
        ]
        if self.public_key is not None:
            lines.append(f"  signed by      {self.public_key.fingerprint}")
        return lines

    def _reserved(self) -> list[str]:
        return [f"  {one.get('code')}: {one.get('sentence')}" for one in self.reservations]

    def _tables(self) -> list[Table]:
        if self.kind != "records":
            told: dict[str, object] = {"holds": self.kind, "proved": self.proved}
            return [Table.facts("What the certificate says", told)]
        facts = {
            "proved": self.proved,
            "verdict": str(self.verdict.get("verdict", "none was asked for")),
            "key": ", ".join(self.key),
            "k": self.k,
            "created": str(self.content.get("created")),
            "made with": f"{self.content.get('program')} {self.content.get('version')}",
            "signed by": self.public_key.fingerprint if self.public_key else None,
        }
        return [Table.facts("What the certificate says", facts)]


def make_certificate(
    *,
    verdict: Mapping[str, Any] | None,
    key: Sequence[str],
    k: int,
    records: int,
    promise: Promise | None = None,
    files: Mapping[str, str],
    method: Sequence[str],
    audit: Head,
    created: dt.datetime | None = None,
) -> Certificate:
    """Put a certificate together, as the ledger has it; see `Certificate.naming` and `signed`.

    Parameters
    ----------
    verdict
        What the prover found, or None where nobody attacked the release. Counts of people are
        rounded up, see `outward`; the ledger has them exactly.
    promise
        What was promised, beside key and k; by default nothing.
    files
        The SHA-256 of each file that the recipient gets.
    method
        The steps as the recipient is told them; equal methods have equal hashes.
    """
    created = created or dt.datetime.now(dt.UTC)
    base = rounding_base(k)
    told = blurred_verdict(checked_verdict(verdict), base) if verdict is not None else None
    checked = told.pop("checked") if told else []
    return Certificate(
        {
            "proved": bool(told and told["holds"]),
            "kind": "records",
            "format": FORMAT,
            "program": "indistinct",
            "version": indistinct.__version__,
            "created": created.astimezone(dt.UTC).isoformat(timespec="seconds"),
            "verdict": told,
            "attacked_with": list(checked),
            "key": list(key),
            "k": k,
            "promise": (promise or Promise(key=tuple(key), k=k)).to_dict(),
            "records": records,
            "files": dict(files),
            "method": digest(list(method)),
            "audit": audit.to_dict(),
            "built_with": {
                "python": platform.python_version(),
                **{name: importlib.metadata.version(name) for name in ("numpy", "duckdb")},
            },
        }
    )


def check_signature(certificate: Certificate, key: PublicKey | None = None) -> tuple[str, ...]:
    """Return what is wrong with a signature; with a `key`, also that it is that key's.

    >>> key = SigningKey.fresh()
    >>> sealed = Certificate({"proved": True}).signed(key)
    >>> check_signature(sealed, key.public)
    ()
    >>> check_signature(sealed, SigningKey.fresh().public)
    ('certificate.json was signed with another key than the one given',)
    """
    signer = certificate.content.get("signed_by")
    if signer is None:
        if "signature" in certificate.content:
            return ("certificate.json has a signature of nobody",)
        return ("certificate.json is not signed",) if key is not None else ()
    own = certificate.public_key
    if (
        own is None
        or not isinstance(signer, dict)
        or signer
        != {
            "algorithm": "Ed25519",
            "public_key": own.hex(),
            "fingerprint": own.fingerprint,
        }
    ):
        return ("certificate.json names no key that it could be signed with",)
    if key is not None and own != key:
        return ("certificate.json was signed with another key than the one given",)
    if not certificate.signature_holds(own):
        return ("the signature of certificate.json does not hold",)
    return ()


def hash_holds(certificate: Certificate) -> bool:
    """Say whether a certificate's own hash is that of its content, and stands in its place."""
    content, body = certificate.content, certificate.body()
    in_place = list(content) == [*body, *(name for name in _OUTSIDE if name in content)]
    try:
        return in_place and _own_hash(body) == content.get("sha256")
    except ValueError:  # NaN, which is in no certificate
        return False


def _own_hash(body: Mapping[str, Any]) -> str:
    # of the text as it stands, so that fields which changed places are noticed too
    return hashlib.sha256(pretty(body)).hexdigest()
