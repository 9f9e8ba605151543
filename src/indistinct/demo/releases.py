"""The demo's releases and their reports: generalised for everybody's use, shuffled for research."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from indistinct.census import MCCAA_KEY, SKINNER_HOLMES_KEY
from indistinct.flow import Data, open_data, perturbing_plan, write_comparison_report, write_report
from indistinct.protect import Plan, Request, Shuffle
from indistinct.release import Certificate
from indistinct.utility.tradeoff import Candidate, RiskUtilityMap, risk_utility_map

__all__ = [
    "MAX_DROP",
    "SHUFFLED",
    "SHUFFLED_KEY",
    "K",
    "release_generalised",
    "release_shuffled",
    "shuffled_map",
    "write_projects",
    "write_reports",
]

K = 3
MAX_DROP = 0.01
RELEASED = ("education", "tenure", "household_size", "children", "hours", "travel", "health")
"""What the recipient gets beside the key: nothing that a register has. Health is sensitive, and is
blanked where a class would tell it."""
HOUSEHOLDS = ("household", "person", "relationship", "economic", "children")
"""What research on households needs beside the key of the shuffled census."""
SHUFFLED_KEY = ("sex", "age", "marital", "region", "education")
"""What the shuffled census holds of the twelve variables of McCaa. With all twelve in the file most
people would be found; research on couples and children needs these, and who knows twelve has no
more than these to search by."""
SHUFFLED = "census shuffled"
"""The shuffled release's name on the map."""

_PROJECT = """# {title}
[data]
file = "census.parquet"

[release]
k = {k}
key = {key}
hierarchies = "hierarchies"
method = "{method}"{options}
keep = {keep}
registers = ["register.parquet"]
seed = {seed}
purpose = "{purpose}"
recipient = "{recipient}"
access = "semi-private"
holder = "The Statistical Office of Nowhere"

[contract]
needed = {needed}
could_link = {linked}
lifetime = {year}-12-31
destroy_by = {later}-03-31
review_days = 30
security = "A safe room without a network; two people hold the keys"
sanctions = "The institution gets no data for five years"
"""


def write_projects(folder: Path, *, method: str, seed: int) -> None:
    """Write the project files of both releases."""
    drop = f"\nmax_drop = {MAX_DROP}" if method in ("datafly", "optimal") else ""
    _write_project(
        folder / "release.toml",
        title="The census, generalised until nobody stands out",
        method=method,
        options=drop,
        key=SKINNER_HOLMES_KEY,
        keep=RELEASED,
        seed=seed,
        purpose="Work, education, housing and health: a file for scientific use",
        recipient="Universities that have signed the terms",
    )
    _write_project(
        folder / "shuffled.toml",
        title="The census, shuffled household by household",
        method="shuffle",
        options='\naccept = ["perturbed"]',
        key=SHUFFLED_KEY,
        keep=HOUSEHOLDS,
        seed=seed,
        purpose="Couples, fertility and education: a file for research on households",
        recipient="The Institute of Demography",
    )


def _write_project(
    path: Path,
    *,
    title: str,
    method: str,
    options: str,
    key: tuple[str, ...],
    keep: tuple[str, ...],
    seed: int,
    purpose: str,
    recipient: str,
) -> None:
    year = dt.date.today().year + 3
    text = _PROJECT.format(
        title=title,
        k=K,
        method=method,
        options=options,
        key=_names(key),
        keep=_names(keep),
        seed=seed,
        purpose=purpose,
        recipient=recipient,
        needed=_names(tuple(dict.fromkeys((*key, *keep)))),
        linked=_names(key),
        year=year,
        later=year + 1,
    )
    path.write_text(text, encoding="utf-8", newline="\n")


