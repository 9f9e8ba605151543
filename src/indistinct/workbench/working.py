"""What a job does, in a process of its own: it opens the records, asks the flow, keeps the answer.

The answers lie in the project's private folder, under a hash of everything that they were made
from, and are for the holder's eyes: they may hold values.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from indistinct import engine, flow, keys
from indistinct.core import IndistinctError, InputError, listening, progress, systems, visible
from indistinct.core.doors import write_whole, written_whole
from indistinct.project import Project, check_categories, check_levels, draft_project, read_project
from indistinct.protect import Protected, ReleaseKey, origin_of
from indistinct.risk import attribute_disclosure, household_risk, minimal_uniques
from indistinct.workbench.lettering import look_at_letters, scrub_letters
from indistinct.workbench.rollup import Rollup, roll_up
from indistinct.workbench.store import Store
from indistinct.workbench.tabling import publish, weigh

__all__ = ["serve"]

SHOWN = 100
"""Records that the first screen shows."""
LOOKED_AT = 200
"""Records that are shown beside what is released of them."""
MOST_NODES = 20_000
"""Nodes of a lattice that are gone over."""
COMMON = 5
MOST_TOGETHER = 3
"""Variables of a combination that is looked at by itself."""
COMBINATIONS = 40
"""Combinations that are shown of those that single somebody out."""
"""Values of a variable that are shown."""
_EVERY = 0.2
"""Seconds between two words about how far the work is."""


def serve() -> None:
    """Do what is asked on standard input, and tell how it goes on standard output."""
    request = pickle.load(sys.stdin.buffer)
    to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is no word of ours

    def tell(event: str, **said: Any) -> None:
        to.write(json.dumps({"event": event, **said}) + "\n")
        to.flush()

    with systems.ends_on_termination():
        try:
            with listening(_Teller(tell)):
                result = _WORK[request["kind"]](request)
            tell("done", result=result)
        except IndistinctError as error:
            tell("failed", error=str(error))
        except MemoryError:
            tell("failed", error="There is not enough memory. Use fewer key variables.")
        except Exception as error:  # its words may hold values of records
            if os.environ.get("INDISTINCT_DEBUG"):
                raise
            tell("failed", error=f"The program failed ({type(error).__name__}).")


class _Teller:
    """Hears of tasks, and tells those that are under way now and then."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self._tell, self._told = tell, 0.0
        self._tasks: dict[progress.Task, float] = {}

    def started(self, task: progress.Task) -> None:
        """Take note of a task."""
        self._tasks[task] = time.monotonic()
        self._say()

    def advanced(self, task: progress.Task) -> None:
        """Tell how far it is, if that was not told just now."""
        if time.monotonic() - self._told > _EVERY:
            self._say()

    def ended(self, task: progress.Task) -> None:
        """Forget it."""
        self._tasks.pop(task, None)

    def _say(self) -> None:
        self._told = now = time.monotonic()
        told = [
            {
                "words": task.words,
                "done": task.done,
                "total": task.total,
                "unit": task.unit,
                "seconds": round(now - began, 3),
            }
            for task, began in list(self._tasks.items())
        ]
        self._tell("tasks", tasks=told)


# Opening -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _opened(request: Mapping[str, Any]) -> Iterator[flow.Data]:
    """Open the records of a project whose text is given, as they are: nothing declared yet."""
    project = read_project(request["text"], Path(request["project"]))
    data = project.data
    with progress.task("opening the records"):
        opened = flow.open_data(
            str(data.file),
            **{
                name: value
                for name in (
                    *("query", "table", "header_row", "dictionary"),
                    *("delimiter", "encoding", "decimal"),
                )
                if (value := getattr(data, name)) is not None
            },
            memory=project.engine.memory,
            threads=project.engine.threads,
        )
    with opened:
        yield replace(opened, project=project)


