"""Letters that are zip files of XML: read within bounds, and written with nothing but the letter.

What is decided here: a file is a stranger's. Members are taken by name and never unpacked to the
disk; what they say of their sizes is not believed, but bytes are counted while they come; what is
not asked for (pictures, objects, macros) is never opened.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from indistinct.scrub.decoding import NotText

__all__ = ["ZIP", "ZippedLetter", "zipped"]

ZIP = b"PK\x03\x04"
MOST_MEMBERS = 5_000
LARGEST_PART = 40_000_000
"""Bytes of XML of one part: the text of a long book, and all of its marks, has a tenth."""
RATIO = 250
HARMLESS = 1_000_000
"""Bytes up to which a part may be packed as tight as it will."""
_CHUNK = 1 << 16
_BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError)
_WHEN = (1980, 1, 1, 0, 0, 0)


class ZippedLetter:
    """The members of a zip file, each read when it is asked for."""

    def __init__(self, raw: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
        except (*_BROKEN, ValueError):
            raise NotText("is not a whole zip file, or not of its kind. Save it again") from None
        entries = self._zip.infolist()
        if len(entries) > MOST_MEMBERS:
            raise NotText(f"has more than {MOST_MEMBERS:,} files in it, as no letter has")
        self._entries: dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            place = PurePosixPath(entry.filename.replace("\\", "/"))
            if place.is_absolute() or ".." in place.parts or ":" in entry.filename:
                raise NotText("names files outside of itself, as an honest letter does not")
            if entry.flag_bits & 1:
                raise NotText("is protected by a password. Save it without one")
            if entry.filename in self._entries:
                raise NotText("has two files of one name in it, of which programs read either")
            self._entries[entry.filename] = entry
        self._came = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members."""
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def part(self, name: str) -> bytes:
        """Return a member, as far as a letter goes."""
        entry = self._entries.get(name)
        if entry is None:
            raise NotText("is not whole: a part of it is missing. Save it again")
        pieces, came = [], 0
        try:
            with self._zip.open(entry) as opened:
                while piece := opened.read(_CHUNK):
                    came += len(piece)
                    self._came += len(piece)
                    packed = max(entry.compress_size, 1)
                    if self._came > LARGEST_PART or (came > HARMLESS and came > RATIO * packed):
                        raise NotText(
                            f"holds more than {came // 1_000:,} KB in {packed / 1e3:,.1f} KB, "
                            "which no letter does: reading was stopped"
                        )
                    pieces.append(piece)
        except _BROKEN:
            raise NotText("is not a whole zip file. Save it again") from None
        return b"".join(pieces)


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts, in their order; the same parts give the same bytes.

    A part called ``mimetype`` is not packed, as OpenDocument wants it.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.create_system = 0
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            made.writestr(entry, content)
    return target.getvalue()
