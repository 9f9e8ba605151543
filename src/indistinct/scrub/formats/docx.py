"""Letters of Word (.docx): a new file is built of the text and of layout that is known by name.

What is decided here: what is written is never the given file with something taken out. Elements
and values that are not listed below do not get into the new file, whoever invented them:
properties, comments, tracked deletions, hidden text, fields and their codes, targets of links,
pictures and their descriptions, embedded objects, macros, thumbnails, numbers of editing sessions.
Insertions are taken as text. Styles get names of our own. Text boxes become paragraphs after the
one that they hang on.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
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

_SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_XML = "http://www.w3.org/XML/1998/namespace"
_DRAWN = "http://schemas.openxmlformats.org/drawingml/2006/main"
_STRICT = {
    "http://purl.oclc.org/ooxml/wordprocessingml/main": _SPACE,
    "http://purl.oclc.org/ooxml/officeDocument/relationships": _RELATED,
    "http://purl.oclc.org/ooxml/drawingml/main": _DRAWN,
}
_PREFIXES = {_SPACE: "w", _RELATED: "r", _XML: "xml"}
_W = f"{{{_SPACE}}}"
_VAL = _W + "val"

_LAYOUT = frozenset(
    # of paragraphs
    "pPr keepNext keepLines pageBreakBefore framePr widowControl numPr ilvl numId pBdr top left "
    "bottom right between bar start end shd tabs spacing ind contextualSpacing mirrorIndents jc "
    "textAlignment outlineLvl suppressAutoHyphens bidi adjustRightInd snapToGrid "
    # of characters
    "rPr b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint color w kern "
    "position sz szCs highlight u bdr vertAlign rtl cs em "
    # of tables
    "tblPr tblpPr tblOverlap tblStyleRowBandSize tblStyleColBandSize tblW tblInd tblBorders "
    "tblLayout tblCellMar tblCellSpacing tblLook insideH insideV tblGrid gridCol trPr gridBefore "
    "gridAfter wBefore wAfter cantSplit trHeight tblHeader tcPr tcW gridSpan vMerge hMerge "
    "tcBorders noWrap tcMar textDirection tcFitText vAlign tl2br tr2bl tblStylePr "
    # of sections
    "sectPr type pgSz pgMar pgNumType cols col titlePg docGrid lnNumType formProt "
    # of styles and lists
    "docDefaults rPrDefault pPrDefault qFormat uiPriority semiHidden unhideWhenUsed "
    "multiLevelType lvl numFmt lvlJc suff isLgl abstractNumId lvlOverride startOverride "
    "lvlRestart tab".split()
)
"""Elements of layout, whose values are measures, colours and words of the format."""

_VALUES = frozenset(
    "val w h x y hSpace vSpace wrap hAnchor vAnchor xAlign yAlign hRule lines anchorLock dropCap "
    "before after line lineRule beforeAutospacing afterAutospacing beforeLines afterLines left "
    "right start end hanging firstLine leftChars rightChars firstLineChars hangingChars color "
    "fill space sz shadow frame pos leader type code orient top bottom header footer gutter num "
    "equalWidth sep fmt linePitch charSpace firstRow lastRow firstColumn lastColumn noHBand "
    "noVBand tblpX tblpY leftFromText rightFromText topFromText bottomFromText vertAnchor "
    "horzAnchor tblpXSpec tblpYSpec ilvl countBy restart distance".split()
)
_STRUCTURE = frozenset(
    "document body p r t tab br fldSimple tbl tr tc hdr ftr footnotes footnote endnotes endnote "
    "footnoteReference endnoteReference footnoteRef endnoteRef separator continuationSeparator "
    "headerReference footerReference styles style name basedOn next link pStyle rStyle tblStyle "
    "rFonts numbering abstractNum num lvlText settings evenAndOddHeaders compat "
    "compatSetting".split()
)

_WORDS = frozenset(
    "0 1 true false on off auto none nil clear solid single double thick thin dotted dash dashed "
    "dotDash dotDotDash dashSmallGap dashDotStroked wave triple thinThickSmallGap "
    "thickThinSmallGap thinThickThinSmallGap thinThickMediumGap thickThinMediumGap "
    "thinThickLargeGap thickThinLargeGap doubleWave inset outset threeDEmboss threeDEngrave "
    "words dashLong dottedHeavy left right center both start end distribute top bottom baseline "
    "superscript subscript black blue cyan darkBlue darkCyan darkGray darkGreen darkMagenta "
    "darkRed darkYellow green lightGray magenta red white yellow pct dxa fixed autofit exact "
    "atLeast page column textWrapping line portrait landscape continuous nextPage oddPage "
    "evenPage nextColumn decimal bullet lowerLetter upperLetter lowerRoman upperRoman ordinal "
    "decimalZero num bar dot hyphen underscore middleDot heavy tab space nothing "
    "hybridMultilevel multilevel singleLevel restart paragraph character table numbering margin "
    "text around notBeside through inside outside tight firstRow lastRow firstCol lastCol "
    "band1Vert band2Vert band1Horz band2Horz neCell nwCell seCell swCell wholeTable lrTb tbRl "
    "btLr default even first default eastAsia cs lines linesAndChars pct5 pct10 pct12 pct15 "
    "pct20 pct25 pct30 pct35 pct37 pct40 pct45 pct50 pct55 pct60 pct62 pct65 pct70 pct75 pct80 "
    "pct85 pct87 pct90 pct95 horzStripe vertStripe diagStripe diagCross horzCross never overlap "
    "underDot comma circle separator continuationSeparator preserve".split()
)
_PACKAGING = frozenset(
    "Types Default Extension ContentType Override PartName Relationships Relationship Id Type "
    "Target rels xml xml:space r:id compatibilityMode".split()
)
_LOOK = re.compile(r"[0-9A-Fa-f]{4}")
_BUILT_IN = frozenset(
    "normal|heading 1|heading 2|heading 3|heading 4|heading 5|heading 6|title|subtitle|header|"
    "footer|list paragraph|table grid|normal table|no list|default paragraph font|footnote text|"
    "footnote reference|endnote text|endnote reference|body text|hyperlink|strong|emphasis|caption|"
    "quote|salutation|closing|signature|date|list bullet|list number|envelope address|no spacing|"
    "page number|plain text".split("|")
)
_FONT_ROLES = ("ascii", "hAnsi", "cs", "eastAsia")
_STYLED = {"pStyle": "pStyle", "rStyle": "rStyle", "tblStyle": "tblStyle"}
_NUMBERING_SIGN = re.compile(r"%[1-9]|[^\w\s%]|_|[oivx](?=\W|$)|[\s\uf000-\uf0ff]")
_OPENED = frozenset("ins moveTo hyperlink smartTag customXml bdo dir sdtContent rubyBase".split())
"""Elements that only hold others, which stand in their place."""

_GONE = {
    "del": "tracked deletions",
    "moveFrom": "tracked deletions",
    "commentReference": "comments",
    "object": "embedded objects",
    "pict": "pictures",
    "drawing": "pictures",
    "AlternateContent": "pictures",
    "oMath": "formulas",
    "oMathPara": "formulas",
    "sym": "symbols of a font",
    "contentPart": "pictures",
}
_OFF = frozenset(("0", "false", "off"))
_OTHER_PARTS = (
    (re.compile(r"vba|activeX|macro", re.IGNORECASE), "macros"),
    (re.compile(r"/embeddings/"), "embedded objects"),
)
_PAGES = ("PAGE", "NUMPAGES")


def _local(element: Element) -> str:
    """Return the name of an element of Word; of others, of those that are left out alone."""
    local = element.tag.rpartition("}")[2]
    known = element.tag.startswith(_W) or local in _GONE or local == "Choice"
    return local if known else ""


def _known(name: str) -> str:
    space, _, local = name.rpartition("}")
    return f"{{{_STRICT.get(space[1:], space[1:])}}}{local}" if space else local


def _tree(raw: bytes) -> Element:
    """Return a part's tree; the strict form of the standard in the names of the usual one."""
    root = parsed(raw)
    for element in root.iter():
        element.tag = _known(element.tag)
        if any("purl.oclc.org" in name for name in element.attrib):
            values = {_known(name): value for name, value in element.attrib.items()}
            element.attrib.clear()
            element.attrib.update(values)
    return root


