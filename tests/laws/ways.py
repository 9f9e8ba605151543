"""Every way in which `protect` changes records, and small random files to try each on.

A method joins the laws by being registered. A step needs an example of its fields in STEPS;
`test_ways.py` fails for one that has none.

No law passes for nothing. A law says `found.examine()` where it holds a released file against brute
force, and `conftest.py` fails every law that has not done so for a way, unless `unexamined.py` says
why it cannot; an entry there that could be examined fails too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from small_data import open_small

from indistinct.core.errors import GuaranteeError, IndistinctError
from indistinct.flow.perturbing import PERTURBING
from indistinct.flow.session import Data
from indistinct.hierarchy import Hierarchy, interval_hierarchy, suppression_only, table_hierarchy
from indistinct.naming import find_person
from indistinct.protect import ACTIONS, METHODS, Plan, Protected, ReleaseKey, Step
from indistinct.protect.by_plan import protect_by_plan
from indistinct.protect.step import step_kinds
from indistinct.release import Certificate

KEY = ("region", "age", "sex")
REGIONS = ("N1", "N2", "S1", "S2")
AGES = tuple(range(20, 32))
HIERARCHIES: Mapping[str, Hierarchy] = {
    "region": table_hierarchy([(r, r[0], "*") for r in REGIONS], name="region"),
    "age": interval_hierarchy(AGES, name="age", widths=(5, 10, 20)),
    "sex": suppression_only(["f", "m"], name="sex"),
}
TREES = [HIERARCHIES[name].to_dict() for name in KEY]


def population(seed: int, *, people: int = 200, visits: int = 1, varying: bool = False) -> pa.Table:
    """Make a random file of people in households, with names, numbers and copies in it.

    Parameters
    ----------
    visits
        Records of a person, from 1 to so many; `case_no` says whose they are.
    varying
        Whether the age of a person differs from visit to visit.

    `home` is the number of the household and `region`, `area` and `size` are the same for all its
    members. `area` is finer than `region`, `age_group` coarser than `age`; `born` tells the age.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, people)
    home = np.repeat(np.arange(people), sizes)[:people]
    own = np.array(REGIONS)[rng.integers(0, len(REGIONS), people)][home]
    age = np.array(AGES)[rng.integers(0, len(AGES), people)]
    held = np.arange(people)
    again = np.repeat(held, rng.integers(1, visits + 1, people)) if visits > 1 else held
    moved = rng.integers(0, 3, len(again)) if varying else np.zeros(len(again), dtype=np.int64)
    aged = np.minimum(age[again] + moved, AGES[-1])
    size_of = np.bincount(home, minlength=people)
    ill = np.array(["flu", "cold", "gout", "none"])[rng.integers(0, 4, len(again))]
    return pa.table(
        {
            "case_no": [f"C{n:05}" for n in 40_000 + 7 * again],
            "name": [f"{chr(65 + n % 26)}ru{n:03} {chr(65 + n % 23)}olm{n // 3:03}" for n in again],
            "home": 1_000 + home[again],
            "region": own[again],
            "area": [f"{r}-{h % 2}" for r, h in zip(own[again], home[again], strict=True)],
            "size": size_of[home[again]],
            "age": aged,
            "age_group": [f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in aged],
            "born": [f"{2026 - a}-06-15" for a in aged],
            "sex": np.array(["f", "m"])[rng.integers(0, 2, people)][again],
            "ill": ill,
            "income": np.round(rng.lognormal(7, 1, len(again)), 2),
        }
    )


@dataclass(frozen=True)
class Way:
    """One way to change records: a method, or a step by itself.

    Parameters
    ----------
    alters
        Whether values may be others afterwards, so that no k is claimed.
    finished
        For a step that gives no k by itself: the step, and then cells suppressed until k holds.
    """

    name: str
    protect: Callable[..., Protected]
    alters: bool = False
    finished: Callable[..., Protected] | None = None

    def __str__(self) -> str:
        return self.name


def _by_method(method: str) -> Callable[..., Protected]:
    def protect(
        data: Data, *, key: Sequence[str] = KEY, k: int = 3, seed: int = 7, **options: Any
    ) -> Protected:
        if method == "encrypt":
            options["secrets"] = ReleaseKey.fresh()
        if method == "shuffle":
            options["variables"] = ("age", "region")
        if method in ("datafly", "optimal"):
            options.setdefault("max_drop", 0.1)
        if method not in ACTIONS:
            options["hierarchies"] = {name: HIERARCHIES[name] for name in key}
        return data.protect(list(key), method=method, k=k, seed=seed, **options)

    return protect


