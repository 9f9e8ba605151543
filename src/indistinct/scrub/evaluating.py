"""How good the search is, on letters whose references people have marked."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from indistinct.core import InputError
from indistinct.core.doors import open_file
from indistinct.scrub.documents import Document
from indistinct.scrub.text.baselines import FourRows, four_rows
from indistinct.scrub.text.evaluating import Annotated

__all__ = ["annotated", "compare_with_gold", "read_gold"]

_SHAPE = (
    'It must be a JSON object with "id" and "spans", each span with "start", "end" and "label" in '
    "the text."
)


def read_gold(path: Path) -> dict[str, dict[str, Any]]:
    """Read what people marked, by document: JSON lines with ``id`` and ``spans``."""
    gold: dict[str, dict[str, Any]] = {}
    try:
        with io.TextIOWrapper(open_file(path, "annotated file"), encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    content = json.loads(line)
                    known = {n: content[n] for n in content if n not in ("text", "source")}
                    if not isinstance(known["spans"], list):
                        raise TypeError
                    name = str(known.get("id", number))
                except (ValueError, KeyError, TypeError, RecursionError):
                    raise InputError(
                        f"{path}, line {number:,}: not an annotated document. {_SHAPE}"
                    ) from None
                if name in gold:
                    raise InputError(f"{path}, line {number:,}: its id is that of an earlier line.")
                gold[name] = {**known, "line": number}
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8. Save it as UTF-8.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if not gold:
        raise InputError(f"{path} holds no annotated documents. {_SHAPE}")
    return gold


def annotated(
    documents: Iterable[Document], gold: dict[str, dict[str, Any]], path: Path
) -> Iterator[Annotated]:
    """Give the documents that people have marked, with their marks."""
    for document in documents:
        name = str(document.id)
        if name not in gold:
            name = PurePosixPath(name).stem
        if document.text is None or name not in gold:
            continue
        marks = gold[name]
        try:
            yield Annotated.of({**marks, "text": document.text})
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{path}, line {marks['line']:,}: the marks do not fit the text of "
                f"{document.place}. {_SHAPE}"
            ) from None


def compare_with_gold(documents: Iterable[Document], path: Path) -> FourRows:
    """Compare two plain searches and Scrub at two thresholds, on documents that people marked."""
    found = four_rows(annotated(documents, read_gold(path), path))
    if not found.rows[0].documents:
        raise InputError(
            f"No document has marks in {path}. The ids must be the same: name the field with "
            "--id-field."
        )
    return found
