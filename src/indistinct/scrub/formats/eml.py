"""Letters as e-mail (.eml): who writes to whom, the subject and the text are taken out.

What is decided here: what is written is text, and nothing of the given file. Of the headers those
are read that people see; the way that a mail took, its numbers and its programs are left out. Text
that is there twice, plain and as a page, is read once. Attachments of a known kind are read as
letters and stand below; all others are left out, and so are those that cannot be read whole. What
is encrypted withholds the mail.
"""

from __future__ import annotations

import codecs
from collections import Counter
from email import message_from_bytes, policy
from email.errors import MessageDefect
from email.message import EmailMessage, Message
from pathlib import PurePosixPath

from indistinct.scrub.decoding import NotText, decoded
from indistinct.scrub.formats.every import LetterFormat, format_of
from indistinct.scrub.formats.html import read_page
from indistinct.scrub.formats.sheet import Sheet

__all__ = ["FORMAT"]

_SHOWN = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject")
_ENCRYPTED = frozenset(
    "multipart/encrypted application/pkcs7-mime application/x-pkcs7-mime "
    "application/pgp-encrypted".split()
)
DEEPEST = 10
MOST_PARTS = 1_000
_SIGNED = frozenset("application/pkcs7-signature application/x-pkcs7-signature "
                    "application/pgp-signature".split())  # fmt: skip
_TEXT = frozenset((".txt", ".md", ".text", ""))


class _Reader:
    """Gathers the text of a mail and of what is attached to it."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.left_out: Counter[str] = Counter()
        self.bodies: list[str] = []
        self.attached: list[str] = []
        self._parts = 0

    def headers(self, message: Message) -> str:
        """Return the headers that people see, with their encodings undone."""
        lines = []
        for name in _SHOWN:
            for value in message.get_all(name, ()):
                told = " ".join(str(value).split())
                if "\ufffd" in told or not told.isprintable():
                    raise NotText("has a header that is not in the encoding that it names")
                lines.append(f"{name}: {told}")
        return "\n".join(lines)

    def walk(self, part: Message, depth: int = 0) -> None:
        """Read a part, and those that it is made of."""
        self._parts += 1
        if depth > DEEPEST or self._parts > MOST_PARTS:
            raise NotText("is a mail of more parts within parts than anybody writes")
        kind = part.get_content_type()
        if kind in _ENCRYPTED:
            raise NotText("is encrypted. Decrypt it first")
        if kind == "message/rfc822":
            for inner in _parts_of(part):
                self.attached.append(self.headers(inner))
                self.walk(inner, depth + 1)
        elif kind == "multipart/alternative":
            self._alternatives(_parts_of(part), depth)
        elif part.is_multipart():
            for inner in _parts_of(part):
                self.walk(inner, depth + 1)
        elif part.get_content_disposition() == "attachment" or part.get_filename():
            self._attachment(part, depth)
        elif kind in ("text/plain", "text/html"):
            self.bodies.append(self._text(part, kind))
        elif kind not in _SIGNED:
            self.left_out["pictures" if kind.startswith("image/") else "attachments"] += 1

    def _alternatives(self, parts: list[Message], depth: int) -> None:
        """Read one form of what is there in several: plain, else the last, which is the richest."""
        plain = [one for one in parts if one.get_content_type() == "text/plain"]
        chosen = plain[:1] or parts[-1:]
        if plain and not self._text(plain[0], "text/plain").strip():
            chosen = parts[-1:]
        for one in chosen:
            self.walk(one, depth + 1)

    def _text(self, part: Message, kind: str) -> str:
        charset = part.get_content_charset() or self.encoding
        raw = self._bytes(part)
        if kind == "text/html":
            sheet = read_page(raw, _known(charset))
            self.left_out += sheet.left_out
            return sheet.text
        return decoded(raw, _known(charset)).replace("\r\n", "\n")

    def _attachment(self, part: Message, depth: int) -> None:
        """Read an attachment as the letter that it is, or leave it out."""
        suffix = PurePosixPath(part.get_filename() or "").suffix.lower()
        try:
            raw = self._bytes(part)
            kind = part.get_content_type()
            known = format_of(raw[:1024], suffix)
            if known is FORMAT:
                inner = _message(raw)
                self.attached.append(self.headers(inner))
                self.walk(inner, depth + 1)
            elif known is not None:
                sheet = known.read(raw, self.encoding)
                self.left_out += sheet.left_out
                self.attached.append(sheet.text)
            elif known is None and kind == "text/plain" and suffix in _TEXT:
                self.attached.append(self._text(part, kind))
            else:
                raise NotText("is of no known kind")
        except NotText:
            picture = part.get_content_maintype() == "image"
            self.left_out["pictures" if picture else "attachments"] += 1

    @staticmethod
    def _bytes(part: Message) -> bytes:
        raw = part.get_payload(decode=True)
        if not isinstance(raw, bytes) or _has_defect(part.defects):
            raise NotText("has a part that is not whole")
        return raw


def _message(raw: bytes) -> Message:
    return message_from_bytes(raw, EmailMessage, policy=policy.default)


def _parts_of(part: Message) -> list[Message]:
    inside = part.get_payload()
    return [one for one in inside if isinstance(one, Message)] if isinstance(inside, list) else []


def _known(charset: str) -> str:
    """Return the encoding of a name, as mails call it."""
    try:
        return codecs.lookup({"us-ascii": "utf-8"}.get(charset.lower(), charset)).name
    except (LookupError, ValueError):
        raise NotText("names an encoding that nobody knows") from None


def _has_defect(defects: list[MessageDefect]) -> bool:
    return any("Base64" in type(one).__name__ for one in defects)


def _read(raw: bytes, encoding: str) -> Sheet:
    reader = _Reader(encoding)
    try:
        message = _message(raw)
        headers = reader.headers(message)
        reader.walk(message)
    except (LookupError, ValueError, IndexError, AttributeError, TypeError):
        # the library fails in these ways at what strangers write
        raise NotText("is not a whole e-mail. Save it again") from None
    if not any(text.strip() for text in reader.bodies + reader.attached):
        raise NotText("is an e-mail without text")
    parts = [headers, *reader.bodies, *(f"--- attached ---\n{one}" for one in reader.attached)]
    return Sheet.of("\n\n".join(filter(None, parts)) + "\n", reader.left_out)


def _is_one(head: bytes, suffix: str) -> bool:
    return suffix == ".eml"


FORMAT = LetterFormat("eml", (".eml",), _is_one, _read)
