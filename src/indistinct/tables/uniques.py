"""Full and part record tabular uniques: who can be found in a set of published tables.

Openshaw, Duke-Williams and Rees (1997), equations (8) and (9). A person is a *full record tabular
unique* when every cell that counts them counts nobody else, a *part record tabular unique* when
some of these cells do.

The paper prints equation (9) with Θ for 0 and describes Θ as the cells of which the area's count is
1; as worded nobody would ever be at risk. Its worked example and its text agree on what is done
here: Θ are the cells with a 1 in the person's own record.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from indistinct.core import Array, Bools, Floats, Ints, SmallInts, progress
from indistinct.files import write_data
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars
from indistinct.tables.counting import Counted
from indistinct.tables.grouping import Item, belongs

__all__ = ["TabularUniques", "tabular_uniques", "teaching_vectors"]


@result
class TabularUniques(Result):
    """Who is a full or part record tabular unique.

    Parameters
    ----------
    counted
        The tables.
    ones
        For every class of people, the tables in which their cell counts nobody else: m.
    tables_in
        For every class, the tables in which they are counted: T.
    modified
        For every class, whether its records were modified or imputed; None where nobody said.
    ones_per_table
        Cells with a count of one, for each table (rows) and area (columns).
    """

    counted: Counted
    ones: SmallInts
    tables_in: SmallInts
    modified: Bools | None
    ones_per_table: Ints

    FACTS = facts(
        Fact("areas", lambda found: len(found.counted.areas)),
        Fact("tables", lambda found: len(found.counted.layouts)),
        Fact("cells", "counted.cells"),
        "records",
        "frtu",
        "prtu",
        "risk",
        Fact("areas_with_frtu", lambda found: int((found.frtu_per_area > 0).sum())),
        Fact(
            "modified or imputed full uniques, not at risk",
            lambda found: int((found.full & found.modified).sum()),
            told=False,
            when=lambda found: found.modified is not None,
        ),
        shown=True,
    )

    def sentence(self) -> str:
        """Say what was looked at."""
        return (
            f"TabularUniques({len(self.counted.layouts)} tables, {self.counted.cells:,} cells for "
            f"each of {len(self.counted.areas):,} areas, {self.records:,} people)"
        )

    @cached_property
    def full(self) -> Bools:
        """Of every class, whether it is a full record tabular unique: D of equation (9)."""
        full: Bools = (self.tables_in > 0) & (self.ones == self.tables_in)
        return full

    @cached_property
    def part(self) -> Bools:
        """Of every class, whether it is a part record tabular unique."""
        return (self.ones > 0) & ~self.full

    @cached_property
    def at_risk(self) -> Bools:
        """Of every class, whether it is a full unique whose record was not modified: δ."""
        return self.full if self.modified is None else self.full & ~self.modified

    @property
    def records(self) -> int:
        """The number of people, N."""
        return self.counted.records

    @property
    def frtu(self) -> int:
        """The number of full record tabular uniques."""
        return int(self.full.sum())

    @property
    def prtu(self) -> int:
        """The number of part record tabular uniques."""
        return int(self.part.sum())

    @property
    def risk(self) -> float:
        """Σδ/N: full uniques whose records were not modified, among all people.

        The paper does not say whether N leaves modified records out; here it does not.
        """
        return float(self.at_risk.sum()) / self.records

    @cached_property
    def degree(self) -> Floats:
        """Of every class the share of its tables in which it is alone: m/T."""
        return self.ones / np.maximum(self.tables_in, 1)

    @cached_property
    def frtu_per_area(self) -> Ints:
        """Full record tabular uniques in each area."""
        return self._per_area(self.full)

    @cached_property
    def risk_per_area(self) -> Floats:
        """Σδ/N of each area."""
        return self._per_area(self.at_risk) / np.maximum(self.counted.area_sizes, 1)

    def _per_area(self, of_class: Bools) -> Ints:
        areas = len(self.counted.areas)
        return np.bincount(self.counted.area[of_class], minlength=areas).astype(np.int64)

    @property
    def is_safe(self) -> bool:
        """Whether equation (9) finds nobody: complete confidentiality in the paper's sense."""
        return not self.at_risk.any()

    def people(self) -> Iterator[dict[str, Array]]:
        """Yield batches, in record order, of what was found about every person."""
        parts: dict[str, Array] = {
            "status": np.where(self.full, 2, np.where(self.part, 1, 0)).astype(np.int8),
            "ones": self.ones,
            "tables": self.tables_in,
            "at_risk": self.at_risk,
        }
        streams = {name: self.counted.per_person(values) for name, values in parts.items()}
        for batch in zip(*streams.values(), strict=True):
            yield dict(zip(streams, batch, strict=True))

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write one row for every person; the path's suffix tells the format."""
        return write_data(self._batches(), path, increasing=["record"], overwrite=overwrite)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        words = np.array(["none", "PRTU", "FRTU"])
        first = 0
        for batch in self.people():
            number = len(batch["status"])
            yield pa.record_batch(
                {
                    "record": np.arange(first + 1, first + number + 1),
                    "status": pa.array(words[batch["status"]].tolist()),
                    "alone_in": batch["ones"],
                    "tables": batch["tables"],
                    "degree": batch["ones"] / np.maximum(batch["tables"], 1),
                    "at_risk": batch["at_risk"],
                }
            )
            first += number

    def status(self) -> list[str]:
        """Return FRTU, PRTU or none for every person, in record order: for small files."""
        words = np.array(["none", "PRTU", "FRTU"])
        return [str(w) for batch in self.people() for w in words[batch["status"]]]

    def _row_tables(self) -> list[Table]:
        order = np.argsort(-self.frtu_per_area, kind="stable")
        sizes = self.counted.area_sizes
        rows = [
            (
                self.counted.areas[n],
                int(sizes[n]),
                int(self.frtu_per_area[n]),
                float(self.risk_per_area[n]),
            )
            for n in order.tolist()
        ]
        headings = ("area", "people", "full uniques", "risk")
        return [
            Table("Areas, most exposed first", headings, rows, {"risk": ".4f"}),
        ]

    def plot(self) -> str:
        """Return a figure: in how many of their tables people are alone."""
        bins = np.clip(np.ceil(self.degree * 10).astype(int), 0, 10)
        people = np.bincount(bins, weights=self.counted.counts, minlength=11)
        labels = ["none", *(f"up to {10 * n} %" for n in range(1, 10)), "over 90 %"]
        title = "People by the share of their tables in which they are alone"
        return bars(title, labels, people.tolist())


