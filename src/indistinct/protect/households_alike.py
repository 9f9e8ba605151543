"""Members of a household are generalised alike where they share a value.

A cell of one member that says more than another's would undo it for both. So every variable that
members share is given its members' lowest common label, and k is made to hold again.

New numbers for households: who lives together stays, which household it was does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, InputError, Ints, Seed, values_and_codes
from indistinct.engine import Engine
from indistinct.files import Source
from indistinct.hierarchy import Hierarchy, as_texts, hierarchies_in
from indistinct.households import (
    agrees_beyond_chance,
    constant_in_households,
    household_numbers,
    pairs_in_households,
    told_by_counting,
)
from indistinct.keys import group_rows, uniques
from indistinct.protect.deidentify import Deidentify
from indistinct.protect.plan import Plan
from indistinct.protect.protected import Protected
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import generalised_variable
from indistinct.protect.step import Context, Step, check_key
from indistinct.protect.steps.households.groups import (
    fresh_identities,
    plain_column,
    read_households,
    shuffled,
)

__all__ = ["AlikeInHousehold", "RenumberHouseholds", "settle_households"]

NOTHING = -1
"""The code of a cell that says nothing."""


@dataclass(frozen=True)
class AlikeInHousehold(Step, kind="alike-in-household"):
    """Give members of a household the same label of the variables they share, and keep k.

    Each household gets, variable by variable, the lowest label that stands for all its members'
    labels. Records change class by that, so classes may have become small: households with a
    record in one climb one level more, all members together, until there is none. Where all that
    is shared has climbed to the root, such a record's whole key is suppressed, and if even those
    are fewer than k, its household is left out.

    Parameters
    ----------
    household
        The column that says who lives together; a record without a value is alone.
    key, k
        Classes of the key are to hold k people.
    shared
        Variables of the key that members share.
    hierarchies
        Those of key variables that were generalised; the cells of others are blanked.
    person
        The column that names the person, where a person has several records.
    """

    household: str
    key: tuple[str, ...]
    k: int
    shared: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...] = ()
    person: str | None = None

    finds_uniques = True
    truthful = True

    def __post_init__(self) -> None:
        """Refuse a wrong key or k, and shared variables that are not of the key."""
        check_key(self.key, self.k)
        if not self.shared or not set(self.shared) <= set(self.key):
            raise InputError("The variables that members share must be some of the key.")

    def describe(self) -> str:
        """Say what is done."""
        return (
            f"give people of the same household ({self.household}) the same label of "
            f"{', '.join(self.shared)}, so that classes of {', '.join(self.key)} hold {self.k}"
        )

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Find the common labels, climb until k holds, and write."""
        named = [self.household, *self.key, *([self.person] if self.person else [])]
        source.check_columns(named)
        trees = {tree.name: tree for tree in self.hierarchies}
        cells = {name: _Cells.read(source, name, trees.get(name)) for name in self.key}
        homes = np.unique(household_numbers(source, self.household), return_inverse=True)[1]
        homes = homes.reshape(-1).astype(np.int64)
        people = household_numbers(source, self.person) if self.person else None
        before = {name: found.codes.copy() for name, found in cells.items()}
        for name in self.shared:
            cells[name].make_alike(homes)
        kept = self._keep_k(cells, homes, people)
        changed = {
            name: int((found.codes != before[name])[kept].sum()) for name, found in cells.items()
        }
        altered = np.zeros(source.records, dtype=bool)
        for name, found in cells.items():
            altered |= found.codes != before[name]
        result = _written(engine, source, {n: cells[n] for n in cells if changed[n]}, kept)
        return self.with_receipt(
            source,
            result,
            records_changed=int((altered & kept).sum()),
            cells_changed={name: number for name, number in changed.items() if number},
            residual=0,
            rows=None if kept.all() else np.flatnonzero(kept),
        )

    def _keep_k(self, cells: Mapping[str, _Cells], homes: Ints, people: Ints | None) -> Bools:
        """Climb until no class is small; return the records that can stay."""
        kept = np.ones(len(homes), dtype=bool)
        while True:
            small = kept.copy()
            small[kept] = _in_small_classes(cells, kept, people, self.k)
            if not small.any():
                return kept
            touched = np.zeros(int(homes.max()) + 1, dtype=bool)
            touched[homes[small]] = True
            members = touched[homes] & kept
            if any([cells[name].climb(members) for name in self.shared]):
                continue
            if any([found.suppress(small) for found in cells.values()]):
                continue
            kept &= ~members


