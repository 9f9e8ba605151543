"""The codebook of a release: of every released variable what was done and what its values mean.

Written twice from one account: as a page for people, and as DDI-Codebook 2.5 for archives
(https://ddialliance.org/Specification/DDI-Codebook/2.5/). It tells what the released file and the
note on method tell, and nothing more: labels of values that released cells have, steps in the
words that a recipient may know, and no counts of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.core import Variable, for_html, holds_numbers
from indistinct.files import Format, Source, tag_letters, with_codes
from indistinct.hierarchy import SUPPRESSED
from indistinct.protect import Plan, Receipt
from indistinct.release.methodology import generalised_labels, outward_steps, variables_of

__all__ = ["Codebook", "make_codebook"]

_NAMESPACE = "ddi:codebook:2_5"
_MEASURES = {"numeric": "continuous", "ordinal": "ordinal"}


_Value: TypeAlias = tuple[str, str, bool]
"""A value, what it means, and whether it stands for missing."""


@dataclass(frozen=True)
class _Entry:
    """What is told of one variable."""

    name: str
    label: str
    measure: str
    is_number: bool
    done: tuple[str, ...]
    values: tuple[_Value, ...]


@dataclass(frozen=True)
class Codebook:
    """A codebook as a page and as DDI-Codebook."""

    html: str
    xml: str


def make_codebook(
    source: Source, plan: Plan, receipts: Sequence[Receipt], *, data_name: str, format: Format
) -> Codebook:
    """Tell of every released variable what was done and what its values mean.

    A step stands with the variables that it was to change, whatever else it looked at.

    Values are told as the file has them: codes, where a file of Stata or SPSS has codes.
    """
    done: dict[str, list[str]] = {name: [] for name in source.variables}
    of_all = []
    told = outward_steps(plan, list(done))
    for step, receipt, words in zip(plan.steps, receipts, told, strict=True):
        changed = receipt.cells_changed or variables_of(step)
        named = [name for name in done if name in changed]
        for name in named:
            done[name].append(words)
        if not named:
            of_all.append(words)
    made = generalised_labels(source, plan)
    written, schema = source.variables, source.schema
    if format in ("stata", "spss"):
        table, written = with_codes(source.table(), source.variables)
        schema = table.schema
    entries = []
    for name in source.variables:
        is_number = holds_numbers(schema.field(name).type)
        values = (
            _coded_values(written[name], letters=format == "stata")
            if is_number
            else _values(source, name, made.get(name, []))
        )
        measure = _MEASURES.get(written[name].level, "nominal")
        label = written[name].label
        entries.append(_Entry(name, label, measure, is_number, tuple(done[name]), values))
    return Codebook(
        _page(entries, of_all, source.records, data_name),
        _ddi(entries, of_all, source.records, data_name),
    )


def _coded_values(variable: Variable, *, letters: bool) -> tuple[_Value, ...]:
    """Return what codes mean; Stata has letters for some that are missing."""
    tags = tag_letters(variable) if letters else {}
    return tuple(
        (f".{tags[code]}" if code in tags else f"{code}", label, variable.is_missing(code))
        for code, label in variable.labels.items()
        if not isinstance(code, str)
    )


def _values(source: Source, name: str, made: Sequence[str]) -> tuple[_Value, ...]:
    """Return what texts mean: values with labels, categories that were made, what is suppressed."""
    variable = source.variables[name]
    values = {
        str(value): (label, isinstance(value, str) and variable.is_missing(value))
        for value, label in variable.labels.items()
    }
    for text in made:
        values.setdefault(text, ("a category made of several", False))
    if _has_suppressed(source, name):
        values[SUPPRESSED] = ("suppressed", True)
    return tuple((value, label, missing) for value, (label, missing) in values.items())


def _has_suppressed(source: Source, name: str) -> bool:
    if not pa.types.is_string(source.schema.field(name).type):
        return False
    return any(
        pc.any(pc.equal(batch.column(0), SUPPRESSED)).as_py() for batch in source.batches([name])
    )


def _page(entries: Sequence[_Entry], of_all: Sequence[str], records: int, data_name: str) -> str:
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Codebook</title>',
        "<style>body{font:1rem/1.5 sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
        "table{border-collapse:collapse}td,th{text-align:left;padding:.2rem .8rem .2rem 0;"
        "vertical-align:top;border-bottom:1px solid #ccc}</style></head><body>",
        "<h1>Codebook</h1>",
        f"<p>{for_html(data_name)}: {records:,} records, {len(entries):,} variables.</p>",
    ]
    if of_all:
        parts += ["<p>To the records as a whole:</p>", _list(of_all)]
    for entry in entries:
        parts.append(f"<h2>{for_html(entry.name)}</h2>")
        if entry.label:
            parts.append(f"<p>{for_html(entry.label)}</p>")
        parts.append(_list(entry.done or ("Nothing: it is as it was.",)))
        if entry.values:
            rows = "".join(
                f"<tr><td>{for_html(value)}</td><td>{for_html(label)}</td></tr>"
                for value, label, _ in entry.values
            )
            parts.append(f"<table><tr><th>value</th><th>meaning</th></tr>{rows}</table>")
    return "\n".join([*parts, "</body></html>", ""])


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{for_html(words)}</li>" for words in sentences) + "</ul>"


def _ddi(entries: Sequence[_Entry], of_all: Sequence[str], records: int, data_name: str) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<codeBook xmlns="{_NAMESPACE}" version="2.5">',
        "  <stdyDscr><citation><titlStmt><titl>Released data</titl></titlStmt></citation>"
        "</stdyDscr>",
        f'  <fileDscr ID="F1"><fileTxt><fileName>{_text(data_name)}</fileName><dimensns>'
        f"<caseQnty>{records}</caseQnty><varQnty>{len(entries)}</varQnty></dimensns></fileTxt>"
        + "".join(f"<notes>{_text(words)}</notes>" for words in of_all)
        + "</fileDscr>",
        "  <dataDscr>",
    ]
    for number, entry in enumerate(entries, 1):
        interval = "contin" if entry.measure == "continuous" else "discrete"
        lines.append(
            f'    <var ID="V{number}" name="{_text(entry.name)}" files="F1" '
            f'intrvl="{interval}" nature="{_nature(entry.measure)}">'
        )
        if entry.label:
            lines.append(f"      <labl>{_text(entry.label)}</labl>")
        for value, label, gone in entry.values:
            mark = ' missing="Y"' if gone else ""
            lines.append(
                f"      <catgry{mark}><catValu>{_text(value)}</catValu><labl>{_text(label)}</labl>"
                "</catgry>"
            )
        kind = "numeric" if entry.is_number else "character"
        lines.append(f'      <varFormat type="{kind}"/>')
        lines += [f"      <notes>{_text(words)}</notes>" for words in entry.done]
        lines.append("    </var>")
    return "\n".join([*lines, "  </dataDscr>", "</codeBook>", ""])


def _nature(measure: str) -> str:
    return {"continuous": "ratio", "ordinal": "ordinal"}.get(measure, "nominal")


def _text(text: str) -> str:
    return for_html(_plain(text)).replace("&#x27;", "'")


def _plain(text: str) -> str:
    """Return a text on one line, without the signs that XML cannot hold."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())
