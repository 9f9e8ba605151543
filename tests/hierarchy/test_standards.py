"""Hierarchies of public standards: facts, nesting, and codes that must not be confused."""

from __future__ import annotations

import itertools

import pytest

from indistinct.core.errors import InputError
from indistinct.hierarchy import (
    STANDARDS,
    Hierarchy,
    choose_hierarchy,
    hierarchies_in,
    recognised,
    standard_hierarchy,
)
from indistinct.hierarchy.standards import _lines, _range_name

CODES = {
    "uk-postcode": ["SW1A 1AA", "M1 1AE", "EC2V7AE", "SW1A 2AA"],
    "ca-postcode": ["K1A 0B1", "V6B4Y8", "K1A 1A1"],
    "nl-postcode": ["1012 AB", "1017ZX", "9999 XX"],
    "us-zip": ["02138", "02139", "90210"],
    "us-zip4": ["02138-1234", "021391234", "90210-0001"],
    "isced": ["0", "3", "344", "8"],
    "de-postcode": ["10115", "80331", "10999"],
    "fr-postcode": ["75001", "13008", "75020"],
    "isco08": ["2512", "2511", "0110", "9629"],
    "nace2": ["62.01", "62.0", "62", "01.11", "8411"],
    "icd10": ["C34", "C34.1", "E11.9", "Z99"],
    "nuts": ["DE212", "DE21", "FR101", "NL"],
    "country": ["FR", "DEU", "392", "Brazil"],
    "country-name": ["France", "germany", "Brazil", "Türkiye"],
}


@pytest.mark.parametrize("standard", STANDARDS)
def test_each_standard_nests_and_gives_every_code_an_ancestor(standard: str) -> None:
    tree = standard_hierarchy([*CODES[standard], "??"], standard=standard, name="v")
    assert tree.height == len(STANDARDS[standard].levels) + 1
    for code in CODES[standard]:
        assert None not in tree.ancestors(code)
        assert tree.generalise(code, tree.height - 1) != code or standard == "nuts"
    assert tree.generalise("??", tree.height - 1) == "??"


@pytest.mark.parametrize(
    ("standard", "code", "ancestors"),
    [
        ("uk-postcode", "SW1A 1AA", ("SW1A 1", "SW1A", "SW")),
        ("ca-postcode", "K1A 0B1", ("K1A", "K")),
        ("isco08", "2512", ("251*", "25**", "2 Professionals")),
        ("nace2", "62.01", ("62.0*", "62*", "J Information and communication")),
        ("nace2", "62", ("62*", "62*", "J Information and communication")),
        ("icd10", "C34", ("C34*", "C30-C39", "II Neoplasms")),
        ("icd10", "Y09", ("Y09*", "X85-Y09", "XX External causes of morbidity and mortality")),
        ("icd10", "D51.0", ("D51*", "D50-D53", STANDARDS["icd10"].labels("D89")[2])),  # type: ignore[index]
        ("icd10", "A10", ("A10*", "A10*", "I Certain infectious and parasitic diseases")),
        ("nuts", "DE212", ("DE21", "DE2", "DE")),
        ("country", "FRA", ("Western Europe", "Europe")),
        ("country", "392", ("Eastern Asia", "Asia")),
        ("country-name", "Puerto-Rico", ("Latin America and the Caribbean", "Americas")),
    ],
)
def test_facts(standard: str, code: str, ancestors: tuple[str, ...]) -> None:
    tree = standard_hierarchy([code], standard=standard)
    assert tree.ancestors(code) == (code, *ancestors, "*")


def test_codes_are_not_confused_among_kinds() -> None:
    for standard, codes in CODES.items():
        for other in ("uk-postcode", "ca-postcode", "nl-postcode", "country-name"):
            found = recognised("v", codes)
            if found is not None and found[0] == other:
                assert standard in (other, "country")
    assert recognised("state", ["AL", "CA", "DE", "GA"]) is None
    assert recognised("san_francisco", ["1", "2", "3"]) is None
    assert recognised("donation", ["100", "250", "300"]) is None


def test_names_of_levels_survive_a_plan_and_are_told() -> None:
    tree = choose_hierarchy("home", ["France", "Japan", "Chile"]).hierarchy
    assert (tree.level_words(1), tree.level_words(2)) == ("UN sub-region", "UN region")
    again = Hierarchy.from_dict(tree.to_dict())
    assert again == tree
    assert again.level_names == tree.level_names
    assert hierarchies_in([tree.to_dict()])["home"].level_names == tree.level_names
    with pytest.raises(InputError, match="must be 2 names"):
        Hierarchy.from_dict({**tree.to_dict(), "level_names": ["one"]})


def test_an_unknown_standard_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match="must be one of uk-postcode"):
        standard_hierarchy(["x"], standard="us")


def test_every_block_lies_in_one_chapter_and_blocks_do_not_meet():
    spans = sorted(
        (first, last) for line in _lines("icd10_blocks") for first, _, last in [line.partition("-")]
    )
    assert len(spans) == 261
    assert all(ends < begins for (_, ends), (begins, _) in itertools.pairwise(spans))
    for first, last in spans:
        assert _range_name("icd10", first) == _range_name("icd10", last) is not None
