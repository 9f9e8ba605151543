"""Everything that can be known to be wrong before the work, which may take hours, begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from indistinct import files
from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import beside, check_new_folder
from indistinct.files import Source
from indistinct.flow.perturbing import PERTURBING
from indistinct.flow.session import Data
from indistinct.flow.wanted import Wanted
from indistinct.project import Project
from indistinct.protect import ACTIONS, METHODS, Plan, check_options
from indistinct.prove import check_codes
from indistinct.release import SigningKey, parts
from indistinct.release.report import find_browser, load_words

__all__ = ["KNOWN_METHODS", "check_against_data", "check_wanted", "known_method"]

KNOWN_METHODS: tuple[str, ...] = (*METHODS, *PERTURBING, *ACTIONS)
"""Every method that a release can be protected by."""

_OF_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "destroy": ("domains",),
    "blank": ("variables", "part"),
    "perturb": ("variables", "how"),
    "encrypt": ("variables", "randomised"),
}
_AS_REQUESTED = {"preset": "profile", "l": "models", "t": "models"}
"""Options that become another one of a request."""


def known_method(name: str) -> str:
    """Return the name of a method; refuse one that does not exist."""
    if name not in KNOWN_METHODS:
        raise InputError(f"There is no method '{name}'. {did_you_mean(name, KNOWN_METHODS)}")
    return name


def check_wanted(wanted: Wanted, project: Project | None = None) -> SigningKey | None:
    """Refuse what cannot be done whatever the records are; return the key that signs.

    Nothing is written, and no record is read.
    """
    in_project = project.release.accept if project is not None else None
    check_codes((*wanted.accept, *(in_project or ())))
    if wanted.plan is not None:
        Plan.load(wanted.plan)
    elif wanted.method is None:
        raise InputError(
            f"Say how to protect: {', '.join(KNOWN_METHODS)}, with --method or in the project "
            'file, [release] method = "datafly". See what each would cost with protect --compare.'
        )
    else:
        _check_options(known_method(wanted.method), wanted.options)
    if project is not None and project.steps and not _does_steps(wanted):
        named = ", ".join(f"[steps.{name}]" for name in project.steps)
        what = "a plan" if wanted.plan is not None else f"'{wanted.method}'"
        raise InputError(
            f"{project.path}: {named} would not be done with {what}. Take a method that "
            'generalises (the steps come first), or method = "steps", or leave them out.'
        )
    if wanted.out is None:
        raise InputError("Say where the release goes with --out FOLDER, or in [release] out.")
    folder = check_new_folder(wanted.out)
    for register in wanted.registers:
        if not register.exists():
            raise InputError(f"There is no register {register}. {beside(register)}")
    for earlier in wanted.earlier:
        _check_release(earlier)
    if wanted.method == "encrypt":
        _check_new_secret(wanted.secret, folder)
    if wanted.report is not None:
        load_words(wanted.report.language)
        if wanted.report.pdf:
            find_browser()
    if isinstance(wanted.sign_with, Path):
        return SigningKey.load(wanted.sign_with, release=folder)
    return wanted.sign_with


def _does_steps(wanted: Wanted) -> bool:
    """Say whether the steps of a project file are applied with what is asked."""
    if wanted.plan is not None or wanted.method in ACTIONS:
        return False
    return not (wanted.method == "shuffle" and wanted.options.get("variables"))


def check_against_data(data: Data, key: Sequence[str], wanted: Wanted) -> list[Source]:
    """Refuse what does not fit the records; return the registers, opened."""
    sensitive = [name] if (name := wanted.options.get("sensitive")) else []
    named = (wanted.keep or (), wanted.substitute, wanted.keep_named, wanted.needed)
    for names in (key, *named, sensitive):
        data.source.check_columns(names)
    opened = [files.open_data(path, workspace=data.engine.workspace) for path in wanted.registers]
    for register in opened:
        if not any(name in register.variables for name in key):
            raise InputError(
                f"{register.origin} shares no key variable with the data. The key is "
                f"{', '.join(key)}; the register has {', '.join(list(register.variables)[:20])}. "
                "Rename its columns, or leave it out."
            )
    return opened


def _check_options(method: str, options: Mapping[str, Any]) -> None:
    if ("l" in options or "t" in options) and "sensitive" not in options:
        raise InputError("--l and --t need the sensitive variable: --sensitive NAME.")
    # whatever is done, nothing may be learnt of what is sensitive
    options = {name: value for name, value in options.items() if name != "sensitive"}
    if method in METHODS:
        for name, value in options.items():
            asked = _AS_REQUESTED.get(name, name)
            try:
                check_options(method, {asked: value})
            except InputError as error:
                raise InputError(str(error).replace(f"option {asked}", f"option {name}")) from None
    elif method in _OF_ACTIONS:
        for name in options:
            if name not in _OF_ACTIONS[method]:
                raise InputError(
                    f"'{method}' does not know the option {name}. Leave it out, or take another "
                    "method."
                )


def _check_release(path: Path) -> None:
    if not path.exists():
        raise InputError(f"There is no earlier release {path}. {beside(path)}")
    if (
        path.is_dir()
        and not (path / parts.CERTIFICATE).is_file()
        and not any(path.glob("*.parquet"))
    ):
        raise InputError(
            f"{path} is not a release folder: it has no {parts.CERTIFICATE}. Name the folder in "
            "which it is."
        )


def _check_new_secret(secret: Path | None, folder: Path) -> None:
    place = secret or secret_beside(folder)
    if place.exists():
        raise InputError(
            f"{place} exists already. A key is never overwritten: choose another name."
        )


def secret_beside(folder: Path) -> Path:
    """Return where the key of an encrypted release is written if nobody says otherwise."""
    return folder.with_name(f"{folder.name}.key")
