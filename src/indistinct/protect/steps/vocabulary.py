"""The vocabulary of Figure 14: thirteen techniques, and two circumstances that need them.

Sweeney (2001, section 4.1): query restriction and summaries "are not disclosure limitation
techniques but rather special circumstances in which disclosure control is required".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from indistinct.protect.blank import Blank
from indistinct.protect.deidentify import Deidentify
from indistinct.protect.destroy import Destroy
from indistinct.protect.encrypt import Encrypt
from indistinct.protect.generalise import Generalise
from indistinct.protect.perturb import Perturb
from indistinct.protect.step import Step
from indistinct.protect.steps.add_records import AddRecords
from indistinct.protect.steps.generalise_cells import GeneraliseCells
from indistinct.protect.steps.keeping import PerturbKeeping
from indistinct.protect.steps.noise import AddNoise
from indistinct.protect.steps.outliers import OutliersToMedians
from indistinct.protect.steps.rounding import Round
from indistinct.protect.steps.sample import Sample
from indistinct.protect.steps.scramble import ScrambleOrder
from indistinct.protect.steps.substitute import Substitute
from indistinct.protect.steps.suppress import (
    SuppressAttribute,
    SuppressCells,
    SuppressRecords,
)
from indistinct.protect.steps.swap import SwapValues

__all__ = ["CIRCUMSTANCES", "TECHNIQUES"]

TECHNIQUES: Mapping[str, tuple[type[Step], ...]] = MappingProxyType(
    {
        "De-identification": (Deidentify,),
        "Suppression": (SuppressCells, SuppressAttribute, SuppressRecords, Blank, Destroy),
        "Encryption": (Encrypt,),
        "Swap values": (SwapValues,),
        "Generalize values": (Generalise, GeneraliseCells),
        "Substitution": (Substitute,),
        "Outlier to medians": (OutliersToMedians,),
        "Perturbation": (PerturbKeeping, Perturb),
        "Rounding": (Round,),
        "Additive noise": (AddNoise,),
        "Sampling": (Sample,),
        "Add tuples": (AddRecords,),
        "Scramble tuples": (ScrambleOrder,),
    }
)
"""The steps by Figure 14's names: ten that change values and attributes, three for tuples."""

CIRCUMSTANCES: tuple[str, ...] = ("Query restriction", "Summaries")
"""Figure 14's other entries: ways of release that need techniques, and are none."""
