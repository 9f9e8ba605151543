"""Files of the ARGUS family: descriptions of microdata, code lists and hierarchies."""

from indistinct.arguments import check_arguments
from indistinct.tables.argus.codes import read_codelist, read_hrc
from indistinct.tables.argus.data import open_argus
from indistinct.tables.argus.metadata import ArgusMetadata, ArgusVariable, read_rda

__all__ = [
    "ArgusMetadata",
    "ArgusVariable",
    "open_argus",
    "read_codelist",
    "read_hrc",
    "read_rda",
]

check_arguments(__name__)
