"""Writing the census to Parquet or CSV, chunk by chunk; or holding a small one in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pyarrow.csv

from indistinct.census.chunk import make_chunks
from indistinct.census.codes import age_group_19, geography_4
from indistinct.census.schema import (
    REGISTER_SCHEMA,
    SKINNER_HOLMES_KEY,
    census_schema,
    census_variables,
    register_variables,
)
from indistinct.core import InputError, Seed, Variables, at_least, task
from indistinct.files import parquet_writer, written_whole
from indistinct.results import Fact, Result, facts, result

__all__ = ["MOST_PEOPLE", "CensusSummary", "census_table", "skinner_holmes_key", "write_census"]

MOST_PEOPLE = 250_000_000
"""Beyond this the running numbers of areas would leave no room within a county's code."""

People = Annotated[int, at_least(1, "For a first try use people=10000.")]
"""How many people a census has."""


@result(eq=True)
class CensusSummary(Result):
    """What was written."""

    people: int
    households: int
    couples: int
    path: Path
    register: Path | None
    seconds: float

    FACTS = facts(
        Fact("people", shown="people"),
        Fact("households", shown="households"),
        Fact("couples", shown="couples"),
        "path",
        "register",
        Fact("seconds", shown="seconds"),
    )

    def sentence(self) -> str:
        """Say what was written where."""
        register = f", register in {self.register}" if self.register else ""
        return (
            f"CensusSummary({self.people:,} people, {self.households:,} households, "
            f"{self.couples:,} couples in {self.path}{register}, {self.seconds:.1f} s)"
        )

    def _lines(self) -> list[str]:
        return [self.sentence()]


def write_census(
    path: str | Path,
    *,
    people: People,
    seed: Seed,
    names: bool = True,
    register: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
    overwrite: bool = False,
) -> CensusSummary:
    """Write a synthetic census of exactly `people` people.

    Parameters
    ----------
    path
        The file to write, ``.parquet`` or ``.csv``; both hold codes. It appears whole or not
        at all.
    people, seed
        The same two give the same bytes. Nothing else decides a coded column.
    names
        Whether identity number, names and date of birth are written; without, it is faster.
    register
        Where to write the population register of the same people, if anywhere.
    progress
        Called with the number of people written so far, once per chunk.
    overwrite
        Whether files that are there are replaced.
    """
    started = time.perf_counter()
    people, seed = _checked(people, seed)
    target = _checked_path(path)
    listing = None if register is None else _checked_path(register)
    if listing is not None and listing.resolve() == target.resolve():
        raise InputError(
            f"Census and register must be two files. Got {target} for both. Rename one."
        )
    done = households = couples = 0
    with ExitStack() as stack:
        census_file = stack.enter_context(
            _file_of_batches(
                target,
                census_schema(names=names),
                census_variables(names=names),
                overwrite=overwrite,
            )
        )
        register_file = (
            None
            if listing is None
            else stack.enter_context(
                _file_of_batches(
                    listing, REGISTER_SCHEMA, register_variables(), overwrite=overwrite
                )
            )
        )
        making = stack.enter_context(task("making people", total=people, unit="people"))
        for chunk in make_chunks(people, seed, names=names, register=listing is not None):
            census_file(chunk.census)
            if register_file is not None:
                register_file(chunk.register)
            done += chunk.people
            making.advance(chunk.people)
            households += chunk.households
            couples += chunk.couples
            if progress is not None:
                progress(done)
    seconds = time.perf_counter() - started
    return CensusSummary(done, households, couples, target, listing, seconds)


def census_table(people: People, seed: Seed, *, names: bool = True) -> pa.Table:
    """Return a census as one Arrow table: the same records that `write_census` writes.

    >>> table = census_table(1000, seed=1)
    >>> table.num_rows, table["relationship"][0].as_py()
    (1000, 1)
    """
    people, seed = _checked(people, seed)
    schema = census_schema(names=names)
    chunks = make_chunks(people, seed, names=names, register=False)
    return pa.Table.from_batches([chunk.census.cast(schema) for chunk in chunks])


def skinner_holmes_key(table: pa.Table) -> pa.Table:
    """Return the six key variables of Skinner and Holmes (1998) for records of the census.

    Age in 19 groups, sex, ethnic group (10), marital status (5), economic activity (11) and
    geography in 4 areas: 83,600 cells. Recoded here from single years of age and from regions;
    the census also holds the two as `age_group` and `geography`.

    >>> skinner_holmes_key(census_table(100, seed=1)).column_names
    ['age19', 'sex', 'ethnic', 'marital', 'economic', 'geography4']
    """
    missing = {"age", "region", *SKINNER_HOLMES_KEY[1:5]} - set(table.column_names)
    if missing:
        raise InputError(
            f"The table lacks {', '.join(sorted(missing))}, which the key is made of. "
            "Give a table of the synthetic census with these columns."
        )
    return pa.table(
        {
            "age19": age_group_19(table["age"].to_numpy()),
            **{name: table[name] for name in SKINNER_HOLMES_KEY[1:5]},
            "geography4": geography_4(table["region"].to_numpy()),
        }
    )


def _checked(people: int, seed: int) -> tuple[int, int]:
    if people > MOST_PEOPLE:
        raise InputError(
            f"people must be at most {MOST_PEOPLE:,}. Got {people:,}. "
            "Write several censuses with different seeds."
        )
    return int(people), int(seed)


def _checked_path(path: str | Path) -> Path:
    target = Path(path)
    if target.is_dir():
        raise InputError(
            f"The file to write must not be a directory. Got {target}. Add a file name to it."
        )
    if target.suffix.lower() not in (".parquet", ".pq", ".csv"):
        raise InputError(
            f"The name of the file to write must end in .parquet or .csv. Got {target}. "
            "Other formats can be made from either."
        )
    if not target.parent.is_dir():
        raise InputError(
            f"The directory of the file to write must exist. Got {target}. "
            f"Create {target.parent} first."
        )
    return target


@contextmanager
def _file_of_batches(
    target: Path, schema: pa.Schema, variables: Variables, *, overwrite: bool
) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Give a function that appends batches to a file which takes its name when all is well."""
    if target.suffix.lower() == ".csv":
        with (
            written_whole(target, overwrite=overwrite) as aside,
            pa.csv.CSVWriter(aside, schema) as csv,
        ):
            yield lambda batch: csv.write_batch(batch.cast(schema))
    else:
        with parquet_writer(target, schema, variables, overwrite=overwrite) as parquet:
            yield lambda batch: parquet.write(batch.cast(schema))
