"""A release from beginning to end: what is asked, checked before any work, done in one flow."""

from indistinct.arguments import check_arguments
from indistinct.running.checks import KNOWN_METHODS
from indistinct.running.flow import release_data, run_project
from indistinct.running.protecting import compare_methods_as_asked
from indistinct.running.result import Run
from indistinct.running.wanted import Wanted

__all__ = [
    "KNOWN_METHODS",
    "Run",
    "Wanted",
    "compare_methods_as_asked",
    "release_data",
    "run_project",
]

check_arguments(__name__)
