"""The two methods that Scrub is compared with: straight search, and search with cues.

Straight search-and-replace (Sweeney 2001, Figure 23) looks for what the database holds of a letter:
the patient's full and first name and record number, the author's name and number. Search with
cues (Figure 24) adds what the form of a letter gives away: the heading block above the salutation,
"RE:", "Dear", the signature, and values behind labels such as DOB and MRN.

Where no table of identities is given, the names are those that the corpus itself gives for patient
and author, and what it does not give is read off the letter: from its RE: or patient line and its
signature. That is as good as a database that has this letter's patient and author.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from indistinct.knowledge import CREDENTIALS, MONTHS
from indistinct.results import Fact, Result, Table, facts, result
from indistinct.scrub.text.annotated import Annotated
from indistinct.scrub.text.evaluating import ScrubEvaluation, Tally
from indistinct.scrub.text.finding import Finder
from indistinct.scrub.text.spans import Kind, Span

__all__ = [
    "FourRows",
    "Known",
    "four_rows",
    "known_from_letter",
    "known_of",
    "search",
    "search_with_cues",
]

_NAME = r"[A-Z][\w'’-]{1,30}(?:[ ](?:[A-Z][\w'’-]{1,30}|[A-Z]\b\.?)){0,3}"
_CREDENTIAL = r"(?:M\.?D|D\.?O|Ph\.?D|R\.?N|N\.?P|P\.?A|L\.?I?CSW|Psy\.?D|MBBS|DPT)\b\.?"
_PATIENT = re.compile(
    rf"\b(?:RE|Re|Regarding|Patient|Patient [Nn]ame|PATIENT|Name|NAME|Client)[ ]?:"
    rf"[ ]{{0,8}}({_NAME})"
)
_LINE = re.compile(
    r"\b(?:RE|Re|Regarding|(?:Patient|Client|Name|Attending|Referring|Physician|Provider|Surgeon|"
    r"PATIENT|CLIENT|NAME|ATTENDING|REFERRING|PHYSICIAN|PROVIDER|SURGEON|cc|CC|From|To)"
    r"(?: [Pp]hysician| [Nn]ame| PHYSICIAN)?)[ ]?:[ ]{0,8}(?:Dr\.? )?"
    rf"([A-Z][\w'’-]{{1,30}}, {_NAME}|{_NAME})"
)
_COMMA_NAME = re.compile(
    r"\b(?:RE|Re|Patient|PATIENT|Name|NAME)[ ]?:[ ]{0,8}([A-Z][\w'’-]{1,30}), ([A-Z][\w'’-]{1,30})"
)
_RECORD = re.compile(
    r"\b(?:MRN?|CH|Chart|CHART|Unit|UNIT|Hospital|HOSPITAL|Record|Account|Acct)[ ]{0,2}"
    r"(?:No\.?|NO\.?|Number|NUMBER|[Nn]umber)?[ ]{0,2}[#:]?[ ]{0,4}"
    r"((?=[A-Z-]{0,6}\d)[A-Z\d][A-Z\d-]{3,20})"
)
_SIGNATURE = re.compile(rf"^[ ]{{0,60}}({_NAME}),? {_CREDENTIAL}(?:[ ]{{1,8}}(\d{{4,10}}))?", re.M)
_SALUTATION = re.compile(
    r"^[ ]{0,8}Dear[ ]((?:(?:Dr|Mr|Mrs|Ms|Miss|Prof)\b\.?[ ])?)([^\n:,]{1,60})", re.M
)
_LABELLED = re.compile(
    r"\b(?P<label>DOB|D\.O\.B\.|Date of [Bb]irth|Born|born|MRN|MR#|CH#|SSN|Date|DATE|Tel|Phone|Fax|"
    r"Admitted|Discharged)[ ]?[:#.]?[ ]{0,8}(?P<value>\(?[A-Z]{0,3}\d[\d()/. -]{2,22}\d)"
)
_BETWEEN = re.compile(r",? ")
_WORDS = re.compile(r"[^\s,;|<>]{1,60}")


@dataclass(frozen=True)
class Known:
    """What the database holds of one letter."""

    patient: str = ""
    record_number: str = ""
    author: str = ""
    author_number: str = ""

    def values(self) -> list[tuple[str, Kind]]:
        """What to look for: full and first name, and numbers."""
        first = self.patient.split()[0] if len(self.patient.split()) > 1 else ""
        found = [
            (self.patient, Kind.FULL_NAME),
            (first, Kind.FIRST_NAME),
            (self.record_number, Kind.RECORD_NUMBER),
            (self.author, Kind.FULL_NAME),
            (self.author_number, Kind.LICENCE),
        ]
        return [(value, kind) for value, kind in found if value]


def known_from_letter(text: str) -> Known:
    """What a database with this letter's patient and author would hold, read off the letter.

    >>> known_from_letter("RE: Ann Lee\\nCH#12-345\\n\\nDear Dr. Roy:\\n\\nBo Day, M.D. 4711")
    Known(patient='Ann Lee', record_number='12-345', author='Bo Day', author_number='4711')
    """
    turned = _COMMA_NAME.search(text)
    named = _PATIENT.search(text)
    patient = f"{turned[2]} {turned[1]}" if turned else named[1] if named else ""
    record = _RECORD.search(text)
    signatures = list(_SIGNATURE.finditer(text, len(text) // 2))
    last = signatures[-1] if signatures else None
    return Known(
        patient, record[1] if record else "", last[1] if last else "", (last and last[2]) or ""
    )


def known_of(document: Annotated) -> Known:
    """What a database would hold: whom the annotators name, else what the letter says."""
    read = known_from_letter(document.text)
    patient, author = (
        " ".join(filter(None, (somebody.get("first"), somebody.get("last"))))
        for somebody in (document.people.get("P", {}), document.people.get("D", {}))
    )
    return replace(read, patient=patient or read.patient, author=author or read.author)


def search(text: str, known: Known | None = None) -> list[Span]:
    """Straight search: every place where a value that the database holds is written.

    >>> text = "Seen: Ann Lee. Ann is well."
    >>> [text[s.start : s.end] for s in search(text, Known(patient="Ann Lee"))]
    ['Ann Lee', 'Ann']
    """
    known = known_from_letter(text) if known is None else known
    return _apart(_places(text, known.values(), "value"))


def search_with_cues(text: str, known: Known | None = None) -> list[Span]:
    """Search for known values and for what the form of a letter gives away."""
    known = known_from_letter(text) if known is None else known
    found = _places(text, known.values(), "value")
    surnames = [name.split()[-1] for name in (known.patient, known.author) if " " in name]
    found += _places(text, [(name, Kind.LAST_NAME) for name in surnames], "surname")
    for match in _LABELLED.finditer(text):
        found.append(Span(*match.span("value"), _labelled(match["label"]), 1.0, "search", "label"))
    record = _RECORD.search(text)
    if record:
        found.append(Span(*record.span(1), Kind.RECORD_NUMBER, 1.0, "search", "label"))
    for pattern in (_LINE, _SIGNATURE):
        for match in pattern.finditer(text):
            found.append(Span(*match.span(1), Kind.FULL_NAME, 1.0, "search", "line"))
    greeting = _SALUTATION.search(text)
    if greeting:
        found.append(Span(*greeting.span(2), Kind.LAST_NAME, 1.0, "search", "dear"))
        found += _heading(text, greeting.start())
    return _apart(found)


def _labelled(label: str) -> Kind:
    if label.lower() in ("tel", "phone"):
        return Kind.PHONE
    if label.upper() in ("MRN", "MR#", "CH#", "SSN"):
        return Kind.RECORD_NUMBER
    return {"Fax": Kind.FAX, "Date": Kind.DATE, "DATE": Kind.DATE}.get(label, Kind.BIRTH_DATE)


def _places(text: str, values: Iterable[tuple[str, Kind]], rule: str) -> list[Span]:
    found = []
    for value, kind in values:
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE):
            found.append(Span(*match.span(), kind, 1.0, "search", rule))
    return found


def _heading(text: str, end: int) -> list[Span]:
    """Runs of words with a capital or a digit above the salutation, but for labels and titles."""
    found: list[Span] = []
    for match in _WORDS.finditer(text, 0, end):
        word = match.group()
        plain = word.replace(".", "").lower()
        label = word.endswith((":", "#")) or plain in ("dob", "re", "dr", "tel", "fax", "born")
        digits = any(c.isdigit() for c in word)
        if label or plain in CREDENTIALS or not (word[0].isupper() or digits):
            continue
        kind = Kind.DATE if plain in MONTHS else Kind.ADDRESS if digits else Kind.FULL_NAME
        start = match.start()
        if found and _BETWEEN.fullmatch(text, found[-1].end, start):
            start, kind = found[-1].start, found[-1].kind
            found.pop()
        found.append(Span(start, match.end(), kind, 1.0, "search", "heading"))
    return found


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; of those that overlap, what they cover together."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
        elif span.end > kept[-1].end:
            kept[-1] = replace(kept[-1], end=span.end)
    return kept


@result(eq=True)
class FourRows(Result):
    """The four rows of Sweeney's Figure 24 on an annotated corpus.

    `identities` says whence straight search had its values: a table, or the corpus itself.
    """

    rows: tuple[ScrubEvaluation, ...]
    identities: str

    FACTS = facts(Fact("*", lambda found: {row.method: row for row in found.rows}, spread=True))

    @property
    def shares(self) -> tuple[float, ...]:
        """Shares of references removed, row by row."""
        return tuple(row.share_removed for row in self.rows)

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the values of straight search came from."""
        return (f"what straight search looked for came from {self.identities}",)

    def _tables(self) -> Sequence[Table]:
        return [
            Table(
                "Comparison of Scrub to standard techniques",
                ("method", "references removed", "token precision", "leaking documents"),
                [
                    (r.method, r.share_removed, r.token_precision, r.share_leaking)
                    for r in self.rows
                ],
                {
                    "references removed": ".1%",
                    "token precision": ".1%",
                    "leaking documents": ".1%",
                },
            )
        ]

    def _lines(self) -> Sequence[str]:
        documents, references = self.rows[0].documents, self.rows[0].references
        head = f"Four methods on {documents:,} documents with {references:,} references"
        return [head, *self._tables()[0].to_lines(), *(f"  note: {note}" for note in self.notes)]


