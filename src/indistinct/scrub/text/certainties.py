"""How certain each rule of each detector turned out to be on annotated text.

A detector states a prior certainty whenever a rule fires. `tools/calibrate_scrub.py` counts on
annotated corpora how often a rule fired, what certainty it stated on average (m), and how much
of what it marked had to go. The mean of the Beta distribution that holds both, the prior
counting for a few cases, is what the rule has earned:

    e = (right + n₀·m) / (fired + n₀)

and every certainty that the rule states moves by as much in log-odds as m must to become e. So
a rule that always states the same certainty gets e, and one that is surer here than there (a
statistical tagger) keeps its order.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from indistinct.scrub.text.spans import Span

PRIOR_CASES = 20
_LEAST = 0.002  # nothing is certain, and log-odds are finite


class Count(NamedTuple):
    """Of one rule: firings that were right, all firings, and the certainties it stated in sum.

    >>> Count(right=40, fired=50, stated=45.0).earned
    0.8285714285714286
    """

    right: float
    fired: float
    stated: float

    @property
    def earned(self) -> float:
        """The certainty that the rule has earned on average."""
        mean = self.stated / self.fired if self.fired else 0.5
        return (self.right + PRIOR_CASES * mean) / (self.fired + PRIOR_CASES)

    @property
    def shift(self) -> float:
        """By how much log-odds move."""
        return _log_odds(self.earned) - _log_odds(self.stated / self.fired) if self.fired else 0.0


def _log_odds(certainty: float) -> float:
    bounded = min(max(certainty, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))


def corrected(certainty: float, shift: float) -> float:
    """A stated certainty after its log-odds moved.

    >>> count = Count(right=40, fired=50, stated=45.0)
    >>> round(corrected(0.9, count.shift), 4), round(count.earned, 4)
    (0.8286, 0.8286)
    """
    return 1 / (1 + math.exp(-_log_odds(certainty) - shift))


@lru_cache(maxsize=1)
def measured() -> dict[str, Count]:
    """What was counted, by 'detector.rule'."""
    file = resources.files(__package__) / "certainties.json"
    return {rule: Count(*numbers) for rule, numbers in json.loads(file.read_text("utf-8")).items()}


@lru_cache(maxsize=1)
def _shifts() -> dict[tuple[str, str], float]:
    return shifts(measured())


def shifts(counts: Mapping[str, Count]) -> dict[tuple[str, str], float]:
    """By detector and rule, how far log-odds move."""
    split = ((rule.partition("."), count) for rule, count in counts.items())
    return {(detector, rule): count.shift for (detector, _, rule), count in split}


def calibrated(span: Span) -> Span:
    """The span with the certainty that its rule has earned."""
    shift = _shifts().get((span.detector, span.rule))
    if shift is None:
        return span
    certainty = corrected(span.certainty, shift)
    return Span(span.start, span.end, span.kind, certainty, span.detector, span.rule)
