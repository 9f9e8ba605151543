"""Risk: how likely is each record to be recognised, and why."""

from indistinct.arguments import check_arguments
from indistinct.risk.assessment import AreaCheck, Assessment, assess, check_areas
from indistinct.risk.attackers import AttackerRisks, Risks, attacker_risks
from indistinct.risk.attributes import AttributeRisk, SensitiveRisk, attribute_disclosure
from indistinct.risk.choice import ModelPath, Step, choose_model
from indistinct.risk.closeness import Closeness, t_closeness
from indistinct.risk.constant import ConstantRisk, constant_risk
from indistinct.risk.diversity import Diversity, l_diversity, multi_l_diversity
from indistinct.risk.flags import (
    FlagRule,
    RecordFlags,
    flag_records,
    load_flag_rules,
    read_flag_rules,
)
from indistinct.risk.followup import FollowUp, FollowUps
from indistinct.risk.formula import Model, parse_model
from indistinct.risk.household import household_risk
from indistinct.risk.individual import IndividualRisk, individual_risk
from indistinct.risk.k_anonymity import KAnonymityTest, k_anonymity_test
from indistinct.risk.likeness import Likeness, likeness
from indistinct.risk.loglinear import Fit
from indistinct.risk.minimal import MinimalUniques, minimal_uniques
from indistinct.risk.openshaw import CodingEffect, OpenshawRisk, coding_effect, openshaw_risk
from indistinct.risk.per_class import KnownRisk, known_population_risk
from indistinct.risk.population import PopulationUniqueness, population_uniqueness
from indistinct.risk.removal import VariableRemoval, remove_variables
from indistinct.risk.report import FileRisk, file_risk
from indistinct.risk.scenario import MCCAA_2013, SCENARIOS, SKINNER_HOLMES_1998, Scenario
from indistinct.risk.skinner_holmes import Distribution, RecordRisk, record_risk
from indistinct.risk.sparse import fit_model, fit_sparse
from indistinct.risk.subsets import SubsetRisk, risk_by_subset
from indistinct.risk.suda import Suda, suda
from indistinct.risk.uniqueness import (
    KeySensitivity,
    UniquenessTable,
    key_sensitivity,
    uniqueness_table,
)
from indistinct.risk.validate import Validation, validate

__all__ = [
    "MCCAA_2013",
    "SCENARIOS",
    "SKINNER_HOLMES_1998",
    "AreaCheck",
    "Assessment",
    "AttackerRisks",
    "AttributeRisk",
    "Closeness",
    "CodingEffect",
    "ConstantRisk",
    "Distribution",
    "Diversity",
    "FileRisk",
    "Fit",
    "FlagRule",
    "FollowUp",
    "FollowUps",
    "IndividualRisk",
    "KAnonymityTest",
    "KeySensitivity",
    "KnownRisk",
    "Likeness",
    "MinimalUniques",
    "Model",
    "ModelPath",
    "OpenshawRisk",
    "PopulationUniqueness",
    "RecordFlags",
    "RecordRisk",
    "Risks",
    "Scenario",
    "SensitiveRisk",
    "Step",
    "SubsetRisk",
    "Suda",
    "UniquenessTable",
    "Validation",
    "VariableRemoval",
    "assess",
    "attacker_risks",
    "attribute_disclosure",
    "check_areas",
    "choose_model",
    "coding_effect",
    "constant_risk",
    "file_risk",
    "fit_model",
    "fit_sparse",
    "flag_records",
    "household_risk",
    "individual_risk",
    "k_anonymity_test",
    "key_sensitivity",
    "known_population_risk",
    "l_diversity",
    "likeness",
    "load_flag_rules",
    "minimal_uniques",
    "multi_l_diversity",
    "openshaw_risk",
    "parse_model",
    "population_uniqueness",
    "read_flag_rules",
    "record_risk",
    "remove_variables",
    "risk_by_subset",
    "suda",
    "t_closeness",
    "uniqueness_table",
    "validate",
]

check_arguments(__name__)
