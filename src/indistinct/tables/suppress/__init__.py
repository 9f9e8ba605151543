"""Suppressing cells of tables: what an attacker can still work out, and how little is enough."""

from indistinct.arguments import check_arguments
from indistinct.tables.suppress.attack import Audit, attacker_intervals, audit
from indistinct.tables.suppress.front import Suppression, suppress
from indistinct.tables.suppress.improve import improve
from indistinct.tables.suppress.optimum import Optimum, optimal_suppression

__all__ = [
    "Audit",
    "Optimum",
    "Suppression",
    "attacker_intervals",
    "audit",
    "improve",
    "optimal_suppression",
    "suppress",
]

check_arguments(__name__)
