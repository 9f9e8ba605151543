"""A written page taken apart with the standard library, and refused where it is not well formed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
KNOWN = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "section",
        "footer",
        "nav",
    ),
    *("a", "h1", "h2", "h3", "p", "ol", "ul", "li", "div", "span", "strong", "data", "bdi"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd"),
    *("details", "summary", "figure", "figcaption"),
    *("svg", "g", "defs", "pattern", "rect", "path", "circle", "line", "text", "tspan", "desc"),
    *("polyline", "polygon"),
}
"""What a report is made of."""


@dataclass
class Element:
    """An element, with its text and its elements in order."""

    tag: str
    attributes: dict[str, str | None]
    inside: list[Element | str] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        return self.attributes.get(name) or ""

    def every(self, *tags: str) -> Iterator[Element]:
        """Return the elements of some tags, in order; with none, all."""
        for part in self.inside:
            if isinstance(part, Element):
                if not tags or part.tag in tags:
                    yield part
                yield from part.every(*tags)

    def text(self, *, without: tuple[str, ...] = ()) -> str:
        """Return the text, but for what is in elements of some class or tag."""
        found = []
        for part in self.inside:
            if isinstance(part, str):
                found.append(part)
            elif part.tag not in without and part["class"] not in without:
                found.append(part.text(without=without))
        return "".join(found)

    def said(self, *, without: tuple[str, ...] = ()) -> str:
        """Return the text with spaces as they are seen."""
        return " ".join(self.text(without=without).split())


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in KNOWN, f"<{tag}> at {self.getpos()}: what a value said became markup"
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> at {self.getpos()} has {names}"
        assert not any(name.startswith("on") for name in names), f"{names} at {self.getpos()}"
        made = Element(tag, dict(attrs))
        self.open[-1].inside.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> ends <{self.open[-1].tag}> at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"A comment at {self.getpos()}: {data[:80]}")


def read_page(text: str) -> Element:
    """Return the page's elements; every one is closed, known, and has an id of its own."""
    parser = _Parser()
    parser.feed(text)
    parser.close()
    assert len(parser.open) == 1, f"<{parser.open[-1].tag}> is not closed"
    ids = [element["id"] for element in parser.root.every() if element["id"]]
    assert len(set(ids)) == len(ids), sorted(i for i in set(ids) if ids.count(i) > 1)
    targets = [a["href"][1:] for a in parser.root.every("a") if a["href"].startswith("#")]
    assert set(targets) <= set(ids), set(targets) - set(ids)
    return parser.root
