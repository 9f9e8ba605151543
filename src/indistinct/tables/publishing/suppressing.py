"""Tables with suppressed cells: which rules find them, and the attack on what was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from indistinct.core import GuaranteeError
from indistinct.flow import Data
from indistinct.project import Publish
from indistinct.tables import (
    Counted,
    Suppression,
    audit,
    cell_system,
    combined,
    dominance_rule,
    magnitude_system,
    p_percent_rule,
    pq_rule,
    published_places,
    suppress,
    system_contributions,
    threshold_rule,
)
from indistinct.tables.publishing.joint import joint_attack_skipped, joint_audit
from indistinct.tables.publishing.numbers import PublishedTable
from indistinct.tables.publishing.shaping import Again, labelled, of_system

__all__ = ["SuppressedTables", "suppress_tables"]


@dataclass(frozen=True, eq=False)
class SuppressedTables:
    """Tables with suppressed cells: one system for counts, and one for each thing added up."""

    parts: tuple[tuple[Counted, Suppression], ...]
    order: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """What users are told of it, a sentence each."""
        return (
            f"Cells were suppressed that might tell of single people or contributors "
            f"({'; '.join(self.rules)}), and others so that these cannot be worked out from what "
            "is left.",
            "All other numbers are true.",
        )

    def tables(self) -> Iterator[PublishedTable]:
        """Yield the tables as they are published."""
        found = {}
        for counted, done in self.parts:
            for table in of_system(counted, done.system, done.system.values, done.suppressed):
                found[table.name] = table
        for name in self.order:
            yield found[name]

    def facts(self) -> Mapping[str, Any]:
        """Return how much was suppressed."""
        return {"systems": [done.to_dict() for _, done in self.parts]}

    def attack(self, again: Again) -> Mapping[str, Any]:
        """Attack the tables that were written, by what an attacker can calculate."""
        unprotected = wrong = 0
        joint: list[bool] = []
        narrowest: list[float] = []
        for counted, done in self.parts:
            system = done.system
            hidden = np.ones(len(system), dtype=bool)
            met = np.zeros(len(system), dtype=bool)
            rows = np.array([row for _, _, row in published_places(counted).shown])
            for table in of_system(counted, system, system.values, done.suppressed):
                read = again(table)
                at = system.places[table.name][rows]
                at = at[(slice(None), *(slice(size) for size in read.shape[1:]))]
                mask = read.suppressed
                assert mask is not None
                shown = ~mask
                wrong += int((read.numbers[shown] != system.values[at[shown]]).sum())
                # a cell that is told in any table is told
                np.logical_and.at(hidden, at.ravel(), mask.ravel())
                met[at.ravel()] = True
            found = audit(system, hidden & met, done.sensitive)
            unprotected += int((~found.holds).sum())
            narrowest += [found.narrowest] if np.isfinite(found.narrowest) else []
            counts = all(table.is_count and table.weight is None for table in counted.tables)
            if len(counted.layouts) > 1:
                together = (
                    joint_audit(counted, system, hidden & met, done.sensitive) if counts else None
                )
                joint.append(together is not None)
                if together is not None:
                    unprotected += int((~together.holds & found.holds).sum())
        why = []
        if unprotected:
            why.append(f"{unprotected:,} sensitive cells can be worked out too closely.")
        if wrong:
            why.append(f"{wrong:,} published numbers are not the true ones.")
        return {
            "attacks": [
                "the interval of every sensitive cell, by linear programs over the published sums",
                "what somebody knows who is alone in a suppressed cell",
                *(
                    ["the same over the joint table of all variables"]
                    if joint and all(joint)
                    else []
                ),
            ],
            "cells_worked_out": unprotected,
            "holds": not (unprotected or wrong),
            "why": " ".join(why),
            "reservations": (
                [] if all(joint) else [joint_attack_skipped("the joint table of all variables")]
            ),
            "private": {"narrowest_interval_to_value": min(narrowest, default=None)},
        }


def _refuse_universes(counted: Counted, settings: Publish) -> None:
    """Refuse to suppress where tables count different people: sums between them are not known."""
    if settings.stop == "allow":
        return
    for first in counted.tables:
        for second in counted.tables:
            alike = (first.value, first.weight) == (second.value, second.weight)
            if alike and first.universe != second.universe:
                raise GuaranteeError(
                    f"The tables '{first.name}' and '{second.name}' count different people, and "
                    "what they tell together is not protected by suppression. Nothing was "
                    "published. Give them one universe, use another method (--method cell-key), "
                    "or allow it (--stop allow)."
                )


def suppress_tables(data: Data, counted: Counted, settings: Publish) -> SuppressedTables:
    """Suppress cells: tables that add up different things are systems of their own."""
    _refuse_universes(counted, settings)
    kinds: dict[tuple[str | None, str | None], list[str]] = {}
    for table in counted.tables:
        kinds.setdefault((table.value, table.weight), []).append(table.name)
    parts = []
    rules: dict[str, None] = {}
    for (value, weight), names in kinds.items():
        part = labelled(counted.with_tables(counted.tables.only(names)), data.variables)
        if value is None and weight is None:
            system = cell_system(part)
            found = [threshold_rule(system, settings.threshold, width=settings.width)]
            rules[f"fewer than {settings.threshold} people"] = None
        else:
            system = magnitude_system(data.source, part)
            behind = system_contributions(
                data.source, data.engine, part, system, contributor=settings.contributor
            )
            found = [
                threshold_rule(
                    system, settings.threshold, contributions=behind, width=settings.width
                )
            ]
            rules[f"fewer than {settings.threshold} contributors"] = None
            if settings.dominance is not None:
                n, k = settings.dominance
                found.append(dominance_rule(system, behind, n=n, k=k))
                rules["dominance of few"] = None
            if settings.p_percent is not None:
                found.append(p_percent_rule(system, behind, p=settings.p_percent))
                rules["the p % rule"] = None
            if settings.pq is not None:
                p, q = settings.pq
                found.append(pq_rule(system, behind, p=p, q=q))
                rules["the pq rule"] = None
        sensitive = combined(*found) if len(found) > 1 else found[0]
        lowest = -np.inf if system.values.min(initial=0) < 0 else 0.0
        done = suppress(system, sensitive, zeros=settings.zeros, lowest=lowest)
        parts.append((part, done))
    order = tuple(table.name for table in counted.tables)
    return SuppressedTables(tuple(parts), order, tuple(rules))
