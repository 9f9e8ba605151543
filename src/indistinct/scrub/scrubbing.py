"""Scrubbing from beginning to end: letters read, people replaced, written, and told."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from indistinct import files
from indistinct.core import InputError, Variable, Variables, check_whole, for_csv, progress
from indistinct.core.doors import check_new_folder, folder_written_whole, watching
from indistinct.engine import EngineName, available_threads, start_engine
from indistinct.files import dialect_of, parquet_writer, written_whole
from indistinct.project import Project, load_project
from indistinct.release import seal_folder
from indistinct.scrub.asked import Asked
from indistinct.scrub.columns import TableLetters, TableWriter, is_table
from indistinct.scrub.correcting import read_corrections
from indistinct.scrub.documents import Document, Treated
from indistinct.scrub.evaluating import compare_with_gold
from indistinct.scrub.knowing import known_people
from indistinct.scrub.laying import laid_out
from indistinct.scrub.reading import JSON_LINES, Letters
from indistinct.scrub.result import ScrubResult
from indistinct.scrub.streaming import treat_all
from indistinct.scrub.tallying import ABOUT, Tally, about, told_verdict
from indistinct.scrub.text.detective import SCHEMA
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.treating import Scrubbing
from indistinct.scrub.writing import LetterFolder, Nowhere, Spans, Writer

__all__ = ["IdentifierTable", "check_format", "check_places", "check_secret", "scrub"]


# Where things are written: never over what is read, over each other, or among the letters.


def check_places(
    letters: Sequence[Path],
    out: Path | None,
    *private: Path | None,
    others: Iterable[Path] = (),
) -> None:
    """Refuse places that cannot be written, or that are read, before any work.

    Parameters
    ----------
    letters
        What is read: files and folders.
    out
        A new folder.
    private
        Files that must not leave with the folder.
    others
        What is read beside the letters.
    """
    if out is not None:
        if out.suffix.lower() in (".txt", ".jsonl", ".csv", ".parquet"):
            raise InputError(
                f"--out names a folder, in which the scrubbed letters get names of their own. "
                f"Got {out}."
            )
        check_new_folder(out)
    for place in filter(None, private):
        if out is not None and place.resolve().is_relative_to(out.resolve()):
            raise InputError(
                f"{place} is private, and would leave with the letters in {out}. Write it "
                "elsewhere."
            )
        if place.is_dir() or not place.resolve().parent.is_dir():
            raise InputError(f"{place} cannot be written: name a file in a folder that exists.")
    places = [place for place in (out, *private) if place is not None]
    for one, other in combinations(places, 2):
        if _same(one, other):
            raise InputError(f"{one} is named for two things to write. Name each by itself.")
    for place in places:
        for path in letters:
            if _is_within(place, path):
                raise InputError(f"{place} is among the letters in {path}. Write it elsewhere.")
    for path in others:
        for place in places:
            if _is_within(place, path):
                raise InputError(f"{place} is read, and would be written over. Write elsewhere.")


def check_secret(secret: Path | None, letters: Sequence[Path]) -> None:
    """Refuse a secret among the letters, which would be passed on as one of them."""
    for path in letters:
        if secret is not None and _is_within(secret, path):
            raise InputError(
                f"The secret {secret} is among the letters in {path}. Keep it elsewhere."
            )


def _is_within(place: Path, path: Path) -> bool:
    return _same(place, path) or (path.is_dir() and place.resolve().is_relative_to(path.resolve()))


def _same(one: Path, other: Path) -> bool:
    """Say whether two names are of one file, by whatever links."""
    if one.resolve() == other.resolve():
        return True
    return one.exists() and other.exists() and one.samefile(other)


# Scrub as a detective: the people found, as a private table that a linking attack starts from.


_BATCH = 10_000
_SIMPLE = pa.schema(
    [pa.field("id", pa.string())]
    + [pa.field(f.name, pa.string() if pa.types.is_list(f.type) else f.type) for f in SCHEMA]
)

Write = Callable[[list[dict[str, Any]]], None]


def check_format(path: Path) -> None:
    """Refuse a table that is neither CSV nor Parquet, by its name."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InputError(f"The table of identifiers must be a .csv or .parquet file. Got {path}.")


