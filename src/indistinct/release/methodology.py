"""The note on method: what was done to the data, as far as the recipient may know.

What is told: the steps in order with their parameters (noise has to be known to be allowed for),
and how many records and cells each changed, blurred as in every text for others (`outward`). What
is never told: of how many records values were altered; the seed and the keys, because
they would undo a step; record numbers, such as who was swapped with whom; a step's warnings and
notes, which are for the holder and say where protection is thin; the values by which records were
selected, unless that variable is released as it was; the original values that a label stands for,
because a hierarchy made from the data tells which of them occur. Labels are taken from the
released file, where everybody can read them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow.compute as pc

from indistinct.core import for_markdown
from indistinct.files import Source
from indistinct.hierarchy import SUPPRESSED, Hierarchy, as_text
from indistinct.protect import Plan, Receipt, Select, Step
from indistinct.release.contract import ACCESS, BLANK, named_in_markdown, one_line
from indistinct.release.few import rounded, rounding_base
from indistinct.release.outward import ALTERING, in_words, uncounted_steps
from indistinct.release.terms import Terms

__all__ = ["generalised_labels", "outward_steps", "told_steps", "variables_of", "write_methodology"]

_SHOWN_LABELS = 12
_RANGE = re.compile(r"(\d+)-(\d+)")


def told_steps(plan: Plan, released: Sequence[str]) -> list[str]:
    """Return the steps as the recipient may know them, a sentence each.

    >>> from indistinct.protect import SwapValues
    >>> plan = Plan((Select((), {"zip": ("02138",)}), SwapValues(("age",), pairs=((3, 9),))))
    >>> told_steps(plan, released=["age"])
    ['Keep the records that meet a condition on zip, which is not told.',
     'Swap age between one pair of records named by the holder.']
    """
    return [_sentence(_told(step, plan, released)) for step in plan.steps]


def _told(step: Step, plan: Plan, released: Sequence[str]) -> str:
    if not isinstance(step, Select):
        return step.describe()
    changed = {name for other in plan.steps if other is not step for name in variables_of(other)}
    hidden = [name for name in step.where if name not in released or name in changed]
    if not hidden:
        return step.describe()
    where = {name: values for name, values in step.where.items() if name not in hidden}
    said = [replace(step, where=where).describe()] if step.variables or where else []
    return "; ".join(
        [*said, f"keep the records that meet a condition on {', '.join(hidden)}, which is not told"]
    )


def variables_of(step: Step) -> set[str]:
    """Return the variables whose values a step may change."""
    named: set[str] = {hierarchy.name for hierarchy in _hierarchies(step)}
    for field in ("key", "variables"):
        if not isinstance(step, Select):
            named.update(getattr(step, field, ()))
    named.update(name for _, name, *_ in getattr(step, "cells", ()))
    if isinstance(one := getattr(step, "variable", None), str):
        named.add(one)
    return named


def _hierarchies(step: Step) -> list[Hierarchy]:
    one = getattr(step, "hierarchy", None)
    return [h for h in (one, *getattr(step, "hierarchies", ())) if isinstance(h, Hierarchy)]


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def generalised_labels(source: Source, plan: Plan) -> dict[str, list[str]]:
    """Return, of each generalised variable, the labels in the released file that are no values."""
    hierarchies: dict[str, list[Hierarchy]] = {}
    for step in plan.steps:
        for hierarchy in _hierarchies(step):
            if hierarchy.name in source.variables:
                hierarchies.setdefault(hierarchy.name, []).append(hierarchy)
    found: dict[str, set[str]] = {name: set() for name in hierarchies}
    if hierarchies:
        for batch in source.batches(list(hierarchies)):
            for name in hierarchies:
                occurring = pc.unique(batch.column(name)).to_pylist()
                found[name].update(str(as_text(v)) for v in occurring if v is not None)
    labels = {
        name: sorted(seen - {str(v) for h in hierarchies[name] for v in h.values})
        for name, seen in found.items()
    }
    return {name: those for name, those in labels.items() if those}


def outward_steps(plan: Plan, released: Sequence[str]) -> list[str]:
    """Return the steps as `told_steps` does, without what their sentences count."""
    return uncounted_steps([step.kind for step in plan.steps], told_steps(plan, released))


def write_methodology(
    plan: Plan,
    receipts: Sequence[Receipt],
    *,
    source: Source,
    terms: Terms,
    k: int,
    mended: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Tell the recipient what was done to the data, and how to read them."""
    base = rounding_base(k)
    about = [
        f"- **Purpose:** {_known(terms.purpose)}",
        f"- **Recipient:** {_known(terms.recipient)}",
        f"- **Access:** {ACCESS.get(terms.access or '', BLANK)}",
        f"- **Responsible:** {_known(terms.holder)}",
    ]
    steps = []
    told = outward_steps(plan, list(source.variables))
    for number, (step, words, receipt) in enumerate(
        zip(plan.steps, told, receipts, strict=True), 1
    ):
        steps.append(f"{number}. {for_markdown(words)}")
        steps += [f"   - {fact}" for fact in _facts(step, receipt, base)]
    if not steps:
        steps = ["Nothing was changed."]
    asked = for_markdown(one_line(terms.holder)) if terms.holder else "whoever gave you the file"
    return "\n".join(
        [
            "# What was done to these data",
            "",
            *about,
            f"- **Records:** {source.records:,}, with {len(source.variables)} variables",
            *_mended(mended or {}, source),
            f"- **Counts below:** rounded to multiples of {base}, so that they tell of nobody",
            "",
            "## Steps",
            "",
            *steps,
            "",
            "## How to read the file",
            "",
            *_reading(generalised_labels(source, plan)),
            *_perturbed(plan, receipts),
            "",
            "## What is not told",
            "",
            "Random numbers, keys, the numbers of the records concerned, and which values a label "
            "was put in place of: these would undo the protection.",
            "",
            "## Whom to ask",
            "",
            f"Questions go to {asked}, and so does word of any record that can be recognised.",
            "",
        ]
    )


