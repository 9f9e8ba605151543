"""General utility: would a researcher's results be the same from the released file?"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.utility.analyses.analyse import Utility, analyse_utility
    from indistinct.utility.analyses.association import (
        Associations,
        compare_associations,
        compare_correlations,
    )
    from indistinct.utility.analyses.information_loss import InformationLoss, compare_numbers
    from indistinct.utility.analyses.k_marginals import KMarginal, k_marginal
    from indistinct.utility.analyses.marginals import Marginal, Marginals, compare_marginals
    from indistinct.utility.analyses.propensity import Propensity, compare_propensity, expected_pmse
    from indistinct.utility.analyses.regression import (
        Coefficient,
        Regression,
        Regressions,
        compare_regression,
        compare_regressions,
        interval_overlap,
    )
    from indistinct.utility.analyses.tables import TableDifference, Tables, compare_tables

open_doorway(__name__)
