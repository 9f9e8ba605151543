"""Several releases of the same people, put together."""

from indistinct.arguments import check_arguments
from indistinct.prove.together.build import Edition
from indistinct.prove.together.check import check_together
from indistinct.prove.together.inference import Associations, Inferred, inferred_associations
from indistinct.prove.together.result import (
    Apart,
    Given,
    Joined,
    Pinned,
    Restored,
    Together,
    TogetherWitness,
)

__all__ = [
    "Apart",
    "Associations",
    "Edition",
    "Given",
    "Inferred",
    "Joined",
    "Pinned",
    "Restored",
    "Together",
    "TogetherWitness",
    "check_together",
    "inferred_associations",
]

check_arguments(__name__)
