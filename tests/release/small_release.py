"""A small file of people, the terms of its release, and what a prover may say of it."""

from __future__ import annotations

from typing import Any

from indistinct.release import Terms

SEED = 271828182845904523536
PEOPLE = {
    "name": [f"Zyzzyva{i}" for i in range(12)],
    "age": [20, 21, 22, 23, 24, 31, 32, 33, 34, 35, 36, 37],
    "sex": ["f", "m"] * 6,
    "income": [9_100_001 + 7 * i for i in range(12)],
}
TERMS = Terms(
    purpose="Income by age",
    needed=("age", "income"),
    recipient="The university",
    holder="The office, data@example.org",
    access="semi-private",
    could_link=("age",),
)
HOLDS: dict[str, Any] = {
    "verdict": "k-map",
    "k": 5,
    "ads0": True,
    "disclosures": 0,
    "witnesses": 0,
    "checked": [{"role": "register", "name": "voters.csv", "sha256": "0" * 64, "records": 40}],
    "assumptions": ["the key is age and sex"],
    "state": "holds",
    "holds": True,
    "findings": [],
    "reservations": [],
    "accepted": [],
}
FAILS = {**HOLDS, "verdict": "none", "ads0": False, "disclosures": 3, "witnesses": 3,
         "state": "fails", "holds": False, "findings": ["3 records stand alone"]}  # fmt: skip
