"""Run anjana or pycanon on a file, in an environment of their own; print one JSON object.

    python bench/peers.py anjana|pycanon data.csv hierarchies/prefix_

It imports nothing of this project, so that it runs where only the peers are installed.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from pathlib import Path

K, SUPPRESSION = 5, 2


def hierarchy(path: Path) -> dict[int, list[str]]:
    delimiter = ";" if ";" in path.read_text().splitlines()[0] else ","
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    return {level: [row[level] for row in rows] for level in range(len(rows[0]))}


def main() -> None:
    import pandas as pd

    tool, data, prefix = sys.argv[1:4]
    frame = pd.read_csv(data, dtype=str)
    names = list(frame.columns)
    began = time.process_time()
    if tool == "anjana":
        from anjana.anonymity import k_anonymity

        folder, start = Path(prefix).parent, Path(prefix).name
        known = {name: hierarchy(folder / f"{start}{name}.csv") for name in names}
        began = time.process_time()
        result = k_anonymity(frame, [], names, K, SUPPRESSION, known)
        answer = {"records": len(result)}
    else:
        from pycanon import anonymity

        began = time.process_time()
        sensitive = "occupation"
        known_to_all = [name for name in names if name != sensitive]
        answer = {
            "k": int(anonymity.k_anonymity(frame, known_to_all)),
            "l": int(anonymity.l_diversity(frame, known_to_all, [sensitive])),
            "t": float(anonymity.t_closeness(frame, known_to_all, [sensitive])),
        }
    print(json.dumps({"tool": tool, "cpu": time.process_time() - began, **answer}))


if __name__ == "__main__":
    main()
