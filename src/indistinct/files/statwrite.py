"""Writing Stata and SPSS files: labels, missing values, formats and dates as they came.

pyreadstat writes from a pandas frame, and puts the time of writing into the header; that is
replaced by a fixed one, so that the same table gives the same bytes.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyreadstat

from indistinct.core import InputError, Value, Variable, Variables
from indistinct.files.statfiles import EPOCH_DAYS, date_kind
from indistinct.files.tags import tag_letters

__all__ = ["write_spss", "write_stata"]

_STATA_LARGEST = 2_147_483_620
_STATA_NAME = re.compile(r"[^\W\d]\w{0,31}")
_SPSS_NAME = re.compile(r"[^\W\d_][\w.$#@]{0,63}")
_SPSS_MEASURES = {
    "nominal": "nominal",
    "taxonomy": "nominal",
    "ordinal": "ordinal",
    "numeric": "scale",
    "date": "scale",
}


def write_stata(table: pa.Table, path: Path, *, variables: Variables, file_label: str = "") -> None:
    """Write a Stata file (release 118, Stata 14 and later)."""
    _check_names(table, _STATA_NAME, "Stata", "letters, digits and _, at most 32, no digit first")
    pandas = _pandas("Stata")
    frame, formats, letters = {}, {}, {}
    labels: dict[str, Any] = {}
    for name in table.column_names:
        variable = variables[name]
        column = _plain(table.column(name), "Stata")
        tags = tag_letters(variable)
        frame[name] = _series(pandas, column, name, tags=tags, largest=_STATA_LARGEST)
        if tags:
            letters[name] = sorted(set(tags.values()))
        formats[name] = _format(variable, table.schema.field(name).type, "Stata")
        if not pa.types.is_string(column.type):
            labels[name] = _whole_labels(variable, tags)
    pyreadstat.write_dta(
        pandas.DataFrame(frame),
        str(path),
        column_labels={name: variables[name].label or None for name in frame},
        file_label=file_label,
        version=15 if len(frame) > 32_767 else 14,
        variable_value_labels={name: found for name, found in labels.items() if found},
        missing_user_values=letters or None,
        variable_format={name: format for name, format in formats.items() if format},
    )
    _pin(path, rb"<timestamp>\x11(\d\d \w{3} \d{4} \d\d:\d\d)</timestamp>", b"01 Jan 1960 00:00")


def write_spss(
    table: pa.Table, path: Path, *, variables: Variables, compress: bool, file_label: str = ""
) -> None:
    """Write an SPSS file: ``.zsav`` when `compress`, else ``.sav``."""
    _check_names(table, _SPSS_NAME, "SPSS", "letters, digits and . _ $ # @, at most 64")
    pandas = _pandas("SPSS")
    frame, formats, ranges = {}, {}, {}
    labels: dict[str, Any] = {}
    for name in table.column_names:
        variable = variables[name]
        column = _plain(table.column(name), "SPSS")
        frame[name] = _series(pandas, column, name, tags={}, largest=2**31 - 1)
        type = table.schema.field(name).type
        formats[name] = _format(variable, type, "SPSS")
        text = pa.types.is_string(column.type)
        # SPSS has floats only, and pyreadstat wants whole labels for whole columns.
        labels[name] = {_fitting(v, text, frame[name]): s for v, s in variable.labels.items()}
        ranges[name] = _missing_ranges(variable, text=text)
    pyreadstat.write_sav(
        pandas.DataFrame(frame),
        str(path),
        column_labels={name: variables[name].label or None for name in frame},
        file_label=file_label,
        compress=compress,
        row_compress=not compress,
        variable_value_labels={name: found for name, found in labels.items() if found},
        missing_ranges={name: found for name, found in ranges.items() if found},
        variable_measure={name: _SPSS_MEASURES[variables[name].level] for name in frame},
        variable_format={name: format for name, format in formats.items() if format},
    )
    _pin(path, rb"\$FL[23].{88}(\d\d \w{3} \d\d\d\d:\d\d:\d\d)", b"01 Jan 6000:00:00")


def _pandas(package: str) -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise InputError(
            f"Writing {package} files needs pandas. Install it with: pip install pandas"
        ) from None


def _check_names(table: pa.Table, allowed: re.Pattern[str], package: str, rule: str) -> None:
    for name in table.column_names:
        if not allowed.fullmatch(name):
            raise InputError(
                f"{package} has no variable names like '{name}' (allowed: {rule}). "
                "Rename the variable, or write csv or parquet."
            )


def _plain(column: pa.ChunkedArray, package: str) -> pa.Array:
    """Return text or numbers: dates as the package counts them."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    type = array.type
    if pa.types.is_dictionary(type):
        array = array.dictionary_decode()
        type = array.type
    days = EPOCH_DAYS[package]
    if pa.types.is_date(type):
        numbers = pc.add(pc.cast(pc.cast(array, pa.date32()), pa.int32()), days)
        numbers = pc.cast(numbers, pa.float64())
        return pc.multiply(numbers, 86_400.0) if package == "SPSS" else numbers
    if pa.types.is_timestamp(type):
        stamps = pc.cast(pc.cast(array, pa.timestamp("us", type.tz)), pa.int64())
        micros = pc.add(stamps, days * 86_400_000_000)
        return pc.divide(
            pc.cast(micros, pa.float64(), safe=False), 1e6 if package == "SPSS" else 1e3
        )
    if pa.types.is_decimal(type) or pa.types.is_null(type):
        return pc.cast(array, pa.float64())
    if pa.types.is_large_string(type) or pa.types.is_string_view(type):
        return pc.cast(array, pa.string())
    if not (
        pa.types.is_string(type)
        or pa.types.is_integer(type)
        or pa.types.is_floating(type)
        or pa.types.is_boolean(type)
    ):
        return pc.cast(array, pa.string())
    return array


