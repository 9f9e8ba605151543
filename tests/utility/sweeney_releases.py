"""Sweeney's Figure 28, twelve records, with her hierarchies and the releases of section 6."""

from __future__ import annotations

import numpy as np
from small_data import open_small

from indistinct.hierarchy import table_hierarchy
from indistinct.keys import Generalisable, Recoding
from indistinct.keys.recoding import DROPPED

NAMES = ("Ethnicity", "Birth", "Sex", "ZIP")
ROWS = (
    ("Black", "09/20/65", "m", "02141"),
    ("Black", "02/14/65", "m", "02141"),
    ("Black", "10/23/65", "f", "02138"),
    ("Black", "08/24/65", "f", "02138"),
    ("Black", "11/07/64", "f", "02138"),
    ("Black", "12/01/64", "f", "02138"),
    ("Caucasian", "10/23/64", "m", "02138"),
    ("Caucasian", "03/15/65", "f", "02139"),
    ("Caucasian", "08/13/64", "m", "02139"),
    ("Caucasian", "05/05/64", "m", "02139"),
    ("Caucasian", "02/13/67", "m", "02138"),
    ("Caucasian", "03/21/67", "m", "02138"),
)
DATAFLY = (0, 2, 0, 1)
"""The levels of Figure 29; record 8 is left out."""


def hierarchies(*, zip_height=3):
    """Birth: date, month, year, 5 years, 10 years, *; ZIP as in Figure 31, or 18 (height 2)."""
    births = []
    for _, birth, _, _ in ROWS:
        year = 1900 + int(birth[6:])
        month = f"{birth[:2]}/{year}"
        births.append((birth, month, str(year), f"{year // 5 * 5}-", f"{year // 10 * 10}s", "*"))
    zips = {
        2: [(z, f"{z[:4]}*", "021**") for z in ("02138", "02139", "02141", "02142")],
        3: [(z, f"{z[:4]}*", "021**", "*****") for z in ("02138", "02139", "02141", "02142")],
        4: [
            (z, f"{z[:4]}*", f"{z[:3]}**", f"{z[:2]}***", "*****")
            for z in ("02138", "02139", "02141", "02142")
        ],
    }
    return {
        "Ethnicity": table_hierarchy([("Black", "*"), ("Caucasian", "*")], name="Ethnicity"),
        "Birth": table_hierarchy(births, name="Birth"),
        "Sex": table_hierarchy([("f", "*"), ("m", "*")], name="Sex"),
        "ZIP": table_hierarchy(zips[zip_height], name="ZIP"),
    }


def keys(*, zip_height=3):
    columns = {name: [row[j] for row in ROWS] for j, name in enumerate(NAMES)}
    with open_small(columns) as data:
        return Generalisable.of(data.key_table(NAMES), hierarchies(zip_height=zip_height))


def recoding(table, levels_of_rows):
    """Make the recoding in which record i (of ROWS) has the levels given, None to leave it out."""
    births = table.table.values("Birth")
    record = {row[1]: i for i, row in enumerate(ROWS)}
    levels = []
    for birth in births:
        given = levels_of_rows[record[birth]]
        levels.append([DROPPED] * 4 if given is None else given)
    return Recoding(
        table, np.arange(len(births)), np.array(levels, dtype=np.int16), table.table.counts
    )


def datafly(table):
    return recoding(table, [None if i == 7 else DATAFLY for i in range(12)])


def mu_argus(table):
    """Figure 30: birth to year; ethnicity and birth of record 8 are blank."""
    return recoding(table, [(1, 5, 0, 0) if i == 7 else (0, 2, 0, 0) for i in range(12)])


def k_similar(table):
    """Figure 33."""
    cut = {2: (1, 2, 0, 1), 3: (1, 2, 0, 1), 7: (1, 2, 0, 1)}
    cut |= {i: (0, 2, 0, 1) for i in (6, 8, 9)}
    return recoding(table, [cut.get(i, (0, 2, 0, 0)) for i in range(12)])
