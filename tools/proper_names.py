"""Gather which words dictionaries write with a capital, and what WordNet says they name.

The sources are Debian's packages `wamerican-huge`, `wbritish-huge` (SCOWL) and `wordnet-base`
(WordNet 3.0): `apt-get install` them, then run `python tools/proper_names.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from indistinct.knowledge.lexicon import plain

OUT = Path(__file__).parents[1] / "src/indistinct/knowledge/data/proper.parquet"
DICTIONARIES = ("american-english-huge", "british-english-huge")
SENSES = {14: "group", 15: "location", 18: "person"}  # WordNet's lexicographer files


def dictionaries() -> tuple[set[str], set[str]]:
    """Words written small, words written with a capital."""
    small, capital = set(), set()
    for name in DICTIONARIES:
        for word in Path("/usr/share/dict", name).read_text(encoding="utf-8").split():
            if word.endswith("'s") or len(word) < 2:
                continue
            (capital if word[0].isupper() else small).add(plain(word))
    return small, capital


def senses() -> dict[str, str]:
    """What most senses of a capitalised noun name."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in Path("/usr/share/wordnet/data.noun").read_text().splitlines():
        if line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        kind = SENSES.get(int(fields[1]), "other")
        for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]:
            if word[0].isupper():
                counts[plain(word.replace("_", " "))][kind] += 1
    return {word: kinds.most_common(1)[0][0] for word, kinds in counts.items()}


def main() -> None:
    small, capital = dictionaries()
    named = senses()
    # A name of several words is known as a whole; its parts say little alone.
    rows = sorted(small | capital | {n for n in named if named[n] != "other" or " " not in n})
    table = pa.table(
        {
            "name": rows,
            "small": [row in small for row in rows],
            "capital": [row in capital or row in named for row in rows],
            "sense": pa.array([named.get(row, "") for row in rows]).dictionary_encode(),
        }
    )
    pq.write_table(table, OUT, compression="zstd", compression_level=19)
    print(f"{table.num_rows:,} rows, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
