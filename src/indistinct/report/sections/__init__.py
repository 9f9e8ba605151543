"""The sections of a report, each a function of facts and words, in the order of reading."""

from collections.abc import Callable, Mapping

from indistinct.report.folder import ReleaseFacts
from indistinct.report.pieces import Section
from indistinct.report.sections.changes import changes
from indistinct.report.sections.demography import demography
from indistinct.report.sections.distortion import distortion
from indistinct.report.sections.intruder import intruder
from indistinct.report.sections.limits import limits
from indistinct.report.sections.released import released
from indistinct.report.sections.reproducing import reproducing
from indistinct.report.sections.risk import risk
from indistinct.report.sections.signing import signing
from indistinct.report.sections.tradeoff import tradeoff
from indistinct.report.sections.utility import utility
from indistinct.report.sections.verdict import verdict
from indistinct.report.words import Words

__all__ = ["SECTIONS"]

SECTIONS: Mapping[str, Callable[[ReleaseFacts, Words], Section | None]] = {
    "verdict": verdict,
    "released": released,
    "intruder": intruder,
    "risk": risk,
    "changes": changes,
    "utility": utility,
    "demography": demography,
    "tradeoff": tradeoff,
    "distortion": distortion,
    "limits": limits,
    "reproducing": reproducing,
    "signing": signing,
}
"""What a report tells, in this order; a section that has nothing to say is left out."""
