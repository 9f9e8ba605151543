"""Protection: plans made of steps, and the actions that keep people from standing out."""

from indistinct.protect.blank import Blank, Part
from indistinct.protect.compare import ActionCost, Comparison, compare_actions
from indistinct.protect.deidentify import Deidentify
from indistinct.protect.destroy import Destroy
from indistinct.protect.encrypt import Encrypt, decrypt
from indistinct.protect.generalise import Generalise
from indistinct.protect.loop import ACTIONS, Action, protect_uniques
from indistinct.protect.losses import Losses, Shares
from indistinct.protect.perturb import How, Perturb
from indistinct.protect.plan import Applied, Plan, fresh_seed
from indistinct.protect.protected import Cost, Protected
from indistinct.protect.randomness import Draws
from indistinct.protect.receipt import Receipt
from indistinct.protect.recode import RecodingStep, apply_recoding
from indistinct.protect.release import ReleaseFolder, check_release_place, write_release
from indistinct.protect.rounding import Rounded, round_counts
from indistinct.protect.secret import ReleaseKey
from indistinct.protect.step import Context, Step

__all__ = [
    "ACTIONS",
    "Action",
    "ActionCost",
    "Applied",
    "Blank",
    "Comparison",
    "Context",
    "Cost",
    "Deidentify",
    "Destroy",
    "Draws",
    "Encrypt",
    "Generalise",
    "How",
    "Losses",
    "Part",
    "Perturb",
    "Plan",
    "Protected",
    "Receipt",
    "RecodingStep",
    "ReleaseFolder",
    "ReleaseKey",
    "Rounded",
    "Shares",
    "Step",
    "apply_recoding",
    "check_release_place",
    "compare_actions",
    "decrypt",
    "fresh_seed",
    "protect_uniques",
    "round_counts",
    "write_release",
]