class _Cells:
    """The cells of one key variable as codes of labels, and where each label climbs to."""

    def __init__(self, labels: list[str | None], codes: Ints, tree: Hierarchy | None) -> None:
        self.codes = codes
        self.tree = tree
        self.labels: list[str | None] = []
        self.positions: dict[str | None, int] = {}
        self.codes = np.array([self._code(label) for label in labels], dtype=np.int64)[codes]

    @classmethod
    def read(cls, source: Source, name: str, tree: Hierarchy | None) -> _Cells:
        """Read the cells of a column."""
        values, codes = values_and_codes(source.table([name]).column(0))
        return cls(as_texts(values), codes, tree)

    def _code(self, label: str | None) -> int:
        if label is None:
            return NOTHING
        if label not in self.positions:
            self.positions[label] = len(self.labels)
            self.labels.append(label)
        return self.positions[label]

    def overlap(self) -> bool:
        """Say whether a label stands for others that occur too, as after recoding cell by cell."""
        present = set(np.unique(self.codes).tolist())
        for code in sorted(present):
            above = self._parent(code)
            while above != code:
                if above in present:
                    return True
                code, above = above, self._parent(above)
        return False

    @property
    def nothing(self) -> int:
        """The code of a suppressed cell: the root, or no value where there is no hierarchy."""
        return NOTHING if self.tree is None else self._code(self.tree.root)

    def make_alike(self, homes: Ints) -> None:
        """Give all members of a household the lowest label that stands for all of theirs."""
        room = int(self.codes.max(initial=0)) + 2
        pairs = np.unique(homes * room + self.codes + 1)
        home, code = pairs // room, pairs % room - 1
        rank = np.arange(len(pairs)) - np.searchsorted(home, home)
        common = np.full(int(homes.max(initial=-1)) + 1, NOTHING, dtype=np.int64)
        common[home[rank == 0]] = code[rank == 0]
        for turn in range(1, int(rank.max(initial=0)) + 1):
            here = rank == turn
            common[home[here]] = self._joined(common[home[here]], code[here])
        self.codes = common[homes]

    def _joined(self, one: Ints, other: Ints) -> Ints:
        room = len(self.labels) + 2
        pairs, which = np.unique((one + 1) * room + other + 1, return_inverse=True)
        found = self._ancestors(*(part - 1 for part in np.divmod(pairs, room)))
        return np.asarray(found[which.reshape(-1)])

    def agree(self, one: Ints, other: Ints) -> bool:
        """Say whether pairs of records agree where both say something, far more than by chance.

        Labels agree where one stands for the other.
        """
        nothing = self.nothing
        told = (self.codes != nothing) & (self.codes != NOTHING)
        both = told[one] & told[other]
        if not both.any():
            return False
        some = self.codes[told]
        drawn = np.random.default_rng(len(some)).permutation(some)
        pairs = ((self.codes[one[both]], self.codes[other[both]]), (some, drawn))
        agreeing, by_chance = (
            float(((found := self._joined(a, b)) == a).mean() + ((found == b) & (a != b)).mean())
            for a, b in pairs
        )
        return agrees_beyond_chance(agreeing, by_chance, int(both.sum()), alike=_LABELS_ALIKE)

    def _ancestors(self, one: Ints, other: Ints) -> Ints:
        """Return the lowest labels that stand for both of pairs of labels."""
        found = np.where(one == other, one, self.nothing)
        todo = np.flatnonzero((one != other) & (one != NOTHING) & (other != NOTHING))
        if self.tree is not None and len(todo):
            labels = np.array(self.labels, dtype=object)
            common = self.tree.common_labels(labels[one[todo]], labels[other[todo]])
            # of a label of another making, nothing is known to stand for both
            found[todo] = [self.nothing if up is None else self._code(up) for up in common]
        return found

    def climb(self, members: Bools) -> bool:
        """Let the cells of some records climb one level; say whether any did."""
        now = np.unique(self.codes[members])
        up = np.array([self._parent(code) for code in now.tolist()], dtype=np.int64)
        if not len(now) or (up == now).all():
            return False
        self.codes[members] = up[np.searchsorted(now, self.codes[members])]
        return True

    def _parent(self, code: int) -> int:
        if code in (NOTHING, self.nothing) or self.tree is None:
            return self.nothing
        try:
            return self._code(self.tree.parent(self.labels[code]))
        except InputError:
            return self.nothing

    def suppress(self, records: Bools) -> bool:
        """Suppress the cells of some records; say whether any said something."""
        said = bool((self.codes[records] != self.nothing).any())
        self.codes[records] = self.nothing
        return said


