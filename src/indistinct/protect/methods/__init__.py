"""Systems built of the techniques: methods that decide how to change a file until k holds."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.protect.methods.datafly_ii.datafly import DataflyResult, datafly
    from indistinct.protect.methods.datafly_ii.datafly_outliers import DropOutliers
    from indistinct.protect.methods.datafly_ii.datafly_profile import (
        PRESETS,
        Profile,
        percent_of_records,
    )
    from indistinct.protect.methods.datafly_ii.datafly_request import datafly_request
    from indistinct.protect.methods.datafly_ii.datafly_table import AnonymityTable, anonymity_table
    from indistinct.protect.methods.k_similarity.k_similar import (
        KSimilar,
        KSimilarStep,
        homogeneous_clusters,
        k_similar,
    )
    from indistinct.protect.methods.k_similarity.k_similar_optimum import k_similar_optimum
    from indistinct.protect.methods.local_suppression.suppress import (
        Meaning,
        Suppression,
        importance_weights,
        suppress,
        suppression_keys,
    )
    from indistinct.protect.methods.local_suppression.suppress_step import Suppress
    from indistinct.protect.methods.microaggregating.microaggregate import (
        Microaggregate,
        Microaggregation,
        mdav,
        microaggregation,
    )
    from indistinct.protect.methods.mondrian_cuts.mondrian import Mondrian, MondrianStep, mondrian
    from indistinct.protect.methods.mu_argus.argus import Argus, ArgusResult, argus
    from indistinct.protect.methods.mu_argus.argus_session import ArgusSession
    from indistinct.protect.methods.recoding_locally.local_recoding import (
        LocalRecoding,
        LocalRecodingStep,
        local_recoding,
    )
    from indistinct.protect.methods.whole_variables.optimal import Optimum, optimal

open_doorway(__name__)
