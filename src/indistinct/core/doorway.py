"""Doorways: a package that hands out names, and loads the module behind one when it is asked for.

A doorway is the ``__init__.py`` of a room: a docstring, the imports that a type checker reads, and
one line::

    if TYPE_CHECKING:
        from indistinct.keys.table import KeyTable, Recode

    open_doorway(__name__)

The imports are said once and never run: `open_doorway` reads which module each name comes from and
loads that module when somebody takes the name. Whatever is handed out has its arguments checked
(`indistinct.core.arguments`). A room with hundreds of modules costs a verb those that it uses.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["Doorway", "imported_for_types", "load_every_module", "open_doorway"]


class Doorway(ModuleType):
    """A package whose names are loaded when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        """Load a name, or a module of the room, and keep it."""
        module = vars(self).get("_module_of", {}).get(name)
        if name in vars(self).get("_rooms", ()):
            room = import_module(f"{self.__name__}.{name}")
            vars(room)["_called"] = (module, name)
            vars(self)[name] = room
            return room
        if module is not None:
            try:
                behind = _loaded(module)
            except AttributeError as error:  # would be taken for a name that is not there
                raise ImportError(f"{module} cannot be loaded: {error}") from error
            self._hand_out(name, getattr(behind, name))
            self._hand_out_what_is_loaded()
            return vars(self)[name]
        if not name.startswith("_"):
            try:
                return import_module(f"{self.__name__}.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"{self.__name__}.{name}":
                    raise
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep a name that is handed out from being hidden by the module of the same name."""
        if not (isinstance(value, ModuleType) and name in vars(self).get("_module_of", {})):
            super().__setattr__(name, value)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Call the function of a room's name: ``indistinct.risk(data)``, beside its other names."""
        return self._function()(*args, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        """What the function of the room's name takes, for notebooks."""
        return inspect.signature(self._function())

    def _function(self) -> Callable[..., Any]:
        if "_called" not in vars(self):
            raise TypeError(f"'{self.__name__}' is a room with names in it, and no function")
        module, name = vars(self)["_called"]
        if vars(self)["_checked"] and "_verb" not in vars(self):
            from indistinct.core.arguments import with_checked_arguments

            vars(self)["_verb"] = with_checked_arguments(getattr(_loaded(module), name))
        function: Callable[..., Any] = vars(self)["_verb"]
        return function

    def __dir__(self) -> list[str]:
        """List what is handed out."""
        return sorted({*vars(self), *vars(self).get("_module_of", {})})

    def _hand_out(self, name: str, given: Any) -> None:
        if vars(self)["_checked"]:
            from indistinct.core.arguments import with_checked_arguments

            given = with_checked_arguments(given)
        vars(self)[name] = given

    def _hand_out_what_is_loaded(self) -> None:
        """Hand out every name whose module is loaded by now.

        Objects reach a caller as results, too, without anybody having asked for their class.
        """
        for name, module in vars(self)["_module_of"].items():
            behind = vars(sys.modules[module]) if module in sys.modules else {}
            if name not in vars(self) and name in behind and name not in vars(self)["_rooms"]:
                self._hand_out(name, behind[name])


def _loaded(module: str) -> ModuleType:
    """Load a module; an interrupt meanwhile waits, because libraries do not bear one then."""
    if module in sys.modules:
        return import_module(module)
    from indistinct.core.doors.interrupts import undisturbed

    with undisturbed():
        return import_module(module)


def open_doorway(name: str, *, checked: bool = True, rooms: Sequence[str] = ()) -> None:
    """Make a package hand out what its ``if TYPE_CHECKING:`` imports name.

    What only rooms use among themselves, a million times a second, is not `checked`. Names that
    are functions and `rooms` at once are handed out as rooms that can be called.
    """
    package = sys.modules[name]
    vars(package)["_module_of"] = imported_for_types(name)
    vars(package)["__all__"] = sorted(vars(package)["_module_of"])
    vars(package)["_checked"] = checked
    vars(package)["_rooms"] = frozenset(rooms)
    package.__class__ = Doorway


@cache
def imported_for_types(name: str) -> dict[str, str]:
    """Return the module of each name that a loaded module imports for type checkers alone."""
    modules: dict[str, str] = {}
    source = getattr(sys.modules.get(name), "__file__", None)
    text = Path(source).read_text(encoding="utf-8") if source else ""
    if "if TYPE_CHECKING:" not in text:
        return modules
    for block in ast.parse(text).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for imported in block.body:
                if isinstance(imported, ast.ImportFrom) and imported.module:
                    modules |= {alias.name: imported.module for alias in imported.names}
    return modules


def load_every_module(name: str) -> None:
    """Load a module and all that are in it, so that what registers itself when loaded is known."""
    module = import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
        import_module(found.name)
