"""The one registry of methods: what each is, which options it knows, how it decides.

A method is one file that registers itself::

    TOYNESS = Option("toyness", a_whole_number(1), "how much of a toy it is")

    @register_method("toy", "blanks the first record", options=(TOYNESS,))
    def decide_toy(records: Records, asked: Request) -> Decision:
        return Decision(Plan((Toy(asked[TOYNESS] or 1),)))

``--method toy --toyness 3``, ``[method] toyness = 3`` and ``Data.protect(method="toy", toyness=3)``
are made from that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from indistinct.core import InputError, did_you_mean, load_every_module
from indistinct.options.option import Option

__all__ = [
    "Family",
    "Method",
    "known_method",
    "known_methods",
    "method_options",
    "refuse_unknown_options",
    "register_method",
    "unknown_option",
]

Family = Literal["generalising", "perturbing", "acting"]
"""How a method works: it generalises and suppresses until k holds; it exchanges or alters values
and claims no k; or it acts on the records that stand out and searches again."""

Decide = TypeVar("Decide", bound=Callable[..., Any])

_FAMILIES: tuple[Family, ...] = ("generalising", "perturbing", "acting")
_WITH_METHODS = (
    "indistinct.protect.methods",
    "indistinct.protect.loop",
    "indistinct.flow.perturbing",
)
"""Packages and modules that define methods; each is registered when its module is loaded."""

_METHODS: dict[str, Method] = {}


@dataclass(frozen=True, eq=False)
class Method:
    """A method that a release can be protected by.

    Parameters
    ----------
    name
        As ``--method`` and ``[release] method`` say it.
    meaning
        What it does, in a phrase.
    decide
        ``decide(records, request)`` gives a decision: the plan, and what is known of it; see
        `indistinct.protect.Decision`.
    options
        Those that it knows.
    family
        How it works.
    promises
        What holds of the released records afterwards, in a phrase.
    climbs
        Whether it needs hierarchies.
    place
        Where it stands in lists; by default at the end.
    """

    name: str
    meaning: str
    decide: Callable[..., Any]
    options: tuple[Option[Any], ...] = ()
    family: Family = "generalising"
    promises: str = "every class has at least k records"
    climbs: bool = True
    place: int = 1_000

    def option(self, name: str) -> Option[Any] | None:
        """Return an option by its keyword; None where the method does not know it."""
        return next((one for one in self.options if one.name == name), None)


def register_method(
    name: str,
    meaning: str,
    *,
    options: tuple[Option[Any], ...] = (),
    family: Family = "generalising",
    promises: str = "every class has at least k records",
    climbs: bool = True,
    place: int = 1_000,
) -> Callable[[Decide], Decide]:
    """Register the function that decides; see `Method` for what is said of it."""

    def register(decide: Decide) -> Decide:
        _check_apart(name, options)
        _METHODS[name] = Method(name, meaning, decide, options, family, promises, climbs, place)
        return decide

    return register


def _check_apart(name: str, options: tuple[Option[Any], ...]) -> None:
    """Refuse an option that would be typed, or stand in a project file, like another one."""
    for one in options:
        for other in (o for m in _METHODS.values() if m.name != name for o in m.options):
            if one is other:
                continue
            same_section = one.in_method_section and other.in_method_section
            if one.on_the_line and other.on_the_line and one.typed_as == other.typed_as:
                raise ValueError(f"{one.typed_as} of '{name}' is another option already")
            if same_section and one.name == other.name:
                raise ValueError(f"[method] {one.name} of '{name}' is another option already")


def known_methods(family: Family | None = None) -> Mapping[str, Method]:
    """Return every method by name, in the order in which they are told.

    >>> list(known_methods("acting"))
    ['destroy', 'blank', 'perturb', 'encrypt']
    """
    for name in _WITH_METHODS:
        load_every_module(name)
    ordered = sorted(_METHODS.values(), key=lambda m: (_FAMILIES.index(m.family), m.place))
    return {one.name: one for one in ordered if family in (None, one.family)}


def known_method(name: str) -> Method:
    """Return a method by its name; refuse one that does not exist.

    >>> known_method("optimol")
    Traceback (most recent call last):
    indistinct.core.errors.InputError: There is no method 'optimol'. Did you mean 'optimal'?
    """
    if name not in _METHODS and name not in known_methods():
        raise InputError(f"There is no method '{name}'. {did_you_mean(name, known_methods())}")
    return _METHODS[name]


def method_options() -> dict[Option[Any], tuple[Method, ...]]:
    """Return every option of methods, with those that know it."""
    found: dict[Option[Any], tuple[Method, ...]] = {}
    for method in known_methods().values():
        for option in method.options:
            found[option] = (*found.get(option, ()), method)
    return found


def refuse_unknown_options(
    method: str, options: Mapping[str, Any], *, called: Callable[[str], str] | None = None
) -> None:
    """Refuse what a method does not know: somebody would believe that it was done.

    `called` says how an option is told; by default as a keyword.

    >>> refuse_unknown_options("k-similar", {"max_drop": 5})
    Traceback (most recent call last):
    ...
    indistinct.core.errors.InputError: 'k-similar' does not know the option max_drop; 'datafly' ...
    """
    chosen = known_method(method)
    everywhere = method_options()
    for name, value in options.items():
        same = [one for one in everywhere if one.name == name]
        if chosen.option(name) is not None or (same and not any(o.is_set(value) for o in same)):
            continue
        told = called(name) if called else f"the option {name}"
        raise InputError(unknown_option(method, told, [m for o in same for m in everywhere[o]]))


def unknown_option(method: str, told: str, knowing: list[Method]) -> str:
    """Say that a method does not know an option, and which do."""
    others = " and ".join(f"'{one.name}'" for one in knowing)
    hint = f"; {others} {'do' if len(knowing) > 1 else 'does'}" if others else ""
    return f"'{method}' does not know {told}{hint}. Leave it out, or take another method."
