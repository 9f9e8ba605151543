"""The front door for Python: open a data set, ask it, and what was opened is closed again.

Everything the command line does is a call of a method here.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import indistinct.protect as protect  # rooms that can be called, and are rooms here
import indistinct.risk as risk
from indistinct import dirt, files, flow, hierarchy, households, keys, naming, prove, release
from indistinct.core import (
    AtMost,
    Bools,
    ClassSize,
    Fraction,
    InputError,
    Missing,
    Seed,
    Variables,
    at_least,
)
from indistinct.core.doors import watched
from indistinct.flow.opening import Opened, open_data, while_open
from indistinct.release import report
from indistinct.utility import comparing, tradeoff

if TYPE_CHECKING:
    from indistinct.dirt import Dirt
    from indistinct.engine import Approach, ColumnFacts, Engine
    from indistinct.files import Source
    from indistinct.hierarchy import Hierarchies, Hierarchy
    from indistinct.households import Kinship
    from indistinct.project import Project
    from indistinct.protect import (
        Plan,
        Protected,
        ReleaseKey,
        Request,
        Told,
    )
    from indistinct.prove import ProtectionReport
    from indistinct.release import ReleaseFolder, SigningKey
    from indistinct.risk import Distribution, FileRisk, RecordFlags, Validation
    from indistinct.utility.comparing import ReleaseComparison, SideBySide
    from indistinct.utility.tradeoff import Candidate, RiskMeasure, RiskUtilityMap, UtilityMeasure


__all__ = ["Data", "open_data"]

SHOWN = 12
"""Variables that are named where data show themselves."""


@while_open
@dataclass(frozen=True, repr=False)
class Data:
    """An open data set: the records, and the engine that reads them.

    Records are counted from 0 in all that is returned; files and pages for people count from 1.

    >>> import indistinct as ind
    >>> import pyarrow as pa
    >>> with ind.open(pa.table({"age": [30, 30, 41], "sex": [1, 1, 2]})) as data:
    ...     found = data.uniques(["age", "sex"], k=2)
    >>> found.unique, found.classes
    (1, 2)
    """

    source: Source
    engine: Engine
    project: Project | None = None
    opened: Opened | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        names = list(self.variables)
        shown = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        closed = ", closed" if self.opened is not None and self.opened.is_closed else ""
        many = f"{self.records:,} {'record' if self.records == 1 else 'records'}"
        return f"{self.source.origin}: {many}, {len(names):,} variables ({shown}){closed}"

    def __enter__(self) -> Data:
        if self.opened is not None:
            self._blocks.append(stack := contextlib.ExitStack())
            stack.enter_context(self.opened.watching())
        return self

    def __exit__(self, *_: object) -> None:
        if self.opened is not None:
            self._blocks.pop().close()
        self.close()

    def close(self) -> None:
        """Remove the private workspace and stop the engine; a second time does nothing."""
        if self.opened is not None:
            self.opened.close()

    @functools.cached_property
    def _blocks(self) -> list[contextlib.ExitStack]:
        """The `with` blocks that have begun."""
        return []

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

    def dirt(self, columns: Sequence[str] | None = None) -> tuple[Dirt, ...]:
        """Find what is dirty in the values of columns, or of all, and the records that repeat.

        What the project file mends is mended already; what it calls ``checked`` is left aside.

        >>> with open_data({"sex": ["m", "M", *"mw" * 9]}) as data:
        ...     [(one.kind, one.records, dict(one.settings)) for one in data.dirt()]
        [('spelling', 1, {'fold': True})]
        """
        asked = list(self.variables) if columns is None else list(columns)
        key = asked if columns is not None else ()
        person = self.of_people(key).person(key=key)
        project = self.project
        if project is not None:
            checked = project.of_variables("checked", [*asked, *([person] if person else [])])
            asked = [name for name in asked if not checked.get(name)]
            person = None if person is not None and checked.get(person) else person
        found = dirt.find_dirt(self.source, asked, person=person)
        if project is None or project.release.person is None:
            return found
        return tuple(one for one in found if one.kind != "several records")

    def notes_on(self, key: Sequence[str]) -> tuple[str, ...]:
        """Say what should be known of the values before they are counted by a key.

        What is dirty in the variables of the key and in those with the role weight, household or
        sensitive, and what a table of roles says otherwise than was guessed.
        """
        roles = ("weight", "household", "sensitive")
        used = [*key, *(n for n, v in self.variables.items() if v.role in roles)]
        said = self.project.notes if self.project is not None else ()
        return (*said, *map(str, self.dirt(list(dict.fromkeys(used)))))

    def uniques(
        self,
        key: Sequence[str] | None = None,
        *,
        k: ClassSize | None = None,
        at_most: AtMost | None = None,
        approach: Approach | None = None,
        public: Mapping[str, str] | None = None,
        missing: Missing | None = None,
        floor: int = 0,
        person: str | None = None,
    ) -> keys.Uniques:
        """Find the records that stand out; see `indistinct.keys.standing_out`.

        What is not given is taken from the project file, where there is one; who the people are,
        where they have several records, is found from the data if nobody says it.
        """
        names = self.key(key)
        self = self.of_people(names, person)
        k, at_most = self.promise(k, at_most)
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
            person=self.with_several_records(names, person),
        )

    def of_people(self, key: Sequence[str] = (), declared: str | None = None) -> Data:
        """Return the data with a column for people whom two columns tell together, if they do.

        See `indistinct.naming.with_person`.
        """
        if declared is None and self.project is not None:
            declared = self.project.release.person
        source = naming.with_person(self.engine, self.source, declared, key=key)
        return self if source is self.source else replace(self, source=source)

    def person(self, declared: str | None = None, *, key: Sequence[str] = ()) -> str | None:
        """Return the column that says whose record each is; None where a record is a person.

        What is given goes before what the project says, and that before what the data tell; see
        `indistinct.naming.find_person`.
        """
        if declared is None and self.project is not None:
            declared = self.project.release.person
        return naming.find_person(self.engine, self.source, declared=declared, key=key)

    def with_several_records(self, key: Sequence[str], declared: str | None) -> str | None:
        """Return the column by which people must be counted: somebody has several records."""
        person = self.person(declared, key=key)
        if person is None or not keys.several_records(self.engine, self.source, person):
            return None
        return person

    def _one_record_each(self, key: Sequence[str]) -> Source:
        """Return one record of every person and combination of the key, to compare methods by."""
        self = self.of_people(key)
        whose = self.with_several_records(key, None)
        if whose is None:
            return self.source
        units = protect.Units.of(self.engine, self.source, key, whose).source
        return (
            protect.Plan((protect.Select(tuple(self.source.variables)),))
            .apply(self.engine, units)
            .source
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
        fraction: Fraction | None = None,
        weight: str | None = None,
        population: Any = None,
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
        names = self.key(key)
        self = self.of_people(names)
        whose = self.with_several_records(names, None)
        found = risk.file_risk(
            self.engine,
            self.source,
            names,
            fraction=fraction,
            weight=weight,
            population=whole,
            model=model,
            distribution=distribution,
            household=household,
            sensitive=sensitive,
            beyond_uniques=beyond_uniques,
            person=whose,
        )
        if whose is None:
            return found
        said = (
            f"people are counted, by '{whose}', and not their records: whoever has several "
            "combinations of the key is counted with each"
        )
        return replace(
            found, found=replace(found.found, assumptions=(*found.found.assumptions, said))
        )

    def flags(self, rules: str | Path) -> RecordFlags:
        """Flag records by the rules of a TOML file, tables ``[[flags]]``; see `read_flag_rules`."""
        return risk.flag_records(self.source, risk.load_flag_rules(rules, self.source))

    def validate_risk(
        self,
        key: Sequence[str] | None = None,
        *,
        fraction: Fraction,
        repeat: Annotated[int, at_least(1, most=10**6)] = 20,
        model: str = "auto",
        seed: Seed = 1,
    ) -> Validation:
        """Draw samples from this population and compare the estimated risk with the truth."""
        return risk.validate(
            self.key_table(key), fraction=fraction, repeat=repeat, model=model, seed=seed
        )

    def hierarchies(
        self, key: Sequence[str] | None = None, *, directory: str | Path | None = None
    ) -> Hierarchies:
        """Return a hierarchy for each key variable.

        What a project file says comes first, then ``<variable>.csv`` of the directory, then one
        chosen from the values; `notes` of the result says which were chosen, and why.
        """
        names = self.key(key)
        values = {name: self._values(name) for name in names}
        if self.project is not None and directory is None:
            found = self.project.hierarchies(values, self.source)
        else:
            # that cells are numbers makes no amounts of them, where the file says nothing else
            known = [self.variables[name] for name in names]
            levels = {v.name: v.level for v in known if v.level != "numeric" or v.labels or v.label}
            labelled = {name for name in names if self.variables[name].labels_most(values[name])}
            found = hierarchy.load_hierarchies(directory, values, levels=levels, labelled=labelled)
        return self._with_clusters(found, values)

    def _with_clusters(
        self, found: Hierarchies, values: Mapping[str, Sequence[Any]]
    ) -> Hierarchies:
        """Return hierarchies in which categories that could be suppressed only are clustered."""
        bare = [
            name
            for name in found.chosen
            if found[name].height == 1
            and self.variables[name].level not in ("ordinal", "date")
            and hierarchy.FEWEST_CLUSTERED <= len(values[name]) <= hierarchy.MOST_CLUSTERED
        ]
        if not bare:
            return found
        table = self.key_table(list(values))
        made, notes = {}, {}
        for name in bare:
            variable = self.variables[name]
            made[name] = hierarchy.clustered_hierarchy(
                *keys.profiles_of(table, name),
                name=name,
                special=[value for value in values[name] if variable.is_missing(value)],
            )
            if made[name].height > 1:
                notes[name] = (
                    f"'{name}' has no hierarchy file and holds categories: those that are alike "
                    "in the rest of the key are joined, as counts of the data say. Give it a file "
                    "if they mean something else."
                )
        return hierarchy.Hierarchies(
            [made.get(name, found[name]) for name in found],
            notes={**found.notes, **notes},
            chosen=found.chosen,
        )

    def _values(self, name: str) -> list[Any]:
        """Return the values that occur in a column, each once."""
        table = keys.KeyTable.from_tally(self.engine.count(self.source, [name]))
        return [value for value in table.values(name) if value is not None]

    def protect(
        self,
        /,
        key: Sequence[str] | None = None,
        *,
        method: str,
        k: ClassSize | None = None,
        at_most: AtMost | None = None,
        seed: Seed | None = None,
        hierarchies: str | Path | Mapping[str, Hierarchy] | None = None,
        person: str | None = None,
        secrets: ReleaseKey | None = None,
        **options: Any,
    ) -> Protected:
        """Change a copy of the records until nobody stands out.

        Parameters
        ----------
        method
            One that is registered: ``indistinct protect --help`` and the reference list them.
        k, at_most
            The promise; by default the project's.
        seed
            By default one that nobody can guess.
        hierarchies
            A directory of ``<variable>.csv`` files, or hierarchies by name; by default the
            project's, or chosen from the values.
        person
            The column that says whose record each is, where people have several, or two with a
            comma between (a household and the line in it): then every class gets k people, not k
            records. By default the project's, or found; see `person`.
        secrets
            The key of the release, for ``encrypt``.
        options
            Those that the method declares; another one is refused.
        """
        return flow.protecting.protect_data(
            self,
            self.key(key),
            method=method,
            k=k,
            at_most=at_most,
            seed=protect.fresh_seed() if seed is None else seed,
            hierarchies=hierarchies,
            person=person,
            secrets=secrets,
            options=options,
        )

    def request(
        self,
        key: Sequence[str] | None = None,
        *,
        k: ClassSize | None = None,
        at_most: AtMost | None = None,
        **options: Any,
    ) -> Request:
        """Return what is asked for: the options given, and the project's for the others."""
        return flow.protecting.request_of(
            self, self.key(key), k=k, at_most=at_most, options=options
        )

    def compare(
        self,
        key: Sequence[str] | None = None,
        *,
        k: ClassSize | None = None,
        at_most: AtMost | None = None,
        seed: Seed | None = None,
        hierarchies: str | Path | Mapping[str, Hierarchy] | None = None,
        methods: Sequence[str] | None = None,
        **options: Any,
    ) -> SideBySide:
        """Protect copies by several methods and compare what each costs; release nothing.

        The options are those of `protect`.
        """
        names = self.key(key)
        return comparing.compare_methods(
            self.engine,
            self._one_record_each(names),
            names,
            hierarchies=self.climbing(names, hierarchies),
            request=self.request(names, k=k, at_most=at_most, **options),
            seed=protect.fresh_seed() if seed is None else seed,
            methods=protect.METHODS if methods is None else methods,
        )

    def replay(
        self,
        key: Sequence[str] | None,
        plan: Plan | str | Path,
        *,
        k: ClassSize | None = None,
        at_most: AtMost | None = None,
        seed: Seed | None = None,
        secrets: ReleaseKey | None = None,
        person: str | None = None,
    ) -> Protected:
        """Apply a plan that was saved, and count what came of it."""
        if not isinstance(plan, protect.Plan):
            plan = protect.Plan.load(plan)
        names = self.key(key)
        counted = (step.person for step in plan.steps if isinstance(step, protect.ForPeople))
        self = self.of_people(names, person or next(counted, None))
        k, at_most = self.promise(k, at_most)
        # a release leaves the identifiers out itself, and puts the records in another order
        return protect.protect_by_plan(
            self.engine,
            self.source,
            names,
            plan,
            k=k,
            at_most=at_most,
            seed=seed,
            secrets=secrets,
            person=self.with_several_records(names, person),
        )

    def utility(self, released: Any, **options: Any) -> ReleaseComparison:
        """Say whether a researcher's results would be the same; see `compare_release`."""
        return flow.compare_release(
            self.source, released, project=self.project, engine=self.engine, **options
        )

    def risk_utility_map(
        self,
        key: Sequence[str] | None = None,
        *,
        k: ClassSize | None = None,
        at_most: AtMost | None = None,
        seed: Seed | None = None,
        hierarchies: str | Path | Mapping[str, Hierarchy] | None = None,
        risk: RiskMeasure = "linkage",
        utility: UtilityMeasure = "pairs",
        also: Sequence[Candidate] = (),
        **candidates: Any,
    ) -> RiskUtilityMap:
        """Protect copies in many ways and compare what an intruder finds and what is left.

        `candidates` are options of `utility.tradeoff.standard_candidates`; `also` are tried
        beside those.
        """
        names = self.key(key)
        climbing = self.climbing(names, hierarchies)
        threshold = keys.threshold(*self.promise(k, at_most))
        candidates.setdefault("k", (threshold,))
        source = self._one_record_each(names)
        usual = tradeoff.standard_candidates(
            self.engine, source, names, hierarchies=climbing, **candidates
        )
        return tradeoff.risk_utility_map(
            self.engine,
            source,
            [*usual, *also],
            key=names,
            seed=protect.fresh_seed() if seed is None else seed,
            hierarchies=climbing,
            risk=risk,
            utility=utility,
        )

    def protection(self, done: Protected) -> ProtectionReport:
        """Say what perturbation changed, and what an intruder with the true values still finds."""
        there = done.source.variables
        touched = dict.fromkeys(
            n for receipt in done.receipts for n in receipt.cells_changed if n in there
        )
        kinship, woman = self._couples()
        return prove.protection_report(
            self.engine,
            self.source,
            done.source,
            key=list(done.before.key),
            variables=list(touched) or list(done.before.key),
            kinship=kinship,
            woman=woman,
            match=protect.origin_of(done.receipts, self.records),
        )

    def _couples(self) -> tuple[Kinship | None, Bools | None]:
        """Return who lives with whom, where the data tell it, and who is a woman."""
        try:
            columns = (
                self.project.household_columns(self.source)
                if self.project
                else households.guess_household(self.source)
            )
            kinship = households.read_kinship(self.source, columns)
        except InputError:
            return None, None
        if columns.sex is None or not columns.female:
            return kinship, None
        sexes = households.read_columns(self.source, [columns.sex])[columns.sex]
        return kinship, sexes.recoded(dict.fromkeys(columns.female, 1)) == 1

    def register_table(self, path: Any, key: Sequence[str]) -> keys.KeyTable:
        """Count a register of people by the key."""
        register = files.open_data(path, workspace=self.engine.workspace)
        register.check_columns(key)
        return keys.KeyTable.from_tally(self.engine.count(register, key))

    def climbing(
        self, names: Sequence[str], given: str | Path | Mapping[str, Hierarchy] | None = None
    ) -> Mapping[str, Hierarchy]:
        """Return the hierarchies given, or those of a directory, the project or the values."""
        if isinstance(given, Mapping):
            return given
        return self.hierarchies(names, directory=given)

    def release(
        self,
        folder: str | Path,
        done: Protected,
        *,
        seed: Seed | None = None,
        format: files.Format | None = None,
        keep: Sequence[str] | None = None,
        keep_order: bool | None = None,
        keep_formulas: bool | None = None,
        substitute: Sequence[str] = (),
        keep_named: Sequence[str] | None = None,
        registers: Sequence[Any] = (),
        earlier: Sequence[Any] = (),
        sign_with: SigningKey | None = None,
        accept: Sequence[str] = (),
        although_unproved: bool = False,
        keep_household_numbers: bool | None = None,
        told: Told | None = None,
        policy: Sequence[str | Path] = (),
        exceptions: Sequence[str] = (),
        warnings: Sequence[str] = (),
        compare: bool = False,
        protection: ProtectionReport | None = None,
        drawn: RiskUtilityMap | None = None,
        on_map: str | None = None,
    ) -> ReleaseFolder:
        """Leave out what names people, prove the result and write the release folder.

        What names people is found from names and content of the columns, whatever is declared
        (`indistinct.naming.columns_that_name`); each is told in `warnings` of the result.

        The written file is read again and judged before the folder appears. A release that
        does not hold is refused; one that holds with reservations is written, and names them.

        Parameters
        ----------
        registers
            Files or tables of people to attack the release with, beside the private data's own
            people.
        earlier
            Earlier releases of the same people, folders or files. If the new one breaks what
            one of them promised, or they its promise, it is refused.
        sign_with
            The holder's key, for the certificate.
        keep
            The variables that are released beside the key; by default the project's, or all.
        keep_order
            Leave the records in the order of the private file, which may tell whose they are: by
            default what the project says, or not.
        keep_formulas
            Write cells of a CSV file that begin with ``=``, ``+``, ``-`` or ``@`` as they are, so
            that a spreadsheet runs them; by default an apostrophe marks them as text.
        substitute
            Identifiers that are replaced by made-up ones, one to one, instead of left out.
        keep_named
            Columns that are released although they name people; by default the project's
            ``[release] release``. The verdict then has a reservation.
        seed
            The seed that was used, for the private ledger.
        format
            By default the project's, or that of a workbook or of a Stata or SPSS file; else
            Parquet.
        accept
            Codes of reservations that the holder knows and takes upon himself.
        although_unproved
            Write a release that does not hold; its certificate says so first.
        keep_household_numbers
            Release the households' own numbers; by default they get new ones.
        told
            What becomes of classes that tell a sensitive value: ``blank`` these cells (by default,
            with a word), ``refuse``, or ``allow`` it and let the verdict say so.
        policy, exceptions
            Files with an organisation's policies, beside the project's, and the rules from which
            an exception is made, each with its reason: ``"least-k: agreed on 3 May"``.
        warnings
            What else the holder should think about, for the report.
        compare
            Compare what is released with the original too, for the report.
        protection
            What perturbation changed and what an intruder still finds, if that is known already.
        drawn, on_map
            A map of risk and utility for the report, and which candidate on it this is.
        """
        self = self.of_people(done.before.key, done.person)
        leaving = flow.prepare_to_leave(
            self.engine,
            self.source,
            done,
            project=self.project,
            seed=seed,
            keep=keep,
            keep_named=keep_named,
            keep_order=keep_order,
            keep_household_numbers=keep_household_numbers,
            substitute=substitute,
            told=told or (self.project.release.told if self.project else None),
            accept=accept,
        )
        policies = flow.policies_of(self.project, policy, exceptions)
        registers = policies.registers(registers)
        excepted = policies.heed(
            k=done.k,
            promises_k=leaving.protected.claims_k and leaving.protected.guaranteed,
            doing={done.method, *flow.kinds_in(done.plan)},
            accepts=bool(leaving.promise.accepted) or although_unproved,
        )
        excepted.record()
        promise, names = leaving.promise, list(leaving.promise.key)
        trees = hierarchy.hierarchies_in(leaving.plan.to_dict())
        if format is None:
            asked = self.project.release.format if self.project else None
            format = asked or files.written_like(self.source.origin)
        if keep_formulas is None:
            keep_formulas = self.project is not None and self.project.release.keep_formulas

        def prove_written(written: Path) -> dict[str, Any]:
            workspace = self.engine.workspace
            lists = [
                prove.Register(files.open_data(path, workspace=workspace)) for path in registers
            ]
            released = files.open_data(written, workspace=workspace)
            trial = prove.Trial(
                self.engine,
                released,
                promise,
                self.source,
                lists,
                trees,
                leaving.origin,
                leaving.replay,
            )
            found = flow.judge_release(
                trial, name="the new release", earlier=earlier, any_version=True
            )
            return release.told_verdict(
                found,
                files={str(path): path for path in registers if isinstance(path, (str, Path))},
            )

        warned = (*warnings, *leaving.warnings, *excepted.warnings)
        done = leaving.protected
        terms = release.Terms.from_project(self.project)
        compared = None
        if compare:
            try:
                compared = self.utility(
                    leaving.in_order,
                    key=names,
                    hierarchies=trees,
                    protection=None if protection is None else False,
                    origin=leaving.in_order_origin,
                )
            except InputError as error:  # it serves the report, and must not cost the release
                warned += (f"Utility could not be measured: {error}",)
        measured = report.measure(
            self.source,
            leaving.in_order,
            done,
            plan=leaving.plan,
            receipts=leaving.receipts,
            terms=terms,
            format=format,
            comparison=compared,
            protection=protection,
            drawn=drawn,
            chosen=on_map,
            warnings=warned,
            known=prove.known_too(
                self.engine, leaving.in_order, names, k=done.k, apart=promise.perturbed
            ),
        )
        mending = {} if self.project is None else self.project.mending(self.variables)
        written = release.write_release(
            folder,
            leaving.source,
            mended=mending,
            plan=leaving.plan,
            receipts=leaving.receipts,
            ledger={
                "data": self.source.origin,
                "seed": leaving.seed,
                "k": done.k,
                "key": list(done.before.key),
                "at_risk_before": done.before.at_risk,
                "at_risk_after": done.after.at_risk,
                "person": done.person,
                "mended": {name: list(settings) for name, settings in mending.items()},
                "people_at_risk_before": done.people_before,
                "people_at_risk_after": done.people_after,
                "method": done.method,
                "left_out": leaving.left_out,
                "released_although_naming": list(promise.kept),
                "cost": done.cost.to_dict() if done.cost else None,
                "policies": [str(one.path) for one in policies.policies],
                "policy_exceptions": excepted.to_dict(),
                "read_outside": sorted(map(str, watch.outside)) if (watch := watched()) else [],
            },
            terms=terms,
            key=names,
            k=done.k,
            promise=promise,
            prove=prove_written,
            measured=measured.to_dict(),
            keep_formulas=keep_formulas,
            origin=leaving.origin,
            format=format,
            although_unproved=although_unproved,
            sign_with=sign_with,
            audit=self.project.release.audit if self.project else None,
        )
        return replace(written, warnings=(*written.warnings, *warned), protected=done)

    def promise(self, k: ClassSize | None, at_most: AtMost | None) -> tuple[int | None, int | None]:
        """Return the threshold asked for, or the project's."""
        if k is None and at_most is None and self.project is not None:
            return self.project.release.k, self.project.release.at_most
        return k, at_most

    def with_roles(self, **roles: Any) -> Data:
        """Return the same data with the roles of some variables set: ``age="key"``."""
        changed = self.variables.updated({name: {"role": role} for name, role in roles.items()})
        return replace(self, source=replace(self.source, variables=changed))

    def write(
        self, path: str | Path, *, format: files.Format | None = None, overwrite: bool = False
    ) -> Path:
        """Write the records to a file of any format."""
        return files.write_data(self.source, path, format=format, overwrite=overwrite)
