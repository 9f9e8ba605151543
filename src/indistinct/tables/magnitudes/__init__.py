"""Tables that add up values: who contributes to their cells, and how much."""

from indistinct.tables.magnitudes.totals import (
    Contributions,
    SystemContributions,
    class_amounts,
    contributions,
    magnitude_system,
    system_contributions,
)

__all__ = [
    "Contributions",
    "SystemContributions",
    "class_amounts",
    "contributions",
    "magnitude_system",
    "system_contributions",
]
