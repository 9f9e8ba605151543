"""Data shuffling with a Gaussian copula, controlled by level, by share or by risk."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.protect.shuffling.presets import CensusShares, CensusVariables, census_shuffle
    from indistinct.protect.shuffling.reading import marginality, taxonomic_order
    from indistinct.protect.shuffling.step import Hold, Shuffle
    from indistinct.protect.shuffling.turns import Of

open_doorway(__name__)