def _series(
    pandas: Any, array: pa.Array, name: str, *, tags: dict[int | float, str], largest: int
) -> Any:
    """Return the column as pandas holds it: 32-bit integers, floats, text, letters among them."""
    if pa.types.is_string(array.type):
        # Empty text is what both packages call missing.
        return pandas.Series(pc.fill_null(array, "").to_pylist(), dtype=object)
    if pa.types.is_boolean(array.type):
        array = pc.cast(array, pa.int32())
    if pa.types.is_integer(array.type):
        plain = array
        if tags:
            whole_codes = [code for code in tags if isinstance(code, int)]
            coded = pc.is_in(array, value_set=pa.array(whole_codes, pa.int64()).cast(array.type))
            plain = pc.if_else(coded, None, array)
        ends = pc.min_max(plain).as_py()
        low, high = ends["min"] or 0, ends["max"] or 0
        if max(-low, high) > 2**53:
            raise InputError(
                f"Variable '{name}' has integers beyond 2^53, which this format cannot hold "
                "exactly. Make it text, or write csv or parquet."
            )
        if low <= -largest or high > largest:
            array = pc.cast(array, pa.float64())
    if tags:
        letters = {float(code): letter for code, letter in tags.items()}
        whole = pa.types.is_integer(array.type)
        values = [
            None if v is None else letters.get(float(v), int(v) if whole else float(v))
            for v in array.to_pylist()
        ]
        return pandas.Series(values, dtype=object)
    if pa.types.is_integer(array.type):
        return pandas.Series(array.to_pandas(types_mapper=None), dtype="Int32")
    return pandas.Series(np.asarray(pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False)))


def _format(variable: Variable, type: pa.DataType, package: str) -> str:
    """Return the format the variable came with where this package has it, else a fitting one."""
    dates = "date" if pa.types.is_date(type) else "stamp" if pa.types.is_timestamp(type) else ""
    own = r"%.+" if package == "Stata" else r"[A-Z]+\d+(\.\d+)?"
    if re.fullmatch(own, variable.format):
        text = pa.types.is_string(type)
        textual = variable.format.endswith("s") if package == "Stata" else variable.format[0] == "A"
        is_date = date_kind(package, variable.format)
        # The width of text is the writer's to find: a release may have longer values. Numbers
        # under a date format are dates only where letters among them kept them numbers.
        fits = dates == is_date or (not dates and bool(tag_letters(variable)))
        if fits and not text and (is_date or not textual):
            return variable.format
    if package == "Stata":
        return {"date": "%td", "stamp": "%tc"}.get(dates, "")
    if dates:
        return {"date": "DATE11", "stamp": "DATETIME20"}[dates]
    return "F11.0" if pa.types.is_integer(type) else ""


def _whole_labels(variable: Variable, tags: dict[int | float, str]) -> dict[int | str, str]:
    """Stata labels whole numbers and letters; others it cannot hold."""
    return {
        tags[value] if value in tags else int(value): label
        for value, label in variable.labels.items()
        if not isinstance(value, str) and (value in tags or float(value).is_integer())
    }


def _fitting(value: Value, text: bool, series: Any) -> Value:
    if text or isinstance(value, str):
        return str(value)
    return (
        int(value) if str(series.dtype) == "Int32" and float(value).is_integer() else float(value)
    )


def _missing_ranges(variable: Variable, *, text: bool) -> list[Any]:
    """SPSS holds three codes, or one range and one code."""
    tags = sorted(tag_letters(variable))
    codes = [code for code in variable.user_missing if code not in tags]
    found: list[Any] = [
        {"lo": code[0], "hi": code[1]} if isinstance(code, tuple) else code for code in codes
    ]
    if tags and len(tags) > 3 - len(found):
        # The lettered codes lie together, beyond all values.
        found.append({"lo": tags[0], "hi": tags[-1]})
    else:
        found.extend(tags)
    if text:
        found = [code for code in found if isinstance(code, str) and len(code) <= 8]
    several = sum(isinstance(code, dict) for code in found)
    if several > 1 or len(found) > (2 if several else 3):
        raise InputError(
            f"Variable '{variable.name}' has more codes for missing values than SPSS can hold "
            "(three, or one range and one). Declare fewer, or write another format."
        )
    return found


def _pin(path: Path, pattern: bytes, stamp: bytes) -> None:
    """Put a fixed time of writing into the header."""
    with path.open("r+b") as file:
        match = re.match(rb"(?s).*?" + pattern, file.read(1024), re.DOTALL)
        if match is None:
            raise RuntimeError("The header has no time stamp where one was expected.")
        file.seek(match.start(1))
        file.write(stamp)
