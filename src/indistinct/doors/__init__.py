"""The doors: every file that is read comes in by one way, every file that is written goes out by
one, and a `Watch` knows both for as long as a verb or a call lasts."""

from indistinct.doors.coming import (
    beside,
    check_address,
    check_file,
    check_folder_of_files,
    check_within,
    open_file,
    read_file,
    read_text,
)
from indistinct.doors.going import (
    check_new_file,
    check_new_folder,
    check_place,
    folder_written_whole,
    note_place,
    put_in_place,
    sync_all,
    write_whole,
    written_whole,
)
from indistinct.doors.leftovers import is_aside, remove_leftovers
from indistinct.doors.undisturbed import undisturbed
from indistinct.doors.watch import Watch, lies_within, resolved, watched, watching

__all__ = [
    "Watch",
    "beside",
    "check_address",
    "check_file",
    "check_folder_of_files",
    "check_new_file",
    "check_new_folder",
    "check_place",
    "check_within",
    "folder_written_whole",
    "is_aside",
    "lies_within",
    "note_place",
    "open_file",
    "put_in_place",
    "read_file",
    "read_text",
    "remove_leftovers",
    "resolved",
    "sync_all",
    "undisturbed",
    "watched",
    "watching",
    "write_whole",
    "written_whole",
]
