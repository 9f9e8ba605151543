"""The report: what somebody reads before signing a release."""

from indistinct.arguments import check_arguments
from indistinct.report.candidates import compare_reports, write_comparison_report
from indistinct.report.facts import Measured
from indistinct.report.front import WrittenReport, make_report, write_report
from indistinct.report.measuring import measure
from indistinct.report.pieces import Claim, Document, Grid, Picture, Section
from indistinct.report.words import Words, load_words

__all__ = [
    "Claim",
    "Document",
    "Grid",
    "Measured",
    "Picture",
    "Section",
    "Words",
    "WrittenReport",
    "compare_reports",
    "load_words",
    "make_report",
    "measure",
    "write_comparison_report",
    "write_report",
]

check_arguments(__name__)
