r"""Which answers together would give away something that rests on few records.

Every answered value is a sum over a set of records (a count is a sum of ones), so a set is a row
of zeros and ones, one place for each record. Whoever has some answers can add and subtract them:
what can be worked out is every linear combination of the rows. The rule is

    no combination that is not zero rests on fewer than `smallest` records,

where a combination rests on the records at which it is not zero. One answer :math:`A` alone,
the difference of two (it rests on the symmetric difference :math:`A \triangle B`), a total less
its parts, a table with one cell withheld and its margins: all are cases of it. Chin and
Ozsoyoglu (1982, "Auditing and inference control in statistical databases", *IEEE Transactions on
Software Engineering* 8(6)) audit sums in this way for `smallest` = 2.

Finding the combination that rests on the fewest records is hard in general (it is the minimum
distance of a code), so the search goes in steps that lose nothing, and what is then left is small:

1. Records that are in the same sets form an *atom*. A combination that rests on few records is
   zero on every atom of at least `smallest` records: a linear equation for its coefficients.
2. What is left of the coefficients gives each small atom a linear form. Atoms with proportional
   forms are zero together, so they weigh together; where they weigh enough, they give another
   equation. Repeat.
3. The forms that remain fall into parts that have no coefficient in common. In each, the rows of
   the reduced echelon form are looked at alone, then combined by a search whose depth is at most
   `smallest`. A part in which the search takes too long counts as unsafe.

So answers that are let through are safe; in rare tangles safe ones may be withheld.

Arithmetic is done modulo a prime near 2⁶¹: the coefficients of tables are small, and a chance
agreement modulo that number is out of the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

__all__ = ["weak_combinations"]

PRIME = (1 << 61) - 1
MOST_STEPS = 20_000
"""Steps of the search in one part, before it counts as unsafe."""

Form = dict[int, int]
"""A linear form: coefficients of variables, none of them zero."""


def weak_combinations(
    atoms: Mapping[frozenset[int], int], *, smallest: int
) -> list[frozenset[int]]:
    """Return sets of answers which together give away something that rests on few records.

    Parameters
    ----------
    atoms
        The answers that an atom is part of, and how many records the atom has.
    smallest
        The fewest records that anything may rest on.

    Returns
    -------
    For each combination found the answers that take part in it; nothing if all is safe. Not all
    are found at once: withhold an answer of each and look again.

    >>> everybody, women, young_women = 0, 1, 2
    >>> atoms = {
    ...     frozenset({everybody}): 40,
    ...     frozenset({everybody, women}): 3,
    ...     frozenset({everybody, women, young_women}): 30,
    ... }
    >>> weak_combinations(atoms, smallest=5)  # women less young women are three
    [frozenset({1, 2})]
    >>> weak_combinations(atoms, smallest=3)
    []
    """
    left = _Equations(Counter(answer for answers in atoms for answer in answers))
    for answers, records in atoms.items():
        if records >= smallest:
            left.add(dict.fromkeys(answers, 1))
    small = [(answers, records) for answers, records in atoms.items() if records < smallest]
    forms = _merged_forms(left, small, smallest)
    if not forms:
        return []
    owners = _answers_by_variable(left, atoms)
    found = []
    for part in _parts(forms):
        for used in _weak_in_part(part, smallest):
            taking = {a for variable in used for a in owners.get(variable, ())}
            found.append(frozenset(a for a in taking if left.value({a: 1}, used)))
    return found


class _Equations:
    """Linear equations in the coefficients, solved as they come for the rarest variable."""

    def __init__(self, frequency: Mapping[int, int]) -> None:
        self._frequency = frequency
        self._solved: dict[int, Form] = {}

    def reduce(self, form: Form) -> Form:
        """Write a form in the variables that are still free."""
        form = dict(form)
        waiting = [v for v in form if v in self._solved]
        while waiting:
            variable = waiting.pop()
            factor = form.pop(variable, 0)
            if not factor:
                continue
            for other, value in self._solved[variable].items():
                total = (form.get(other, 0) + factor * value) % PRIME
                if total:
                    form[other] = total
                    if other in self._solved:
                        waiting.append(other)
                else:
                    form.pop(other, None)
        return form

    def add(self, form: Form) -> None:
        """Require that a form is zero."""
        form = self.reduce(form)
        if not form:
            return
        # the rarest variable is in the fewest other forms, which keeps these short
        pivot = min(form, key=lambda v: (self._frequency.get(v, 0), -v))
        scale = -pow(form.pop(pivot), -1, PRIME)
        self._solved[pivot] = {v: value * scale % PRIME for v, value in form.items()}

    def value(self, form: Form, at: Mapping[int, int]) -> int:
        """Return a form's value where free variables have the values given, others zero."""
        reduced = self.reduce(form)
        return sum(value * at.get(v, 0) for v, value in reduced.items()) % PRIME


def _merged_forms(
    left: _Equations, small: Iterable[tuple[frozenset[int], int]], smallest: int
) -> dict[tuple[tuple[int, int], ...], int]:
    """Return the forms of the small atoms, up to a factor, with the records of each.

    Forms that weigh enough are made equations, which changes the others: until none does.
    """
    waiting = [(dict.fromkeys(answers, 1), records) for answers, records in small]
    while True:
        weights: Counter[tuple[tuple[int, int], ...]] = Counter()
        for form, records in waiting:
            reduced = left.reduce(form)
            if reduced:
                weights[_scaled(reduced)] += records
        heavy = [key for key, records in weights.items() if records >= smallest]
        if not heavy:
            return dict(weights)
        for key in heavy:
            left.add(dict(key))
        waiting = [(dict(key), n) for key, n in weights.items() if n < smallest]


