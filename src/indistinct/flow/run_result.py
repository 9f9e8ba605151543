"""What a run gives: who stood out, how they were protected, what was written and proved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indistinct.flow import WrittenReport
from indistinct.keys import Uniques
from indistinct.protect import Protected
from indistinct.prove import ProtectionReport
from indistinct.release import ReleaseFolder
from indistinct.results import Shown, Table, as_text, folded
from indistinct.utility.tradeoff import RiskUtilityMap

__all__ = ["Run"]


@dataclass(frozen=True, eq=False, repr=False)
class Run(Shown):
    """A release that was written, and everything that was found out for it.

    Parameters
    ----------
    found
        Who stood out in the original records.
    protected
        How they were protected, and what it cost.
    release
        The release folder.
    report, shareable
        The report for the holder, and the edition that may be shown, where one was written.
    protection
        What perturbation changed and what an intruder still finds, where values were perturbed.
    map
        Other methods by risk and utility, where they were tried.
    secret
        The file of the key, for an encrypted release.
    warnings
        What the holder should think about before sending it.
    project
        The project file.
    seconds
        How long it took.
    """

    found: Uniques
    protected: Protected
    release: ReleaseFolder
    report: WrittenReport
    shareable: WrittenReport | None = None
    protection: ProtectionReport | None = None
    map: RiskUtilityMap | None = None
    secret: Path | None = None
    warnings: tuple[str, ...] = ()
    project: Path | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def holds(self) -> bool:
        """Whether the certificate holds, or every reservation was accepted by name."""
        return self.release.passes

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file for people that was written, outside ``private/`` and in it."""
        release = self.release
        written = [release.data, release.methodology, release.contract, release.codebook]
        written.append(release.certificate)
        for report in (self.report, self.shareable):
            if report is not None:
                written += [p for p in (report.html, report.json, report.pdf) if p is not None]
        return tuple(written)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts by name, without a value of any record."""
        done, cost = self.protected, self.protected.cost
        told = {} if self.protection is None else {"protection": self.protection.to_dict()}
        drawn = {} if self.map is None else {"map": self.map.to_dict()}
        return {
            "method": done.method,
            "k": done.k,
            "records_in": done.before.records,
            "records_out": done.source.records,
            "suppressed_records": sum(receipt.records_lost for receipt in done.receipts),
            "suppressed_cells": cost.suppressed_cells if cost else 0,
            "levels": dict(cost.levels) if cost else {},
            "precision": cost.precision if cost else None,
            "loss": cost.losses.get("loss") if cost else None,
            "losses": dict(cost.losses) if cost else {},
            "over_distortion": cost.over_distortion if cost else None,
            "guaranteed": done.guaranteed,
            "at_risk_before": done.before.at_risk,
            "at_risk_after": done.after.at_risk,
            "person": done.person,
            "people_at_risk_before": done.people_before,
            "people_at_risk_after": done.people_after,
            "state": self.release.state,
            "proved": self.release.proved,
            "reservations": [dict(r) for r in self.release.reservations],
            "accepted": list(self.release.accepted),
            "plan": str(self.release.plan),
            "certificate": str(self.release.certificate),
            "release": str(self.release.folder),
            "report": str(self.report.html),
            "shareable": str(self.shareable.html) if self.shareable else None,
            **told,
            **drawn,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        facts = self._facts().items()
        return folded([self._sentence(), *(f"  {name:<11}{as_text(v)}" for name, v in facts)])

    def _tables(self) -> tuple[Table]:
        return (Table.facts("What was done", self._facts(), formats={"precision": ".4f"}),)

    def _sentence(self) -> str:
        found, done = self.found, self.protected
        first = f"{found.at_risk:,} of {found.records:,} records stood out"
        if done.guaranteed:
            return f"{first}; after {done.method} no class is smaller than {done.k}"
        if not done.claims_k:
            return f"{first}; {done.method} does not claim k = {done.k}"
        return f"{first}; after {done.method} {done.residual:,} are left"

    def _facts(self) -> dict[str, object]:
        done, release = self.protected, self.release
        shown = {
            "key": self.found.key,
            "records": done.before.records,
            "released": done.source.records,
            "precision": done.cost.precision if done.cost else None,
            "verdict": release.sentence,
            "release": str(release.folder),
            "report": str(self.report.html),
            "to show": str(self.shareable.html) if self.shareable else None,
            "warnings": len(self.warnings) or None,
        }
        return {name: value for name, value in shown.items() if value is not None}
