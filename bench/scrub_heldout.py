"""Measure Scrub on documents that it has not learned from; write bench/work/scrub_heldout.json.

    python tools/train_tagger.py ../shared/data/text --halves DIR
    python bench/scrub_heldout.py DIR [--limit N]

Every corpus is divided by its groups (templates, authors) into halves A and B. Each half is
searched with weights of the tagger that were trained without it (DIR/without_A.parquet) and with
certainties that are counted without it here, of all corpora that are marked whole. Detectors and
words are the same: people wrote them, having seen half A. In training, the tagger read postings
with the certainties that are shipped.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scrub import HELD_OUT, INCOMPLETE, NAMES, annotated, row_of

from indistinct.scrub.text import certainties
from indistinct.scrub.text.annotated import Annotated
from indistinct.scrub.text.evaluating import Tally
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.tagger import posting
from indistinct.scrub.text.tagger.model import load

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import calibrate_scrub

HALVES = "AB"
Shifts = Mapping[tuple[str, str], float]


def half(document: Annotated) -> str:
    """The half of a document, as `tools/train_tagger.py` divides them."""
    return HALVES[zlib.crc32(document.group.encode()) // 7 % 2]


def counted_without(corpora: Mapping[str, list[Annotated]], left_out: str) -> Shifts:
    """How far certainties move by what the other half of every corpus tells."""
    finder = Finder()
    with patch.object(certainties, "_shifts", dict):  # as the detectors state them
        counts = [
            calibrate_scrub.counts_of(
                calibrate_scrub.firings((d for d in documents if half(d) != left_out), finder)
            )
            for name, documents in corpora.items()
            if name not in INCOMPLETE
        ]
    return certainties.shifts(calibrate_scrub.together(counts))


@contextmanager
def learned_without(weights: Path, shifts: Shifts) -> Iterator[None]:
    """Search with other weights and certainties than those that are shipped."""
    tagger = load(weights)
    with (
        patch.object(posting, "tagger", lambda: tagger),
        patch.object(certainties, "_shifts", lambda: shifts),
    ):
        yield


def measure(folder: Path, limit: int | None = None) -> dict[str, list[dict[str, Any]]]:
    """Return the two rows of Scrub for every corpus that is there."""
    given = {name: annotated(name, limit) for name in NAMES}
    corpora = {name: documents for name, documents in given.items() if documents}
    finders = (Finder(threshold=0.8, reduce=False), Finder(threshold=0.7, reduce=True))
    tallies = {name: [Tally() for _ in finders] for name in corpora}
    for left_out in HALVES:
        shifts = counted_without(corpora, left_out)
        with learned_without(folder / f"without_{left_out}.parquet", shifts):
            for name, documents in corpora.items():
                for document in documents:
                    if half(document) == left_out:
                        for finder, tally in zip(finders, tallies[name], strict=True):
                            tally.add(document, finder.find(document.text))
                print(f"  half {left_out} of {name}", file=sys.stderr)
    methods = ("Scrub (threshold 0.8)", "Scrub (threshold 0.7, false positive reduction)")
    return {
        name: [row_of(tally.finish(method)) for tally, method in zip(pair, methods, strict=True)]
        for name, pair in tallies.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path, help="the folder with without_A.parquet and _B")
    parser.add_argument("--limit", type=int, help="so many documents of each corpus")
    parser.add_argument("--out", type=Path, default=HELD_OUT)
    given = parser.parse_args()
    found = measure(given.weights, given.limit)
    given.out.parent.mkdir(exist_ok=True)
    given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    for name, rows in found.items():
        last = rows[-1]
        print(
            f"{name:20} removed {last['removed']:.4f} precision {last['precision']:.4f} "
            f"recall {last['recall']:.4f} leaking {last['leaking']:.3f}"
        )


if __name__ == "__main__":
    main()
