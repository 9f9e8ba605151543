"""The contract: seven clauses for whoever gets the data, filled in as far as the terms go.

The clauses are those that Sweeney (2001, Figure 35) asks for, in words of our own. This is a
draft for people to read and sign; it is no advice on law.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from indistinct.core import for_markdown
from indistinct.release.terms import Terms

__all__ = ["BLANK", "Contract", "write_contract"]

BLANK = "__________"
"""What stands where something is to be filled in by hand."""

ACCESS = {
    "private": "private: only those who collected the data",
    "semi-private": "semi-private: few, each by name, after an application",
    "semi-public": "semi-public: most who ask; a few may be refused",
    "public": "public: anybody",
}


@dataclass(frozen=True)
class Contract:
    """The text of a contract, and what is still blank in it."""

    text: str
    open: tuple[str, ...]


class _Filling:
    """Fills in what is known and remembers what is not."""

    def __init__(self) -> None:
        self.open: list[str] = []

    def __call__(self, value: object, what: str) -> str:
        if value is None or value == ():
            self.open.append(what)
            return BLANK
        if isinstance(value, tuple):
            return named_in_markdown(value)
        return for_markdown(one_line(str(value)))


def named_in_markdown(names: Sequence[str]) -> str:
    """List names as code."""
    return ", ".join(for_markdown(name, code=True) for name in names)


def one_line(text: str) -> str:
    """Bring a text of several lines onto one."""
    return " ".join(text.split())


def write_contract(
    terms: Terms,
    *,
    released: Sequence[str],
    key: Sequence[str],
    k: int,
    today: dt.date,
    named: Sequence[str] = (),
) -> Contract:
    """Fill in the contract; `named` are released variables that name people.

    >>> drawn = write_contract(
    ...     Terms(purpose="Cancer and district", recipient="The registry", holder="The office"),
    ...     released=["age", "district"], key=["age"], k=5, today=dt.date(2026, 1, 2))
    >>> drawn.open[:3]
    ('who may get the data', 'the variables needed', 'how the recipient keeps the data safe')
    >>> BLANK in drawn.text
    True
    """
    if terms.public:
        return Contract(_nobody_is_bound(terms, key, k), ())
    fill = _Filling()
    head = [
        "# Terms of use",
        "",
        f"- **Holder:** {fill(terms.holder, 'the holder')}",
        f"- **Recipient:** {fill(terms.recipient, 'the recipient')}",
        f"- **Data:** the released file of {today}, variables {fill(tuple(released), 'variables')}",
        f"- **Access:** {fill(ACCESS.get(terms.access or ''), 'who may get the data')}",
    ]
    clauses = [
        _purpose(terms, fill),
        _security(terms, fill),
        _anonymity(key, k, named),
        _linking(terms, fill),
        _review(terms, fill),
        _end(terms, fill),
        _no_passing_on(terms, fill),
    ]
    body = [line for clause in clauses for line in ("", *clause)]
    unfilled = tuple(fill.open)
    listed = ["", "## Still open", "", *(f"- {what}" for what in unfilled)] if unfilled else []
    signing = [
        "",
        "## Signatures",
        "",
        "| | name | place and day | signature |",
        "| --- | --- | --- | --- |",
        f"| for the holder | {BLANK} | {BLANK} | {BLANK} |",
        f"| for the recipient | {BLANK} | {BLANK} | {BLANK} |",
        "",
    ]
    return Contract("\n".join([*head, *body, *listed, *signing]), unfilled)


def _purpose(terms: Terms, fill: _Filling) -> list[str]:
    return [
        "## 1. Purpose",
        "",
        f"The data serve this purpose and no other: {fill(terms.purpose, 'the purpose')}.",
        f"It needs the variables {fill(terms.needed, 'the variables needed')}, and the recipient "
        "can say of each what it is needed for.",
    ]


def _security(terms: Terms, fill: _Filling) -> list[str]:
    return [
        "## 2. Security",
        "",
        "The recipient answers to the holder, also before the law, for keeping the data safe, and "
        "has shown how this is done: "
        f"{fill(terms.security, 'how the recipient keeps the data safe')}.",
    ]


def _anonymity(key: Sequence[str], k: int, named: Sequence[str]) -> list[str]:
    holds = "The file holds nothing that names a person outright."
    if named:
        listed = named_in_markdown(named)
        holds = (
            f"The file holds {listed}, which may name people: the holder released this knowingly, "
            "and the recipient does not use it to find out who anybody is."
        )
    return [
        "## 3. Nobody is to be named" if named else "## 3. Nobody is named",
        "",
        f"{holds} It was protected against linking on "
        f"{named_in_markdown(key)} with k = {k}; `certificate.json` says what was "
        "tried and what came of it. Should the recipient find that a record can be told to be "
        "somebody's, the recipient tells the holder at once, and nobody else.",
    ]


def _linking(terms: Terms, fill: _Filling) -> list[str]:
    could = fill(terms.could_link, "the variables on which the recipient could link")
    lines = [
        "## 4. Linking",
        "",
        "With what the recipient has or will be able to get "
        f"until {fill(terms.lifetime, 'the end of the lifetime')}, other data could be linked to "
        f"these variables, whether that is meant or not: {could}.",
    ]
    if terms.could_link and not terms.will_link:
        lines.append("The recipient is not going to link the data to any other.")
    else:
        will = fill(terms.will_link, "the variables on which the recipient will link")
        lines.append(
            f"The recipient is going to link on {will}. Where such a link would show who a person "
            "is, that person's consent is obtained first."
        )
    lines.append("If either changes, the recipient asks the holder before anything is linked.")
    return lines


def _review(terms: Terms, fill: _Filling) -> list[str]:
    days = fill(terms.review_days, "the days for reading a publication")
    return [
        "## 5. Publications",
        "",
        f"The holder gets whatever is to be published from the data {days} days before, and may "
        "object to what would tell something about a person.",
    ]


def _end(terms: Terms, fill: _Filling) -> list[str]:
    return [
        "## 6. The end",
        "",
        "When the work is done, and in any case by "
        f"{fill(terms.destroy_by, 'the day by which the data are destroyed')}, the recipient "
        "destroys the data and every copy, and confirms it to the holder in writing.",
    ]


def _no_passing_on(terms: Terms, fill: _Filling) -> list[str]:
    return [
        "## 7. Nobody else",
        "",
        "The data stay with the recipient. Nobody else gets to see or to have them, whole or in "
        "part, for money or for nothing, for good or for a while.",
        "If these terms are broken: "
        f"{fill(terms.sanctions, 'what follows if the terms are broken')}.",
    ]


def _nobody_is_bound(terms: Terms, key: Sequence[str], k: int) -> str:
    asked = f" Questions go to {for_markdown(one_line(terms.holder))}." if terms.holder else ""
    return "\n".join(
        [
            "# Terms of use",
            "",
            "These data are public. No contract binds whoever has them, so that the release must "
            "hold against anybody, with anything that can be linked to it, and not only against a "
            "recipient who has promised something.",
            "",
            f"It was protected against linking on {named_in_markdown(key)} with "
            f"k = {k}; `certificate.json` says what was tried and what came of it.{asked}",
            "",
        ]
    )
