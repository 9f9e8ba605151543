"""Tables that add up values: who contributes to their cells, and how much."""

from indistinct.arguments import check_arguments
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

check_arguments(__name__)
