"""JSON lines: an object per line, its members the variables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from indistinct.core import InputError, progress
from indistinct.core.doors import open_file
from indistinct.files.parquet import staging_path
from indistinct.files.source import Source
from indistinct.files.values import stage_values

__all__ = ["read_json_lines"]

_LINES = 20_000
_LONGEST = 1 << 24
"""Bytes of a line, as of a record of a CSV file."""


def read_json_lines(path: Path, *, workspace: Path) -> Source:
    """Read a file of JSON lines into the workspace.

    A member that a record lacks, null and empty text are missing.
    """
    target = staging_path(workspace, path.name)
    variables, records = stage_values(lambda: _pieces(path), target=target, origin=str(path))
    if not records:
        raise InputError(f"{path} has no records.")
    return Source(target, str(path), variables, records, ("JSON lines",))


def _pieces(path: Path) -> Iterator[dict[str, list[Any]]]:
    records = _records(path)
    while batch := list(islice(records, _LINES)):
        names = dict.fromkeys(name for record in batch for name in record)
        yield {name: [record.get(name) for record in batch] for name in names}


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with (
        open_file(path, "data") as file,
        progress.task(f"reading {path.name}", total=path.stat().st_size, unit="bytes") as reading,
    ):
        number = 0
        while line := file.readline(_LONGEST + 1):
            number += 1
            reading.advance(len(line))
            if len(line) > _LONGEST:
                raise InputError(f"{path}: line {number:,} has more than {_LONGEST >> 20} MB.")
            if line.strip():
                yield _record(path, number, line)


def _record(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(
            line.decode("utf-8-sig" if number == 1 else "utf-8"),
            object_pairs_hook=_members,
            parse_constant=_refuse,
        )
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: line {number:,} is not UTF-8, as JSON is. Save the file anew as UTF-8."
        ) from None
    except (ValueError, RecursionError):
        # the parser's own message can show a value
        raise InputError(
            f"{path}: line {number:,} is not one JSON object with a name for every member, none "
            'of them twice. Write an object per line, as {"age": 40}.'
        ) from None
    if not isinstance(found, dict):
        raise InputError(
            f"{path}: line {number:,} is not a JSON object. Write an object per line, as "
            '{"age": 40}.'
        )
    if not found:
        raise InputError(f"{path}: line {number:,} is an object without members. Remove the line.")
    return found


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs) or not all(members):
        raise ValueError("a name is there twice, or empty")
    return members


def _refuse(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
