"""Protection: plans made of steps, and the actions that keep people from standing out."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.options import Told
    from indistinct.protect.avoid_uniques import AvoidUniques
    from indistinct.protect.blank import Blank, Part
    from indistinct.protect.by_plan import altered_variables, protect_by_plan
    from indistinct.protect.deciding import Decision, Records
    from indistinct.protect.deidentify import Deidentify
    from indistinct.protect.destroy import Destroy
    from indistinct.protect.dropping import DropUnsafe
    from indistinct.protect.encrypt import Encrypt, decrypt
    from indistinct.protect.follow import FollowLabel
    from indistinct.protect.generalise import Generalise
    from indistinct.protect.households_alike import (
        AlikeInHousehold,
        RenumberHouseholds,
        settle_households,
    )
    from indistinct.protect.keep_rules import KeepRules
    from indistinct.protect.loop import ACTIONS, Action, protect_uniques
    from indistinct.protect.losses import Losses, Shares
    from indistinct.protect.methods import (
        PRESETS,
        ArgusSession,
        Meaning,
        Profile,
        anonymity_table,
        argus,
        datafly,
        k_similar,
        k_similar_optimum,
        local_recoding,
        mdav,
        mondrian,
        optimal,
        percent_of_records,
    )
    from indistinct.protect.models import (
        AverageRisk,
        KAnonymity,
        KMap,
        LDiversity,
        MaximumRisk,
        PopulationUniques,
        PrivacyModel,
        SampleUniques,
        TCloseness,
    )
    from indistinct.protect.people import ForPeople, Units, for_people, protect_people
    from indistinct.protect.perturb import How, Perturb
    from indistinct.protect.plan import Applied, Plan, fresh_seed
    from indistinct.protect.promised import promised_models, reads_blanks_as_wildcards
    from indistinct.protect.protected import Cost, Protected
    from indistinct.protect.randomness import Draws
    from indistinct.protect.receipt import Receipt, origin_of
    from indistinct.protect.recode import RecodingStep, apply_recoding
    from indistinct.protect.registry import METHODS, check_method, decide, protect_by_method
    from indistinct.protect.request import Request
    from indistinct.protect.rounding import Rounded, round_counts
    from indistinct.protect.secret import ReleaseKey
    from indistinct.protect.select import Select
    from indistinct.protect.shuffling import CensusShares, CensusVariables, Shuffle, census_shuffle
    from indistinct.protect.step import Context, Step, step_kinds
    from indistinct.protect.steps import (
        CIRCUMSTANCES,
        TECHNIQUES,
        AddNoise,
        AddRecords,
        BlankTold,
        CorrelatedNoise,
        GeneraliseCells,
        MultiplyNoise,
        NoiseOnOutliers,
        OutliersToMedians,
        PerturbKeeping,
        Pram,
        ProximitySwap,
        RankSwap,
        Round,
        Sample,
        ScrambleOrder,
        Substitute,
        SuppressAttribute,
        SuppressCells,
        SuppressRecords,
        SwapValues,
        TopBottomCode,
        TransitionMatrix,
        Use,
        pram_estimate,
        purpose_warnings,
        reach_warning,
        weak_encryption_warning,
    )
    from indistinct.protect.steps.households import (
        SIZE,
        GroupQuarters,
        SampleHouseholds,
        ScrambleHouseholds,
        SwapHouseholds,
        people_with,
    )
    from indistinct.protect.told import PublicRule, keep_untold, true_rules
    from indistinct.protect.usual import Usual, usual_method

open_doorway(__name__)
