"""Attacks that an intruder would run, and what came of them."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.prove.attacks.attributes import attribute_disclosure
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
    from indistinct.prove.attacks.funnels import Funnel, ReleaseFunnel, funnel, release_funnel
    from indistinct.prove.attacks.imprecise import distance_attack, probabilistic_attack
    from indistinct.prove.attacks.outcome import Guesses, LinkOutcome, link_outcome
    from indistinct.prove.attacks.persons import OfPeople, whose_records
    from indistinct.prove.attacks.rates import Excess, Rate, excess

open_doorway(__name__)
