"""A step of a plan: the text columns of a release, without the people in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import InputError, Ints, Seed, between, check_number, holds_text
from indistinct.engine import Change, Engine
from indistinct.files import Source
from indistinct.project import Dates, Project, Scope
from indistinct.protect import Context, Plan, Receipt, Step
from indistinct.scrub.asked import Asked
from indistinct.scrub.columns import batches_of
from indistinct.scrub.documents import Document
from indistinct.scrub.knowing import known_people
from indistinct.scrub.streaming import treat_all
from indistinct.scrub.text.judging import DE_IDENTIFIED
from indistinct.scrub.text.replace.secret import Secret
from indistinct.scrub.treating import Known, Scrubbing

__all__ = ["ScrubText", "scrub_as_declared"]


@dataclass(frozen=True)
class ScrubText(Step, kind="scrub-text"):
    """Replace the references to people in text columns by made-up ones.

    Every record is treated by itself; its cells share what is known of people. A cell that
    cannot be treated becomes missing. Made-up names are drawn with the seed, which is not here.

    Parameters
    ----------
    columns
        The text columns.
    threshold, reduce, dates, scope
        See `indistinct.scrub.Asked`.
    patient
        The column that says whom a record is about.
    identities
        The path of a table of known people.

    >>> ScrubText(("notes",)).describe()
    'replace the references to people in notes by made-up ones; dates by month and year'
    """

    columns: tuple[str, ...]
    threshold: float = 0.7
    reduce: bool = True
    dates: Dates = "month"
    scope: Scope = "project"
    patient: str | None = None
    identities: str | None = None

    draws_at_random = True
    reads = ("identities",)

    def __post_init__(self) -> None:
        """Refuse no columns, a column twice, and a threshold that is none."""
        if isinstance(self.columns, str) or not self.columns:
            raise InputError("Name at least one text column.")
        if len(set(self.columns)) < len(self.columns):
            raise InputError("A text column is named twice. Name each once.")
        check_number("The threshold", self.threshold, between(0, 1))

    def describe(self) -> str:
        """Say what is done."""
        dates = {
            "month": "dates by month and year",
            "year": "dates by year",
            "shift": "dates shifted by the same number of days for a person",
        }[self.dates]
        names = ", ".join(self.columns)
        return f"replace the references to people in {names} by made-up ones; {dates}"

    def order_problem(self, later: Step) -> str | None:
        """Refuse to come before a step that needs the text as it was."""
        key = getattr(later, "key", ())
        shared = [name for name in self.columns if name in key]
        if not (later.finds_uniques and shared):
            return None
        return (
            f"'{later.kind}' counts by {', '.join(shared)}, which is text. Leave it out of the key."
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Scrub the columns with made-up names drawn by the seed."""
        if context.seed is None:
            raise InputError("This step draws at random and needs a seed.")
        return self.apply_with(engine, source, Secret.from_seed(context.seed))

    def apply_with(self, engine: Engine, source: Source, secret: Secret) -> tuple[Source, Receipt]:
        """Scrub the columns with made-up names drawn by a secret."""
        named = [*self.columns, *([self.patient] if self.patient is not None else [])]
        source.check_columns(named)
        for name in self.columns:
            if not holds_text(source.schema.field(name).type):
                raise InputError(
                    f"{source.origin}: '{name}' holds {source.schema.field(name).type}, not text."
                )
        known: Known = ()
        if self.identities is not None:
            known = known_people(Path(self.identities), engine.workspace)
        treatment = Scrubbing(secret, self.threshold, self.reduce, self.dates, self.scope, known)
        threads = engine.threads if engine.name == "duckdb" else 1  # a cluster has its own
        result = engine.transform(
            source,
            _changing(self.columns, self.patient, treatment, threads),
            schema=source.schema,
            variables=source.variables,
        )
        return result, self._receipt(source, result)

    def _receipt(self, source: Source, result: Source) -> Receipt:
        """Count what was changed by comparing the columns."""
        changed, withheld, records = dict.fromkeys(self.columns, 0), 0, 0
        before = batches_of(source, self.columns)
        after = batches_of(result, self.columns)
        for (old, _), (new, _) in zip(before, after, strict=True):
            rows = np.zeros(old.num_rows, dtype=bool)
            for name in self.columns:
                lost = pc.and_(pc.is_valid(old.column(name)), pc.is_null(new.column(name)))
                differs = pc.or_(
                    pc.fill_null(pc.not_equal(old.column(name), new.column(name)), False), lost
                ).to_numpy(zero_copy_only=False)
                changed[name] += int(differs.sum())
                withheld += pc.sum(lost).as_py() or 0
                rows |= differs
            records += int(rows.sum())
        warnings = [
            f"the text of {', '.join(self.columns)} is {DE_IDENTIFIED}: what it tells may still "
            "single people out"
        ]
        if withheld:
            texts = (
                "1 text could not be treated and was"
                if withheld == 1
                else (f"{withheld:,} texts could not be treated and were")
            )
            warnings.append(f"{texts} made missing")
        return Receipt(
            self.kind,
            source.records,
            result.records,
            records_changed=records,
            cells_changed=changed,
            warnings=tuple(warnings),
        )


