"""Count on annotated text how often each rule of each detector of Scrub is right.

    python tools/calibrate_scrub.py [--out FILE] [--every N] CORPUS.jsonl …
    python tools/calibrate_scrub.py --check [--every N] CORPUS.jsonl …

Writes `scrub/text/certainties.json`: by 'detector.rule' how much of its firings was right,
how often it fired, and the certainties that it stated in sum. A firing is right by the share of
its tokens that lie in references (of whatever label; what annotators left open is not counted), so
that a certainty is the probability that removing a word of it is right. Corpora whose annotation is
incomplete teach nothing here and must not be given. What a surer rule (from 0.8 up) has claimed is
decided without the others: firings there tell nothing of a weaker rule, and are not counted for it.

No corpus and no template may dominate: of one rule at most 25 firings count from one group of
documents (one template), and at most 200 from one corpus; what is beyond is scaled down.

`--check` leaves out each corpus in turn and compares, on the one left out, the certainties that
the others teach with the share that is right; it writes nothing. `--every N` reads every N-th
document.

The tagger is not counted: it has learned from annotated text itself, and would seem better there
than it is. It reads what the detectors post, so that it is trained after this.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from indistinct.scrub.text.annotated import Annotated, counted, marks, read_annotated, rightness
from indistinct.scrub.text.board import weigh
from indistinct.scrub.text.certainties import Count, corrected, shifts
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.memory import Memory, remembered
from indistinct.scrub.text.page import read
from indistinct.scrub.text.reliable import ReliabilityTally

OUT = Path(__file__).resolve().parents[1] / "src" / "indistinct" / "text" / "certainties.json"
MOST_PER_GROUP = 25
MOST_PER_CORPUS = 200
SURE = 0.8


class Firing(NamedTuple):
    """One firing of a rule: where, how certain it said it was, and how much of it was right."""

    rule: str
    group: str
    stated: float
    right: float


def firings(documents: Iterable[Annotated], finder: Finder) -> Iterator[Firing]:
    """Every posting of detectors and memory that the annotation can judge, the surest first.

    What a surer rule has claimed already is decided without the others, and tells nothing of them.
    """
    for document in documents:
        page = read(document.text)
        required, left_open = marks(document)
        postings = finder.postings(page)
        postings += remembered(page, weigh(postings), Memory())
        posted = [
            replace(span, start=start, end=end)
            for span in counted(document, postings)
            for start, end in [page.folded.original(span.start, span.end)]
        ]
        posted.sort(key=lambda span: -span.certainty)
        for certainty, equals in groupby(posted, key=lambda span: span.certainty):
            claims = list(equals)
            for span in claims:
                judged = rightness(span, document.text, required, left_open)
                if judged is not None:
                    rule = f"{span.detector}.{span.rule}"
                    yield Firing(rule, document.group, certainty, judged[0] / judged[1])
            for span in claims if certainty >= SURE else ():
                size = span.end - span.start
                required[span.start : span.end] = bytes(size)
                left_open[span.start : span.end] = b"\1" * size


def counts_of(found: Iterable[Firing]) -> dict[str, Count]:
    """Counts of one corpus, by rule, none of its groups dominating."""
    by_group: dict[str, dict[str, list[Firing]]] = defaultdict(lambda: defaultdict(list))
    for firing in found:
        by_group[firing.rule][firing.group].append(firing)
    return {
        rule: capped(
            sum_of(capped(_count(some), MOST_PER_GROUP) for some in groups.values()),
            MOST_PER_CORPUS,
        )
        for rule, groups in by_group.items()
    }


def _count(some: Sequence[Firing]) -> Count:
    return Count(sum(f.right for f in some), len(some), sum(f.stated for f in some))


def capped(count: Count, most: float) -> Count:
    """A count scaled down to at most so many firings.

    >>> capped(Count(80, 100, 90.0), 25)
    Count(right=20.0, fired=25.0, stated=22.5)
    """
    scale = min(1.0, most / count.fired) if count.fired else 1.0
    return Count(count.right * scale, count.fired * scale, count.stated * scale)


def sum_of(counts: Iterable[Count]) -> Count:
    """Counts of several groups or corpora as one."""
    given = list(counts)
    return Count(*(sum(column) for column in zip(*given, strict=True)))


def together(corpora: Iterable[dict[str, Count]]) -> dict[str, Count]:
    """Counts of several corpora as one, by rule in alphabetical order."""
    found: dict[str, list[Count]] = defaultdict(list)
    for corpus in corpora:
        for rule, count in corpus.items():
            found[rule].append(count)
    return {rule: sum_of(found[rule]) for rule in sorted(found)}


def write(counts: dict[str, Count], path: Path) -> None:
    """Write counts, one rule a line; the file appears whole or not at all."""
    lines = [
        f"  {json.dumps(rule)}: {json.dumps([round(number, 2) for number in count])}"
        for rule, count in counts.items()
    ]
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with aside.open("w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def check(corpora: dict[str, list[Firing]]) -> None:
    """Print how far the certainties taught by all other corpora can be believed on each."""
    counts = {name: counts_of(found) for name, found in corpora.items()}
    stated_all, taught_all = ReliabilityTally(), ReliabilityTally()
    for name, found in corpora.items():
        others = shifts(together(counts[other] for other in corpora if other != name))
        stated, taught = ReliabilityTally(), ReliabilityTally()
        for firing in found:
            detector, _, rule = firing.rule.partition(".")
            certainty = corrected(firing.stated, others.get((detector, rule), 0.0))
            for tally, value in (
                (stated, firing.stated), (stated_all, firing.stated),
                (taught, certainty), (taught_all, certainty),
            ):  # fmt: skip
                tally.count(value, firing.right)
        print(
            f"{name:24} {len(found):7,} firings, calibration error as stated "
            f"{stated.finish().error:.3f}, as taught by the others {taught.finish().error:.3f}"
        )
    print("\nAll, as stated:", stated_all.finish(), sep="\n")
    print("\nAll, each as taught by the others:", taught_all.finish(), sep="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Calibrate the detectors of Scrub.")
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    finder = Finder()
    found = {
        path.stem: list(firings(islice(read_annotated(path), 0, None, given.every), finder))
        for path in given.corpora
    }
    if given.check:
        check(found)
        return 0
    counts = together(counts_of(one) for one in found.values())
    write(counts, given.out)
    print(f"{len(counts)} rules, {sum(len(one) for one in found.values()):,} firings: {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
