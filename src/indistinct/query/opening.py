"""Finding the released records, and what is promised of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from indistinct.errors import InputError
from indistinct.files import Source, open_data
from indistinct.files import workspace as private_workspace
from indistinct.query.answer import Answer
from indistinct.query.session import QuerySession
from indistinct.release.checking import check_folder
from indistinct.release.parts import CERTIFICATE, DATA_NAMES, LEDGER

__all__ = ["Released", "ask", "open_released", "start_session"]

SMALLEST = 5
"""The fewest records of an answer where nothing says what k was promised."""


@dataclass(frozen=True)
class Released:
    """Released records, and what is known of the promise that came with them.

    Parameters
    ----------
    source
        The records.
    k
        The k that was promised, or None.
    proved
        Whether a certificate says that the promise was proved, of exactly these bytes.
    why_not
        If not, why, for people.
    """

    source: Source
    k: int | None
    proved: bool
    why_not: str = ""


def open_released(where: str | Path, *, workspace: Path) -> Released:
    """Open a release folder, or a released file.

    A file inside a release folder is taken with the folder's certificate.
    """
    path = Path(where)
    if path.suffix.lower() == ".toml" and path.is_file():
        raise InputError(
            f"{path} is a project file, which leads to private data. Say for whom the question is "
            "with a recipient of it (--recipient NAME), or give a release folder."
        )
    folder = path if path.is_dir() else path.parent
    data = _data_of(path) if path.is_dir() else path
    source = open_data(data, workspace=workspace)
    if data.name not in DATA_NAMES:
        return Released(source, None, False, "the file has no certificate")
    proved, k, why_not = _promise(folder, data)
    return Released(source, k, proved, why_not)


def _data_of(folder: Path) -> Path:
    found = [folder / name for name in DATA_NAMES if (folder / name).is_file()]
    if not found:
        raise InputError(
            f"There are no released data in {folder}: none of {', '.join(DATA_NAMES)} is there. "
            "Give the folder that 'indistinct protect --out' wrote, or a released file."
        )
    if len(found) > 1:
        raise InputError(
            f"{folder} holds {' and '.join(path.name for path in found)}. Name the file to ask."
        )
    return found[0]


def _promise(folder: Path, data: Path) -> tuple[bool, int | None, str]:
    """Return whether the promise was proved, what k it was, and why it was not."""
    if not (folder / CERTIFICATE).is_file():
        return False, _ledger_k(folder), "the release has no certificate"
    try:
        checked = check_folder(folder, recipient=True, any_version=True)
    except InputError:
        return False, _ledger_k(folder), "the release folder is not whole"
    certificate = checked.certificate
    if certificate is None or not checked.whole or checked.data != data:
        return False, _ledger_k(folder), "the release is not as its certificate says"
    k = _as_k(certificate.content.get("k"))
    if not certificate.proved:
        return False, k, "the certificate of the release says that it is not proved"
    return True, k, ""


def _ledger_k(folder: Path) -> int | None:
    """Return the k of the holder's ledger, where it is there and may be read."""
    try:
        content = json.loads((folder / LEDGER).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return _as_k(content.get("k")) if isinstance(content, dict) else None


def _as_k(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def start_session(
    released: Released,
    *,
    smallest: int | None = None,
    listing: bool | None = None,
    log: str | Path | None = None,
) -> QuerySession:
    """Start a conversation with released records.

    Parameters
    ----------
    smallest
        The fewest records that an answer may rest on; by default the k of the release, or 5.
    listing
        Whether single records may be told; by default if the release was proved.
    log
        A file that keeps what was answered, for later sessions.
    """
    notes = []
    if smallest is None and released.k is None:
        notes.append(f"No k is known of this release; no answer rests on fewer than {SMALLEST}.")
    return QuerySession(
        released.source,
        smallest=smallest if smallest is not None else released.k or SMALLEST,
        listing=released.proved if listing is None else listing,
        why_not=released.why_not,
        log=Path(log) if log is not None else None,
        notes=notes,
    )


def ask(
    release: str | Path,
    sql: str,
    *,
    smallest: int | None = None,
    listing: bool | None = None,
    log: str | Path | None = None,
) -> Answer:
    """Answer one question from released records, never from private ones.

    Parameters
    ----------
    release
        A release folder, or a released file.
    sql
        One SELECT about the table ``data``.
    smallest, listing, log
        See `start_session`.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "released.csv"
    >>> _ = file.write_text("sex,born\\n" + "m,1961\\n" * 7 + "f,1961\\n" * 6 + "f,1975\\n" * 2)
    >>> ask(file, "select sex, count(*) as people from data group by sex", smallest=5)
    sex  people
    ---  ------
    f         8
    m         7
    2 rows (no answer on fewer than 5 records)
    """
    with (
        private_workspace() as folder,
        start_session(
            open_released(release, workspace=folder), smallest=smallest, listing=listing, log=log
        ) as session,
    ):
        return session.ask(sql)
