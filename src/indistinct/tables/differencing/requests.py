"""A new request for a geography, checked against everything that was published before.

Openshaw et al. (1997), section 4, point 3: differencing "could occur when multiple different user
specific own geographies are used". A record of what was published is kept with the data holder: for
every zoning the zone of each basic spatial unit. It holds no numbers of people, but who asked for
what may be private, and so is the record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from indistinct.core import InputError, for_json
from indistinct.core.doors import read_file, write_whole
from indistinct.hierarchy import as_text
from indistinct.results import Fact, Part, Result, Table, facts, result
from indistinct.tables.counting import Counted
from indistinct.tables.differencing.joint import Joint, joint_atoms
from indistinct.tables.differencing.overlapping import Ints, zone_of
from indistinct.tables.differencing.revealing import (
    Revealed,
    check_threshold,
    people_word,
    revealed_zones,
    zones_word,
)
from indistinct.tables.grouping import Grouping

__all__ = ["Published", "RequestVerdict", "Zoning", "check_request", "zoning_of"]

FORMAT = 1


@dataclass(frozen=True)
class Zoning(Part):
    """One published, or wanted, zoning: the zone of every basic unit.

    Parameters
    ----------
    name
        What it is called.
    variable
        The variable whose values are the basic units: a unit postcode, an enumeration district.
    zones
        The zone of each unit, both as text. A unit that is not in it, or has None, is not covered.
    """

    name: str
    variable: str
    zones: Mapping[str, str | None] = field(repr=False)

    def codes(self, units: Sequence[str | None]) -> tuple[Ints, tuple[str, ...]]:
        """Return the zone of every unit as a number, -1 where it has none, and the labels."""
        labels = tuple(sorted({zone for zone in self.zones.values() if zone is not None}))
        number = {label: n for n, label in enumerate(labels)}
        found = [self.zones.get(unit) if unit is not None else None for unit in units]
        return np.array([-1 if z is None else number[z] for z in found], dtype=np.int64), labels

    FACTS = facts("name", "variable", "zones")


def zoning_of(counted: Counted, geography: Grouping) -> Zoning:
    """Return a geography of counted tables as a zoning of its variable's values."""
    if geography.variable is None:
        raise InputError("Everybody in one zone is no zoning of a variable. Name a geography.")
    codes, labels = zone_of(counted, geography)
    of_value = np.full(len(counted.values[geography.variable]), -1, dtype=np.int64)
    of_value[counted.codes[geography.variable]] = codes
    units = [as_text(value) for value in counted.values[geography.variable]]
    zones = {
        unit: labels[code] if code >= 0 else None
        for unit, code in zip(units, of_value.tolist(), strict=True)
        if unit is not None
    }
    return Zoning(geography.name, geography.variable, zones)


@result(eq=True)
class Published(Result):
    """The private record of everything that was published.

    Parameters
    ----------
    zonings
        The geographies for which tables were published.
    seed
        The seed of their noise, so that the same people get the same noise again. Secret.

    >>> nothing = Published()
    >>> nothing.and_also(Zoning("wards", "block", {"1": "A", "2": "A", "3": "B"}))
    Published(1 zonings)
      Published zonings
        name   variable  zones  units
        wards     block      2      3
    """

    zonings: tuple[Zoning, ...] = ()
    seed: int | None = None

    FACTS = facts(
        Fact("format", lambda found: FORMAT),
        Fact("seed", when=lambda found: found.seed is not None),
        "zonings",
    )

    def sentence(self) -> str:
        """Say how many zonings there are."""
        return f"Published({len(self.zonings):,} zonings)"

    def and_also(self, zoning: Zoning) -> Published:
        """Return the record with one zoning more."""
        if any(one.name == zoning.name for one in self.zonings):
            raise InputError(
                f"A zoning called '{zoning.name}' was published already. Give this one another "
                "name."
            )
        return replace(self, zonings=(*self.zonings, zoning))

    def save(self, path: str | Path) -> None:
        """Write the record as JSON, whole or not at all."""
        text = for_json(self.to_dict(), indent=1)
        write_whole(path, text + "\n", private=True, own=True)

    @classmethod
    def load(cls, path: str | Path) -> Published:
        """Read a record."""
        path = Path(path)
        try:
            content = json.loads(read_file(path, "record of what was published", kept=True))
        except (ValueError, RecursionError):
            raise InputError(
                f"{path} is not JSON. Give the record of what was published."
            ) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(f"{path} is no record of published zonings of format {FORMAT}.")
        try:
            seed = content.get("seed")
            zonings = tuple(_zoning(one) for one in content["zonings"])
            return cls(zonings, None if seed is None else int(seed))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(
                f"{path} holds a zoning that is not one: each needs name, variable and zones."
            ) from None

    def _row_tables(self) -> list[Table]:
        rows = [
            (one.name, one.variable, len(set(one.zones.values()) - {None}), len(one.zones))
            for one in self.zonings
        ]
        return [Table("Published zonings", ("name", "variable", "zones", "units"), rows)]


