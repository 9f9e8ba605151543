"""Whether a released column names people, whatever anybody declared of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from indistinct.engine import quote
from indistinct.files import Source
from indistinct.naming import Naming, columns_that_name
from indistinct.prove.examiners.every import register_examiner
from indistinct.prove.opinion import Opinion, Trial
from indistinct.prove.promise import Promise

__all__ = ["examine_identifiers"]

_AS_THEY_WERE = 0.5
"""The share of released values from which on a column is taken for the private one."""


@register_examiner(place=60)
def examine_identifiers(trial: Trial) -> Opinion:
    """Find columns that name people and were neither promised to stay nor disguised.

    The released file says what is declared in it and nothing is believed but that a column is an
    identifier or a weight. With the private data, columns that name people there are looked for
    too: whoever has several visits is one person there.
    """
    promise, release = trial.promise, trial.release
    told = {*promise.key, *promise.kept, *promise.scrubbed}
    told |= {*promise.substituted, *promise.encrypted}
    told |= {promise.household} if promise.household is not None else set()
    found = list(columns_that_name(trial.engine, _undeclared(release, promise), key=told))
    if trial.private is not None:
        private = _with_sensitive(trial.private, promise.sensitive)
        seen = {one.name for one in found}
        person = promise.person if promise.person in trial.private.variables else None
        found += [
            one
            for one in columns_that_name(trial.engine, private, key=told, person=person)
            if one.name not in seen and _released_as_it_was(trial, private, one)
        ]
    opinion = Opinion()
    for one in found:
        opinion = opinion.finding(f"{one.name} names people ({one.reason})")
    return opinion


def _undeclared(release: Source, promise: Promise) -> Source:
    """Forget the roles that would excuse a column, and read it with the label that it had."""
    known: dict[str, dict[str, Any]] = {
        v.name: {
            "role": v.role if v.role in ("identifier", "weight") else "other",
            "label": v.label or promise.labels.get(v.name, ""),
        }
        for v in release.variables.values()
    }
    undeclared = replace(release, variables=release.variables.updated(known))
    return _with_sensitive(undeclared, promise.sensitive)


def _with_sensitive(source: Source, names: Sequence[str]) -> Source:
    """Declare variables sensitive: their amounts may be another for everybody."""
    known = {name: {"role": "sensitive"} for name in names if name in source.variables}
    return replace(source, variables=source.variables.updated(known))


def _released_as_it_was(trial: Trial, private: Source, one: Naming) -> bool:
    """Say whether a column of the private data is released and holds its values."""
    if one.name not in trial.release.variables:
        return False
    value = quote(one.name)
    found = trial.engine.sql(
        f"SELECT count(*) AS n, count(p.v) AS same FROM "
        f"(SELECT DISTINCT CAST({value} AS VARCHAR) AS v FROM released "
        f"WHERE {value} IS NOT NULL) r LEFT JOIN "
        f"(SELECT DISTINCT CAST({value} AS VARCHAR) AS v FROM private) p ON r.v = p.v",
        released=trial.release,
        private=private,
    ).to_pylist()[0]
    return bool(found["n"]) and found["same"] >= _AS_THEY_WERE * found["n"]
