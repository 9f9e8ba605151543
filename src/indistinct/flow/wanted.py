"""What is asked of a release: by options, by a project file, or by both."""

from __future__ import annotations

from typing import Any

from indistinct.core import InputError, did_you_mean
from indistinct.options import RELEASING
from indistinct.project import Project, ReportSettings

__all__ = ["Wanted"]


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
