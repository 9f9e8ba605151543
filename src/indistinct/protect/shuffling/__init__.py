"""Data shuffling with a Gaussian copula, controlled by level, by share or by risk."""

from indistinct.protect.shuffling.step import Hold, Shuffle
from indistinct.protect.shuffling.taxonomy import marginality, taxonomic_order

__all__ = ["Hold", "Shuffle", "marginality", "taxonomic_order"]
