"""Measures: numbers made of variables in the language of rules, such as the youngest's age."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from indistinct.core import InputError
from indistinct.files import Source
from indistinct.households import Column, Kinship, read_columns
from indistinct.rules.language import Value, _Reader, translated
from indistinct.rules.operands import Numbers, Scope, Texts

__all__ = ["Measure"]


@dataclass(frozen=True)
class Measure:
    """A number for every record: ``minimum(age)``, ``mother.age - age``.

    >>> Measure("gap", "spouse.age - age").of(
    ...     {"age": np.array([40, 37])}, Kinship(*map(np.array, ([0, 0], [0, 0], [1, 0], [-1, -1],
    ...     [-1, -1])))
    ... ).values.tolist()
    [-3, 3]
    """

    name: str
    text: str
    variables: tuple[str, ...] = field(init=False)
    needs_kinship: bool = field(init=False)
    answer: Value = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the expression; refuse what is not understood."""
        reader, answer = translated(self.text, f"Measure '{self.name}'", _Reader.value)
        object.__setattr__(self, "variables", tuple(reader.variables))
        object.__setattr__(self, "needs_kinship", reader.needs_kinship)
        object.__setattr__(self, "answer", answer)

    def read(self, source: Source, kinship: Kinship | None = None) -> Column:
        """Compute the measure for the records of a file."""
        source.check_columns(self.variables)
        return self.of(read_columns(source, self.variables), kinship)

    def of(
        self, columns: Mapping[str, Column | np.ndarray], kinship: Kinship | None = None
    ) -> Column:
        """Compute the measure from columns."""
        if self.needs_kinship and kinship is None:
            raise InputError(
                f"Measure '{self.name}' speaks of relatives or of the household, and who lives "
                "with whom is not known. Say which columns these are."
            )
        read = {name: Column.of(columns[name]) for name in self.variables}
        records = kinship.records if kinship is not None else len(next(iter(read.values())))
        found = self.answer(Scope(read, kinship, records))
        if isinstance(found, Texts):
            return found.column
        if not isinstance(found, Numbers):
            raise InputError(f"Measure '{self.name}' is a text, not a number of the records.")
        return Column(np.broadcast_to(found.values, (records,)), found.present)
