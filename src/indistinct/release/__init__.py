"""The release folder: data, note on method, contract, certificate; and the holder's own part."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.release.audit import AuditTrail, Entry
    from indistinct.release.canonical_json import canonical, digest, file_digest, pretty
    from indistinct.release.certificate import Certificate, check_signature, make_certificate
    from indistinct.release.chain import Head, TrailCheck
    from indistinct.release.checking import FolderCheck, check_folder, kind_of_folder
    from indistinct.release.claims import against_file
    from indistinct.release.contract import Contract, write_contract
    from indistinct.release.copies import SettledCopies, settle_copies
    from indistinct.release.few import rounding_base
    from indistinct.release.folder import Prover, ReleaseFolder, sign, write_release
    from indistinct.release.locking import locked
    from indistinct.release.methodology import generalised_labels, told_steps, write_methodology
    from indistinct.release.noting import note_on_project, noted
    from indistinct.release.origin import read_origin
    from indistinct.release.parts import CERTIFICATE, DATA_NAMES, LEDGER
    from indistinct.release.sealing import seal_folder
    from indistinct.release.signing import PublicKey, SigningKey
    from indistinct.release.terms import Terms, check_terms
    from indistinct.release.verdict import VERDICT_FIELDS, attacked_with, told_verdict

open_doorway(__name__)
