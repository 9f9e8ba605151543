"""Hierarchies that a project file describes in a line instead of naming a file.

``hierarchy = { kind = "intervals", widths = [5, 10, 20], top = 85 }`` holds what the builder of
that kind in `indistinct.hierarchy` takes; the values of the variable come from the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indistinct import hierarchy as climbing  # its builders are loaded where one is needed
from indistinct.core import InputError, did_you_mean
from indistinct.project.settings import (
    Check,
    Place,
    existing_file,
    listed,
    text,
    value_list,
    whole,
    yes_or_no,
)

if TYPE_CHECKING:
    from indistinct.hierarchy import Hierarchy

__all__ = ["KINDS", "HierarchyBuilder", "hierarchy_setting"]


@dataclass(frozen=True)
class HierarchyBuilder:
    """How a variable's hierarchy is made, once its values are known.

    >>> ages = HierarchyBuilder("intervals", {"widths": (5, 10)})
    >>> ages.build([3, 17], name="age").ancestors(17)
    ('17', '15-19', '10-19', '*')
    """

    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def build(
        self, values: Iterable[object], *, name: str, special: Iterable[object] = ()
    ) -> Hierarchy:
        """Make the hierarchy; values that it does not know are an error.

        `special` are values that no rule fits (a code for *unknown*), beside those that the
        project file names.
        """
        values = list(values)
        options = dict(self.options)
        apart = [*options.pop("special", ()), *special]
        hierarchy = KINDS[self.kind].make(values, name, apart, options)
        hierarchy.encode(values)
        return hierarchy


Make = Callable[[list[object], str, list[object], dict[str, Any]], "Hierarchy"]


@dataclass(frozen=True)
class Kind:
    """A kind of builder: its options, how it is made, and a value to try the options on."""

    options: Mapping[str, Check]
    make: Make
    probe: object = None
    needs: tuple[str, ...] = ()


def _number(value: Any, place: Place) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    place.wrong("a number", value)
    return None


def _window(value: Any, place: Place) -> Any:
    if isinstance(value, (int, str)) and not isinstance(value, bool):
        return value
    place.wrong('months as a number, or words such as "year" or "5 years"', value)
    return None


_numbers = listed(_number, "numbers")

KINDS: Mapping[str, Kind] = {
    "intervals": Kind(
        {
            "widths": _numbers,
            "cuts": listed(_numbers, "lists of numbers"),
            "bottom": _number,
            "top": _number,
            "origin": _number,
        },
        lambda values, name, special, options: climbing.interval_hierarchy(
            values, name=name, special=special, **options
        ),
        probe=0,
    ),
    "codes": Kind(
        {"keep": _numbers, "minimum": whole(least=0), "at_separators": yes_or_no},
        lambda values, name, special, options: climbing.code_hierarchy(
            values,
            name=name,
            special=special,
            digits=options.pop("keep", None),
            **options,
        ),
        probe="0" * 20,
    ),
    "dates": Kind(
        {"levels": listed(_window, "windows of time")},
        lambda values, name, special, options: (
            climbing.date_hierarchy(values, name=name, special=special, windows=options["levels"])
            if options
            else climbing.date_hierarchy(values, name=name, special=special)
        ),
        probe="2000-01-01",
    ),
    "order": Kind(
        {"values": value_list, "group": whole(least=2)},
        lambda values, name, special, options: climbing.ordered_hierarchy(
            [*options.pop("values"), *special], name=name, special=special, **options
        ),
        needs=("values",),
    ),
    "suppress": Kind(
        {},
        lambda values, name, special, options: climbing.suppression_only(values, name=name),
        probe=0,
    ),
    "taxonomy": Kind(
        {"file": existing_file, "root": text},
        lambda values, name, special, options: climbing.taxonomy_hierarchy(
            options.pop("file"), values=values, name=name, **options
        ),
        needs=("file",),
    ),
    "standard": Kind(
        {"standard": text},
        lambda values, name, special, options: climbing.standard_hierarchy(
            values, name=name, special=special, **options
        ),
        probe="0",
        needs=("standard",),
    ),
    "file": Kind(
        {"file": existing_file},
        lambda values, name, special, options: climbing.file_hierarchy(
            options["file"], values, name=name, special=special
        ),
        needs=("file",),
    ),
}
"""Every kind of hierarchy that a project file can describe."""


def hierarchy_setting(value: Any, place: Place) -> HierarchyBuilder | None:
    """Take the path of a hierarchy file, or a table that describes a builder."""
    if isinstance(value, str):
        found = existing_file(value, place)
        return None if found is None else HierarchyBuilder("file", {"file": found})
    if not isinstance(value, dict):
        place.wrong('a file in quotes, or a table such as { kind = "dates" }', value)
        return None
    word = value.get("kind")
    if not isinstance(word, str) or word not in KINDS:
        hint = did_you_mean(word, KINDS) if isinstance(word, str) else ""
        place.at("kind").wrong(
            f"one of {', '.join(KINDS)}", "nothing" if word is None else word, hint
        )
        return None
    kind = KINDS[word]
    checks: dict[str, Check] = {**kind.options, "special": value_list}
    options: dict[str, Any] = {}
    for key, given in value.items():
        if key in checks:
            options[key] = checks[key](given, place.at(key))
        elif key != "kind":
            place.at(key).say(f"is not an option of kind {word}. {did_you_mean(key, checks)}")
    missing = [key for key in kind.needs if key not in options]
    if missing:
        place.say(f"of kind {word} needs {', '.join(missing)}.")
    builder = HierarchyBuilder(word, options)
    if kind.probe is not None and not missing and None not in options.values():
        _try(builder, kind.probe, place)
    return builder


def _try(builder: HierarchyBuilder, probe: object, place: Place) -> None:
    """Let the builder itself say what it thinks of its options."""
    try:
        builder.build([probe], name="")
    except InputError as error:
        place.problems.add(place.where, f"{place.label}: {error}")
    except TypeError:
        place.say("has options of the wrong type. Compare with the examples of its kind.")
