"""Safe derived statistics: computed inside for every area, so that no count behind them leaves."""

from indistinct.arguments import check_arguments
from indistinct.tables.derived.deriving import derive
from indistinct.tables.derived.inferring import inferable, least_denominator
from indistinct.tables.derived.models import Parameter
from indistinct.tables.derived.result import Column, Derived, Loading
from indistinct.tables.derived.shares import Share
from indistinct.tables.derived.specification import KINDS, DerivedSpec, is_derived, output_class

__all__ = [
    "KINDS",
    "Column",
    "Derived",
    "DerivedSpec",
    "Loading",
    "Parameter",
    "Share",
    "derive",
    "inferable",
    "is_derived",
    "least_denominator",
    "output_class",
]

check_arguments(__name__)
