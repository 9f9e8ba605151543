"""Packed files: what a gz, bz2, xz, zst or zip file holds, unpacked once into the workspace.

What is decided here: a packed file is a stranger's. What it holds is written under a name of our
own, never under one that the packing tells; what it says of its sizes is not believed, but the
bytes are counted while they come; and it ends where no honest file of records goes on.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import secrets
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

import pyarrow as pa

from indistinct.core import InputError, did_you_mean, progress
from indistinct.core.doors import open_file
from indistinct.files.formats import KNOWN, PACKED

__all__ = ["Bound", "several_tables", "unpack"]

_CHUNK = 1 << 20
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, pa.ArrowException)


class Bound:
    """Counts what comes out of a packed file, and refuses more than records can be.

    Text of records is packed to a hundredth at best; a bomb to a thousandth.
    """

    LARGEST = 100_000_000_000
    """Bytes that a packed file may hold."""
    RATIO = 250
    """Times its own size that it may hold, beyond what is harmless at any ratio."""
    HARMLESS = 100_000_000

    def __init__(self, path: Path, *, largest: int = LARGEST) -> None:
        self._path = path
        self._packed = path.stat().st_size
        self._largest = largest
        self._came = 0

    def add(self, came: int) -> None:
        """Count bytes that came."""
        self._came += came
        if self._came > self._largest or (
            self._came > self.HARMLESS and self._came > self.RATIO * self._packed
        ):
            raise InputError(
                f"{self._path} holds more than {self._came // 1_000_000:,} MB in "
                f"{self._packed / 1e6:,.1f} MB, which a file of records does not: reading was "
                "stopped. If you trust it, unpack it yourself and give what was in it."
            )


def several_tables(path: object, kind: str, names: list[str], asked: str | None) -> InputError:
    """Return the error that lists the tables of a file: which one is meant was not said."""
    shown = ", ".join(f"'{name}'" for name in names[:20]) + (", …" if len(names) > 20 else "")
    if asked is not None:
        hint = did_you_mean(asked, names)
        near = f" {hint}" if hint.startswith("Did") else ""
        return InputError(f"{path} has no {kind} '{asked}'.{near} It has: {shown}.")
    return InputError(
        f"{path} has {len(names):,} {kind}s: {shown}. Say which with --table (in Python table=, "
        "in a project file [data] table)."
    )


def unpack(path: Path, *, workspace: Path, table: str | None) -> tuple[Path, str | None]:
    """Unpack a file; return the path of what it holds, and the table to take from that."""
    if path.suffix.lower() == ".zip":
        inner, suffix, rest = _from_zip(path, table)
    else:
        inner, suffix, rest = _stream(path), Path(path.stem).suffix.lower(), table
    target = workspace / f"unpacked.{secrets.token_hex(4)}{suffix}"
    bound = Bound(path)
    with (
        inner as source,
        target.open("xb") as file,
        progress.task(f"unpacking {path.name}", unit="bytes") as unpacking,
    ):
        while chunk := _read(source, path):
            bound.add(len(chunk))
            file.write(chunk)
            unpacking.advance(len(chunk))
    if not target.stat().st_size:
        raise InputError(f"{path} is empty. It needs a header and at least one record.")
    return target, rest


def _read(source: IO[bytes], path: Path) -> bytes:
    try:
        return source.read(_CHUNK)
    except _BROKEN as error:
        raise _unreadable(path, error) from None


def _stream(path: Path) -> IO[bytes]:
    file = open_file(path, "data")
    suffix = path.suffix.lower()
    if suffix == ".zst":
        return cast(IO[bytes], pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"))
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    return cast(IO[bytes], openers[suffix](file, "rb"))


def _from_zip(path: Path, table: str | None) -> tuple[IO[bytes], str, str | None]:
    """Open the one table of a zip file, or the one asked for."""
    try:
        packed = zipfile.ZipFile(open_file(path, "data"))
    except _BROKEN as error:
        raise _unreadable(path, error) from None
    inside = [entry for entry in packed.infolist() if not entry.is_dir()]
    for entry in inside:
        place = PurePosixPath(entry.filename.replace("\\", "/"))
        if place.is_absolute() or ".." in place.parts or ":" in entry.filename:
            raise InputError(
                f"{path} names files outside of itself, as an honest zip file does not. Nothing "
                "was unpacked. Pack the table anew."
            )
    tables = {
        entry.filename: entry
        for entry in inside
        if entry.filename.lower().endswith(KNOWN)
        and not entry.filename.lower().endswith(PACKED)
        and not entry.filename.startswith("__MACOSX/")
    }
    if not tables:
        raise InputError(
            f"{path} holds no table of a format that is known. Unpack it, and give what was in it."
        )
    chosen, rest = _chosen(path, list(tables), table)
    entry = tables[chosen]
    if entry.flag_bits & 1:
        raise InputError(
            f"{path} is protected by a password. Unpack it yourself, and give what was in it."
        )
    try:
        return packed.open(entry), Path(chosen).suffix.lower(), rest
    except (*_BROKEN, RuntimeError, NotImplementedError) as error:
        raise _unreadable(path, error) from None


def _chosen(path: Path, names: list[str], table: str | None) -> tuple[str, str | None]:
    """Return the file that is meant, and the table within it: ``people.xlsx/Sheet1``."""
    if table is not None:
        for name in names:
            if table in (name, PurePosixPath(name).name, PurePosixPath(name).stem):
                return name, None
            if table.startswith(f"{name}/"):
                return name, table[len(name) + 1 :]
    if len(names) == 1:
        return names[0], table
    raise several_tables(path, "table", names, table)


def _unreadable(path: Path, error: BaseException) -> InputError:
    if isinstance(error, NotImplementedError):
        return InputError(
            f"{path} is packed in a way that is not known. Unpack it, and give what was in it."
        )
    kind = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower(), path.suffix.lower()[1:])
    return InputError(f"{path} is not a whole {kind} file. Compress it again, or give it plain.")