def _names(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def release_generalised(folder: Path) -> None:
    """Protect the census as `release.toml` says, beside other ways on a map, and release it."""
    with open_data(folder / "release.toml") as data:
        assert data.project is not None
        asked = data.project.release
        assert asked.method is not None
        done = data.protect(method=asked.method, seed=asked.seed)
        name = f"{asked.method} k={K}"
        data.release(
            folder / "release",
            done,
            seed=asked.seed,
            registers=asked.registers or (),
            compare=True,
            drawn=_generalised_map(data, name),
            on_map=name,
        )


def _generalised_map(data: Data, own: str) -> RiskUtilityMap:
    """Map ways to protect the census by the key of Skinner and Holmes (1998)."""
    key = list(SKINNER_HOLMES_KEY)
    known = data.hierarchies(key)
    assert data.project is not None
    wanted: list[tuple[str, int]] = [("datafly", K), ("optimal", K), ("k-similar", K)]
    wanted += [("k-similar", 10), ("k-similar", 50)]
    shuffles = [
        Shuffle(("age_group", "marital", "economic"), ("sex", "geography"), level=level)
        for level in (0.1, 1.0)
    ]
    return risk_utility_map(
        data.engine,
        data.source,
        [
            Candidate("original", plan=Plan()),
            *(
                Candidate(f"{way} k={k}", method=way, request=Request(k=k, max_drop=MAX_DROP))
                for way, k in wanted
            ),
            *(Candidate(f"shuffle {s.level:g}", plan=Plan((s,))) for s in shuffles),
        ],
        key=key,
        seed=data.project.release.seed or 1,
        hierarchies=known,
        risk="linkage",
        features=[*key, *RELEASED],
    )


def release_shuffled(folder: Path, drawn: RiskUtilityMap) -> Certificate:
    """Shuffle the census as `shuffled.toml` says, release it, and return what was certified."""
    with open_data(folder / "shuffled.toml") as data:
        assert data.project is not None
        asked = data.project.release
        done = data.protect(method="shuffle", seed=asked.seed)
        written = data.release(
            folder / "shuffled",
            done,
            seed=asked.seed,
            registers=asked.registers or (),
            compare=True,
            drawn=drawn,
            on_map=SHUFFLED,
            although_unproved=True,  # of few people most are found: the certificate says so
        )
    return Certificate.read(written.certificate)


def shuffled_map(data: Data, seed: int, hierarchies: Path) -> RiskUtilityMap:
    """Map shuffling and generalising by the twelve variables of McCaa et al. (2013)."""
    key = list(MCCAA_KEY)
    known = data.hierarchies(key, directory=hierarchies)
    work = {name: known[name] for name in ("occupation", "industry")}
    whole = perturbing_plan(
        "shuffle",
        data.source,
        project=None,
        hierarchies=lambda names: {name: known[name] for name in names},
        options={},
    )
    shuffles = [
        Shuffle(
            ("age", "education", *work), ("sex", "marital", "region"), level=level, hierarchies=work
        )
        for level in (0.1, 1.0)
    ]
    candidates = [
        Candidate("original", plan=Plan()),
        Candidate(SHUFFLED, plan=whole),
        *(Candidate(f"shuffle {s.level:g}", plan=Plan((s,))) for s in shuffles),
        *(
            Candidate(f"{way} k={K}", method=way, request=Request(k=K, max_drop=MAX_DROP))
            for way in ("datafly", "optimal")
        ),
    ]
    return risk_utility_map(
        data.engine,
        data.source,
        candidates,
        key=key,
        seed=seed,
        hierarchies=known,
        risk="linkage",
    )


def write_reports(folder: Path) -> tuple[str, ...]:
    """Write the reports of the releases, the first in both editions, and of both side by side.

    Returns the pages, as they are called within the folder.
    """
    releases = [folder / "release", folder / "shuffled"]
    found = [write_report(releases[0], edition=e) for e in ("private", "shareable")]
    if releases[1].exists():  # so few people that none could be shuffled are a demo too
        found.append(write_report(releases[1]))
        found.append(write_comparison_report(releases, out=folder / "private" / "comparison.html"))
    place = folder.resolve()
    return tuple(report.html.resolve().relative_to(place).as_posix() for report in found)