def _declared(data: flow.Data) -> flow.Data:
    """Put on the variables what the project declares."""
    project = _project(data)
    source = project.apply_to(data.source)
    check_levels(data.engine, source)
    check_categories(data.engine, source)
    return replace(data, source=source)


def _project(data: flow.Data) -> Project:
    assert data.project is not None
    return data.project


# Drafting, looking and counting ------------------------------------------------------------------


def draft(request: dict[str, Any]) -> dict[str, Any]:
    """Draft a project file for a data file."""
    place = Path(request["project"])
    with flow.open_data(request["data"], **request["reading"]) as data:
        found = draft_project(
            data.engine, data.source, data_path=request["data"], **request["reading"]
        )
    text = found.to_toml(file=place.name, folder=place.parent)
    write_whole(place, text)
    return {"project": str(place)}


def count(request: dict[str, Any]) -> dict[str, Any]:
    """Look at the variables, and count who stands out: what the first screens show."""
    store = Store(Path(request["results"]))
    with _opened(request) as data:
        if store.read("look", request["look"]) is None:
            store.keep("look", request["look"], _look(data))
        if store.read("count", request["count"]) is None:
            store.keep("count", request["count"], _count(_declared(data), store, request))
    return {}


def _look(data: flow.Data) -> dict[str, Any]:
    guesses = draft_project(data.engine, data.source, data_path="")
    facts = {one.name: one for one in data.describe()}
    variables = []
    for name in progress.each(list(data.variables), "looking at the variables", unit="variables"):
        variable, fact, guess = data.variables[name], facts[name], guesses[name]
        common, alone = _commonest(data, name)
        variables.append(
            {
                "name": name,
                "label": variable.label or "",
                "kind": fact.kind,
                "distinct": fact.distinct,
                "missing": fact.missing,
                "alone": alone,
                "common": [[_shown(v), _label(data, name, v), n] for v, n in common],
                "guess": {
                    "role": guess.role,
                    "level": guess.level,
                    "reason": guess.reason,
                    "missing": list(map(str, guess.missing)),
                },
            }
        )
    first = data.source.first(SHOWN)
    return {
        "origin": str(data.source.origin),
        "records": data.records,
        "notes": list(data.source.notes),
        "person": guesses.person,
        "variables": variables,
        "first": [[_shown(value) for value in row.values()] for row in first.to_pylist()],
    }


def _commonest(data: flow.Data, name: str) -> tuple[list[tuple[Any, int]], int]:
    """Return the commonest values of a column, and how many records are alone with theirs."""
    column = engine.quote(name)
    held = f"SELECT {column} AS v, count(*) AS n FROM records WHERE {column} IS NOT NULL GROUP BY 1"
    common = data.engine.sql(
        f"SELECT v, n FROM ({held}) ORDER BY n DESC, v LIMIT {COMMON}", records=data.source
    ).to_pylist()
    alone = data.engine.sql(
        f"SELECT count(*) AS n FROM ({held}) WHERE n = 1", records=data.source
    ).to_pylist()
    return [(row["v"], row["n"]) for row in common], int(alone[0]["n"])


def _shown(value: Any) -> str:
    return "" if value is None else visible(str(value))


def _label(data: flow.Data, name: str, value: Any) -> str:
    labels = data.variables[name].labels or {}
    return str(labels.get(value, ""))


