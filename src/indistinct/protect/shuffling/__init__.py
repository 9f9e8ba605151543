"""Data shuffling with a Gaussian copula, controlled by level, by share or by risk."""

from indistinct.arguments import check_arguments
from indistinct.protect.shuffling.presets import (
    CensusShares,
    CensusVariables,
    census_shuffle,
)
from indistinct.protect.shuffling.step import Hold, Shuffle
from indistinct.protect.shuffling.taxonomy import marginality, taxonomic_order
from indistinct.protect.shuffling.units import Of

__all__ = [
    "CensusShares",
    "CensusVariables",
    "Hold",
    "Of",
    "Shuffle",
    "census_shuffle",
    "marginality",
    "taxonomic_order",
]

check_arguments(__name__)
