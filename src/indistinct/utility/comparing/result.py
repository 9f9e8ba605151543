"""What a comparison of a release with its original found, in one result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indistinct.core import for_json
from indistinct.core.doors import folder_written_whole, write_whole
from indistinct.prove.changes import ProtectionReport
from indistinct.results import MOST_LINES, Shown, Table, folded
from indistinct.results.figures import stacked
from indistinct.rules import RulesReport
from indistinct.utility.analyses import Utility
from indistinct.utility.analyses.printing import plain
from indistinct.utility.comparing.labels import Generalised
from indistinct.utility.demography import DemographicTests

__all__ = ["ReleaseComparison", "figures_of", "write_figures"]


# The figures of a comparison, original against released, as a folder of SVG files.


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


_TESTS = {
    "age_gap": "age gap between spouses",
    "fertility": "own-child fertility",
    "homogamy": "homogamy by education",
    "rules": "edit rules",
}


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseComparison(Shown):
    """Would results from the released file be the same, and what was changed to protect it?

    Parameters
    ----------
    utility
        The measures of general utility.
    demography
        Age gap, own-child fertility and homogamy, where households are known.
    rules
        Who breaks edit rules before and after, where there are rules.
    protection
        What changed, record by record, and what an intruder still finds; the holder's view.
    generalised
        Variables released as labels, to whose categories both files were recoded.
    left_out
        Variables that were suppressed altogether, or released as labels that nobody can read.
    suppressed
        Released cells that tell nothing and counted as missing, by variable.
    notes
        Sentences for people: what was not made and why, what was taken for what.
    """

    utility: Utility
    demography: DemographicTests | None = None
    rules: RulesReport | None = None
    protection: ProtectionReport | None = None
    generalised: tuple[Generalised, ...] = ()
    left_out: tuple[str, ...] = ()
    suppressed: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def tests(self) -> dict[str, bool | None]:
        """The tests that give a verdict, by name; None where one could not say."""
        found: dict[str, bool | None] = {}
        if self.demography is not None:
            found["age_gap"] = self.demography.age_gap.passed
            found["fertility"] = self.demography.fertility.passed
            if self.demography.homogamy is not None:
                found["homogamy"] = self.demography.homogamy.passed
        if self.rules is not None:
            found["rules"] = self.rules.passed
        return found

    @property
    def passed(self) -> bool | None:
        """Whether every test that could say passed; None where none could."""
        verdicts = [passed for passed in self.tests.values() if passed is not None]
        return all(verdicts) if verdicts else None

    @property
    def failed(self) -> tuple[str, ...]:
        """The tests that failed, in words."""
        return tuple(_TESTS[name] for name, passed in self.tests.items() if passed is False)

    @property
    def suggestions(self) -> tuple[str, ...]:
        """What to do about the tests that failed."""
        found = []
        if self.demography is not None:
            found = [r.suggestion for r in self.demography.results if r.passed is False]
        if self.rules is not None and not self.rules.passed:
            before, after = self.rules.before.counts, self.rules.after.counts
            worse = [f"'{name}'" for name in before if after[name] > before[name]]
            found.append(
                f"more records break {', '.join(worse)} than before: change the variables of "
                "these rules together, or within classes that the rules tell apart"
            )
        return tuple(found)

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        verdicts = [passed for passed in self.tests.values() if passed is not None]
        if not verdicts:
            return "No test gave a verdict; the measures speak for themselves"
        if not self.failed:
            return f"All {len(verdicts)} tests passed" if len(verdicts) > 1 else "The test passed"
        count = f"{len(self.failed)} of {len(verdicts)} tests" if len(verdicts) > 1 else "The test"
        return f"{count} FAILED: {', '.join(self.failed)}"

    def to_dict(self) -> dict[str, Any]:
        """Return one object for each measure, each with `original`, `released`, `difference`.

        What is no object is said of the comparison as a whole.
        """
        found: dict[str, Any] = dict(self.utility.to_dict())
        if self.demography is not None:
            found |= {
                r: m.to_dict()
                for r in ("age_gap", "fertility", "homogamy")
                if (m := getattr(self.demography, r)) is not None
            }
        if self.rules is not None:
            found["rules"] = self.rules.to_dict()
        if self.protection is not None:
            found["protection"] = _protection(self.protection)
        about = {
            "files": [self.utility.original, self.utility.released],
            "records": list(self.utility.records),
            "variables": list(self.utility.variables),
            "generalised": [g.name for g in self.generalised],
            "not_compared": list(self.left_out),
            "passed": self.passed,
            "failed": list(self.failed),
            "suggestions": list(self.suggestions),
            "notes": [*self.utility.notes, *self._demographic_notes(), *self.notes],
        }
        content: dict[str, Any] = plain({**found, **about})
        return content

    def _demographic_notes(self) -> list[str]:
        return list(self.demography.notes) if self.demography is not None else []

    def figures(self) -> dict[str, str]:
        """Return the figures as SVG, by file name."""
        return figures_of(self.utility, self.demography, self.protection)

    def plot(self) -> str:
        """Draw utility, demographic tests and changes below each other, as SVG.

        `figures` has one figure for each variable, measure and test.
        """
        return stacked("Original against released", self._figures())

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the whole result as JSON; the file appears whole or not at all."""
        text = for_json(self.to_dict(), indent=1)
        return write_whole(path, text + "\n", overwrite=overwrite)

    def write_figures(self, folder: str | Path) -> list[Path]:
        """Write the figures into a new folder, which appears whole or not at all."""
        return write_figures(folder, self.figures())

    def __repr__(self) -> str:
        lines = [self.sentence]
        if self.notes:  # what was left out or recoded must be known before a number is read
            lines.append(f"  {len(self.notes)} notes on what was compared: details()")
        lines += [f"  {text}" for text in self.utility.sentences()]
        if self.demography is not None:
            lines += [f"  {result._headline()}" for result in self.demography.results]
        if self.rules is not None:
            became = len(self.rules.became_impossible)
            lines.append(f"  {became:,} records became impossible by {len(self.rules.rules)} rules")
        if self.protection is not None:
            lines += [f"  {line}" for line in self.protection.headlines()]
        return folded(lines, most=MOST_LINES)

    def _lines(self) -> list[str]:
        lines = [self.sentence, *(f"note: {note}" for note in self.notes), self.utility.details()]
        lines += [part.details() for part in (self.demography, self.rules) if part is not None]
        if self.protection is not None:
            lines += ["For the holder of the original", self.protection.details()]
        return lines

    def _tables(self) -> list[Table]:
        tests = [
            (_TESTS[name], {True: "passed", False: "FAILED", None: "cannot say"}[passed])
            for name, passed in self.tests.items()
        ]
        parts = (self.utility, self.demography, self.rules, self.protection)
        found = [table for part in parts if part is not None for table in part._tables()]
        return [
            *found[:1],
            *([Table("Tests", ("test", "verdict"), tests)] if tests else []),
            *found[1:],
        ]

    def _figures(self) -> list[str]:
        parts = (self.utility, self.demography, self.protection)
        return [part.plot() for part in parts if part is not None]

    def _notes(self) -> list[str]:
        demographic = self._demographic_notes()
        return [*self.suggestions, *self.notes, *self.utility._notes(), *demographic]


def _protection(report: ProtectionReport) -> dict[str, Any]:
    """Return the report, and what an intruder finds in each file, as shares of people."""
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    if report.exact is not None:
        before["exact"], after["exact"] = report.exact.rate_before, report.exact.rate_after
    for link in report.linkage:
        before[link.distance], after[link.distance] = link.before, link.share
    return {
        "original": before,
        "released": after,
        "difference": {name: after[name] - before[name] for name in before},
        **report.to_dict(),
    }
