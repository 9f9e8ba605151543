"""Perturbed tables: rounding, small counts, cell keys, random modification, and what they leave."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.perturb.cellkey import (
        CellKeyDesign,
        CellKeys,
        class_keys,
        design_perturbation,
        perturb_by_cell_key,
    )
    from indistinct.tables.perturb.leaves import PerturbedRisk, perturbed_risk
    from indistinct.tables.perturb.marginal_sums import Margin, margins
    from indistinct.tables.perturb.modification import (
        RandomModification,
        RandomRounding,
        random_modification,
        random_rounding,
    )
    from indistinct.tables.perturb.noise import (
        Exact,
        Noise,
        PublishedVariance,
        Uncertainty,
        summed_variance,
        uncertainty,
        variances,
    )
    from indistinct.tables.perturb.published import Perturbation, PerturbedTables, PublishedCells
    from indistinct.tables.perturb.rounding import Rounded, controlled_rounding
    from indistinct.tables.perturb.rounding_attack import RoundedIntervals, rounded_intervals
    from indistinct.tables.perturb.small_counts import (
        SmallCounts,
        SmallCountsOfSystem,
        small_count_rounding,
        small_count_rounding_of_system,
    )

open_doorway(__name__)
