"""Cells that a spreadsheet would run, marked as text when they are written and read as they were.

`indistinct.core.harmless` says what such a cell is and how one is marked; here whole columns are.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import FORMULA, NUMBER

__all__ = ["marked", "unmarked"]


def _running(texts: pa.Array) -> pa.Array:
    """Say of each text whether it would run, however often it is marked; null is not."""
    begins = pc.match_substring_regex(texts, FORMULA)
    if not pc.any(begins).as_py():
        return pc.fill_null(begins, False)
    number = pc.match_substring_regex(texts, NUMBER)
    return pc.fill_null(pc.and_not(begins, number), False)


def marked(texts: pa.Array | pa.ChunkedArray, *, only_marked: bool = False) -> pa.Array:
    """Return texts that no spreadsheet runs; or mark only those again that have a mark already.

    >>> marked(pa.array(["=1+1", "-5", None, "'@x"])).to_pylist()
    ["'=1+1", '-5', None, "''@x"]
    >>> marked(pa.array(["=1+1", "'@x"]), only_marked=True).to_pylist()
    ['=1+1', "''@x"]
    """
    running = _running(texts)
    if only_marked:
        running = pc.and_(running, pc.fill_null(pc.starts_with(texts, "'"), False))
    if not pc.any(running).as_py():
        return texts
    return pc.if_else(running, pc.binary_join_element_wise("'", texts, ""), texts)


def unmarked(texts: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return what the cells say, which `marked` wrote.

    >>> unmarked(marked(pa.array(["=1+1", "'@x", "'tis", None]))).to_pylist()
    ['=1+1', "'@x", "'tis", None]
    """
    has_mark = pc.fill_null(pc.starts_with(texts, "'"), False)
    if not pc.any(has_mark).as_py():
        return texts
    return pc.if_else(pc.and_(has_mark, _running(texts)), pc.utf8_slice_codeunits(texts, 1), texts)
