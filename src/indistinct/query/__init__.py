"""Questions to released data, never to private: counted, controlled, and by role."""

from indistinct.query.answer import Answer
from indistinct.query.known import KnownSets, Layer
from indistinct.query.opening import Released, ask, open_released, start_session
from indistinct.query.profiles import ask_as, session_as
from indistinct.query.session import QuerySession
from indistinct.query.small_counts import weak_combinations
from indistinct.query.sqlcheck import Question, read_question
from indistinct.query.versions import Version, version_for

__all__ = [
    "Answer",
    "KnownSets",
    "Layer",
    "QuerySession",
    "Question",
    "Released",
    "Version",
    "ask",
    "ask_as",
    "open_released",
    "read_question",
    "session_as",
    "start_session",
    "version_for",
    "weak_combinations",
]
