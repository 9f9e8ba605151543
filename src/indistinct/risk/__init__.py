"""Risk: how likely is each record to be recognised, and why."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.risk.assessment import AreaCheck, Assessment, assess, check_areas
    from indistinct.risk.attackers import AttackerRisks, Risks, attacker_risks
    from indistinct.risk.attributes import AttributeRisk, SensitiveRisk, attribute_disclosure
    from indistinct.risk.choice import ModelPath, Step, choose_model
    from indistinct.risk.closeness import DISTANCES, Closeness, Distance, closeness_of, t_closeness
    from indistinct.risk.constant import ConstantRisk, constant_risk
    from indistinct.risk.diversity import (
        KINDS,
        Diversity,
        DiversityKind,
        SensitiveCounts,
        diversity_of,
        l_diversity,
        multi_l_diversity,
    )
    from indistinct.risk.flags import (
        FlagRule,
        RecordFlags,
        flag_records,
        load_flag_rules,
        read_flag_rules,
    )
    from indistinct.risk.folding import fold_text, split_told, telling_classes, with_missing_codes
    from indistinct.risk.followup import FollowUp, FollowUps, read_follow_up
    from indistinct.risk.formula import Model, parse_model
    from indistinct.risk.household import household_risk
    from indistinct.risk.individual import IndividualRisk, individual_risk
    from indistinct.risk.k_anonymity import KAnonymityTest, k_anonymity_test
    from indistinct.risk.likenesses import Likeness, likeness
    from indistinct.risk.loglinear import Fit
    from indistinct.risk.minimal import MinimalUniques, minimal_uniques
    from indistinct.risk.openshaw import (
        CodingEffect,
        OpenshawRisk,
        coding_effect,
        match_matrix,
        openshaw_risk,
    )
    from indistinct.risk.per_class import KnownRisk, known_population_risk
    from indistinct.risk.poisson import probability_of_count
    from indistinct.risk.population import (
        PopulationUniqueness,
        class_sizes,
        pitman,
        population_uniqueness,
        slide_negative_binomial,
        zayatz,
    )
    from indistinct.risk.public_rules import (
        PublicRule,
        against_rule,
        is_public_rule,
        known_by_rule,
        unmet_labels,
    )
    from indistinct.risk.removal import VariableRemoval, remove_variables
    from indistinct.risk.report import FileRisk, file_risk
    from indistinct.risk.scenario import MCCAA_2013, SCENARIOS, SKINNER_HOLMES_1998, Scenario
    from indistinct.risk.skinner_holmes import Distribution, RecordRisk, record_risk
    from indistinct.risk.sparse import fit_model, fit_sparse
    from indistinct.risk.subsets import SubsetRisk, risk_by_subset
    from indistinct.risk.suda2 import Suda, suda
    from indistinct.risk.uniqueness import (
        KeySensitivity,
        UniquenessTable,
        key_sensitivity,
        uniqueness_table,
    )
    from indistinct.risk.validating import Validation, validate

open_doorway(__name__)