def scrub_as_declared(
    project: Project | None, engine: Engine, source: Source, plan: Plan, *, seed: Seed | None
) -> tuple[Source, Plan, Receipt] | None:
    """Scrub the text columns that a project declares, as one more step of a plan.

    None where it declares none, or the plan scrubs already. Made-up names are drawn with the
    project's secret, or with the seed.
    """
    settings = project.text if project is not None else None
    if settings is None or not settings.columns:
        return None
    if any(isinstance(step, ScrubText) for step in plan.steps):
        return None
    asked = Asked.of_options(settings)
    step = ScrubText(
        asked.columns,
        threshold=asked.threshold,
        reduce=asked.reduce,
        dates=asked.dates,
        scope=asked.scope,
        patient=asked.patient_field,
        identities=None if asked.identities is None else str(asked.identities),
    )
    told = replace(asked, seed=seed) if asked.secret is None else asked
    done, receipt = step.apply_with(engine, source, told.drawn_with(out=None))
    return done, plan.with_step(step), receipt


def scrubbed_columns(plan: Plan, source: Source) -> tuple[str, ...]:
    """Return the columns of a source that a plan scrubs; declared identifiers stay what they are.

    What was scrubbed may be released, and is no longer what its holder wrote.
    """
    columns = dict.fromkeys(
        name for step in plan.steps if isinstance(step, ScrubText) for name in step.columns
    )
    declared = source.variables.names(role="identifier")
    return tuple(n for n in columns if n in source.variables and n not in declared)


def _changing(
    columns: tuple[str, ...], patient: str | None, treatment: Scrubbing, threads: int
) -> Change:
    def change(batch: pa.RecordBatch, numbers: Ints) -> pa.RecordBatch:
        cells: dict[str, list[str | None]] = {name: [None] * batch.num_rows for name in columns}
        documents = _documents(batch, numbers, columns, patient)
        for treated in treat_all(documents, treatment, threads=threads):
            cells[treated.document.column][treated.document.part] = treated.text
        for name, values in cells.items():
            place = batch.schema.get_field_index(name)
            field = batch.schema.field(place)
            batch = batch.set_column(place, field, pa.array(values, field.type))
        return batch

    return change


def _documents(
    batch: pa.RecordBatch,
    numbers: Ints,
    columns: tuple[str, ...],
    patient: str | None,
) -> Iterator[Document]:
    about = batch.column(patient) if patient is not None else None
    for row, number in enumerate(numbers.tolist()):
        whom = None if about is None else about[row].as_py()
        if whom is None and len(columns) > 1:  # dates of one record are shifted alike
            whom = f"record {number + 1}"
        for name in columns:
            text = batch.column(name)[row].as_py()
            if text is not None:
                yield Document(
                    number + 1,
                    "",
                    f"{number + 1}:{name}",
                    text,
                    column=name,
                    part=row,
                    patient=None if whom is None else str(whom),
                    together=str(number),
                )
