"""Finding the released records, and what is promised of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from indistinct.core import InputError, at_least
from indistinct.core.doors import read_file
from indistinct.engine import start_engine
from indistinct.files import Source, open_data
from indistinct.files import workspace as private_workspace
from indistinct.naming import find_person
from indistinct.query.answer import Answer
from indistinct.query.bound import Bound, Guess, Number
from indistinct.query.coding import as_ranges
from indistinct.query.kept import private_folder
from indistinct.query.log import Log, who_asks
from indistinct.query.session import QuerySession
from indistinct.release import CERTIFICATE, DATA_NAMES, LEDGER, check_folder, file_digest

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
    beside
        The folder beside the release, or of a file by itself, where a log of questions is kept.
    digest
        The hash of its bytes.
    why_not
        If it was not proved, why, for people.
    person
        The column that numbers people who have several records, where one was found.
    """

    source: Source
    k: int | None
    proved: bool
    beside: Path
    digest: str
    why_not: str = ""
    person: str | None = None


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
    proved, k, why_not = False, None, "the file has no certificate"
    if data.name in DATA_NAMES:
        proved, k, why_not = _promise(folder, data)
    person = None
    if not proved:
        with start_engine(workspace=workspace) as engine:
            person = find_person(engine, source)
    return Released(source, k, proved, _beside(data), file_digest(data), why_not, person)


def _beside(data: Path) -> Path:
    """Return where the log is kept: beside the file itself, by whatever link it was asked.

    A release folder is kept as it was written, so that it is beside that.
    """
    home = data.resolve().parent
    sealed = [folder for folder in (home, *home.parents) if os.path.lexists(folder / CERTIFICATE)]
    return sealed[-1].parent if sealed else home


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
        # by the holder's ledger too, where it is there: a certificate can be written anew
        checked = check_folder(folder, any_version=True)
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
        content = json.loads(read_file(folder / LEDGER, "ledger"))
    except (InputError, ValueError, RecursionError):
        return None
    return _as_k(content.get("k")) if isinstance(content, dict) else None


def _as_k(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def start_session(
    released: Released,
    *,
    smallest: Annotated[int, at_least(1)] | None = None,
    listing: bool | None = None,
    guess: Guess | None = None,
    tables: Number | None = None,
    ranges: Mapping[str, Any] | None = None,
    person: str | None = None,
    most: Number | None = None,
    log: str | Path | None = None,
    who: str | None = None,
) -> QuerySession:
    """Start a conversation with released records.

    Parameters
    ----------
    smallest
        The fewest records, or people as they show, of a row that is told; by default the k of the
        release, or 5, and 1 where answers are exact.
    listing
        Whether single records may be seen, and answers are exact; by default if the release was
        proved. True is the holder's word for it.
    guess, tables, most
        What may be learnt of one person from all answers together, see `Bound`; by default as the
        log began, or 0.7, 20, and 1 (4 where people have several records).
    ranges, person, who
        See `QuerySession`. By default the column that numbers people is looked for.
    log
        A file that keeps who asked what; by default one beside the data, in ``.indistinct/asked``.
        Exact answers are logged where a file is named.
    """
    exact = released.proved if listing is None else listing
    if exact:
        noisy = {"guess": guess, "tables": tables, "most": most, "ranges": ranges, "person": person}
        for name, given in noisy.items():
            if given is not None:
                raise InputError(
                    f"{name} is for records that are asked with noise. These may be seen one by "
                    "one, and answers are exact: leave it out."
                )
        kept = None if log is None else Path(log)
        return QuerySession(
            released.source,
            exact=True,
            smallest=smallest,
            log=kept,
            records=released.digest,
            who=who,
        )
    # what is refused has made no folder for a log
    given = {"guess": guess, "tables": tables, "most": most}
    Bound(**{name: value for name, value in given.items() if value is not None})
    as_ranges(ranges, list(released.source.variables))
    released.source.check_columns([person] if person is not None else [])
    who_asks(who)
    if log is None:
        log = private_folder(released.beside, "asked") / f"{released.digest[:24]}.jsonl"
    begun = Log(Path(log), records=released.digest, bound=None).promised()
    person = person or released.person
    default = begun or Bound(most=4 if person is not None else 1)
    bound = Bound(
        default.guess if guess is None else guess,
        default.tables if tables is None else tables,
        default.most if most is None else most,
    )
    return QuerySession(
        released.source,
        smallest=smallest if smallest is not None else released.k or SMALLEST,
        bound=bound,
        ranges=ranges,
        person=person,
        log=Path(log),
        records=released.digest,
        who=who,
        why_not=released.why_not or "the holder says so",
    )


def ask(release: str | Path, question: str, **options: Any) -> Answer:
    """Answer one question from released records, never from private ones.

    Parameters
    ----------
    release
        A release folder, or a released file.
    question
        For example ``select sex, count(*) from data group by sex``.
    options
        See `start_session`.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "released.csv"
    >>> _ = file.write_text("sex,born\\n" + "m,1961\\n" * 700 + "f,1961\\n" * 600)
    >>> answer = ask(file, "select sex, count(*) as people from data group by sex", who="Ann")
    >>> answer.columns, [row[0] for row in answer.rows[:2]]
    (('sex', 'people'), ['f', 'm'])
    >>> all(abs(row[1] - true) < 60 for row, true in zip(answer.rows[:2], (600, 700)))
    True
    """
    with (
        private_workspace() as folder,
        start_session(open_released(release, workspace=folder), **options) as session,
    ):
        return session.ask(question)
