"""What is asked of a release: by options, by a project file, or by both.

Everything that can be known to be wrong before the work, which may take hours, begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct import files
from indistinct.core import InputError, did_you_mean
from indistinct.core.doors import beside, check_new_folder
from indistinct.files import Source
from indistinct.flow.heeding import asked_doing, least_class, policies_of
from indistinct.options import (
    RELEASING,
    known_method,
    method_options,
    refuse_unknown_options,
)
from indistinct.project import Project, ReportSettings
from indistinct.protect import Plan, usual_method
from indistinct.prove import check_codes
from indistinct.release import SigningKey, parts
from indistinct.release.report import find_browser, load_words

if TYPE_CHECKING:
    from indistinct.flow.session import Data

__all__ = ["Wanted", "check_against_data", "check_wanted", "heed_asked", "secret_beside"]


class Wanted:
    """What is asked of a release. What is not said here is taken from the project file.

    Parameters
    ----------
    options
        Of the method, by name. Those of the project belong to its own method; they are not used
        with another one.
    report
        What is measured for the report, and in which forms it is written.
    given
        Options of releases, as `indistinct.options.RELEASING` declares them: key, k, method, out
        and so on.

    >>> wanted = Wanted(method="datafly", k=5).completed(None)
    >>> wanted.k, wanted.keep_named, wanted.report.language
    (5, (), 'en')
    """

    def __init__(
        self,
        *,
        options: dict[str, Any] | None = None,
        report: ReportSettings | None = None,
        **given: Any,
    ) -> None:
        for name, value in given.items():
            if name not in RELEASING:
                raise InputError(f"There is no option '{name}'. {did_you_mean(name, RELEASING)}")
            RELEASING[name].check_keyword(value)
        self.options = options or {}
        self.report = report
        self.given = {name: value for name, value in given.items() if value is not None}

    def __getattr__(self, name: str) -> Any:
        """Return what is asked under an option, or its value where nothing is said."""
        if name not in RELEASING:
            raise AttributeError(f"'Wanted' has no '{name}'")
        return self.given.get(name, RELEASING[name].unset)

    def but(self, **changes: Any) -> Wanted:
        """Return the same with something else."""
        kept = {"options": self.options, "report": self.report, **self.given}
        return Wanted(**{**kept, **changes})

    def completed(self, project: Project | None) -> Wanted:
        """Return what is asked with all that the project file says besides."""
        if project is None:
            return self.but(report=self.report or ReportSettings())
        said: dict[str, Any] = {}
        for name, option in RELEASING.items():
            declared = project.said_of(option.setting, ()) if option.setting else None
            if option.beside:
                said[name] = tuple(dict.fromkeys([*getattr(self, name), *(declared or ())]))
            elif name not in self.given:
                said[name] = declared
        own = (project.release.method, project.release.plan)
        method, plan = (self.method, self.plan) if self.method or self.plan else own
        settings = project.method.given() if (method, plan) == own else {}
        return self.but(
            **{**said, "method": method, "plan": plan},
            options={**settings, **self.options},
            report=self.report or project.report,
        )


# Everything that can be known to be wrong before the work ----------------------------------------


def check_wanted(wanted: Wanted, project: Project | None = None) -> SigningKey | None:
    """Refuse what cannot be done whatever the records are; return the key that signs.

    Nothing is written, and no record is read.
    """
    in_project = project.release.accept if project is not None else None
    check_codes((*wanted.accept, *(in_project or ())))
    if wanted.plan is not None:
        Plan.load(wanted.plan)
    else:
        _check_options(wanted)
    if project is not None and project.steps and not _does_steps(wanted):
        named = ", ".join(f"[steps.{name}]" for name in project.steps)
        what = "a plan" if wanted.plan is not None else f"'{wanted.method}'"
        raise InputError(
            f"{project.path}: {named} would not be done with {what}. Take a method that "
            'generalises (the steps come first), or method = "steps", or leave them out.'
        )
    heed_asked(wanted, project)
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
    given: SigningKey | None = wanted.sign_with
    return given


def heed_asked(wanted: Wanted, project: Project | None) -> None:
    """Refuse what undercuts a policy, as far as that is known before the work."""
    policies = policies_of(project, wanted.policy, wanted.exceptions)
    policies.heed(
        k=least_class(wanted) or (least_class(project.release) if project is not None else None),
        promises_k=None,
        doing=asked_doing(wanted.method, wanted.plan, project),
        accepts=bool(wanted.accept) or wanted.although_unproved,
    )


def _does_steps(wanted: Wanted) -> bool:
    """Say whether the steps of a project file are applied with what is asked."""
    if wanted.plan is not None:
        return False
    if wanted.method is None:
        return True  # one that generalises will be chosen
    if known_method(wanted.method).family == "acting":
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


def _check_options(wanted: Wanted) -> None:
    options = wanted.options
    if ("l" in options or "t" in options) and "sensitive" not in options:
        raise InputError("--l and --t need the sensitive variable: --sensitive NAME.")
    if wanted.method is None:
        if wanted.secret is not None:
            raise InputError("--secret is for --method encrypt: other methods have no key.")
        usual_method(records=0, weighted=False, several_records=False, options=options)
        return
    for_all = {one.name for one in method_options() if one.for_all}
    refuse_unknown_options(wanted.method, {n: v for n, v in options.items() if n not in for_all})


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
