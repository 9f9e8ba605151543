"""The front door for Python: open a data set, ask it, and what was opened is closed again.

Everything the command line does is a call of a method here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from indistinct import files, keys
from indistinct.engine import Approach, ColumnFacts, Engine, EngineName, start_engine
from indistinct.errors import InputError
from indistinct.files import Source
from indistinct.project import EngineSettings, Project, check_categories, check_levels, load_project
from indistinct.protect import (
    Action,
    Deidentify,
    Plan,
    Protected,
    ReleaseFolder,
    protect_uniques,
    write_release,
)
from indistinct.risk import (
    Distribution,
    FileRisk,
    RecordFlags,
    Validation,
    file_risk,
    flag_records,
    load_flag_rules,
    validate,
)
from indistinct.variables import Missing, Variables

__all__ = ["Data", "open_data"]


@dataclass(frozen=True)
class Data:
    """An open data set: the records, and the engine that reads them.

    >>> import pyarrow as pa
    >>> with open_data(pa.table({"age": [30, 30, 41], "sex": [1, 1, 2]})) as data:
    ...     found = data.uniques(["age", "sex"], k=2)
    >>> found.unique, found.classes
    (1, 2)
    """

    source: Source
    engine: Engine
    project: Project | None = None

    @property
    def records(self) -> int:
        """The number of records."""
        return self.source.records

    @property
    def variables(self) -> Variables:
        """The variables, in file order."""
        return self.source.variables

    def key(self, names: Sequence[str] | None = None) -> list[str]:
        """Return the key: the names given, or the variables whose role is key."""
        if names:
            return list(names)
        if self.project is not None:
            return self.project.key(self.source)
        chosen = self.variables.names(role="key")
        if not chosen:
            raise InputError(
                f"{self.source.origin}: which variables can an intruder know? Name them with "
                "--key a,b,c, or give them the role key in a project file ('indistinct init' "
                "writes a first one)."
            )
        return chosen

    def describe(self, columns: Sequence[str] | None = None) -> list[ColumnFacts]:
        """Return distinct and missing values, smallest and largest of each column."""
        return self.engine.describe(self.source, columns)

    def uniques(
        self,
        key: Sequence[str] | None = None,
        *,
        k: int | None = None,
        at_most: int | None = None,
        approach: Approach | None = None,
        public: Mapping[str, str] | None = None,
        missing: Missing | None = None,
        floor: int = 0,
    ) -> keys.Uniques:
        """Find the records that stand out; see `indistinct.keys.uniques`.

        What is not given is taken from the project file, where there is one.
        """
        names = self.key(key)
        k, at_most = self._promise(k, at_most)
        if self.project is not None:
            public = public or self.project.public_if(names)
            missing = missing or self.project.release.missing
        return keys.uniques(
            self.engine,
            self.source,
            names,
            k=k,
            at_most=at_most,
            approach=approach,
            public=public,
            missing=missing or "own",
            floor=floor,
        )

    def key_table(
        self, key: Sequence[str] | None = None, *, weight: str | None = None
    ) -> keys.KeyTable:
        """Count the records by a key, and their weights where there are any."""
        tally = self.engine.count(self.source, self.key(key))
        weights = self.engine.class_weights(self.source, tally, weight) if weight else None
        return keys.KeyTable.from_tally(tally, weights=weights)

    def explain(self, key: Sequence[str] | None = None) -> keys.Explanation:
        """Estimate what counting by a key would cost, by every approach."""
        return keys.explain(self.engine, self.source, self.key(key))

    def risk(
        self,
        key: Sequence[str] | None = None,
        *,
        fraction: float | None = None,
        weight: str | None = None,
        population: str | Path | None = None,
        model: str = "auto",
        distribution: Distribution = "auto",
        household: str | None = None,
        sensitive: Sequence[str] = (),
        beyond_uniques: bool = False,
    ) -> FileRisk:
        """Estimate how likely each record is to be recognised; see `indistinct.risk.file_risk`.

        The weight is taken from the variables' roles where nothing else is given.
        """
        roles = self.variables
        if weight is None and fraction is None and population is None:
            weight = next(iter(roles.names(role="weight")), None)
        whole = None
        if population is not None:
            whole = files.open_data(population, workspace=self.engine.workspace)
        return file_risk(
            self.engine,
            self.source,
            self.key(key),
            fraction=fraction,
            weight=weight,
            population=whole,
            model=model,
            distribution=distribution,
            household=household,
            sensitive=sensitive,
            beyond_uniques=beyond_uniques,
        )

    def flags(self, rules: str | Path) -> RecordFlags:
        """Flag records by the rules of a TOML file, tables ``[[flags]]``; see `read_flag_rules`."""
        return flag_records(self.source, load_flag_rules(rules, self.source))

    def validate_risk(
        self,
        key: Sequence[str] | None = None,
        *,
        fraction: float,
        repeat: int = 20,
        model: str = "auto",
        seed: int = 1,
    ) -> Validation:
        """Draw samples from this population and compare the estimated risk with the truth."""
        return validate(
            self.key_table(key), fraction=fraction, repeat=repeat, model=model, seed=seed
        )

    def protect(
        self,
        key: Sequence[str] | None = None,
        *,
        action: Action,
        k: int | None = None,
        at_most: int | None = None,
        **options: Any,
    ) -> Protected:
        """Act on the records that stand out; see `indistinct.protect.protect_uniques`."""
        k, at_most = self._promise(k, at_most)
        return protect_uniques(
            self.engine, self.source, self.key(key), action=action, k=k, at_most=at_most, **options
        )

    def release(
        self,
        folder: str | Path,
        done: Protected,
        *,
        seed: int | None = None,
        format: files.Format | None = None,
    ) -> ReleaseFolder:
        """Leave out the identifiers and write the release folder, whole or not at all.

        Parameters
        ----------
        seed
            The seed that was used, for the private ledger.
        format
            By default the project's, or Parquet.
        """
        source, plan, receipts = done.source, done.plan, done.receipts
        if source.variables.names(role="identifier"):
            step = Deidentify()
            applied = Plan((step,)).apply(self.engine, source, first=len(plan))
            source, plan, receipts = (
                applied.source,
                plan.with_step(step),
                receipts + applied.receipts,
            )
        if format is None:
            format = self.project.release.format if self.project else None
        return write_release(
            folder,
            source,
            plan=plan,
            receipts=receipts,
            ledger={
                "data": self.source.origin,
                "seed": seed,
                "k": done.k,
                "key": list(done.before.key),
                "at_risk_before": done.before.at_risk,
                "at_risk_after": done.after.at_risk,
            },
            format=format or "parquet",
        )

    def _promise(self, k: int | None, at_most: int | None) -> tuple[int | None, int | None]:
        """Return the threshold asked for, or the project's."""
        if k is None and at_most is None and self.project is not None:
            return self.project.release.k, self.project.release.at_most
        return k, at_most

    def with_roles(self, **roles: Any) -> Data:
        """Return the same data with the roles of some variables set: ``age="key"``."""
        changed = self.variables.updated({name: {"role": role} for name, role in roles.items()})
        return replace(self, source=replace(self.source, variables=changed))

    def write(self, path: str | Path, *, format: files.Format | None = None) -> Path:
        """Write the records to a file of any format."""
        return files.write_data(self.source, path, format=format)