def _by_step(content: Mapping[str, Any], *then: Mapping[str, Any]) -> Callable[..., Protected]:
    def protect(
        data: Data, *, key: Sequence[str] = KEY, k: int = 3, seed: int = 7, **options: Any
    ) -> Protected:
        given = {**content, "kind": content["kind"]}
        if "k" in given:
            given["k"] = k
        person = find_person(data.engine, data.source, key=key) if then else None
        counted = {"key": list(key), "k": k}
        after = [Step.from_dict({**step, **counted}) for step in then]
        if person is not None:
            whose = {"kind": "for-people", "person": person, "steps": [s.to_dict() for s in after]}
            after = [Step.from_dict({**whose, **counted})]
        steps = (Step.from_dict(given), *after)
        # people are counted while the column is there that says whose record each is
        late = given["kind"] == "deidentify" or (given["kind"] == "select" and person is not None)
        plan = Plan(tuple(reversed(steps)) if late else steps)
        return protect_by_plan(
            data.engine,
            data.source,
            list(key),
            plan,
            k=k,
            seed=seed,
            secrets=ReleaseKey.fresh() if given["kind"] == "encrypt" else None,
        )

    return protect


KEYED = {"key": list(KEY), "k": 3}
STEPS: Mapping[str, Mapping[str, Any]] = {
    "add-records": {"records": 5, "shares": [["sex"]]},
    "add-noise": {"variables": ["age"], "scale": 2.0},
    "correlated-noise": {"variables": ["age", "income"], "scale": 0.1},
    "generalise-cells": {"cells": [[0, "age", 1]], "hierarchies": [TREES[1]]},
    "perturb-keeping": {"variables": ["income"], "scale": 5.0},
    "multiply-noise": {"variables": ["income"], "least": 0.05, "most": 0.2},
    "noise-on-outliers": {"variables": ["income"], "scale": 0.5},
    "outliers-to-medians": {"variables": ["income"]},
    "pram": {"variables": ["sex"], "keep": 0.8},
    "proximity-swap": {"variables": ["age"], "bound": 5.0},
    "blank": KEYED,
    "blank-told": {"key": list(KEY), "sensitive": ["ill"]},
    "deidentify": {"variables": ["name"]},
    "encrypt": {"variables": ["region"]},
    "alike-in-household": {
        **KEYED,
        "household": "home",
        "shared": ["region"],
        "hierarchies": TREES,
    },
    "renumber-households": {"household": "home"},
    "follow-label": {"variable": "age_group", "of": ["age"]},
    "generalise": {"hierarchy": TREES[1], "level": 2},
    "round": {"variables": ["income"], "base": 100.0},
    "substitute": {"variable": "name"},
    "suppress-cells": {"cells": [[0, "age"]]},
    "suppress-attribute": {"variables": ["age"]},
    "suppress-records": {"records": [0, 1]},
    "destroy": KEYED,
    "perturb": KEYED,
    "sample": {"fraction": 0.5},
    "scramble-order": {},
    "swap-values": {"variables": ["age"], "share": 0.5},
    "rank-swap": {"variables": ["income"], "window": 0.1},
    "top-bottom-code": {"variables": ["income"], "share": 0.05},
    "avoid-uniques": {
        "steps": [{"kind": "rank-swap", "variables": ["age"], "window": 0.1}],
        "key": list(KEY),
        "exchange": ["age"],
    },
    "drop-unsafe": {"key": list(KEY), "models": [{"kind": "k-anonymity", "k": 3}]},
    "group-quarters": {"household": "home", "more_than": 3},
    "sample-households": {"household": "home", "fraction": 0.5},
    "scramble-households": {"household": "home"},
    "swap-households": {"household": "home", "hierarchy": ["region"], "share": 0.3},
    "shuffle": {"variables": ["age"]},
    "for-people": {**KEYED, "person": "case_no", "steps": [{"kind": "blank", **KEYED}]},
    "keep-rules": {
        "steps": [{"kind": "rank-swap", "variables": ["income"], "window": 0.1}],
        "rules": {"poor": {"impossible": "income < age * 20"}},
    },
    "argus": {**KEYED, "identification": [2, 2, 2]},
    "drop-outliers": {"quasi_identifiers": [list(KEY)], "k": 3, "max_drop": 200},
    "select": {"variables": [*KEY, "ill"]},
    "k-similar": {**KEYED, "hierarchies": TREES},
    "local-recoding": {**KEYED, "hierarchies": TREES},
    "microaggregate": {"variables": ["age", "income"], "k": 3},
    "mondrian": {**KEYED, "hierarchies": TREES},
    "suppress": KEYED,
    "scrub-text": {"columns": ["ill"]},
}
"""An example of each kind of step; the fields that a plan needs."""

