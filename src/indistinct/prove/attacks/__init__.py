"""Attacks that an intruder would run, and what came of them."""

from indistinct.arguments import check_arguments
from indistinct.prove.attacks.attribute_disclosure import attribute_disclosure
from indistinct.prove.attacks.claims import Links, LinkWitness
from indistinct.prove.attacks.control import hold_out
from indistinct.prove.attacks.disclosed import AttributeDisclosure
from indistinct.prove.attacks.distance import (
    DistanceLinks,
    DistanceQuality,
    correct_by_distance,
    link_by_distance,
)
from indistinct.prove.attacks.exact import exact_attack
from indistinct.prove.attacks.fellegi_sunter import (
    LinkageQuality,
    ProbabilisticLinks,
    evaluate,
    link_probabilistically,
)
from indistinct.prove.attacks.funnel import Funnel, ReleaseFunnel, funnel, release_funnel
from indistinct.prove.attacks.imprecise import distance_attack, probabilistic_attack
from indistinct.prove.attacks.outcome import Guesses, LinkOutcome, link_outcome
from indistinct.prove.attacks.persons import OfPeople, whose_records
from indistinct.prove.attacks.rates import Excess, Rate, excess

__all__ = [
    "AttributeDisclosure",
    "DistanceLinks",
    "DistanceQuality",
    "Excess",
    "Funnel",
    "Guesses",
    "LinkOutcome",
    "LinkWitness",
    "LinkageQuality",
    "Links",
    "OfPeople",
    "ProbabilisticLinks",
    "Rate",
    "ReleaseFunnel",
    "attribute_disclosure",
    "correct_by_distance",
    "distance_attack",
    "evaluate",
    "exact_attack",
    "excess",
    "funnel",
    "hold_out",
    "link_by_distance",
    "link_outcome",
    "link_probabilistically",
    "probabilistic_attack",
    "release_funnel",
    "whose_records",
]

check_arguments(__name__)