class IdentifierTable:
    """A row for each person that was found, with what is written about them; see `opened`."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._waiting: list[dict[str, Any]] = []

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[IdentifierTable]:
        """Write to a file that appears when all went well."""
        check_format(path)
        with _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path) as write:
            table = cls(write)
            yield table
            table._flush()

    def write(self, treated: Treated) -> None:
        """Add the people of one document."""
        people: list[Mapping[str, Any]] = treated.outcome.facts.get("people", [])
        for person in people:
            dates = person.get("dates")
            self._waiting.append(
                {
                    **person,
                    "id": str(treated.document.id),
                    "document": treated.document.number,
                    "dates": "; ".join(dates) if dates else None,
                }
            )
        if len(self._waiting) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._write(self._waiting)
            self._waiting = []


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    variables = Variables(Variable(name) for name in _SIMPLE.names)
    with parquet_writer(path, _SIMPLE, variables, private=True) as writer:

        def write(rows: list[dict[str, Any]]) -> None:
            writer.write(pa.Table.from_pylist(rows, schema=_SIMPLE))
            writer.flush()

        yield write


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    with (
        written_whole(path, private=True) as aside,
        aside.open("w", encoding="utf-8", newline="") as file,
    ):
        rows = csv.DictWriter(file, _SIMPLE.names, lineterminator="\n")
        rows.writeheader()

        def write(found: list[dict[str, Any]]) -> None:
            rows.writerows(
                {n: for_csv(v) if isinstance(v, str) else v for n, v in row.items()}
                for row in found
            )

        yield write


Say = Callable[[str], None]
Given = str | Path | Sequence[str | Path]


@watching()
def scrub(
    letters: Given,
    *,
    out: str | Path | None = None,
    spans: str | Path | None = None,
    identifiers: str | Path | None = None,
    evaluate: str | Path | None = None,
    threads: int | None = None,
    engine: EngineName | None = None,
    master: str | None = None,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    say: Say | None = None,
    **options: Any,
) -> ScrubResult:
    """Replace every reference to a person in letters and notes by a made-up one.

    Parameters
    ----------
    letters
        Text files, letters (.docx, .odt, .rtf, .pdf, .html, .eml), folders, JSON lines, one table
        with ``columns``, or a project file with a section ``[text]``.
    out
        A new folder for the scrubbed letters. Without, nothing is written but what else is asked.
    spans
        A private file: a JSON line per document with everything that was found in it.
    identifiers
        A private table of the identifiers found, which a linking attack can start from.
    evaluate
        Letters with the references that people marked, to compare the search with.
    threads
        Processes to use; by default every processor.
    engine, master, memory, scratch
        See `indistinct.open_data`; ``spark`` treats the letters on a cluster.
    say
        Is told what is being done, for people.
    options
        See `Asked`: ``threshold``, ``reduce``, ``dates``, ``scope``, ``identities``, ``secret``,
        ``seed``, ``corrections``, ``columns``, ``patient_field`` and others.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("Write to ann.lee@example.org or call.")
    >>> done = scrub(folder / "a.txt", out=folder / "out", seed=1)
    >>> done.documents, done.references, done.holds
    (1, {'e-mail': 1}, True)
    >>> "ann.lee" in (folder / "out" / "letter-000001.txt").read_text()
    False
    """
    began = time.perf_counter()
    paths = [Path(letters)] if isinstance(letters, (str, Path)) else [Path(one) for one in letters]
    project = _project(paths)
    asked = Asked.of_options(project.text if project else None, **options)
    places = [None if one is None else Path(one) for one in (out, spans, identifiers)]
    check_places(paths, *places, others=_others(asked, project, evaluate))
    check_secret(asked.secret, paths)
    target, listed, table = places
    if table is not None:
        check_format(table)
    with ExitStack() as stack:
        workspace = stack.enter_context(files.workspace(scratch))
        opened = _opened(paths, asked, project, workspace)
        evaluation = None
        if evaluate is not None:
            if say is not None:
                say("comparing with what people have marked …")
            evaluation = compare_with_gold(opened().documents(), Path(evaluate))
        read = opened()
        secret = asked.drawn_with(out=target)
        known = known_people(asked.identities, workspace) if asked.identities else ()
        treatment = Scrubbing(
            secret,
            asked.threshold,
            asked.reduce,
            asked.dates,
            asked.scope,
            known,
            people=table is not None,
            names=asked.keep_names,
            corrections=read_corrections(asked.corrections) if asked.corrections else (),
        )
        treated = stack.enter_context(
            _treating(
                read.documents(),
                treatment,
                threads=_threads(threads),
                engine=engine or (project.engine.name if project else "duckdb"),
                workspace=workspace,
                master=master,
                memory=memory,
            )
        )
        tally = Tally()
        with ExitStack() as writing:
            # what is entered first is put in place last: only if the letters are there
            lines = writing.enter_context(Spans.opened(listed)) if listed else None
            rows = writing.enter_context(IdentifierTable.opened(table)) if table else None
            aside = writing.enter_context(folder_written_whole(target)) if target else None
            writing_letters: AbstractContextManager[Writer] = nullcontext(Nowhere())
            if aside is not None:
                writing_letters = _writer(aside, read, asked, secret)
            with writing_letters as writer:
                for done in progress.each(treated, "scrubbing", unit="documents"):
                    one = laid_out(done, asked.encoding)
                    tally.add(one)
                    name = writer.write(one)
                    tally.renamed += _is_renamed(one, name, asked)
                    if lines is not None:
                        lines.write(one, name)
                    if rows is not None:
                        rows.write(one)
            _check_any(tally)
            if aside is not None:
                (aside / ABOUT).write_text(about(tally, asked), encoding="utf-8", newline="\n")
                seal_folder(
                    aside, "letters", verdict=told_verdict(), told={"documents": tally.written}
                )
    return ScrubResult.of(
        tally,
        threshold=asked.threshold,
        told=tally.verdict(),
        notes=(*read.notes(), *tally.notes()),
        out=target,
        spans=listed,
        identifiers=table,
        evaluation=evaluation,
        seconds=time.perf_counter() - began,
    )


def _project(paths: Sequence[Path]) -> Project | None:
    """Return the project, where a project file is given in place of letters."""
    if not any(path.suffix.lower() == ".toml" for path in paths):
        return None
    if len(paths) > 1:
        raise InputError("A project file names its own data: give it alone.")
    project = load_project(paths[0])
    if not project.text.columns:
        raise InputError(
            f"{project.path} has no text columns. Name them in a section [text], as "
            'columns = ["notes"].'
        )
    return project


def _others(asked: Asked, project: Project | None, gold: str | Path | None) -> Iterator[Path]:
    """Give the files that are read beside the letters."""
    yield from (
        path for path in (asked.identities, asked.secret, asked.corrections) if path is not None
    )
    if gold is not None:
        yield Path(gold)
    if project is not None:
        yield project.path
        if "://" not in str(project.data.file):
            yield Path(project.data.file)


def _check_fields(paths: Sequence[Path], asked: Asked) -> None:
    """Refuse names of fields where no letter has fields: they would be ignored."""
    named = {
        "--text-field": asked.text_field != Asked.text_field,
        "--id-field": asked.id_field != Asked.id_field,
        "--patient-field": asked.patient_field is not None,
        "--keep-fields": bool(asked.keep_fields),
    }
    given = [option for option, is_named in named.items() if is_named]
    inside = (file for path in paths for file in (path.rglob("*") if path.is_dir() else (path,)))
    if given and not any(file.suffix.lower() in JSON_LINES for file in inside):
        raise InputError(
            f"{', '.join(given)} names fields of JSON lines, and there are none among the letters: "
            "it would be ignored. Leave it out, or give a file that ends in .jsonl."
        )


def _opened(
    paths: Sequence[Path], asked: Asked, project: Project | None, workspace: Path
) -> Callable[[], Letters | TableLetters]:
    """Return what opens the letters, as often as they are to be read."""
    if project is not None:
        source = project.open(workspace)
    elif asked.columns:
        if len(paths) > 1:
            raise InputError("--columns names the text columns of one table: give it alone.")
        source = files.open_data(paths[0], workspace=workspace)
    else:
        for path in paths:
            if is_table(path) and path.is_file():
                raise InputError(
                    f"Which columns of {path} hold letters or notes? Name them with --columns a,b."
                )
        _check_fields(paths, asked)
        return lambda: Letters(
            paths,
            text_field=asked.text_field,
            id_field=asked.id_field,
            patient_field=asked.patient_field,
            keep_fields=asked.keep_fields,
            encoding=asked.encoding,
            max_characters=asked.max_characters,
            skipped=() if asked.identities is None else (asked.identities,),
        )
    return lambda: TableLetters(
        source,
        asked.columns,
        patient_field=asked.patient_field,
        keep_fields=asked.keep_fields,
        max_characters=asked.max_characters,
    )


def _threads(given: int | None) -> int:
    if given is not None:
        check_whole("The number of threads", given, 1)
    return given or available_threads()


@contextmanager
def _treating(
    documents: Iterable[Document],
    treatment: Scrubbing,
    *,
    threads: int,
    engine: EngineName,
    workspace: Path,
    master: str | None,
    memory: str | int | None,
) -> Iterator[Iterator[Treated]]:
    """Give the documents as they are treated, here or on a cluster."""
    if engine != "spark":
        if master is not None:
            raise InputError("A master is only for the spark engine. Add --engine spark.")
        # closed at once when the work is interrupted, with all its processes
        with closing(treat_all(documents, treatment, threads=threads)) as treated:
            yield treated
        return
    from indistinct.engine import SparkEngine
    from indistinct.scrub.on_spark import treat_on_spark

    with start_engine(
        "spark", workspace=workspace, memory=memory, threads=threads, master=master
    ) as started:
        assert isinstance(started, SparkEngine)
        yield treat_on_spark(documents, treatment, started)


def _writer(
    folder: Path, read: Letters | TableLetters, asked: Asked, secret: Secret
) -> AbstractContextManager[Writer]:
    """Return what writes such documents to a folder."""
    if isinstance(read, Letters):
        return LetterFolder.opened(folder, read, secret=secret, keep_names=asked.keep_names)
    given = Path(read.source.origin)
    suffix = ".csv" if dialect_of(read.source) is not None else ".parquet"
    name = f"{given.stem if asked.keep_names else 'table'}{suffix}"
    return TableWriter.opened(folder, read, name=name)


def _is_renamed(treated: Treated, name: str | None, asked: Asked) -> bool:
    """Say whether a file lost a name that it was to keep."""
    if name is None or not asked.keep_names or treated.document.line:
        return False
    return PurePosixPath(name).stem != PurePosixPath(str(treated.document.id)).stem


def _check_any(tally: Tally) -> None:
    """Refuse to have done nothing."""
    if tally.written:
        return
    if not tally.documents:
        raise InputError("There are no documents in what was given. Nothing was written.")
    shown = [f"{one.document} {one.reason}." for one in tally.withheld[:20]]
    more = tally.not_written - len(shown)
    raise InputError(
        "\n".join(
            [
                "No document could be scrubbed. Nothing was written.",
                *shown,
                *([f"And {more:,} more."] if more else []),
            ]
        )
    )
