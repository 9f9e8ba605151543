"""What is asked of a set of tables: by options, by a project file, or by both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from indistinct.core import InputError
from indistinct.flow import Data
from indistinct.hierarchy import Hierarchy
from indistinct.project import (
    DeclaredRecode,
    DeclaredTable,
    Lines,
    Place,
    Problems,
    Project,
    Publish,
)
from indistinct.tables import Grouping, TableSet, TableSpec, Universe, grouping_from_text

__all__ = ["Asked"]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is asked of a set of tables.

    Parameters
    ----------
    settings, given
        The settings of ``[publish]``, and which of them were given: these come before the
        project's.
    tables
        Tables by name; beside those of the project.
    recodes
        Groupings by name, which tables may use as dimensions.
    hierarchies
        A folder of hierarchies, for dimensions such as ``county@1``.

    >>> asked = Asked.of_texts(["age:5,sex", "sex,ethnic"], area="district")
    >>> list(asked.tables)
    ['age:5,sex', 'sex,ethnic']
    """

    settings: Publish
    tables: Mapping[str, DeclaredTable]
    recodes: Mapping[str, DeclaredRecode]
    hierarchies: Path | None = None
    given: frozenset[str] = frozenset()

    @classmethod
    def of_texts(
        cls,
        tables: Sequence[str] = (),
        *,
        universe: Mapping[str, tuple[Any, ...]] | None = None,
        value: str | None = None,
        weight: str | None = None,
        margins: bool = True,
        hierarchies: Path | None = None,
        **settings: Any,
    ) -> Asked:
        """Read what the command line says: tables as ``age:5,sex``; settings left out are None."""
        given = {name: value for name, value in settings.items() if value is not None}
        _check_numbers(given)
        made = {}
        for text in tables:
            dimensions = _split(text)
            if text in made:
                raise InputError(f"The table '{text}' is there twice. Leave one out.")
            made[text] = DeclaredTable(
                dimensions=dimensions,
                universe=universe,
                value=value,
                weight=weight,
                margins=margins,
            )
        return cls(
            settings=Publish(**given),
            tables=made,
            recodes={},
            hierarchies=hierarchies,
            given=frozenset(given),
        )

    def completed(self, project: Project | None) -> Asked:
        """Return what is asked with all that the project file says besides."""
        if project is None:
            return self
        given = {name: getattr(self.settings, name) for name in self.given}
        return replace(
            self,
            settings=replace(project.publish, **given),
            tables=self.tables or project.tables,
            recodes={**project.recodes, **self.recodes},
        )

    def table_set(self, data: Data) -> TableSet:
        """Return the tables, with the hierarchies that their dimensions need."""
        if self.settings.area is None:
            raise InputError(
                "For which areas are the tables? Name the geography with --area NAME, or "
                "'--area persons' for everybody together."
            )
        if not self.tables:
            raise InputError("There is no table. Name one with --table age,sex.")
        known = self._hierarchies(data)
        tables = tuple(
            TableSpec(
                name,
                tuple(self.grouping(d, known) for d in table.dimensions),
                _universe(table.universe),
                table.value,
                table.weight,
                table.margins,
            )
            for name, table in self.tables.items()
        )
        also = tuple(self.grouping(text, known) for text in self.settings.also or ())
        made = TableSet(tables, self.grouping(self.settings.area, known), also)
        data.source.check_columns(made.variables)
        for table in tables:
            data.source.check_columns([n for n in (table.value, table.weight) if n is not None])
        return made

    def within(self, data: Data) -> Grouping | None:
        """Return the geography within which areas are merged."""
        if self.settings.within is None:
            return None
        return self.grouping(self.settings.within, self._hierarchies(data))

    def grouping(self, text: str, hierarchies: Mapping[str, Hierarchy]) -> Grouping:
        """Return a dimension: a recode by its name, or what is written on the command line."""
        recode = self.recodes.get(text)
        if recode is None:
            return grouping_from_text(text, hierarchies=hierarchies)
        groups = recode.groups
        return Grouping(
            text,
            recode.variable,
            bands=recode.bands,
            width=recode.width,
            groups=None if groups is None else tuple(groups.items()),
            level=recode.level,
            hierarchy=hierarchies.get(recode.variable) if recode.level is not None else None,
        )

    def _hierarchies(self, data: Data) -> Mapping[str, Hierarchy]:
        texts = [self.settings.area, *(self.settings.also or ()), self.settings.within]
        texts += [d for table in self.tables.values() for d in table.dimensions]
        climbing = [self.grouping(text, {}) for text in texts if text]
        names = dict.fromkeys(g.variable for g in climbing if g.level is not None and g.variable)
        if not names:
            return {}
        data.source.check_columns(list(names))
        found = data.hierarchies(list(names), directory=self.hierarchies)
        return {name: found[name] for name in names}


def _check_numbers(given: Mapping[str, Any]) -> None:
    """Refuse numbers that a project file may not hold either."""
    problems = Problems("", Lines({}))
    for one in fields(Publish):
        value = given.get(one.name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            place = Place(problems, Path(), (one.name,), f"--{one.name.replace('_', '-')}")
            one.metadata["check"](value, place)
    try:
        problems.raise_all()
    except InputError as error:
        raise InputError(str(error).replace(":1: ", "")) from None


def _split(text: str) -> tuple[str, ...]:
    """Split ``a,b[0,15],c`` at the commas that are not within brackets.

    >>> _split("age[0,15,65], sex")
    ('age[0,15,65]', 'sex')
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(part.strip() for part in parts)


def _universe(given: Mapping[str, tuple[Any, ...]] | None) -> Universe:
    return tuple((name, tuple(items)) for name, items in (given or {}).items())
