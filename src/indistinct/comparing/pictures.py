"""The figures of a comparison, original against released, as a folder of SVG files."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from indistinct.errors import InputError
from indistinct.files import check_new_folder
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
    target = check_new_folder(folder)
    place = target.resolve()
    aside: Path | None = None
    try:
        aside = Path(tempfile.mkdtemp(prefix=f".{place.name[:100]}-", dir=place.parent))
        for name, figure in figures.items():
            with open(aside / name, "w", encoding="utf-8", newline="\n") as file:
                file.write(figure + "\n")
                file.flush()
                os.fsync(file.fileno())
        os.chmod(aside, 0o755)
        if os.name != "posix" and place.exists():
            place.rmdir()
        os.replace(aside, place)
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise InputError(f"{target} cannot be written: {reason}. Nothing was written.") from None
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
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
