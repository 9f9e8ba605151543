"""Letters of LibreOffice and others (.odt): a new file is built of the text and of known layout.

What is decided here is what is decided for `docx`: elements and values that are not listed do not
get into the new file. Properties, comments, tracked deletions, hidden text, targets of links,
pictures and their descriptions, objects, macros, settings and thumbnails are in none of its parts.
Styles get names of our own, fields are text but for numbers of pages, and the text of a text box
becomes paragraphs after the one that it hangs on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from xml.etree.ElementTree import Element, SubElement

from indistinct.scrub.decoding import NotText
from indistinct.scrub.formats.every import LetterFormat, Strings
from indistinct.scrub.formats.marked import (
    FONTS,
    is_plain_value,
    parsed,
    strings_of_xml,
    written_xml,
)
from indistinct.scrub.formats.sheet import Sheet
from indistinct.scrub.formats.zipped import ZIP, ZippedLetter, zipped

__all__ = ["FORMAT"]

_KIND = b"application/vnd.oasis.opendocument.text"
_NAMES = "urn:oasis:names:tc:opendocument:xmlns:"
_SPACES = {
    f"{_NAMES}office:1.0": "office",
    f"{_NAMES}style:1.0": "style",
    f"{_NAMES}text:1.0": "text",
    f"{_NAMES}table:1.0": "table",
    f"{_NAMES}drawing:1.0": "draw",
    f"{_NAMES}xsl-fo-compatible:1.0": "fo",
    f"{_NAMES}svg-compatible:1.0": "svg",
    f"{_NAMES}manifest:1.0": "manifest",
}
_BY_PREFIX = {prefix: space for space, prefix in _SPACES.items()}


def _long(name: str) -> str:
    """Return ElementTree's form of a name such as ``text:p``."""
    prefix, _, local = name.partition(":")
    return f"{{{_BY_PREFIX[prefix]}}}{local}"


def _is_kept(name: str, value: str) -> bool:
    """Say whether a style keeps a value."""
    if name == "style:family":
        return value in _FAMILIES
    if name in ("style:font-name", "fo:font-family"):
        return value.strip("'\"") in FONTS
    if name in _SIGNED:
        return bool(_SIGNS.fullmatch(value)) or value == "o"
    return bool(_VALUES.fullmatch(name)) and is_plain_value(value, _WORDS)


def _short(name: str) -> str:
    """Return a name such as ``text:p``; of a namespace that is not known, nothing."""
    space, _, local = name[1:].partition("}")
    prefix = _SPACES.get(space)
    return f"{prefix}:{local}" if prefix else ""


_STYLES = frozenset(
    "style:style style:default-style style:paragraph-properties style:text-properties "
    "style:table-properties style:table-column-properties style:table-row-properties "
    "style:table-cell-properties style:page-layout style:page-layout-properties "
    "style:header-style style:footer-style style:header-footer-properties style:tab-stops "
    "style:tab-stop style:columns style:column style:list-level-properties "
    "style:list-level-label-alignment style:graphic-properties style:section-properties "
    "style:footnote-sep text:list-style text:list-level-style-bullet "
    "text:list-level-style-number text:outline-style text:outline-level-style".split()
)
"""Elements of styles, whose values are measures, colours and words of the format."""

_PARTS = {
    "text:h": ("text:outline-level",),
    "text:p": (),
    "text:span": (),
    "text:list": ("text:continue-numbering",),
    "text:list-item": ("text:start-value",),
    "text:list-header": (),
    "table:table": (),
    "table:table-columns": (),
    "table:table-column": ("table:number-columns-repeated",),
    "table:table-header-columns": (),
    "table:table-header-rows": (),
    "table:table-rows": (),
    "table:table-row": ("table:number-rows-repeated",),
    "table:table-cell": (
        "table:number-columns-repeated",
        "table:number-columns-spanned",
        "table:number-rows-spanned",
    ),
    "table:covered-table-cell": ("table:number-columns-repeated",),
}
"""Elements of the text that are copied, with the numbers that they keep."""

