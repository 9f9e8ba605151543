"""Large households become group quarters: their identity goes, their people stay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, InputError, Variables, check_whole
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.protect.receipt import Receipt
from indistinct.protect.step import Context, Step
from indistinct.protect.steps.columns import check_variables, with_columns
from indistinct.protect.steps.households.groups import (
    fresh_identities,
    parsed,
    plain_column,
    read_households,
    replaced,
    shuffled,
)

__all__ = ["GroupQuarters", "NewIdentity"]

NewIdentity = Literal["missing", "alone", "code"]


@dataclass(frozen=True)
class GroupQuarters(Step, kind="group-quarters"):
    """Take the household's identity from people in households of more than n.

    Large households are few and known. Census archives release their people as residents of group
    quarters, of whom nothing tells who lived with whom (McCaa, Muralidhar, Sarathy, Comerford and
    Esteve 2013).

    Parameters
    ----------
    household
        The variable that groups people.
    more_than
        Households with more people than this are turned into group quarters.
    identity
        What stands in place of the identity: ``missing``, nothing; ``alone``, a new one for each
        person, drawn at random; ``code``, the same for all, declared to mean *missing*.
    code
        That code, for ``code``.
    relationship, relationship_code
        The variable of the relationship to the head, and its code for residents of group quarters.
    blank
        Variables whose cells are emptied: pointers to spouse, mother and father, the number of
        people, and whatever else would tell who belonged together.
    """

    household: str
    more_than: int
    identity: NewIdentity = "missing"
    code: str | None = None
    relationship: str | None = None
    relationship_code: str | None = None
    blank: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a size that is none, and codes without their variables."""
        object.__setattr__(self, "draws_at_random", self.identity == "alone")
        object.__setattr__(self, "blank", tuple(self.blank))
        hint = "To take the identity from all households leave the variable out."
        check_whole("more_than", self.more_than, 1, hint=hint)
        if self.identity not in ("missing", "alone", "code"):
            raise InputError(
                f"The new identity must be missing, alone or code. Got '{self.identity}'."
            )
        if (self.identity == "code") != (self.code is not None):
            raise InputError("A code is given if and only if the new identity is 'code'.")
        if (self.relationship is None) != (self.relationship_code is None):
            raise InputError("relationship and relationship_code are given both or not at all.")
        check_variables(self.blank, "emptying", some=False)
        if self.household in (*self.blank, self.relationship) or self.relationship in self.blank:
            raise InputError("The household, the relationship and the emptied variables differ.")

    def describe(self) -> str:
        """Say what is done."""
        instead = {
            "missing": "their identity is left out",
            "alone": "each person gets an identity of their own",
            "code": f"all get the same identity, {self.code}",
        }[self.identity]
        also = (
            f"; {self.relationship} becomes {self.relationship_code}" if self.relationship else ""
        )
        also += f"; emptied: {', '.join(self.blank)}" if self.blank else ""
        return (
            f"turn households of more than {self.more_than} people (by {self.household}) into "
            f"group quarters: {instead}{also}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Find the large households, and change their people's cells."""
        named = [self.relationship] if self.relationship else []
        source.check_columns([self.household, *named, *self.blank])
        households = read_households(engine, source, self.household)
        large = households.sizes > self.more_than
        people = large[households.of_record]
        number = int(people.sum())
        new, variables = self._new_identities(source, people, context)
        columns = {self.household: new}
        cells = {self.household: number}
        if self.relationship is not None and self.relationship_code is not None:
            old = plain_column(source, self.relationship)
            code = parsed(self.relationship_code, old, self.relationship)
            columns[self.relationship] = pc.if_else(pa.array(people), code, old)
            same = pc.equal(old, code).fill_null(False).to_numpy(zero_copy_only=False)
            cells[self.relationship] = int((people & ~same).sum())
        for name in self.blank:
            old = plain_column(source, name)
            columns[name] = pc.if_else(pa.array(people), pa.scalar(None, old.type), old)
            filled = old.is_valid().to_numpy(zero_copy_only=False)
            cells[name] = int((people & filled).sum())
        result = source
        warnings: tuple[str, ...] = ()
        if number:
            result = with_columns(engine, source, columns, variables=variables)
            warnings = (
                "the order of the records may still tell who lived together: put it in another "
                "one (scramble-households after this step)",
            )
        return self.with_receipt(
            source,
            result,
            records_changed=number,
            cells_changed=cells,
            notes=(
                f"{int(large.sum()):,} of {len(households):,} households were turned into group "
                f"quarters, with {number:,} people",
            ),
            warnings=warnings,
        )

    def _new_identities(
        self, source: Source, people: Bools, context: Context
    ) -> tuple[pa.Array, Variables]:
        name, variables = self.household, source.variables
        old = plain_column(source, name)
        if self.identity == "missing":
            return pc.if_else(pa.array(people), pa.scalar(None, old.type), old), variables
        if self.identity == "alone":
            records = np.flatnonzero(people)
            made = fresh_identities(variables[name], old, len(records), beside=True)
            order = shuffled(context.draws(), "group quarters", records)
            return replaced(old, people, made.take(pa.array(order))), variables
        code = parsed(str(self.code), old, name)
        staying = old.filter(pa.array(~people))
        if pc.any(pc.equal(staying, code)).as_py() and not variables[name].is_missing(code.as_py()):
            raise InputError(
                f"{source.origin}: the code for group quarters is the identity of a household "
                f"that stays ('{name}'). Give a code that none has."
            )
        declared = variables[name]
        if not declared.is_missing(code.as_py()):
            declared = replace(declared, user_missing=(*declared.user_missing, code.as_py()))
        changed = Variables(declared if n == name else v for n, v in variables.items())
        return pc.if_else(pa.array(people), code, old), changed
