"""Hierarchies of public standards: postcodes, occupations, industries, diseases, countries.

Each is a rule from a code to its labels, level by level, with a short list of names beside it
where the standard has names. A code that the rule does not fit stands apart, as it is, up to the
root; `recognised` finds the standard whose rule fits all values, or nearly all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from indistinct.core import InputError
from indistinct.hierarchy.hierarchy import SUPPRESSED, Hierarchy
from indistinct.hierarchy.special import distinct_texts, rule_hierarchy

__all__ = ["STANDARDS", "Standard", "recognised", "standard_hierarchy"]

_NEARLY_ALL = 0.95

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Standard:
    """A standard: what it is called, the names of its levels, and the rule."""

    title: str
    levels: tuple[str, ...]
    """What a label is at levels 1, 2, … below the root."""
    labels: Callable[[str], Labels | None]
    """The labels of a code at these levels; None where it is no code of this standard."""
    cue: str | None = None
    """What the name of a variable must hold for its codes to be taken for these; None where the
    form of the codes says enough."""


def standard_hierarchy(
    values: Iterable[object],
    *,
    standard: str,
    name: str = "",
    special: Iterable[object] = (),
    root: str = SUPPRESSED,
) -> Hierarchy:
    """Return the hierarchy of a public standard for some codes.

    Values that are no codes of the standard stand apart, as they are, up to the root.

    >>> standard_hierarchy(["SW1A 1AA"], standard="uk-postcode").ancestors("SW1A 1AA")
    ('SW1A 1AA', 'SW1A 1', 'SW1A', 'SW', '*')
    >>> standard_hierarchy(["C34.1"], standard="icd10").ancestors("C34.1")
    ('C34.1', 'C34*', 'C30-C39', 'II Neoplasms', '*')
    """
    if standard not in STANDARDS:
        raise InputError(f"standard must be one of {', '.join(STANDARDS)}. Got '{standard}'.")
    rule = STANDARDS[standard]
    ordinary, apart = distinct_texts(values, special=special, root=root)
    found = {text: labels for text in ordinary if (labels := rule.labels(text)) is not None}
    tree = rule_hierarchy(
        [text for text in ordinary if text in found],
        [*(text for text in ordinary if text not in found), *apart],
        lambda text: found[text],
        steps=len(rule.levels),
        root=root,
        name=name,
        ordered=False,
    )
    return replace(tree, level_names=rule.levels)


def recognised(name: str, texts: Iterable[str]) -> tuple[str, float] | None:
    """Return the standard whose codes some values are, and the share of them that are.

    >>> recognised("home", ["SW1A 1AA", "M1 1AE", "LS1 4AP"])
    ('uk-postcode', 1.0)
    >>> recognised("state", ["AL", "CA", "DE"]) is None  # states of the US, and of the world
    True
    """
    distinct = list(dict.fromkeys(texts))
    for word, standard in STANDARDS.items():
        cued = standard.cue is not None and re.search(standard.cue, name, re.IGNORECASE)
        if (standard.cue is not None and not cued) or len(distinct) < (1 if cued else 3):
            continue
        share = sum(standard.labels(text) is not None for text in distinct) / len(distinct)
        if share >= _NEARLY_ALL:
            return word, share
    return None


def _by_parts(pattern: str, *parts: str) -> Callable[[str], Labels | None]:
    """Return the rule of codes of a form; each part says which groups of it are left."""
    form = re.compile(pattern)

    def labels(code: str) -> Labels | None:
        found = form.fullmatch(code)
        return None if found is None else tuple(found.expand(part) for part in parts)

    return labels


@cache
def _lines(file: str) -> tuple[str, ...]:
    text = (resources.files(__package__) / "data" / f"{file}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def _range_name(file: str, code: str) -> str | None:
    for line in _lines(file):
        span, _, label = line.partition(" ")
        first, _, last = span.partition("-")
        if first <= code <= (last or first):
            return label or span
    return None


_ICD = re.compile(r"([A-Z]\d\d)(\.?[0-9A-Z]{1,4})?")


def _icd10(code: str) -> Labels | None:
    found = _ICD.fullmatch(code)
    chapter = None if found is None else _range_name("icd10", found[1])
    if found is None or chapter is None:
        return None
    category = f"{found[1]}*"  # and not E11, which is a code of its own
    # a code between the blocks, of some country's version, stays what it is
    return category, _range_name("icd10_blocks", found[1]) or category, chapter


def _isco08(code: str) -> Labels | None:
    if not re.fullmatch(r"[0-9]{1,4}", code):
        return None
    major = next(line for line in _lines("isco08") if line[0] == code[0])
    return _masked(code, 3), _masked(code, 2), major


def _isced(code: str) -> Labels | None:
    if not re.fullmatch(r"[0-8][0-9]{0,2}", code):
        return None
    broad = next(label for most, label in _ISCED if code[0] <= most)
    # level 3 stays 3 and the codes of three digits under it are 3**, which cannot be read as one
    return _masked(code, 1), broad


_ISCED = (("2", "low (0-2)"), ("4", "medium (3-4)"), ("8", "high (5-8)"))


def _masked(code: str, kept: int) -> str:
    """Return a code of digits with a mask in place of the others: 25** cannot be read as 25."""
    return code[:kept] + "*" * (len(code) - kept)


def _nace2(code: str) -> Labels | None:
    found = re.fullmatch(r"(\d\d)(\.?\d)?\d?", code)
    section = None if found is None else _range_name("nace2", found[1])
    if found is None or section is None:
        return None
    return f"{found[1]}{found[2] or ''}*", f"{found[1]}*", section


@cache
def _countries() -> Mapping[str, Labels]:
    found: dict[str, Labels] = {}
    for line in _lines("countries"):
        region, part, countries = line.split("|")
        for country in countries.split(";"):
            alpha2, alpha3, number, name = country.split(" ", 3)
            for spelling in (alpha2, alpha3, number, name.casefold()):
                found[spelling] = (part, region)
    return found


def _country(code: str) -> Labels | None:
    return _countries().get(code)


def _country_name(code: str) -> Labels | None:
    return _countries().get(code.casefold().replace("-", " ")) if len(code) > 3 else None


STANDARDS: Mapping[str, Standard] = {
    "uk-postcode": Standard(
        "postcodes of the United Kingdom",
        ("postcode sector", "postcode district", "postcode area"),
        _by_parts(r"(([A-Z]{1,2})\d[A-Z\d]?) ?(\d)[A-Z]{2}", r"\1 \3", r"\1", r"\2"),
    ),
    "ca-postcode": Standard(
        "postal codes of Canada",
        ("forward sortation area", "postal district"),
        _by_parts(r"(([ABCEGHJ-NPR-TVXY])\d[A-Z]) ?\d[A-Z]\d", r"\1", r"\2"),
    ),
    "nl-postcode": Standard(
        "postcodes of the Netherlands",
        ("first 4 digits", "first 2 digits"),
        _by_parts(r"(([1-9]\d)\d\d) ?[A-Z]{2}", r"\1**", r"\2****"),
    ),
    "us-zip": Standard(
        "ZIP codes of the United States",
        ("first 3 digits", "first digit"),
        _by_parts(r"((\d)\d\d)\d\d", r"\1**", r"\2****"),
        cue=r"zip|zcta",
    ),
    "us-zip4": Standard(
        "ZIP+4 codes of the United States",
        ("ZIP code", "first 3 digits", "first digit"),
        _by_parts(r"(((\d)\d\d)\d\d)-?\d{4}", r"\1", r"\2**", r"\3****"),
        cue=r"zip|zcta",
    ),
    "de-postcode": Standard(
        "postcodes of Germany",
        ("first 3 digits", "first 2 digits", "postal zone"),
        _by_parts(r"(((\d)\d)\d)\d\d", r"\1**", r"\2***", r"\3****"),
        cue=r"plz|postleitzahl",
    ),
    "fr-postcode": Standard(
        "postcodes of France",
        ("first 3 digits", "département"),
        _by_parts(r"((\d\d)\d)\d\d", r"\1**", r"\2***"),
        cue=r"code_?postal",
    ),
    "isco08": Standard(
        "ISCO-08 occupations",
        ("minor group", "sub-major group", "major group"),
        _isco08,
        r"(?<![a-z])isco",
    ),
    "nace2": Standard(
        "ISIC Rev. 4 / NACE Rev. 2 industries",
        ("group", "division", "section"),
        _nace2,
        r"(?<![a-z])(nace|isic)",
    ),
    "isced": Standard(
        "ISCED 2011 levels of education",
        ("level", "low, medium or high"),
        _isced,
        r"(?<![a-z])isced",
    ),
    "icd10": Standard(
        "ICD-10 diagnoses",
        ("three-character category", "block", "chapter"),
        _icd10,
        r"(?<![a-z])icd|diagnos",
    ),
    "nuts": Standard(
        "NUTS regions",
        ("NUTS 2", "NUTS 1", "country"),
        _by_parts(r"((([A-Z]{2})[0-9A-Z]?)[0-9A-Z]?)[0-9A-Z]?", r"\1", r"\2", r"\3"),
        cue=r"(?<![a-z])nuts",
    ),
    "country": Standard(
        "countries",
        ("UN sub-region", "UN region"),
        lambda code: _country(code) or _country_name(code),
        cue=r"countr|(?<![a-z])nation|citizen|birthplace|iso_?3166",
    ),
    "country-name": Standard(
        "countries by their English names", ("UN sub-region", "UN region"), _country_name
    ),
}
"""Every standard, by the word that a project file knows it by."""
