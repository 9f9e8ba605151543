"""Letters as web pages (.html): a new page is built of the text and of layout that is known.

What is decided here: elements that are not listed give up their text and are gone; scripts,
comments, the head, pictures, forms and what is hidden give up nothing. Attributes and style sheets
are kept where they are of layout and their values measures, colours and words of HTML; classes get
names of our own. Nothing is fetched,
and entities of one's own are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

from indistinct.core import InputError
from indistinct.scrub.decoding import NotText, check_encoding, decoded
from indistinct.scrub.formats.every import LetterFormat, Strings
from indistinct.scrub.formats.marked import DEEPEST, FONTS, MOST_ELEMENTS, escaped, is_plain_value
from indistinct.scrub.formats.sheet import Sheet

__all__ = ["FORMAT", "read_page"]

_BLOCKS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr blockquote pre "
    "hr address section article header footer main aside nav figure figcaption center".split()
)
_KEPT = _BLOCKS | frozenset(
    "br td th col colgroup b strong i em u s sub sup small big span font q code kbd samp tt var "
    "cite abbr mark wbr".split()
)
_VOID = frozenset("br hr col wbr img input meta link base source area embed param track".split())
_GONE = {
    "script": "macros", "style": "", "head": "", "title": "", "template": "hidden text",
    "svg": "pictures", "math": "formulas", "canvas": "pictures", "map": "pictures",
    "object": "embedded objects", "applet": "embedded objects", "iframe": "embedded objects",
    "frameset": "embedded objects", "audio": "embedded objects", "video": "embedded objects",
    "select": "form fields", "textarea": "form fields", "datalist": "form fields",
    "del": "tracked deletions", "rt": "", "rp": "", "noframes": "", "noembed": "",
}  # fmt: skip
"""Elements that are gone with all that is in them, and what is told of them."""
_GONE_ALONE = {"img": "pictures", "input": "form fields", "embed": "embedded objects"}
_IMPLIED = {
    "li": ("li",), "dt": ("dt", "dd"), "dd": ("dt", "dd"), "tr": ("tr", "td", "th"),
    "td": ("td", "th"), "th": ("td", "th"), "option": ("option",),
}  # fmt: skip
"""Elements that end those that were not ended before them."""

_ENDS_BY_ITSELF = frozenset("p li dt dd tr td th rt rp option".split())
"""Elements that may go without their end; what is hidden in one ends where it would."""
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{0,5000})\}")
_NO_RULE = re.compile(r"/\*.*?\*/|<!--|-->|@[^{};]*;", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][\w-]*")

_ATTRIBUTES = frozenset(
    "align valign width height border cellpadding cellspacing colspan rowspan bgcolor color size "
    "start span nowrap dir face style class".split()
)
_PROPERTIES = re.compile(
    r"(?:margin|padding|border|text|font|line|letter|word|white|vertical|list)(?:-[a-z-]+)?|"
    r"background(?:-color)?|color|width|height|min-width|max-width|min-height|float|clear|"
    r"page-break-(?:before|after|inside)|so-language|orphans|widows|direction"
)
_WORDS = frozenset(
    "left right center justify top middle bottom baseline both none auto inherit initial normal "
    "bold bolder lighter italic oblique underline line-through overline uppercase lowercase "
    "capitalize small-caps solid double dotted dashed groove ridge inset outset thin medium "
    "thick collapse separate transparent nowrap pre pre-wrap pre-line break-word disc circle "
    "square decimal lower-alpha upper-alpha lower-roman upper-roman inside outside always avoid "
    "super sub ltr rtl black silver gray white maroon red purple fuchsia green lime olive yellow "
    "navy blue teal aqua small large x-small x-large xx-small xx-large smaller larger char 1 a A "
    "i I important serif sans-serif monospace".split()
)
_HIDDEN = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)", re.IGNORECASE
)
_CHARSET = re.compile(
    rb"""<meta\b[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.I
)
_XML_ENCODING = re.compile(
    rb"""^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.-]{2,40})"""
)
_ENTITY = re.compile(r"<!ENTITY\b", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f]")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_START = '<!DOCTYPE html>\n<html><head><meta charset="utf-8">'
_BODY = "</head><body>"
_END = "</body></html>\n"


