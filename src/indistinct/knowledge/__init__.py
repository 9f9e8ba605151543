"""What is known of names, words, places and medicine, and what a word sounds like."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.knowledge.cues import (
        CREDENTIALS,
        MONTHS,
        RELATIONS,
        STATES,
        TITLES,
        WEEKDAYS,
        cues,
    )
    from indistinct.knowledge.knowing import Knowledge, knowledge
    from indistinct.knowledge.lexicon import UNKNOWN, Lexicon, Place, Word, plain, table
    from indistinct.knowledge.medicine import HEADS, TOWNS, Medicine, eponym_use
    from indistinct.knowledge.native import is_native_name
    from indistinct.knowledge.sounds import Sounds

open_doorway(__name__)