WAYS: list[Way] = [
    *(
        Way(name, _by_method(name), alters=name in (*PERTURBING, "perturb", "encrypt"))
        for name in (*METHODS, *ACTIONS, *PERTURBING)
        if name != "steps"
    ),
    *(
        Way(
            f"step {kind}",
            _by_step({"kind": kind, **STEPS[kind]}),
            alters=not step_kinds()[kind].truthful,
            finished=_by_step({"kind": kind, **STEPS[kind]}, {"kind": "suppress", **KEYED}),
        )
        for kind in step_kinds()
        if kind in STEPS
    ),
]


EXAMINED: Counter[str] = Counter()
"""How many released files the law that is running has held against brute force, by way."""


def count_examined(way: Way) -> None:
    """Count a file that a law made by a way and examines without `released`."""
    EXAMINED[way.name] += 1


@dataclass(frozen=True)
class Outcome:
    """What became of a file: the release, or the sentence by which it was refused."""

    way: str = ""

    folder: Path | None = None
    table: pa.Table | None = None
    certificate: Certificate | None = None
    refused: str = ""

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The released records."""
        return self.table.to_pylist() if self.table is not None else []

    def examine(self, *, whatever_is_said: bool = False) -> list[dict[str, Any]]:
        """Return the released records, and count that a law examines them.

        Parameters
        ----------
        whatever_is_said
            Whether the law is about every file that is written; otherwise one that its judge
            calls failed is not counted.
        """
        assert self.certificate is not None, self.refused
        if whatever_is_said or self.certificate.state != "fails":
            EXAMINED[self.way] += 1
        return self.rows

    @property
    def key(self) -> tuple[str, ...]:
        """The key of which k is promised."""
        return self.certificate.promise.key if self.certificate is not None else ()

    @property
    def changed(self) -> set[str]:
        """The variables whose released values are not, or not all, the true ones."""
        assert self.certificate is not None, self.refused
        promise = self.certificate.promise
        return {*promise.perturbed, *promise.encrypted, *promise.substituted}

    @property
    def green(self) -> bool:
        """Whether the release was called good without any reservation."""
        return self.certificate is not None and self.certificate.state == "holds"


def released(
    way: Way,
    table: pa.Table,
    folder: Path,
    *,
    key: Sequence[str] = KEY,
    k: int = 3,
    seed: int = 7,
    roles: Mapping[str, str] | None = None,
    protect: Mapping[str, Any] | None = None,
    until_k: bool = False,
    **options: Any,
) -> Outcome:
    """Protect a file by one way and release it.

    Parameters
    ----------
    roles
        Roles of variables by name; what is not named has none, as in a CSV file.
    protect, options
        Further arguments of `Data.protect` and of `Data.release`.
    until_k
        Whether more is done until there is a release to be judged, for a law that every way is
        refused by holds of nothing: a step that gives no k by itself is followed by one that
        does, and of a key that is altered the rest is taken.
    """
    asked: dict[str, Any] = {"seed": seed, "roles": roles, "protect": protect, **options}
    if until_k:
        return _released_with_k(way, table, folder, key=tuple(key), k=k, **asked)
    with open_small(table) as data:
        if roles:
            data = data.with_roles(**roles)
        try:
            done = way.protect(data, key=key, k=k, seed=seed, **(protect or {}))
            written = data.release(folder, done, seed=seed, **options)
        except (GuaranteeError, IndistinctError) as error:
            return Outcome(way.name, refused=str(error))
        return Outcome(
            way.name,
            written.folder,
            pa.parquet.read_table(written.data),
            Certificate.read(written.certificate),
        )


def _released_with_k(
    way: Way, table: pa.Table, folder: Path, *, key: tuple[str, ...], **asked: Any
) -> Outcome:
    """Release by a way; without k, by the way and suppression; then by what is left of the key."""
    unproved = asked.pop("although_unproved", False)
    asked["although_unproved"] = False
    ways = [way, *([replace(way, protect=way.finished)] if way.finished is not None else [])]

    def first_released(key: tuple[str, ...], name: str) -> Outcome:
        tried = (released(one, table, folder.with_name(name), key=key, **asked) for one in ways)
        found = next(tried)
        return found if not found.refused else next((f for f in tried if not f.refused), found)

    found = first_released(key, folder.name)
    claims = found.certificate is not None and found.certificate.promise.claims_k
    asked["although_unproved"] = True
    last = found
    if found.refused and (unproved or way.alters):
        last = released(ways[-1], table, folder, key=key, **asked)
    if claims or not way.alters or last.refused:
        return last if unproved else found
    asked["although_unproved"] = False
    left = tuple(name for name in key if name not in last.changed)
    less = first_released(left, f"{folder.name}-less") if left and left != key else found
    if less.refused or less is found:
        return last if unproved else found
    return less