def _in_small_classes(
    cells: Mapping[str, _Cells], kept: Bools, people: Ints | None, k: int
) -> Bools:
    classes = group_rows(np.stack([found.codes[kept] + 1 for found in cells.values()], axis=1))
    if people is None:
        counts = np.bincount(classes)
    else:
        room = int(people.max()) + 1
        counts = np.bincount(np.unique(classes * room + people[kept]) // room)
    return np.asarray(counts[classes] < k)


def _written(engine: Engine, source: Source, cells: Mapping[str, _Cells], kept: Bools) -> Source:
    if not cells and kept.all():
        return source
    schema, variables = source.schema, source.variables
    columns: list[tuple[int, pa.Field, Ints, pa.Array | None]] = []
    for name, found in cells.items():
        position = schema.get_field_index(name)
        old = schema.field(position)
        if found.tree is None:
            columns.append((position, old.with_nullable(True), found.codes, None))
        else:
            labels = pa.array(found.labels, pa.string())
            columns.append((position, pa.field(name, pa.string()), found.codes, labels))
            variables = variables.updated({name: generalised_variable(variables[name], old.type)})
        schema = schema.set(position, columns[-1][1])

    def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
        for position, field, codes, labels in columns:
            here = codes[records]
            if labels is None:  # cells were blanked, and else are what they were
                mask = pa.array(here == NOTHING)
                column = batch.column(position)
                new = pc.if_else(mask, pa.nulls(1, column.type)[0], column)
            else:
                new = labels.take(pa.array(here, mask=here == NOTHING))
            batch = batch.set_column(position, field, new)
        return batch.filter(pa.array(kept[records]))

    return engine.transform(source, change, schema=schema, variables=variables)


_ALIKE_WITH_CARE = 0.7
"""Below what the judge takes for shared: coarse labels agree more often than values do."""

_LABELS_ALIKE = 0.85
"""The same of labels: where cells that tell members apart were suppressed, the rest agrees."""


def settle_households(
    engine: Engine,
    private: Source,
    done: Protected,
    *,
    household: str,
    person: str | None = None,
    seed: Seed | None,
    keep_numbers: bool = False,
) -> Protected:
    """Make a protected file fit to be released with its households.

    Members are generalised alike (`AlikeInHousehold`) where k is claimed and a method treated
    cells by themselves, and the households get new numbers unless they are to keep theirs. Where
    the size of the household was coarsened, counting the members would tell it whatever is done:
    the number is left out, and the receipt says so.

    Parameters
    ----------
    private
        The records as they were: what members share is found there.
    done
        What a method made of them; it has the column `household` still.
    seed
        By which new numbers are drawn.

    Returns
    -------
    Protected
        With the further steps in its plan; the same one where nothing had to be done.
    """
    key = tuple(name for name in done.before.key if name in done.source.variables)
    others = [name for name in key if name != household]
    if not done.claims_k or household in key:
        steps: list[Step] = (
            [] if keep_numbers or household in key else [RenumberHouseholds(household)]
        )
        return _with_steps(engine, done, steps, seed)
    changed = {name for receipt in done.receipts for name in receipt.cells_changed}
    counted = changed & set(told_by_counting(private, household, others))
    if counted and not keep_numbers:
        return _with_steps(engine, done, [Deidentify((household,))], seed)
    shared = constant_in_households(private, household, others, alike=_ALIKE_WITH_CARE)
    trees = hierarchies_in(done.plan.to_dict())
    # where a whole variable was recoded, members with the same value have the same label
    in_cells = {
        n for n in others if n in changed and _Cells.read(done.source, n, trees.get(n)).overlap()
    }
    shared = tuple(n for n in shared if _Cells.read(done.source, n, trees.get(n)).overlap())
    own = tuple(trees[name] for name in key if name in trees)
    treated = done
    while True:
        if shared:
            alike = AlikeInHousehold(household, key, done.k, shared, own, person)
            treated = _with_steps(engine, done, [alike], seed)
        one, other = pairs_in_households(household_numbers(treated.source, household))
        more = {
            name
            for name in in_cells - {*shared}
            if _Cells.read(treated.source, name, trees.get(name)).agree(one, other)
        }
        if not more:
            break
        shared = tuple(name for name in others if name in {*shared, *more})
    done = treated
    return _with_steps(engine, done, [] if keep_numbers else [RenumberHouseholds(household)], seed)


def _with_steps(
    engine: Engine, done: Protected, steps: Sequence[Step], seed: int | None
) -> Protected:
    if not steps:
        return done
    applied = Plan(tuple(steps)).apply(engine, done.source, seed=seed, first=len(done.plan))
    whose = done.person if done.person in applied.source.variables else None
    after = uniques(engine, applied.source, list(done.before.key), k=done.k, person=whose)
    return replace(
        done,
        plan=Plan((*done.plan.steps, *steps)),
        source=applied.source,
        receipts=(*done.receipts, *applied.receipts),
        after=after,
        guaranteed=not after.at_risk,
    )


# New numbers for households ----------------------------------------------------------------------


@dataclass(frozen=True)
class RenumberHouseholds(Step, kind="renumber-households"):
    """Replace the households' numbers by others, one to one, drawn at random.

    People of a household still have the same number. A record without one stays without.
    """

    household: str

    draws_at_random = True
    truthful = True

    def describe(self) -> str:
        """Say what is done."""
        return f"give the households new numbers ({self.household}), drawn at random"

    def apply(self, engine: Engine, source: Source, context: Context) -> tuple[Source, Receipt]:
        """Draw who gets which number, and write."""
        found = read_households(engine, source, self.household)
        column = plain_column(source, self.household)
        variable = source.variables[self.household]
        homes = np.flatnonzero(~found.alone)
        rank = np.zeros(len(found), dtype=np.int64)
        rank[homes[shuffled(context.draws(), "number", found.first[homes])]] = np.arange(len(homes))
        new = fresh_identities(variable, column, len(homes), beside=False)
        kind = new.type if pa.types.is_integer(new.type) else column.type
        position = source.schema.get_field_index(self.household)
        field = pa.field(self.household, kind)
        places, alone = rank[found.of_record], found.alone[found.of_record]

        def change(batch: pa.RecordBatch, records: Ints) -> pa.RecordBatch:
            chosen = pa.array(places[records], mask=alone[records])
            return batch.set_column(position, field, new.take(chosen).cast(kind))

        schema = source.schema.set(position, field)
        variables = source.variables.updated({self.household: {"labels": {}, "categories": None}})
        result = engine.transform(source, change, schema=schema, variables=variables)
        return self.with_receipt(
            source,
            result,
            records_changed=int((~alone).sum()),
            cells_changed={self.household: int((~alone).sum())},
            notes=(f"{len(homes):,} households have new numbers",),
        )