def four_rows(
    documents: Iterable[Annotated],
    *,
    known: Mapping[str, Known] | None = None,
    detectors: Sequence[str] | None = None,
) -> FourRows:
    """Compare straight search, search with cues, Scrub (0.8) and Scrub (0.7 with reduction).

    Parameters
    ----------
    known
        What the database holds, by the document's `id`. Without it, see `known_of`.
    detectors
        Detectors that take part in Scrub, by name; all by default.
    """
    strict = Finder(threshold=0.8, reduce=False, detectors=detectors)
    lenient = Finder(threshold=0.7, reduce=True, detectors=detectors)
    methods = (
        "Straight search",
        "Search with cues",
        "Scrub (threshold 0.8)",
        "Scrub (threshold 0.7, false positive reduction)",
    )
    tallies = [Tally() for _ in methods]
    for document in documents:
        text = document.text
        held = known_of(document) if known is None else known.get(document.id, Known())
        found = (
            search(text, held),
            search_with_cues(text, held),
            strict.find(text),
            lenient.find(text),
        )
        for tally, spans in zip(tallies, found, strict=True):
            tally.add(document, spans)
    rows = tuple(tally.finish(name) for tally, name in zip(tallies, methods, strict=True))
    return FourRows(rows, "the corpus itself" if known is None else "a table of identities")
