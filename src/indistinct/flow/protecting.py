"""Protecting records as asked, by whatever method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.core import InputError
from indistinct.files import Source
from indistinct.flow.wanted import Wanted, check_against_data
from indistinct.hierarchy import Hierarchies, Hierarchy, suppression_only, table_hierarchy
from indistinct.keys import KeyTable, threshold
from indistinct.options import (
    known_method,
    known_methods,
    method_options,
    refuse_unknown_options,
)
from indistinct.protect import (
    Generalise,
    KMap,
    PrivacyModel,
    Protected,
    ReleaseKey,
    Request,
    Units,
    percent_of_records,
    protect_by_method,
    protect_people,
    usual_method,
)
from indistinct.utility.comparing import SideBySide

if TYPE_CHECKING:
    from indistinct.flow.session import Data

__all__ = [
    "Say",
    "climbed",
    "compare_methods_as_asked",
    "options_for",
    "protect_data",
    "request_of",
    "silent",
    "with_method",
]

Say = Callable[[str], None]
"""Gets a sentence for each thing that is begun or was chosen."""


def silent(sentence: str) -> None:
    """Say nothing."""


def climbed(data: Data, key: Sequence[str], wanted: Wanted, say: Say) -> Hierarchies | None:
    """Return the hierarchies that the method climbs, and say which were chosen from the values."""
    if wanted.plan is not None or wanted.method is None:
        return None
    method = known_method(wanted.method)
    if method.family != "generalising" or not method.climbs:
        return None
    found = data.hierarchies(key, directory=wanted.hierarchies)
    for note in found.notes.values():
        say(f"hierarchy: {note}")
    return found


def with_method(data: Data, key: Sequence[str], wanted: Wanted, say: Say) -> Wanted:
    """Return what is asked with the method that suits the data, if none was named, and say why."""
    if wanted.plan is not None or wanted.method is not None:
        return wanted
    usual = usual_method(
        records=data.records,
        weighted=bool(data.variables.names(role="weight")),
        several_records=data.with_several_records(key, wanted.person) is not None,
        options=wanted.options,
    )
    others = ", ".join(name for name in known_methods("generalising") if name != usual.method)
    say(
        f"method: {usual.method}, because {usual.reason}. Others are {others}; what each would "
        "cost is shown by --compare."
    )
    return wanted.but(method=usual.method)


def protect_data(
    data: Data,
    names: Sequence[str],
    *,
    method: str,
    k: int | None,
    at_most: int | None,
    seed: int,
    hierarchies: str | Path | Mapping[str, Hierarchy] | None,
    person: str | None,
    secrets: ReleaseKey | None,
    options: Mapping[str, Any],
) -> Protected:
    """Change a copy of the records by a method, records or people; see `Data.protect`."""
    chosen = known_method(method)
    refuse_unknown_options(method, options)
    request = request_of(data, names, k=k, at_most=at_most, options=options, method=method)
    data = data.of_people(names, person)
    whose = data.with_several_records(names, person)
    source, stepped, first = data.source, None, 0
    if chosen.family == "generalising" and data.project is not None and data.project.steps:
        stepped = data.protect(
            names, method="steps", k=k, at_most=at_most, seed=seed, person=person
        )
        source, first = stepped.source, len(stepped.plan)
    coarser = _left_to_climb(stepped) if stepped is not None else {}

    @cache
    def climb(wanted: tuple[str, ...]) -> Mapping[str, Hierarchy]:
        rest = [name for name in wanted if name not in coarser]
        found = replace(data, source=source).climbing(rest, hierarchies) if rest else {}
        return {name: coarser.get(name) or found[name] for name in wanted}

    protect = partial(
        protect_by_method,
        data.engine,
        key=names,
        method=method,
        hierarchies=lambda wanted: climb(tuple(wanted)),
        seed=seed,
        first=first,
        secrets=secrets,
        project=data.project,
        person=whose,
    )
    # steps count people themselves, and encryption promises no k
    if whose is None or chosen.family == "perturbing" or method == "encrypt":
        done = protect(source=source, request=request)
    else:
        if method == "argus":
            _check_one_combination_each(data, source, names, whose)
        done = protect_people(
            data.engine,
            source,
            names,
            person=whose,
            k=request.k,
            protect=lambda units, asked: protect(
                source=units.source, request=_of_units(data, request, units, asked)
            ),
            seed=seed,
            secrets=secrets,
            only_k=method == "destroy",
            first=first,
        )
    return done if stepped is None else done.after_steps(stepped)


def request_of(
    data: Data,
    names: Sequence[str],
    *,
    k: int | None,
    at_most: int | None,
    options: Mapping[str, Any],
    method: str | None = None,
) -> Request:
    """Return what is asked for: the options given, and the project's for the others.

    For one `method` the project's are those that it knows.
    """
    if k is None and at_most is None and options.get("anonymity") is not None:
        k = max(2, percent_of_records(options["anonymity"], data.records))
    k, at_most = data.promise(k, at_most)
    wanted = {name: value for name, value in options.items() if value not in (None, {}, ())}
    declared = {}
    if data.project is not None:
        for option in known_method(method).options if method else method_options():
            if option.setting and (said := data.project.said_of(option.setting, names)):
                declared[option.name] = said
    return Request(threshold(k, at_most), **{**declared, **wanted})


def _left_to_climb(stepped: Protected) -> dict[str, Hierarchy]:
    """Return, for variables that a step brought to a level, what their labels still climb."""
    found = {}
    for step in stepped.plan.steps:
        if isinstance(step, Generalise):
            tree, level = step.hierarchy, step.level
            if level == tree.height:
                found[tree.name] = suppression_only([tree.root], name=tree.name)
                continue
            rows = dict.fromkeys(row[level:] for row in tree.rows())
            above = table_hierarchy(list(rows), name=tree.name, ordered=tree.ordered)
            found[tree.name] = replace(above, level_names=tree.level_names[level:])
    return found


def _check_one_combination_each(
    data: Data, source: Source, key: Sequence[str], person: str
) -> None:
    """Refuse µ-Argus where k combinations may be those of fewer people."""
    if Units.of(data.engine, source, key, person).most > 1:
        raise InputError(
            f"µ-Argus counts combinations of values, and by '{person}' some people have "
            "several combinations of the key: k of them may be of fewer people. Use one that "
            "counts the whole key, such as --method suppress or mondrian."
        )


def _of_units(data: Data, request: Request, units: Units, k: int) -> Request:
    """Return what is asked of people's units when it is asked of records.

    A blank that agrees with anything would agree with the same person's other records, so a
    blank is a value here.
    """
    given = dict(request.given)
    sensitive = given.get("sensitive")
    if isinstance(sensitive, KeyTable):
        tally = data.engine.count(units.source, sensitive.names)
        given["sensitive"] = KeyTable.from_tally(tally)
    if given.get("max_drop", 0) >= 1:
        given["max_drop"] = int(given["max_drop"]) // units.most_records
    given.pop("meaning", None)
    return Request(k, **given)


def compare_methods_as_asked(data: Data, wanted: Wanted, *, say: Say = silent) -> SideBySide:
    """Protect copies by all methods that generalise, as asked, and compare what each costs."""
    asked = wanted.completed(data.project)
    if asked.method is not None and known_method(asked.method).family != "generalising":
        asked = asked.but(options=wanted.options)  # those of the project's are of another kind
    # the register and the models are for all of them, as far as they know them
    asked = asked.but(method="optimal", plan=None)
    if "sensitive" in asked.options and not {"l", "t"} & set(asked.options):
        raise InputError("Beside --compare, --sensitive is for --l or --t: alone it is ignored.")
    key = data.key(asked.key)
    registers = check_against_data(data, key, asked)
    for note in data.notes_on(key):
        say(f"note: {note}")
    return data.compare(
        key,
        k=asked.k,
        at_most=asked.at_most,
        seed=asked.seed,
        hierarchies=climbed(data, key, asked, say),
        **options_for(data, key, asked, registers=registers, say=say),
    )


def options_for(
    data: Data, key: Sequence[str], wanted: Wanted, *, registers: Sequence[Source], say: Say
) -> dict[str, Any]:
    """Return the options of the method, and a register that it can count by the key."""
    options = dict(wanted.options)
    method = known_method(wanted.method or "")
    # whatever is done, nothing may be learnt of what is sensitive: the release sees to it
    if method.option("sensitive") is None:
        options.pop("sensitive", None)
    if method.option("register") is not None and registers:
        k = request_of(data, key, k=wanted.k, at_most=wanted.at_most, options={}).k
        whole = _first_whole(key, wanted, registers, say)
        if whole is not None:
            path, register = whole
            options["register"] = KeyTable.from_tally(data.engine.count(register, key))
            models: tuple[PrivacyModel, ...] = (KMap(k, register=path),)
            options["models"] = models
    return options


def _first_whole(
    key: Sequence[str], wanted: Wanted, registers: Sequence[Source], say: Say
) -> tuple[str, Source] | None:
    """Return the first register that knows the whole key, with its path."""
    for path, register in zip(wanted.registers, registers, strict=True):
        lacking = [name for name in key if name not in register.variables]
        if not lacking:
            return str(path), register
        say(f"{path} does not know {', '.join(lacking)}: the release is attacked with the rest.")
    return None
