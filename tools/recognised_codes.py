"""Print which columns of the CSV files of a folder are taken for codes of a public standard.

python tools/recognised_codes.py FOLDER
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from indistinct.hierarchy import recognised


def main() -> int:
    looked = 0
    for path in sorted(Path(sys.argv[1]).glob("*.csv")):
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            start = file.readline()
            file.seek(0)
            values: dict[str, dict[str, None]] = {}
            for row in csv.DictReader(file, delimiter=max(";,\t", key=start.count)):
                for name, value in row.items():
                    if name is not None and isinstance(value, str) and value:
                        values.setdefault(name, {})[value] = None
        for name, distinct in values.items():
            looked += 1
            found = recognised(name, distinct)
            if found is not None:
                print(f"{path.name}: {name}: {found[0]} ({found[1]:.0%} of {len(distinct):,})")
    print(f"{looked} columns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
