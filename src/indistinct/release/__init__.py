"""The release folder: data, note on method, contract, certificate; and the holder's own part."""

from indistinct.arguments import check_arguments
from indistinct.release.audit import AuditTrail, Entry
from indistinct.release.canonical import canonical, digest, file_digest
from indistinct.release.certificate import Certificate, check_signature, make_certificate
from indistinct.release.chain import Head, TrailCheck
from indistinct.release.checking import FolderCheck, check_folder, kind_of_folder
from indistinct.release.claims import against_file
from indistinct.release.contract import Contract, write_contract
from indistinct.release.copies import SettledCopies, settle_copies
from indistinct.release.folder import (
    Prover,
    ReleaseFolder,
    sign,
    write_release,
)
from indistinct.release.methodology import generalised_labels, told_steps, write_methodology
from indistinct.release.noted import noted
from indistinct.release.origin import read_origin
from indistinct.release.sealing import seal_folder
from indistinct.release.signing import PublicKey, SigningKey
from indistinct.release.terms import Terms, check_terms
from indistinct.release.verdict import VERDICT_FIELDS, attacked_with, told_verdict

__all__ = [
    "VERDICT_FIELDS",
    "AuditTrail",
    "Certificate",
    "Contract",
    "Entry",
    "FolderCheck",
    "Head",
    "Prover",
    "PublicKey",
    "ReleaseFolder",
    "SettledCopies",
    "SigningKey",
    "Terms",
    "TrailCheck",
    "against_file",
    "attacked_with",
    "canonical",
    "check_folder",
    "check_signature",
    "check_terms",
    "digest",
    "file_digest",
    "generalised_labels",
    "kind_of_folder",
    "make_certificate",
    "noted",
    "read_origin",
    "seal_folder",
    "settle_copies",
    "sign",
    "told_steps",
    "told_verdict",
    "write_contract",
    "write_methodology",
    "write_release",
]

check_arguments(__name__)
