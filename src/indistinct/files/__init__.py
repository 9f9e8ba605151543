"""Reading every format into a `Source`, and writing every format back."""

from indistinct.arguments import check_arguments
from indistinct.doors import check_new_folder, written_whole
from indistinct.files.dialect import Dialect
from indistinct.files.keyfile import read_key_file, write_key_file
from indistinct.files.open import check_data, check_numeric, open_data, open_table
from indistinct.files.parquet import dialect_of, parquet_writer
from indistinct.files.source import BATCH_RECORDS, Source
from indistinct.files.workspace import workspace
from indistinct.files.writing import FORMATS, SUFFIX_OF, Format, write_data

__all__ = [
    "BATCH_RECORDS",
    "FORMATS",
    "SUFFIX_OF",
    "Dialect",
    "Format",
    "Source",
    "check_data",
    "check_new_folder",
    "check_numeric",
    "dialect_of",
    "open_data",
    "open_table",
    "parquet_writer",
    "read_key_file",
    "workspace",
    "write_data",
    "write_key_file",
    "written_whole",
]

check_arguments(__name__)
