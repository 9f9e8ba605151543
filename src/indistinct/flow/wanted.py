"""What is asked of a release: by options, by a project file, or by both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from indistinct.core import AtMost, ClassSize
from indistinct.files import Format
from indistinct.project import Project, ReportSettings
from indistinct.protect import Told, Use
from indistinct.release import SigningKey

__all__ = ["Wanted"]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is asked of a release. What is not said here is taken from the project file.

    Parameters
    ----------
    key, k, at_most, hierarchies, person
        As `Data.protect` takes them.
    method, plan
        How the records are changed: a method, or a plan that was saved.
    options
        Of the method, by the names of ``[method]``, or of `Request` and `Shuffle`. Those of the
        project belong to its own method; they are not used with another one.
    seed
        By default the project's, or one that nobody can guess.
    out, format, keep, keep_order, keep_formulas, keep_household_numbers, substitute, keep_named,
    earlier
        As `Data.release` takes them.
    registers
        Files of people to attack the release with; beside the project's.
    sign_with
        The holder's key, or its file.
    secret
        Where the key of an encrypted release is written; by default beside the folder.
    accept, although_unproved
        Reservations that are accepted, by code; write also what does not hold.
    told
        What becomes of classes that tell a sensitive value; see `indistinct.protect.keep_untold`.
    needed, use, reach
        What the recipient needs and does, and how many people an intruder can address at once:
        for warnings.
    report
        What is measured for the report, and in which forms it is written.

    >>> Wanted(method="datafly", k=5).completed(None).report.language
    'en'
    """

    holds_settings: ClassVar[bool] = True

    key: tuple[str, ...] = ()
    k: ClassSize | None = None
    at_most: AtMost | None = None
    method: str | None = None
    plan: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    hierarchies: Path | None = None
    person: str | None = None
    seed: int | None = None
    out: Path | None = None
    format: Format | None = None
    keep: tuple[str, ...] | None = None
    keep_order: bool | None = None
    keep_formulas: bool | None = None
    keep_household_numbers: bool | None = None
    substitute: tuple[str, ...] = ()
    keep_named: tuple[str, ...] = ()
    registers: tuple[Path, ...] = ()
    earlier: tuple[Path, ...] = ()
    sign_with: SigningKey | Path | None = None
    secret: Path | None = None
    accept: tuple[str, ...] = ()
    although_unproved: bool = False
    told: Told | None = None
    needed: tuple[str, ...] = ()
    use: Use | None = None
    reach: int | None = None
    report: ReportSettings | None = None

    def completed(self, project: Project | None) -> Wanted:
        """Return what is asked with all that the project file says besides."""
        if project is None:
            return replace(self, report=self.report or ReportSettings())
        release = project.release
        method, plan = self.method, self.plan
        if method is None and plan is None:
            method, plan = release.method, release.plan
        own = (method, plan) == (release.method, release.plan)
        return replace(
            self,
            method=method,
            plan=plan,
            options={**(project.method.given() if own else {}), **self.options},
            person=self.person or release.person,
            seed=release.seed if self.seed is None else self.seed,
            out=self.out or release.out,
            format=self.format or release.format,
            keep=release.keep if self.keep is None else self.keep,
            keep_order=release.keep_order if self.keep_order is None else self.keep_order,
            keep_formulas=release.keep_formulas
            if self.keep_formulas is None
            else self.keep_formulas,
            keep_household_numbers=release.keep_household_numbers
            if self.keep_household_numbers is None
            else self.keep_household_numbers,
            substitute=self.substitute or release.substitute or (),
            keep_named=tuple(dict.fromkeys([*self.keep_named, *(release.release or ())])),
            registers=_joined(self.registers, release.registers),
            earlier=_joined(self.earlier, release.earlier),
            sign_with=self.sign_with or release.sign,
            told=self.told or release.told,
            secret=self.secret or release.secret,
            needed=self.needed or project.contract.needed or (),
            use=self.use or release.use,
            reach=self.reach or release.reach,
            report=self.report or project.report,
        )


def _joined(given: tuple[Path, ...], declared: tuple[Path, ...] | None) -> tuple[Path, ...]:
    return tuple(dict.fromkeys([*given, *(declared or ())]))
