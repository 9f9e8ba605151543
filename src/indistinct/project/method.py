"""``[method]``: what the method of ``[release]`` is told beside k, as its options say it.

What may stand here is declared by the methods themselves; see `indistinct.options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.core import did_you_mean
from indistinct.options import Option, Where, known_methods, method_options, unknown_option
from indistinct.project.settings import Place, Problems, shown

if TYPE_CHECKING:
    from indistinct.project.model import Project

__all__ = [
    "MethodSettings",
    "check_method_settings",
    "named_in_method",
    "read_method",
    "settings_of_methods",
]


@dataclass(frozen=True)
class MethodSettings:
    """``[method]``: options of the method; those that it does not know are refused."""

    said: Mapping[str, Any] = field(default_factory=dict)

    def given(self) -> dict[str, Any]:
        """Return the settings that the file names."""
        return dict(self.said)


def settings_of_methods() -> dict[str, Option[Any]]:
    """Return the options that may stand in the section, by name."""
    return {one.name: one for one in method_options() if one.in_method_section}


def read_method(given: Any, problems: Problems, folder: Path) -> MethodSettings:
    """Return what the section says, each setting checked as its option declares."""
    if not isinstance(given, dict):
        problems.add(("method",), f"[method] must be a section with settings. Got {shown(given)}.")
        return MethodSettings()
    # methods are loaded only where something is said of one
    known = settings_of_methods() if given else {}
    kept: dict[str, Any] = {}
    for name, value in given.items():
        place = Place(problems, folder, ("method", name), f"[method] {name}")
        option = known.get(name)
        if option is None or option.kind.check is None:
            problems.add(
                place.where, f"[method] has no setting {name!r}. {did_you_mean(name, known)}"
            )
            continue
        found = option.kind.check(value, place)
        if found is not None:
            kept[name] = found
    return MethodSettings(kept)


def named_in_method(project: Project) -> Iterator[tuple[Where, str, str]]:
    """Yield where a variable is named, under which setting, and its name."""
    given = project.method.given()
    known = settings_of_methods() if given else {}
    for setting, value in given.items():
        for where, name in known[setting].variables_in(value):
            yield ("method", setting, *where), f"[method] {setting}", name


def _check_known(project: Project, problems: Problems) -> None:
    """Refuse settings that the file's own method does not know."""
    given, own = project.method.given(), project.release.method
    method = known_methods().get(own or "") if given else None
    if method is None or method.family == "perturbing":
        return
    everywhere = method_options()
    for option in (one for one in everywhere if one.in_method_section and one.name in given):
        known = option.for_all or method.option(option.name) is not None
        if not known and option.is_set(given[option.name]):
            told = unknown_option(method.name, "it", list(everywhere[option]))
            problems.add(("method", option.name), f"[method] {option.name}: {told}")


def check_method_settings(project: Project, problems: Problems) -> None:
    """Find what does not fit together in the section."""
    given, release = project.method.given(), project.release
    for name in given if release.method is None and release.plan is None else ():
        problems.add(
            ("method", name), f"[method] {name}: of which method? Name it in [release] method."
        )
    for name in given if release.method in ("shuffle", "steps") else ():
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
    if given.get("preset") == "caretaker" and release.access != "private":
        problems.add(
            ("method", "preset"),
            '[method] preset = "caretaker" gives the data as they are. Say that this is meant '
            'with [release] access = "private".',
        )
    if given.get("preset") == "researcher" and release.access == "public":
        problems.add(
            ("method", "preset"),
            '[method] preset = "researcher" trusts a contract, which nobody signs where access '
            'is "public".',
        )
    for name in ("l", "t"):
        if name in given and "sensitive" not in given:
            problems.add(
                ("method", name),
                f'[method] {name} needs the sensitive variable, as sensitive = "diagnosis".',
            )
    _check_known(project, problems)
