"""Safe derived statistics: computed inside for every area, so that no count behind them leaves."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.derived.deriving import derive
    from indistinct.tables.derived.direct import inferable, least_denominator
    from indistinct.tables.derived.models import Parameter
    from indistinct.tables.derived.result import Column, Derived, Loading
    from indistinct.tables.derived.specification import (
        KINDS,
        DerivedSpec,
        Share,
        is_derived,
        output_class,
    )

open_doorway(__name__)
