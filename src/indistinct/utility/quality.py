"""All measures of a release side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from indistinct.core import InputError, did_you_mean
from indistinct.keys import Recoding
from indistinct.keys.losses import (
    average_class_size,
    discernibility,
    entropy_by_variable,
    entropy_of_nothing,
    gcp,
    granularity,
    loss,
    precision,
)
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.results.figures import bars

__all__ = ["Measured", "Quality", "quality"]


@dataclass(frozen=True)
class Measured:
    """One measure of a release.

    Parameters
    ----------
    name
        Its name, as `measure` knows it where it does.
    loss
        In its own unit, lower is better.
    quality
        From 1, as good as the original table, to 0, nothing is told.
    meaning
        A few words for people.
    """

    name: str
    loss: float
    quality: float
    meaning: str


@result(eq=True)
class Quality(Result):
    """What a release has cost, by every measure.

    Parameters
    ----------
    records, dropped
        The records of the original table, and how many of them are left out.
    classes, smallest
        The classes of the release, and the size of the smallest.
    measures
        The measures, in a fixed order.
    """

    records: int
    dropped: int
    classes: int
    smallest: int
    measures: tuple[Measured, ...]

    FACTS = facts(
        "records",
        Fact("suppressed_records", "dropped"),
        "classes smallest",
        Fact(
            "*",
            lambda found: {m.name: {"loss": m.loss, "quality": m.quality} for m in found},
            spread=True,
        ),
    )

    def __getitem__(self, name: str) -> Measured:
        """Return a measure by its name."""
        for measured in self:
            if measured.name == name:
                return measured
        names = [measured.name for measured in self]
        raise InputError(f"There is no measure '{name}'. {did_you_mean(name, names)}")

    def __iter__(self) -> Iterator[Measured]:
        """Yield the measures."""
        return iter(self.measures)

    def plot(self) -> str:
        """Draw the quality by every measure in per cent, as SVG."""
        return bars(
            "Quality by measure, per cent of the original's",
            [m.name for m in self],
            [100 * m.quality for m in self],
        )

    def sentence(self) -> str:
        """Say what is released."""
        return (
            f"{self.records - self.dropped:,} of {self.records:,} records released, in "
            f"{self.classes:,} classes, the smallest of {self.smallest:,}"
        )

    def _row_tables(self) -> list[Table]:
        return [
            Table(
                "What the release has cost, by every measure",
                ("measure", "loss", "quality", "meaning"),
                [(m.name, m.loss, m.quality, m.meaning) for m in self],
                {"loss": ",.6g", "quality": ".4f"},
            )
        ]


def quality(recoding: Recoding, *, weights: Mapping[str, float] | None = None) -> Quality:
    """Return every measure of a recoding, as a loss and as a quality from 1 down to 0.

    The qualities are ARX's. Entropy is compared with what suppressing everything would cost;
    discernibility and class size lie between the original table (1) and a single class (0), and
    the class size is then that of the released records alone: released records per class,
    records left out not counted.

    Parameters
    ----------
    weights
        The importance of variables, for `loss`, `precision` and `gcp`; 1 by default.
    """
    keys = recoding.keys
    lost, climbed, penalty = (
        loss(recoding, weights=weights),
        1.0 - precision(recoding, weights=weights),
        gcp(recoding, weights=weights),
    )
    fine = granularity(recoding)
    bits, most = entropy_by_variable(recoding), entropy_of_nothing(recoding)
    shares = np.divide(bits, most, out=np.zeros(len(bits)), where=most > 0)
    share = float(shares.mean()) if len(shares) else 0.0
    counts = keys.counts.astype(np.float64)
    pairs = discernibility(recoding)
    size = average_class_size(recoding)
    released = keys.records - recoding.records_dropped
    classes = len(recoding.group_counts)
    # what is not released at all is as bad as a single class
    own_size = released / classes if classes else float(keys.records)
    return Quality(
        keys.records,
        recoding.records_dropped,
        classes,
        recoding.smallest,
        (
            Measured("loss", lost, 1.0 - lost, "values a label may stand for, by attribute"),
            Measured("granularity", 1.0 - fine, fine, "the same, attributes put together first"),
            Measured("gcp", penalty, 1.0 - penalty, "certainty penalty, an own value is free"),
            Measured("precision", climbed, 1.0 - climbed, "levels climbed, of the height"),
            Measured("entropy", float(bits.sum()), _left(bits.sum(), 0.0, most.sum()), "bits lost"),
            Measured(
                "entropy-share",
                share,
                _left(share, 0.0, 1.0),
                "bits lost, as the mean of each attribute's share",
            ),
            Measured(
                "discernibility",
                pairs,
                _left(pairs, float(counts @ counts), float(keys.records) ** 2),
                "pairs that cannot be told apart",
            ),
            Measured(
                "aecs",
                size,
                _left(own_size, keys.records / max(keys.classes, 1), float(keys.records)),
                "records per class",
            ),
        ),
    )


def _left(value: float, best: float, worst: float) -> float:
    """Return where a value lies between worst (0) and best (1).

    Leaving out large classes can bring the others below the original's mean class size, and
    forgetting rare labels can cost more than suppression: both end at the bound.
    """
    if worst <= best:
        return 1.0
    return float(min(max(1.0 - (value - best) / (worst - best), 0.0), 1.0))
