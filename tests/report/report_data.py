"""Small releases of all kinds, made once, for the tests of their reports."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import small_data

from indistinct import files
from indistinct.census import census_table
from indistinct.flow.session import Data
from indistinct.protect import AddNoise, Plan, protect_by_plan

KEY = ["age_group", "sex", "marital"]
IDENTIFIERS = ["identity_number", "given_name", "surname", "date_of_birth"]
KEEP = ["income", "education"]
SEED = 987_654_321
FILE = "patients-of-st-example.parquet"
"""The private file's name, which no one else may learn."""


@dataclass(frozen=True)
class Made:
    """A release, and what it was made of."""

    kind: str
    folder: Path
    private: Path
    original: pa.Table
    k: int
    settings: tuple[str, ...]
    """How strongly values were perturbed, as it would be written."""


def people(records: int = 600, seed: int = 3) -> pa.Table:
    """Return people whose rare values cannot be taken for anything else.

    Codes are words, and incomes end in 3, so that no round number is anybody's.
    """
    table = census_table(records, seed=seed).select([*KEY, *KEEP, *IDENTIFIERS])
    columns: dict[str, Any] = {name: table.column(name) for name in table.column_names}
    for name, width in (("age_group", 2), ("marital", 1), ("education", 2)):
        codes = [code // width for code in columns[name].to_pylist()]
        words = [f"{name[:3]}~{code}" for code in codes]
        words[7] = f"{name[:3]}~rare"
        columns[name] = pa.array(words)
    columns["sex"] = pa.array([("Frau", "Mann")[code - 1] for code in columns["sex"].to_pylist()])
    columns["income"] = pc.add(pc.cast(columns["income"], pa.int64()), 3)
    return pa.table(columns)


def _method(name: str, **options: Any) -> Callable[[Data, int], Any]:
    return lambda data, k: data.protect(KEY, method=name, k=k, seed=SEED, **options)


def _nothing(data: Data, k: int) -> Any:
    return protect_by_plan(data.engine, data.source, KEY, Plan(()), method="steps", k=k, seed=SEED)


def _noise(data: Data, k: int) -> Any:
    plan = Plan((AddNoise(("income",), scale=1234.5),))
    return protect_by_plan(
        data.engine, data.source, KEY, plan, method="steps", k=k, seed=SEED, claims_k=False
    )


_KINDS: Mapping[str, tuple[Callable[[Data, int], Any], int, dict[str, Any], tuple[str, ...]]] = {
    "generalised": (_method("k-similar"), 3, {"compare": True}, ()),
    "global": (_method("datafly", max_drop=0.03), 7, {"compare": True}, ()),
    "suppressed": (_method("suppress"), 3, {"compare": True}, ()),
    "shuffled": (
        _method("shuffle", variables=("income", "age_group"), level=0.8137),
        3,
        {"compare": True},
        ("0.8137", "81.37", "0.81"),
    ),
    "noisy": (_noise, 3, {"compare": True}, ("1234.5", "1,234.5")),
    "mapped": (_method("datafly", max_drop=0.03), 3, {}, ("0.6161", "61.61")),
    "destroyed": (_method("destroy"), 3, {}, ()),
    "unproved": (_nothing, 3, {}, ()),
    "argus": (_method("argus"), 5, {}, ()),
    "blanked": (_method("blank"), 3, {}, ()),
    "perturbed": (_method("perturb"), 3, {"compare": True}, ()),
}
KINDS = tuple(_KINDS)
EVERYDAY = ("generalised", "global", "suppressed", "shuffled", "noisy", "mapped", "unproved")
"""Made in every run of the tests; the others with the heavy ones."""


class Workshop:
    """Makes each release once, when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.make = functools.cache(self._make)

    @functools.cached_property
    def private(self) -> Path:
        """The private file."""
        path = self.folder / FILE
        pq.write_table(people(), path)
        return path

    def _make(self, kind: str) -> Made:
        protect, k, options, settings = _KINDS[kind]
        folder = self.folder / "releases" / kind
        folder.parent.mkdir(exist_ok=True)
        data = self.open(self.private)
        if kind == "mapped":
            tried: dict[str, Any] = {"methods": ("datafly",), "shuffle": (0.6161,)}
            tried |= {"windows": (), "keep": (), "noise": ()}
            drawn = data.risk_utility_map(KEY, k=k, seed=SEED, **tried)
            options = {"drawn": drawn, "on_map": f"datafly k={k}"}
        data.release(
            folder, protect(data, k), seed=SEED, keep=KEEP, although_unproved=True, **options
        )
        return Made(kind, folder, self.private, people(), k, settings)

    def open(self, path: Path) -> Data:
        """Open a file on the engine that small tests share."""
        engine = small_data.shared_engine()
        data = Data(files.open_data(path, workspace=engine.workspace), engine)
        return data.with_roles(**dict.fromkeys(IDENTIFIERS, "identifier"))

    def copy(self, kind: str, where: Path) -> Path:
        """Return a copy of a release, to be spoiled."""
        return Path(shutil.copytree(self.make(kind).folder, where / kind))
