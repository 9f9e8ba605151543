"""The folder of published tables: written aside, attacked as it stands there, then given its name.

tables/NAME.csv           a row for every place and cell
tables.json               what each file holds
areas.csv                 which areas were merged, where any were
methodology.md            what was done, as far as it may be told
conditions.md             what users agree to
certificate.json          what was proved of these files, and their hashes
private/ledger.json       the seed, the settings, what was found: stays with the holder
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from indistinct.core import GuaranteeError, for_csv
from indistinct.core.doors import folder_written_whole
from indistinct.project import TableFormat
from indistinct.release import pretty, seal_folder
from indistinct.results import Result, Table, facts, result
from indistinct.tables.publishing.numbers import PublishedTable, read_table, write_table

__all__ = ["Attack", "TablesFolder", "write_folder"]

Attack = Callable[[Callable[[PublishedTable], PublishedTable]], Mapping[str, Any]]
"""Attacks what was written: given a way to read each table again, returns the verdict, of which
`holds` says whether nothing was found."""


@result(eq=True)
class TablesFolder(Result):
    """Published tables, on disk.

    Parameters
    ----------
    folder
        Where they are.
    files
        Every public file, and its hash.
    verdict
        What the attack on them found.
    """

    folder: Path
    files: Mapping[str, str]
    verdict: Mapping[str, Any]

    FACTS = facts(
        "folder",
        "files",
        "verdict",
    )

    def sentence(self) -> str:
        """Say where the files are, and what came of the attack."""
        return f"TablesFolder({self.folder}: {len(self.files)} files, {self.said})"

    @property
    def said(self) -> str:
        """What came of the attack, in a few words."""
        if self.state == "reservations":
            codes = ", ".join(one["code"] for one in self.verdict["reservations"])
            return f"attacked as written; nothing was found, with reservations ({codes})"
        return "attacked as written; nothing was found" if self.holds else "it does NOT hold"

    @property
    def holds(self) -> bool:
        """Whether every attack was tried and found nothing."""
        return self.state == "holds"

    @property
    def state(self) -> str:
        """One of holds, reservations, fails."""
        return str(self.verdict["state"])

    @property
    def passes(self) -> bool:
        """Whether they hold, or every reservation was accepted by its code."""
        codes = {one["code"] for one in self.verdict["reservations"]}
        return self.holds or (
            self.state == "reservations" and codes <= set(self.verdict["accepted"])
        )

    @property
    def _reservations(self) -> Sequence[Mapping[str, str]]:
        found: Sequence[Mapping[str, str]] = self.verdict["reservations"]
        return found

    def _row_tables(self) -> list[Table]:
        return [Table("Published files", ("file", "SHA-256"), list(self.files.items()))]


def write_folder(
    folder: str | Path,
    tables: Iterable[PublishedTable],
    *,
    format: TableFormat,
    attack: Attack,
    methodology: str,
    conditions: str,
    merged: Mapping[str, str] | None,
    told: Mapping[str, Any],
    ledger: Mapping[str, Any],
    although_unproved: bool = False,
    accept: Sequence[str] = (),
) -> TablesFolder:
    """Write tables and what goes with them, whole or not at all.

    Parameters
    ----------
    attack
        Attacks the files that were written.
    merged
        The new area of every old one, where areas were merged.
    told
        What the certificate tells of the method.
    ledger
        What the holder keeps: settings, seed, what was found before.
    although_unproved
        Write them also if the attack finds something.
    accept
        Reservations that the publisher knows and takes upon himself, by code.
    """
    folder = Path(folder)
    with folder_written_whole(folder) as aside:
        (aside / "tables").mkdir()
        names: dict[str, str] = {}
        listed = []
        for table in tables:
            name = _file_name(table.name, set(names.values()), format)
            names[table.name] = name
            write_table(table, aside / name, format=format)
            listed.append(
                {
                    "table": table.name,
                    "file": name,
                    "dimensions": dict(zip(table.dimensions, table.categories, strict=True)),
                    "places": len(table.places),
                    "cells": table.cells,
                }
            )

        def again(like: PublishedTable) -> PublishedTable:
            return read_table(aside / names[like.name], like, format=format)

        verdict = _in_three_states(attack(again), accept)
        if verdict["state"] == "fails" and not although_unproved:
            raise GuaranteeError(
                f"The tables do not hold: {verdict['why']} Nothing was published. Protect them "
                "more, publish less, or say that they are to be written although unproved."
            )
        (aside / "tables.json").write_bytes(pretty({"tables": listed}))
        if merged is not None:
            with (aside / "areas.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(("area", "published_area"))
                writer.writerows(map(for_csv, pair) for pair in merged.items())
        (aside / "methodology.md").write_text(methodology, encoding="utf-8", newline="\n")
        (aside / "conditions.md").write_text(conditions, encoding="utf-8", newline="\n")
        certificate = seal_folder(
            aside,
            "tables",
            verdict=_public(verdict),
            told={"method": dict(told)},
            ledger={**ledger, "verdict": verdict},
        )
    return TablesFolder(folder, certificate.files, verdict)


def _in_three_states(verdict: Mapping[str, Any], accept: Sequence[str]) -> dict[str, Any]:
    """Return a verdict whose word covers what was not tried too."""
    reserved = list(verdict.get("reservations", ()))
    state = "fails" if not verdict["holds"] else "reservations" if reserved else "holds"
    return {
        **verdict,
        "state": state,
        "holds": state == "holds",
        "reservations": reserved,
        "accepted": list(accept),
    }


def _public(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return what everybody may know of a verdict: nothing of how many people are exposed."""
    if verdict["state"] != "fails":
        return {name: found for name, found in verdict.items() if name != "private"}
    return {"attacks": verdict["attacks"], "state": "fails", "holds": False}


def _file_name(name: str, taken: set[str], format: TableFormat) -> str:
    """Return the name of a table's file: its own name, without what file systems refuse.

    >>> _file_name("age:5, sex", set(), "csv")
    'tables/age-5-sex.csv'
    """
    stem = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80] or "table"
    found, number = f"tables/{stem}.{format}", 1
    while found.casefold() in {one.casefold() for one in taken}:
        number += 1
        found = f"tables/{stem}-{number}.{format}"
    return found
