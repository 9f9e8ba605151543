"""Methods side by side on the same records: Sweeney's Figure 34 for anybody's data."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct.core import GuaranteeError, Seed, for_markdown, progress
from indistinct.core.doors import folder_written_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy
from indistinct.keys import uniques
from indistinct.protect import METHODS, Request, protect_by_method
from indistinct.results import Fact, Result, Table, as_lines, facts, result
from indistinct.results.figures import Point, points

__all__ = ["MethodCost", "SideBySide", "compare_methods", "write_comparison"]


@dataclass(frozen=True)
class MethodCost:
    """What one method gives. Without a `precision` it refused, and `why` says so.

    Parameters
    ----------
    precision, loss
        Sweeney's precision; the generalised loss.
    k_anonymous
        Whether every class of what was written has k records.
    recognised
        The share of the released records that an intruder who knows everybody's key, and guesses
        within a class, gets right: classes by records.
    at_risk
        Records in classes smaller than k.
    suppressed_records, suppressed_cells
        Records left out, and cells of the others of which nothing is told.
    over_distortion
        The loss by the method's own measure over the least possible for its kind, at most.
    optimum_proved
        Whether that least possible is reached by some release, so that the ratio is exact.
    """

    method: str
    precision: float | None = None
    loss: float | None = None
    k_anonymous: bool = False
    recognised: float | None = None
    at_risk: int | None = None
    suppressed_records: int | None = None
    suppressed_cells: int | None = None
    over_distortion: float | None = None
    optimum_proved: bool = False
    seconds: float = 0.0
    why: str = ""


_HEADINGS = (
    "method",
    "precision",
    "loss",
    "k holds",
    "recognised",
    "left out",
    "suppressed",
    "distortion",
    "seconds",
)
_WIDTHS = (15, 11, 9, 9, 12, 10, 12, 12, 9)


@result(eq=True)
class SideBySide(Result):
    """The methods on the same records, the same key and the same k."""

    key: tuple[str, ...]
    k: int
    records: int
    at_risk: int
    rows: tuple[MethodCost, ...]

    FACTS = facts(
        "key k records at_risk",
        Fact("best", lambda found: found.best.method if found.best else None),
        Fact("methods", lambda found: [asdict(row) for row in found.rows]),
    )

    def __getitem__(self, method: str) -> MethodCost:
        """Return the row of a method."""
        return next(row for row in self.rows if row.method == method)

    @property
    def best(self) -> MethodCost | None:
        """The method with the highest precision of those whose releases have k everywhere."""
        safe = [row for row in self.rows if row.k_anonymous and row.precision is not None]
        return max(safe, key=lambda row: row.precision or 0.0, default=None)

    def to_frame(self) -> Any:
        """Return the table as a pandas frame (pandas must be installed)."""
        table = pa.Table.from_pylist([asdict(row) for row in self.rows])
        return table.to_pandas().set_index("method")

    def plot(self) -> str:
        """Return the risk–utility map as SVG; hollow points do not keep k."""
        found = [
            Point(row.method, row.recognised, row.precision, hollow=not row.k_anonymous)
            for row in self.rows
            if row.precision is not None and row.recognised is not None
        ]
        return points(
            f"Risk and utility at k = {self.k}",
            found,
            x="share of records an intruder would recognise",
            y="precision",
            filled=f"every class has {self.k}",
            hollow="smaller classes remain",
            shares=(True, False),
        )

    def cells(self) -> list[tuple[str, ...]]:
        """Return the rows as text, in the order of the columns."""
        rows = []
        for row in self.rows:
            if row.precision is None:
                rows.append((row.method, "refused", *("",) * (len(_HEADINGS) - 2)))
                continue
            ratio = "" if row.over_distortion is None else f"{row.over_distortion:.2f}"
            limit = "" if row.optimum_proved or not ratio else "≤ "
            rows.append(
                (
                    row.method,
                    f"{row.precision:.4f}",
                    f"{row.loss:.4f}",
                    "yes" if row.k_anonymous else "no",
                    f"{row.recognised:.4f}",
                    f"{row.suppressed_records:,}",
                    f"{row.suppressed_cells:,}",
                    f"{limit}{ratio}",
                    f"{row.seconds:.2f}",
                )
            )
        return rows

    def _lines(self) -> list[str]:
        lines = [
            f"{self.at_risk:,} of {self.records:,} records in classes smaller than {self.k} "
            f"by {', '.join(self.key)}"
        ]
        lines += as_lines((_HEADINGS, *self.cells()), _WIDTHS)
        lines += [f"  {row.method}: {row.why}" for row in self.rows if row.why]
        lines.append(
            "  recognised: share of records found by an intruder who knows every key and guesses "
            "within a class;\n  distortion: by the method's own measure, times the least possible "
            "for a release of its kind (≤: at most)"
        )
        return lines

    def markdown(self) -> str:
        """Return the table for a page."""
        lines = ["| " + " | ".join(_HEADINGS) + " |", "| --- |" + " ---: |" * (len(_HEADINGS) - 1)]
        lines += ["| " + " | ".join(map(for_markdown, cells)) + " |" for cells in self.cells()]
        return "\n".join(lines)

    def _tables(self) -> list[Table]:
        caption = f"What each method costs at k = {self.k}, by {', '.join(self.key)}"
        return [Table(caption, _HEADINGS, self.cells())]

    def _notes(self) -> list[str]:
        return [f"{row.method}: {row.why}" for row in self.rows if row.why]


def compare_methods(
    engine: Engine,
    source: Source,
    key: Sequence[str],
    *,
    hierarchies: Mapping[str, Hierarchy],
    request: Request,
    seed: Seed,
    methods: Sequence[str] = METHODS,
) -> SideBySide:
    """Protect a copy of the records by every method, and compare.

    Sweeney (2001, Figure 34) compares three systems by their precision and by whether k holds;
    here what is written is counted again for each. A method that refuses says why.
    """
    before = uniques(engine, source, key, k=request.k)
    rows = []
    for method in progress.each(methods, "comparing methods", unit="methods"):
        began = time.perf_counter()
        try:
            done = protect_by_method(
                engine,
                source,
                key,
                method=method,
                hierarchies=hierarchies,
                request=request,
                seed=seed,
                before=before,
            )
        except GuaranteeError as error:
            rows.append(MethodCost(method, seconds=time.perf_counter() - began, why=str(error)))
            continue
        cost = done.cost
        rows.append(
            MethodCost(
                method,
                cost.precision if cost else None,
                cost.losses["loss"] if cost else None,
                not done.after.at_risk,
                done.after.classes / max(1, done.after.records),
                done.after.at_risk,
                cost.suppressed_records if cost else None,
                cost.suppressed_cells if cost else None,
                cost.over_distortion if cost else None,
                cost.reached if cost else False,
                time.perf_counter() - began,
            )
        )
    return SideBySide(tuple(key), request.k, before.records, before.at_risk, tuple(rows))


def write_comparison(folder: str | Path, compared: SideBySide) -> Path:
    """Write table, numbers and figure into a folder that is new or empty."""
    text = f"# Methods side by side\n\n{compared.markdown()}\n\n![Risk and utility](map.svg)\n"
    content = {
        "comparison.md": text,
        "comparison.json": json.dumps(compared.to_dict(), indent=2) + "\n",
        "map.svg": compared.plot(),
    }
    with folder_written_whole(folder) as aside:
        for name, what in content.items():
            (aside / name).write_text(what, encoding="utf-8", newline="\n")
    return Path(folder)