def _count(data: flow.Data, store: Store, request: Mapping[str, Any]) -> dict[str, Any]:
    key = data.key()
    whose = data.with_several_records(key, None)
    names = [*key, *([whose] if whose is not None and whose not in key else [])]
    table = data.key_table(names)
    words = {name: table.coding.variables[table.position(name)] for name in key}
    codes = np.stack([table.codes[:, table.position(name)] for name in key], axis=1)
    trees, problem, notes = None, "", {}
    try:
        trees = data.hierarchies(key)
        notes = dict(trees.notes)
        without = keys.KeyTable(table.coding, table.codes, table.counts)
        narrowed, rows = without.rollup(key)
        climbing = keys.Generalisable.of(narrowed, trees)
        leaves = climbing.leaves[rows]
        climbs = [climbing.climb(j) for j in range(len(key))]
        labels = [list(climbing.labels(j)) for j in range(len(key))]
        level_words = [
            [trees[name].level_words(level) or "" for level in trees[name].levels] for name in key
        ]
    except IndistinctError as error:
        problem = str(error)
        leaves = codes.astype(np.int32)
        climbs = [np.arange(words[name].size, dtype=np.int32)[None, :] for name in key]
        labels = [
            [_shown(v) for v in words[name].decode(np.arange(words[name].size))] for name in key
        ]
        level_words = [[""] for _ in key]
    people = keys.person_of_classes(table, whose) if whose is not None else None
    rollup = Rollup(tuple(key), leaves, table.counts, people, tuple(climbs))
    below = {"": roll_up(rollup).tolist()}
    alone = {}
    for j, name in enumerate(
        progress.each(key, "counting without each variable", unit="variables")
    ):
        others = [i for i in range(len(key)) if i != j]
        below[name] = roll_up(rollup, among=others).tolist()
        alone[name] = roll_up(rollup, among=[j]).tolist()
    place = store.place("count", request["count"], ".npz")
    with written_whole(place, private=True, own=True) as aside:
        arrays: dict[str, Any] = {f"climb{j}": climb for j, climb in enumerate(climbs)}
        arrays |= {"leaves": leaves, "counts": table.counts}
        if people is not None:
            arrays["people"] = people
        with aside.open("wb") as to:
            np.savez(to, **arrays)
    return {
        "key": key,
        "person": whose,
        "records": data.records,
        "people": len(np.unique(people)) if people is not None else data.records,
        "classes": len(np.unique(keys.group_rows(leaves.astype(np.int64)))),
        "below": below,
        "alone": alone,
        "labels": labels,
        "level_words": level_words,
        "no_hierarchies": problem,
        "hierarchy_notes": notes,
        "variables": {
            name: {
                "labels": {str(c): str(w) for c, w in (data.variables[name].labels or {}).items()},
                "label": data.variables[name].label or "",
            }
            for name in key
        },
        "trees": {} if trees is None else {name: trees[name].to_dict() for name in key},
    }


# Protecting and comparing ------------------------------------------------------------------------


def protect_copy(request: dict[str, Any]) -> dict[str, Any]:
    """Protect a copy as the project says, and keep what that does; nothing is released."""
    store = Store(Path(request["results"]))
    with _opened(request) as opened:
        data = _declared(opened)
        project = _project(data)
        wanted = flow.Wanted().completed(project)
        names = data.key(wanted.key)
        promise = {"k": wanted.k, "at_most": wanted.at_most, "seed": project.release.seed}
        if wanted.plan is not None:
            done = data.replay(names, wanted.plan, **promise)
        else:
            done = data.protect(
                names,
                method=wanted.method or "local-recoding",
                secrets=ReleaseKey.fresh() if wanted.method == "encrypt" else None,
                **promise,
                **wanted.options,
            )
        store.keep("protect", request["key"], _told_of(data, names, done))
    return {}


def try_steps(request: dict[str, Any]) -> dict[str, Any]:
    """Apply the project's steps to a copy, one after the other; nothing of it is kept."""
    with _opened(request) as opened:
        data = _declared(opened)
        project = _project(data)
        if project.steps:
            release = project.release
            data.protect(
                data.key(), method="steps", k=release.k, at_most=release.at_most, seed=release.seed
            )
    return {}


