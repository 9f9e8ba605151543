"""Letters built by hand: what Word writes and LibreOffice does not, and what nobody should."""

from __future__ import annotations

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_REL = "http://schemas.openxmlformats.org/package/2006/relationships"
_MORE = (
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def packed(parts: dict[str, bytes | str]) -> bytes:
    """Return a zip file of parts."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return target.getvalue()


def run(text: str, layout: str = "") -> str:
    """Return a run of Word."""
    form = f"<w:rPr>{layout}</w:rPr>" if layout else ""
    return f'<w:r w:rsidR="00A1B2C3">{form}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*inside: str) -> str:
    """Return a paragraph of Word."""
    return f'<w:p w:rsidR="00A1B2C3">{"".join(inside)}</w:p>'


def word(*body: str, before: str = "", related: str = "", **more: bytes | str) -> bytes:
    """Return a letter of Word with a body, further relations and further parts, by their names."""
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?>{before}<w:document xmlns:w="{W}" xmlns:r="{R}" '
        f"{_MORE}><w:body>{''.join(body)}</w:body></w:document>"
    )
    top = f'<Relationship Id="r1" Type="{R}/officeDocument" Target="word/document.xml"/>'
    return packed(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": f'<Relationships xmlns="{_REL}">{top}</Relationships>',
            "word/document.xml": document,
            "word/_rels/document.xml.rels": (
                f'<Relationships xmlns="{_REL}">{related}</Relationships>'
            ),
            **{name.replace("__", "/"): content for name, content in more.items()},
        }
    )


def relation(kind: str, target: str, more: str = "") -> str:
    """Return a relation of a letter of Word."""
    return f'<Relationship Id="{kind}" Type="{R}/{kind}" Target="{target}" {more}/>'


def open_document(body: str, **more: bytes | str) -> bytes:
    """Return a letter of OpenDocument."""
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}" xmlns:text="{_TEXT}"><office:body>'
        f"<office:text>{body}</office:text></office:body></office:document-content>"
    )
    return packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
            **{name.replace("__", "/"): part for name, part in more.items()},
        }
    )


def everything_said(raw: bytes) -> str:
    """Return all that a file says, unpacked, with and without its marks, in small letters.

    Written apart from the program: no reader of its own is used.
    """
    import html
    import re

    parts = [raw]
    if raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as opened:
            parts = [opened.comment]
            for entry in opened.infolist():
                parts += [entry.filename.encode(), entry.extra, entry.comment, opened.read(entry)]
    said = []
    for part in parts:
        text = part.decode("utf-8", "replace")
        said += [text, html.unescape(text), html.unescape(re.sub(r"<[^>]*>", "", text))]
    return "\n".join(said).casefold()
