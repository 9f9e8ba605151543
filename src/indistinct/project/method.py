"""``[method]``: what the method of ``[release]`` is told beside k, as its options say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from indistinct.project.lines import Path as Where
from indistinct.project.recipients import Preset
from indistinct.project.settings import (
    Problems,
    choice,
    listed,
    number,
    setting,
    shares,
    text,
    whole,
    yes_or_no,
)

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = ["MethodSettings", "check_method_settings", "named_in_method"]

_names = listed(text, "variable names")


@dataclass(frozen=True)
class MethodSettings:
    """``[method]``: options of the method; those that it does not know are refused."""

    preset: Preset | None = setting(
        choice("caretaker", "researcher", "public"), "datafly: whom the data are for"
    )
    linking: Mapping[str, float] | None = setting(
        shares, "datafly: how likely variables are to be linked on, from 0 to 1"
    )
    anonymity: float | None = setting(
        number(least=0, most=1), "datafly: an anonymity level from 0 to 1 instead of k"
    )
    quasi_identifiers: tuple[tuple[str, ...], ...] | None = setting(
        listed(_names, "lists of variable names"), "datafly: variables that are known together"
    )
    relaxed: bool | None = setting(yes_or_no, "mondrian: equal values may go either way")
    meaning: str | None = setting(
        choice("strict", "wildcard"), "suppress: what a suppressed cell counts as"
    )
    sensitive: str | None = setting(text, "optimal: the sensitive variable, for l and t")
    l: int | None = setting(whole(least=2), "optimal: different sensitive values in a class")
    t: float | None = setting(
        number(least=0, most=1), "optimal: the distance from the sensitive values of the file"
    )
    variables: tuple[str, ...] | None = setting(
        _names, "blank, perturb: the part of the key; encrypt: the columns"
    )
    part: str | None = setting(
        choice("whole", "automatic", "given"),
        "blank: the whole key, the fewest cells, or the variables given",
    )
    how: str | None = setting(
        choice("nearest", "marginal"), "perturb: where the new values come from"
    )
    domains: tuple[str, ...] | None = setting(
        _names, "destroy: study domains, whose share of destroyed records is told"
    )
    randomised: bool | None = setting(yes_or_no, "encrypt: equal values differently")

    def given(self) -> dict[str, Any]:
        """Return the settings that the file names."""
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def named_in_method(project: Project) -> Iterator[tuple[Where, str, str]]:
    """Yield where a variable is named, under which setting, and its name."""
    method = project.method
    if method.sensitive is not None:
        yield ("method", "sensitive"), "[method] sensitive", method.sensitive
    for name in method.linking or ():
        yield ("method", "linking", name), "[method] linking", name
    for setting_name in ("variables", "domains"):
        for position, name in enumerate(getattr(method, setting_name) or ()):
            yield ("method", setting_name, position), f"[method] {setting_name}", name
    for group, names in enumerate(method.quasi_identifiers or ()):
        for position, name in enumerate(names):
            where = ("method", "quasi_identifiers", group, position)
            yield where, "[method] quasi_identifiers", name


def check_method_settings(project: Project, problems: Problems) -> None:
    """Find what does not fit together in the section."""
    method, release = project.method, project.release
    for name in method.given() if release.method is None and release.plan is None else ():
        problems.add(
            ("method", name), f"[method] {name}: of which method? Name it in [release] method."
        )
    for name in method.given() if release.method in ("shuffle", "steps") else ():
        problems.add(
            ("method", name),
            f"[method] {name} is not for '{release.method}'. What it does is listed in sections "
            "[steps.NAME].",
        )
    if release.method is not None and release.plan is not None:
        problems.add(
            ("release", "plan"),
            "[release] has both method and plan. A plan is replayed as it is: leave one out.",
        )
    if method.preset == "caretaker" and release.access != "private":
        problems.add(
            ("method", "preset"),
            '[method] preset = "caretaker" gives the data as they are. Say that this is meant '
            'with [release] access = "private".',
        )
    if method.preset == "researcher" and release.access == "public":
        problems.add(
            ("method", "preset"),
            '[method] preset = "researcher" trusts a contract, which nobody signs where access '
            'is "public".',
        )
    for name in ("l", "t"):
        if getattr(method, name) is not None and method.sensitive is None:
            problems.add(
                ("method", name),
                f'[method] {name} needs the sensitive variable, as sensitive = "diagnosis".',
            )
