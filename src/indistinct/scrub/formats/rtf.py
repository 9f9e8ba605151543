"""Letters in rich text (.rtf): the text is taken out, and is what is written.

What is decided here: nothing of the given file is written, so that styles, properties, pictures,
objects and whatever else it holds are gone. A name that is cut in two by its marks is one again.
What is hidden, deleted or a comment is left out. Bytes are read in the code page of their font,
and a code page that is not known withholds the letter.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from indistinct.scrub.decoding import NotText
from indistinct.scrub.formats.every import LetterFormat
from indistinct.scrub.formats.sheet import Sheet

__all__ = ["FORMAT", "rtf_sheet"]

_START = b"{\\rtf"
DEEPEST = 1_000
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|"
    rb"[\r\n]+|(\\)",
)
_SIGNS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "column": "\n", "row": "\n",
    "nestrow": "\n", "cell": "\t", "nestcell": "\t", "tab": "\t", "emdash": "—", "endash": "–",
    "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_ESCAPED = {
    b"~": "\u00a0", b"_": "\u2011", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n",
    b"\t": "\t",
}  # fmt: skip
_LEFT_OUT = {
    "annotation": "comments",
    "pict": "pictures",
    "objdata": "embedded objects",
}
_SKIPPED = (
    frozenset(
        "fonttbl colortbl stylesheet info fldinst atnid atnauthor atndate atnref atnicn "
        "atrfstart atrfend atnparent atntime filetbl listtable listoverridetable revtbl rsidtbl "
        "generator themedata colorschememapping datastore latentstyles xmlnstbl userprops docvar "
        "bkmkstart bkmkend template sn sv objname objclass objtime nonshppict pntext pntxtb "
        "pntxta listtext datafield formfield private xe tc tcn rxe txe ftnsep ftnsepc aftnsep "
        "aftnsepc ftncn aftncn operator author upr falt panose password passwordhash mmathPr "
        "do".split()
    )
    | _LEFT_OUT.keys()
)
_APART = frozenset(
    "header headerl headerr headerf footer footerl footerr footerf footnote shptxt".split()
)
"""Texts of their own, which are set apart from what surrounds them; notes come last of all."""
_KNOWN_STARRED = _APART | {"shpinst", "shppict", "ud"}
_PAGES = {
    0: "", 2: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "cp936",
    136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256",
    186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 255: "cp437",
}  # fmt: skip
"""Code pages by the character set of a font; ``""`` is that of the letter."""
_LETTER_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850", "ansi": "cp1252"}


@dataclass(frozen=True, slots=True)
class _Form:
    """What holds within a group."""

    skipped: bool = False
    hidden: bool = False
    deleted: bool = False
    font: int = -1
    after_unicode: int = 1
    apart: str = ""


class _Reader:
    """Follows the groups of a letter, and gathers its text."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.left_out: Counter[str] = Counter()
        self.form = _Form()
        self.page = "cp1252"
        self.fonts: dict[int, str] = {}
        self.default_font = -1
        self._stack: list[_Form] = []
        self._bytes = bytearray()
        self._texts: list[list[str]] = [[]]
        self._notes: list[str] = []
        self._surrogate = ""
        self._skip = 0
        self._begins = self._starred = False
        self._in_fonts = 0
        self._font = -1

    def read(self) -> Sheet:
        """Return the text."""
        place = 0
        while place < len(self.raw):
            match = _TOKEN.match(self.raw, place)
            if match is None:
                break
            place = match.end()
            word, number, code, escaped, brace, text, loose = match.groups()
            if word is not None:
                if word == b"bin":
                    place += max(0, int(number or b"0"))
                else:
                    self._word(word.decode("ascii"), None if number is None else int(number))
            elif brace == b"{":
                self._flush()
                self._stack.append(self.form)
                if len(self._stack) > DEEPEST:
                    raise NotText(f"has groups more than {DEEPEST} deep in each other")
                self._begins, self._starred, self._skip = True, False, 0
                continue
            elif brace == b"}":
                self._close()
                if not self._stack:
                    break
            elif code is not None:
                self._plain(bytes.fromhex(code.decode("ascii")))
            elif escaped is not None:
                if escaped == b"*":
                    self._starred = True
                    continue
                if escaped in _ESCAPED:
                    self._sign(_ESCAPED[escaped])
            elif text is not None:
                self._plain(text)
            elif loose is not None:
                break
            self._begins = False
        if self._stack:
            raise NotText("is not a whole RTF file: it ends within it. Save it again")
        self._flush()
        return Sheet.of("".join(self._texts[0] + self._notes), self.left_out)

    def _word(self, word: str, number: int | None) -> None:
        if self._begins:
            if word in _LEFT_OUT and not self.form.skipped:
                self.left_out[_LEFT_OUT[word]] += 1
            if word in _SKIPPED or (self._starred and word not in _KNOWN_STARRED):
                self._flush()
                self.form = replace(self.form, skipped=True)
            elif word == "ud":
                self.form = replace(self.form, skipped=False)
            elif word in _APART and not self.form.skipped:
                self._flush()
                self._texts.append([])
                self.form = replace(self.form, apart=word)
            if word == "fonttbl":
                self._in_fonts = len(self._stack)
        self._starred = False
        on = number != 0
        if word == "u" and number is not None:
            self._unicode(number % 65_536)
        elif word == "uc":
            self.form = replace(self.form, after_unicode=max(0, min(number or 0, 100)))
        elif word == "f" and number is not None:
            self._flush()
            self._font = number
            if not self._in_fonts:
                self.form = replace(self.form, font=number)
        elif word in ("fcharset", "cpg") and self._in_fonts and number is not None:
            self.fonts[self._font] = f"cp{number}" if word == "cpg" else _PAGES.get(number, "?")
        elif word == "deff" and number is not None:
            self.default_font = number
        elif word == "ansicpg" and number:
            self.page = {65001: "utf-8", 10000: "mac_roman"}.get(number, f"cp{number}")
        elif word in _LETTER_PAGES:
            self.page = _LETTER_PAGES[word]
        elif word == "v":
            self._flush()
            self.form = replace(self.form, hidden=on)
        elif word == "deleted":
            self._flush()
            self.form = replace(self.form, deleted=on)
        elif word == "plain":
            self._flush()
            self.form = replace(self.form, hidden=False, deleted=False, font=-1)
        elif word in _SIGNS:
            self._sign(_SIGNS[word])

    def _close(self) -> None:
        self._flush()
        if not self._stack:
            raise NotText("is not a whole RTF file: a group ends that did not begin")
        if self.form.apart != self._stack[-1].apart:
            text = f"\n{''.join(self._texts.pop()).strip()}\n"
            (self._notes if self.form.apart == "footnote" else self._texts[-1]).append(text)
        if self._in_fonts == len(self._stack):
            self._in_fonts = 0
        self.form = self._stack.pop()
        self._skip = 0

    # Characters

    def _plain(self, raw: bytes) -> None:
        if self._skip:
            # what stands there for readers that know no Unicode
            leave = min(self._skip, len(raw))
            self._skip -= leave
            raw = raw[leave:]
        if not self.form.skipped:
            self._bytes += raw

    def _sign(self, sign: str) -> None:
        if self._skip:
            self._skip -= 1
            return
        self._flush()
        self._add(sign)

    def _unicode(self, code: int) -> None:
        self._flush()
        self._skip = self.form.after_unicode
        sign = chr(code)
        if "\ud800" <= sign <= "\udbff":
            self._surrogate = sign
            return
        if "\udc00" <= sign <= "\udfff":
            pair = (self._surrogate + sign).encode("utf-16", "surrogatepass")
            self._surrogate = ""
            sign = pair.decode("utf-16", "replace")
        elif "\uf020" <= sign <= "\uf0ff":
            return  # a sign of a font of symbols
        self._add(sign)

    def _flush(self) -> None:
        if not self._bytes:
            return
        raw = bytes(self._bytes)
        self._bytes.clear()
        font = self.form.font if self.form.font >= 0 else self.default_font
        page = self.fonts.get(font) or self.page
        if raw.isascii():
            page = "ascii"
        try:
            self._add(raw.decode(page))
        except (UnicodeError, LookupError):
            raise NotText(
                "has signs of a code page that is not known. Save it as .docx or as plain text"
            ) from None

    def _add(self, text: str) -> None:
        form = self.form
        if form.skipped or not text:
            return
        if form.hidden or form.deleted:
            if text.strip():
                words = "hidden text" if form.hidden else "tracked deletions"
                self.left_out[words] += 1
            return
        self._texts[-1].append(text)


def rtf_sheet(raw: bytes, encoding: str = "") -> Sheet:
    """Take the text out of rich text."""
    return _Reader(raw).read()


def _is_one(head: bytes, suffix: str) -> bool:
    return head.lstrip().startswith(_START)


FORMAT = LetterFormat("rtf", (".rtf",), _is_one, rtf_sheet)
