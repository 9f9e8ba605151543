"""Merging of areas until no full record tabular unique is left."""

from indistinct.arguments import check_arguments
from indistinct.tables.merging.areas import Merged, merge_areas

__all__ = ["Merged", "merge_areas"]

check_arguments(__name__)
