"""Those who are known beforehand: the holder's own list of patients and staff."""

from __future__ import annotations

from pathlib import Path

from indistinct.core import InputError
from indistinct.files import open_data
from indistinct.scrub.text.identities import guess_columns
from indistinct.scrub.treating import Known

__all__ = ["known_people"]


def known_people(path: Path, workspace: Path) -> Known:
    """Read a table of people: what its headings say are names, numbers, addresses and dates.

    Rows and not what is made of them are sent to other processes, where hashes are others.
    """
    source = open_data(path, workspace=workspace)
    columns = list(guess_columns(list(source.variables)))
    if not columns:
        raise InputError(
            f"{path} must have a column that names or numbers people, such as first_name, surname, "
            f"birth_date, mrn, phone. Got {', '.join(list(source.variables)[:20])}."
        )
    rows = [row for batch in source.batches(columns) for row in batch.to_pylist()]
    return tuple(rows)
