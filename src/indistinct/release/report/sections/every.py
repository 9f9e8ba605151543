"""The sections of a report, each a function of facts and words, in the order of reading."""

from collections.abc import Callable, Mapping

from indistinct.release.report.folder import ReleaseFacts
from indistinct.release.report.pieces import Section
from indistinct.release.report.sections.changes import changes
from indistinct.release.report.sections.demography import demography
from indistinct.release.report.sections.distortion import distortion
from indistinct.release.report.sections.intruder import intruder
from indistinct.release.report.sections.limits import limits
from indistinct.release.report.sections.released import released
from indistinct.release.report.sections.reproducing import reproducing
from indistinct.release.report.sections.risk import risk
from indistinct.release.report.sections.signing import signing
from indistinct.release.report.sections.tradeoff import tradeoff
from indistinct.release.report.sections.utility import utility
from indistinct.release.report.sections.verdict import verdict
from indistinct.release.report.words import Words

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
