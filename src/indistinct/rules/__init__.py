"""Edit rules: what a record may not say, who says it, and whether a release makes it worse."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.households import Column, read_columns
    from indistinct.rules.census import census_rules
    from indistinct.rules.comparing import Measure, RulesReport, compare_rules
    from indistinct.rules.language import Expression, read_expression
    from indistinct.rules.rules import Rule, RuleCheck, Rules

open_doorway(__name__)
