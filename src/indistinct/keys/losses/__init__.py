"""What a recoding loses, by every measure that methods make least."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.keys.losses.measures import (
        LOSSES,
        CellCounts,
        LossName,
        OverDistortion,
        average_class_size,
        cell_counts,
        discernibility,
        distortion,
        entropy,
        entropy_by_variable,
        entropy_of_nothing,
        gcp,
        granularity,
        levels_up,
        loss,
        loss_by_variable,
        measure,
        ncp,
        over_distortion,
        precision,
        precision_loss,
        total_cost,
        weights_of,
    )

open_doorway(__name__)
