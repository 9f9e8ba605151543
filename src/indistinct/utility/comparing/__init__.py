"""The front door of utility: would results from the released file be the same?"""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.utility.comparing.actions import ActionCost, Comparison, compare_actions
    from indistinct.utility.comparing.general import general_utility
    from indistinct.utility.comparing.labels import Prepared, kind_of_values, prepare
    from indistinct.utility.comparing.parts import (
        LEAST,
        THRESHOLDS,
        Households,
        check_limits,
        compare_edit_rules,
        find_households,
        in_another_order,
        made_demography,
        report_protection,
    )
    from indistinct.utility.comparing.result import ReleaseComparison
    from indistinct.utility.comparing.side_by_side import (
        MethodCost,
        SideBySide,
        compare_methods,
        write_comparison,
    )

open_doorway(__name__)
