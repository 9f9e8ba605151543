"""The doors: every file that is read comes in by one way, every file that is written goes out by
one, and a `Watch` knows both for as long as a verb or a call lasts."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.core.doors.coming import (
        beside,
        check_address,
        check_file,
        check_folder_of_files,
        check_within,
        open_file,
        read_file,
        read_text,
    )
    from indistinct.core.doors.going import (
        MARK,
        MARKED,
        WORKSPACE,
        check_new_file,
        check_new_folder,
        check_place,
        folder_written_whole,
        is_aside,
        is_workspace,
        note_place,
        put_in_place,
        remove_leftovers,
        sync_all,
        write_whole,
        written_whole,
    )
    from indistinct.core.doors.interrupts import undisturbed
    from indistinct.core.doors.watch import Watch, lies_within, resolved, watched, watching

open_doorway(__name__)