class _Builder(HTMLParser):
    """Builds the new page while it reads the given one."""

    def __init__(self, sheet: Sheet) -> None:
        super().__init__(convert_charrefs=True)
        self.sheet = sheet
        self.made: list[str | Callable[[], str]] = []
        self._open: list[str] = []
        self._gone: list[str] = []
        self._blank = True
        self._pending = ""
        self._first_cell = True
        self._sheet_began = False
        self._in_style = False
        self._rules: list[str] = []
        self._classes: dict[str, str] = {}
        self._hidden: set[str] = set()

    # What is seen

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element, or leave it out."""
        values = {name: value or "" for name, value in attrs}
        self._in_style = tag == "style"
        if self._gone and self._gone[-1] in _ENDS_BY_ITSELF and (tag in _BLOCKS or tag == "rt"):
            self._gone.pop()
        if self._gone:
            if tag == self._gone[-1] and tag not in _VOID:
                self._gone.append(tag)
            elif self._gone[-1] == "head" and (tag == "body" or tag in _BLOCKS):
                self._gone.clear()  # a head that was not ended
            else:
                return
            if self._gone:
                return
        if tag in _GONE_ALONE:
            self.sheet.left_out[_GONE_ALONE[tag]] += values.get("type", "").lower() != "hidden"
            return
        hidden = (
            "hidden" in values
            or bool(_HIDDEN.search(values.get("style", "")))
            or not self._hidden.isdisjoint(values.get("class", "").split())
        )
        if (tag in _GONE or hidden) and tag not in _VOID:
            told = _GONE.get(tag, "hidden text")
            if told:
                self.sheet.left_out[told] += 1
            self._gone.append(tag)
            return
        self._end_implied(tag)
        if tag not in _KEPT:
            return
        if tag in _BLOCKS:
            self._divide(self._pending or "\n")
            self._first_cell = self._first_cell or tag == "tr"
        elif tag in ("td", "th"):
            self._divide("\n" if self._first_cell else "\t")
            self._first_cell = False
        elif tag == "br":
            self._divide(self._pending + "\n")
        self.made.append(f"<{tag}{''.join(self._attributes(values))}>")
        if len(self.made) > MOST_ELEMENTS:
            raise NotText(f"has more than {MOST_ELEMENTS:,} elements, as no letter has")
        if tag not in _VOID:
            self._open.append(tag)
            if len(self._open) > DEEPEST:
                raise NotText(f"has elements more than {DEEPEST} deep in each other")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take ``<br/>`` for what it is; other elements are not ended by this."""
        self.handle_starttag(tag, attrs)
        if self._gone[-1:] == [tag] and tag in ("script", "iframe", "object", "svg"):
            self._gone.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those that stand open in it."""
        self._in_style = False
        if self._gone and self._gone[-1] in _ENDS_BY_ITSELF and tag in (*self._open, "ruby"):
            self._gone.pop()
        if self._gone:
            if tag == self._gone[-1]:
                self._gone.pop()
            return
        if tag in self._open:
            while True:
                last = self._open.pop()
                self.made.append(f"</{last}>")
                if last in _BLOCKS:
                    self._divide(self._pending or "\n")
                if last == tag:
                    return

    def handle_data(self, data: str) -> None:
        """Add text; blanks are one, but where they are kept."""
        if self._in_style:
            self._add_rules(data)
        if self._gone or self._in_style:
            return
        text = _CONTROLS.sub("", data)
        if "pre" in self._open:
            for number, line in enumerate(text.replace("\r\n", "\n").split("\n")):
                if number:
                    self._divide(self._pending + "\n")
                    self.made.append("\n")
                self._text(line)
            return
        text = _BLANKS.sub(" ", text)
        if self._blank:
            text = text.removeprefix(" ")
        self._text(text)

    def _text(self, text: str) -> None:
        if not text:
            return
        if self._sheet_began:
            self.sheet.mark(self._pending)
        self._pending, self._blank, self._sheet_began = "", text.endswith(" "), True
        now = [text]
        self.sheet.add(text, lambda new: now.__setitem__(0, new))
        self.made.append(lambda: escaped(now[0]))

    def _divide(self, signs: str) -> None:
        """End a paragraph, a line or a cell; one sign is enough for whatever ends and begins."""
        self._pending, self._blank = signs, True

    def _end_implied(self, tag: str) -> None:
        ended = _IMPLIED.get(tag, ())
        while self._open and self._open[-1] in ended:
            self.handle_endtag(self._open[-1])
        if tag in _BLOCKS and self._open[-1:] == ["p"]:
            self.handle_endtag("p")

    @property
    def is_cut(self) -> bool:
        """Whether something that is left out was never ended, so that all that follows is too."""
        return bool(self._gone) and self._gone[-1] not in _ENDS_BY_ITSELF | {"head"}

    def save(self) -> bytes:
        """Return the page with what stands in it now."""
        body = "".join(part if isinstance(part, str) else part() for part in self.made)
        ends = "".join(f"</{tag}>" for tag in reversed(self._open))
        rules = "\n".join(self._rules)
        styles = f"<style>\n{rules}\n</style>" if rules else ""
        return f"{_START}{styles}{_BODY}{body}{ends}{_END}".encode()

    # Layout

    def _attributes(self, values: dict[str, str]) -> Iterator[str]:
        for name, value in values.items():
            if name not in _ATTRIBUTES:
                continue
            if name == "style":
                value = "; ".join(_declarations(value))
            elif name == "face":
                value = next(iter(_fonts(value)), "")
            elif name == "class":
                known = (self._classes.get(one) for one in value.split())
                value = " ".join(one for one in known if one)
            elif not is_plain_value(value.lower(), _WORDS):
                continue
            if value:
                yield f' {name}="{value}"'

    def _add_rules(self, sheet: str) -> None:
        """Take what is of layout from a style sheet; classes get names of our own."""
        for selectors, body in _RULE.findall(_NO_RULE.sub("", sheet)):
            if _HIDDEN.search(body):
                ones = (one.strip().removeprefix(".") for one in selectors.split(","))
                self._hidden.update(one for one in ones if _NAME.fullmatch(one))
            declared = "; ".join(_declarations(body))
            kept = [made for one in selectors.split(",") if (made := self._selector(one))]
            if kept and declared:
                self._rules.append(f"{', '.join(kept)} {{ {declared} }}")

    def _selector(self, given: str) -> str:
        """Return a selector of elements and classes alone; of any other, nothing."""
        parts = []
        for part in given.split():
            tag, *classes = part.split(".")
            if not _is_element(tag) or not all(map(_NAME.fullmatch, classes)):
                return ""
            named = (self._classes.setdefault(one, f"c{len(self._classes) + 1}") for one in classes)
            parts.append(".".join([tag.lower(), *named]))
        return " ".join(parts)


def _is_element(tag: str) -> bool:
    return not tag or tag.lower() in _KEPT or tag.lower() == "body"


def _declarations(style: str) -> Iterator[str]:
    """Give the declarations of a style that are of layout, with plain values."""
    for declaration in style.split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not _PROPERTIES.fullmatch(name):
            continue
        if name == "font-family":
            if fonts := list(_fonts(value)):
                yield f"{name}: {', '.join(fonts)}"
        elif is_plain_value(value.lower().replace("!", " "), _WORDS):
            yield f"{name}: {value.lower()}"


def _fonts(value: str) -> Iterator[str]:
    yield from (font for one in value.split(",") if (font := one.strip(" \"'")) in FONTS)


def read_page(raw: bytes, encoding: str) -> Sheet:
    """Take the text out of a page."""
    named = _CHARSET.search(raw[:4096]) or _XML_ENCODING.search(raw[:4096])
    if named is not None and not raw.startswith(_MARKS):
        try:
            encoding = check_encoding(named[1].decode("ascii"))
        except InputError:
            raise NotText("names an encoding that nobody knows") from None
    text = decoded(raw, encoding)
    if _ENTITY.search(text):
        raise NotText("declares a document type with entities, which are not followed")
    sheet = Sheet()
    builder = _Builder(sheet)
    builder.feed(text)
    builder.close()
    if builder.is_cut:
        raise NotText("is not a whole page: what is not shown begins in it, and does not end")
    sheet.save = builder.save
    return sheet


class _Reader(HTMLParser):
    """Everything that a page says."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.others: set[str] = set()
        self._in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.others.add(tag)
        self._in_style = tag == "style"
        for name, value in attrs:
            words = (value or "").replace(":", " ").replace(";", " ")
            self.others.update((name, words))

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False
        self.others.add(tag)

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.others.update(re.split(r"[{};:,]", data))
        else:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.add(data)

    def handle_decl(self, decl: str) -> None:
        self.others.add(decl)

    def unknown_decl(self, data: str) -> None:
        self.others.add(data)

    def handle_pi(self, data: str) -> None:
        self.others.add(data)