@contextlib.contextmanager
def open_data(
    data: Any,
    *,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    engine: EngineName | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    master: str | None = None,
    scratch: str | Path | None = None,
) -> Iterator[Data]:
    """Open a file, a project, a database query or a table in memory.

    Parameters
    ----------
    data
        A path (CSV, Parquet, Stata, SPSS, SAS), a project file (``.toml``), ``postgresql://…``
        with `query`, an Arrow table, pandas or Polars frame, or columns by name.
    engine, memory, threads, master
        See `indistinct.engine.start_engine`; what is given here goes before what a project says.
    scratch
        Where the private workspace is made; by default the system's temporary directory. A
        cluster's workers must see it.
    """
    project = None
    with files.workspace(scratch) as workspace:
        if isinstance(data, (str, Path)) and str(data).endswith(".toml"):
            if query or delimiter or encoding or decimal:
                raise InputError(
                    f"{data}: how a project's data are read stands in its [data] section. "
                    "Put query, delimiter, encoding and decimal there."
                )
            project = load_project(data)
            source = project.open(workspace)
        elif isinstance(data, (str, Path)):
            source = files.open_data(
                data,
                workspace=workspace,
                query=query,
                delimiter=delimiter,
                encoding=encoding,
                decimal=decimal,
            )
        else:
            source = files.open_table(data, workspace=workspace)
        settings = project.engine if project else EngineSettings()
        with start_engine(
            engine or settings.name,
            workspace=workspace,
            memory=memory if memory is not None else settings.memory,
            threads=threads if threads is not None else settings.threads,
            master=master or settings.master,
        ) as started:
            if project is not None:
                check_levels(started, source)
                check_categories(started, source)
            yield Data(source, started, project)