_MENDED = {
    "empty": "texts and numbers that stood for no answer are empty",
    "trim": "blanks around values were left out",
    "fold": "spellings that differed in capital letters or blanks are one",
    "recode": "values that were written in several ways are one",
    "outside": "values without a label are empty",
    "dates": "dates are written as ISO writes them",
    "numbers": "numbers that were text are numbers",
}
"""What each setting of a project file does to values before anything is counted."""


def _mended(mended: Mapping[str, Sequence[str]], source: Source) -> list[str]:
    """Tell which values were mended when they were read, of variables that are released."""
    by_setting = {
        setting: [name for name in source.variables if setting in mended.get(name, ())]
        for setting in _MENDED
    }
    told = [
        f"{_MENDED[setting]} ({for_markdown(', '.join(names))})"
        for setting, names in by_setting.items()
        if names
    ]
    return [f"- **Mended before:** {'; '.join(told)}"] if told else []


def _perturbed(plan: Plan, receipts: Sequence[Receipt]) -> list[str]:
    """Tell how to read values that were altered or moved."""
    names = dict.fromkeys(
        name
        for step, receipt in zip(plan.steps, receipts, strict=False)
        if step.perturbs
        for name in receipt.cells_changed
    )
    if not names:
        return []
    listed = named_in_markdown(tuple(names))
    return [
        f"- Values of {listed} were altered, or exchanged between records: what a single record "
        "says need not be true of anybody. Statistics of many records hold, as the steps above "
        "say; do not read single records or very small groups, and do not correct what looks odd."
    ]


def _known(text: str | None) -> str:
    return for_markdown(one_line(text)) if text else BLANK


def _facts(step: Step, receipt: Receipt, base: int) -> list[str]:
    facts = []
    lost = receipt.records_lost
    if lost > 0:
        facts.append(f"records left out: {in_words(rounded(lost, base))}")
    elif lost < 0:
        facts.append(f"records added: {in_words(rounded(-lost, base))}")
    if step.perturbs or step.kind in ALTERING:
        # how many are still true would help to undo it
        return [*facts, "how many cells were altered is not told"]
    if receipt.records_changed:
        facts.append(f"records changed: {in_words(rounded(receipt.records_changed, base))}")
    facts += [
        f"{for_markdown(name, code=True)}: cells changed: {in_words(rounded(cells, base))}"
        for name, cells in receipt.cells_changed.items()
        if cells
    ]
    return facts


def _is_range(label: str) -> bool:
    """Tell `20-29` from a month such as `1961-05`."""
    match = _RANGE.fullmatch(label)
    return match is not None and int(match[1]) < int(match[2])


def _reading(labels: dict[str, list[str]]) -> list[str]:
    lines = [
        f"- An empty cell, or `{SUPPRESSED}`, is suppressed or was missing from the start: nothing "
        "is told of it. Suppressed cells are not missing at random, since rare values are "
        "suppressed first. Do not fill them in, and say in a publication how many there are.",
    ]
    every = [label for those in labels.values() for label in those]
    if any(label.startswith("[") for label in every):
        lines.append("- `[20, 30)` stands for the values from 20 on and below 30.")
    if any(_is_range(label) for label in every):
        lines.append("- `20-29` stands for the values from 20 to 29, both included.")
    if any(SUPPRESSED in label and label != SUPPRESSED for label in every):
        lines.append(f"- `{SUPPRESSED}` within a code stands for any character in its place.")
    for name, those in labels.items():
        shown = named_in_markdown(those[:_SHOWN_LABELS])
        more = f" and {len(those) - _SHOWN_LABELS:,} more" if len(those) > _SHOWN_LABELS else ""
        named = for_markdown(name, code=True)
        lines.append(f"- {named} is generalised; its labels are {shown}{more}.")
    return lines
