"""Proof from the released file: protection models, linking attacks, several releases together."""

from indistinct.prove.cover import Cover, cover
from indistinct.prove.exposure import Exposure, expose, expose_alone
from indistinct.prove.labels import is_suppressed, stands_for
from indistinct.prove.links import linked_pairs, linked_totals, linking_totals
from indistinct.prove.models import MODELS, Decision, Model, decide
from indistinct.prove.registers import Register, join_registers
from indistinct.prove.verification import Verification, Witness
from indistinct.prove.verify import verify

__all__ = [
    "MODELS",
    "Cover",
    "Decision",
    "Exposure",
    "Model",
    "Register",
    "Verification",
    "Witness",
    "cover",
    "decide",
    "expose",
    "expose_alone",
    "is_suppressed",
    "join_registers",
    "linked_pairs",
    "linked_totals",
    "linking_totals",
    "stands_for",
    "verify",
]
