"""Questions to released data: exact where they are proved, with noise where they are not."""

from indistinct.arguments import check_arguments
from indistinct.query.answer import Answer
from indistinct.query.bound import Bound
from indistinct.query.coding import Range
from indistinct.query.language import Question, read_question
from indistinct.query.opening import Released, ask, open_released, start_session
from indistinct.query.profiles import ask_as, session_as
from indistinct.query.session import QuerySession
from indistinct.query.versions import Version, version_for

__all__ = [
    "Answer",
    "Bound",
    "QuerySession",
    "Question",
    "Range",
    "Released",
    "Version",
    "ask",
    "ask_as",
    "open_released",
    "read_question",
    "session_as",
    "start_session",
    "version_for",
]

check_arguments(__name__)
