"""Whether what a certificate claims can be so: its own fields, the holder's ledger, the file.

A certificate may come from anybody, and its own hash is soon written anew. So its fields must have
the form that they are written in and agree with each other; the holder's ledger must have the same
claims; and what can be counted in the released file is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from indistinct.files import Source
from indistinct.prove import STATES
from indistinct.release import parts
from indistinct.release.canonical_json import is_digest
from indistinct.release.certificate import Certificate

__all__ = ["APART", "against_file", "contradictions"]

APART = ("ledger", "signed_by")
"""What the ledger cannot say of the certificate: its own hash, and who signs it later."""

Form = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _fields(value: Any) -> bool:
    return isinstance(value, dict)


def _list_of(form: Form) -> Form:
    return lambda value: isinstance(value, list) and all(map(form, value))


def _hashes(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_digest, value.values()))


def _head(value: Any) -> bool:
    return isinstance(value, dict) and _count(value.get("entries")) and is_digest(value.get("hash"))


def _verdict(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and value.get("state") in STATES
        and all(
            _list_of(form)(value.get(name, []))
            for name, form in (("reservations", _reservation), ("findings", _text))
        )
    )


def _reservation(value: Any) -> bool:
    return isinstance(value, dict) and _text(value.get("code")) and _text(value.get("sentence"))


_COMMON: Mapping[str, Form] = {
    "proved": lambda value: isinstance(value, bool),
    "program": _text,
    "version": _text,
    "verdict": _verdict,
    "files": _hashes,
}
_FORMS: Mapping[str, Mapping[str, Form]] = {
    "records": {
        **_COMMON,
        "created": _text,
        "attacked_with": _list_of(_fields),
        "key": _list_of(_text),
        "k": _count,
        "promise": _fields,
        "records": _count,
        "ledger": is_digest,
        "method": is_digest,
        "audit": _head,
        "built_with": _fields,
    },
    "tables": {**_COMMON, "ledger": is_digest, "method": _fields},
    "letters": {**_COMMON, "documents": _count},
}


def contradictions(certificate: Certificate) -> list[str]:
    """Return where a certificate is not written as one is, or says two things of one.

    >>> contradictions(Certificate({"proved": "yes"}))[0]
    "certificate.json is not one: 'proved', ... are not what stands there"
    """
    name, content = parts.CERTIFICATE, certificate.content
    forms = _FORMS[certificate.kind]
    wrong = [field for field, fits in forms.items() if not fits(content.get(field))]
    if wrong:
        listed = ", ".join(f"'{field}'" for field in wrong)
        return [f"{name} is not one: {listed} {'is' if len(wrong) == 1 else 'are'} not what "
                "stands there"]  # fmt: skip
    found = []
    if certificate.proved != (certificate.state == "holds"):
        found.append(f"{name} contradicts itself: 'proved' and its verdict")
    if certificate.kind == "records":
        promise = certificate.promise
        if promise is None:
            found.append(f"{name} does not say what was promised")
        elif list(promise.key) != certificate.key or promise.k != certificate.k:
            found.append(f"{name} contradicts itself: key and k, and its promise")
    return found


def against_file(certificate: Certificate, released: Source) -> list[str]:
    """Return what a certificate says of the released file and is not so, by the file itself."""
    name, found = parts.CERTIFICATE, []
    told = certificate.content.get("records")
    if told != released.records:
        found.append(f"{name} tells another number of records than the {released.records:,} here")
    lacking = [variable for variable in certificate.key if variable not in released.variables]
    if lacking:
        found.append(f"{name} protects by {', '.join(lacking)}, which the file does not have")
    return found
