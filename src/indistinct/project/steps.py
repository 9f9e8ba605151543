"""``[steps.NAME]``: what is done to the records, one step of a plan after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from indistinct.options import Where
from indistinct.project.settings import Problems, header, setting, shown, text

__all__ = ["DeclaredStep", "read_steps"]


@dataclass(frozen=True)
class DeclaredStep:
    """``[steps.NAME]``: one step. The settings beside its kind are the step's own."""

    kind: str = setting(
        text, "what is done, such as shuffle or rank-swap", default="", required=True
    )


def read_steps(given: Any, problems: Problems) -> Mapping[str, Mapping[str, Any]]:
    """Return the steps as they stand; what their kinds take is checked where kinds are known."""
    if not isinstance(given, dict):
        problems.add(("steps",), f"[steps.NAME] must be a section. Got {shown(given)}.")
        return {}
    for name, step in given.items():
        where: Where = ("steps", name)
        if not isinstance(step, dict):
            problems.add(where, f"{header(where)} must be a section. Got {shown(step)}.")
        elif not isinstance(step.get("kind"), str):
            problems.add(where, f'{header(where)} needs its kind, as kind = "shuffle".')
    return given
