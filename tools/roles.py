"""Print how often the roles that `init` guesses are right, by role, for files of known roles.

    python tools/roles.py FOLDER [--sealed] [--wrong] [--json]

The right roles are in `tools/roles_by_hand.toml`. Half of the files were looked at when the guesses
were made better; the other half, drawn by a seed before any guess was seen, is sealed and is only
measured with `--sealed`. Each half is measured twice: as the files are, and with headers that say
nothing (*v1*, *v2*), with labels where the folder has a dictionary of them.

An identifier that is missed leaves with the data, a key variable that is missed is not protected:
both are listed by name. To ask in vain is cheap, so what is asked for is counted apart.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from indistinct.core import ROLES, Variable, Variables
from indistinct.engine import start_engine
from indistinct.files import open_data, open_table, workspace
from indistinct.naming import guess_variables

SEED = "roles-2026"
BY_HAND = Path(__file__).with_name("roles_by_hand.toml")
DICTIONARIES = {
    "popstan_dictionary.csv": ("popstan_persons.csv", "popstan_households.csv"),
    "nist_acs_dictionary.json": ("nist_acs_national2019.csv",),
}


@dataclass(frozen=True)
class Guessed:
    """One variable of one file: what is right, and what was guessed."""

    file: str
    name: str
    right: tuple[str, ...]
    role: str
    certainty: str
    reason: str

    @property
    def is_right(self) -> bool:
        """Whether what was guessed is right, or defensible."""
        return self.role in self.right


def right_roles() -> dict[str, dict[str, tuple[str, ...]]]:
    """Read the table that was written by hand: of every file its variables and their roles."""
    table = tomllib.loads(BY_HAND.read_text(encoding="utf-8"))
    return {
        file: {
            name: tuple(roles.split("|"))
            for roles, names in sections.items()
            for name in (names.split() if isinstance(names, str) else names)
        }
        for file, sections in table.items()
    }


def halves(files: list[str]) -> tuple[list[str], list[str]]:
    """Return the files that were looked at, and those that are sealed; drawn by a seed."""
    drawn = sorted(files, key=lambda f: hashlib.sha256(f"{SEED}:{f}".encode()).hexdigest())
    sealed = drawn[: len(drawn) // 2]
    return sorted(set(files) - set(sealed)), sorted(sealed)


def labelled(folder: Path, file: str) -> Mapping[str, Variable]:
    """Return labels of a file's variables, from the dictionary beside it."""
    found: dict[str, Variable] = {}
    for dictionary, files in DICTIONARIES.items():
        path = folder / dictionary
        if file not in files or not path.exists():
            continue
        if path.suffix == ".json":
            for name, told in json.loads(path.read_text(encoding="utf-8")).items():
                values = {k: v for k, v in told.get("values", {}).items() if isinstance(v, str)}
                found[name] = Variable(name, label=told["description"], labels=values)
            continue
        with path.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                one = found.setdefault(row["variable"], Variable(row["variable"]))
                labels = {**one.labels}
                if row["code"].isdecimal() and row["value_label"]:
                    labels[row["code"]] = row["value_label"]
                found[row["variable"]] = replace(one, label=row["label"], labels=labels)
    return found


def _coded_as(variable: Variable, field: pa.Field) -> Variable:
    """Return a variable whose labels have codes of the type of its column."""
    if not pa.types.is_integer(field.type):
        return variable
    labels = {int(code): label for code, label in variable.labels.items() if str(code).isdecimal()}
    return replace(variable, labels=labels)


def guessed(folder: Path, file: str, *, hidden: bool) -> Iterator[Guessed]:
    """Guess the roles of a file, with its own headers or with such that say nothing."""
    right = right_roles()[file]
    with workspace() as work, start_engine(workspace=work, threads=1) as engine:
        source = open_data(folder / file, workspace=work)
        names = list(source.variables)
        if hidden:
            labels = labelled(folder, file)
            table: pa.Table = source.first(source.records)
            shown = [f"v{i}" for i in range(1, len(names) + 1)]
            told = [
                replace(
                    _coded_as(labels.get(old, Variable(old)), table.schema.field(old)), name=new
                )
                for old, new in zip(names, shown, strict=True)
            ]
            source = open_table(table.rename_columns(shown), workspace=work)
            source = replace(source, variables=Variables(told))
        for name, guess in zip(names, guess_variables(engine, source), strict=True):
            certainty = getattr(guess, "certainty", "")
            if name in right:
                yield Guessed(file, name, right[name], guess.role, certainty, guess.reason)


def measured(found: list[Guessed]) -> dict[str, Any]:
    """Count by role what was right."""
    rows = []
    for role in ROLES:
        of_role = [one for one in found if one.right[0] == role]
        said = [one for one in found if one.role == role]
        rows.append(
            {
                "role": role,
                "variables": len(of_role),
                "found": sum(one.is_right for one in of_role),
                "guessed": len(said),
                "right": sum(one.is_right for one in said),
            }
        )
    return {
        "variables": len(found),
        "right": sum(one.is_right for one in found),
        "roles": rows,
        "certainty": dict(Counter(f"{one.certainty} {one.is_right}" for one in found)),
        "missed identifiers": missed(found, "identifier"),
        "missed keys": missed(found, "key"),
    }


def missed(found: list[Guessed], role: str) -> list[str]:
    """Name what is of a role and was taken for something that is protected less.

    What is left out, or counted by, is protected as well as a key variable.
    """
    safer = {"identifier": {"identifier"}, "key": {"key", "identifier", "relationship"}}[role]
    return [
        f"{one.file}: {one.name} ({one.role}{', asked' if one.certainty == 'unsure' else ''})"
        for one in found
        if one.right[0] == role and not one.is_right and one.role not in safer
    ]


def show(title: str, told: dict[str, Any]) -> None:
    """Print what was counted."""
    print(f"{title}: {told['right']} of {told['variables']} right")
    print(f"  {'role':14}{'variables':>10}{'recall':>8}{'guessed':>9}{'precision':>11}")
    for row in told["roles"]:
        recall = f"{row['found'] / row['variables']:.2f}" if row["variables"] else "-"
        precision = f"{row['right'] / row['guessed']:.2f}" if row["guessed"] else "-"
        print(
            f"  {row['role']:14}{row['variables']:>10}{recall:>8}{row['guessed']:>9}{precision:>11}"
        )
    print(f"  certainty: {told['certainty']}")
    for what in ("missed identifiers", "missed keys"):
        print(f"  {what}: {len(told[what])}", *told[what], sep="\n    ")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sealed", action="store_true", help="measure the sealed half, too")
    parser.add_argument("--wrong", action="store_true", help="list every guess that is not right")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    known = [file for file in right_roles() if (asked.folder / file).exists()]
    opened, sealed = halves(list(right_roles()))
    told: dict[str, Any] = {}
    for half, files in (("looked at", opened), *((("sealed", sealed),) if asked.sealed else ())):
        for hidden in (False, True):
            title = f"{half}, {'headers hidden' if hidden else 'as they are'}"
            found = [
                one
                for file in files
                if file in known
                for one in guessed(asked.folder, file, hidden=hidden)
            ]
            told[title] = measured(found)
            wrong = [asdict(one) for one in found if not one.is_right]
            if asked.json:
                told[title]["wrong"] = wrong
                continue
            show(title, told[title])
            if asked.wrong:
                for one in wrong:
                    right = "|".join(one["right"])
                    print(f"    {one['file']}: {one['name']}: {one['role']}, not {right}")
                    print(f"        {one['certainty']} {one['reason']}")
    if asked.json:
        print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
