"""XML of strangers, read without anything that it could make a reader do, and written anew.

What is decided here: a document type is refused, and with it every entity, inner or outer; nothing
is ever fetched. How deep elements stand in each other is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from indistinct.scrub.decoding import NotText

__all__ = [
    "DEEPEST",
    "FONTS",
    "MEASURES",
    "MOST_ELEMENTS",
    "escaped",
    "is_plain_value",
    "parsed",
    "strings_of_xml",
    "written_xml",
]

DEEPEST = 150
MOST_ELEMENTS = 2_000_000
"""Elements of a part; a book has a tenth, and each takes memory."""

FONTS = frozenset(
    "Aptos|Arial|Arial Narrow|Arial Black|Bookman Old Style|Book Antiqua|Calibri|Calibri Light|"
    "Cambria|Candara|Carlito|Caladea|Century Gothic|Century Schoolbook|Comic Sans MS|Consolas|"
    "Constantia|Corbel|Courier New|Courier|DejaVu Sans|DejaVu Serif|DejaVu Sans Mono|Garamond|"
    "Georgia|Helvetica|Impact|Liberation Mono|Liberation Sans|Liberation Serif|Lucida Sans|"
    "Lucida Console|Noto Sans|Noto Serif|OpenSymbol|Open Sans|Palatino Linotype|Roboto|Segoe UI|"
    "StarSymbol|Symbol|Tahoma|Times|Times New Roman|Trebuchet MS|Verdana|Webdings|Wingdings|"
    "Wingdings 2|Wingdings 3|serif|sans-serif|monospace".split("|")
)
"""Fonts that may be named: a font of one's own could be called like anybody."""

_MEASURE = r"[-+]?\d{0,6}(?:\.\d{1,6})?(?:pt|px|in|cm|mm|pc|em|ex|rem|%)?"
MEASURES = re.compile(rf"(?:{_MEASURE}|#?[0-9A-Fa-f]{{6}}|#[0-9A-Fa-f]{{3}})")
"""A number of few digits with or without its unit, or a colour."""


def is_plain_value(value: str, words: Iterable[str]) -> bool:
    """Say whether a value is made of measures, colours and the words of its format alone.

    >>> is_plain_value("0.05pt solid #000000", {"solid"}), is_plain_value("Halden", {"solid"})
    (True, False)
    """
    return all(word in words or MEASURES.fullmatch(word) for word in value.split())


def escaped(text: str) -> str:
    """Return the text of a letter as it stands between marks: the same signs, whatever they are.

    >>> escaped("a < b & c")
    'a &lt; b &amp; c'
    """
    return escape(text)


def parsed(raw: bytes) -> Element:
    """Return the tree of an XML document; names are ``{namespace}name``, as of ElementTree."""
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    depth = elements = 0

    def name_of(name: str) -> str:
        return "{" + name if "}" in name else name

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if depth > DEEPEST:
            raise NotText(f"has elements more than {DEEPEST} deep in each other, as no letter has")
        if elements > MOST_ELEMENTS:
            raise NotText(f"has more than {MOST_ELEMENTS:,} elements, as no letter has")
        builder.start(name_of(name), {name_of(n): value for n, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name_of(name))

    def refuse(*_: object) -> None:
        raise NotText("declares a document type or entities, which are not followed")

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(raw, True)
        return builder.close()
    except (expat.ExpatError, ValueError, LookupError, AssertionError):
        raise NotText("holds XML that is not whole. Save it again") from None


def written_xml(root: Element, prefixes: Mapping[str, str]) -> bytes:
    """Return the bytes of a tree; `prefixes` has one for every namespace in it."""

    def short(name: str) -> str:
        if not name.startswith("{"):
            return name
        space, _, local = name[1:].partition("}")
        return f"{prefixes[space]}:{local}"

    parts = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n']

    def write(element: Element, spaces: str) -> None:
        name = short(element.tag)
        told = "".join(f" {short(n)}={quoteattr(value)}" for n, value in element.attrib.items())
        parts.append(f"<{name}{spaces}{told}")
        if len(element) or element.text:
            parts.append(">" + escaped(element.text or ""))
            for child in element:
                write(child, "")
            parts.append(f"</{name}>")
        else:
            parts.append("/>")
        parts.append(escaped(element.tail or ""))

    known = "".join(
        f" xmlns:{prefix}={quoteattr(space)}"
        for space, prefix in prefixes.items()
        if prefix != "xml"
    )
    write(root, known)
    return "".join(parts).encode("utf-8")


def strings_of_xml(raw: bytes) -> Iterator[tuple[bool, str]]:
    """Give everything that an XML document says, and of each whether it is text between marks."""
    found: list[tuple[bool, str]] = []
    parser = expat.ParserCreate()

    def begin(name: str, attributes: dict[str, str]) -> None:
        found.append((False, name))
        for key, value in attributes.items():
            found.extend(((False, key), (False, value)))

    parser.StartElementHandler = begin
    parser.CharacterDataHandler = lambda text: found.append((True, text))
    parser.CommentHandler = lambda text: found.append((False, text))
    parser.ProcessingInstructionHandler = lambda *both: found.extend((False, one) for one in both)
    parser.Parse(raw, True)
    return iter(found)
