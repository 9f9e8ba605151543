"""Kin by the rules of docs/methods/households.md, one household and one person at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Person:
    household: int
    kin: str
    sex: str
    age: float | None
    status: str

    spouse: int = -1
    mother: int = -1
    father: int = -1
    head: int = -1


def find_slowly(people: list[Person]) -> None:
    homes: dict[int, list[int]] = {}
    for number, person in enumerate(people):
        homes.setdefault(person.household, []).append(number)
    for members in homes.values():
        _household(people, members)


def _older(people, parent, child):
    a, b = people[parent].age, people[child].age
    return None if a is None or b is None else a - b


def _fits(people, parent, child, most):
    years = _older(people, parent, child)
    return years is None or 12 <= years <= most


def _household(people, members):
    def coded(*kinds):
        return [m for m in members if people[m].kin in kinds]

    heads = coded("head")
    assert len(heads) <= 1
    couple = heads[:]
    if heads:
        for m in members:
            people[m].head = heads[0]
        couple += coded("spouse")[:1]
        if len(couple) == 2:
            _wed(people, *couple)
    for child in coded("child"):
        for adult in couple:
            person = people[child]
            if people[adult].sex == "f" and person.mother < 0 and _fits(people, adult, child, 54):
                person.mother = adult
            if people[adult].sex == "m" and person.father < 0 and _fits(people, adult, child, 79):
                person.father = adult
    if len(members) > 100:
        return
    _match(people, coded("child_in_law"), coded("child"))
    for code, children in (
        ("parent", heads + coded("sibling")),
        ("parent_in_law", couple[1:]),
    ):
        elders = coded(code)
        men = [e for e in elders if people[e].sex == "m"]
        women = [e for e in elders if people[e].sex == "f"]
        _match(people, men, women)
        for child in children:
            people[child].mother = _best(people, child, women, 54, people[child].mother)
            people[child].father = _best(people, child, men, 79, people[child].father)
    between = coded("child", "child_in_law")
    for child in coded("grandchild"):
        mother = _best(people, child, [b for b in between if people[b].sex == "f"], 54)
        people[child].mother = mother
        if mother < 0:
            men = [b for b in between if people[b].sex == "m"]
            people[child].father = _best(people, child, men, 79)
            continue
        husband = people[mother].spouse
        if husband >= 0 and people[husband].sex == "m" and _fits(people, husband, child, 79):
            people[child].father = husband


def _wed(people, one, other):
    people[one].spouse, people[other].spouse = other, one


def _match(people, left, right):
    ranked = []
    for one in left:
        for other in right:
            a, b = people[one], people[other]
            if {a.sex, b.sex} != {"m", "f"} or "formerly" in (a.status, b.status):
                continue
            if any(p.age is not None and p.age < 15 for p in (a, b)):
                continue
            man, woman = (one, other) if a.sex == "m" else (other, one)
            gap = _older(people, man, woman)
            if gap is not None and abs(gap) > 25:
                continue
            unequal = a.status != b.status and "" not in (a.status, b.status)
            ranked.append((unequal, 999 if gap is None else abs(gap - 2), one, other))
    for _, _, one, other in sorted(ranked):
        if people[one].spouse < 0 and people[other].spouse < 0:
            _wed(people, one, other)


def _best(people, child, candidates, most, otherwise=-1):
    ranked = []
    for parent in candidates:
        if _fits(people, parent, child, most):
            person = people[parent]
            ever = person.status in ("married", "formerly") or person.spouse >= 0
            years = _older(people, parent, child)
            ranked.append((not ever, 999 if years is None else abs(years - 27), parent))
    return min(ranked)[2] if ranked else otherwise
