"""What a recoding loses, by every measure that methods make least."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.keys.losses.cells import CellCounts, cell_counts, total_cost, weights_of
    from indistinct.keys.losses.classes import average_class_size, discernibility
    from indistinct.keys.losses.entropies import entropy, entropy_by_variable, entropy_of_nothing
    from indistinct.keys.losses.height import gcp, granularity, loss, loss_by_variable, ncp
    from indistinct.keys.losses.measures import (
        LOSSES,
        LossName,
        OverDistortion,
        measure,
        over_distortion,
    )
    from indistinct.keys.losses.precisions import distortion, levels_up, precision, precision_loss

open_doorway(__name__)
