"""A document as one HTML page that needs neither network nor script."""

from __future__ import annotations

import math
import unicodedata
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from indistinct.core import for_html, for_json
from indistinct.release.few import Below, Few
from indistinct.release.report.pieces import Claim, Document, Shown
from indistinct.release.report.words import Words

__all__ = ["document_json", "write_page"]

_TURNING = ("R", "AL", "AN", "RLE", "RLO", "LRE", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI")
"""Kinds of letters that are written from right to left, or turn those beside them."""


def write_page(
    document: Document, words: Words, *, docs: str | None = None, unfolded: bool = False
) -> str:
    """Return the page.

    Parameters
    ----------
    docs
        Where the documentation is, an address: the methods' pages are then linked there.
    unfolded
        Show the data tables of figures openly, as paper needs it.
    """
    prefix = "method-page."
    pages = [c.name for c in document.every(Claim) if c.name.startswith(prefix)]
    return _template().render(
        document=document,
        words=words,
        docs=docs.rstrip("/") if docs else None,
        unfolded=unfolded,
        # whoever reads this has no documentation at hand: a statement points to a note at the end
        notes={name.removeprefix(prefix): number for number, name in enumerate(pages, 1)},
    )


def document_json(document: Document) -> str:
    """Return the machine-readable twin of a page."""
    return for_json(told(document.to_dict()), indent=1) + "\n"


def told(value: Any) -> Any:
    """Return what JSON can hold; a number that is not told exactly becomes text.

    >>> told({"people": Few(5), "share": Below(0.005), "k": (3, None)})
    {'people': '<5', 'share': '<0.005', 'k': [3, None]}
    """
    if isinstance(value, (Few, Below)):
        return repr(value)
    if isinstance(value, dict):
        return {str(name): told(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [told(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@cache
def _template() -> jinja2.Template:
    folder = resources.files("indistinct.release.report").joinpath("template")
    texts = {name: folder.joinpath(name).read_text("utf-8") for name in ("page.html", "page.css")}
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(texts),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finished,
    )
    environment.filters["sentence"] = sentence
    environment.filters["value"] = value_of
    environment.filters["kind"] = lambda piece: type(piece).__name__
    environment.filters["listed"] = lambda piece: getattr(piece, "listed", "")
    environment.filters["svg"] = Markup
    return environment.get_template("page.html")


def _finished(value: Any) -> Any:
    """Return what the page shows for an expression of its template."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return Markup(for_html(value)) if plain else value


def sentence(claim: Claim) -> Markup:
    """Return a claim as HTML: values marked as such, what stands between ** set off."""
    parts = []
    strong = False
    for part in claim.parts:
        if isinstance(part, Shown):
            parts.append(value_of(part))
            continue
        for i, literal in enumerate(part.split("**")):
            if i:
                strong = not strong
                parts.append(Markup("<strong>" if strong else "</strong>"))
            parts.append(Markup(for_html(literal)))
    if strong:
        parts.append(Markup("</strong>"))
    return Markup("").join(parts)


def value_of(shown: Shown) -> Markup:
    """Return a value as HTML: a number with its exact value beside what is read."""
    value = shown.value
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and told(value) is not None:
        return Markup('<data value="{}">{}</data>').format(
            told(value), Markup(for_html(shown.text))
        )
    text = Markup(for_html(shown.text))
    # without it, numbers and words that follow could be shown in another order
    turned = any(unicodedata.bidirectional(letter) in _TURNING for letter in shown.text)
    return Markup("<bdi>{}</bdi>").format(text) if turned else text
