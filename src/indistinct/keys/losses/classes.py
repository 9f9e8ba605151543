"""Measures that look at the sizes of the released classes alone."""

from __future__ import annotations

import numpy as np

from indistinct.keys import Recoding

__all__ = ["average_class_size", "discernibility"]


def discernibility(recoding: Recoding) -> float:
    """Return how many pairs of records can no longer be told apart.

    Bayardo and Agrawal (2005): Σ |E|² over the classes E of the release, and a record left out
    cannot be told from any of the N records, so that it adds N.

    >>> from indistinct.hierarchy import suppression_only
    >>> from indistinct.keys import Generalisable
    >>> from indistinct import open_data
    >>> with open_data({"sex": ["f", "f", "m"]}) as data:
    ...     keys = Generalisable.of(
    ...         data.key_table(["sex"]), {"sex": suppression_only(["f", "m"], name="sex")}
    ...     )
    >>> discernibility(Recoding.full_domain(keys, [0]))
    5.0
    >>> discernibility(Recoding.full_domain(keys, [0], dropped=keys.counts < 2))
    7.0
    """
    sizes = recoding.group_counts.astype(np.float64)
    return float(sizes @ sizes) + float(recoding.records_dropped) * recoding.keys.records


def average_class_size(recoding: Recoding) -> float:
    """Return the records of the original table per class of the release.

    LeFevre and others (2006), as ARX counts: N / classes, where the records left out, if there
    are any, together are one class more. 0 for an empty table.
    """
    classes = len(recoding.group_counts) + (recoding.records_dropped > 0)
    return recoding.keys.records / classes if classes else 0.0