_OWN_CLASS = re.compile(r"c\d{1,5}")
_FRAME = frozenset(("html", "head", "meta", "body", "style", "charset", "DOCTYPE html"))


def _is_own_selector(word: str) -> bool:
    tag, *classes = word.split(".")
    named = [_OWN_CLASS.fullmatch(one) for one in classes]
    return all(named) and (_is_element(tag) or bool(_OWN_CLASS.fullmatch(tag)))


def _is_own(string: str) -> bool:
    if string in _KEPT | _ATTRIBUTES | _FRAME:
        return True
    if all(_is_own_selector(word) for word in string.split()):
        return True
    words = [word.strip(",") for word in string.split()]
    fonts = {word for font in FONTS for word in font.split()}
    return all(
        word in ("utf-8",)
        or word in fonts
        or _PROPERTIES.fullmatch(word)
        or is_plain_value(word, _WORDS)
        for word in words
    )


def _strings(raw: bytes) -> Strings:
    reader = _Reader()
    reader.feed(raw.decode("utf-8"))
    reader.close()
    others = frozenset(one for one in reader.others if not _is_own(one))
    return Strings("".join(reader.text), others)


def _is_one(head: bytes, suffix: str) -> bool:
    return suffix in (".html", ".htm", ".xhtml")


FORMAT = LetterFormat("html", (".html", ".htm", ".xhtml"), _is_one, read_page, ".html", _strings)
