"""Controlled shuffling on NIST's excerpt of the American Community Survey: `python bench/nist.py`.

Ten features, 27,253 records, of which 14,918 are unique. NIST's report on a 6-anonymous file made
with sdcMicro has a K-marginal score of 907 and 47.4 % of the uniques left unchanged. The settings
here were chosen by looking at this very file, so their scores are not a forecast for others.

Reads `nist_acs_national2019.csv` from the folder `shared/data` beside the project.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import indistinct
from indistinct.protect import Plan, Pram, RankSwap, Shuffle, Step
from indistinct.protect.avoid_uniques import AvoidUniques
from indistinct.utility.tradeoff import Candidate, risk_utility_map

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "nist_acs_national2019.csv"
TEN = (
    *("AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE"),
    *("OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE"),
)
FOUR = ("MSP", "EDU", "PINCP_DECILE", "DVET")
SIX = tuple(name for name in TEN if name not in FOUR)
CODES = tuple(name for name in TEN if name != "AGEP")
"""All but the age are categories: PINCP_DECILE and EDU have N for children, which has no rank."""

SEED = 1


def shuffled(variables: tuple[str, ...], given: tuple[str, ...] = ()) -> Shuffle:
    """Shuffle at the maximum level, categories as such."""
    return Shuffle(
        variables, given=given, nominal=tuple(n for n in CODES if n in (*variables, *given))
    )


def avoided(*steps: Step) -> AvoidUniques:
    """Then exchange ages of near rank until nobody has the key of an original unique."""
    return AvoidUniques(steps, TEN, ("AGEP",), window=0.02)


def candidates() -> Iterator[Candidate]:
    """Yield what was tried, the two that are recommended first."""
    together = avoided(shuffled(SIX, FOUR))
    both = avoided(shuffled(SIX, FOUR), shuffled(FOUR, SIX))
    turns = avoided(*(shuffled((n,), tuple(m for m in TEN if m != n)) for n in TEN))
    for name, step in (
        ("six given four, avoided", together),
        ("all ten by turns, avoided", turns),
        ("six given four, four given six, avoided", both),
        ("all ten at once, avoided", avoided(shuffled(TEN))),
        ("six given four", shuffled(SIX, FOUR)),
        ("all ten at once", shuffled(TEN)),
        ("all ten at once, ordered", Shuffle(TEN, ordered=TEN)),
        ("rank swap of ages, 20 %", RankSwap(("AGEP",), window=0.2)),
        ("ages of uniques exchanged only", avoided(Shuffle(("DEYE",), level=0.0))),
        ("PRAM, 80 % kept", Pram(TEN, keep=0.8)),
    ):
        yield Candidate(name, Plan((step,)))
    yield Candidate("every column by itself", Plan(tuple(Shuffle((name,)) for name in TEN)))
    yield Candidate("original", Plan(()))


def main() -> int:
    """Print the map, and what is left of the uniques."""
    if not FILE.exists():
        print(f"{FILE} is not here: nothing was measured.")
        return 0
    with indistinct.open_data(FILE) as data:
        found = risk_utility_map(
            data.engine,
            data.source,
            list(candidates()),
            key=TEN,
            features=TEN,
            seed=SEED,
            utility="k-marginal",
            risk="linkage",
        )
    print(found)
    print(f"\n{'':<42}{'K-marginal':>11}{'key present':>13}{'unchanged':>11}{'nearest':>9}")
    for p in found.points:
        print(
            f"{p.name:<42}{p.k_marginal:>11.1f}{p.present:>13.2%}{p.unchanged:>11.2%}{p.risk:>9.2%}"
        )
    print("(of the 14,918 uniques: their key is in the release; their own record is unchanged)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
