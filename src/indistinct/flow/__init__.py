"""The one flow that verbs call: ask, check, count, protect, write, prove, report."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.flow.comparing import compare_release
    from indistinct.flow.heeding import kinds_in, policies_of, undercut_by
    from indistinct.flow.leaving import Leaving, prepare_to_leave, replay_of
    from indistinct.flow.opening import kept_open, open, open_data
    from indistinct.flow.perturbing import PERTURBING, perturbing_plan
    from indistinct.flow.protecting import (
        Say,
        climbed,
        compare_methods_as_asked,
        protect_data,
        request_of,
        silent,
    )
    from indistinct.flow.releasing import release_data, run_project
    from indistinct.flow.reporting import (
        WrittenReport,
        compare_reports,
        compared_with,
        make_report,
        outcomes_of,
        write_comparison_report,
        write_document,
        write_report,
    )
    from indistinct.flow.run_result import Run
    from indistinct.flow.session import Data
    from indistinct.flow.verifying import ATTACKS, judge_release, verify_release
    from indistinct.flow.wanted import Wanted

open_doorway(__name__)
