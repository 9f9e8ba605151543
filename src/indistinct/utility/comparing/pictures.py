"""The figures of a comparison, original against released, as a folder of SVG files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from indistinct.core.doors import folder_written_whole
from indistinct.prove.changes import ProtectionReport
from indistinct.utility.analyses import Utility
from indistinct.utility.demography import DemographicTests

__all__ = ["figures_of", "write_figures"]

_MEASURES = ("pairs", "correlations", "associations", "regressions", "k_marginal")


def figures_of(
    utility: Utility,
    demography: DemographicTests | None = None,
    protection: ProtectionReport | None = None,
) -> dict[str, str]:
    """Return the figures by file name: one for each variable, measure, test and curve."""
    found: dict[str, str] = {}
    for marginal in utility.marginals.variables:
        found[_free(f"marginal-{_plain(marginal.name)}", found)] = utility.marginals.plot(
            marginal.name
        )
    measures = utility.measures
    for name in _MEASURES:
        if name in measures:
            found[f"{name.replace('_', '-')}.svg"] = measures[name].plot()
    if demography is not None:
        for curve in demography.age_gap.curves:
            if not curve.judged.any():
                continue  # nothing would be drawn
            name = f"age-gap-by-{curve.reference}.svg"
            found[name] = demography.age_gap.plot(curve.reference)
        found["fertility.svg"] = demography.fertility.plot()
        if demography.homogamy is not None:
            found["homogamy.svg"] = demography.homogamy.plot()
    if protection is not None:
        found["changes.svg"] = protection.plot()
    return found


def write_figures(folder: str | Path, figures: Mapping[str, str]) -> list[Path]:
    """Write figures into a folder that is new or empty; it appears whole or not at all."""
    target = Path(folder)
    with folder_written_whole(target) as aside:
        for name, figure in figures.items():
            (aside / name).write_text(figure + "\n", encoding="utf-8", newline="\n")
    return [target / name for name in figures]


def _plain(name: str) -> str:
    """Return a variable's name as a file's: letters, digits, dots and dashes."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80] or "variable"


def _free(stem: str, taken: Mapping[str, str]) -> str:
    """Return a file name that no other variable has, also where capitals do not count."""
    lowered = {name.lower() for name in taken}
    name, number = f"{stem}.svg", 1
    while name.lower() in lowered:
        number += 1
        name = f"{stem}-{number}.svg"
    return name
