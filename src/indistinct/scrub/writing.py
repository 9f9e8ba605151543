"""What is written: letters under numbers, JSON lines, and the private list of what was found.

What is decided here: nothing but what the scrubber returned is ever written as text. A file's name
may say whom the letter is about, so letters are numbered; whom a letter is about is replaced, and
so is an id that names somebody or holds something which was removed from the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

from indistinct.core import for_json
from indistinct.files import written_whole
from indistinct.knowledge import plain
from indistinct.release import parts
from indistinct.scrub.documents import Treated
from indistinct.scrub.formats.every import format_by_name
from indistinct.scrub.reading import Letters, is_json_lines
from indistinct.scrub.tallying import ABOUT
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.treating import TELLING_ID

__all__ = ["LetterFolder", "Nowhere", "Spans", "Writer", "safe_id"]

_SUFFIXES = (".txt", ".xml", ".html", ".htm", ".md")
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
            Whether files keep their names, where these name nobody.
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
            file.write(for_json(self._object(treated)) + "\n")
            return name
        name = self._name(treated)
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as opened:
            opened.write(treated.content or treated.text.encode("utf-8"))
        return name

    def _lines(self, part: int, source: Path) -> tuple[IO[str], str]:
        if self._opened is None or self._opened[0] != part:
            self._close()
            self._files += 1
            name = source.name
            if not self._keep_names or not self._is_free(PurePosixPath(name)):
                numbered = (f"letters-{n}.jsonl" if n > 1 else "letters.jsonl" for n in count(1))
                name = self._first_free(islice(numbered, self._files - 1, None))
            file = (self._folder / name).open("x", encoding="utf-8", newline="\n")
            self._opened = (part, file, name)
        return self._opened[1], self._opened[2]

    def _close(self) -> None:
        if self._opened is not None:
            self._opened[1].close()
            self._opened = None

    def _name(self, treated: Treated) -> str:
        given = PurePosixPath(str(treated.document.id))
        form = format_by_name(treated.document.form)
        suffix = given.suffix.lower()
        if form is not None:
            suffix = form.written
        elif suffix not in _SUFFIXES:
            suffix = ".txt"
        steps = [step for step in given.parts if step not in ("/", "..", ".")]
        kept = PurePosixPath(*steps)
        if form is not None and steps:
            kept = kept.with_suffix(suffix)
        if self._keep_names and steps and not is_telling(kept, treated) and self._is_free(kept):
            return str(kept)
        numbers = count(treated.document.number)
        return self._first_free(f"letter-{n:06}{suffix}" for n in numbers)

    def _is_free(self, name: PurePosixPath) -> bool:
        """Say whether a name can be given: no part of every folder, nor of or below a file."""
        if name.parts[0].casefold() in (ABOUT, parts.CERTIFICATE, parts.PRIVATE):
            return False
        above = [self._folder / folder for folder in name.parents][:-1]
        return not (self._folder / name).exists() and not any(place.is_file() for place in above)

    def _first_free(self, names: Iterable[str]) -> str:
        return next(name for name in names if self._is_free(PurePosixPath(name)))

    def _object(self, treated: Treated) -> dict[str, Any]:
        letters, kept = self._letters, dict(treated.document.kept)
        # the text is what the scrubber returned, whatever else is kept
        kept.pop(letters.text_field, None)
        for name in [name for name in kept if name not in letters.keep_fields]:
            if name == letters.patient_field:
                kept[name] = _made_up(kept[name], kind="patient", secret=self._secret)
            else:
                kept[name] = safe_id(kept[name], treated, secret=self._secret)
        first = {letters.id_field: kept.pop(letters.id_field)} if letters.id_field in kept else {}
        return {**first, letters.text_field: treated.text, **kept}


def safe_id(given: Any, treated: Treated, *, secret: Secret) -> Any:
    """Return an id as it is, or a made-up one where it tells somebody.

    It does where the search finds somebody in it, and where it shares something with what was
    removed from the text or with whom the text is about: a word or number of three characters, or
    four in a row, without regard to case, accents, signs between and leading zeros. Of whom the
    text is about, every sign counts.
    """
    about = treated.document.patient
    if is_telling(given, treated) or (about is not None and _shared(str(given), about, least=1)):
        return _made_up(given, kind="document", secret=secret)
    return given


def is_telling(name: object, treated: Treated) -> bool:
    """Say whether a name shares something with what was removed, or names somebody by itself."""
    if treated.outcome.facts.get(TELLING_ID):
        return True
    return any(_shared(str(name), removed) for _, removed in treated.removed())


def _made_up(given: Any, *, kind: str, secret: Secret) -> str:
    """Return what takes the place of an id: the same for the same id."""
    return f"{kind}-{secret.draw(kind, str(given))[:8].hex()}"


def _shared(one: str, other: str, *, least: int = 3) -> bool:
    words = [
        {word for word in _WORD.findall(plain(text)) if len(word) >= least} for text in (one, other)
    ]
    if words[0] & words[1]:
        return True
    joined = ["".join(_WORD.findall(plain(text))) for text in (one, other)]
    digits = ["".join(c for c in text if c.isdigit()).lstrip("0") for text in joined]
    return any(_within(a, b) or _within(b, a) for a, b in (joined, digits))


def _within(part: str, whole: str) -> bool:
    return part == whole if len(part) == 3 else len(part) > 3 and part in whole


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
        if treated.document.left_out:
            line["left_out"] = dict(treated.document.left_out)
        if treated.text is None:
            line["withheld"] = treated.reason
        self._file.write(json.dumps(line, ensure_ascii=True) + "\n")
