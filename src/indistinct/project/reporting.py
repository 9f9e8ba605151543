"""``[report]``: what the report of a run measures, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indistinct.project.settings import Place, existing_file, setting, text, yes_or_no

__all__ = ["ReportSettings"]


def _language(value: Any, place: Place) -> str | Path | None:
    """Take the code of a language, or a catalogue file that exists."""
    if isinstance(value, str) and value.endswith(".toml"):
        return existing_file(value, place)
    return text(value, place)


def _address(value: Any, place: Place) -> str | None:
    """Take the address of a page on the web."""
    if isinstance(value, str) and value.startswith(("https://", "http://")):
        return value
    place.wrong('an address such as "https://example.org/docs"', value)
    return None


@dataclass(frozen=True)
class ReportSettings:
    """``[report]``: what is measured for the report, and in which forms it is written."""

    utility: bool = setting(
        yes_or_no, "whether the release is compared with the original", default=True
    )
    map: bool = setting(
        yes_or_no,
        "whether copies are protected in other ways too, for a map of risk and utility",
        default=False,
    )
    shareable: bool = setting(
        yes_or_no, "whether an edition without private values is written too", default=True
    )
    pdf: bool = setting(yes_or_no, "whether every edition is also printed to PDF", default=False)
    language: str | Path = setting(
        _language, "the language: en, or a catalogue file (.toml)", default="en"
    )
    docs: str | None = setting(_address, "where the documentation is, for the report's links")
