"""Finding what is dirty in the values of a file, before it is counted.

One pass over the records counts the values of every column; all else is asked of these counts. What
is found is what `indistinct.files.mended` mends, and where one thing is mended the next is looked
for in what is left, so that each record is told of where it belongs.

A value is told only where that tells nothing of anybody: it is declared, it is a word or a number
of public lists (*n/a*, *weiblich*, 99), or at least `FREQUENT` records have it. Of others their
number is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Bools, Floats, Ints, Value, Variable, holds_numbers, holds_text
from indistinct.dirt.dirt import Dirt
from indistinct.dirt.same_words import (
    NOTHING,
    NOTHING_AMONG_NUMBERS,
    NUMBERS_FOR_NOTHING,
    other_words,
)
from indistinct.files import (
    DATE_FORMATS,
    Mend,
    Source,
    Values,
    dialect_of,
    plain_numbers,
    read_dates,
    read_numbers,
    repeated_records,
    values_of,
)

__all__ = ["FREQUENT", "LookedAt", "find_dirt", "look_at_values"]

FREQUENT = 10
"""Records that must have a value before it is told."""

_LONGEST = 60
"""Characters that values have on average, at most; longer ones are letters and notes."""

_MOST = 0.9
"""The share of the records whose texts must be numbers, or dates, so that the others are dirt."""

_GLANCE = 200
"""Different texts that are enough to see that a column holds neither numbers nor dates."""

_FEW_WORDS = 50
"""Different texts that a variable of words has at most."""

_MOST_SPELLINGS = 10_000
"""Different texts up to which each is looked at by itself."""

_FEW_CODES = 5
"""Codes for no answer that a variable has below zero, at most."""

_OWN_NUMBERS = 0.9
"""The share of the records with a number of their own, from which a record is a person."""

_TWO_WAYS = (("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y"))
"""Forms of dates that look the same where no day is after the twelfth."""


def find_dirt(
    source: Source, names: Sequence[str] | None = None, *, person: str | None = None
) -> tuple[Dirt, ...]:
    """Find what is dirty, variable by variable in file order, and the records that are repeated.

    Parameters
    ----------
    names
        The variables that are looked at; by default all.
    person
        The column that numbers the people, where a record should be one person.

    >>> from indistinct.files import open_table, workspace
    >>> people = {"sex": ["m"] * 50 + ["w"] * 48 + ["M ", "weiblich"]}
    >>> with workspace() as folder:
    ...     for found in find_dirt(open_table(people, workspace=folder)):
    ...         print(found.said, *found.lines, sep="; ")
    1 record differs from others in capital letters or blanks alone; fold = true
    1 record says in another word what others say (weiblich 1 for w); recode = { weiblich = "w" }
    """
    return look_at_values(source, names, person=person).dirt


@dataclass(frozen=True, eq=False)
class LookedAt:
    """What was found in the values of a file, and how many different and missing ones there are."""

    dirt: tuple[Dirt, ...]
    distinct: Mapping[str, int]
    missing: Mapping[str, int]


def look_at_values(
    source: Source, names: Sequence[str] | None = None, *, person: str | None = None
) -> LookedAt:
    """Find what is dirty, as `find_dirt` does, and count different and missing values beside."""
    asked = list(source.variables) if names is None else list(dict.fromkeys(names))
    source.check_columns(asked)
    dialect = dialect_of(source)
    decimal = dialect.decimal if dialect else "."
    found: list[Dirt] = []
    distinct: dict[str, int] = {}
    missing: dict[str, int] = {}
    for name, counted in values_of(source, asked):
        distinct[name], missing[name] = len(counted.values), counted.nothing
        found += _of_variable(source.variables[name], counted, decimal)
    # a person told by two columns has no column of their own here
    if person is not None and person in source.variables:
        found += _of_records(source, person)
    return LookedAt(tuple(found), distinct, missing)


def _of_variable(variable: Variable, counted: Values, decimal: str) -> Iterator[Dirt]:
    declared = [variable.is_missing(value) for value in _codes(variable, counted)]
    own = counted.only(~np.array(declared)) if any(declared) else counted
    if not len(own.values):
        return
    if holds_text(own.values.type):
        yield from _of_texts(variable, own, decimal)
    elif holds_numbers(own.values.type):
        yield from _of_numbers(variable, own)


def _codes(variable: Variable, counted: Values) -> list[Any]:
    """Return the values, where some may be codes for missing; else nothing to look at."""
    return counted.values.to_pylist() if variable.user_missing else []


# Texts -------------------------------------------------------------------------------------------


def _of_texts(variable: Variable, counted: Values, decimal: str) -> Iterator[Dirt]:
    records = counted.records
    letters = pc.utf8_length(counted.values).to_numpy()
    if float(letters @ counted.counts) > _LONGEST * records:
        return
    nothing = _nothing(counted, NOTHING)
    said = counted.only(~nothing)
    if not len(said.values):
        return
    dates = _dates(said)
    if dates is not None:
        several = list(_missing(variable, counted, nothing))
        yield from several
        few = {} if several else _in_blanks(counted.only(nothing))
        yield from _of_dates(variable, said, dates, few)
        return
    among = _nothing(counted, NOTHING_AMONG_NUMBERS)
    numbers = _numbers(counted.only(~among), decimal)
    if numbers is not None:
        yield from _numbers_as_text(variable, counted, among, numbers, decimal)
        return
    yield from _missing(variable, counted, nothing)
    if 2 * len(said.values) <= said.records:  # most of what is there once is no category
        yield from _of_words(variable, said)


def _nothing(counted: Values, listed: frozenset[str]) -> Bools:
    """Say which texts stand for no answer; among codes of two letters, NA is Namibia."""
    texts = pc.utf8_lower(pc.utf8_trim_whitespace(counted.values))
    found: Bools = pc.is_in(texts, value_set=pa.array(sorted(listed))).to_numpy(
        zero_copy_only=False
    )
    if found.any():
        pairs = pc.match_substring_regex(counted.values, "^[A-Z]{2}$")
        if len(pairs) >= 5 and pc.mean(pairs.cast(pa.int8())).as_py() > 0.8:
            found = found & ~pc.equal(counted.values, "NA").to_numpy(zero_copy_only=False)
    return found


def _missing(variable: Variable, counted: Values, nothing: Bools) -> Iterator[Dirt]:
    """Tell of several codes for no answer, an empty cell being one."""
    codes = _in_blanks(counted.only(nothing))
    if not codes or len(codes) + bool(counted.nothing) < 2:
        return
    told = [f"{_shown(code)} {n:,}" for code, n in codes.items()]
    if counted.nothing:
        told.append(f"empty {counted.nothing:,}")
    yield Dirt(
        variable.name,
        "missing",
        sum(codes.values()),
        f"several codes for no answer ({', '.join(told)})",
        {"empty": list(codes)},
    )


def _in_blanks(counted: Values) -> dict[str, int]:
    """Return texts and their counts, blanks around them left aside, the most frequent first."""
    found: dict[str, int] = {}
    for text, n in zip(counted.values.to_pylist(), counted.counts.tolist(), strict=True):
        found[text.strip()] = found.get(text.strip(), 0) + n
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def _shown(value: object) -> str:
    return str(value).replace("-", "−", 1) if isinstance(value, (int, float)) else f"'{value}'"


def _of_words(variable: Variable, said: Values) -> Iterator[Dirt]:
    known = _known(variable)
    trimmed = Mend(trim=True).applied(said.values, said.counts)
    folded = Mend(fold=True, known=known).applied(said.values, said.counts)
    respelt = _records(said, folded)
    if respelt:
        blanks = trimmed.equals(folded)
        which = "has blanks" if respelt == 1 else "have blanks"
        differs = "differs" if respelt == 1 else "differ"
        yield Dirt(
            variable.name,
            "blanks" if blanks else "spelling",
            respelt,
            f"{_many(respelt)} {which} before, after or between its words"
            if blanks
            else f"{_many(respelt)} {differs} from others in capital letters or blanks alone",
            {"trim": True} if blanks else {"fold": True},
        )
    if len(said.values) > _MOST_SPELLINGS and not known:
        return
    now = _again(said, folded)
    if len(now) <= _FEW_WORDS:
        recode = other_words(now, known=[str(value) for value in known])
        if recode:
            n = sum(now[old] for old in recode)
            told = ", ".join(f"{old} {now[old]:,} for {new}" for old, new in recode.items())
            yield Dirt(
                variable.name,
                "words",
                n,
                f"{_many(n)} {'says' if n == 1 else 'say'} in another word what others say "
                f"({told})",
                {"recode": recode},
            )
            for old, new in recode.items():
                now[new] = now.get(new, 0) + now.pop(old)
    yield from _outside(variable, now, known)


def _known(variable: Variable) -> tuple[Value, ...]:
    """Return the values that are labelled or declared, without the codes for missing."""
    described = variable.categories or tuple(variable.labels)
    return tuple(value for value in described if not variable.is_missing(value))


def _records(said: Values, now: pa.Array) -> int:
    """Count the records whose value is another now."""
    same = pc.fill_null(pc.equal(said.values, now), False).to_numpy(zero_copy_only=False)
    return int(said.counts[~same].sum())


def _again(said: Values, now: pa.Array) -> dict[str, int]:
    """Count the values that are left, where there are few."""
    found: dict[str, int] = {}
    for text, n in zip(now.to_pylist(), said.counts.tolist(), strict=True):
        if text is not None:
            found[text] = found.get(text, 0) + n
    return found


def _outside(
    variable: Variable, counted: Mapping[Any, int], known: Iterable[Value]
) -> Iterator[Dirt]:
    """Tell of values without a label where most have one: most values, or nearly all records."""
    declared = set(known)
    labels = {value: n for value, n in counted.items() if value in declared}
    most = sum(labels.values()) >= _MOST * sum(counted.values()) and len(labels) > 1
    if not labels or not (most or 2 * len(labels) > len(counted)):
        return
    outside = {value: n for value, n in counted.items() if value not in labels}
    if not outside:
        return
    frequent = [f"{_shown(value)} {n:,}" for value, n in outside.items() if n >= FREQUENT]
    rarer = len(outside) - len(frequent)
    told = [*frequent, *([f"{rarer:,} that few records have"] if rarer else [])]
    n = sum(outside.values())
    yield Dirt(
        variable.name,
        "outside",
        n,
        f"{_many(n)} {'has' if n == 1 else 'have'} a value outside the declared labels "
        f"({', '.join(told)})",
        {"outside": "empty"},
        sure=False,
    )


def _many(records: int) -> str:
    return f"{records:,} {'record' if records == 1 else 'records'}"


# Dates and numbers that are text -----------------------------------------------------------------


def _unread(records: int, what: str) -> str:
    holds = "holds" if records == 1 else "hold"
    return f"{_many(records)} {holds} no {what}, which recode, empty or outside must say"


def _glanced(said: Values) -> pa.Array:
    return pc.utf8_trim_whitespace(said.values.slice(0, _GLANCE))


def _dates(said: Values) -> dict[str, Bools] | None:
    """Return the forms of dates that occur and which texts have each, if most are dates."""
    glanced = read_dates(_glanced(said), list(DATE_FORMATS))
    if glanced.null_count > len(glanced) / 2:
        return None
    texts = pc.utf8_trim_whitespace(said.values)
    read = {
        form: pc.is_valid(read_dates(texts, [form])).to_numpy(zero_copy_only=False)
        for form in DATE_FORMATS
    }
    for first, other in _TWO_WAYS:
        if (read[other] & ~read[first]).any() and not (read[first] & ~read[other]).any():
            first, other = other, first
        read[other] = read[other] & ~read[first]
    found = {form: which for form, which in read.items() if which.any()}
    dated = np.logical_or.reduce(list(found.values())) if found else np.zeros(len(texts), bool)
    if int(said.counts[dated].sum()) < _MOST * said.records:
        return None
    if set(found) == {"%Y%m%d"}:
        return None  # numbers, as far as anybody can tell
    return found


def _of_dates(
    variable: Variable, said: Values, found: Mapping[str, Bools], few: Mapping[str, int]
) -> Iterator[Dirt]:
    """Tell of dates that are not all written as ISO writes them, and of one code among them."""
    written = read_dates(pc.utf8_trim_whitespace(said.values), ["%Y-%m-%d"])
    odd = _records(said, written)
    if not odd:
        return
    records = {form: int(said.counts[which].sum()) for form, which in found.items()}
    forms = sorted(records, key=lambda form: -records[form])
    dated = sum(records.values())
    rest = said.records - dated
    told = ", ".join(f"{form} {records[form]:,}" for form in forms)
    how = f"dates in {len(forms)} forms" if len(forms) > 1 else "dates, but not as ISO writes them"
    words = f"{how} ({told}{''.join(f', {_shown(code)} {n:,}' for code, n in few.items())})"
    two_ways = [pair for pair in _TWO_WAYS if set(pair) & set(forms)]
    unsure = any(_unsure(said, pair) for pair in two_ways)
    if unsure:
        words += "; whether the day or the month comes first must be said by you"
    if rest:
        words += f"; {_unread(rest, 'date')}"
    settings: dict[str, Any] = {"empty": list(few)} if few else {}
    yield Dirt(
        variable.name,
        "dates",
        odd,
        words,
        {**settings, "dates": forms},
        sure=not rest and not unsure,
    )


def _unsure(said: Values, pair: tuple[str, str]) -> bool:
    """Say whether all texts can be read both ways, or some only one and some the other."""
    texts = pc.utf8_trim_whitespace(said.values)
    ways = [pc.is_valid(read_dates(texts, [form])) for form in pair]
    alone = [bool(pc.any(pc.and_not(a, b)).as_py()) for a, b in (ways, ways[::-1])]
    return alone[0] == alone[1]


def _numbers(said: Values, decimal: str) -> pa.Array | None:
    """Return the numbers that texts are, if most are some and none is a code like 01."""
    glanced = read_numbers(_glanced(said), decimal=decimal)
    if glanced.null_count > len(glanced) / 2:
        return None
    numbers = read_numbers(said.values, decimal=decimal)
    read = pc.is_valid(numbers).to_numpy(zero_copy_only=False)
    if int(said.counts[read].sum()) < _MOST * said.records or read.sum() < 2:
        return None
    coded = pc.match_substring_regex(pc.utf8_trim_whitespace(said.values), "^[+-]?0[0-9]")
    return None if pc.any(coded).as_py() else numbers


def _numbers_as_text(
    variable: Variable, counted: Values, nothing: Bools, numbers: pa.Array, decimal: str
) -> Iterator[Dirt]:
    said = counted.only(~nothing)
    read = pc.is_valid(numbers).to_numpy(zero_copy_only=False)
    plain = plain_numbers(said.values, decimal=decimal)
    plain &= _first_of_each(numbers, plain, said)
    rest = int(said.counts[~read].sum())
    few = _in_blanks(counted.only(nothing))
    codes: list[str] = []
    for one in _of_numbers(
        variable,
        replace(said.only(read), values=numbers.filter(pa.array(read)), nothing=counted.nothing),
    ):
        if one.kind == "missing":
            values = set(one.settings["empty"])
            spelt = zip(said.values.to_pylist(), numbers.to_pylist(), strict=True)
            codes = [text.strip() for text, number in spelt if number in values]
            yield replace(one, settings={"empty": list(dict.fromkeys(codes))})
    several = list(_missing(variable, counted, nothing))
    yield from several
    if plain.all() and not few:
        return
    odd = int(said.counts[~plain].sum()) + sum(few.values())
    words = f"numbers that are text: {_many(odd)} {'is' if odd == 1 else 'are'} written otherwise"
    if few and not several:
        words += f" ({', '.join(f'{_shown(code)} {n:,}' for code, n in few.items())})"
    if rest:
        words += f"; {_unread(rest, 'number')}"
    settings: dict[str, Any] = {"empty": list(few)} if few else {}
    yield Dirt(variable.name, "numbers", odd, words, {**settings, "numbers": True}, sure=not rest)


def _first_of_each(numbers: pa.Array, plain: Bools, said: Values) -> Bools:
    """Say which texts are how their number is written: plainly, and by most records."""
    codes = numbers.dictionary_encode(null_encoding="encode").indices.to_numpy()
    order = np.lexsort((-said.counts, ~plain, codes))
    first = np.ones(len(codes), dtype=bool)
    first[1:] = codes[order][1:] != codes[order][:-1]
    found = np.zeros(len(codes), dtype=bool)
    found[order] = first
    return found


# Numbers -----------------------------------------------------------------------------------------


def _of_numbers(variable: Variable, counted: Values) -> Iterator[Dirt]:
    numbers = counted.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    known = _known(variable)
    labelled = np.isin(numbers, [v for v in known if isinstance(v, (int, float))])
    codes = _number_codes(numbers, counted.counts, labelled)
    is_code = np.isin(numbers, codes)
    if len(codes):
        by_code = {c: int(counted.counts[is_code & (numbers == c)].sum()) for c in codes}
        told = [f"{_shown(code)} {n:,}" for code, n in by_code.items()]
        if counted.nothing:
            told.append(f"empty {counted.nothing:,}")
        yield Dirt(
            variable.name,
            "missing",
            sum(by_code.values()),
            f"numbers that look like codes for no answer ({', '.join(told)})",
            {"empty": codes},
            sure=False,
        )
    if known:
        left = zip(
            counted.values.filter(pa.array(~is_code)).to_pylist(),
            counted.counts[~is_code].tolist(),
            strict=True,
        )
        yield from _outside(variable, dict(left), known)


def _number_codes(numbers: Floats, counts: Ints, labelled: Bools) -> list[int]:
    """Return the numbers that stand apart from all others as codes for no answer do."""
    listed = np.isin(numbers, list(NUMBERS_FOR_NOTHING)) & ~labelled
    if not listed.any() or 2 * len(numbers) > counts.sum() + 20:
        return []
    body = numbers[(numbers >= 0) & ~listed]
    if len(body) < 2:
        return []
    found: list[int] = []
    negative = (numbers < 0) & ~labelled
    own_below = not listed[negative].all() or negative.sum() > _FEW_CODES
    below = [] if own_below else sorted(map(int, numbers[negative]))
    near = [-number for number in below if number >= -9]
    runs_on = -1 in below and 0 in body and near and body.max() < 10 * max(near)
    if not runs_on:
        found += below
    above = sorted(int(number) for number in numbers[listed & (numbers > 0)])
    for code in above:
        others = [n for n in above if n < code and len(str(n)) < len(str(code))]
        if others and code < 2 * max(others):
            continue
        reached = body.max() if not own_below else np.abs(numbers[~listed]).max()
        apart = 2 * reached <= min(n for n in above if len(str(n)) == len(str(code)))
        if apart or _is_heaped(code, numbers, counts, listed):
            found.append(code)
    return found


def _is_heaped(code: int, numbers: Floats, counts: Ints, listed: Bools) -> bool:
    """Say whether more records have 99 than the ten numbers below it together."""
    if set(str(code)) != {"9"}:
        return False
    here = int(counts[numbers == code].sum())
    close = ~listed & (numbers >= code - 10) & (numbers < code)
    return here >= FREQUENT and here > int(counts[close].sum())


# Records that are there twice --------------------------------------------------------------------


def _of_records(source: Source, person: str) -> Iterator[Dirt]:
    """Tell of numbers of people that several records have, where most have their own."""
    counted = dict(values_of(source, [person]))[person]
    if counted.records == len(counted.values):
        return
    if len(counted.values) < _OWN_NUMBERS * counted.records:
        return  # people have several records here
    same = len(repeated_records(source, person, same=True))
    others = len(repeated_records(source, person, same=False)) - same
    if same:
        yield Dirt(
            person,
            "same record twice",
            same,
            f"{_many(same)} {'is' if same == 1 else 'are'} the same as an earlier one in every "
            "variable",
            {"same_twice": person},
            of_data=True,
        )
    if others:
        yield Dirt(
            person,
            "several records",
            others,
            f"{_many(others)} {'has' if others == 1 else 'have'} the number of an earlier one, and "
            "other values",
            {"one_each": person},
            of_data=True,
            sure=False,
        )