def _scaled(form: Form) -> tuple[tuple[int, int], ...]:
    first = min(form)
    scale = pow(form[first], -1, PRIME)
    return tuple(sorted((v, value * scale % PRIME) for v, value in form.items()))


def _answers_by_variable(
    left: _Equations, atoms: Mapping[frozenset[int], int]
) -> dict[int, list[int]]:
    """Return, for each free variable, the answers whose coefficient depends on it."""
    owners: dict[int, list[int]] = {}
    for answer in {answer for answers in atoms for answer in answers}:
        for variable in left.reduce({answer: 1}):
            owners.setdefault(variable, []).append(answer)
    return owners


Part = list[tuple[Form, int]]


def _parts(forms: Mapping[tuple[tuple[int, int], ...], int]) -> list[Part]:
    """Divide the forms into parts that share no variable."""
    home: dict[int, int] = {}
    members: dict[int, Part] = {}
    for number, (form, records) in enumerate(forms.items()):
        joined = {home[v] for v, _ in form if v in home}
        part: Part = [(dict(form), records)]
        for old in joined:
            part += members.pop(old)
        members[number] = part
        for other, _ in part:
            home.update(dict.fromkeys(other, number))
    return list(members.values())


def _weak_in_part(part: Part, smallest: int) -> list[Form]:
    """Return the values of the free variables at which few records have a form that is not zero."""
    weights = [records for _, records in part]
    rows = _echelon(part)
    found = [used for row, used in rows.values() if sum(weights[c] for c in row) < smallest]
    return found or _Search(rows, weights, smallest).run()


class _Search:
    """Looks for a combination of several echelon rows that weighs little.

    Each row has a place of its own, its pivot, so a combination weighs at least the pivots of the
    rows in it. At a place where only one of these rows is not zero, either the combination is not
    zero, which weighs, or another row joins, whose pivot weighs: so the tree of choices is as deep
    as `smallest`. When nothing is left to choose, the rest must be zero, which is a small system of
    equations.
    """

    def __init__(
        self, rows: Mapping[int, tuple[Form, Form]], weights: list[int], smallest: int
    ) -> None:
        self.rows = rows
        self.weights = weights
        self.smallest = smallest
        self.looked = 0
        self.at: dict[int, list[int]] = {}
        for pivot, (row, _) in rows.items():
            for place in row:
                self.at.setdefault(place, []).append(pivot)
        self.done: set[int] = set()

    def run(self) -> list[Form]:
        """Return one combination, or several rows together where the search was too long."""
        for pivot in self.rows:
            found = self._look((pivot,), frozenset(), self.weights[pivot])
            if found is not None:
                return [found]
            self.done.add(pivot)  # all combinations with it have been looked at
        return []

    def _look(self, joined: tuple[int, ...], standing: frozenset[int], weight: int) -> Form | None:
        if weight >= self.smallest:
            return None
        self.looked += 1
        if self.looked > MOST_STEPS:
            return {v: 1 for pivot in joined for v in self.rows[pivot][1]}
        held = Counter(place for pivot in joined for place in self.rows[pivot][0])
        open_places = [
            c for c, times in held.items() if times == 1 and c not in standing and c not in joined
        ]
        if not open_places:
            return self._cancelling(joined, [c for c in held if c not in standing | set(joined)])
        place = max(open_places, key=lambda c: (self.weights[c], -c))
        found = self._look(joined, standing | {place}, weight + self.weights[place])
        for pivot in self.at[place]:
            if found is None and pivot not in joined and pivot not in self.done:
                found = self._look((*joined, pivot), standing, weight + self.weights[pivot])
        return found

    def _cancelling(self, joined: tuple[int, ...], places: list[int]) -> Form | None:
        """Return a combination of the rows that is zero at the places, if there is one."""
        left = _Equations({})
        for place in places:
            values = ((pivot, self.rows[pivot][0].get(place, 0)) for pivot in joined)
            left.add({pivot: value for pivot, value in values if value})
        factors = [left.reduce({pivot: 1}) for pivot in joined]
        free = {v for form in factors for v in form}
        if not free:
            return None
        used: Form = {}
        for pivot, form in zip(joined, factors, strict=True):
            _combine(used, self.rows[pivot][1], form.get(min(free), 0))
        return used


def _echelon(part: Part) -> dict[int, tuple[Form, Form]]:
    """Return the reduced echelon form of the values that the free variables give the forms.

    By pivot: the values at the forms, by their place, and the free variables that give them.
    """
    by_variable: dict[int, Form] = {}
    for place, (form, _) in enumerate(part):
        for variable, value in form.items():
            by_variable.setdefault(variable, {})[place] = value
    done: dict[int, tuple[Form, Form]] = {}
    for variable, values in by_variable.items():
        row, used = dict(values), {variable: 1}
        for pivot, (other, its_use) in done.items():
            if pivot in row:
                factor = -row[pivot]
                _combine(row, other, factor)
                _combine(used, its_use, factor)
        if not row:
            continue
        pivot = min(row)
        scale = pow(row[pivot], -1, PRIME)
        row = {place: value * scale % PRIME for place, value in row.items()}
        used = {v: value * scale % PRIME for v, value in used.items()}
        for other, its_use in done.values():
            if pivot in other:
                factor = -other[pivot]
                _combine(other, row, factor)
                _combine(its_use, used, factor)
        done[pivot] = (row, used)
    return done


def _combine(target: Form, other: Form, factor: int) -> None:
    for place, value in other.items():
        total = (target.get(place, 0) + factor * value) % PRIME
        if total:
            target[place] = total
        else:
            target.pop(place, None)
