"""Forms from declarations: a field for every option of a method and every setting of a section.

Nothing of a method stands here: a new one, with its options, appears by being registered.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import inspect
import math
import types
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from indistinct.core import InputError
from indistinct.options import Method
from indistinct.protect import Step

__all__ = [
    "Field",
    "changes_of",
    "fields_of_method",
    "fields_of_section",
    "fields_of_step",
    "step_of",
]

Widget = Literal["switch", "choice", "whole", "number", "text", "date", "names", "name", "numbers"]


@dataclass(frozen=True)
class Field:
    """One question of a form.

    Parameters
    ----------
    name
        Of the form's own field.
    setting
        Where the project file says it; with `by_variable` the name of a variable's setting.
    meaning
        What it is, as its declaration says.
    widget
        How it is asked.
    choices
        The words or variables to choose from.
    value
        What is said now.
    by_variable
        Whether every variable says it for itself.
    usual
        What holds where nothing is said.
    """

    name: str
    setting: tuple[str, ...]
    meaning: str
    widget: Widget
    choices: tuple[str, ...] = ()
    value: Any = None
    by_variable: bool = False
    typed_as: str = field(default="")
    usual: Any = None


def fields_of_method(
    method: Method, content: Mapping[str, Any], variables: Sequence[str], key: Sequence[str]
) -> Iterator[Field]:
    """Give the fields of a method's options, with what the project says of them."""
    for option in method.options:
        asked = _widget_of(option.kind.holds, names_variables=option.kind.variables)
        if asked is None or option.kind.check is None or not option.in_project:
            continue
        widget, choices = asked
        section, _, name = option.setting.rpartition(".")
        by_variable = section == "variables"
        setting = (section or "method", name or option.name)
        if widget in ("names", "numbers"):
            choices = tuple(key)
        elif widget == "name":
            choices = tuple(variables)
        if by_variable:
            declared = content.get("variables", {})
            value: Any = {one: declared[one][name] for one in key if name in declared.get(one, {})}
        else:
            value = content.get(setting[0], {}).get(setting[1])
        yield Field(
            f"option-{option.name}",
            setting,
            option.sentence,
            widget,
            choices,
            value,
            by_variable,
            option.typed_as,
        )


def fields_of_section(
    kind: type, section: str, content: Mapping[str, Any], variables: Sequence[str]
) -> Iterator[Field]:
    """Give a field for every setting of a section that a form can ask for."""
    hints = get_type_hints(kind)
    for one in dataclasses.fields(kind):
        asked = _widget_of(hints[one.name], names_variables=hints[one.name] != str | None)
        if asked is None or "meaning" not in one.metadata:
            continue
        widget, choices = asked
        meaning = str(one.metadata["meaning"])
        yield Field(
            f"{section}-{one.name}",
            (section, one.name),
            f"{meaning[0].upper()}{meaning[1:]}.",
            widget,
            tuple(variables) if widget == "names" else choices,
            content.get(section, {}).get(one.name, one.default if widget == "switch" else None),
            usual=one.default,
        )


_OF_A_VARIABLE = ("variable", "household", "person", "strata", "relationship", "patient")
"""Fields of steps that name one variable."""
YES, NO = "yes", "no"


def fields_of_step(
    kind: type[Step], variables: Sequence[str], usual: Mapping[str, Any]
) -> list[Field] | None:
    """Return a field for what a step takes; None where a form cannot ask for all that it needs."""
    hints, meanings = get_type_hints(kind), _meanings(kind)
    found = []
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        holds = hints[one.name]
        plain_text = holds in (str, str | None) and one.name not in _OF_A_VARIABLE
        asked = _widget_of(holds, names_variables=not plain_text)
        needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
        if asked is None or one.name in kind.reads:
            if needed:
                return None
            continue
        widget, choices = asked
        if widget == "switch":
            widget, choices = "choice", (YES, NO)
        elif widget in ("names", "name", "numbers"):
            choices = tuple(variables)
        meaning = meanings.get(one.name, "")
        said = f"{one.name}: {meaning}" if meaning else one.name
        setting, value = ("steps", one.name), usual.get(one.name)
        found.append(Field(f"step-{one.name}", setting, said, widget, choices, value))
    return found


def step_of(kind: type[Step], fields: Sequence[Field], form: Any) -> dict[str, Any]:
    """Return the settings of a step as a form says them; what is left empty is as usual."""
    hints = get_type_hints(kind)
    said = {s[-1]: value for s, value in changes_of(fields, form).items() if value is not None}
    for name, value in said.items():
        if hints[name] is bool:
            said[name] = value == YES
    return {"kind": kind.kind, **said}


def _meanings(kind: type[Step]) -> dict[str, str]:
    """Return what the docstring of a step says of its parameters."""
    _, _, below = inspect.cleandoc(kind.__doc__ or "").partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in below.split("\n"):
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.split(",")]
        else:
            for name in names:
                found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return {name: text.replace("`", "") for name, text in found.items()}


def _widget_of(holds: Any, *, names_variables: bool) -> tuple[Widget, tuple[str, ...]] | None:
    """Return how a value of an annotation is asked for; None where a form cannot."""
    if get_origin(holds) in (Union, types.UnionType):
        inner = [one for one in get_args(holds) if one is not type(None)]
        return _widget_of(inner[0], names_variables=names_variables) if len(inner) == 1 else None
    if get_origin(holds) is Literal:
        return "choice", tuple(map(str, get_args(holds)))
    if get_origin(holds) is tuple and get_args(holds)[:1] == (str,):
        return ("names", ()) if names_variables else None
    if get_origin(holds) is AbstractMapping and get_args(holds)[1] in (int, float):
        return "numbers", ()
    if holds is str:
        return ("name", ()) if names_variables else ("text", ())
    plain: dict[Any, Widget] = {bool: "switch", int: "whole", float: "number", dt.date: "date"}
    return (plain[holds], ()) if holds in plain else None


def changes_of(fields: Sequence[Field], form: Any) -> dict[tuple[str, ...], Any]:
    """Return what a form that was sent says, as settings of the project; None takes one out."""
    changes: dict[tuple[str, ...], Any] = {}
    for one in fields:
        if one.widget == "numbers":
            given = {
                name: number
                for name in one.choices
                if (number := _number(form.get(f"{one.name}-{name}", ""), one.meaning)) is not None
            }
            if one.by_variable:
                for name in one.choices:
                    changes["variables", name, one.setting[1]] = given.get(name)
            else:
                changes[one.setting] = given or None
        elif one.widget == "names":
            changes[one.setting] = [n for n in form.getlist(one.name) if n in one.choices] or None
        elif one.widget == "switch":
            ticked = bool(form.get(one.name))
            changes[one.setting] = None if ticked == bool(one.usual) else ticked
        else:
            changes[one.setting] = _value(one, " ".join(str(form.get(one.name, "")).split()))
    return changes


def _value(one: Field, text: str) -> Any:
    if not text:
        return None
    if one.widget in ("whole", "number"):
        return _number(text, one.meaning)
    if one.widget == "date":
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            raise InputError(f"{one.meaning} must be a date such as 2030-12-31.") from None
    return text


def _number(text: Any, meaning: str) -> int | float | None:
    written = str(text).strip()
    if not written:
        return None
    try:
        found = float(written.replace(",", "."))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"{meaning} This must be a number. Got {written[:20]!r}.")
    return int(found) if found.is_integer() else found