@dataclass
class _Field:
    """A field that has begun: its code, and whether its result is a number of pages."""

    code: str = ""
    counts: bool = False


@dataclass
class _Builder:
    """Builds the new file part by part, in the order of reading."""

    letter: ZippedLetter
    main: str
    sheet: Sheet = field(default_factory=Sheet)
    styles: dict[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    fonts: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Element] = field(default_factory=dict)
    related: dict[str, tuple[str, str]] = field(default_factory=dict)
    _places: dict[str, str] = field(default_factory=dict)
    _fields: list[_Field] = field(default_factory=list)
    _boxes: list[Element] = field(default_factory=list)

    # What belongs to the document, by its relations

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Return by id the kind and the place of what a part refers to within the file."""
        folder, name = posixpath.split(part)
        place = posixpath.join(folder, "_rels", f"{name}.rels")
        if place not in self.letter:
            return {}
        found = {}
        for one in parsed(self.letter.part(place)):
            if one.get("TargetMode") == "External":
                continue
            target = one.get("Target", "")
            inside = target[1:] if target.startswith("/") else posixpath.join(folder, target)
            kind = one.get("Type", "").rpartition("/")[2]
            found[one.get("Id", "")] = (kind, posixpath.normpath(inside))
        return found

    def build(self) -> None:
        """Build all parts."""
        every = self.relations(self.main)
        by_kind = {kind: place for kind, place in every.values() if place in self.letter}
        if "aFChunk" in {kind for kind, _ in every.values()}:
            raise NotText(
                "holds another document inside of it, which cannot be dropped. Open it in Word and "
                "save it again"
            )
        if "theme" in by_kind:
            self._read_theme(_tree(self.letter.part(by_kind["theme"])))
        if "styles" in by_kind:
            self._add_styles(_tree(self.letter.part(by_kind["styles"])))
        document = _tree(self.letter.part(self.main))
        body = document.find(_W + "body")
        if body is None:
            raise NotText("is not a letter: it has no body")
        for kind in ("header", "footer"):
            self._number_margins(kind, every, body)
        self._add_margins("header")
        made = Element(_W + "document")
        self.blocks(body, SubElement(made, _W + "body"))
        self.parts["document"] = made
        for kind in ("footnotes", "endnotes"):
            if kind in by_kind:
                self._add_notes(kind, _tree(self.letter.part(by_kind[kind])))
        self._add_margins("footer")
        if "numbering" in by_kind:
            self._add_numbering(_tree(self.letter.part(by_kind["numbering"])))
        self._add_settings(by_kind)
        for name in self.letter.names:
            for pattern, words in _OTHER_PARTS:
                if pattern.search(name) and not name.endswith((".rels", "vbaData.xml")):
                    self.sheet.left_out[words] += 1

    # Styles, lists and settings

    def _read_theme(self, theme: Element) -> None:
        for kind in ("major", "minor"):
            found = theme.find(f".//{{{_DRAWN}}}{kind}Font/{{{_DRAWN}}}latin")
            if found is not None and found.get("typeface") in FONTS:
                self.fonts[kind] = found.get("typeface", "")

    def _add_styles(self, root: Element) -> None:
        made = Element(_W + "styles")
        given = [one for one in root if one.tag == _W + "style"]
        for number, style in enumerate(given, 1):
            self.styles.setdefault(style.get(_W + "styleId", ""), f"s{number}")
            if any(_is_on(one) for one in style.iterfind(f"{_W}rPr/{_W}vanish")):
                self.hidden.add(style.get(_W + "styleId", ""))
        for part in root.iterfind(_W + "docDefaults"):
            made.extend(self._layout(part))
        for style in given:
            known = self.styles[style.get(_W + "styleId", "")]
            one = SubElement(made, _W + "style", {_W + "styleId": known})
            kind = style.get(_W + "type", "")
            one.set(_W + "type", kind if kind in _WORDS else "paragraph")
            if style.get(_W + "default") in ("1", "true", "on"):
                one.set(_W + "default", "1")
            name = style.find(_W + "name")
            called = "" if name is None else name.get(_VAL, "").lower()
            SubElement(one, _W + "name", {_VAL: called if called in _BUILT_IN else known})
            for child in style:
                if _local(child) in ("basedOn", "next", "link"):
                    one.extend(self._named_style(child))
                else:
                    one.extend(self._layout(child))
        self.parts["styles"] = made

    def _add_numbering(self, root: Element) -> None:
        made = Element(_W + "numbering")
        for one in root:
            key = {"abstractNum": "abstractNumId", "num": "numId"}.get(_local(one))
            value = one.get(_W + key, "") if key else ""
            if key and value.isdecimal():
                copy = SubElement(made, one.tag, {_W + key: value})
                for child in one:
                    copy.extend(self._layout(child))
        self.parts["numbering"] = made

    def _add_settings(self, by_kind: dict[str, str]) -> None:
        made = Element(_W + "settings")
        if "settings" in by_kind:
            root = _tree(self.letter.part(by_kind["settings"]))
            for one in root.iterfind(_W + "evenAndOddHeaders"):
                if _is_on(one):
                    SubElement(made, _W + "evenAndOddHeaders")
        compat = SubElement(made, _W + "compat")
        values = {"name": "compatibilityMode", "uri": "http://schemas.microsoft.com/office/word"}
        setting = SubElement(compat, _W + "compatSetting", {_W + n: v for n, v in values.items()})
        setting.set(_VAL, "15")
        self.parts["settings"] = made

    # Headers, footers and notes

    def _number_margins(self, kind: str, every: dict[str, tuple[str, str]], body: Element) -> None:
        """Give the headers or footers that a section refers to names of our own."""
        for one in body.iter(f"{_W}{kind}Reference"):
            given = one.get(f"{{{_RELATED}}}id", "")
            if every.get(given, ("", ""))[0] == kind and given not in self.related:
                number = sum(known == kind for known, _ in self.related.values()) + 1
                self.related[given] = (kind, f"{kind}{number}")
                self._places[given] = every[given][1]

    def _add_margins(self, kind: str) -> None:
        for given, (known, name) in self.related.items():
            if known != kind:
                continue
            if kind == "footer":
                self.sheet.mark("\n\n")
            made = Element(_W + ("hdr" if kind == "header" else "ftr"))
            self.blocks(_tree(self.letter.part(self._places[given])), made)
            self.parts[name] = made
            if kind == "header":
                self.sheet.mark("\n\n")

    def _add_notes(self, kind: str, root: Element) -> None:
        made = Element(_W + kind)
        for note in root:
            number = note.get(_W + "id", "")
            if note.tag != _W + kind[:-1] or not number.lstrip("-").isdecimal():
                continue
            copy = SubElement(made, note.tag, {_W + "id": number})
            if note.get(_W + "type") in _WORDS:
                copy.set(_W + "type", note.get(_W + "type", ""))
            else:
                self.sheet.mark("\n\n")
            self.blocks(note, copy)
        self.parts[kind] = made

    # Paragraphs and tables

    def blocks(self, source: Element, target: Element) -> None:
        """Copy paragraphs and tables, with a line end between each two."""
        first = True
        for block in self._opened(source):
            name = _local(block)
            if name == "altChunk" or name == "subDoc":
                raise NotText("holds another document inside of it, which cannot be dropped")
            if name in ("p", "tbl"):
                if not first:
                    self.sheet.mark("\n")
                first = False
                self._paragraph(block, target) if name == "p" else self._table(block, target)
            elif name in ("sectPr", "tcPr"):
                target.extend(self._layout(block))
            elif name in _GONE:
                self.sheet.left_out[_GONE[name]] += 1
        if target.tag in (_W + "tc", _W + "hdr", _W + "ftr") and target.find(_W + "p") is None:
            SubElement(target, _W + "p")

    def _opened(self, source: Element) -> Iterator[Element]:
        """Give the children of an element; those that only hold others are replaced by these."""
        for child in source:
            name = _local(child)
            if name == "sdt":
                yield from (
                    one for part in child.iterfind(_W + "sdtContent") for one in self._opened(part)
                )
            elif name == "ruby":
                yield from (
                    one for part in child.iterfind(_W + "rubyBase") for one in self._opened(part)
                )
            elif name == "fldSimple":
                if self._counted(child.get(_W + "instr", "")):
                    yield Element(
                        _W + "pages", {"code": self._counted(child.get(_W + "instr", ""))}
                    )
                else:
                    yield from self._opened(child)
            elif name in _OPENED and child.tag.startswith(_W):
                yield from self._opened(child)
            else:
                yield child

    def _paragraph(self, source: Element, target: Element) -> None:
        made = SubElement(target, _W + "p")
        style = source.find(f"{_W}pPr/{_W}pStyle")
        hidden = style is not None and style.get(_VAL) in self.hidden
        around, self._boxes = self._boxes, []
        for child in self._opened(source):
            name = _local(child)
            if name == "pPr":
                made.extend(self._layout(child))
            elif name == "pages":
                self._pages(child.get("code", ""), made)
            elif name == "r":
                self._run(child, made, hidden)
            elif name in _GONE:
                self._leave(child)
        for run in [
            one for one in made.iterfind(_W + "r") if not any(p.tag != _W + "rPr" for p in one)
        ]:
            made.remove(run)
        self._fields = [one for one in self._fields if not one.counts]
        boxes, self._boxes = self._boxes, around
        for box in boxes:
            self.sheet.mark("\n")
            self.blocks(box, target)

    def _pages(self, code: str, target: Element) -> None:
        """Write a field that a word processor fills with a number of pages."""
        one = SubElement(target, _W + "fldSimple", {_W + "instr": code})
        SubElement(one, _W + "r")

    @staticmethod
    def _counted(code: str) -> str:
        return next((known for known in _PAGES if code.split()[:1] == [known]), "")

    def _run(self, source: Element, target: Element, hidden: bool) -> None:
        layout = source.find(_W + "rPr")
        if layout is not None:
            style = layout.find(_W + "rStyle")
            hidden = hidden or (style is not None and style.get(_VAL) in self.hidden)
            own = layout.find(_W + "vanish")
            hidden = hidden if own is None else _is_on(own)
        made = SubElement(target, _W + "r")
        for child in self._opened(source):
            name = _local(child)
            if name in ("fldChar", "instrText", "r"):
                # what follows comes after it, in a run of the same form
                if name == "r":
                    self._run(child, target, hidden)
                else:
                    self._field(child, target)
                made = SubElement(target, _W + "r")
                made.extend([] if layout is None else self._layout(layout))
            elif hidden:
                self.sheet.left_out["hidden text"] += name == "t"
            elif self._fields and self._fields[-1].counts:
                continue
            elif name == "rPr":
                made.extend(self._layout(child))
            elif name in ("AlternateContent", "drawing", "pict", "object"):
                self._leave(child)
            elif name in _GONE:
                self.sheet.left_out[_GONE[name]] += 1
            else:
                self._sign(name, child, made)

    def _sign(self, name: str, source: Element, made: Element) -> None:
        if name in ("t", "noBreakHyphen"):
            text = SubElement(made, _W + "t", {f"{{{_XML}}}space": "preserve"})
            text.text = source.text if name == "t" else "\u2011"
            self.sheet.add(text.text or "", partial(setattr, text, "text"))
        elif name in ("tab", "ptab"):
            SubElement(made, _W + "tab")
            self.sheet.mark("\t")
        elif name in ("br", "cr"):
            kind = source.get(_W + "type", "")
            SubElement(made, _W + "br", {_W + "type": kind} if kind in _WORDS else {})
            self.sheet.mark("\n")
        elif name in ("footnoteReference", "endnoteReference"):
            if source.get(_W + "id", "").isdecimal():
                SubElement(made, source.tag, {_W + "id": source.get(_W + "id", "")})
        elif name in ("footnoteRef", "endnoteRef", "separator", "continuationSeparator"):
            SubElement(made, source.tag)

    def _field(self, source: Element, target: Element) -> None:
        """Follow a field of several runs: its code is dropped, its result is text."""
        kind = source.get(_W + "fldCharType")
        if _local(source) == "instrText":
            if self._fields:
                self._fields[-1].code += source.text or ""
        elif kind == "begin":
            self._fields.append(_Field())
        elif self._fields:
            began = self._fields[-1]
            code = self._counted(began.code)
            if code and not began.counts:
                began.counts = True
                self._pages(code, target)
            if kind == "end":
                self._fields.pop()

    def _leave(self, source: Element) -> None:
        """Keep the text boxes of a drawing for after the paragraph; count what else it is."""
        choices = [one for one in source if _local(one) == "Choice"] or [source]
        boxes = [box for one in choices for box in one.iter(_W + "txbxContent")]
        if not boxes and _local(source) == "AlternateContent":
            boxes = list(source.iter(_W + "txbxContent"))
        inner = {one for box in boxes for one in box.iter(_W + "txbxContent")} - set(boxes)
        self._boxes += [box for box in boxes if box not in inner]
        if not boxes:
            self.sheet.left_out[_GONE[_local(source)]] += 1

    def _table(self, source: Element, target: Element) -> None:
        made = SubElement(target, _W + "tbl")
        first_row = True
        for row in self._opened(source):
            if _local(row) in ("tblPr", "tblGrid"):
                made.extend(self._layout(row))
            if _local(row) != "tr" or row.find(f"{_W}trPr/{_W}del") is not None:
                self.sheet.left_out["tracked deletions"] += _local(row) == "tr"
                continue
            if not first_row:
                self.sheet.mark("\n")
            first_row, first_cell = False, True
            new = SubElement(made, _W + "tr")
            for cell in self._opened(row):
                if _local(cell) == "trPr":
                    new.extend(self._layout(cell))
                elif _local(cell) == "tc":
                    if not first_cell:
                        self.sheet.mark("\t")
                    first_cell = False
                    self.blocks(cell, SubElement(new, _W + "tc"))

    # Layout

    def _layout(self, source: Element) -> Iterable[Element]:
        """Give an element of layout with what is known of it, or nothing."""
        name = _local(source)
        if name in _STYLED:
            return self._named_style(source)
        if name == "rFonts":
            return self._fonts(source)
        if name == "lvlText":
            sign = "".join(_NUMBERING_SIGN.findall(source.get(_VAL, "")))
            return [Element(source.tag, {_VAL: sign[:12]})]
        if name in ("headerReference", "footerReference"):
            kind, part = self.related.get(source.get(f"{{{_RELATED}}}id", ""), ("", ""))
            when = source.get(_W + "type", "")
            if not kind or when not in _WORDS:
                return []
            return [Element(source.tag, {_W + "type": when, f"{{{_RELATED}}}id": f"r-{part}"})]
        if name not in _LAYOUT:
            return []
        values = {
            key: value
            for key, value in source.attrib.items()
            if key.startswith(_W)
            and key[len(_W) :] in _VALUES
            and (is_plain_value(value, _WORDS) or (name == "tblLook" and _LOOK.fullmatch(value)))
        }
        if _VAL in source.attrib and _VAL not in values:
            return []  # without its value it would be no element of the standard
        made = Element(source.tag, values)
        for child in source:
            made.extend(self._layout(child))
        return [made]

    def _named_style(self, source: Element) -> Iterable[Element]:
        known = self.styles.get(source.get(_VAL, ""))
        return [Element(source.tag, {_VAL: known})] if known else []

    def _fonts(self, source: Element) -> Iterable[Element]:
        values = {}
        for role in _FONT_ROLES:
            theme = source.get(
                f"{_W}{role}Theme", source.get(_W + "cstheme", "") if role == "cs" else ""
            )
            font = self.fonts.get(theme[:5]) or source.get(_W + role)
            if font in FONTS:
                values[_W + role] = font
        return [Element(source.tag, values)] if values else []

    # Writing

    def save(self) -> bytes:
        """Return the file: what is named here, and nothing else."""
        texts = [name for kind, name in self.related.values() if kind == "header"]
        texts += [name for name in ("document", "footnotes", "endnotes") if name in self.parts]
        texts += [name for kind, name in self.related.values() if kind == "footer"]
        order = [
            *texts,
            *(name for name in ("styles", "numbering", "settings") if name in self.parts),
        ]
        kinds = {name: name.rstrip("0123456789") for name in order}
        types = Element("Types", xmlns=_TYPES)
        for suffix, kind in (("rels", "vnd.openxmlformats-package.relationships"), ("xml", "")):
            told = f"application/{kind + '+' if kind else ''}xml"
            SubElement(types, "Default", Extension=suffix, ContentType=told)
        for name in order:
            kind = "document.main" if name == "document" else kinds[name]
            told = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
            SubElement(types, "Override", PartName=f"/word/{name}.xml", ContentType=told)
        top = Element("Relationships", xmlns=_PACKAGE)
        to = {
            "Id": "r-document",
            "Type": f"{_RELATED}/officeDocument",
            "Target": "word/document.xml",
        }
        SubElement(top, "Relationship", to)
        own = Element("Relationships", xmlns=_PACKAGE)
        for name in order:
            if name != "document":
                to = {
                    "Id": f"r-{name}",
                    "Type": f"{_RELATED}/{kinds[name]}",
                    "Target": f"{name}.xml",
                }
                SubElement(own, "Relationship", to)
        return zipped(
            {
                "[Content_Types].xml": written_xml(types, {}),
                "_rels/.rels": written_xml(top, {}),
                "word/_rels/document.xml.rels": written_xml(own, {}),
                **{f"word/{n}.xml": written_xml(self.parts[n], _PREFIXES) for n in order},
            }
        )


def _is_on(element: Element) -> bool:
    return element.get(_VAL, "1") not in _OFF


def _is_one(head: bytes, suffix: str) -> bool:
    return head.startswith(ZIP) and suffix in (".docx", ".docm", ".dotx", ".dotm")


def _read(raw: bytes, encoding: str) -> Sheet:
    letter = ZippedLetter(raw)
    start = _Builder(letter, "")
    main = [place for kind, place in start.relations("").values() if kind == "officeDocument"]
    if not main or main[0] not in letter:
        raise NotText("is no letter of Word, whatever its name says")
    builder = _Builder(letter, main[0])
    builder.build()
    builder.sheet.save = builder.save
    return builder.sheet


_OWN_NAME = re.compile(
    r"http://schemas\.(?:openxmlformats|microsoft)\.(?:org|com)/(?:office|word|package|/|20|06|Document|"
    r"processingml|content-types|main|relationships|header|footer|styles|numbering|settings|footnotes|"
    r"endnotes)+|application/(?:xml|vnd\.openxmlformats-(?:package\.relationships|officedocument\."
    r"wordprocessingml\.(?:document\.main|header|footer|styles|numbering|settings|footnotes|endnotes))"
    r"\+xml)|(?:/?word/)?(?:_rels/)?(?:document|styles|numbering|settings|footnotes|endnotes|header\d{1,4}|"
    r"footer\d{1,4})\.xml(?:\.rels)?|r-[a-z]+\d{0,4}|s\d{1,5}|\[Content_Types\]\.xml|_rels/\.rels"
)


def _is_own(string: str) -> bool:
    """Say whether a string is one of those that this module writes by itself."""
    if string.startswith(("w:", "xmlns")):
        return string[2:] in _LAYOUT | _STRUCTURE | _VALUES | set(_FONT_ROLES) or len(string) < 10
    if (
        string in FONTS | _BUILT_IN | _PACKAGING
        or is_plain_value(string, _WORDS)
        or string in _PAGES
    ):
        return True
    return bool(_OWN_NAME.fullmatch(string) or _LOOK.fullmatch(string))


def _strings(raw: bytes) -> Strings:
    letter = ZippedLetter(raw)
    text: list[str] = []
    others = set(letter.names)
    for name in letter.names:
        for is_text, string in strings_of_xml(letter.part(name)):
            if is_text:
                text.append(string)
            else:
                others.add(string)
    return Strings("".join(text), frozenset(one for one in others if not _is_own(one)))


FORMAT = LetterFormat("docx", (".docx", ".docm"), _is_one, _read, ".docx", _strings)
