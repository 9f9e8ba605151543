"""Demographic tests of a released file: age gap of spouses, own-child fertility, homogamy."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.utility.demography.age_gaps import AgeGap, GapCurve, age_gap
    from indistinct.utility.demography.breaks import AgeBreak, find_break
    from indistinct.utility.demography.counts import (
        CoupleAges,
        CoupleEducation,
        OwnChildren,
        couple_ages,
        couple_education,
        own_children,
    )
    from indistinct.utility.demography.fertility import (
        Fertility,
        FertilityTrend,
        own_child_fertility,
    )
    from indistinct.utility.demography.homogamous import Homogamy, HomogamyGroup, homogamy
    from indistinct.utility.demography.odds import LogOdds, Mating, log_odds, mating
    from indistinct.utility.demography.rates import FertilitySeries, fertility_series
    from indistinct.utility.demography.tests import DemographicTests, KinshipOf, demographic_tests

open_doorway(__name__)
