"""Edit rules: what a record may not say, who says it, and whether a release makes it worse."""

from indistinct.arguments import check_arguments
from indistinct.households import Column, read_columns
from indistinct.rules.census import census_rules
from indistinct.rules.comparing import RulesReport, compare_rules
from indistinct.rules.language import Expression, read_expression
from indistinct.rules.measures import Measure
from indistinct.rules.rules import Rule, RuleCheck, Rules

__all__ = [
    "Column",
    "Expression",
    "Measure",
    "Rule",
    "RuleCheck",
    "Rules",
    "RulesReport",
    "census_rules",
    "compare_rules",
    "read_columns",
    "read_expression",
]

check_arguments(__name__)