def tabular_uniques(
    counted: Counted, *, modified: tuple[str, tuple[Item, ...]] | None = None
) -> TabularUniques:
    """Find the full and part record tabular uniques of a set of tables.

    One pass over the classes for each table: linear in people × tables.

    Parameters
    ----------
    modified
        The variable that flags modified or imputed records, and which of its values say so. They
        are left out of the risk; as cells with a count of one they still mislead an intruder.
    """
    ones = np.zeros(counted.classes, dtype=np.int32)
    tables_in = np.zeros(counted.classes, dtype=np.int32)
    areas = len(counted.areas)
    per_table = np.zeros((len(counted.layouts), areas), dtype=np.int64)
    positions = range(len(counted.layouts))
    for position in progress.each(list(positions), "looking for uniques", unit="tables"):
        own = counted.own_counts(position)
        alone = own == 1
        ones += alone
        tables_in += own > 0
        per_table[position] = np.bincount(counted.area[alone], minlength=areas)
    flagged = None
    if modified is not None:
        name, items = modified
        flagged = belongs(counted.values[name], items)[counted.codes[name]]
    return TabularUniques(counted, ones, tables_in, flagged, per_table)


def teaching_vectors(counted: Counted) -> NDArray[np.int8]:
    """Return the 0/1 vectors Z of the paper, one row for every class: for teaching and checks."""
    vectors = np.zeros((counted.classes, counted.cells), dtype=np.int8)
    for position, layout in enumerate(counted.layouts):
        cell = counted.cell_of(position)
        rows = np.flatnonzero(cell >= 0)
        vectors[rows, layout.offset + cell[rows]] = 1
    return vectors
