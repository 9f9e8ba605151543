"""Reading every format into a `Source`, and writing every format back."""

from typing import TYPE_CHECKING

from indistinct.core.doorway import open_doorway

if TYPE_CHECKING:
    from indistinct.core.doors import check_new_folder, written_whole
    from indistinct.files.coded import is_number_format, with_codes
    from indistinct.files.columns import is_number
    from indistinct.files.csvfile import marked, unmarked
    from indistinct.files.dialect import Dialect
    from indistinct.files.formats import (
        BY_SUFFIX,
        FORMATS,
        SUFFIX_OF,
        Format,
        is_database_file,
        written_like,
    )
    from indistinct.files.keyfile import read_key_file, write_key_file
    from indistinct.files.mending import (
        DATE_FORMATS,
        Mend,
        Values,
        mended,
        plain_numbers,
        read_dates,
        read_numbers,
        repeated_records,
        values_of,
    )
    from indistinct.files.occurring import described_but_absent, with_occurring_values
    from indistinct.files.open import check_data, check_numeric, is_pattern, open_data, open_table
    from indistinct.files.parquet import ParquetWriter, dialect_of, parquet_writer, staging_path
    from indistinct.files.source import BATCH_RECORDS, Source, reading_records
    from indistinct.files.sql import is_database, shown_address
    from indistinct.files.tags import tag_letters
    from indistinct.files.workspaces import workspace
    from indistinct.files.writing import counted_from_one, write_data

open_doorway(__name__)
