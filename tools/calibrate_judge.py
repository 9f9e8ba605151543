"""Measure how often the judge's thresholds raise a false alarm, and how often they miss a breach.

    python tools/calibrate_judge.py [--data FOLDER] [--sealed] [--out FILE.json]

Each threshold of `prove` and of what it asks is a cut on a score. Cases are made from generated
files and from the real files of a folder; the *truth* of a case is what an intruder does with it,
played out by plain loops: he succeeds more often than 1 in k, for certain enough (the lower bound
of Clopper and Pearson is above 1/k). A false alarm is a score above the cut and no such success, a
miss the other way round. Where the judge counts people besides, and finds nobody among fewer than
k, he raises no alarm whatever the score, which is 0 then.

Files were divided before anything was measured, by the lists below. Without `--sealed` only the
half for choosing is read; with it, the sealed half too, which is done once, when nothing will be
changed any more. A threshold is to be changed if, on the half for choosing, another cut errs less
often and an exact sign test (McNemar) on the cases that they judge differently has p < 0.01. Two
are no choice and only told: 1 in k is what was promised, and what is nearly everybody is a word.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indistinct.households.constant import ALIKE
from indistinct.naming.content import _SINGLED_OUT
from indistinct.prove.attacks.nearest import TrueValues, at_least, look_for
from indistinct.prove.belonging import TELLS, _agreeing, _read_off, _unbroken
from indistinct.prove.examiners.altered import TARGETS
from indistinct.prove.examiners.order import AGREE_BY_PLACE, FOLLOWS, agree_by_place

CHOOSING = (
    "adult.csv",
    "mwcog_persons.csv",
    "nist_acs_national2019.csv",
    "pseudopeople_american_community_survey.csv",
    "Tarragona.csv",
    "testdata.csv",
)
SEALED = (
    "CASCrefmicrodata.csv",
    "EIA.csv",
    "fars.csv",
    "popstan_persons.csv",
    "pseudopeople_decennial_census.csv",
    "uk2011_teaching_50k.csv",
)
GENERATED = {"choosing": range(0, 12), "sealed": range(100, 112)}
"""Seeds of generated files."""

HOUSEHOLDS = {
    "mwcog_persons.csv": "household_id",
    "testdata.csv": "ori_hid",
    "pseudopeople_american_community_survey.csv": "household_id",
    "popstan_persons.csv": "hid",
    "pseudopeople_decennial_census.csv": "household_id",
}
PEOPLE = 1_500
"""Records that are read of a real file, drawn at random, whole households where there are any."""

K = 5
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class File:
    """Some columns as text, by name, and who lives together."""

    name: str
    columns: dict[str, list[str]]
    homes: list[str] | None = None

    @property
    def records(self) -> int:
        return len(next(iter(self.columns.values())))

    def codes(self, name: str) -> Ints:
        """Return a column as places in the order of its values, numbers as numbers."""
        values = self.columns[name]
        try:
            numbers = np.array([float(v) if v else np.nan for v in values])
        except ValueError:
            return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)


@dataclass(frozen=True)
class Case:
    """One use of a threshold: the score that is cut, and whether the intruder succeeds."""

    file: str
    what: str
    score: float
    breach: bool


def generated(seed: int) -> File:
    """Make people in households, with copies of every strength from none to exact."""
    rng = np.random.default_rng(seed)
    people = 900
    home = np.repeat(np.arange(people), rng.integers(1, 5, people))[:people]
    age = rng.integers(18, 90, people)
    county = rng.integers(0, 8, people)[home]
    area = county * 4 + rng.integers(0, 4, people)[home]
    income = np.round(np.exp(rng.normal(8, 0.6, people) + age / 100), 0)
    columns: dict[str, NDArray[np.generic]] = {
        "age": age,
        "sex": rng.integers(0, 2, people),
        "county": county,
        "area": area,
        "income": income,
        "number": rng.permutation(10 * people)[:people],
        "room": home // int(rng.integers(2, 9)),
    }
    for share in (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 1.0):
        wrong = rng.random(people) >= share
        columns[f"age_{share}"] = np.where(wrong, rng.permutation(age), age)
        alone = np.where(wrong, rng.integers(0, 8, people), county)
        columns[f"county_{share}"] = alone
    for much in (2, 5, 20, 80):
        columns[f"age_by_{much}"] = age // much
        columns[f"like_{much}"] = age + rng.integers(-much, much + 1, people)
    for repeat in (1.0, 1.1, 1.3, 2.0, 4.0):
        columns[f"code_{repeat}"] = rng.integers(0, int(people * 40 / repeat**6) + 60, people)
    texts = {name: [str(v) for v in values.tolist()] for name, values in columns.items()}
    return File(f"generated {seed}", texts, [str(h) for h in home.tolist()])


def real(path: Path) -> File | None:
    """Read some records of a file, whole households of them."""
    if not path.exists():
        return None
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = {name.lower(): name for name in rows[0]}
    held = names.get(HOUSEHOLDS.get(path.name, "").lower())
    rng = np.random.default_rng(1)
    if held is None:
        some = sorted(rng.choice(len(rows), min(PEOPLE, len(rows)), replace=False).tolist())
    else:
        members = defaultdict(list)
        for number, row in enumerate(rows):
            members[row[held]].append(number)
        homes, some = list(members), []
        for at in rng.permutation(len(homes)).tolist():
            some += members[homes[at]]
            if len(some) >= PEOPLE:
                break
    kept = [rows[number] for number in some]
    columns = {name: [row[name] or "" for row in kept] for name in rows[0] if name}
    columns = {n: v for n, v in columns.items() if len(set(v)) > 1 and n != held}
    homes_of = [row[held] for row in kept] if held else None
    return File(path.name, dict(list(columns.items())[:16]), homes_of)


def succeeds(right: Sequence[float], k: int) -> bool:
    """Say whether an intruder is right more often than 1 in k, for certain enough."""
    return len(right) > 0 and at_least(sum(right), len(right)) > 1 / k


# -- copies -------------------------------------------------------------------------------------


def coarse(codes: Ints, k: int) -> Ints:
    """Join values that follow each other until no value is more than 1 in k of its group."""
    counts = np.bincount(codes)
    group, groups, held = 0, np.zeros(len(counts), dtype=np.int64), [0, 0]
    for value, number in enumerate(counts.tolist()):
        groups[value] = group
        held = [held[0] + number, max(held[1], number)]
        if held[0] >= k * held[1]:
            group, held = group + 1, [0, 0]
    if held[0]:  # what is left over joins the last whole group
        groups[groups == group] = max(0, group - 1)
    return groups[codes]


def copies(file: File) -> Iterator[Case]:
    """One variable is coarsened, another left beside it: is the first read off the second?

    The intruder knows of half of the people what goes with what. To find one of the others he
    takes, of the records in that person's coarse class, those beside which the person's true
    value is the usual one, and picks one of them. Only people for whom that leaves fewer than k
    records count.
    """
    names = list(file.columns)
    codes = {name: file.codes(name) for name in names}
    rng = np.random.default_rng(len(names))
    for of in names:
        groups = coarse(codes[of], K)
        sizes = np.bincount(groups)
        if len(np.unique(codes[of])) < K or sizes[sizes > 0].min() < K:
            continue
        if len(np.unique(codes[of])) > 0.5 * file.records:
            continue
        known = rng.random(file.records) < 0.5
        for by in names:
            if by == of:
                continue
            score = max(_beyond(_read_off(codes[of], codes[by]),
                                _read_off(codes[of], rng.permutation(codes[by]))),
                        _beyond(_unbroken(codes[of], codes[by]), _agreeing(codes[of])))  # fmt: skip
            told = _usual_beside(codes[of], codes[by], known)
            yield _narrowing(file.name, f"{by} tells {of}", score, codes[of], groups, told, ~known)


def _beyond(right: float, chance: float) -> float:
    return (right - chance) / (1 - chance) if chance < 1 else 0.0


def _usual_beside(of: Ints, by: Ints, known: NDArray[np.bool_]) -> Ints:
    """Return what stands most often beside each record's value, among the people known; or -1."""
    seen: dict[int, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
    for value, beside in zip(of[known].tolist(), by[known].tolist(), strict=True):
        seen[beside][value] += 1
    usual = {
        beside: max(values, key=lambda one: (values[one], -one)) for beside, values in seen.items()
    }
    return np.array([usual.get(beside, -1) for beside in by.tolist()], dtype=np.int64)


def _narrowing(
    file: str, what: str, score: float, true: Ints, groups: Ints, told: Ints, who: NDArray[np.bool_]
) -> Case:
    """Look for everybody in the records of their class for which their true value is told."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for record in np.flatnonzero(who).tolist():
        found[int(groups[record]), int(told[record])].append(record)
    right = []
    for person in np.flatnonzero(who).tolist():
        there = found.get((int(groups[person]), int(true[person])), [])
        if 0 < len(there) < K:
            right.append((person in there) / len(there))
    return Case(file, what, score if right else 0.0, succeeds(right, K))


# -- what members of a household share ------------------------------------------------------------


def members(file: File) -> Iterator[Case]:
    """A variable is coarsened for one member of a household: do the others tell it?

    The intruder takes, of the records in a person's coarse class, those in whose household the
    next member has the person's true value, and picks one of them.
    """
    if file.homes is None:
        return
    together = defaultdict(list)
    for record, home in enumerate(file.homes):
        together[home].append(record)
    one, other = np.array(
        [pair for held in together.values() for pair in pairwise(held)], dtype=np.int64
    ).T
    for name in file.columns:
        codes = file.codes(name)
        groups = coarse(codes, K)
        sizes = np.bincount(groups)
        if len(np.unique(codes)) < K or sizes[sizes > 0].min() < K:
            continue
        score = _beyond(float((codes[one] == codes[other]).mean()), _agreeing(codes))
        told = np.full(file.records, -1, dtype=np.int64)
        told[one], told[other] = codes[other], codes[one]
        everybody = np.ones(file.records, dtype=bool)
        yield _narrowing(file.name, name, score, codes, groups, told, everybody)


# -- columns that single people out ---------------------------------------------------------------


def identifiers(file: File) -> Iterator[Case]:
    """A column is released as it is: does its value alone lead to the person?

    The intruder knows the value, and picks one of the records that have it. How often he is right
    is the score itself (different values by people), so that nothing is calibrated here: the cut
    says what "nearly everybody" is, and the misses are columns between 1 in k and the cut, which
    are told as "known too" and do not name people.
    """
    for name, values in file.columns.items():
        told = [value for value in values if value]
        if len(told) < 10:
            continue
        times = defaultdict(int)
        for value in told:
            times[value] += 1
        right = [1 / times[value] for value in told]
        yield Case(file.name, name, len(times) / len(told), succeeds(right, K))


# -- altered values -------------------------------------------------------------------------------


def altered(file: File) -> Iterator[Case]:
    """Noise of many sizes on two amounts: is the nearest record a person's own?

    The judge looks for some people, drawn at random; the truth is of everybody. The score is the
    upper bound of what he found, which is cut at 1 in k.
    """
    numbers = {}
    for name, values in file.columns.items():
        try:
            column = np.array([float(v) for v in values])
        except ValueError:
            continue
        if len(np.unique(column)) >= 40:
            numbers[name] = column
    if len(numbers) < 2:
        return
    one, other = list(numbers.values())[:2]
    rng = np.random.default_rng(7)
    records = np.arange(len(one))
    for scale in (0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.5, 1.0):
        told = [v + rng.normal(scale=scale * (v.std() or 1), size=len(v)) for v in (one, other)]
        known = [
            TrueValues.of(own, seen, records, ordered=True)
            for own, seen in zip((one, other), told, strict=True)
        ]
        some = look_for(known, ("a", "b"), records, lambda _: records, k=K, targets=TARGETS)
        by_value = _found_nearest([one, other], told)
        by_rank = _found_nearest(*([_ranks(v) for v in values] for values in ([one, other], told)))
        yield Case(file.name, f"noise {scale}", some.bound * K, max(by_value, by_rank) > 1 / K)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the middle rank of each value."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - counts / 2)[at.reshape(-1)], dtype=np.float64)


def _found_nearest(
    true: Sequence[NDArray[np.float64]], told: Sequence[NDArray[np.float64]]
) -> float:
    """Return how often the record with the least differences is a person's own, of everybody."""
    wide = [float(np.ptp(np.concatenate([a, b]))) or 1.0 for a, b in zip(true, told, strict=True)]
    right = 0.0
    for person in range(len(true[0])):
        far = np.sum(
            [abs(b - a[person]) / w for a, b, w in zip(true, told, wide, strict=True)], axis=0
        )
        near = np.flatnonzero(far <= far.min() + 1e-12)
        right += float(person in near) / len(near)
    return right / len(true[0])


# -- order ----------------------------------------------------------------------------------------


def _orders(records: int, rng: np.random.Generator) -> Iterator[tuple[str, Ints]]:
    """Orders from that of the file to one drawn at random."""
    for share in (0.0, 0.01, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0):
        order = np.arange(records)
        some = np.flatnonzero(rng.random(records) < share)
        order[some] = rng.permutation(some)
        yield f"{share:.0%} moved", order
    for wide in (2, 10, 50, records // 4, records // 2, records):
        yield f"moved by {wide}", np.argsort(np.arange(records) + rng.random(records) * wide)


def _found_by_place(order: Ints) -> bool:
    """Whether the place tells which of the k records of a class is whose.

    Classes are k records each, drawn at random. Of those of a person's class the intruder takes
    the one that stands nearest to the person's place in the private file.
    """
    place_of = np.empty(len(order), dtype=np.int64)
    place_of[order] = np.arange(len(order))
    drawn = np.random.default_rng(len(order)).permutation(len(order))
    right = []
    for start in range(0, len(drawn) - K + 1, K):
        held = drawn[start : start + K]
        far = np.abs(place_of[held][None, :] - held[:, None])
        near = far <= far.min(axis=1, keepdims=True)
        right += (near.diagonal() / near.sum(axis=1)).tolist()
    return succeeds(right, K)


def order(file: File) -> Iterator[Case]:
    """Records leave in an order: the ledger knows how far it follows that of the file."""
    rng = np.random.default_rng(3)
    for what, moved in _orders(file.records, rng):
        score = abs(float(np.corrcoef(moved, np.arange(len(moved)))[0, 1]))
        yield Case(file.name, what, score, _found_by_place(moved))


def order_without_ledger(file: File) -> Iterator[Case]:
    """The same, seen by whoever has both files alone: how many records agree place by place.

    Files of few and of many records, of one column and of all.
    """
    rng = np.random.default_rng(4)
    for records in (12, 60, 400, file.records):
        for columns in (1, 3, len(file.columns)):
            rows = list(zip(*list(file.columns.values())[:columns], strict=True))[:records]
            for what, moved in _orders(len(rows), rng):
                by_place, elsewhere = (
                    sum(rows[place] == rows[at] for place, at in enumerate(others))
                    for others in (moved.tolist(), np.roll(moved, len(rows) // 2).tolist())
                )
                score = agree_by_place(by_place, elsewhere, len(rows))
                what = f"{what}, {columns} columns of {len(rows)}"
                told = len(set(rows)) > 1 and _found_by_place(moved)
                yield Case(file.name, what, score, told)


THRESHOLDS: dict[str, tuple[Callable[[File], Iterator[Case]], float, str]] = {
    "copies": (copies, TELLS, "prove/copies.py TELLS"),
    "members": (members, ALIKE, "households/constant.py ALIKE"),
    "identifiers": (identifiers, _SINGLED_OUT, "naming/content.py _SINGLED_OUT"),
    "altered": (altered, 1.0, "prove/examiners/altered.py, the bound against 1 in k"),
    "order": (order, FOLLOWS, "prove/examiners/order.py FOLLOWS"),
    "order, no ledger": (
        order_without_ledger, AGREE_BY_PLACE, "prove/examiners/order.py AGREE_BY_PLACE"
    ),
}  # fmt: skip


def errors(cases: Sequence[Case], cut: float) -> tuple[int, int]:
    """Return false alarms and misses at a cut."""
    alarms = sum(case.score >= cut and not case.breach for case in cases)
    return alarms, sum(case.score < cut and case.breach for case in cases)


def best_cut(cases: Sequence[Case], now: float) -> float:
    """Return the cut that errs least often; of several the one next to what is used now."""
    cuts = [now, *np.round(np.arange(0.05, 2.0 if now >= 1 else 1.001, 0.05), 2).tolist()]
    return min(cuts, key=lambda cut: (sum(errors(cases, cut)), abs(cut - now)))


def sign_test(cases: Sequence[Case], now: float, other: float) -> float:
    """Return how likely it is by chance that one of two cuts is right so much more often."""
    differ = [case for case in cases if (case.score >= now) != (case.score >= other)]
    better = sum((case.score >= other) == case.breach for case in differ)
    number, most = len(differ), max(better, len(differ) - better)
    return min(1.0, 2 * sum(comb(number, n) for n in range(most, number + 1)) / 2**number)


def files(half: str, folder: Path) -> list[File]:
    """Return the files of one half; a real one that is not there is left out."""
    named = CHOOSING if half == "choosing" else SEALED
    found = [real(folder / name) for name in named]
    return [*(generated(seed) for seed in GENERATED[half]), *(f for f in found if f is not None)]


def measured(half: str, folder: Path, only: Sequence[str]) -> dict[str, dict[str, object]]:
    """Measure every threshold on one half."""
    found: dict[str, dict[str, object]] = {}
    held = files(half, folder)
    for name, (make, now, where) in THRESHOLDS.items():
        if only and name not in only:
            continue
        cases = [case for file in held for case in make(file)]
        alarms, misses = errors(cases, now)
        other = best_cut(cases, now)
        found[name] = {
            "where": where,
            "now": now,
            "files": len({case.file for case in cases}),
            "cases": len(cases),
            "breaches": sum(case.breach for case in cases),
            "false_alarms": alarms,
            "misses": misses,
            "best_cut": other,
            "errors_there": sum(errors(cases, other)),
            "p": sign_test(cases, now, other),
            "missed": [f"{c.file}: {c.what} ({c.score:.3f})" for c in cases
                       if c.breach and c.score < now][:12],
        }  # fmt: skip
    return found


def main() -> int:
    """Measure, print a table, and write all of it."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--data", type=Path, default=Path("../shared/data"))
    asked.add_argument("--sealed", action="store_true")
    asked.add_argument("--only", action="append", default=[])
    asked.add_argument("--out", type=Path)
    given = asked.parse_args()
    halves = ["choosing", *(["sealed"] if given.sealed else [])]
    told = {half: measured(half, given.data, given.only) for half in halves}
    for half, found in told.items():
        print(f"\n{half}\n| threshold | used | files | cases | breaches | false alarms | misses "
              "| best cut | errors there | p |\n|" + " --- |" * 10)  # fmt: skip
        for name, one in found.items():
            cells = [one[n] for n in ("files", "cases", "breaches", "false_alarms", "misses")]
            print(f"| {name} | {one['now']} | " + " | ".join(f"{n:,}" for n in cells)
                  + f" | {one['best_cut']} | {one['errors_there']} | {one['p']:.2g} |")  # fmt: skip
    if given.out:
        given.out.write_text(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