_OPENED = frozenset(
    "text:section text:table-of-content text:illustration-index text:table-index text:object-index "
    "text:user-index text:alphabetical-index text:bibliography text:index-body text:index-title "
    "text:numbered-paragraph text:a text:ruby text:ruby-base text:meta text:meta-field".split()
)
_MARGINS = frozenset(
    "style:header style:footer style:header-left style:footer-left style:header-first "
    "style:footer-first".split()
)
_COUNTS = ("text:page-number", "text:page-count")
_GONE = {
    "text:tracked-changes": "tracked deletions",
    "office:annotation": "comments",
    "office:annotation-end": "",
    "text:ruby-text": "",
    "text:hidden-text": "hidden text",
    "text:hidden-paragraph": "hidden text",
    "text:script": "macros",
    "office:scripts": "macros",
    "office:event-listeners": "macros",
    "office:forms": "form fields",
    "text:soft-page-break": "",
    "text:note-citation": "",
}
_DRAWN = {"draw:image": "pictures", "draw:object": "embedded objects"}
_KIND_OF = {
    "text:list-style": "list",
    "style:master-page": "master",
    "style:page-layout": "page",
    "style:font-face": "font",
}
_REFERENCES = {
    "style:parent-style-name": "",
    "style:next-style-name": "",
    "style:list-style-name": "list",
    "style:master-page-name": "master",
    "style:page-layout-name": "page",
    "text:style-name": "",
    "table:style-name": "",
    "table:default-cell-style-name": "",
}
_FAMILIES = frozenset(
    "paragraph text table table-column table-row table-cell section graphic".split()
)
_WORDS = frozenset(
    "true false none auto normal bold bolder lighter italic oblique left right center start end "
    "justify top bottom middle baseline automatic always page column avoid continuous solid "
    "double dotted dashed dash long-dash dot-dash dot-dot-dash wave thin medium thick groove "
    "ridge inset outset hidden collapsing separating margins transparent font-color uppercase "
    "lowercase capitalize small-caps super sub single lines words text all last-item first-page "
    "both char decimal label-width-and-position label-alignment listtab nothing space portrait "
    "landscape lr-tb rl-tb tb-rl tb-lr lr rl page-content scale from-left from-top inside "
    "outside left-and-right wrap no-wrap parallel dynamic run-through biggest foreground "
    "background as-char paragraph frame horizontal vertical page-start-margin fixed variable "
    "roman swiss modern script decorative system no-limit border outline consider-shifts 0 1 a A "
    "i I".split()
)
_VALUES = re.compile(
    r"fo:(?:margin|padding|border|keep|break|text|font|line|letter|color|background|page|min|max|"
    r"width|height|hyphenat|orphans|widows|wrap|column|start|end|space|clip|rel)[a-z-]*|"
    r"style:(?:text|font-(?:size|weight|style|pitch|family)|width|height|rel|column|row|min|page|num|"
    r"vertical|horizontal|writing|border|position|type|leader|tab|char|line|auto|justify|snap|"
    r"punctuation|register|contextual|background|may|use|join|default|shadow|print|footnote|"
    r"letter|wrap|run|flow|number|protect|distance|adjustment|color|dynamic|rotation)[a-z-]*|"
    r"text:(?:level|start-value|display-levels|space-before|min-label|list-level|label-followed|"
    r"list-tab|number-lines|line-number|consecutive|select-page|c)[a-z-]*|"
    r"table:(?:align|border-model|number|display)[a-z-]*|svg:(?:x|y|width|height)"
)
_SIGNED = (
    "text:bullet-char",
    "style:num-prefix",
    "style:num-suffix",
    "style:leader-text",
)
_SIGNS = re.compile(r"[^\w\s]{0,3}")
_BLANKS = re.compile(r"\s+")


