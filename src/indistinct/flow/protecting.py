"""Protecting records as asked, by whatever family the method is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from indistinct.core import InputError
from indistinct.files import Source
from indistinct.flow.checks import check_against_data
from indistinct.flow.perturbing import PERTURBING
from indistinct.flow.session import Data
from indistinct.flow.wanted import Wanted
from indistinct.hierarchy import Hierarchies
from indistinct.keys import KeyTable
from indistinct.protect import (
    METHODS,
    PRESETS,
    KMap,
    LDiversity,
    PrivacyModel,
    Protected,
    ReleaseKey,
    TCloseness,
)
from indistinct.utility.comparing import SideBySide

__all__ = ["Say", "climbed", "compare_methods_as_asked", "protect_as_asked", "silent"]

Say = Callable[[str], None]
"""Gets a sentence for each thing that is begun or was chosen."""


def silent(sentence: str) -> None:
    """Say nothing."""


def climbed(data: Data, key: Sequence[str], wanted: Wanted, say: Say) -> Hierarchies | None:
    """Return the hierarchies that the method climbs, and say which were chosen from the values."""
    if wanted.plan is not None or wanted.method not in METHODS:
        return None
    if wanted.method in ("argus", "suppress"):
        return None
    found = data.hierarchies(key, directory=wanted.hierarchies)
    for note in found.notes.values():
        say(f"hierarchy: {note}")
    return found


def protect_as_asked(
    data: Data,
    key: Sequence[str],
    wanted: Wanted,
    *,
    seed: int,
    hierarchies: Hierarchies | None = None,
    registers: Sequence[Source] = (),
    secrets: ReleaseKey | None = None,
    say: Say = silent,
) -> Protected:
    """Change a copy of the records by the plan or the method asked for."""
    promise: dict[str, Any] = {
        **{"k": wanted.k, "at_most": wanted.at_most},
        **{"seed": seed, "person": wanted.person},
    }
    if wanted.plan is not None:
        return data.replay(key, wanted.plan, **promise)
    if wanted.method is None:
        raise InputError("Name a method, or a plan.")
    options = {name: value for name, value in wanted.options.items() if name != "sensitive"}
    climbing: Any = hierarchies
    if wanted.method in METHODS:
        options = _method_options(data, key, wanted, registers=registers, say=say)
    elif wanted.method in PERTURBING:
        climbing = wanted.hierarchies
    else:
        options["secrets"] = secrets
    return data.protect(key, method=wanted.method, hierarchies=climbing, **promise, **options)


def compare_methods_as_asked(data: Data, wanted: Wanted, *, say: Say = silent) -> SideBySide:
    """Protect copies by all methods that generalise, as asked, and compare what each costs."""
    asked = wanted.completed(data.project)
    if asked.method is not None and asked.method not in METHODS:
        asked = replace(asked, options=wanted.options)  # those of the project's are of another kind
    # the register and the models are for all of them, as far as they know them
    asked = replace(asked, method="optimal", plan=None)
    if "sensitive" in asked.options and not {"l", "t"} & set(asked.options):
        raise InputError("Beside --compare, --sensitive is for --l or --t: alone it is ignored.")
    key = data.key(asked.key)
    registers = check_against_data(data, key, asked)
    return data.compare(
        key,
        k=asked.k,
        at_most=asked.at_most,
        seed=asked.seed,
        hierarchies=climbed(data, key, asked, say),
        **_method_options(data, key, asked, registers=registers, say=say),
    )


def _method_options(
    data: Data, key: Sequence[str], wanted: Wanted, *, registers: Sequence[Source], say: Say
) -> dict[str, Any]:
    """Return the options of a method that generalises, with what they need counted."""
    options = dict(wanted.options)
    preset = options.pop("preset", None)
    if preset is not None:
        borne = options.get("profile") or (
            data.project.of_variables("distortion", key) if data.project else {}
        )
        options["profile"] = PRESETS[preset].with_values(tolerance=borne)
    sensitive = options.pop("sensitive", None)
    different, distance = options.pop("l", None), options.pop("t", None)
    models: list[PrivacyModel] = []
    if different is not None or distance is not None:
        if sensitive is None:
            raise InputError("--l and --t need the sensitive variable: --sensitive NAME.")
        options["sensitive"] = data.key_table([*key, sensitive])
        if different is not None:
            models.append(LDiversity(sensitive, different))
        if distance is not None:
            models.append(TCloseness(sensitive, distance))
    if wanted.method == "optimal" and registers:
        k = data.request(key, k=wanted.k, at_most=wanted.at_most).k
        whole = _first_whole(key, wanted, registers, say)
        if whole is not None:
            path, register = whole
            options["register"] = KeyTable.from_tally(data.engine.count(register, key))
            models.append(KMap(k, register=path))
    if models:
        options["models"] = tuple(models)
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
