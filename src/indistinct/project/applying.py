"""Putting what a project file declares onto the variables of a data set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.core import InputError, holds_numbers, holds_text
from indistinct.files import Source
from indistinct.hierarchy import as_text
from indistinct.options import Where
from indistinct.project.contract import named_variables
from indistinct.project.household import named_in_household
from indistinct.project.method import named_in_method
from indistinct.project.sections import named_in_text
from indistinct.project.settings import Problems, header, shown

if TYPE_CHECKING:
    from indistinct.project.model import Declared, Project

__all__ = ["apply_declarations"]


class _Unfit(Exception):
    """A declared value that a column of this type cannot hold."""


def apply_declarations(project: Project, source: Source) -> Source:
    """Return the source with its variables as declared; refuse what does not fit, all at once."""
    problems = Problems(str(project.path), project.lines)
    schema = source.schema
    changes: dict[str, dict[str, Any]] = {}
    for name, declared in project.variables.items():
        where: Where = ("variables", name)
        if _exists(source, name, where, header(where), problems):
            kind = schema.field(name).type
            changes[name] = _changes(declared, kind, where, problems)
        if declared.public_if is not None:
            label = f"{header(where)} public_if"
            _exists(source, declared.public_if, (*where, "public_if"), label, problems)
    for setting in ("key", "keep", "substitute", "release"):
        for position, name in enumerate(getattr(project.release, setting) or ()):
            place = ("release", setting, position)
            _exists(source, name, place, f"[release] {setting}", problems)
    for where, label, name in (
        *named_variables(project.contract),
        *named_in_method(project),
        *named_in_household(project),
        *named_in_text(project.text),
    ):
        _exists(source, name, where, label, problems)
    problems.raise_all()
    return replace(source, variables=source.variables.updated(changes))


def _exists(source: Source, name: str, where: Where, label: str, problems: Problems) -> bool:
    try:
        source.check_columns([name])
    except InputError as error:
        problems.add(where, f"{label}: {error}")
        return False
    return True


def _changes(
    declared: Declared, kind: pa.DataType, where: Where, problems: Problems
) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for key in ("role", "level", "label"):
        if getattr(declared, key) is not None:
            changes[key] = getattr(declared, key)

    def fitted(value: Any, *steps: str | int) -> Any:
        try:
            if isinstance(value, tuple):
                return tuple(_fit_number(v, kind) for v in value)
            return _fit(value, kind)
        except _Unfit:
            said = shown(list(value) if isinstance(value, tuple) else value)
            problems.add(
                (*where, *steps),
                f"{header(where)} {steps[0]}: {said} does not fit the column, which holds "
                f"{_said(kind)}. Correct it.",
            )
            return value

    if declared.labels is not None:
        pairs = declared.labels.items()
        changes["labels"] = {fitted(code, "labels", code): label for code, label in pairs}
    if declared.missing is not None:
        codes = enumerate(declared.missing)
        changes["user_missing"] = tuple(fitted(code, "missing", i) for i, code in codes)
    if declared.categories is not None:
        values = enumerate(declared.categories)
        changes["categories"] = tuple(fitted(value, "categories", i) for i, value in values)
    return changes


def _fit_number(value: Any, kind: pa.DataType) -> Any:
    if not holds_numbers(kind):
        raise _Unfit
    return value


def _fit(value: Any, kind: pa.DataType) -> Any:
    """Give a declared value the type of its column: keys of a TOML table are always text."""
    if holds_text(kind):
        return as_text(value)
    if not holds_numbers(kind):
        raise _Unfit
    if not isinstance(value, str):
        return value
    try:
        return int(value) if pa.types.is_integer(kind) else float(value)
    except ValueError:
        raise _Unfit from None


def _said(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "whole numbers"
    if holds_numbers(kind):
        return "numbers"
    return "text" if holds_text(kind) else f"values of type {kind}"