def _told_of(data: flow.Data, names: list[str], done: Protected) -> dict[str, Any]:
    cells: dict[str, int] = {}
    for receipt in done.receipts:
        for name, number in receipt.cells_changed.items():
            cells[name] = cells.get(name, 0) + int(number)
    before, after = done.before.key_table, done.after.key_table
    variables = [
        {
            "name": name,
            "before": len(set(before.codes[:, before.position(name)].tolist())),
            "after": len(set(after.codes[:, after.position(name)].tolist()))
            if name in after.names
            else None,
            "cells": cells.get(name, 0),
        }
        for name in names
    ]
    return {
        "method": done.method,
        "k": done.k,
        "records": done.before.records,
        "released": done.source.records,
        "before": done.before.at_risk,
        "after": done.residual,
        "guaranteed": done.guaranteed,
        "claims_k": done.claims_k,
        "cells": sum(cells.values()),
        "precision": done.cost.precision if done.cost else None,
        "suppressed_records": sum(receipt.records_lost for receipt in done.receipts),
        "variables": variables,
        "others": {name: n for name, n in cells.items() if name not in names},
        "steps": [step.describe() for step in done.plan.steps],
        "notes": [text for r in done.receipts for text in (*r.notes, *r.warnings)],
        "preview": _side_by_side(data, names, done),
    }


def _side_by_side(data: flow.Data, names: list[str], done: Protected) -> dict[str, Any]:
    """Return the first records with what is released of each; None for one that is left out."""
    touched = {name for receipt in done.receipts for name in receipt.cells_changed}
    columns = [n for n in data.variables if n in names or n in touched]
    origin = origin_of(done.receipts, data.records)
    shown = min(LOOKED_AT, data.records)
    if origin is None:
        return {"columns": [], "rows": []}
    released: dict[int, dict[str, Any]] = {}
    start = 0
    for batch in done.source.batches():
        here = origin[start : start + len(batch)]
        for at in np.flatnonzero((here >= 0) & (here < shown)).tolist():
            released[int(here[at])] = batch.slice(at, 1).to_pylist()[0]
        start += len(batch)
    household = next(iter(data.variables.names(role="household")), "")
    rows = []
    for number, row in enumerate(data.source.first(shown).to_pylist()):
        after = released.get(number)
        rows.append(
            {
                "before": [_shown(row[name]) for name in columns],
                "after": None
                if after is None
                else [_shown(after.get(name)) if name in after else None for name in columns],
                "home": _shown(row.get(household)),
            }
        )
    key = [name for name in columns if name in names]
    return {"columns": columns, "key": key, "rows": rows}


def compare(request: dict[str, Any]) -> dict[str, Any]:
    """Protect copies by every method that generalises, and keep what each costs."""
    store = Store(Path(request["results"]))
    with _opened(request) as opened:
        data = _declared(opened)
        seed = _project(data).release.seed
        found = flow.compare_methods_as_asked(data, flow.Wanted(seed=seed))
        rows = [asdict(row) for row in found.rows]
        best = found.best.method if found.best else None
        content = {"k": found.k, "at_risk": found.at_risk, "best": best, "rows": rows}
        store.keep("compare", request["key"], json.loads(json.dumps(content, default=str)))
    return {}


def population(request: dict[str, Any]) -> dict[str, Any]:
    """Estimate how many of a sample are alone in the population too, and by household."""
    store = Store(Path(request["results"]))
    with _opened(request) as opened:
        data = _declared(opened)
        roles = data.variables
        found = data.risk(
            fraction=request["fraction"],
            household=next(iter(roles.names(role="household")), None),
            sensitive=roles.names(role="sensitive"),
        )
        store.keep("population", request["key"], found.to_dict())
    return {}