@dataclass
class _Builder:
    """Builds the parts of the new file in the order of reading."""

    letter: ZippedLetter
    sheet: Sheet = field(default_factory=Sheet)
    made: dict[str, Element] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    hidden: dict[str, set[str]] = field(default_factory=dict)
    _part: str = ""
    _boxes: list[Element] = field(default_factory=list)
    _blank: bool = True

    def build(self) -> None:
        """Build ``styles.xml``, with headers and footers, and ``content.xml``."""
        content = parsed(self.letter.part("content.xml"))
        styles = parsed(self.letter.part("styles.xml")) if "styles.xml" in self.letter else None
        if styles is not None:
            self._name_styles(styles, "styles.xml")
        self._name_styles(content, "content.xml")
        if styles is not None:
            root = self._begin("styles.xml", "office:document-styles", styles)
            for name in ("office:styles", "office:automatic-styles"):
                self._add_styles(styles.find(_long(name)), SubElement(root, _long(name)))
            masters = styles.find(_long("office:master-styles"))
            pages = SubElement(root, _long("office:master-styles"))
            for page in [] if masters is None else masters:
                if _short(page.tag) == "style:master-page":
                    self._margins(page, self._page(page, pages))
        root = self._begin("content.xml", "office:document-content", content)
        name = "office:automatic-styles"
        self._add_styles(content.find(_long(name)), SubElement(root, _long(name)))
        text = content.find(f"{_long('office:body')}/{_long('office:text')}")
        if text is None:
            raise NotText("is not a letter: it has no text")
        self._blocks(text, SubElement(SubElement(root, _long("office:body")), text.tag))
        for name in self.letter.names:
            if name.startswith("Basic/") and name.endswith(".xml"):
                self.sheet.left_out["macros"] += "script-l" not in name

    # Styles

    def _begin(self, part: str, name: str, source: Element) -> Element:
        """Begin a part, with those of its fonts that may be named."""
        self._part = part
        self.made[part] = root = Element(_long(name))
        root.set(_long("office:version"), "1.3")
        fonts = SubElement(root, _long("office:font-face-decls"))
        for one in source.iterfind(f"{fonts.tag}/{_long('style:font-face')}"):
            font = one.get(_long("style:name"))
            if font in FONTS:
                told = {_long("style:name"): font, _long("svg:font-family"): f"'{font}'"}
                SubElement(fonts, one.tag, told)
        return root

    def _name_styles(self, root: Element, part: str) -> None:
        """Give every style a name of our own, and note in which text is hidden."""
        hidden = self.hidden[part] = set(self.hidden.get("common", ()))
        for group in root:
            for one in group.iter():
                given = one.get(_long("style:name"))
                if given is None:
                    continue
                kind = _KIND_OF.get(_short(one.tag), "")
                self.names.setdefault((kind, given), f"s{len(self.names) + 1}")
                if any(part.get(_long("text:display")) == "none" for part in one):
                    hidden.add(given)
            if _short(group.tag) == "office:styles":
                self.hidden["common"] = set(hidden)

    def _add_styles(self, source: Element | None, target: Element) -> None:
        for one in [] if source is None else source:
            self._style(one, target)

    def _style(self, source: Element, target: Element) -> None:
        name = _short(source.tag)
        if name not in _STYLES:
            return
        values = dict(self._referred(source))
        for key, value in source.attrib.items():
            short = _short(key)
            if short == "style:name":
                values[key] = self.names[_KIND_OF.get(name, ""), value]
            elif _is_kept(short, value):
                values[key] = value
        made = SubElement(target, source.tag, values)
        for child in source:
            self._style(child, made)

    def _referred(self, source: Element) -> Iterator[tuple[str, str]]:
        """Give references to styles by the names that these have now."""
        for key, kind in _REFERENCES.items():
            given = source.get(_long(key))
            own = "list" if key == "text:style-name" and source.tag == _long("text:list") else kind
            if given is not None and (known := self.names.get((own, given))):
                yield _long(key), known

    def _page(self, source: Element, target: Element) -> Element:
        told = dict(self._referred(source))
        told[_long("style:name")] = self.names["master", source.get(_long("style:name"), "")]
        return SubElement(target, source.tag, told)

    def _margins(self, source: Element, target: Element) -> None:
        """Copy headers and footers, which come before the text, as they do in the file."""
        for margin in source:
            if _short(margin.tag) in _MARGINS:
                made = SubElement(target, margin.tag)
                if margin.get(_long("style:display")) == "false":
                    made.set(_long("style:display"), "false")
                self._blocks(margin, made)
                self.sheet.mark("\n\n")

    # Text

    def _blocks(self, source: Element, target: Element) -> None:
        first = True
        for block in source:
            name = _short(block.tag)
            if self._is_gone(block):
                continue
            if name in _OPENED:
                if block.get(_long("text:display")) in ("none", "condition"):
                    self.sheet.left_out["hidden text"] += 1
                    continue
                if not first:
                    self.sheet.mark("\n")
                first = False
                self._blocks(block, target)
            elif name in ("draw:frame", "draw:custom-shape", "draw:g", "draw:rect"):
                self._leave(block)
                self._write_boxes(target)
                first = False
            elif name in ("text:p", "text:h"):
                if self._is_hidden(block):
                    continue
                if not first:
                    self.sheet.mark("\n")
                first = False
                self._paragraph(block, target)
            elif name in _PARTS and name != "text:span":
                if not first:
                    self.sheet.mark("\t" if name.endswith("table-cell") else "\n")
                # columns and their groups hold no text
                first = first and name.startswith("table:table-column")
                made = self._copied(block, target)
                self._blocks(block, made)

    def _copied(self, source: Element, target: Element) -> Element:
        values = dict(self._referred(source))
        for key in _PARTS[_short(source.tag)]:
            value = source.get(_long(key), "")
            if value.isdecimal() and len(value) < 6:
                values[_long(key)] = value
        return SubElement(target, source.tag, values)

    def _paragraph(self, source: Element, target: Element) -> None:
        made = self._copied(source, target)
        around, self._boxes = self._boxes, []
        self._blank = True
        self._inline(source, made)
        self._write_boxes(target)
        self._boxes = around

    def _write_boxes(self, target: Element) -> None:
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.sheet.mark("\n")
            self._blocks(box, target)

    def _inline(self, source: Element, target: Element) -> None:
        """Copy what stands in a paragraph: text, spans, and what is opened."""
        self._text(source.text, target)
        for child in source:
            name = _short(child.tag)
            if name == "text:span":
                if not self._is_hidden(child):
                    self._inline(child, self._copied(child, target))
            elif name == "text:s":
                count = child.get(_long("text:c"), "1")
                SubElement(
                    target, child.tag, {_long("text:c"): count if count.isdecimal() else "1"}
                )
                self.sheet.mark(" " * min(int(count) if count.isdecimal() else 1, 1000))
                self._blank = False
            elif name == "text:tab":
                SubElement(target, child.tag)
                self.sheet.mark("\t")
            elif name == "text:line-break":
                SubElement(target, child.tag)
                self.sheet.mark("\n")
            elif name in _COUNTS:
                SubElement(target, child.tag)
            elif name == "text:note":
                self._note(child, target)
            elif name.startswith("draw:"):
                self._leave(child)
            elif not self._is_gone(child):
                # fields, links, bookmarks: what is shown of them is text
                self._inline(child, target)
            self._text(child.tail, target)

    def _text(self, text: str | None, target: Element) -> None:
        if not text:
            return
        told = _BLANKS.sub(" ", text)
        if self._blank:
            told = told.removeprefix(" ")
        if not told:
            return
        self._blank = told.endswith(" ")
        last = target[-1] if len(target) else None
        if last is None and target.text is None:
            self._put(target, "text", told)
        elif last is not None and last.tail is None:
            self._put(last, "tail", told)
        else:  # something was left out between the two
            self._put(SubElement(target, _long("text:span")), "text", told)

    def _put(self, element: Element, where: str, told: str) -> None:
        setattr(element, where, told)
        self.sheet.add(told, partial(setattr, element, where))

    def _note(self, source: Element, target: Element) -> None:
        kind = source.get(_long("text:note-class"), "")
        told = {_long("text:note-class"): kind if kind == "endnote" else "footnote"}
        made = SubElement(target, source.tag, told)
        SubElement(made, _long("text:note-citation"))
        body = source.find(_long("text:note-body"))
        inside = SubElement(made, _long("text:note-body"))
        if body is not None:
            around, self._boxes = self._boxes, []
            self.sheet.mark("\n")
            self._blocks(body, inside)
            self.sheet.mark("\n")
            self._boxes, self._blank = around, False

    def _is_hidden(self, source: Element) -> bool:
        hidden = source.get(_long("text:style-name")) in self.hidden[self._part]
        self.sheet.left_out["hidden text"] += hidden
        return hidden

    def _is_gone(self, source: Element) -> bool:
        name = _short(source.tag)
        if name not in _GONE:
            return False
        count = 1
        if name == "text:tracked-changes":
            count = len(list(source.iter(_long("text:deletion"))))
        elif name in ("office:scripts", "office:forms"):
            count = len(source)
        if _GONE[name]:
            self.sheet.left_out[_GONE[name]] += count
        return True

    def _leave(self, source: Element) -> None:
        """Keep what is written in a drawing for after the paragraph; count what else it is."""
        boxes = [one for one in source.iter() if one.find(_long("text:p")) is not None]
        inner = {one for box in boxes for one in box.iter() if one is not box}
        self._boxes += [one for one in boxes if one not in inner]
        found = {_DRAWN.get(_short(one.tag), "") for one in source.iter()}
        for words in ("embedded objects", "pictures"):
            if words in found:
                self.sheet.left_out[words] += 1
                return
        if not boxes:
            self.sheet.left_out["pictures"] += 1

    # Writing

    def save(self) -> bytes:
        """Return the file: its text, its styles, and nothing else."""
        manifest = Element(_long("manifest:manifest"))
        manifest.set(_long("manifest:version"), "1.3")
        listed = {"/": _KIND.decode(), **dict.fromkeys(self.made, "text/xml")}
        for place, kind in listed.items():
            told = {_long("manifest:full-path"): place, _long("manifest:media-type"): kind}
            SubElement(manifest, _long("manifest:file-entry"), told)
        prefixes = {space: prefix for space, prefix in _SPACES.items() if prefix != "manifest"}
        return zipped(
            {
                "mimetype": _KIND,
                **{name: written_xml(root, prefixes) for name, root in self.made.items()},
                "META-INF/manifest.xml": written_xml(
                    manifest, {_BY_PREFIX["manifest"]: "manifest"}
                ),
            }
        )


