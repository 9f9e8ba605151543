"""Suppressing cells of tables: what an attacker can still work out, and how little is enough."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.tables.suppressing.attack import Audit, attacker_intervals, audit
    from indistinct.tables.suppressing.optimum import Optimum, improve, optimal_suppression
    from indistinct.tables.suppressing.suppression import Suppression, suppress

open_doorway(__name__)