def closer(request: dict[str, Any]) -> dict[str, Any]:
    """Look closer at who stands out, as the project counts it: by what, at home, and what is told.

    What is kept: minimal uniques by their variables, who lives with somebody that stands out, and
    what is learnt of sensitive variables without a link to a record.
    """
    store = Store(Path(request["results"]))
    with _opened(request) as opened:
        data = _declared(opened)
        key = data.key()
        found = data.uniques(key)
        table = found.key_table
        if found.person is not None:
            people = keys.people_by_class(data.engine, found.source, key, found.person)
            table = replace(table, counts=people)
        least = minimal_uniques(table, max_size=min(MOST_TOGETHER, len(key)))
        combinations = list(itertools.islice(least.combinations(), COMBINATIONS))
        content: dict[str, Any] = {
            "k": found.k,
            "at_risk": found.at_risk,
            "records": found.records,
            "person": found.person,
            "sample_uniques": least.sample_uniques,
            "special_uniques": least.special_uniques,
            "by_smallest": list(least.by_smallest.items()),
            "combinations": [[list(names), n] for names, n in combinations],
            "household": None,
            "sensitive": [],
        }
        household = next(iter(data.variables.names(role="household")), None)
        if household is not None:
            out = (found.frequency() < found.k).astype(np.float64)
            homes = household_risk(out, found.source.batches([household]))
            content["household"] = {
                "name": household,
                "themselves": int(out.sum()),
                "with_others": int((homes > 0).sum()),
            }
        sensitive = [n for n in data.variables.names(role="sensitive") if n not in key]
        if sensitive:
            wider = data.key_table([*key, *sensitive])
            told = attribute_disclosure(wider, key, sensitive)
            content["sensitive"] = [
                {
                    "name": one.name,
                    "l": one.diversity.least("distinct"),
                    "entropy": one.diversity.least("entropy"),
                    "t": one.closeness.largest,
                    "disclosed": one.disclosed,
                }
                for one in told.variables
            ]
        store.keep("closer", request["key"], content)
    return {}


def lattice(request: dict[str, Any]) -> dict[str, Any]:
    """Go over every way to bring whole variables to levels; nothing above a safe one is counted.

    Whoever does not stand out goes on not to when a variable climbs further.
    """
    store = Store(Path(request["results"]))
    counted, table = store.read("count", request["count"]), store.rollup(request["count"])
    if counted is None or table is None:
        raise InputError("The records are not counted yet. Wait for the count, and try again.")
    k, limits = request["k"], request["limits"]
    heights = [len(climb) - 1 for climb in table.climbs]
    highest = [min(h, limits.get(name, h)) for name, h in zip(table.names, heights, strict=True)]
    number = math.prod(h + 1 for h in highest)
    if number > MOST_NODES:
        raise InputError(
            f"The lattice has {number:,} nodes; {MOST_NODES:,} are gone over at most. Give "
            "variables a highest level under Protect, or take some out of the key."
        )
    nodes = sorted(itertools.product(*(range(h + 1) for h in highest)), key=lambda n: (sum(n), n))
    at_risk: dict[tuple[int, ...], int] = {}
    for levels in progress.each(nodes, "going over the lattice", unit="nodes"):
        below = [
            (*levels[:j], level - 1, *levels[j + 1 :]) for j, level in enumerate(levels) if level
        ]
        is_safe = any(at_risk[one] == 0 for one in below)
        at_risk[levels] = 0 if is_safe else int(roll_up(table, levels)[k])
    content = {"key": list(table.names), "k": k, "records": counted["records"]}
    content |= {"heights": heights, "nodes": list(at_risk.items())}
    store.keep("lattice", request["key"], content)
    return {}


# Releasing ---------------------------------------------------------------------------------------


def release(request: dict[str, Any]) -> dict[str, Any]:
    """Run the project as it stands, into a folder; what `indistinct run` does."""
    run = flow.run_project(
        request["project"],
        out=request["out"],
        policy=request["policy"],
    )
    told = json.loads(json.dumps(run.to_dict(), default=str))
    told["sentence"] = run.release.sentence
    told["holds"] = run.holds
    told["found"] = {"records": run.found.records, "at_risk": run.found.at_risk}
    Store(Path(request["results"])).keep("release", request["key"], told)
    return {}


_WORK: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "draft": draft,
    "count": count,
    "protect": protect_copy,
    "steps": try_steps,
    "compare": compare,
    "lattice": lattice,
    "population": population,
    "closer": closer,
    "release": release,
    "tables": weigh,
    "publish": publish,
    "letters": look_at_letters,
    "scrubbed": scrub_letters,
}