def _is_one(head: bytes, suffix: str) -> bool:
    return head.startswith(ZIP) and suffix in (".odt", ".ott")


def _read(raw: bytes, encoding: str) -> Sheet:
    letter = ZippedLetter(raw)
    if "mimetype" not in letter or not letter.part("mimetype").strip().startswith(_KIND):
        raise NotText("is no letter of OpenDocument, whatever its name says")
    place = "META-INF/manifest.xml"
    if place in letter and b"encryption-data" in letter.part(place):
        raise NotText("is protected by a password. Save it without one")
    builder = _Builder(letter)
    builder.build()
    builder.sheet.save = builder.save
    return builder.sheet


_OWN_NAME = re.compile(
    r"urn:oasis:names:tc:opendocument:xmlns:[a-z-]+:1\.0|xmlns:[a-z]+|s\d{1,5}|manifest:[a-z-]+|/|"
    r"office:[a-z-]+|mimetype|(?:content|styles|META-INF/manifest)\.xml|text/xml|style:[a-z-]+|"
    r"application/vnd\.oasis\.opendocument\.text|footnote|endnote"
)
_OWN_WORDS = (
    _STYLES
    | _PARTS.keys()
    | _REFERENCES.keys()
    | _MARGINS
    | _FAMILIES
    | {name for names in _PARTS.values() for name in names}
)


def _is_own(string: str) -> bool:
    """Say whether a string is one of those that this module writes by itself."""
    if string in _OWN_WORDS or _VALUES.fullmatch(string) or _OWN_NAME.fullmatch(string):
        return True
    return string.strip("'") in FONTS or is_plain_value(string, _WORDS | _OWN_INLINE)


_OWN_INLINE = frozenset(
    "text:s text:tab text:line-break text:note text:note-citation text:note-body text:note-class "
    "text:page-number text:page-count text:bullet-char svg:font-family".split()
)


def _strings(raw: bytes) -> Strings:
    letter = ZippedLetter(raw)
    text: list[str] = []
    others = set(letter.names)
    for name in letter.names:
        if name == "mimetype":
            continue
        for is_text, string in strings_of_xml(letter.part(name)):
            if is_text:
                text.append(string)
            else:
                others.add(string)
    return Strings("".join(text), frozenset(one for one in others if not _is_own(one)))


FORMAT = LetterFormat("odt", (".odt", ".ott"), _is_one, _read, ".odt", _strings)