def _zoning(content: dict[str, Any]) -> Zoning:
    zones = {
        str(unit): zone if zone is None else str(zone) for unit, zone in content["zones"].items()
    }
    return Zoning(str(content["name"]), str(content["variable"]), zones)


@result
class RequestVerdict(Result):
    """Whether a request may be published, and if not, what it would reveal.

    Parameters
    ----------
    request
        What was asked for.
    threshold
        Zones with fewer people count.
    too_small
        Zones of the request that are below the threshold themselves.
    pairs
        What the request reveals beside each published zoning, by its name.
    joint
        What the request determines beside all of them together and beside none of them alone; None
        where fewer than two were published.
    """

    request: Zoning
    threshold: int
    too_small: tuple[str, ...]
    pairs: Mapping[str, Revealed]
    joint: Joint | None

    FACTS = facts(
        Fact("request", "request.name", shown="request"),
        Fact("allowed", shown="allowed"),
        Fact("threshold", shown="threshold"),
        Fact("reasons", shown="reasons"),
        "too_small",
        Fact(
            "pairs",
            lambda found: {
                name: [zone.to_dict() for zone in revealed.zones(100)]
                for name, revealed in found.pairs.items()
            },
        ),
        "joint",
    )

    def _row_tables(self) -> list[Table]:
        rows = [
            (name, zone.people, zone.how)
            for name, revealed in self.pairs.items()
            for zone in revealed.zones(50)
        ]
        return [Table("What it would reveal", ("with", "people", "how"), rows)]

    def sentence(self) -> str:
        """Say whether the request is allowed."""
        word = "allowed" if self.allowed else "refused"
        return f"RequestVerdict({self.request.name}: {word})"

    @property
    def allowed(self) -> bool:
        """Whether it may be published."""
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it may not."""
        found = []
        if self.too_small:
            found.append(f"{zones_word(len(self.too_small))} below {self.threshold} people")
        for name, revealed in self.pairs.items():
            if revealed.number:
                found.append(
                    f"with '{name}' it reveals {zones_word(revealed.number)} below "
                    f"{self.threshold} people by subtraction: "
                    f"{people_word(revealed.people_revealed)}"
                )
        if self.joint is not None and self.joint.number:
            found.append(
                f"with everything published it determines {self.joint.number:,} sets below "
                f"{self.threshold} people: {people_word(self.joint.people_revealed)}"
            )
        return tuple(found)


def check_request(
    published: Published,
    request: Zoning,
    people: Mapping[str, int] | Counted,
    *,
    threshold: int = 10,
) -> RequestVerdict:
    """Check a request against everything that was published.

    It is refused where one of its zones is below the threshold, where with any published zoning it
    reveals a zone below the threshold by subtraction, or where with all of them together it
    determines such a set that was not determined before.

    Parameters
    ----------
    people
        The people in every basic unit; or counted tables, which know them for every variable, so
        that zonings of different variables can be compared.

    >>> blocks = {"1": 40, "2": 4, "3": 50}
    >>> wards = Zoning("wards", "block", {"1": "A", "2": "A", "3": "B"})
    >>> parishes = Zoning("parishes", "block", {"1": "P", "2": "Q", "3": "Q"})
    >>> check_request(Published(), wards, blocks)
    RequestVerdict(wards: allowed)
      request    wards
      allowed      yes
      threshold     10
      reasons
    >>> check_request(Published((wards,)), parishes, blocks)
    RequestVerdict(parishes: refused)
      request                                                                   parishes
      allowed                                                                         no
      threshold                                                                       10
      reasons    with 'wards' it reveals 1 zone below 10 people by subtraction: 4 people
      What it would reveal
        with   people                             how
        wards       4  A of wards minus P of parishes
    """
    threshold = check_threshold(threshold)
    everything = (*published.zonings, request)
    codes, labels, counts = _rows(everything, people)
    own, own_labels = codes[-1], labels[-1]
    if not (own >= 0).any():
        raise InputError(
            f"The request '{request.name}' covers no unit in the data. Check the units' names."
        )
    sizes = np.bincount(own[own >= 0], weights=counts[own >= 0], minlength=len(own_labels))
    # nobody in a zone is told by the map; a few people in it by its tables
    too_small = np.flatnonzero((sizes > 0) & (sizes < threshold)).tolist()
    pairs = {
        one.name: revealed_zones(
            code,
            own,
            counts,
            threshold,
            first_labels=label,
            second_labels=own_labels,
            names=(one.name, request.name),
        )
        for one, code, label in zip(published.zonings, codes, labels, strict=False)
    }
    joint = None
    if len(published.zonings) > 1:
        joint = _news(codes, counts, threshold, [one.name for one in everything], pairs)
    return RequestVerdict(request, threshold, tuple(own_labels[n] for n in too_small), pairs, joint)


def _news(
    codes: list[Ints],
    counts: Ints,
    threshold: int,
    names: list[str],
    pairs: Mapping[str, Revealed],
) -> Joint:
    """Return what all zonings determine, without what the published ones or a pair told already."""
    joint = joint_atoms(codes, counts, threshold, names=names)
    large = np.iinfo(np.int64).max
    known = np.full(len(joint.people), large)
    rows = np.flatnonzero(joint.atom_of >= 0)

    def learn(atom_of: Ints, least: Ints) -> None:
        atom = atom_of[rows]
        told = np.where(atom >= 0, least[atom], 0) if len(least) else np.zeros(len(rows))
        np.minimum.at(known, joint.atom_of[rows], np.where(told > 0, told, large).astype(np.int64))

    for revealed in pairs.values():
        learn(revealed.overlap.atom_of, revealed.least_people)
    earlier = joint_atoms(codes[:-1], counts, threshold)
    least = np.zeros(len(earlier.people), dtype=np.int64)
    both = earlier.people[earlier.pairs].sum(axis=1)
    for side in (0, 1):
        least[earlier.pairs[:, side]] = both
    least[earlier.single] = earlier.people[earlier.single]
    learn(earlier.atom_of, least)
    return joint.without(np.where(known == large, 0, known))


def _rows(
    zonings: Sequence[Zoning], people: Mapping[str, int] | Counted
) -> tuple[list[Ints], list[tuple[str, ...]], Ints]:
    """Return the zone of every row in each zoning, the labels of each, and the people."""
    if isinstance(people, Counted):
        codes, labels = [], []
        for one in zonings:
            if one.variable not in people.codes:
                raise InputError(
                    f"'{one.variable}', of which '{one.name}' is a zoning, was not counted. Name "
                    "it as a geography when counting."
                )
            units = [as_text(value) for value in people.values[one.variable]]
            of_unit, label = one.codes(units)
            codes.append(of_unit[people.codes[one.variable]])
            labels.append(label)
        return codes, labels, people.counts
    variables = sorted({one.variable for one in zonings})
    if len(variables) > 1:
        raise InputError(
            f"The zonings are of different variables: {', '.join(variables)}. Give the counted "
            "tables, which say who is in which."
        )
    counts = np.array(list(people.values()), dtype=np.int64)
    found = [one.codes(list(people)) for one in zonings]
    return [code for code, _ in found], [label for _, label in found], counts
