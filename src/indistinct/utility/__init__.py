"""Utility: what a release has cost, and what it is still good for."""

from indistinct.arguments import check_arguments
from indistinct.utility.analyses import Utility, analyse_utility
from indistinct.utility.classes import average_class_size, discernibility
from indistinct.utility.columns import (
    CellDistance,
    Cells,
    cell_distance,
    column_distance,
    techniques,
)
from indistinct.utility.demography import DemographicTests, demographic_tests
from indistinct.utility.entropy import entropy, entropy_by_variable
from indistinct.utility.loss import gcp, granularity, loss, loss_by_variable, ncp
from indistinct.utility.measures import (
    LOSSES,
    LossName,
    OverDistortion,
    measure,
    over_distortion,
)
from indistinct.utility.precision import distortion, levels_up, precision, precision_loss
from indistinct.utility.quality import Measured, Quality, quality

__all__ = [
    "LOSSES",
    "CellDistance",
    "Cells",
    "DemographicTests",
    "LossName",
    "Measured",
    "OverDistortion",
    "Quality",
    "Utility",
    "analyse_utility",
    "average_class_size",
    "cell_distance",
    "column_distance",
    "demographic_tests",
    "discernibility",
    "distortion",
    "entropy",
    "entropy_by_variable",
    "gcp",
    "granularity",
    "levels_up",
    "loss",
    "loss_by_variable",
    "measure",
    "ncp",
    "over_distortion",
    "precision",
    "precision_loss",
    "quality",
    "techniques",
]

check_arguments(__name__)
