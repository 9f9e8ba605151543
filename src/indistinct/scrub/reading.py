"""Letters from files, folders and JSON lines, one after the other, never all at once.

What is decided here: whatever cannot be read as text is given on as a document without text and
with the reason, so that it is told and withheld. Files that would not fit are not read at all.
"""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, Any, TypeGuard

import numpy as np

from indistinct.core import InputError, Words, did_you_mean
from indistinct.core.doors import beside, open_file
from indistinct.scrub.columns import is_table
from indistinct.scrub.decoding import NotText, decoded
from indistinct.scrub.documents import Document, is_unicode
from indistinct.scrub.formats.every import LARGEST, LetterFormat, format_of
from indistinct.scrub.laying import taken_out

__all__ = ["JSON_LINES", "Letters", "Seen", "is_json_lines"]


# What has been seen before, at eight bytes each, so that millions of ids fit in memory.


_RECENT = 1 << 16


class Seen:
    """A set that only answers whether it has met something.

    Ids are remembered by 64 bits of a hash: among ten million, two different ones are taken for
    the same with probability 3 in a million.

    >>> seen = Seen()
    >>> seen.before("a"), seen.before("b"), seen.before("a")
    (False, False, True)
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._sorted: list[Words] = []

    def before(self, what: object) -> bool:
        """Say whether it was met before, and remember it."""
        digest = blake2b(repr(what).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        if number in self._recent:
            return True
        for block in self._sorted:
            at = int(np.searchsorted(block, np.uint64(number)))
            if at < len(block) and int(block[at]) == number:
                return True
        self._recent.add(number)
        if len(self._recent) == _RECENT:
            self._store()
        return False

    def _store(self) -> None:
        """Put the recent ones in order; blocks of one size are merged, so that there are few."""
        block = np.sort(np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent)))
        self._recent.clear()
        while self._sorted and len(self._sorted[-1]) <= len(block):
            block = np.sort(np.concatenate([self._sorted.pop(), block]))
        self._sorted.append(block)


JSON_LINES = (".jsonl", ".ndjson")
LONGEST_LINE = 100_000_000
"""Bytes of a line of JSON that are read; longer lines are skipped."""

_PIECE = 1 << 20
_NO_LETTERS = (".", "~$")
"""How names of files begin that are hidden, or that Word keeps beside a letter that is open."""
_HEAD = 1024
"""Bytes of a file by which its kind is known."""


def is_json_lines(path: Path) -> bool:
    """Say whether a file holds a JSON object in each line, by its name."""
    return path.suffix.lower() in JSON_LINES


@dataclass
class Letters:
    """What is to be read, and how.

    Parameters
    ----------
    inputs
        Text files, letters of word processors and others (see `formats`), files of JSON lines, and
        folders of all of them.
    text_field, id_field, patient_field, keep_fields
        Fields of JSON lines. Of all others, nothing is kept: they may say who it is.
    encoding
        Of what has no byte order mark.
    max_characters
        Longer documents are withheld.
    skipped
        Files that are no letters, though they may be among them.

    After reading, `notes` says what was noticed.
    """

    inputs: Sequence[Path]
    text_field: str = "text"
    id_field: str = "id"
    patient_field: str | None = None
    keep_fields: tuple[str, ...] = ()
    encoding: str = "utf-8"
    max_characters: int = 10_000_000
    skipped: Sequence[Path] = ()
    left_out: set[str] = field(default_factory=set)
    again: int = 0
    returned: int = 0

    def __post_init__(self) -> None:
        """Refuse what is not there, before anything is read."""
        if not self.inputs:
            raise InputError("Name the letters: files, a folder, or JSON lines (.jsonl).")
        if self.text_field in (self.id_field, self.patient_field, *self.keep_fields):
            raise InputError(
                f"The field '{self.text_field}' holds the text: it cannot be kept as it is, nor be "
                "an id. Name another field."
            )
        for path in self.inputs:
            if not os.path.lexists(path):
                raise InputError(f"There is no file or folder {path}. {beside(path)}")

    def files(self) -> Iterator[tuple[Path, str, str]]:
        """Give every file with its name: within the folder given, if only one is, else its path.

        And a word why it is not to be read, where there is one. What is given twice is given on
        once. Hidden files are no letters.
        """
        seen = Seen()
        others = {_known(path) for path in self.skipped} - {None}
        alone = len(self.inputs) == 1
        for path in self.inputs:
            for file in _walk(path) if path.is_dir() else (path,):
                name = file.relative_to(path) if alone and file != path else file
                if alone and file == path:
                    name = Path(path.name)
                known = _known(file)
                if known in others:
                    continue
                if known is not None and seen.before(known):
                    self.again += 1
                    continue
                yield file, name.as_posix(), "" if file == path else _not_for_reading(file, path)

    def documents(self) -> Iterator[Document]:
        """Give every document, or the reason why it cannot be read."""
        number = 0
        ids, patients = Seen(), Seen()
        last: str | None = None
        for part, (file, name, fault) in enumerate(self.files()):
            found: Iterable[Document]
            if fault:
                found = (Document(0, str(file), name, None, fault),)
            else:
                found = self._lines(file) if is_json_lines(file) else self._letter(file, name)
            for document in found:
                number += 1
                if document.text is not None and ids.before((type(document.id), document.id)):
                    document = replace(
                        document, text=None, reason="has the id of an earlier document"
                    )
                if document.patient is not None and document.patient != last:
                    self.returned += patients.before(document.patient)
                last = document.patient
                yield replace(document, number=number, part=part)

    def notes(self) -> Iterator[str]:
        """Give what was noticed while reading, for people."""
        if self.again:
            files = "1 file was" if self.again == 1 else f"{self.again:,} files were"
            yield f"{files} given more than once, and read once"
        if self.left_out:
            names = ", ".join(sorted(self.left_out)[:20])
            yield f"fields that were left out: {names}; keep them with --keep-fields"
        if self.returned:
            times = "once" if self.returned == 1 else f"{self.returned:,} times"
            yield (
                f"{times} a patient came back after another: only letters that "
                f"follow each other share what is known of people. Sort them by "
                f"{self.patient_field}"
            )

    def _letter(self, file: Path, name: str) -> Iterator[Document]:
        def without(reason: str) -> Document:
            return Document(0, str(file), name, None, reason)

        form = None
        left_out: dict[str, int] = {}
        try:
            form, raw = self._read(file)
            if form is None:
                text = decoded(raw, self.encoding)
            else:
                sheet = taken_out(form, raw, self.encoding)
                text, left_out = sheet.text, dict(+sheet.left_out)
        except NotText as reason:
            yield without(str(reason))
            return
        except OSError as error:
            yield without(f"cannot be read: {os.strerror(error.errno or 0)}")
            return
        if file.suffix.lower() == ".json":
            yield without("is JSON. Give one object in each line, in a file named .jsonl")
        elif len(text) > self.max_characters:
            yield without(_too_long(self.max_characters))
        elif not is_unicode(text):
            yield without("is not text: it holds halves of characters")
        else:
            kind = "" if form is None else form.name
            yield Document(0, str(file), name, text, form=kind, left_out=left_out)

    def _read(self, file: Path) -> tuple[LetterFormat | None, bytes]:
        """Return the kind of a letter, and its bytes; None for text."""
        known = file.stat()
        if not S_ISREG(known.st_mode):
            raise NotText(_irregular(known.st_mode))
        with open_file(file, "letter") as opened:
            head = opened.read(_HEAD)
            form = format_of(head, file.suffix)
            # no encoding takes more than four bytes for a character
            longest = 4 * self.max_characters + 4 if form is None else LARGEST
            raw = head + opened.read(max(0, longest + 1 - len(head)))
        if len(raw) > longest:
            if form is not None:
                raise NotText(f"has more than {LARGEST // 1_000_000} MB, which no letter has")
            raise NotText(_too_long(self.max_characters))
        return form, raw

    def _lines(self, file: Path) -> Iterator[Document]:
        try:
            mode = file.stat().st_mode
            if not S_ISREG(mode):
                yield Document(0, str(file), str(file), None, _irregular(mode))
                return
            with open_file(file, "file of letters") as opened:
                head = opened.read(4)
                opened.seek(0)
                if b"\0" in head or head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                    reason = "is UTF-16 or binary data. Save it as UTF-8"
                    yield Document(0, str(file), str(file), None, reason)
                    return
                for line, raw in enumerate(_limited_lines(opened), 1):
                    if raw is not None and not raw.strip():
                        continue
                    yield self._object(raw, str(file), line)
        except OSError as error:
            reason = f"cannot be read: {os.strerror(error.errno or 0)}"
            yield Document(0, str(file), str(file), None, reason)

    def _object(self, raw: bytes | None, file: str, line: int) -> Document:
        try:
            content = self._content(raw)
        except NotText as problem:
            return Document(0, file, line, None, str(problem), line=line)
        text = content.get(self.text_field)
        given, patient = content.get(self.id_field), content.get(self.patient_field or "")
        kept = {name: content[name] for name in self.keep_fields if name in content}
        for name, value in ((self.id_field, given), (self.patient_field, patient)):
            if name is not None and _is_id(value):
                kept[name] = value
        self.left_out.update(
            name[:40] for name in content if name not in kept and name != self.text_field
        )
        reason = self._fault(text, content)
        about = str(patient) if _is_id(patient) else None
        return Document(
            0,
            file,
            given if _is_id(given) else line,
            None if reason else text,
            reason,
            line=line,
            patient=about,
            together=about,
            kept=kept,
        )

    def _content(self, raw: bytes | None) -> dict[str, Any]:
        """Return the object of a line, or raise `NotText`."""
        if raw is None:
            raise NotText(f"is longer than {LONGEST_LINE // 1_000_000} MB")
        try:
            content = json.loads(decoded(raw, self.encoding))
        except (ValueError, RecursionError):
            raise NotText("is not valid JSON") from None
        if not isinstance(content, dict):
            raise NotText("is not a JSON object")
        return content

    def _fault(self, text: Any, content: dict[str, Any]) -> str:
        if self.text_field not in content:
            hint = did_you_mean(self.text_field, content)
            return f"has no field '{self.text_field}'. {hint} Name it with --text-field"
        if not isinstance(text, str):
            return f"has something else than text in '{self.text_field}'"
        if len(text) > self.max_characters:
            return _too_long(self.max_characters)
        if not is_unicode(text) or "\0" in text:
            return "is not text: it holds zeros or halves of characters"
        return ""


def _is_id(value: Any) -> TypeGuard[str | int]:
    if isinstance(value, str):
        return is_unicode(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _known(file: Path) -> tuple[int, int] | None:
    """Return what is one for all names of a file; None where it cannot be looked at."""
    try:
        known = file.stat()
    except OSError:
        return None
    return known.st_dev, known.st_ino


def _not_for_reading(file: Path, folder: Path) -> str:
    """Say why a file in a folder is not read as a letter; nothing if it may be."""
    linked = file.is_symlink() and file.exists()
    if linked and not file.resolve().is_relative_to(folder.resolve()):
        return "is a link to a file outside of the folder. Give that file by its own name"
    packed = file.suffix.lower() == ".gz"
    if is_table(file.with_suffix("") if packed else file):
        return "is a table. Name its text columns with --columns"
    return ""


def _irregular(mode: int) -> str:
    return "is a folder that cannot be read" if S_ISDIR(mode) else "is not a regular file"


def _too_long(most: int) -> str:
    return f"has more than {most:,} characters. Allow more with --max-characters"


def _limited_lines(opened: IO[bytes]) -> Iterator[bytes | None]:
    """Give the lines of a file; None for one that is too long, of which little is held."""
    while line := opened.readline(LONGEST_LINE + 1):
        if len(line) <= LONGEST_LINE:
            yield line
            continue
        del line
        while (piece := opened.readline(_PIECE)) and not piece.endswith(b"\n"):
            pass
        yield None


def _walk(folder: Path) -> Iterator[Path]:
    """Give the files in a folder and those below, by name; hidden ones are left out.

    A folder that cannot be looked into is given in place of its files.
    """
    closed: list[Path] = []
    for place, folders, names in os.walk(
        folder, onerror=lambda error: closed.append(Path(error.filename))
    ):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(_NO_LETTERS):
                yield Path(place, name)
    yield from closed
