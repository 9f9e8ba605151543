"""Questions to released data: exact where they are proved, with noise where they are not."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.query.answer import Answer, as_shown
    from indistinct.query.bound import Bound
    from indistinct.query.coding import Range
    from indistinct.query.language import Question, read_question
    from indistinct.query.log import check_is_log
    from indistinct.query.opening import Released, ask, open_released, start_session
    from indistinct.query.profiles import Version, ask_as, session_as, version_for
    from indistinct.query.session import QuerySession

open_doorway(__name__)
