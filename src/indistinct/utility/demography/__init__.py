"""Demographic tests of a released file: age gap of spouses, own-child fertility, homogamy."""

from indistinct.arguments import check_arguments
from indistinct.utility.demography.age_gap import AgeGap, GapCurve, age_gap
from indistinct.utility.demography.breaks import AgeBreak, find_break
from indistinct.utility.demography.counts import (
    CoupleAges,
    CoupleEducation,
    OwnChildren,
    couple_ages,
    couple_education,
    own_children,
)
from indistinct.utility.demography.fertility import Fertility, FertilityTrend, own_child_fertility
from indistinct.utility.demography.front import DemographicTests, demographic_tests
from indistinct.utility.demography.homogamy import Homogamy, HomogamyGroup, homogamy
from indistinct.utility.demography.odds import LogOdds, Mating, log_odds, mating
from indistinct.utility.demography.rates import FertilitySeries, fertility_series

__all__ = [
    "AgeBreak",
    "AgeGap",
    "CoupleAges",
    "CoupleEducation",
    "DemographicTests",
    "Fertility",
    "FertilitySeries",
    "FertilityTrend",
    "GapCurve",
    "Homogamy",
    "HomogamyGroup",
    "LogOdds",
    "Mating",
    "OwnChildren",
    "age_gap",
    "couple_ages",
    "couple_education",
    "demographic_tests",
    "fertility_series",
    "find_break",
    "homogamy",
    "log_odds",
    "mating",
    "own_child_fertility",
    "own_children",
]

check_arguments(__name__)
