"""What is written: letters under numbers, JSON lines, and the private list of what was found.

What is decided here: nothing but what the scrubber returned is ever written as text. A file's name
may say whom the letter is about, so letters are numbered; an id or a patient's number that holds
something which was removed from the text is replaced as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

from indistinct.files import written_whole
from indistinct.scrubbing.documents import Treated
from indistinct.scrubbing.reading import Letters, is_json_lines
from indistinct.text.replace.secret import Secret

__all__ = ["LetterFolder", "Nowhere", "Spans", "Writer", "safe_id"]

_SUFFIXES = (".txt", ".xml", ".html", ".htm", ".md", ".csv", ".tsv")
_WORD = re.compile(r"[^\W_]+")


class Writer(Protocol):
    """Writes documents as they come."""

    def write(self, treated: Treated) -> str | None:
        """Write one, if it is not withheld, and return under which name."""


class Nowhere:
    """Writes nothing: for looking only."""

    def write(self, treated: Treated) -> str | None:
        """Write nothing."""
        return None


class LetterFolder:
    """A folder of letters: texts as files of their own, JSON lines as JSON lines; see `opened`."""

    def __init__(self, folder: Path, letters: Letters, secret: Secret, keep_names: bool) -> None:
        self._folder = folder
        self._letters = letters
        self._secret = secret
        self._keep_names = keep_names
        self._opened: tuple[int, IO[str], str] | None = None
        self._files = 0

    @classmethod
    @contextmanager
    def opened(
        cls, folder: Path, letters: Letters, *, secret: Secret, keep_names: bool
    ) -> Iterator[LetterFolder]:
        """Write to an empty folder.

        Parameters
        ----------
        letters
            What is read, for its fields.
        secret
            What ids are drawn with that take the place of telling ones.
        keep_names
            Whether files keep their names.
        """
        made = cls(folder, letters, secret, keep_names)
        try:
            yield made
        finally:
            made._close()

    def write(self, treated: Treated) -> str | None:
        """Write one document, if it is not withheld, and return its file's name."""
        if treated.text is None:
            return None
        document = treated.document
        source = Path(document.source)
        if is_json_lines(source):
            file, name = self._lines(document.part, source)
            file.write(json.dumps(self._object(treated), ensure_ascii=False) + "\n")
            return name
        name = self._name(document.number, str(document.id))
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(treated.text.encode("utf-8"))
        return name

    def _lines(self, part: int, source: Path) -> tuple[IO[str], str]:
        if self._opened is None or self._opened[0] != part:
            self._close()
            self._files += 1
            name = f"letters-{self._files}.jsonl" if self._files > 1 else "letters.jsonl"
            if self._keep_names and not (self._folder / source.name).exists():
                name = source.name
            file = (self._folder / name).open("w", encoding="utf-8", newline="\n")
            self._opened = (part, file, name)
        return self._opened[1], self._opened[2]

    def _close(self) -> None:
        if self._opened is not None:
            self._opened[1].close()
            self._opened = None

    def _name(self, number: int, given: str) -> str:
        suffix = PurePosixPath(given).suffix.lower()
        numbered = f"letter-{number:06}{suffix if suffix in _SUFFIXES else '.txt'}"
        if not self._keep_names:
            return numbered
        parts = [part for part in PurePosixPath(given).parts if part not in ("/", "..", ".")]
        kept = PurePosixPath(*parts)
        return numbered if not parts or (self._folder / kept).exists() else str(kept)

    def _object(self, treated: Treated) -> dict[str, Any]:
        letters, kept = self._letters, dict(treated.document.kept)
        for name, kind in ((letters.id_field, "document"), (letters.patient_field, "patient")):
            if name is not None and name in kept and name not in letters.keep_fields:
                kept[name] = safe_id(kept[name], treated, kind=kind, secret=self._secret)
        first = {letters.id_field: kept.pop(letters.id_field)} if letters.id_field in kept else {}
        return {**first, letters.text_field: treated.text, **kept}


def safe_id(given: Any, treated: Treated, *, kind: str, secret: Secret) -> Any:
    """Return an id as it is, or a made-up one where it holds what was removed from the text.

    Words and numbers count from three characters on; equal ids get equal ones in their place.
    """
    words = {word.lower() for word in _WORD.findall(str(given)) if len(word) > 2}
    whole = "".join(_WORD.findall(str(given))).lower()
    for _, removed in treated.removed():
        gone = [word.lower() for word in _WORD.findall(removed) if len(word) > 2]
        joined = "".join(gone)
        if words & set(gone) or (len(joined) > 3 and joined in whole):
            return f"{kind}-{secret.draw(kind, str(given))[:5].hex()}"
    return given


class Spans:
    """The private list: a JSON line per document with everything that was found in it."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Spans]:
        """Write to a file that appears when all went well."""
        with (
            written_whole(path, private=True) as aside,
            aside.open("w", encoding="utf-8", newline="\n") as file,
        ):
            yield cls(file)

    def write(self, treated: Treated, name: str | None) -> None:
        """Add one document."""
        line: dict[str, Any] = {
            "id": treated.document.id,
            "spans": [one.to_dict() for one in treated.outcome.found],
        }
        if name is not None:
            line["written"] = name
        if treated.text is None:
            line["withheld"] = treated.reason
        self._file.write(json.dumps(line, ensure_ascii=True) + "\n")
